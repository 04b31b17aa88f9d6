#include "agents/tournament/league_day.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "agents/tournament/league_journal.h"
#include "agents/tournament/outside_report.h"
#include "agents/tournament/ratings.h"
#include "agents/tournament/tournament_fields.h"
#include "agents/tournament/tournament_plan.h"
#include "agents/work/crew.h"
#include "agents/work/decision_rows.h"
#include "agents/work/threads.h"
#include "env/view/single_rule_table.h"

namespace schafkopf {
namespace {

using Json = nlohmann::ordered_json;

using Agents = std::vector<std::unique_ptr<BatchPolicy>>;

constexpr int kTablesAtOnce = 64;  // of one worker, played in lock-step

/// Tables [first, last), counted through all sittings.
struct Piece {
  int first = 0, last = 0;
};

/// Hands out tables to threads and takes their games.
class TableBoard {
 public:
  /// `games` are entered already; journal: null for none.
  TableBoard(League& league, LeagueJournal* journal, int games, int tables_at_once)
      : league_(league), journal_(journal), size_(tables_at_once), games_(games) {}

  /// Empty: no more tables, or the day is stopped.
  std::optional<Piece> take() {
    const int tables = league_.num_tables() * league_.num_sittings();
    const int first = crew_.stopped() ? tables : next_.fetch_add(size_);
    if (first >= tables) return std::nullopt;
    return Piece{first, std::min(first + size_, tables)};
  }
  /// Enters a game. Threads do that for different tables.
  void finish(const LeagueGame& recorded, const Game& game) {
    league_.finish(recorded.sitting, recorded.table, game);
    if (journal_ != nullptr) journal_->append(recorded);
    ++games_;
    crew_.notify();
  }
  [[nodiscard]] bool stopping() const { return crew_.stopped(); }

  /// Runs `work` in threads, which take tables until there are no more.
  void play(int threads, const std::function<void()>& work, const TournamentProgress& progress) {
    const int all_games =
        league_.num_tables() * league_.num_sittings() * league_.games_per_sitting();
    Crew::Report report;
    if (progress) report = [&] { return progress(games_, all_games); };
    crew_.run(threads, work, report);
  }

 private:
  League& league_;
  LeagueJournal* journal_;
  int size_;
  std::atomic<int> next_ = 0, games_;
  Crew crew_;
};

/// Plays tables of a league with its own copies of the agents.
class LeagueWorker {
 public:
  LeagueWorker(const TournamentOptions& options, const RuleTable& rules, const Agents& agents,
               const League& league, TableBoard& board)
      : options_(options), rules_(rules), league_(league), board_(board) {
    for (const auto& agent : agents) agents_.push_back(copy_of(*agent));
    rows_.resize(agents_.size());
  }

  /// Plays tables to their end until there are no more.
  void play() {
    while (const std::optional<Piece> piece = board_.take()) {
      tables_.clear();
      for (int number = piece->first; number < piece->last; ++number) {
        Table& table = tables_.emplace_back();
        table.record.sitting = number / league_.num_tables();
        table.record.table = number % league_.num_tables();
      }
      while (!board_.stopping() && step()) {
      }
    }
  }

 private:
  struct Table {
    LeagueGame record;  // of the game in progress
    std::optional<Game> game;

    void apply(Action action) {
      game->apply(action);  // throws if it is illegal
      record.actions.push_back(action);
    }
  };

  /// Next game where none is in progress; false when the sitting is over.
  bool open(Table& table) {
    LeagueGame& record = table.record;
    while (!table.game || table.game->is_terminal()) {
      if (table.game) {
        board_.finish(record, *table.game);
        table.game.reset();
      }
      if (league_.is_over(record.sitting, record.table)) return false;
      table.game = league_.next_game(record.sitting, record.table);
      record.game = static_cast<int>(league_.list(record.sitting, record.table).deals.size());
      record.actions.clear();
    }
    return true;
  }

  /// One action at every table; false when all are done.
  bool step() {
    for (DecisionRows& rows : rows_) rows.clear();
    bool running = false;
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      Table& table = tables_[t];
      if (!open(table)) continue;
      running = true;
      const ActionMask mask = without_claims(table.game->legal_actions());
      if (mask.count() == 1) {  // no decision
        table.apply(mask.lowest());
      } else {
        add_row(t);
      }
    }
    for (std::size_t agent = 0; agent < agents_.size(); ++agent) ask(agent);
    return running;
  }

  void add_row(std::size_t t) {
    const Table& table = tables_[t];
    const LeagueGame& record = table.record;
    const TableList& list = league_.list(record.sitting, record.table);
    const int seat = table.game->current_player();
    const int place =
        places_of(league_.rules().rules(), list.state.dealer)[static_cast<std::size_t>(seat)];
    const auto player = static_cast<std::size_t>(list.players[static_cast<std::size_t>(place)]);
    const std::size_t agent = player % agents_.size();
    const int table_number = record.sitting * league_.num_tables() + record.table;
    const auto number = static_cast<std::uint64_t>(table_number);
    const RngKey key{options_.seed, number, static_cast<std::uint64_t>(record.game),
                     static_cast<std::uint32_t>(record.actions.size()),
                     static_cast<std::uint32_t>(seat)};
    rows_[agent].add(t, *table.game, key, agents_[agent]->sees_hidden_hands());
  }

  void ask(std::size_t agent) {
    DecisionRows& rows = rows_[agent];
    if (rows.tables.empty()) return;
    rows.actions.resize(rows.tables.size());
    agents_[agent]->act(rows.batch(rules_), rows.keys, rows.actions);
    for (std::size_t row = 0; row < rows.tables.size(); ++row) {
      tables_[rows.tables[row]].apply(rows.actions[row]);
    }
  }

  const TournamentOptions& options_;
  RuleTable rules_;
  const League& league_;
  TableBoard& board_;
  std::vector<std::unique_ptr<BatchPolicy>> agents_;
  std::vector<DecisionRows> rows_;
  std::vector<Table> tables_;
};

void check_day(const TournamentOptions& options) {
  if (options.agents.empty()) throw std::invalid_argument("league day: no agents given");
  check_fields(options);
  check_names(options.agents);
  const RuleSet& rules = options.rules->rules();
  if (rules.session_tables < 1 || rules.session_rounds < 1) {
    throw std::invalid_argument(fmt::format(
        "league day: the rules {} have session_tables = {} and session_rounds = {}, allowed: 1 and "
        "more of each (as in tournament_2024)",
        options.rules->name(), rules.session_tables, rules.session_rounds));
  }
  if (options.players < static_cast<int>(options.agents.size())) {
    throw std::invalid_argument(
        fmt::format("players = {}, allowed: at least one for each of the {} "
                    "agents",
                    options.players, options.agents.size()));
  }
  if (options.resume && options.journal.empty()) {
    throw std::invalid_argument("resume needs a journal to go on with");
  }
}

/// Points per game of each agent, from the totals of its players. Who gives at a table of five sits
/// out: a player has fewer games than his table.
std::vector<Estimate> points_of(const LeagueDayResult& result, const League& league) {
  std::vector<std::vector<double>> totals(result.names.size());
  const RuleSet& rules = league.rules().rules();
  const double share = static_cast<double>(league.rules().seats()) / rules.players;
  const double games = share * league.games_per_sitting() * league.num_sittings();
  const double scale = league.rules().tariff_scale();
  for (const Standing& standing : result.ranking) {
    // deals that were thrown in are games of a sitting, or are dealt again
    const double played = rules.thrown_in_counts ? games : std::max(standing.num_games, 1);
    totals[result.agent_of(standing.player)].push_back(
        static_cast<double>(standing.total - standing.bonus) / scale / played);
  }
  std::vector<Estimate> points;
  for (const std::vector<double>& of : totals) points.push_back(estimate(of));
  return points;
}

void play_tables(const TournamentOptions& options, const Agents& agents, const League& league,
                 TableBoard& board, int threads, const TournamentProgress& progress) {
  const SingleRuleTable rules(*options.rules);
  const auto work = [&] { LeagueWorker(options, rules.table(), agents, league, board).play(); };
  board.play(threads, work, progress);
}

const char* plural(int count) { return count == 1 ? "" : "s"; }

Agents agents_of(const TournamentOptions& options) {
  Agents agents;
  for (const TournamentAgent& agent : options.agents) {
    agents.push_back(player_of(agent, options.greedy));
  }
  return agents;
}

/// Plays what the journal does not hold; what became of players in other processes meanwhile.
OutsideReports play_to_the_end(const TournamentOptions& options, League& league,
                               const TournamentProgress& progress) {
  const Agents agents = agents_of(options);  // before the journal: wrong ones leave no file
  std::optional<LeagueJournal> journal;
  int games = 0;
  if (!options.journal.empty()) games = journal.emplace(options).replay(league);
  const int threads = threads_or_all(options.threads);
  const int tables = league.num_tables() * league.num_sittings();
  TableBoard board(league, journal ? &*journal : nullptr, games,
                   std::clamp(tables / (2 * threads), 1, kTablesAtOnce));
  play_tables(options, agents, league, board, threads, progress);
  if (journal) journal->sync();
  if (!league.is_over()) throw std::runtime_error("league day: stopped before its end");
  return outside_reports(agents);
}

}  // namespace

void check_league_day(const TournamentOptions& options) {
  check_day(options);
  (void)agents_of(options);
  (void)League(options.rules.shared(), options.players, options.seed);
  if (options.journal.empty() || !std::filesystem::exists(options.journal)) return;
  const LeagueJournal journal(options);
}

LeagueDayResult play_league_day(const TournamentOptions& options,
                                const TournamentProgress& progress) {
  check_day(options);
  League league(options.rules.shared(), options.players, options.seed);
  LeagueDayResult result;
  result.outside = play_to_the_end(options, league, progress);
  result.names = names_of_agents(options);
  result.sittings = league.num_sittings();
  result.tables = league.num_tables();
  result.games_per_sitting = league.games_per_sitting();
  for (int sitting = 0; sitting < result.sittings; ++sitting) {
    for (int table = 0; table < result.tables; ++table) {
      result.games += static_cast<std::int64_t>(league.list(sitting, table).deals.size());
    }
  }
  result.ranking = league.ranking();
  result.points = points_of(result, league);
  return result;
}

std::string to_json(const LeagueDayResult& result, const TournamentOptions& options) {
  const double scale = options.rules->tariff_scale();
  Json json = {{"format", "schafkopf-league-day"},
               {"version", 2},
               {"rules", options.rules->name()},
               {"rules_hash", fmt::format("{:016x}", options.rules->hash())},
               {"tariff_unit", options.rules->rules().tariff.unit},
               {"players", options.players},
               {"seed", options.seed},
               {"sittings", result.sittings},
               {"tables", result.tables},
               {"games_per_sitting", result.games_per_sitting},
               {"games", result.games}};
  json["agents"] = Json::array();
  for (std::size_t i = 0; i < result.names.size(); ++i) {
    const Estimate& points = result.points[i];
    json["agents"].push_back(
        {{"name", result.names[i]},
         {"players", points.blocks},
         {"points", {{"mean", points.mean}, {"half_width", points.half_width}}}});  // inf: null
    if (result.outside[i]) {
      json["agents"].back().update(Json::parse(to_json(*result.outside[i])));
    }
  }
  json["ranking"] = Json::array();
  for (const Standing& standing : result.ranking) {
    json["ranking"].push_back({{"rank", standing.rank},
                               {"player", standing.player + 1},
                               {"agent", result.names[result.agent_of(standing.player)]},
                               {"total", static_cast<double>(standing.total) / scale},
                               {"bonus", static_cast<double>(standing.bonus) / scale},
                               {"games", standing.num_games}});
  }
  return json.dump(2);
}

std::string to_text(const LeagueDayResult& result, const TournamentOptions& options) {
  const double scale = options.rules->tariff_scale();
  std::string text = fmt::format(
      "league day, rules {} ({:016x}), seed {}: {} player{} at {} table{}, {} sitting{} of {} "
      "game{}\n",
      options.rules->name(), options.rules->hash(), options.seed, options.players,
      plural(options.players), result.tables, plural(result.tables), result.sittings,
      plural(result.sittings), result.games_per_sitting, plural(result.games_per_sitting));
  const auto amount = [scale](std::int64_t units) {
    return fmt::format("{:.15g}", static_cast<double>(units) / scale);
  };
  std::size_t widest = 8, widest_bonus = 6;
  for (const Standing& standing : result.ranking) {
    widest = std::max(widest, amount(standing.total).size() + 1);  // its sign
    widest_bonus = std::max(widest_bonus, amount(standing.bonus).size());
  }
  text += fmt::format("{:>5}  {:>6}  {:24}  {:>{}}  {:>{}}  {:>6}\n", "rank", "player", "agent",
                      "total", widest, "bonus", widest_bonus, "games");
  for (const Standing& standing : result.ranking) {
    const std::string total = (standing.total < 0 ? "" : "+") + amount(standing.total);
    text += fmt::format("{:>5}  {:>6}  {:24}  {:>{}}  {:>{}}  {:>6}\n", standing.rank,
                        standing.player + 1, result.names[result.agent_of(standing.player)], total,
                        widest, amount(standing.bonus), widest_bonus, standing.num_games);
  }
  text += fmt::format("amounts in {}; the total includes the bonus\n",
                      options.rules->rules().tariff.unit);
  const bool several = std::ranges::any_of(
      result.points, [](const Estimate& estimate) { return estimate.blocks > 1; });
  text += fmt::format("points per game without the bonus{}\n",
                      several ? ", with 95 % intervals over players as if they had not met" : "");
  for (std::size_t i = 0; i < result.names.size(); ++i) {
    text += fmt::format("{:24}  {}\n", result.names[i], to_text(result.points[i]));
  }
  return text + outside_text(result.names, result.outside);
}

}  // namespace schafkopf
