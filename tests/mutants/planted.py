"""The planted faults of run.py, by chapter of RULES: each one exact replacement in one file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """One planted fault: `old` becomes `new` in `file`."""

    name: str
    file: str
    old: str
    new: str


FAULTS = [
    # deck, table, deal (A, B)
    Fault(
        "five_players_hold_six_cards",
        "env/rules/rules_check.cpp",
        "const int seats = std::min(rules.players, kNumSeats);",
        "const int seats = rules.players == 5 ? 5 : std::min(rules.players, kNumSeats);",
    ),
    Fault(
        "three_players_may_call",
        "env/rules/rules_check.cpp",
        "if (result.players == 3) remove_partner_games(result);",
        "if (result.players == 2) remove_partner_games(result);",
    ),
    Fault(
        "halves_are_exchanged",
        "env/deal/dealing.cpp",
        "? deal_.first : deal_.second)[s]",
        "? deal_.second : deal_.first)[s]",
    ),
    Fault(
        "counterclockwise_is_clockwise",
        "env/deal/dealing.cpp",
        "DealDirection::kCcw ? seats - 1 : 1",
        "DealDirection::kCw ? seats - 1 : 1",
    ),
    Fault(
        "packets_of_two_are_of_four",
        "env/deal/dealing.cpp",
        "    case DealPackets::k3x2:\n      return 2;",
        "    case DealPackets::k3x2:\n      return 4;",
    ),
    Fault(
        "misdeal_costs_once",
        "env/deal/dealing.cpp",
        "-amount * (rules.players - 1) : amount",
        "-amount : amount",
    ),
    Fault(
        "left_neighbour_cuts",
        "env/deal/dealing.cpp",
        "(dealer + rules.players - 1) % rules.players",
        "(dealer + 1) % rules.players",
    ),
    Fault(
        "dealer_is_forehand",
        "env/game/table_state.h",
        "int forehand() const { return wrapped(dealer + 1); }",
        "int forehand() const { return dealer; }",
    ),
    # contracts (C)
    Fault(
        "own_ace_is_called",
        "env/rules/calling.cpp",
        "if ((hand & card) == 0 && ",
        "if (",
    ),
    Fault(
        "blocked_hand_may_call",
        "env/rules/calling.cpp",
        "  return cards_to_call(hand, trumps, Rank::kAss, true);",
        "  return cards_to_call(hand, trumps, Rank::kAss, true) | void_aces(hand, trumps);",
    ),
    Fault(
        "king_is_called_before_the_ten",
        "env/rules/calling.cpp",
        "{Rank::k10, Rank::kKoenig, Rank::k9,",
        "{Rank::kKoenig, Rank::k10, Rank::k9,",
    ),
    Fault(
        "ten_is_called_before_a_renonce",
        "env/rules/calling.cpp",
        "  if (aces != 0) return aces;\n  const std::uint32_t tens",
        "  const std::uint32_t tens",
    ),
    Fault(
        "renonce_is_announced_wrongly",
        "env/game/auction.cpp",
        "table.rule_set().renonce == Renonce::kAnnounced",
        "table.rule_set().renonce == Renonce::kUnannounced",
    ),
    Fault(
        "hochzeit_returns_a_trump",
        "env/game/hochzeit.cpp",
        "table.rule_set().hochzeit_return_nontrump ? own &",
        "table.rule_set().hochzeit_return_nontrump && false ? own &",
    ),
    Fault(
        "hochzeit_returns_the_offered_card",
        "env/game/hochzeit.cpp",
        "table.play.hand[seat] & ~(table.given[state.offerer] & ~packet);",
        "table.play.hand[seat];",
    ),
    Fault(
        "hochzeit_with_two_trumps",
        "env/game/hochzeit.cpp",
        "if (trumps == 1) mask",
        "if (trumps == 1 || trumps == 2) mask",
    ),
    Fault(
        "bauernhochzeit_is_always_allowed",
        "env/game/hochzeit.cpp",
        "table.rule_set().bauernhochzeit && state.first == 0",
        "state.first == 0",
    ),
    Fault(
        "offer_goes_round_from_the_offerer",
        "env/game/hochzeit.cpp",
        "return ask_acceptance(state, table, 0);",
        "return ask_acceptance(state, table, table.position_of(table.to_move) + 1);",
    ),
    Fault(
        "hochzeit_cannot_be_overridden",
        "env/game/hochzeit.cpp",
        "!table.rule_set().hochzeit_solo_override || state.first != 0",
        "!table.rule_set().hochzeit_solo_override || state.first == 0",
    ),
    Fault(
        "second_pair_declares",
        "env/game/hochzeit.cpp",
        "state.offerer = static_cast<std::int8_t>(state.first & 3);",
        "state.offerer = static_cast<std::int8_t>(state.offerer & 3);",
    ),
    Fault(
        "muss_holder_is_another_seat",
        "env/game/auction.cpp",
        "if (!table.hand(seat).contains(table.rule_set().muss_card)) continue;",
        "if (table.hand(seat).contains(table.rule_set().muss_card)) continue;",
    ),
    Fault(
        "kreuz_partner_sits_left",
        "env/game/game.cpp",
        "static_cast<std::int8_t>((declarer + 2) % seats())",
        "static_cast<std::int8_t>((declarer + 1) % seats())",
    ),
    Fault(
        "ramsch_keeps_herz",
        "env/rules/compiled_rules.cpp",
        "rules.ramsch_trumps == RamschTrumps::kNoHerz",
        "rules.ramsch_trumps == RamschTrumps::kHerz",
    ),
    Fault(
        "march_with_90",
        "env/price/settle.cpp",
        "seat.points >= kSchneider)",
        "seat.points >= kSchneider - 1)",
    ),
    Fault(
        "jungfrau_counts_four_times",
        "env/price/settle.cpp",
        "kAllDouble && virgins > 0) result.multiplier *= 2;",
        "kAllDouble && virgins > 0) result.multiplier *= 4;",
    ),
    Fault(
        "second_jungfrau_counts_nothing",
        "env/price/settle.cpp",
        "result.multiplier <<= virgins;",
        "result.multiplier <<= virgins > 0 ? 1 : 0;",
    ),
    Fault(
        "announced_jungfrau_fails_without_trick",
        "env/price/settle.cpp",
        "announced && outcome.tricks[from] > 0",
        "announced && outcome.tricks[from] == 0",
    ),
    Fault(
        "two_payers_are_crossed",
        "env/price/settle.cpp",
        "    pay(list[0], list[3]);\n    pay(list[1], list[2]);",
        "    pay(list[0], list[2]);\n    pay(list[1], list[3]);",
    ),
    Fault(
        "schieberramsch_goes_right",
        "env/price/settle.cpp",
        "(seat + seats - 1) % seats : seat)",
        "(seat + 1) % seats : seat)",
    ),
    Fault(
        "ramsch_tie_falls_to_the_dealer",
        "env/price/settle.cpp",
        "seats - position,",
        "position,",
    ),
    Fault(
        "bettel_ten_is_high",
        "env/rules/compiled_rules.cpp",
        "row.plain_order == PlainOrder::kLowTen) words",
        "row.plain_order != PlainOrder::kLowTen && false) words",
    ),
    Fault(
        "brett_lies_open_too_early",
        "env/game/game.cpp",
        "brett_reveal == BrettReveal::kAfterFirstTrick",
        "brett_reveal == BrettReveal::kBeforeFirstCard",
    ),
    Fault(
        "geier_plays_unter",
        "env/cards/contract.cpp",
        '"GEIER",          {kO, kO}',
        '"GEIER",          {kU, kU}',
    ),
    Fault(
        "sie_needs_seven_cards",
        "env/rules/compiled_rules.cpp",
        "i < std::min(cards_per_hand_, order.count)",
        "i < std::min(cards_per_hand_, order.count) - 1",
    ),
    Fault(
        "tout_may_lose_a_trick",
        "env/price/settle.cpp",
        "result.won = defender_tricks == 0;",
        "result.won = defender_tricks <= 1;",
    ),
    Fault(
        "bettel_may_take_a_trick",
        "env/price/settle.cpp",
        "result.won = tricks == 0;",
        "result.won = tricks <= 1;",
    ),
    # special rounds, Bock, sessions (C.20, G.8, H)
    Fault(
        "dealer_may_push_the_packet",
        "env/game/opening.cpp",
        "  return table.to_move == table.dealer;",
        "  return false;",
    ),
    Fault(
        "three_cards_may_be_declined",
        "env/game/opening.cpp",
        "return table.rule_set().schieber_cards > 2;",
        "return table.rule_set().schieber_cards > 3;",
    ),
    Fault(
        "schieber_pushes_one_card",
        "env/game/opening.cpp",
        "Push;\n  state.to_pass = static_cast<std::uint8_t>(table.rule_set().schieber_cards);",
        "Push;\n  state.to_pass = 1;",
    ),
    Fault(
        "schieber_dealer_gets_a_card_more",
        "env/deal/dealing.cpp",
        "const bool dealer = position == seats_of(rules) - 1;",
        "const bool dealer = position == seats_of(rules) - 2;",
    ),
    Fault(
        "teufel_may_be_tout",
        "env/game/opening.cpp",
        "return Next::name(table.forehand(), Naming::kSoloNoTout);",
        "return Next::name(table.forehand(), Naming::kSolo);",
    ),
    Fault(
        "strixner_after_two_tricks",
        "env/game/auction.cpp",
        "table.play.next_stop = 3 * table.play.seats;",
        "table.play.next_stop = 2 * table.play.seats;",
    ),
    Fault(
        "strixner_tout_without_all_tricks",
        "env/game/game.cpp",
        "took_all ? Naming::kSolo : Naming::kSoloNoTout",
        "Naming::kSolo",
    ),
    Fault(
        "hadsch_begins_undoubled",
        "env/game/doubling.cpp",
        "  state.level = 1;\n",
        "  state.level = 0;\n",
    ),
    Fault(
        "zupf_may_draw_the_gift",
        "env/game/announcement.cpp",
        "const std::uint32_t held = table.play.hand[state.target];",
        "const std::uint32_t held = table.play.hand[state.target] | CardSet::of(given).bits();",
    ),
    Fault(
        "zupf_draws_from_the_next",
        "env/game/announcement.cpp",
        "action - kActionTarget1 + 1) % table.seats()",
        "action - kActionTarget1 + 2) % table.seats()",
    ),
    Fault(
        "owed_wenz_is_a_solo",
        "env/game/auction.cpp",
        "(owed & kOwesWenz) != 0 ? wenz",
        "(owed & kOwesSolo) != 0 ? wenz",
    ),
    Fault(
        "soli_round_has_rufspiele",
        "env/rules/special_round.h",
        "{SpecialRound::kSoliOnly,       Opening::kAuction,       Announce::kSingles,",
        "{SpecialRound::kSoliOnly,       Opening::kAuction,       Announce::kAll,",
    ),
    Fault(
        "bock_is_not_stacked",
        "env/session/round_queue.cpp",
        "rules.bock_stacking == BockStacking::kMultiply",
        "rules.bock_stacking == BockStacking::kExtend",
    ),
    Fault(
        "throw_in_uses_up_bock",
        "env/session/round_queue.cpp",
        "    if (thrown_in) return;\n",
        "",
    ),
    Fault(
        "lost_re_starts_bock",
        "env/session/round_queue.cpp",
        "lost && outcome.level >= 1",
        "lost && outcome.level >= 2",
    ),
    Fault(
        "old_one_always_gives",
        "env/session/session.cpp",
        "begins && rules.last_round_dealer_old_one && state",
        "begins && state",
    ),
    Fault(
        "bock_counts_nothing",
        "env/price/settle.cpp",
        "parts.outer = 1 << (outcome.legen + context.bock);",
        "parts.outer = 1 << outcome.legen;",
    ),
    # auction (D)
    Fault(
        "follower_may_call",
        "env/game/auction.cpp",
        "(!follower && may_call(state, table, seat))",
        "may_call(state, table, seat)",
    ),
    Fault(
        "follower_is_not_bound",
        "env/game/contest.cpp",
        "if (!first || state.firm) state.naming",
        "if (state.firm) state.naming",
    ),
    Fault(
        "equal_game_falls_to_the_later_seat",
        "env/game/contest.cpp",
        "const bool equal_wins = state.has_holder && position < state.holder;",
        "const bool equal_wins = state.has_holder && position > state.holder;",
    ),
    Fault(
        "steigern_starts_at_60",
        "env/game/contest.cpp",
        "kFirstBid = 70,",
        "kFirstBid = 60,",
    ),
    Fault(
        "steigern_bid_is_enough",
        "env/price/settle.cpp",
        "std::min(outcome.contract.bid + 1, kTotalPoints)",
        "std::min(outcome.contract.bid, kTotalPoints)",
    ),
    Fault(
        "steigern_may_always_jump",
        "env/game/contest.cpp",
        "steigern_jump ? kLastBid : least",
        "steigern_jump ? least : kLastBid",
    ),
    Fault(
        "herz_solo_over_herz_solo",
        "env/game/contest.cpp",
        "is_plain_solo(state.named) &&\n      table.contract.suit != Suit::kHerz &&",
        "is_plain_solo(state.named) &&",
    ),
    Fault(
        "forehand_chooses_when_all_pass",
        "env/game/auction.cpp",
        "table.seat_at(table.seats() - 1)",
        "table.seat_at(0)",
    ),
    Fault(
        "all_pass_stock_is_free",
        "env/price/settle.cpp",
        "if (!outcome.stock_deposit || stock",
        "if (outcome.stock_deposit || stock",
    ),
    Fault(
        "suit_is_named_too_late",
        "env/game/contest.cpp",
        "rules.suit_public_when_named || (",
        "false || (",
    ),
    # play, claims, infractions (E)
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
    # Legen, Kontra (F)
    Fault(
        "legen_goes_on_after_silence",
        "env/game/opening.cpp",
        "(mode == Legen::kSequential && laid)",
        "(mode == Legen::kSequential)",
    ),
    Fault(
        "legen_counts_nothing",
        "env/price/settle.cpp",
        "result.multiplier = 1 << (outcome.level + outcome.legen + context.bock);",
        "result.multiplier = 1 << (outcome.level + context.bock);",
    ),
    Fault(
        "dealer_lays_on_the_first_half",
        "env/game/opening.cpp",
        "    case LegenDealerCards::kLast:\n      return hand - first;",
        "    case LegenDealerCards::kLast:\n      return first;",
    ),
    Fault(
        "leader_is_asked_first",
        "env/game/doubling.cpp",
        "open_window(state, turn, n);",
        "open_window(state, table.forehand(), n);",
    ),
    Fault(
        "one_doubling_more",
        "env/game/doubling.cpp",
        "state.level >= table.rules->max_doublings(row)",
        "state.level > table.rules->max_doublings(row)",
    ),
    Fault(
        "seat_doubles_once_more",
        "env/game/doubling.cpp",
        "state.doubled[seat] >= rules.max_doublings_per_seat",
        "state.doubled[seat] > rules.max_doublings_per_seat",
    ),
    Fault(
        "re_takes_over",
        "env/price/settle.cpp",
        "rules.kontra_takeover && outcome.defenders_doubled_last",
        "rules.kontra_takeover && !outcome.defenders_doubled_last",
    ),
    Fault(
        "muss_has_no_kontra",
        "env/rules/compiled_rules.cpp",
        "return rules_.muss_kontra ? rules_.max_doublings_partner : 0;",
        "return 0;",
    ),
    Fault(
        "kreuzrunde_closes_after_a_chain",
        "env/game/doubling.cpp",
        "    if (chains_close(table)) {",
        "    if (contract.fixed) {",
    ),
    Fault(
        "kontra_times_3",
        "env/price/settle.cpp",
        "parts.kontra = 1 << outcome.level;",
        "parts.kontra = 1 + 2 * outcome.level;",
    ),
    Fault(
        "kontra_doubles_laufende",
        "env/price/settle.cpp",
        "value = (base + schneider + schwarz) * times + laufende;",
        "value = (base + schneider + schwarz + laufende) * times;",
    ),
    # prices (G)
    Fault(
        "win_with_60",
        "env/price/settle.cpp",
        "kMajority = 61",
        "kMajority = 60",
    ),
    Fault(
        "schneider_free_with_30",
        "env/price/settle.cpp",
        "schneider_lost = 30",
        "schneider_lost = 29",
    ),
    Fault(
        "muss_needs_61",
        "env/price/settle.cpp",
        "row.by_duty && rules.muss_threshold == MussThreshold::kSixty",
        "row.by_duty && rules.muss_threshold == MussThreshold::kNormal",
    ),
    Fault(
        "partner_pays_with_the_defenders",
        "env/price/settle.cpp",
        "const int declarer = (outcome.declarer_party >> seat) & 1;\n    result.payoffs",
        "const int declarer = seat == outcome.contract.declarer ? 1 : 0;\n    result.payoffs",
    ),
    Fault(
        "single_game_pays_three",
        "env/price/settle.cpp",
        "row.is_single() ? seats - 1 : 1",
        "row.is_single() ? 3 : 1",
    ),
    Fault(
        "points_of_four_without_ober",
        "env/cards/four_sets.h",
        "(twos << 1) + aces + ober",
        "(twos << 1) + aces",
    ),
    Fault(
        "three_players_have_tricks_of_four",
        "env/game/game.cpp",
        "seats() == kNumSeats ? cards >> 2 : thirds_of(cards)",
        "cards >> 2",
    ),
    Fault(
        "laufende_without_the_top",
        "env/price/settle.cpp",
        "held ? ~party.bits() : party.bits()",
        "~party.bits()",
    ),
    Fault(
        "laufende_beyond_all_trumps",
        "env/price/settle.cpp",
        "return std::min(run, trumps.count);",
        "return run;",
    ),
    Fault(
        "laufende_minimum",
        "env/price/settle.cpp",
        "run >= minimum ?",
        "run > minimum ?",
    ),
    Fault(
        "laufende_of_a_wenz_beyond_the_unter",
        "env/price/settle.cpp",
        "if (pictures) cap = 4;",
        "if (pictures) cap = 8;",
    ),
    Fault(
        "over_claim_is_free",
        "env/price/settle.h",
        "claimed > payable ? 2 * payable - claimed : claimed",
        "claimed > payable ? payable : claimed",
    ),
    Fault(
        "short_solo_has_no_schneider",
        "env/price/settle.cpp",
        "rules.solo_schneider_schwarz || rules.deck == Deck::kShort24",
        "rules.solo_schneider_schwarz || rules.deck == Deck::kLong32",
    ),
    Fault(
        "hochzeit_is_not_doubled",
        "env/price/settle.cpp",
        "      return tariff.hochzeit_factor;",
        "      return 1;",
    ),
    Fault(
        "sie_costs_a_tout",
        "env/price/settle.cpp",
        "      return tariff.sie_factor;",
        "      return tariff.tout_factor;",
    ),
    Fault(
        "stock_is_the_declarers",
        "env/price/settle.cpp",
        "rules.stock_owner == StockOwner::kParty ?",
        "rules.stock_owner == StockOwner::kDeclarer ?",
    ),
    Fault(
        "lost_stock_stays",
        "env/price/settle.cpp",
        "result.won ? stock : -std::min(stock, kMaxStock - stock)",
        "result.won ? stock : 0",
    ),
    Fault(
        "winner_pays_reuegeld",
        "env/price/settle.cpp",
        "if (!result.won && outcome.contract.declarer >= 0) {",
        "if (result.won && outcome.contract.declarer >= 0) {",
    ),
    # what seats know (B.3.7, D.1, E.2, E.4)
    Fault(
        "view_names_the_partner",
        "env/game/game_view.cpp",
        "contract.partner_known || owns ? contract.partner : -1",
        "contract.partner",
    ),
    Fault(
        "silence_is_public",
        "env/game/doubling.cpp",
        "  if (action == kActionDouble) {\n    table.add_event(action);\n",
        "  table.add_event(action);\n  if (action == kActionDouble) {\n",
    ),
    Fault(
        "pushed_cards_are_public",
        "env/game/opening.cpp",
        "      table.add_secret(action);\n      return push(",
        "      table.add_event(action);\n      return push(",
    ),
    Fault(
        "refused_offer_is_public",
        "env/game/hochzeit.cpp",
        "      table.add_secret(action);\n      return ask_acceptance(",
        "      table.add_event(action);\n      return ask_acceptance(",
    ),
    Fault(
        "second_half_is_seen_while_laying",
        "env/game/game_view.cpp",
        "table_.phase > Phase::kLegen ? play.hand[seat] : opening::seen_hand(table_, seat).bits()",
        "play.hand[seat]",
    ),
    Fault(
        "asked_seat_is_seen",
        "env/game/game_view.cpp",
        "table_.phase == Phase::kDouble && !to_act ? Phase::kPlay : table_.phase",
        "table_.phase",
    ),
    Fault(
        "two_old_tricks_are_seen",
        "env/game/game_view.cpp",
        "const int first = std::max(tricks - 1, 0) * seats();",
        "const int first = std::max(tricks - 2, 0) * seats();",
    ),
    # blocks of games (env/lanes), found on a processor that has a kernel
    Fault(
        "lanes_let_the_owner_run_away_unseen",
        "env/lanes/lane_step.h",
        "const W untouched = leaves | all_if(card & play.bound);",
        "const W untouched = all_if(card & play.bound);",
    ),
    Fault(
        "lanes_show_the_wrong_leader",
        "env/lanes/lane_step.h",
        "const W leader = (W::all(0) - play.on_table) & W::all(3);",
        "const W leader = (W::all(1) - play.on_table) & W::all(3);",
    ),
    Fault(
        "lanes_claim_in_the_middle_of_a_trick",
        "env/lanes/lane_step.h",
        "(W::all(2) | (~all_if(play.on_table) & W::all(1)));",
        "W::all(3);",
    ),
    Fault(
        "lanes_go_on_while_somebody_is_asked",
        "env/vector/vector_env_lanes.cpp",
        "same = game.phase() == Phase::kPlay &&",
        "same = !game.is_terminal() &&",
    ),
    Fault(
        "lanes_swap_two_games",
        "env/base/lane_word.h",
        "return __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);",
        "return __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 15, 14, 13);",
    ),
    Fault(
        "claims_are_played_as_cards",
        "env/vector/vector_env_step.cpp",
        "_mm_cmplt_epi8(answers, _mm_set1_epi8(kNumCards))",
        "_mm_cmplt_epi8(answers, _mm_set1_epi8(127))",
    ),
    Fault(
        "draws_lose_the_upper_word",
        "env/lanes/lane_step.h",
        "base = upper & 64;",
        "base = upper & 0;",
    ),
    # rows of observations of many views at once
    Fault(
        "voids_stay_with_the_place_in_the_trick",
        "env/view/row_lanes.h",
        "const W by = (plays >> 2) & all(0x18u);",
        "const W by = plays & all(0);",
    ),
    Fault(
        "the_first_game_named_counts",
        "env/view/row_lanes.h",
        "named = blend((all_if(names) & all(0xFFu)) << at, names << at, named);",
        "named = named | ((names & ~all_if((named >> at) & all(0xFFu))) << at);",
    ),
    Fault(
        "the_right_neighbour_is_packed_as_nobody",
        "env/view/row_lanes.h",
        "return one_hot - (one_hot >> 2) - ((one_hot >> 3) << 1);",
        "return one_hot - (one_hot >> 2) - ((one_hot >> 3) * 6u);",
    ),
    Fault(
        "a_row_keeps_what_others_wrote_behind_it",
        "env/view/row_writer.h",
        "std::memcpy(place, section, work.bytes);",
        "std::memcpy(place, section, work.bytes / 2);",
    ),
    Fault(
        "nobody_is_last_to_answer",
        "env/game/auction_round.h",
        "return table.to_move != table.dealer;",
        "return table.to_move <= table.dealer;",
    ),
    # a game for each thread of a device (env/device), as this processor emulates it
    Fault(
        "device_seats_share_a_hand",
        "env/device/thread_word.h",
        "(words[2] & at_seat(seat, 2)) | (words[3] & at_seat(seat, 3));",
        "(words[2] & at_seat(seat, 2)) | (words[2] & at_seat(seat, 3));",
    ),
    Fault(
        "device_draws_another_card",
        "env/device/card_trace.h",
        "for (; n > 0; --n) cards &= cards - 1;",
        "for (; n > 1; --n) cards &= cards - 1;",
    ),
    Fault(
        "device_goes_on_after_the_end",
        "env/device/card_trace.h",
        "while (state.num_played.v < state.next_stop.v) {",
        "while (state.num_played.v < 32) {",
    ),
]
