// Runs tournaments: stages of blocks, cut into pieces for threads, kept in a journal.
#include "agents/tournament/tournament.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "agents/tournament/outside_report.h"
#include "agents/tournament/ratings.h"
#include "agents/tournament/tournament_journal.h"
#include "agents/tournament/tournament_plan.h"
#include "agents/work/crew.h"
#include "agents/work/threads.h"

namespace schafkopf {
namespace {

using Clock = std::chrono::steady_clock;

// A piece is what a worker plays in lock-step: large enough for good batches, and no longer than
// about a second, because a kill loses the pieces in progress. A stop leaves those that take longer.
constexpr int kMaxUnits = 128;
constexpr auto kLargerBelow = std::chrono::milliseconds(250);
constexpr auto kSmallerAbove = std::chrono::milliseconds(1000);
constexpr double kCheckGrowth = 1.25;  // of the number of blocks between looks at the precision

/// Blocks [first, last) of some pairings, block after block.
class Stage {
 public:
  Stage(std::vector<int> pairings, int first, int last)
      : pairings_(std::move(pairings)), first_(first), last_(last) {}

  [[nodiscard]] std::int64_t size() const {
    return std::int64_t{last_ - first_} * static_cast<std::int64_t>(pairings_.size());
  }
  [[nodiscard]] BlockUnit unit(std::int64_t i) const {
    const auto width = static_cast<std::int64_t>(pairings_.size());
    return {first_ + static_cast<int>(i / width), pairings_[static_cast<std::size_t>(i % width)]};
  }
  [[nodiscard]] bool contains(const BlockUnit& unit) const {
    return unit.block >= first_ && unit.block < last_ &&
           std::ranges::find(pairings_, unit.pairing) != pairings_.end();
  }

 private:
  std::vector<int> pairings_;
  int first_, last_;
};

/// Hands out the units of one stage and collects the rows.
class BlockBoard {
 public:
  BlockBoard(const TournamentPlan& plan, TournamentJournal* journal)
      : plan_(plan), journal_(journal) {}

  /// Plays a stage in threads; `done`: its sorted units that need no more play.
  void play(const Stage& stage, std::vector<BlockUnit> done, int threads,
            const TournamentProgress& progress) {
    stage_ = &stage;
    done_ = std::move(done);
    next_ = 0;
    threads_ = threads;
    Crew::Report report;
    if (progress) report = [&] { return progress(finished_blocks(), plan_.options->blocks); };
    crew_.run(threads, [this] { work(); }, report);
  }

  /// Counts units that came from the journal.
  void skip(std::size_t units) { units_ += static_cast<std::int64_t>(units); }

  /// Units that are finished, of all stages.
  [[nodiscard]] std::int64_t units() const { return units_; }
  [[nodiscard]] bool stopping() const { return crew_.stopped(); }
  [[nodiscard]] std::vector<GameRow>& rows() { return rows_; }

 private:
  /// Body of a worker thread.
  void work() {
    TournamentWorker worker(plan_);
    int units = std::max(1, plan_.options->blocks_at_once);
    if (plan_.options->blocks_at_once == 0) units = good_size_;
    for (std::vector<BlockUnit> piece = take(units); !piece.empty(); piece = take(units)) {
      const Clock::time_point start = Clock::now();
      const auto rows = worker.play(
          piece, [this, start] { return crew_.stopped() && Clock::now() - start > kSmallerAbove; });
      if (!rows) return;
      report(*rows, static_cast<int>(piece.size()));
      if (plan_.options->blocks_at_once == 0) units = next_size(units, Clock::now() - start);
      good_size_ = units;
    }
  }

  [[nodiscard]] int finished_blocks() {
    const std::scoped_lock lock(mutex_);
    const auto pairings = static_cast<std::int64_t>(plan_.pairings.size());
    const std::int64_t blocks = plan_.options->blocks;
    return static_cast<int>(units_ * blocks / (pairings * blocks + plan_.options->tables));
  }

  [[nodiscard]] static int next_size(int units, Clock::duration took) {
    if (took < kLargerBelow) return std::min(units * 2, kMaxUnits);
    return took > kSmallerAbove ? std::max(1, units / 2) : units;
  }

  /// Up to `wanted` units, fewer at the end so that all threads have work; empty = no more.
  std::vector<BlockUnit> take(int wanted) {
    const std::scoped_lock lock(mutex_);
    std::vector<BlockUnit> piece;
    if (crew_.stopped()) return piece;
    const std::int64_t left = stage_->size() - next_;
    const std::int64_t fair = std::max<std::int64_t>(1, left / (2 * threads_));
    const auto size = static_cast<std::size_t>(std::min<std::int64_t>(wanted, fair));
    while (piece.size() < size && next_ < stage_->size()) {
      const BlockUnit unit = stage_->unit(next_++);
      if (!std::ranges::binary_search(done_, unit)) piece.push_back(unit);
    }
    return piece;
  }

  void report(const std::vector<GameRow>& rows, int units) {
    const std::scoped_lock lock(mutex_);
    if (journal_ != nullptr && !rows.empty()) journal_->append(rows);
    rows_.insert(rows_.end(), rows.begin(), rows.end());
    units_ += units;
    crew_.notify();
  }

  const TournamentPlan& plan_;
  TournamentJournal* journal_;
  const Stage* stage_ = nullptr;
  std::vector<BlockUnit> done_;
  std::int64_t next_ = 0;
  int threads_ = 1;
  std::atomic<int> good_size_ = 1;  // of a piece, for the workers of the next stage
  Crew crew_;
  std::mutex mutex_;  // of what follows and of the next unit
  std::int64_t units_ = 0;
  std::vector<GameRow> rows_;
};

/// One run from the first stage to the last.
class Run {
 public:
  Run(const TournamentPlan& plan, const TournamentProgress& progress, TournamentStart start = {})
      : plan_(plan), progress_(progress), start_(start) {
    const TournamentOptions& options = *plan.options;
    threads_ = threads_or_all(options.threads);
    if (!options.journal.empty()) {
      journal_.emplace(options.journal, identity_of(options), options.resume);
      kept_ = journal_->take_rows();
      const auto unit = [](const GameRow& row) { return std::tuple(row.block, row.pairing); };
      std::ranges::sort(kept_, {}, unit);
      check_whole(options.journal);
    }
    board_.emplace(plan, journal_ ? &*journal_ : nullptr);
  }

  /// Rows of all blocks that were to be played, or of those that were before it was stopped.
  std::vector<GameRow> play() {
    const int blocks = plan_.options->blocks;
    std::vector<int> active;
    for (std::size_t p = 0; p < plan_.pairings.size(); ++p) active.push_back(static_cast<int>(p));
    std::int64_t planned = 0;
    for (int first = start_.block; first < blocks && !active.empty() && !stopped_;) {
      const bool looks = std::ranges::any_of(active, [&](int p) { return precision(p) > 0.0; });
      const int last = looks ? next_check(first) : blocks;
      const Stage stage(active, first, last);
      play_stage(stage);
      planned += stage.size();
      if (looks) std::erase_if(active, [&](int p) { return is_precise(p); });
      first = last;
      const bool finished = first >= blocks || active.empty();
      stopped_ = board_->units() < planned || (board_->stopping() && !finished);
    }
    if (plan_.options->tables > start_.table && !stopped_) {
      const Stage stage({plan_.tables()}, start_.table, plan_.options->tables);
      play_stage(stage);
      stopped_ = board_->units() < planned + stage.size();
    }
    if (journal_) journal_->sync();
    return std::move(board_->rows());
  }
  [[nodiscard]] bool stopped() const { return stopped_; }
  /// Of players in other processes, in the games that the journal held.
  [[nodiscard]] std::int64_t kept_failures() const { return kept_failures_; }

 private:
  /// Blocks come with all their games or not at all: the summary counts on it.
  void check_whole(const std::string& journal) const {
    for (std::size_t first = 0, end = 0; first < kept_.size(); first = end) {
      const BlockUnit unit{kept_[first].block, kept_[first].pairing};
      while (end < kept_.size() && BlockUnit{kept_[end].block, kept_[end].pairing} == unit) ++end;
      const std::size_t games = plan_.games_of(unit.pairing);
      if (end - first == games) continue;
      throw std::invalid_argument(fmt::format(
          "{}: block {} of pairing {} has {} games, allowed: {}, all that were played of it",
          journal, unit.block, unit.pairing, end - first, games));
    }
  }

  [[nodiscard]] double precision(int pairing) const {
    return plan_.pairings[static_cast<std::size_t>(pairing)].precision;
  }
  [[nodiscard]] int next_check(int blocks) const {
    const int next = blocks == 0 ? plan_.options->first_check
                                 : static_cast<int>(std::ceil(blocks * kCheckGrowth));
    return std::min(next, plan_.options->blocks);
  }

  void play_stage(const Stage& stage) { board_->play(stage, adopt(stage), threads_, progress_); }

  /// Takes the rows of a stage that the journal holds; gives their units.
  std::vector<BlockUnit> adopt(const Stage& stage) {
    std::vector<BlockUnit> done;
    for (const GameRow& row : kept_) {
      const BlockUnit unit{row.block, row.pairing};
      if (!stage.contains(unit)) continue;
      board_->rows().push_back(row);
      kept_failures_ += row.failures;
      if (done.empty() || done.back() != unit) done.push_back(unit);
    }
    board_->skip(done.size());
    return done;
  }

  [[nodiscard]] bool is_precise(int pairing) {
    if (precision(pairing) <= 0.0) return false;
    std::vector<GameRow> own;
    for (const GameRow& row : board_->rows()) {
      if (row.pairing == pairing) own.push_back(row);
    }
    // With few blocks that tell something the width is small by chance, and a run that ends there
    // would end at means near 0 (of players that nearly always do the same most blocks are 0).
    constexpr int kFewest = 50;
    const Estimate mean = mean_of(plan_, std::move(own));
    return mean.telling >= kFewest && mean.half_width <= precision(pairing);
  }

  const TournamentPlan& plan_;
  const TournamentProgress& progress_;
  TournamentStart start_;
  int threads_ = 1;
  std::optional<TournamentJournal> journal_;
  std::vector<GameRow> kept_;  // from the journal, by block and pairing
  std::optional<BlockBoard> board_;
  std::int64_t kept_failures_ = 0;
  bool stopped_ = false;
};

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

void check_tournament(const TournamentOptions& options) {
  (void)make_plan(options);
  if (options.journal.empty() || !std::filesystem::exists(options.journal)) return;
  const TournamentJournal journal(options.journal, identity_of(options), options.resume);
}

TournamentResult run_tournament(const TournamentOptions& options,
                                const TournamentProgress& progress) {
  const TournamentPlan plan = make_plan(options);
  Run run(plan, progress);
  std::vector<GameRow> rows = run.play();
  TournamentResult result = summarise(plan, std::move(rows));
  result.stopped = run.stopped();
  result.kept_failures = run.kept_failures();
  result.outside = outside_reports(std::span(plan.agents).first(options.agents.size()));
  return result;
}

std::vector<GameRow> play_part(const TournamentOptions& options, const TournamentStart& start,
                               const TournamentProgress& progress) {
  const TournamentPlan plan = make_plan(options);
  const auto most = [](const char* name, int value, int all) {
    if (value >= 0 && value <= all) return;
    throw std::invalid_argument(fmt::format("{} = {}, allowed: integer 0..{}", name, value, all));
  };
  most("first_block", start.block, options.blocks);
  most("first_table", start.table, options.tables);
  for (const Pairing& pairing : plan.pairings) {
    if (pairing.precision > 0.0) {
      throw std::invalid_argument(fmt::format(
          "precision = {}, allowed: 0 where a tournament is played in parts", pairing.precision));
    }
  }
  return Run(plan, progress, start).play();
}

}  // namespace schafkopf
