// The options of the long checks: "--name value" pairs, nothing else.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/long/parts.h"

namespace schafkopf::test {

/// Options of a program, taken one after the other. Throws std::invalid_argument naming option,
/// value and what is allowed.
class Arguments {
 public:
  Arguments(std::string program, const std::vector<std::string>& words)
      : program_(std::move(program)) {
    for (std::size_t i = 0; i < words.size(); i += 2) {
      if (i + 1 == words.size()) throw std::invalid_argument(words[i] + " lacks its value");
      const auto twice = std::find_if(pairs_.begin(), pairs_.end(),
                                      [&](const auto& pair) { return pair.first == words[i]; });
      if (twice != pairs_.end()) throw std::invalid_argument(words[i] + " is given twice");
      pairs_.emplace_back(words[i], words[i + 1]);
    }
  }

  void take(const std::string& name, std::string& value) {
    known_.push_back(name);
    const auto at =
        std::find_if(pairs_.begin(), pairs_.end(), [&](const auto& p) { return p.first == name; });
    if (at == pairs_.end()) return;
    value = at->second;
    pairs_.erase(at);
  }
  void take(const std::string& name, std::integral auto& value, int least) {
    std::string text;
    take(name, text);
    if (text.empty()) return;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || std::cmp_less(value, least)) {
      throw std::invalid_argument(
          fmt::format("{} = {}, allowed: a whole number of at least {}", name, text, least));
    }
  }
  /// Nothing may be left.
  void finish() const {
    if (pairs_.empty()) return;
    throw std::invalid_argument(fmt::format("{} does not know {}, it knows: {}", program_,
                                            pairs_.front().first, fmt::join(known_, ", ")));
  }

 private:
  std::string program_;
  std::vector<std::pair<std::string, std::string>> pairs_;
  std::vector<std::string> known_;
};

/// --seed, --folder, --threads.
inline void take_part_options(Arguments& arguments, PartOptions& options) {
  arguments.take("--seed", options.seed, 0);
  arguments.take("--folder", options.folder);
  arguments.take("--threads", options.threads, 1);
}

/// What main() does: the words without the first, 2 for wrong ones, 1 for any other failure.
template <class Main>
int run_program(int count, char** words, Main&& main_of) {
  try {
    return main_of(std::vector<std::string>(words + 1, words + count));
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}

}  // namespace schafkopf::test
