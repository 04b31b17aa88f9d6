// Game records read from JSON lines. They are written in record_write.cpp and replayed in
// replay.cpp; the readable text stands in record_text.cpp.
#include "env/record/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "env/base/input_limits.h"
#include "env/base/nearest.h"
#include "env/base/refuse.h"
#include "env/record/json_values.h"
#include "env/record/record_keys.h"
#include "env/record/record_parts.h"
#include "env/session/round_queue.h"

namespace schafkopf {
namespace {

// Rules

PlainValue read_scalar(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    return value.get<std::uint64_t>();
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float()) return value.get<double>();
  return read_text(value, "a number, a text, true or false");
}

/// Reads the value of a key; what is refused begins with it.
template <class Read>
void of_key(std::string_view key, const Read& read) {
  try {
    read();
  } catch (const std::invalid_argument& error) {
    refuse(fmt::format("{}: {}", quotable(key), error.what()));
  }
}

PlainValue read_field(const Json& value) {
  if (value.is_array()) {
    PlainList names;
    for (const Json& item : value) names.emplace_back(read_text(item, "a name"));
    return names;
  }
  if (value.is_object()) {
    PlainTable table;
    for (const auto& [key, item] : value.items()) {
      of_key(key, [&] { table.emplace(key, read_scalar(item)); });
    }
    return table;
  }
  return read_scalar(value);
}

// Keys

/// A record while its keys are read: what needs two keys is put together at the end.
struct Draft {
  GameRecord record;
  bool has_auction = false;
  bool has_rules = false;
  bool has_hands = false;
  std::optional<int> dealer, declarer, partner;
  double stock = 0;  // tariff units
};

/// An empty one would be that of no rule set, whose switches are the defaults.
std::string read_rules_name(const Json& value, std::string_view allowed) {
  std::string name = read_text(value, allowed);
  if (name.empty()) reject(value, allowed);
  return name;
}

void read_rules_key(const Json& value, Draft& draft) {
  draft.has_rules = true;
  if (!value.is_object()) {
    draft.record.preset = read_rules_name(value, "the name of a rule set, or an object");
    return;
  }
  for (const auto& [key, item] : value.items()) {
    of_key(key, [&] {
      if (key == "preset") {
        draft.record.preset = read_rules_name(item, "the name of a rule set");
      } else {
        draft.record.switches.emplace(key, read_field(item));
      }
    });
  }
}

void read_hands(const Json& value, Draft& draft) {
  draft.has_hands = true;
  for (const Json& hand : read_list(value, "a list of hands")) {
    of_key(fmt::format("seat {}", draft.record.hands.size()),
           [&] { draft.record.hands.push_back(read_cards(hand)); });
  }
}

void read_legen(const Json& value, Draft& draft) {
  for (const Json& seat : read_list(value, "a list of seats")) {
    draft.record.laid.push_back(read_seat(seat));
  }
}

bool is_claim(Action action) { return claims_rest(action) || is_settlement(action); }

/// Actions that stand in `auction`.
Action read_auction_action(const Json& value) {
  const std::string name = read_text(value, "the name of an action");
  const std::optional<Action> action = parse_action(name);
  if (!action || *action >= kFirstReserved) {
    reject(value, "the name of an action, such as PASS, PLAY, C_SOLO, SUIT_H, CARD EA");
  }
  if (*action == kActionDouble || *action == kActionNoDouble) {
    refuse(fmt::format("{} stands in `doublings`", name));
  }
  if (*action == kActionLay || *action == kActionNoLay) {
    refuse(fmt::format("{} stands in `legen`", name));
  }
  if (is_claim(*action)) refuse(fmt::format("{} stands in `claims`", name));
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
      refuse(fmt::format("step {}: {}", draft.record.auction.size() + 1, error.what()));
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

constexpr std::string_view kContractKeys[] = {"class", "suit", "called", "tout", "bid", "renonce"};

void read_contract_key(const std::string& key, const Json& value, Contract& contract) {
  if (key == "class") {
    contract.contract = read_class(value).contract;
  } else if (key == "suit") {
    contract.suit = read_suit(value);
  } else if (key == "called") {
    contract.called = read_card(value);
  } else if (key == "tout") {
    contract.tout = read_bool(value);
  } else if (key == "bid") {
    const int bid = read_int(value, 0, 120);
    if (bid != 0 && (bid < 70 || bid % 10 != 0)) reject(value, "0, 70, 80 .. 120 (D.5, R-098)");
    contract.bid = bid;
  } else if (key == "renonce") {
    contract.renonce = read_bool(value);
  }
}

void read_contract(const Json& value, Draft& draft) {
  Contract contract;
  read_members(value, kContractKeys, [&](const std::string& key, const Json& item) {
    read_contract_key(key, item, contract);
  });
  if (!value.contains("class")) refuse("class is missing");
  const ContractRow& row = contract_row(contract.contract);
  const auto check = [&](std::string_view key, bool needed) {
    if (value.contains(key) == needed) return;
    refuse(fmt::format("{} {} {}", row.name, needed ? "needs a" : "has no", key));
  };
  check("suit", row.trump_suit == TrumpSuit::kAnnounced);
  check("called", row.parties == Parties::kCalledCard);
  if (contract.tout && row.tout_action == 0) refuse(fmt::format("{} has no Tout form", row.name));
  if (contract.renonce && row.parties != Parties::kCalledCard) {
    refuse(fmt::format("{} has no renonce (C.2)", row.name));
  }
  if (contract.bid != 0 && !row.takes_bid()) refuse(fmt::format("{} has no bid (D.5)", row.name));
  draft.record.contract = contract;
}

void read_doublings(const Json& value, Draft& draft) {
  constexpr std::string_view kPair = "[seat, index 0..31 of the card before which it was said]";
  for (const Json& pair : read_list(value, fmt::format("a list of {}", kPair))) {
    read_tuple(pair, 2, kPair);
    draft.record.doublings.push_back({read_seat(pair[0]), read_int(pair[1], 0, kNumCards - 1)});
  }
}

void read_exchange(const Json& value, Draft& draft) {
  constexpr std::string_view kStep = "[from, to, [cards]]";
  for (const Json& step : read_list(value, fmt::format("a list of {}", kStep))) {
    read_tuple(step, 3, kStep);
    Exchange exchange{read_seat(step[0]), read_seat(step[1]), {}};
    for (const Card card : read_cards(step[2])) {
      if (exchange.cards.contains(card)) refuse(fmt::format("{} comes twice", card_name(card)));
      exchange.cards.add(card);
    }
    if (exchange.cards.empty() || exchange.from == exchange.to) reject(step, kStep);
    draft.record.exchange.push_back(exchange);
  }
}

// Claims and other events at the table

std::string allowed_events() {
  constexpr auto kInfractions = names_of(Infraction{});
  return fmt::format(
      "{}, {}, CLAIM_REST, CONCEDE_REST, CLAIM_LAUFENDE_0 .. _14, CLAIM_SCHWARZ, "
      "CLAIM_NO_SCHWARZ, and classes and suits named during play (E.5, E.6, G.5, C.20.10)",
      kMisdealName, fmt::join(std::span(kInfractions).subspan(1), ", "));
}

/// "CARD", "EA" -> CARD EA; "CLAIM_LAUFENDE", 3 -> CLAIM_LAUFENDE_3.
std::string event_name(const Json& name, const Json& argument) {
  std::string text = read_text(name, allowed_events());
  if (argument.is_null()) return text;
  if (argument.is_string()) return text + " " + argument.get<std::string>();
  return fmt::format("{}_{}", text, read_int(argument, 0, 14));
}

void read_event_name(const Json& event, TableEvent& result) {
  const std::string name = event_name(event[1], event[2]);
  constexpr auto kInfractions = names_of(Infraction{});
  const auto infraction = std::ranges::find(kInfractions, name);
  const std::optional<Action> action = parse_action(name);
  if (name == kMisdealName) {
    result.kind = TableEvent::Kind::kMisdeal;
  } else if (infraction != kInfractions.end() && infraction != kInfractions.begin()) {
    result.kind = TableEvent::Kind::kInfraction;
    result.infraction = static_cast<Infraction>(infraction - kInfractions.begin());
  } else if (action && (is_claim(*action) || *action < kNumCards || *action >= kActionSuitE) &&
             *action < kFirstReserved) {
    result.action = *action;
  } else {
    refuse(fmt::format("\"{}\", allowed: {}", quotable(name), allowed_events()));
  }
}

void read_claims(const Json& value, Draft& draft) {
  constexpr std::string_view kEvent =
      "[seat, event, argument or null, index 0..32 of the card before which it happened]";
  for (const Json& event : read_list(value, fmt::format("a list of {}", kEvent))) {
    std::vector<TableEvent>& claims = draft.record.claims;
    try {
      read_tuple(event, 4, kEvent);
      TableEvent result;
      result.seat = read_seat(event[0]);
      result.card_index = read_int(event[3], 0, kNumCards);
      read_event_name(event, result);
      if (!claims.empty() && claims.back().card_index > result.card_index) {
        reject(event, "events in the order in which they happened");
      }
      claims.push_back(result);
    } catch (const std::invalid_argument& error) {
      refuse(fmt::format("entry {}: {}", claims.size() + 1, error.what()));
    }
  }
}

// Session

SpecialRound read_mode(const Json& value) {
  constexpr auto kNames = names_of(SpecialRound{});
  const auto it = std::ranges::find(kNames, read_text(value, "the name of a special round"));
  if (it == kNames.end()) reject(value, fmt::format("{}", fmt::join(kNames, ", ")));
  return static_cast<SpecialRound>(it - kNames.begin());
}

std::uint8_t read_owed(const Json& value) {
  unsigned owed = 0;
  const std::string allowed = fmt::format("{}, {}, {}", owed_name(0), owed_name(1), owed_name(2));
  for (const Json& item : read_list(value, fmt::format("a list of {}", allowed))) {
    const std::string name = read_text(item, allowed);
    std::size_t bit = 0;
    while (bit < kOwedFamilies.size() && owed_name(bit) != name) ++bit;
    if (bit == kOwedFamilies.size()) reject(item, allowed);
    owed |= 1U << bit;
  }
  return static_cast<std::uint8_t>(owed);
}

/// {"0": ["RUF", "SOLO"], ...} by seat; seats without debts may be left out.
void read_owed_games(const Json& value, DealContext& context) {
  for (const auto& [key, item] : read_object(value).items()) {
    if (key.size() != 1 || key[0] < '0' || key[0] >= '0' + kNumSeats) {
      refuse(fmt::format("seat \"{}\", allowed: 0..{}", quotable(key), kNumSeats - 1));
    }
    context.owed[key[0] - '0'] = read_owed(item);
  }
}

/// [[mode, games], ...]
void read_queued(const Json& value, SessionKeys& session) {
  for (const Json& item : read_list(value, "a list of [special round, games]")) {
    read_tuple(item, 2, "[special round, games]");
    session.queued.push_back({read_mode(item[0]), read_int(item[1], 1, kMostWaitingGames)});
  }
}

constexpr std::string_view kSessionKeys[] = {"stock",      "bock",   "special_round", "games_left",
                                             "owed_games", "queued", "round_position"};

void read_session_key(const std::string& key, const Json& value, Draft& draft) {
  SessionKeys& session = draft.record.session;
  DealContext& context = session.context;
  if (key == "stock") {
    if (!value.is_number()) reject(value, "an amount in tariff units");
    draft.stock = value.get<double>();
  } else if (key == "bock") {
    context.bock = static_cast<std::uint8_t>(read_int(value, 0, kMaxBock));
  } else if (key == "special_round") {
    context.special_round = static_cast<std::uint8_t>(read_mode(value));
  } else if (key == "games_left") {
    context.games_left = static_cast<std::uint8_t>(read_int(value, 0, 255));
  } else if (key == "owed_games") {
    read_owed_games(value, context);
  } else if (key == "queued") {
    read_queued(value, session);
  } else if (key == "round_position") {
    session.round_position = read_int(value, 0, 1000);
  }
}

/// DealContext and state of the session carried in; null stands for nothing.
void read_session(const Json& value, Draft& draft) {
  read_members(value, kSessionKeys, [&](const std::string& key, const Json& item) {
    if (!item.is_null()) read_session_key(key, item, draft);
  });
}

void read_places(const Json& value, Draft& draft) {
  for (const Json& place : read_list(value, "a list of the place of each seat")) {
    draft.record.places.push_back(read_int(place, 0, 4));
  }
}

struct Key {
  std::string_view name;
  void (*read)(const Json&, Draft&);
};

// clang-format off
constexpr Key kKeys[] = {
    {"rules",     read_rules_key},
    {"dealer",    [](const Json& v, Draft& d) { d.dealer = read_seat(v); }},
    {"hands",     read_hands},
    {"legen",     read_legen},
    {"auction",   read_auction},
    {"contract",  read_contract},
    {"declarer",  [](const Json& v, Draft& d) { d.declarer = read_seat(v); }},
    {"partner",   [](const Json& v, Draft& d) { d.partner = read_seat(v); }},
    {"exchange",  read_exchange},
    {"doublings", read_doublings},
    {"plays",     [](const Json& v, Draft& d) { d.record.plays = read_cards(v); }},
    {"session",   read_session},
    {"places",    read_places},
    {"version",   [](const Json& v, Draft&) { read_int(v, kRecordVersion, kRecordVersion); }},
    {"seed",      [](const Json& v, Draft& d) {
       if (!v.is_number_unsigned()) reject(v, "an integer from 0 to 2^64 - 1");
       d.record.seed = v.get<std::uint64_t>(); }},
    {"id",        [](const Json& v, Draft& d) { d.record.id = read_text(v, "a text"); }},
    {"meta",      [](const Json& v, Draft& d) { d.record.meta = read_object(v).dump(); }},
    {"expect",    [](const Json& v, Draft& d) { d.record.expect = read_object(v).dump(); }},
    {"claims",    read_claims},
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
    refuse(fmt::format("{}: {}", name, error.what()));
  }
}

void finish_contract(Draft& draft) {
  GameRecord& record = draft.record;
  if (!record.contract) {
    if (draft.declarer) refuse("declarer: belongs to `contract`, the auction gives it");
    if (draft.partner) refuse("partner: belongs to `contract`, the auction gives it");
    return;
  }
  const ContractRow& row = contract_row(record.contract->contract);
  const bool none = row.parties == Parties::kEveryone;
  const bool optional = row.parties == Parties::kOppositeSeats;  // none in a Kreuzbock
  if (!optional && draft.declarer.has_value() == none) {
    refuse(fmt::format("declarer: {} {}", row.name, none ? "has none" : "needs one"));
  }
  if (draft.partner.has_value() != (row.parties == Parties::kHochzeit)) {
    refuse(fmt::format("partner: {} {}", row.name,
                       draft.partner ? "has none" : "needs the seat that accepted (R-031)"));
  }
  record.contract->declarer = draft.declarer.value_or(-1);
  record.partner = draft.partner.value_or(-1);
}

void check_places(const GameRecord& record, const RuleSet& rules) {
  const std::vector<int>& places = record.places;
  if (places.empty()) return;
  if (rules.players <= kNumSeats || places.size() != kNumSeats) {
    refuse("places: allowed: at tables of five, four different places (B.2)");
  }
  if (record.dealer != kNumSeats - 1) {
    refuse(
        fmt::format("places: dealer = {}, allowed: {}: who deals at a table of five has no seat, "
                    "and the last one has his part (B.2)",
                    record.dealer, kNumSeats - 1));
  }
  for (std::size_t seat = 1; seat < places.size(); ++seat) {
    const int before = places[seat - 1], left_of_it = (before + 1) % kMaxPlaces;
    if (places[seat] == left_of_it) continue;
    refuse(
        fmt::format("places: {} after {}, allowed: {}: seats follow each other from the dealer's "
                    "left on (B.2)",
                    places[seat], before, left_of_it));
  }
}

/// The Stock in 1/scale units.
void finish_stock(Draft& draft, int scale) {
  const double stock = draft.stock * scale;
  const auto amount = static_cast<std::int64_t>(std::llround(stock));
  const bool whole = static_cast<double>(amount) == stock;
  if (!(stock >= 0 && stock <= kMaxStock) || !whole) {
    refuse(fmt::format("session: stock = {}, allowed: 0..{} in steps of 1/{} (G.7)", draft.stock,
                       kMaxStock / scale, scale));
  }
  draft.record.session.context.stock = static_cast<std::int32_t>(amount);
}

/// What needs more than one key.
void finish(Draft& draft) {
  GameRecord& record = draft.record;
  if (!draft.has_rules) refuse("rules: missing");
  if (!draft.has_hands) refuse("hands: missing");
  if (draft.has_auction == record.contract.has_value()) {
    refuse(draft.has_auction ? "contract: stands beside `auction`, allowed: one of them"
                             : "auction: missing, allowed: `auction` or `contract`");
  }
  const auto seats = static_cast<int>(record.hands.size());
  record.dealer = draft.dealer.value_or(std::clamp(seats, 1, kNumSeats) - 1);
  finish_contract(draft);
  const auto rules = rules_of(record);
  finish_stock(draft, rules->tariff_scale());
  check_places(record, rules->rules());
  (void)deal_of(record, rules->rules());
}

}  // namespace

std::shared_ptr<const CompiledRules> parse_rules(std::string_view json) {
  Draft draft;
  try {
    read_rules_key(parse_json(json), draft);
  } catch (const Json::exception& error) {
    refuse(fmt::format("rules: no JSON: {}", quotable(reason_of(error))));
  } catch (const std::invalid_argument& error) {
    refuse(fmt::format("rules: {}", error.what()));
  }
  return rules_of(draft.record);
}

SessionKeys parse_session(std::string_view json, int scale) {
  Draft draft;
  read_session(parse_object(json, "a session"), draft);
  finish_stock(draft, scale);
  return draft.record.session;
}

GameRecord parse_record(std::string_view json_line, int line_number) {
  Draft draft;
  draft.record.line = line_number;
  try {
    const Json json = parse_object(json_line, "a record");
    for (const auto& [key, value] : json.items()) read_key(key, value, draft);
    finish(draft);
  } catch (const std::invalid_argument& error) {
    if (line_number <= 0) throw;
    refuse(fmt::format("line {}: {}", line_number, error.what()));
  }
  return draft.record;
}

}  // namespace schafkopf
