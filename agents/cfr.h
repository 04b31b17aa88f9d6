// CFR+ on stand-alone endgames: a reference profile for NashConv (METHODS section 7). With more
// than two players nothing guarantees an equilibrium; its NashConv says how near it came.
#pragma once

#include <vector>

#include "agents/endgame_tree.h"

namespace schafkopf {

/// Counterfactual regret minimisation with regrets cut at zero, updates seat after seat, and
/// averages in which update t weighs t (Tammelin 2014).
class CfrPlus {
 public:
  /// `tree` must outlive it.
  explicit CfrPlus(const EndgameTree& tree);

  /// One update = one pass per seat. `checkpoint` is passed once per deal of each pass; after what
  /// it throws nothing more may be asked.
  void run(int updates, const Checkpoint& checkpoint = {});
  [[nodiscard]] int updates() const { return updates_; }
  /// Strategy of the next update: proportional to the positive regrets.
  [[nodiscard]] const EndgameProfile& current() const { return current_; }
  /// Average over all updates; uniform before the first and where it was never reached.
  [[nodiscard]] EndgameProfile average() const;

 private:
  double walk(std::size_t at, double reach);
  void update_seat(int seat, const Checkpoint& checkpoint);
  void add_to_average();
  void match_regrets(const EndgameInfoSet& set);

  const EndgameTree* tree_;
  int updates_ = 0;
  int seat_ = 0;  // of the running pass
  EndgameProfile current_;
  std::vector<double> regrets_, sums_;
  std::vector<double> action_values_;  // of the running pass, weighted by the others' reach
};

}  // namespace schafkopf
