// Settlement for Python: what happened in a deal, its price, and the price in words.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/common.h"
#include "bindings/outcome_fields.h"
#include "bindings/pickles.h"
#include "bindings/plain_values.h"
#include "env/base/input_limits.h"
#include "env/base/nearest.h"
#include "env/base/refuse.h"
#include "env/base/wrong_argument.h"
#include "env/cards/contract.h"
#include "env/price/settle.h"
#include "env/price/settle_text.h"
#include "env/record/entered_result.h"
#include "env/record/input_check.h"

namespace schafkopf::python {
namespace {

std::uint8_t seats_to_bits(const char* key, const std::vector<int>& seats) {
  unsigned bits = 0;
  for (const int seat : seats) {
    const unsigned bit = 1u << static_cast<unsigned>(seat);
    if ((bits & bit) != 0) refuse_argument(key, fmt::format(": seat {} comes twice", seat));
    bits |= bit;
  }
  return static_cast<std::uint8_t>(bits);
}

std::vector<int> bits_to_seats(unsigned bits) {
  std::vector<int> seats;
  for (int seat = 0; seat < kNumSeats; ++seat) {
    if (((bits >> seat) & 1u) != 0) seats.push_back(seat);
  }
  return seats;
}

/// One card per seat; None or "-" where a seat has taken no trump.
std::array<Card, kNumSeats> highest_trumps(const Field& field, const py::handle& cards) {
  std::array<Card, kNumSeats> result{};
  result.fill(kNoCard);
  const bool list = py::isinstance<py::list>(cards) || py::isinstance<py::tuple>(cards);
  if (!list || py::len(cards) > kNumSeats) {
    refuse_keyword(field.key, cards, field.names);
  }
  std::size_t seat = 0;
  for_each_element(cards, field.key, field.names, [&](const py::handle& card) {
    if (seat == kNumSeats) refuse_keyword(field.key, cards, field.names);  // it grew meanwhile
    const bool none =
        card.is_none() || (py::isinstance<py::str>(card) && card.cast<std::string>() == "-");
    result[seat++] = none ? kNoCard : card_from(card);
  });
  return result;
}

Infraction infraction_from(const std::string& name) {
  constexpr auto kNames = names_of(Infraction{});
  const auto* const it = std::ranges::find(kNames, name);
  if (it == kNames.end()) {
    schafkopf::refuse_argument("infraction",
                               fmt::format(" = \"{}\", allowed: {}{}", quotable(name),
                                           fmt::join(kNames, ", "), nearest_hint(name, kNames)));
  }
  return static_cast<Infraction>(it - kNames.begin());
}

std::vector<py::object> highest_names(const Outcome& outcome) {
  std::vector<py::object> names;
  for (const Card card : outcome.highest_trump) {
    names.push_back(card == kNoCard ? py::object(py::none())
                                    : py::object(py::str(card_name(card))));
  }
  return names;
}

/// A price that depends on points or tricks needs them: left out they would be nobody's.
void check_named(const Outcome& outcome, const py::kwargs& given) {
  const ContractRow& row = contract_row(outcome.contract.contract);
  if (outcome.thrown_in || outcome.infraction != Infraction::kNone) return;
  const bool points = row.goal == Goal::kMajority || row.goal == Goal::kFewestPoints;
  const auto require = [&](const char* key, bool needed) {
    if (!needed || given.contains(key)) return;
    throw std::invalid_argument(fmt::format("{} is missing: the price of {} depends on it", key,
                                            contract_name(row.contract, outcome.contract.tout)));
  };
  require("points", points && !outcome.contract.tout);
  require("tricks", row.goal != Goal::kFixedHand);
}

// How a keyword becomes a member: those that no plain value holds have their own function.
void set_outcome_member(const Field&, const py::handle& value, Contract& contract) {
  contract = contract_from(value);
}
void set_outcome_member(const Field& field, const py::handle& value,
                        std::array<Card, kNumSeats>& cards) {
  cards = highest_trumps(field, value);
}
template <class Member>
  requires(!ObjectMember<Member>)
void set_outcome_member(const Field& field, const py::handle& value, Member& member) {
  assign_member(field, plain_value_from(value), member);
}

Outcome outcome_of(const OutcomeKeywords& k) {
  Outcome outcome;
  if (!k.thrown_in) outcome.contract = k.contract;  // nothing was played
  outcome.declarer_party = seats_to_bits("declarer_party", k.declarer_party);
  std::ranges::copy(k.points, outcome.points.begin());
  std::ranges::copy(k.tricks, outcome.tricks.begin());
  std::ranges::copy(k.trumps_taken, outcome.trumps_taken.begin());
  outcome.highest_trump = k.highest_trump;
  outcome.laufende = k.laufende;
  outcome.level = k.doublings;
  outcome.defenders_doubled_last = k.defenders_doubled_last;
  outcome.legen = k.legen;
  outcome.forehand = k.forehand;
  outcome.thrown_in = k.thrown_in;
  outcome.stock_deposit = k.stock_deposit;
  outcome.announced = seats_to_bits("announced", k.announced);
  outcome.claimed_laufende = k.claimed_laufende.value_or(-1);
  outcome.claimed_schwarz = k.claimed_schwarz ? static_cast<int>(*k.claimed_schwarz) : -1;
  outcome.infraction = k.infraction;
  outcome.offender = k.offender.value_or(-1);
  return outcome;
}

Outcome make_outcome(const py::object& contract, const py::kwargs& given) {
  OutcomeKeywords keywords;
  const auto set = [&](const std::string& key, const py::handle& value) {
    bool known = false;
    visit_fields(keywords, [&](const Field& field, auto& member) {
      if (field.key != key) return;
      known = true;
      set_outcome_member(field, value, member);
    });
    if (!known) refuse_keyword("Outcome", key, keys_of(slots_of(keywords)));
  };
  for (const auto& [key, value] : given) set(py::str(key), value);
  if (!contract.is_none()) {
    set("contract", contract);
  } else if (!keywords.thrown_in) {
    refuse("contract = None, allowed: a Contract; None where thrown_in is True");
  }
  if (keywords.infraction != Infraction::kNone && !keywords.offender) {
    refuse("offender = None, allowed: a seat, whose infraction it was");
  }
  const Outcome outcome = outcome_of(keywords);
  check_named(outcome, given);
  return outcome;
}

py::object number_or_none(int number) {
  return number < 0 ? py::object(py::none()) : py::object(py::int_(number));
}

py::dict settlement_to_dict(const Settlement& s, const CompiledRules& rules) {
  const auto in_units = [&rules](std::int32_t amount) {
    return static_cast<double>(amount) / rules.tariff_scale();
  };
  py::dict result;
  result["payoffs"] = in_tariff_units(s.payoffs, rules);
  result["stock_payoffs"] = in_tariff_units(s.stock_payoffs, rules);
  result["reuegeld"] = in_units(s.reuegeld);
  result["price"] = in_units(s.price);
  result["declarer_points"] = s.declarer_points;
  result["won"] = s.won;
  result["schneider"] = s.schneider;
  result["schwarz"] = s.schwarz;
  result["schwarz_paid"] = s.schwarz_paid;
  result["laufende"] = s.laufende;
  result["laufende_paid"] = s.laufende_paid;
  result["loser"] = number_or_none(s.loser);
  result["virgins"] = bits_to_seats(s.virgins);
  result["march"] = number_or_none(s.march);
  result["multiplier"] = s.multiplier;
  return result;
}

/// None where nothing was played.
std::optional<Contract> contract_played(const Outcome& outcome) {
  return outcome.thrown_in ? std::nullopt : std::optional(outcome.contract);
}

std::optional<bool> claimed_schwarz_of(const Outcome& outcome) {
  return outcome.claimed_schwarz < 0 ? std::nullopt : std::optional(outcome.claimed_schwarz == 1);
}

/// (contract, the other keywords, whether nobody declared), as make_outcome takes them.
py::tuple pickled_outcome(const Outcome& o) {
  const auto list = [](const auto& values) {
    return std::vector<int>(values.begin(), values.end());
  };
  const py::dict given;
  given["declarer_party"] = bits_to_seats(o.declarer_party);
  given["points"] = list(o.points);
  given["tricks"] = list(o.tricks);
  given["trumps_taken"] = list(o.trumps_taken);
  given["highest_trump"] = highest_names(o);
  given["laufende"] = o.laufende;
  given["doublings"] = o.level;
  given["defenders_doubled_last"] = o.defenders_doubled_last;
  given["legen"] = o.legen;
  given["forehand"] = o.forehand;
  given["thrown_in"] = o.thrown_in;
  given["stock_deposit"] = o.stock_deposit;
  given["announced"] = bits_to_seats(o.announced);
  given["claimed_laufende"] = number_or_none(o.claimed_laufende);
  given["claimed_schwarz"] = claimed_schwarz_of(o);
  given["infraction"] = std::string(name_of(o.infraction));
  given["offender"] = number_or_none(o.offender);
  return py::make_tuple(contract_played(o), given, o.all_passed);
}

Outcome unpickled_outcome(const py::object& state) {
  const py::tuple parts = pickled_tuple(state, 3, "Outcome");
  if (!py::isinstance<py::dict>(parts[1])) {
    throw std::invalid_argument("Outcome: a pickle that holds a dict was expected");
  }
  Outcome outcome = make_outcome(parts[0], py::reinterpret_borrow<py::kwargs>(parts[1]));
  outcome.all_passed = flag_from(parts[2], "all_passed");
  return outcome;
}

/// Stock and Reuegeld are the declarer's: without him they would be nobody's.
void check_declarer(const Outcome& outcome, const RuleSet& rules, const DealContext& context) {
  const ContractRow& row = contract_row(outcome.contract.contract);
  const bool named = outcome.contract.declarer >= 0 || row.parties == Parties::kEveryone ||
                     row.parties == Parties::kOppositeSeats;
  if (outcome.thrown_in || named || (context.stock == 0 && rules.reuegeld == 0)) return;
  throw std::invalid_argument(
      fmt::format("contract: {} names no declarer; Stock and Reuegeld depend on him", row.name));
}

void register_outcome(py::module_& module) {
  py::class_<Outcome>(module, "Outcome",
                      ("What happened in a deal: all that its price depends on.\n\nArgs:    " +
                       arguments_text(slots_of(OutcomeKeywords())) +
                       "Raises:  ValueError: a value out of range, or points or tricks missing "
                       "that the price depends on.\n"
                       "         TypeError: an unknown keyword, with the nearest one.")
                          .c_str())
      .def(py::init(&make_outcome), py::arg("contract"))
      .def_property_readonly("contract", &contract_played,
                             "What was played, and by whom: a Contract; None of a deal that was "
                             "thrown in.")
      .def_property_readonly(
          "declarer_party", [](const Outcome& o) { return bits_to_seats(o.declarer_party); },
          "Seats of the declarer's party, lowest first.")
      .def_property_readonly(
          "points",
          [](const Outcome& o) { return std::vector<int>(o.points.begin(), o.points.end()); },
          "Card points of each seat, 120 together in a deck of 32 (RULES A.3).")
      .def_property_readonly(
          "tricks",
          [](const Outcome& o) { return std::vector<int>(o.tricks.begin(), o.tricks.end()); },
          "Tricks that each seat won itself.")
      .def_property_readonly(
          "trumps_taken",
          [](const Outcome& o) {
            return std::vector<int>(o.trumps_taken.begin(), o.trumps_taken.end());
          },
          "Trumps in the tricks of each seat; decides ties of the Ramsch only (RULES C.6).")
      .def_property_readonly("highest_trump", &highest_names,
                             "Highest trump in the tricks of each seat, None where it has none; "
                             "for ties of the Ramsch (RULES C.6).")
      .def_readonly("laufende", &Outcome::laufende,
                    "Payable number of Laufende, after minimum and cap (RULES G.4).")
      .def_readonly("doublings", &Outcome::level,
                    "How many doublings there were by Kontra and its answers (RULES F.3).")
      .def_readonly("legen", &Outcome::legen,
                    "How many seats doubled before they had all cards (RULES F.1).")
      .def_readonly("thrown_in", &Outcome::thrown_in,
                    "Whether all passed and nothing was played (RULES D.6).")
      .def_readonly("stock_deposit", &Outcome::stock_deposit,
                    "Whether all passed and everybody pays into the Stock (RULES G.7).")
      .def_readonly("defenders_doubled_last", &Outcome::defenders_doubled_last,
                    "Whether the defenders said the last doubling: it shifts the points they need "
                    "(RULES F.5).")
      .def_property_readonly(
          "announced", [](const Outcome& o) { return bits_to_seats(o.announced); },
          "Seats that announced the Jungfrau, lowest first (RULES C.6).")
      .def_property_readonly(
          "infraction", [](const Outcome& o) { return std::string(name_of(o.infraction)); },
          "Name of what ended the play, \"INF_REVOKE\" ... (RULES E.6); \"NONE\" = nothing.")
      .def_property_readonly(
          "offender", [](const Outcome& o) { return number_or_none(o.offender); },
          "Seat whose infraction it was, None without one.")
      .def_readonly("forehand", &Outcome::forehand, "Seat that led to the first trick.")
      .def_property_readonly(
          "claimed_laufende", [](const Outcome& o) { return number_or_none(o.claimed_laufende); },
          "Laufende that were claimed, None where they are paid unasked (RULES G.5).")
      .def_property_readonly(
          "claimed_schwarz", &claimed_schwarz_of,
          "Whether Schwarz was claimed, None where it is paid unasked (RULES G.5).")
      .def(
          "__eq__",
          [](const Outcome& a, const Outcome& b) {
            return pickled_outcome(a).equal(pickled_outcome(b));
          },
          py::is_operator())
      .def("__repr__",
           [](const Outcome& o) {
             if (o.thrown_in) return std::string("<Outcome, thrown in>");
             return fmt::format("<Outcome {}, points [{}], tricks [{}]>",
                                py::repr(py::cast(o.contract)).cast<std::string>(),
                                fmt::join(o.points, ", "), fmt::join(o.tricks, ", "));
           })
      .def(py::pickle(&pickled_outcome, &unpickled_outcome));
}

py::list parts_to_list(const PythonGame& game) {
  if (!game.game.is_terminal()) throw std::invalid_argument("the game is not over yet");
  const RuleSet& rules = game.rules->rules();
  py::list parts;
  for (const SettlementStep& step :
       settlement_parts(game.game.outcome(), rules, game.game.context())) {
    std::vector<double> amounts;
    for (const std::int32_t amount : step.amounts) {
      amounts.push_back(static_cast<double>(amount) / rules.tariff.scale);
    }
    py::dict part;
    part["kind"] = name_of(step.kind);
    part["pattern"] = step.pattern;
    part["seat"] = number_or_none(step.seat);
    part["amounts"] = amounts;
    parts.append(part);
  }
  return parts;
}

// ---- results entered by hand --------------------------------------------------------------------

/// Reads the keyword arguments of price_result; None is "left out". What is wrong with one is a
/// WrongArgument.
class EnteredReader {
 public:
  explicit EnteredReader(py::dict given) : given_(std::move(given)) {}

  /// Takes the argument out of those that are left.
  py::object take(const char* key) {
    keys_.emplace_back(key);
    if (!given_.contains(key)) return py::none();
    return given_.attr("pop")(key);
  }
  std::optional<int> whole(const char* key) {
    const py::object value = take(key);
    return value.is_none() ? std::nullopt : std::optional(number(key, value));
  }
  std::optional<std::vector<int>> numbers(const char* key) {
    const py::object values = take(key);
    if (values.is_none()) return std::nullopt;
    std::vector<int> result;
    for (const py::handle value : sequence(key, values)) result.push_back(number(key, value));
    return result;
  }
  std::optional<std::vector<Card>> cards(const char* key) {
    const py::object values = take(key);
    if (values.is_none()) return std::nullopt;
    std::vector<Card> result;
    for (const py::handle value : sequence(key, values)) result.push_back(card(key, value));
    return result;
  }
  std::optional<bool> flag(const char* key) {
    const py::object value = take(key);
    if (value.is_none()) return std::nullopt;
    if (!py::isinstance<py::bool_>(value)) refuse_type(key, value, "True or False");
    return value.cast<bool>();
  }
  std::string text(const char* key, const char* otherwise) {
    const py::object value = take(key);
    if (value.is_none()) return otherwise;
    if (!py::isinstance<py::str>(value)) refuse_type(key, value, "a str");
    return utf8_from(value, key);
  }
  /// Nothing may be left that was not asked for.
  void finish() const {
    for (const auto& [key, unused] : given_) refuse_keyword("price_result", py::str(key), keys_);
  }

 private:
  [[noreturn]] static void refuse_type(const char* key, const py::handle& value,
                                       const char* allowed) {
    refuse_argument(
        key, fmt::format(": a value of type {} came, allowed: {}", type_name(value), allowed));
  }
  static py::list sequence(const char* key, const py::object& values) {
    if (!py::isinstance<py::list>(values) && !py::isinstance<py::tuple>(values)) {
      refuse_type(key, values, "a list");
    }
    return py::list(values);
  }
  static int number(const char* key, const py::handle& value) {
    if (py::isinstance<py::bool_>(value) || PyIndex_Check(value.ptr()) == 0) {
      refuse_type(key, value, "an integer");
    }
    const auto whole = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
    if (!whole) throw py::error_already_set();
    constexpr int kMost = std::numeric_limits<int>::max();
    if (whole < py::int_(-kMost) || whole > py::int_(kMost)) {
      refuse_argument(key, fmt::format(" = {}, allowed: -{}..{}",
                                       py::str(whole).cast<std::string>(), kMost, kMost));
    }
    return whole.cast<int>();
  }
  static Card card(const char* key, const py::handle& value) {
    if (value.is_none() || value.equal(py::str("-"))) return kNoCard;
    try {
      return card_from(value);
    } catch (const std::invalid_argument& error) {
      refuse_argument(key, fmt::format(": {}", error.what()));
    }
  }

  py::dict given_;
  std::vector<std::string_view> keys_;
};

EnteredResult entered_from(const py::kwargs& arguments) {
  EnteredReader reader(arguments.attr("copy")());
  EnteredResult entered;
  entered.contract = reader.text("contract", "");
  entered.stock_deposit = reader.flag("stock_deposit").value_or(false);
  entered.declarer = reader.whole("declarer");
  entered.partner = reader.whole("partner");
  entered.points = reader.numbers("points");
  entered.tricks = reader.numbers("tricks");
  entered.trumps_taken = reader.numbers("trumps_taken");
  entered.highest_trump = reader.cards("highest_trump");
  entered.laufende = reader.whole("laufende").value_or(0);
  entered.doublings = reader.whole("doublings").value_or(0);
  entered.legen = reader.whole("legen").value_or(0);
  entered.bock = reader.whole("bock").value_or(0);
  entered.stock = reader.whole("stock").value_or(0);
  entered.bid = reader.whole("bid").value_or(0);
  entered.forehand = reader.whole("forehand").value_or(0);
  entered.announced = reader.numbers("announced").value_or(std::vector<int>{});
  entered.claimed_laufende = reader.whole("claimed_laufende");
  entered.claimed_schwarz = reader.flag("claimed_schwarz");
  entered.infraction = infraction_from(reader.text("infraction", "NONE"));
  entered.offender = reader.whole("offender");
  reader.finish();
  return entered;
}

void register_price_result(py::module_& module) {
  module.def(
      "price_result",
      [](const py::object& rules, const py::kwargs& entered) {
        const auto held = rules_from(rules);
        const PricedResult priced = price_result(entered_from(entered), *held->compiled);
        return std::tuple(priced.outcome, priced.context, priced.steps);
      },
      py::arg("rules") = "research",
      R"(Price of a result as a person enters it.

Args:    contract: "SOLO_TOUT"; None = the deal was thrown in;  stock_deposit: and all paid into
         the Stock.
         declarer, partner: seats;  points, tricks: a list of one number, of the declarer party, or
         of one per seat where everybody plays alone.
         trumps_taken, highest_trump: ties of the Ramsch, one per seat; None or "-" = no trump.
         laufende: the top run, before minimum and cap;  bid, forehand, stock (tariff units).
         doublings, legen, bock: how many;  announced: seats that announced the Jungfrau.
         claimed_laufende, claimed_schwarz, infraction, offender: as in Outcome.
         What the price does not depend on may be left out.
Raises:  WrongArgument: what no deal under these rules has, or a number that decides is missing.
Returns: (Outcome, DealContext, the price in words, one step per entry).)");
}

}  // namespace

void register_settlement(py::module_& module) {
  module.def(
      "outcome_fields", [] { return rows_to_python(field_rows(slots_of(OutcomeKeywords()))); },
      "Keywords of Outcome: key, group, meaning, unit, allowed, names, default.");
  register_outcome(module);
  register_price_result(module);
  module.def(
      "settle",
      [](const Outcome& outcome, const py::object& rules, const std::optional<DealContext>& given) {
        const auto held = rules_from(rules);
        const DealContext context = given.value_or(DealContext{});
        check_outcome(outcome, *held->compiled, context);
        check_declarer(outcome, held->compiled->rules(), context);
        return settlement_to_dict(settle(outcome, *held->compiled, context), *held->compiled);
      },
      py::arg("outcome"), py::arg("rules") = "research", py::arg("context") = py::none(),
      R"(Price of a deal and who pays it (RULES G).

Args:    context: DealContext, None = DealContext(), that of a deal without a session.
Raises:  ValueError: an outcome that no deal under these rules has, one without the declarer that
         Stock and Reuegeld depend on, unknown rules.  TypeError: no Outcome, or no DealContext.
Returns: dict: payoffs and stock_payoffs per seat in tariff units, price per payer, reuegeld,
         declarer_points, won, schneider, schwarz, laufende, multiplier; schwarz_paid and
         laufende_paid: what of them is paid, less where it has to be claimed; loser, virgins and
         march of a Ramsch, elsewhere None and [].)");
  module.def(
      "settlement_steps",
      [](const Outcome& outcome, const py::object& rules, const std::optional<DealContext>& given) {
        const auto compiled = rules_from(rules)->compiled;
        const DealContext context = given.value_or(DealContext{});
        check_outcome(outcome, *compiled, context);
        check_declarer(outcome, compiled->rules(), context);
        return settlement_steps(outcome, *compiled, context);
      },
      py::arg("outcome"), py::arg("rules") = "research", py::arg("context") = py::none(),
      R"(The price of `settle` in words, one step per line.

Args:    context: as of `settle`.
Raises:  ValueError, TypeError: as `settle`.)");
  module.def(
      "game_settlement",
      [](const PythonGame& game) {
        if (!game.game.is_terminal()) throw std::invalid_argument("the game is not over yet");
        return settlement_to_dict(game.game.settlement(), *game.rules);
      },
      py::arg("game"), R"(Settlement of a finished game, as `settle` gives it.

Raises:  ValueError: the game is not over.  TypeError: no Game.)");
  module.def("settlement_parts", &parts_to_list, py::arg("game"),
             R"(How the price of a finished game comes about, for those who name players themselves.

Returns: dicts: kind ("other", "loser", "stock", "payoffs"), pattern with {game} and {seat} where
         their names belong, seat that it means or None, amounts per seat in tariff units.
Raises:  ValueError: the game is not over.)");
}

}  // namespace schafkopf::python
