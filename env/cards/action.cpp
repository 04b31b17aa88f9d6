#include "env/cards/action.h"

#include <array>

#include "env/cards/contract.h"

namespace schafkopf {
namespace {

constexpr std::array<std::string_view, 24> kNames32 = {
    "PASS",      "PLAY",       "YIELD",      "HOLD",       "RAISE_70",    "RAISE_80",
    "RAISE_90",  "RAISE_100",  "RAISE_110",  "RAISE_120",  "LAY",         "NO_LAY",
    "DOUBLE",    "NO_DOUBLE",  "HZ_OFFER_1", "HZ_OFFER_2", "HZ_NO_OFFER", "HZ_ACCEPT",
    "HZ_REFUSE", "SAY_RAMSCH", "SAY_STOCK",  "JUNGFRAU",   "NO_JUNGFRAU", "TAKE_UP"};
constexpr std::array<std::string_view, 8> kNames56 = {
    "PUSH_ON",   "CLAIM_REST", "CONCEDE_REST",  "TARGET_+1",
    "TARGET_+2", "TARGET_+3",  "CLAIM_SCHWARZ", "CLAIM_NO_SCHWARZ"};

constexpr std::array<std::string_view, kNumPhases> kPhaseNames = {"PREDEAL",
                                                                  "LEGEN",
                                                                  "SCHIEBER",
                                                                  "SCHIEBER_PUSH",
                                                                  "HZ_OFFER",
                                                                  "HZ_ACCEPT",
                                                                  "HZ_RETURN",
                                                                  "HZ_OVERRIDE",
                                                                  "AUCTION_ROUND",
                                                                  "AUCTION_RESOLVE",
                                                                  "AUCTION_DIRECT",
                                                                  "STEIGERN",
                                                                  "NAME_CLASS",
                                                                  "NAME_SUIT",
                                                                  "CALL_CARD",
                                                                  "ALL_PASS_CHOICE",
                                                                  "ZUPF_TARGET",
                                                                  "ZUPF_GIVE",
                                                                  "JUNGFRAU",
                                                                  "DOUBLE",
                                                                  "PLAY",
                                                                  "CLAIM_SETTLE",
                                                                  "DONE"};

}  // namespace

std::string action_name(int action) {
  if (action < 0 || action >= kNumActions) return "?";
  const auto id = static_cast<std::size_t>(action);
  if (id < 32) return "CARD " + card_name(static_cast<Card>(action));
  if (id < 56) return std::string(kNames32[id - 32]);
  if (id < 64) return std::string(kNames56[id - 56]);
  if (id < kActionSuitE) return "CLAIM_LAUFENDE_" + std::to_string(id - kActionClaimLaufende0);
  if (id < kFirstContractAction) {
    return "SUIT_" + std::string(to_string(static_cast<Suit>(id - kActionSuitE)));
  }
  if (id < kFirstReserved) {
    const NamedContract named = contract_of_action(static_cast<Action>(action));
    return "C_" + std::string(contract_name(named.row->contract, named.tout));
  }
  return "RESERVED_" + std::to_string(action);
}

std::optional<Action> parse_action(std::string_view name) {
  if (const std::optional<Card> card = parse_card(name)) return card;
  for (int action = 0; action < kNumActions; ++action) {
    if (action_name(action) == name) return static_cast<Action>(action);
  }
  if (name.starts_with("CARD ")) {
    if (const std::optional<Card> card = parse_card(name.substr(5))) return card;
  }
  return std::nullopt;
}

std::string to_string(const ActionMask& mask) {
  std::string text;
  for (int action = 0; action < kNumActions; ++action) {
    if (!mask.contains(static_cast<Action>(action))) continue;
    if (!text.empty()) text += ", ";
    text += action < 32 ? card_name(static_cast<Card>(action)) : action_name(action);
  }
  return text;
}

std::string_view phase_name(Phase phase) { return kPhaseNames[static_cast<std::size_t>(phase)]; }

}  // namespace schafkopf
