// What a seat may know of a game: fills the view lines (layout: view.h). Only public facts, the own
// hand and what follows from both enter here.
#include <cstring>

#include "env/game.h"

namespace schafkopf {
namespace {

/// Relative seat of an absolute one, kNoSeat for -1.
int relative(int seat, int viewer, int seats) {
  if (seat < 0) return kNoSeat;
  return seat >= viewer ? seat - viewer : seat - viewer + seats;
}

std::uint8_t byte(int value) { return static_cast<std::uint8_t>(value); }

/// Order bytes with seats relative to the viewer; empty bytes stay 0.
void rotate_order(const std::uint8_t (&order)[32], int viewer, int seats, std::uint8_t (&out)[32]) {
  if (seats == 4) {
    const auto turn = byte(viewer << 5);
    for (std::size_t i = 0; i < 32; ++i) {
      const auto present = byte(0 - (order[i] >> 7));
      out[i] = byte(((order[i] & 0x9F) | ((order[i] - turn) & 0x60)) & present);
    }
    return;
  }
  for (std::size_t i = 0; i < 32; ++i) {
    const int seat = relative((order[i] >> 5) & 3, viewer, seats);
    out[i] = order[i] == 0 ? byte(0) : byte((order[i] & 0x9F) | (seat << 5));
  }
}

void rotate_events(const std::uint16_t (&events)[32], int viewer, int seats,
                   std::uint16_t (&out)[32]) {
  if (seats == 4) {
    const auto turn = static_cast<std::uint16_t>(viewer << 8);
    for (std::size_t i = 0; i < 32; ++i) {
      const auto present = static_cast<std::uint16_t>(0 - (events[i] >> 15));
      out[i] = static_cast<std::uint16_t>(((events[i] & 0xFCFF) | ((events[i] - turn) & 0x0300)) &
                                          present);
    }
    return;
  }
  for (std::size_t i = 0; i < 32; ++i) {
    const int seat = relative((events[i] >> 8) & 3, viewer, seats);
    out[i] = events[i] == 0 ? std::uint16_t{0}
                            : static_cast<std::uint16_t>((events[i] & 0xFCFF) | (seat << 8));
  }
}

}  // namespace

void Game::view_cards(int seat, CardsLine& line) const {
  const int n = seats();
  const bool to_act = seat == current_player();
  // who is asked to double is nobody's business but the asked seat's (D.1)
  const Phase shown = phase_ == Phase::kDouble && !to_act ? Phase::kPlay : phase_;
  const bool class_public = has_contract_ || class_named_;
  const bool owns = owner_ == seat;
  line.hand = play_.hand[seat];
  line.legal = 0;
  line.phase = byte(static_cast<int>(shown));
  line.contract = class_public ? byte((static_cast<int>(class_) + 1) | (tout_ ? 32 : 0)) : byte(0);
  line.called_card = has_contract_ ? called_ : kNoCard;
  const int trump_suit = has_contract_ ? rules_->trump_suit(class_, suit_) : -1;
  line.trump_suit = byte(trump_suit < 0 ? kNumSuits : trump_suit);
  const bool playing = has_contract_ && !is_terminal();
  const int turn = static_cast<int>(play_.turn), on_table = static_cast<int>(play_.on_table);
  const int first = turn - on_table;
  const int leader = playing ? (first < 0 ? first + n : first) : -1;
  line.declarer_leader =
      byte(relative(class_public ? declarer_ : -1, seat, n) | (relative(leader, seat, n) << 3));
  const int partner = partner_known_ || owns ? owner_ : -1;
  line.partner_level = byte(relative(partner, seat, n) | (level_ << 3));
  line.seat_trick =
      byte(seat | (static_cast<int>(n == 4 ? play_.num_played / 4 : play_.num_played / 3) << 2) |
           (on_table << 6));
  line.flags = byte((partner_known_ ? kFlagPartnerKnown : 0) | (ran_away_ ? kFlagRanAway : 0) |
                    (owns ? kFlagOwnsCalled : 0) | (to_act ? kFlagToAct : 0) |
                    (is_terminal() ? kFlagDone : 0));
  for (int r = 0; r < kNumSeats; ++r) {
    const int from = r < n ? (seat + r < n ? seat + r : seat + r - n) : r;
    line.played[r] = play_.played[from];
    line.captured[r] = play_.taken[from];
    line.table[r] = play_.table[from];
  }
  if (shown == Phase::kPlay) {
    if (to_act) line.legal = legal_cards(play_);
    return;
  }
  const ActionMask mask = to_act ? legal_actions() : ActionMask{};
  line.legal = static_cast<std::uint32_t>(mask.words[0]);
  std::memcpy(line.table, mask.words, sizeof(line.table));
}

void Game::view(int seat, CardsLine& cards, OrderLine& order, EventsLine& events) const {
  const int n = seats();
  view_cards(seat, cards);
  rotate_order(order_, seat, n, order.plays);
  order.dealer = byte(relative(dealer_, seat, n));
  order.num_plays = num_plays_;
  order.num_events = num_events_;
  order.card_map = card_maps_[seat];
  order.seats = byte(n);
  order.legen = 0;
  order.bid = 0;
  order.bock = context_.bock;
  order.special_round = context_.special_round;
  order.games_left = context_.games_left;
  for (int s = 0; s < n; ++s) order.owed[relative(s, seat, n)] = context_.owed[s];
  order.deck = byte(static_cast<int>(rules_->rules().deck));
  order.stock = context_.stock;
  rotate_events(events_, seat, n, events.events);
}

PlayerView Game::view(int seat) const {
  PlayerView view;
  this->view(seat, view.cards, view.order, view.events);
  return view;
}

FullView Game::full_view(int seat) const {
  FullView view;
  const int n = seats();
  for (int r = 0; r < n; ++r) {
    const int from = (seat + r) % n;
    view.hands[r] = play_.hand[from];
    view.dealt[r] = dealt(from).bits();
    if (in_declarer_party(from)) view.declarer_party = byte(view.declarer_party | (1 << r));
  }
  view.owner = byte(relative(owner_, seat, n));
  return view;
}

}  // namespace schafkopf
