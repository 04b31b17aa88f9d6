// Faults that the sanitizers must see, in the sanitized _core alone: tests/sanitize/run.py calls
// them first, so that a module without sanitizers passes no test for nothing.
#include <limits>
#include <memory>

#if defined(__has_feature)  // clang's way to say it
#if __has_feature(address_sanitizer)
#define SCHAFKOPF_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SCHAFKOPF_ADDRESS_SANITIZER
#endif
#if !defined(SCHAFKOPF_ADDRESS_SANITIZER)
#error "tests/sanitize/planted_faults.cpp is compiled without the address sanitizer"
#endif

extern "C" {

[[gnu::visibility("default")]] int schafkopf_read_behind(int length) {
  const auto numbers = std::make_unique<int[]>(static_cast<unsigned>(length));
  const volatile int* first = numbers.get();
  return first[length];
}

[[gnu::visibility("default")]] int schafkopf_overflow(int added) {
  volatile int number = std::numeric_limits<int>::max();
  number = number + added;
  return number;
}
}
