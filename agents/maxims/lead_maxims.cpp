// Leading in games for points: the declarer side draws trumps, defenders lead plain suits.
#include <array>

#include "env/base/index.h"

#include "agents/maxims/maxims.h"

namespace schafkopf {
namespace {

CardSet legal_trumps(const Situation& s) { return s.legal & s.trumps; }
CardSet legal_plain(const Situation& s) { return s.legal - s.trumps; }
std::size_t suit_index(Card card) { return static_cast<std::size_t>(suit_of(card)); }
bool has_long_trumps(const Situation& s) { return s.trumps.count() > 4; }

/// I-11: whoever called a card does not lead its suit.
CardSet without_called_suit(const Situation& s, CardSet cards) {
  return s.is_declarer && s.called_is_out() ? cards - s.call_suit : cards;
}

bool is_void(const Situation& s, int seat, Card card) {
  return (s.may_hold[at(seat)] & s.group(card)).empty();
}

// The side of the declarer.

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

/// Without the highest trump the declarer draws on while he has three.
bool draws_on(const Situation& s) {
  return s.is_declarer && legal_trumps(s).count() >= 3 && s.enemies_may_have_trumps();
}

/// I-10: rather an Unter than a trump that is too small.
Card unter_rather_than_too_small(const Situation& s) {
  const CardSet seconds = legal_trumps(s) & CardSet(s.order.second);
  if (!draws_on(s) || seconds.empty() || legal_trumps(s).count() <= 3) return kNoCard;
  return highest_trump(s, seconds);
}

/// I-07: once high and once low.
Card low_trump_after_high(const Situation& s) {
  return draws_on(s) ? lowest_card(s, legal_trumps(s)) : kNoCard;
}

/// Plain cards that nothing in their suit beats, where they will most likely hold; the ace before
/// the suit has been led (W 10.12), anything once the enemies have no trumps.
Card cash_plain_winner(const Situation& s) {
  constexpr double kLikely = 0.6;
  CardSet winners;
  for (const Card card : without_called_suit(s, legal_plain(s))) {
    if (s.is_highest_left(card) && s.chance_side_wins(card, 0, s.group(card)) >= kLikely) {
      winners.add(card);
    }
  }
  return best_by(winners, [&](Card card) {
    return 20.0 * s.chance_side_wins(card, 0, s.group(card)) + 0.3 * points_of(card);
  });
}

/// I-15: whoever counts knows when the enemies have no trump left.
Card cash_when_trumps_are_out(const Situation& s) {
  return s.enemies_may_have_trumps() ? kNoCard : cash_plain_winner(s);
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
      const bool ruffs = is_void(s, seat, card) && s.chance_none(seat, s.trumps) < 0.5;
      if (ruffs && s.side[at(seat)] == Side::kFriend) friend_ruffs = true;
      if (ruffs && s.side[at(seat)] != Side::kFriend) enemy_ruffs = true;
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

/// I-11 holds since the enemies would ruff the called card. Where nobody else has a trump its suit
/// brings it, and the fattest card of it points.
Card lead_the_own_call(const Situation& s) {
  if (!s.is_declarer || !s.called_is_out()) return kNoCard;
  for (int seat = 1; seat < s.seats; ++seat) {
    if (!(s.may_hold[at(seat)] & s.trumps).empty()) return kNoCard;
  }
  return best_by(s.legal & s.call_suit, [](Card card) { return points_of(card); });
}

/// The soloist is in and has half as many trumps as the others, who hold the highest.
bool drives_out(const Situation& s) {
  const int own = legal_trumps(s).count(), out = (s.unseen & s.trumps).count();
  return s.enemies_may_have_trumps() && own >= 2 && own * 2 >= out;
}

/// Of two Ober one drives the higher ones out and the other is then high; an Unter would fall to
/// the lower ones too.
Card drive_out_with_an_ober(const Situation& s) {
  const CardSet trumps = legal_trumps(s), tops = trumps & CardSet(s.order.top);
  const bool has_seconds = !(trumps & CardSet(s.order.second)).empty();
  return drives_out(s) && has_seconds && tops.count() >= 2 ? highest_trump(s, tops) : kNoCard;
}

/// The soloist without the highest trump: a middle trump drives the high ones out; on a Wenz his
/// other Unter is then high.
Card drive_out_trumps(const Situation& s) {
  if (!drives_out(s)) return kNoCard;
  const CardSet trumps = legal_trumps(s);
  const CardSet seconds = trumps & CardSet(s.order.second);
  return seconds.empty() ? lowest_card(s, trumps) : highest_trump(s, seconds);
}

// The defenders.

/// W 10.15: long in the called suit, it will not go round. And a bare ten would be given away to
/// the ace: it rather joins a trick of a friend (W 12.1).
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

/// I-22, W 10.7: an ace belongs on a Wenz.
Card lead_an_ace(const Situation& s) {
  CardSet aces;
  for (const Card card : legal_plain(s)) {
    const bool ruffed = is_void(s, s.declarer, card) && s.enemies_may_have_trumps();
    if (rank_of(card) == Rank::kAss && !ruffed) aces.add(card);
  }
  return best_by(aces, [&](Card card) {
    return (s.group(card) & s.hand).count() - 3.0 * s.times_led[suit_index(card)];
  });
}

// What speaks for a plain lead of a defender.

double no_points_to_the_enemy(const Situation&, Card card) { return -points_of(card); }

/// I-20: a low card from under the own ace deceives the friend.
double not_from_under_the_ace(const Situation& s, Card card) {
  const bool has_ace = !(s.group(card) & s.hand & CardSet::rank(Rank::kAss)).empty();
  return has_ace && rank_of(card) != Rank::kAss ? -6.0 : 0.0;
}

/// W 10.4: a long suit with the declarer next, a short one with the declarer last.
double long_way_short_suit(const Situation& s, Card card) {
  const int length = (s.group(card) & s.hand).count();
  return s.declarer == 1 ? 0.8 * length : -0.8 * length;
}

/// I-23: against few trumps the declarer gets rid of losers on a suit that comes again.
double do_not_repeat_the_suit(const Situation& s, Card card) {
  return !has_long_trumps(s) && s.times_led[suit_index(card)] > 0 ? -3.0 : 0.0;
}

/// I-18, W 10.8: against a Solo the suit that a friend opened comes again.
double return_the_suit(const Situation& s, Card card) {
  const int opener = s.opened_by[suit_index(card)];
  if (!has_long_trumps(s) || opener == kNoSeat || opener == 0) return 0.0;
  return s.side[at(opener)] == Side::kFriend ? 2.5 : 0.0;
}

/// I-21: a suit that the declarer does not have lets him ruff or throw a loser.
double do_not_let_him_discard(const Situation& s, Card card) {
  if (s.declarer == kNoSeat || s.declarer == 0 || !is_void(s, s.declarer, card)) return 0.0;
  return s.declarer == 1 ? -1.0 : -4.0;
}

/// I-19: a friend who threw off from a suit has perhaps freed it and can ruff.
double read_first_discards(const Situation& s, Card card) {
  if (s.is_trump(card)) return 0.0;
  double value = 0.0;
  for (int seat = 1; seat < s.seats; ++seat) {
    const bool threw_off = !(s.discards[at(seat)] & s.group(card)).empty();
    if (!threw_off || s.chance_none(seat, s.trumps) > 0.5) continue;
    value += s.side[at(seat)] == Side::kFriend ? 1.0 : -1.0;
  }
  return value;
}

/// W 12.14: of cards that are worth the same the lowest.
double lowest_of_equals(const Situation& s, Card card) {
  return 0.1 * s.unseen_beaters(card).count();
}

constexpr std::array kPlainLead = {
    Leaning{"no_points_to_the_enemy", "W 10.2", "A lead that costs few points.",
            no_points_to_the_enemy},
    Leaning{"not_from_under_the_ace", "I-20",
            "A low card from under the own ace would deceive the friend.", not_from_under_the_ace},
    Leaning{"long_way_short_suit", "W 10.4",
            "A long suit when the declarer sits next, a short one when he sits farther.",
            long_way_short_suit},
    Leaning{"do_not_repeat_the_suit", "I-23",
            "A suit that comes again lets the declarer get rid of his losers.",
            do_not_repeat_the_suit},
    Leaning{"return_the_suit", "I-18; W 10.8", "The suit that a friend opened comes again.",
            return_the_suit},
    Leaning{"do_not_let_him_discard", "I-21",
            "The declarer can neither ruff this suit nor throw a loser on it.",
            do_not_let_him_discard},
    Leaning{"read_first_discards", "I-19", "A friend has thrown off from this suit and may ruff.",
            read_first_discards},
    Leaning{"lowest_of_equals", "W 12.14", "Of equal cards the lowest.", lowest_of_equals},
};

CardSet plain_leads(const Situation& s) { return without_called_suit(s, legal_plain(s)); }

Card lead_a_plain_suit(const Situation& s) {
  return best_by(plain_leads(s), [&](Card card) { return weigh(kPlainLead, s, card); });
}

// What speaks for a lead when nothing else does.

double spare_what_wins_later(const Situation& s, Card card) { return -keep_value(s, card); }

double defenders_do_not_draw(const Situation& s, Card card) {
  return s.is_trump(card) && !s.on_declarer_side ? -4.0 : 0.0;
}

/// I-11: a fool searches for the card he called himself.
double never_search_himself(const Situation& s, Card card) {
  const bool own_call = s.is_declarer && s.called_is_out() && s.call_suit.contains(card);
  return own_call ? -1000.0 : 0.0;
}

constexpr std::array kAnyLead = {
    Leaning{"win_points", "METHODS 6", "The trick promises more points than it risks.", trick_gain},
    Leaning{"spare_what_wins_later", "W 10.9; W 11.8",
            "The stronger cards are kept for tricks that pay more.", spare_what_wins_later},
    Leaning{"defenders_do_not_draw", "W 10.2", "Defenders do not draw trumps.",
            defenders_do_not_draw},
    Leaning{"never_search_himself", "I-11", "Whoever called a card does not lead its suit.",
            never_search_himself},
};

/// Nothing better: the lead with the best balance.
Card weigh_the_lead(const Situation& s) {
  return best_by(s.legal, [&](Card card) { return weigh(kAnyLead, s, card); });
}

// The lists.

constexpr Maxim kRunAway{"run_away", "I-12; W 10.14",
                         "With four cards of the called suit at first it will not go round, so "
                         "its owner leads it and keeps the ace.",
                         run_away};
constexpr Maxim kDrawTrumps{"draw_with_top_trump", "I-06; W 10.2",
                            "Trump is the soul of the game: the highest one left draws the others.",
                            draw_with_top_trump};
constexpr Maxim kCashWhenOut{"cash_when_trumps_are_out", "I-15",
                             "Counted: the enemies have no trump left, so plain cards win.",
                             cash_when_trumps_are_out};
constexpr Maxim kCash{
    "cash_plain_winner", "W 10.12",
    "Nothing in its suit beats this card, and the suit will most likely go round.",
    cash_plain_winner};
constexpr Maxim kFriendRuffs{"lead_to_friends_void", "I-09; W 10.5",
                             "A friend is void in this suit and can ruff; no enemy behind him can.",
                             lead_to_friends_void};
constexpr Maxim kPlainSuit{"lead_a_plain_suit", "W 10.2",   "Defenders lead plain suits.",
                           lead_a_plain_suit,   kPlainLead, {},
                           plain_leads};
constexpr Maxim kWeighLead{"weigh_the_lead", "METHODS 6", "The best balance of all leads.",
                           weigh_the_lead, kAnyLead};

constexpr Maxim kLastTwo{"count_the_last_two", "W 13.7; I-15",
                         "With two cards left both tricks are counted out.", count_the_last_two};

constexpr std::array kDeclarerSide = {
    kForced,
    kLastTwo,
    kRunAway,
    kDrawTrumps,
    Maxim{"partner_leads_highest_trump", "I-08",
          "A good friend shows himself: the partner leads his highest trump.",
          partner_leads_highest_trump},
    Maxim{"unter_rather_than_too_small", "I-10",
          "In doubt rather an Unter than a trump that is too small.", unter_rather_than_too_small},
    Maxim{"low_trump_after_high", "I-07",
          "Once high and once low: without the highest trump a small one draws on.",
          low_trump_after_high},
    kCashWhenOut,
    Maxim{
        .name = "lead_the_own_call",
        .source = "I-11; I-15",
        .sentence = "Nobody else has a trump that could ruff the called card, so its suit is led.",
        .propose = lead_the_own_call,
        .versions = kSinceSecond},
    kCash,
    kFriendRuffs,
    Maxim{"lead_bare_card", "I-09",
          "A bare plain card goes first, so that the suit can be ruffed later.", lead_bare_card},
    kWeighLead,
};
constexpr std::array kDefenders = {
    kForced,
    Maxim{"search_called_card", "I-13; W 10.3; W 10.15",
          "A defender searches: the called suit forces the ace out and shows who plays with whom.",
          search_called_card},
    kLastTwo,
    kCash,
    kFriendRuffs,
    kPlainSuit,
    kWeighLead,
};
constexpr std::array kSoloist = {
    kForced,
    kLastTwo,
    kDrawTrumps,
    Maxim{.name = "drive_out_with_an_ober",
          .source = "I-10",
          .sentence = "Two Ober are held, so one of them drives the higher trumps out.",
          .propose = drive_out_with_an_ober,
          .versions = kSinceSecond},
    Maxim{"drive_out_trumps", "I-10",
          "While the soloist is long in trumps a middle one drives the higher ones out.",
          drive_out_trumps},
    kCashWhenOut,
    kCash,
    kWeighLead,
};
constexpr std::array kAgainstLongTrumps = {kForced,      kLastTwo,   kCash,
                                           kFriendRuffs, kPlainSuit, kWeighLead};
constexpr std::array kAgainstFewTrumps = {
    kForced,    Maxim{"lead_an_ace", "I-22; W 10.7", "An ace belongs on a Wenz.", lead_an_ace},
    kCash,      kPlainSuit,
    kWeighLead,
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
