// The packed bytes of view lines by name, for Python: the accessors of env/view/view.h over whole
// planes at once.
#include <fmt/format.h>
#include <pybind11/gil_safe_call_once.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bindings/common.h"
#include "env/view/view.h"

namespace schafkopf::python {
namespace {

struct PlayFields {
  std::uint8_t card, seat;
  bool known;
};

struct EventFields {
  std::uint8_t action, seat, cards_before;
  bool flag, known;
};

struct CardsFields {
  std::uint8_t seat, trick, cards_on_table;
  std::int8_t contract;
  bool tout;
  std::uint8_t declarer, leader, partner, doubling_level;
  bool may_claim, may_concede, partner_known, ran_away, owns_called, to_act, done, renonce;
};

/// Fields of a dtype without gaps, in order.
class FieldList {
 public:
  FieldList& add(const char* format, std::initializer_list<const char*> names) {
    for (const char* name : names) fields_.append(py::make_tuple(name, format));
    return *this;
  }
  [[nodiscard]] py::dtype build(std::size_t size) const {
    const py::object dtype = py::module_::import("numpy").attr("dtype")(fields_);
    if (dtype.attr("itemsize").cast<std::size_t>() != size) {
      throw std::logic_error("unpacked fields and their dtype differ in size");
    }
    return dtype.cast<py::dtype>();
  }

 private:
  py::list fields_;
};

// Made once, as the dtypes of the lines (bindings/views.cpp).
template <class Make>
py::dtype made_once(py::gil_safe_call_once_and_store<py::dtype>& storage, Make&& make) {
  return storage.call_once_and_store_result(std::forward<Make>(make)).get_stored();
}

py::dtype play_dtype() {
  PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<py::dtype> storage;
  return made_once(storage, [] {
    return FieldList().add("u1", {"card", "seat"}).add("?", {"known"}).build(sizeof(PlayFields));
  });
}

py::dtype event_dtype() {
  PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<py::dtype> storage;
  return made_once(storage, [] {
    return FieldList()
        .add("u1", {"action", "seat", "cards_before"})
        .add("?", {"flag", "known"})
        .build(sizeof(EventFields));
  });
}

py::dtype situation_dtype() {
  PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<py::dtype> storage;
  return made_once(storage, [] {
    return FieldList()
        .add("u1", {"seat", "trick", "cards_on_table"})
        .add("i1", {"contract"})
        .add("?", {"tout"})
        .add("u1", {"declarer", "leader", "partner", "doubling_level"})
        .add("?", {"may_claim", "may_concede", "partner_known", "ran_away", "owns_called", "to_act",
                   "done", "renonce"})
        .build(sizeof(CardsFields));
  });
}

PlayFields fields_of(const SeenPlay& play) {
  return {play.card, static_cast<std::uint8_t>(play.seat), play.known};
}

EventFields fields_of(const SeenEvent& event, bool known) {
  return {event.action, static_cast<std::uint8_t>(event.seat),
          static_cast<std::uint8_t>(event.cards_before), event.flag, known};
}

CardsFields fields_of(const CardsLine& line) {
  const auto byte = [](int value) { return static_cast<std::uint8_t>(value); };
  return {.seat = byte(line.seat()),
          .trick = byte(line.trick_number()),
          .cards_on_table = byte(line.cards_on_table()),
          .contract = static_cast<std::int8_t>(line.contract_code() - 1),
          .tout = line.is_tout(),
          .declarer = byte(line.declarer()),
          .leader = byte(line.leader()),
          .partner = byte(line.partner()),
          .doubling_level = byte(line.doubling_level()),
          .may_claim = line.has(kFlagClaimRest),
          .may_concede = line.has(kFlagConcedeRest),
          .partner_known = line.has(kFlagPartnerKnown),
          .ran_away = line.has(kFlagRanAway),
          .owns_called = line.has(kFlagOwnsCalled),
          .to_act = line.has(kFlagToAct),
          .done = line.has(kFlagDone),
          .renonce = line.has(kFlagRenonce)};
}

/// Lines of one kind in any shape, and what is unpacked from them: `per_line` records each.
template <class Line, class Record, class Write>
py::object unpack(const py::object& lines, const char* what, const py::dtype& line_dtype,
                  const py::dtype& record_dtype, py::ssize_t per_line, Write&& write) {
  const py::module_ numpy = py::module_::import("numpy");
  const py::array given = numpy.attr("asarray")(lines);
  if (!numpy.attr("can_cast")(given.dtype(), line_dtype, "equiv").cast<bool>()) {
    throw std::invalid_argument(
        fmt::format("{}: {} came, allowed: lines of {}, one or an array of any shape", what,
                    describe_array(given), what));
  }
  const py::array rows = numpy.attr("array")(given, line_dtype, py::arg("order") = "C");
  std::vector<py::ssize_t> shape(rows.shape(), rows.shape() + rows.ndim());
  if (per_line > 1) shape.push_back(per_line);
  py::array result(record_dtype, shape);
  const auto* line = static_cast<const Line*>(rows.data());
  auto* record = static_cast<Record*>(result.mutable_data());
  for (py::ssize_t row = 0; row < rows.size(); ++row, record += per_line) {
    Line copy;  // NumPy need not align to cache lines
    std::memcpy(&copy,
                reinterpret_cast<const std::uint8_t*>(line) + row * py::ssize_t{sizeof(Line)},
                sizeof copy);
    write(copy, record);
  }
  return per_line == 1 && shape.empty() ? py::object(result[py::tuple()]) : py::object(result);
}

py::object unpack_cards(const py::object& cards) {
  return unpack<CardsLine, CardsFields>(
      cards, "CARDS_DTYPE", cards_dtype(), situation_dtype(), 1,
      [](const CardsLine& line, CardsFields* record) { *record = fields_of(line); });
}

py::object unpack_plays(const py::object& order) {
  constexpr int kMost = static_cast<int>(std::size(OrderLine{}.plays));
  return unpack<OrderLine, PlayFields>(order, "ORDER_DTYPE", order_dtype(), play_dtype(), kMost,
                                       [](const OrderLine& line, PlayFields* record) {
                                         for (int i = 0; i < kMost; ++i)
                                           record[i] = fields_of(line.play(i));
                                       });
}

py::object unpack_events(const py::object& events) {
  return unpack<EventsLine, EventFields>(
      events, "EVENTS_DTYPE", events_dtype(), event_dtype(), EventsLine::kMost,
      [](const EventsLine& line, EventFields* record) {
        for (int i = 0; i < EventsLine::kMost; ++i) {
          record[i] = fields_of(line.event(i), packed::is_event(line.events[i]));
        }
      });
}

}  // namespace

void register_unpack(py::module_& module) {
  module.attr("NO_SEAT") = kNoSeat;
  module.def("unpack_cards", &unpack_cards, py::arg("cards"),
             R"(Fields of cards lines that share a byte, by name.

Args:    cards: lines of CARDS_DTYPE, one or an array [...]: view["cards"],
         env.cards.view(CARDS_DTYPE).
Returns: record or array [...] of uint8 seat (absolute, of the viewer), trick, cards_on_table,
         declarer, leader, partner (relative seats, NO_SEAT = none or not known), doubling_level;
         int8 contract (index of CONTRACT_CLASSES, -1 = none or not public); bool tout, may_claim,
         may_concede, partner_known, ran_away, owns_called, to_act, done, renonce.
Raises:  ValueError: another dtype.)");
  module.def("unpack_plays", &unpack_plays, py::arg("order"),
             R"(Cards played, in order.

Args:    order: lines of ORDER_DTYPE, one or an array [...]: view["order"].
Returns: array [..., 32] of uint8 card, uint8 seat (relative), bool known: false from num_plays on,
         and for cards that history_view = last_trick has forgotten; card and seat are then 0.
Raises:  ValueError: another dtype.)");
  module.def("unpack_events", &unpack_events, py::arg("events"),
             R"(Public events, in order.

Args:    events: lines of EVENTS_DTYPE, one or an array [...]: view["events"].
Returns: array [..., 32] of uint8 action, uint8 seat (relative), uint8 cards_before (cards played
         before it, modulo 32: 0 too where all were, as of a claim on demand), bool flag (a called card: its owner ran away), bool known: false from
         num_events on; everything is then 0.
Raises:  ValueError: another dtype.)");
}

}  // namespace schafkopf::python
