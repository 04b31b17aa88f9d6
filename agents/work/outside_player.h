// What is known of a player whose decisions come from outside of this process, where they may fail
// to come.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "env/base/enum_set.h"
#include "env/view/view.h"

namespace schafkopf {

/// What a player in another process did instead of an answer; a fallback decides then.
enum class PlayerFailure : std::uint8_t { kTimeout, kCrash, kIllegal, kGarbage, kError };
[[nodiscard]] constexpr auto names_of(PlayerFailure) {
  return make_names("timeout", "crash", "illegal", "garbage", "error");
}

/// Of all clones of the player together.
struct OutsideReport {
  bool by_the_clock = false;   // no program but a player of ours that thinks for a time
  bool deterministic = false;  // it says of itself that the same question gets the same answer
  std::array<std::int64_t, kNumValues<PlayerFailure>> failures{};
  std::string first_failure;  // in words; empty: none
};

/// What such a player is besides a BatchPolicy.
class OutsidePlayer {
 public:
  virtual ~OutsidePlayer() = default;
  [[nodiscard]] virtual OutsideReport outside() const = 0;
  /// Rows that a fallback answered since the last call, by the address of their first line: whoever
  /// wrapped the player may have cut the batch.
  [[nodiscard]] virtual std::vector<const CardsLine*> take_failed() = 0;

 protected:
  OutsidePlayer() = default;
  OutsidePlayer(const OutsidePlayer&) = default;
  OutsidePlayer& operator=(const OutsidePlayer&) = default;
};

}  // namespace schafkopf
