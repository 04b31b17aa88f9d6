#include "agents/search/net_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "agents/network/mlp_network.h"
#include "agents/network/net_agent.h"
#include "agents/search/bid_search.h"
#include "agents/search/card_search.h"
#include "agents/search/world_choice.h"
#include "agents/work/decision_rows.h"
#include "agents/work/spec_value.h"
#include "agents/worlds/past_decisions.h"
#include "env/base/index.h"
#include "env/base/interruption.h"
#include "env/base/random.h"

namespace schafkopf {
namespace {

ViewBatch batch_of(const PlayerView& view, const RuleTable& rules) {
  return {.size = 1,
          .cards = &view.cards,
          .order = &view.order,
          .events = &view.events,
          .rules = &rules};
}

}  // namespace

NetSearchAgent::NetSearchAgent(const WeightsFile& weights, const std::string& path,
                               const NetSearchOptions& options)
    : options_(options), path_(path) {
  check_fields(options);
  if (options.drawn != 0 && options.drawn < options.worlds) {
    throw std::invalid_argument(fmt::format("drawn = {}, allowed: 0, or at least worlds = {}",
                                            options.drawn, options.worlds));
  }
  player_ = make_net_agent(make_mlp_network(weights, path), path, true);
  drawn_ = make_net_agent(make_mlp_network(weights, path), path, false);
  beliefs_ = make_beliefs(options.beliefs, *drawn_);
  if (options.leaf == SearchLeaf::kCritic) critic_ = make_mlp_critic(weights, path);
}

NetSearchAgent::NetSearchAgent(const NetSearchAgent& other)
    : BatchPolicy(other),
      options_(other.options_),
      path_(other.path_),
      player_(other.player_->clone()),
      drawn_(other.drawn_->clone()),
      beliefs_(other.beliefs_ ? other.beliefs_->clone() : nullptr),
      critic_(other.critic_ ? other.critic_->clone() : nullptr) {}

bool NetSearchAgent::searches(const PlayerView& view, const CompiledRules& rules) {
  return CardSearch::can_search(view, rules) && CardSet(view.cards.legal).count() > 1 &&
         shows_decisions(view, rules);
}

bool NetSearchAgent::plays_out(const PlayerView& view, const CompiledRules& rules) {
  return (BidSearch::can_search(view) || BidSearch::can_judge_doubling(view)) &&
         legal_actions(view.cards).count() > 1 && shows_decisions(view, rules);
}

std::vector<NetSearchAgent::ActionValue> NetSearchAgent::candidates(const PlayerView& view,
                                                                    const RuleTable& rules) const {
  std::vector<float> chances(kNumActions);
  drawn_->policy(batch_of(view, rules), chances, {});
  const ActionMask legal = without_claims(legal_actions(view.cards));
  std::vector<ActionValue> actions;
  for (int i = 0; i < legal.count(); ++i) {
    const Action action = legal.nth(i);
    actions.push_back({action, static_cast<double>(chances[action])});
  }
  std::ranges::stable_sort(actions, std::ranges::greater{}, &ActionValue::value);
  actions.resize(std::min(actions.size(), static_cast<std::size_t>(options_.top)));
  return actions;
}

std::vector<WeightedWorld> NetSearchAgent::worlds_of(const PlayerView& view,
                                                     const CompiledRules& rules) const {
  const std::uint64_t key = mix64(hash_of(view) ^ mix64(options_.seed));
  const int wanted = view.phase() == Phase::kPlay ? options_.worlds : options_.bid_worlds;
  if (!beliefs_) {
    std::vector<WeightedWorld> worlds;
    WorldSource(view, rules, wanted, options_.seed).visit([&](const World& world) {
      worlds.push_back({world, 1.0});
      return true;
    });
    for (WeightedWorld& world : worlds) world.weight /= static_cast<double>(worlds.size());
    return worlds;
  }
  const std::uint64_t count = WorldSampler(view, rules).count();
  if (count <= static_cast<std::uint64_t>(options_.exact)) {
    return ExactPosterior(view, rules, *beliefs_, kCautious, count).representatives(wanted, key);
  }
  const int drawn = options_.drawn == 0 ? 4 * wanted : std::max(options_.drawn, wanted);
  std::vector<WeightedWorld> worlds;
  for (const World& world : inferred_worlds(view, rules, *beliefs_, drawn, wanted, key)) {
    worlds.push_back({world, 1.0 / wanted});
  }
  return worlds;
}

bool NetSearchAgent::is_leaf(const Game& game, int seat) const {
  switch (options_.leaf) {
    case SearchLeaf::kCritic:
      return game.current_player() == seat;
    case SearchLeaf::kPlayout:
      return false;
    case SearchLeaf::kExact:
      return game.num_plays() >= (options_.endgame - 1) * game.rules().seats() &&
             game.phase() == Phase::kPlay &&
             contract_row(game.contract().contract).goal != Goal::kFewestPoints;
  }
  return false;
}

/// Payoff of a seat if everybody plays best with open cards.
double NetSearchAgent::open_payoff(const Game& game, int seat) {
  const int mover = game.current_player();
  const int seats = game.rules().seats();
  World world;
  for (int relative = 0; relative < seats; ++relative) {
    world.hands[at(relative)] = game.hand((mover + relative) % seats);
  }
  const auto payoffs = endgames_.payoffs_of_best(game.view(mover), game.rules(), world);
  return payoffs[at((seat - mover + seats) % seats)];
}

std::vector<double> NetSearchAgent::judge(std::span<const Playout> playouts, int seat,
                                          const RuleTable& rules) {
  std::vector<double> payoffs(playouts.size());
  DecisionRows rows;
  for (std::size_t i = 0; i < playouts.size(); ++i) {
    const Game& game = playouts[i].game;
    if (!game.is_terminal() && critic_) {
      rows.add(i, game, {}, critic_->sees_hidden_hands());
    } else if (!game.is_terminal()) {
      payoffs[i] = open_payoff(game, seat);
    } else {
      payoffs[i] = static_cast<double>(game.payoffs()[static_cast<std::size_t>(seat)]) /
                   game.rules().tariff_scale();
    }
  }
  if (rows.size() == 0) return payoffs;
  rows.values.resize(rows.size());
  critic_->values(rows.batch(rules), rows.values);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    payoffs[rows.tables[row]] = static_cast<double>(rows.values[row]);
  }
  return payoffs;
}

std::vector<NetSearchAgent::ActionValue> NetSearchAgent::search(const PlayerView& view,
                                                                const CompiledRules& rules) {
  if (!searches(view, rules) && !plays_out(view, rules)) {
    throw std::invalid_argument(
        "net+search: needs a seat with a choice of cards or announcements and a view that shows "
        "what "
        "led to it");
  }
  PlayoutTable table(*player_, rules);
  std::vector<ActionValue> cards = candidates(view, table.rules());
  const PastDecisions past(view, rules);
  const std::vector<WeightedWorld> worlds = worlds_of(view, rules);
  std::vector<Playout> playouts;
  playouts.reserve(worlds.size() * cards.size());
  for (const WeightedWorld& world : worlds) {
    check_interruption();
    const Game start = past.game_of(world.world);
    for (const ActionValue& card : cards) {
      playouts.push_back({start, {}});
      playouts.back().game.apply(card.action);
    }
  }
  const int seat = view.seat();
  // open cards underrate single games (METHODS section 5), so announcements are played to the end
  const bool cards_are_played = view.phase() == Phase::kPlay;
  table.play_on(playouts,
                [&](const Game& game) { return cards_are_played && is_leaf(game, seat); });
  const std::vector<double> payoffs = judge(playouts, seat, table.rules());
  double squared_weights = 0.0;
  std::vector<double> squares(cards.size(), 0.0);  // of the leads over the first card
  for (ActionValue& card : cards) card.value = 0.0;
  for (std::size_t w = 0; w < worlds.size(); ++w) {
    const double weight = worlds[w].weight;
    const std::span<const double> row = std::span(payoffs).subspan(w * cards.size(), cards.size());
    squared_weights += weight * weight;
    for (std::size_t k = 0; k < cards.size(); ++k) {
      const double lead = row[k] - row[0];
      cards[k].value += weight * row[k];
      squares[k] += weight * lead * lead;
    }
  }
  for (std::size_t k = 0; k < cards.size(); ++k) {
    const double lead = cards[k].value - cards[0].value;
    cards[k].error = std::sqrt(std::max(0.0, squares[k] - lead * lead) * squared_weights);
  }
  return cards;
}

const NetSearchAgent::ActionValue& NetSearchAgent::clearly_best(
    std::span<const ActionValue> actions) const {
  const ActionValue& best = *std::ranges::max_element(actions, {}, &ActionValue::value);
  const ActionValue& first = actions.front();
  return best.value - first.value > options_.clear * best.error ? best : first;
}

void NetSearchAgent::policy(const ViewBatch& batch, std::span<float> probabilities,
                            std::span<float> values) {
  player_->policy(batch, probabilities, values);
  for (std::size_t row = 0; row < batch.size; ++row) {
    const std::span<float> chances = probabilities.subspan(row * kNumActions, kNumActions);
    const auto own = static_cast<Action>(std::ranges::max_element(chances) - chances.begin());
    const auto chosen = choose(batch.view(row), batch.rules_of(row), own);
    if (!chosen) continue;
    std::ranges::fill(chances, 0.0F);
    chances[chosen->action] = 1.0F;
    if (!values.empty()) values[row] = static_cast<float>(chosen->value);
  }
}

std::optional<NetSearchAgent::ActionValue> NetSearchAgent::choose(const PlayerView& view,
                                                                  const CompiledRules& rules,
                                                                  Action own) {
  const bool announces = options_.bids == SearchedBids::kPlayout && plays_out(view, rules);
  if (!announces) {
    if (!searches(view, rules)) return std::nullopt;
    if (own >= kNumCards || !CardSet(view.cards.legal).contains(own)) {
      return std::nullopt;  // it claims the rest
    }
    if (is_endgame(view)) {
      const WorldChoiceOptions options{.worlds = options_.endgame_worlds,
                                       .clear = options_.clear,
                                       .seed = options_.seed,
                                       .beliefs = beliefs_.get()};
      const CardChoice choice = choose_by_worlds(endgames_, view, rules, own, options);
      return ActionValue{choice.card, static_cast<double>(choice.value)};
    }
  }
  return clearly_best(search(view, rules));
}

std::string NetSearchAgent::name() const {
  const NetSearchOptions usual;
  std::string text = "net+search:" + spec_value(path_);
  const auto add = [&text](const char* key, auto value, auto standard) {
    if (value != standard) text += fmt::format(",{}={}", key, value);
  };
  add("worlds", options_.worlds, usual.worlds);
  add("drawn", options_.drawn, usual.drawn);
  add("exact", options_.exact, usual.exact);
  add("top", options_.top, usual.top);
  add("leaf", name_of(options_.leaf), name_of(usual.leaf));
  add("beliefs", name_of(options_.beliefs), name_of(usual.beliefs));
  add("clear", options_.clear, usual.clear);
  add("endgame", options_.endgame, usual.endgame);
  add("endgame_worlds", options_.endgame_worlds, usual.endgame_worlds);
  add("bids", name_of(options_.bids), name_of(usual.bids));
  add("bid_worlds", options_.bid_worlds, usual.bid_worlds);
  add("seed", options_.seed, usual.seed);
  return text;
}

std::unique_ptr<BatchPolicy> NetSearchAgent::clone() const {
  return std::unique_ptr<BatchPolicy>(new NetSearchAgent(*this));
}

std::unique_ptr<BatchPolicy> make_net_search_agent(const std::string& path,
                                                   const NetSearchOptions& options) {
  return std::make_unique<NetSearchAgent>(read_player_weights(path), path, options);
}

}  // namespace schafkopf
