#include "agents/maxims/exchange.h"

#include "agents/maxims/hand_strength.h"
#include "agents/worlds/answers.h"
#include "env/deal/deal.h"

namespace schafkopf {
namespace {

/// What a card is worth to a hand that plays with these trumps: strong trumps most, then aces and
/// tens behind them; a lonely small card only stands in the way of a void.
double worth(const PlayConstants& play, CardSet hand, Card card) {
  const std::uint32_t bit = CardSet::of(card).bits();
  const int index = static_cast<int>(rank_of(card));
  if ((play.top & bit) != 0) return 60.0 - static_cast<int>(suit_of(card));
  if ((play.second & bit) != 0) return 50.0 - static_cast<int>(suit_of(card));
  if ((play.trumps & bit) != 0) return 40.0 + index;
  const CardSet own = (CardSet::suit(suit_of(card)) & hand) - CardSet(play.trumps);
  if (rank_of(card) == Rank::kAss) return 30.0;
  const bool guarded = own.contains(make_card(suit_of(card), Rank::kAss));
  if (guarded) return 10.0 + index;
  return 3.0 * own.count() + 0.1 * points_of(card);
}

Card least_worth(const PlayConstants& play, CardSet hand, CardSet cards) {
  Card least = kNoCard;
  for (const Card card : cards) {
    if (least == kNoCard || worth(play, hand, card) < worth(play, hand, least)) least = card;
  }
  return least;
}

/// The hand that is left when the cards that are missed least have been pushed.
CardSet after_pushing(const PlayConstants& play, CardSet hand, int keep) {
  while (hand.count() > keep) hand.remove(least_worth(play, hand, hand));
  return hand;
}

/// Suit of the Solo that this hand plays: the one that was named, else the best one for what is
/// left after pushing.
struct SoloPlan {
  Suit suit = Suit::kHerz;
  double win_chance = 0.0;
};
SoloPlan plan_solo(const PlayerView& view, const CompiledRules& rules, CardSet hand) {
  const ContractRow& row = row_of(Family::kSolo);
  const std::optional<Suit> before = suit_named_before(view);
  SoloPlan best{Suit::kHerz, -1.0};
  for (const Suit suit : {Suit::kHerz, Suit::kEichel, Suit::kGras, Suit::kSchellen}) {
    if (before && *before != suit) continue;
    if (view.has_contract() && view.cards.trump_suit != static_cast<int>(suit)) continue;
    const PlayConstants& play = rules.play(row.contract, suit);
    const CardSet kept = after_pushing(play, hand, rules.cards_per_hand());
    const double chance = single_win_chance(rules, row, suit, kept, is_forehand(view));
    if (chance > best.win_chance) best = {suit, chance};
  }
  return best;
}

/// The hand with the offered cards: those that were shown, else small trumps as a cautious guess.
CardSet with_offered_cards(const CompiledRules& rules, const PlayerView& view, CardSet hand) {
  const CardSet trumps = rules.partner_trumps() & rules.deck();
  CardSet shown;
  int cards = 1;
  for (int i = 0; i < view.order.num_events; ++i) {
    const SeenEvent event = view.event(i);
    if (event.action == kActionHzOffer1 || event.action == kActionHzOffer2) {
      cards = event.action == kActionHzOffer2 ? 2 : 1;
      shown = {};
    }
    if (event.action < kNumCards) shown.add(event.action);
  }
  hand = hand | shown;
  for (const Card card : trumps - hand) {
    if (shown.count() >= cards) break;
    if (rank_of(card) == Rank::kOber || rank_of(card) == Rank::kUnter) continue;
    hand.add(card);
    shown.add(card);
  }
  return hand;
}

}  // namespace

Action answer_packet(const PlayerView& view, const CompiledRules& rules, const ActionMask& mask) {
  if (!mask.contains(kActionPushOn)) return first_legal(mask, {kActionTakeUp});
  const CardSet hand = CardSet(view.cards.hand) | high_packet(rules.rules().schieber_cards);
  const bool takes = plan_solo(view, rules, hand).win_chance >= 0.5;
  return takes ? kActionTakeUp : kActionPushOn;
}

Card card_to_give(const PlayerView& view, const CompiledRules& rules, CardSet legal) {
  const CardSet hand(view.cards.hand);
  const Suit suit = plan_solo(view, rules, hand).suit;
  return least_worth(rules.play(row_of(Family::kSolo).contract, suit), hand, legal);
}

Action answer_offer(const PlayerView& view, const CompiledRules& rules, const ActionMask& mask) {
  const ContractChoice single =
      best_single(rules, CardSet(view.cards.hand), is_forehand(view), rules.single_classes());
  if (single.possible() && single.win_chance > 0.5) return first_legal(mask, {kActionHzNoOffer});
  return first_legal(mask, {kActionHzOffer1, kActionHzOffer2});
}

Action answer_hochzeit(const PlayerView& view, const CompiledRules& rules, const ActionMask& mask) {
  constexpr double kPartnerWithoutTrumps = 0.25;
  const CardSet hand = with_offered_cards(rules, view, CardSet(view.cards.hand));
  const double chance = call_win_chance(rules, hand, is_forehand(view)) - kPartnerWithoutTrumps;
  return first_legal(mask, {chance >= 0.5 ? kActionHzAccept : kActionHzRefuse});
}

Card card_to_return(const PlayerView& view, const CompiledRules& rules, CardSet legal) {
  const PlayConstants& play =
      rules.play(row_of(Parties::kHochzeit).contract, rules.rules().partner_trump_suit);
  return least_worth(play, CardSet(view.cards.hand), legal);
}

Action choose_target(const PlayerView& view, const ActionMask& mask) {
  for (int seat = 1; seat < view.order.seats; ++seat) {
    const auto action = static_cast<Action>(kActionTarget1 + seat - 1);
    for (int i = 0; i < view.order.num_events; ++i) {
      const SeenEvent event = view.event(i);
      if (event.seat == seat && event.action == kActionPlay && mask.contains(action)) return action;
    }
  }
  return mask.lowest();
}

}  // namespace schafkopf
