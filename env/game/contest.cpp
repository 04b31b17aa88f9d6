#include "env/game/contest.h"

#include <bit>

#include "env/game/auction.h"

namespace schafkopf::auction {
namespace {

constexpr int kFirstBid = 70, kLastBid = 120, kBidStep = 10;

int rank_of_action(Action action, int call_rank) {
  const NamedContract named = contract_of_action(action);
  if (named.row == nullptr) return call_rank;  // PLAY, still unspecified
  return named.tout ? named.row->tout_rank : named.row->rank;
}

bool is_plain_solo(Action action) {
  const NamedContract named = contract_of_action(action);
  return named.row != nullptr && !named.tout && named.row->family == Family::kSolo;
}

Action raise_to(int bid) {
  return static_cast<Action>(kActionRaise70 + (bid - kFirstBid) / kBidStep);
}

Next ask(TableState& table, Phase phase, int position) {
  table.ask(phase, table.seat_at(position));
  return Next::answer();
}

/// Ask about the next position that said PLAY; without one the holder has won (D.3).
Next next_challenger(AuctionState& state, TableState& table) {
  const int later = state.said_play >> (state.challenger + 1);
  if (later == 0) {
    // who came later than the first is bound to a single game, everybody after a bid
    const bool first = std::countr_zero(state.said_play) == state.holder;
    if (!first || state.firm) state.naming = Naming::kSingles;
    return win(state, table);
  }
  state.challenger = static_cast<std::uint8_t>(state.challenger + 1 +
                                               std::countr_zero(static_cast<unsigned>(later)));
  if (table.rule_set().solo_contest != SoloContest::kSteigern) {
    // an unnamed holder speaks first, a named one has spoken
    return ask(table, Phase::kAuctionResolve, state.named == 0 ? state.holder : state.challenger);
  }
  state.raise = 0;
  if (!state.firm) return ask(table, Phase::kSteigern, state.holder);
  table.phase = Phase::kSteigern;
  if (table.contract.bid >= kLastBid) return next_challenger(state, table);
  return ask(table, Phase::kSteigern, state.challenger);
}

/// A class is named over what was named before.
void challenge(AuctionState& state, const TableState& table, Action action, bool equal_wins) {
  // over another Solo only a Herz-Solo counts, over a Herz-Solo of a later seat too
  const bool same =
      table.rule_set().herz_solo_precedence && state.named == action && is_plain_solo(action);
  const bool only_herz = same && (!equal_wins || table.contract.suit == Suit::kHerz);
  state.suits = only_herz ? 1 << static_cast<int>(Suit::kHerz) : 0xF;
  state.named = action;
}

/// The suit is named together with the class: `suit_public_when_named`, and a Solo where Herz has
/// precedence (D.3).
bool names_suit_now(AuctionState& state, TableState& table) {
  table.contract.suit_named = false;
  const RuleSet& rules = table.rule_set();
  const ContractRow* row = contract_of_action(state.named).row;
  const bool now =
      rules.suit_public_when_named || (rules.herz_solo_precedence && is_plain_solo(state.named));
  if (!now || row->trump_suit != TrumpSuit::kAnnounced) {
    state.suits = 0xF;
    return false;
  }
  table.phase = Phase::kNameSuit;
  return true;
}

}  // namespace

ActionMask higher_classes(const AuctionState& state, const TableState& table, int seat,
                          bool equal_wins) {
  const bool unnamed = state.named == kActionPlay;
  const int rank = rank_of_action(state.named, table.rules->call_rank());
  const ActionMask singles = single_classes(table, seat);
  ActionMask mask =
      singles & table.rules->classes_from_rank(equal_wins && !unnamed ? rank : rank + 1);
  if (table.rule_set().herz_solo_precedence && is_plain_solo(state.named) &&
      table.contract.suit != Suit::kHerz && singles.contains(state.named)) {
    mask.add(state.named);
  }
  return mask;
}

// Ranks (D.3)

Next end_round(AuctionState& state, TableState& table) {
  if (state.said_play == 0) return Next::to(Next::Step::kAllPassed);
  state.holder = static_cast<std::uint8_t>(std::countr_zero(state.said_play));
  state.challenger = state.holder;
  state.named = 0;
  return next_challenger(state, table);
}

Next apply_resolve(AuctionState& state, TableState& table, Action action) {
  if (action == kActionPass) return next_challenger(state, table);
  const bool challenger_took_over = action == kActionYield || state.named != 0;
  if (challenger_took_over) state.holder = state.challenger;
  if (action == kActionYield) return next_challenger(state, table);
  challenge(state, table, action, false);
  return names_suit_now(state, table) ? Next::answer() : after_naming(state, table);
}

Next after_naming(AuctionState& state, TableState& table) {
  if (state.holder == state.challenger) return next_challenger(state, table);
  return ask(table, Phase::kAuctionResolve, state.challenger);
}

// Direct (D.4)

Next apply_direct(AuctionState& state, TableState& table, Action action) {
  const int position = table.position_of(table.to_move);
  if (action == kActionPass) {
    state.active = static_cast<std::uint8_t>(state.active & ~(1 << position));
  } else {
    const bool equal_wins = state.has_holder && position < state.holder;
    state.has_holder = true;
    state.holder = static_cast<std::uint8_t>(position);
    challenge(state, table, action, equal_wins);
    if (action != kActionPlay && names_suit_now(state, table)) return Next::answer();
  }
  return next_direct(state, table, position);
}

Next next_direct(AuctionState& state, TableState& table, int from) {
  if (state.active == 0) return Next::to(Next::Step::kAllPassed);
  table.phase = Phase::kAuctionDirect;
  for (int step = 1; step <= table.seats(); ++step) {
    const int position = (from + step) % table.seats();
    if (((state.active >> position) & 1) == 0) continue;
    if (state.has_holder && position == state.holder) continue;
    table.to_move = static_cast<std::uint8_t>(table.seat_at(position));
    return Next::answer();
  }
  if (state.named == kActionPlay) state.named = 0;
  return win(state, table);
}

// Steigern (D.5)

ActionMask legal_steigern(const AuctionState& state, const TableState& table) {
  const ActionMask singles = single_classes(table, table.to_move);
  const bool points = !(singles & table.rules->counting_classes()).empty();
  const bool is_holder = table.position_of(table.to_move) == state.holder;
  ActionMask mask;
  if (is_holder) {
    mask.add(kActionYield);
    if (state.raise == 0 ? !singles.empty() : points) mask.add(kActionHold);
    return mask;
  }
  mask.add(kActionPass);
  const int least = table.contract.bid == 0 ? kFirstBid : table.contract.bid + kBidStep;
  const int most = table.rule_set().steigern_jump ? kLastBid : least;
  for (int bid = least; points && bid <= most; bid += kBidStep) mask.add(raise_to(bid));
  return mask;
}

Next apply_steigern(AuctionState& state, TableState& table, Action action) {
  if (action == kActionPass) return next_challenger(state, table);
  if (action >= kActionRaise70 && action < kActionRaise70 + 6) {
    state.raise = static_cast<std::uint8_t>(kFirstBid + kBidStep * (action - kActionRaise70));
    return ask(table, Phase::kSteigern, state.holder);
  }
  state.firm = true;
  if (state.raise != 0) table.contract.bid = state.raise;
  state.raise = 0;
  if (action == kActionHold && table.contract.bid < kLastBid) {
    return ask(table, Phase::kSteigern, state.challenger);
  }
  if (action != kActionHold) state.holder = state.challenger;
  return next_challenger(state, table);
}

}  // namespace schafkopf::auction
