#include "agents/work/parallel_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <stdexcept>
#include <utility>

#include "agents/work/threads.h"
#include "env/base/interruption.h"

namespace schafkopf {
namespace {

int threads_of(int num_threads) {
  if (num_threads < 0 || num_threads > ParallelPolicy::kMostThreads) {
    throw std::invalid_argument(
        fmt::format("num_threads = {}, allowed: integer 0..{} (0 = all processors)", num_threads,
                    ParallelPolicy::kMostThreads));
  }
  return threads_or_all(num_threads);
}

}  // namespace

ParallelPolicy::ParallelPolicy(std::unique_ptr<BatchPolicy> player, int num_threads)
    : pool_(threads_of(num_threads)) {
  if (player == nullptr) throw std::invalid_argument("ParallelPolicy: the player is missing");
  players_.push_back(std::move(player));
  while (std::ssize(players_) < pool_.num_slices()) players_.push_back(copy_of(*players_[0]));
}

template <class Ask>
void ParallelPolicy::share_out(std::size_t rows, Ask ask) {
  // Small enough that no thread waits long for the last one, large enough for batched networks.
  constexpr std::size_t kPiecesPerThread = 8, kMostRows = 256;
  const std::size_t piece =
      std::clamp<std::size_t>(rows / (kPiecesPerThread * players_.size()), 1, kMostRows);
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> ended = false;
  std::exception_ptr first;
  pool_.run([&](int thread) {
    BatchPolicy& player = *players_[static_cast<std::size_t>(thread)];
    const EndsWith others(ended);
    try {
      for (std::size_t begin = next.fetch_add(piece); begin < rows; begin = next.fetch_add(piece)) {
        ask(player, begin, std::min(piece, rows - begin));
      }
    } catch (...) {  // nobody begins another piece, and who searches ends
      next = rows;
      if (!ended.exchange(true)) first = std::current_exception();
    }
  });
  if (first) std::rethrow_exception(first);
}

void ParallelPolicy::policy(const ViewBatch& batch, std::span<float> probabilities,
                            std::span<float> values) {
  share_out(batch.size, [&](BatchPolicy& player, std::size_t begin, std::size_t count) {
    player.policy(batch.slice(begin, count),
                  probabilities.subspan(begin * kNumActions, count * kNumActions),
                  values.empty() ? values : values.subspan(begin, count));
  });
}

void ParallelPolicy::act(const ViewBatch& batch, std::span<const RngKey> keys,
                         std::span<Action> actions) {
  share_out(batch.size, [&](BatchPolicy& player, std::size_t begin, std::size_t count) {
    player.act(batch.slice(begin, count), keys.subspan(begin, count),
               actions.subspan(begin, count));
  });
}

std::unique_ptr<BatchPolicy> ParallelPolicy::clone() const {
  return std::make_unique<ParallelPolicy>(copy_of(*players_[0]), num_threads());
}

}  // namespace schafkopf
