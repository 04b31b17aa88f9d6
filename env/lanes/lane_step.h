// The step of a block of games, for the files that compile it for an instruction set
// (kernel_*.cpp). What is not rules of play.h here is moving words.
#pragma once

#include <cstddef>
#include <cstdint>

#include "env/base/lane_word.h"
#include "env/base/random.h"
#include "env/cards/action.h"
#include "env/cards/play.h"
#include "env/lanes/lane_kernels.h"

namespace schafkopf {

template <class Isa>
struct LaneStepper {
  using W = LaneWord<Isa>;
  static constexpr std::size_t kLanes = Isa::kLanes;
  static_assert(kLanes <= kMostLanes && sizeof(PlayState<std::uint32_t>) == 32 * 4 &&
                lane_layout::kPlay == 0);

  // words of a LaneRow
  static constexpr std::size_t kEventsWord = offsetof(LaneRow, num_events) / 4;
  static constexpr std::size_t kCardsWord = offsetof(LaneRow, cards_word) / 4;
  static constexpr std::size_t kSeatsWord = offsetof(LaneRow, seats) / 4;
  static constexpr std::size_t kMapsWord = offsetof(LaneRow, card_maps) / 4;

  /// The 32 words of a PlayState in memory order.
  SCHAFKOPF_LANE static PlayState<W> state_of(const W (&a)[32]) {
    return {{a[0], a[1], a[2], a[3]},
            {a[4], a[5], a[6], a[7]},
            {a[8], a[9], a[10], a[11]},
            {a[12], a[13], a[14], a[15]},
            a[16],
            a[17],
            a[18],
            a[19],
            a[20],
            a[21],
            a[22],
            a[23],
            a[24],
            a[25],
            a[26],
            a[27],
            a[28],
            a[29],
            a[30],
            a[31]};
  }
  static constexpr std::size_t kTrickWord = 24;
  // number of plays, above a seat to move and in `counts`
  static constexpr std::uint32_t kOnePlay = 1u << 8;
  static_assert(offsetof(PlayState<std::uint32_t>, led_group) == 4 * kTrickWord &&
                offsetof(PlayState<std::uint32_t>, num_played) == 4 * (kTrickWord + 5));

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

  /// A group of as many games as there are lanes, between the three parts of a step. Each part is done
  /// for all groups of a block before the next one: what waits for its results within a group has the
  /// other groups' work beside it.
  struct Group {
    W play[32];   // a PlayState in memory order: as it was, then as it is
    W row[8];     // a LaneRow
    W cards[16];  // a CardsLine
    std::uint32_t num_plays[kLanes], to_move[kLanes];
    std::uint32_t counts[kLanes];  // word of the OrderLine, without the number of plays
    std::uint32_t play_turns[kLanes], event_turns[kLanes];  // seat to act in each play and event
  };
  static constexpr std::size_t kGroups = static_cast<std::size_t>(kMostLanes) / kLanes;

  template <bool kShow>
  static void step(LaneBlock& block) {
    alignas(64) Group groups[kGroups];
    const std::size_t used = block.count / kLanes;
    block.untouched = block.stopped = block.lined = 0;
    for (std::size_t g = 0; g < used; ++g) gather<kShow>(block, g * kLanes, groups[g]);
    for (std::size_t g = 0; g < used; ++g) play<kShow>(block, g * kLanes, groups[g]);
    for (std::size_t g = 0; g < used; ++g) scatter<kShow>(block, g * kLanes, groups[g]);
  }

  SCHAFKOPF_LANE static std::uint8_t* table_of(const LaneBlock& block, std::size_t lane) {
    return block.tables + static_cast<std::size_t>(block.envs[lane]) * lane_layout::kStride;
  }

  /// From rows of memory to words of lanes. The card goes into the order of play: the caller writes the
  /// same where it steps a game itself.
  template <bool kShow>
  SCHAFKOPF_LANE static void gather(const LaneBlock& block, std::size_t first, Group& group) {
    const std::uint32_t* states[kLanes];
    const std::uint32_t* rows[kLanes];
#pragma GCC unroll 16
    for (std::size_t k = 0; k < kLanes; ++k) {
      const auto env = static_cast<std::size_t>(block.envs[first + k]);
      states[k] = reinterpret_cast<const std::uint32_t*>(block.tables + env * lane_layout::kStride);
      rows[k] = reinterpret_cast<const std::uint32_t*>(block.rows + env);
    }
    load_words<Isa>(states, 0, group.play);
    if constexpr (kShow) {
      load_row_words(rows, group.row);
    } else {
      group.row[kSeatsWord] = load_seats(rows);
    }
    const std::uint8_t* const actions = block.actions + first;
    std::uint8_t* const tables = block.tables;
    const std::int32_t* const envs = block.envs + first;
#pragma GCC unroll 4
    for (std::size_t k = 0; k < kLanes; ++k) {
      std::uint8_t* const table = tables + static_cast<std::size_t>(envs[k]) * lane_layout::kStride;
      const std::uint32_t number = table[lane_layout::kNumPlays];
      group.num_plays[k] = number;
      const std::uint32_t seat = table[lane_layout::kToMove];
      table[lane_layout::kOrder + number] = static_cast<std::uint8_t>(
          actions[k] | seat << packed::kPlaySeat.at | packed::kPlayPresent.mask());
    }
  }

  template <bool kShow>
  SCHAFKOPF_LANE static void play(LaneBlock& block, std::size_t first, Group& group) {
    PlayState<W> play = state_of(group.play);
    const W seat = play.turn;
    const W card = W::all(1) << W{Isa::widened(block.actions + first)};

    // the called card, and its owner on lead with another card of its suit, are the caller's
    const W owned = all_if(pick(play.hand, seat) & play.bound);
    const W leaves = owned & ~all_if(play.on_table) & all_if(card & play.call_group);
    const W untouched = leaves | all_if(card & play.bound);

    play_card(play, card);
    const W changed[16] = {play.hand[0],   play.hand[1],   play.hand[2],   play.hand[3],
                           play.table[0],  play.table[1],  play.table[2],  play.table[3],
                           play.taken[0],  play.taken[1],  play.taken[2],  play.taken[3],
                           play.played[0], play.played[1], play.played[2], play.played[3]};
    const W trick[6] = {play.led_group, play.beaters,  play.winner,
                        play.turn,      play.on_table, play.num_played};
#pragma GCC unroll 16
    for (std::size_t w = 0; w < 16; ++w)
      group.play[w] = blend(untouched, group.play[w], changed[w]);
#pragma GCC unroll 6
    for (std::size_t w = 0; w < 6; ++w) {
      group.play[kTrickWord + w] = blend(untouched, group.play[kTrickWord + w], trick[w]);
    }
    // one play more, unless untouched
    store(group.to_move, blend(untouched, seat, play.turn) | (W::all(kOnePlay) & ~untouched));
    store(block.turn + first, play.turn);

    const W legal = legal_cards(play);
    const W seats = group.row[kSeatsWord];
    // conceding at any own turn, claiming on lead (E.5)
    const W claims = (W::all(0) - field(seats, lane_fields::kClaims)) &
                     (W::all(2) | (~all_if(play.on_table) & W::all(1)));
    Isa::store_masks(legal.v, (claims << (kActionClaimRest - 32)).v, block.legal + first);
    const auto bits = [&](W mask) { return std::uint64_t{bits_of(mask)} << first; };
    block.untouched |= bits(untouched);
    block.stopped |= bits(all_at_least(play.num_played, play.next_stop) & ~untouched);
    block.lined |= bits(all_if(field(seats, lane_fields::kLines)));
    if constexpr (kShow) see(group, play, legal, claims);
  }

  /// The words of the lines of the seat to act (layout: view.h; Game::view writes the same).
  SCHAFKOPF_LANE static void see(Group& group, const PlayState<W>& play, W legal, W claims) {
    namespace f = lane_fields;
    const W viewer = play.turn, seats = group.row[kSeatsWord];
    const W odd = all_if(viewer & W::all(1)), upper = all_if(viewer & W::all(2));
    const W owner = field(seats, f::kOwner), partner = field(seats, f::kPartner);
    const W owns = all_equal(owner, viewer);
    const W known = owns | all_if(field(seats, f::kPartnerKnown));
    const W seen = blend(known, relative(partner, viewer), W::all(kNoSeat));
    const W shown_partner = blend(all_if(field(seats, f::kPairs)), W::all(2), seen);
    const W leader = (W::all(0) - play.on_table) & W::all(3);
    const W flags =
        field(seats, f::kFlags) | bit_if(owns, kFlagOwnsCalled) | W::all(kFlagToAct) | claims;
    W* const cards = group.cards;
    cards[0] = pick(play.hand, viewer);
    cards[1] = legal;
    cards[2] = group.row[kCardsWord];
    cards[3] = put(relative(field(seats, f::kDeclarer), viewer), packed::kDeclarer, 0) |
               put(leader, packed::kLeader, 0) | put(shown_partner, packed::kPartner, 8) |
               put(field(seats, f::kLevel), packed::kLevel, 8) |
               put(viewer, packed::kViewerSeat, 16) |
               put(play.num_played >> 2, packed::kTrickNumber, 16) |
               put(play.on_table, packed::kOnTable, 16) | (flags << 24);
    rotate(play.played, odd, upper, cards + 4);
    rotate(play.table, odd, upper, cards + 8);
    rotate(play.taken, odd, upper, cards + 12);
    const W map = (group.row[kMapsWord] >> (viewer << 3)) & W::all(0xFF);
    const W dealer = relative(field(seats, f::kDealer), viewer);
    store(group.counts, dealer | (group.row[kEventsWord] << 16) | (map << 24));
    store(group.play_turns, viewer * 0x01010101u << packed::kPlaySeat.at);
    store(group.event_turns, viewer * 0x00010001u << packed::kEventSeat.at);
  }

  /// Back into the rows, and the lines. Of the contract nothing changes: where the lanes allow it, only
  /// the words of the trick go back.
  template <bool kShow>
  SCHAFKOPF_LANE static void scatter(const LaneBlock& block, std::size_t first,
                                     const Group& group) {
    std::uint32_t* states[kLanes];
#pragma GCC unroll 16
    for (std::size_t k = 0; k < kLanes; ++k) {
      states[k] = reinterpret_cast<std::uint32_t*>(table_of(block, first + k));
    }
    store_words<Isa, 16>(states, 0, group.play);
    if constexpr (kLanes == 8) {
      store_words<Isa, 8>(states, kTrickWord, group.play + kTrickWord);
    } else {
      store_half<Isa>(states, kTrickWord, group.play + kTrickWord);
    }
    if constexpr (kShow) {
      std::uint32_t* lines[kLanes];
#pragma GCC unroll 16
      for (std::size_t k = 0; k < kLanes; ++k) {
        lines[k] = reinterpret_cast<std::uint32_t*>(block.cards + block.line_of[first + k]);
      }
      store_words<Isa, 16>(lines, 0, group.cards);
    }
    // copies: stores of bytes may alias everything, what is read through `block` too
    const std::int32_t* const envs = block.envs + first;
    const std::int32_t* const line_of = kShow ? block.line_of + first : nullptr;
    std::uint8_t* const tables = block.tables;
    const LaneRow* const rows = block.rows;
    OrderLine* const order = block.order;  // NOLINT(misc-const-correctness): written in show_order
    EventsLine* const events = block.events;  // NOLINT(misc-const-correctness): in show_events
#pragma GCC unroll 2
    for (std::size_t k = 0; k < kLanes; ++k) {
      const auto env = static_cast<std::size_t>(envs[k]);
      std::uint8_t* const table = tables + env * lane_layout::kStride;
      static_assert(lane_layout::kNumPlays == lane_layout::kToMove + 1);
      const std::uint32_t number = group.num_plays[k] << 8;
      const auto both = static_cast<std::uint16_t>(group.to_move[k] + number);
      if constexpr (kShow) {
        show_order(table, rows[env], group.play_turns[k], group.counts[k] | (number + kOnePlay),
                   order[line_of[k]]);
        show_events(table, group.event_turns[k], events[line_of[k]]);
      }
      __builtin_memcpy(table + lane_layout::kToMove, &both, sizeof both);
    }
  }

  SCHAFKOPF_LANE static W load_seats(const std::uint32_t* const (&rows)[kLanes]) {
    alignas(64) std::uint32_t seats[kLanes];
#pragma GCC unroll 16
    for (std::size_t k = 0; k < kLanes; ++k) seats[k] = rows[k][kSeatsWord];
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

  SCHAFKOPF_LANE static W put(W value, packed::Bits bits, int byte_at) {
    return value << (static_cast<int>(bits.at) + byte_at);
  }

  using Half = std::uint32_t __attribute__((vector_size(32)));
  using Bytes = std::uint8_t __attribute__((vector_size(32)));
  using Pairs = Isa::Pairs;

  /// `plays` or events with their seats turned: an absent one is 0, and takes no turn from it.
  template <class Vector>
  SCHAFKOPF_LANE static Vector turned(Vector said, Vector turns, Vector seat) {
    const Vector from = said - Isa::least(said, turns);
    return (said & ~seat) | (from & seat);
  }

  /// packed::play_seen_by of 32 plays, and the constant rest of the line.
  SCHAFKOPF_LANE static void show_order(const std::uint8_t* table, const LaneRow& row,
                                        std::uint32_t turn, std::uint32_t counts, OrderLine& line) {
    static_assert(packed::kPlayPresent.at > packed::kPlaySeat.at);
    Bytes plays;
    __builtin_memcpy(&plays, table + lane_layout::kOrder, sizeof plays);
    plays = turned(plays, reinterpret_cast<Bytes>(Half{} + turn),
                   Bytes{} + static_cast<std::uint8_t>(packed::kPlaySeat.mask()));
    static_assert(offsetof(LaneRow, order) == 4 && offsetof(OrderLine, dealer) == 32);
    Half rest;
    __builtin_memcpy(&rest, &row, sizeof rest);
    rest = (rest & Half{0, ~0u, ~0u, ~0u, ~0u, 0, 0, 0}) | Half{counts, 0, 0, 0, 0, 0, 0, 0};
    auto* bytes = reinterpret_cast<std::uint8_t*>(&line);
    __builtin_memcpy(bytes, &plays, sizeof plays);
    __builtin_memcpy(bytes + sizeof plays, &rest, sizeof rest);
  }

  /// packed::event_seen_by of 32 events, all public.
  SCHAFKOPF_LANE static void show_events(const std::uint8_t* table, std::uint32_t turn,
                                         EventsLine& line) {
    constexpr std::size_t kMost = sizeof(Pairs) / sizeof(std::uint16_t);
#pragma GCC unroll 2
    for (std::size_t first = 0; first < EventsLine::kMost; first += kMost) {
      Pairs events;
      __builtin_memcpy(&events, table + lane_layout::kEvents + 2 * first, sizeof events);
      events = turned(events, reinterpret_cast<Pairs>(typename Isa::Vector{} + turn),
                      Pairs{} + static_cast<std::uint16_t>(packed::kEventSeat.mask()));
      __builtin_memcpy(line.events + first, &events, sizeof events);
    }
  }
};

/// mask.nth(below(r, mask.count())) of rows side by side; what no vector can, the n-th bit of a word,
/// row by row. Without branches: which word of a mask has the action is as random as the draw.
template <class Isa>
SCHAFKOPF_LANE void draw_actions(const LaneDraws& draws) {
  using Draws = Isa::Draws;
  constexpr std::size_t n = sizeof(Draws) / sizeof(std::uint64_t);
  // copies: stores of bytes may alias everything, these pointers too
  const LaneDraws rows = draws;
  alignas(64) std::uint64_t words[n], bits[n], bases[n];
  std::size_t first = 0;
  for (; first + n <= rows.size; first += n) {
    Draws keys, low, high;
    __builtin_memcpy(&keys, rows.keys + first, sizeof keys);
    Isa::load_masks(&rows.masks[first].words[0], low, high);
    const Draws r = mix_words(keys + (Isa::widened_seats(rows.seats + first) << 32 |
                                      Isa::widened_decisions(rows.decisions + first)));
    const Draws in_low = Isa::counts(low), count = in_low + Isa::counts(high);
    const Draws nth = (Isa::products(r >> 32, count) + (Isa::products(r, count) >> 32)) >> 32;
    const Draws upper = -((in_low - 1 - nth) >> 63);  // all ones if it is in the upper word
    const Draws word = low ^ ((low ^ high) & upper);
    const Draws bit = (Draws{} + 1) << (nth - (in_low & upper)), base = upper & 64;
    __builtin_memcpy(words, &word, sizeof word);
    __builtin_memcpy(bits, &bit, sizeof bit);
    __builtin_memcpy(bases, &base, sizeof base);
#pragma GCC unroll 8
    for (std::size_t k = 0; k < n; ++k) {
      rows.actions[first + k] =
          static_cast<Action>(static_cast<std::uint64_t>(Isa::place(bits[k], words[k])) + bases[k]);
    }
  }
  for (; first < rows.size; ++first) {
    const std::uint64_t number = draw_number(rows.seats[first], rows.decisions[first]);
    const ActionMask& mask = rows.masks[first];
    rows.actions[first] = mask.nth(below(draw_of(rows.keys[first], number), mask.count()));
  }
}

}  // namespace schafkopf
