// Every input of tests/corpus/fuzz over the targets of training.
#include "tests/cpp/support/fuzz_corpus.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/cpp/support/errors.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/targets.h"
#include "training/run/checkpoint.h"

namespace schafkopf {
namespace {

class FuzzCorpus : public testing::TestWithParam<fuzz::Target> {};

TEST_P(FuzzCorpus, of_training_has_no_finding) { test::replay_corpus(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Fuzz, FuzzCorpus, testing::ValuesIn(fuzz::training_targets()),
                         [](const auto& test) { return test.param.name; });

// A target takes a refusal for an answer: nothing behind the reader would be tried.
TEST(FuzzSeeds, of_checkpoints_are_read) {
  for (const std::string& seed : fuzz::checkpoint_seeds()) {
    const fuzz::MemoryFile file(seed);
    EXPECT_EQ(test::error_of([&] { (void)read_checkpoint(file.path()); }), "no error");
  }
}

}  // namespace
}  // namespace schafkopf
