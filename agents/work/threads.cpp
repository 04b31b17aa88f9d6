#include "agents/work/threads.h"

#include <algorithm>
#include <thread>

#ifdef __linux__
#include <sched.h>
#endif

namespace schafkopf {

int usable_processors() {
  // hardware_concurrency() counts those that are switched on, whoever may use them.
#ifdef __linux__
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
#endif  // more than the 1024 of a cpu_set_t
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

int threads_or_all(int threads) { return threads != 0 ? threads : usable_processors(); }

}  // namespace schafkopf
