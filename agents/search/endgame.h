// A player in two parts: any player for announcements and the first tricks, worlds that are played
// exactly from a given trick on. Nearly all that search gains in card play is gained there, at a
// hundredth of the time (METHODS section 11).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agents/search/beliefs.h"
#include "agents/search/card_search.h"
#include "agents/search/world_choice.h"
#include "env/base/field.h"
#include "env/view/policy.h"

namespace schafkopf {

struct EndgameOptions {
  int trick = 4;       // first trick that is searched, 1..8
  int worlds = 30;     // per decision
  double clear = 1.0;  // how far the worlds must speak against the first player's card
  std::uint64_t seed = 0;
  Beliefs beliefs = Beliefs::kUniform;
};

// clang-format off
template <FieldsOf<EndgameOptions> Options, class Visitor>
void visit_fields(Options& o, Visitor&& visit) {
  visit(Field{.key = "trick", .meaning = "first trick in which worlds are searched", .min = 1, .max = 8}, o.trick);
  visit(Field{.key = "worlds", .meaning = "worlds that are dealt; all of them where there are no more", .unit = "per decision", .min = 1, .max = 100'000}, o.worlds);
  visit(Field{.key = "clear", .meaning = "how far the worlds must speak against the first player's card", .unit = "standard errors", .max = 100}, o.clear);
  visit(Field{.key = "seed", .meaning = "of the worlds"}, o.seed);
  visit(Field{.key = "beliefs", .meaning = "who the others are taken to play like, when worlds are weighed by what they did"}, o.beliefs);
}
// clang-format on

/// Deterministic for a seed where its first player is; a function of the view alone.
class EndgameAgent final : public BatchPolicy {
 public:
  /// first  player of announcements and earlier tricks, whose card is also the one that the worlds
  ///        must speak against
  /// own    the first player's distribution, for beliefs in it; null = first
  /// name   what name() returns
  /// Throws std::invalid_argument naming the option that is out of range.
  EndgameAgent(std::unique_ptr<BatchPolicy> first, std::string name, const EndgameOptions& options,
               const BatchPolicy* own = nullptr);

  /// The first player's rows; one-hot where worlds are searched. Values: there the mean payoff over
  /// the worlds in tariff units, NaN where everybody plays for himself; else the first player's.
  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override;
  [[nodiscard]] bool sees_hidden_hands() const override { return first_->sees_hidden_hands(); }
  [[nodiscard]] bool stops_by_the_clock() const override { return first_->stops_by_the_clock(); }
  [[nodiscard]] bool answers_alike() const override { return first_->answers_alike(); }
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override;

  /// Whether worlds are searched for this view.
  [[nodiscard]] bool searches(const PlayerView& view, const CompiledRules& rules) const;

 private:
  EndgameAgent(const EndgameAgent& other);

  std::unique_ptr<BatchPolicy> first_;
  std::unique_ptr<BatchPolicy> beliefs_;  // null = uniform worlds
  std::string name_;
  EndgameOptions options_;
  CardSearch search_;
};

}  // namespace schafkopf
