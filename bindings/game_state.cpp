// What a Game of Python says of itself: the whole truth, all hands.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/game_parts.h"

namespace schafkopf::python {
namespace {

/// What is settled after the cards comes after all of them; an event has no room for that number.
py::dict event_to_dict(const Event& event, int num_plays) {
  py::dict row;
  row["seat"] = int{event.seat};
  row["action"] = action_name(event.action);
  row["cards_before"] = is_settlement(event.action) ? num_plays : int{event.cards_before};
  row["ran_away"] = event.flag;
  row["secret"] = event.secret;
  return row;
}

}  // namespace

void add_state(py::class_<PythonGame>& game) {
  game.def_property_readonly(
          "phase", [](const PythonGame& g) { return std::string(phase_name(g.game.phase())); },
          "Name of what is asked now, \"PLAY\", \"AUCTION_ROUND\" ... (RULES D.1); \"DONE\" when "
          "the deal is over.")
      .def_property_readonly(
          "is_terminal", [](const PythonGame& g) { return g.game.is_terminal(); },
          "Whether the deal is over, so that payoffs() has an answer.")
      .def_property_readonly(
          "current_player", [](const PythonGame& g) { return g.game.current_player(); },
          "Seat whose turn it is, -1 when the deal is over.")
      .def_property_readonly(
          "seats", [](const PythonGame& g) { return g.game.seats(); },
          "Number of seats that play, 3 or 4.")
      .def_property_readonly(
          "dealer", [](const PythonGame& g) { return g.game.dealer(); },
          "Seat that dealt; forehand sits to its left.")
      .def_property_readonly(
          "forehand", [](const PythonGame& g) { return g.game.forehand(); },
          "Seat that speaks first and leads to the first trick.")
      .def_property_readonly(
          "rules_name", [](const PythonGame& g) { return g.rules->name(); },
          "Name of the rule set of the game.")
      .def_property_readonly(
          "contract",
          [](const PythonGame& g) -> std::optional<Contract> {
            if (!g.game.has_contract()) return std::nullopt;
            return g.game.contract();
          },
          "The Contract that is played, None before there is one.")
      .def_property_readonly(
          "declarer_party",
          [](const PythonGame& g) {
            std::vector<int> seats;
            for (int seat = 0; seat < g.game.seats(); ++seat) {
              if (((g.game.declarer_party() >> seat) & 1) != 0) {
                seats.push_back(seat);
              }
            }
            return seats;
          },
          "Seats of the declarer's party, lowest first, whether others know it or not.")
      .def_property_readonly(
          "doubling_level", [](const PythonGame& g) { return g.game.doubling_level(); },
          "Doublings so far by Kontra and its answers (RULES F.3).")
      .def_property_readonly(
          "max_doublings",
          [](const PythonGame& g) {
            if (!g.game.has_contract()) return 0;
            return g.game.rules().max_doublings(contract_row(g.game.contract().contract));
          },
          "How many doublings the rules allow in this contract, where they ask for any (RULES "
          "F.3); 0 without one.")
      .def_property_readonly(
          "plays",
          [](const PythonGame& g) {
            std::vector<std::pair<int, std::string>> plays;
            for (int i = 0; i < g.game.num_plays(); ++i) {
              plays.emplace_back(g.game.played_by(i), card_name(g.game.played_card(i)));
            }
            return plays;
          },
          "(seat, card) in the order played.")
      .def_property_readonly(
          "events",
          [](const PythonGame& g) {
            py::list events;
            for (int i = 0; i < g.game.num_events(); ++i) {
              events.append(event_to_dict(g.game.event(i), g.game.num_plays()));
            }
            return events;
          },
          "Events before and between the cards, in order; secret ones are known to their seat "
          "alone.")
      .def_property_readonly(
          "context", [](const PythonGame& g) { return g.game.context(); },
          "DealContext: what the deal inherited from its session.")
      .def_property_readonly(
          "partner", [](const PythonGame& g) { return g.game.partner(); },
          "Partner of the declarer, hidden or not; -1 = none.")
      .def_property_readonly(
          "num_laid", [](const PythonGame& g) { return g.game.num_laid(); },
          "How many seats doubled on half a hand (Legen, RULES F.1).")
      .def_property_readonly(
          "open_cards", [](const PythonGame& g) { return names_of_cards(g.game.open_cards()); },
          "Cards of the declarer that lie open (Bettel-Brett).")
      .def(
          "given",
          [](const PythonGame& g, Whole<"seat", int, 0, kNumSeats - 1> seat) {
            return names_of_cards(g.game.given(seat_from(seat, "seat")));
          },
          py::arg("seat"), R"(Cards that a seat passed on before the play.

Raises:  ValueError: a seat that is none of 0..3.)")
      .def(
          "received",
          [](const PythonGame& g, Whole<"seat", int, 0, kNumSeats - 1> seat) {
            return names_of_cards(g.game.received(seat_from(seat, "seat")));
          },
          py::arg("seat"), R"(Cards that a seat got before the play.

Raises:  ValueError: a seat that is none of 0..3.)")
      .def(
          "hand",
          [](const PythonGame& g, Whole<"seat", int, 0, kNumSeats - 1> seat) {
            return names_of_cards(g.game.hand(seat_from(seat, "seat")));
          },
          py::arg("seat"), R"(Cards that a seat holds now.

Raises:  ValueError: a seat that is none of 0..3.)")
      .def(
          "dealt",
          [](const PythonGame& g, Whole<"seat", int, 0, kNumSeats - 1> seat) {
            return names_of_cards(g.game.dealt(seat_from(seat, "seat")));
          },
          py::arg("seat"), R"(Cards that a seat was dealt, before any exchange.

Raises:  ValueError: a seat that is none of 0..3.)")
      .def(
          "captured",
          [](const PythonGame& g, Whole<"seat", int, 0, kNumSeats - 1> seat) {
            return names_of_cards(g.game.captured(seat_from(seat, "seat")));
          },
          py::arg("seat"), R"(Cards in the tricks that a seat won.

Raises:  ValueError: a seat that is none of 0..3.)");
}

}  // namespace schafkopf::python
