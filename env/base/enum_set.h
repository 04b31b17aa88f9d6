// A set of enumerators as a bit mask, and the text names of an enumeration: both used by switches
// of the rule set. An enumeration takes part by a function `names_of(E)` beside it, which returns
// the names in order.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace schafkopf {

/// List of names, one per enumerator, in the order of the enumerators.
template <class... Text>
[[nodiscard]] constexpr std::array<std::string_view, sizeof...(Text)> make_names(Text... text) {
  return {std::string_view(text)...};
}

/// Whether a value is one of the enumerators: the compiler writes the others as a number.
template <class E, E kValue>
[[nodiscard]] consteval bool is_enumerator() {
  return std::string_view(__PRETTY_FUNCTION__).find("kValue = (") == std::string_view::npos;
}

/// Number of enumerators of E.
template <class E>
[[nodiscard]] consteval int num_values() {
  constexpr auto kNumber = names_of(E{}).size();
  static_assert(is_enumerator<E, static_cast<E>(kNumber - 1)>() &&
                    !is_enumerator<E, static_cast<E>(kNumber)>(),
                "names_of() has as many names as there are enumerators");
  return static_cast<int>(kNumber);
}
template <class E>
inline constexpr int kNumValues = num_values<E>();

/// Name of an enumerator as it stands in files; "?" for a value outside the enumeration.
template <class E>
[[nodiscard]] constexpr std::string_view name_of(E value) {
  static_assert(kNumValues<E> > 0);  // as many names as enumerators
  constexpr auto kNames = names_of(E{});
  const auto index = static_cast<std::size_t>(value);
  return index < kNames.size() ? kNames[index] : std::string_view("?");
}

/// Set of enumerators of E (at most 32); a value type like CardSet.
template <class E>
class EnumSet {
 public:
  constexpr EnumSet() = default;
  constexpr EnumSet(std::initializer_list<E> values) {
    for (const E value : values) add(value);
  }
  [[nodiscard]] static constexpr EnumSet from_bits(std::uint32_t bits) {
    EnumSet set;
    set.bits_ = bits;
    return set;
  }

  [[nodiscard]] constexpr std::uint32_t bits() const { return bits_; }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  [[nodiscard]] constexpr int count() const { return std::popcount(bits_); }
  [[nodiscard]] constexpr bool contains(E value) const { return (bits_ & bit(value)) != 0; }
  constexpr void add(E value) { bits_ |= bit(value); }
  constexpr void remove(E value) { bits_ &= ~bit(value); }

  friend constexpr bool operator==(EnumSet, EnumSet) = default;
  friend constexpr EnumSet operator-(EnumSet a, EnumSet b) { return from_bits(a.bits_ & ~b.bits_); }

 private:
  [[nodiscard]] static constexpr std::uint32_t bit(E value) {
    return std::uint32_t{1} << static_cast<unsigned>(value);
  }
  std::uint32_t bits_ = 0;
};

}  // namespace schafkopf
