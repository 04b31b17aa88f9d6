// Tables behind the rules for pages and the command line: contracts, tariffs, presets.
#include "bindings/common.h"
#include "env/cards/contract.h"
#include "env/cards/tariff.h"
#include "env/price/result_limits.h"
#include "env/price/settle.h"

namespace schafkopf::python {
namespace {

py::dict contract_to_dict(const ContractRow& row) {
  py::list ranks;
  for (int i = 0; i < row.num_trump_ranks; ++i) {
    ranks.append(to_string(row.trump_ranks[static_cast<std::size_t>(i)]));
  }
  py::dict result;
  result["name"] = row.name;
  result["has_tout"] = row.tout_action != 0;
  result["trump_ranks"] = ranks;
  result["trump_suit"] = name_of(row.trump_suit);
  result["num_trumps"] = row.num_trumps;
  result["plain_order"] = name_of(row.plain_order);
  result["parties"] = name_of(row.parties);
  result["goal"] = name_of(row.goal);
  result["price"] = name_of(row.price);
  result["factor"] = name_of(row.factor);
  result["laufende"] = name_of(row.laufende);
  result["doubling"] = row.doubling;
  result["by_duty"] = row.by_duty;
  result["nameable"] = row.nameable;
  result["rank"] = row.rank;
  result["tout_rank"] = row.tout_rank;
  result["source"] = row.source;
  return result;
}

py::dict tariff_to_dict(const Tariff& tariff) {
  py::dict amounts;
  for (int i = 0; i < kNumTariffKeys; ++i) {
    const auto key = static_cast<TariffKey>(i);
    amounts[py::str(name_of(key))] = static_cast<double>(tariff[key]) / tariff.scale;
  }
  py::dict result;
  result["name"] = tariff.name;
  result["unit"] = tariff.unit;
  result["amounts"] = amounts;
  result["tout_factor"] = tariff.tout_factor;
  result["sie_factor"] = tariff.sie_factor;
  result["hochzeit_factor"] = tariff.hochzeit_factor;
  return result;
}

py::dict limits_to_dict(const ResultLimits& limits) {
  const auto bound = [](const Limit& limit) { return py::make_tuple(limit.most, limit.because); };
  py::dict result;
  result["points"] = limits.points;
  result["tricks"] = limits.tricks;
  result["bock"] = limits.bock;
  result["doublings"] = bound(limits.doublings);
  result["legen"] = bound(limits.legen);
  result["bid"] = bound(limits.bid);
  const bool trumps = limits.highest_trump != kNoCard;
  result["highest_trump"] =
      trumps ? py::object(py::str(card_name(limits.highest_trump))) : py::object(py::none());
  return result;
}

void register_result_limits(py::module_& module) {
  module.def(
      "result_limits",
      [](const py::object& contract, const py::object& rules) {
        return limits_to_dict(result_limits(contract_from(contract), *rules_from(rules)->compiled));
      },
      py::arg("contract"), py::arg("rules") = "research",
      R"(What the numbers of a result may be at most.

Returns: dict: points and tricks of a deal, bock; (most, what sets it) of doublings, legen and bid;
         highest_trump, None where there are no trumps.
Raises:  ValueError: no contract, or unknown rules.)");
  module.def(
      "points_in_tricks",
      [](const WholeWithin<"tricks">& tricks, const py::object& rules) {
        const auto compiled = rules_from(rules)->compiled;
        return points_in_tricks(tricks.in(0, compiled->cards_per_hand()), *compiled);
      },
      py::arg("tricks"), py::arg("rules") = "research",
      R"((least, most) card points that so many tricks can have.

Raises:  WrongArgument: more tricks than a deal has, or no integer.  ValueError: unknown rules.)");
  module.def(
      "declarer_party",
      [](const py::object& contract, Whole<"partner", int, -1, kNumSeats - 1> partner,
         const py::object& rules) {
        std::vector<int> seats;
        const unsigned party =
            declarer_party(contract_from(contract), partner, *rules_from(rules)->compiled);
        for (int seat = 0; seat < kNumSeats; ++seat) {
          if (((party >> seat) & 1u) != 0) seats.push_back(seat);
        }
        return seats;
      },
      py::arg("contract"), py::arg("partner") = -1, py::arg("rules") = "research",
      R"(Seats of the declarer party.

Args:    partner: of the declarer in partner games; -1 = none, or the one who sits opposite.
Raises:  ValueError: a declarer or partner that is missing or has no place in the contract.)");
  module.def(
      "price_factor",
      [](const WholeWithin<"doublings">& doublings) { return price_factor(doublings.in(0, 62)); },
      py::arg("doublings"),
      R"(What the price is multiplied with after so many doublings: Kontras, those who laid, Bock.

Raises:  WrongArgument: doublings that are none of 0..62.)");
}

}  // namespace

void register_rule_tables(py::module_& module) {
  module.def(
      "contract_table",
      [] {
        py::list rows;
        for (const ContractRow& row : contract_table()) rows.append(contract_to_dict(row));
        return rows;
      },
      "The contracts, one dict per row of env/cards/contract.cpp.");
  module.def(
      "tariff_table",
      [] {
        py::list rows;
        for (const std::string_view name : tariff_list()) {
          rows.append(tariff_to_dict(named_tariff(name)));
        }
        return rows;
      },
      "The tariffs by name: unit, amounts per payer, factors.");
  module.def(
      "tariff_of",
      [](const py::object& rules) {
        return tariff_to_dict(rules_from(rules)->compiled->rules().tariff);
      },
      py::arg("rules"), R"(The tariff of a rule set, in the form of a row of tariff_table().

Raises:  ValueError: unknown rules.)");
  register_result_limits(module);
  module.def(
      "preset_title", [](const py::str& name) { return preset_title(utf8_from(name, "name")); },
      py::arg("name"),
      R"(What a shipped rule set is, in one line.

Raises:  ValueError: no name of a preset.  TypeError: no text.)");
  module.def(
      "payable_run",
      [](const py::object& contract, Whole<"run", int, 0, kNumCards> run, const py::object& rules) {
        return payable_run(contract_from(contract), run, *rules_from(rules)->compiled);
      },
      py::arg("contract"), py::arg("run"), py::arg("rules") = "research",
      R"(Payable Laufende of a top run of trumps, after minimum and cap (RULES G.4).

Raises:  ValueError: a run that is none of 0..32, no contract, unknown rules.)");
}

}  // namespace schafkopf::python
