#include "agents/search/ismcts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "agents/maxims/rule_agent.h"
#include "agents/search/card_search.h"
#include "agents/search/world_choice.h"
#include "env/base/assert.h"
#include "env/base/interruption.h"
#include "env/cards/action.h"

namespace schafkopf {
namespace {

bool is_over(const PlayState<std::uint32_t>& play) {
  return (play.hand[0] | play.hand[1] | play.hand[2] | play.hand[3]) == 0;
}

std::uint32_t random_card(std::uint32_t legal, Rng& random) {
  return std::uint32_t{1} << nth_bit(legal, random.next_below(std::popcount(legal)));
}

}  // namespace

IsmctsAgent::IsmctsAgent(const IsmctsOptions& options) : options_(options) {
  check_fields(options);
}

std::int32_t IsmctsAgent::add_child(std::int32_t parent, Card card) {
  const auto child = static_cast<std::int32_t>(tree_.size());
  tree_.push_back({.card = card});
  Node& above = tree_[static_cast<std::size_t>(parent)];
  tree_.back().sibling = above.first_child;
  above.first_child = child;
  return child;
}

std::int32_t IsmctsAgent::select(std::int32_t parent, std::uint32_t legal, Rng& random,
                                 bool& grew) {
  std::uint32_t untried = legal;
  for (std::int32_t i = tree_[static_cast<std::size_t>(parent)].first_child; i >= 0;) {
    Node& child = tree_[static_cast<std::size_t>(i)];
    const std::uint32_t card = std::uint32_t{1} << child.card;
    if ((legal & card) != 0) ++child.offered;
    untried &= ~card;
    i = child.sibling;
  }
  grew = untried != 0;
  if (grew) {
    const auto card = static_cast<Card>(std::countr_zero(random_card(untried, random)));
    const std::int32_t child = add_child(parent, card);
    tree_[static_cast<std::size_t>(child)].offered = 1;
    return child;
  }
  std::int32_t best = -1;
  double best_bound = 0.0;
  for (std::int32_t i = tree_[static_cast<std::size_t>(parent)].first_child; i >= 0;) {
    const Node& child = tree_[static_cast<std::size_t>(i)];
    if ((legal >> child.card & 1u) != 0) {
      const double mean = child.sum / child.visits / scale_;
      const double bound =
          mean + options_.exploration * std::sqrt(std::log(child.offered) / child.visits);
      if (best < 0 || bound > best_bound) {
        best = i;
        best_bound = bound;
      }
    }
    i = child.sibling;
  }
  return best;
}

void IsmctsAgent::pass(const PlayerView& view, const CompiledRules& rules, const World& world,
                       Rng& random) {
  PlayState<std::uint32_t> play = play_state_of(view, rules, world);
  path_.assign(1, 0);
  seats_.assign(1, 0);
  bool grew = false;
  while (!is_over(play) && !grew) {
    seats_.push_back(static_cast<std::uint8_t>(play.turn));
    const std::int32_t child = select(path_.back(), legal_cards(play), random, grew);
    path_.push_back(child);
    play_card(play, std::uint32_t{1} << tree_[static_cast<std::size_t>(child)].card);
  }
  while (!is_over(play)) play_card(play, random_card(legal_cards(play), random));
  const auto payoffs = WorldValue(view, rules, world).finished(play);
  for (const double payoff : payoffs) scale_ = std::max(scale_, std::abs(payoff));
  for (std::size_t i = 0; i < path_.size(); ++i) {
    Node& node = tree_[static_cast<std::size_t>(path_[i])];
    ++node.visits;
    node.sum += payoffs[seats_[i]];
  }
}

IsmctsAgent::Result IsmctsAgent::search(const PlayerView& view, const CompiledRules& rules,
                                        std::span<float> probabilities) {
  const WorldSampler sampler(view, rules);
  const std::uint64_t key = mix64(hash_of(view) ^ mix64(options_.seed));
  Rng random(mix64(key));
  tree_.assign(1, {});
  scale_ = 1.0;
  for (int i = 0; i < options_.iterations; ++i) {
    check_interruption();
    pass(view, rules, sampler.sample(mix64(key + static_cast<std::uint64_t>(i))), random);
  }
  const Node* best = nullptr;
  for (std::int32_t i = tree_[0].first_child; i >= 0;) {
    const Node& child = tree_[static_cast<std::size_t>(i)];
    if (!probabilities.empty()) {
      probabilities[child.card] =
          static_cast<float>(child.visits) / static_cast<float>(options_.iterations);
    }
    const bool more = best == nullptr || child.visits > best->visits ||
                      (child.visits == best->visits && child.card < best->card);
    if (more) best = &child;
    i = child.sibling;
  }
  SCHAFKOPF_ASSERT(best != nullptr);
  return {best->card, static_cast<float>(best->sum / best->visits)};
}

void IsmctsAgent::policy(const ViewBatch& batch, std::span<float> probabilities,
                         std::span<float> values) {
  std::ranges::fill(probabilities, 0.0F);
  std::ranges::fill(values, kNoValue);
  for (std::size_t row = 0; row < batch.size; ++row) {
    if (without_claims(legal_actions(batch.cards[row])).empty()) continue;
    const PlayerView view = batch.view(row);
    const std::span<float> chances = probabilities.subspan(row * kNumActions, kNumActions);
    if (CardSearch::can_search(view, batch.rules_of(row))) {
      const Result result =
          search(view, batch.rules_of(row), options_.shares ? chances : std::span<float>());
      if (!options_.shares) chances[result.action] = 1.0F;
      if (!values.empty()) values[row] = result.value;
    } else {
      chances[RuleAgent::choose(view, batch.rules_of(row), kUnnamedRules)] = 1.0F;
    }
  }
}

void IsmctsAgent::act(const ViewBatch& batch, std::span<const RngKey>, std::span<Action> actions) {
  for (std::size_t row = 0; row < batch.size; ++row) {
    const PlayerView view = batch.view(row);
    const CompiledRules& rules = batch.rules_of(row);
    const bool forced = without_claims(legal_actions(batch.cards[row])).count() == 1;
    const bool searches = CardSearch::can_search(view, rules) && !forced;
    actions[row] =
        searches ? search(view, rules, {}).action : RuleAgent::choose(view, rules, kUnnamedRules);
  }
}

std::string IsmctsAgent::name() const {
  const IsmctsOptions usual;
  std::string text = fmt::format("ismcts:iterations={}", options_.iterations);
  if (options_.exploration != usual.exploration) {
    text += fmt::format(",exploration={}", options_.exploration);
  }
  if (options_.shares) text += ",shares=true";
  if (options_.seed != usual.seed) text += fmt::format(",seed={}", options_.seed);
  return text;
}

std::unique_ptr<BatchPolicy> IsmctsAgent::clone() const {
  return std::make_unique<IsmctsAgent>(options_);
}

}  // namespace schafkopf
