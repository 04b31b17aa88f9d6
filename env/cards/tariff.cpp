#include "env/cards/tariff.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace schafkopf {
namespace {

/// One row of the table in RULES G.2; `solo` is the price of every single game with points.
struct TariffRow {
  std::string_view name, unit;
  int grundtarif, ruf, hochzeit, solo, schneider, schwarz, laufende;
  int bettel, brett, ramsch_tout, mix, ramsch, march;
  int tout, sie, hochzeit_factor, stock;
};

// clang-format off
constexpr TariffRow kTariffs[] = {
    //                                      G  ruf  hz solo  S   Z   L  bet bret rt  mix ram mar  t  s hz stock
    {"official_pfennig",      "Pfennig",   10, 10, 20, 50, 10, 10, 10, 30,  60,  60, 30, 20, 70, 2, 4, 1, 10},  // 000 A2
    {"10/20/30 Solo 50",      "Cent",      10, 10, 10, 50, 10, 10, 10, 50, 100, 100, 50, 10, 70, 2, 4, 1, 10},  // 002
    {"5/10/15 Solo 20",       "Cent",       5,  5,  5, 20,  5,  5,  5, 20,  40,  40, 20,  5, 30, 2, 4, 1,  5},  // 002
    {"5/20",                  "Cent",       5,  5,  5, 20,  5,  5,  5, 20,  40,  40, 20,  5, 30, 2, 4, 2,  5},  // 003
    {"10/20",                 "Cent",      10, 10, 10, 20, 10, 10, 10, 20,  40,  40, 20, 10, 40, 2, 4, 2, 10},  // 003
    {"10/50",                 "Cent",      10, 10, 10, 50, 10, 10, 10, 50, 100, 100, 50, 10, 70, 2, 4, 2, 10},  // 003
    {"10/20/50",              "Cent",      10, 20, 20, 50, 10, 10, 10, 50, 100, 100, 50, 10, 70, 2, 4, 2, 10},  // 003
    {"tournament_2024",       "points",    10, 10, 10, 20, 10, 10, 10, 20,  40,  40, 20, 10, 20, 2, 4, 1, 10},  // 004 6
};
// clang-format on

constexpr std::string_view kHalfLaufende = " half Laufende";

Tariff from_row(const TariffRow& row) {
  Tariff tariff;
  tariff.name = std::string(row.name);
  tariff.unit = std::string(row.unit);
  const int amounts[] = {row.grundtarif, row.ruf,   row.hochzeit,    row.solo,    row.solo,
                         row.solo,       row.solo,  row.solo,        row.solo,    row.solo,
                         row.solo,       row.solo,  row.schneider,   row.schwarz, row.laufende,
                         row.bettel,     row.brett, row.ramsch_tout, row.mix,     row.ramsch,
                         row.march,      row.stock};
  static_assert(std::size(amounts) == kNumTariffKeys,
                "every TariffKey has its amount, in its order");
  std::ranges::copy(amounts, tariff.amounts.begin());
  tariff.tout_factor = row.tout;
  tariff.sie_factor = row.sie;
  tariff.hochzeit_factor = row.hochzeit_factor;
  return tariff;
}

/// laufende = G/2; an odd G doubles every amount and the scale (RULES G.2).
void halve_laufende(Tariff& tariff) {
  if (tariff[TariffKey::kGrundtarif] % 2 != 0) {
    tariff.scale = 2;
    for (int& amount : tariff.amounts) amount *= 2;
  }
  tariff.amounts[static_cast<std::size_t>(TariffKey::kLaufende)] =
      tariff[TariffKey::kGrundtarif] / 2;
}

}  // namespace

std::optional<Tariff> find_tariff(std::string_view name) {
  const bool half = name.ends_with(kHalfLaufende);
  const std::string_view base = half ? name.substr(0, name.size() - kHalfLaufende.size()) : name;
  const auto* row = std::ranges::find(kTariffs, base, &TariffRow::name);
  if (row == std::end(kTariffs)) return std::nullopt;
  Tariff tariff = from_row(*row);
  if (half) halve_laufende(tariff);
  tariff.name = std::string(name);
  return tariff;
}

Tariff named_tariff(std::string_view name) {
  if (auto tariff = find_tariff(name)) return *std::move(tariff);
  throw std::invalid_argument(fmt::format("tariff = \"{}\", allowed: {}", name, tariff_names()));
}

std::vector<std::string_view> tariff_list() {
  std::vector<std::string_view> names;
  for (const TariffRow& row : kTariffs) names.push_back(row.name);
  return names;
}

std::string tariff_names() {
  std::string text;
  for (const TariffRow& row : kTariffs) text += fmt::format("\"{}\", ", row.name);
  return text + "each also with \" half Laufende\" after it";
}

std::string amount_text(std::int32_t amount, int scale) {
  return amount % scale == 0 ? fmt::format("{}", amount / scale)
                             : fmt::format("{:.1f}", static_cast<double>(amount) / scale);
}

}  // namespace schafkopf
