#include "env/base/start_thread.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace schafkopf {
namespace {

/// Work that cannot be handed to a thread, as where the system has no room for one.
struct Refused {
  Refused() = default;
  Refused(Refused&&) { throw std::system_error(EAGAIN, std::generic_category()); }
  void operator()() const {}
};

TEST(StartThread, does_its_work_and_a_thread_that_is_refused_is_named) {
  int done = 0;
  start_thread(1, 1, [&] { ++done; }).join();
  EXPECT_EQ(done, 1);
  try {
    (void)start_thread(3, 8, Refused());
    FAIL();
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code(), std::errc::resource_unavailable_try_again);
    EXPECT_TRUE(std::string(error.what()).starts_with("cannot start thread 3 of 8: "));
  }
}

}  // namespace
}  // namespace schafkopf
