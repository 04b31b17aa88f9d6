// View lines as structured NumPy arrays, and the encoder for Python.
#include <fmt/format.h>
#include <pybind11/gil_safe_call_once.h>

#include <bit>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "bindings/card_maps.h"
#include "bindings/common.h"
#include "env/cards/card_map.h"
#include "env/cards/contract.h"
#include "env/cards/contract_class.h"
#include "env/price/settle.h"
#include "env/rules/rules.h"
#include "env/view/encoder.h"
#include "env/view/packed_row.h"
#include "env/view/single_rule_table.h"

namespace schafkopf::python {
namespace {

/// Layout of observation rows by its number.
using Version = Whole<"version", int, 1, static_cast<int>(kLastVersion)>;

ObservationVersion version_of(Version version) {
  return static_cast<ObservationVersion>(version.value);
}

/// Structured dtype of a line: fields by name at their offsets, reserved bytes left out.
class LineDtype {
 public:
  explicit LineDtype(std::size_t itemsize) : itemsize_(itemsize) {}
  LineDtype& add(const char* name, const py::object& format, std::size_t offset) {
    names_.append(name);
    formats_.append(format);
    offsets_.append(offset);
    return *this;
  }
  LineDtype& add(const char* name, const char* format, std::size_t offset) {
    return add(name, py::str(format), offset);
  }
  [[nodiscard]] py::dtype build() const {
    return py::dtype(names_, formats_, offsets_, static_cast<py::ssize_t>(itemsize_));
  }

 private:
  py::list names_, formats_, offsets_;
  std::size_t itemsize_;
};

[[noreturn]] void bad_view(std::size_t row, const char* field, std::int64_t value) {
  throw std::invalid_argument(
      fmt::format("views[{}]: {} = {} stands in no view of a game", row, field, value));
}

bool has_declarer(const CardsLine& cards) {
  if (cards.contract_code() == 0) return false;
  const Parties parties =
      contract_row(static_cast<ContractClass>(cards.contract_code() - 1)).parties;
  return parties != Parties::kEveryone && parties != Parties::kOppositeSeats;
}

// Readers index tables by these fields; views made by hand must not lead outside.
void check_view(const CardsLine& cards, const OrderLine& order, std::size_t row) {
  if (cards.phase >= kNumPhases) bad_view(row, "phase", cards.phase);
  if (cards.contract_code() > kNumContractClasses) bad_view(row, "contract", cards.contract);
  if (cards.called_card >= kNumCards && cards.called_card != kNoCard) {
    bad_view(row, "called_card", cards.called_card);
  }
  if (cards.trump_suit > kNumSuits) bad_view(row, "trump_suit", cards.trump_suit);
  if (cards.declarer() > kNoSeat || cards.leader() > kNoSeat ||
      cards.declarer_leader != packed::declarer_leader(cards.declarer(), cards.leader())) {
    bad_view(row, "declarer_leader", cards.declarer_leader);
  }
  if (has_declarer(cards) && cards.declarer() == kNoSeat) {
    bad_view(row, "declarer_leader", cards.declarer_leader);
  }
  if (cards.partner() > kNoSeat) bad_view(row, "partner_level", cards.partner_level);
  if (cards.trick_number() > 8) bad_view(row, "seat_trick", cards.seat_trick);
  const bool in_play = cards.phase == static_cast<std::uint8_t>(Phase::kPlay);
  if (order.num_plays > 32 || (in_play && order.num_plays < cards.cards_on_table())) {
    bad_view(row, "num_plays", order.num_plays);
  }
  if (order.num_events > 32) bad_view(row, "num_events", order.num_events);
  if (order.dealer >= kNumSeats) bad_view(row, "dealer", order.dealer);
  if (order.card_map >= num_card_maps()) bad_view(row, "card_map", order.card_map);
  if (order.special_round >= kNumValues<SpecialRound>) {
    bad_view(row, "special_round", order.special_round);
  }
  if (order.deck > 1) bad_view(row, "deck", order.deck);
  if (order.seats != 3 && order.seats != 4) bad_view(row, "seats", order.seats);
  if (order.stock < 0 || order.stock > kMaxStock) bad_view(row, "stock", order.stock);
  const bool plays = in_play && cards.has(kFlagToAct);
  if (plays && (cards.legal == 0 || (cards.legal & ~cards.hand) != 0)) {
    bad_view(row, "legal", cards.legal);
  }
}

py::dict sections_to_slices(std::span<const Section> sections) {
  py::dict result;
  for (const Section& section : sections) {
    result[py::str(std::string(section.name))] =
        py::slice(section.offset, section.offset + section.length, 1);
  }
  return result;
}

py::list sections_to_rows(std::span<const Section> sections) {
  py::list rows;
  for (const Section& section : sections) {
    py::dict row;
    row["name"] = std::string(section.name);
    row["offset"] = section.offset;
    row["length"] = section.length;
    row["scale"] = static_cast<double>(section.scale);
    row["meaning"] = std::string(section.meaning);
    rows.append(row);
  }
  return rows;
}

template <class T>
py::array encode_as(const ViewBatch& batch, ObservationForm form) {
  const int size = observation_size(form.version);
  py::array_t<T> result({static_cast<py::ssize_t>(batch.size), py::ssize_t{size}});
  const std::size_t cells = batch.size * static_cast<std::size_t>(size);
  expand(form, batch, std::span<T>(result.mutable_data(), cells));
  return result;
}

py::array packed_rows(const ViewBatch& batch, CardIndex cards) {
  py::array_t<std::uint8_t> result(
      {static_cast<py::ssize_t>(batch.size), py::ssize_t{kPackedRowBytes}});
  std::vector<ViewLines> views;
  std::vector<std::uint8_t*> rows;
  for (std::size_t i = 0; i < batch.size; ++i) {
    views.push_back({&batch.cards[i], &batch.order[i], &batch.events[i]});
    rows.push_back(result.mutable_data() + i * std::size_t{kPackedRowBytes});
  }
  pack_views(views, cards, rows.data());
  return result;
}

py::list packed_table() {
  py::list rows;
  for (const PackedSection& section : packed_sections()) {
    py::dict row;
    row["name"] = std::string(section.name);
    row["offset"] = section.offset;
    row["width"] = section.width;
    row["count"] = section.count;
    row["places"] = section.places;
    row["first"] = section.first;
    rows.append(row);
  }
  return rows;
}

template <class T>
py::array expand_as(std::span<const std::uint8_t> packed, py::ssize_t rows) {
  py::array_t<T> result({rows, py::ssize_t{kExpandedSize}});
  expand_packed(packed,
                std::span<T>(result.mutable_data(), static_cast<std::size_t>(result.size())));
  return result;
}

py::array expand_packed_rows(const py::object& rows, const Text<"dtype">& dtype) {
  const bool is_bytes =
      py::isinstance<py::array>(rows) &&
      py::reinterpret_borrow<py::array>(rows).dtype().equal(py::dtype::of<std::uint8_t>());
  const auto array = is_bytes ? py::array_t<std::uint8_t, py::array::c_style>::ensure(rows)
                              : py::array_t<std::uint8_t, py::array::c_style>();
  if (!is_bytes || array.ndim() != 2 || array.shape(1) != kPackedRowBytes) {
    throw std::invalid_argument(
        fmt::format("rows: {}, allowed: uint8 [B, {}], as observation=\"packed\" "
                    "gives them",
                    describe_array(rows), kPackedRowBytes));
  }
  const std::span packed(array.data(), static_cast<std::size_t>(array.size()));
  if (dtype.value == "uint8") return expand_as<std::uint8_t>(packed, array.shape(0));
  if (dtype.value == "float32") return expand_as<float>(packed, array.shape(0));
  throw std::invalid_argument(
      fmt::format("dtype = \"{}\", allowed: uint8, float32", quotable(dtype.value)));
}

/// The name of a dtype: as text, or as NumPy has it (np.uint8, np.dtype("uint8")).
std::string dtype_name(const py::object& dtype) {
  if (py::isinstance<py::str>(dtype)) return utf8_from(dtype, "dtype");
  const auto numpy = py::module_::import("numpy");
  for (const char* name : {"float32", "uint8"}) {
    const bool is_dtype = py::isinstance<py::dtype>(dtype) && dtype.equal(py::dtype(name));
    if (is_dtype || dtype.is(numpy.attr(name))) return name;
  }
  refuse_keyword("dtype", dtype, "float32, uint8, packed");
}

py::array encode(const py::object& views, const py::object& rules, const py::object& given,
                 Version version, const Text<"cards">& cards) {
  const std::string dtype = dtype_name(given);
  const ViewPlanes planes = planes_from(views);
  const std::shared_ptr<const CompiledRules> compiled = rules_from(rules)->compiled;
  const SingleRuleTable table(*compiled);
  const ViewBatch batch = planes.batch(&table.table());
  const ObservationForm form{version_of(version), card_index_from(cards)};
  if (dtype == "uint8") return encode_as<std::uint8_t>(batch, form);
  if (dtype == "float32") return encode_as<float>(batch, form);
  if (dtype == "packed" && form.version == ObservationVersion::kV1) {
    check_observable(batch, form.version);
    return packed_rows(batch, form.cards);
  }
  throw std::invalid_argument(
      fmt::format("dtype = \"{}\" of version {}, allowed: uint8, float32, packed for version 1",
                  quotable(dtype), version.value));
}

py::array_t<std::uint8_t> legal_mask(const py::object& views, const Text<"cards">& cards) {
  const ViewPlanes planes = planes_from(views);
  const bool canonical = card_index_from(cards) == CardIndex::kCanonical;
  py::array_t<std::uint8_t> result(
      {static_cast<py::ssize_t>(planes.cards.size()), py::ssize_t{kNumActions}});
  std::uint8_t* cell = result.mutable_data();
  for (std::size_t row = 0; row < planes.cards.size(); ++row) {
    ActionMask mask = legal_actions(planes.cards[row]);
    if (canonical) mask = to_canonical(mask, planes.order[row].card_map);
    for (int action = 0; action < kNumActions; ++action) {
      *cell++ = mask.contains(static_cast<Action>(action)) ? 1 : 0;
    }
  }
  return result;
}

}  // namespace

void refuse_masked(const py::handle& value, std::string_view name) {
  if (Py_TYPE(value.ptr()) == py::detail::npy_api::get().PyArray_Type_ ||
      !py::hasattr(value, "_mask"))
    return;
  const py::module_ masked = py::module_::import("numpy.ma"), numpy = py::module_::import("numpy");
  const py::object mask = masked.attr("getmask")(value);
  if (mask.is(masked.attr("nomask"))) return;
  // a mask of views has one for each of their fields
  const py::object bits = numpy.attr("ascontiguousarray")(mask).attr("view")(numpy.attr("bool_"));
  if (!bits.attr("any")().cast<bool>()) return;
  throw std::invalid_argument(fmt::format(
      "{}: a masked array that hides entries came, allowed: one with all of them (filled())",
      name));
}

std::string describe_array(const py::handle& value) {
  if (!py::isinstance<py::array>(value)) {
    return py::type::handle_of(value).attr("__name__").cast<std::string>();
  }
  const auto array = py::reinterpret_borrow<py::array>(value);
  std::string shape;
  for (py::ssize_t i = 0; i < array.ndim(); ++i) {
    shape += fmt::format("{}{}", i == 0 ? "" : ", ", array.shape(i));
  }
  return fmt::format("{} [{}]", py::str(array.dtype()).cast<std::string>(), shape);
}

// All made once: NumPy parses the text of a format, which Python 3.11 cannot do in several threads
// at a time, and players are asked by threads.
py::dtype cards_dtype() {
  PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<py::dtype> storage;
  return storage
      .call_once_and_store_result([] {
        return LineDtype(sizeof(CardsLine))
            .add("hand", "<u4", offsetof(CardsLine, hand))
            .add("legal", "<u4", offsetof(CardsLine, legal))
            .add("phase", "u1", offsetof(CardsLine, phase))
            .add("contract", "u1", offsetof(CardsLine, contract))
            .add("called_card", "u1", offsetof(CardsLine, called_card))
            .add("trump_suit", "u1", offsetof(CardsLine, trump_suit))
            .add("declarer_leader", "u1", offsetof(CardsLine, declarer_leader))
            .add("partner_level", "u1", offsetof(CardsLine, partner_level))
            .add("seat_trick", "u1", offsetof(CardsLine, seat_trick))
            .add("flags", "u1", offsetof(CardsLine, flags))
            .add("played", "(4,)<u4", offsetof(CardsLine, played))
            .add("table", "(4,)<u4", offsetof(CardsLine, table))
            .add("captured", "(4,)<u4", offsetof(CardsLine, captured))
            .build();
      })
      .get_stored();
}

py::dtype order_dtype() {
  PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<py::dtype> storage;
  return storage
      .call_once_and_store_result([] {
        return LineDtype(sizeof(OrderLine))
            .add("plays", "(32,)u1", offsetof(OrderLine, plays))
            .add("dealer", "u1", offsetof(OrderLine, dealer))
            .add("num_plays", "u1", offsetof(OrderLine, num_plays))
            .add("num_events", "u1", offsetof(OrderLine, num_events))
            .add("card_map", "u1", offsetof(OrderLine, card_map))
            .add("seats", "u1", offsetof(OrderLine, seats))
            .add("legen", "u1", offsetof(OrderLine, legen))
            .add("bid", "u1", offsetof(OrderLine, bid))
            .add("bock", "u1", offsetof(OrderLine, bock))
            .add("special_round", "u1", offsetof(OrderLine, special_round))
            .add("games_left", "u1", offsetof(OrderLine, games_left))
            .add("owed", "(4,)u1", offsetof(OrderLine, owed))
            .add("deck", "u1", offsetof(OrderLine, deck))
            .add("stock", "<i4", offsetof(OrderLine, stock))
            .add("open", "<u4", offsetof(OrderLine, open))
            .add("given", "<u4", offsetof(OrderLine, given))
            .add("received", "<u4", offsetof(OrderLine, received))
            .build();
      })
      .get_stored();
}

py::dtype events_dtype() {
  PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<py::dtype> storage;
  return storage
      .call_once_and_store_result(
          [] { return LineDtype(sizeof(EventsLine)).add("events", "(32,)<u2", 0).build(); })
      .get_stored();
}

py::dtype view_dtype() {
  PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<py::dtype> storage;
  return storage
      .call_once_and_store_result([] {
        return LineDtype(sizeof(PlayerView))
            .add("cards", cards_dtype(), offsetof(PlayerView, cards))
            .add("order", order_dtype(), offsetof(PlayerView, order))
            .add("events", events_dtype(), offsetof(PlayerView, events))
            .build();
      })
      .get_stored();
}

py::dtype full_view_dtype() {
  PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<py::dtype> storage;
  return storage
      .call_once_and_store_result([] {
        return LineDtype(sizeof(FullView))
            .add("hands", "(4,)<u4", offsetof(FullView, hands))
            .add("dealt", "(4,)<u4", offsetof(FullView, dealt))
            .add("declarer_party", "u1", offsetof(FullView, declarer_party))
            .add("owner", "u1", offsetof(FullView, owner))
            .build();
      })
      .get_stored();
}

std::optional<py::array> rows_of(const py::handle& rows, const py::dtype& dtype) {
  const py::module_ numpy = py::module_::import("numpy");
  const auto given = py::reinterpret_borrow<py::object>(rows);
  py::array array = numpy.attr("ascontiguousarray")(numpy.attr("atleast_1d")(given));
  if (array.ndim() != 1) return std::nullopt;
  if (array.dtype().equal(dtype)) return array;
  // numpy.concatenate leaves out the bytes between the fields
  if (!numpy.attr("can_cast")(array.dtype(), dtype, "equiv").cast<bool>()) return std::nullopt;
  return py::array(array.attr("astype")(dtype));
}

ViewPlanes planes_from(const py::handle& views) {
  refuse_masked(views, "views");
  const std::optional<py::array> found = rows_of(views, view_dtype());
  if (!found) {
    const py::array array = py::module_::import("numpy").attr("asarray")(views);
    throw std::invalid_argument(
        fmt::format("views: {} came, allowed: an array [B] of VIEW_DTYPE, as Game.view and "
                    "VectorEnv.views give it",
                    describe_array(array)));
  }
  const py::array& array = *found;
  ViewPlanes planes;
  const auto rows = static_cast<std::size_t>(array.shape(0));
  planes.cards.resize(rows);
  planes.order.resize(rows);
  planes.events.resize(rows);
  const auto* bytes = static_cast<const std::uint8_t*>(array.data());
  for (std::size_t row = 0; row < rows; ++row, bytes += sizeof(PlayerView)) {
    std::memcpy(&planes.cards[row], bytes + offsetof(PlayerView, cards), sizeof(CardsLine));
    std::memcpy(&planes.order[row], bytes + offsetof(PlayerView, order), sizeof(OrderLine));
    std::memcpy(&planes.events[row], bytes + offsetof(PlayerView, events), sizeof(EventsLine));
    planes.order[row].reserved1 = 0;  // no field of the dtype: a copy by NumPy leaves it as it was
    check_view(planes.cards[row], planes.order[row], row);
  }
  return planes;
}

py::array views_to_numpy(const ViewBatch& batch) {
  static_assert(std::endian::native == std::endian::little, "the dtypes are little-endian");
  py::array result(view_dtype(), std::vector<py::ssize_t>{static_cast<py::ssize_t>(batch.size)});
  auto* bytes = static_cast<std::uint8_t*>(result.mutable_data());
  for (std::size_t row = 0; row < batch.size; ++row, bytes += sizeof(PlayerView)) {
    std::memcpy(bytes + offsetof(PlayerView, cards), batch.cards + row, sizeof(CardsLine));
    std::memcpy(bytes + offsetof(PlayerView, order), batch.order + row, sizeof(OrderLine));
    std::memcpy(bytes + offsetof(PlayerView, events), batch.events + row, sizeof(EventsLine));
  }
  return result;
}

py::object view_to_numpy(const PlayerView& view) {
  const ViewBatch batch{
      .size = 1, .cards = &view.cards, .order = &view.order, .events = &view.events};
  return views_to_numpy(batch)[py::int_(0)];
}

void register_views(py::module_& module) {
  module.attr("CARDS_DTYPE") = cards_dtype();
  module.attr("ORDER_DTYPE") = order_dtype();
  module.attr("EVENTS_DTYPE") = events_dtype();
  module.attr("VIEW_DTYPE") = view_dtype();
  module.attr("FULL_VIEW_DTYPE") = full_view_dtype();
  module.def(
      "observation_sections",
      [](Version version) { return sections_to_slices(observation_sections(version_of(version))); },
      py::arg("version") = 1,
      R"(Sections of an observation row of a version, 1 to 4: name -> slice.

Raises:  ValueError: another version, or no integer.)");
  module.def(
      "observation_table",
      [](Version version) { return sections_to_rows(observation_sections(version_of(version))); },
      py::arg("version") = 1,
      R"(Sections of an observation row as rows: name, offset, length, scale, meaning.

Raises:  ValueError: a version that is none of 1 to 4.)");
  module.def(
      "rule_feature_sections",
      [](Version version) {
        return sections_to_slices(rule_feature_sections(version_of(version)));
      },
      py::arg("version") = 1,
      R"(Sections of the rule features in the rows of a version: name -> slice.

Raises:  ValueError: a version that is none of 1 to 4.)");
  module.def(
      "observation_size", [](Version version) { return observation_size(version_of(version)); },
      py::arg("version") = 1, R"(F, the length of an observation row of a version, 1 to 4.

Raises:  ValueError: another version, or no integer.)");
  module.def("encode", &encode, py::arg("views"), py::arg("rules") = "research",
             py::arg("dtype") = "float32", py::arg("version") = 1, py::arg("cards") = "absolute",
             R"(Observations of views, as VectorEnv writes them.

Args:    views: one view or an array [B] of VIEW_DTYPE.
         rules: those that the views were seen under. A view does not say which: under others the
         sections that depend on them are wrong.
         dtype: "float32", scaled for a network; "uint8", unscaled counts, to be multiplied by the
         scale of observation_table() before a network; "packed", 64 bytes a row (expand_packed).
         NumPy's np.float32 and np.uint8 do as well.
         version: layout of the rows, 1 to 4 (observation_table names their sections); 1 if packed.
         cards: how cards and suits are counted, "absolute" as in VectorEnv unless it is asked for
         the other, or "canonical" as the networks of this package read them.
Returns: array [B, F] of float32 or uint8; uint8 [B, 64] if packed.
Raises:  ValueError: no views or such as no game gives, unknown rules, another dtype, version or way
         to count cards, packed rows of another version than 1.)");
  module.attr("PACKED_ROW_BYTES") = kPackedRowBytes;
  module.attr("PACKED_LOSSES") = std::string(packed_losses());
  module.def("packed_table", &packed_table,
             R"(Sections of a packed row, in order: name, offset, width, count, places, first.

A section is `count` numbers of `width` bits from bit `offset` on (bit i is bit i % 8 of byte i / 8),
the lowest first. places = 0: the number is the feature `first` of version 1 and those behind it,
unscaled. Otherwise it is a place: k > 0 sets feature first + index * places + k - 1, 0 sets none.)");
  module.def("_expand_packed", &expand_packed_rows, py::arg("rows"), py::arg("dtype"));
  module.def("legal_mask", &legal_mask, py::arg("views"), py::arg("cards") = "absolute",
             R"(uint8 [B, 128]: legal actions of views; all zero where the seat is not to act.

Args:    views, cards: as in encode.
Raises:  ValueError: no views or such as no game gives, another way to count cards.)");
}

}  // namespace schafkopf::python
