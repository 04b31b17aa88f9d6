// The table of special rounds (RULES C.20): how a deal of a mode opens and what may be announced.
// Code reads columns; no other code names a mode.
#pragma once

#include <cstdint>

#include "env/rules/rules.h"

namespace schafkopf {

/// What stands in the place of the auction.
enum class Opening : std::uint8_t {
  kAuction,
  kEveryone,       // everybody for himself, no auction (C.20.2)
  kOpposite,       // opposite seats without a declarer (C.5)
  kPackets,        // the high packet is taken up or pushed on (C.20.6)
  kFixedCards,     // forehand names a suit and gets fixed cards before the deal (C.20.7)
  kForehandPlays,  // forehand must play, doubled once from the start (C.20.8)
  kThreeTricks,    // the winner of the third trick must play (C.20.10)
};

/// What players may announce in an auction of the mode.
enum class Announce : std::uint8_t { kAll, kSingles, kSoloAndWenz, kOwed };

struct SpecialRoundRow {
  SpecialRound mode;
  Opening opening;
  Announce announce;
  bool all_pass_is_ramsch;
  bool hochzeit;        // may be offered before or after the auction
  bool opposite_seats;  // the called game is played without a call, opposite seats together
  bool draws_a_card;    // a named Solo exchanges a card (C.20.11)
  bool doubled;         // factor 2 on everything (G.8)
  int rounds;           // length of the mode, in rounds
};

// clang-format off
inline constexpr SpecialRoundRow kSpecialRounds[] = {
    // mode                         opening                  announce                 ramsch hochz. oppos. zupf   doubled rounds
    {SpecialRound::kNone,           Opening::kAuction,       Announce::kAll,          false, true,  false, false, false, 1},
    {SpecialRound::kBock,           Opening::kAuction,       Announce::kAll,          false, true,  false, false, true,  1},
    {SpecialRound::kRamsch,         Opening::kEveryone,      Announce::kAll,          true,  false, false, false, false, 1},
    {SpecialRound::kKreuzbock,      Opening::kOpposite,      Announce::kAll,          false, false, true,  false, false, 1},
    {SpecialRound::kKreuzrunde,     Opening::kAuction,       Announce::kAll,          false, true,  true,  false, false, 1},
    {SpecialRound::kSoloWenzRamsch, Opening::kAuction,       Announce::kSoloAndWenz,  true,  false, false, false, false, 1},
    {SpecialRound::kSoliOnly,       Opening::kAuction,       Announce::kSingles,      false, false, false, false, false, 1},
    {SpecialRound::kSchieber,       Opening::kPackets,       Announce::kAll,          false, true,  false, false, false, 1},
    {SpecialRound::kTeufel,         Opening::kFixedCards,    Announce::kAll,          false, false, false, false, false, 1},
    {SpecialRound::kHadsch,         Opening::kForehandPlays, Announce::kAll,          false, false, false, false, false, 1},
    {SpecialRound::kAllgaeuer,      Opening::kAuction,       Announce::kOwed,         false, false, false, false, false, 3},
    {SpecialRound::kStrixner,       Opening::kThreeTricks,   Announce::kAll,          false, false, false, false, false, 1},
    {SpecialRound::kZupfSolo,       Opening::kAuction,       Announce::kAll,          false, true,  false, true,  false, 1},
};
// clang-format on

[[nodiscard]] constexpr const SpecialRoundRow& special_round_row(SpecialRound mode) {
  return kSpecialRounds[static_cast<int>(mode)];
}

constexpr bool special_rounds_are_in_order() {
  for (int i = 0; i < kNumValues<SpecialRound>; ++i) {
    if (static_cast<int>(kSpecialRounds[i].mode) != i) return false;
  }
  return sizeof(kSpecialRounds) / sizeof(kSpecialRounds[0]) ==
         static_cast<std::size_t>(kNumValues<SpecialRound>);
}
static_assert(special_rounds_are_in_order());

}  // namespace schafkopf
