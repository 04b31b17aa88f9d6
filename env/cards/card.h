// Cards, suits, ranks and card sets: the vocabulary of every other file (RULES A.3, A.4).
// Nothing about contracts, trumps or games stands here.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "env/base/bits.h"

namespace schafkopf {

/// Suits in order of strength among equal Ober and Unter: Eichel > Gras > Herz > Schellen
/// (000 1.4.1; R-003).
enum class Suit : std::uint8_t { kEichel = 0, kGras = 1, kHerz = 2, kSchellen = 3 };

/// Ranks in index order (RULES A.4); inside a plain suit a higher index wins in every game but
/// Bettel.
enum class Rank : std::uint8_t {
  k7 = 0,
  k8 = 1,
  k9 = 2,
  kUnter = 3,
  kOber = 4,
  kKoenig = 5,
  k10 = 6,
  kAss = 7
};

inline constexpr int kNumSuits = 4;
inline constexpr int kNumRanks = 8;
inline constexpr int kNumCards = 32;
inline constexpr int kNumSeats = 4;  // slots of a game; three-player games leave the last one empty
inline constexpr int kTotalPoints = 120;

/// Card = 8 * suit + rank, 0..31 (RULES A.4; R-001).
using Card = std::uint8_t;
inline constexpr Card kNoCard = 0xFF;

[[nodiscard]] constexpr Card make_card(Suit suit, Rank rank) {
  return static_cast<Card>(8 * static_cast<int>(suit) + static_cast<int>(rank));
}
[[nodiscard]] constexpr Suit suit_of(Card card) { return static_cast<Suit>(card >> 3); }
[[nodiscard]] constexpr Rank rank_of(Card card) { return static_cast<Rank>(card & 7); }

/// Card points by rank (000 1.2.1; R-002).
inline constexpr int kRankPoints[kNumRanks] = {0, 0, 0, 2, 3, 4, 10, 11};
[[nodiscard]] constexpr int points_of(Card card) { return kRankPoints[card & 7]; }

/// A set of cards as a 32-bit mask over the card index; a value type.
class CardSet {
 public:
  constexpr CardSet() = default;
  constexpr explicit CardSet(std::uint32_t bits) : bits_(bits) {}
  [[nodiscard]] static constexpr CardSet of(Card card) { return CardSet(std::uint32_t{1} << card); }
  [[nodiscard]] static constexpr CardSet suit(Suit suit) {
    return CardSet(std::uint32_t{0xFF} << (8 * static_cast<int>(suit)));
  }
  [[nodiscard]] static constexpr CardSet rank(Rank rank) {
    return CardSet(std::uint32_t{0x01010101} << static_cast<int>(rank));
  }
  [[nodiscard]] static constexpr CardSet all() { return CardSet(0xFFFFFFFFu); }

  [[nodiscard]] constexpr std::uint32_t bits() const { return bits_; }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  [[nodiscard]] constexpr bool contains(Card card) const { return ((bits_ >> card) & 1u) != 0; }
  [[nodiscard]] constexpr int count() const { return count_bits(bits_); }
  [[nodiscard]] constexpr Card lowest() const { return static_cast<Card>(std::countr_zero(bits_)); }
  /// Removes and returns the card with the lowest index; the set must not be empty.
  constexpr Card pop_lowest() {
    const Card card = lowest();
    bits_ &= bits_ - 1;
    return card;
  }
  constexpr void add(Card card) { bits_ |= std::uint32_t{1} << card; }
  constexpr void remove(Card card) { bits_ &= ~(std::uint32_t{1} << card); }

  friend constexpr CardSet operator&(CardSet a, CardSet b) { return CardSet(a.bits_ & b.bits_); }
  friend constexpr CardSet operator|(CardSet a, CardSet b) { return CardSet(a.bits_ | b.bits_); }
  friend constexpr CardSet operator-(CardSet a, CardSet b) { return CardSet(a.bits_ & ~b.bits_); }
  friend constexpr bool operator==(CardSet, CardSet) = default;

  /// Iterates cards in index order: `for (Card card : set)`.
  class Iterator {
   public:
    constexpr explicit Iterator(std::uint32_t bits) : bits_(bits) {}
    constexpr Card operator*() const { return static_cast<Card>(std::countr_zero(bits_)); }
    constexpr Iterator& operator++() {
      bits_ &= bits_ - 1;
      return *this;
    }
    friend constexpr bool operator==(Iterator, Iterator) = default;

   private:
    std::uint32_t bits_;
  };
  [[nodiscard]] constexpr Iterator begin() const { return Iterator(bits_); }
  [[nodiscard]] constexpr Iterator end() const { return Iterator(0); }

 private:
  std::uint32_t bits_ = 0;
};

inline constexpr CardSet kLongDeck = CardSet::all();
/// The short deck has no 7s and 8s (000 A1 5; R-004).
inline constexpr CardSet kShortDeck =
    CardSet::all() - CardSet::rank(Rank::k7) - CardSet::rank(Rank::k8);

/// Sum of card points of a set, 0..120: weights 11 10 4 3 2 as four population counts.
#ifndef __POPCNT__
/// Points of the cards of one suit, by their eight bits.
inline constexpr auto kSuitPoints = [] {
  std::array<std::uint8_t, 256> points{};
  for (std::size_t cards = 0; cards < points.size(); ++cards) {
    for (std::size_t rank = 0; rank < kNumRanks; ++rank) {
      const int own = (cards >> rank & 1u) != 0 ? kRankPoints[rank] : 0;
      points[cards] = static_cast<std::uint8_t>(points[cards] + own);
    }
  }
  return points;
}();
#endif

[[nodiscard]] constexpr int points_of(CardSet set) {
#ifdef __POPCNT__
  const CardSet aces = CardSet::rank(Rank::kAss), tens = CardSet::rank(Rank::k10);
  const CardSet kings = CardSet::rank(Rank::kKoenig);
  const CardSet ober = CardSet::rank(Rank::kOber), unter = CardSet::rank(Rank::kUnter);
  return 8 * (set & (aces | tens)).count() + 4 * (set & kings).count() +
         2 * (set & (aces | tens | ober | unter)).count() + (set & (aces | ober)).count();
#else
  const std::uint32_t bits = set.bits();
  return kSuitPoints[bits & 0xFFu] + kSuitPoints[bits >> 8 & 0xFFu] +
         kSuitPoints[bits >> 16 & 0xFFu] + kSuitPoints[bits >> 24];
#endif
}

[[nodiscard]] std::string_view to_string(Suit suit);  // "E", "G", "H", "S"
[[nodiscard]] std::string_view to_string(Rank rank);  // "7" .. "A"
[[nodiscard]] std::string card_name(Card card);       // "EO", "H10", "S7"
/// Names in index order, separated by one blank.
[[nodiscard]] std::string to_string(CardSet set);

/// Parses "EO", "H10", "s7"; X, T and Z stand for 10 (RULES A.4). Empty if it is no card.
[[nodiscard]] std::optional<Card> parse_card(std::string_view text);
/// Parses blank-separated cards. Throws std::invalid_argument naming the word that is no card or
/// comes twice.
[[nodiscard]] CardSet parse_cards(std::string_view text);

}  // namespace schafkopf
