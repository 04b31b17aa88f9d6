"""Card play, claims and infractions (RULES E)."""

from __future__ import annotations

from planted.fault import Fault

FAULTS = [
    Fault(
        "called_ace_is_discarded",
        "env/cards/play.h",
        "return hand & ~(bound_card(state, hand) & early);",
        "return hand | (bound_card(state, hand) & early);",
    ),
    Fault(
        "searched_ace_stays",
        "env/cards/play.h",
        "return blend(all_if(searched), searched, follow);",
        "return blend(all_if(searched), follow, follow);",
    ),
    Fault(
        "runs_away_with_2_others",
        "env/cards/play.h",
        "all_at_least(count(others), state.run_min)",
        "all_at_least(count(others) + word_like(hand, 1u), state.run_min)",
    ),
    Fault(
        "revoke_is_legal",
        "env/cards/play.h",
        "blend(all_if(follow), follow, may_discard(state, hand))",
        "blend(all_if(follow), hand, may_discard(state, hand))",
    ),
    Fault(
        "ace_is_discarded_a_trick_early",
        "env/cards/play.h",
        "static_cast<std::uint32_t>(rules.called_discard_window)",
        "static_cast<std::uint32_t>(rules.called_discard_window + 1)",
    ),
    Fault(
        "duties_stay_after_running_away",
        "env/cards/play.h",
        "~card & ~(owned & on_lead & all_if(card & state.call_group));",
        "~card;",
    ),
    Fault(
        "running_away_stays_secret",
        "env/game/game.cpp",
        "  table_.contract.partner_known = true;\n"
        "  table_.add_event(table_.contract.called, true);",
        "  table_.add_event(table_.contract.called, true);",
    ),
    Fault(
        "next_seat_leads",
        "env/cards/play.h",
        "state.turn = blend(full, state.winner, next & ~all_equal(next, state.seats));",
        "state.turn = next & ~all_equal(next, state.seats);",
    ),
    Fault(
        "every_claim_is_true",
        "env/game/claims.cpp",
        "action == kActionClaimRest && RestSearch(table.play, seat).wins()",
        "action == kActionClaimRest",
    ),
    Fault(
        "claim_holds_against_some_replies",
        "env/game/claims.cpp",
        "if ((replies & beaters) != 0) return false;",
        "if ((replies & ~beaters) == 0) return false;",
    ),
    Fault(
        "late_revoke_costs_no_schwarz",
        "env/price/settle.cpp",
        "fixed ? Verdict::kFixed : Verdict::kLostSchwarz",
        "fixed ? Verdict::kFixed : Verdict::kLostSimple",
    ),
    Fault(
        "offenders_party_wins",
        "env/price/settle.cpp",
        "result.won = ((outcome.declarer_party >> outcome.offender) & 1) == 0;",
        "result.won = ((outcome.declarer_party >> outcome.offender) & 1) != 0;",
    ),
    Fault(
        "official_revoke_is_corrected",
        "env/game/claims.cpp",
        "policy == InfractionPolicy::kTournament && infraction == Infraction::kRevoke",
        "policy == InfractionPolicy::kOfficial && infraction == Infraction::kRevoke",
    ),
    Fault(
        "penalty_of_a_partner_is_20",
        "env/price/settle.cpp",
        "kPenalty = 10, kSinglePenalty = 20",
        "kPenalty = 20, kSinglePenalty = 20",
    ),
]
