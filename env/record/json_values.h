// Values of JSON objects from outside, each read with its check. For .cpp files of this folder only:
// the JSON library stands in no other header.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "env/base/input_limits.h"
#include "env/base/key_watch.h"
#include "env/base/nearest.h"
#include "env/base/refuse.h"
#include "env/cards/card.h"
#include "env/record/record_parts.h"

namespace schafkopf {

using Json = nlohmann::ordered_json;  // keeps the order of keys

[[noreturn]] inline void reject(const Json& value, std::string_view allowed) {
  refuse(fmt::format("{}, allowed: {}", quotable(value.dump()), allowed));
}

inline std::vector<std::string_view> views_of(std::span<const std::string_view> words) {
  return {words.begin(), words.end()};
}

[[noreturn]] inline void reject_key(std::string_view key,
                                    const std::vector<std::string_view>& known) {
  refuse(fmt::format("unknown key \"{}\", allowed: {}{}", quotable(key), fmt::join(known, ", "),
                     nearest_hint(key, known)));
}

// Values

inline int read_int(const Json& value, int min, int max) {
  if (!value.is_number_integer() || value < min || value > max) {
    reject(value, fmt::format("an integer {}..{}", min, max));
  }
  return value.get<int>();
}

inline int read_seat(const Json& value) { return read_int(value, 0, kNumSeats - 1); }

inline bool read_bool(const Json& value) {
  if (!value.is_boolean()) reject(value, "true or false");
  return value.get<bool>();
}

inline std::string read_text(const Json& value, std::string_view allowed) {
  if (!value.is_string()) reject(value, allowed);
  return value.get<std::string>();
}

// The document outlives what is read from it.
// NOLINTBEGIN(bugprone-return-const-ref-from-parameter)
inline const Json& read_list(const Json& value, std::string_view allowed) {
  if (!value.is_array()) reject(value, allowed);
  return value;
}

/// [a, b, ...] with a fixed number of items.
inline const Json& read_tuple(const Json& value, std::size_t size, std::string_view allowed) {
  if (!value.is_array() || value.size() != size) reject(value, allowed);
  return value;
}

inline const Json& read_object(const Json& value) {
  if (!value.is_object()) reject(value, "an object");
  return value;
}
// NOLINTEND(bugprone-return-const-ref-from-parameter)

inline Card read_card(const Json& value) {
  const auto card = parse_card(read_text(value, "a card such as \"EO\" or \"H10\""));
  if (!card) reject(value, "a card such as \"EO\" or \"H10\"");
  return *card;
}

inline std::vector<Card> read_cards(const Json& value) {
  std::vector<Card> cards;
  std::ranges::transform(read_list(value, "a list of cards"), std::back_inserter(cards), read_card);
  return cards;
}

/// Calls read(key, value) for each member of an object. A key that is not known is refused, and so is
/// what `read` refuses, with the key before it.
template <class Read>
void read_members(const Json& object, std::span<const std::string_view> known, const Read& read) {
  for (const auto& [key, value] : read_object(object).items()) {
    if (std::ranges::find(known, key) == known.end()) reject_key(key, {known.begin(), known.end()});
    try {
      read(key, value);
    } catch (const std::invalid_argument& error) {
      refuse(fmt::format("{}: {}", key, error.what()));
    }
  }
}

/// A value; throws Json::exception for what is none, std::invalid_argument for one beyond the limits
/// and for a key that comes twice, at any depth.
inline Json parse_json(std::string_view text) {
  KeyWatch<Json> watch;
  check_json_limits(text);
  Json json = Json::parse(text, watch.callback());
  if (watch.twice()) refuse(fmt::format("key \"{}\" comes twice", quotable(*watch.twice())));
  return json;
}

/// An object; throws std::invalid_argument for everything else.
inline Json parse_object(std::string_view text, std::string_view what) {
  try {
    Json json = parse_json(text);
    if (!json.is_object()) refuse(fmt::format("{} is a JSON object", what));
    return json;
  } catch (const Json::exception& error) {  // no JSON, or a number that no double holds
    refuse(fmt::format("no JSON: {}", quotable(reason_of(error))));
  }
}

/// The object that a key of a record holds as text; throws as parse_object, with the key before it.
inline Json object_of(std::string_view key, std::string_view text) {
  try {
    return parse_object(text, fmt::format("what `{}` holds", key));
  } catch (const std::invalid_argument& error) {
    refuse(fmt::format("{}: {}", key, error.what()));
  }
}

}  // namespace schafkopf
