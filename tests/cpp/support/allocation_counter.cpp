#include "tests/cpp/support/allocation_counter.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<bool> counting = false;  // two counters that all threads write cost a tenth of a test
std::atomic<std::int64_t> calls = 0;
std::atomic<std::int64_t> bytes = 0;

void* counted(std::size_t size, std::size_t alignment) {
  if (counting.load(std::memory_order_relaxed)) {
    calls.fetch_add(1, std::memory_order_relaxed);
    bytes.fetch_add(static_cast<std::int64_t>(size), std::memory_order_relaxed);
  }
  if (size == 0) size = 1;
  void* data = nullptr;
  if (alignment <= alignof(std::max_align_t)) {
    data = std::malloc(size);
  } else {  // aligned_alloc wants a multiple of the alignment
    data = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  }
  if (data == nullptr) throw std::bad_alloc();
  return data;
}

}  // namespace

namespace schafkopf::test {
Allocations allocations() {
  counting = true;
  return {calls.load(), bytes.load()};
}
}  // namespace schafkopf::test

// The array forms of the library call these; sanitizers bring nothrow forms that do not.
void* operator new(std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* data) noexcept { std::free(data); }
void operator delete(void* data, const std::nothrow_t&) noexcept { std::free(data); }
void operator delete(void* data, std::size_t) noexcept { std::free(data); }
void operator delete(void* data, std::align_val_t) noexcept { std::free(data); }
void operator delete(void* data, std::size_t, std::align_val_t) noexcept { std::free(data); }
