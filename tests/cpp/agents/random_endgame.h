// Random moments of card play with few cards left, for tests of the solver: every contract, three
// and four seats, both decks, live duties of a called card, also in the middle of a trick.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agents/solver/solver.h"
#include "env/base/random.h"
#include "env/cards/contract.h"
#include "env/cards/play.h"
#include "env/rules/compiled_rules.h"
#include "env/rules/rules.h"
#include "tests/cpp/support/random_rules.h"

namespace schafkopf::test {

struct Endgame {
  PlayState<std::uint32_t> play{};
  std::string_view contract;
};

/// Cards left per hand at most in random_endgame.
inline constexpr int kMaxEndgameTricks = 4;

namespace detail {

/// Number of cards of the set, at random and without those of `out`.
inline std::uint32_t random_card(Rng& rng, std::uint32_t set) {
  for (int skip = rng.next_below(count_bits(set)); skip > 0; --skip) set &= set - 1;
  return set & (0u - set);
}

/// The called card and its duties; the suit is favoured in `wanted`, so that they matter.
inline void call(Rng& rng, PlayState<std::uint32_t>& play, std::uint32_t deck,
                 std::uint32_t& wanted) {
  const auto suit = static_cast<Suit>(rng.next_below(kNumSuits));
  const std::uint32_t group = CardSet::suit(suit).bits() & ~play.trumps & deck;
  if (group == 0) return;
  play.call_group = CardSet::suit(suit).bits() & ~play.trumps;
  play.run_min = 2 + static_cast<std::uint32_t>(rng.next_below(3));
  const auto window = 1 + static_cast<std::uint32_t>(rng.next_below(3));
  play.switches = (play.switches & ~kDiscardWindow) | window;
  if (rng.next_below(6) == 0) return;  // has been played, or its owner has run away
  // mostly the ace, but others are called in games by duty
  const std::uint32_t ace = CardSet::of(make_card(suit, Rank::kAss)).bits();
  play.bound = rng.next_below(4) != 0 && (ace & group) != 0 ? ace : random_card(rng, group);
  wanted = group;
}

inline void deal_hands(Rng& rng, PlayState<std::uint32_t>& play, std::uint32_t deck,
                       std::uint32_t wanted, int tricks) {
  std::uint32_t rest = deck & ~play.bound;
  const auto owner = static_cast<std::uint32_t>(rng.next_below(static_cast<int>(play.seats)));
  play.hand[owner] = play.bound;
  for (std::uint32_t seat = 0; seat < play.seats; ++seat) {
    while (count_bits(play.hand[seat]) < tricks) {
      const bool favour = (rest & wanted) != 0 && rng.next_below(3) == 0;
      const std::uint32_t card = random_card(rng, favour ? rest & wanted : rest);
      play.hand[seat] |= card;
      rest &= ~card;
    }
  }
  for (; rest != 0; rest &= rest - 1) {
    const int seat = rng.next_below(static_cast<int>(play.seats));
    play.taken[seat] |= rest & (0u - rest);
  }
}

}  // namespace detail

/// A random contract, deck and number of seats.
[[nodiscard]] inline Endgame random_contract(Rng& rng, std::uint32_t& deck) {
  Endgame endgame;
  PlayState<std::uint32_t>& play = endgame.play;
  deck = (rng.next_below(3) == 0 ? kShortDeck : kLongDeck).bits();
  play.seats = rng.next_below(4) == 0 ? 3 : 4;
  const auto rows = contract_table();
  const ContractRow& row =
      rows[static_cast<std::size_t>(rng.next_below(static_cast<int>(rows.size())))];
  endgame.contract = row.name;
  if (row.num_trump_ranks > 0) play.top = CardSet::rank(row.trump_ranks[0]).bits();
  if (row.num_trump_ranks > 1) play.second = CardSet::rank(row.trump_ranks[1]).bits();
  play.trumps = trumps_of(row, static_cast<Suit>(rng.next_below(kNumSuits))).bits() & deck;
  const bool low_ten = row.plain_order == PlainOrder::kLowTen;
  play.low_tens = low_ten ? CardSet::rank(Rank::k10).bits() : 0;
  return endgame;
}

/// With up to `most_tricks` cards per hand, duties in half of the cases whatever the contract, and
/// up to seats - 1 cards of the running trick played at random.
[[nodiscard]] inline Endgame random_endgame(std::uint64_t seed,
                                            int most_tricks = kMaxEndgameTricks) {
  Rng rng(seed);
  std::uint32_t deck = 0, wanted = 0;
  Endgame endgame = random_contract(rng, deck);
  PlayState<std::uint32_t>& play = endgame.play;
  play.switches = play_switches(random_rules(seed)) & ~kDiscardWindow;
  const int seats = static_cast<int>(play.seats);
  if (rng.next_below(2) == 0) {
    detail::call(rng, play, deck, wanted);
  } else if (rng.next_below(2) == 0) {  // few groups, so that hands follow often
    wanted = CardSet::suit(static_cast<Suit>(rng.next_below(kNumSuits))).bits() & deck;
  }
  const int tricks = 1 + rng.next_below(std::min(most_tricks, count_bits(deck) / seats));
  detail::deal_hands(rng, play, deck, wanted, tricks);
  play.turn = static_cast<std::uint32_t>(rng.next_below(seats));
  play.num_played = static_cast<std::uint32_t>(count_bits(deck) - tricks * seats);
  for (int cards = rng.next_below(2 * seats) - seats; cards > 0; --cards) {
    play_card(play, detail::random_card(rng, legal_cards(play)));
  }
  return endgame;
}

[[nodiscard]] inline SolverAim random_aim(Rng& rng, std::uint32_t seats) {
  return {.side = static_cast<std::uint8_t>(rng.next_below(1 << seats)),
          .fewest = rng.next_below(3) == 0,
          .tricks = rng.next_below(3) == 0};
}

}  // namespace schafkopf::test
