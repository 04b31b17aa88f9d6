// What happens before the cards are dealt: shuffling, cutting, knocking, who deals first
// (RULES B.3). Only logs and half-hands depend on it: the shuffle alone makes a deal uniform.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "env/cards/card.h"
#include "env/rules/rules.h"

namespace schafkopf {

inline constexpr int kMaxPlaces = 5;  // at a table of five one player sits out (B.2)

/// Cards in the order in which they are dealt. A value without heap: stepping deals.
class CardOrder {
 public:
  void push_back(Card card) { cards_[size_++] = card; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] auto begin() { return cards_.begin(); }
  [[nodiscard]] auto end() { return cards_.begin() + static_cast<std::ptrdiff_t>(size_); }
  [[nodiscard]] auto begin() const { return cards_.begin(); }
  [[nodiscard]] auto end() const { return cards_.begin() + static_cast<std::ptrdiff_t>(size_); }
  [[nodiscard]] Card& operator[](std::size_t i) { return cards_[i]; }
  [[nodiscard]] Card operator[](std::size_t i) const { return cards_[i]; }

 private:
  std::array<Card, kNumCards> cards_{};
  std::size_t size_ = 0;
};

/// Random order of the whole deck, a pure function of its arguments. With `cutter_also_shuffles`
/// the cutter shuffles after the dealer.
[[nodiscard]] CardOrder shuffled_deck(std::uint64_t seed, const RuleSet& rules);

/// Order after the cuts: each lifts so many cards from the top and lays the rest upon them.
///
/// lifted  cards lifted by each cut, at least one cut
/// Throws std::invalid_argument: no cut or more than `cut_max_times`, or fewer than `cut_min_cards`
/// lifted or left.
[[nodiscard]] std::vector<Card> cut(std::span<const Card> order, std::span<const int> lifted,
                                    const RuleSet& rules);

/// The cutter knocks instead of cutting and orders another distribution for this deal.
///
/// Throws std::invalid_argument without `knock_allowed` or for packets that do not fill a hand.
[[nodiscard]] RuleSet knock(const RuleSet& rules, DealPackets packets, DealDirection direction);

/// Whether a place may cut: the dealer's right neighbour, and if he is absent everybody but dealer
/// and forehand.
[[nodiscard]] bool may_cut(int place, int dealer, bool cutter_absent, const RuleSet& rules);

/// Number of the highest of the drawn cards: trumps of the Rufspiel, then A 10 K 9 8 7, equal ranks
/// by suit (R-017, OPEN-05). Throws std::invalid_argument if a card comes twice or none was drawn.
[[nodiscard]] int first_dealer_by_high_card(std::span<const Card> drawn, const RuleSet& rules);

/// What places get after a second misdeal in a row, in 1/tariff_scale units: the dealer pays
/// `misdeal_penalty_per_player` to each other.
[[nodiscard]] std::array<std::int32_t, kMaxPlaces> misdeal_penalty(const RuleSet& rules,
                                                                   int dealer);

}  // namespace schafkopf
