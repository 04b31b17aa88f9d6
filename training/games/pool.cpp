#include "training/games/pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "agents/network/mlp_network.h"
#include "agents/network/net_agent.h"
#include "agents/registry.h"
#include "agents/work/spec_value.h"
#include "env/base/input_limits.h"

namespace schafkopf {
namespace {

constexpr std::string_view kSnapshots = "snapshots";
constexpr std::int64_t kFirstSnapshot = 8;  // updates

std::shared_ptr<const BatchPolicy> player_of(const WeightsFile& weights, const std::string& path,
                                             bool greedy) {
  return make_net_agent(make_mlp_network(weights, path), path, greedy);
}

/// The checksum of one snapshot in what OpponentPool::sums said; empty if there is none.
std::string_view sum_in(std::string_view sums, std::int64_t update) {
  const std::string key = fmt::format("{}:", update);
  while (!sums.empty()) {
    const std::string_view entry = sums.substr(0, sums.find(';'));
    if (entry.starts_with(key)) return entry.substr(key.size());
    sums.remove_prefix(std::min(entry.size() + 1, sums.size()));
  }
  return {};
}

}  // namespace

OpponentPool::OpponentPool(std::string_view members, std::string run_dir, bool greedy, bool writes)
    : run_dir_(std::move(run_dir)), greedy_(greedy), writes_(writes) {
  for (const std::string_view part : players_in(members)) {
    const std::string member(part);
    if (member == kSnapshots) {
      keeps_snapshots_ = true;
      continue;
    }
    std::shared_ptr<const BatchPolicy> player = make_agent(member);
    if (player->sees_hidden_hands()) {
      throw std::invalid_argument(
          fmt::format("\"{}\" sees hidden hands, allowed: players that see what their seat sees",
                      quotable(member)));
    }
    members_.push_back(std::move(player));
  }
}

bool OpponentPool::is_snapshot(std::int64_t update) {
  return update >= kFirstSnapshot && std::has_single_bit(static_cast<std::uint64_t>(update));
}

std::vector<std::int64_t> OpponentPool::snapshots(std::int64_t updates) {
  std::vector<std::int64_t> all;
  for (std::int64_t update = kFirstSnapshot; update <= updates; update *= 2) all.push_back(update);
  return all;
}

std::string OpponentPool::path_of(std::int64_t update) const {
  return (std::filesystem::path(run_dir_) /
          fmt::format("{}{}.safetensors", kSnapshotPrefix, update))
      .string();
}

void OpponentPool::add_snapshot(std::int64_t update, const WeightsFile& network) {
  if (writes_) write_weights(path_of(update), network);
  sums_[update] = weights_checksum(network);
  members_.push_back(player_of(network, path_of(update), greedy_));
}

std::string OpponentPool::sums() const {
  std::string text;
  for (const auto& [update, sum] : sums_) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ";", update, sum);
  }
  return text;
}

std::vector<std::string> OpponentPool::read_snapshots(std::int64_t updates, std::string_view sums) {
  if (!keeps_snapshots_) return {};
  std::vector<std::string> notes;
  std::int64_t update = kFirstSnapshot;
  for (const std::int64_t kept : snapshots(updates)) {
    update = 2 * kept;
    const std::string path = path_of(kept);
    std::string wrong = path + ": there is no such file";
    if (std::filesystem::exists(path)) {
      try {
        const WeightsFile found = read_weights(path);
        const std::string sum = weights_checksum(found);
        const std::string_view written = sum_in(sums, kept);
        sums_[kept] = written.empty() ? sum : written;
        if (sums_[kept] == sum) {
          members_.push_back(player_of(found, path, greedy_));
          continue;
        }
        wrong = path + ": not the weights that this run wrote";
      } catch (const std::invalid_argument& error) {
        wrong = error.what();
      }
    }
    lacking_.insert(kept);
    if (const std::string_view written = sum_in(sums, kept); !written.empty()) {
      sums_[kept] = written;
    }
    notes.push_back(wrong + "; the run goes on without it in its pool");
  }
  // of a run that was killed after it wrote them and before its checkpoint
  while (std::filesystem::remove(path_of(update))) update *= 2;
  return notes;
}

}  // namespace schafkopf
