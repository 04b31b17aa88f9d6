#include "env/vector/replayed_games.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "env/base/random.h"
#include "env/base/refuse.h"
#include "env/rules/most_announcements.h"
#include "env/vector/first_game.h"
#include "env/vector/paid_end.h"

namespace schafkopf {
namespace {

void check_size(const char* name, std::size_t size, std::size_t allowed) {
  if (size != allowed) refuse(fmt::format("{}: {} elements, allowed: {}", name, size, allowed));
}

}  // namespace

ReplayedGames::ReplayedGames(std::shared_ptr<const CompiledRules> rules,
                             std::shared_ptr<const ContractGenerator> generator)
    : rules_(std::move(rules)), generator_(std::move(generator)) {
  if (!rules_) throw std::invalid_argument("rules: null, allowed: a rule set");
  longest_ = most_announcements(rules_->rules()) + kNumCards;
}

ReplayedGames::Reached ReplayedGames::reach(std::uint64_t seed,
                                            std::span<const Action> actions) const {
  const int dealer = static_cast<int>(seed % static_cast<unsigned>(rules_->seats()));
  Reached reached{.game = first_game(*rules_, seed, dealer, rules_->first_context(),
                                     generator_.get(), RngKey{seed, 0, 0, 0, 0})};
  reached.last = reached.game.forehand();
  for (const Action action : actions) {
    if (action >= kNumActions || !without_claims(reached.game.legal_actions()).contains(action)) {
      break;
    }
    reached.last = reached.game.current_player();
    reached.game.apply_unchecked(action);
  }
  return reached;
}

Game ReplayedGames::game(std::uint64_t seed, std::span<const Action> actions) const {
  return reach(seed, actions).game;
}

void ReplayedGames::show(std::span<const std::uint64_t> seeds, std::span<const Action> actions,
                         std::span<const std::int32_t> counts, std::span<const std::int32_t> seats,
                         const ReplayedRows& rows) const {
  const auto length = static_cast<std::size_t>(longest_);
  const std::size_t games = seeds.size();
  check_size("actions", actions.size(), games * length);
  check_size("counts", counts.size(), games);
  check_size("seats", seats.size(), games);
  check_size("views", rows.views.size(), games);
  check_size("legal", rows.legal.size(), games);
  check_size("players", rows.players.size(), games);
  check_size("rewards", rows.rewards.size(), games * kNumSeats);
  check_size("terminated", rows.terminated.size(), games);
  for (std::size_t i = 0; i < games; ++i) {
    if (const int most = rules_->seats() - 1; seats[i] < -1 || seats[i] > most) {
      refuse(fmt::format("seats[{}] = {}, allowed: -1..{}", i, seats[i], most));
    }
  }
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    const auto count = static_cast<std::size_t>(std::clamp(counts[i], 0, longest_));
    const auto [game, last] = reach(seeds[i], actions.subspan(i * length, count));
    const bool over = game.is_terminal();
    const int player = over ? last : game.current_player();
    const int seat = seats[i] < 0 ? player : seats[i];
    rows.views[i] = game.view(seat);
    rows.legal[i] = over ? ActionMask{} : without_claims(game.legal_actions());
    rows.players[i] = static_cast<std::int8_t>(player);
    rows.terminated[i] = over ? 1 : 0;
    std::array<float, kNumSeats> paid{};
    if (over) {
      const PaidEnd end = paid_end(game);
      for (std::size_t s = 0; s < kNumSeats; ++s) paid[s] = end.payoffs[s] + end.stock[s];
    }
    std::ranges::copy(paid, rows.rewards.begin() + static_cast<std::ptrdiff_t>(kNumSeats * i));
  }
}

}  // namespace schafkopf
