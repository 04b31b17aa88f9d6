#include "agents/local_best_response.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "agents/past_decisions.h"
#include "agents/playouts.h"
#include "agents/posterior.h"
#include "agents/threads.h"
#include "agents/watched_work.h"
#include "env/game.h"

namespace schafkopf {
namespace {

constexpr int kFirstTrick = 4;      // tricks before the response: trick 5 is the first of its own
constexpr int kMostAttempts = 200;  // deals for one state

/// One thread's player, and one state after the other.
class Responder {
 public:
  struct State {
    double own = 0.0, gain = 0.0;
    int choices = 0, changed = 0, unexplained = 0;
  };

  Responder(const LocalResponseOptions& options, const Checkpoint& checkpoint)
      : options_(options),
        policy_(options.policy->clone(), checkpoint),
        table_(policy_, *options.rules) {}

  State play(int number) {
    state_ = number;
    seat_ = number % rules_->seats();
    const Game start = find_start();
    State result;
    Playout own = playout(start, 0);
    table_.play_on({&own, 1});
    result.own = payoff(own.game);
    result.gain = respond(start, result) - result.own;
    return result;
  }

 private:
  /// Deals of a state have numbers of their own, and so have worlds.
  [[nodiscard]] Playout playout(const Game& game, std::uint64_t number) const {
    return {game,
            {.seed = options_.seed, .env = static_cast<std::uint64_t>(state_), .episode = number}};
  }
  [[nodiscard]] double payoff(const Game& game) const {
    return static_cast<double>(game.payoffs()[static_cast<std::size_t>(seat_)]) /
           rules_->tariff_scale();
  }

  /// The first of the deals of this state that comes to trick 5.
  Game find_start() {
    for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
      const auto number = static_cast<std::uint64_t>(attempt);
      const std::uint64_t seed =
          episode_seed(options_.seed, static_cast<std::uint64_t>(state_), number);
      const int dealer = (state_ / rules_->seats()) % rules_->seats();
      const DealContext& context = rules_->first_context();
      const Deal deal = deal_for(draw(seed, RngStream::kDeal, 0), rules_->rules(), dealer, context);
      Playout dealt = playout(Game(*rules_, deal, dealer, context), number);
      const auto at_start = [this](const Game& game) {
        return game.phase() == Phase::kPlay && game.play_state().on_table == 0 &&
               static_cast<int>(game.play_state().num_played) >= kFirstTrick * rules_->seats();
      };
      table_.play_on({&dealt, 1}, at_start);
      const Game& game = dealt.game;
      if (!game.is_terminal() && shows_decisions(game.view(seat_), *rules_)) return game;
    }
    throw std::invalid_argument(
        fmt::format("rules {}: none of {} deals of {} comes to trick 5 with decisions that a view "
                    "shows",
                    rules_->name(), kMostAttempts, policy_.name()));
  }

  /// Payoff of the deal with the response in its seat.
  double respond(const Game& start, State& result) {
    Playout real = playout(start, 0);
    const auto is_asked = [this](const Game& game) {
      return game.phase() == Phase::kPlay && game.current_player() == seat_ &&
             without_claims(game.legal_actions()).count() > 1;
    };
    while (true) {
      table_.play_on({&real, 1}, is_asked);
      Game& game = real.game;
      if (game.is_terminal()) return payoff(game);
      const Action usual = table_.action_in(real);
      const Action best = best_card(game, usual, result);
      ++result.choices;
      result.changed += best == usual ? 0 : 1;
      game.apply(best);
    }
  }

  /// What the others did tells of their cards. Where the player's own probabilities explain no
  /// deal (a search asked once more looks at other worlds), it is believed cautiously.
  ExactPosterior posterior_of(const PlayerView& view, State& result) {
    try {
      return {view, *rules_, policy_};
    } catch (const NoLikelyWorld&) {
      ++result.unexplained;
      return {view, *rules_, policy_, kCautious};
    }
  }

  /// Expected payoff of every legal card, lowest first, if all play on like the player.
  std::vector<double> values_of(const Game& game, const ActionMask& mask, State& result) {
    const PlayerView view = game.view(seat_);
    const ExactPosterior posterior = posterior_of(view, result);
    const PastDecisions past(view, *rules_);
    const std::vector<WeightedWorld> worlds = posterior.representatives(
        options_.worlds, episode_seed(~options_.seed, static_cast<std::uint64_t>(state_),
                                      static_cast<std::uint64_t>(game.num_plays())));
    std::vector<double> values(static_cast<std::size_t>(mask.count()));
    std::vector<Playout> games;
    for (std::size_t w = 0; w < worlds.size(); ++w) {
      const Game start = past.game_of(worlds[w].world);
      for (int i = 0; i < mask.count(); ++i) {
        // draws of their own: the response may not know those of the deal
        games.push_back(playout(start, kMostAttempts + w));
        games.back().game.apply(mask.nth(i));
      }
    }
    table_.play_on(games);
    for (std::size_t i = 0; i < games.size(); ++i) {
      values[i % values.size()] += worlds[i / values.size()].weight * payoff(games[i].game);
    }
    return values;
  }

  /// The card with the highest value; the usual one among equals.
  Action best_card(const Game& game, Action usual, State& result) {
    const ActionMask mask = without_claims(game.legal_actions());
    const std::vector<double> values = values_of(game, mask, result);
    const auto most = std::max_element(values.begin(), values.end());
    constexpr double kRounding = 1e-9;
    for (int i = 0; i < mask.count(); ++i) {
      const bool equal = values[static_cast<std::size_t>(i)] >= *most - kRounding;
      if (mask.nth(i) == usual && equal) return usual;
    }
    return mask.nth(static_cast<int>(most - values.begin()));
  }

  const LocalResponseOptions& options_;
  WatchedPolicy policy_;
  const CompiledRules* rules_ = options_.rules.get();
  PlayoutTable table_;
  int state_ = 0;
  int seat_ = 0;  // the responding seat
};

/// States handed out one by one to the threads.
class StateBoard {
 public:
  StateBoard(const LocalResponseOptions& options, const LocalResponseProgress& progress)
      : options_(options),
        states_(static_cast<std::size_t>(options.states)),
        watch_(progress, options.states) {}

  /// Rethrows what a thread threw.
  LocalResponseResult play_all(int threads) {
    watch_.run(threads, [this] { work(); });
    return result();
  }

 private:
  void work() {
    Responder responder(options_, [this] { watch_.check(); });
    for (int i = next_++; i < options_.states && !watch_.stopped(); i = next_++) {
      states_[static_cast<std::size_t>(i)] = responder.play(i);
      watch_.finish_one();
    }
  }

  [[nodiscard]] LocalResponseResult result() const {
    LocalResponseResult result;
    std::vector<double> gains, own;
    for (const std::optional<Responder::State>& state : states_) {
      if (!state) continue;
      gains.push_back(state->gain);
      own.push_back(state->own);
      result.choices += state->choices;
      result.changed += state->changed;
      result.unexplained += state->unexplained;
    }
    result.states = static_cast<int>(gains.size());
    result.stopped = gains.size() < states_.size();
    result.gain = estimate(gains);
    result.own = estimate(own);
    return result;
  }

  const LocalResponseOptions& options_;
  std::vector<std::optional<Responder::State>> states_;  // each written by one thread
  std::atomic<int> next_ = 0;
  WatchedWork watch_;
};

void check(const LocalResponseOptions& options) {
  if (!options.policy || !options.rules) {
    throw std::invalid_argument("local best response needs an agent and rules");
  }
  if (options.policy->sees_hidden_hands()) {
    throw std::invalid_argument(fmt::format(
        "agent {}: it sees hidden hands, so that its actions prove more than its own cards",
        options.policy->name()));
  }
  if (options.states < 2) {
    throw std::invalid_argument(fmt::format("states = {}, allowed from 2", options.states));
  }
  if (options.worlds < 1) {
    throw std::invalid_argument(fmt::format("worlds = {}, allowed from 1", options.worlds));
  }
  constexpr int kMostThreads = 1024;
  if (options.threads < 0 || options.threads > kMostThreads) {
    throw std::invalid_argument(fmt::format("threads = {}, allowed: 0 (one per core) to {}",
                                            options.threads, kMostThreads));
  }
}

}  // namespace

LocalResponseResult local_best_response(const LocalResponseOptions& options,
                                        const LocalResponseProgress& progress) {
  check(options);
  const int threads = std::min(threads_or_all(options.threads), options.states);
  StateBoard board(options, progress);
  return board.play_all(threads);
}

}  // namespace schafkopf
