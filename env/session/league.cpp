#include "env/session/league.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "env/base/random.h"
#include "env/base/refuse.h"

namespace schafkopf {
namespace {

constexpr std::uint64_t kDrawOfSeats = 1, kDrawOfTies = 2, kDrawOfDeals = 3;

std::uint64_t sub_seed(std::uint64_t seed, std::uint64_t purpose, std::uint64_t number) {
  return mix64(mix64(mix64(seed) ^ (purpose << 56)) + number);
}

std::vector<int> drawn_players(int players, std::uint64_t seed) {
  std::vector<int> order(static_cast<std::size_t>(players));
  std::iota(order.begin(), order.end(), 0);
  Rng rng(seed);
  for (int left = players; left > 1; --left) {
    std::swap(order[static_cast<std::size_t>(left - 1)],
              order[static_cast<std::size_t>(rng.next_below(left))]);
  }
  return order;
}

/// Refused unless it is one of 0..count - 1.
void check_number(std::string_view name, int number, int count) {
  if (number >= 0 && number < count) return;
  refuse(fmt::format("{} = {}, allowed: 0..{}", name, number, count - 1));
}

bool better(const Standing& a, const Standing& b) {
  return a.total != b.total ? a.total > b.total : a.player < b.player;
}

void add_row(TableList& list, const decltype(SessionState::totals)& before) {
  auto& row = list.deals.emplace_back();
  for (std::size_t place = 0; place < kMaxPlaces; ++place) {
    row[place] = list.state.totals[place] - before[place];
  }
}

}  // namespace

League::League(std::shared_ptr<const CompiledRules> rules, int players, std::uint64_t seed)
    : rules_(std::move(rules)), players_(players), seed_(seed) {
  if (rules_ == nullptr) throw std::invalid_argument("league: rules are missing");
  sitting_rules_ = rules_->rules();
  sitting_rules_.session_tables = 1;
  sitting_rules_.participation_bonus = 0;
  const int seats = sitting_rules_.players;
  if (players <= 0 || players > kMostPlayers || players % seats != 0) {
    throw std::invalid_argument(fmt::format("league: {} players, allowed: multiples of {} to {}",
                                            players, seats, kMostPlayers));
  }
  for (int sitting = 0; sitting < num_sittings(); ++sitting) {
    const std::vector<int> order =
        drawn_players(players_, sub_seed(seed_, kDrawOfSeats, static_cast<std::uint64_t>(sitting)));
    for (int table = 0; table < num_tables(); ++table) {
      TableList& list = lists_.emplace_back();
      const auto first = order.begin() + table * seats;
      list.players.assign(first, first + seats);
      list.state = begin_session(sitting_rules_, deal_seed(sitting, table, list.state));
    }
  }
}

std::size_t League::index(int sitting, int table) const {
  check_number("sitting", sitting, num_sittings());
  check_number("table", table, num_tables());
  return static_cast<std::size_t>(sitting * num_tables() + table);
}

std::uint64_t League::deal_seed(int sitting, int table, const SessionState& state) const {
  const auto number = static_cast<std::uint64_t>(sitting * num_tables() + table);
  return episode_seed(sub_seed(seed_, kDrawOfDeals, 0), number,
                      static_cast<std::uint64_t>(state.num_deals + state.num_redeals));
}

const TableList& League::list(int sitting, int table) const {
  return lists_[index(sitting, table)];
}

bool League::is_over(int sitting, int table) const {
  return schafkopf::is_over(sitting_rules_, list(sitting, table).state);
}

bool League::is_over() const {
  return std::ranges::all_of(lists_, [this](const TableList& list) {
    return schafkopf::is_over(sitting_rules_, list.state);
  });
}

Game League::next_game(int sitting, int table) const {
  const SessionState& state = list(sitting, table).state;
  if (is_over(sitting, table)) {
    throw std::invalid_argument(
        fmt::format("league: sitting {} is over at table {}", sitting, table));
  }
  const int dealer = dealer_seat(sitting_rules_, state.dealer);
  return Game(*rules_,
              deal_for(deal_seed(sitting, table, state), sitting_rules_, dealer, state.context),
              dealer, state.context);
}

void League::finish(int sitting, int table, const Game& game) {
  if (!game.is_terminal() || !game.begins_as(next_game(sitting, table))) {
    throw std::invalid_argument(fmt::format(
        "league: this is not the finished deal of sitting {}, table {}", sitting, table));
  }
  TableList& list = lists_[index(sitting, table)];
  const auto before = list.state.totals;
  finish_deal(list.state, game, sitting_rules_);
  add_row(list, before);
}

std::array<std::int32_t, kMaxPlaces> League::misdeal(int sitting, int table) {
  if (is_over(sitting, table)) {
    throw std::invalid_argument(
        fmt::format("league: sitting {} is over at table {}", sitting, table));
  }
  TableList& list = lists_[index(sitting, table)];
  const int deals = list.state.num_deals;
  const auto before = list.state.totals;
  const auto payoffs = enter_misdeal(list.state, sitting_rules_);
  if (list.state.num_deals > deals) add_row(list, before);
  return payoffs;
}

std::vector<Standing> League::ranking() const {
  std::vector<Standing> standings(static_cast<std::size_t>(players_));
  for (std::size_t player = 0; player < standings.size(); ++player) {
    standings[player].player = static_cast<int>(player);
  }
  for (const TableList& list : lists_) {
    for (std::size_t place = 0; place < list.players.size(); ++place) {
      Standing& standing = standings[static_cast<std::size_t>(list.players[place])];
      standing.total += list.state.totals[place];
      standing.num_games += list.state.num_played[place];
    }
  }
  const RuleSet& rules = rules_->rules();
  for (Standing& standing : standings) {
    if (standing.num_games < rules.participation_min_games) continue;
    standing.bonus = std::int64_t{rules.participation_bonus} * rules.tariff.scale;
    standing.total += standing.bonus;
  }
  std::ranges::sort(standings, better);
  for (std::size_t begin = 0, end = 0; begin < standings.size(); begin = end) {
    while (end < standings.size() && standings[end].total == standings[begin].total) ++end;
    const std::span tied(standings.begin() + static_cast<std::ptrdiff_t>(begin),
                         standings.begin() + static_cast<std::ptrdiff_t>(end));
    for (Standing& standing : tied) standing.rank = static_cast<int>(begin) + 1;
    if (rules.tie_break != TieBreak::kFirstAce) continue;
    std::vector<int> players;
    for (const Standing& standing : tied) players.push_back(standing.player);
    const std::vector<int> order =
        first_ace_order(players, sub_seed(seed_, kDrawOfTies, begin), rules);
    for (std::size_t i = 0; i < tied.size(); ++i) {
      const auto chosen = std::ranges::find(tied.subspan(i), order[i], &Standing::player);
      std::iter_swap(tied.begin() + static_cast<std::ptrdiff_t>(i), chosen);
      tied[i].rank = static_cast<int>(begin + i) + 1;
    }
  }
  return standings;
}

std::vector<int> first_ace_order(std::span<const int> tied, std::uint64_t seed,
                                 const RuleSet& rules) {
  std::vector<int> left(tied.begin(), tied.end()), order;
  for (std::uint64_t round = 0; left.size() > 1; ++round) {
    const CardOrder deck = shuffled_deck(mix64(seed + round), rules);
    const auto ace = std::ranges::find(deck, Rank::kAss, rank_of);
    const auto dealt = static_cast<std::size_t>(ace - deck.begin());
    const auto winner = left.begin() + static_cast<std::ptrdiff_t>(dealt % left.size());
    order.push_back(*winner);
    left.erase(winner);
  }
  order.insert(order.end(), left.begin(), left.end());
  return order;
}

}  // namespace schafkopf
