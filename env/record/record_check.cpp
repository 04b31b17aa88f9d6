// Numbers beyond the tables, which no reader of records makes; a record made by hand may have them. Its
// texts are looked at where they are written or read.
#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "env/base/refuse.h"
#include "env/record/record.h"
#include "env/record/record_parts.h"
#include "env/session/round_queue.h"

namespace schafkopf {
namespace {

void check_number(std::string_view key, std::int64_t number, std::int64_t least,
                  std::int64_t most) {
  if (number >= least && number <= most) return;
  refuse(fmt::format("{} = {}, allowed: {}..{}", key, number, least, most));
}

void check_seat(std::string_view key, int seat) { check_number(key, seat, 0, kNumSeats - 1); }

/// key  of one card, made before: there are dozens
void check_cards(std::string_view key, const std::vector<Card>& cards) {
  for (const Card card : cards) check_number(key, card, 0, kNumCards - 1);
}

void check_contract(const GameRecord& record) {
  const Contract& contract = *record.contract;
  check_number("contract: class", static_cast<int>(contract.contract), 0, kNumContractClasses - 1);
  check_number("contract: suit", static_cast<int>(contract.suit), 0, kNumSuits - 1);
  if (contract_row(contract.contract).parties == Parties::kCalledCard) {
    check_number("contract: called", contract.called, 0, kNumCards - 1);
  }
  check_number("declarer", contract.declarer, -1, kNumSeats - 1);
  check_number("partner", record.partner, -1, kNumSeats - 1);
}

void check_event(const TableEvent& event) {
  check_seat("claims: seat", event.seat);
  check_number("claims: kind", static_cast<int>(event.kind), 0,
               static_cast<int>(TableEvent::Kind::kMisdeal));
  check_number("claims: index of the card", event.card_index, 0, kNumCards);
  if (event.kind == TableEvent::Kind::kAction) {
    check_number("claims: action", event.action, 0, kLastContractAction);
  } else if (event.kind == TableEvent::Kind::kInfraction) {
    check_number("claims: infraction", static_cast<int>(event.infraction), 1,
                 kNumValues<Infraction> - 1);
  }
}

void check_session(const SessionKeys& session) {
  constexpr int kMostRound = kNumValues<SpecialRound> - 1;
  check_number("session: special_round", session.context.special_round, 0, kMostRound);
  for (const std::uint8_t owed : session.context.owed) {
    check_number("session: owed games", owed, 0, kOwesAll);
  }
  for (const QueuedRound& round : session.queued) {
    check_number("session: queued", static_cast<int>(round.mode), 0, kMostRound);
    check_number("session: games that wait", round.games, 1, kMostWaitingGames);
  }
}

void check_steps(const GameRecord& record) {
  check_seat("dealer", record.dealer);
  for (const auto& hand : record.hands) check_cards("hands: card", hand);
  for (const int seat : record.laid) check_seat("legen", seat);
  for (const AuctionStep& step : record.auction) {
    check_seat("auction: seat", step.seat);
    check_number("auction: action", step.action, 0, kLastContractAction);
  }
  for (const Exchange& step : record.exchange) {
    check_seat("exchange: from", step.from);
    check_seat("exchange: to", step.to);
  }
  for (const Doubling& doubling : record.doublings) {
    check_seat("doublings: seat", doubling.seat);
    check_number("doublings: index of the card", doubling.card_index, 0, kNumCards - 1);
  }
  check_cards("plays: card", record.plays);
  for (const TableEvent& event : record.claims) check_event(event);
}

}  // namespace

void refuse_record(const GameRecord& record, const std::string& message) {
  refuse(record.line > 0 ? fmt::format("line {}: {}", record.line, message) : message);
}

void check_record(const GameRecord& record) {
  try {
    check_steps(record);
    if (record.contract) check_contract(record);
    check_session(record.session);
    for (const int place : record.places) check_number("places", place, 0, kMaxPlaces - 1);
  } catch (const std::invalid_argument& error) {
    refuse_record(record, error.what());
  }
}

}  // namespace schafkopf
