// Price tables (RULES G.2): amounts per contract class and factors. The price formula stands in
// settle.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "env/base/enum_set.h"

namespace schafkopf {

/// Amounts of a tariff. A contract row names the one that is its base price (MUSS and KREUZ: kRuf).
enum class TariffKey : std::uint8_t {
  kGrundtarif,
  kRuf,
  kHochzeit,
  kSolo,
  kWenz,
  kGeier,
  kFarbwenz,
  kFarbgeier,
  kHabicht,
  kEisenbahner,
  kFarbhabicht,
  kFarbeisenbahner,
  kSchneider,
  kSchwarz,
  kLaufende,  // per Laufendem
  kBettel,
  kBrett,
  kRamschTout,
  kMix,
  kRamsch,
  kMarch,      // Durchmarsch, per payer
  kStockUnit,  // one deposit into the Stock
};
/// Keys in files, records and Python.
[[nodiscard]] constexpr auto names_of(TariffKey) {
  return make_names("G", "ruf", "hochzeit", "solo", "wenz", "geier", "farbwenz", "farbgeier",
                    "habicht", "eisenbahner", "farbhabicht", "farbeisenbahner", "schneider",
                    "schwarz", "laufende", "bettel", "brett", "ramsch_tout", "mix", "ramsch",
                    "march", "stock_unit");
}
inline constexpr int kNumTariffKeys = kNumValues<TariffKey>;

/// Prices per payer. Amounts are integers in 1/scale of the unit.
struct Tariff {
  std::string name;
  std::string unit;  // "Pfennig", "Cent", "points": for display
  std::array<int, kNumTariffKeys> amounts{};
  int tout_factor = 2;
  int sie_factor = 4;
  int hochzeit_factor = 1;
  /// tariff_scale of RULES G.2: 2 if some amount has a half unit, else 1. Every payoff of a game,
  /// Reuegeld, penalties and bonuses included, is counted in 1/scale units and divided on output.
  int scale = 1;

  /// Amount in 1/scale units.
  [[nodiscard]] int operator[](TariffKey key) const {
    return amounts[static_cast<std::size_t>(key)];
  }

  friend bool operator==(const Tariff&, const Tariff&) = default;
};

/// Tariff of RULES G.2 by name; "NAME half Laufende" is tariff NAME with laufende = G/2. Empty if
/// unknown.
///
/// Starred gaps of G.2 hold the printed fillers (OPEN-61). `tournament_2024` prints `-` for games
/// that it does not know; those amounts are filled by the same pattern as in the other tariffs
/// (hochzeit = ruf, bettel and mix = solo, brett and ramsch_tout = 2 x solo, sie x4, stock = G), so
/// that an override that enables such a game has a price. The preset itself keeps them off.
[[nodiscard]] std::optional<Tariff> find_tariff(std::string_view name);

/// As find_tariff. Throws std::invalid_argument naming the known tariffs.
[[nodiscard]] Tariff named_tariff(std::string_view name);

/// An amount in 1/scale tariff units, in units: "2.5".
[[nodiscard]] std::string amount_text(std::int32_t amount, int scale);

/// Names of the tariffs of RULES G.2.
[[nodiscard]] std::vector<std::string_view> tariff_list();
/// The same, comma-separated, for messages and docs.
[[nodiscard]] std::string tariff_names();

}  // namespace schafkopf
