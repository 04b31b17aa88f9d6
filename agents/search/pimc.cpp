#include "agents/search/pimc.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "agents/maxims/maxims.h"
#include "agents/maxims/rule_agent.h"
#include "agents/maxims/situation.h"
#include "env/base/random.h"
#include "env/cards/contract.h"

namespace schafkopf {
namespace {

/// What a seat's maxims are worth against ten worlds, measured with contracts of the rule agent's
/// bids: leaving them for less than this wins nothing that 1,500 deals show, but it makes results
/// differ more between blocks of deals.
double trust_in_maxims(const Situation& situation) {
  if (situation.is_declarer) return situation.row->is_single() ? 1.5 : 1.0;
  return situation.on_declarer_side ? 2.0 : 1.0;
}

/// One-hot row for the chosen action; nothing for a row that is not to act.
void write_row(std::span<float> probabilities, std::size_t row, Action action) {
  probabilities[row * kNumActions + action] = 1.0F;
}

}  // namespace

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

WorldChoiceOptions PimcAgent::world_options() const {
  return {.worlds = options_.worlds,
          .milliseconds = options_.milliseconds,
          .clear = options_.clear,
          .seed = options_.seed};
}

CardValues PimcAgent::search(const PlayerView& view, const CompiledRules& rules) {
  cards_.begin(view, rules);
  add_worlds(cards_, view, rules, world_options());
  return cards_.values();
}

PimcAgent::Choice PimcAgent::choose_card_by_worlds(const PlayerView& view,
                                                   const CompiledRules& rules) {
  const Situation situation(view, rules, options_.version);
  WorldChoiceOptions options = world_options();
  options.clear *= trust_in_maxims(situation);
  const Card own = choose_card(situation);
  const CardChoice choice = choose_by_worlds(cards_, view, rules, own, options);
  return {choice.card, choice.value};
}

PimcAgent::Choice PimcAgent::choose(const PlayerView& view, const CompiledRules& rules) {
  if (CardSearch::can_search(view, rules)) return choose_card_by_worlds(view, rules);
  const bool doubling =
      options_.kontra == SearchPhase::kWorlds && BidSearch::can_judge_doubling(view);
  // Versions that stand still leave the suit of a single game to the maxims, as when they were measured.
  const bool suit_of_maxims = options_.version != kNewestRules && view.phase() == Phase::kNameSuit;
  const bool bidding =
      options_.bidding == SearchPhase::kWorlds && !suit_of_maxims && BidSearch::can_search(view);
  if (doubling || bidding) {
    std::vector<World> worlds;
    WorldSource(view, rules, options_.worlds, options_.seed).visit([&](const World& world) {
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
