// World sampler: card play of a world, consistent worlds against replay through the Game, uniform
// draws against enumeration.
#include "agents/worlds/worlds.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "agents/worlds/world_facts.h"
#include "env/record/history.h"
#include "tests/cpp/agents/all_worlds.h"
#include "tests/cpp/agents/true_world.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/preset_contracts.h"
#include "tests/cpp/support/random_play.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/table.h"

namespace schafkopf {
namespace {

using test::true_world;

/// A card game starts somewhere in the deal; every state is visited.
template <class Visit>
void play_random_game(const CompiledRules& rules, std::uint64_t seed, const DealContext& context,
                      const Visit& visit) {
  Rng random(seed);
  const int dealer = random.next_below(rules.seats());
  Game game(rules, test::strange_deal(random.next(), rules.rules(), dealer, context), dealer,
            context);
  visit(game, random);
  while (!game.is_terminal()) {
    game.apply(test::random_action(game, random));
    visit(game, random);
  }
}

void expect_same_play(const Game& game, int viewer, const CompiledRules& rules) {
  const PlayerView view = game.view(viewer);
  const PlayState<std::uint32_t> mine = play_state_of(view, rules, true_world(game, viewer));
  const PlayState<std::uint32_t>& truth = game.play_state();
  const int n = game.seats();
  const auto relative = [&](std::uint32_t seat) {
    return static_cast<std::uint32_t>((static_cast<int>(seat) - viewer + n) % n);
  };
  for (int r = 0; r < n; ++r) {
    const int seat = (viewer + r) % n;
    ASSERT_EQ(mine.hand[r], truth.hand[seat]);
    ASSERT_EQ(mine.table[r], truth.table[seat]);
    ASSERT_EQ(mine.taken[r], truth.taken[seat]);
    ASSERT_EQ(mine.played[r], truth.played[seat]);
  }
  ASSERT_EQ(mine.trumps, truth.trumps);
  ASSERT_EQ(mine.top, truth.top);
  ASSERT_EQ(mine.second, truth.second);
  ASSERT_EQ(mine.low_tens, truth.low_tens);
  ASSERT_EQ(mine.call_group, truth.call_group);
  ASSERT_EQ(mine.bound, truth.bound);
  ASSERT_EQ(mine.run_min, truth.run_min);
  ASSERT_EQ(mine.switches, truth.switches);
  ASSERT_EQ(mine.turn, relative(truth.turn));
  ASSERT_EQ(mine.on_table, truth.on_table);
  ASSERT_EQ(mine.num_played, truth.num_played);
  ASSERT_EQ(mine.seats, truth.seats);
  if (truth.on_table == 0) return;
  ASSERT_EQ(mine.led_group, truth.led_group);
  ASSERT_EQ(mine.beaters, truth.beaters);
  ASSERT_EQ(mine.winner, relative(truth.winner));
}

TEST(WorldPlay, of_the_true_world_is_the_play_of_the_game_in_relative_seats) {
  int states = 0;
  for (int round = 0; round < test::scaled(100, 1000, 15000); ++round) {
    const auto seed = static_cast<std::uint64_t>(round);
    RuleSet set = test::random_rules(seed);
    set.history_view = HistoryView::kFull;
    const CompiledRules rules(set, "random");
    play_random_game(rules, seed, test::random_context(seed, set), [&](const Game& game, Rng&) {
      if (game.is_terminal() || game.num_plays() == 0 || game.view(0).leader() == kNoSeat) return;
      for (int viewer = 0; viewer < game.seats(); ++viewer) {
        expect_same_play(game, viewer, rules);
        ++states;
        if (!game.has_contract()) continue;
        unsigned party = 0;
        for (int r = 0; r < game.seats(); ++r) {
          party |= (unsigned{game.declarer_party()} >> ((viewer + r) % game.seats()) & 1u) << r;
        }
        ASSERT_EQ(declarer_party_of(game.view(viewer), rules, true_world(game, viewer)), party)
            << contract_name(game.contract().contract, false);
      }
    });
  }
  EXPECT_GT(states, 1000);
}

/// Every consistent world by enumeration.
test::WorldSet enumerated(const WorldSampler& sampler) {
  test::WorldSet worlds;
  std::uint64_t visits = 0;
  sampler.enumerate([&](const World& world) {
    worlds.insert(world);
    ++visits;
  });
  EXPECT_EQ(visits, sampler.count());
  EXPECT_EQ(worlds.size(), sampler.count());
  return worlds;
}

TEST(WorldSampler, counts_the_worlds_whose_replay_gives_the_same_view_under_random_rules) {
  int views = 0;
  const int rounds = test::scaled(40, 400, 2000, 20000);
  for (int round = 0; round < rounds; ++round) {
    const auto seed = static_cast<std::uint64_t>(round);
    RuleSet set = test::random_rules(seed);
    set.history_view = HistoryView::kFull;
    if (set.special_round == SpecialRound::kSchieber) set.special_round = SpecialRound::kNone;
    set.hochzeit_return_nontrump = true;
    set.doppelte_hochzeit = false;
    const CompiledRules rules(set, "random");
    const DealContext context = test::random_context(seed, set);
    play_random_game(rules, seed, context, [&](const Game& game, Rng& random) {
      const int left = rules.deck().count() - game.num_plays();
      if (game.is_terminal() || left > 3 * game.seats() || random.next_below(3) != 0) return;
      const int viewer = game.current_player();
      const PlayerView view = game.view(viewer);
      for (const int target : {0, 1, 2}) {  // a drawn card leaves no history (C.20.11)
        for (int i = 0; i < game.num_events(); ++i) {
          if (game.event(i).action == kActionTarget1 + target) return;
        }
      }
      const test::WorldSet expected = test::AllWorlds(view, rules).find(2000);
      if (expected.empty()) return;
      const WorldSampler sampler(view, rules);
      ASSERT_TRUE(expected.contains(true_world(game, viewer)));
      ASSERT_EQ(sampler.count(), expected.size())
          << "rules of seed " << seed << ", seat " << viewer << ", card " << game.num_plays()
          << ", contract " << contract_name(game.contract().contract, false);
      ASSERT_EQ(enumerated(sampler), expected);
      ++views;
    });
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(views, rounds / 8);
}

// Soundness at every moment of every game: the hands as they are keep all that the view proves

/// Cards that a seat holds or will have held at the start of play.
std::string broken_fact(const Game& game, int viewer, const WorldFacts& facts) {
  for (int r = 0; r < game.seats(); ++r) {
    const auto place = static_cast<std::size_t>(r);
    const int seat = (viewer + r) % game.seats();
    const CardSet hidden = game.hand(seat) & facts.unseen;
    if (hidden.count() != facts.room[place]) return "number of cards of seat " + std::to_string(r);
    if (!(hidden - facts.may[place]).empty()) return "may " + to_string(hidden - facts.may[place]);
    if (!(facts.must[place] - hidden).empty()) {
      return "must " + to_string(facts.must[place] - hidden);
    }
  }
  for (const HandRule& rule : facts.rules) {
    if (!rule.holds(game.start_hand((viewer + rule.seat) % game.seats()))) return "rule of a hand";
  }
  return "";
}

TEST(WorldFacts, hold_for_the_true_hands_at_every_moment_under_random_rules) {
  int views = 0, refused = 0;
  for (int round = 0; round < test::scaled(100, 1000, 15000); ++round) {
    const auto seed = static_cast<std::uint64_t>(round);
    const RuleSet set = test::random_rules(seed);
    const CompiledRules rules(set, "random");
    play_random_game(rules, seed, test::random_context(seed, set), [&](const Game& game, Rng&) {
      for (int viewer = 0; viewer < game.seats(); ++viewer) {
        const PlayerView view = game.view(viewer);
        const bool acts = viewer == game.current_player();
        try {
          const WorldSampler sampler(view, rules);
          const WorldFacts facts = world_facts(view, rules);
          ASSERT_EQ(broken_fact(game, viewer, facts), "")
              << "rules of seed " << seed << ", seat " << viewer << ", card " << game.num_plays()
              << ", phase " << phase_name(game.phase());
          const World world = sampler.sample(seed);
          CardSet all;
          for (int r = 0; r < game.seats(); ++r) {
            const CardSet hand = world.hands[static_cast<std::size_t>(r)];
            ASSERT_EQ(hand.count(), game.hand((viewer + r) % game.seats()).count());
            ASSERT_TRUE((all & hand).empty());
            all = all | hand;
          }
          ++views;
        } catch (const std::invalid_argument& error) {
          ASSERT_FALSE(acts) << error.what() << ": rules of seed " << seed << ", phase "
                             << phase_name(game.phase());
          ++refused;
        }
      }
    });
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(views, 5000);
  EXPECT_LT(100 * refused, views);  // cards on their way between two other seats
}

TEST(WorldFacts, R_037_the_card_of_a_hochzeit_that_is_overridden_stays_with_its_offerer) {
  Table table(house({"hochzeit = \"before_auction\"", "hochzeit_solo_override = true"}),
              "EO HO EU HU HA E9 G9 SA | H7 EA E10 EK GA G10 GK S7 |"
              " GO SO GU SU HK E8 G8 S10 | H10 H9 H8 E7 G7 SK S9 S8");
  table.play("HZ_OFFER_1 HZ_REFUSE HZ_ACCEPT PLAY PASS PASS PASS C_SOLO SUIT_H");
  ASSERT_TRUE(table.game().has_contract());
  for (int viewer = 0; viewer < kNumSeats; ++viewer) {
    const WorldFacts facts = world_facts(table.game().view(viewer), table.game().rules());
    EXPECT_EQ(broken_fact(table.game(), viewer, facts), "") << "seat " << viewer;
  }
}

// C.3: nobody takes the first offer; its seat takes that of another one and so has both trumps.
TEST(WorldFacts, R_032_a_refused_offerer_that_accepts_another_offer_has_both_trumps) {
  for (const char* back : {"hochzeit_return_nontrump = true", "hochzeit_return_nontrump = false"}) {
    Table table(house({"hochzeit = \"before_auction\"", back}),
                "EO HO EU HU HA E9 G9 SA | H7 EA E10 EK GA G10 GK S7 |"
                " GO SO GU SU HK H10 H9 S10 | H8 E8 G8 E7 G7 SK S9 S8");
    table.play("HZ_OFFER_1 HZ_REFUSE HZ_REFUSE HZ_REFUSE HZ_OFFER_1 HZ_REFUSE HZ_ACCEPT E10");
    ASSERT_EQ(table.now(), "PLAY 0");
    for (int viewer = 0; viewer < kNumSeats; ++viewer) {
      const WorldFacts facts = world_facts(table.game().view(viewer), table.game().rules());
      EXPECT_EQ(broken_fact(table.game(), viewer, facts), "") << "seat " << viewer;
    }
  }
}

/// All that is proved of every seat's view, which can be refused only where cards move between others.
void expect_facts_hold(const Game& game, int deal) {
  for (int viewer = 0; viewer < game.seats(); ++viewer) {
    const PlayerView view = game.view(viewer);
    const std::string where = "deal " + std::to_string(deal) + ", seat " + std::to_string(viewer) +
                              ", phase " + std::string(phase_name(game.phase()));
    try {
      ASSERT_EQ(broken_fact(game, viewer, world_facts(view, game.rules())), "") << where;
    } catch (const std::invalid_argument& error) {
      const bool moving = game.phase() == Phase::kSchieberPush || game.phase() == Phase::kHzReturn;
      ASSERT_TRUE(moving && viewer != game.current_player()) << error.what() << ": " << where;
    }
  }
}

// C.20.6, C.3: forehand left EO GO to the dealer, and somebody offers a Hochzeit afterwards.
TEST(WorldFacts, R_076_hold_in_a_hochzeit_after_a_declined_packet) {
  int exchanged = 0;
  for (const char* back : {"hochzeit_return_nontrump = true", "hochzeit_return_nontrump = false"}) {
    const auto rules =
        house({"special_round = \"schieber\"", "schieber_variant = \"forehand_only\"",
               "schieber_cards = 2", "hochzeit = \"before_auction\"", "bauernhochzeit = true",
               "doppelte_hochzeit = true", back});
    for (int deal = 0; deal < test::scaled(200, 1000, 5000); ++deal) {
      play_random_game(*rules, static_cast<std::uint64_t>(deal), rules->first_context(),
                       [&](const Game& game, Rng&) {
                         expect_facts_hold(game, deal);
                         exchanged += game.phase() == Phase::kHzReturn ? 1 : 0;
                       });
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(exchanged, 50);
}

// C.3: while the acceptor has the only trump of the offerer, nobody takes it to lie there.
TEST(WorldFacts, R_032_the_offerer_has_no_trump_before_a_card_is_returned) {
  Table table(house({"hochzeit = \"before_auction\"", "hochzeit_return_nontrump = false"}),
              "EO HO EU HU HA E9 G9 SA | H7 EA E10 EK GA G10 GK S7 |"
              " GO SO GU SU HK E8 G8 S10 | H10 H9 H8 E7 G7 SK S9 S8");
  table.play("HZ_OFFER_1 HZ_ACCEPT");
  const CardSet trumps = table.game().rules().partner_trumps();
  for (const int viewer : {2, 3}) {
    const WorldFacts facts = world_facts(table.game().view(viewer), table.game().rules());
    const auto offerer = static_cast<std::size_t>((1 - viewer + kNumSeats) % kNumSeats);
    EXPECT_TRUE((facts.may[offerer] & trumps).empty()) << "seat " << viewer;
    EXPECT_EQ(broken_fact(table.game(), viewer, facts), "") << "seat " << viewer;
  }
}

// C.20.11: seat 0 gave E7 to seat 2 and drew H7 there.
TEST(WorldFacts, R_083_the_card_that_was_given_in_a_zupf_solo_lies_with_its_receiver) {
  const auto rules = house({"special_round = \"zupf_solo\""});
  Table table(rules,
              "EO GO HO SO EU GU HU E7 | E8 E9 EK E10 EA G7 G8 G9 |"
              " SU HA H10 HK H9 H8 H7 S7 | GK G10 GA S8 S9 SK S10 SA",
              3, rules->first_context());
  table.play("PLAY PASS PASS PASS C_SOLO SUIT_H TARGET_+2 E7");
  for (int viewer = 0; viewer < kNumSeats; ++viewer) {
    const WorldFacts facts = world_facts(table.game().view(viewer), table.game().rules());
    EXPECT_EQ(broken_fact(table.game(), viewer, facts), "") << "seat " << viewer;
    if (viewer % 2 != 0) continue;  // the two know the card that each gave to the other
    EXPECT_TRUE(facts.must[2].contains(parse_card(viewer == 0 ? "E7" : "H7").value()));
  }
}

// C.19: whoever says SIE holds the eight highest cards.
TEST(WorldFacts, R_070_whoever_says_sie_has_its_cards) {
  Table table(house(), "EO GO HO SO EU GU HU SU|||");
  table.play("PLAY PASS PASS PASS C_SIE");
  EXPECT_EQ(world_facts(table.game().view(1), table.game().rules()).must[3],
            parse_cards("EO GO HO SO EU GU HU SU"));
}

// D.3: with no other single game than the Sie, a second PLAY is a Sie.
TEST(WorldFacts, R_070_who_plays_over_a_rufspiel_with_no_solo_in_the_rules_holds_the_sie) {
  Table table(house({"contracts = [\"RUF\"]"}),
              "H7 E9 E8 S9 S8 G9 G8 H8 | EO GO HO SO EU GU HU SU | |");
  table.play("PLAY PLAY");
  const WorldFacts facts = world_facts(table.game().view(2), table.game().rules());
  EXPECT_EQ(facts.must[3], parse_cards("EO GO HO SO EU GU HU SU"));
  EXPECT_EQ(broken_fact(table.game(), 2, facts), "");
}

// Uniform draws on fixed views

/// Upper tail of the chi-square distribution (Wilson and Hilferty 1931): standard deviations.
double chi_square_deviations(double chi_square, double freedom) {
  const double spread = 2.0 / (9.0 * freedom);
  return (std::cbrt(chi_square / freedom) - (1.0 - spread)) / std::sqrt(spread);
}

/// What is wrong with a source of worlds, empty if it is uniform (p > 1e-4).
std::string fault(const std::function<World(std::uint64_t)>& sample, const test::WorldSet& expected,
                  int draws) {
  std::map<World, int, test::WorldLess> number;
  for (const World& world : expected) number[world] = 0;
  for (int i = 0; i < draws; ++i) {
    const auto found = number.find(sample(static_cast<std::uint64_t>(i)));
    if (found == number.end()) return "a world that no replay allows";
    ++found->second;
  }
  const double mean = static_cast<double>(draws) / static_cast<double>(expected.size());
  double chi_square = 0.0;
  for (const auto& [world, n] : number) chi_square += (n - mean) * (n - mean) / mean;
  const double deviations =
      chi_square_deviations(chi_square, static_cast<double>(expected.size()) - 1.0);
  constexpr double kLimit = 3.719;  // p = 1e-4
  return deviations < kLimit ? "" : "not uniform: " + std::to_string(deviations) + " deviations";
}

/// A moment of card play that a case looks for.
struct Moment {
  const Game& game;
  const PlayerView& view;
  int viewer;

  [[nodiscard]] const ContractRow& row() const { return contract_row(game.contract().contract); }
  [[nodiscard]] bool calls() const { return row().parties == Parties::kCalledCard; }
  [[nodiscard]] bool called_is_hidden() const {
    const Card called = game.contract().called;
    return calls() && !game.hand(viewer).contains(called) &&
           game.hand(game.partner()).contains(called);
  }
  [[nodiscard]] int times_searched() const {
    const CardSet suit = CardSet(game.play_state().call_group);
    int times = 0;
    for (int i = 0; i < game.num_plays(); i += game.seats()) {
      times += suit.contains(game.played_card(i)) ? 1 : 0;
    }
    return times;
  }
  /// Seats that could not follow so far.
  [[nodiscard]] int voids() const {
    PlayState<std::uint32_t> order = game.play_state();
    std::uint32_t led = 0;
    int number = 0;
    for (int i = 0; i < game.num_plays(); ++i) {
      const std::uint32_t card = CardSet::of(game.played_card(i)).bits();
      if (i % game.seats() == 0) led = group_of(order, card);
      number += (card & led) == 0 ? 1 : 0;
    }
    return number;
  }
  /// Two other seats play the Hochzeit, and trumps are left that its offerer could still hold.
  [[nodiscard]] bool offerer_is_open() const {
    if (!named("HOCHZEIT") || view.declarer() == 0 || view.partner() == 0) return false;
    const CardSet trumps(game.play_state().trumps);
    bool led_trump = false;
    for (int i = 0; i < game.num_plays(); ++i) {
      const bool trump = trumps.contains(game.played_card(i));
      if (i % game.seats() == 0) led_trump = trump;
      if (led_trump && !trump && game.played_by(i) == game.contract().declarer) return false;
    }
    CardSet unseen = trumps - game.hand(viewer);
    for (int seat = 0; seat < game.seats(); ++seat)
      unseen = unseen - CardSet(view.cards.played[seat]);
    return unseen.count() >= 3;
  }
  [[nodiscard]] bool doubled_by_another() const {
    for (int i = 0; i < game.num_events(); ++i) {
      if (game.event(i).action == kActionDouble && game.event(i).seat != viewer) return true;
    }
    return false;
  }
  [[nodiscard]] bool named(std::string_view name) const { return row().name == name; }
};

struct FixedView {
  const char* name;
  const char* lines;  // of a rule file, over official_1989
  bool (*fits)(const Moment& moment);
};

// clang-format off
const FixedView kFixedViews[] = {
    {"rufspiel_before_the_search", "", [](const Moment& m) {
       return m.called_is_hidden() && m.times_searched() == 0 && !m.view.has(kFlagPartnerKnown) &&
              m.view.declarer() != 0;
     }},
    {"rufspiel_after_the_search", "", [](const Moment& m) {
       return m.calls() && m.times_searched() > 0 && !m.called_is_hidden() && m.view.partner() != 0 &&
              m.game.contract().declarer != m.viewer;
     }},
    {"search_on_the_table", "", [](const Moment& m) {
       const CardSet suit(m.game.play_state().call_group);
       const int first = m.game.num_plays() - 2;
       return m.called_is_hidden() && !m.view.has(kFlagRanAway) && m.view.declarer() == 0 &&
              m.view.cards_on_table() == 2 && suit.contains(m.game.played_card(first)) &&
              suit.contains(m.game.played_card(first + 1));
     }},
    {"rufspiel_ran_away", "", [](const Moment& m) {
       return m.called_is_hidden() && m.view.has(kFlagRanAway);
     }},
    {"kontra_by_a_defender", "kontra_window = \"before_second_card\"", [](const Moment& m) {
       return m.called_is_hidden() && m.doubled_by_another() && !m.view.has(kFlagPartnerKnown);
     }},
    {"solo_voids", "", [](const Moment& m) { return m.named("SOLO") && m.voids() >= 4; }},
    {"wenz", "", [](const Moment& m) { return m.named("WENZ"); }},
    {"farbwenz", "contracts = [\"FARBWENZ\"]", [](const Moment& m) { return m.named("FARBWENZ"); }},
    {"ramsch", "all_pass = \"ramsch\"", [](const Moment& m) { return m.named("RAMSCH"); }},
    {"hochzeit_of_two_others", "hochzeit = \"before_auction\"",
     [](const Moment& m) { return m.offerer_is_open(); }},
    {"hochzeit_returns_no_trump", "hochzeit = \"before_auction\"\nhochzeit_return_nontrump = true",
     [](const Moment& m) { return m.offerer_is_open(); }},
    {"hochzeit_of_the_viewer", "hochzeit = \"before_auction\"\nhochzeit_card_open = false",
     [](const Moment& m) { return m.named("HOCHZEIT") && m.view.declarer() == 0; }},
    {"muss", "all_pass = \"muss_spiel\"", [](const Moment& m) {
       return m.named("MUSS") && m.called_is_hidden() && m.view.declarer() != 0;
     }},
    {"bettel_brett_open_hand", "contracts = [\"BETTEL_BRETT\"]\nearly_termination = false",
     [](const Moment& m) { return m.named("BETTEL_BRETT") && m.view.declarer() != 0; }},
    {"three_players", "players = 3\ndeck = \"short24\"",
     [](const Moment& m) { return m.game.seats() == 3; }},
    {"short_deck", "deck = \"short24\"", [](const Moment& m) { return m.called_is_hidden(); }},
    {"mid_trick", "", [](const Moment& m) {
       return m.called_is_hidden() && m.view.cards_on_table() == 2;
     }},
    {"renonce_announced", "renonce = \"announced\"", [](const Moment& m) {
       return m.called_is_hidden() && m.view.has(kFlagRenonce) && m.view.declarer() != 0;
     }},
    {"renonce_unannounced", "renonce = \"unannounced\"", [](const Moment& m) {
       return m.called_is_hidden() && m.view.declarer() != 0;
     }},
};
// clang-format on

std::shared_ptr<const CompiledRules> rules_of(const FixedView& fixed) {
  Lines lines;
  std::stringstream text(fixed.lines);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return house(lines);
}

/// The first such moment, by seed, with 60 to 5,000 worlds; `num_views` = 0 if there is none.
PlayerView find_view(const FixedView& fixed, const CompiledRules& rules) {
  PlayerView found{};
  bool is_found = false;
  for (std::uint64_t seed = 1; seed < 400'000 && !is_found; ++seed) {
    play_random_game(rules, seed, rules.first_context(), [&](const Game& game, Rng&) {
      const int left = rules.deck().count() - game.num_plays();
      const bool late = left <= 4 * game.seats() && left > 2 * game.seats();
      if (is_found || !late || game.phase() != Phase::kPlay || game.is_terminal()) return;
      const int viewer = game.current_player();
      const PlayerView view = game.view(viewer);
      if (!fixed.fits(Moment{game, view, viewer})) return;
      const std::uint64_t count = WorldSampler(view, rules).count();
      if (count < 60 || count > 5000) return;
      found = view;
      is_found = true;
    });
  }
  EXPECT_TRUE(is_found);
  return found;
}

class UniformWorlds : public ::testing::TestWithParam<FixedView> {};

TEST_P(UniformWorlds, are_those_of_the_replay_each_as_often_as_the_other) {
  const auto rules = rules_of(GetParam());
  const PlayerView view = find_view(GetParam(), *rules);
  ASSERT_FALSE(HasFailure());
  const test::WorldSet expected = test::AllWorlds(view, *rules).find(40'000);
  const WorldSampler sampler(view, *rules);
  ASSERT_EQ(sampler.count(), expected.size());
  ASSERT_EQ(enumerated(sampler), expected);
  const int draws = test::scaled(30'000, 100'000, 1'000'000);
  EXPECT_EQ(fault([&](std::uint64_t key) { return sampler.sample(key); }, expected, draws), "");
}

INSTANTIATE_TEST_SUITE_P(FixedViews, UniformWorlds, ::testing::ValuesIn(kFixedViews),
                         [](const auto& with) { return with.param.name; });

// The test itself can fail

TEST(UniformWorldsTest, catches_a_forgotten_called_ace) {
  const auto rules = rules_of(kFixedViews[0]);
  const PlayerView view = find_view(kFixedViews[0], *rules);
  const test::WorldSet expected = test::AllWorlds(view, *rules).find(40'000);
  PlayerView forgotten = view;
  forgotten.cards.called_card = kNoCard;
  const WorldSampler sampler(forgotten, *rules);
  EXPECT_GT(sampler.count(), expected.size());
  EXPECT_NE(fault([&](std::uint64_t key) { return sampler.sample(key); }, expected, 30'000), "");
}

/// Hands filled one after the other with cards that they may hold; again if none is left.
World filled_one_by_one(const WorldFacts& facts, std::uint64_t key) {
  Rng random(key);
  while (true) {
    World world;
    world.hands[0] = facts.own;
    CardSet left = facts.unseen;
    for (std::size_t seat = 1; seat < kNumSeats; ++seat) {
      for (int i = 0; i < facts.room[seat]; ++i) {
        const CardSet fitting = left & facts.may[seat];
        if (fitting.empty()) break;
        const Card card = nth_bit(fitting.bits(), random.next_below(fitting.count()));
        world.hands[seat].add(card);
        left.remove(card);
      }
    }
    if (left.empty()) return world;
  }
}

TEST(UniformWorldsTest, catches_hands_that_are_filled_one_after_the_other) {
  int caught = 0;
  for (const FixedView& fixed : std::span(kFixedViews).first(7)) {
    const auto rules = rules_of(fixed);
    const PlayerView view = find_view(fixed, *rules);
    const WorldFacts facts = world_facts(view, *rules);
    const auto sample = [&](std::uint64_t key) { return filled_one_by_one(facts, key); };
    caught += fault(sample, test::AllWorlds(view, *rules).find(40'000), 100'000).empty() ? 0 : 1;
  }
  EXPECT_GE(caught, 2);
}

// Bad input

TEST(WorldSampler, refuses_views_that_no_deal_explains_and_says_what_is_wrong) {
  const auto rules = rules_of(kFixedViews[0]);
  const PlayerView view = find_view(kFixedViews[0], *rules);
  const auto refusal = [&](const PlayerView& broken) -> std::string {
    return test::error_of<std::invalid_argument>(
        [&] { const WorldSampler sampler(broken, *rules); });
  };
  PlayerView broken = view;
  broken.cards.hand |= broken.cards.played[1];
  EXPECT_NE(refusal(broken).find("do not add up"), std::string::npos) << refusal(broken);
  broken = view;
  broken.order.open = rules->deck().bits();  // so that the others hold none
  EXPECT_NE(refusal(broken).find("must and cannot hold"), std::string::npos) << refusal(broken);
}

TEST(WorldSampler, refuses_a_trick_that_does_not_go_round_from_its_leader) {
  const auto rules = rules_of(kFixedViews[2]);
  const PlayerView view = find_view(kFixedViews[2], *rules);
  ASSERT_GT(view.cards_on_table(), 0);
  const auto refused = [&](const PlayerView& broken) {
    EXPECT_EQ(
        test::error_of<std::invalid_argument>([&] { const WorldSampler sampler(broken, *rules); }),
        "view: its trick does not go round from its leader");
  };
  PlayerView broken = view;
  broken.cards.declarer_leader = packed::declarer_leader(view.declarer(), (view.leader() + 1) % 4);
  refused(broken);
  broken.cards.declarer_leader = packed::declarer_leader(view.declarer(), kNoSeat);
  refused(broken);
  broken = view;
  broken.order.plays[view.order.num_plays - 1] ^= 1u << 5;  // another seat played it
  refused(broken);
  broken = view;
  broken.order.num_plays = 0;
  refused(broken);
}

}  // namespace
}  // namespace schafkopf
