// Why a seat may not do an action now, in parts that programs read and in words.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "env/base/enum_set.h"
#include "env/cards/action.h"
#include "env/cards/card.h"

namespace schafkopf {

class Game;

/// What makes an action illegal, whatever the words for it.
enum class Ground : std::uint8_t {
  kOver,         // the deal is over
  kNoAction,     // no number of the action table
  kMasked,       // legal by the rules, but switched off
  kNoAnswer,     // not what the seat may answer now
  kNotInHand,    // a card that the seat does not hold
  kFollow,       // the led group must be followed
  kSearched,     // the called card must be played
  kCallSuit,     // the called suit may be led with the called card only
  kBound,        // the called card may not be thrown away yet
  kHouseRule,    // a switch of card play wants another card
  kHeld,         // to be called: the caller holds it himself
  kTrump,        // to be called: a trump
  kNoPlainCard,  // to be called: the caller holds no plain card of its suit
  kOtherRank,    // to be called: cards of another rank are called now
  kTrumpBack,    // to be given back: a trump
  kOffered,      // to be given back: a card that was offered
};
[[nodiscard]] constexpr auto names_of(Ground) {
  return make_names("over", "no_action", "masked", "no_answer", "not_in_hand", "follow", "searched",
                    "call_suit", "bound", "house_rule", "held", "trump", "no_plain_card",
                    "other_rank", "trump_back", "offered");
}

struct Refusal {
  int seat = -1;  // to act, -1 = the deal is over
  Phase phase = Phase::kDone;
  std::int64_t action = 0;  // what was asked for, a number of the action table or none
  Ground ground = Ground::kNoAnswer;
  std::string_view rule;  // row or chapter of RULES, "R-115"; empty where no rule decides
  std::string reason;     // in words
  CardSet cards;          // cards that the reason names
  ActionMask legal;
};

/// Why an action is illegal now; nothing if it is legal.
[[nodiscard]] std::optional<Refusal> refusal_of(const Game& game, std::int64_t action);

/// "the called card SA is searched, R-115"
[[nodiscard]] std::string reason_with_rule(const Refusal& refusal);

/// "seat 1 in phase PLAY: S7: the called card SA is searched, R-115; legal: SA"
[[nodiscard]] std::string to_string(const Refusal& refusal);

/// What Game and VectorEnv throw at an illegal action: its text, and why in parts.
class IllegalAction : public std::invalid_argument {
 public:
  explicit IllegalAction(Refusal refusal)
      : std::invalid_argument(to_string(refusal)), refusal_(std::move(refusal)) {}
  /// Of one environment of a batch.
  IllegalAction(Refusal refusal, const std::string& text, int env)
      : std::invalid_argument(text), refusal_(std::move(refusal)), env_(env) {}

  [[nodiscard]] const Refusal& refusal() const { return refusal_; }
  /// Environment of a batch, -1 = none.
  [[nodiscard]] int env() const { return env_; }

 private:
  Refusal refusal_;
  int env_ = -1;
};

}  // namespace schafkopf
