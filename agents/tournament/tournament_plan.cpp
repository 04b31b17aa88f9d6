#include "agents/tournament/tournament_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>

#include "agents/basic/greedy_agent.h"
#include "agents/network/weights.h"
#include "agents/player_identity.h"
#include "agents/registry.h"
#include "agents/tournament/tournament_fields.h"
#include "agents/work/parallel_policy.h"
#include "env/base/input_limits.h"
#include "env/base/nearest.h"
#include "env/base/refuse.h"
#include "env/record/record.h"
#include "env/vector/first_game.h"

namespace schafkopf {
namespace {

constexpr std::size_t kMaxAgents = 255;
constexpr std::array<std::uint8_t, 4> kSingles = {1, 2, 4, 8};
constexpr std::array<std::uint8_t, 6> kTwos = {3, 5, 9, 6, 10, 12};

std::string name_of_agent(const TournamentAgent& agent) {
  if (!agent.name.empty()) return agent.name;
  return agent.spec.empty() && agent.policy != nullptr ? agent.policy->name() : agent.spec;
}

// ---- checks -------------------------------------------------------------------------------------

void check_count(const TournamentOptions& options) {
  const std::size_t agents = options.agents.size();
  if (agents >= 2 && agents <= kMaxAgents) return;
  throw std::invalid_argument(fmt::format(
      "tournament: {} agent(s), allowed: at least 2 and at most {}", agents, kMaxAgents));
}

void check_formats(const TournamentOptions& options) {
  if (options.formats.empty()) {
    throw std::invalid_argument(
        fmt::format("formats is empty, allowed: {}", fmt::join(names_of(Format{}), ", ")));
  }
  for (const Format format : options.formats) {
    if (std::ranges::count(options.formats, format) > 1) {
      throw std::invalid_argument(fmt::format("formats: {} comes twice", name_of(format)));
    }
    if (format == Format::kDeclarer && options.track != Track::kCardPlay) {
      throw std::invalid_argument(
          fmt::format("formats: declarer needs the track card_play, where the deal says who "
                      "declares; the track "
                      "is {}",
                      name_of(options.track)));
    }
    if (format == Format::kTwoAgainstTwo && options.rules->seats() != kNumSeats) {
      throw std::invalid_argument(fmt::format("formats: 2v2 needs four seats, the rules {} have {}",
                                              options.rules->name(), options.rules->seats()));
    }
  }
}

void check_tables(const TournamentOptions& options) {
  const auto seats = static_cast<std::size_t>(options.rules->seats());
  if (options.tables == 0 || options.agents.size() >= seats) return;
  throw std::invalid_argument(
      fmt::format("tables = {}, allowed: 0, because a random table needs {} different agents and "
                  "there are {}",
                  options.tables, seats, options.agents.size()));
}

void check_options(const TournamentOptions& options) {
  check_count(options);
  check_names(options.agents);
  check_fields(options);
  check_formats(options);
  check_tables(options);
  if (!options.contract_list.empty() && options.track != Track::kCardPlay) {
    throw std::invalid_argument(fmt::format(
        "contract_list belongs to the track card_play, the track is {}", name_of(options.track)));
  }
  if (options.resume && options.journal.empty()) {
    throw std::invalid_argument("resume needs a journal to go on with");
  }
}

// ---- pairings -----------------------------------------------------------------------------------

int index_of(const TournamentOptions& options, const std::string& name) {
  const std::vector<std::string> names = names_of_agents(options);
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  throw std::invalid_argument(fmt::format("pairings: unknown agent \"{}\", allowed: {}{}",
                                          quotable(name), fmt::join(names, ", "),
                                          nearest_hint(name, names)));
}

void add_pairing(const TournamentOptions& options, std::vector<Pairing>& pairings,
                 const Pairing& added) {
  for (const Pairing& known : pairings) {
    if (known.one == added.one && known.others == added.others && known.format == added.format) {
      throw std::invalid_argument(
          fmt::format("pairings: \"{}\" meets \"{}\" twice in format {}",
                      name_of_agent(options.agents[static_cast<std::size_t>(added.one)]),
                      name_of_agent(options.agents[static_cast<std::size_t>(added.others)]),
                      name_of(added.format)));
    }
  }
  pairings.push_back(added);
}

/// Adds what two agents play against each other in the wanted formats.
void add_meeting(const TournamentOptions& options, int a, int b, const PairingWish& wish,
                 std::vector<Pairing>& pairings) {
  const double precision = wish.precision > 0.0 ? wish.precision : options.precision;
  for (const Format format : options.formats) {
    if (format != Format::kTwoAgainstTwo) {
      add_pairing(options, pairings, {a, b, format, precision});
      if (wish.both_directions) add_pairing(options, pairings, {b, a, format, precision});
    } else if (wish.both_directions) {
      add_pairing(options, pairings, {std::min(a, b), std::max(a, b), format, precision});
    }
  }
}

/// Ratings compare all agents, so there must be a way from each to each; where only declarers are
/// measured nobody is rated.
void check_connected(const TournamentOptions& options, const std::vector<Pairing>& pairings) {
  const auto rates = [](const Pairing& pairing) { return pairing.format != Format::kDeclarer; };
  if (!pairings.empty() && std::ranges::none_of(pairings, rates)) return;
  std::vector<int> group(options.agents.size());
  std::iota(group.begin(), group.end(), 0);
  for (const Pairing& pairing : pairings) {
    if (!rates(pairing)) continue;
    const int from = group[static_cast<std::size_t>(pairing.others)];
    const int to = group[static_cast<std::size_t>(pairing.one)];
    std::ranges::replace(group, from, to);
  }
  for (std::size_t i = 1; i < group.size(); ++i) {
    if (group[i] == group[0]) continue;
    throw std::invalid_argument(fmt::format(
        "pairings: no chain of games links \"{}\" with \"{}\", so they cannot be rated together",
        name_of_agent(options.agents[0]), name_of_agent(options.agents[i])));
  }
}

std::vector<Pairing> make_pairings(const TournamentOptions& options) {
  std::vector<Pairing> pairings;
  const int agents = static_cast<int>(options.agents.size());
  const std::vector<PairingWish> wishes = wishes_of(options);
  for (int a = 0; wishes.empty() && a < agents; ++a) {
    for (int b = a + 1; b < agents; ++b) add_meeting(options, a, b, {}, pairings);
  }
  for (const PairingWish& wish : wishes) {
    const int a = index_of(options, wish.one), b = index_of(options, wish.others);
    if (a == b) {
      throw std::invalid_argument(fmt::format("pairings: \"{}\" meets itself", quotable(wish.one)));
    }
    add_meeting(options, a, b, wish, pairings);
  }
  if (options.tables == 0) check_connected(options, pairings);
  return pairings;
}

// ---- agents and deals --------------------------------------------------------------------------

std::vector<std::unique_ptr<BatchPolicy>> make_agents(const TournamentOptions& options) {
  std::vector<std::unique_ptr<BatchPolicy>> agents;
  for (const TournamentAgent& agent : options.agents) {
    agents.push_back(player_of(agent, options.greedy));
  }
  if (options.track == Track::kBidding) agents.push_back(make_agent(options.card_player));
  return agents;
}

constexpr std::size_t kMaxListBytes = std::size_t{1} << 30;

ListedDeal listed_deal(const CompiledRules& rules, const GameRecord& record) {
  if (!record.contract) {
    throw std::invalid_argument("the record has no contract; a contract list needs one per line");
  }
  std::vector<std::span<const Card>> hands(record.hands.begin(), record.hands.end());
  const ListedDeal listed{deal_from_hands(hands, rules.rules()), record.dealer, *record.contract};
  (void)Game::with_contract(rules, listed.deal, listed.dealer, listed.contract);  // throws
  return listed;
}

std::vector<ListedDeal> read_list(const TournamentOptions& options) {
  const std::string& path = options.contract_list;
  std::string text;
  try {
    text = read_file(path, "the list", kMaxListBytes);
  } catch (const std::exception& error) {
    throw std::invalid_argument(
        fmt::format("contract_list = \"{}\": {}", quotable(path), error.what()));
  }
  std::vector<ListedDeal> deals;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      deals.push_back(listed_deal(*options.rules, parse_record(line)));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(fmt::format("{}:{}: {}", path, number, error.what()));
    }
  }
  for (const auto& [key, value] :
       {std::pair("blocks", options.blocks), {"tables", options.tables}}) {
    if (static_cast<int>(deals.size()) >= value) continue;
    throw std::invalid_argument(fmt::format("{} = {}, allowed: at most {}: so many deals has {}",
                                            key, value, deals.size(), path));
  }
  return deals;
}

// ---- identity ----------------------------------------------------------------------------------

std::string agent_text(const TournamentAgent& agent) {
  if (agent.policy == nullptr) return player_identity(agent.spec);
  try {
    return agent.policy->name() + player_files(agent.policy->name());
  } catch (const std::invalid_argument&) {  // a player of the caller's, whose name is a text
    return agent.policy->name();
  }
}

}  // namespace

std::span<const std::uint8_t> Pairing::seatings(int seats, int declarer) const {
  const std::span<const std::uint8_t> singles(kSingles);
  switch (format) {
    case Format::kTwoAgainstTwo:
      return kTwos;
    case Format::kDeclarer:
      if (declarer < 0) return {};
      return singles.subspan(static_cast<std::size_t>(declarer), 1);
    case Format::kOneAgainstThree:
      break;
  }
  return singles.first(static_cast<std::size_t>(seats));
}

std::string TournamentPlan::name_of_player(std::size_t agent) const {
  return agent < options->agents.size() ? name_of_agent(options->agents[agent])
                                        : options->card_player;
}

std::size_t Pairing::games_of_block(int seats) const { return seatings(seats, 0).size(); }

std::array<int, kNumSeats> table_agents(std::uint64_t seed, int block, int agents, int seats) {
  if (block < 0) refuse(fmt::format("block = {}, allowed: 0 and more", block));
  if (agents < 0) refuse(fmt::format("agents = {}, allowed: 0 and more", agents));
  if (const int most = std::min(agents, kNumSeats); seats < 0 || seats > most) {
    refuse(fmt::format("seats = {}, allowed: 0..{}", seats, most));
  }
  constexpr std::uint64_t kTables = 0x7AB1E5;  // apart from the draws of deals and actions
  Rng random(episode_seed(seed ^ mix64(kTables), static_cast<std::uint64_t>(block), 0));
  std::vector<int> left(static_cast<std::size_t>(agents));
  std::iota(left.begin(), left.end(), 0);
  std::array<int, kNumSeats> table{};
  for (std::size_t seat = 0; seat < static_cast<std::size_t>(seats); ++seat) {
    const auto drawn = left.begin() + random.next_below(static_cast<int>(left.size()));
    table[seat] = *drawn;
    left.erase(drawn);
  }
  return table;
}

std::span<const std::uint8_t> TournamentPlan::seatings(int pairing, const Game& start) const {
  if (pairing == tables()) return std::span(kSingles).first(static_cast<std::size_t>(seats()));
  const int declarer = start.has_contract() ? start.contract().declarer : -1;
  return pairings[static_cast<std::size_t>(pairing)].seatings(seats(), declarer);
}

std::size_t TournamentPlan::games_of(int pairing) const {
  if (pairing < 0 || pairing > tables()) return 0;
  if (pairing == tables()) return static_cast<std::size_t>(seats());
  return pairings[static_cast<std::size_t>(pairing)].games_of_block(seats());
}

std::array<int, kNumSeats> TournamentPlan::players(const BlockUnit& unit,
                                                   std::uint8_t first) const {
  std::array<int, kNumSeats> players{};
  if (unit.pairing == tables()) {
    const auto count = static_cast<int>(options->agents.size());
    const auto table = table_agents(options->seed, unit.block, count, seats());
    const int start = std::countr_zero(first);
    for (int i = 0; i < seats(); ++i) {
      players[static_cast<std::size_t>((start + i) % seats())] = table[static_cast<std::size_t>(i)];
    }
    return players;
  }
  const Pairing& pairing = pairings[static_cast<std::size_t>(unit.pairing)];
  for (std::size_t seat = 0; seat < players.size(); ++seat) {
    players[seat] = ((first >> seat) & 1) != 0 ? pairing.one : pairing.others;
  }
  return players;
}

std::uint8_t TournamentPlan::measured(int pairing, std::uint8_t first) const {
  const bool all = pairing == tables() ||
                   pairings[static_cast<std::size_t>(pairing)].format == Format::kTwoAgainstTwo;
  return all ? static_cast<std::uint8_t>((1 << seats()) - 1) : first;
}

std::vector<std::string> names_of_agents(const TournamentOptions& options) {
  std::vector<std::string> names;
  for (const TournamentAgent& agent : options.agents) names.push_back(name_of_agent(agent));
  return names;
}

void check_names(const std::vector<TournamentAgent>& agents) {
  std::set<std::string> names;
  for (const TournamentAgent& agent : agents) {
    if (names.insert(name_of_agent(agent)).second) continue;
    throw std::invalid_argument(
        fmt::format("agents: the name \"{}\" comes twice; give each agent its own",
                    quotable(name_of_agent(agent))));
  }
}

std::unique_ptr<BatchPolicy> player_of(const TournamentAgent& agent, bool greedy) {
  std::unique_ptr<BatchPolicy> policy =
      agent.policy != nullptr ? copy_of(*agent.policy) : make_agent(agent.spec);
  if (!greedy) return policy;
  return std::make_unique<GreedyAgent>(std::move(policy), name_of_agent(agent));
}

std::vector<OutsidePlayer*> outside_players(BatchPolicy& player) {
  if (auto* const greedy = dynamic_cast<GreedyAgent*>(&player)) {
    return outside_players(greedy->base());
  }
  std::vector<OutsidePlayer*> found;
  if (auto* const parallel = dynamic_cast<ParallelPolicy*>(&player)) {
    for (const auto& one : parallel->players()) {
      const std::vector<OutsidePlayer*> behind = outside_players(*one);
      found.insert(found.end(), behind.begin(), behind.end());
    }
  } else if (auto* const outside = dynamic_cast<OutsidePlayer*>(&player)) {
    found.push_back(outside);
  }
  return found;
}

OutsidePlayer* outside_player(BatchPolicy& player) {
  const std::vector<OutsidePlayer*> found = outside_players(player);
  return found.empty() ? nullptr : found.front();
}

Game TournamentPlan::first_position(int block) const {
  const CompiledRules& compiled = *options->rules;
  if (!listed.empty()) {
    const ListedDeal& deal = listed[static_cast<std::size_t>(block)];
    return Game::with_contract(compiled, deal.deal, deal.dealer, deal.contract);
  }
  const auto number = static_cast<std::uint64_t>(block);
  const std::uint64_t seed = episode_seed(options->seed, number, 0);
  const std::uint64_t deal_seed = draw(seed, RngStream::kDeal, 0);
  return first_game(compiled, deal_seed, block % seats(), compiled.first_context(), generator.get(),
                    RngKey{options->seed, number});
}

std::vector<PairingWish> wishes_of(const TournamentOptions& options) {
  const std::vector<std::string> names = names_of_agents(options);
  std::vector<PairingWish> wishes;
  for (const std::string& name : names) {
    if (options.against.empty() || name == options.against) continue;
    wishes.push_back({name, options.against, false, 0.0});
  }
  if (!options.against.empty() && wishes.size() == names.size()) {
    const auto place = options.places.find("against");
    throw std::invalid_argument(
        at(place == options.places.end() ? "" : place->second,
           fmt::format("against = \"{}\" is none of the agents, allowed: {}{}",
                       quotable(options.against), fmt::join(names, ", "),
                       nearest_hint(options.against, names))));
  }
  wishes.insert(wishes.end(), options.pairings.begin(), options.pairings.end());
  return wishes;
}

TournamentPlan make_plan(const TournamentOptions& options) {
  check_options(options);
  TournamentPlan plan;
  plan.options = &options;
  plan.agents = make_agents(options);
  plan.pairings = make_pairings(options);
  constexpr std::size_t kMostPairings = std::numeric_limits<decltype(GameRow::pairing)>::max();
  if (plan.pairings.size() > kMostPairings) {
    throw std::invalid_argument(fmt::format("agents: {} pairings, allowed: at most {}",
                                            plan.pairings.size(), kMostPairings));
  }
  if (!options.contract_list.empty()) {
    plan.listed = read_list(options);
  } else if (options.track == Track::kCardPlay) {
    plan.generator = make_generator(options.generator);
  }
  return plan;
}

JournalIdentity identity_of_players(const CompiledRules& rules, std::uint64_t seed, bool greedy,
                                    const std::vector<TournamentAgent>& agents) {
  JournalIdentity identity = {{"rules", fmt::format("{} {:016x}", rules.name(), rules.hash())},
                              {"action_version", fmt::format("{}", kActionVersion)},
                              {"view_version", fmt::format("{}", kViewVersion)},
                              {"seed", fmt::format("{}", seed)},
                              {"greedy", greedy ? "true" : "false"}};
  for (std::size_t i = 0; i < agents.size(); ++i) {
    identity.emplace_back(fmt::format("agent {}", i + 1),
                          name_of_agent(agents[i]) + " = " + agent_text(agents[i]));
  }
  return identity;
}

JournalIdentity identity_of(const TournamentOptions& options) {
  JournalIdentity identity =
      identity_of_players(*options.rules, options.seed, options.greedy, options.agents);
  const auto add = [&](std::string key, std::string value) {
    identity.emplace_back(std::move(key), std::move(value));
  };
  add("track", std::string(name_of(options.track)));
  if (!options.contract_list.empty()) {
    add("contract_list", file_identity(options.contract_list, "a contract list"));
  } else if (options.track == Track::kCardPlay) {
    add("generator", fmt::format("{} by {}", options.generator, with_version("rules")));
  }
  if (options.track == Track::kBidding) add("card_player", player_identity(options.card_player));
  add("calibration", options.calibration ? "true" : "false");
  add("double_dummy", options.double_dummy ? "true" : "false");
  const std::vector<std::string> names = names_of_agents(options);
  if (options.tables > 0) add("tables", "random");
  std::size_t number = 0;
  for (const Pairing& pairing : make_pairings(options)) {
    add(fmt::format("pairing {}", ++number),
        fmt::format("{} {} {}", names[static_cast<std::size_t>(pairing.one)],
                    name_of(pairing.format), names[static_cast<std::size_t>(pairing.others)]));
  }
  return identity;
}

}  // namespace schafkopf
