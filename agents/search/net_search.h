// A network that looks ahead: "net+search:path" in the registry. It weighs its best cards in worlds
// that fit what everybody did, by its critic or by playing on (METHODS section 6, net + search).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agents/network/network.h"
#include "agents/network/weights.h"
#include "agents/worlds/playouts.h"
#include "agents/worlds/posterior.h"
#include "env/base/enum_set.h"
#include "env/base/field.h"
#include "env/view/policy.h"

namespace schafkopf {

/// What a card is worth in a world.
enum class SearchLeaf : std::uint8_t {
  kCritic,   // the network plays on to the seat's next turn, its critic judges what it finds
  kPlayout,  // the network plays on to the end
};
[[nodiscard]] constexpr auto names_of(SearchLeaf) { return make_names("critic", "playout"); }

struct NetSearchOptions {
  int worlds = 40;    // per decision, 1..10000
  int drawn = 0;      // weighted by what the network would have done, to keep `worlds` of them;
                      // at least as many; 0 = four times as many
  int exact = 40000;  // up to so many possible worlds the posterior is exact; 0 = never
  int top = 4;        // cards that are compared, the most probable ones; 1..32
  SearchLeaf leaf = SearchLeaf::kCritic;
  std::uint64_t seed = 0;  // of the worlds
};

// clang-format off
template <FieldsOf<NetSearchOptions> Options, class Visitor>
void visit_fields(Options& o, Visitor&& visit) {
  visit(Field{.key = "worlds", .meaning = "worlds that are searched", .unit = "per decision", .min = 1, .max = 10'000}, o.worlds);
  visit(Field{.key = "drawn", .meaning = "worlds drawn to keep the likelier ones; 0 = four times as many", .unit = "per decision", .max = 1'000'000}, o.drawn);
  visit(Field{.key = "exact", .meaning = "up to so many possible worlds their probabilities are exact; 0 = never", .max = 2'000'000}, o.exact);
  visit(Field{.key = "top", .meaning = "cards that are compared", .min = 1, .max = kNumCards}, o.top);
  visit(Field{.key = "leaf", .meaning = "the critic at the seat's next turn, or playout, to the end"}, o.leaf);
  visit(Field{.key = "seed", .meaning = "of the worlds"}, o.seed);
}
// clang-format on

/// Card play by search, everything else as the network does without; so too positions that do not
/// show what led to them (shows_decisions). Deterministic for a seed, a function of the view alone.
class NetSearchAgent final : public BatchPolicy {
 public:
  /// path  weights file, stands in name()
  /// Throws std::invalid_argument naming the option that is out of range, and as make_mlp_network
  /// and, for leaf = critic, make_mlp_critic.
  NetSearchAgent(const WeightsFile& weights, const std::string& path,
                 const NetSearchOptions& options);

  /// One-hot rows. Values: mean over the worlds for the chosen card, else the network's, in tariff
  /// units.
  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override;
  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override;

  /// A card and what the seat can expect after it, in tariff units.
  struct CardValue {
    Action card;
    double value;
  };
  /// The cards compared, most probable first. Throws std::invalid_argument for a view that
  /// searches() says no to.
  [[nodiscard]] std::vector<CardValue> search(const PlayerView& view, const CompiledRules& rules);
  /// Whether the view is searched: cards are played, there is a choice, and the course is shown.
  [[nodiscard]] static bool searches(const PlayerView& view, const CompiledRules& rules);

 private:
  NetSearchAgent(const NetSearchAgent& other);

  /// The most probable legal cards of a row of the network's distribution.
  [[nodiscard]] std::vector<CardValue> candidates(const PlayerView& view,
                                                  const RuleTable& rules) const;
  [[nodiscard]] std::vector<WeightedWorld> worlds_of(const PlayerView& view,
                                                     const CompiledRules& rules) const;
  /// Payoffs of a seat in playouts that are over or wait for it, in tariff units.
  [[nodiscard]] std::vector<double> judge(std::span<const Playout> playouts, int seat,
                                          const RuleTable& rules) const;

  NetSearchOptions options_;
  std::string path_;
  std::unique_ptr<BatchPolicy> player_;    // the network's best action
  std::unique_ptr<BatchPolicy> believed_;  // its distribution, as the others are taken to act
  std::unique_ptr<CriticNetwork> critic_;  // null for leaf = playout
};

[[nodiscard]] std::unique_ptr<BatchPolicy> make_net_search_agent(const std::string& path,
                                                                 const NetSearchOptions& options);

}  // namespace schafkopf
