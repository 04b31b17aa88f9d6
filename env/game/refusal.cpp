#include "env/game/refusal.h"

#include <utility>

#include "env/cards/contract.h"
#include "env/game/game.h"

namespace schafkopf {
namespace {

/// Row or chapter of RULES that says what a phase asks for.
std::string_view rule_of(Phase phase) {
  switch (phase) {
    case Phase::kPredeal:
    case Phase::kSchieber:
    case Phase::kSchieberPush:
    case Phase::kZupfTarget:
    case Phase::kZupfGive:
      return "C.20";
    case Phase::kLegen:
      return "F.1";
    case Phase::kHzOffer:
    case Phase::kHzAccept:
    case Phase::kHzReturn:
    case Phase::kHzOverride:
      return "C.3";
    case Phase::kAuctionRound:
    case Phase::kAuctionResolve:
    case Phase::kNameClass:
    case Phase::kNameSuit:
      return "D.3";
    case Phase::kAuctionDirect:
      return "D.4";
    case Phase::kSteigern:
      return "D.5";
    case Phase::kCallCard:
      return "C.1";
    case Phase::kAllPassChoice:
      return "D.6";
    case Phase::kJungfrau:
      return "C.6";
    case Phase::kDouble:
      return "F.3";
    case Phase::kPlay:
      return "E.1";
    case Phase::kClaimSettle:
      return "G.5";
    case Phase::kDone:
      break;
  }
  return "D.2";
}

/// Why a refusal is one: ground, rule, words and the cards in them.
struct Why {
  Ground ground = Ground::kNoAnswer;
  std::string_view rule;
  std::string reason;
  CardSet cards;
};

/// "EA", "EA or GA", "EA, GA or SA"
std::string any_of(CardSet cards) {
  std::string text;
  while (!cards.empty()) {
    if (!text.empty()) text += cards.count() == 1 ? " or " : ", ";
    text += card_name(cards.pop_lowest());
  }
  return text;
}

Why not_in_hand(Phase phase) { return {Ground::kNotInHand, rule_of(phase), "not in the hand", {}}; }

/// A card that cannot be played. What the rows of E do not forbid, a house rule does.
Why why_not_played(const Game& game, Card card) {
  const PlayState<std::uint32_t>& state = game.play_state();
  const CardSet hand(state.hand[state.turn]), led(state.led_group);
  if (!hand.contains(card)) return not_in_hand(Phase::kPlay);
  const CardSet called(hand.bits() & state.bound);
  if (state.on_table == 0 && !called.empty() && CardSet(state.call_group).contains(card)) {
    return {Ground::kCallSuit, "R-118", "the called suit may be led only with " + to_string(called),
            called};
  }
  const bool follows = state.on_table != 0 && !(hand & led).empty();
  if (follows && !(called & led).empty()) {
    return {Ground::kSearched, "R-115", "the called card " + to_string(called) + " is searched",
            called};
  }
  if (follows && !led.contains(card)) {
    const bool trump = !(led & CardSet(state.trumps)).empty();
    return {Ground::kFollow,
            "R-112",
            trump ? "trump was led and must be followed" : "the led suit must be followed",
            {}};
  }
  if (called.contains(card)) {
    const bool earlier = game.rules().rules().called_discard_window > 1;
    return {Ground::kBound,
            earlier ? "R-117" : "R-116",
            "the called card may not be discarded yet",
            {}};
  }
  const CardSet legal(legal_cards(state));
  return {Ground::kHouseRule, "E.3", "a house rule allows only " + any_of(legal), legal};
}

/// Who must play calls by rules of his own (C.4), in special rounds down to a Ten (C.20.8, C.20.9).
std::string_view row_of_call(const Game& game, CardSet callable) {
  const bool cascade = !(callable - CardSet::rank(Rank::kAss)).empty();
  if (!contract_row(game.contract().contract).by_duty) return cascade ? "R-040" : "R-027";
  return game.rules().rules().muss_blocked == MussBlocked::kTenCascade ? "R-040" : "R-041";
}

/// A card that cannot be called (C.1, C.2, C.4).
Why why_not_called(const Game& game, Card card, CardSet callable) {
  const std::string_view row = row_of_call(game, callable);
  const CardSet hand = game.hand(game.current_player()), suit = CardSet::suit(suit_of(card));
  const CardSet trumps = game.rules().partner_trumps();
  if (hand.contains(card)) return {Ground::kHeld, row, "the caller holds it himself", {}};
  if (trumps.contains(card)) return {Ground::kTrump, row, "it is a trump", {}};
  if ((hand & (suit - trumps)).empty() && (callable & suit).empty()) {
    return {Ground::kNoPlainCard, row, "the caller holds no plain card of its suit", {}};
  }
  return {Ground::kOtherRank, row, "only " + any_of(callable) + " may be called now", callable};
}

/// A card that cannot be given back in a Hochzeit (C.3).
Why why_not_returned(const Game& game, Card card) {
  if (!game.hand(game.current_player()).contains(card)) return not_in_hand(Phase::kHzReturn);
  if (game.rules().rules().hochzeit_return_nontrump &&
      game.rules().partner_trumps().contains(card)) {
    return {Ground::kTrumpBack, "R-032", "no trump comes back", {}};
  }
  return {Ground::kOffered, "OPEN-10", "a card that was offered does not come back", {}};
}

Why why_not(const Game& game, std::int64_t action, const ActionMask& legal) {
  const Phase phase = game.phase();
  if (phase == Phase::kDone) return {Ground::kOver, rule_of(phase), "the deal is over", {}};
  if (action < 0 || action >= kNumActions) {
    return {Ground::kNoAction, "", "actions are 0.." + std::to_string(kNumActions - 1), {}};
  }
  Why no_answer{Ground::kNoAnswer, rule_of(phase), "not legal now", {}};
  if (phase == Phase::kCallCard && contract_row(game.contract().contract).by_duty) {
    no_answer.rule = "C.4";
  }
  if (claims_rest(static_cast<Action>(action))) no_answer.rule = "E.5";
  if (action >= kNumCards) return no_answer;
  const Card card = static_cast<Card>(action);
  switch (phase) {
    case Phase::kPlay:
      return why_not_played(game, card);
    case Phase::kCallCard:
      return why_not_called(game, card, CardSet(static_cast<std::uint32_t>(legal.words[0])));
    case Phase::kHzReturn:
      return why_not_returned(game, card);
    case Phase::kZupfGive:
    case Phase::kSchieberPush:
      return not_in_hand(phase);
    default:
      return no_answer;
  }
}

}  // namespace

std::optional<Refusal> refusal_of(const Game& game, std::int64_t action) {
  const ActionMask legal = game.legal_actions();
  const bool known = action >= 0 && action < kNumActions;
  if (known && legal.contains(static_cast<Action>(action))) return std::nullopt;
  Why why = why_not(game, action, legal);
  return Refusal{game.current_player(), game.phase(), action, why.ground, why.rule,
                 std::move(why.reason), why.cards,    legal};
}

std::string reason_with_rule(const Refusal& refusal) {
  return refusal.rule.empty() ? refusal.reason : refusal.reason + ", " + std::string(refusal.rule);
}

std::string to_string(const Refusal& refusal) {
  if (refusal.ground == Ground::kOver) return "the deal is over; no action is legal";
  std::string text = "seat " + std::to_string(refusal.seat) + " in phase " +
                     std::string(phase_name(refusal.phase)) + ": ";
  if (refusal.ground != Ground::kNoAction) {
    const bool card = refusal.action < kNumCards;
    text += (card ? card_name(static_cast<Card>(refusal.action))
                  : action_name(static_cast<int>(refusal.action))) +
            ": ";
  }
  return text + reason_with_rule(refusal) + "; legal: " + to_string(refusal.legal);
}

}  // namespace schafkopf
