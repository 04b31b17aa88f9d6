// How many members an aggregate has, so that a test notices one that its table of fields forgot.
#pragma once

#include <cstddef>

namespace schafkopf {

struct AnyMember {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor): stands for every type
};

template <class T, class... Members>
[[nodiscard]] consteval std::size_t num_members() {
  if constexpr (requires { T{Members{}..., AnyMember{}}; }) {
    return num_members<T, Members..., AnyMember>();
  } else {
    return sizeof...(Members);
  }
}

}  // namespace schafkopf
