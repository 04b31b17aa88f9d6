// A program that answers as a player (engine_process.h). What it may say: tests/python/players/test_engine.py.
#include "agents/engine/engine_process.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/cpp/support/errors.h"

namespace schafkopf {
namespace {

using test::error_of;

TEST(EngineProcess, a_program_that_ended_is_asked_no_more) {
  EngineProcess program({"sh", "-c", "exit 7"}, "");
  const auto soon = [] { return EngineProcess::Clock::now() + std::chrono::seconds(60); };
  EXPECT_EQ(error_of([&] { (void)program.read_line(soon()); }), "ended with exit code 7");
  // without a program there is no process to send to, to wait for or to kill
  EXPECT_EQ(error_of([&] { program.send("hello", soon()); }), "has ended before");
  EXPECT_EQ(error_of([&] { (void)program.read_line(soon()); }), "has ended before");
  EXPECT_EQ(error_of([&] { (void)program.line_there(); }), "has ended before");
  program.kill();
}

TEST(EngineProcess, needs_a_program) {
  EXPECT_EQ(error_of([] { const EngineProcess none(std::vector<std::string>{}, ""); }),
            "has no name");
}

}  // namespace
}  // namespace schafkopf
