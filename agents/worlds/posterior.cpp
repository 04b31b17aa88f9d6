#include "agents/worlds/posterior.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "agents/worlds/answers.h"
#include "agents/worlds/past_decisions.h"
#include "env/base/available_memory.h"
#include "env/base/index.h"
#include "env/base/interruption.h"
#include "env/base/random.h"
#include "env/base/refuse.h"
#include "env/view/encoder.h"

namespace schafkopf {
namespace {

void check(const PlayerView& view, const CompiledRules& rules, const BatchPolicy& policy,
           const Belief& belief) {
  if (!(belief.alpha >= 0.0 && belief.alpha <= 1.0)) {
    refuse("alpha = " + std::to_string(belief.alpha) + ", allowed: 0..1");
  }
  if (!(belief.floor >= 0.0 && belief.floor <= 1.0)) {
    refuse("floor = " + std::to_string(belief.floor) + ", allowed: 0..1");
  }
  if (policy.sees_hidden_hands()) {
    refuse(policy.name() + " sees hidden hands: what it does depends on more than its own");
  }
  if (!shows_decisions(view, rules)) {
    refuse(
        "view: it does not show the decisions of the others (cards passed on in secret, a position "
        "without its past, a half hand, history_view = last_trick)");
  }
}

/// Probability of what was done in each row, in batches that keep the scratch small.
std::vector<double> probabilities_of(const DecisionRows& rows, const CompiledRules& rules,
                                     BatchPolicy& policy) {
  constexpr std::size_t kTile = 1024;
  const CompiledRules* const list[] = {&rules};
  std::vector<float> features(static_cast<std::size_t>(rule_feature_size()));
  write_rule_features(rules, features);
  const RuleTable table{list, features};
  std::vector<float> scratch(std::min(rows.size(), kTile) * kNumActions);
  std::vector<double> result(rows.size());
  for (std::size_t begin = 0; begin < rows.size(); begin += kTile) {
    check_interruption();
    const ViewBatch batch = rows.batch(table).slice(begin, std::min(kTile, rows.size() - begin));
    policy.policy(batch, std::span(scratch).first(batch.size * kNumActions), {});
    for (std::size_t row = 0; row < batch.size; ++row) {
      result[begin + row] =
          static_cast<double>(scratch[row * kNumActions + rows.actions[begin + row]]);
    }
  }
  return result;
}

/// Of worlds that are drawn all decisions of the others are kept at once.
void check_memory(const PlayerView& view, int drawn, int kept) {
  constexpr std::uint64_t kRow =
      sizeof(PlayerView) + sizeof(RngKey) + sizeof(std::size_t) + sizeof(double) + sizeof(Action);
  const auto decisions = static_cast<std::uint64_t>(view.order.num_plays + view.order.num_events);
  const std::uint64_t needed =
      static_cast<std::uint64_t>(drawn) * (sizeof(World) + decisions * kRow) +
      static_cast<std::uint64_t>(kept) * sizeof(World);
  require_memory("drawn = " + std::to_string(drawn) + ", kept = " + std::to_string(kept), needed);
}

double log_weight(double probability, const Belief& belief) {
  return belief.alpha == 0.0 ? 0.0 : belief.alpha * std::log(std::max(probability, belief.floor));
}

/// exp of logarithms, the largest 1. Throws if all are zero.
std::vector<double> weights_of(std::vector<double> logs) {
  const double most = *std::ranges::max_element(logs);
  if (!(most > -std::numeric_limits<double>::infinity())) {
    throw NoLikelyWorld();
  }
  for (double& value : logs) value = std::exp(value - most);
  return logs;
}

}  // namespace

NoLikelyWorld::NoLikelyWorld()
    : std::invalid_argument(
          "the policy never acts like this: no world has a probability (a floor above 0 helps)") {}

bool shows_decisions(const PlayerView& view, const CompiledRules& rules) {
  const int num_plays = view.trick_number() * view.order.seats + view.cards_on_table();
  const SpecialRoundRow& mode = mode_of(view);
  if (rules.rules().history_view != HistoryView::kFull || view.order.num_plays != num_plays ||
      view.order.num_events >= EventsLine::kMost || (view.order.given | view.order.received) != 0 ||
      view.phase() <= Phase::kLegen) {
    return false;
  }
  if (view.has_contract() &&
      contract_row(static_cast<ContractClass>(view.contract_class())).parties ==
          Parties::kHochzeit) {
    return false;
  }
  for (int i = 0; i < view.order.num_events; ++i) {
    const Action action = view.event(i).action;
    const bool target = action >= kActionTarget1 && action < kActionTarget1 + kNumSeats - 1;
    if (target || action == kActionHzAccept) return false;
  }
  return mode.opening != Opening::kPackets;
}

std::vector<double> policy_weights(const PlayerView& view, const CompiledRules& rules,
                                   std::span<const World> worlds, BatchPolicy& policy,
                                   const Belief& belief, std::uint64_t key) {
  check(view, rules, policy, belief);
  if (worlds.empty()) return {};
  PastDecisions past(view, rules);
  past.set_silence(belief.silence);
  DecisionRows rows;
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    past.add(worlds[i], -1, i, draw_of(key, i), rows);
  }
  const std::vector<double> probabilities = probabilities_of(rows, rules, policy);
  std::vector<double> logs(worlds.size(), 0.0);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    logs[rows.tables[row]] += log_weight(probabilities[row], belief);
  }
  return weights_of(std::move(logs));
}

std::vector<World> inferred_worlds(const PlayerView& view, const CompiledRules& rules,
                                   BatchPolicy& policy, int drawn, int kept, std::uint64_t key,
                                   const Belief& belief) {
  if (drawn < 1) refuse("drawn = " + std::to_string(drawn) + ", allowed: integer >= 1");
  if (kept < 1) refuse("kept = " + std::to_string(kept) + ", allowed: integer >= 1");
  const WorldSampler sampler(view, rules);
  const bool infers = shows_decisions(view, rules);
  check_memory(view, infers ? drawn : 0, kept);
  std::vector<World> worlds(at(infers ? drawn : kept));
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    check_interruption();
    worlds[i] = sampler.sample(draw_of(key, i));
  }
  if (!infers) return worlds;
  const std::vector<double> weights = policy_weights(view, rules, worlds, policy, belief, ~key);
  double total = 0.0;
  for (const double weight : weights) total += weight;
  const double step = total / kept;
  const double offset = unit_interval(draw_of(mix64(key), 0)) * step;
  std::vector<World> result;
  result.reserve(at(kept));
  double sum = weights[0];
  std::size_t next = 0;
  for (int i = 0; i < kept; ++i) {
    while (sum <= offset + i * step && next + 1 < worlds.size()) sum += weights[++next];
    result.push_back(worlds[next]);
  }
  return result;
}

// Exact

namespace {

/// The different hands of one seat.
struct Candidates {
  Candidates(std::span<const World> worlds, int seat) : number(worlds.size()) {
    std::unordered_map<std::uint32_t, std::uint32_t> numbers;
    for (std::size_t i = 0; i < worlds.size(); ++i) {
      const auto [entry, is_new] = numbers.try_emplace(worlds[i].hands[at(seat)].bits(),
                                                       static_cast<std::uint32_t>(first.size()));
      if (is_new) first.push_back(worlds[i]);
      number[i] = entry->second;
    }
  }
  /// Any world with the hand will do: what its seat saw depends on the hand alone.
  std::vector<World> first;
  std::vector<std::uint32_t> number;  // of the hand in each world
};

/// Logarithms of f(hand) for the hands that one seat can have.
std::vector<double> log_likelihoods(PastDecisions& past, const CompiledRules& rules, int seat,
                                    std::span<const World> worlds, BatchPolicy& policy,
                                    const Belief& belief) {
  std::vector<double> logs(worlds.size(), 0.0);
  DecisionRows rows;
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    past.add(worlds[i], seat, i, 0, rows);
  }
  std::vector<double> probabilities = probabilities_of(rows, rules, policy);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    logs[rows.tables[row]] += log_weight(probabilities[row], belief);
  }
  if (!past.half_counts(seat)) return logs;
  // F.1: which half of the hand was seen is not known, all are equally likely
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    rows.clear();
    past.add_halves(worlds[i], seat, i, rows);
    if (rows.size() == 0) continue;
    probabilities = probabilities_of(rows, rules, policy);
    double sum = 0.0;
    for (const double probability : probabilities) sum += probability;
    logs[i] += log_weight(sum / static_cast<double>(rows.size()), belief);
  }
  return logs;
}

}  // namespace

ExactPosterior::ExactPosterior(const PlayerView& view, const CompiledRules& rules,
                               BatchPolicy& policy, const Belief& belief,
                               std::uint64_t most_worlds) {
  check(view, rules, policy, belief);
  const WorldSampler sampler(view, rules);
  if (sampler.count() > most_worlds) {
    refuse("view: " + std::to_string(sampler.count()) + " worlds, allowed: " +
           std::to_string(most_worlds) + ": the exact posterior is for endgames");
  }
  // each with a logarithm, a probability, a sum and the number of a hand
  require_memory("keeping " + std::to_string(sampler.count()) + " worlds",
                 sampler.count() * (sizeof(World) + 3 * sizeof(double) + sizeof(std::size_t)));
  worlds_.reserve(sampler.count());
  sampler.enumerate([this](const World& world) {
    constexpr std::size_t kBetween = 4096;
    if (worlds_.size() % kBetween == 0) check_interruption();
    worlds_.push_back(world);
  });

  PastDecisions past(view, rules);
  past.set_skip_laying(true);
  past.set_silence(belief.silence);
  std::vector<double> logs(worlds_.size(), 0.0);
  for (int seat = 1; seat < rules.seats(); ++seat) {
    const Candidates hands(worlds_, seat);
    const std::vector<double> f = log_likelihoods(past, rules, seat, hands.first, policy, belief);
    for (std::size_t i = 0; i < worlds_.size(); ++i) logs[i] += f[hands.number[i]];
  }
  set_probabilities(weights_of(std::move(logs)));
}

void ExactPosterior::set_probabilities(std::vector<double> weights) {
  double total = 0.0;
  for (const double weight : weights) total += weight;
  probabilities_ = std::move(weights);
  cumulated_.resize(worlds_.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < worlds_.size(); ++i) {
    probabilities_[i] /= total;
    cumulated_[i] = sum += probabilities_[i];
    for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
      for (const Card card : worlds_[i].hands[seat]) holds_[seat][card] += probabilities_[i];
    }
  }
}

const World& ExactPosterior::sample(std::uint64_t key) const {
  const double u = unit_interval(mix64(key)) * cumulated_.back();
  const auto found = std::ranges::upper_bound(cumulated_, u);
  return worlds_[found == cumulated_.end() ? worlds_.size() - 1
                                           : static_cast<std::size_t>(found - cumulated_.begin())];
}

std::vector<WeightedWorld> ExactPosterior::representatives(int most, std::uint64_t key) const {
  std::vector<WeightedWorld> result;
  if (size() <= at(most)) {
    for (std::size_t i = 0; i < size(); ++i) {
      if (probabilities_[i] > 0.0) result.push_back({worlds_[i], probabilities_[i]});
    }
    return result;
  }
  for (int i = 0; i < most; ++i) {
    result.push_back({sample(draw_of(key, static_cast<std::uint64_t>(i))), 1.0 / most});
  }
  return result;
}

}  // namespace schafkopf
