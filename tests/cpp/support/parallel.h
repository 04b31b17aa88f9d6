// Independent blocks of work on a few threads, for the long forms of the tests.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/cpp/support/scale.h"

namespace schafkopf::test {

/// Runs body(0) ... body(blocks - 1) on one thread, on two in the full form, on all in the long
/// form. A body returns an empty text, or what is wrong: then the rest is skipped and the text is
/// returned.
[[nodiscard]] inline std::string for_blocks(int blocks,
                                            const std::function<std::string(int)>& body) {
  const int processors = static_cast<int>(std::thread::hardware_concurrency());
  const int threads = scaled(1, 1, 2, std::max(processors, 2));
  std::vector<std::string> problems(static_cast<std::size_t>(threads));
  std::atomic<int> next{0};
  std::atomic<bool> stop{false};
  const auto work = [&](std::size_t thread) {
    for (int block = next++; block < blocks && !stop; block = next++) {
      try {
        problems[thread] = body(block);
      } catch (const std::exception& error) {
        problems[thread] = "block " + std::to_string(block) + ": " + error.what();
      }
      if (!problems[thread].empty()) stop = true;
    }
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(work, static_cast<std::size_t>(i));
  work(0);
  for (std::thread& thread : others) thread.join();
  for (const std::string& problem : problems) {
    if (!problem.empty()) return problem;
  }
  return {};
}

}  // namespace schafkopf::test
