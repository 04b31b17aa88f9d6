#include "agents/maxims/maxims.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace schafkopf {
namespace {

/// Before the contract (C.20.10): worth winning the third trick, and with it a Solo.
bool wants_to_play(const Situation& s) {
  const CardSet pictures(s.order.top | s.order.second);
  int longest = 0;
  for (int suit = 0; suit < kNumSuits; ++suit) {
    const CardSet cards = (CardSet::suit(static_cast<Suit>(suit)) & s.hand) - pictures;
    longest = std::max(longest, cards.count());
  }
  return (s.hand & pictures).count() >= 2 &&
         (s.hand & pictures).count() + longest >= s.cards_left - 1;
}

/// Seats that want no points: everyone where the fewest points win and own tricks are kept, the
/// declarer where he must not take a trick. Points of the first three tricks count for the later
/// party, but the third one costs a Solo.
bool must_duck(const Situation& s) {
  if (s.before_contract) return s.trick == 2 && !wants_to_play(s);
  return (s.row->goal == Goal::kFewestPoints && !s.hands_tricks_on) ||
         (s.row->goal == Goal::kNoTrick && s.is_declarer);
}

double trump_keep_value(const Situation& s, Card card) {
  const int higher = s.unseen_beaters(card).count();
  const bool many = s.trumps.count() > 4;
  const bool picture = ((s.order.top | s.order.second) & CardSet::of(card).bits()) != 0;
  if (!picture) return points_of(card) >= 10 ? 2.0 : 2.5;
  // Alone nobody else's trump holds a trick: the highest ones draw and bring the lead back.
  if (many && s.is_declarer && s.row->is_single()) return std::max(16.0 - 2.0 * higher, 4.0);
  const double rank = many ? 12.0 - 1.1 * higher : 22.0 - 4.0 * higher;
  return std::max(rank, 4.0);
}

double plain_keep_value(const Situation& s, Card card) {
  const CardSet own = s.group(card) & s.hand;
  const int suit = static_cast<int>(suit_of(card));
  const bool void_pays = own.count() == 1 && !(s.hand & s.trumps).empty();
  double value = void_pays ? -2.0 : 0.0;
  if (s.is_highest_left(card) && points_of(card) > 0) {
    // The top card wins if its suit still goes round; later rounds are ruffed.
    const bool goes_round =
        s.times_led[static_cast<std::size_t>(suit)] == 0 || !s.enemies_may_have_trumps();
    value += goes_round ? 0.55 * points_of(card) + 2.0 : -2.0;
  } else if (points_of(card) >= 10) {
    const bool guarded = (own & s.beaters(card, s.group(card))).count() > 0;
    value += guarded ? 1.0 : -3.5;
  }
  return value;
}

}  // namespace

double keep_value(const Situation& s, Card card) {
  const double value = s.is_trump(card) ? trump_keep_value(s, card) : plain_keep_value(s, card);
  return value * std::min(1.0, (s.cards_left - 1) / 3.0);
}

double trick_gain(const Situation& s, Card card) {
  const bool wins = s.leading() || s.beaters(s.best, s.led).contains(card);
  const CardSet led = s.leading() ? s.group(card) : s.led;
  const double ours =
      wins ? s.chance_side_wins(card, 0, led) : s.chance_side_wins(s.best, s.winner, led);
  const double points = s.points + points_of(card) + s.num_after_me();
  return (2.0 * ours - 1.0) * points;
}

Card lowest_card(const Situation& s, CardSet cards) {
  Card best = kNoCard;
  int best_rank = 0;
  for (const Card card : cards) {
    const bool trump = s.is_trump(card);
    const int higher = s.beaters(card, s.group(card)).count();
    const int rank = 64 * (points_of(card) + (trump ? 3 : 0)) - higher;
    if (best == kNoCard || rank < best_rank) {
      best = card;
      best_rank = rank;
    }
  }
  return best;
}

Card highest_trump(const Situation& s, CardSet cards) {
  for (const Card card : cards) {
    if ((s.beaters(card, s.trumps) & cards).empty()) return card;
  }
  return kNoCard;
}

std::span<const Maxim> maxims_for(const Situation& s) {
  if (must_duck(s)) return s.leading() ? ducking_leads() : ducking_follows();
  if (s.row->goal == Goal::kNoTrick) return s.leading() ? catching_leads() : catching_follows();
  if (!s.leading()) return trick_follows();
  if (s.before_contract) return single_game_leads(wants_to_play(s), true);
  if (s.row->is_partner_game()) return partner_game_leads(s.on_declarer_side);
  return single_game_leads(s.is_declarer || s.hands_tricks_on, s.trumps.count() > 4);
}

Card choose_card(const Situation& s, const Maxim** reason) {
  for (const Maxim& maxim : maxims_for(s)) {
    if (!maxim.versions.contain(s.version)) continue;
    const Card card = maxim.propose(s);
    if (card == kNoCard) continue;
    if (!s.legal.contains(card)) break;
    if (reason != nullptr) *reason = &maxim;
    return card;
  }
  refuse_view(Phase::kPlay);
}

void refuse_view(Phase phase) {
  throw std::invalid_argument(
      fmt::format("a view in phase {} whose legal actions do not fit it: allowed: views as a game "
                  "gives them, with its rules",
                  phase_name(phase)));
}

double weigh(std::span<const Leaning> leanings, const Situation& s, Card card) {
  double sum = 0.0;
  for (const Leaning& leaning : leanings) sum += leaning.value(s, card);
  return sum;
}

MaximText reason_of(const Situation& s, const Maxim& maxim, Card card) {
  const MaximText own{maxim.name, maxim.source, maxim.sentence};
  const CardSet stood = maxim.stood == nullptr ? s.legal : maxim.stood(s);
  const Card next = best_by(stood - CardSet::of(card),
                            [&](Card other) { return weigh(maxim.leanings, s, other); });
  if (maxim.leanings.empty() || next == kNoCard) return own;
  const Leaning* deciding = nullptr;
  double most = 0.0;
  for (const Leaning& leaning : maxim.leanings) {
    const double difference = leaning.value(s, card) - leaning.value(s, next);
    if (difference <= most) continue;
    most = difference;
    deciding = &leaning;
  }
  return deciding == nullptr ? own
                             : MaximText{deciding->name, deciding->source, deciding->sentence};
}

std::vector<std::span<const Maxim>> card_maxim_lists() {
  return {partner_game_leads(true),
          partner_game_leads(false),
          single_game_leads(true, true),
          single_game_leads(false, true),
          single_game_leads(false, false),
          trick_follows(),
          ducking_leads(),
          ducking_follows(),
          catching_leads(),
          catching_follows()};
}

}  // namespace schafkopf
