// The field table of VectorEnvOptions: every option once. Python keywords, their documentation and
// the checks of the constructor come from here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "env/base/enum_set.h"
#include "env/base/field.h"
#include "env/vector/vector_env.h"

namespace schafkopf {

[[nodiscard]] constexpr auto names_of(AutoReset) {
  return make_names("next_step", "same_step", "disabled");
}
[[nodiscard]] constexpr auto names_of(ObservationType) {
  return make_names("none", "uint8", "float32", "packed");
}
[[nodiscard]] constexpr auto names_of(CardIndex) { return make_names("absolute", "canonical"); }
[[nodiscard]] constexpr auto names_of(StartAt) { return make_names("deal", "card_play"); }

/// The layout of observation rows by its number.
template <>
struct FieldCodec<ObservationVersion> : NoNames {
  static std::string allowed(const Field&) { return FieldCodec<int>::allowed(range()); }
  static bool read(const Field&, const PlainValue& value, ObservationVersion& version) {
    int number = 0;
    if (!FieldCodec<int>::read(range(), value, number)) return false;
    version = static_cast<ObservationVersion>(number);
    return true;
  }
  static PlainValue write(ObservationVersion version) { return static_cast<int>(version); }

 private:
  static Field range() {
    return {.min = static_cast<int>(ObservationVersion::kV1),
            .max = static_cast<int>(kLastVersion)};
  }
};

/// A number, or the word for all of them in turn.
template <>
struct FieldCodec<LearnerSeat> : NoNames {
  static std::string allowed(const Field& field) {
    return FieldCodec<int>::allowed(field) + ", rotate";
  }
  static bool read(const Field& field, const PlainValue& value, LearnerSeat& seat) {
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr) return FieldCodec<int>::read(field, value, seat.number);
    if (*text != "rotate") return false;
    seat = LearnerSeat::kRotate;
    return true;
  }
  static PlainValue write(LearnerSeat seat) {
    return seat.rotates() ? PlainValue(std::string("rotate")) : PlainValue(seat.number);
  }
};

template <>
struct FieldCodec<std::vector<std::shared_ptr<const CompiledRules>>> : ObjectCodec {
  static PlainValue write(const std::vector<std::shared_ptr<const CompiledRules>>& rules) {
    return rules.empty() || !rules.front() ? std::string("research") : rules.front()->name();
  }
};
template <>
struct FieldCodec<std::shared_ptr<const ContractGenerator>> : ObjectCodec {
  static PlainValue write(const std::shared_ptr<const ContractGenerator>& generator) {
    return generator ? PlainValue(generator->name()) : kNothing;
  }
};
template <>
struct FieldCodec<std::shared_ptr<BatchPolicy>> : ObjectCodec {
  static PlainValue write(const std::shared_ptr<BatchPolicy>& policy) {
    return policy ? PlainValue(policy->name()) : kNothing;
  }
};
template <>
struct FieldCodec<std::vector<std::shared_ptr<BatchPolicy>>> : ObjectCodec {
  static PlainValue write(const std::vector<std::shared_ptr<BatchPolicy>>&) { return PlainList(); }
};
template <>
struct FieldCodec<std::vector<Deal>> : ObjectCodec {
  static PlainValue write(const std::vector<Deal>&) { return PlainList(); }
};
template <>
struct FieldCodec<std::vector<Contract>> : ObjectCodec {
  static PlainValue write(const std::vector<Contract>&) { return PlainList(); }
};

// clang-format off
template <FieldsOf<VectorEnvOptions> Options, class Visitor>
void visit_fields(Options& o, Visitor&& visit) {
  visit(Field{.key = "num_envs", .meaning = "N, the number of games", .min = 1}, o.num_envs);
  visit(Field{.key = "rules", .meaning = "rule set, or several of them (then rule_index says which row has which)", .names = "preset name, path of a .toml file, dict (without \"preset\" the defaults of the switches), RuleSet, list of these"}, o.rules);
  visit(Field{.key = "rule_index", .meaning = "index into `rules` for each row; empty: all 0"}, o.rule_index);
  visit(Field{.key = "seed", .meaning = "of deals and random actions: deal = f(seed, first_env + row, episode), for any number of threads"}, o.seed);
  visit(Field{.key = "first_env", .meaning = "number of row 0 among all environments of a seed"}, o.first_env);
  visit(Field{.key = "num_threads", .meaning = "threads that step; the results do not depend on it", .min = 1, .max = 1024}, o.num_threads);
  visit(Field{.key = "auto_reset", .meaning = "when the next deal of a row starts, as in Gymnasium"}, o.auto_reset);
  visit(Field{.key = "observation", .meaning = "type of the rows: float32 is scaled for a network, uint8 are counts to be multiplied by the `scale` of observation_table(), packed are 64 bytes (observations.expand_packed)"}, o.observation);
  visit(Field{.key = "observation_version", .meaning = "layout of the rows: 1, or 2 with the cards, legal actions and announcements of the phases before the play (a Hochzeit, a Schieberrunde ...), or 3 with the order of play and room for more contracts and switches, or 4 with what can be proven from these in card play"}, o.observation_version);
  visit(Field{.key = "cards", .meaning = "how cards are counted in observation, legal, action_mask, random_actions, agent_actions and step, in all of them alike; canonical: by the card map of the seat to act (trump suit first, then the called suit, then the own holding), as the networks of this package count"}, o.cards);
  visit(Field{.key = "action_mask", .meaning = "show legal actions as bytes [N, 128]"}, o.action_mask);
  visit(Field{.key = "view_lines", .meaning = "show what the seat to act may know as bytes: cards, order, events [N, 64]"}, o.view_lines);
  visit(Field{.key = "full_view", .meaning = "show all hands [N, 64], for critics and cheating baselines"}, o.full_view);
  visit(Field{.key = "skip_forced", .meaning = "decisions with one legal action are played at once"}, o.skip_forced);
  visit(Field{.key = "claim_actions", .meaning = "whoever can claim or concede the rest may do so instead of playing on"}, o.claim_actions);
  visit(Field{.key = "session", .meaning = "deals of a row are those of one session: Stock, Bock and special rounds go on"}, o.session);
  visit(Field{.key = "start", .meaning = "card_play needs `generator`, or `deals` with `contracts`"}, o.start);
  visit(Field{.key = "generated_share", .meaning = "share of deals that start at card play with a contract of `generator` where start = deal", .max = 1}, o.generated_share);
  visit(Field{.key = "generator", .meaning = "who declares what where a deal starts at card play", .names = "a name such as heuristic, None"}, o.generator);
  visit(Field{.key = "deals", .meaning = "fixed deals: row i, episode e plays number (i + e * N) mod their number", .names = "list of Deal"}, o.deals);
  visit(Field{.key = "contracts", .meaning = "fixed contracts, one for each of `deals`", .names = "list of contracts: Contract, name or dict"}, o.contracts);
  visit(Field{.key = "learner_seat", .meaning = "`opponent` or `opponents` play the other seats; -1: there are none; rotate: another seat with every deal, each as often; learner_seat [N] shows which", .min = -1, .max = kNumSeats - 1}, o.learner_seat);
  visit(Field{.key = "opponent", .meaning = "who plays them, or with bidding_only the cards", .names = "a name such as rules, an Agent, an object with act(views), None"}, o.opponent);
  visit(Field{.key = "opponents", .meaning = "instead of opponent: who plays each of the other seats, in the order of play from the learner's on", .names = "list of players, one for each other seat"}, o.opponents);
  visit(Field{.key = "bidding_only", .meaning = "the deal ends for the learner after the auction"}, o.bidding_only);
  visit(Field{.key = "kernel", .meaning = "who steps the games in card play; the results do not depend on it; auto: the one that SCHAFKOPF_KERNEL names, else the fastest that this processor has", .names = "auto, scalar, avx2, avx512"}, o.kernel);
}
// clang-format on

}  // namespace schafkopf
