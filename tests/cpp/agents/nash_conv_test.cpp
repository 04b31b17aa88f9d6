// Endgames, their trees, exact NashConv and CFR+: against a slow second implementation, by hand,
// and by what must not change them.
#include "agents/exploit/nash_conv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "agents/basic/random_agent.h"
#include "agents/exploit/cfr.h"
#include "agents/exploit/endgame_tree.h"
#include "agents/exploit/endgames.h"
#include "agents/maxims/rule_agent.h"
#include "tests/cpp/agents/slow_best_response.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/table.h"

namespace schafkopf::test {
namespace {

constexpr double kRounding = 1e-8;  // sums of up to 10^6 products of payoffs up to a few hundred

std::shared_ptr<const CompiledRules> research_rules() {
  static const auto rules = CompiledRules::load("research");
  return rules;
}

/// Remaining cards as text; seats 0..3 have taken what stands in `taken` and of the rest of the
/// deck what makes whole tricks.
Endgame endgame_of(const CompiledRules& rules, const Contract& contract, const std::string& cards,
                   std::array<const char*, kNumSeats> taken, int leader) {
  Endgame endgame{.kind = "test", .contract = contract, .cards = parse_cards(cards)};
  endgame.leader = leader;
  endgame.dealer = rules.seats() - 1;
  CardSet rest = rules.deck() - endgame.cards;
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    if (taken[seat] != nullptr) endgame.captured[seat] = parse_cards(taken[seat]);
    rest = rest - endgame.captured[seat];
  }
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    while (endgame.captured[seat].count() % rules.seats() != 0) {
      endgame.captured[seat].add(rest.pop_lowest());
    }
  }
  endgame.captured[1] = endgame.captured[1] | rest;
  return endgame;
}

Endgame rotated(const Endgame& endgame, int places) {
  const auto moved = [places](int seat) { return seat < 0 ? seat : (seat + places) % kNumSeats; };
  Endgame result = endgame;
  for (int seat = 0; seat < kNumSeats; ++seat) {
    result.captured[static_cast<std::size_t>(moved(seat))] =
        endgame.captured[static_cast<std::size_t>(seat)];
  }
  result.contract.declarer = moved(endgame.contract.declarer);
  result.leader = moved(endgame.leader);
  result.dealer = moved(endgame.dealer);
  result.partner = moved(endgame.partner);
  return result;
}

std::vector<Endgame> some_endgames(int per_kind) {
  return endgame_list(*research_rules(), 2, per_kind, 7);
}

/// One of each kind; in quick runs of two kinds only, since the slow implementation is slow.
std::vector<Endgame> few_endgames(int normal, int full) {
  std::vector<Endgame> endgames = some_endgames(scaled(1, normal, full));
  endgames.resize(std::min(endgames.size(), static_cast<std::size_t>(scaled(2, 1000, 1000))));
  return endgames;
}

/// A strategy that differs from card to card and sees what its view shows.
double odd_strategy(const Game& game, Action action) {
  const ActionMask mask = without_claims(game.legal_actions());
  double sum = 0.0, own = 0.0;
  for (int i = 0; i < mask.count(); ++i) {
    const double weight = (mask.nth(i) * 7 + game.hand(game.current_player()).count() * 3) % 5;
    sum += weight + 1e-3;
    if (mask.nth(i) == action) own = weight + 1e-3;
  }
  return own / sum;
}

/// The same as a player.
class OddPolicy final : public BatchPolicy {
 public:
  void policy(const ViewBatch& batch, std::span<float> probabilities, std::span<float>) override {
    std::fill(probabilities.begin(), probabilities.end(), 0.0F);
    for (std::size_t row = 0; row < batch.size; ++row) {
      const ActionMask mask = without_claims(legal_actions(batch.cards[row]));
      const int held = CardSet(batch.cards[row].hand).count();
      double sum = 0.0;
      for (int i = 0; i < mask.count(); ++i) sum += (mask.nth(i) * 7 + held * 3) % 5 + 1e-3;
      for (int i = 0; i < mask.count(); ++i) {
        const double weight = (mask.nth(i) * 7 + held * 3) % 5 + 1e-3;
        probabilities[row * kNumActions + mask.nth(i)] = static_cast<float>(weight / sum);
      }
    }
  }
  [[nodiscard]] std::string name() const override { return "odd"; }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<OddPolicy>();
  }
};

void expect_equal_to_slow(const Endgame& endgame, std::shared_ptr<const CompiledRules> rules) {
  SCOPED_TRACE(to_string(endgame));
  const EndgameTree tree(rules, endgame);
  OddPolicy odd;
  const NashConv uniform = nash_conv(tree, uniform_profile(tree));
  const NashConv other = nash_conv(tree, profile_of(odd, tree));
  const std::vector<Reached> games = dealt(endgame, *rules);
  for (int seat = 0; seat < rules->seats(); ++seat) {
    const auto s = static_cast<std::size_t>(seat);
    double value = 0.0;
    for (const auto& [game, weight] : games) value += weight * expected(game, seat, odd_strategy);
    // probabilities of a player are float32
    EXPECT_NEAR(other.values[s], value, 1e-4);
    if (scaled(0, 1, 1) != 0) {
      EXPECT_NEAR(uniform.best_responses[s], best_response(games, seat, uniform_strategy),
                  kRounding);
    }
    EXPECT_NEAR(other.best_responses[s], best_response(games, seat, odd_strategy), 1e-4);
  }
}

TEST(Endgames, every_deal_of_the_cards_comes_once) {
  const Contract wenz{.contract = ContractClass::kWenz, .declarer = 0};
  const Endgame endgame = endgame_of(*research_rules(), wenz, "EU G7 G8 HA HK S7 SU S10", {}, 2);
  const std::vector<EndgameHands> deals = deals_of(endgame, *research_rules());
  EXPECT_EQ(deals.size(), 2520u);
  std::set<std::string> texts;
  for (const EndgameHands& hands : deals) {
    std::string text;
    for (const CardSet hand : hands) text += to_string(hand) + "|";
    texts.insert(text);
  }
  EXPECT_EQ(texts.size(), deals.size());
}

TEST(Endgames, three_tricks_have_369600_deals) {
  const Contract wenz{.contract = ContractClass::kWenz, .declarer = 0};
  const Endgame endgame =
      endgame_of(*research_rules(), wenz, "EU E7 E8 E9 G7 G8 HA HK S7 SU S8 S10", {}, 2);
  EXPECT_EQ(deals_of(endgame, *research_rules()).size(), 369'600u);
}

// nobody calls an ace that he holds.
TEST(Endgames, the_declarer_never_holds_the_called_card) {
  const Contract call{
      .contract = calling_row().contract, .called = *parse_card("SA"), .declarer = 1};
  const Endgame endgame = endgame_of(*research_rules(), call, "EU G7 G8 HA SA S7 SU S10", {}, 2);
  const std::vector<EndgameHands> deals = deals_of(endgame, *research_rules());
  EXPECT_EQ(deals.size(), 1890u);  // three quarters
  for (const EndgameHands& hands : deals) EXPECT_FALSE(hands[1].contains(*parse_card("SA")));
}

TEST(Endgames, what_is_no_endgame_is_refused) {
  const auto error = [](const Endgame& endgame) {
    return error_of<std::invalid_argument>([&] { (void)deals_of(endgame, *research_rules()); });
  };
  const Contract wenz{.contract = ContractClass::kWenz, .declarer = 0};
  Endgame wrong = endgame_of(*research_rules(), wenz, "EU G7 G8 HA HK S7 SU S10", {}, 2);
  EXPECT_EQ(error(wrong), "no error");
  wrong.cards.remove(*parse_card("EU"));
  EXPECT_EQ(error(wrong),
            "endgame: 7 cards (G7 G8 HK HA S7 SU S10) for 4 seats, allowed: 1..3 whole tricks");
  wrong.cards = {};
  EXPECT_EQ(error(wrong), "endgame: 0 cards () for 4 seats, allowed: 1..3 whole tricks");
  wrong.cards = parse_cards("EU G7 G8 HA");  // four cards are missing now
  EXPECT_EQ(error(wrong),
            "position: hands and captured cards do not make the whole deck, missing: "
            "HK S7 SU S10");
  wrong = endgame_of(*research_rules(), wenz, "EU E7 E8 E9 G7 G8 G9 H7 HA HK H8 S7 SU S8 S9 S10",
                     {}, 2);
  EXPECT_EQ(error(wrong),
            "endgame: 16 cards (E7 E8 E9 EU G7 G8 G9 H7 H8 HK HA S7 S8 S9 SU S10) for 4 seats, "
            "allowed: 1..3 whole tricks");
}

TEST(Endgames, a_list_needs_two_tricks_and_one_of_a_kind) {
  const auto error = [](int tricks, int per_kind) {
    return error_of([&] { (void)endgame_list(*research_rules(), tricks, per_kind, 7); });
  };
  EXPECT_EQ(error(1, 1).find("tricks = 1, allowed: integer 2.."), 0U) << error(1, 1);
  EXPECT_EQ(error(2, 0), "endgames = 0, allowed: integer 1..2147483647");
}

// F.2: nobody doubles on the way to the endgame.
TEST(Endgames, a_list_under_rules_with_kontra_has_all_kinds) {
  const auto rules = CompiledRules::load("official_1989");
  const std::vector<Endgame> list = endgame_list(*rules, 2, 1, 7);
  EXPECT_EQ(list.size(), endgame_kinds().size());
  for (const Endgame& endgame : list) EXPECT_EQ(endgame.cards.count(), 8) << endgame.kind;
}

TEST(Endgames, a_list_is_fixed_and_of_all_kinds) {
  const std::vector<Endgame> list = some_endgames(2);
  EXPECT_EQ(list, some_endgames(2));
  EXPECT_NE(hash_of(list), hash_of(endgame_list(*research_rules(), 2, 2, 8)));
  std::map<std::string, int> kinds;
  for (const Endgame& endgame : list) {
    ++kinds[endgame.kind];
    EXPECT_EQ(endgame.cards.count(), 8);
    const ContractRow& row = contract_row(endgame.contract.contract);
    if (row.parties != Parties::kCalledCard) continue;
    const bool held = endgame.cards.contains(endgame.contract.called);
    EXPECT_EQ(held, endgame.kind == "RUF_ACE_HELD");
    EXPECT_EQ(endgame.partner < 0, held);
  }
  ASSERT_EQ(kinds.size(), endgame_kinds().size());
  for (const std::string& kind : endgame_kinds()) EXPECT_EQ(kinds[kind], 2) << kind;
}

// A list that changes makes figures of different days incomparable.
TEST(Endgames, the_default_list_is_the_committed_one) {
  EXPECT_EQ(hash_of(endgame_list(*research_rules(), 2, 10, 1)), 0x2eb52d20c5545a14ull);
}

/// Numbers of information sets by what the seat sees; fails if two sets look the same or one has
/// two looks.
void collect(const Game& from, const EndgameTree& tree, std::map<std::string, std::size_t>& sets) {
  Game game = from;
  while (!game.is_terminal() && without_claims(game.legal_actions()).count() == 1) {
    game.apply(without_claims(game.legal_actions()).lowest());
  }
  if (game.is_terminal()) return;
  const auto id = tree.find(game.view(game.current_player()));
  ASSERT_TRUE(id.has_value());
  EXPECT_EQ(tree.info_sets()[*id].seat, game.current_player());
  EXPECT_EQ(sets.try_emplace(seen(game), *id).first->second, *id);
  const ActionMask mask = without_claims(game.legal_actions());
  for (int i = 0; i < mask.count(); ++i) {
    EXPECT_EQ(tree.card_of(tree.info_sets()[*id].first_action + static_cast<std::size_t>(i)),
              mask.nth(i));
    Game next = game;
    next.apply(mask.nth(i));
    collect(next, tree, sets);
  }
}

void expect_one_set_per_view(const Endgame& endgame, std::shared_ptr<const CompiledRules> rules) {
  SCOPED_TRACE(to_string(endgame));
  const EndgameTree tree(rules, endgame);
  std::map<std::string, std::size_t> sets;
  for (const auto& [game, weight] : dealt(endgame, *rules)) collect(game, tree, sets);
  EXPECT_EQ(sets.size(), tree.info_sets().size());
  std::set<std::size_t> ids;
  for (const auto& [bytes, id] : sets) ids.insert(id);
  EXPECT_EQ(ids.size(), sets.size());
}

TEST(EndgameTree, an_information_set_is_what_the_view_shows) {
  for (const Endgame& endgame : few_endgames(1, 4)) {
    expect_one_set_per_view(endgame, research_rules());
  }
}

TEST(EndgameTree, cards_that_lie_open_belong_to_the_information_set) {
  const auto rules = house({"contracts = [\"RUF\", \"SOLO\", \"BETTEL_BRETT\"]"});
  int open_games = 0;
  for (const ContractRow& row : contract_table()) {
    if (!row.open_hand) continue;
    const Contract open{.contract = row.contract, .declarer = 2};
    expect_one_set_per_view(endgame_of(*rules, open, "E7 E9 G8 G10 H7 HO S8 SA", {}, 1), rules);
    ++open_games;
  }
  EXPECT_GT(open_games, 0);
}

// A seat that leads the called suit with enough of it runs away, and everybody sees it.
TEST(EndgameTree, running_away_is_seen) {
  const auto rules = house({"runaway_min_others = 1"});
  const Contract call{
      .contract = calling_row().contract, .called = *parse_card("SA"), .declarer = 1};
  expect_one_set_per_view(endgame_of(*rules, call, "G7 S7 S8 S9 SA SK S10 EO", {}, 0), rules);
}

TEST(EndgameTree, a_tree_that_is_too_large_is_refused) {
  const Endgame endgame = some_endgames(1).front();
  try {
    const EndgameTree tree(research_rules(), endgame, 1000);
    FAIL() << "no exception";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("1000 words"), std::string::npos) << error.what();
  }
}

// Whoever holds EO takes its 3 points; with 58 before, the declarer needs it. A Solo costs 50 from
// each of three: +150 in a quarter of the deals, -150 else.
TEST(NashConv, one_trick_is_luck_and_the_value_is_the_mean_over_deals) {
  const Contract solo{.contract = ContractClass::kSolo, .suit = Suit::kHerz, .declarer = 0};
  const Endgame endgame = endgame_of(*research_rules(), solo, "EO E7 E8 G7",
                                     {"EA E10 GA G10 HA GO HU S7", "", "", ""}, 2);
  ASSERT_EQ(points_of(endgame.captured[0]), 58);
  const EndgameTree tree(research_rules(), endgame);
  EXPECT_EQ(tree.info_sets().size(), 0u);
  const NashConv result = nash_conv(tree, {});
  EXPECT_NEAR(result.values[0], -75.0, kRounding);
  EXPECT_NEAR(result.values[1], 25.0, kRounding);
  EXPECT_NEAR(result.total(), 0.0, kRounding);
}

TEST(NashConv, equals_the_slow_implementation_on_two_tricks) {
  for (const Endgame& endgame : few_endgames(1, 6)) {
    expect_equal_to_slow(endgame, research_rules());
  }
}

// Three players have 1,680 deals of three tricks, in which a seat chooses twice.
TEST(NashConv, equals_the_slow_implementation_on_three_tricks) {
  const auto rules = house({"players = 3", "deck = \"short24\""});
  const Contract solo{.contract = ContractClass::kSolo, .suit = Suit::kHerz, .declarer = 1};
  const Contract wenz{.contract = ContractClass::kWenz, .declarer = 0};
  expect_equal_to_slow(
      endgame_of(*rules, wenz, "EU E9 EK EA G9 GU HA SK S10", {"G10 E10 HK", "", "", ""}, 2),
      rules);
  if (scaled(0, 1, 1) == 0) return;
  expect_equal_to_slow(
      endgame_of(*rules, solo, "EO E9 EK GA G9 H9 HA SK S10", {"", "EA HO", "", ""}, 1), rules);
}

TEST(NashConv, payoffs_sum_to_zero_and_gains_are_not_negative) {
  RuleAgent rules;
  for (const Endgame& endgame : some_endgames(scaled(2, 6, 20))) {
    const EndgameTree tree(research_rules(), endgame);
    for (const auto& payoffs : tree.payoffs()) {
      EXPECT_EQ(payoffs[0] + payoffs[1] + payoffs[2] + payoffs[3], 0.0);
    }
    for (const EndgameProfile& profile : {uniform_profile(tree), profile_of(rules, tree)}) {
      const NashConv result = nash_conv(tree, profile);
      EXPECT_NEAR(result.values[0] + result.values[1] + result.values[2] + result.values[3], 0.0,
                  kRounding);
      for (int seat = 0; seat < kNumSeats; ++seat) {
        EXPECT_GE(result.gain(seat), -kRounding) << to_string(endgame);
      }
    }
  }
}

TEST(NashConv, a_best_response_does_not_see_hidden_cards) {
  double more = 0.0;
  for (const Endgame& endgame : few_endgames(1, 4)) {
    const EndgameTree tree(research_rules(), endgame);
    const NashConv result = nash_conv(tree, uniform_profile(tree));
    const std::vector<Reached> games = dealt(endgame, *research_rules());
    for (int seat = 0; seat < kNumSeats; ++seat) {
      const double best = result.best_responses[static_cast<std::size_t>(seat)];
      const double cheating = best_response(games, seat, uniform_strategy, true);
      EXPECT_GE(cheating, best - kRounding) << to_string(endgame);
      more += cheating - best;
    }
  }
  EXPECT_GT(more, 1.0);  // units per game: a leak would make the two equal
}

TEST(NashConv, moves_with_the_seats) {
  RuleAgent rules;
  for (const Endgame& endgame : some_endgames(scaled(1, 2, 8))) {
    const EndgameTree tree(research_rules(), endgame);
    const NashConv uniform = nash_conv(tree, uniform_profile(tree));
    const NashConv agent = nash_conv(tree, profile_of(rules, tree));
    for (int places = 1; places < kNumSeats; ++places) {
      const EndgameTree moved(research_rules(), rotated(endgame, places));
      const NashConv uniform_moved = nash_conv(moved, uniform_profile(moved));
      const NashConv agent_moved = nash_conv(moved, profile_of(rules, moved));
      for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
        const std::size_t to = (seat + static_cast<std::size_t>(places)) % kNumSeats;
        EXPECT_NEAR(uniform_moved.best_responses[to], uniform.best_responses[seat], kRounding);
        EXPECT_NEAR(agent_moved.best_responses[to], agent.best_responses[seat], kRounding);
        EXPECT_NEAR(agent_moved.values[to], agent.values[seat], kRounding);
      }
    }
  }
}

TEST(NashConv, a_player_is_asked_once_per_information_set_however_the_batch_is_cut) {
  RuleAgent rules(0.25);
  for (const Endgame& endgame : some_endgames(1)) {
    const EndgameTree tree(research_rules(), endgame);
    const EndgameProfile profile = profile_of(rules, tree);
    EXPECT_EQ(profile_of(rules, tree, 1), profile);
    EXPECT_EQ(profile_of(rules, tree, 7), profile);
    RandomAgent random;
    const EndgameProfile uniform = uniform_profile(tree);
    const EndgameProfile asked = profile_of(random, tree);
    for (std::size_t i = 0; i < uniform.size(); ++i) ASSERT_NEAR(asked[i], uniform[i], 1e-6);
  }
}

/// Gives one wrong number per row.
class WrongPolicy final : public BatchPolicy {
 public:
  explicit WrongPolicy(std::vector<float> row) : row_(std::move(row)) {}
  void policy(const ViewBatch& batch, std::span<float> probabilities, std::span<float>) override {
    for (std::size_t row = 0; row < batch.size; ++row) {
      std::copy(row_.begin(), row_.end(),
                probabilities.begin() + static_cast<std::ptrdiff_t>(row * kNumActions));
    }
  }
  [[nodiscard]] std::string name() const override { return "wrong"; }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<WrongPolicy>(row_);
  }

 private:
  std::vector<float> row_;
};

TEST(NashConv, wrong_probabilities_are_refused_by_name) {
  const EndgameTree tree(research_rules(), some_endgames(1).front());
  std::vector<float> illegal(kNumActions), nothing(kNumActions), broken(kNumActions);
  illegal[kActionPass] = 1.0F;
  broken[tree.card_of(0)] = std::numeric_limits<float>::quiet_NaN();
  for (const std::vector<float>& row : {illegal, nothing, broken}) {
    WrongPolicy wrong(row);
    try {
      (void)profile_of(wrong, tree);
      FAIL() << "no exception";
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("wrong: "), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW((void)nash_conv(tree, EndgameProfile(3)), std::invalid_argument);
}

TEST(TabularPolicy, is_the_profile_it_was_made_of) {
  for (const Endgame& endgame : some_endgames(1)) {
    const auto tree = std::make_shared<const EndgameTree>(research_rules(), endgame);
    CfrPlus cfr(*tree);
    cfr.run(3);
    TabularPolicy tabular(tree, cfr.average(), "cfr");
    const EndgameProfile asked = profile_of(tabular, *tree);
    const NashConv expected = nash_conv(*tree, cfr.average()), measured = nash_conv(*tree, asked);
    EXPECT_NEAR(measured.total(), expected.total(), 1e-4);  // float32 probabilities
  }
}

TEST(TabularPolicy, is_uniform_outside_of_its_endgame_and_its_copy_is_equal) {
  const auto tree = std::make_shared<const EndgameTree>(research_rules(), some_endgames(1).front());
  CfrPlus cfr(*tree);
  cfr.run(3);
  const EndgameProfile average = cfr.average();
  ASSERT_NE(average, uniform_profile(*tree));
  EXPECT_EQ(error_of([&] { TabularPolicy(tree, EndgameProfile(1), "short"); }),
            "short: 1 probabilities, allowed: " + std::to_string(tree->num_actions()));
  const auto tabular = TabularPolicy(tree, average, "cfr").clone();
  EXPECT_EQ(tabular->name(), "cfr");
  const PlayerView view = Game(*research_rules(), random_deal(1), 3).view(0);  // PASS or PLAY
  const CompiledRules* const list[] = {research_rules().get()};
  const RuleTable table{.rules = list, .features = {}};
  const ViewBatch batch{.size = 1,
                        .cards = &view.cards,
                        .order = &view.order,
                        .events = &view.events,
                        .rules = &table};
  std::vector<float> row(kNumActions), value(1);
  tabular->policy(batch, row, value);
  EXPECT_EQ(row[kActionPass], 0.5F);
  EXPECT_EQ(row[kActionPlay], 0.5F);
  const EndgameProfile copied = profile_of(*tabular, *tree);
  ASSERT_EQ(copied.size(), average.size());
  for (std::size_t i = 0; i < copied.size(); ++i) ASSERT_NEAR(copied[i], average[i], 1e-6) << i;
}

// METHODS section 7: NashConv at most 5 % of that of uniform play; it falls with the updates.
TEST(CfrPlus, comes_near_an_equilibrium) {
  const std::vector<int> steps = {1, 4, 20, 100};
  std::vector<double> means(steps.size());
  double uniform = 0.0;
  for (const Endgame& endgame : some_endgames(scaled(1, 2, 20))) {
    const EndgameTree tree(research_rules(), endgame);
    const double zero = nash_conv(tree, uniform_profile(tree)).total();
    uniform += zero;
    CfrPlus cfr(tree);
    EXPECT_NEAR(nash_conv(tree, cfr.average()).total(), zero, kRounding);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      cfr.run(steps[i] - cfr.updates());
      means[i] += nash_conv(tree, cfr.average()).total();
    }
    EXPECT_LE(nash_conv(tree, cfr.average()).total(), 0.05 * zero + 1e-3) << to_string(endgame);
  }
  EXPECT_LT(means[0], uniform);
  for (std::size_t i = 1; i < steps.size(); ++i) EXPECT_LT(means[i], means[i - 1]);
  EXPECT_LT(means.back(), 0.001 * uniform);
}

// Three players, three tricks: averages need the own reach.
TEST(CfrPlus, averages_by_own_reach_where_a_seat_chooses_twice) {
  const auto rules = house({"players = 3", "deck = \"short24\""});
  const Contract wenz{.contract = ContractClass::kWenz, .declarer = 0};
  const Endgame endgame =
      endgame_of(*rules, wenz, "EU E9 EK EA G9 GU HA SK S10", {"G10 E10 HK", "", "", ""}, 2);
  const EndgameTree tree(rules, endgame);
  CfrPlus cfr(tree);
  cfr.run(scaled(20, 100, 300));
  EXPECT_LT(nash_conv(tree, cfr.average()).total(),
            0.05 * nash_conv(tree, uniform_profile(tree)).total());
}

}  // namespace
}  // namespace schafkopf::test
