#include "agents/local_best_response.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "agents/past_decisions.h"
#include "agents/posterior.h"
#include "env/encoder.h"
#include "env/game.h"

namespace schafkopf {
namespace {

constexpr int kFirstTrick = 4;      // tricks before the response: trick 5 is the first of its own
constexpr int kMostAttempts = 200;  // deals for one state

/// A game in play and the key of its draws (common random numbers: same deal, same key).
struct Running {
  Game game;
  std::uint64_t episode = 0;
};

/// One thread's player, and one state after the other.
class Responder {
 public:
  struct State {
    double own = 0.0, gain = 0.0;
    int choices = 0, changed = 0;
  };

  explicit Responder(const LocalResponseOptions& options)
      : options_(options), policy_(options.policy->clone()) {
    features_.resize(static_cast<std::size_t>(rule_feature_size()));
    write_rule_features(*options.rules, features_);
    table_ = {std::span(&rules_, 1), features_};
  }

  State play(int number) {
    state_ = number;
    seat_ = number % rules_->seats();
    const Game start = find_start();
    State result;
    std::vector<Running> own{{start, 0}};
    play_on(own, nullptr);
    result.own = payoff(own.front().game);
    result.gain = respond(start, result) - result.own;
    return result;
  }

 private:
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
      std::vector<Running> games{{Game(*rules_, deal, dealer, context), number}};
      const auto at_start = [this](const Game& game) {
        return game.phase() == Phase::kPlay && game.play_state().on_table == 0 &&
               static_cast<int>(game.play_state().num_played) >= kFirstTrick * rules_->seats();
      };
      play_on(games, at_start);
      const Game& game = games.front().game;
      if (!game.is_terminal() && shows_decisions(game.view(seat_), *rules_)) return game;
    }
    throw std::invalid_argument(
        fmt::format("rules {}: none of {} deals of {} comes to trick 5 with decisions that a view "
                    "shows",
                    rules_->name(), kMostAttempts, policy_->name()));
  }

  /// The player acts in all seats of all games until each is over or `stop` holds.
  template <class Stop>
  void play_on(std::vector<Running>& games, const Stop& stop) {
    while (step(games, stop)) {
    }
  }

  template <class Stop>
  bool step(std::vector<Running>& games, const Stop& stop) {
    clear_rows();
    bool running = false;
    for (std::size_t i = 0; i < games.size(); ++i) {
      Game& game = games[i].game;
      if (game.is_terminal() || stopped(game, stop)) continue;
      running = true;
      const ActionMask mask = without_claims(game.legal_actions());
      if (mask.count() == 1) {
        game.apply_unchecked(mask.lowest());
      } else {
        add_row(games[i], i);
      }
    }
    if (cards_.empty()) return running;
    ask();
    for (std::size_t row = 0; row < owner_.size(); ++row) {
      games[owner_[row]].game.apply(actions_[row]);
    }
    return running;
  }

  static bool stopped(const Game&, std::nullptr_t) { return false; }
  template <class Stop>
  static bool stopped(const Game& game, const Stop& stop) {
    return stop(game);
  }

  void clear_rows() {
    cards_.clear();
    order_.clear();
    events_.clear();
    keys_.clear();
    owner_.clear();
  }
  void add_row(const Running& running, std::size_t owner) {
    const Game& game = running.game;
    const int seat = game.current_player();
    game.view(seat, cards_.emplace_back(), order_.emplace_back(), events_.emplace_back());
    std::uint8_t& flags = cards_.back().flags;
    flags = static_cast<std::uint8_t>(flags & ~(kFlagClaimRest | kFlagConcedeRest));
    keys_.push_back({.seed = options_.seed,
                     .env = static_cast<std::uint64_t>(state_),
                     .episode = running.episode,
                     .decision = static_cast<std::uint32_t>(game.num_plays() + game.num_events()),
                     .seat = static_cast<std::uint32_t>(seat)});
    owner_.push_back(owner);
  }
  void ask() {
    actions_.resize(owner_.size());
    const ViewBatch batch{.size = owner_.size(),
                          .cards = cards_.data(),
                          .order = order_.data(),
                          .events = events_.data(),
                          .rules = &table_};
    policy_->act(batch, keys_, actions_);
  }

  /// Payoff of the deal with the response in its seat.
  double respond(const Game& start, State& result) {
    std::vector<Running> real{{start, 0}};
    const auto is_asked = [this](const Game& game) {
      return game.phase() == Phase::kPlay && game.current_player() == seat_ &&
             without_claims(game.legal_actions()).count() > 1;
    };
    while (true) {
      play_on(real, is_asked);
      Game& game = real.front().game;
      if (game.is_terminal()) return payoff(game);
      clear_rows();
      add_row(real.front(), 0);
      ask();
      const Action usual = actions_.front();
      const Action best = best_card(game, usual);
      ++result.choices;
      result.changed += best == usual ? 0 : 1;
      game.apply(best);
    }
  }

  using Weighted = std::pair<World, double>;

  /// Worlds that stand for the posterior: all of them, or a sample.
  [[nodiscard]] std::vector<Weighted> worlds_of(const ExactPosterior& posterior, int ply) const {
    std::vector<Weighted> worlds;
    if (posterior.size() <= static_cast<std::size_t>(options_.worlds)) {
      for (std::size_t i = 0; i < posterior.size(); ++i) {
        if (posterior.probability(i) > 0.0) {
          worlds.emplace_back(posterior.world(i), posterior.probability(i));
        }
      }
      return worlds;
    }
    const std::uint64_t key = episode_seed(~options_.seed, static_cast<std::uint64_t>(state_),
                                           static_cast<std::uint64_t>(ply));
    const double weight = 1.0 / options_.worlds;
    for (int i = 0; i < options_.worlds; ++i) {
      worlds.emplace_back(posterior.sample(draw_of(key, static_cast<std::uint64_t>(i))), weight);
    }
    return worlds;
  }

  /// Expected payoff of every legal card, lowest first, if all play on like the player.
  std::vector<double> values_of(const Game& game, const ActionMask& mask) {
    const PlayerView view = game.view(seat_);
    const ExactPosterior posterior(view, *rules_, *policy_);
    const PastDecisions past(view, *rules_);
    const std::vector<Weighted> worlds = worlds_of(posterior, game.num_plays());
    std::vector<double> values(static_cast<std::size_t>(mask.count()));
    std::vector<Running> games;
    for (std::size_t w = 0; w < worlds.size(); ++w) {
      const Game start = past.game_of(worlds[w].first);
      for (int i = 0; i < mask.count(); ++i) {
        // draws of their own: the response may not know those of the deal
        games.push_back({start, kMostAttempts + w});
        games.back().game.apply(mask.nth(i));
      }
    }
    play_on(games, nullptr);
    for (std::size_t i = 0; i < games.size(); ++i) {
      values[i % values.size()] += worlds[i / values.size()].second * payoff(games[i].game);
    }
    return values;
  }

  /// The card with the highest value; the usual one among equals.
  Action best_card(const Game& game, Action usual) {
    const ActionMask mask = without_claims(game.legal_actions());
    const std::vector<double> values = values_of(game, mask);
    const auto most = std::max_element(values.begin(), values.end());
    constexpr double kRounding = 1e-9;
    for (int i = 0; i < mask.count(); ++i) {
      const bool equal = values[static_cast<std::size_t>(i)] >= *most - kRounding;
      if (mask.nth(i) == usual && equal) return usual;
    }
    return mask.nth(static_cast<int>(most - values.begin()));
  }

  const LocalResponseOptions& options_;
  std::unique_ptr<BatchPolicy> policy_;
  const CompiledRules* rules_ = options_.rules.get();
  std::vector<float> features_;
  RuleTable table_;
  int state_ = 0;
  int seat_ = 0;  // the responding seat
  std::vector<CardsLine> cards_;
  std::vector<OrderLine> order_;
  std::vector<EventsLine> events_;
  std::vector<RngKey> keys_;
  std::vector<std::size_t> owner_;
  std::vector<Action> actions_;
};

/// States handed out one by one to the threads.
class StateBoard {
 public:
  StateBoard(const LocalResponseOptions& options, const LocalResponseProgress& progress)
      : options_(options), progress_(progress), states_(static_cast<std::size_t>(options.states)) {}

  void work() {
    try {
      Responder responder(options_);
      for (int i = next_++; i < options_.states && !stop_; i = next_++) {
        const Responder::State state = responder.play(i);
        const std::lock_guard lock(mutex_);
        states_[static_cast<std::size_t>(i)] = state;
        ++done_;
        if (progress_ && !progress_(done_, options_.states)) stop_ = true;
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      stop_ = true;
    }
  }

  LocalResponseResult result() const {
    if (error_) std::rethrow_exception(error_);
    LocalResponseResult result;
    std::vector<double> gains, own;
    for (const std::optional<Responder::State>& state : states_) {
      if (!state) continue;
      gains.push_back(state->gain);
      own.push_back(state->own);
      result.choices += state->choices;
      result.changed += state->changed;
    }
    result.states = static_cast<int>(gains.size());
    result.stopped = gains.size() < states_.size();
    result.gain = estimate(gains);
    result.own = estimate(own);
    return result;
  }

 private:
  const LocalResponseOptions& options_;
  const LocalResponseProgress& progress_;
  std::vector<std::optional<Responder::State>> states_;
  std::atomic<int> next_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  int done_ = 0;
  std::exception_ptr error_;
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
  if (options.threads < 0) {
    throw std::invalid_argument(
        fmt::format("threads = {}, allowed: 0 (one per core) and more", options.threads));
  }
}

}  // namespace

LocalResponseResult local_best_response(const LocalResponseOptions& options,
                                        const LocalResponseProgress& progress) {
  check(options);
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const int threads = std::min(options.threads == 0 ? cores : options.threads, options.states);
  StateBoard board(options, progress);
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back([&board] { board.work(); });
    board.work();
  }
  return board.result();
}

}  // namespace schafkopf
