// Perfect-information Monte Carlo: sample worlds that fit the view, play each exactly, take the
// card that is best on average (METHODS section 6), or the rule agent's card where the worlds do
// not speak clearly against it. And the cheating oracle, which plays so in the true world. What
// they do not search they leave to the rule agent.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "agents/maxims/maxim.h"
#include "agents/maxims/rule_options.h"
#include "agents/search/bid_search.h"
#include "agents/search/card_search.h"
#include "agents/search/world_choice.h"
#include "env/base/field.h"
#include "env/view/policy.h"

namespace schafkopf {

/// Who decides a phase.
enum class SearchPhase : std::uint8_t { kRules, kWorlds };
[[nodiscard]] constexpr auto names_of(SearchPhase) { return make_names("rules", "worlds"); }

struct PimcOptions {
  int worlds = 10;          // per decision, 1..100000; all of them where there are no more
  double milliseconds = 0;  // stop after this time, at least one world; 0 = no limit
  /// How many standard errors another card must lie above the rule agent's one, 0..100: as many for
  /// the caller and for defenders, half as many again for who plays alone, twice as many for the
  /// partner. Not asked where every world that fits was searched.
  double clear = 1.0;
  SearchQuestion question = SearchQuestion::kClasses;
  SearchPhase bidding = SearchPhase::kRules;
  SearchPhase kontra = SearchPhase::kRules;
  std::uint64_t seed = 0;              // of the worlds
  RuleVersion version = kNewestRules;  // of the rule agent whose card it starts from
};

// clang-format off
template <FieldsOf<PimcOptions> Options, class Visitor>
void visit_fields(Options& o, Visitor&& visit) {
  visit(Field{.key = "worlds", .meaning = "worlds that are dealt", .unit = "per decision", .min = 1, .max = 100'000}, o.worlds);
  visit(Field{.key = "ms", .meaning = "time limit of a card, 0 = none; announcements and doublings by worlds take all of them", .unit = "milliseconds"}, o.milliseconds);
  visit(Field{.key = "clear", .meaning = "how far the worlds must speak against the maxims' card", .unit = "standard errors", .max = 100}, o.clear);
  visit(Field{.key = "question", .meaning = "payoff classes, or win alone"}, o.question);
  visit(Field{.key = "bidding", .meaning = "announcements by the rules or by sampled worlds"}, o.bidding);
  visit(Field{.key = "kontra", .meaning = "doubling by the rules or by sampled worlds"}, o.kontra);
  visit(Field{.key = "seed", .meaning = "of the worlds"}, o.seed);
  visit(Field{.key = "version", .meaning = "of the rules whose card it starts from"}, o.version);
}
// clang-format on

/// "pimc:worlds=30". Deterministic for a seed unless it has a time limit: worlds are drawn from the
/// view, so the same view gives the same action whatever the batch.
class PimcAgent final : public BatchPolicy {
 public:
  /// Throws std::invalid_argument naming the option that is out of range.
  explicit PimcAgent(const PimcOptions& options);

  /// One-hot rows. Values: mean payoff of the chosen card over the worlds in tariff units; NaN
  /// where the phase was not searched or everybody plays for himself.
  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override;
  [[nodiscard]] bool stops_by_the_clock() const override { return options_.milliseconds > 0.0; }
  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override;

  /// Values of the legal cards of a view that can be searched.
  [[nodiscard]] CardValues search(const PlayerView& view, const CompiledRules& rules);

 private:
  struct Choice {
    Action action = kActionPass;
    float value;
  };
  [[nodiscard]] Choice choose(const PlayerView& view, const CompiledRules& rules);
  [[nodiscard]] Choice choose_card_by_worlds(const PlayerView& view, const CompiledRules& rules);
  [[nodiscard]] WorldChoiceOptions world_options() const;

  PimcOptions options_;
  CardSearch cards_;
  BidSearch bids_;
};

/// "oracle": plays exactly with open cards: the upper end of the ladder in card play. Needs
/// ViewBatch::full and throws std::invalid_argument without it; bids like the rule agent.
class OracleAgent final : public BatchPolicy {
 public:
  /// version  of the rule agent, whose card is taken among equally good ones
  explicit OracleAgent(RuleVersion version = kNewestRules) : version_(version) {}

  /// One-hot rows. Values as those of PimcAgent.
  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override;
  [[nodiscard]] bool sees_hidden_hands() const override { return true; }
  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override;

 private:
  RuleVersion version_;
  CardSearch cards_;
};

/// The card of the rule agent if it is among the best ones, else the lowest of them by points.
[[nodiscard]] Card choose_among_best(const CardValues& values, const PlayerView& view,
                                     const CompiledRules& rules,
                                     RuleVersion version = kNewestRules);

}  // namespace schafkopf
