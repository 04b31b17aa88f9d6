// Bounds with proof: what a side surely gets from the beginning of a trick on, whatever the others
// do. Nothing here guesses; every bound says why it holds.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "agents/solver_search.h"
#include "env/bits.h"

namespace schafkopf {

/// The least that a seat adds to tricks in which the leader cashes these cards.
///
/// Of a group that is led n times it plays n cards if it can, discards in other tricks included. An
/// opponent chooses the cheapest, and as many cards of all as there are tricks; a partner chooses
/// the dearest where no duty binds him.
int SolverSearch::contribution(const Position& position, int seat, std::uint32_t cashed) const {
  const std::uint32_t hand = position.hand[seat];
  const bool partner = is_counted(seat) == is_counted(position.leader);
  const bool free = partner && (hand & position.bound) == 0;
  int worth = 0;
  for (std::uint32_t rest = cashed; rest != 0;) {
    const std::uint32_t group = layout_.group(number_of(rest));
    const int times = count_bits(rest & group);
    worth += free ? layout_.dearest(hand & group, times) : layout_.cheapest(hand & group, times);
    rest &= ~group;
  }
  return free ? worth : std::max(worth, layout_.cheapest(hand, count_bits(cashed)));
}

/// Plain cards of one group that win after the leader has led `led` trumps. A hand that has trumps
/// then must follow each time; where the highest cards draw all others, the rest wins too.
std::uint32_t SolverSearch::plain_winners(const Position& position, int leader, std::uint32_t own,
                                          std::uint32_t group, int led) const {
  const std::uint32_t top = higher_than(own, others_of(position, leader) & group);
  if (top == 0) return 0;
  int longest = 0, limit = kNumRanks;
  for (int seat = 0; seat < seats_; ++seat) {
    if (seat == leader) continue;
    const int length = count_bits(position.hand[seat] & group);
    const bool may_ruff = count_bits(position.hand[seat] & layout_.trumps()) > led;
    longest = std::max(longest, length);
    if (may_ruff) limit = std::min(limit, length);
  }
  std::uint32_t found = count_bits(top) >= longest ? own : top;
  while (count_bits(found) > limit) found &= found - 1;
  return found;
}

/// Cards of a seat that win if it leads them one after the other, trumps first: nobody else ever
/// has a card that beats them, so it stays on lead. Of a called suit only the called card is
/// counted while the seat is bound by it.
std::uint32_t SolverSearch::winners(const Position& position, int leader) const {
  const std::uint32_t own = position.hand[leader];
  const std::uint32_t trumps = layout_.trumps();
  std::uint32_t found = higher_than(own & trumps, others_of(position, leader) & trumps);
  const int led = count_bits(found);
  int longest = 0;
  for (int seat = 0; seat < seats_; ++seat) {
    const int length = count_bits(position.hand[seat] & trumps);
    if (seat != leader) longest = std::max(longest, length);
  }
  if (led >= longest) found = own & trumps;
  std::uint32_t rest = own & ~trumps;
  if ((own & position.bound) != 0) rest &= ~layout_.call_group() | position.bound;
  while (rest != 0) {
    const std::uint32_t group = layout_.group(number_of(rest));
    found |= plain_winners(position, leader, rest & group, group, led);
    rest &= ~group;
  }
  return found;
}

/// What the trumps of a side surely bring it. A trump is lost only to a higher one of the others,
/// which is gone then: so many tricks at most, with one trump of each of the side's hands. And a
/// hand wins a trick with each of its highest trumps that find no higher one of the others left.
/// Less is returned where no more can help to reach `goal`.
int SolverSearch::sure_trumps(const Position& position, const Camp& own, const Camp& others,
                              int goal) const {
  if (own.trumps == 0) return 0;
  const std::uint32_t beaten = own.trumps & ~higher_than(own.trumps, others.trumps);
  int worth = layout_.points_of_all(own.trumps);
  if (beaten != 0) {
    const int stronger = count_bits(higher_than(others.trumps, own.trumps & (0u - own.trumps)));
    int hands = 0;
    for (int seat = 0; seat < seats_; ++seat) {
      hands += static_cast<int>((position.hand[seat] & own.trumps) != 0);
    }
    worth -= layout_.dearest(beaten, stronger * hands);
  }
  const int most = layout_.points_of_all(others.cards) + trick_worth_ * position.tricks;
  if (worth + most < goal) return worth;
  int tricks = 0;
  for (int seat = 0; seat < seats_; ++seat) {
    int held = 0;
    for (std::uint32_t rest = position.hand[seat] & own.trumps; rest != 0;) {
      const std::uint32_t card = std::bit_floor(rest);
      rest ^= card;
      ++held;
      tricks = std::max(tricks, held - count_bits(higher_than(others.trumps, card)));
    }
  }
  worth += tricks * trick_worth_;
  for (int seat = 0; seat < seats_ && tricks > 0; ++seat) {
    worth += layout_.cheapest(position.hand[seat] & others.cards, tricks);
  }
  return worth;
}

/// What the leader can cash is worth at least this much for his side.
int SolverSearch::sure_cash(const Position& position) const {
  const std::uint32_t sure = winners(position, position.leader);
  const int tricks = count_bits(sure);
  if (tricks == position.tricks) return position.left;
  int worth = layout_.points_of_all(sure) + tricks * trick_worth_;
  for (int seat = 0; seat < seats_ && tricks > 0; ++seat) {
    if (seat != position.leader) worth += contribution(position, seat, sure);
  }
  return worth;
}

/// The seat that holds all trumps left, if it is not on lead; else -1.
int SolverSearch::waits_with_trumps(const Position& position, std::uint32_t trumps) const {
  if (trumps == 0) return -1;
  for (int seat = 0; seat < seats_; ++seat) {
    if ((position.hand[seat] & trumps) == trumps) return seat == position.leader ? -1 : seat;
  }
  return -1;
}

/// What a seat with all the trumps gets for its side, though another leads. It takes every trick in
/// a group that it does not have, and with its best card what it must follow: so it loses only
/// cards that are no winners, comes on lead and cashes the rest. It never discards.
int SolverSearch::sure_wait(const Position& position, int seat) const {
  const std::uint32_t sure = winners(position, seat);
  const int tricks = count_bits(sure);
  if (tricks == position.tricks) return position.left;
  int worth = layout_.points_of_all(sure) + tricks * trick_worth_;
  for (int other = 0; other < seats_; ++other) {
    if (other != seat) worth += layout_.cheapest(position.hand[other], tricks);
  }
  return worth;
}

/// Whether bounds answer the question; then `value` is the bound.
bool SolverSearch::is_clear(const Position& position, int need, int& value) const {
  Camp counted, others;
  for (int seat = 0; seat < seats_; ++seat) {
    (is_counted(seat) ? counted : others).cards |= position.hand[seat];
  }
  counted.trumps = counted.cards & layout_.trumps();
  others.trumps = others.cards & layout_.trumps();
  const int others_need = position.left - need + 1;
  value = sure_trumps(position, counted, others, need);
  if (value >= need) return true;
  int taken = sure_trumps(position, others, counted, others_need);
  if (taken < others_need && !aim_.fewest) {
    const int cash = sure_cash(position);
    if (!is_counted(position.leader)) {
      taken = cash;
    } else if (cash >= need) {
      value = cash;
      return true;
    }
  }
  const int waiting =
      aim_.fewest ? -1 : waits_with_trumps(position, counted.trumps | others.trumps);
  if (waiting >= 0 && taken < others_need) {
    const int sure = sure_wait(position, waiting);
    if (!is_counted(waiting)) {
      taken = std::max(taken, sure);
    } else if (sure >= need) {
      value = sure;
      return true;
    }
  }
  value = position.left - taken;
  return taken >= others_need;
}

}  // namespace schafkopf
