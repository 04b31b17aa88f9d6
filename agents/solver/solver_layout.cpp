#include "agents/solver/solver_layout.h"

#include <cstddef>

#include "env/cards/card.h"

namespace schafkopf {

SolverLayout::SolverLayout(const SolverWords& words, bool tricks) {
  PlayState<std::uint32_t> order{};
  order.trumps = words.trumps;
  order.top = words.top;
  order.second = words.second;
  order.low_tens = words.low_tens;
  int next = 0;
  for (int suit = 0; suit < kNumSuits; ++suit) {
    append_group(order, CardSet::suit(static_cast<Suit>(suit)).bits() & ~words.trumps, next);
  }
  append_group(order, words.trumps, next);
  trumps_ = numbers_of(words.trumps);
  call_group_ = numbers_of(words.call_group);
  called_ = numbers_of(words.bound);
  if (tricks) points_.fill(0);
  for (int number = 0; number < kNumCards; ++number) {
    for (std::size_t bit = 0; bit < slice_.size(); ++bit) {
      if (((points(number) >> bit) & 1) != 0) slice_[bit] |= 1u << number;
    }
    for (std::size_t i = 0; i < kNumWorths; ++i) {
      if (points(number) == kWorths[i]) worth_[i] |= 1u << number;
    }
  }
  for (int number = 0; number < kNumCards; ++number) {
    const std::uint32_t members = group(number);
    if ((members & (1u << number)) != 0 && (members & ((1u << number) - 1)) == 0) {
      mark_runs(members);
    }
  }
}

/// Numbers a group from its weakest card on.
void SolverLayout::append_group(const PlayState<std::uint32_t>& order, std::uint32_t cards,
                                int& next) {
  const int size = count_bits(cards);
  const std::uint32_t members = size == 0 ? 0 : (0xFFFFFFFFu >> (32 - size)) << next;
  for (std::uint32_t rest = cards; rest != 0; rest &= rest - 1) {
    const int card = std::countr_zero(rest);
    const int stronger = count_bits(beaters_of(order, 1u << card, cards) & cards);
    const auto number = static_cast<std::size_t>(next + size - 1 - stronger);
    number_[static_cast<std::size_t>(card)] = static_cast<std::uint8_t>(number);
    points_[number] = static_cast<std::uint8_t>(points_of(static_cast<Card>(card)));
    group_[number] = members;
  }
  next += size;
}

void SolverLayout::mark_runs(std::uint32_t group) {
  for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
    const int number = std::countr_zero(rest);
    std::uint32_t above = 0;
    for (std::uint32_t higher = rest & (rest - 1); higher != 0; higher &= higher - 1) {
      const int other = std::countr_zero(higher);
      const bool alone = ((1u << number | 1u << other) & called_) != 0;
      if (alone || points(other) != points(number)) break;
      above |= 1u << other;
    }
    above_[static_cast<std::size_t>(number)] = above;
  }
}

}  // namespace schafkopf
