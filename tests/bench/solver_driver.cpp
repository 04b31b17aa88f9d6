// Speed of the exact solver (PERFORMANCE rows 19 and 20).
//
// usage: schafkopf_solver_bench [--deals N] [--threshold-only] [--plain] [--declare [--write FILE]]
//   --deals N          deals per contract, 300 unless told
//   --threshold-only   without the exact points
//   --plain            also plain alpha-beta with the same table on the same deals
//   --declare          deals that the rule agent declares now, not those of the file
//   --write FILE       writes these deals, with the points that are reached, instead
// Deals: the first N of a class in tests/data/solver_deals.txt. They were made by --declare: seeds
// 0, 1, 2, ... with dealer = seed mod 4 under configs/rules/research.toml; the rule agent bids in
// all seats, and the first N plain games of a class count (no Tout). The hash covers hands, dealer
// and contract of all of them. Recorded games stand beside them when the environment variable
// SCHAFKOPF_REAL_GAMES names a file of records (RECORD.md). Times are CPU times of one thread
// (CLOCK_THREAD_CPUTIME_ID); positions are counted at the beginning of tricks.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "agents/maxims/rule_agent.h"
#include "agents/solver/solver.h"
#include "env/base/checksum.h"
#include "env/cards/contract.h"
#include "env/deal/deal.h"
#include "env/game/game.h"
#include "env/rules/compiled_rules.h"
#include "tests/cpp/support/solver_deals.h"

namespace schafkopf {
namespace {

using Play = PlayState<std::uint32_t>;

struct Options {
  int deals = 300;
  bool exact = true;
  bool plain = false;
  bool declare = false;
  std::string write;  // path
};

/// The start of card play, with open cards.
struct Task {
  Play play;
  std::uint8_t side = 0;  // of the declarer
};
struct TaskSet {
  std::string source;
  std::vector<Task> tasks;
  std::uint64_t hash = kHashOfNothing;

  void add(const Game& game) {
    tasks.push_back({game.play_state(), game.declarer_party()});
    for (int seat = 0; seat < game.seats(); ++seat) add_word(game.hand(seat).bits());
    const Contract contract = game.contract();
    add_word(static_cast<std::uint32_t>(game.dealer()) |
             static_cast<std::uint32_t>(contract.contract) << 8 |
             static_cast<std::uint32_t>(contract.suit) << 16 |
             static_cast<std::uint32_t>(contract.declarer) << 24);
    add_word(contract.called);
  }

 private:
  void add_word(std::uint32_t word) {
    char bytes[4] = {};  // lowest first, on every machine
    for (int i = 0; i < 4; ++i) bytes[i] = static_cast<char>(word >> (8 * i));
    hash = hash_of_bytes({bytes, sizeof bytes}, hash);
  }
};

constexpr Family kFamilies[] = {Family::kRuf, Family::kSolo, Family::kWenz};

/// Deals by class, in the order of kFamilies.
using DealLists = std::vector<std::vector<Game>>;

DealLists declared_deals(const CompiledRules& rules, int deals) {
  DealLists sets(std::size(kFamilies));
  const auto full = [deals](const std::vector<Game>& set) {
    return static_cast<int>(set.size()) >= deals;
  };
  for (std::uint64_t seed = 0; !std::all_of(sets.begin(), sets.end(), full); ++seed) {
    Game game(rules, random_deal(seed), static_cast<int>(seed % 4));
    while (!game.is_terminal() && game.phase() != Phase::kPlay) {
      game.apply(RuleAgent::choose(game.view(game.current_player()), rules));
    }
    if (game.is_terminal() || game.contract().tout) continue;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const bool same = row_of(kFamilies[i]).contract == game.contract().contract;
      if (same && !full(sets[i])) sets[i].push_back(game);
    }
  }
  return sets;
}

DealLists kept_deals(const CompiledRules& rules, int deals) {
  DealLists sets;
  for (const Family family : kFamilies) {
    const auto kept = test::read_solver_deals(SCHAFKOPF_SOURCE_DIR "/tests/data/solver_deals.txt",
                                              rules, row_of(family).name);
    sets.emplace_back();
    for (const test::SolverDeal& deal : kept) {
      if (static_cast<int>(sets.back().size()) < deals) sets.back().push_back(deal.game);
    }
  }
  return sets;
}

std::vector<TaskSet> tasks_of(const DealLists& lists, const std::string& source) {
  std::vector<TaskSet> sets;
  for (const std::vector<Game>& games : lists) {
    sets.emplace_back().source = source;
    for (const Game& game : games) sets.back().add(game);
  }
  return sets;
}

int write_deals(const DealLists& lists, const std::string& path) {
  std::ofstream file(path);
  file << "# Deals that the rule agent declared, see tests/cpp/support/solver_deals.h and\n"
          "# tests/bench/SOLVER.md.\n";
  Solver solver;
  for (const std::vector<Game>& games : lists) {
    for (const Game& game : games) {
      file << test::to_line({game, solver.points(game.play_state(), game.declarer_party())})
           << "\n";
    }
  }
  file.close();
  if (file) return 0;
  fmt::print(stderr, "cannot write {}\n", path);
  return 1;
}

Game read_game(const CompiledRules& rules, const nlohmann::json& record) {
  std::vector<std::vector<Card>> hands;
  for (const auto& names : record.at("hands")) {
    hands.emplace_back();
    for (const std::string name : names) hands.back().push_back(parse_card(name).value());
  }
  const std::vector<std::span<const Card>> spans(hands.begin(), hands.end());
  const nlohmann::json& named = record.at("contract");
  Contract contract;
  contract.contract = parse_contract(named.at("class").get<std::string>()).row->contract;
  contract.declarer = record.at("declarer").get<int>();
  if (named.contains("called")) {
    contract.called = parse_card(named.at("called").get<std::string>()).value();
  }
  if (named.contains("suit")) {
    const std::string suit = named.at("suit");
    contract.suit = suit_of(parse_card(suit + "A").value());
  }
  return Game::with_contract(rules, deal_from_hands(spans, rules.rules()),
                             record.at("dealer").get<int>(), contract);
}

std::vector<TaskSet> recorded_games(const CompiledRules& rules, const std::string& path) {
  std::vector<TaskSet> sets(std::size(kFamilies));
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const Game game = read_game(rules, nlohmann::json::parse(line));
    for (std::size_t i = 0; i < sets.size(); ++i) {
      if (row_of(kFamilies[i]).contract == game.contract().contract) sets[i].add(game);
    }
  }
  for (TaskSet& set : sets) set.source = "recorded games";
  return sets;
}

/// CPU time of this thread in ms.
double thread_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

double share(std::vector<double>& times, double part) {
  std::sort(times.begin(), times.end());
  const auto last = static_cast<double>(times.size() - 1);
  return times[static_cast<std::size_t>(part * last + 0.5)];
}

/// One line of the table: a question over a set of deals.
template <class Ask>
void print_row(const TaskSet& set, std::string_view contract, std::string_view question, Ask ask,
               const SolverOptions& solver_options = {}) {
  if (set.tasks.empty()) return;
  Solver solver(solver_options);
  std::vector<double> times;
  double total = 0.0;
  int answers = 0;
  for (const Task& task : set.tasks) {
    const double start = thread_ms();
    answers += ask(solver, task);
    times.push_back(thread_ms() - start);
    total += times.back();
  }
  const auto n = static_cast<double>(times.size());
  fmt::print(
      "| {} | {} | {} | {} | {:.3f} | {:.4f} | {:.2f} | {:.2f} | {:.0f} | {:.3f} | {:016x} |\n",
      set.source, contract, question, times.size(), total / n, share(times, 0.5),
      share(times, 0.95), share(times, 1.0), static_cast<double>(solver.num_positions()) / n,
      static_cast<double>(answers) / n, set.hash);
  std::fflush(stdout);
}

void print_sets(const std::vector<TaskSet>& sets, const Options& options) {
  const auto wins = [](Solver& solver, const Task& task) {
    return static_cast<int>(solver.reaches(task.play, task.side, 61));
  };
  const auto points = [](Solver& solver, const Task& task) {
    return solver.points(task.play, task.side);
  };
  SolverOptions plain;
  plain.plain = true;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const std::string_view name = row_of(kFamilies[i]).name;
    print_row(sets[i], name, "61 points", wins);
    if (options.exact) print_row(sets[i], name, "points", points);
    if (!options.plain) continue;
    print_row(sets[i], name, "61 points, plain alpha-beta", wins, plain);
    if (options.exact) print_row(sets[i], name, "points, plain alpha-beta", points, plain);
  }
}

bool read_options(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--deals" && i + 1 < argc) {
      options.deals = std::atoi(argv[++i]);
      if (options.deals < 1) return false;
    } else if (word == "--threshold-only") {
      options.exact = false;
    } else if (word == "--plain") {
      options.plain = true;
    } else if (word == "--declare") {
      options.declare = true;
    } else if (word == "--write" && i + 1 < argc) {
      options.write = argv[++i];
    } else {
      return false;
    }
  }
  return options.declare || options.write.empty();
}

int run(const Options& options) {
  const auto rules = CompiledRules::load("research");
  const DealLists deals =
      options.declare ? declared_deals(*rules, options.deals) : kept_deals(*rules, options.deals);
  if (!options.write.empty()) return write_deals(deals, options.write);
  fmt::print(
      "| deals | contract | question | n | mean ms | median ms | 95 % | max | positions | mean "
      "answer | hash |\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|---|---|\n");
  print_sets(tasks_of(deals, options.declare ? "rule agent" : "kept"), options);
  const char* path = std::getenv("SCHAFKOPF_REAL_GAMES");
  if (path != nullptr) print_sets(recorded_games(*rules, path), options);
  return 0;
}

}  // namespace
}  // namespace schafkopf

int main(int argc, char** argv) {
  schafkopf::Options options;
  if (!schafkopf::read_options(argc, argv, options)) {
    std::fputs(
        "usage: schafkopf_solver_bench [--deals N] [--threshold-only] [--plain] "
        "[--declare [--write FILE]]\n",
        stderr);
    return 2;
  }
  return schafkopf::run(options);
}
