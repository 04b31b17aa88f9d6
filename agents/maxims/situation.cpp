#include "agents/maxims/situation.h"

#include <algorithm>

#include "env/base/index.h"

namespace schafkopf {
namespace {

const ContractRow& row_of_view(const PlayerView& view) {
  return view.has_contract() ? contract_row(static_cast<ContractClass>(view.contract_class()))
                             : row_of(Parties::kEveryone);
}

Suit trump_suit_of(const PlayerView& view) {
  return view.cards.trump_suit < kNumSuits ? static_cast<Suit>(view.cards.trump_suit) : Suit::kHerz;
}

PlayState<std::uint32_t> contract_words(const PlayerView& view, const CompiledRules& compiled) {
  const PlayConstants& play =
      view.has_contract()
          ? compiled.play(row_of_view(view).contract, trump_suit_of(view))
          : compiled.play(calling_row().contract, compiled.rules().partner_trump_suit);
  PlayState<std::uint32_t> words{};
  words.trumps = play.trumps;
  words.top = play.top;
  words.second = play.second;
  words.low_tens = play.low_tens;
  return words;
}

}  // namespace

Situation::Situation(const PlayerView& view, const CompiledRules& compiled, RuleVersion seen_by)
    : Deduction(view.cards, view.order, view.events, row_of_view(view),
                contract_words(view, compiled)),
      version(seen_by),
      before_contract(!view.has_contract()),
      tout(view.is_tout()),
      hands_tricks_on(row->goal == Goal::kFewestPoints && compiled.rules().ramsch_shift),
      trump_suit(trump_suit_of(view)),
      trick(view.trick_number()) {
  if (hands_tricks_on) {  // what the right neighbour takes, he hands to this seat
    for (int seat = 1; seat + 1 < seats; ++seat) side[at(seat)] = Side::kUnknown;
  }
  read_hands(view, compiled);
  opened_by.fill(kNoSeat);
  read_tricks(view);
  if (version < RuleVersion::kThird) read_winner(view);
  // C.5: without a declarer whoever is long in trumps plays like one
  if (row->parties == Parties::kOppositeSeats && declarer == kNoSeat) {
    on_declarer_side = 2 * (dealt & trumps).count() > dealt.count();
  }
}

/// Numbers of cards come from the number of tricks: with `history_view = last_trick` most played
/// cards are forgotten.
void Situation::read_hands(const PlayerView& view, const CompiledRules& compiled) {
  dealt = hand | CardSet(view.cards.played[0]);
  cards_left = hand.count();
  num_held.fill(std::max(compiled.cards_per_hand() - trick, 0));
  for (int i = view.order.num_plays - view.cards_on_table(); i < view.order.num_plays; ++i) {
    --num_held[at(view.play(i).seat)];
  }
}

void Situation::read_tricks(const PlayerView& view) {
  CardSet led_group;
  for (int i = 0; i < view.order.num_plays; ++i) {
    const auto [card, seat, known] = view.play(i);
    if (!known) continue;  // forgotten
    if (i % seats == 0) {
      led_group = group(card);
      if (trumps.contains(card)) continue;
      const auto suit = static_cast<std::size_t>(suit_of(card));
      if (times_led[suit]++ == 0) opened_by[suit] = seat;
    } else if (!led_group.contains(card) && !trumps.contains(card)) {
      discards[at(seat)].add(card);
    }
  }
}

/// The best card by the `beaters` of versions 1 and 2; Deduction has found that of the others.
void Situation::read_winner(const PlayerView& view) {
  const int lead = std::max(view.order.num_plays - on_table, 0);
  for (int i = lead; i < view.order.num_plays; ++i) {
    const SeenPlay play = view.play(i);
    if (i != lead && !beaters(best, led).contains(play.card)) continue;
    best = play.card;
    winner = play.seat;
  }
}

CardSet Situation::unseen_beaters(Card card) const { return beaters(card, group(card)) & unseen; }

bool Situation::is_highest_left(Card card) const {
  return (unseen_beaters(card) & group(card)).empty();
}

bool Situation::enemies_may_have_trumps() const {
  for (int seat = 1; seat < seats; ++seat) {
    if (side[at(seat)] != Side::kFriend && !(may_hold[at(seat)] & trumps).empty()) return true;
  }
  return false;
}

double Situation::chance_none(int seat, CardSet set) const {
  const int all = may_hold[at(seat)].count(), hit = (may_hold[at(seat)] & set).count();
  double chance = 1.0;
  for (int i = 0; i < num_held[at(seat)] && chance > 0.0; ++i) {
    chance *= i < all ? std::max(0.0, static_cast<double>(all - hit - i) / (all - i)) : 1.0;
  }
  return chance;
}

double Situation::chance_beats(int seat, Card card, CardSet led_group) const {
  const CardSet higher = beaters(card, led_group);
  const double follows = 1.0 - chance_none(seat, higher & led_group);
  if (led_group == trumps) return follows;
  const double ruffs = chance_none(seat, led_group) * (1.0 - chance_none(seat, higher & trumps));
  return std::min(1.0, follows + ruffs);
}

double Situation::friend_weight(int seat) const {
  switch (side[at(seat)]) {
    case Side::kFriend:
      return 1.0;
    case Side::kEnemy:
      return 0.0;
    case Side::kUnknown:
      return is_declarer ? 0.33 : 0.5;
  }
  return 0.0;
}

double Situation::chance_side_wins(Card card, int holder, CardSet led_group) const {
  double chance = friend_weight(holder);
  for (int seat = 1; seat <= num_after_me(); ++seat) {
    const double beats = chance_beats(seat, card, led_group);
    const double ours = friend_weight(seat);
    // A friend overtakes only what is not ours already; an enemy nearly always does.
    chance = chance * (1.0 - 0.95 * beats * (1.0 - ours)) + (1.0 - chance) * 0.7 * beats * ours;
  }
  return chance;
}

}  // namespace schafkopf
