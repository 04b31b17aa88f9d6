#include "env/game/claims.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "env/price/settle_parts.h"

namespace schafkopf::claims {
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

/// Next seat of the other party; the next seat where everybody plays for himself.
int opponent_of(const TableState& table, int seat) {
  for (int step = 1; step < table.seats(); ++step) {
    const int other = (seat + step) % table.seats();
    if (table.contract.in_party(other) != table.contract.in_party(seat)) return other;
  }
  return (seat + 1) % table.seats();
}

/// All cards that are not in completed tricks, as tricks of one seat.
void give_rest_to(ClaimState& state, TableState& table, int seat) {
  PlayState<std::uint32_t>& play = table.play;
  for (int other = 0; other < table.seats(); ++other) {
    play.taken[seat] |= play.hand[other] | play.table[other];
    play.played[other] |= play.hand[other];
    play.hand[other] = 0;
    play.table[other] = 0;
  }
  play.on_table = 0;
  play.num_played = static_cast<std::uint32_t>(table.rules->deck().count());
  play.turn = static_cast<std::uint32_t>(seat);
  state.laid_down = true;
}

/// Contracts with Laufende; not after an infraction, and not for an endgame without a past.
bool asks_claims(const ClaimState& state, const TableState& table) {
  if (!table.contract.fixed || table.entry == Entry::kPosition) return false;
  const LaufendeGroup group = table.row().laufende;
  return state.infraction == Infraction::kNone &&
         (group == LaufendeGroup::kOber || group == LaufendeGroup::kWenz);
}

/// OPEN-64: the declarer if his party won, else the next winner clockwise after him.
int claimant(const TableState& table, bool declarers_won) {
  const int first = table.contract.declarer >= 0 ? table.contract.declarer : table.forehand();
  for (int step = 0; step < table.seats(); ++step) {
    const int seat = (first + step) % table.seats();
    if (table.contract.in_party(seat) == declarers_won) return seat;
  }
  return first;
}

}  // namespace

void lay_down(ClaimState& state, TableState& table, Action action) {
  table.add_event(action);
  const int seat = table.to_move;
  const bool won = action == kActionClaimRest && RestSearch(table.play, seat).wins();
  give_rest_to(state, table, won ? seat : opponent_of(table, seat));
}

// Infractions (E.6)

bool infract(ClaimState& state, TableState& table, int seat, Infraction infraction) {
  if (seat < 0 || seat >= table.seats()) {
    throw std::invalid_argument("infraction: seat = " + std::to_string(seat) + ", allowed: 0.." +
                                std::to_string(table.seats() - 1));
  }
  const bool in_play =
      (table.phase == Phase::kPlay || table.phase == Phase::kDouble) && table.contract.fixed;
  const bool known = infraction != Infraction::kNone &&
                     static_cast<std::size_t>(infraction) < kNumValues<Infraction>;
  if (!in_play || !known) {
    throw std::invalid_argument(
        "infraction: allowed: during card play with a contract only, INF_WRONG_LEAD .. INF_TALK "
        "(E.6, R-127..R-131)");
  }
  const InfractionPolicy policy = table.rule_set().infraction_policy;
  const bool loses_at_once = policy == InfractionPolicy::kGameLoss;
  const bool corrected =
      policy == InfractionPolicy::kTournament && infraction == Infraction::kRevoke;
  // no sanction of the engine: corrected at once, or a matter of the Spielleitung
  if (corrected || (infraction == Infraction::kTalk && !loses_at_once)) return false;
  state.offender = static_cast<std::int8_t>(seat);
  state.infraction = infraction;
  const bool rest = infraction == Infraction::kWrongLead || infraction == Infraction::kRevoke;
  if (rest && !loses_at_once) give_rest_to(state, table, opponent_of(table, seat));
  return true;
}

// Settlement by claim (G.5)

bool ask_settlement(const ClaimState& state, TableState& table, bool declarers_won) {
  if (!asks_claims(state, table)) return false;
  const RuleSet& rules = table.rule_set();
  const bool laufende = rules.laufende_by_claim && state.laufende < 0;
  const bool schwarz = rules.schwarz_by_claim && state.schwarz < 0 &&
                       counts_schneider(table.row(), table.contract.tout, rules);
  if (!laufende && !schwarz) return false;
  table.ask(Phase::kClaimSettle, claimant(table, declarers_won));
  return true;
}

ActionMask legal_settlement(const ClaimState& state, const TableState& table) {
  ActionMask mask;
  if (table.rule_set().laufende_by_claim && state.laufende < 0) {
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

void apply_settlement(ClaimState& state, TableState& table, Action action) {
  table.add_event(action);
  if (action >= kActionClaimLaufende0) {
    state.laufende = static_cast<std::int8_t>(action - kActionClaimLaufende0);
  } else {
    state.schwarz = static_cast<std::int8_t>(action == kActionClaimSchwarz);
  }
}

}  // namespace schafkopf::claims
