#include "env/vector/paid_end.h"

#include <cstddef>
#include <cstdint>
#include <numeric>

namespace schafkopf {
namespace {

/// What the seats of the last deal of a session get of the Stock that it leaves (OPEN-66).
std::array<std::int32_t, kNumSeats> last_shares(const Game& game, const Settlement& settlement,
                                                const SessionState& ended) {
  const RuleSet& rules = game.rules().rules();
  const std::int32_t left =
      game.context().stock -
      std::accumulate(settlement.stock_payoffs.begin(), settlement.stock_payoffs.end(), 0);
  const auto shares = stock_shares(rules, left);
  const int dealer = (ended.dealer + rules.players - 1) % rules.players;  // he has moved on
  const auto places = places_of(rules, dealer);
  std::array<std::int32_t, kNumSeats> of_seats{};
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    if (places[seat] >= 0) of_seats[seat] = shares[static_cast<std::size_t>(places[seat])];
  }
  return of_seats;
}

}  // namespace

PaidEnd paid_end(const Game& game, const SessionState* ended) {
  const auto scale = static_cast<float>(game.rules().tariff_scale());
  const Settlement settlement = game.settlement();
  std::array<std::int32_t, kNumSeats> shares{};
  if (ended != nullptr) shares = last_shares(game, settlement, *ended);
  PaidEnd end;
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    const bool pays = static_cast<int>(seat) == game.contract().declarer;
    const std::int32_t amount =
        settlement.stock_payoffs[seat] + shares[seat] - (pays ? settlement.reuegeld : 0);
    end.payoffs[seat] = static_cast<float>(settlement.payoffs[seat]) / scale;
    end.stock[seat] = static_cast<float>(amount) / scale;
  }
  return end;
}

}  // namespace schafkopf
