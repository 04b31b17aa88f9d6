// Cards in the order of a contract, for the exact solver: groups side by side, weaker cards below
// stronger ones, trumps on top, so that "beats" is a comparison of numbers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "env/cards/play.h"

namespace schafkopf {

/// What the order of the cards and the duties depend on.
struct SolverWords {
  std::uint32_t trumps = 0, top = 0, second = 0, low_tens = 0;
  std::uint32_t call_group = 0, bound = 0;  // zero when the called card is not bound any more
  std::uint32_t run_min = 0, switches = 0, seats = 0;
  friend constexpr bool operator==(const SolverWords&, const SolverWords&) = default;
};

[[nodiscard]] inline SolverWords solver_words(const PlayState<std::uint32_t>& play) {
  const std::uint32_t duty = all_if(play.bound);
  return {play.trumps,
          play.top,
          play.second,
          play.low_tens,
          play.call_group & duty,
          play.bound,
          play.run_min & duty,
          play.switches & (duty | ~kDiscardWindow),
          play.seats};
}

/// Number of the lowest card of a mask over numbers.
[[nodiscard]] inline int number_of(std::uint32_t cards) { return std::countr_zero(cards); }
/// Cards above all of the others.
[[nodiscard]] inline std::uint32_t higher_than(std::uint32_t cards, std::uint32_t others) {
  return cards & ~static_cast<std::uint32_t>((std::uint64_t{1} << std::bit_width(others)) - 1);
}

/// Order of the 32 cards under a contract. A number 0..31 stands for each; runs are neighbours in
/// strength of equal worth. The called card is a run of its own, since it has duties of its own.
class SolverLayout {
 public:
  SolverLayout() = default;
  /// tricks  tricks are counted, so that all cards are worth the same
  SolverLayout(const SolverWords& words, bool tricks);

  /// Cards as a mask over their numbers, and back.
  [[nodiscard]] std::uint32_t numbers_of(std::uint32_t cards) const {
    std::uint32_t numbers = 0;
    for (; cards != 0; cards &= cards - 1) {
      numbers |= 1u << number_[static_cast<std::size_t>(std::countr_zero(cards))];
    }
    return numbers;
  }

  // By number
  [[nodiscard]] std::uint32_t group(int number) const {
    return group_[static_cast<std::size_t>(number)];
  }
  /// Higher cards of the same run.
  [[nodiscard]] std::uint32_t above(int number) const {
    return above_[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] int points(int number) const { return points_[static_cast<std::size_t>(number)]; }

  /// Sum over cards.
  [[nodiscard]] int points_of_all(std::uint32_t cards) const {
    return count_bits(cards & slice_[0]) + 2 * count_bits(cards & slice_[1]) +
           4 * count_bits(cards & slice_[2]) + 8 * count_bits(cards & slice_[3]);
  }
  /// The cards of the deck that are worth 0, 2, 3, 4, 10 and 11.
  static constexpr int kNumWorths = 6;
  static constexpr int kWorths[kNumWorths] = {0, 2, 3, 4, 10, 11};
  [[nodiscard]] std::uint32_t worth(int i) const { return worth_[static_cast<std::size_t>(i)]; }

  /// The least that `count` cards of a hand are worth.
  [[nodiscard]] int cheapest(std::uint32_t hand, int count) const {
    int sum = 0;
    for (int i = 0; i < kNumWorths && count > 0; ++i) {
      const int cards = std::min(count, count_bits(hand & worth(i)));
      sum += cards * kWorths[i];
      count -= cards;
    }
    return sum;
  }
  /// The most that `count` cards of a hand are worth.
  [[nodiscard]] int dearest(std::uint32_t hand, int count) const {
    int sum = 0;
    for (int i = kNumWorths - 1; i > 0 && count > 0; --i) {
      const int cards = std::min(count, count_bits(hand & worth(i)));
      sum += cards * kWorths[i];
      count -= cards;
    }
    return sum;
  }
  /// The cheapest card, or none of none.
  [[nodiscard]] std::uint32_t cheapest_card(std::uint32_t cards) const {
    for (int i = 0; i < kNumWorths; ++i) {
      const std::uint32_t found = cards & worth(i);
      if (found != 0) return found & (0u - found);
    }
    return 0;
  }
  /// The dearest card, or none of none.
  [[nodiscard]] std::uint32_t dearest_card(std::uint32_t cards) const {
    for (int i = kNumWorths - 1; i >= 0; --i) {
      const std::uint32_t found = cards & worth(i);
      if (found != 0) return found & (0u - found);
    }
    return 0;
  }

  // Masks over numbers
  [[nodiscard]] std::uint32_t trumps() const { return trumps_; }
  [[nodiscard]] std::uint32_t call_group() const { return call_group_; }
  [[nodiscard]] std::uint32_t called() const { return called_; }

 private:
  void append_group(const PlayState<std::uint32_t>& order, std::uint32_t cards, int& next);
  void mark_runs(std::uint32_t group);

  std::array<std::uint8_t, 32> number_{};  // by card
  std::array<std::uint8_t, 32> points_{};  // by number, as everything below
  std::array<std::uint32_t, 32> group_{};
  std::array<std::uint32_t, 32> above_{};
  std::array<std::uint32_t, 4> slice_{};  // cards with this bit set in their points
  std::array<std::uint32_t, kNumWorths> worth_{};
  std::uint32_t trumps_ = 0, call_group_ = 0, called_ = 0;
};

}  // namespace schafkopf
