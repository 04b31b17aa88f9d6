// The engine and the slow reference side by side: the same rule sets, deals and contracts for both,
// and one deal played on both with everything compared (used by the differential and perft tests).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "env/game.h"
#include "env/rules.h"
#include "tests/cpp/reference_deals.h"

namespace schafkopf::test {

/// One rule set in both forms.
struct BothRules {
  std::shared_ptr<const CompiledRules> engine;
  reference::ReferenceRules reference;
};

/// Switches of the reference under the keys of the engine, its tariff left alone.
inline RuleSet rule_set_of(const reference::ReferenceRules& rules) {
  RuleSet set = preset("official_1989");
  const std::map<std::string, FieldValue> values = {
      {"partner_trump_suit", std::string(1, rules.partner_trump_suit)},
      {"contracts", rules.contracts},
      {"tout_enabled", rules.tout_enabled},
      {"sie_enabled", rules.sie_enabled},
      {"auction_style", rules.auction_style},
      {"all_pass", rules.all_pass},
      {"called_discard_window", std::int64_t{rules.called_discard_window}},
      {"runaway_enabled", rules.runaway_enabled},
      {"runaway_min_others", std::int64_t{rules.runaway_min_others}},
      {"early_termination", rules.early_termination},
      {"kontra_window", rules.kontra_window},
      {"kontra_ask_before_first", rules.kontra_ask_before_first},
      {"max_doublings_partner", std::int64_t{rules.max_doublings_partner}},
      {"max_doublings_solo", std::int64_t{rules.max_doublings_solo}},
      {"max_doublings_per_seat", std::int64_t{rules.max_doublings_per_seat}},
      {"kontra_takeover", rules.kontra_takeover},
      {"kontra_scope", rules.kontra_scope},
      {"solo_schneider_schwarz", rules.solo_schneider_schwarz},
      {"laufende_min_ober", std::int64_t{rules.laufende_min_ober}},
      {"laufende_min_wenz", std::int64_t{rules.laufende_min_wenz}},
      {"laufende_cap", rules.laufende_cap},
      {"ramsch_trumps", rules.ramsch_trumps},
      {"ramsch_payers", std::int64_t{rules.ramsch_payers}},
      {"ramsch_virgin", rules.ramsch_virgin},
      {"ramsch_march", rules.ramsch_march},
      {"ramsch_shift", rules.ramsch_shift},
  };
  for (const auto& [key, value] : values) set_field(set, key, value);
  return set;
}

/// Amounts of a tariff of the engine in the form of the reference; the classes that differ from the
/// Solo price become overrides.
inline reference::ReferenceTariff reference_tariff(const Tariff& tariff) {
  reference::ReferenceTariff result;
  result.ruf = tariff[TariffKey::kRuf];
  result.solo = tariff[TariffKey::kSolo];
  result.schneider = tariff[TariffKey::kSchneider];
  result.schwarz = tariff[TariffKey::kSchwarz];
  result.laufende = tariff[TariffKey::kLaufende];
  result.ramsch = tariff[TariffKey::kRamsch];
  result.march = tariff[TariffKey::kMarch];
  result.tout_factor = tariff.tout_factor;
  result.sie_factor = tariff.sie_factor;
  result.overrides.emplace_back("WENZ", tariff[TariffKey::kWenz]);
  return result;
}

/// Random house rules that the engine accepts, and a random tariff of RULES G.2.
///
/// contracts  classes that can be named; empty = random ones
inline BothRules random_both_rules(reference::Random& random,
                                   const std::vector<std::string>& contracts) {
  const std::vector<std::string> tariffs = {"official_pfennig", "10/20/50", "10/20",
                                            "tournament_2024", "10/20/50 half Laufende"};
  while (true) {
    BothRules both;
    both.reference = reference::random_rules(random);
    if (!contracts.empty()) both.reference.contracts = contracts;
    RuleSet set = rule_set_of(both.reference);
    const std::optional<Tariff> tariff = find_tariff(reference::pick(random, tariffs));
    if (tariff) set.tariff = *tariff;
    both.reference.tariff = reference_tariff(set.tariff);
    try {
      both.engine = std::make_shared<const CompiledRules>(set, "random");
    } catch (const RuleError&) {
      continue;  // a combination that RULES J rejects
    }
    return both;
  }
}

/// Hands of the reference as a deal of the engine, halves in the order of the cards.
inline Deal deal_of(const std::vector<reference::Cards>& hands) {
  Deal deal;
  for (std::size_t seat = 0; seat < hands.size(); ++seat) {
    for (std::size_t i = 0; i < hands[seat].size(); ++i) {
      CardSet& half = i < hands[seat].size() / 2 ? deal.first[seat] : deal.second[seat];
      half.add(static_cast<Card>(hands[seat][i]));
    }
  }
  return deal;
}

inline Contract contract_of(const reference::FixedContract& fixed) {
  Contract contract;
  contract.contract = parse_contract(fixed.contract.name).row->contract;
  contract.tout = fixed.contract.tout;
  contract.declarer = fixed.declarer;
  for (int suit = 0; suit < kNumSuits; ++suit) {
    if (to_string(static_cast<Suit>(suit))[0] == fixed.contract.suit) {
      contract.suit = static_cast<Suit>(suit);
    }
  }
  if (fixed.called_card != reference::kNoCalledCard) {
    contract.called = static_cast<Card>(fixed.called_card);
  }
  return contract;
}

/// One deal on both sides. Each step compares phase, actor and legal actions before the same action
/// goes to both; the end compares winners, points, contract, parties and payoffs.
class SideBySide {
 public:
  SideBySide(const Game& engine, const reference::ReferenceGame& slow)
      : engine_(engine), slow_(slow) {
    for (int seat = 0; seat < kNumSeats; ++seat) {
      text_ += "  seat " + std::to_string(seat) + ": " + to_string(engine.dealt(seat)) + "\n";
    }
    text_ += "  dealer " + std::to_string(engine.dealer()) + "\n";
    if (engine.has_contract()) text_ += "  given contract " + contract_text() + "\n ";
  }

  /// Plays random legal actions to the end. False at the first disagreement: see report().
  bool play(reference::Random& random) {
    while (same_question()) {
      if (engine_.is_terminal()) return same_end();
      const ActionMask mask = without_claims(engine_.legal_actions());
      apply(mask.nth(reference::draw(random, mask.count())));
    }
    return false;
  }

  [[nodiscard]] const Game& engine() const { return engine_; }
  /// Deal, history in game notation and the disagreement.
  [[nodiscard]] std::string report() const { return text_ + history() + "\n  " + problem_; }

 private:
  void apply(Action action) {
    actions_[static_cast<std::size_t>(num_actions_++)] = action;
    slow_.apply(action);
    const int before = engine_.num_plays();
    engine_.apply_unchecked(action);
    if (engine_.num_plays() > before && engine_.num_plays() % engine_.seats() == 0) {
      winners_[static_cast<std::size_t>(num_winners_++)] =
          static_cast<int>(engine_.play_state().turn);
    }
  }

  [[nodiscard]] bool disagree(const std::string& what, const std::string& engine,
                              const std::string& slow) {
    problem_ = what + ": engine " + engine + ", reference " + slow;
    return false;
  }

  bool same_question() {
    const std::string_view phase = phase_name(engine_.phase());
    if (phase != slow_.phase()) return disagree("phase", std::string(phase), slow_.phase());
    if (engine_.current_player() != slow_.to_act()) {
      return disagree("actor", std::to_string(engine_.current_player()),
                      std::to_string(slow_.to_act()));
    }
    if (engine_.is_terminal()) return true;
    ActionMask legal;
    for (const int action : slow_.legal()) legal.add(static_cast<Action>(action));
    if (engine_.legal_actions() == legal) return true;
    return disagree("legal actions of seat " + std::to_string(slow_.to_act()),
                    to_string(engine_.legal_actions()), to_string(legal));
  }

  bool same_end() {
    const std::vector<int>& winners = slow_.trick_winners();
    const auto count = static_cast<std::size_t>(num_winners_);
    if (!std::equal(winners.begin(), winners.end(), winners_, winners_ + count)) {
      return disagree("trick winners", list(winners_, count), list(winners.data(), winners.size()));
    }
    if (engine_.doubling_level() != slow_.level()) {
      return disagree("doublings", std::to_string(engine_.doubling_level()),
                      std::to_string(slow_.level()));
    }
    return same_contract() && same_amounts();
  }

  bool same_contract() {
    if (engine_.has_contract() == slow_.contract().name.empty()) {
      return disagree("contract", contract_text(), slow_.contract().name);
    }
    if (!engine_.has_contract()) return true;
    reference::FixedContract fixed;
    fixed.contract = slow_.contract();
    fixed.declarer = slow_.declarer();
    fixed.called_card = slow_.called_card();
    Contract expected = contract_of(fixed), found = engine_.contract();
    if (fixed.contract.suit == '-') found.suit = expected.suit;  // partner suit or none
    if (found != expected) return disagree("contract", contract_text(), fixed.contract.name);
    int party = slow_.declarer() < 0 ? 0 : 1 << slow_.declarer();
    if (slow_.partner() >= 0) party |= 1 << slow_.partner();
    if (engine_.declarer_party() != party) {
      return disagree("declarer party", std::to_string(engine_.declarer_party()),
                      std::to_string(party));
    }
    return true;
  }

  bool same_amounts() {
    const auto payoffs = engine_.payoffs();
    const std::vector<int> points = slow_.points();
    int found[4];
    for (int seat = 0; seat < kNumSeats; ++seat) found[seat] = points_of(engine_.captured(seat));
    if (!std::equal(points.begin(), points.end(), found, found + 4)) {
      return disagree("points", list(found, 4), list(points.data(), 4));
    }
    const std::vector<int>& paid = slow_.payoffs();
    if (!std::equal(paid.begin(), paid.end(), payoffs.begin(), payoffs.end())) {
      return disagree("payoffs", list(payoffs.data(), 4), list(paid.data(), 4));
    }
    return true;
  }

  template <class T>
  [[nodiscard]] static std::string list(const T* values, std::size_t size) {
    std::string text = "[";
    for (std::size_t i = 0; i < size; ++i) {
      if (i > 0) text += ' ';
      text += std::to_string(values[i]);
    }
    return text += ']';
  }

  [[nodiscard]] std::string contract_text() const {
    if (!engine_.has_contract()) return "none";
    const Contract contract = engine_.contract();
    std::string text(contract_name(contract.contract, contract.tout));
    text += " suit " + std::string(to_string(contract.suit));
    if (contract.called != kNoCard) text += " called " + card_name(contract.called);
    return text + " declarer " + std::to_string(contract.declarer);
  }

  [[nodiscard]] std::string history() const {
    std::string text = "  history:";
    for (int i = 0; i < num_actions_; ++i) {
      text += ' ';
      text += action_name(actions_[static_cast<std::size_t>(i)]);
    }
    return text;
  }

  Game engine_;
  reference::ReferenceGame slow_;
  std::string text_, problem_;
  Action actions_[256] = {};
  int num_actions_ = 0;
  int winners_[8] = {};
  int num_winners_ = 0;
};

}  // namespace schafkopf::test
