// Leading in games for points: the declarer side draws trumps, defenders lead plain suits.
#include <algorithm>
#include <array>

#include "agents/maxims.h"

namespace schafkopf {
namespace {

CardSet legal_trumps(const Situation& s) { return s.legal & s.trumps; }
CardSet legal_plain(const Situation& s) { return s.legal - s.trumps; }
std::size_t suit_index(Card card) { return static_cast<std::size_t>(suit_of(card)); }

/// I-11: whoever called a card does not lead its suit.
CardSet without_called_suit(const Situation& s, CardSet cards) {
  return s.is_declarer && s.called_is_out() ? cards - s.call_suit : cards;
}

/// I-06: trump is the soul of the game; the highest one while it is the highest left.
Card draw_with_top_trump(const Situation& s) {
  if (!s.enemies_may_have_trumps() || legal_trumps(s).empty()) return kNoCard;
  const Card card = highest_trump(s, legal_trumps(s));
  return s.is_highest_left(card) ? card : kNoCard;
}

/// I-08: the partner on lead shows himself with his highest trump.
Card partner_leads_highest_trump(const Situation& s) {
  if (s.is_declarer || legal_trumps(s).empty() || !s.enemies_may_have_trumps()) return kNoCard;
  return highest_trump(s, legal_trumps(s));
}

/// I-07, I-10: without the highest trump a low one follows, rather an Unter than one too small.
Card low_trump_after_high(const Situation& s) {
  const CardSet trumps = legal_trumps(s);
  if (!s.is_declarer || trumps.count() < 3 || !s.enemies_may_have_trumps()) return kNoCard;
  const CardSet seconds = trumps & CardSet(s.order.second);
  if (!seconds.empty() && trumps.count() > 3) return highest_trump(s, seconds);
  return lowest_card(s, trumps);
}

/// Plain cards that nothing in their suit beats, where they will most likely hold; the ace before
/// the suit has been led (W 10.12), anything once the enemies have no trumps.
Card cash_plain_winner(const Situation& s) {
  CardSet winners;
  for (const Card card : without_called_suit(s, legal_plain(s))) {
    if (s.is_highest_left(card) && s.chance_side_wins(card, 0, s.group(card)) >= 0.6) {
      winners.add(card);
    }
  }
  return best_by(winners, [&](Card card) {
    return 20.0 * s.chance_side_wins(card, 0, s.group(card)) + 0.3 * points_of(card);
  });
}

/// W 10.15: long in the called suit, it will not go round; and a bare ten would be given away to
/// the ace, which it rather joins when a friend takes a trick.
bool searching_costs_too_much(CardSet suit) {
  const bool bare_ten = suit.count() == 1 && points_of(suit.lowest()) == 10;
  return suit.count() >= 4 || bare_ten;
}

/// I-13, W 10.3: a defender leads the called suit while its card is out.
Card search_called_card(const Situation& s) {
  if (!s.called_is_out()) return kNoCard;
  const CardSet suit = s.legal & s.call_suit;
  if (suit.empty() || searching_costs_too_much(suit)) return kNoCard;
  return lowest_card(s, suit);
}

/// I-12, W 10.14: the owner with four cards of the called suit runs away, since his card would be
/// ruffed anyway.
Card run_away(const Situation& s) {
  if (s.is_declarer || !s.called_is_out() || !s.hand.contains(s.called)) return kNoCard;
  const CardSet others = (s.legal & s.call_suit) - CardSet::of(s.called);
  if (others.empty() || legal_trumps(s).count() >= 3) return kNoCard;
  return lowest_card(s, others);
}

/// A suit that a proven friend ruffs and no enemy behind him does.
Card lead_to_friends_void(const Situation& s) {
  CardSet good;
  for (const Card card : without_called_suit(s, legal_plain(s))) {
    if (points_of(card) >= 10) continue;
    bool friend_ruffs = false, enemy_ruffs = false;
    for (int seat = 1; seat < s.seats; ++seat) {
      const auto i = static_cast<std::size_t>(seat);
      const bool ruffs =
          (s.may_hold[i] & s.group(card)).empty() && s.chance_none(seat, s.trumps) < 0.5;
      if (ruffs && s.side[i] == Side::kFriend) friend_ruffs = true;
      if (ruffs && s.side[i] != Side::kFriend) enemy_ruffs = true;
    }
    if (friend_ruffs && !enemy_ruffs) good.add(card);
  }
  return good.empty() ? kNoCard : lowest_card(s, good);
}

/// I-09: a bare plain card makes a void that can be ruffed later.
Card lead_bare_card(const Situation& s) {
  if ((s.hand & s.trumps).empty()) return kNoCard;
  CardSet bare;
  for (const Card card : without_called_suit(s, legal_plain(s))) {
    if ((s.group(card) & s.hand).count() == 1 && points_of(card) < 10) bare.add(card);
  }
  return bare.empty() ? kNoCard : lowest_card(s, bare);
}

/// W 10.4: with the declarer next a long suit, with the declarer last a short one; not from under
/// an own ace (I-20), no tens, and in a Wenz not the suit that was led before (I-23).
double plain_lead_value(const Situation& s, Card card) {
  const CardSet own = s.group(card) & s.hand;
  const bool long_trumps = s.trumps.count() > 4;
  double value = -points_of(card);
  const bool has_ace = !(own & CardSet::rank(Rank::kAss)).empty() && rank_of(card) != Rank::kAss;
  if (has_ace) value -= 6.0;
  const int length = own.count();
  value += s.declarer == 1 ? 0.8 * length : -0.8 * length;
  const bool led_before = s.times_led[suit_index(card)] > 0;
  if (led_before && !long_trumps) value -= 3.0;  // I-23
  const int opener = s.opened_by[suit_index(card)];
  const bool by_friend =
      opener != kNoSeat && s.side[static_cast<std::size_t>(opener)] == Side::kFriend;
  if (led_before && long_trumps && by_friend && opener != 0) value += 2.5;  // I-18
  const bool declarer_void =
      s.declarer != kNoSeat && s.declarer != 0 &&
      (s.may_hold[static_cast<std::size_t>(s.declarer)] & s.group(card)).empty();
  if (declarer_void) value -= s.declarer == 1 ? 1.0 : 4.0;  // I-21
  value += 0.1 * s.unseen_beaters(card).count();
  return value;
}

Card lead_plain_by_distance(const Situation& s) {
  const CardSet plain = without_called_suit(s, legal_plain(s));
  if (plain.empty()) return kNoCard;
  return best_by(plain, [&](Card card) { return plain_lead_value(s, card); });
}

/// I-22, W 10.7: an ace belongs on a Wenz.
Card lead_an_ace(const Situation& s) {
  CardSet aces;
  for (const Card card : legal_plain(s)) {
    const bool declarer_void =
        (s.may_hold[static_cast<std::size_t>(s.declarer)] & s.group(card)).empty() &&
        s.enemies_may_have_trumps();
    if (rank_of(card) == Rank::kAss && !declarer_void) aces.add(card);
  }
  return best_by(aces, [&](Card card) {
    return (s.group(card) & s.hand).count() - 3.0 * s.times_led[suit_index(card)];
  });
}

/// The soloist without the highest trump: a middle trump drives the high ones out while he is long.
Card soloist_drives_out_trumps(const Situation& s) {
  const CardSet trumps = legal_trumps(s);
  int out = 0;
  out = (s.unseen & s.trumps).count();
  if (!s.enemies_may_have_trumps() || trumps.count() < 3 || trumps.count() * 2 < out) {
    return kNoCard;
  }
  const CardSet seconds = trumps & CardSet(s.order.second);
  if (!seconds.empty()) return highest_trump(s, seconds);
  return lowest_card(s, trumps);
}

/// Nothing better: the lead with the best balance of this trick and what the card is worth later.
Card weigh_the_lead(const Situation& s) {
  const CardSet cards = without_called_suit(s, s.legal);
  return best_by(cards.empty() ? s.legal : cards, [&](Card card) {
    return trick_gain(s, card) - keep_value(s, card) -
           (s.is_trump(card) && !s.on_declarer_side ? 4.0 : 0.0);
  });
}

constexpr std::array kDeclarerSide = {
    kForced,
    Maxim{"run_away", "I-12; W 10.14",
          "With four cards of the called suit it will not go round, so its owner leads it low and "
          "keeps the ace.",
          run_away},
    Maxim{"draw_with_top_trump", "I-06; W 10.2",
          "Trump is the soul of the game: the highest one left draws the others'.",
          draw_with_top_trump},
    Maxim{"partner_leads_highest_trump", "I-08",
          "A good friend shows himself: the partner leads his highest trump.",
          partner_leads_highest_trump},
    Maxim{"low_trump_after_high", "I-07; I-10",
          "Once high and once low: without the highest trump a lower one draws on, an Unter rather "
          "than one too small.",
          low_trump_after_high},
    Maxim{"cash_plain_winner", "W 10.12",
          "Nothing in its suit beats this card and it will most likely go round.",
          cash_plain_winner},
    Maxim{"lead_to_friends_void", "I-09",
          "A friend is void in this suit and can ruff; no enemy behind him can.",
          lead_to_friends_void},
    Maxim{"lead_bare_card", "I-09",
          "A bare plain card goes first, so that the suit can be ruffed later.", lead_bare_card},
    Maxim{"weigh_the_lead", "I-11; I-15",
          "The best balance of this trick's points and what the card is worth later.",
          weigh_the_lead},
};
constexpr std::array kDefenders = {
    kForced,
    Maxim{"search_called_card", "I-13; W 10.3; 10.15",
          "A defender searches: the called suit forces the ace out and shows who plays with whom.",
          search_called_card},
    Maxim{"cash_plain_winner", "W 10.12",
          "Nothing in its suit beats this card and it will most likely go round.",
          cash_plain_winner},
    Maxim{"lead_to_friends_void", "W 10.5",
          "A friend is void in this suit and can ruff; no enemy behind him can.",
          lead_to_friends_void},
    Maxim{"lead_plain_by_distance", "W 10.2; 10.4; I-20",
          "Defenders lead plain suits: a long one when the declarer sits next, a short one when he "
          "sits last.",
          lead_plain_by_distance},
    Maxim{"weigh_the_lead", "I-15",
          "The best balance of this trick's points and what the card is worth later.",
          weigh_the_lead},
};
constexpr std::array kSoloist = {
    kForced,
    Maxim{"draw_with_top_trump", "I-06",
          "Trump is the soul of the game: the highest one left draws the others'.",
          draw_with_top_trump},
    Maxim{"soloist_drives_out_trumps", "I-10",
          "While the soloist is long in trumps a middle one drives the higher ones out.",
          soloist_drives_out_trumps},
    Maxim{"cash_plain_winner", "W 10.12",
          "Nothing in its suit beats this card and it will most likely go round.",
          cash_plain_winner},
    Maxim{"weigh_the_lead", "I-15",
          "The best balance of this trick's points and what the card is worth later.",
          weigh_the_lead},
};
constexpr std::array kAgainstLongTrumps = {
    kForced,
    Maxim{"cash_plain_winner", "W 10.12",
          "Nothing in its suit beats this card and it will most likely go round.",
          cash_plain_winner},
    Maxim{"lead_to_friends_void", "W 10.5",
          "A friend is void in this suit and can ruff; no enemy behind him can.",
          lead_to_friends_void},
    Maxim{"lead_plain_by_distance", "I-18; I-20; I-21",
          "Defenders lead plain suits: a long one when the declarer sits next, a short one when he "
          "sits last.",
          lead_plain_by_distance},
    Maxim{"weigh_the_lead", "I-15",
          "The best balance of this trick's points and what the card is worth later.",
          weigh_the_lead},
};
constexpr std::array kAgainstFewTrumps = {
    kForced,
    Maxim{"lead_an_ace", "I-22; W 10.7", "An ace belongs on a Wenz.", lead_an_ace},
    Maxim{"cash_plain_winner", "W 10.12",
          "Nothing in its suit beats this card and it will most likely go round.",
          cash_plain_winner},
    Maxim{"lead_plain_by_distance", "I-20; I-23; I-24",
          "Defenders lead plain suits: a long one when the declarer sits next, a short one when he "
          "sits last.",
          lead_plain_by_distance},
    Maxim{"weigh_the_lead", "I-15",
          "The best balance of this trick's points and what the card is worth later.",
          weigh_the_lead},
};

}  // namespace

std::span<const Maxim> partner_game_leads(bool declarer_side) {
  if (declarer_side) return kDeclarerSide;
  return kDefenders;
}

std::span<const Maxim> single_game_leads(bool declarer, bool long_trumps) {
  if (declarer) return kSoloist;
  if (long_trumps) return kAgainstLongTrumps;
  return kAgainstFewTrumps;
}

}  // namespace schafkopf
