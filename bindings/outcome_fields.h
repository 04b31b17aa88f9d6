// The field table of the keywords of Outcome: every keyword once. Its documentation, checks and
// errors come from here.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "env/base/field.h"
#include "env/cards/contract.h"
#include "env/price/settle.h"

namespace schafkopf {

/// An outcome as Python names it: seats as lists, None for what is left open.
struct OutcomeKeywords {
  Contract contract;
  std::vector<int> declarer_party, points, tricks, trumps_taken;
  std::array<Card, kNumSeats> highest_trump{kNoCard, kNoCard, kNoCard, kNoCard};
  int laufende = 0, doublings = 0;
  bool defenders_doubled_last = false;
  int legen = 0, forehand = 0;
  bool thrown_in = false, stock_deposit = false;
  std::vector<int> announced;
  std::optional<int> claimed_laufende;
  std::optional<bool> claimed_schwarz;
  Infraction infraction = Infraction::kNone;
  std::optional<int> offender;
};

template <>
struct FieldCodec<Contract> : ObjectCodec {
  static PlainValue write(const Contract&) { return kNothing; }
};
template <>
struct FieldCodec<std::array<Card, kNumSeats>> : ObjectCodec {
  static PlainValue write(const std::array<Card, kNumSeats>&) { return PlainList(); }
};

// clang-format off
template <FieldsOf<OutcomeKeywords> Keywords, class Visitor>
void visit_fields(Keywords& k, Visitor&& visit) {
  constexpr int kMaxDoublings = 15;
  visit(Field{.key = "contract", .meaning = "what was played, and by whom", .names = "Contract, its name or a dict; None with thrown_in", .required = true}, k.contract);
  visit(Field{.key = "declarer_party", .meaning = "seats of the declarer's party", .max = kNumSeats - 1, .entries = kNumSeats}, k.declarer_party);
  visit(Field{.key = "points", .meaning = "card points of each seat", .max = kTotalPoints, .entries = kNumSeats}, k.points);
  visit(Field{.key = "tricks", .meaning = "tricks of each seat", .max = kNumRanks, .entries = kNumSeats}, k.tricks);
  visit(Field{.key = "trumps_taken", .meaning = "Ramsch only, for ties: trumps in the tricks of each seat", .max = kNumCards, .entries = kNumSeats}, k.trumps_taken);
  visit(Field{.key = "highest_trump", .meaning = "Ramsch only, for ties: the highest of them", .names = "list of one card per seat, None where a seat has none"}, k.highest_trump);
  visit(Field{.key = "laufende", .meaning = "payable number, after minimum and cap", .max = kNumCards}, k.laufende);
  visit(Field{.key = "doublings", .meaning = "Stoß, Re and so on: how many", .max = kMaxDoublings}, k.doublings);
  visit(Field{.key = "defenders_doubled_last", .meaning = "the last of them was said by the defenders"}, k.defenders_doubled_last);
  visit(Field{.key = "legen", .meaning = "how many have doubled before the cards", .max = kNumSeats}, k.legen);
  visit(Field{.key = "forehand", .meaning = "seat that leads to the first trick", .max = kNumSeats - 1}, k.forehand);
  visit(Field{.key = "thrown_in", .meaning = "all passed, nothing was played"}, k.thrown_in);
  visit(Field{.key = "stock_deposit", .meaning = "all passed, everybody pays into the Stock"}, k.stock_deposit);
  visit(Field{.key = "announced", .meaning = "seats that announced the Jungfrau", .max = kNumSeats - 1, .entries = kNumSeats}, k.announced);
  visit(Field{.key = "claimed_laufende", .meaning = "Laufende that were claimed; None: paid unasked", .max = kMostClaimed}, k.claimed_laufende);
  visit(Field{.key = "claimed_schwarz", .meaning = "whether Schwarz was claimed; None: paid unasked"}, k.claimed_schwarz);
  visit(Field{.key = "infraction", .meaning = "what ended the play"}, k.infraction);
  visit(Field{.key = "offender", .meaning = "whose infraction it was", .max = kNumSeats - 1}, k.offender);
}
// clang-format on

}  // namespace schafkopf
