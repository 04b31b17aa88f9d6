// Players that take seats beside the learner in self-play, so that it does not forget how others
// play: members of the registry, and its own earlier weights.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agents/network/weights.h"
#include "env/base/enum_set.h"
#include "env/view/policy.h"

namespace schafkopf {

/// Names of snapshots in a run's folder begin so; the number of an update follows.
inline constexpr const char* kSnapshotPrefix = "snapshot_";

/// Which seats members of the pool have in a game that they play in.
enum class PoolSeats : std::uint8_t {
  kSome,   // one to all but one, any of them
  kOthers  // all but one: the learner plays alone, as a best response does
};
[[nodiscard]] constexpr auto names_of(PoolSeats) { return make_names("some", "others"); }

/// Players in an order; workers clone them.
using PoolMembers = std::vector<std::shared_ptr<const BatchPolicy>>;

/// The pool of a run. Snapshots lie in the run's folder ("snapshot_<update>.safetensors"), so that
/// a resumed run meets the same players.
class OpponentPool {
 public:
  /// members  registry strings with ; between them, and "snapshots"
  /// run_dir  folder of the run, where snapshots lie
  /// greedy   whether snapshots play what they hold best; else they draw, as they did when they
  ///          learned
  /// writes   whether snapshots are written, and read when the run goes on; else they are given
  /// Raises std::invalid_argument naming the member that cannot be made, or that sees hidden
  /// hands.
  OpponentPool(std::string_view members, std::string run_dir, bool greedy = false,
               bool writes = true);

  [[nodiscard]] const PoolMembers& members() const { return members_; }
  [[nodiscard]] bool keeps_snapshots() const { return keeps_snapshots_; }

  /// Whether the weights after this update become a member: 8, 16, 32 ...
  [[nodiscard]] static bool is_snapshot(std::int64_t update);
  /// Those of a run after `updates` updates.
  [[nodiscard]] static std::vector<std::int64_t> snapshots(std::int64_t updates);
  /// Write a snapshot and take it in. Raises std::runtime_error: disk.
  void add_snapshot(std::int64_t update, const WeightsFile& network);
  /// Take in the snapshots of a run that goes on after `updates` updates; later ones are removed.
  /// One that is missing, damaged or not the one of `sums` (as sums() said, empty: not known) is left
  /// out, with a sentence about it. Raises std::runtime_error if one cannot be read.
  [[nodiscard]] std::vector<std::string> read_snapshots(std::int64_t updates,
                                                        std::string_view sums = {});
  /// Checksums of the snapshots so far, for the checkpoint: "8:0123456789abcdef;16:..."
  [[nodiscard]] std::string sums() const;
  /// Whether read_snapshots found it missing or damaged.
  [[nodiscard]] bool lacks(std::int64_t update) const { return lacking_.contains(update); }
  [[nodiscard]] std::string path_of(std::int64_t update) const;

 private:
  std::string run_dir_;
  bool greedy_, writes_;
  PoolMembers members_;
  bool keeps_snapshots_ = false;
  std::set<std::int64_t> lacking_;
  std::map<std::int64_t, std::string> sums_;  // those that lack too
};

}  // namespace schafkopf
