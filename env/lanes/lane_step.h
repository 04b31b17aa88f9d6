// The step of a block of games, for the files that compile it for an instruction set
// (kernel_*.cpp). What is not rules of play.h here is moving words.
#pragma once

#include <cstddef>
#include <cstdint>

#include "env/base/random.h"
#include "env/cards/action.h"
#include "env/cards/play.h"
#include "env/lanes/lane_kernels.h"
#include "env/lanes/lane_word.h"

namespace schafkopf {

template <class Isa>
struct LaneStepper {
  using W = LaneWord<Isa>;
  static constexpr std::size_t kLanes = Isa::kLanes;
  static_assert(kLanes <= kMostLanes && sizeof(PlayState<std::uint32_t>) == 32 * 4 &&
                lane_layout::kPlay == 0);

  /// The 32 words of a PlayState in memory order, and back.
  SCHAFKOPF_LANE static PlayState<W> state_of(const W (&a)[16], const W (&b)[16]) {
    return {{a[0], a[1], a[2], a[3]},
            {a[4], a[5], a[6], a[7]},
            {a[8], a[9], a[10], a[11]},
            {a[12], a[13], a[14], a[15]},
            b[0],
            b[1],
            b[2],
            b[3],
            b[4],
            b[5],
            b[6],
            b[7],
            b[8],
            b[9],
            b[10],
            b[11],
            b[12],
            b[13],
            b[14],
            b[15]};
  }

  SCHAFKOPF_LANE static W field(W word, packed::Bits bits) {
    return (word >> static_cast<int>(bits.at)) & W::all((1u << bits.width) - 1u);
  }
  /// A seat as `viewer` counts it; kNoSeat stays.
  SCHAFKOPF_LANE static W relative(W seat, W viewer) {
    const W none = all_equal(seat, W::all(kNoSeat));
    return blend(none, seat, (seat - viewer) & W::all(3));
  }
  SCHAFKOPF_LANE static W bit_if(W mask, ViewFlag flag) { return mask & W::all(flag); }

  /// Words by relative seat.
  SCHAFKOPF_LANE static void rotate(const W (&words)[4], W odd, W upper, W* out) {
    W once[4];
#pragma GCC unroll 4
    for (std::size_t r = 0; r < 4; ++r) once[r] = blend(odd, words[(r + 1) & 3], words[r]);
#pragma GCC unroll 4
    for (std::size_t r = 0; r < 4; ++r) out[r] = blend(upper, once[(r + 2) & 3], once[r]);
  }

  /// Bit k: lane k of a mask is set.
  SCHAFKOPF_LANE static std::uint32_t bits_of(W mask) { return Isa::bits(mask.v); }
  SCHAFKOPF_LANE static W load(const std::uint32_t* lanes) {
    W word;
    __builtin_memcpy(&word.v, lanes, sizeof word.v);
    return word;
  }
  SCHAFKOPF_LANE static void store(std::uint32_t* lanes, W word) {
    __builtin_memcpy(lanes, &word.v, sizeof word.v);
  }

  template <bool kShow>
  static void step(LaneBlock& block) {
    std::uint8_t* tables[kLanes];
    std::uint32_t* state_rows[kLanes];
    const std::uint32_t* state_words[kLanes];
    const std::uint32_t* row_words[kLanes];
#pragma GCC unroll 16
    for (std::size_t k = 0; k < kLanes; ++k) {
      const auto env = static_cast<std::size_t>(block.envs[k]);
      tables[k] = block.tables + env * block.table_stride;
      state_words[k] = state_rows[k] = reinterpret_cast<std::uint32_t*>(tables[k]);
      row_words[k] = reinterpret_cast<const std::uint32_t*>(block.rows + env);
    }
    W first[16], second[16];
    load_words<Isa>(state_words, 0, first);
    load_words<Isa>(state_words, 16, second);
    PlayState<W> play = state_of(first, second);
    const W action = {Isa::widened(block.actions)};
    const W seat = play.turn;
    const W card = W::all(1) << action;

    // the called card, and its owner on lead with another card of its suit, are the caller's
    const W owned = all_if(pick(play.hand, seat) & play.bound);
    const W leaves = owned & ~all_if(play.on_table) & all_if(card & play.call_group);
    const W untouched = leaves | all_if(card & play.bound);
    block.untouched = bits_of(untouched);

    play_card(play, card);
    const W changed[16] = {play.hand[0],   play.hand[1],   play.hand[2],   play.hand[3],
                           play.table[0],  play.table[1],  play.table[2],  play.table[3],
                           play.taken[0],  play.taken[1],  play.taken[2],  play.taken[3],
                           play.played[0], play.played[1], play.played[2], play.played[3]};
    W back[16];
#pragma GCC unroll 16
    for (std::size_t w = 0; w < 16; ++w) back[w] = blend(untouched, first[w], changed[w]);
    store_words<Isa>(state_rows, 0, back);
    W trick[16] = {second[0],      second[1],       second[2],   second[3],
                   second[4],      second[5],       second[6],   second[7],
                   play.led_group, play.beaters,    play.winner, play.turn,
                   play.on_table,  play.num_played, second[14],  second[15]};
#pragma GCC unroll 8
    for (std::size_t w = 8; w < 14; ++w) trick[w] = blend(untouched, second[w], trick[w]);
    store_trick(state_rows, trick);

    store(block.turn, play.turn);
    alignas(64) std::uint32_t plays[kLanes];
    store(plays, action | (seat << static_cast<int>(packed::kPlaySeat.at)) |
                     W::all(packed::kPlayPresent.mask()));
    alignas(64) std::uint32_t numbers[kLanes];
#pragma GCC unroll 16
    for (std::size_t k = 0; k < kLanes; ++k) numbers[k] = tables[k][lane_layout::kNumPlays] + 1u;
    // without a branch: the caller writes the same play where it steps a game itself
    alignas(64) std::uint32_t seats_to_move[kLanes];
    store(seats_to_move, blend(untouched, seat, play.turn));
#pragma GCC unroll 16
    for (std::size_t k = 0; k < kLanes; ++k) {
      static_assert(lane_layout::kNumPlays == lane_layout::kToMove + 1);
      tables[k][lane_layout::kOrder + numbers[k] - 1] = static_cast<std::uint8_t>(plays[k]);
      const std::uint32_t kept = block.untouched >> k & 1u;
      const auto both = static_cast<std::uint16_t>(seats_to_move[k] | (numbers[k] - kept) << 8);
      __builtin_memcpy(tables[k] + lane_layout::kToMove, &both, sizeof both);
    }
    block.stopped = bits_of(all_at_least(play.num_played, play.next_stop)) & ~block.untouched;

    const W legal = legal_cards(play);
    W words[8];  // NOLINT(misc-const-correctness): filled where it is shown
    if constexpr (kShow) {
      load_row_words(row_words, words);
    }
    const W seats = kShow ? words[1] : load_seats(row_words);
    block.lined = bits_of(all_if(field(seats, lane_fields::kLines)));
    // conceding at any own turn, claiming on lead (E.5)
    const W claims = (W::all(0) - field(seats, lane_fields::kClaims)) &
                     (W::all(2) | (~all_if(play.on_table) & W::all(1)));
    Isa::store_masks(legal.v, (claims << (kActionClaimRest - 32)).v, block.legal);
    if constexpr (kShow) show(block, tables, play, words, legal, claims, load(numbers));
  }

  SCHAFKOPF_LANE static W load_seats(const std::uint32_t* const (&rows)[kLanes]) {
    static_assert(offsetof(LaneRow, seats) == sizeof(std::uint32_t));
    alignas(64) std::uint32_t seats[kLanes];
#pragma GCC unroll 16
    for (std::size_t k = 0; k < kLanes; ++k) seats[k] = rows[k][1];
    return load(seats);
  }

  /// The eight words of a LaneRow of every game.
  SCHAFKOPF_LANE static void load_row_words(const std::uint32_t* const (&rows)[kLanes],
                                            W (&words)[8]) {
    if constexpr (kLanes == 8) {
      load_words<Isa>(rows, 0, words);
    } else {
      load_half<Isa>(rows, 0, words);
    }
  }

  /// Of the contract nothing changes: where the lanes allow it, only the words of the trick go back.
  SCHAFKOPF_LANE static void store_trick(std::uint32_t* const (&rows)[kLanes],
                                         const W (&trick)[16]) {
    W half[8];
#pragma GCC unroll 8
    for (std::size_t w = 0; w < 8; ++w) half[w] = trick[8 + w];
    if constexpr (kLanes == 8) {
      store_words<Isa>(rows, 24, half);
    } else {
      store_half<Isa>(rows, 24, half);
    }
  }

  /// The lines of the seat to act (layout: view.h; Game::view writes the same).
  SCHAFKOPF_LANE static void show(LaneBlock& block, const std::uint8_t* const (&tables)[kLanes],
                                  const PlayState<W>& play, const W (&row)[8], W legal, W claims,
                                  W num_plays) {
    namespace f = lane_fields;
    const W viewer = play.turn, seats = row[1];
    const W odd = all_if(viewer & W::all(1)), upper = all_if(viewer & W::all(2));
    const W owner = field(seats, f::kOwner), partner = field(seats, f::kPartner);
    const W owns = all_equal(owner, viewer);
    const W known = owns | all_if(field(seats, f::kPartnerKnown));
    const W seen = blend(known, relative(partner, viewer), W::all(kNoSeat));
    const W shown_partner = blend(all_if(field(seats, f::kPairs)), W::all(2), seen);
    const W leader = (W::all(0) - play.on_table) & W::all(3);
    const W flags =
        field(seats, f::kFlags) | bit_if(owns, kFlagOwnsCalled) | W::all(kFlagToAct) | claims;
    W cards[16];
    cards[0] = pick(play.hand, viewer);
    cards[1] = legal;
    cards[2] = row[0];
    cards[3] = put(relative(field(seats, f::kDeclarer), viewer), packed::kDeclarer, 0) |
               put(leader, packed::kLeader, 0) | put(shown_partner, packed::kPartner, 8) |
               put(field(seats, f::kLevel), packed::kLevel, 8) |
               put(viewer, packed::kViewerSeat, 16) |
               put(play.num_played >> 2, packed::kTrickNumber, 16) |
               put(play.on_table, packed::kOnTable, 16) | (flags << 24);
    rotate(play.played, odd, upper, cards + 4);
    rotate(play.table, odd, upper, cards + 8);
    rotate(play.taken, odd, upper, cards + 12);
    std::uint32_t* lines[kLanes];
#pragma GCC unroll 16
    for (std::size_t k = 0; k < kLanes; ++k)
      lines[k] = reinterpret_cast<std::uint32_t*>(block.cards + block.line_of[k]);
    store_words<Isa>(lines, 0, cards);

    const W map = (row[6] >> (viewer << 3)) & W::all(0xFF);
    const W dealer = relative(field(seats, f::kDealer), viewer);
    alignas(64) std::uint32_t counts[kLanes];
    store(counts, dealer | (num_plays << 8) | (row[7] << 16) | (map << 24));
    // nothing of this loop is read through `block`, which its stores of bytes could change
    alignas(64) std::uint32_t viewers[kLanes];
    store(viewers, viewer);
    OrderLine* order[kLanes];
    EventsLine* events[kLanes];
    const LaneRow* shown[kLanes];
#pragma GCC unroll 16
    for (std::size_t k = 0; k < kLanes; ++k) {
      order[k] = block.order + block.line_of[k];
      events[k] = block.events + block.line_of[k];
      shown[k] = block.rows + block.envs[k];
    }
    for (std::size_t k = 0; k < kLanes; ++k) {
      show_order(tables[k], *shown[k], viewers[k], counts[k], *order[k]);
      show_events(tables[k], viewers[k], *events[k]);
    }
  }
  SCHAFKOPF_LANE static W put(W value, packed::Bits bits, int byte_at) {
    return value << (static_cast<int>(bits.at) + byte_at);
  }

  using Bytes = std::uint8_t __attribute__((vector_size(32)));
  using SignedBytes = std::int8_t __attribute__((vector_size(32)));
  using Pairs = Isa::Pairs;
  using SignedPairs = Isa::SignedPairs;

  /// packed::play_seen_by of 32 plays, and the constant rest of the line.
  SCHAFKOPF_LANE static void show_order(const std::uint8_t* table, const LaneRow& row,
                                        std::uint32_t viewer, std::uint32_t counts,
                                        OrderLine& line) {
    constexpr std::uint8_t kSeat = packed::kPlaySeat.mask();
    Bytes plays;
    __builtin_memcpy(&plays, table + lane_layout::kOrder, sizeof plays);
    const Bytes turn = Bytes{} + static_cast<std::uint8_t>(viewer << packed::kPlaySeat.at);
    const auto present = reinterpret_cast<Bytes>(reinterpret_cast<SignedBytes>(plays) < 0);
    plays = (plays & static_cast<std::uint8_t>(~kSeat)) | (((plays - turn) & kSeat) & present);
    auto* bytes = reinterpret_cast<std::uint8_t*>(&line);
    __builtin_memcpy(bytes, &plays, sizeof plays);
    __builtin_memcpy(bytes + 32, &counts, 4);
    __builtin_memcpy(bytes + 36, row.order, 16);
    __builtin_memset(bytes + 52, 0, 12);
  }

  /// packed::event_seen_by of 32 events, all public.
  SCHAFKOPF_LANE static void show_events(const std::uint8_t* table, std::uint32_t viewer,
                                         EventsLine& line) {
    constexpr std::uint16_t kSeat = packed::kEventSeat.mask();
    const Pairs turn = Pairs{} + static_cast<std::uint16_t>(viewer << packed::kEventSeat.at);
    constexpr std::size_t kMost = sizeof(Pairs) / sizeof(std::uint16_t);
#pragma GCC unroll 2
    for (std::size_t first = 0; first < EventsLine::kMost; first += kMost) {
      Pairs events;
      __builtin_memcpy(&events, table + lane_layout::kEvents + 2 * first, sizeof events);
      const auto present = reinterpret_cast<Pairs>(reinterpret_cast<SignedPairs>(events) < 0);
      events =
          (events & static_cast<std::uint16_t>(~kSeat)) | (((events - turn) & kSeat) & present);
      __builtin_memcpy(line.events + first, &events, sizeof events);
    }
  }
};

/// mask.nth(below(r, mask.count())): which word has the action is as random as the draw.
SCHAFKOPF_LANE Action nth_without_branch(const ActionMask& mask, std::uint64_t r) {
  const std::uint64_t low = mask.words[0], high = mask.words[1];
  const int in_low = count_bits(low);
  const int n = below(r, in_low + count_bits(high));
  const int upper = (in_low - 1 - n) >> 31;  // all ones if it is in the upper word
  const std::uint64_t word = low ^ ((low ^ high) & static_cast<std::uint64_t>(std::int64_t{upper}));
  return static_cast<Action>(nth_bit(word, n - (in_low & upper)) + (64 & upper));
}

/// The draws of rows: hashed side by side, counted and placed with the instructions for bits.
template <class Isa>
SCHAFKOPF_LANE void draw_actions(const LaneDraws& draws) {
  using Draws = Isa::Draws;
  constexpr std::size_t n = sizeof(Draws) / sizeof(std::uint64_t);
  // copies: stores of bytes may alias everything, these pointers too
  const LaneDraws rows = draws;
  alignas(64) std::uint64_t drawn[n];
  std::size_t first = 0;
  for (; first + n <= rows.size; first += n) {
    Draws keys;
    __builtin_memcpy(&keys, rows.keys + first, sizeof keys);
    const Draws r = mix_words(keys + (Isa::widened_seats(rows.seats + first) << 32 |
                                      Isa::widened_decisions(rows.decisions + first)));
    __builtin_memcpy(drawn, &r, sizeof r);
    std::uint8_t actions[n];
#pragma GCC unroll 8
    for (std::size_t k = 0; k < n; ++k) {
      actions[k] = nth_without_branch(rows.masks[first + k], drawn[k]);
    }
    __builtin_memcpy(rows.actions + first, actions, sizeof actions);
  }
  for (; first < rows.size; ++first) {
    const std::uint64_t number = draw_number(rows.seats[first], rows.decisions[first]);
    rows.actions[first] = nth_without_branch(rows.masks[first], draw_of(rows.keys[first], number));
  }
}

}  // namespace schafkopf
