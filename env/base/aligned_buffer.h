// Arrays that begin with a line of the caches.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace schafkopf {

template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};
  LineAllocator() = default;
  template <class Other>
  explicit LineAllocator(const LineAllocator<Other>& /*other*/) {}
  [[nodiscard]] T* allocate(std::size_t size) {
    return static_cast<T*>(::operator new(size * sizeof(T), kAlignment));
  }
  void deallocate(T* data, std::size_t /*size*/) { ::operator delete(data, kAlignment); }
  friend bool operator==(const LineAllocator&, const LineAllocator&) { return true; }
};
/// Begins with a line of the caches: threads, whose slices begin at multiples of 64 envs, share none of
/// what there is of every env.
template <class T>
using AlignedBuffer = std::vector<T, LineAllocator<T>>;

}  // namespace schafkopf
