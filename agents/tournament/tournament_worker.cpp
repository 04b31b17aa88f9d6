// Plays blocks: all games of some blocks in lock-step, so that each agent answers in large batches.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <stdexcept>

#include "agents/tournament/tournament_plan.h"

namespace schafkopf {

/// One game of a block.
struct TournamentWorker::Table {
  Game game;
  BlockUnit unit;
  std::uint8_t seats = 0;  // bit per seat of the first agent
  std::array<int, kNumSeats> players{};
  std::uint32_t decision = 0;
  std::uint16_t asked = 0;
  std::uint8_t failures = 0;
  /// Per seat: what it saw at its last decision before the first card, for expectations.
  std::array<PlayerView, kNumSeats> seen{};
  float expected = std::numeric_limits<float>::quiet_NaN();
  std::array<std::uint8_t, kNumSeats> errors{};
};

namespace {

/// Of a view that no seat has had: its phase is kDone, as no decision's is.
constexpr auto kNothingSeen = static_cast<std::uint8_t>(Phase::kDone);

// Times of a question after which the next one has more rows, or fewer.
constexpr auto kGrowBelow = std::chrono::milliseconds(250);
constexpr auto kShrinkAbove = std::chrono::milliseconds(1000);

}  // namespace

TournamentWorker::TournamentWorker(const TournamentPlan& plan)
    : plan_(plan), rule_table_(*plan.options->rules) {
  for (const auto& agent : plan.agents) agents_.push_back(copy_of(*agent));
  rows_.resize(agents_.size());
  at_once_.assign(agents_.size(), 1);
  if (plan.options->double_dummy) judge_.emplace();
}

TournamentWorker::~TournamentWorker() = default;

std::optional<std::vector<GameRow>> TournamentWorker::play(std::span<const BlockUnit> units,
                                                           const Ended& ended) {
  set_up(units);
  while (step(ended)) {
  }
  const auto is_over = [](const Table& table) { return table.game.is_terminal(); };
  if (!std::ranges::all_of(tables_, is_over)) return std::nullopt;
  if (plan_.options->calibration) ask_expectations();
  std::vector<GameRow> rows;
  rows.reserve(tables_.size());
  for (const Table& table : tables_) rows.push_back(row_of(table));
  return rows;
}

void TournamentWorker::set_up(std::span<const BlockUnit> units) {
  tables_.clear();
  int block = -1;
  std::optional<Game> start;
  for (const BlockUnit& unit : units) {
    if (unit.block != block) start = plan_.first_position(unit.block);
    block = unit.block;
    for (const std::uint8_t seats : plan_.seatings(unit.pairing, *start)) {
      Table& table = tables_.emplace_back(Table{*start, unit, seats, plan_.players(unit, seats)});
      for (PlayerView& view : table.seen) view.cards.phase = kNothingSeen;
    }
  }
}

/// One action in every running game; false when none runs, or where `ended` says so.
bool TournamentWorker::step(const Ended& ended) {
  for (DecisionRows& rows : rows_) rows.clear();
  bool running = false;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    Table& table = tables_[t];
    if (table.game.is_terminal()) continue;
    running = true;
    // claims are no part of tournaments (DESIGN section 3)
    const ActionMask mask = without_claims(table.game.legal_actions());
    if (mask.count() == 1) {  // no decision
      table.game.apply_unchecked(mask.lowest());
      ++table.decision;
    } else {
      add_row(t);
    }
  }
  for (std::size_t agent = 0; agent < agents_.size(); ++agent) {
    if (!ask(agent, ended)) return false;
  }
  return running;
}

void TournamentWorker::add_row(std::size_t t) {
  Table& table = tables_[t];
  const int seat = table.game.current_player();
  const bool cards = table.game.phase() >= Phase::kPlay;
  const int holder = table.players[static_cast<std::size_t>(seat) % kNumSeats];  // for GCC's bounds
  const bool fixed_player = cards && plan_.options->track == Track::kBidding;
  const std::size_t agent = fixed_player ? agents_.size() - 1 : static_cast<std::size_t>(holder);
  DecisionRows& rows = rows_[agent];
  // Common random numbers: the key names deal, decision and seat, not the seating.
  const RngKey key{plan_.options->seed, static_cast<std::uint64_t>(table.unit.block), 0,
                   table.decision, static_cast<std::uint32_t>(seat)};
  rows.add(t, table.game, key, agents_[agent]->sees_hidden_hands());
  PlayerView& seen = table.seen[static_cast<std::size_t>(seat)];
  const bool had_card = seen.phase() >= Phase::kPlay && seen.cards.phase != kNothingSeen;
  const bool first_card = cards && plan_.options->track == Track::kCardPlay && !had_card;
  if (is_before_first_card(table.game) || first_card) seen = rows.last_view();
}

/// Answers of an agent to its rows, and their actions; false where `ended` came before the last.
bool TournamentWorker::ask(std::size_t agent, const Ended& ended) {
  DecisionRows& rows = rows_[agent];
  rows.actions.resize(rows.tables.size());
  for (std::size_t row = 0; row < rows.tables.size();) {
    if (ended()) return false;
    const std::size_t count = std::min(at_once_[agent], rows.tables.size() - row);
    ask_rows(agent, row, count);
    row += count;
  }
  apply_answers(agent);
  return true;
}

/// One question. A slow player, an engine that thinks for seconds, is asked few rows at once, so
/// that Ctrl-C need not wait for all of them; the answers do not depend on it.
void TournamentWorker::ask_rows(std::size_t agent, std::size_t first, std::size_t count) {
  using Clock = std::chrono::steady_clock;
  DecisionRows& rows = rows_[agent];
  const Clock::time_point start = Clock::now();
  agents_[agent]->act(rows.batch(rule_table_.table()).slice(first, count),
                      std::span(rows.keys).subspan(first, count),
                      std::span(rows.actions).subspan(first, count));
  note_failures(agent);
  const Clock::duration took = Clock::now() - start;
  if (took < kGrowBelow && count == at_once_[agent]) at_once_[agent] *= 2;
  if (took > kShrinkAbove) at_once_[agent] = std::max<std::size_t>(1, count / 2);
}

void TournamentWorker::apply_answers(std::size_t agent) {
  const DecisionRows& rows = rows_[agent];
  for (std::size_t row = 0; row < rows.tables.size(); ++row) {
    Table& table = tables_[rows.tables[row]];
    const Action action = rows.actions[row];
    const auto seat = static_cast<std::size_t>(table.game.current_player());
    const ActionMask legal = without_claims(table.game.legal_actions());
    if (action >= kNumActions || !legal.contains(action)) {
      throw std::invalid_argument(
          fmt::format("agent {}: deal {}, seat {}: action {} ({}) is not legal; legal: {}",
                      plan_.name_of_player(agent), table.unit.block, seat, action,
                      action_name(action), to_string(legal)));
    }
    if (judge_ && table.game.phase() == Phase::kPlay) {
      const bool error = judge_->is_error(table.game, action);
      table.errors[seat] = static_cast<std::uint8_t>(table.errors[seat] + (error ? 1 : 0));
    }
    table.game.apply_unchecked(action);
    ++table.decision;
    ++table.asked;
  }
}

/// Counts the rows that a player in another process left to a fallback, each in its game.
void TournamentWorker::note_failures(std::size_t agent) {
  const DecisionRows& rows = rows_[agent];
  for (OutsidePlayer* const outside : outside_players(*agents_[agent])) {
    for (const CardsLine* line : outside->take_failed()) {
      Table& table = tables_[rows.tables[static_cast<std::size_t>(line - rows.cards.data())]];
      if (table.failures < std::numeric_limits<std::uint8_t>::max()) ++table.failures;
    }
  }
}

/// What the declarers expected at the decision that was kept for it.
void TournamentWorker::ask_expectations() {
  for (DecisionRows& rows : rows_) rows.clear();
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const Table& table = tables_[t];
    const int declarer = table.game.has_contract() ? table.game.contract().declarer : -1;
    if (declarer < 0) continue;
    const PlayerView& view = table.seen[static_cast<std::size_t>(declarer)];
    if (view.cards.phase == kNothingSeen) continue;
    const auto agent = static_cast<std::size_t>(table.players[static_cast<std::size_t>(declarer)]);
    // a cheating baseline would need the hidden hands of that decision
    if (!agents_[agent]->sees_hidden_hands()) rows_[agent].add(t, view);
  }
  for (std::size_t agent = 0; agent < agents_.size(); ++agent) {
    DecisionRows& rows = rows_[agent];
    if (rows.tables.empty()) continue;
    rows.probabilities.resize(rows.tables.size() * kNumActions);
    rows.values.resize(rows.tables.size());
    agents_[agent]->policy(rows.batch(rule_table_.table()), rows.probabilities, rows.values);
    note_failures(agent);
    for (std::size_t row = 0; row < rows.tables.size(); ++row) {
      tables_[rows.tables[row]].expected = rows.values[row];
    }
  }
}

GameRow TournamentWorker::row_of(const Table& table) const {
  GameRow row;
  row.block = table.unit.block;
  row.pairing = static_cast<std::uint16_t>(table.unit.pairing);
  row.seats = table.seats;
  row.dealer = static_cast<std::uint8_t>(table.game.dealer());
  row.payoffs = table.game.payoffs();
  row.decisions = table.asked;
  row.failures = table.failures;
  row.expected = table.expected;
  if (judge_) row.errors = table.errors;
  if (!table.game.has_contract()) return row;
  const Settlement settlement = table.game.settlement();
  const Contract contract = table.game.contract();
  row.contract = static_cast<std::int8_t>(static_cast<int>(contract.contract) +
                                          (contract.tout ? kNumContractClasses : 0));
  row.declarer = static_cast<std::int8_t>(contract.declarer);
  row.party = table.game.declarer_party();
  row.won = settlement.won ? 1 : 0;
  row.points = static_cast<std::uint8_t>(settlement.declarer_points);
  return row;
}

}  // namespace schafkopf
