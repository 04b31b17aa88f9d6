#include "agents/search/pimc.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "agents/maxims/maxims.h"
#include "agents/maxims/rule_agent.h"
#include "agents/maxims/situation.h"
#include "env/base/random.h"
#include "env/cards/contract.h"

namespace schafkopf {
namespace {

constexpr float kNoValue = std::numeric_limits<float>::quiet_NaN();

/// Mean payoff of a card, only where it is in tariff units.
float payoff_of(const CardValues& values, Card card, const PlayerView& view) {
  const auto contract = static_cast<ContractClass>(view.contract_class());
  if (contract_row(contract).goal == Goal::kFewestPoints) return kNoValue;
  return static_cast<float>(values.value[card]);
}

/// What a seat's maxims are worth against ten worlds, measured with contracts of the rule agent's
/// bids: leaving them for less than this wins nothing that 1,500 deals show, but it makes results
/// differ more between blocks of deals.
double trust_in_maxims(const Situation& situation) {
  if (situation.is_declarer) return situation.row->is_single() ? 1.5 : 1.0;
  return situation.on_declarer_side ? 2.0 : 1.0;
}

/// Worlds of a view: the first `most` draws, or every one where there are no more.
class WorldSource {
 public:
  WorldSource(const PlayerView& view, const CompiledRules& rules, const PimcOptions& options)
      : sampler_(view, rules),
        key_(mix64(hash_of(view) ^ mix64(options.seed))),
        most_(options.worlds) {}

  /// Whether visit() goes through every world there is.
  [[nodiscard]] bool complete() const {
    return sampler_.count() <= static_cast<std::uint64_t>(most_);
  }

  /// Calls use(world) -> bool until it returns false.
  template <class Use>
  void visit(Use use) const {
    if (complete()) {
      bool wanted = true;
      sampler_.enumerate([&](const World& world) { wanted = wanted && use(world); });
      return;
    }
    for (int i = 0; i < most_; ++i) {
      if (!use(sampler_.sample(mix64(key_ + static_cast<std::uint64_t>(i))))) return;
    }
  }

 private:
  WorldSampler sampler_;
  std::uint64_t key_;
  int most_;
};

/// The card of fewest points.
Card lightest_of(CardSet cards) {
  return best_by(cards, [](Card card) { return -points_of(card); });
}

/// One-hot row for the chosen action; nothing for a row that is not to act.
void write_row(std::span<float> probabilities, std::size_t row, Action action) {
  probabilities[row * kNumActions + action] = 1.0F;
}

}  // namespace

std::uint64_t hash_of(const PlayerView& view) {
  std::uint64_t words[sizeof(PlayerView) / sizeof(std::uint64_t)];
  std::memcpy(words, &view, sizeof words);
  std::uint64_t hash = 0;
  for (const std::uint64_t word : words) hash = mix64(hash ^ word);
  return hash;
}

Card choose_among_best(const CardValues& values, const PlayerView& view, const CompiledRules& rules,
                       RuleVersion version) {
  const CardSet best = values.best_cards();
  if (best.count() == 1) return best.lowest();
  const Action card = RuleAgent::choose(view, rules, version);
  if (card < kNumCards && best.contains(static_cast<Card>(card))) return static_cast<Card>(card);
  return lightest_of(best);
}

PimcAgent::PimcAgent(const PimcOptions& options) : options_(options), cards_(options.question) {
  check_fields(options);
}

bool PimcAgent::add_worlds(const PlayerView& view, const CompiledRules& rules) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const std::chrono::duration<double, std::milli> limit(options_.milliseconds);
  const WorldSource source(view, rules, options_);
  bool in_time = true;
  source.visit([&](const World& world) {
    cards_.add(world);
    in_time = options_.milliseconds <= 0.0 || Clock::now() - start < limit;
    return in_time;
  });
  return in_time && source.complete();
}

CardValues PimcAgent::search(const PlayerView& view, const CompiledRules& rules) {
  cards_.begin(view, rules);
  add_worlds(view, rules);
  return cards_.values();
}

PimcAgent::Choice PimcAgent::choose_card_by_worlds(const PlayerView& view,
                                                   const CompiledRules& rules) {
  const Situation situation(view, rules);
  const Card own = choose_card(situation, options_.version);
  cards_.begin(view, rules, own);
  const bool complete = add_worlds(view, rules);
  const CardValues values = cards_.values();
  const CardSet best = values.best_cards();
  Card card = own;
  if (!best.contains(own)) {
    const Card other = lightest_of(best);
    const double needed = complete ? 0.0 : options_.clear * trust_in_maxims(situation);
    if (values.value[other] - values.value[own] > needed * values.error[other]) card = other;
  }
  return {card, payoff_of(values, card, view)};
}

PimcAgent::Choice PimcAgent::choose(const PlayerView& view, const CompiledRules& rules) {
  if (CardSearch::can_search(view, rules)) return choose_card_by_worlds(view, rules);
  const bool doubling =
      options_.kontra == SearchPhase::kWorlds && BidSearch::can_judge_doubling(view);
  const bool bidding = options_.bidding == SearchPhase::kWorlds && BidSearch::can_search(view);
  if (doubling || bidding) {
    std::vector<World> worlds;
    WorldSource(view, rules, options_).visit([&](const World& world) {
      worlds.push_back(world);
      return true;
    });
    if (bidding) return {bids_.answer(view, rules, worlds), kNoValue};
    const double standing = bids_.standing(view, rules, worlds);
    return {standing > 0.0 ? kActionDouble : kActionNoDouble, static_cast<float>(standing)};
  }
  return {RuleAgent::choose(view, rules, options_.version), kNoValue};
}

void PimcAgent::policy(const ViewBatch& batch, std::span<float> probabilities,
                       std::span<float> values) {
  std::ranges::fill(probabilities, 0.0F);
  std::ranges::fill(values, kNoValue);
  for (std::size_t row = 0; row < batch.size; ++row) {
    const ActionMask mask = without_claims(legal_actions(batch.cards[row]));
    if (mask.empty()) continue;
    const bool forced = mask.count() == 1 && values.empty();
    const Choice choice =
        forced ? Choice{mask.lowest(), kNoValue} : choose(batch.view(row), batch.rules_of(row));
    write_row(probabilities, row, choice.action);
    if (!values.empty()) values[row] = choice.value;
  }
}

std::string PimcAgent::name() const {
  const PimcOptions usual;
  std::string text = fmt::format("pimc:worlds={}", options_.worlds);
  if (options_.milliseconds > 0.0) text += fmt::format(",ms={}", options_.milliseconds);
  if (options_.clear != usual.clear) text += fmt::format(",clear={}", options_.clear);
  if (options_.question != usual.question) {
    text += fmt::format(",question={}", name_of(options_.question));
  }
  if (options_.bidding != usual.bidding)
    text += fmt::format(",bidding={}", name_of(options_.bidding));
  if (options_.kontra != usual.kontra) text += fmt::format(",kontra={}", name_of(options_.kontra));
  if (options_.seed != usual.seed) text += fmt::format(",seed={}", options_.seed);
  return text + fmt::format(",version={}", static_cast<int>(options_.version));
}

std::unique_ptr<BatchPolicy> PimcAgent::clone() const {
  return std::make_unique<PimcAgent>(options_);
}

void OracleAgent::policy(const ViewBatch& batch, std::span<float> probabilities,
                         std::span<float> values) {
  if (batch.full == nullptr && batch.size > 0) {
    throw std::invalid_argument(
        "oracle: sees hidden hands and plays only where the table shows them (ViewBatch::full)");
  }
  std::ranges::fill(probabilities, 0.0F);
  std::ranges::fill(values, kNoValue);
  for (std::size_t row = 0; row < batch.size; ++row) {
    const ActionMask mask = without_claims(legal_actions(batch.cards[row]));
    if (mask.empty()) continue;
    const PlayerView view = batch.view(row);
    const CompiledRules& rules = batch.rules_of(row);
    if (!CardSearch::can_search(view, rules)) {
      write_row(probabilities, row, RuleAgent::choose(view, rules, version_));
      continue;
    }
    World world;
    for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
      world.hands[seat] = CardSet(batch.full[row].hands[seat]);
    }
    cards_.begin(view, rules);
    cards_.add(world);
    const CardValues found = cards_.values();
    write_row(probabilities, row, choose_among_best(found, view, rules, version_));
    if (!values.empty()) values[row] = payoff_of(found, found.best_cards().lowest(), view);
  }
}

std::string OracleAgent::name() const {
  return fmt::format("oracle:version={}", static_cast<int>(version_));
}

std::unique_ptr<BatchPolicy> OracleAgent::clone() const {
  return std::make_unique<OracleAgent>(version_);
}

}  // namespace schafkopf
