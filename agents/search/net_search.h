// A network that looks ahead: "net+search:path" in the registry. It compares its best cards in
// worlds that fit what everybody did, by playing on, and leaves its own card where the worlds speak
// clearly for another one; from a trick on worlds are played exactly (METHODS section 6).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agents/network/network.h"
#include "agents/network/weights.h"
#include "agents/search/beliefs.h"
#include "agents/search/card_search.h"
#include "agents/search/world_choice.h"
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
  kExact,    // it plays on to the endgame, which is played with open cards
};
[[nodiscard]] constexpr auto names_of(SearchLeaf) {
  return make_names("critic", "playout", "exact");
}

struct NetSearchOptions {
  int worlds = 40;  // per decision, 1..10000
  int drawn = 0;    // weighted by what the others did, to keep `worlds` of them; at least as many;
                    // 0 = four times as many
  int exact = 40000;  // up to so many possible worlds the posterior is exact; 0 = never
  int top = 4;        // cards that are compared, the most probable ones; 1..32
  SearchLeaf leaf = SearchLeaf::kExact;
  Beliefs beliefs = Beliefs::kUniform;
  double clear = 1.0;        // how far the worlds must speak against the network's card
  int endgame = 4;           // from this trick on worlds are played exactly, 1..9; 9 = never
  int endgame_worlds = 100;  // per decision there
  std::uint64_t seed = 0;    // of the worlds
};

// clang-format off
template <FieldsOf<NetSearchOptions> Options, class Visitor>
void visit_fields(Options& o, Visitor&& visit) {
  visit(Field{.key = "worlds", .meaning = "worlds that are searched", .unit = "per decision", .min = 1, .max = 10'000}, o.worlds);
  visit(Field{.key = "drawn", .meaning = "worlds drawn to keep the likelier ones; 0 = four times as many", .unit = "per decision", .max = 1'000'000}, o.drawn);
  visit(Field{.key = "exact", .meaning = "up to so many possible worlds their probabilities are exact; 0 = never", .max = 2'000'000}, o.exact);
  visit(Field{.key = "top", .meaning = "cards that are compared", .min = 1, .max = kNumCards}, o.top);
  visit(Field{.key = "leaf", .meaning = "the critic at the seat's next turn, playing on to the end, or to the endgame, which is played with open cards"}, o.leaf);
  visit(Field{.key = "beliefs", .meaning = "who the others are taken to play like, when worlds are weighed by what they did"}, o.beliefs);
  visit(Field{.key = "clear", .meaning = "how far the worlds must speak against the network's card", .unit = "standard errors", .max = 100}, o.clear);
  visit(Field{.key = "endgame", .meaning = "first trick in which worlds are played exactly; 9 = never", .min = 1, .max = 9}, o.endgame);
  visit(Field{.key = "endgame_worlds", .meaning = "worlds that are played exactly; all of them where there are no more", .unit = "per decision", .min = 1, .max = 100'000}, o.endgame_worlds);
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
    double error = 0.0;  // standard error of its lead over the most probable card
  };
  /// The cards compared, most probable first. Throws std::invalid_argument for a view that
  /// searches() says no to.
  [[nodiscard]] std::vector<CardValue> search(const PlayerView& view, const CompiledRules& rules);
  /// Whether the view is searched: cards are played, there is a choice, and the course is shown.
  [[nodiscard]] static bool searches(const PlayerView& view, const CompiledRules& rules);
  /// The card that is clearly best, else the first; of at least one.
  [[nodiscard]] const CardValue& clearly_best(std::span<const CardValue> cards) const;

 private:
  NetSearchAgent(const NetSearchAgent& other);

  /// The most probable legal cards of a row of the network's distribution.
  [[nodiscard]] std::vector<CardValue> candidates(const PlayerView& view,
                                                  const RuleTable& rules) const;
  [[nodiscard]] std::vector<WeightedWorld> worlds_of(const PlayerView& view,
                                                     const CompiledRules& rules) const;
  /// Payoffs of a seat in playouts that are over or wait for it, in tariff units.
  [[nodiscard]] std::vector<double> judge(std::span<const Playout> playouts, int seat,
                                          const RuleTable& rules);
  /// Whether playouts stop here, for a seat that searches.
  [[nodiscard]] bool is_leaf(const Game& game, int seat) const;
  [[nodiscard]] double open_payoff(const Game& game, int seat);
  [[nodiscard]] bool is_endgame(const PlayerView& view) const {
    return view.trick_number() + 1 >= options_.endgame;
  }

  NetSearchOptions options_;
  std::string path_;
  std::unique_ptr<BatchPolicy> player_;    // the network's best action
  std::unique_ptr<BatchPolicy> drawn_;     // its distribution
  std::unique_ptr<BatchPolicy> beliefs_;   // null = uniform worlds
  std::unique_ptr<CriticNetwork> critic_;  // null unless leaf = critic
  CardSearch endgames_;
};

[[nodiscard]] std::unique_ptr<BatchPolicy> make_net_search_agent(const std::string& path,
                                                                 const NetSearchOptions& options);

}  // namespace schafkopf
