// Rule features: every switch of the field table as a few numbers 0..255, in the order of the
// table.
#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

#include "env/base/assert.h"
#include "env/rules/rule_fields.h"
#include "env/rules/rules.h"
#include "env/view/encoder.h"

namespace schafkopf {
namespace {

constexpr int kLargest = 255;
constexpr float kScale = 1.0F / 255.0F;
constexpr int kPaddedSize = 192;  // slots that are left over stay zero
constexpr int kTariffNumbers = kNumTariffKeys + 3;

/// Amounts without a small bound: eight steps per factor of two, 0 for 0, exact below 16.
int amount_code(int amount) {
  const auto value = static_cast<unsigned>(std::max(amount, 0));
  if (value == 0) return 0;
  const int width = 32 - std::countl_zero(value);
  const unsigned mantissa = width <= 4 ? (value << (4 - width)) : (value >> (width - 4));
  return 8 * width + static_cast<int>(mantissa & 7u);
}

/// Number of slots of a switch by its type.
template <class T>
constexpr int slots_of() {
  if constexpr (std::is_enum_v<T>) return std::max(kNumValues<T> - 1, 1);
  if constexpr (std::same_as<T, Tariff>) return kTariffNumbers;
  if constexpr (std::same_as<T, RoundTriggers>) return kNumValues<RoundEvent>;
  return 1;
}
template <class E>
constexpr int slots_of_set(const EnumSet<E>&) {
  return kNumValues<E>;
}

/// Writes one switch after the other.
class Writer {
 public:
  explicit Writer(std::span<float> row) : row_(row) {}
  [[nodiscard]] int written() const { return at_; }

  void operator()(const Field&, bool value) { put(value ? kLargest : 0); }
  void operator()(const Field& field, int value) {
    const int least = static_cast<int>(field.min);
    const int range = static_cast<int>(field.max) - least;
    put(range > kLargest ? amount_code(value) : (value - least) * kLargest / range);
  }
  void operator()(const Field&, Card card) { put(card * kLargest / (kNumCards - 1)); }
  /// One slot per value but the first.
  template <class E>
    requires std::is_enum_v<E>
  void operator()(const Field&, E value) {
    for (int i = 1; i <= slots_of<E>(); ++i) put(static_cast<int>(value) == i ? kLargest : 0);
  }
  template <class E>
  void operator()(const Field&, const EnumSet<E>& set) {
    for (int i = 0; i < kNumValues<E>; ++i) {
      put(set.contains(static_cast<E>(i)) ? kLargest : 0);
    }
  }
  /// Amounts in half units, then the factors.
  void operator()(const Field&, const Tariff& tariff) {
    for (const int amount : tariff.amounts) put(amount_code(2 * amount / tariff.scale));
    put(amount_code(tariff.tout_factor));
    put(amount_code(tariff.sie_factor));
    put(amount_code(tariff.hochzeit_factor));
  }
  void operator()(const Field&, const std::vector<std::string>& names) {
    put(std::min(static_cast<int>(names.size()), kLargest));
  }
  void operator()(const Field&, const RoundTriggers& triggers) {
    for (const SpecialRound mode : triggers) {
      put(static_cast<int>(mode) * kLargest / (kNumValues<SpecialRound> - 1));
    }
  }

 private:
  void put(int value) {
    SCHAFKOPF_ASSERT(value >= 0 && value <= kLargest);
    row_[static_cast<std::size_t>(at_++)] = static_cast<float>(value);
  }
  std::span<float> row_;
  int at_ = 0;
};

/// Collects one section per switch.
struct SectionList {
  std::vector<Section> sections;
  int size = 0;

  void add(const Field& field, int length) {
    sections.push_back({field.key, size, length, kScale, field.meaning});
    size += length;
  }
  template <class T>
  void operator()(const Field& field, const T&) {
    add(field, slots_of<T>());
  }
  template <class E>
  void operator()(const Field& field, const EnumSet<E>& set) {
    add(field, slots_of_set(set));
  }
};

const SectionList& layout() {
  static const SectionList list = [] {
    SectionList made;
    const RuleSet rules;
    visit_fields(rules, made);
    SCHAFKOPF_ASSERT(made.size <= kPaddedSize);
    if (made.size < kPaddedSize) {
      made.add({.key = "reserved", .meaning = "always 0"}, kPaddedSize - made.size);
    }
    return made;
  }();
  return list;
}

}  // namespace

std::span<const Section> rule_feature_sections() { return layout().sections; }
int rule_feature_size() { return kPaddedSize; }

void write_rule_features(const CompiledRules& rules, std::span<float> row) {
  SCHAFKOPF_ASSERT(row.size() == static_cast<std::size_t>(kPaddedSize));
  std::ranges::fill(row, 0.0F);
  Writer writer(row);
  visit_fields(rules.rules(), writer);
  SCHAFKOPF_ASSERT(writer.written() <= kPaddedSize);
}

}  // namespace schafkopf
