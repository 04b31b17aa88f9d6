// Every input of tests/corpus/fuzz over its target (tests/fuzz), in every build.
#include "tests/cpp/support/fuzz_corpus.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace schafkopf {
namespace {

class FuzzCorpus : public testing::TestWithParam<fuzz::Target> {};

TEST_P(FuzzCorpus, has_no_finding) { test::replay_corpus(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Fuzz, FuzzCorpus, testing::ValuesIn(fuzz::targets()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace schafkopf
