// A thread that the system may refuse.
#pragma once

#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace schafkopf {

/// Starts thread `number` of `all`. Throws std::system_error "cannot start thread 3 of 8: REASON"
/// where there is no room for another.
template <class Body>
[[nodiscard]] std::jthread start_thread(int number, int all, Body body) {
  try {
    return std::jthread(std::move(body));
  } catch (const std::system_error& error) {
    const std::string which = std::to_string(number) + " of " + std::to_string(all);
    throw std::system_error(error.code(), "cannot start thread " + which);
  }
}

}  // namespace schafkopf
