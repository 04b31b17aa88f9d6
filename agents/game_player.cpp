#include "agents/game_player.h"

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace schafkopf {
namespace {

template <class Pointer>
Pointer needed(Pointer given, const char* name) {
  if (given == nullptr) {
    throw std::invalid_argument(std::string(name) + " = null, allowed: one that exists");
  }
  return given;
}

/// Of probabilities that were rounded.
constexpr double kMostSum = 1.001;

}  // namespace

GamePlayer::GamePlayer(std::unique_ptr<BatchPolicy> player,
                       std::shared_ptr<const CompiledRules> rules)
    : player_(needed(std::move(player), "player")),
      rules_(needed(std::move(rules), "rules")),
      table_(std::make_unique<SingleRuleTable>(*rules_)) {}

ViewBatch GamePlayer::question(const Game& game) {
  if (game.is_terminal()) {
    throw std::invalid_argument("the game is over, allowed: one with a seat to act");
  }
  if (game.rules().hash() != rules_->hash()) {
    throw std::invalid_argument("a game of the rules \"" + game.rules().name() + "\", allowed: \"" +
                                rules_->name() + "\", with the same switches");
  }
  const int seat = game.current_player();
  view_ = game.view(seat);
  ViewBatch batch{.size = 1,
                  .cards = &view_.cards,
                  .order = &view_.order,
                  .events = &view_.events,
                  .rules = &table_->table()};
  if (player_->sees_hidden_hands()) {
    full_ = game.full_view(seat);
    batch.full = &full_;
  }
  return batch;
}

void GamePlayer::check(const Opinion& opinion, const Game& game) const {
  const std::string where = " in " + std::string(phase_name(game.phase())) + ", allowed: ";
  const ActionMask legal = game.legal_actions();
  double sum = 0.0;
  for (int action = 0; action < kNumActions; ++action) {
    const auto p = static_cast<double>(opinion.probabilities[static_cast<std::size_t>(action)]);
    const bool is_legal = legal.contains(static_cast<Action>(action));
    if (!(p >= 0.0 && p <= kMostSum) || (p > 0.0 && !is_legal)) {
      throw std::runtime_error(player_->name() + " gave " + action_name(action) +
                               fmt::format(" the probability {}", p) + where +
                               "0..1, above 0 for " + to_string(legal) + " alone");
    }
    sum += p;
  }
  if (!(sum >= 2.0 - kMostSum && sum <= kMostSum)) {
    throw std::runtime_error(
        fmt::format("{} gave probabilities with the sum {}{}1", player_->name(), sum, where));
  }
}

GamePlayer::Opinion GamePlayer::policy(const Game& game) {
  Opinion opinion;
  player_->policy(question(game), opinion.probabilities, std::span(&opinion.value, 1));
  check(opinion, game);
  return opinion;
}

Action GamePlayer::act(const Game& game, std::uint64_t seed) {
  const ViewBatch batch = question(game);
  const RngKey key = key_of_question(view_, seed, 0);
  Action action = kActionPass;
  player_->act(batch, std::span(&key, 1), std::span(&action, 1));
  if (!game.legal_actions().contains(action)) {
    throw std::runtime_error(player_->name() + " answered " + action_name(action) + " in " +
                             std::string(phase_name(game.phase())) +
                             ", allowed: " + to_string(game.legal_actions()));
  }
  return action;
}

}  // namespace schafkopf
