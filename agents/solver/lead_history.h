// Which leads answered the question in other positions of a deal. The exact solver tries these
// leads first: the card that refutes one line of play mostly refutes its neighbours too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace schafkopf {

class LeadHistory {
 public:
  void clear() { counts_ = {}; }

  /// Counts a lead that was tried.
  ///
  /// tricks  cards per hand, from 1
  /// number  of the card, as in SolverLayout
  /// cuts    the lead was good enough, so that no other had to be tried
  void add(int tricks, int seat, int number, bool cuts) {
    Count& count = counts_[index(tricks, seat, number)];
    ++count.tried;
    if (cuts) ++count.cut;
    if (count.tried == kMostTried) {  // what is long ago counts less
      count.tried /= 2;
      count.cut /= 2;
    }
  }

  /// What is added to the rank of a lead: the share of good ones, drawn towards a quarter where few
  /// were tried.
  [[nodiscard]] int rank(int tricks, int seat, int number) const {
    const Count& count = counts_[index(tricks, seat, number)];
    return kWeight * (count.cut + 1) / (count.tried + 4);
  }

 private:
  struct Count {
    std::uint8_t tried = 0, cut = 0;
  };
  static constexpr int kMostTricks = 10, kSeats = 4, kCards = 32;
  static constexpr int kMostTried = 30;
  static constexpr int kWeight = 2300;

  [[nodiscard]] static std::size_t index(int tricks, int seat, int number) {
    return static_cast<std::size_t>(((tricks - 1) * kSeats + seat) * kCards + number);
  }

  std::array<Count, std::size_t{kMostTricks} * kSeats * kCards> counts_{};
};

}  // namespace schafkopf
