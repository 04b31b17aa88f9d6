// What records and histories share; not part of their interface.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "env/cards/contract.h"

namespace schafkopf {

struct GameRecord;

/// What the JSON library says is wrong, without the "[json.exception.parse_error.101] " before it.
[[nodiscard]] inline std::string_view reason_of(const std::exception& error) {
  const std::string_view text = error.what();
  const std::size_t end = text.starts_with('[') ? text.find("] ") : std::string_view::npos;
  return end == std::string_view::npos ? text : text.substr(end + 2);
}

/// The value of the key `rules`.
[[nodiscard]] std::string rules_json(const GameRecord& record);

/// Throws std::invalid_argument "line 3: MESSAGE", without the line where it is unknown.
[[noreturn]] void refuse_record(const GameRecord& record, const std::string& message);

/// Throws std::invalid_argument naming the key and what is allowed, where a record made by hand holds
/// seats, cards, actions and classes beyond their tables. Whether its game can be played is asked by
/// replay.
void check_record(const GameRecord& record);

/// Name of a misdeal in the key `claims`.
inline constexpr std::string_view kMisdealName = "EV_MISDEAL";

/// Games that are owed in an Allgaeuer Runde, in the order of the bits of DealContext::owed.
inline constexpr std::array<Family, 3> kOwedFamilies = {Family::kRuf, Family::kWenz, Family::kSolo};
[[nodiscard]] inline std::string_view owed_name(std::size_t bit) {
  return row_of(kOwedFamilies[bit]).name;
}

}  // namespace schafkopf
