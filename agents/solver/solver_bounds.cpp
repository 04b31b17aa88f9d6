// Bounds with proof: what a side surely gets from the beginning of a trick on, whatever the others
// do. Nothing here guesses; every bound says why it holds.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "agents/solver/solver_search.h"
#include "env/base/bits.h"

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
std::uint32_t SolverSearch::suit_winners(const Position& position, int leader, std::uint32_t own,
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

/// The same for all groups. Of a called suit only the called card is counted while the seat is
/// bound by it.
std::uint32_t SolverSearch::plain_winners(const Position& position, int leader, int led) const {
  const std::uint32_t own = position.hand[leader];
  std::uint32_t rest = own & ~layout_.trumps(), found = 0;
  if ((own & position.bound) != 0) rest &= ~layout_.call_group() | position.bound;
  while (rest != 0) {
    const std::uint32_t group = layout_.group(number_of(rest));
    found |= suit_winners(position, leader, rest & group, group, led);
    rest &= ~group;
  }
  return found;
}

/// Cards of a seat that win if it leads them one after the other, trumps first: nobody else ever
/// has a card that beats them, so it stays on lead.
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
  return found | plain_winners(position, leader, led);
}

/// What the trumps of a side surely bring it. A trump is lost only to a higher one of the others,
/// which is gone then: so many tricks at most, with one trump of each of the side's hands. And a
/// hand wins a trick with each of its highest trumps that find no higher one of the others left.
/// Less is returned where no more can help to reach `goal`.
int SolverSearch::sure_trumps(const Position& position, const Camp& own, const Camp& others,
                              int goal) const {
  if (own.trumps == 0) return 0;
  int worth = layout_.points_of_all(own.trumps);
  const int most = layout_.points_of_all(others.cards) + trick_worth_ * position.tricks;
  if (worth + most < goal) return 0;
  const std::uint32_t beaten = own.trumps & ~higher_than(own.trumps, others.trumps);
  if (beaten != 0) {
    const int stronger = count_bits(higher_than(others.trumps, own.trumps & (0u - own.trumps)));
    int hands = 0;
    for (int seat = 0; seat < seats_; ++seat) {
      hands += static_cast<int>((position.hand[seat] & own.trumps) != 0);
    }
    worth -= layout_.dearest(beaten, stronger * hands);
  }
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

/// Whether all other hands with trumps have cards of every plain group that the leader has, so that
/// his lead cannot be ruffed by them.
bool SolverSearch::must_follow(const Position& position, int seat) const {
  const std::uint32_t leads = position.hand[position.leader] & ~layout_.trumps();
  for (int other = 0; other < seats_; ++other) {
    const std::uint32_t hand = position.hand[other];
    if (other == seat || other == position.leader || (hand & layout_.trumps()) == 0) continue;
    for (std::uint32_t rest = leads; rest != 0;) {
      const std::uint32_t group = layout_.group(number_of(rest));
      if ((hand & group) == 0) return false;
      rest &= ~group;
    }
  }
  return true;
}

/// What the others have left after so many rounds of top trumps. A low trump is lost only to a
/// strong one, one of the others above the lowest; they keep strong ones as long as they can.
inline SolverSearch::Drawing SolverSearch::draw(const Position& position, int seat, int rounds,
                                                std::uint32_t low) const {
  const bool leads = seat == position.leader;
  const std::uint32_t lowest = low & (0u - low), trumps = layout_.trumps();
  const int before = leads ? 0 : 1 + count_bits(position.hand[seat] & ~trumps);
  Drawing found;
  for (int other = 0; other < seats_; ++other) {
    if (other == seat) continue;
    const std::uint32_t held = position.hand[other] & trumps;
    const int length = count_bits(held), after = std::max(0, length - rounds);
    const int beating = lowest == 0 ? 0 : std::min(after, count_bits(held & ~(2 * lowest - 1)));
    found.most = std::max(found.most, length);
    found.longest = std::max(found.longest, after);
    found.strong += beating;
    if (after > 0 && beating == after) found.strong_alone |= 1u << other;
    if (after > before) found.falls |= 1u << other;
    if (after > 1) found.longer |= held;
    if (leads && after == 0) found.drawn |= 1u << other;
  }
  return found;
}

/// How many low trumps are lost at most, and what they are worth. The seat always plays its
/// cheapest unless said otherwise.
///
/// (1) The first low trump led costs each hand with nothing but strong ones one of them, and where
/// it is lost the winner too; each later loss costs a strong one. Of n strong ones, m of such
/// hands, at most 1 + n - max(1, m) are lost. A seat that never comes in loses one to each at most.
/// (2) Where the others have at most two each, the seat wins with one low trump at most before the
/// last is lost: after the first one led, or without any top trump, they have one each, and the
/// next one led draws all.
/// (3) After the first low trump led, only hands with more than one have trumps left, at most
/// longest - 1. If that many of the low ones are above all of theirs, the seat comes in with one of
/// them, and the others draw all but one; with one more, all. So one low trump more is lost, or
/// none.
///
/// `falls`: hands that part with a trump in a lost trick, unless one low trump less is lost. That
/// is who still has one when the first low trump is led (before that, a seat that does not lead may
/// lose its plain cards and ruff once, each time with another trump gone), for if that trump wins,
/// one less can be lost where m > 0, and none in (3). A seat that never comes in loses to single
/// strong trumps: who keeps his spares it one.
inline void SolverSearch::count_losses(Drawing& drawing, std::uint32_t low, bool comes_in,
                                       int used) const {
  const int held = count_bits(low), longest = drawing.longest;
  const int alone = count_bits(drawing.strong_alone);
  const int most = comes_in ? 1 + drawing.strong - std::max(1, alone) : drawing.strong;
  const int lost = drawing.strong == 0 ? 0 : std::min(held, most);
  drawing.lost = lost;
  if (comes_in && longest > 1 && lost > 1) {
    const std::uint32_t given = layout_.cheapest_card(low);
    const std::uint32_t above = higher_than(low, drawing.longer) & ~given;
    const std::uint32_t below = low & ~above & ~given;
    const int kept = count_bits(above) - (used - 1);
    if (kept >= longest - 1) {
      const bool again = kept < longest && below != 0;
      drawing.lost = again ? 2 : 1;
      drawing.low_loss = layout_.points_of_all(given) + (again ? layout_.cheapest(below, 1) : 0);
      return;
    }
  }
  if (!comes_in) drawing.falls = drawing.strong_alone;
  if (lost == 0 || alone == 0) drawing.falls = 0;
  if (lost == held || longest > 2) {
    drawing.low_loss = layout_.dearest(low, lost);
  } else if (lost == 0 || (comes_in && longest == 1)) {
    drawing.low_loss = layout_.cheapest(low, lost);
  } else {
    drawing.low_loss = layout_.cheapest(low, lost + 1) - layout_.cheapest(low, lost) +
                       layout_.cheapest(low, lost - 1);
  }
}

/// The most that another hand adds to the tricks lost: low trumps, and plain cards one each.
///
/// `led`: group of a plain card that is given up first, when `most` rounds of trumps are drawn and
/// the seat keeps one to come in again. A hand with more cards of it than it has discarded on these
/// rounds must follow.
inline int SolverSearch::added_loss(const Drawing& drawing, std::uint32_t hand, int other,
                                    int plain_lost) const {
  const std::uint32_t trumps = layout_.trumps(), led = hand & drawing.led;
  const int tricks = drawing.lost + plain_lost;
  if (count_bits(led) > drawing.most - count_bits(hand & trumps)) {
    const std::uint32_t follows = layout_.dearest_card(led);
    return layout_.points_of_all(follows) + layout_.dearest(hand & ~trumps & ~follows, tricks - 1);
  }
  if (((drawing.falls >> other) & 1u) == 0) {
    const bool drawn = ((drawing.drawn >> other) & 1u) != 0;
    return layout_.dearest(drawn ? hand & ~trumps : hand, tricks);
  }
  const std::uint32_t falls = layout_.dearest_card(hand & trumps);
  const std::uint32_t rest = hand & ~(drawing.longest == 1 ? trumps : falls);
  return layout_.points_of_all(falls) + layout_.dearest(rest, tricks - 1);
}

/// What a seat surely gets by drawing trumps, all others against it; 0 if less than `goal`.
///
/// On lead it leads its top trumps, which nobody beats, and then its cheapest one whenever it leads
/// and others have trumps. Not on lead it follows suit with its best card and ruffs what it does
/// not have, so that it never discards while it has trumps: with a top trump, which wins, and then
/// it leads as above with one round less. If it has no loser among its plain cards and the leader's
/// lead cannot be ruffed, it wins the first trick anyhow: it ruffs with its dearest low trump and
/// keeps all rounds. Without a top trump it plays its cheapest; this is counted only where the
/// others have one trump each at most. All trumps win but those in count_losses.
///
/// Plain cards are given up but for this: when the others' trumps are all drawn, at most one low
/// trump is lost and another is kept, the seat is alone with trumps, and its winners win as in
/// sure_wait. Not on lead this is counted only for hands without a loser: they win the first trick
/// and lose nothing before the trumps are drawn, since suit_winners lets nobody ruff.
int SolverSearch::sure_draw(const Position& position, int seat, int goal) const {
  const std::uint32_t hand = position.hand[seat], trumps = layout_.trumps();
  const std::uint32_t own = hand & trumps, plain = hand & ~trumps;
  if (own == 0) return 0;
  const std::uint32_t top = higher_than(own, others_of(position, seat) & trumps);
  const std::uint32_t low = own ^ top;
  const bool leads = seat == position.leader, comes_in = leads || top != 0;
  std::uint32_t winning = 0;
  int rounds = count_bits(top), used = 1;
  if (!leads && comes_in) {
    if (plain != 0 && (hand & position.bound) == 0) winning = plain_winners(position, seat, 0);
    if (winning != plain) winning = 0;
    const bool any_wins = winning == plain && must_follow(position, seat);
    (any_wins ? used : rounds) += any_wins ? 1 : -1;
  }
  Drawing drawing = draw(position, seat, rounds, low);
  if (!comes_in && drawing.longest > 1) return 0;
  count_losses(drawing, low, comes_in, used);
  int worth = position.left - drawing.low_loss - drawing.lost * trick_worth_;
  if (worth < goal) return 0;
  const bool alone = drawing.longest == 0 || (drawing.longest == 1 && count_bits(low) > used);
  if (alone && leads && plain != 0) winning = plain_winners(position, seat, kNumCards);
  const std::uint32_t losers = alone ? plain & ~winning : plain;
  if (leads && drawing.longest == 0 && count_bits(own) > drawing.most && losers != 0 &&
      (hand & position.bound) == 0) {
    drawing.led = layout_.group(number_of(losers));
  }
  const int plain_lost = count_bits(losers);
  worth -= layout_.points_of_all(losers) + plain_lost * trick_worth_;
  for (int other = 0; other < seats_ && worth >= goal; ++other) {
    if (other != seat) worth -= added_loss(drawing, position.hand[other], other, plain_lost);
  }
  return worth >= goal ? worth : 0;
}

/// Whether bounds answer the question; then `value` is the bound. For a seat that plays alone,
/// sure_draw is seldom less than sure_trumps, which is left out.
bool SolverSearch::is_clear(const Position& position, int need, int& value) const {
  const int others_need = position.left - need + 1;
  const auto answers = [&](bool counted, int worth) {
    value = counted ? worth : position.left - worth;
    return worth >= (counted ? need : others_need);
  };
  const bool alone = lone_ >= 0 && !aim_.fewest;
  if (alone) {
    const bool counted = is_counted(lone_);
    const int goal = counted ? need : others_need;
    if (answers(counted, sure_draw(position, lone_, goal))) return true;
  }
  Camp counted, others;
  for (int seat = 0; seat < seats_; ++seat) {
    (is_counted(seat) ? counted : others).cards |= position.hand[seat];
  }
  counted.trumps = counted.cards & layout_.trumps();
  others.trumps = others.cards & layout_.trumps();
  if (!alone || !is_counted(lone_)) {
    if (answers(true, sure_trumps(position, counted, others, need))) return true;
  }
  if (!alone || is_counted(lone_)) {
    if (answers(false, sure_trumps(position, others, counted, others_need))) return true;
  }
  if (aim_.fewest) return false;
  if (answers(is_counted(position.leader), sure_cash(position))) return true;
  const int waiting = waits_with_trumps(position, counted.trumps | others.trumps);
  return waiting >= 0 && answers(is_counted(waiting), sure_wait(position, waiting));
}

}  // namespace schafkopf
