#include "agents/tournament/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "agents/tournament/calibration_fields.h"
#include "agents/work/decision_rows.h"
#include "agents/work/threads.h"
#include "agents/work/watched_work.h"
#include "agents/worlds/past_decisions.h"
#include "agents/worlds/posterior.h"
#include "env/base/available_memory.h"
#include "env/deal/deal.h"
#include "env/game/game.h"
#include "env/vector/first_game.h"
#include "env/view/single_rule_table.h"

namespace schafkopf {
namespace {

constexpr int kChunk = 64;        // blocks that are played in lock-step
constexpr int kDrawnPerKept = 8;  // worlds that are weighed for one that is kept

/// Who decides for a seat.
enum class Mind : std::uint8_t { kPlayer, kOpponent, kPasser };

/// The three ways in which a deal is played from a seat.
enum class Words : std::uint8_t { kOwn, kOpponents, kPasses };
constexpr std::size_t kNumWords = 3;

struct Table {
  Game game;
  RngKey key;
  DecisionNumber number = {};
  std::array<Mind, kNumSeats> speaks{};  // before the first card
  std::array<Mind, kNumSeats> plays{};   // the cards
  int watched = -1;  // seat whose last decision before the first card is kept, -1 = none
  std::optional<PlayerView> seen = {};
  Action said = 0;
};

/// Plays tables in lock-step; one thread's copies of both players.
class Players {
 public:
  Players(const CalibrationOptions& options, const StopCheck& stop_check)
      : rule_table_(*options.rules),
        policies_{WatchedPolicy(copy_of(*options.policy), stop_check),
                  WatchedPolicy(copy_of(*options.opponent), stop_check)} {}
  Players(const Players&) = delete;  // the rule table points into it
  Players& operator=(const Players&) = delete;

  void play(std::span<Table> tables) {
    while (step(tables)) {
    }
  }
  /// What the player says each view is worth; NaN where it says nothing.
  std::vector<float> values_of(const std::vector<PlayerView>& views) {
    DecisionRows& rows = rows_[0];
    rows.clear();
    for (std::size_t i = 0; i < views.size(); ++i) rows.add(i, views[i]);
    rows.probabilities.resize(views.size() * kNumActions);
    rows.values.resize(views.size());
    policies_[0].policy(rows.batch(rule_table_.table()), rows.probabilities, rows.values);
    return rows.values;
  }

 private:
  bool step(std::span<Table> tables) {
    for (DecisionRows& rows : rows_) rows.clear();
    bool running = false;
    for (std::size_t t = 0; t < tables.size(); ++t) {
      if (tables[t].game.is_terminal()) continue;
      running = true;
      decide(tables[t], t);
    }
    for (std::size_t p = 0; p < policies_.size(); ++p) ask(p, tables);
    return running;
  }

  /// The decision of the seat to act: taken at once, or a row for the player who is asked.
  void decide(Table& table, std::size_t number) {
    Game& game = table.game;
    const ActionMask mask = without_claims(game.legal_actions());
    const int seat = game.current_player();
    const auto at = static_cast<std::size_t>(seat);
    const bool cards = game.phase() == Phase::kPlay;
    Mind mind = cards ? table.plays[at] : table.speaks[at];
    if (mind == Mind::kPasser) {
      if (!game.has_contract() && mask.contains(kActionPass)) {
        table.number.apply_legal(game, kActionPass);
        return;
      }
      mind = table.plays[at];  // it cannot, or it is about something else
    }
    if (mask.count() == 1) {
      table.number.apply_legal(game, mask.lowest());
      return;
    }
    RngKey key = table.key;
    key.decision = table.number.of(game);
    key.seat = static_cast<std::uint32_t>(seat);
    DecisionRows& rows = rows_[static_cast<std::size_t>(mind)];
    rows.add(number, game, key, false);
    if (seat == table.watched && is_before_first_card(game)) table.seen = rows.last_view();
  }

  void ask(std::size_t player, std::span<Table> tables) {
    DecisionRows& rows = rows_[player];
    if (rows.size() == 0) return;
    rows.actions.resize(rows.size());
    policies_[player].act(rows.batch(rule_table_.table()), rows.keys, rows.actions);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      Table& table = tables[rows.tables[row]];
      if (table.game.current_player() == table.watched && is_before_first_card(table.game)) {
        table.said = rows.actions[row];
      }
      table.number.apply(table.game, rows.actions[row]);
    }
  }

  SingleRuleTable rule_table_;
  std::array<WatchedPolicy, 2> policies_;  // index: Mind
  std::array<DecisionRows, 2> rows_;
};

/// One thread's work.
class Calibrator {
 public:
  Calibrator(const CalibrationOptions& options, const StopCheck& stop_check)
      : options_(options),
        rules_(*options.rules),
        players_(options, stop_check),
        beliefs_(make_beliefs(options.beliefs, *options.policy)) {}

  /// Rows of the blocks of a chunk.
  std::vector<CalibrationRow> play(int first, int last) {
    tables_.clear();
    for (int block = first; block < last; ++block) {
      for (int seat = 0; seat < rules_.seats(); ++seat) {
        for (std::size_t words = 0; words < kNumWords; ++words) {
          tables_.push_back(table_of(block, seat, static_cast<Words>(words)));
        }
      }
    }
    players_.play(tables_);
    std::vector<CalibrationRow> rows;
    for (std::size_t t = 0; t < tables_.size(); t += kNumWords) {
      const int game = static_cast<int>(t / kNumWords);
      rows.push_back(row_of(std::span(tables_).subspan(t, kNumWords), first + game / rules_.seats(),
                            game % rules_.seats()));
    }
    expect(rows);
    return rows;
  }

 private:
  [[nodiscard]] Table table_of(int block, int seat, Words words) const {
    const auto number = static_cast<std::uint64_t>(block);
    const std::uint64_t deal = draw(episode_seed(options_.seed, number, 0), RngStream::kDeal, 0);
    const int dealer = block % rules_.seats();
    Table table{.game = first_game(rules_, deal, dealer, rules_.first_context()),
                .key = {.seed = options_.seed, .env = number}};
    table.speaks.fill(Mind::kOpponent);
    table.plays.fill(Mind::kOpponent);
    const auto at = static_cast<std::size_t>(seat);
    table.plays[at] = Mind::kPlayer;
    table.speaks[at] = words == Words::kOwn         ? Mind::kPlayer
                       : words == Words::kOpponents ? Mind::kOpponent
                                                    : Mind::kPasser;
    if (words == Words::kOwn) table.watched = seat;
    return table;
  }

  [[nodiscard]] static std::int8_t contract_of(const Game& game) {
    if (!game.has_contract()) return -1;
    const Contract contract = game.contract();
    return static_cast<std::int8_t>(static_cast<int>(contract.contract) +
                                    (contract.tout ? kNumContractClasses : 0));
  }
  [[nodiscard]] static bool is_won(const Game& game) {
    return game.has_contract() && game.settlement().won;
  }
  [[nodiscard]] static std::int8_t declarer_of(const Game& game) {
    return static_cast<std::int8_t>(game.has_contract() ? game.contract().declarer : -1);
  }

  [[nodiscard]] static CalibrationRow row_of(std::span<const Table> tables, int block, int seat) {
    const auto at = static_cast<std::size_t>(seat);
    const Game& own = tables[static_cast<std::size_t>(Words::kOwn)].game;
    const Game& other = tables[static_cast<std::size_t>(Words::kOpponents)].game;
    const Game& passed = tables[static_cast<std::size_t>(Words::kPasses)].game;
    CalibrationRow row;
    row.block = block;
    row.seat = static_cast<std::int8_t>(seat);
    row.payoff = own.payoffs()[at];
    row.other_payoff = other.payoffs()[at];
    row.passed_payoff = passed.payoffs()[at];
    row.contract = contract_of(own);
    row.declarer = declarer_of(own);
    row.won = is_won(own) ? 1 : 0;
    row.other_contract = contract_of(other);
    row.other_declarer = declarer_of(other);
    row.other_won = is_won(other) ? 1 : 0;
    return row;
  }

  /// Expectations of those that declare; tables_ are the games of the rows.
  void expect(std::vector<CalibrationRow>& rows) {
    std::vector<std::size_t> declarers;
    std::vector<PlayerView> views;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Table& table = tables_[i * kNumWords];
      if (rows[i].declarer != rows[i].seat || !table.seen) continue;
      declarers.push_back(i);
      views.push_back(*table.seen);
    }
    if (declarers.empty()) return;
    const std::vector<float> values = players_.values_of(views);
    for (std::size_t d = 0; d < declarers.size(); ++d) rows[declarers[d]].value = values[d];
    if (options_.worlds == 0) return;
    worlds_.clear();
    std::vector<std::size_t> ends;
    for (std::size_t d = 0; d < declarers.size(); ++d) {
      add_worlds(rows[declarers[d]], views[d], tables_[declarers[d] * kNumWords].said);
      ends.push_back(worlds_.size());
    }
    players_.play(worlds_);
    std::size_t first = 0;
    for (std::size_t d = 0; d < declarers.size(); ++d) {
      judge(rows[declarers[d]], std::span(worlds_).subspan(first, ends[d] - first));
      first = ends[d];
    }
  }

  /// The worlds of a declarer after what it said; none where its view does not show the course.
  void add_worlds(const CalibrationRow& row, const PlayerView& view, Action said) {
    if (!shows_decisions(view, rules_)) return;
    // draws of their own: the declarer does not know those of the deal
    const RngKey key{.seed = ~options_.seed,
                     .env = static_cast<std::uint64_t>(row.block),
                     .episode = static_cast<std::uint64_t>(row.seat)};
    const std::uint64_t drawn = episode_seed(key.seed, key.env, key.episode);
    const PastDecisions past(view, rules_);
    for (std::size_t i = 0; const World& world : worlds_of(view, drawn)) {
      Table table{.game = past.game_of(world), .key = key};
      table.key.episode += ++i * kNumSeats;
      table.number.apply(table.game, said);
      const Mind others = options_.table == WorldTable::kOwn ? Mind::kPlayer : Mind::kOpponent;
      table.speaks.fill(others);
      table.plays.fill(others);
      const auto at = static_cast<std::size_t>(row.seat);
      table.speaks[at] = table.plays[at] = Mind::kPlayer;
      worlds_.push_back(table);
    }
  }

  [[nodiscard]] std::vector<World> worlds_of(const PlayerView& view, std::uint64_t key) const {
    if (beliefs_ != nullptr) {
      return inferred_worlds(view, rules_, *beliefs_, kDrawnPerKept * options_.worlds,
                             options_.worlds, key);
    }
    const WorldSampler sampler(view, rules_);
    std::vector<World> worlds;
    for (int i = 0; i < options_.worlds; ++i) {
      worlds.push_back(sampler.sample(mix64(key + static_cast<std::uint64_t>(i))));
    }
    return worlds;
  }

  /// The row is of a game that the seat declared, and so are the worlds that count: in others a
  /// later seat goes over.
  void judge(CalibrationRow& row, std::span<const Table> worlds) const {
    double won = 0.0, payoff = 0.0, count = 0.0;
    for (const Table& world : worlds) {
      if (declarer_of(world.game) != row.seat || contract_of(world.game) != row.contract) continue;
      won += is_won(world.game) ? 1.0 : 0.0;
      payoff += world.game.payoffs()[static_cast<std::size_t>(row.seat)];
      count += 1.0;
    }
    if (count == 0.0) return;
    row.expected_won = static_cast<float>(won / count);
    row.expected_payoff = static_cast<float>(payoff / count / rules_.tariff_scale());
  }

  const CalibrationOptions& options_;
  const CompiledRules& rules_;
  Players players_;
  std::unique_ptr<BatchPolicy> beliefs_;
  std::vector<Table> tables_, worlds_;
};

/// Chunks of blocks handed out one by one to the threads.
class ChunkBoard {
 public:
  ChunkBoard(const CalibrationOptions& options, const WatchedWork::Progress& progress)
      : options_(options),
        chunks_(static_cast<std::size_t>((options.blocks + kChunk - 1) / kChunk)),
        watch_(progress, static_cast<int>(chunks_.size())) {}

  std::vector<CalibrationRow> play_all(int threads) {
    watch_.run(std::min(threads, static_cast<int>(chunks_.size())), [this] { work(); });
    if (watch_.stopped()) return {};
    std::vector<CalibrationRow> rows;
    for (const auto& chunk : chunks_) rows.insert(rows.end(), chunk.begin(), chunk.end());
    return rows;
  }

 private:
  void work() {
    Calibrator calibrator(options_, [this] { watch_.check(); });
    const int count = static_cast<int>(chunks_.size());
    for (int i = next_++; i < count && !watch_.stopped(); i = next_++) {
      const int first = i * kChunk;
      chunks_[static_cast<std::size_t>(i)] =
          calibrator.play(first, std::min(first + kChunk, options_.blocks));
      watch_.finish_one();
    }
  }

  const CalibrationOptions& options_;
  std::vector<std::vector<CalibrationRow>> chunks_;  // each written by one thread
  std::atomic<int> next_ = 0;
  WatchedWork watch_;
};

}  // namespace

void check_calibration(const CalibrationOptions& options) {
  if (!options.policy || !options.opponent || !options.rules) {
    throw std::invalid_argument("a calibration needs an agent, an opponent and rules");
  }
  for (const auto& player : {options.policy, options.opponent}) {
    if (!player->sees_hidden_hands()) continue;
    throw std::invalid_argument(fmt::format(
        "agent {}: it sees hidden hands, so that it does not expect, it knows", player->name()));
  }
  check_fields(options);
}

std::vector<CalibrationRow> calibrate(const CalibrationOptions& options,
                                      const CalibrationProgress& progress) {
  check_calibration(options);
  const WatchedWork::Progress told = [&](int done, int all) {
    if (!progress) return true;
    const int blocks = done == all ? options.blocks : done * kChunk;
    return progress(blocks, options.blocks);
  };
  const int chunks = (options.blocks + kChunk - 1) / kChunk;
  const int threads = std::min(threads_or_all(options.threads), chunks);
  if (options.worlds > 0) {  // all of the declarers of a chunk at once: about one in each block
    require_memory(fmt::format("worlds = {}", options.worlds),
                   static_cast<std::uint64_t>(options.worlds) * sizeof(Table) *
                       static_cast<std::uint64_t>(std::min(kChunk, options.blocks) * threads));
  }
  ChunkBoard board(options, told);
  return board.play_all(threads);
}

}  // namespace schafkopf
