// The contract classes and their names (RULES A.2). What a class means stands in its row in
// env/cards/contract.h.
#pragma once

#include <cstdint>
#include <string_view>

#include "env/base/enum_set.h"

namespace schafkopf {

/// Contract classes without their Tout forms: Tout is a separate flag. Append-only.
enum class ContractClass : std::uint8_t {
  kRuf,
  kHochzeit,
  kMuss,
  kKreuz,
  kRamsch,
  kSolo,
  kWenz,
  kGeier,
  kFarbwenz,
  kFarbgeier,
  kHabicht,
  kEisenbahner,
  kFarbhabicht,
  kFarbeisenbahner,
  kBettel,
  kBettelBrett,
  kRamschTout,
  kBettelMix,
  kSie,
};

/// Names in records and rule files, in the order of the enumerators.
[[nodiscard]] constexpr auto names_of(ContractClass) {
  return make_names("RUF", "HOCHZEIT", "MUSS", "KREUZ", "RAMSCH", "SOLO", "WENZ", "GEIER",
                    "FARBWENZ", "FARBGEIER", "HABICHT", "EISENBAHNER", "FARBHABICHT",
                    "FARBEISENBAHNER", "BETTEL", "BETTEL_BRETT", "RAMSCH_TOUT", "BETTEL_MIX",
                    "SIE");
}

inline constexpr int kNumContractClasses = kNumValues<ContractClass>;
static_assert(kNumContractClasses == 19,
              "a new contract: env/ADD_A_CONTRACT.md says what it needs");
/// Actions that name a contract, Tout forms included; the rows of the table have each one once.
inline constexpr int kNumContractActions = 24;

}  // namespace schafkopf
