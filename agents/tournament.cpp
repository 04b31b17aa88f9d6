#include "agents/tournament.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "agents/greedy_agent.h"
#include "agents/ratings.h"
#include "agents/registry.h"
#include "env/encoder.h"
#include "env/game.h"

namespace schafkopf {
namespace {

constexpr int kChunkBlocks = 16;  // blocks that one worker plays in lock-step

/// What all workers share; read only.
struct Plan {
  const TournamentOptions& options;
  std::unique_ptr<ContractGenerator> generator;  // null in the full track
  std::vector<std::unique_ptr<BatchPolicy>> agents;
  std::vector<float> rule_features;
  std::array<const CompiledRules*, 1> rules;
  RuleTable rule_table;
};

/// One game of a block: agent `single` in `seat`, `others` in all other seats.
struct Table {
  Game game;
  int block = 0;
  int seat = 0;
  int single = 0;
  int others = 0;
  std::uint32_t decision = 0;

  [[nodiscard]] int agent_of(int player) const { return player == seat ? single : others; }
};

/// Sums that do not depend on the order of games.
struct Counts {
  std::int64_t games = 0, decisions = 0;
  std::vector<std::vector<DeclarerCount>> declared;
  std::vector<std::int64_t> seat_deals, thrown_in;

  explicit Counts(std::size_t agents)
      : declared(agents, std::vector<DeclarerCount>(contract_keys().size())),
        seat_deals(agents),
        thrown_in(agents) {}
  void add(const Counts& other) {
    games += other.games;
    decisions += other.decisions;
    for (std::size_t i = 0; i < declared.size(); ++i) {
      for (std::size_t c = 0; c < declared[i].size(); ++c) {
        declared[i][c].games += other.declared[i][c].games;
        declared[i][c].won += other.declared[i][c].won;
      }
      seat_deals[i] += other.seat_deals[i];
      thrown_in[i] += other.thrown_in[i];
    }
  }
};

/// Rows of one agent in one step.
struct Rows {
  std::vector<std::size_t> tables;
  std::vector<CardsLine> cards;
  std::vector<OrderLine> order;
  std::vector<EventsLine> events;
  std::vector<FullView> full;  // of cheating baselines only
  std::vector<RngKey> keys;
  std::vector<Action> actions;

  void clear() {
    tables.clear();
    cards.clear();
    order.clear();
    events.clear();
    full.clear();
    keys.clear();
  }
};

/// Plays chunks of blocks with its own copies of the agents.
class Worker {
 public:
  Worker(const Plan& plan, BlockMeans& means) : plan_(plan), means_(means) {
    for (const auto& agent : plan.agents) agents_.push_back(agent->clone());
    rows_.resize(agents_.size());
  }

  /// Plays blocks [first, last) and writes their means; returns their counts.
  Counts play(int first, int last) {
    Counts counts(agents_.size());
    set_up(first, last);
    while (step(counts)) {
    }
    for (const Table& table : tables_) finish(table, counts);
    return counts;
  }

 private:
  void set_up(int first, int last) {
    tables_.clear();
    for (int block = first; block < last; ++block) {
      const Game start = first_position(block);
      const int agents = static_cast<int>(agents_.size());
      for (int i = 0; i < agents; ++i) {
        for (int j = 0; j < agents; ++j) {
          for (int seat = 0; i != j && seat < seats(); ++seat) {
            tables_.push_back({start, block, seat, i, j, 0});
          }
        }
      }
    }
  }

  [[nodiscard]] Game first_position(int block) const {
    const TournamentOptions& options = plan_.options;
    const auto number = static_cast<std::uint64_t>(block);
    const std::uint64_t seed = episode_seed(options.seed, number, 0);
    const std::uint64_t deal_seed = draw(seed, RngStream::kDeal, 0);
    const CompiledRules& rules = *options.rules;
    const int dealer = block % seats();
    if (plan_.generator == nullptr) {
      const DealContext& context = rules.first_context();
      return Game(rules, deal_for(deal_seed, rules.rules(), dealer, context), dealer, context);
    }
    // a special round decides who declares: the generator's contracts belong to normal deals
    const Deal deal = deal_for(deal_seed, rules.rules(), dealer, DealContext{});
    const Contract contract =
        plan_.generator->generate(rules, deal, dealer, RngKey{options.seed, number});
    return Game::with_contract(rules, deal, dealer, contract);
  }

  [[nodiscard]] int seats() const { return plan_.options.rules->seats(); }

  /// One action in every running game; false when none runs.
  bool step(Counts& counts) {
    for (Rows& rows : rows_) rows.clear();
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
        add_row(t, static_cast<std::size_t>(table.agent_of(table.game.current_player())));
      }
    }
    for (std::size_t agent = 0; agent < agents_.size(); ++agent) {
      counts.decisions += static_cast<std::int64_t>(rows_[agent].tables.size());
      ask(agent);
    }
    return running;
  }

  void add_row(std::size_t t, std::size_t agent) {
    Rows& rows = rows_[agent];
    const Table& table = tables_[t];
    const int seat = table.game.current_player();
    rows.tables.push_back(t);
    table.game.view(seat, rows.cards.emplace_back(), rows.order.emplace_back(),
                    rows.events.emplace_back());
    if (agents_[agent]->sees_hidden_hands()) rows.full.push_back(table.game.full_view(seat));
    std::uint8_t& flags = rows.cards.back().flags;
    flags = static_cast<std::uint8_t>(flags & ~(kFlagClaimRest | kFlagConcedeRest));
    // Common random numbers: the key names deal, decision and seat, not the seating.
    rows.keys.push_back({plan_.options.seed, static_cast<std::uint64_t>(table.block), 0,
                         table.decision, static_cast<std::uint32_t>(seat)});
  }

  void ask(std::size_t agent) {
    Rows& rows = rows_[agent];
    if (rows.tables.empty()) return;
    rows.actions.resize(rows.tables.size());
    const ViewBatch batch{rows.tables.size(),
                          rows.cards.data(),
                          rows.order.data(),
                          rows.events.data(),
                          nullptr,
                          &plan_.rule_table,
                          rows.full.empty() ? nullptr : rows.full.data()};
    agents_[agent]->act(batch, rows.keys, rows.actions);
    for (std::size_t row = 0; row < rows.tables.size(); ++row) {
      Table& table = tables_[rows.tables[row]];
      table.game.apply(rows.actions[row]);  // throws if the agent played something illegal
      ++table.decision;
    }
  }

  void finish(const Table& table, Counts& counts) {
    const Settlement settlement = table.game.settlement();
    const double scale = plan_.options.rules->tariff_scale();
    const auto single = static_cast<std::size_t>(table.single);
    const auto others = static_cast<std::size_t>(table.others);
    const double payoff =
        table.game.payoffs()[static_cast<std::size_t>(table.seat)] / scale / seats();
    means_[single][others][static_cast<std::size_t>(table.block)] += payoff;
    ++counts.games;
    counts.seat_deals[single] += 1;
    counts.seat_deals[others] += seats() - 1;
    if (!table.game.has_contract()) {
      counts.thrown_in[single] += 1;
      counts.thrown_in[others] += seats() - 1;
      return;
    }
    const Contract contract = table.game.contract();
    if (contract.declarer < 0) return;
    const auto key = static_cast<std::size_t>(static_cast<int>(contract.contract) +
                                              (contract.tout ? kNumContractClasses : 0));
    DeclarerCount& count =
        counts.declared[static_cast<std::size_t>(table.agent_of(contract.declarer))][key];
    ++count.games;
    count.won += settlement.won ? 1 : 0;
  }

  const Plan& plan_;
  BlockMeans& means_;
  std::vector<std::unique_ptr<BatchPolicy>> agents_;
  std::vector<Table> tables_;
  std::vector<Rows> rows_;
};

/// Hands out chunks, collects what they counted and the first error.
class Board {
 public:
  Board(int blocks, std::size_t agents)
      : chunks_((blocks + kChunkBlocks - 1) / kChunkBlocks), blocks_(blocks), counts_(agents) {
    finished_.assign(static_cast<std::size_t>(blocks), false);
  }

  /// Body of a worker thread.
  void work(const Plan& plan, BlockMeans& means) {
    try {
      Worker worker(plan, means);
      for (int chunk = next_++; chunk < chunks_ && !stop_; chunk = next_++) {
        const int first = chunk * kChunkBlocks, last = std::min(first + kChunkBlocks, blocks_);
        report(worker.play(first, last), first, last);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      stop_ = true;
    }
    const std::lock_guard lock(mutex_);
    ++ended_;
    changed_.notify_one();
  }

  /// Reports progress from the calling thread until all workers have ended.
  void wait(int workers, const TournamentProgress& progress) {
    std::unique_lock lock(mutex_);
    while (ended_ < workers) {
      changed_.wait(lock);
      const int done = done_;
      if (!progress) continue;
      lock.unlock();
      if (!progress(done, blocks_)) stop_ = true;
      lock.lock();
    }
  }
  void stop() { stop_ = true; }

  [[nodiscard]] const std::exception_ptr& error() const { return error_; }
  [[nodiscard]] const std::vector<bool>& finished() const { return finished_; }
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  void report(const Counts& counts, int first, int last) {
    const std::lock_guard lock(mutex_);
    counts_.add(counts);
    for (int block = first; block < last; ++block) {
      finished_[static_cast<std::size_t>(block)] = true;
    }
    done_ += last - first;
    changed_.notify_one();
  }

  int chunks_, blocks_;
  std::atomic<int> next_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  int done_ = 0, ended_ = 0;
  std::exception_ptr error_;
  std::vector<bool> finished_;
  Counts counts_;
};

std::string name_of(const TournamentAgent& agent) {
  return agent.name.empty() ? agent.spec : agent.name;
}

void check(const TournamentOptions& options) {
  if (options.rules == nullptr) throw std::invalid_argument("tournament: no rules given");
  if (options.agents.size() < 2) {
    throw std::invalid_argument(
        fmt::format("tournament: {} agent(s), at least 2 are needed", options.agents.size()));
  }
  if (options.blocks < 1) {
    throw std::invalid_argument(fmt::format("blocks = {}, allowed: 1 and more", options.blocks));
  }
  if (options.threads < 0) {
    throw std::invalid_argument(
        fmt::format("threads = {}, allowed: 0 (one per core) and more", options.threads));
  }
}

Plan make_plan(const TournamentOptions& options) {
  Plan plan{options, nullptr, {}, {}, {options.rules.get()}, {}};
  if (options.track == Track::kCardPlay) plan.generator = make_generator(options.generator);
  for (const TournamentAgent& agent : options.agents) {
    std::unique_ptr<BatchPolicy> policy =
        agent.policy != nullptr ? agent.policy->clone() : make_agent(agent.spec);
    if (options.greedy) {
      policy = std::make_unique<GreedyAgent>(std::move(policy), name_of(agent));
    }
    plan.agents.push_back(std::move(policy));
  }
  plan.rule_features.resize(static_cast<std::size_t>(rule_feature_size()));
  write_rule_features(*options.rules, plan.rule_features);
  return plan;
}

/// Drops the blocks that a stopped tournament did not finish.
void keep_finished(BlockMeans& means, const std::vector<bool>& finished) {
  for (auto& row : means) {
    for (std::vector<double>& values : row) {
      std::size_t kept = 0;
      for (std::size_t block = 0; block < values.size(); ++block) {
        if (finished[block]) values[kept++] = values[block];
      }
      values.resize(kept);
    }
  }
}

BlockMeans empty_means(std::size_t agents, int blocks) {
  BlockMeans means(agents, std::vector<std::vector<double>>(agents));
  for (std::size_t i = 0; i < agents; ++i) {
    for (std::size_t j = 0; j < agents; ++j) {
      if (i != j) means[i][j].assign(static_cast<std::size_t>(blocks), 0.0);
    }
  }
  return means;
}

}  // namespace

const std::vector<std::string>& contract_keys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> names;
    for (const bool tout : {false, true}) {
      for (const ContractRow& row : contract_table()) {
        names.emplace_back(contract_name(row.contract, tout));
      }
    }
    return names;
  }();
  return keys;
}

TournamentResult run_tournament(const TournamentOptions& options,
                                const TournamentProgress& progress) {
  check(options);
  Plan plan = make_plan(options);
  plan.rule_table = {plan.rules, plan.rule_features};
  const std::size_t agents = options.agents.size();
  BlockMeans means = empty_means(agents, options.blocks);
  Board board(options.blocks, agents);
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const int threads = options.threads == 0 ? cores : options.threads;
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < threads; ++i) workers.emplace_back([&] { board.work(plan, means); });
    try {
      board.wait(threads, progress);
    } catch (...) {  // thrown by the caller's progress function
      board.stop();
      throw;
    }
  }
  if (board.error()) std::rethrow_exception(board.error());

  TournamentResult result;
  for (const TournamentAgent& agent : options.agents) {
    result.names.push_back(name_of(agent));
    result.specs.push_back(agent.spec);
  }
  keep_finished(means, board.finished());
  result.blocks = static_cast<int>(means[0][1].size());
  result.stopped = result.blocks < options.blocks;
  const Counts& counts = board.counts();
  result.games = counts.games;
  result.decisions = counts.decisions;
  result.declared = counts.declared;
  result.seat_deals = counts.seat_deals;
  result.thrown_in = counts.thrown_in;
  rate(means, result);
  return result;
}

}  // namespace schafkopf
