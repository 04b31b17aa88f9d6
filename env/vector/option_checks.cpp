// What options of a batch may be.
#include "env/vector/option_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string_view>

#include "env/base/field.h"
#include "env/deal/dealing.h"
#include "env/game/game.h"
#include "env/vector/vector_env_fields.h"
#include "env/view/encoder.h"

namespace schafkopf::batch_options {
namespace {

void check_rules(const VectorEnvOptions& options) {
  require(!options.rules.empty() && options.rules.size() <= 65536,
          fmt::format("rules has {} rule sets, allowed: 1..65536", options.rules.size()));
  for (std::size_t k = 0; k < options.rules.size(); ++k) {
    require(options.rules[k] != nullptr, fmt::format("rule set {} is missing", k));
  }
  const auto num_envs = static_cast<std::size_t>(options.num_envs);
  require(options.rule_index.empty() || options.rule_index.size() == num_envs,
          fmt::format("rule_index has {} entries, allowed: none or num_envs = {}",
                      options.rule_index.size(), num_envs));
  for (std::size_t i = 0; i < options.rule_index.size(); ++i) {
    require(options.rule_index[i] < options.rules.size(),
            fmt::format("rule_index[{}] = {}, allowed: integer 0..{}", i, options.rule_index[i],
                        options.rules.size() - 1));
  }
}

/// Every option by itself.
void check_values(const VectorEnvOptions& options) {
  try {
    check_fields(options);
  } catch (const FieldError& error) {
    require(false, error.what());
  }
  const std::uint64_t last = std::uint64_t{0} - static_cast<std::uint64_t>(options.num_envs);
  require(options.first_env <= last,  // else rows would have the deals of the first ones
          fmt::format("first_env = {}, allowed: integer 0..{} with {} environments",
                      options.first_env, last, options.num_envs));
}

/// An opponent for each other seat.
void check_opponents(const VectorEnvOptions& options, int least_seats, int most_seats) {
  if (options.opponents.empty()) return;
  require(options.opponent == nullptr, "opponent and opponents, allowed: one of them");
  require(options.learner_seat.is_some() && !options.bidding_only,
          "opponents need learner_seat, and no bidding_only: with it give opponent");
  require(least_seats == most_seats,
          "opponents with tables of three and of four, allowed: rule sets with as many seats");
  require(static_cast<int>(options.opponents.size()) == most_seats - 1,
          fmt::format("opponents has {} players, allowed: {}, one for each other seat",
                      options.opponents.size(), most_seats - 1));
  for (const auto& player : options.opponents) {
    require(player != nullptr, "opponents has an entry that is no player");
  }
}

void check_players(const VectorEnvOptions& options) {
  int seats = kNumSeats, most = 0;
  for (const auto& rules : options.rules) {
    seats = std::min(seats, rules->seats());
    most = std::max(most, rules->seats());
  }
  require(options.learner_seat.number < seats,  // tables of three
          fmt::format("learner_seat = {}, allowed: integer -1..{}, rotate",
                      options.learner_seat.number, seats - 1));
  check_opponents(options, seats, most);
  const bool asks = options.learner_seat.is_some() || options.bidding_only;
  require(!asks || !opponents_of(options).empty(),
          "learner_seat and bidding_only need an opponent that plays the rest");
  require(asks || opponents_of(options).empty(),
          "an opponent needs learner_seat or bidding_only, else it would never be asked");
}

void check_start(const VectorEnvOptions& options) {
  const bool at_cards = options.start == StartAt::kCardPlay;
  require(!at_cards || options.generator != nullptr || !options.contracts.empty(),
          "start at card play needs a generator or contracts");
  require(at_cards || options.contracts.empty(), "contracts need start at card play");
  require(options.contracts.empty() || options.contracts.size() == options.deals.size(),
          fmt::format("{} contracts for {} deals, allowed: one per deal", options.contracts.size(),
                      options.deals.size()));
  require(options.generated_share == 0.0 || options.generator != nullptr,
          "generated_share needs a generator");
  require(
      options.generator == nullptr || options.generated_share > 0.0 ||
          (at_cards && options.contracts.empty()),
      "a generator needs start at card play without contracts, or generated_share, else it would "
      "never be asked");
  require(!options.bidding_only || (!at_cards && options.generated_share == 0.0),
          "bidding_only needs deals that start with the auction");
}

/// Whether a special round deals all cards alike, so that a fixed deal is one for every dealer.
void check_round_of_deals(const RuleSet& rules, SpecialRound mode, std::string_view which) {
  DealContext context;
  context.special_round = static_cast<std::uint8_t>(mode);
  require(undealt_packet(rules, context).empty(),
          fmt::format("fixed deals with {} {}: its cards depend on the dealer, allowed: other "
                      "special rounds",
                      which, name_of(mode)));
}

void check_deals(const VectorEnvOptions& options) {
  for (const auto& rules : options.rules) {
    if (options.deals.empty()) break;
    check_round_of_deals(rules->rules(), rules->rules().special_round, "special_round =");
    if (!options.session) continue;
    for (const SpecialRound mode : rules->rules().special_round_triggers) {
      check_round_of_deals(rules->rules(), mode, "special_round_triggers of");
    }
  }
  for (std::size_t number = 0; number < options.deals.size(); ++number) {
    const Deal& deal = options.deals[number];
    for (const auto& rules : options.rules) {
      CardSet seen;
      bool good = true;
      for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
        const int half = static_cast<int>(seat) < rules->seats() ? rules->cards_per_hand() / 2 : 0;
        for (const CardSet cards : {deal.first[seat], deal.second[seat]}) {
          good = good && cards.count() == half && (cards & seen).empty();
          seen = seen | cards;
        }
      }
      require(good && seen == rules->deck(),
              fmt::format("deal {}: each of {} seats needs 2 x {} cards, every card of the deck "
                          "once",
                          number, rules->seats(), rules->cards_per_hand() / 2));
      if (options.contracts.empty()) continue;
      try {
        (void)Game::with_contract(*rules, deal, 0, options.contracts[number]);
      } catch (const std::invalid_argument& error) {
        require(false, fmt::format("contract {}: {}", number, error.what()));
      }
    }
  }
}

void check_observation(const VectorEnvOptions& options) {
  const bool packed = options.observation == ObservationType::kPacked;
  require(!packed || options.observation_version == ObservationVersion::kV1,
          fmt::format("observation packed shows what version 1 does: observation_version = {}, "
                      "allowed: 1",
                      static_cast<int>(options.observation_version)));
  if (options.observation == ObservationType::kNone) return;
  for (const auto& rules : options.rules) check_observable(*rules, options.observation_version);
}

}  // namespace

void require(bool condition, const std::string& message) {
  if (!condition) throw std::invalid_argument("vector env: " + message);
}

std::span<const std::shared_ptr<BatchPolicy>> opponents_of(const VectorEnvOptions& options) {
  if (!options.opponents.empty()) return options.opponents;
  return {&options.opponent, options.opponent == nullptr ? 0U : 1U};
}

bool any_cheats(std::span<const std::shared_ptr<BatchPolicy>> players) {
  return std::ranges::any_of(players,
                             [](const auto& player) { return player->sees_hidden_hands(); });
}

void check(const VectorEnvOptions& options) {
  check_values(options);
  check_rules(options);
  check_players(options);
  check_start(options);
  check_deals(options);
  check_observation(options);
}

}  // namespace schafkopf::batch_options
