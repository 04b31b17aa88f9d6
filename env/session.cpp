#include "env/session.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "env/assert.h"
#include "env/random.h"

namespace schafkopf {

SessionState begin_session(const CompiledRules& rules, std::uint64_t first_deal_seed) {
  SessionState state;
  if (rules.rules().first_dealer != FirstDealer::kSeat0) {
    state.dealer = below(draw(first_deal_seed, RngStream::kDealer, 0), rules.seats());
  }
  return state;
}

int session_length(const CompiledRules& rules) {
  return rules.rules().session_tables * rules.rules().session_rounds * rules.seats();
}

bool is_over(const CompiledRules& rules, const SessionState& state) {
  return state.num_counted >= session_length(rules);
}

void finish_deal(SessionState& state, const Game& game) {
  SCHAFKOPF_ASSERT(game.is_terminal());
  const CompiledRules& rules = game.rules();
  const bool thrown_in = !game.has_contract();
  const auto payoffs = game.payoffs();
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) state.totals[seat] += payoffs[seat];
  ++state.num_deals;
  state.num_thrown_in += static_cast<std::int32_t>(thrown_in);
  state.num_counted += static_cast<std::int32_t>(!thrown_in || rules.rules().thrown_in_counts);
  state.dealer = (state.dealer + 1) % rules.seats();
}

Session::Session(std::shared_ptr<const CompiledRules> rules, std::uint64_t seed)
    : rules_(std::move(rules)), seed_(seed) {
  if (rules_ == nullptr) throw std::invalid_argument("session: rules are missing");
  state_ = begin_session(*rules_, episode_seed(seed_, 0, 0));
}

Deal Session::deal() const {
  return random_deal(episode_seed(seed_, 0, static_cast<std::uint64_t>(state_.num_deals)));
}

Game Session::next_game() const {
  if (is_over()) {
    throw std::invalid_argument(
        fmt::format("the session is over: {} deals were played", state_.num_deals));
  }
  return Game(*rules_, deal(), state_.dealer, state_.context);
}

void Session::finish(const Game& game) {
  if (is_over()) throw std::invalid_argument("the session is over: no deal is left to finish");
  if (!game.is_terminal()) {
    throw std::invalid_argument(fmt::format("deal {} of the session is not over: seat {} is to act",
                                            state_.num_deals, game.current_player()));
  }
  bool same = game.dealer() == state_.dealer && game.rules().hash() == rules_->hash();
  const Deal expected = deal();
  for (int seat = 0; seat < kNumSeats; ++seat) {
    same = same && game.dealt(seat) == expected.hand(seat);
  }
  if (!same) {
    throw std::invalid_argument(
        fmt::format("this is not deal {} of the session: rules, dealer ({}) and cards must be "
                    "those of next_game()",
                    state_.num_deals, state_.dealer));
  }
  finish_deal(state_, game);
}

}  // namespace schafkopf
