// Game records for Python: JSON text in, JSON text out; the package turns it into dicts.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/common.h"
#include "bindings/gil.h"
#include "env/record/record.h"

namespace schafkopf::python {
namespace {

/// Of a line in its file; 0: none.
using LineNumber = Whole<"line_number", int, 0>;

}  // namespace

void register_records(py::module_& module) {
  module.attr("RECORD_VERSION") = kRecordVersion;
  module.def(
      "replay_json",
      [](const Text<"line">& line, LineNumber line_number) {
        const GilReleased release;
        return result_json(replay(parse_record(line.value, line_number)));
      },
      py::arg("line"), py::arg("line_number") = 0,
      R"(Replay one game record, a JSON line, and give the result as a JSON line.

Raises:  ValueError: unknown key, impossible card or illegal play; names line, trick, seat, card and
         the legal cards.)");
  module.def(
      "check_json",
      [](const Text<"line">& line, LineNumber line_number) {
        const GameRecord record = parse_record(line.value, line_number);
        const ReplayResult result = replay(record);
        return std::pair(result_json(result), differences(record, result));
      },
      py::arg("line"), py::arg("line_number") = 0,
      "Result of a replay and its differences to the record's `expect`.");
  module.def(
      "record_to_text",
      [](const Text<"line">& line, LineNumber line_number) {
        return to_text(parse_record(line.value, line_number));
      },
      py::arg("line"), py::arg("line_number") = 0, "Readable text of a record given as JSON line.");
  module.def(
      "text_to_record",
      [](const Text<"text">& text, Whole<"first_line", int, 0> first_line) {
        return to_json(parse_text(text.value, first_line));
      },
      py::arg("text"), py::arg("first_line") = 0,
      "JSON line of a record given as readable text; first_line numbers its lines in messages "
      "where "
      "it is a part of a file.");
  module.def(
      "split_text",
      [](const Text<"text">& text) {
        std::vector<std::pair<int, std::string>> games;
        for (const TextGame& game : split_text(text.value))
          games.emplace_back(game.first_line, game.text);
        return games;
      },
      py::arg("text"), "(number of the first line, text) of each game of a file in readable text.");
  module.def(
      "record_json",
      [](const PythonGame& game, const std::optional<Deal>& deal) {
        return to_json(record_of(game.game, deal));
      },
      py::arg("game"), py::arg("deal") = py::none(),
      R"(Record of a game at any moment, as a JSON line; `deal` keeps the order of the hands.

Silent questions are not recorded: one that is open is answered with no, and so is an action without
alternative, when the record is replayed; of an unfinished game that may stop at a later question.)");
  module.def(
      "replay_game",
      [](const Text<"line">& line, LineNumber line_number) {
        const ReplayedGame replayed = replay_game(parse_record(line.value, line_number));
        return PythonGame{replayed.rules, replayed.game};
      },
      py::arg("line"), py::arg("line_number") = 0, "Game at the end of a record.");
  module.def(
      "display", [](const PythonGame& game, bool claims) { return display(game.game, claims); },
      py::arg("game"), py::arg("claims") = true,
      "State of a running game for people: contract, hands, trick, who is to act and what is "
      "legal; "
      "claims: CLAIM_REST and CONCEDE_REST too, where the rules have them.");
}

}  // namespace schafkopf::python
