#include "agents/nash_conv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "env/encoder.h"

namespace schafkopf {
namespace {

/// Best response of one seat: choices are fixed from the last own depth to the first.
class BestResponse {
 public:
  BestResponse(const EndgameTree& tree, std::span<const double> profile, int seat,
               const Checkpoint& checkpoint)
      : tree_(tree),
        profile_(profile),
        seat_(static_cast<std::size_t>(seat)),
        checkpoint_(checkpoint) {
    choices_.resize(tree.info_sets().size());
    values_.resize(tree.num_actions());
  }

  double value() {
    int depths = 0;
    for (const EndgameInfoSet& set : tree_.info_sets()) {
      if (set.seat == seat_) depths = std::max(depths, set.depth + 1);
    }
    for (depth_ = depths - 1; depth_ >= 0; --depth_) {
      (void)pass();
      choose();
    }
    return pass();
  }

 private:
  /// Sum over all deals, weighted by chance and the other seats.
  double pass() {
    double sum = 0.0;
    for (std::size_t at = 0; at < tree_.num_words(); at = tree_.end_of(at)) {
      if (checkpoint_) checkpoint_();
      sum += walk(at, tree_.deal_weight());
    }
    return sum;
  }

  double walk(std::size_t at, double reach) {
    if (tree_.is_end(at)) return reach * tree_.payoff_at(at)[seat_];
    const EndgameInfoSet& set = tree_.info_set_at(at);
    const std::size_t id = tree_.info_set_id(at);
    std::size_t child = EndgameTree::first_child(at);
    double sum = 0.0;
    for (std::uint32_t i = 0; i < set.num_actions; ++i, child = tree_.end_of(child)) {
      const std::size_t action = set.first_action + i;
      if (set.seat != seat_) {
        if (profile_[action] > 0.0) sum += walk(child, reach * profile_[action]);
      } else if (set.depth > depth_) {
        if (choices_[id] == i) return walk(child, reach);
      } else {
        const double value = walk(child, reach);
        if (set.depth == depth_) values_[action] += value;
      }
    }
    return sum;  // without meaning above an open choice
  }

  /// The best card in every information set of the running depth.
  void choose() {
    for (std::size_t id = 0; id < choices_.size(); ++id) {
      const EndgameInfoSet& set = tree_.info_sets()[id];
      if (set.seat != seat_ || set.depth != depth_) continue;
      const auto first = values_.begin() + set.first_action;
      choices_[id] =
          static_cast<std::uint32_t>(std::max_element(first, first + set.num_actions) - first);
    }
  }

  const EndgameTree& tree_;
  std::span<const double> profile_;
  std::size_t seat_;
  const Checkpoint& checkpoint_;
  int depth_ = -1;  // choices of a larger depth are fixed
  std::vector<std::uint32_t> choices_;
  std::vector<double> values_;
};

/// Adds the expected payoffs of all seats below a node.
void add_values(const EndgameTree& tree, std::span<const double> profile, std::size_t at,
                double reach, std::array<double, kNumSeats>& values) {
  if (tree.is_end(at)) {
    const std::array<double, kNumSeats>& payoff = tree.payoff_at(at);
    for (std::size_t seat = 0; seat < kNumSeats; ++seat) values[seat] += reach * payoff[seat];
    return;
  }
  const EndgameInfoSet& set = tree.info_set_at(at);
  std::size_t child = EndgameTree::first_child(at);
  for (std::uint32_t i = 0; i < set.num_actions; ++i, child = tree.end_of(child)) {
    const double p = profile[set.first_action + i];
    if (p > 0.0) add_values(tree, profile, child, reach * p, values);
  }
}

/// Rows of views that wait for their answers.
struct Rows {
  std::vector<CardsLine> cards;
  std::vector<OrderLine> order;
  std::vector<EventsLine> events;

  void add(const PlayerView& view) {
    cards.push_back(view.cards);
    order.push_back(view.order);
    events.push_back(view.events);
  }
  void clear() {
    cards.clear();
    order.clear();
    events.clear();
  }
};

/// Asks a player in batches and keeps what it says about the cards of each information set.
class Questions {
 public:
  Questions(BatchPolicy& policy, const EndgameTree& tree, std::size_t rows,
            const Checkpoint& checkpoint)
      : policy_(policy),
        tree_(tree),
        limit_(std::max<std::size_t>(rows, 1)),
        checkpoint_(checkpoint) {
    features_.resize(static_cast<std::size_t>(rule_feature_size()));
    write_rule_features(tree.rules(), features_);
    table_ = {std::span(&rules_, 1), features_};
    profile_.resize(tree.num_actions());
  }

  EndgameProfile ask_all() {
    const auto add = [this](std::size_t, const PlayerView& view) {
      rows_.add(view);
      if (rows_.cards.size() == limit_) ask();
    };
    tree_.for_each_view(add, checkpoint_);
    ask();
    return std::move(profile_);
  }

 private:
  void ask() {
    const std::size_t size = rows_.cards.size();
    if (size == 0) return;
    if (checkpoint_) checkpoint_();
    const ViewBatch batch{.size = size,
                          .cards = rows_.cards.data(),
                          .order = rows_.order.data(),
                          .events = rows_.events.data(),
                          .rules = &table_};
    probabilities_.assign(size * kNumActions, 0.0F);
    policy_.policy(batch, probabilities_, {});
    for (std::size_t row = 0; row < size; ++row) take(row, tree_.info_sets()[first_ + row]);
    first_ += size;
    rows_.clear();
  }

  void take(std::size_t row, const EndgameInfoSet& set) {
    constexpr double kTolerance = 1e-3;  // of the sum of 128 float32 numbers
    const auto given =
        std::span<const float>(probabilities_).subspan(row * kNumActions, kNumActions);
    double all = 0.0, legal = 0.0;
    bool fine = true;
    for (const float p : given) {
      fine = fine && p >= 0.0F && std::isfinite(p);
      all += static_cast<double>(p);
    }
    for (std::size_t i = set.first_action; i < set.first_action + set.num_actions; ++i) {
      legal += static_cast<double>(given[tree_.card_of(i)]);
    }
    if (!fine || std::abs(all - 1.0) > kTolerance || std::abs(all - legal) > kTolerance) {
      throw std::invalid_argument(fmt::format(
          "{}: probabilities of seat {} in an endgame sum to {:.4f}, on its legal cards to {:.4f}; "
          "needed are numbers >= 0, 1 in all and 0 on illegal actions",
          policy_.name(), set.seat, all, legal));
    }
    for (std::size_t i = set.first_action; i < set.first_action + set.num_actions; ++i) {
      profile_[i] = static_cast<double>(given[tree_.card_of(i)]) / legal;
    }
  }

  BatchPolicy& policy_;
  const EndgameTree& tree_;
  std::size_t limit_;
  const Checkpoint& checkpoint_;
  const CompiledRules* rules_ = &tree_.rules();
  std::vector<float> features_;
  RuleTable table_;
  Rows rows_;
  std::vector<float> probabilities_;
  std::size_t first_ = 0;  // information set of the first row
  EndgameProfile profile_;
};

}  // namespace

NashConv nash_conv(const EndgameTree& tree, std::span<const double> profile,
                   const Checkpoint& checkpoint) {
  if (profile.size() != tree.num_actions()) {
    throw std::invalid_argument(fmt::format("profile: {} probabilities, needed are {}",
                                            profile.size(), tree.num_actions()));
  }
  NashConv result;
  for (std::size_t at = 0; at < tree.num_words(); at = tree.end_of(at)) {
    if (checkpoint) checkpoint();
    add_values(tree, profile, at, tree.deal_weight(), result.values);
  }
  for (int seat = 0; seat < tree.rules().seats(); ++seat) {
    result.best_responses[static_cast<std::size_t>(seat)] =
        BestResponse(tree, profile, seat, checkpoint).value();
  }
  return result;
}

EndgameProfile uniform_profile(const EndgameTree& tree) {
  EndgameProfile profile(tree.num_actions());
  for (const EndgameInfoSet& set : tree.info_sets()) {
    std::fill_n(profile.begin() + set.first_action, set.num_actions, 1.0 / set.num_actions);
  }
  return profile;
}

EndgameProfile profile_of(BatchPolicy& policy, const EndgameTree& tree, std::size_t rows,
                          const Checkpoint& checkpoint) {
  return Questions(policy, tree, rows, checkpoint).ask_all();
}

TabularPolicy::TabularPolicy(std::shared_ptr<const EndgameTree> tree, EndgameProfile profile,
                             std::string name)
    : tree_(std::move(tree)), profile_(std::move(profile)), name_(std::move(name)) {
  if (profile_.size() != tree_->num_actions()) {
    throw std::invalid_argument(fmt::format("{}: {} probabilities, needed are {}", name_,
                                            profile_.size(), tree_->num_actions()));
  }
}

void TabularPolicy::policy(const ViewBatch& batch, std::span<float> probabilities,
                           std::span<float> values) {
  std::fill(values.begin(), values.end(), std::numeric_limits<float>::quiet_NaN());
  std::fill(probabilities.begin(), probabilities.end(), 0.0F);
  for (std::size_t row = 0; row < batch.size; ++row) {
    const auto out = probabilities.subspan(row * kNumActions, kNumActions);
    const std::optional<std::size_t> id = tree_->find(batch.view(row));
    if (!id) {
      const ActionMask mask = without_claims(legal_actions(batch.cards[row]));
      const int count = mask.count();
      for (int i = 0; i < count; ++i) out[mask.nth(i)] = 1.0F / static_cast<float>(count);
      continue;
    }
    const EndgameInfoSet& set = tree_->info_sets()[*id];
    for (std::size_t i = set.first_action; i < set.first_action + set.num_actions; ++i) {
      out[tree_->card_of(i)] = static_cast<float>(profile_[i]);
    }
  }
}

std::unique_ptr<BatchPolicy> TabularPolicy::clone() const {
  return std::make_unique<TabularPolicy>(tree_, profile_, name_);
}

}  // namespace schafkopf
