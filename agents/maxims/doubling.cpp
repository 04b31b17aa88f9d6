#include "agents/maxims/doubling.h"

#include <array>

#include "agents/maxims/announcements.h"
#include "agents/maxims/hand_strength.h"
#include "agents/maxims/maxims.h"
#include "agents/worlds/answers.h"

namespace schafkopf {
namespace {

using Answer = std::optional<Action>;

constexpr int kSureTrumpTricks = 3, kAcesAgainstFewTrumps = 2;

int void_suits(const Situation& s) {
  int voids = 0;
  for (int suit = 0; suit < kNumSuits; ++suit) {
    const CardSet cards = CardSet::suit(static_cast<Suit>(suit)) - s.trumps;
    voids += !cards.empty() && (cards & s.hand).empty() ? 1 : 0;
  }
  return voids;
}

/// The first doubling belongs to the side that did not declare (F.3).
bool opens(const Situation& s, const PlayerView& view) {
  return view.doubling_level() == 0 && (s.declarer == kNoSeat || !s.on_declarer_side);
}

Answer when(bool doubles) { return doubles ? Answer(kActionDouble) : std::nullopt; }

Answer nothing_to_double(const Announcement& a) {
  if (a.mask.contains(kActionDouble) && a.view.has_contract()) return std::nullopt;
  return first_legal(a.mask, {kActionNoDouble});
}

Answer double_a_low_hand(const Announcement& a) {
  const Situation s(a.view, a.rules);
  if (s.row->goal != Goal::kFewestPoints || a.view.doubling_level() > 0) return std::nullopt;
  return when(doubles_low_hand(s, a.rules));
}

Answer double_a_solo(const Announcement& a) {
  const Situation s(a.view, a.rules);
  const bool long_trumps = s.row->goal == Goal::kMajority && s.trumps.count() > 4;
  if (!opens(s, a.view) || !long_trumps || s.row->is_partner_game()) return std::nullopt;
  const int more = declarer_is_strong(s, a.view) ? 1 : 0;
  return when(doubles_long_trumps(s, kSureTrumpTricks + more));
}

Answer double_a_wenz(const Announcement& a) {
  const Situation s(a.view, a.rules);
  const bool few_trumps = s.row->goal == Goal::kMajority && s.trumps.count() <= 4;
  if (!opens(s, a.view) || !few_trumps || s.row->is_partner_game()) return std::nullopt;
  const int more = declarer_is_strong(s, a.view) ? 1 : 0;
  return when(doubles_few_trumps(s, kAcesAgainstFewTrumps + more));
}

Answer double_a_partner_game(const Announcement& a) {
  const Situation s(a.view, a.rules);
  const bool fits = s.row->goal == Goal::kMajority && s.row->is_partner_game();
  return when(opens(s, a.view) && fits && doubles_partner_game(s));
}

Answer answer_with_a_doubling(const Announcement& a) {
  const Situation s(a.view, a.rules);
  return when(!opens(s, a.view) && redoubles(s, a.rules, a.leads, a.view.order.bid));
}

Answer do_not_double(const Announcement& a) { return first_legal(a.mask, {kActionNoDouble}); }

constexpr std::array kDoubling = {
    kOnlyAnswer,
    AnnouncementMaxim{"nothing_to_double", "RULES F.2", "There is nothing to double.",
                      nothing_to_double},
    AnnouncementMaxim{"double_a_low_hand", "RULES C.6; F.2",
                      "Where the fewest points win, this hand hardly takes a trick.",
                      double_a_low_hand},
    AnnouncementMaxim{"double_a_solo", "I-25; I-28",
                      "Enough sure trump tricks, next to nothing worth smearing, and a void suit "
                      "or a small trump for the partners' sake; one trick more against a soloist "
                      "who has shown strength.",
                      double_a_solo},
    AnnouncementMaxim{"double_a_wenz", "I-26; I-28",
                      "Two of the four trumps, aces, perhaps a void suit, and the lead is not the "
                      "declarer's.",
                      double_a_wenz},
    AnnouncementMaxim{"double_a_partner_game", "I-27",
                      "Five trumps with one of the highest and no card of the called suit, or six "
                      "trumps, or three of the highest.",
                      double_a_partner_game},
    AnnouncementMaxim{"answer_with_a_doubling", "RULES F.3",
                      "The hand is far stronger than its game needs.", answer_with_a_doubling},
    AnnouncementMaxim{"do_not_double", "I-27", "The game may well be won by its declarer.",
                      do_not_double},
};

}  // namespace

std::span<const AnnouncementMaxim> doubling_maxims() { return kDoubling; }

bool declarer_is_strong(const Situation& s, const PlayerView& view) {
  if (s.declarer == kNoSeat || s.declarer == 0) return false;
  if (view.order.bid > 0) return true;
  bool declarer_plays = false, other_played_before = false;
  for (int i = 0; i < view.order.num_events; ++i) {
    const SeenEvent event = view.event(i);
    if (event.action != kActionPlay) continue;
    if (event.seat != s.declarer && !declarer_plays) other_played_before = true;
    if (event.seat == s.declarer) declarer_plays = true;
  }
  return declarer_plays && other_played_before;
}

int sure_trump_tricks(const Situation& s) {
  const CardSet own = s.hand & s.trumps;
  int sure = 0, given = 0, spare = own.count();
  for (CardSet left = own; !left.empty();) {
    const Card strongest = highest_trump(s, left);
    left.remove(strongest);
    --spare;  // the trump itself; lower ones are spare until they are given under higher ones
    const int higher = (s.beaters(strongest, s.trumps) - own).count();
    if (higher - given > spare) break;
    spare -= higher - given;
    given = higher;
    ++sure;
    if (spare <= 0) break;
  }
  return sure;
}

bool doubles_long_trumps(const Situation& s, int needed) {
  const CardSet worth = CardSet::rank(Rank::kAss) | CardSet::rank(Rank::k10);
  const int smears = (s.dealt & worth).count();
  const bool small_trump = (s.dealt & s.trumps).count() > kSureTrumpTricks;
  return sure_trump_tricks(s) >= needed && smears <= 2 && (void_suits(s) > 0 || small_trump);
}

bool doubles_few_trumps(const Situation& s, int needed) {
  const bool declarer_leads = s.declarer == s.first_to_lead;
  const CardSet aces = (s.dealt & CardSet::rank(Rank::kAss)) - s.trumps;
  const int tricks = aces.count() + (void_suits(s) > 0 ? 1 : 0);
  return (s.dealt & s.trumps).count() >= 2 && !declarer_leads && !aces.empty() && tricks >= needed;
}

bool doubles_partner_game(const Situation& s) {
  const CardSet trumps = s.dealt & s.trumps;
  const int tops = (trumps & CardSet(s.order.top)).count();
  const bool void_in_called = s.called != kNoCard && (s.dealt & s.call_suit).empty();
  return tops >= 1 &&
         (trumps.count() >= 6 || (trumps.count() == 5 && (void_in_called || tops >= 3)));
}

bool doubles_low_hand(const Situation& s, const CompiledRules& rules) {
  constexpr int kLowHand = 4;
  return !s.hands_tricks_on &&
         exposure(rules.play(s.row->contract, s.trump_suit), s.dealt, rules.deck()) <= kLowHand;
}

bool redoubles(const Situation& s, const CompiledRules& rules, bool leads, int bid) {
  // the strong hand of a Hochzeit is that of the partner
  const bool strong_partner = s.row->parties == Parties::kHochzeit && s.on_declarer_side;
  if (!(s.is_declarer || strong_partner) || s.tout || s.row->goal != Goal::kMajority) return false;
  const double chance = s.row->is_single()
                            ? single_win_chance(rules, *s.row, s.trump_suit, s.dealt, leads, bid)
                            : call_win_chance(rules, s.dealt, leads);
  return chance >= 0.9;
}

}  // namespace schafkopf
