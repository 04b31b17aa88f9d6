// A network that looks ahead: "net+search:path" in the registry. It compares its best cards in
// worlds that fit what everybody did, by playing on, and leaves its own card where the worlds speak
// clearly for another one; from a trick on worlds are played exactly (METHODS section 6).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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

/// Who announces: the network as it is, or what its announcements lead to when it plays on.
enum class SearchedBids : std::uint8_t { kNetwork, kPlayout };
[[nodiscard]] constexpr auto names_of(SearchedBids) { return make_names("network", "playout"); }

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
  SearchedBids bids = SearchedBids::kNetwork;
  int bid_worlds = 40;     // per announcement that is played out, 1..10000
  std::uint64_t seed = 0;  // of the worlds
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
  visit(Field{.key = "bids", .meaning = "who announces and doubles: the network, or what each of its most probable answers pays if it plays on to the end in worlds that fit"}, o.bids);
  visit(Field{.key = "bid_worlds", .meaning = "worlds in which an announcement is played out", .unit = "per decision", .min = 1, .max = 10'000}, o.bid_worlds);
  visit(Field{.key = "seed", .meaning = "of the worlds"}, o.seed);
}
// clang-format on

/// Card play by search, with `bids` announcements too, everything else as the network does without; so
/// too positions that do not show what led to them (shows_decisions). Deterministic for a seed, a function of the view alone.
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

  /// A card, or an announcement, and what the seat can expect after it, in tariff units.
  struct ActionValue {
    Action action;
    double value;
    double error = 0.0;  // standard error of its lead over the most probable action
  };
  /// The actions compared, most probable first. Throws std::invalid_argument for a view that neither
  /// searches() nor plays_out() says yes to.
  [[nodiscard]] std::vector<ActionValue> search(const PlayerView& view, const CompiledRules& rules);
  /// Whether the view is searched: cards are played, there is a choice, and the course is shown.
  [[nodiscard]] static bool searches(const PlayerView& view, const CompiledRules& rules);
  /// Whether an announcement can be played out: one of a normal auction, or a doubling, with a
  /// choice, and the course is shown.
  [[nodiscard]] static bool plays_out(const PlayerView& view, const CompiledRules& rules);
  /// The action that is clearly best, else the first; of at least one.
  [[nodiscard]] const ActionValue& clearly_best(std::span<const ActionValue> actions) const;

 private:
  NetSearchAgent(const NetSearchAgent& other);

  /// The most probable legal actions of the network; claims are none.
  [[nodiscard]] std::vector<ActionValue> candidates(const PlayerView& view,
                                                    const RuleTable& rules) const;
  [[nodiscard]] std::vector<WeightedWorld> worlds_of(const PlayerView& view,
                                                     const CompiledRules& rules) const;
  /// What is played instead of the network's own action; nothing where it stands.
  [[nodiscard]] std::optional<ActionValue> choose(const PlayerView& view,
                                                  const CompiledRules& rules, Action own);
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
