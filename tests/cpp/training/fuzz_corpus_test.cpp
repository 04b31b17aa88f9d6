// Every input of tests/corpus/fuzz over the targets of training.
#include "tests/cpp/support/fuzz_corpus.h"

#include <gtest/gtest.h>

namespace schafkopf {
namespace {

class FuzzCorpus : public testing::TestWithParam<fuzz::Target> {};

TEST_P(FuzzCorpus, of_training_has_no_finding) { test::replay_corpus(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Fuzz, FuzzCorpus, testing::ValuesIn(fuzz::training_targets()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace schafkopf
