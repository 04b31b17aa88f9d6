// Game records written as JSON lines.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <variant>

#include "env/base/refuse.h"
#include "env/record/json_values.h"
#include "env/record/record.h"
#include "env/record/record_parts.h"

namespace schafkopf {
namespace {

Json json_of(const PlainValue& value) {
  return std::visit(
      []<class Inner>(const Inner& inner) -> Json {
        if constexpr (std::is_same_v<Inner, PlainTable>) {
          Json object = Json::object();
          for (const auto& [key, item] : inner) object[key] = json_of(item);
          return object;
        } else if constexpr (std::is_same_v<Inner, PlainList>) {
          Json list = Json::array();
          for (const PlainValue& item : inner) list.push_back(json_of(item));
          return list;
        } else if constexpr (std::is_same_v<Inner, StrangeValue>) {
          return inner.text;
        } else {
          return inner;
        }
      },
      value);
}

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
  if (contract.bid != 0) object["bid"] = contract.bid;
  if (contract.renonce) object["renonce"] = true;
  return object;
}

Json json_of_session(const SessionKeys& session, int scale) {
  const DealContext& context = session.context;
  Json json;
  json["stock"] = 0;
  if (context.stock % scale == 0) {
    json["stock"] = context.stock / scale;
  } else {
    json["stock"] = static_cast<double>(context.stock) / scale;
  }
  json["bock"] = context.bock;
  json["special_round"] = name_of(context.mode());
  json["games_left"] = context.games_left;
  Json owed = Json::object(), queued = Json::array();
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    for (std::size_t bit = 0; bit < kOwedFamilies.size(); ++bit) {
      if (((context.owed[seat] >> bit) & 1) == 0) continue;
      owed[std::to_string(seat)].push_back(owed_name(bit));
    }
  }
  for (const QueuedRound& round : session.queued) {
    queued.push_back(Json::array({name_of(round.mode), round.games}));
  }
  if (!owed.empty()) json["owed_games"] = owed;
  if (!queued.empty()) json["queued"] = queued;
  if (session.round_position != 0) json["round_position"] = session.round_position;
  return json;
}

Json json_of_exchange(const std::vector<Exchange>& exchange) {
  Json list = Json::array();
  for (const Exchange& step : exchange) {
    std::vector<Card> cards;
    for (const Card card : step.cards) cards.push_back(card);
    list.push_back(Json::array({step.from, step.to, names_of_cards(cards)}));
  }
  return list;
}

Json json_of_claims(const std::vector<TableEvent>& claims) {
  Json list = Json::array();
  for (const TableEvent& event : claims) {
    list.push_back(Json::array({event.seat, event_name(event), nullptr, event.card_index}));
  }
  return list;
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
  if (!record.laid.empty()) json["legen"] = record.laid;
  if (record.contract) {
    json["contract"] = json_of_contract(*record.contract);
    if (record.contract->declarer >= 0) json["declarer"] = record.contract->declarer;
    if (record.partner >= 0) json["partner"] = record.partner;
  } else {
    json["auction"] = json_of_auction(record.auction);
  }
  if (!record.exchange.empty()) json["exchange"] = json_of_exchange(record.exchange);
  for (const Doubling& doubling : record.doublings) {
    json["doublings"].push_back(Json::array({doubling.seat, doubling.card_index}));
  }
  json["plays"] = names_of_cards(record.plays);
  if (!record.claims.empty()) json["claims"] = json_of_claims(record.claims);
  if (record.session != SessionKeys{}) {
    const int scale = record.session.context.stock == 0 ? 1 : rules_of(record)->tariff_scale();
    json["session"] = json_of_session(record.session, scale);
  }
  if (!record.places.empty()) json["places"] = record.places;
  if (record.seed) json["seed"] = *record.seed;
  if (record.id) json["id"] = *record.id;
  if (!record.meta.empty()) json["meta"] = object_of("meta", record.meta);
  if (!record.expect.empty()) json["expect"] = object_of("expect", record.expect);
  return json;
}

/// Texts are written as they are: what is no UTF-8 cannot be.
void check_texts(const GameRecord& record) {
  std::string_view key = "rules";
  try {
    (void)rules_json(record);
    key = "id";
    (void)Json(record.id.value_or("")).dump();
  } catch (const Json::exception& error) {
    refuse(fmt::format("{}: {}", key, quotable(reason_of(error))));
  }
}

}  // namespace

std::string to_json(const GameRecord& record) {
  check_record(record);
  try {
    check_texts(record);
    return json_of_record(record).dump();
  } catch (const std::invalid_argument& error) {
    refuse_record(record, error.what());
  }
}

std::string rules_json(const GameRecord& record) { return json_of_rules(record).dump(); }

std::string session_json(const SessionKeys& session, int scale) {
  if (scale < 1) refuse("scale = " + std::to_string(scale) + ", allowed: integer >= 1");
  return json_of_session(session, scale).dump();
}

std::string event_name(const TableEvent& event) {
  switch (event.kind) {
    case TableEvent::Kind::kInfraction:
      return std::string(name_of(event.infraction));
    case TableEvent::Kind::kMisdeal:
      return std::string(kMisdealName);
    case TableEvent::Kind::kAction:
      break;
  }
  return action_name(event.action);
}

}  // namespace schafkopf
