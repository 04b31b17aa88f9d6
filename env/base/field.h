// One table of fields for everything that is set by key: house rules, training, tournaments,
// parameters of players. A struct takes part by one function that visits its members,
//
//   template <FieldsOf<Options> O, class Visitor>
//   void visit_fields(O& options, Visitor&& visit) {
//     visit(Field{.key = "worlds", .meaning = "worlds per decision", .min = 1, .max = 100'000},
//           options.worlds);
//   }
//
// and reading, writing, defaults, checks, documentation and error messages come from it. Formats
// (TOML, command lines, registry strings, Python) make a PlainValue and know nothing of fields.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "env/base/enum_set.h"
#include "env/base/plain_value.h"

namespace schafkopf {

inline constexpr double kAnyNumber = std::numeric_limits<double>::infinity();

/// Description of one key. The type is that of the member which is visited with it, the default
/// that of the struct.
struct Field {
  std::string_view key = {};
  std::string_view meaning = {};
  std::string_view unit = {};    // of a number; empty: none, or the meaning says it
  std::string_view source = {};  // where it comes from: a paragraph, an open point
  double min = 0.0;              // numbers only
  double max = kAnyNumber;
  bool above_min = false;                     // min itself is not allowed
  std::uint32_t allowed = ~std::uint32_t{0};  // enumerators on offer, bit = enumerator
  std::string_view names = {};                // texts on offer, "a, b"; empty: any text
  std::string_view group = {};                // heading, on the first key of a group
  bool required = false;                      // has no default
  int entries = 0;                            // of a list, at most; 0: any number
};

/// A key or value that is not allowed; `key` is the one to blame, dotted for what lies inside of
/// one. In Python a ValueError.
class FieldError : public std::invalid_argument {
 public:
  FieldError(std::string key, const std::string& message)
      : std::invalid_argument(message), key_(std::move(key)) {}
  [[nodiscard]] const std::string& key() const { return key_; }

 private:
  std::string key_;
};

// ---- the one wording ---------------------------------------------------------------------------

/// Throws FieldError `KEY = VALUE, allowed: WHAT; the nearest one is "X"`. names: among which a
/// mistyped text of the value is looked for.
[[noreturn]] void refuse_value(std::string_view key, const PlainValue& value,
                               std::string_view allowed,
                               std::span<const std::string_view> names = {});
/// Throws FieldError `unknown KIND "KEY", allowed: A, B; the nearest one is "X"`. meant: the key
/// that is known to be meant.
[[noreturn]] void refuse_key(std::string_view kind, std::string_view key,
                             std::span<const std::string_view> keys, std::string_view meant = {});
/// `WHERE: MESSAGE`; where is a file with its line, an option or a registry string, or empty.
[[nodiscard]] std::string at(std::string_view where, std::string_view message);

// ---- types -------------------------------------------------------------------------------------

/// A struct whose visit_fields() is called with `T`, const or not.
template <class T, class Struct>
concept FieldsOf = std::same_as<std::remove_const_t<T>, Struct>;

struct AnyVisitor {
  void operator()(const Field&, const auto&) const {}
};
template <class T>
concept HasFields = requires(T& value, AnyVisitor visit) { visit_fields(value, visit); };

template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E value) { names_of(value); };

/// How a type of member is read and written; types of other rooms add their own.
///
///   allowed(field)             what documentation and errors say: "integer 1..4"
///   names(field)               the texts on offer, empty for other types
///   read(field, value, member) false, or FieldError, for what is not allowed; the member then
///   stays
///   write(member)
///   kIsText                    a value without quotation marks is a text, whatever it looks like
template <class T>
struct FieldCodec;

struct NoNames {
  static constexpr bool kIsText = false;
  static std::vector<std::string_view> names(const Field&) { return {}; }
};

/// A member that no plain value holds, such as a player or a list of deals: a format that has such
/// objects sets it, and Field::names says what they are. Derived codecs have write() only.
struct ObjectCodec : NoNames {
  static constexpr bool kIsObject = true;
  static std::string allowed(const Field& field) { return std::string(field.names); }
  static bool read(const Field&, const PlainValue&, const auto&) { return false; }
};
template <class T>
concept ObjectMember = FieldCodec<std::remove_cvref_t<T>>::kIsObject;

/// "integer 1..4", "number >= 0 (minutes)". most: where the type ends; 0: nowhere.
[[nodiscard]] std::string range_text(std::string_view kind, const Field& field, std::uint64_t most);
/// "list of integer 0..8, at most 4".
[[nodiscard]] std::string list_text(std::string_view item, const Field& field);
[[nodiscard]] std::optional<double> number_in(const PlainValue& value);
[[nodiscard]] bool is_in_range(const Field& field, double number);
/// The names of Field::names one by one.
[[nodiscard]] std::vector<std::string_view> names_in(std::string_view names);
[[nodiscard]] std::string joined(std::span<const std::string_view> names);
[[nodiscard]] bool is_among(std::span<const std::string_view> names, std::string_view text);

template <>
struct FieldCodec<bool> : NoNames {
  static std::string allowed(const Field&) { return "true, false"; }
  static bool read(const Field&, const PlainValue& value, bool& member) {
    const bool* flag = std::get_if<bool>(&value);
    if (flag != nullptr) member = *flag;
    return flag != nullptr;
  }
  static PlainValue write(bool member) { return member; }
};

template <std::integral Int>
  requires(sizeof(Int) > 1)  // bytes are no numbers: cards
struct FieldCodec<Int> : NoNames {
  static std::string allowed(const Field& field) {
    return range_text("integer", field, std::uint64_t{std::numeric_limits<Int>::max()});
  }
  static bool read(const Field& field, const PlainValue& value, Int& member) {
    const auto* integer = std::get_if<std::int64_t>(&value);
    const auto* large = std::get_if<std::uint64_t>(&value);
    if (integer != nullptr) return set(field, *integer, member);
    return large != nullptr && set(field, *large, member);
  }
  static PlainValue write(Int member) {
    if (std::in_range<std::int64_t>(member)) return static_cast<std::int64_t>(member);
    return static_cast<std::uint64_t>(member);
  }

 private:
  static bool set(const Field& field, auto number, Int& member) {
    if (!std::in_range<Int>(number) || !is_in_range(field, static_cast<double>(number))) {
      return false;
    }
    member = static_cast<Int>(number);
    return true;
  }
};

template <>
struct FieldCodec<double> : NoNames {
  static std::string allowed(const Field& field) { return range_text("number", field, 0); }
  static bool read(const Field& field, const PlainValue& value, double& member) {
    const std::optional<double> number = number_in(value);
    if (!number || !std::isfinite(*number) || !is_in_range(field, *number)) return false;
    member = *number;
    return true;
  }
  static PlainValue write(double member) { return member; }
};

template <>
struct FieldCodec<std::string> {
  static constexpr bool kIsText = true;
  static std::vector<std::string_view> names(const Field& field) { return names_in(field.names); }
  static std::string allowed(const Field& field) {
    return field.names.empty() ? "text" : std::string(field.names);
  }
  static bool read(const Field& field, const PlainValue& value, std::string& member) {
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr || (field.required && text->empty())) return false;
    if (!field.names.empty() && !is_among(names(field), *text)) return false;
    member = *text;
    return true;
  }
  static PlainValue write(const std::string& member) { return member; }
};

template <NamedEnum E>
struct FieldCodec<E> {
  static constexpr bool kIsText = true;
  static std::vector<std::string_view> names(const Field& field) {
    std::vector<std::string_view> offered;
    for (int i = 0; i < kNumValues<E>; ++i) {
      if (is_offered(field, i)) offered.push_back(name_of(static_cast<E>(i)));
    }
    return offered;
  }
  static std::string allowed(const Field& field) { return joined(names(field)); }
  static bool read(const Field& field, const PlainValue& value, E& member) {
    const auto* text = std::get_if<std::string>(&value);
    for (int i = 0; text != nullptr && i < kNumValues<E>; ++i) {
      if (!is_offered(field, i) || name_of(static_cast<E>(i)) != *text) continue;
      member = static_cast<E>(i);
      return true;
    }
    return false;
  }
  static PlainValue write(E member) { return std::string(name_of(member)); }

 private:
  static bool is_offered(const Field& field, int i) {
    return i >= 32 || ((field.allowed >> i) & 1U) != 0;
  }
};

template <NamedEnum E>
struct FieldCodec<EnumSet<E>> {
  static constexpr bool kIsText = false;
  static std::vector<std::string_view> names(const Field& field) {
    return FieldCodec<E>::names(field);
  }
  static std::string allowed(const Field& field) { return "list of " + joined(names(field)); }
  static bool read(const Field& field, const PlainValue& value, EnumSet<E>& member) {
    const auto* list = std::get_if<PlainList>(&value);
    if (list == nullptr) return false;
    EnumSet<E> set;
    for (const PlainValue& item : *list) {
      E one{};
      if (!FieldCodec<E>::read(field, item, one)) return false;
      set.add(one);
    }
    member = set;
    return true;
  }
  static PlainValue write(const EnumSet<E>& member) {
    PlainList list;
    for (int i = 0; i < kNumValues<E>; ++i) {
      if (member.contains(static_cast<E>(i)))
        list.push_back(FieldCodec<E>::write(static_cast<E>(i)));
    }
    return list;
  }
};

template <class T>
struct FieldCodec<std::vector<T>> {
  static constexpr bool kIsText = false;
  static std::vector<std::string_view> names(const Field& field) {
    return FieldCodec<T>::names(field);
  }
  static std::string allowed(const Field& field) {
    return list_text(FieldCodec<T>::allowed(field), field);
  }
  static bool read(const Field& field, const PlainValue& value, std::vector<T>& member) {
    const auto* list = std::get_if<PlainList>(&value);
    if (list == nullptr || (field.entries > 0 && std::ssize(*list) > field.entries)) return false;
    std::vector<T> read;
    for (const PlainValue& item : *list) {
      if (!FieldCodec<T>::read(field, item, read.emplace_back())) return false;
    }
    member = std::move(read);
    return true;
  }
  static PlainValue write(const std::vector<T>& member) {
    PlainList list;
    for (const T& item : member) list.push_back(FieldCodec<T>::write(item));
    return list;
  }
};

/// A member that may be left open.
template <class T>
struct FieldCodec<std::optional<T>> {
  static constexpr bool kIsText = FieldCodec<T>::kIsText;
  static std::vector<std::string_view> names(const Field& field) {
    return FieldCodec<T>::names(field);
  }
  static std::string allowed(const Field& field) {
    return FieldCodec<T>::allowed(field) + ", None";
  }
  static bool read(const Field& field, const PlainValue& value, std::optional<T>& member) {
    const auto* none = std::get_if<StrangeValue>(&value);
    if (none != nullptr && *none == kNothing) {
      member.reset();
      return true;
    }
    T read{};
    if (!FieldCodec<T>::read(field, value, read)) return false;
    member = std::move(read);
    return true;
  }
  static PlainValue write(const std::optional<T>& member) {
    return member ? FieldCodec<T>::write(*member) : PlainValue(kNothing);
  }
};

template <class T>
using CodecOf = FieldCodec<std::remove_cvref_t<T>>;

// ---- tables ------------------------------------------------------------------------------------

/// One key with the value that it has, without its type.
struct FieldSlot {
  Field field;
  PlainValue value;
  std::string allowed;
  std::vector<std::string_view> names;  // the texts on offer
};

/// Every key of a struct, in order. A struct inside of a field counts as one.
template <HasFields Struct>
[[nodiscard]] std::vector<FieldSlot> slots_of(const Struct& values) {
  std::vector<FieldSlot> slots;
  visit_fields(values, [&]<class T>(const Field& field, const T& member) {
    slots.push_back(
        {field, CodecOf<T>::write(member), CodecOf<T>::allowed(field), CodecOf<T>::names(field)});
  });
  return slots;
}

[[nodiscard]] std::vector<std::string_view> keys_of(std::span<const FieldSlot> slots);

/// Sets one member. Throws FieldError for a wrong type or a value that its field does not allow; the
/// member then stays.
template <class T>
void assign_member(const Field& field, const PlainValue& value, T& member) {
  if (CodecOf<T>::read(field, value, member)) return;
  refuse_value(field.key, value, CodecOf<T>::allowed(field), CodecOf<T>::names(field));
}

namespace detail {
[[noreturn]] void rethrow_inside(std::string_view key, const FieldError& error);
}  // namespace detail

/// Sets one key. Throws FieldError for an unknown key, a wrong type or a value that is not allowed;
/// the struct is then unchanged. kind: what the key is called in errors.
template <HasFields Struct>
void assign_field(Struct& values, std::string_view key, const PlainValue& value,
                  std::string_view kind = "key") {
  bool known = false;
  visit_fields(values, [&](const Field& field, auto& member) {
    if (field.key != key) return;
    known = true;
    assign_member(field, value, member);
  });
  if (!known) refuse_key(kind, key, keys_of(slots_of(Struct())));
}

/// Sets one key to a value without quotation marks, as registry strings have it.
template <HasFields Struct>
void assign_text(Struct& values, std::string_view key, std::string_view text,
                 std::string_view kind = "key") {
  PlainValue value = std::string(text);
  visit_fields(values, [&]<class T>(const Field& field, const T&) {
    if (field.key == key && !CodecOf<T>::kIsText) value = plain_value(text);
  });
  assign_field(values, key, value, kind);
}

/// Throws FieldError for the first member that its own field does not allow: what C++ set.
template <HasFields Struct>
void check_fields(const Struct& values) {
  visit_fields(values, [&]<class T>(const Field& field, const T& member) {
    if constexpr (!ObjectMember<T>) {
      T copy{};  // NOLINT(bugprone-invalid-enum-default-initialization): it is filled
      assign_member(field, CodecOf<T>::write(member), copy);
    }
  });
}

/// Throws FieldError "KEY is missing (MEANING)" for the first required key that is empty.
void check_required(std::span<const FieldSlot> slots);

/// A struct inside of a field: a table of its keys. Only what differs from the defaults is written.
template <HasFields Struct>
struct FieldCodec<Struct> : NoNames {
  static std::string allowed(const Field&) {
    return "table { " + joined(keys_of(slots_of(Struct()))) + " }";
  }
  static bool read(const Field& field, const PlainValue& value, Struct& member) {
    const auto* table = std::get_if<PlainTable>(&value);
    if (table == nullptr) return false;
    Struct read;
    try {
      for (const auto& [key, inner] : *table) assign_field(read, key, inner);
      check_required(slots_of(read));
    } catch (const FieldError& error) {
      detail::rethrow_inside(field.key, error);
    }
    member = std::move(read);
    return true;
  }
  static PlainValue write(const Struct& member) {
    const std::vector<FieldSlot> defaults = slots_of(Struct());
    std::vector<FieldSlot> slots = slots_of(member);
    PlainTable table;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (slots[i].value == defaults[i].value) continue;
      table.emplace(slots[i].field.key, std::move(slots[i].value));
    }
    return table;
  }
};

// ---- texts -------------------------------------------------------------------------------------

/// A file with every key under its meaning and what is allowed. head: comment lines before.
[[nodiscard]] std::string commented_file(std::span<const FieldSlot> slots, std::string head);

/// "worlds=10: worlds per decision [integer 1..100000]", one line per key.
[[nodiscard]] std::vector<std::string> described(std::span<const FieldSlot> slots);

/// One key as documentation.
struct FieldRow {
  std::string key, group, meaning, unit, source, allowed;  // group: on each key of it
  PlainValue value;                                        // default
  std::vector<std::string> names;                          // texts on offer
  bool required = false;
};
[[nodiscard]] std::vector<FieldRow> field_rows(std::span<const FieldSlot> slots);

}  // namespace schafkopf
