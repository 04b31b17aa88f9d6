// Results of a tournament as JSON and as a table for a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "agents/tournament/outside_report.h"
#include "agents/tournament/tournament.h"
#include "env/cards/action.h"
#include "env/view/view.h"

namespace schafkopf {
namespace {

using Json = nlohmann::ordered_json;

/// Infinite numbers, those of an interval that does not exist, become null.
Json to_json_value(const Estimate& estimate) {
  return {{"mean", estimate.mean},
          {"low", estimate.mean - estimate.half_width},
          {"high", estimate.mean + estimate.half_width},
          {"half_width", estimate.half_width},
          {"sd_block", estimate.sd},
          {"blocks", estimate.blocks}};
}

Json matrix(const std::vector<std::vector<Estimate>>& estimates) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    Json row = Json::array();
    for (std::size_t j = 0; j < estimates.size(); ++j) {
      row.push_back(estimates[i][j].blocks == 0 ? Json(nullptr) : to_json_value(estimates[i][j]));
    }
    rows.push_back(row);
  }
  return rows;
}

std::int64_t declared_games(const std::vector<DeclarerCount>& counts) {
  std::int64_t sum = 0;
  for (const DeclarerCount& count : counts) sum += count.games;
  return sum;
}

Json contracts_of(const TournamentResult& result, std::size_t agent) {
  const std::vector<DeclarerCount>& counts = result.declared[agent];
  const auto total = static_cast<double>(declared_games(counts));
  Json classes = Json::object();
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (counts[c].games == 0) continue;
    const auto games = static_cast<double>(counts[c].games);
    classes[contract_keys()[c]] = {{"games", counts[c].games},
                                   {"won", counts[c].won},
                                   {"win_rate", static_cast<double>(counts[c].won) / games},
                                   {"share", games / total}};
  }
  return {{"declared", declared_games(counts)},
          {"seat_deals", result.seat_deals[agent]},
          {"thrown_in", result.thrown_in[agent]},
          {"contracts", classes}};
}

Json pairings_of(const TournamentResult& result) {
  Json pairings = Json::array();
  for (const PairingResult& pairing : result.pairings) {
    pairings.push_back({{"one", result.names[static_cast<std::size_t>(pairing.one)]},
                        {"others", result.names[static_cast<std::size_t>(pairing.others)]},
                        {"format", name_of(pairing.format)},
                        {"points", to_json_value(pairing.mean)},
                        {"wanted_half_width", pairing.precision},
                        {"games", pairing.games},
                        {"sd_game", pairing.sd_game},
                        {"gain_over_independent_games", pairing.gain}});
  }
  return pairings;
}

/// Points per game by role, by contract and role, and by position; see Share.
Json shares_of(const std::vector<Share>& shares) {
  Json rows = Json::array();
  for (const Share& share : shares) {
    Json row = Json::object();
    if (!share.contract.empty()) row["contract"] = share.contract;
    if (!share.role.empty()) row["role"] = share.role;
    if (share.position >= 0) row["position"] = share.position;
    row["games"] = share.games;
    row["win_rate"] = static_cast<double>(share.won) / static_cast<double>(share.games);
    row["mean"] = share.points.mean;
    row["half_width"] = share.points.half_width;
    if (share.errors.blocks > 0) {
      row["errors"] = {{"mean", share.errors.mean}, {"half_width", share.errors.half_width}};
    }
    rows.push_back(row);
  }
  return rows;
}

Json calibration_of(const std::vector<CalibrationBin>& bins) {
  Json rows = Json::array();
  for (const CalibrationBin& bin : bins) {
    rows.push_back({{"games", bin.games},
                    {"expected_win_rate", bin.expected_win_rate},
                    {"win_rate", bin.win_rate},
                    {"half_width", bin.half_width},
                    {"expected_payoff", bin.expected_payoff},
                    {"payoff", bin.payoff}});
  }
  return rows;
}

void add_options(Json& json, const TournamentOptions& options) {
  json["rules"] = options.rules->name();
  json["rules_hash"] = fmt::format("{:016x}", options.rules->hash());
  json["tariff_unit"] = options.rules->rules().tariff.unit;
  json["tariff_scale"] = options.rules->tariff_scale();
  json["seats"] = options.rules->seats();
  json["action_version"] = kActionVersion;
  json["view_version"] = kViewVersion;
  json["track"] = name_of(options.track);
  if (!options.contract_list.empty()) {
    json["contract_list"] = options.contract_list;
  } else if (options.track == Track::kCardPlay) {
    json["generator"] = options.generator;
  }
  if (options.track == Track::kBidding) json["card_player"] = options.card_player;
  json["seed"] = options.seed;
  json["greedy"] = options.greedy;
  json["precision"] = options.precision;
}

// ---- the table for a terminal -------------------------------------------------------------------

/// "1 block", "2 blocks".
std::string counted(std::int64_t count, std::string_view word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

std::size_t name_width(const TournamentResult& result) {
  std::size_t width = 12;
  for (const std::string& name : result.names) width = std::max(width, name.size());
  return width;
}

/// Nobody has met anybody in this form.
bool is_empty(const std::vector<std::vector<Estimate>>& matrix) {
  return std::ranges::all_of(matrix, [](const std::vector<Estimate>& row) {
    return std::ranges::all_of(row, [](const Estimate& cell) { return cell.blocks == 0; });
  });
}

/// A row per agent with a cell per agent, and further columns.
struct Column {
  std::string_view title;
  const std::vector<Estimate>* values;
};
std::string matrix_text(const TournamentResult& result,
                        const std::vector<std::vector<Estimate>>& matrix,
                        const std::vector<Column>& columns) {
  const std::size_t width = name_width(result), wide = width + 4;
  std::string text = fmt::format("{:{}}", "", width);
  for (const std::string& name : result.names) text += fmt::format("  {:>{}}", name, wide);
  for (const Column& column : columns) text += fmt::format("  {:>{}}", column.title, wide);
  text += '\n';
  for (std::size_t i = 0; i < result.names.size(); ++i) {
    text += fmt::format("{:{}}", result.names[i], width);
    for (const Estimate& cell : matrix[i]) text += fmt::format("  {:>{}}", to_text(cell), wide);
    for (const Column& column : columns) {
      text += fmt::format("  {:>{}}", to_text((*column.values)[i]), wide);
    }
    text += '\n';
  }
  return text;
}

std::string tables_text(const TournamentResult& result) {
  if (result.table_games == 0) return {};
  std::string text =
      fmt::format("points per game at random tables, {}\n", counted(result.table_games, "game"));
  const std::size_t width = name_width(result);
  for (std::size_t i = 0; i < result.names.size(); ++i) {
    text += fmt::format("{:{}}  {:>{}}\n", result.names[i], width, to_text(result.at_tables[i]),
                        width + 4);
  }
  return text;
}

std::string declared_text(const TournamentResult& result) {
  std::string text;
  for (std::size_t i = 0; i < result.names.size(); ++i) {
    text += fmt::format("{} declared", result.names[i]);
    const std::int64_t all = declared_games(result.declared[i]);
    for (std::size_t c = 0; c < result.declared[i].size(); ++c) {
      const DeclarerCount& count = result.declared[i][c];
      if (count.games == 0) continue;
      const auto games = static_cast<double>(count.games);
      text += fmt::format("  {} {:.1f} % (won {:.1f} %)", contract_keys()[c],
                          100.0 * games / static_cast<double>(all),
                          100.0 * static_cast<double>(count.won) / games);
    }
    text += all == 0 ? " nothing\n" : "\n";
  }
  return text;
}

/// Errors with open cards by role; nothing where they were not counted.
std::string errors_text(const TournamentResult& result) {
  std::string lines;
  for (std::size_t i = 0; i < result.names.size(); ++i) {
    std::string line;
    for (const Share& share : result.shares[i]) {
      const bool by_role = share.contract.empty() && share.position < 0;
      if (!by_role || share.errors.blocks == 0) continue;
      line += fmt::format("  {} {:.3f}", share.role, share.errors.mean);
      if (std::isfinite(share.errors.half_width)) {
        line += fmt::format(" +- {:.3f}", share.errors.half_width);
      }
    }
    if (!line.empty()) lines += fmt::format("{}{}\n", result.names[i], line);
  }
  if (lines.empty()) return {};
  return "errors with open cards, per game and player\n" + lines;
}

}  // namespace

std::string to_json(const TournamentResult& result, const TournamentOptions& options) {
  Json json;
  json["format"] = "schafkopf-tournament";
  json["version"] = 2;
  add_options(json, options);
  json["blocks"] = result.blocks;
  json["stopped"] = result.stopped;
  json["games"] = result.games;
  json["table_games"] = result.table_games;
  json["decisions"] = result.decisions;
  if (result.kept_failures > 0) json["kept_failures"] = result.kept_failures;
  json["agents"] = Json::array();
  for (std::size_t i = 0; i < result.names.size(); ++i) {
    Json agent = {{"name", result.names[i]}, {"spec", result.specs[i]}};
    agent["rating"] = to_json_value(result.ratings[i]);
    if (result.at_tables[i].blocks > 0) agent["at_tables"] = to_json_value(result.at_tables[i]);
    agent.update(contracts_of(result, i));
    agent["shares"] = shares_of(result.shares[i]);
    agent["calibration"] = calibration_of(result.calibration[i]);
    if (result.outside[i]) agent.update(Json::parse(to_json(*result.outside[i])));
    json["agents"].push_back(agent);
  }
  json["one_against_three"] = matrix(result.one_against_three);
  json["difference"] = matrix(result.difference);
  json["two_against_two"] = matrix(result.two_against_two);
  json["as_declarer"] = matrix(result.as_declarer);
  json["pairings"] = pairings_of(result);
  if (result.cycle.agents[0] >= 0) {
    json["largest_cycle"] = {{"agents", result.cycle.agents},
                             {"sum", to_json_value(result.cycle.sum)},
                             {"of", result.cycle.of}};
  }
  return json.dump(2);
}

namespace {

/// What the journal tells of failures before this run: how many, and not of which kind.
std::string kept_text(const TournamentResult& result) {
  if (result.kept_failures == 0) return {};
  return fmt::format("{} drawn because a program failed, in games of an earlier run\n",
                     counted(result.kept_failures, "decision"));
}

/// "500 blocks", or of how many to how many where precision ended the pairings at different times.
std::string blocks_text(const TournamentResult& result) {
  int least = result.blocks;
  for (const PairingResult& pairing : result.pairings) {
    least = std::min(least, pairing.mean.blocks);
  }
  const std::string most = counted(result.blocks, "block");
  return least == result.blocks ? most : fmt::format("{} to {} of each pairing", least, most);
}

}  // namespace

std::string to_text(const TournamentResult& result, const TournamentOptions& options) {
  std::string text =
      fmt::format("{} track, rules {} ({:016x}), seed {}, {}, {}{}\n", name_of(options.track),
                  options.rules->name(), options.rules->hash(), options.seed, blocks_text(result),
                  counted(result.games, "game"), result.stopped ? ", stopped early" : "");
  text += fmt::format(
      "amounts in {}; {}\n", options.rules->rules().tariff.unit,
      result.blocks > 1 ? "95 % intervals are over blocks" : "no intervals: one block has none");
  const std::string others = options.rules->seats() == 3 ? "two" : "three";
  const bool pairs = !is_empty(result.two_against_two);
  const bool declarers = !is_empty(result.as_declarer);
  if (!is_empty(result.one_against_three) || !(pairs || declarers)) {
    text += fmt::format("points per game of one (row) against {} (column)\n", others);
    text += matrix_text(result, result.one_against_three, {{"rating", &result.ratings}});
  }
  if (pairs) {
    text += "points per game of each of two (row) against two (column)\n";
    const bool rated = !is_empty(result.one_against_three);
    text += matrix_text(
        result, result.two_against_two,
        rated ? std::vector<Column>{} : std::vector<Column>{{"rating", &result.ratings}});
  }
  if (declarers) {
    text += fmt::format("points per game of the declarer (row) against {} (column)\n", others);
    text += matrix_text(result, result.as_declarer, {});
  }
  return text + tables_text(result) + declared_text(result) + errors_text(result) +
         outside_text(result.names, result.outside) + kept_text(result);
}

}  // namespace schafkopf
