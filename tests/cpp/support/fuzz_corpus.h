// The inputs that fuzzing has found, every one a test of its target in every build: what was a
// finding once, and the few that reach what the target reaches.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <filesystem>
#include <ostream>
#include <string>

#include "tests/cpp/support/hostile_inputs.h"
#include "tests/cpp/support/source_dir.h"
#include "tests/fuzz/fuzz.h"

namespace schafkopf::fuzz {

inline void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

}  // namespace schafkopf::fuzz

namespace schafkopf::test {

inline void expect_no_finding(const fuzz::Target& target, const Input& input) {
  try {
    target.run(input.bytes);
  } catch (const std::exception& error) {
    ADD_FAILURE() << target.name << " over " << input.name << ": " << error.what();
  }
}

/// The inputs of a target in tests/corpus/fuzz, and those that it makes itself.
inline void replay_corpus(const fuzz::Target& target) {
  int count = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(source_dir() + "/tests/corpus/fuzz/" + target.name)) {
    expect_no_finding(target, {file.path().filename(), bytes_of_file(file.path())});
    ++count;
  }
  EXPECT_GE(count, 1) << "no corpus of " << target.name;
  for (const std::string& seed : target.seeds()) expect_no_finding(target, {"a seed", seed});
}

}  // namespace schafkopf::test
