// Ends of a deal before its last card and questions after it: the rest claimed or conceded (RULES
// E.5; ), infractions (E.6), Laufende and Schwarz on demand (G.5).
#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "env/game/game.h"
#include "env/price/settle_parts.h"

namespace schafkopf {
namespace {

using Hands = std::vector<std::uint32_t>;  // that a seat may still hold, sorted

/// Whether an order of a hand wins every remaining trick whatever the others do (OPEN-51). Replies
/// depend on the led card and the own hand only, so each opponent is followed alone: by the hands
/// that it may still hold.
class RestSearch {
 public:
  RestSearch(const PlayState<std::uint32_t>& state, int claimer) : state_(state) {
    for (std::uint32_t seat = 0; seat < state.seats; ++seat) {
      if (static_cast<int>(seat) != claimer) others_.push_back({state.hand[seat]});
    }
    hand_ = state.hand[claimer];
  }

  [[nodiscard]] bool wins() { return wins(state_, hand_, others_); }

 private:
  using Others = std::vector<Hands>;

  bool wins(const PlayState<std::uint32_t>& state, std::uint32_t hand, const Others& others) {
    if (hand == 0) return true;
    if (failed_.contains({hand, state.bound, others})) return false;
    for (const Card card : CardSet(may_lead(state, hand))) {
      Others next;
      const std::uint32_t led = CardSet::of(card).bits();
      if (!holds(state, led, others, next)) continue;
      if (wins(after(state, hand, led), hand & ~led, next)) return true;
    }
    failed_.insert({hand, state.bound, others});
    return false;
  }

  /// The duties of the claimer's own called card end with it or when he runs away (E.3.5).
  static PlayState<std::uint32_t> after(PlayState<std::uint32_t> state, std::uint32_t hand,
                                        std::uint32_t led) {
    const bool owned = (hand & state.bound) != 0;
    if (owned && (led & (state.bound | state.call_group)) != 0) state.bound = 0;
    return state;
  }

  /// Whether nobody can beat the led card; `next` are the hands after the trick.
  static bool holds(PlayState<std::uint32_t> state, std::uint32_t led, const Others& others,
                    Others& next) {
    state.led_group = group_of(state, led);
    const std::uint32_t beaters = beaters_of(state, led, state.led_group);
    for (const Hands& hands : others) {
      Hands& left = next.emplace_back();
      for (const std::uint32_t hand : hands) {
        const std::uint32_t follow = must_follow(state, hand);
        const std::uint32_t replies = follow != 0 ? follow : may_discard(state, hand);
        if ((replies & beaters) != 0) return false;
        for (const Card card : CardSet(replies)) left.push_back(hand & ~CardSet::of(card).bits());
      }
      std::ranges::sort(left);
      left.erase(std::ranges::unique(left).begin(), left.end());
    }
    return true;
  }

  struct Position {
    std::uint32_t hand, bound;
    Others others;
    friend auto operator<=>(const Position&, const Position&) = default;
  };
  PlayState<std::uint32_t> state_;
  std::uint32_t hand_ = 0;
  Others others_;
  std::set<Position> failed_;
};

}  // namespace

// Claims

bool Game::wins_the_rest(int seat) const { return RestSearch(play_, seat).wins(); }

/// Next seat of the other party; the next seat where everybody plays for himself.
int Game::opponent_of(int seat) const {
  for (int step = 1; step < seats(); ++step) {
    const int other = (seat + step) % seats();
    if (in_declarer_party(other) != in_declarer_party(seat)) return other;
  }
  return (seat + 1) % seats();
}

/// All cards that are not in completed tricks, as tricks of one seat.
void Game::give_rest_to(int seat) {
  for (int other = 0; other < seats(); ++other) {
    play_.taken[seat] |= play_.hand[other] | play_.table[other];
    play_.played[other] |= play_.hand[other];
    play_.hand[other] = 0;
    play_.table[other] = 0;
  }
  play_.on_table = 0;
  play_.num_played = static_cast<std::uint32_t>(rules_->deck().count());
  play_.turn = static_cast<std::uint32_t>(seat);
  laid_down_ = true;
}

void Game::apply_claim(Action action) {
  add_event(action);
  const int seat = to_move_;
  const bool won = action == kActionClaimRest && wins_the_rest(seat);
  give_rest_to(won ? seat : opponent_of(seat));
  finish();
}

// Infractions (E.6)

void Game::infract(int seat, Infraction infraction) {
  if (seat < 0 || seat >= seats()) {
    throw std::invalid_argument("infraction: seat = " + std::to_string(seat) + ", allowed 0.." +
                                std::to_string(seats() - 1));
  }
  const bool in_play = (phase_ == Phase::kPlay || phase_ == Phase::kDouble) && has_contract_;
  if (!in_play || infraction == Infraction::kNone) {
    throw std::invalid_argument(
        "infraction: allowed during card play only, INF_WRONG_LEAD .. INF_TALK (E.6, "
        "R-127..R-131)");
  }
  const InfractionPolicy policy = rules_->rules().infraction_policy;
  const bool loses_at_once = policy == InfractionPolicy::kGameLoss;
  const bool corrected =
      policy == InfractionPolicy::kTournament && infraction == Infraction::kRevoke;
  // no sanction of the engine: corrected at once, or a matter of the Spielleitung
  if (corrected || (infraction == Infraction::kTalk && !loses_at_once)) return;
  offender_ = static_cast<std::int8_t>(seat);
  infraction_ = infraction;
  const bool rest = infraction == Infraction::kWrongLead || infraction == Infraction::kRevoke;
  if (rest && !loses_at_once) give_rest_to(opponent_of(seat));
  finish();
}

// Settlement by claim (G.5)

/// Contracts with Laufende; not after an infraction, and not for an endgame without a past.
bool Game::asks_claims() const {
  if (!has_contract_ || from_position_ || infraction_ != Infraction::kNone) return false;
  const LaufendeGroup group = contract_row(class_).laufende;
  return group == LaufendeGroup::kOber || group == LaufendeGroup::kWenz;
}

/// OPEN-64: the declarer if his party won, else the next winner clockwise after him.
int Game::claimant() const {
  const bool won = settlement().won;
  const int first = declarer_ >= 0 ? declarer_ : forehand();
  for (int step = 0; step < seats(); ++step) {
    const int seat = (first + step) % seats();
    if (in_declarer_party(seat) == won) return seat;
  }
  return first;
}

/// Ask what is open: Laufende, then Schwarz; nothing left ends the deal.
void Game::ask_settlement() {
  const RuleSet& rules = rules_->rules();
  phase_ = Phase::kDone;
  if (!asks_claims()) return;
  const bool laufende = rules.laufende_by_claim && claimed_laufende_ < 0;
  const bool schwarz = rules.schwarz_by_claim && claimed_schwarz_ < 0 &&
                       counts_schneider(contract_row(class_), tout_, rules);
  if (!laufende && !schwarz) return;
  to_move_ = static_cast<std::uint8_t>(claimant());
  phase_ = Phase::kClaimSettle;
}

ActionMask Game::legal_settlement() const {
  ActionMask mask;
  if (rules_->rules().laufende_by_claim && claimed_laufende_ < 0) {
    constexpr int kMost = 14;
    for (int number = 0; number <= kMost; ++number) {
      mask.add(static_cast<Action>(kActionClaimLaufende0 + number));
    }
    return mask;
  }
  mask.add(kActionClaimSchwarz);
  mask.add(kActionClaimNoSchwarz);
  return mask;
}

void Game::apply_settlement(Action action) {
  add_event(action);
  if (action >= kActionClaimLaufende0) {
    claimed_laufende_ = static_cast<std::int8_t>(action - kActionClaimLaufende0);
  } else {
    claimed_schwarz_ = static_cast<std::int8_t>(action == kActionClaimSchwarz);
  }
  ask_settlement();
}

}  // namespace schafkopf
