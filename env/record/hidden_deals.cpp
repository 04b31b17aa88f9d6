#include "env/record/hidden_deals.h"

#include <algorithm>
#include <string>

#include "env/base/refuse.h"

namespace schafkopf {
namespace {

void add_card(Past& past, const PublicHistory& history, std::size_t i) {
  const PublicAction& step = history.actions[i];
  const auto seat = static_cast<std::size_t>(step.seat);
  if (!step.shown) {
    past.played[seat].add(step.action);
    if (step.flag || step.action == past.called) past.owner = step.seat;
  } else if (shown_with_offer(history, i)) {
    past.shown[seat].add(step.action);
  } else {
    past.called = step.action;
    past.declarer = step.seat;
  }
}

/// The rest was claimed or conceded: all hands are seen (E.5).
void lay_down(Past& past, const PublicHistory& history) {
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    past.played[seat] = past.played[seat] | history.laid_down[seat];
    if (past.called != kNoCard && past.played[seat].contains(past.called)) {
      past.owner = static_cast<int>(seat);
    }
  }
}

/// An offer tells the number of trumps of its seat (C.3).
void add_offer(Past& past, const PublicAction& step) {
  if (!is_offer(step.action)) return;
  past.trumps[static_cast<std::size_t>(step.seat)] = step.action == kActionHzOffer2 ? 2 : 1;
}

/// Deals cards that nobody saw to the other seats: any, but those that a guess and the public facts
/// bind.
class Filler {
 public:
  explicit Filler(const KnownHand& known)
      : history_(known.history),
        past_(known.past),
        seat_(known.seat),
        hands_(known.past.played),
        unseen_(known.history.rules->deck() - known.hand) {
    hands_[static_cast<std::size_t>(seat_)] = known.hand;
    for (int other = 0; other < seats(); ++other) {
      if (other != seat_) unseen_ = unseen_ - past_.played[static_cast<std::size_t>(other)];
    }
  }

  /// Empty if a seat has no room for a card that it must have.
  std::optional<Deal> deal(const Guess& guess) {
    const Card muss = history_.rules->rules().muss_card;
    give_fixed_cards();
    if (!give_open_hand() || !give_card(guess.owner, past_.called) ||
        !give_card(guess.muss, muss)) {
      return std::nullopt;
    }
    if (past_.called != kNoCard) unseen_.remove(past_.called);
    if (guess.returns) give_cards_to_return();
    for (int seat = 0; seat < seats(); ++seat) {
      int trumps = past_.trumps[static_cast<std::size_t>(seat)];
      if (seat == guess.asked) trumps = guess.offered;
      if (trumps >= 0 && seat != seat_ && !fill_with_trumps(seat, trumps)) return std::nullopt;
    }
    if (history_.start || guess.plain_card) give_named_contract();
    if (!guess.plain_card) give_declarer_a_void();
    return rest();
  }

 private:
  [[nodiscard]] int seats() const { return history_.rules->seats(); }
  [[nodiscard]] bool holds(int seat, Card card) const {
    return hands_[static_cast<std::size_t>(seat)].contains(card);
  }
  [[nodiscard]] int room(int seat) const {
    return history_.rules->cards_per_hand() - hands_[static_cast<std::size_t>(seat)].count();
  }
  /// Lowest of some unseen cards; false if there is none or no room.
  bool give(int seat, CardSet cards) {
    cards = cards & unseen_;
    if (cards.empty() || room(seat) == 0) return false;
    hands_[static_cast<std::size_t>(seat)].add(cards.lowest());
    unseen_.remove(cards.lowest());
    return true;
  }
  bool give_card(int seat, Card card) {
    return seat < 0 || holds(seat, card) || give(seat, CardSet::of(card));
  }
  void give_fixed_cards() {  // C.20.7
    const CardSet fixed = undealt_packet(history_.rules->rules(), history_.context);
    while (!history_.start && give((history_.dealer + 1) % seats(), fixed)) {
    }
  }
  /// Cards that lie open, or will: unless they contradict a hand that could be before.
  bool give_open_hand() {
    const CardSet open = history_.open_hand;
    const int declarer = past_.declarer;
    if (!past_.open || open.empty() || declarer == seat_ || declarer != history_.declarer) {
      return true;
    }
    if (!(open & hands_[static_cast<std::size_t>(seat_)]).empty()) return true;
    while (give(declarer, open)) {
    }
    return true;
  }
  /// Where trumps were offered every other seat could have accepted: it has plain cards (OPEN-10).
  void give_cards_to_return() {
    const int offered = std::ranges::max(past_.trumps);
    const CardSet plain = history_.rules->deck() - history_.rules->partner_trumps();
    for (int seat = 0; seat < seats(); ++seat) {
      const auto s = static_cast<std::size_t>(seat);
      if (seat == seat_ || past_.trumps[s] >= 0) continue;
      while ((hands_[s] & plain).count() < offered && give(seat, plain)) {
      }
    }
  }
  /// A seat that offered, or is asked whether it does, has so many trumps (C.3).
  bool fill_with_trumps(int seat, int number) {
    const auto s = static_cast<std::size_t>(seat);
    const CardSet trumps = history_.rules->partner_trumps();
    for (const Card card : past_.shown[s]) {
      if (!give_card(seat, card)) return false;
    }
    while ((hands_[s] & trumps).count() < number && give(seat, trumps)) {
    }
    while (give(seat, history_.rules->deck() - trumps)) {
    }
    return (hands_[s] & trumps).count() == number && room(seat) == 0;
  }
  void give_named_contract() {
    const int declarer = past_.declarer;
    if (declarer < 0) return;
    const ContractRow* row = history_.start ? &contract_row(history_.start->contract) : nullptr;
    if (row != nullptr && row->goal == Goal::kFixedHand) {
      while (give(declarer, history_.rules->fixed_hand())) {
      }
    }
    if (past_.called == kNoCard) return;
    const CardSet plain = CardSet::suit(suit_of(past_.called)) - history_.rules->partner_trumps();
    if ((hands_[static_cast<std::size_t>(declarer)] & plain).empty()) give(declarer, plain);
  }
  /// Of a Renonce: no plain card of the called suit, if the others take them (C.2).
  void give_declarer_a_void() {
    if (past_.declarer < 0 || past_.called == kNoCard) return;
    const CardSet called = CardSet::suit(suit_of(past_.called)) - history_.rules->partner_trumps();
    while (give(past_.declarer, history_.rules->deck() - called)) {
    }
  }
  Deal rest() {
    Deal deal;
    for (int seat = 0; seat < seats(); ++seat) {
      while (room(seat) > 0 && give(seat, unseen_)) {
      }
      const CardSet hand = hands_[static_cast<std::size_t>(seat)];
      for (const Card card : hand) {
        auto& half = 2 * deal.first[static_cast<std::size_t>(seat)].count() < hand.count()
                         ? deal.first
                         : deal.second;
        half[static_cast<std::size_t>(seat)].add(card);
      }
    }
    return deal;
  }

  const PublicHistory& history_;
  const Past& past_;
  int seat_;
  std::array<CardSet, kNumSeats> hands_;
  CardSet unseen_;
};

}  // namespace

bool shown_with_offer(const PublicHistory& history, std::size_t i) {
  if (!history.rules->rules().hochzeit_card_open) return false;
  std::size_t offer = i;
  while (offer > 0 && history.actions[offer].shown) --offer;
  // more cards than it offers: the rest was called, by the Muss-Spiel after a refused offer (C.4)
  const Action action = history.actions[offer].action;
  return is_offer(action) && i - offer <= (action == kActionHzOffer2 ? 2U : 1U);
}

Past past_of(const PublicHistory& history, std::size_t ply) {
  Past past;
  if (history.start) {
    past.called = history.start->called;
    past.declarer = history.start->declarer;
    past.open = contract_row(history.start->contract).open_hand;
  }
  for (std::size_t i = 0; i < ply; ++i) {
    const PublicAction& step = history.actions[i];
    if (is_contract(step.action)) {
      past.declarer = step.seat;
      past.open = contract_of_action(step.action).row->open_hand;
    }
    add_offer(past, step);
    if (claims_rest(step.action)) lay_down(past, history);
    if (is_card(step.action)) add_card(past, history, i);
  }
  // who is asked next, and offers, could be asked
  if (ply < history.actions.size()) add_offer(past, history.actions[ply]);
  return past;
}

void check_hand(const KnownHand& known) {
  const auto& [history, past, seat, hand] = known;
  const CompiledRules& rules = *history.rules;
  if (hand.count() != rules.cards_per_hand() || !(hand - rules.deck()).empty()) {
    refuse("hand of seat " + std::to_string(seat) + " (" + to_string(hand) + ") needs " +
           std::to_string(rules.cards_per_hand()) + " cards of the deck");
  }
  if (seat == past.declarer && past.called != kNoCard && hand.contains(past.called)) {
    refuse("hand of seat " + std::to_string(seat) + ": " + card_name(past.called) +
           " was called by this seat itself");
  }
  if (seat == past.owner && !hand.contains(past.called)) {
    refuse("hand of seat " + std::to_string(seat) + ": it ran away or played " +
           card_name(past.called) + ", but the called card was not in this hand");
  }
  for (int other = 0; other < rules.seats(); ++other) {
    const CardSet played = past.played[static_cast<std::size_t>(other)];
    const CardSet wrong = other == seat ? played - hand : played & hand;
    if (wrong.empty()) continue;
    refuse("hand of seat " + std::to_string(seat) + ": " + card_name(wrong.lowest()) +
           " was played by seat " + std::to_string(other));
  }
}

std::optional<Deal> deal_unseen(const KnownHand& known, const Guess& guess) {
  return Filler(known).deal(guess);
}

}  // namespace schafkopf
