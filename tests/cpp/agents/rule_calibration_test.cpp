// What four rule agents do at a table, beside what people do (METHODS sections 6 and 8): deals
// thrown in, mix of games, games won, searching and trump leads.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>

#include "agents/maxims/rule_agent.h"
#include "agents/worlds/double_dummy.h"
#include "env/game/game.h"
#include "tests/cpp/support/parallel.h"
#include "tests/cpp/support/scale.h"

namespace schafkopf {
namespace {

/// How often something happened out of how many chances.
struct Count {
  int hits = 0, chances = 0;
  void add(bool hit) {
    hits += hit ? 1 : 0;
    ++chances;
  }
  Count& operator+=(const Count& other) {
    hits += other.hits;
    chances += other.chances;
    return *this;
  }
  [[nodiscard]] double percent() const { return chances == 0 ? 0.0 : 100.0 * hits / chances; }
};

constexpr std::array kFamilies = {Family::kRuf, Family::kSolo, Family::kWenz};

/// Figures of a number of deals; families in the order of kFamilies.
struct Figures {
  Count thrown_in, tout;
  std::array<Count, 3> won;
  // The deals that were solved: won by the agents, and by best play with open cards
  std::array<Count, 3> won_of_solved, won_with_open_cards;
  Count searches;         // opponents on lead with cards of the called suit, its card still out
  Count opponents_trump;  // opponents of a game with a called card on lead with trumps, same
  Count declarer_trump;   // its declarer on lead
  Count partner_trump;    // its partner on lead
  Figures& operator+=(const Figures& other) {
    thrown_in += other.thrown_in;
    tout += other.tout;
    for (std::size_t i = 0; i < won.size(); ++i) {
      won[i] += other.won[i];
      won_of_solved[i] += other.won_of_solved[i];
      won_with_open_cards[i] += other.won_with_open_cards[i];
    }
    searches += other.searches;
    opponents_trump += other.opponents_trump;
    declarer_trump += other.declarer_trump;
    partner_trump += other.partner_trump;
    return *this;
  }
};

bool is_of(Family family, ContractClass contract) { return row_of(family).contract == contract; }

void count_lead(const Game& game, Card card, Figures& figures) {
  const Contract contract = game.contract();
  if (contract.called == kNoCard) return;
  const PlayConstants& play = game.rules().play(contract.contract, contract.suit);
  const CardSet trumps(play.trumps), hand = game.hand(game.current_player());
  if ((hand & trumps).empty()) return;
  const bool is_declarer = game.current_player() == contract.declarer;
  const bool theirs = ((game.declarer_party() >> game.current_player()) & 1) != 0;
  const bool trump = trumps.contains(card);
  if (is_declarer) figures.declarer_trump.add(trump);
  if (theirs && !is_declarer) figures.partner_trump.add(trump);
  if (theirs) return;
  bool out = true;
  for (int i = 0; i < game.num_plays(); ++i) out = out && game.played_card(i) != contract.called;
  const CardSet suit = CardSet::suit(suit_of(contract.called)) - trumps;
  if (out && !(suit & hand).empty()) {
    figures.searches.add(suit.contains(card));
    figures.opponents_trump.add(trump);
  }
}

bool wins_with_open_cards(const Game& game, Solver& solver) {
  const SolverAim aim{.side = game.declarer_party()};
  return solver.reaches(game.play_state(), aim, points_to_win(game));
}

/// With a solver the deal is solved too.
Figures figures_of(const CompiledRules& rules, std::uint64_t seed, RuleVersion version,
                   Solver* solver) {
  Figures figures;
  Game game(rules, random_deal(seed), static_cast<int>(seed % 4));
  Game at_first_card = game;
  while (!game.is_terminal()) {
    const Action action = RuleAgent::choose(game.view(game.current_player()), rules, version);
    const bool leads = game.phase() == Phase::kPlay && game.num_plays() % 4 == 0;
    if (leads && game.num_plays() == 0) at_first_card = game;
    if (leads) count_lead(game, static_cast<Card>(action), figures);
    game.apply(action);
  }
  figures.thrown_in.add(!game.has_contract());
  if (!game.has_contract()) return figures;
  const Contract contract = game.contract();
  figures.tout.add(contract.tout);
  for (std::size_t i = 0; i < kFamilies.size(); ++i) {
    if (!is_of(kFamilies[i], contract.contract) || contract.tout) continue;
    figures.won[i].add(game.settlement().won);
    if (solver == nullptr) continue;
    figures.won_of_solved[i].add(game.settlement().won);
    figures.won_with_open_cards[i].add(wins_with_open_cards(at_first_card, *solver));
  }
  return figures;
}

Figures play_deals(RuleVersion version) {
  constexpr int kBlock = 500;
  const auto rules = CompiledRules::load("research");
  const int deals = test::scaled(1000, 4000, 20'000), solved = test::scaled(100, 1000, 20'000);
  const bool is_newest = version == kNewestRules;
  Figures sum;
  std::mutex mutex;
  const std::string problem = test::for_blocks(deals / kBlock, [&](int block) {
    Figures part;
    Solver solver;
    for (int deal = block * kBlock; deal < (block + 1) * kBlock; ++deal) {
      part += figures_of(*rules, static_cast<std::uint64_t>(deal + 1), version,
                         is_newest && deal < solved ? &solver : nullptr);
    }
    const std::lock_guard lock(mutex);
    sum += part;
    return std::string{};
  });
  if (!problem.empty()) throw std::runtime_error(problem);
  return sum;
}

/// 20,000 deals in the full form, of which those of the newest version are solved.
const Figures& figures(RuleVersion version) {
  static const std::array<Figures, 3> total = {play_deals(RuleVersion::kFirst),
                                               play_deals(RuleVersion::kSecond),
                                               play_deals(RuleVersion::kThird)};
  return total[static_cast<std::size_t>(version) - 1];
}

constexpr std::array kVersions = {RuleVersion::kFirst, RuleVersion::kSecond, RuleVersion::kThird};

/// Three standard deviations of a percentage of so many chances, beside the tolerance itself: what
/// the shorter forms allow in addition.
double noise(const Count& count) {
  const double share = count.percent() / 100.0;
  return 300.0 * std::sqrt(share * (1.0 - share) / std::max(count.chances, 1));
}

void expect_between(const char* what, const Count& count, double low, double high) {
  const double slack = test::scaled(1, 1, 0) * noise(count);
  std::cout << what << ": " << count.percent() << " % of " << count.chances << "\n";
  EXPECT_GE(count.percent(), low - slack) << what;
  EXPECT_LE(count.percent(), high + slack) << what;
}

TEST(RuleCalibration, a_quarter_of_the_deals_is_thrown_in) {
  expect_between("thrown in", figures(kNewestRules).thrown_in, 20.0, 32.0);
}

TEST(RuleCalibration, games_are_mixed_as_among_people) {
  constexpr std::array kHuman = {71.0, 19.0, 10.0};
  int all = 0;
  for (const Count& count : figures(kNewestRules).won) all += count.chances;
  for (std::size_t i = 0; i < kFamilies.size(); ++i) {
    const Count share{figures(kNewestRules).won[i].chances, all};
    expect_between("share", share, kHuman[i] - 6.0, kHuman[i] + 6.0);
  }
}

TEST(RuleCalibration, declarers_win_as_often_as_people_do) {
  constexpr std::array kHuman = {80.9, 69.6, 67.9};
  for (const RuleVersion version : kVersions) {
    for (std::size_t i = 0; i < kFamilies.size(); ++i) {
      // Solos since version 2: the next test
      if (version >= RuleVersion::kSecond && kFamilies[i] == Family::kSolo) continue;
      expect_between("won", figures(version).won[i], kHuman[i] - 8.0, kHuman[i] + 8.0);
    }
  }
}

// The rule agent's Solos are better hands than people's: 58.8 % are won with open cards and best
// play, theirs 54.8 %. Version 1 gave that away by its faults as a soloist. So the newest is
// compared by what it wins beyond best play with open cards: people -2.7, +14.8 and +23.4 %.
TEST(RuleCalibration, declarers_win_beyond_open_cards_what_people_do) {
  constexpr std::array kHumanWon = {80.9, 69.6, 67.9}, kHumanOpen = {83.6, 54.8, 44.5};
  const Figures& found = figures(kNewestRules);
  for (std::size_t i = 0; i < kFamilies.size(); ++i) {
    const Count& won = found.won_of_solved[i];
    const double open = found.won_with_open_cards[i].percent();
    const double human = kHumanWon[i] - kHumanOpen[i];
    std::cout << "won with open cards: " << open << " %\n";
    expect_between("won", won, open + human - 8.0, open + human + 8.0);
  }
}

TEST(RuleCalibration, R_187_I_13_defenders_search_nearly_always_and_hardly_ever_lead_trumps) {
  for (const RuleVersion version : kVersions) {
    expect_between("searched", figures(version).searches, 85.0, 95.0);
    expect_between("trump led", figures(version).opponents_trump, 0.0, 6.0);
  }
}

TEST(RuleCalibration, R_187_I_06_the_declarer_leads_trumps) {
  for (const RuleVersion version : kVersions) {
    expect_between("declarer", figures(version).declarer_trump, 60.0, 85.0);
    expect_between("partner", figures(version).partner_trump, 85.0, 100.0);
  }
}

// I-27 doubles from a chance of about 0.55 on, so the declarer wins less than 45 % of such games.
TEST(RuleCalibration, R_190_I_27_doubled_games_are_lost_more_often_than_won) {
  const auto rules = CompiledRules::load("official_1989");
  const int deals = test::scaled(1000, 6000, 20'000);
  Count doubled, won;
  for (int deal = 1; deal <= deals; ++deal) {
    Game game(*rules, random_deal(static_cast<std::uint64_t>(deal)), deal % 4);
    while (!game.is_terminal()) {
      game.apply(RuleAgent::choose(game.view(game.current_player()), *rules));
    }
    if (!game.has_contract()) continue;
    doubled.add(game.doubling_level() > 0);
    if (game.doubling_level() == 1) won.add(game.settlement().won);
  }
  expect_between("doubled", doubled, 3.0, 10.0);
  expect_between("won by the declarer", won, 0.0, 45.0);
}

}  // namespace
}  // namespace schafkopf
