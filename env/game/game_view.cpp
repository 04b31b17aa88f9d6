// What a seat may know of a game: fills the view lines (layout: view.h). Only public facts, the own
// hand and what follows from both enter here.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <string>

#include "env/base/assert.h"
#include "env/base/refuse.h"
#include "env/game/game.h"
#include "env/game/opening.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace schafkopf {
namespace {

// Seat arithmetic with the number of seats as a constant: four seats need no branch, and a batch of
// games in different states would mispredict it.

/// Relative seat of an absolute one, kNoSeat for -1.
template <int kSeats>
int relative(int seat, int viewer) {
  if constexpr (kSeats == 4) {
    const int none = seat >> 31;  // all ones for -1
    return (((seat - viewer) & 3) & ~none) | (kNoSeat & none);
  } else {
    if (seat < 0) return kNoSeat;
    return seat >= viewer ? seat - viewer : seat - viewer + kSeats;
  }
}

/// Absolute seat of a relative one; seats that are not at the table stay.
template <int kSeats>
std::size_t absolute(int relative_seat, int viewer) {
  if constexpr (kSeats == 4) return static_cast<std::size_t>((relative_seat + viewer) & 3);
  if (relative_seat >= kSeats) return static_cast<std::size_t>(relative_seat);
  return static_cast<std::size_t>((relative_seat + viewer) % kSeats);
}

/// One word per seat, from absolute to relative seats.
template <int kSeats>
void rotate_words(const std::uint32_t (&words)[kNumSeats], int viewer,
                  std::uint32_t (&out)[kNumSeats]) {
#if defined(__AVX__)
  if constexpr (kSeats == 4) {
    const __m128i from = _mm_add_epi32(_mm_set1_epi32(viewer), _mm_setr_epi32(0, 1, 2, 3));
    const __m128 loaded = _mm_loadu_ps(reinterpret_cast<const float*>(words));
    // reads the lower two bits of `from`
    _mm_storeu_ps(reinterpret_cast<float*>(out), _mm_permutevar_ps(loaded, from));
    return;
  }
#endif
  for (int r = 0; r < kNumSeats; ++r) out[r] = words[absolute<kSeats>(r, viewer)];
}

template <class T>
std::uint8_t byte(T value) {
  return static_cast<std::uint8_t>(value);
}

/// Order bytes with seats relative to the viewer; empty bytes stay 0.
template <int kSeats>
void rotate_order(const std::uint8_t (&order)[32], int viewer, std::uint8_t (&out)[32]) {
  for (std::size_t i = 0; i < 32; ++i) {
    const std::uint8_t play = order[i];
    if constexpr (kSeats == 4) {
      out[i] = packed::play_seen_by(play, viewer);
    } else {
      const int seat = relative<kSeats>(packed::seat_of(play), viewer);
      out[i] = play == 0 ? byte(0) : packed::play_with_seat(play, seat);
    }
  }
}

template <int kSeats>
void rotate_some_events(const std::uint16_t* events, int viewer, std::uint16_t* out,
                        std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint16_t event = events[i];
    if constexpr (kSeats == 4) {
      out[i] = packed::event_seen_by(event, viewer);
    } else {
      const int seat = relative<kSeats>(packed::actor_of(event), viewer);
      out[i] = event == 0 ? std::uint16_t{0} : packed::event_with_seat(event, seat);
    }
  }
}

constexpr auto kFewEvents = static_cast<std::size_t>(TableState::kFewEvents);

/// The first `used` events.
template <int kSeats>
void rotate_events(const std::uint16_t* events, int used, int viewer, std::uint16_t (&out)[32]) {
  if (used <= static_cast<int>(kFewEvents)) {
    rotate_some_events<kSeats>(events, viewer, out, kFewEvents);
    std::memset(out + kFewEvents, 0, sizeof out - kFewEvents * sizeof *out);
  } else {
    rotate_some_events<kSeats>(events, viewer, out, std::size(out));
  }
}

constexpr int kEventsShown = EventsLine::kMost;

int num_public(const TableState& table) { return table.num_events - table.num_secret; }

/// The last public events in order; only needed where some are secret or there are too many.
void public_events(const TableState& table, std::uint16_t (&events)[kEventsShown]) {
  int skip = std::max(num_public(table) - kEventsShown, 0), shown = 0;
  for (int i = 0; i < table.num_events; ++i) {
    if (!packed::is_event(table.events[i]) || skip-- > 0) continue;
    events[shown++] = table.events[i];
  }
}

}  // namespace

namespace {

/// A line is written as whole words: what is put together byte by byte takes several times as long.
template <class Line>
void put_word(Line& line, std::size_t byte, std::uint64_t word) {
  std::memcpy(reinterpret_cast<std::uint8_t*>(&line) + byte, &word, sizeof word);
}
/// A number at the place of a byte of a line in its word.
constexpr std::uint64_t at_byte(std::size_t byte, unsigned number) {
  return std::uint64_t{number} << (8 * (byte % 8));
}

/// What a line shows of a contract that nobody has named.
constexpr std::uint64_t kUnnamed = [] {
  constexpr std::size_t kWord = offsetof(CardsLine, phase);
  static_assert(kWord % 8 == 0 && offsetof(CardsLine, flags) == kWord + 7);
  return at_byte(offsetof(CardsLine, called_card), kNoCard) |
         at_byte(offsetof(CardsLine, trump_suit), kNumSuits) |
         at_byte(offsetof(CardsLine, declarer_leader), packed::declarer_leader(kNoSeat, kNoSeat)) |
         at_byte(offsetof(CardsLine, partner_level), packed::partner_level(kNoSeat, 0)) |
         at_byte(offsetof(CardsLine, flags), kFlagToAct);
}();

}  // namespace

/// The view of who is to act, of a game that is_early: nothing of it but hands, bids and the context. With
/// its legal actions, which it would have to call for: so it calls nothing, and keeps nothing across a call.
void Game::fill_early(ActionMask mask, CardsLine& cards, OrderLine& order,
                      EventsLine& events) const {
  const int seat = table_.to_move;
  // all of the hand: laying was asked before the auction
  put_word(cards, 0, table_.play.hand[seat] | (mask.words[0] << 32));
  put_word(cards, 8,
           kUnnamed | at_byte(offsetof(CardsLine, phase), static_cast<unsigned>(table_.phase)) |
               at_byte(offsetof(CardsLine, seat_trick), packed::seat_trick(seat, 0, 0)));
  std::memset(cards.played, 0, sizeof cards.played);
  static_assert(offsetof(CardsLine, table) == 32);
  put_word(cards, 32, mask.words[0]);
  put_word(cards, 40, mask.words[1]);
  std::memset(cards.captured, 0, sizeof cards.captured);

  const DealContext& context = table_.context;
  std::memset(order.plays, 0, sizeof order.plays);
  const auto dealer = static_cast<unsigned>(table_.dealer - seat) & 3u;
  static_assert(offsetof(OrderLine, dealer) == 32 && offsetof(OrderLine, bock) == 39);
  put_word(order, 32,
           dealer | at_byte(offsetof(OrderLine, num_events), table_.num_events) |
               at_byte(offsetof(OrderLine, card_map), table_.card_maps[seat]) |
               at_byte(offsetof(OrderLine, seats), kNumSeats) |
               at_byte(offsetof(OrderLine, legen), opening_.laid) |
               at_byte(offsetof(OrderLine, bock), context.bock));
  // special round, games left, debts of the seats
  static_assert(offsetof(OrderLine, special_round) == 40 && offsetof(OrderLine, games_left) == 41 &&
                offsetof(OrderLine, owed) == 42 && offsetof(OrderLine, deck) == 46);
  std::uint32_t owed = 0;
  std::memcpy(&owed, context.owed, sizeof owed);
  put_word(order, 40,
           context.special_round | at_byte(offsetof(OrderLine, games_left), context.games_left) |
               (std::uint64_t{std::rotr(owed, 8 * seat)} << 16) |
               at_byte(offsetof(OrderLine, deck), static_cast<unsigned>(table_.rule_set().deck)));
  static_assert(offsetof(OrderLine, stock) == 48 && offsetof(OrderLine, given) == 56);
  put_word(order, 48, static_cast<std::uint32_t>(context.stock));
  put_word(order, 56, table_.given[seat] | (std::uint64_t{table_.received[seat]} << 32));

  std::uint16_t few[kFewEvents];  // in no buffer that could overlap with the game
  rotate_some_events<kNumSeats>(table_.events, seat, few, kFewEvents);
  std::memcpy(events.events, few, sizeof few);
  std::memset(events.events + kFewEvents, 0,
              sizeof events.events - kFewEvents * sizeof *events.events);
}

template <int kSeats>
void Game::fill_cards(int seat, CardsLine& line) const {
  SCHAFKOPF_ASSERT(seat >= 0 && seat < kNumSeats);
  const ContractState& contract = table_.contract;
  const PlayState<std::uint32_t>& play = table_.play;
  const bool to_act = seat == current_player();
  // who is asked to double or could offer is nobody's business but the asked seat's (D.1)
  Phase shown = table_.phase == Phase::kDouble && !to_act ? Phase::kPlay : table_.phase;
  if (shown == Phase::kHzOffer && !to_act) [[unlikely]] {
    shown = table_.auction_phase();
  }
  const bool class_public = contract.fixed | contract.class_public;
  const bool owns = contract.owner == seat;
  line.hand =
      table_.phase > Phase::kLegen ? play.hand[seat] : opening::seen_hand(table_, seat).bits();
  line.phase = byte(shown);
  line.contract = class_public ? packed::contract(contract.row, contract.tout) : byte(0);
  line.called_card = contract.details_public ? contract.called : kNoCard;
  const int trump_suit =
      contract.details_public ? rules().trump_suit(contract.row, contract.suit) : -1;
  line.trump_suit = trump_suit < 0 ? byte(kNumSuits) : byte(trump_suit);
  // tricks may come before the contract (C.20.10)
  const bool playing = (contract.fixed | (table_.phase == Phase::kPlay)) & !is_terminal();
  const int turn = static_cast<int>(play.turn), on_table = static_cast<int>(play.on_table);
  const int first = turn - on_table;
  const int leader = playing ? first + (first < 0 ? kSeats : 0) : -1;
  line.declarer_leader =
      packed::declarer_leader(relative<kSeats>(class_public ? contract.declarer : -1, seat),
                              relative<kSeats>(leader, seat));
  // without a declarer every seat's own partner is shown (C.5)
  const int known = contract.partner_known || owns ? contract.partner : -1;
  const int partner = contract.opposite_pairs ? (seat + 2) % kSeats : known;
  line.partner_level = packed::partner_level(relative<kSeats>(partner, seat), doubling_.level);
  line.seat_trick = packed::seat_trick(seat, static_cast<int>(play.num_played / kSeats), on_table);
  line.flags = byte(flag_if(contract.partner_known, kFlagPartnerKnown) |
                    flag_if(contract.ran_away, kFlagRanAway) | flag_if(owns, kFlagOwnsCalled) |
                    flag_if(to_act, kFlagToAct) | flag_if(is_terminal(), kFlagDone) |
                    flag_if(contract.renonce, kFlagRenonce));
  if (play.num_played == 0) {  // most views of scalar code: lanes write those of card play
    std::memset(line.played, 0, sizeof line.played);
    std::memset(line.captured, 0, sizeof line.captured);
    std::memset(line.table, 0, sizeof line.table);
  } else {
    rotate_words<kSeats>(play.played, seat, line.played);
    rotate_words<kSeats>(play.taken, seat, line.captured);
    rotate_words<kSeats>(play.table, seat, line.table);
  }
  if (shown == Phase::kPlay) {
    line.legal = to_act ? legal_cards(play) : 0;
    // bit 0 CLAIM_REST on lead, bit 1 CONCEDE_REST
    const unsigned claims = table_.claims_rest * (2u | static_cast<unsigned>(on_table == 0));
    line.flags = byte(line.flags | (to_act ? claims : 0u));
    return;
  }
  const ActionMask mask = to_act ? legal_actions() : ActionMask{};
  line.legal = static_cast<std::uint32_t>(mask.words[0]);
  std::memcpy(line.table, mask.words, sizeof(line.table));
}

template <int kSeats>
void Game::fill_order(int seat, OrderLine& order) const {
  if (table_.num_plays == 0) {
    std::memset(order.plays, 0, sizeof order.plays);
  } else {
    rotate_order<kSeats>(table_.order, seat, order.plays);
  }
  order.dealer = byte(relative<kSeats>(table_.dealer, seat));
  order.num_plays = table_.num_plays;
  order.num_events = byte(std::min(num_public(table_), kEventsShown));
  order.card_map = table_.card_maps[seat];
  order.seats = kSeats;
  order.legen = opening_.laid;
  order.bid = table_.contract.bid;
  order.bock = table_.context.bock;
  order.special_round = table_.context.special_round;
  order.games_left = table_.context.games_left;
  std::uint32_t owed = 0;
  std::memcpy(&owed, table_.context.owed, sizeof owed);
  if (owed == 0) {
    std::memcpy(order.owed, &owed, sizeof owed);
  } else {
    for (int r = 0; r < kSeats; ++r) order.owed[r] = table_.context.owed[absolute<kSeats>(r, seat)];
  }
  if constexpr (kSeats < kNumSeats) order.owed[kSeats] = 0;
  order.deck = byte(table_.rule_set().deck);
  order.reserved1 = 0;  // every byte: what lay there before is not ours
  order.stock = table_.context.stock;
  order.open = table_.contract.open_hand ? open_cards().bits() : 0;
  order.given = table_.given[seat];
  order.received = table_.received[seat];
}

/// `history_view = last_trick`: only the running and the last trick are seen (E.4, R-123).
void Game::hide_old_tricks(CardsLine& cards, OrderLine& order) const {
  const int tricks = table_.num_plays / seats();
  const int first = std::max(tricks - 1, 0) * seats();
  for (int i = 0; i < first; ++i) order.plays[i] = 0;
  std::uint32_t seen[kNumSeats] = {};
  for (int i = first; i < table_.num_plays; ++i) {
    const SeenPlay play = order.play(i);
    seen[play.seat] |= CardSet::of(play.card).bits();
  }
  std::uint32_t last = 0;  // cards of the last trick: whoever took them may be known
  for (int i = first; i < tricks * seats(); ++i) last |= CardSet::of(order.play(i).card).bits();
  for (int r = 0; r < kNumSeats; ++r) {
    cards.played[r] = seen[r];
    cards.captured[r] &= last;
  }
}

void Game::fill_view(int seat, CardsLine& cards, OrderLine& order, EventsLine& events) const {
  std::uint16_t shown[kEventsShown];
  const std::uint16_t* from = table_.events;
  if (table_.num_secret != 0 || table_.num_events > kEventsShown) [[unlikely]] {
    std::ranges::fill(shown, std::uint16_t{0});
    public_events(table_, shown);
    from = shown;
  }
  if (seats() == 4) {
    fill_cards<4>(seat, cards);
    fill_order<4>(seat, order);
    rotate_events<4>(from, table_.num_events, seat, events.events);
  } else {
    fill_cards<3>(seat, cards);
    fill_order<3>(seat, order);
    rotate_events<3>(from, table_.num_events, seat, events.events);
  }
  if (table_.rule_set().history_view == HistoryView::kLastTrick) [[unlikely]] {
    hide_old_tricks(cards, order);
  }
}

namespace {
void check_seat(const Game& game, int seat) {
  if (seat >= 0 && seat < game.seats()) return;
  refuse("seat = " + std::to_string(seat) + ", allowed: 0.." + std::to_string(game.seats() - 1));
}
}  // namespace

PlayerView Game::view(int seat) const {
  check_seat(*this, seat);
  PlayerView view;
  this->view(seat, view.cards, view.order, view.events);
  return view;
}

FullView Game::full_view(int seat) const {
  check_seat(*this, seat);
  FullView view;
  const int n = seats();
  for (int r = 0; r < n; ++r) {
    const int from = (seat + r) % n;
    view.hands[r] = table_.play.hand[from];
    view.dealt[r] = dealt(from).bits();
    if (table_.contract.in_party(from)) view.declarer_party = byte(view.declarer_party | (1 << r));
  }
  view.owner = byte(n == 4 ? relative<4>(table_.contract.owner, seat)
                           : relative<3>(table_.contract.owner, seat));
  return view;
}

}  // namespace schafkopf
