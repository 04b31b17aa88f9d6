#include "env/base/fork_count.h"

#include <pthread.h>

#include <atomic>

namespace schafkopf {
namespace {

// The handler of a fork gets no argument: this is the one number that it can change.
std::atomic<unsigned> forks = 0;
thread_local unsigned forks_of_thread = 0;

}  // namespace

unsigned fork_count() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { forks_of_thread = ++forks; });
  static_cast<void>(registered);
  return forks.load(std::memory_order_relaxed);
}

bool lived_through_fork() { return forks_of_thread == forks.load(std::memory_order_relaxed); }

}  // namespace schafkopf
