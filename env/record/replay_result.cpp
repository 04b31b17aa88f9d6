#include "env/record/replay_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "env/record/record_parts.h"
#include "env/session/session.h"

namespace schafkopf {
namespace {

std::vector<int> winners_of(const Game& game) {
  std::vector<int> winners;
  const int seats = game.seats();
  for (int card = seats; card < game.num_plays(); card += seats) {
    winners.push_back(game.played_by(card));
  }
  // nobody leads after the last trick; its winner is not always who got the rest (E.5, E.6)
  const int first = static_cast<int>(winners.size()) * seats;
  if (game.num_plays() - first == seats) {
    winners.push_back(static_cast<int>(game.play_state().winner));
  }
  return winners;
}

/// Points and tricks as they were won (a Schieberramsch settles them after they are passed on); a
/// game that is not played out has those of its settlement.
void add_points(const Game& game, ReplayResult& result) {
  if (is_played_out(game)) {
    const Outcome outcome = game.outcome();
    std::ranges::copy(outcome.points, result.points.begin());
    std::ranges::copy(outcome.tricks, result.tricks.begin());
    return;
  }
  for (int seat = 0; seat < game.seats(); ++seat) {
    result.points[static_cast<std::size_t>(seat)] = points_of(game.captured(seat));
  }
  for (const int winner : result.trick_winners) ++result.tricks[static_cast<std::size_t>(winner)];
}

std::string ended_of(const Game& game) {
  if (!game.has_contract()) return "thrown in";
  if (game.infraction() != Infraction::kNone) {
    return fmt::format("{} of seat {}", name_of(game.infraction()), game.offender());
  }
  for (int i = 0; i < game.num_events(); ++i) {
    const Event event = game.event(i);
    if (!claims_rest(event.action)) continue;
    return fmt::format("{} of seat {}", action_name(event.action), event.seat);
  }
  if (game.num_plays() == game.seats() * game.rules().cards_per_hand()) return {};
  const Contract contract = game.contract();
  return fmt::format("{} {}", contract_name(contract.contract, contract.tout),
                     game.settlement().won ? "won" : "lost");
}

std::vector<std::string> legal_names(const Game& game) {
  std::vector<std::string> names;
  // in card play the cards: that the rest may be claimed needs no list
  const ActionMask legal = without_claims(game.legal_actions());
  for (int i = 0; i < legal.count(); ++i) {
    const Action action = legal.nth(i);
    names.push_back(game.phase() == Phase::kPlay && action < kNumCards
                        ? card_name(static_cast<Card>(action))
                        : action_name(action));
  }
  return names;
}

/// Place that deals: at a table of five the one that has no seat (B.2).
int dealer_place(const GameRecord& record, const RuleSet& rules) {
  if (rules.players <= kNumSeats) return record.dealer;
  int place = rules.players - 1;
  while (std::ranges::find(record.places, place) != record.places.end()) --place;
  return place;
}

SessionState resumed(const GameRecord& record, const RuleSet& rules) {
  std::vector<WaitingRound> queued;
  for (const QueuedRound& round : record.session.queued) {
    queued.push_back(
        {static_cast<std::uint16_t>(round.mode), static_cast<std::uint16_t>(round.games)});
  }
  try {
    return resume_session(rules, dealer_place(record, rules), record.session.context, queued,
                          record.session.round_position);
  } catch (const std::invalid_argument& error) {
    refuse_record(record, error.what());
  }
}

SessionKeys keys_of(const SessionState& state, const RuleSet& rules) {
  SessionKeys keys{state.context, {}, round_position(rules, state)};
  for (std::size_t i = 0; i < state.rounds.num_queued; ++i) {
    const WaitingRound& round = state.rounds.queue[i];
    keys.queued.push_back({static_cast<SpecialRound>(round.mode), round.games});
  }
  return keys;
}

/// What the deal hands on to the next one (G.9). The number of the round is not recorded: it counts
/// as the first of its session.
///
/// whole  the game with the cards beyond its end by rule: its points may start a Bock (G.8)
SessionKeys session_after(const GameRecord& record, const Game& game, const Game& whole) {
  const RuleSet& rules = game.rules().rules();
  SessionState state = resumed(record, rules);
  Outcome outcome = game.outcome();
  if (is_played_out(whole)) outcome.points = whole.outcome().points;
  enter_deal(state, rules, outcome, game.settlement());
  return keys_of(state, rules);
}

void add_party(const Game& game, ReplayResult& result) {
  result.declarer_party = game.declarer_party();
  result.settlement.declarer_points = 0;
  for (int seat = 0; seat < game.seats(); ++seat) {
    if (((game.declarer_party() >> seat) & 1) == 0) continue;
    result.settlement.declarer_points += result.points[static_cast<std::size_t>(seat)];
  }
}

}  // namespace

ReplayResult result_of(const GameRecord& record, const Game& game, const Game& whole) {
  ReplayResult result;
  result.seats = game.seats();
  result.tariff_scale = game.rules().tariff_scale();
  result.session = record.session;
  result.trick_winners = winners_of(whole);
  add_points(whole, result);
  result.finished = game.is_terminal();
  if (!result.finished) {
    result.to_move = game.current_player();
    result.legal = legal_names(game);
    return result;
  }
  result.settlement = game.settlement();
  result.session = session_after(record, game, whole);
  result.thrown_in = !game.has_contract();
  result.ended = ended_of(game);
  if (result.thrown_in) return result;
  result.everyone_alone = contract_row(game.contract().contract).parties == Parties::kEveryone;
  if (!result.everyone_alone) add_party(game, result);
  return result;
}

ReplayResult penalty_result(const GameRecord& record, const CompiledRules& rules) {
  ReplayResult result;
  result.seats = rules.seats();
  result.tariff_scale = rules.tariff_scale();
  result.finished = result.thrown_in = true;
  result.ended = "second misdeal (R-021)";
  SessionState state = resumed(record, rules.rules());
  const auto places = places_of(rules.rules(), state.dealer);
  (void)enter_misdeal(state, rules.rules());
  const auto penalty = enter_misdeal(state, rules.rules());
  result.session = keys_of(state, rules.rules());
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    if (places[seat] < 0) continue;
    result.settlement.payoffs[seat] = penalty[static_cast<std::size_t>(places[seat])];
  }
  return result;
}

}  // namespace schafkopf
