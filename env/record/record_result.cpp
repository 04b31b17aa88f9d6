// What a replay found, as a JSON line, and its differences to what a record expects.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "env/base/input_limits.h"
#include "env/base/nearest.h"
#include "env/record/json_values.h"
#include "env/record/record.h"
#include "env/record/record_parts.h"

namespace schafkopf {
namespace {

Json seats_in(std::uint8_t mask) {
  Json list = Json::array();
  for (int seat = 0; seat < kNumSeats; ++seat) {
    if (((mask >> seat) & 1) != 0) list.push_back(seat);
  }
  return list;
}

template <class Number, std::size_t N>
Json first(const std::array<Number, N>& values, int seats) {
  return Json(std::vector<Number>(values.begin(), values.begin() + seats));
}

/// Amounts in tariff units: integers, or halves as 2.5.
Json amounts(const std::array<std::int32_t, kNumSeats>& values, int seats, int scale) {
  Json list = Json::array();
  for (int seat = 0; seat < seats; ++seat) {
    const std::int32_t amount = values[static_cast<std::size_t>(seat)];
    if (amount % scale == 0) {
      list.push_back(amount / scale);
    } else {
      list.push_back(static_cast<double>(amount) / scale);
    }
  }
  return list;
}

Json seat_or_null(int seat) { return seat < 0 ? Json() : Json(seat); }

void add_settlement(const ReplayResult& result, Json& json) {
  const Settlement& settlement = result.settlement;
  json["declarer_party"] = seats_in(result.declarer_party);
  if (result.everyone_alone) {
    json["loser"] = seat_or_null(settlement.loser);
    json["virgins"] = seats_in(settlement.virgins);
    json["march"] = seat_or_null(settlement.march);
  } else if (!result.thrown_in) {
    json["declarer_points"] = settlement.declarer_points;
    json["won"] = settlement.won;
    json["schneider"] = settlement.schneider;
    json["schwarz"] = settlement.schwarz;
    json["laufende"] = settlement.laufende;
  }
  json["multiplier"] = settlement.multiplier;
  json["payoffs"] = amounts(settlement.payoffs, result.seats, result.tariff_scale);
  json["stock_payoffs"] = amounts(settlement.stock_payoffs, result.seats, result.tariff_scale);
  json["session"] = Json::parse(session_json(result.session, result.tariff_scale));
  if (!result.ended.empty()) json["ended"] = result.ended;
}

Json json_of_result(const ReplayResult& result) {
  Json json = {{"trick_winners", result.trick_winners},
               {"points", first(result.points, result.seats)},
               {"tricks", first(result.tricks, result.seats)}};
  if (result.finished) {
    add_settlement(result, json);
  } else {
    json["legal"] = result.legal;
    json["to_move"] = result.to_move;
  }
  return json;
}

Json expected_of(const GameRecord& record) {
  try {
    return object_of("expect", record.expect);
  } catch (const std::invalid_argument& error) {
    refuse_record(record, error.what());
  }
}

constexpr std::string_view kResultKeys[] = {
    "trick_winners", "points",    "tricks",     "declarer_party", "declarer_points",
    "won",           "schneider", "schwarz",    "laufende",       "loser",
    "virgins",       "march",     "multiplier", "payoffs",        "session",
    "stock_payoffs", "legal",     "to_move",    "ended"};

}  // namespace

std::string result_json(const ReplayResult& result) { return json_of_result(result).dump(); }

std::vector<std::string> differences(const GameRecord& record, const ReplayResult& result) {
  std::vector<std::string> lines;
  if (record.expect.empty()) return lines;
  const Json expect = expected_of(record), found = json_of_result(result);
  for (const auto& [key, value] : expect.items()) {
    if (std::ranges::find(kResultKeys, key) == std::end(kResultKeys)) {
      refuse_record(record,
                    fmt::format("expect: unknown key \"{}\", allowed: {}{}", quotable(key),
                                fmt::join(kResultKeys, ", "), nearest_hint(key, kResultKeys)));
    }
    const Json got = found.contains(key) ? found[key] : Json();
    // as plain JSON: the order of keys does not count
    if (nlohmann::json(got) != nlohmann::json(value)) {
      lines.push_back(
          fmt::format("{}: expected {}, got {}", key, quotable(value.dump()), got.dump()));
    }
  }
  return lines;
}

}  // namespace schafkopf
