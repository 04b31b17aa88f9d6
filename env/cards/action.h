// The fixed action table, the phases of a deal and action masks (RULES D.1). Ids are absolute and
// append-only; what an action means in a phase stands in Game.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#ifdef __BMI2__
#include <immintrin.h>
#endif

#include "env/cards/card.h"
#include "env/cards/contract_class.h"

namespace schafkopf {

/// Action id 0..127; 0..31 = CARD(c). Version of the table: kActionVersion.
using Action = std::uint8_t;
inline constexpr int kNumActions = 128;
inline constexpr int kActionVersion = 1;

inline constexpr Action kActionPass = 32, kActionPlay = 33, kActionYield = 34, kActionHold = 35;
inline constexpr Action kActionRaise70 = 36;  // 36..41: 70, 80, 90, 100, 110, 120
inline constexpr Action kActionLay = 42, kActionNoLay = 43, kActionDouble = 44,
                        kActionNoDouble = 45;
inline constexpr Action kActionHzOffer1 = 46, kActionHzOffer2 = 47, kActionHzNoOffer = 48;
inline constexpr Action kActionHzAccept = 49, kActionHzRefuse = 50;
inline constexpr Action kActionSayRamsch = 51, kActionSayStock = 52;
inline constexpr Action kActionJungfrau = 53, kActionNoJungfrau = 54, kActionTakeUp = 55,
                        kActionPushOn = 56;
inline constexpr Action kActionClaimRest = 57, kActionConcedeRest = 58;
inline constexpr Action kActionTarget1 = 59;  // 59..61: seats clockwise from the actor
inline constexpr Action kActionClaimSchwarz = 62, kActionClaimNoSchwarz = 63;
inline constexpr Action kActionClaimLaufende0 = 64;  // 64..78
inline constexpr Action kActionSuitE = 79;           // 79..82: SUIT_E, SUIT_G, SUIT_H, SUIT_S
/// Most Laufende that somebody can claim (G.5).
inline constexpr int kMostClaimed = kActionSuitE - kActionClaimLaufende0 - 1;
inline constexpr Action kFirstContractAction = 83;
inline constexpr Action kFirstReserved = kFirstContractAction + kNumContractActions;
inline constexpr Action kLastContractAction = kFirstReserved - 1;
static_assert(kFirstReserved <= kNumActions, "no action is left for a contract");

/// Phases in the order of RULES D.1.
enum class Phase : std::uint8_t {
  kPredeal,
  kLegen,
  kSchieber,
  kSchieberPush,
  kHzOffer,
  kHzAccept,
  kHzReturn,
  kHzOverride,
  kAuctionRound,
  kAuctionResolve,
  kAuctionDirect,
  kSteigern,
  kNameClass,
  kNameSuit,
  kCallCard,
  kAllPassChoice,
  kZupfTarget,
  kZupfGive,
  kJungfrau,
  kDouble,
  kPlay,
  kClaimSettle,
  kDone,
};
inline constexpr int kNumPhases = 23;

/// Index of the n-th set bit, counted from the lowest; 0 <= n < number of set bits.
[[nodiscard]] constexpr Action nth_bit(std::uint64_t bits, int n) {
#ifdef __BMI2__
  if (!std::is_constant_evaluated()) {
    return static_cast<Action>(std::countr_zero(_pdep_u64(std::uint64_t{1} << n, bits)));
  }
#endif
  for (; n > 0; --n) bits &= bits - 1;
  return static_cast<Action>(std::countr_zero(bits));
}

/// Set of actions: bit a of words[a / 64], a value type. The native mask of VectorEnv.
struct ActionMask {
  std::uint64_t words[2] = {0, 0};

  [[nodiscard]] static constexpr ActionMask cards(std::uint32_t card_bits) {
    return {{card_bits, 0}};
  }
  [[nodiscard]] static constexpr ActionMask of(std::initializer_list<Action> actions) {
    ActionMask mask;
    for (const Action action : actions) mask.add(action);
    return mask;
  }
  constexpr void add(Action action) { words[action >> 6] |= std::uint64_t{1} << (action & 63); }
  [[nodiscard]] constexpr bool contains(Action action) const {
    return action < kNumActions && ((words[action >> 6] >> (action & 63)) & 1u) != 0;
  }
  [[nodiscard]] constexpr int count() const { return count_bits(words[0]) + count_bits(words[1]); }
  [[nodiscard]] constexpr bool empty() const { return (words[0] | words[1]) == 0; }
  /// Lowest action of a non-empty mask.
  [[nodiscard]] constexpr Action lowest() const {
    return static_cast<Action>(words[0] != 0 ? std::countr_zero(words[0])
                                             : 64 + std::countr_zero(words[1]));
  }
  /// The action whose number is n, counted from the lowest bit; 0 <= n < count().
  [[nodiscard]] constexpr Action nth(int n) const {
    const int low = count_bits(words[0]);
    return n < low ? nth_bit(words[0], n) : static_cast<Action>(64 + nth_bit(words[1], n - low));
  }
  friend constexpr bool operator==(const ActionMask&, const ActionMask&) = default;
  friend constexpr ActionMask operator&(const ActionMask& a, const ActionMask& b) {
    return {{a.words[0] & b.words[0], a.words[1] & b.words[1]}};
  }
  friend constexpr ActionMask operator|(const ActionMask& a, const ActionMask& b) {
    return {{a.words[0] | b.words[0], a.words[1] | b.words[1]}};
  }
};

/// A mask without CLAIM_REST and CONCEDE_REST: random play would end most deals at once.
[[nodiscard]] constexpr ActionMask without_claims(ActionMask mask) {
  constexpr std::uint64_t kClaims = std::uint64_t{3} << kActionClaimRest;
  return {{mask.words[0] & ~kClaims, mask.words[1]}};
}

/// Laufende and Schwarz on demand (G.5).
[[nodiscard]] constexpr bool is_settlement(Action action) {
  return action >= kActionClaimSchwarz && action < kActionSuitE;
}

/// The rest claimed or conceded (E.5).
[[nodiscard]] constexpr bool claims_rest(Action action) {
  return action == kActionClaimRest || action == kActionConcedeRest;
}

/// "CARD EA", "PASS", "C_SOLO_TOUT", "SUIT_G"; "RESERVED_107" for reserved ids, "?" beyond 127.
[[nodiscard]] std::string action_name(int action);
/// Exact inverse of action_name; a bare card ("EA") is read as CARD. Empty if unknown.
[[nodiscard]] std::optional<Action> parse_action(std::string_view name);
/// Names of a mask, comma-separated, lowest id first.
[[nodiscard]] std::string to_string(const ActionMask& mask);
/// "AUCTION_ROUND", "PLAY", ...
[[nodiscard]] std::string_view phase_name(Phase phase);

}  // namespace schafkopf
