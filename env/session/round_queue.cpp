#include "env/session/round_queue.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>

#include "env/base/assert.h"
#include "env/cards/contract.h"
#include "env/deal/deal.h"
#include "env/rules/special_round.h"

namespace schafkopf {
namespace {

constexpr int kEvenPoints = kTotalPoints / 2;
constexpr SpecialRound kBock =
    std::ranges::find(kSpecialRounds, true, &SpecialRoundRow::doubled)->mode;

bool owes(SpecialRound mode) { return special_round_row(mode).announce == Announce::kOwed; }

/// Rounds that a deal starts: games by mode, 0 = none. However many of its events name a mode, a
/// deal starts it once.
using StartedRounds = std::array<int, static_cast<std::size_t>(kNumValues<SpecialRound>)>;

StartedRounds started_rounds(const RuleSet& rules, const Outcome& outcome,
                             const Settlement& settlement) {
  StartedRounds games{};
  const auto start = [&games](SpecialRound mode, int length) {
    int& planned = games[static_cast<std::size_t>(mode)];
    planned = std::max(planned, length);
  };
  const EnumSet<RoundEvent> events = events_of(outcome, settlement);
  for (int i = 0; i < kNumValues<RoundEvent>; ++i) {
    const auto event = static_cast<RoundEvent>(i);
    if (!events.contains(event)) continue;
    if (rules.bock_triggers.contains(event)) {
      start(kBock, rules.bock_length == BockLength::kRound ? rules.players : 1);
    }
    const SpecialRound mode = rules.special_round_triggers[static_cast<std::size_t>(i)];
    if (mode != SpecialRound::kNone) start(mode, special_round_length(rules, mode));
  }
  if (outcome.thrown_in && rules.all_pass == AllPass::kBockGame) start(kBock, 1);
  if (outcome.thrown_in && rules.all_pass == AllPass::kBockRound) {
    start(kBock, rules.players);
  }
  return games;
}

/// The deal was one game of the running round.
void use_up_game(RoundQueue& rounds, const RuleSet& rules, bool thrown_in) {
  if (rounds.running() == kBock) {
    if (thrown_in) return;
    for (std::int32_t& games : rounds.bock_left) games -= static_cast<int>(games > 0);
  } else if (rounds.running() != SpecialRound::kNone) {
    rounds.games_left -= static_cast<int>(!thrown_in || rules.thrown_in_counts);
  }
}

void stack_bock(RoundQueue& rounds, const RuleSet& rules, int games) {
  auto slot = rounds.bock_left.begin();
  if (rules.bock_stacking == BockStacking::kMultiply) {
    slot = std::ranges::find(rounds.bock_left, 0);
    if (slot == rounds.bock_left.end()) --slot;
  }
  *slot += games;
}

void owe_everything(RoundQueue& rounds, const RuleSet& rules) {
  for (int place = 0; place < rules.players; ++place) {
    rounds.owed[static_cast<std::size_t>(place)] = kOwesAll;
  }
}

void enqueue(RoundQueue& rounds, SpecialRound mode, int games) {
  std::size_t i = 0;
  while (i < rounds.num_queued && rounds.queue[i].mode != static_cast<std::uint16_t>(mode)) ++i;
  SCHAFKOPF_ASSERT(i < rounds.queue.size());
  if (i == rounds.num_queued) {
    rounds.queue[i] = {static_cast<std::uint16_t>(mode), 0};
    ++rounds.num_queued;
  }
  rounds.queue[i].games =
      static_cast<std::uint16_t>(std::min(rounds.queue[i].games + games, kMostWaitingGames));
}

void run(RoundQueue& rounds, const RuleSet& rules, SpecialRound mode, int games) {
  rounds.mode = static_cast<std::uint8_t>(mode);
  rounds.bock_left = {};
  rounds.owed = {};
  rounds.games_left = mode == kBock ? 0 : games;
  if (mode == kBock) rounds.bock_left[0] = games;
  if (owes(mode)) owe_everything(rounds, rules);
}

void pay_debt(RoundQueue& rounds, const RuleSet& rules, Family family, int place) {
  if (family == Family::kNone) return;
  std::uint8_t& owed = rounds.owed[static_cast<std::size_t>(place)];
  owed = static_cast<std::uint8_t>(owed & ~(1u << (static_cast<unsigned>(family) - 1)));
  // two rounds in one: after the last debt everybody owes again
  if (std::ranges::all_of(rounds.owed, [](int debt) { return debt == 0; })) {
    owe_everything(rounds, rules);
  }
}

/// The next round that waits, or none.
void end_round(RoundQueue& rounds, const RuleSet& rules) {
  const WaitingRound next = rounds.queue.front();
  if (rounds.num_queued > 0) {
    std::ranges::copy(rounds.queue.begin() + 1, rounds.queue.end(), rounds.queue.begin());
    rounds.queue.back() = {};
    --rounds.num_queued;
  }
  run(rounds, rules, static_cast<SpecialRound>(next.mode), next.games);
}

}  // namespace

int RoundQueue::num_bocks() const {
  return static_cast<int>(std::ranges::count_if(bock_left, [](int games) { return games > 0; }));
}

int RoundQueue::remaining() const {
  return running() == kBock ? std::ranges::max(bock_left) : games_left;
}

bool can_run(const RuleSet& rules, std::uint16_t mode) {
  if (mode == 0 || mode >= kNumValues<SpecialRound>) return false;
  RuleSet playing = rules;
  playing.special_round = static_cast<SpecialRound>(mode);
  try {
    return checked(playing).special_round == playing.special_round;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

namespace {

bool queue_is_possible(const RoundQueue& rounds, const RuleSet& rules) {
  if (rounds.num_queued > rounds.queue.size()) return false;
  for (std::size_t i = 0; i < rounds.queue.size(); ++i) {
    const WaitingRound& waiting = rounds.queue[i];
    if (i >= rounds.num_queued) {
      if (waiting != WaitingRound{}) return false;
      continue;
    }
    const auto before = std::span(rounds.queue).first(i);
    const bool twice = std::ranges::find(before, waiting.mode, &WaitingRound::mode) != before.end();
    if (twice || waiting.games == 0 || !can_run(rules, waiting.mode)) return false;
  }
  return true;
}

bool debts_are_possible(const RoundQueue& rounds, const RuleSet& rules) {
  bool owing = false;
  for (std::size_t place = 0; place < rounds.owed.size(); ++place) {
    const int most = static_cast<int>(place) < rules.players ? kOwesAll : 0;
    if (rounds.owed[place] > most) return false;
    owing = owing || rounds.owed[place] != 0;
  }
  return owing == owes(rounds.running());
}

}  // namespace

std::string why_impossible(const RoundQueue& rounds, const RuleSet& rules) {
  const bool runs = rounds.mode != 0;
  if (runs && !can_run(rules, rounds.mode)) return "a special round that these rules do not have";
  if (!queue_is_possible(rounds, rules) || (!runs && rounds.num_queued > 0) ||
      rounds.reserved != 0) {
    return "rounds that wait";
  }
  constexpr int kMostGames = 1'000'000;  // of a Bock that others made longer
  const bool bock = rounds.running() == kBock;
  const auto [least, most] = std::ranges::minmax(rounds.bock_left);
  if (least < 0 || most > kMostGames || (bock ? most == 0 : most != 0) || rounds.games_left < 0 ||
      rounds.games_left > kMostGames || (rounds.games_left > 0) != (runs && !bock)) {
    return "games left of a special round";
  }
  return debts_are_possible(rounds, rules) ? "" : "owed games";
}

EnumSet<RoundEvent> events_of(const Outcome& outcome, const Settlement& settlement) {
  EnumSet<RoundEvent> events;
  if (outcome.thrown_in || outcome.all_passed) events.add(RoundEvent::kAllPass);
  if (outcome.thrown_in) return events;
  const ContractRow& row = contract_row(outcome.contract.contract);
  const bool lost = outcome.declarer_party != 0 && !settlement.won;
  if (row.is_single() && lost) events.add(RoundEvent::kSoloLost);
  if (lost && outcome.level >= 1) events.add(RoundEvent::kKontraGameLost);
  if (settlement.schwarz_paid) events.add(RoundEvent::kSchwarz);
  if (outcome.level >= 2) events.add(RoundEvent::kReGame);
  if (row.family == Family::kSolo && outcome.contract.suit == Suit::kHerz) {
    events.add(RoundEvent::kHerzSoloPlayed);
  }
  if (row.goal != Goal::kMajority || outcome.infraction != Infraction::kNone) return events;
  // 002, "Ergebnis 60 und/oder 120 Augen": what the parties have taken. A lost Tout that was not
  // played out has points of neither kind.
  int points = 0, others = 0;
  for (std::size_t seat = 0; seat < outcome.points.size(); ++seat) {
    const bool declarer = ((outcome.declarer_party >> seat) & 1) != 0;
    (declarer ? points : others) += outcome.points[seat];
  }
  if (points == kEvenPoints && others == kEvenPoints) events.add(RoundEvent::kPoints6060);
  if (points == kTotalPoints || others == kTotalPoints) events.add(RoundEvent::kPoints120);
  return events;
}

int special_round_length(const RuleSet& rules, SpecialRound mode) {
  if (rules.special_round_games > 0) return rules.special_round_games;
  return special_round_row(mode).rounds * rules.players;
}

void start_round(RoundQueue& rounds, const RuleSet& rules, SpecialRound mode, int games) {
  if (rounds.running() == SpecialRound::kNone) {
    run(rounds, rules, mode, games);
  } else if (rounds.running() == kBock && mode == kBock) {
    stack_bock(rounds, rules, games);
  } else {
    enqueue(rounds, mode, games);
  }
}

void advance_rounds(RoundQueue& rounds, const RuleSet& rules, const Outcome& outcome,
                    const Settlement& settlement, int place) {
  if (place >= 0 && owes(rounds.running())) {
    pay_debt(rounds, rules, contract_row(outcome.contract.contract).family, place);
  }
  use_up_game(rounds, rules, outcome.thrown_in);
  const StartedRounds games = started_rounds(rules, outcome, settlement);
  for (std::size_t mode = 0; mode < games.size(); ++mode) {
    if (games[mode] > 0) start_round(rounds, rules, static_cast<SpecialRound>(mode), games[mode]);
  }
  if (rounds.running() != SpecialRound::kNone && rounds.remaining() <= 0) end_round(rounds, rules);
}

}  // namespace schafkopf
