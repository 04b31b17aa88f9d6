// Game records as JSON lines. The replay stands in replay.cpp, the readable text in
// record_text.cpp.
#include "env/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "env/nearest.h"

namespace schafkopf {
namespace {

using Json = nlohmann::ordered_json;  // keeps the order of keys in meta and expect

[[noreturn]] void reject(const std::string& message) { throw std::invalid_argument(message); }

[[noreturn]] void reject(const Json& value, std::string_view allowed) {
  reject(fmt::format("{}, allowed: {}", value.dump(), allowed));
}

std::vector<std::string_view> views_of(std::span<const std::string_view> words) {
  return {words.begin(), words.end()};
}

[[noreturn]] void reject_key(std::string_view key, const std::vector<std::string_view>& known) {
  reject(
      fmt::format("unknown key \"{}\"; the nearest one is \"{}\"", key, nearest_word(key, known)));
}

// Values

int read_int(const Json& value, int min, int max) {
  if (!value.is_number_integer() || value < min || value > max) {
    reject(value, fmt::format("an integer {}..{}", min, max));
  }
  return value.get<int>();
}

int read_seat(const Json& value) { return read_int(value, 0, kNumSeats - 1); }

bool read_bool(const Json& value) {
  if (!value.is_boolean()) reject(value, "true or false");
  return value.get<bool>();
}

std::string read_text(const Json& value, std::string_view allowed) {
  if (!value.is_string()) reject(value, allowed);
  return value.get<std::string>();
}

const Json& read_list(const Json& value, std::string_view allowed) {
  if (!value.is_array()) reject(value, allowed);
  return value;
}

/// [a, b, ...] with a fixed number of items.
const Json& read_tuple(const Json& value, std::size_t size, std::string_view allowed) {
  if (!value.is_array() || value.size() != size) reject(value, allowed);
  return value;
}

const Json& read_object(const Json& value) {
  if (!value.is_object()) reject(value, "an object");
  return value;
}

Card read_card(const Json& value) {
  const auto card = parse_card(read_text(value, "a card such as \"EO\" or \"H10\""));
  if (!card) reject(value, "a card such as \"EO\" or \"H10\"");
  return *card;
}

std::vector<Card> read_cards(const Json& value) {
  std::vector<Card> cards;
  std::ranges::transform(read_list(value, "a list of cards"), std::back_inserter(cards), read_card);
  return cards;
}

// Rules

FieldScalar read_scalar(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float()) return value.get<double>();
  return read_text(value, "a number, a text, true or false");
}

FieldValue read_field(const Json& value) {
  if (value.is_array()) {
    std::vector<std::string> names;
    for (const Json& item : value) names.push_back(read_text(item, "a name"));
    return names;
  }
  if (value.is_object()) {
    FieldTable table;
    for (const auto& [key, item] : value.items()) table.emplace(key, read_scalar(item));
    return table;
  }
  return std::visit([](const auto& scalar) -> FieldValue { return scalar; }, read_scalar(value));
}

Json json_of(const FieldValue& value) {
  if (const auto* table = std::get_if<FieldTable>(&value)) {
    Json object = Json::object();
    for (const auto& [key, item] : *table) {
      object[key] = std::visit([](const auto& scalar) { return Json(scalar); }, item);
    }
    return object;
  }
  if (const auto* names = std::get_if<std::vector<std::string>>(&value)) return Json(*names);
  if (const auto* flag = std::get_if<bool>(&value)) return Json(*flag);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return Json(*integer);
  if (const auto* number = std::get_if<double>(&value)) return Json(*number);
  return Json(std::get<std::string>(value));
}

// Keys

/// A record while its keys are read: what needs two keys is put together at the end.
struct Draft {
  GameRecord record;
  bool has_auction = false;
  bool has_rules = false;
  bool has_hands = false;
  std::optional<int> declarer;
};

void read_rules_key(const Json& value, Draft& draft) {
  draft.has_rules = true;
  if (!value.is_object()) {
    draft.record.preset = read_text(value, "the name of a rule set, or an object");
    return;
  }
  for (const auto& [key, item] : value.items()) {
    if (key == "preset") {
      draft.record.preset = read_text(item, "the name of a rule set");
    } else {
      draft.record.switches.emplace(key, read_field(item));
    }
  }
}

void read_hands(const Json& value, Draft& draft) {
  draft.has_hands = true;
  for (const Json& hand : read_list(value, "a list of hands")) {
    try {
      draft.record.hands.push_back(read_cards(hand));
    } catch (const std::invalid_argument& error) {
      reject(fmt::format("seat {}: {}", draft.record.hands.size(), error.what()));
    }
  }
}

/// Actions that stand in `auction` and belong to systems that are built.
Action read_auction_action(const Json& value) {
  const std::string name = read_text(value, "the name of an action");
  const std::optional<Action> action = parse_action(name);
  if (!action) reject(value, "the name of an action, such as PASS, PLAY, C_SOLO, SUIT_H, CARD EA");
  if (*action == kActionDouble || *action == kActionNoDouble) {
    reject(fmt::format("{} stands in `doublings`", name));
  }
  const bool built = *action < kNumCards || *action == kActionPass || *action == kActionPlay ||
                     *action == kActionYield ||
                     (*action >= kActionSuitE && *action < kActionSuitE + kNumSuits) ||
                     (*action >= kFirstContractAction && *action <= kLastContractAction);
  if (!built) reject(fmt::format("{} is not built yet", name));
  return *action;
}

void read_auction(const Json& value, Draft& draft) {
  draft.has_auction = true;
  constexpr std::string_view kAllowed = "a list of [seat, action]";
  for (const Json& step : read_list(value, kAllowed)) {
    try {
      read_tuple(step, 2, "[seat, action]");
      draft.record.auction.push_back({read_seat(step[0]), read_auction_action(step[1])});
    } catch (const std::invalid_argument& error) {
      reject(fmt::format("step {}: {}", draft.record.auction.size() + 1, error.what()));
    }
  }
}

const ContractRow& read_class(const Json& value) {
  const std::string name = read_text(value, "the name of a contract class");
  const auto* row = std::ranges::find(contract_table(), name, &ContractRow::name).base();
  if (row == contract_table().data() + contract_table().size()) {
    reject(value, fmt::format("{}", fmt::join(names_of(ContractClass{}), ", ")));
  }
  return *row;
}

Suit read_suit(const Json& value) {
  constexpr auto kNames = names_of(Suit{});
  const auto it = std::ranges::find(kNames, read_text(value, "E, G, H or S"));
  if (it == kNames.end()) reject(value, "E, G, H or S");
  return static_cast<Suit>(it - kNames.begin());
}

void read_contract_key(const std::string& key, const Json& value, Contract& contract) {
  static constexpr std::string_view kKeys[] = {"class", "suit", "called", "tout", "bid", "renonce"};
  if (key == "class") {
    contract.contract = read_class(value).contract;
  } else if (key == "suit") {
    contract.suit = read_suit(value);
  } else if (key == "called") {
    contract.called = read_card(value);
  } else if (key == "tout") {
    contract.tout = read_bool(value);
  } else if (key == "bid") {
    if (value != 0) reject("bidding for points is not built yet");
  } else if (key == "renonce") {
    if (read_bool(value)) reject("calling without a card of the suit is not built yet");
  } else {
    reject_key(key, views_of(kKeys));
  }
}

void read_contract(const Json& value, Draft& draft) {
  Contract contract;
  for (const auto& [key, item] : read_object(value).items()) {
    try {
      read_contract_key(key, item, contract);
    } catch (const std::invalid_argument& error) {
      reject(fmt::format("{}: {}", key, error.what()));
    }
  }
  if (!value.contains("class")) reject("class is missing");
  const ContractRow& row = contract_row(contract.contract);
  const auto check = [&](std::string_view key, bool needed) {
    if (value.contains(key) == needed) return;
    reject(fmt::format("{} {} {}", row.name, needed ? "needs a" : "has no", key));
  };
  check("suit", row.trump_suit == TrumpSuit::kAnnounced);
  check("called", row.parties == Parties::kCalledCard);
  if (contract.tout && row.tout_action == 0) reject(fmt::format("{} has no Tout form", row.name));
  draft.record.contract = contract;
}

void read_doublings(const Json& value, Draft& draft) {
  constexpr std::string_view kPair = "[seat, index 0..31 of the card before which it was said]";
  for (const Json& pair : read_list(value, fmt::format("a list of {}", kPair))) {
    read_tuple(pair, 2, kPair);
    draft.record.doublings.push_back({read_seat(pair[0]), read_int(pair[1], 0, kNumCards - 1)});
  }
}

/// DealContext carried in: nothing that is built changes a deal, so every value must be empty.
void read_session(const Json& value, Draft&) {
  static constexpr std::string_view kKeys[] = {
      "stock", "bock", "special_round", "games_left", "owed_games", "queued", "round_position"};
  for (const auto& [key, item] : read_object(value).items()) {
    if (std::ranges::find(kKeys, key) == std::end(kKeys)) reject_key(key, views_of(kKeys));
    const bool zero =
        item.is_null() || item == 0 || item == "none" || (item.is_structured() && item.empty());
    if (!zero) reject(fmt::format("{} = {} is not built yet, allowed: none", key, item.dump()));
  }
}

/// Keys of systems that are not built: only the empty value is read.
void refuse(const Json& value, std::string_view system) {
  if (!value.is_null() && !(value.is_structured() && value.empty())) {
    reject(fmt::format("{} not built yet", system));
  }
}

struct Key {
  std::string_view name;
  void (*read)(const Json&, Draft&);
};

// clang-format off
constexpr Key kKeys[] = {
    {"rules",     read_rules_key},
    {"dealer",    [](const Json& v, Draft& d) { d.record.dealer = read_seat(v); }},
    {"hands",     read_hands},
    {"legen",     [](const Json& v, Draft&) { refuse(v, "doubling on half the hand is"); }},
    {"auction",   read_auction},
    {"contract",  read_contract},
    {"declarer",  [](const Json& v, Draft& d) { d.declarer = read_seat(v); }},
    {"partner",   [](const Json& v, Draft&) { refuse(v, "the Hochzeit is"); }},
    {"exchange",  [](const Json& v, Draft&) { refuse(v, "games that exchange cards are"); }},
    {"doublings", read_doublings},
    {"plays",     [](const Json& v, Draft& d) { d.record.plays = read_cards(v); }},
    {"session",   read_session},
    {"places",    [](const Json& v, Draft&) { refuse(v, "tables of five are"); }},
    {"version",   [](const Json& v, Draft&) { read_int(v, kRecordVersion, kRecordVersion); }},
    {"seed",      [](const Json& v, Draft& d) {
       if (!v.is_number_unsigned()) reject(v, "an integer from 0 to 2^64 - 1");
       d.record.seed = v.get<std::uint64_t>(); }},
    {"id",        [](const Json& v, Draft& d) { d.record.id = read_text(v, "a text"); }},
    {"meta",      [](const Json& v, Draft& d) { d.record.meta = read_object(v).dump(); }},
    {"expect",    [](const Json& v, Draft& d) { d.record.expect = read_object(v).dump(); }},
    {"claims",    [](const Json& v, Draft&) { refuse(v, "claims and infractions are"); }},
};
// clang-format on

void read_key(const std::string& name, const Json& value, Draft& draft) {
  const auto* key = std::ranges::find(kKeys, name, &Key::name);
  if (key == std::end(kKeys)) {
    std::vector<std::string_view> names;
    std::ranges::transform(kKeys, std::back_inserter(names), &Key::name);
    reject_key(name, names);
  }
  try {
    key->read(value, draft);
  } catch (const std::invalid_argument& error) {
    reject(fmt::format("{}: {}", name, error.what()));
  }
}

/// JSON text of one object; a key that comes twice is an error at every depth.
Json parse_json(std::string_view text) {
  std::vector<std::set<std::string>> open;
  std::string twice;
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second)
      twice = parsed.get<std::string>();
    return true;
  };
  try {
    Json json = Json::parse(text, watch);
    if (!json.is_object()) reject("a record is a JSON object");
    if (!twice.empty()) reject(fmt::format("key \"{}\" comes twice", twice));
    return json;
  } catch (const Json::parse_error& error) {
    reject(fmt::format("no JSON: {}", error.what()));
  }
}

/// What needs more than one key.
void finish(Draft& draft) {
  GameRecord& record = draft.record;
  if (!draft.has_rules) reject("rules: missing");
  if (!draft.has_hands) reject("hands: missing");
  if (draft.has_auction == record.contract.has_value()) {
    reject(draft.has_auction ? "contract: stands beside `auction`, allowed: one of them"
                             : "auction: missing, needed: `auction` or `contract`");
  }
  if (record.contract) {
    const ContractRow& row = contract_row(record.contract->contract);
    const bool needed = row.parties != Parties::kEveryone;
    if (draft.declarer.has_value() != needed) {
      reject(fmt::format("declarer: {} {}", row.name, needed ? "needs one" : "has none"));
    }
    record.contract->declarer = draft.declarer.value_or(-1);
  } else if (draft.declarer) {
    reject("declarer: belongs to `contract`, the auction gives it");
  }
  (void)deal_of(record, rules_of(record)->rules());
}

// Writing

Json names_of_cards(const std::vector<Card>& cards) {
  Json list = Json::array();
  for (const Card card : cards) list.push_back(card_name(card));
  return list;
}

Json json_of_rules(const GameRecord& record) {
  if (record.switches.empty() && !record.preset.empty()) return record.preset;
  Json object = Json::object();
  if (!record.preset.empty()) object["preset"] = record.preset;
  for (const auto& [key, value] : record.switches) object[key] = json_of(value);
  return object;
}

Json json_of_contract(const Contract& contract) {
  const ContractRow& row = contract_row(contract.contract);
  Json object = {{"class", row.name}};
  if (row.trump_suit == TrumpSuit::kAnnounced) object["suit"] = to_string(contract.suit);
  if (row.parties == Parties::kCalledCard) object["called"] = card_name(contract.called);
  if (contract.tout) object["tout"] = true;
  return object;
}

Json json_of_auction(const std::vector<AuctionStep>& auction) {
  Json list = Json::array();
  for (const AuctionStep& step : auction) {
    list.push_back(Json::array({step.seat, action_name(step.action)}));
  }
  return list;
}

Json json_of_record(const GameRecord& record) {
  Json json = {{"rules", json_of_rules(record)}, {"dealer", record.dealer}};
  json["hands"] = Json::array();
  for (const auto& hand : record.hands) json["hands"].push_back(names_of_cards(hand));
  if (record.contract) {
    json["contract"] = json_of_contract(*record.contract);
    if (record.contract->declarer >= 0) json["declarer"] = record.contract->declarer;
  } else {
    json["auction"] = json_of_auction(record.auction);
  }
  for (const Doubling& doubling : record.doublings) {
    json["doublings"].push_back(Json::array({doubling.seat, doubling.card_index}));
  }
  json["plays"] = names_of_cards(record.plays);
  if (record.seed) json["seed"] = *record.seed;
  if (record.id) json["id"] = *record.id;
  if (!record.meta.empty()) json["meta"] = Json::parse(record.meta);
  if (!record.expect.empty()) json["expect"] = Json::parse(record.expect);
  return json;
}

// Result

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
  json["session"] = {{"stock", 0}, {"bock", 0}, {"special_round", "none"}, {"games_left", 0}};
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

constexpr std::string_view kResultKeys[] = {
    "trick_winners", "points",    "tricks",     "declarer_party", "declarer_points",
    "won",           "schneider", "schwarz",    "laufende",       "loser",
    "virgins",       "march",     "multiplier", "payoffs",        "session",
    "stock_payoffs", "legal",     "to_move",    "ended"};

}  // namespace

GameRecord parse_record(std::string_view json_line, int line_number) {
  Draft draft;
  draft.record.line = line_number;
  try {
    const Json json = parse_json(json_line);
    for (const auto& [key, value] : json.items()) read_key(key, value, draft);
    finish(draft);
  } catch (const std::invalid_argument& error) {
    if (line_number <= 0) throw;
    reject(fmt::format("line {}: {}", line_number, error.what()));
  }
  return draft.record;
}

std::string to_json(const GameRecord& record) { return json_of_record(record).dump(); }

std::string result_json(const ReplayResult& result) { return json_of_result(result).dump(); }

std::vector<std::string> differences(const GameRecord& record, const ReplayResult& result) {
  std::vector<std::string> lines;
  if (record.expect.empty()) return lines;
  const Json expect = Json::parse(record.expect), found = json_of_result(result);
  for (const auto& [key, value] : expect.items()) {
    if (std::ranges::find(kResultKeys, key) == std::end(kResultKeys)) {
      reject(fmt::format("{}expect: unknown key \"{}\"; the nearest one is \"{}\"",
                         record.line > 0 ? fmt::format("line {}: ", record.line) : "", key,
                         nearest_word(key, kResultKeys)));
    }
    const Json got = found.contains(key) ? found[key] : Json();
    // as plain JSON: the order of keys does not count
    if (nlohmann::json(got) != nlohmann::json(value)) {
      lines.push_back(fmt::format("{}: expected {}, got {}", key, value.dump(), got.dump()));
    }
  }
  return lines;
}

}  // namespace schafkopf
