// Contracts for games that start at card play (METHODS section 5): what the rule agent's bidding
// would bring about, or a forced mix in which every built contract appears on plausible hands.
#pragma once

#include <memory>
#include <string>

#include "env/base/field.h"
#include "env/vector/contract_generator.h"

namespace schafkopf {

struct HeuristicOptions {
  double noise = 0.2;  // share of deals that get a contract of the mix instead
};
template <FieldsOf<HeuristicOptions> Options, class Visitor>
void visit_fields(Options& o, Visitor&& visit) {
  visit(
      Field{
          .key = "noise", .meaning = "share of deals with a contract of the mix instead", .max = 1},
      o.noise);
}

/// The rule agent's own bids on all hands decide who declares what (D.3). If all pass: the game
/// that the rules play then, the Ramsch where the last seat may choose it, else a contract of the
/// mix.
class HeuristicGenerator final : public ContractGenerator {
 public:
  /// Throws FieldError for a share outside 0..1.
  explicit HeuristicGenerator(double noise = HeuristicOptions().noise);
  [[nodiscard]] Contract generate(const CompiledRules& rules, const Deal& deal, int dealer,
                                  const RngKey& key) const override;
  [[nodiscard]] std::string name() const override;

 private:
  double noise_;
};

/// Shares of the mix; the rest are partner games by call. What the rules do not play is left out.
struct MixShares {
  double single = 0.55;    // single games, all enabled classes alike
  double tout = 0.4;       // of the single games, but only on the few hands that stand a chance
  double all_pass = 0.15;  // the game that is played when all pass
};

// clang-format off
template <FieldsOf<MixShares> Shares, class Visitor>
void visit_fields(Shares& s, Visitor&& visit) {
  visit(Field{.key = "single", .meaning = "share of single games, where a hand stands a chance; else a Rufspiel is played", .max = 1}, s.single);
  visit(Field{.key = "tout", .meaning = "share of Touts among them, where a hand stands a chance", .max = 1}, s.tout);
  visit(Field{.key = "all_pass", .meaning = "share of the game that is played when all pass", .max = 1}, s.all_pass);
}
// clang-format on

/// Draws the kind of game, then the seat and suit with the best hand for it, loosened by chance so
/// that middling hands appear too.
class MixedGenerator final : public ContractGenerator {
 public:
  /// Throws std::invalid_argument for shares outside 0..1 or a sum above 1.
  explicit MixedGenerator(MixShares shares = {});
  [[nodiscard]] Contract generate(const CompiledRules& rules, const Deal& deal, int dealer,
                                  const RngKey& key) const override;
  [[nodiscard]] std::string name() const override;

 private:
  MixShares shares_;
};

}  // namespace schafkopf
