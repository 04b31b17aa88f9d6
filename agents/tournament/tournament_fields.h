// The field table of tournaments: every option once. Files, --set, Python keywords, help, checks
// and configs/tournament/default.toml come from here; the code that reads an option is the only
// other place that knows it.
#pragma once

#include <string_view>
#include <vector>

#include "agents/tournament/tournament.h"
#include "env/base/field.h"
#include "env/session/league.h"

namespace schafkopf {

inline constexpr double kMaxBlocks = 2'000'000'000;

template <FieldsOf<PairingWish> Wish, class Visitor>
void visit_fields(Wish& w, Visitor&& visit) {
  visit(Field{.key = "one", .meaning = "name of an agent", .required = true}, w.one);
  visit(Field{.key = "others", .meaning = "name of the agent in the other seats", .required = true},
        w.others);
  visit(Field{.key = "both_directions", .meaning = "also the other way round"}, w.both_directions);
  visit(Field{.key = "precision", .meaning = "instead of that of all", .unit = "points per game"},
        w.precision);
}

// clang-format off
template <FieldsOf<TournamentOptions> Options, class Visitor>
void visit_fields(Options& o, Visitor&& visit) {
  visit(Field{.key = "agents", .meaning = "registry strings, or { name = \"...\", spec = \"...\" } for a name of its own; two or more, names distinct", .group = "who plays"}, o.agents);
  visit(Field{.key = "against", .meaning = "name of an agent: each other one plays alone against it in all other seats; empty: see pairings"}, o.against);
  visit(Field{.key = "pairings", .meaning = "who meets whom, besides `against`; without both every pair in both directions. { one, others, both_directions = true, precision = 0.0 }"}, o.pairings);
  visit(Field{.key = "formats", .meaning = "seatings of a deal: one against all others from every seat, two against two in six ways, the declarer of the deal against all others (card_play)"}, o.formats);

  visit(Field{.key = "schedule", .meaning = "duplicate deals for all pairings, or a league day as the rules describe it (tables, sittings, bonus, ranking)", .group = "what is played"}, o.schedule);
  visit(Field{.key = "rules", .meaning = "rule set: name of a preset or path of a .toml file"}, o.rules);
  visit(Field{.key = "track", .meaning = "the agents do everything, only the cards, or only what comes before the cards"}, o.track);
  visit(Field{.key = "generator", .meaning = "contracts of the track card_play (registry string)"}, o.generator);
  visit(Field{.key = "contract_list", .meaning = "instead of the generator: file of game records with contracts, one deal per line; empty: none"}, o.contract_list);
  visit(Field{.key = "card_player", .meaning = "plays all cards of the track bidding (registry string)"}, o.card_player);
  visit(Field{.key = "greedy", .meaning = "every agent plays its most probable action"}, o.greedy);

  visit(Field{.key = "blocks", .meaning = "deals of each pairing, at most where a precision is wanted", .min = 1, .max = kMaxBlocks, .group = "how much"}, o.blocks);
  visit(Field{.key = "tables", .meaning = "deals that are also played at a table of different agents, drawn for each deal; 0 = none", .max = kMaxBlocks}, o.tables);
  visit(Field{.key = "precision", .meaning = "a pairing ends when its 95 % interval is at most +- this and 50 of its blocks are not 0; 0 = all blocks", .unit = "points per game, tariff units"}, o.precision);
  visit(Field{.key = "first_check", .meaning = "blocks before the first look at the precision; then after every quarter more", .min = 2, .max = kMaxBlocks}, o.first_check);
  visit(Field{.key = "players", .meaning = "registered players of a league day, a multiple of the players of a table; agents are dealt out to them in turn", .min = 1, .max = League::kMostPlayers}, o.players);
  visit(Field{.key = "seed", .meaning = "seed of deals and actions"}, o.seed);

  visit(Field{.key = "calibration", .meaning = "declarers are asked for the payoff they expect (about 4 % more time)", .group = "what is measured besides"}, o.calibration);
  visit(Field{.key = "double_dummy", .meaning = "count the cards that throw away a game that was won with open cards (milliseconds per card)"}, o.double_dummy);

  visit(Field{.key = "threads", .meaning = "0 = one per core", .max = 1024, .group = "how it runs (no effect on results)"}, o.threads);
  visit(Field{.key = "blocks_at_once", .meaning = "blocks of one pairing that a thread plays in lock-step, which is what a kill loses; 0 = as many as take about half a second", .max = 4096}, o.blocks_at_once);
}
// clang-format on

/// A registry string, or a table with a name.
template <>
struct FieldCodec<TournamentAgent> : NoNames {
  static std::string allowed(const Field&) { return "text or table { name, spec }"; }
  static bool read(const Field& field, const PlainValue& value, TournamentAgent& agent);
  static PlainValue write(const TournamentAgent& agent);
};

template <>
struct FieldCodec<ChosenRules> {
  static constexpr bool kIsText = true;
  static std::vector<std::string_view> names(const Field&) { return {}; }
  static std::string allowed(const Field&) { return "text"; }
  static bool read(const Field& field, const PlainValue& value, ChosenRules& rules);
  static PlainValue write(const ChosenRules& rules) { return rules.name(); }
};

}  // namespace schafkopf
