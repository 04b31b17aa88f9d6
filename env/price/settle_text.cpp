#include "env/price/settle_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cstdlib>
#include <numeric>

#include "env/price/settle_parts.h"
#include "env/rules/compiled_rules.h"

namespace schafkopf {
namespace {

std::string replaced(std::string text, std::string_view place, const std::string& name) {
  if (const std::size_t at = text.find(place); at != std::string::npos) {
    text.replace(at, place.size(), name);
  }
  return text;
}

std::string players(int count) { return fmt::format("{} player{}", count, count == 1 ? "" : "s"); }

/// Lines of one settlement; every method adds the steps of one part.
class Steps {
 public:
  Steps(const Outcome& outcome, const RuleSet& rules, const DealContext& context)
      : outcome_(outcome),
        rules_(rules),
        context_(context),
        result_(settle(outcome, rules, context)) {}

  [[nodiscard]] std::vector<SettlementStep> all() {
    if (outcome_.thrown_in) {
      const bool pays = result_.stock_payoffs != std::array<std::int32_t, kNumSeats>{};
      const bool is_full =
          outcome_.stock_deposit && !pays && rules_.tariff[TariffKey::kStockUnit] > 0;
      add(is_full                  ? "all passed: thrown in, the Stock is full: nobody pays"
          : outcome_.stock_deposit ? "all passed: thrown in, everybody pays into the Stock"
                                   : "all passed: thrown in, nobody pays");
      if (outcome_.stock_deposit && !is_full) add_stock("Stock");
      return std::move(steps_);
    }
    add_offence();
    if (verdict_of(outcome_, rules_) != Verdict::kFixed) {
      if (contract_row(outcome_.contract.contract).goal == Goal::kFewestPoints) {
        add_ramsch();
      } else {
        add_game();
      }
      add_factors();
      if (std::abs(result_.price) == kMostPrice) {
        add(fmt::format("at most {}: no price is higher", text(kMostPrice)));
      }
    }
    add(fmt::format("price {} {} per player", text(result_.price), rules_.tariff.unit));
    add_amounts(SettlementStep::Kind::kPayoffs, "payoffs", result_.payoffs);
    add_pots();
    return std::move(steps_);
  }

 private:
  void add(std::string pattern) {
    steps_.push_back({SettlementStep::Kind::kOther, std::move(pattern), -1, {}});
  }
  void add_of_seat(std::string pattern, int seat,
                   SettlementStep::Kind kind = SettlementStep::Kind::kOther) {
    steps_.push_back({kind, std::move(pattern), seat, {}});
  }
  void add_amounts(SettlementStep::Kind kind, std::string pattern,
                   const std::array<std::int32_t, kNumSeats>& list) {
    steps_.push_back(
        {kind, std::move(pattern), -1, {list.begin(), list.begin() + seats_of(rules_)}});
  }
  void add_stock(std::string pattern) {
    add_amounts(SettlementStep::Kind::kStock, std::move(pattern), result_.stock_payoffs);
  }

  [[nodiscard]] std::string text(int amount) const {
    return amount_text(amount, rules_.tariff.scale);
  }

  void add_offence() {
    if (outcome_.infraction == Infraction::kNone) return;
    static constexpr std::string_view kMeaning[] = {
        "no effect on the price, or the rest goes to the opponents",
        "the offender's party loses the simple game",
        "the offender's party loses with Schwarz",
        "fixed penalty to all other players",
    };
    Verdict verdict = verdict_of(outcome_, rules_);
    if (verdict == Verdict::kLostSchwarz && !result_.schwarz) {
      verdict = Verdict::kLostSimple;  // games that know no Schwarz (OPEN-54)
    }
    add_of_seat(
        fmt::format("{} of {{seat}}: {} (infraction_policy = {})", name_of(outcome_.infraction),
                    kMeaning[static_cast<std::size_t>(verdict)], name_of(rules_.infraction_policy)),
        outcome_.offender);
  }

  void add_ramsch() {
    if (rules_.ramsch_shift)
      add("tricks are handed to the left: those of the right neighbour count");
    if (result_.march >= 0) {
      add_of_seat("{game}: Durchmarsch of {seat}", result_.march);
    } else {
      add_of_seat("{game}: {seat} loses", result_.loser, SettlementStep::Kind::kLoser);
    }
    if (const int second = second_payer(); second >= 0) {
      add_of_seat("the second, {seat}, pays too (ramsch_payers = 2)", second);
    }
    const bool march = result_.march >= 0;
    add(fmt::format("base {}",
                    text(rules_.tariff[march ? TariffKey::kMarch : TariffKey::kRamsch])));
    if (result_.virgins != 0 && !march) add_virgins(std::popcount(result_.virgins));
    if (outcome_.announced != 0 && verdict_of(outcome_, rules_) == Verdict::kPlayed) {
      add(fmt::format("Jungfrau announced by {}: x2", players(std::popcount(outcome_.announced))));
    }
  }

  /// Who pays beside the loser of a Ramsch; -1 = nobody.
  [[nodiscard]] int second_payer() const {
    if (result_.march >= 0) return -1;
    const auto pays = [&](int seat) {
      return seat != result_.loser && result_.payoffs[static_cast<std::size_t>(seat)] < 0;
    };
    for (int seat = 0; seat < kNumSeats; ++seat) {
      if (pays(seat)) return seat;
    }
    return -1;
  }

  /// What seats without a trick do to the price; nothing is said where they do nothing.
  void add_virgins(int number) {
    const std::string start = fmt::format("Jungfrau: {} without a trick", number);
    switch (rules_.ramsch_virgin) {
      case RamschVirgin::kOff:
        return;
      case RamschVirgin::kReceivesDouble:
        return add(start + ", paid twice the price");
      case RamschVirgin::kAllDouble:
        return add(start + ": x2");
      case RamschVirgin::kAllDoublePerVirgin:
        return add(fmt::format("{}: x{}", start, 1 << number));
    }
  }

  void add_game() {
    const PriceParts parts = price_parts(outcome_, result_, rules_, context_);
    add(fmt::format("{{game}} {}{}", result_.won ? "won" : "lost", what_counted()));
    add(fmt::format("base {}", text(parts.base)));
    if (parts.schneider != 0) add(fmt::format("Schneider +{}", text(parts.schneider)));
    if (parts.schwarz > 0) add(fmt::format("Schwarz +{}", text(parts.schwarz)));
    if (parts.schwarz < 0) add(fmt::format("Schwarz claimed wrongly {}", text(parts.schwarz)));
    if (result_.schwarz && outcome_.claimed_schwarz == 0) add("Schwarz not claimed: not paid");
    add_laufende(parts.laufende);
    if (parts.factor != 1) add(fmt::format("factor x{}", parts.factor));
  }

  /// Points, tricks or nothing, where a hand or an infraction did (E.6): what decided the game.
  [[nodiscard]] std::string what_counted() const {
    const Goal goal = contract_row(outcome_.contract.contract).goal;
    if (goal == Goal::kFixedHand || verdict_of(outcome_, rules_) != Verdict::kPlayed) return "";
    if (outcome_.contract.tout || goal != Goal::kMajority) {
      int tricks = 0;
      for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
        if (((outcome_.declarer_party >> seat) & 1) != 0) tricks += outcome_.tricks[seat];
      }
      return fmt::format(" with {} trick{}", tricks, tricks == 1 ? "" : "s");
    }
    std::string words = fmt::format(" with {} points", result_.declarer_points);
    if (outcome_.contract.bid > 0) words += fmt::format(" (bid {})", outcome_.contract.bid);
    return words;
  }

  /// "Stoß, Re": the doublings by their names at this table.
  [[nodiscard]] std::string doubling_words(int level) const {
    const auto& names = rules_.doubling_names;
    if (static_cast<std::size_t>(level) > names.size()) return fmt::format("{} doublings", level);
    return fmt::format("{}", fmt::join(names.begin(), names.begin() + level, ", "));
  }

  /// Which parts of the price doublings leave as they are (G.3); nothing is said of parts that are 0.
  [[nodiscard]] std::string_view what_is_not_doubled() const {
    if (contract_row(outcome_.contract.contract).goal == Goal::kFewestPoints) return "";
    const PriceParts parts = price_parts(outcome_, result_, rules_, context_);
    switch (parts.scope) {
      case KontraScope::kAll:
        break;
      case KontraScope::kNoLaufende:
        return parts.laufende != 0 ? ", not the Laufende" : "";
      case KontraScope::kBaseOnly:
        return parts.laufende != 0 || parts.schneider != 0 || parts.schwarz != 0
                   ? ", of the base alone"
                   : "";
    }
    return "";
  }

  void add_laufende(int amount) {
    if (outcome_.claimed_laufende < 0) {
      if (amount != 0) add(fmt::format("{} Laufende +{}", result_.laufende, text(amount)));
      return;
    }
    add(fmt::format("{} Laufende claimed, {} payable: {} paid, {}{}", outcome_.claimed_laufende,
                    result_.laufende, result_.laufende_paid, amount < 0 ? "" : "+", text(amount)));
  }

  void add_factors() {
    const int level = outcome_.level, legen = outcome_.legen;
    if (level > 0) {
      add(fmt::format("{} x{}{}", doubling_words(level), 1 << level, what_is_not_doubled()));
    }
    if (legen > 0) add(fmt::format("laid by {} x{}", players(legen), 1 << legen));
    if (context_.bock > 0) add(fmt::format("Bock x{}", 1 << context_.bock));
  }

  void add_pots() {
    if (result_.stock_payoffs != std::array<std::int32_t, kNumSeats>{}) {
      const auto& paid = result_.stock_payoffs;
      const bool doubles = std::accumulate(paid.begin(), paid.end(), context_.stock) == 0;
      add_stock(fmt::format("Stock of {} {}:", text(context_.stock),
                            result_.won ? "won"
                            : doubles   ? "doubled"
                                        : "filled up"));
    }
    if (result_.reuegeld != 0) {
      add_of_seat(fmt::format("Reuegeld {} from {{seat}} into the kitty", text(result_.reuegeld)),
                  outcome_.contract.declarer);
    }
  }

  const Outcome& outcome_;
  const RuleSet& rules_;
  const DealContext& context_;
  Settlement result_;
  std::vector<SettlementStep> steps_;
};

}  // namespace

std::vector<SettlementStep> settlement_parts(const Outcome& outcome, const RuleSet& rules,
                                             const DealContext& context) {
  return Steps(outcome, rules, context).all();
}

std::vector<std::string> settlement_steps(const Outcome& outcome, const RuleSet& rules,
                                          const DealContext& context) {
  const auto game = contract_name(outcome.contract.contract, outcome.contract.tout);
  std::vector<std::string> lines;
  for (const SettlementStep& step : settlement_parts(outcome, rules, context)) {
    std::string line = replaced(step.pattern, "{game}", std::string(game));
    line = replaced(line, "{seat}", "seat " + std::to_string(step.seat));
    for (const std::int32_t amount : step.amounts)
      line += ' ' + amount_text(amount, rules.tariff.scale);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> settlement_steps(const Outcome& outcome, const CompiledRules& rules,
                                          const DealContext& context) {
  return settlement_steps(outcome, rules.rules(), context);
}

}  // namespace schafkopf
