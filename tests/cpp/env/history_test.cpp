// Public histories and hypothetical views: equal to the views of the game with the true hand, and
// a function of public facts and the hand alone.
#include "env/record/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "env/base/random.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/cpp/support/scale.h"

namespace schafkopf {
namespace {

bool same(const PlayerView& a, const PlayerView& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

/// One decision of a game: the state before it, how many public actions came before, the answer.
struct Decision {
  Game game;
  std::size_t ply;
  Action action;
};

/// The answer leaves no trace: the moment of the question is not in the full history.
bool is_silent(const Decision& decision) {
  const Action action = decision.action;
  return action == kActionNoDouble || action == kActionNoLay || action == kActionHzNoOffer ||
         action == kActionHzRefuse || action == kActionNoJungfrau;
}

/// Moments that a history does not determine: half a hand is seen, or cards were passed in secret.
bool is_undetermined(const Game& game) {
  if (game.phase() == Phase::kLegen || game.special_round() == SpecialRound::kSchieber) return true;
  for (int i = 0; i < game.num_events(); ++i) {
    const Action action = game.event(i).action;
    if (action == kActionHzAccept) return true;
    if (action >= kActionTarget1 && action < kActionTarget1 + 3) return true;
  }
  return false;
}

bool has_offer(const Game& game) {
  for (int i = 0; i < game.num_events(); ++i) {
    const Action action = game.event(i).action;
    if (action == kActionHzOffer1 || action == kActionHzOffer2) return true;
  }
  return false;
}

/// Random legal play; PLAY is preferred, so that games come about.
std::vector<Decision> random_decisions(const CompiledRules& rules, Rng& rng,
                                       const DealContext& context = {}, bool claims = false) {
  const int dealer = rng.next_below(rules.seats());
  Game game(rules, deal_for(rng.next(), rules.rules(), dealer, context), dealer, context);
  std::vector<Decision> decisions;
  while (!game.is_terminal()) {
    ActionMask legal = game.legal_actions();
    const bool claim = claims && rng.next_below(80) == 0;
    if (!claim || game.phase() != Phase::kPlay) legal = without_claims(legal);
    Action action = legal.nth(rng.next_below(legal.count()));
    if (legal.contains(kActionPlay) && rng.next_below(2) == 0) action = kActionPlay;
    if (claim && legal.contains(kActionClaimRest)) action = kActionClaimRest;
    decisions.push_back({game, public_history(game).actions.size(), action});
    game.apply(action);
  }
  decisions.push_back({game, public_history(game).actions.size(), 0});
  return decisions;
}

std::string where(const Decision& decision, int seat) {
  return "seat " + std::to_string(seat) + " before public action " + std::to_string(decision.ply) +
         " in phase " + std::string(phase_name(decision.game.phase()));
}

class ViewAt : public ::testing::TestWithParam<const char*> {};

TEST_P(ViewAt, with_the_true_hand_is_the_view_of_the_game_bit_for_bit) {
  const auto rules = CompiledRules::load(GetParam());
  Rng rng(21);
  for (int round = 0; round < test::scaled(5, 40, 1000); ++round) {
    const std::vector<Decision> decisions = random_decisions(*rules, rng);
    const PublicHistory full = public_history(decisions.back().game);
    for (const Decision& decision : decisions) {
      const Game& game = decision.game;
      if (is_undetermined(game)) continue;
      const PublicHistory so_far = public_history(game);
      for (int seat = 0; seat < game.seats(); ++seat) {
        const PlayerView view = game.view(seat);
        const CardSet hand = game.dealt(seat);
        ASSERT_TRUE(same(view_at(so_far, decision.ply, seat, hand), view)) << where(decision, seat);
        // silent answers are not in the full history: these moments are not in it
        if (is_silent(decision)) continue;
        ASSERT_TRUE(same(view_at(full, decision.ply, seat, hand), view)) << where(decision, seat);
      }
    }
  }
}

TEST(ViewAtRules, under_random_rules_a_view_is_right_or_refused_where_nothing_determines_it) {
  int views = 0, refused = 0;
  for (int round = 0; round < test::scaled(40, 300, 5000); ++round) {
    const auto seed = static_cast<std::uint64_t>(round);
    const RuleSet set = test::random_rules(seed);
    const CompiledRules rules(set, "random");
    Rng rng(seed);
    const std::vector<Decision> decisions =
        random_decisions(rules, rng, test::random_context(seed, set), true);
    const PublicHistory full = public_history(decisions.back().game);
    for (const Decision& decision : decisions) {
      const Game& game = decision.game;
      if (is_silent(decision) || rng.next_below(4) != 0) continue;
      const int seat = rng.next_below(game.seats());
      const PlayerView view = game.view(seat);
      for (const bool from_view : {false, true}) {
        const bool whole = set.history_view == HistoryView::kFull && view.order.num_events < 32;
        const bool question = game.phase() == Phase::kDouble || game.phase() == Phase::kHzOffer;
        const bool hidden = question && game.current_player() != seat;
        if (from_view && !whole) continue;
        try {
          const PublicHistory history = from_view ? public_history(view, rules) : full;
          ASSERT_TRUE(same(view_at(history, decision.ply, seat, game.dealt(seat)), view))
              << where(decision, seat) << ", seed " << round << ", from view " << from_view;
          ++views;
        } catch (const std::invalid_argument& error) {
          ++refused;
          if (is_undetermined(game) || (from_view && hidden)) continue;  // it knows less
          ADD_FAILURE() << where(decision, seat) << ", seed " << round << ", from view "
                        << from_view << ": " << error.what();
        }
      }
    }
  }
  EXPECT_GT(views, 5 * refused);
}

TEST_P(ViewAt, a_view_tells_the_same_history_as_the_game) {
  const auto rules = CompiledRules::load(GetParam());
  Rng rng(22);
  for (int round = 0; round < test::scaled(5, 40, 1000); ++round) {
    for (const Decision& decision : random_decisions(*rules, rng)) {
      const PublicHistory expected = public_history(decision.game);
      for (int seat = 0; seat < decision.game.seats(); ++seat) {
        const PlayerView view = decision.game.view(seat);
        const PublicHistory history = public_history(view, *rules);
        ASSERT_EQ(history.actions, expected.actions);
        ASSERT_EQ(history.dealer, expected.dealer);
        ASSERT_EQ(history.start.has_value(), expected.start.has_value());
        ASSERT_EQ(history.asked, expected.asked == seat ? seat : -1);
        if (expected.asked >= 0 && expected.asked != seat) continue;  // it knows less
        if (is_undetermined(decision.game)) continue;
        ASSERT_TRUE(
            same(view_at(history, history.actions.size(), seat, decision.game.dealt(seat)), view));
      }
    }
  }
}

/// Cards of `game` dealt anew: those that were not played are shuffled between the seats.
Deal deal_unseen_anew(const Game& game, Rng& rng) {
  Deal deal;
  std::vector<Card> rest;
  for (int seat = 0; seat < game.seats(); ++seat) {
    for (const Card card : game.hand(seat)) rest.push_back(card);
  }
  for (std::size_t i = rest.size(); i > 1; --i) {
    std::swap(rest[i - 1], rest[static_cast<std::size_t>(rng.next_below(static_cast<int>(i)))]);
  }
  for (int seat = 0; seat < game.seats(); ++seat) {
    const auto s = static_cast<std::size_t>(seat);
    deal.first[s] = game.dealt(seat) - game.hand(seat);
    for (int k = game.hand(seat).count(); k > 0; --k) {
      deal.second[s].add(rest.back());
      rest.pop_back();
    }
  }
  return deal;
}

TEST_P(ViewAt, with_another_hand_only_what_follows_from_the_hand_changes) {
  const auto rules = CompiledRules::load(GetParam());
  Rng rng(23);
  int views = 0;
  for (int round = 0; round < test::scaled(5, 40, 1000); ++round) {
    for (const Decision& decision : random_decisions(*rules, rng)) {
      const Game& game = decision.game;
      if (game.phase() == Phase::kDouble || is_undetermined(game)) continue;
      const Deal other = deal_unseen_anew(game, rng);
      const PublicHistory history = public_history(game);
      for (int seat = 0; seat < game.seats(); ++seat) {
        PlayerView view;
        try {
          view = view_at(history, decision.ply, seat, other.hand(seat));
        } catch (
            const std::invalid_argument& error) {  // contradicts what is known of the called card
          const bool offers = game.phase() == Phase::kHzOffer || has_offer(game);  // or of trumps
          ASSERT_TRUE(offers || game.contract().called != kNoCard) << error.what();
          continue;
        }
        ++views;
        PlayerView expected = game.view(seat);
        ASSERT_EQ(view.cards.hand, other.hand(seat).bits() & ~expected.cards.played[0]);
        // take over what may differ, then nothing else does
        const bool acts = expected.has(kFlagToAct);
        expected.cards.hand = view.cards.hand;
        expected.cards.legal = acts ? view.cards.legal : 0;
        expected.order.card_map = view.order.card_map;
        if (acts && view.phase() != Phase::kPlay) {
          std::memcpy(expected.cards.table, view.cards.table, sizeof view.cards.table);
        }
        if (!view.has(kFlagPartnerKnown)) {
          expected.cards.partner_level = view.cards.partner_level;
        }
        expected.cards.flags = static_cast<std::uint8_t>((expected.cards.flags & ~kFlagOwnsCalled) |
                                                         (view.cards.flags & kFlagOwnsCalled));
        ASSERT_TRUE(same(view, expected)) << where(decision, seat);
        if (view.phase() == Phase::kPlay) {  // CALL_CARD names aces of other hands
          ASSERT_EQ(view.cards.legal & ~view.cards.hand, 0u);
        }
      }
    }
  }
  EXPECT_GT(views, 1000 * test::scaled(0, 1, 20));
}

INSTANTIATE_TEST_SUITE_P(Rules, ViewAt,
                         ::testing::Values("research", "official_1989", "tournament_2024",
                                           "wikipedia_extended"),
                         [](const auto& rules) { return std::string(rules.param); });

/// Forehand is seat 0 and calls SA; seat 1 owns it with SK S9 S8.
Deal hand_made_deal() {
  Deal deal;
  const std::array<std::string_view, 4> hands = {
      "EO GO HO EU GU HA S7 G8", "SA SK S9 S8 GA G10 GK G9", "SO HU SU H10 HK H9 H8 G7",
      "S10 EA E10 EK E9 E8 E7 H7"};
  for (std::size_t seat = 0; seat < 4; ++seat) {
    for (const Card card : parse_cards(hands[seat])) {
      (deal.first[seat].count() < 4 ? deal.first : deal.second)[seat].add(card);
    }
  }
  return deal;
}

Game played_game(const CompiledRules& rules, std::string_view actions) {
  Game game(rules, hand_made_deal(), 3);
  while (!actions.empty()) {
    const std::size_t end = std::min(actions.find(' '), actions.size());
    game.apply(*parse_action(actions.substr(0, end)));
    actions.remove_prefix(std::min(end + 1, actions.size()));
  }
  return game;
}

std::string view_refusal(const PublicHistory& history, std::size_t ply, int seat,
                         std::string_view hand) {
  return test::error_of<std::invalid_argument>(
      [&] { static_cast<void>(view_at(history, ply, seat, parse_cards(hand))); });
}

constexpr std::string_view kTrick = "PLAY PASS PASS PASS C_RUF SA G8 GA G7 E7";

TEST(ViewAtHandMade, E_2_running_away_is_part_of_the_card_and_proves_the_owner) {
  const auto rules = CompiledRules::load("research");
  const PublicHistory history = public_history(played_game(*rules, std::string(kTrick) + " S8"));
  ASSERT_EQ(history.actions.size(), 11u);
  EXPECT_EQ(history.actions.back(), (PublicAction{*parse_action("S8"), 1, true}));
  const CardSet hand = parse_cards("SO HU SU H10 HK H9 H8 G7");
  EXPECT_TRUE(view_at(history, 11, 2, hand).has(kFlagRanAway));
  EXPECT_FALSE(view_at(history, 10, 2, hand).has(kFlagRanAway));
  // before S8 was led seat 2 could have held the called ace, after it not
  const CardSet owner = parse_cards("SO HU SU H10 HK H9 SA G7");
  EXPECT_TRUE(view_at(history, 10, 2, owner).has(kFlagOwnsCalled));
  EXPECT_THAT(view_refusal(history, 11, 2, "SO HU SU H10 HK H9 SA G7"),
              ::testing::HasSubstr("the called card was not in this hand"));
  EXPECT_THAT(view_refusal(history, 11, 1, "H10 SK S9 S8 GA G10 GK G9"),
              ::testing::HasSubstr("the called card was not in this hand"));
}

TEST(ViewAtHandMade, E_3_4_who_led_the_called_suit_without_running_away_has_not_the_ace) {
  const auto rules = CompiledRules::load("research");
  Game game = played_game(*rules, kTrick);
  PublicHistory history = public_history(game);
  history.actions.push_back({*parse_action("S8"), 1, false});  // as if another seat had the ace
  EXPECT_THAT(view_refusal(history, 11, 1, "SA SK S9 S8 GA G10 GK G9"),
              ::testing::HasSubstr("nobody ran away"));
  const PlayerView view = view_at(history, 11, 1, parse_cards("H10 SK S9 S8 GA G10 GK G9"));
  EXPECT_FALSE(view.has(kFlagPartnerKnown));
}

TEST(ViewAtHandMade, impossible_hands_are_refused_by_card) {
  const auto rules = CompiledRules::load("research");
  const PublicHistory history = public_history(played_game(*rules, kTrick));
  EXPECT_EQ(view_refusal(history, 10, 3, "S10 EA E10 EK E9 E8 E7 H7"), "no error");
  EXPECT_THAT(view_refusal(history, 10, 3, "S10 EA E10 EK"), ::testing::HasSubstr("needs 8 cards"));
  EXPECT_THAT(view_refusal(history, 10, 3, "GA EA E10 EK E9 E8 E7 H7"),
              ::testing::HasSubstr("GA was played by seat 1"));
  EXPECT_THAT(view_refusal(history, 10, 3, "S10 EA E10 EK E9 E8 S9 H7"),
              ::testing::HasSubstr("E7 was played by seat 3"));
  EXPECT_THAT(view_refusal(history, 10, 0, "SA EO GO HO EU GU HA G8"),
              ::testing::HasSubstr("SA was called by this seat itself"));
  EXPECT_THAT(view_refusal(history, 11, 0, "SA"), ::testing::HasSubstr("ply = 11, allowed: 0..10"));
  EXPECT_THAT(view_refusal(history, 0, 4, "SA"), ::testing::HasSubstr("seat = 4, allowed: 0..3"));
}

TEST(ViewAtHandMade, F_3_a_listed_no_double_shows_the_moment_of_the_question) {
  const auto rules = CompiledRules::load("official_1989");
  const Game game = played_game(*rules, "PLAY PASS PASS PASS C_RUF SA G8");
  ASSERT_EQ(game.phase(), Phase::kDouble);
  ASSERT_EQ(game.current_player(), 2);  // seat 1 owns the ace, seat 0 declares
  PublicHistory history = public_history(game);
  EXPECT_EQ(history.asked, 2);
  const CardSet hand = parse_cards("SO HU SU H10 HK H9 H8 G7");
  history.asked = -1;
  history.actions.push_back({*parse_action("GA"), 1, false});
  EXPECT_EQ(view_at(history, 7, 2, hand).phase(), Phase::kPlay);
  history.actions.insert(history.actions.begin() + 7, {kActionNoDouble, 2, false});
  EXPECT_TRUE(same(view_at(history, 7, 2, hand), game.view(2)));
  EXPECT_EQ(view_at(history, 9, 2, hand).phase(), Phase::kPlay);
  // the owner of the called ace cannot be asked
  EXPECT_THAT(view_refusal(history, 7, 2, "SO HU SU H10 HK H9 SA G7"),
              ::testing::HasSubstr("could not be asked to double"));
}

TEST(ViewAtHandMade, C_3_after_a_secret_exchange_the_reason_is_named) {
  const auto named = make_rules("official_1989", {{"hochzeit", "before_auction"}});
  const auto rules = CompiledRules::make(named);
  Deal deal = hand_made_deal();  // seat 3 has one trump: H7
  Game game(*rules, deal, 3);
  ASSERT_EQ(game.phase(), Phase::kHzOffer);
  game.apply(kActionHzOffer1);
  game.apply(kActionHzAccept);
  game.apply(*parse_action("S7"));
  const PublicHistory history = public_history(game);
  ASSERT_EQ(history.actions.size(), 3u);  // the offer, its card, the acceptance
  EXPECT_TRUE(history.actions[1].shown);
  EXPECT_TRUE(same(view_at(history, 0, 3, game.dealt(3)), Game(*rules, deal, 3).view(3)));
  EXPECT_THAT(view_refusal(history, 3, 1, "SA SK S9 S8 GA G10 GK G9"),
              ::testing::HasSubstr("(seat 0: HZ_ACCEPT): cards were exchanged in secret"));
}

TEST(ViewAtHandMade, C_4_a_card_called_right_after_a_refused_offer_was_not_shown_with_it) {
  for (const bool open : {true, false}) {
    const auto rules =
        CompiledRules::make(make_rules("official_1989", {{"hochzeit", "after_all_pass"},
                                                         {"all_pass", "muss_spiel"},
                                                         {"hochzeit_card_open", open}}));
    Game game(*rules, hand_made_deal(), 3);
    for (int i = 0; i < 4; ++i) game.apply(kActionPass);
    ASSERT_EQ(game.phase(), Phase::kHzOffer);
    game.apply(kActionHzOffer1);
    while (game.phase() == Phase::kHzAccept) game.apply(kActionHzRefuse);
    ASSERT_EQ(game.phase(), Phase::kCallCard);
    game.apply(game.legal_actions().lowest());
    const PublicHistory history = public_history(game);
    for (int seat = 0; seat < 4; ++seat) {
      EXPECT_TRUE(
          same(view_at(history, history.actions.size(), seat, game.dealt(seat)), game.view(seat)));
    }
  }
}

TEST(ViewAtHandMade, C_3_a_card_that_was_not_offered_is_named) {
  const auto rules =
      CompiledRules::make(make_rules("official_1989", {{"hochzeit", "before_auction"}}));
  Game game(*rules, hand_made_deal(), 3);  // seat 3 has one trump: H7
  game.apply(kActionHzOffer1);
  PublicHistory history = public_history(game);
  ASSERT_TRUE(history.actions.at(1).shown);
  history.actions[1].action = *parse_action("E7");
  EXPECT_THAT(view_refusal(history, 2, 3, "S10 EA E10 EK E9 E8 E7 H7"),
              ::testing::HasSubstr("it was not offered"));
}

TEST(ViewAtHandMade, who_was_to_act_is_named_where_another_seat_comes_next) {
  const auto rules = CompiledRules::load("research");
  PublicHistory history = public_history(played_game(*rules, kTrick));
  history.actions.at(7).seat = 3;  // GA is the card of seat 1
  EXPECT_THAT(view_refusal(history, 7, 2, "SO HU SU H10 HK H9 H8 G7"),
              ::testing::HasSubstr("seat 1 was to act in phase PLAY"));
}

TEST(ViewAtHandMade, E_6_an_infraction_is_no_public_action) {
  const auto rules = CompiledRules::load("research");
  Game game = played_game(*rules, kTrick);
  game.infract(1, Infraction::kRevokeLate);
  EXPECT_EQ(test::error_of([&] { (void)public_history(game); }),
            "a game ended by an infraction has no public history: it is no action (E.6)");
  const PublicHistory seen = public_history(game.view(2), *rules);
  EXPECT_THAT(view_refusal(seen, seen.actions.size(), 2, "SO HU SU H10 HK H9 H8 G7"),
              ::testing::HasSubstr("ended by an infraction, which is no public action (E.6)"));
}

// D.6: whoever holds the Eichel-Ober must play.
TEST(ViewAtHandMade, R_106_a_hand_with_the_card_of_the_Muss_player_is_impossible) {
  const auto rules = CompiledRules::make(make_rules("official_1989", {{"all_pass", "muss_spiel"}}));
  const PublicHistory history = public_history(played_game(*rules, "PASS PASS PASS PASS"));
  ASSERT_EQ(history.declarer, 0);
  EXPECT_EQ(view_refusal(history, 4, 1, "SA SK S9 S8 GA G10 GK G9"), "no error");
  EXPECT_THAT(view_refusal(history, 4, 1, "EO SK S9 S8 GA G10 GK G9"),
              ::testing::HasSubstr("seat 0 must play, impossible with this hand"));
}

// C.2: with S7 seat 0 calls the Schellen-Ass as usual, without a card of Schellen with a Renonce.
TEST(ViewAtHandMade, R_029_a_call_without_renonce_proves_a_card_of_the_suit) {
  const auto rules = CompiledRules::make(make_rules("official_1989", {{"renonce", "announced"}}));
  const PublicHistory history = public_history(played_game(*rules, "PLAY PASS PASS PASS C_RUF SA"));
  ASSERT_FALSE(history.renonce);
  EXPECT_EQ(view_refusal(history, 6, 0, "EO GO HO EU GU HA S7 G8"), "no error");
  EXPECT_THAT(view_refusal(history, 6, 0, "EO GO HO EU GU HA E7 G8"),
              ::testing::HasSubstr("seat 0 called without renonce, impossible with this hand"));
}

// C.15: the hand of a Bettel-Brett lies on the table before the first card.
TEST(ViewAtHandMade, R_064_an_open_hand_is_the_hand_that_was_dealt) {
  const auto rules =
      CompiledRules::make(make_rules("wikipedia_extended", {{"brett_reveal", "before_first_card"},
                                                            {"hochzeit", "off"},
                                                            {"legen", "off"},
                                                            {"auction_style", "two_stage"}}));
  const PublicHistory history =
      public_history(played_game(*rules, "PLAY PASS PASS PASS C_BETTEL_BRETT"));
  EXPECT_EQ(view_refusal(history, history.actions.size(), 0, "EO GO HO EU GU HA S7 G8"),
            "no error");
  EXPECT_THAT(view_refusal(history, history.actions.size(), 0, "EO GO HO EU GU HA S8 G8"),
              ::testing::HasSubstr("the hand of seat 0 lies open: it was dealt"));
}

// D.6, C.20.11: choices beside the auction stand in the history, too.
TEST(ViewAtHandMade, choices_after_passing_and_the_target_of_a_Zupf_Solo_are_public) {
  const auto last =
      CompiledRules::make(make_rules("official_1989", {{"all_pass", "last_chooses"}}));
  Game game = played_game(*last, "PASS PASS PASS PASS");
  ASSERT_EQ(game.phase(), Phase::kAllPassChoice);
  for (const char* choice : {"SAY_RAMSCH", "SAY_STOCK"}) {
    const std::optional<Action> action = parse_action(choice);
    ASSERT_TRUE(action && game.legal_actions().contains(*action)) << choice;
    Game chosen = game;
    chosen.apply(*action);
    const PublicHistory history = public_history(chosen);
    for (int seat = 0; seat < 4; ++seat) {
      EXPECT_TRUE(same(view_at(history, 4, seat, game.dealt(seat)), game.view(seat)));
      EXPECT_TRUE(same(view_at(history, 5, seat, game.dealt(seat)), chosen.view(seat)));
    }
  }
  const auto zupf =
      CompiledRules::make(make_rules("official_1989", {{"special_round", "zupf_solo"}}));
  Game drawing(*zupf, hand_made_deal(), 3, zupf->first_context());
  for (const char* action : {"PLAY", "PASS", "PASS", "PASS", "C_SOLO", "SUIT_H"}) {
    drawing.apply(*parse_action(action));
  }
  ASSERT_EQ(drawing.phase(), Phase::kZupfTarget);
  Game aimed = drawing;
  aimed.apply(kActionTarget1);
  const PublicHistory history = public_history(aimed);
  ASSERT_EQ(history.actions.size(), 7U);
  EXPECT_EQ(history.actions.back(), (PublicAction{kActionTarget1, 0, false}));
  for (int seat = 0; seat < 4; ++seat) {
    EXPECT_TRUE(same(view_at(history, 6, seat, drawing.dealt(seat)), drawing.view(seat)));
  }
}

TEST(ViewAtHandMade, a_view_of_more_events_than_it_shows_tells_no_history) {
  const auto rules = CompiledRules::load("research");
  PlayerView view = played_game(*rules, kTrick).view(0);
  view.order.num_events = EventsLine::kMost;
  EXPECT_EQ(test::error_of([&] { (void)public_history(view, *rules); }),
            "the view shows the last 32 events only");
}

TEST(ViewAtHandMade, F_1_what_was_laid_before_a_deal_that_starts_at_card_play_stays) {
  const auto rules = CompiledRules::make(make_rules("official_1989", {{"legen", "free"}}));
  CardPlayStart start;
  start.contract.contract = ContractClass::kRuf;
  start.contract.called = *parse_card("SA");
  start.contract.declarer = 0;
  start.laid = {1, 2};
  const Game game = Game::with_contract(*rules, hand_made_deal(), 3, start);
  const PublicHistory history = public_history(game);
  for (int seat = 0; seat < 4; ++seat) {
    EXPECT_TRUE(
        same(view_at(history, history.actions.size(), seat, game.dealt(seat)), game.view(seat)));
  }
}

// E.5: all hands are laid down, the Schellen-Ass in that of seat 1 too.
TEST(ViewAtHandMade, R_125_a_conceded_rest_shows_who_has_the_called_ace) {
  const auto rules = CompiledRules::load("official_1989");
  Game game(*rules, hand_made_deal(), 3);
  for (const char* action : {"PLAY", "PASS", "PASS", "PASS", "C_RUF", "SA", "G8"}) {
    game.apply(*parse_action(action));
  }
  while (game.phase() == Phase::kDouble) game.apply(kActionNoDouble);
  for (const char* action : {"GA", "G7", "E7"}) game.apply(*parse_action(action));
  while (!game.legal_actions().contains(kActionConcedeRest)) {
    game.apply(without_claims(game.legal_actions()).lowest());
  }
  ASSERT_TRUE(game.hand(1).contains(*parse_card("SA")));
  game.apply(kActionConcedeRest);
  const PublicHistory history = public_history(game);
  for (int seat = 0; seat < 4; ++seat) {
    EXPECT_TRUE(
        same(view_at(history, history.actions.size(), seat, game.dealt(seat)), game.view(seat)));
  }
}

// C.19: the deal begins with a Sie, which is over before the first card.
TEST(ViewAtHandMade, R_070_who_declares_a_sie_was_dealt_its_cards) {
  const auto rules = CompiledRules::load("official_1989");
  Deal deal;
  CardSet left = CardSet::all();
  const CardSet sie = parse_cards("EO GO HO SO EU GU HU SU");
  left = left - sie;
  for (std::size_t seat = 0; seat < 4; ++seat) {
    CardSet hand = seat == 0 ? sie : CardSet();
    while (hand.count() < 8) hand.add(left.pop_lowest());
    while (deal.first[seat].count() < 4) deal.first[seat].add(hand.pop_lowest());
    deal.second[seat] = hand;
  }
  Contract contract;
  contract.contract = parse_contract("SIE").row->contract;
  contract.declarer = 0;
  const Game game = Game::with_contract(*rules, deal, 3, contract);
  const PublicHistory history = public_history(game);
  for (int seat = 0; seat < 4; ++seat) {
    EXPECT_TRUE(
        same(view_at(history, history.actions.size(), seat, game.dealt(seat)), game.view(seat)));
  }
}

TEST(ViewAtHandMade, F_1_half_a_hand_is_not_told_by_a_history) {
  const auto rules = CompiledRules::make(make_rules("official_1989", {{"legen", "free"}}));
  Game game(*rules, hand_made_deal(), 3);
  EXPECT_THAT(view_refusal(public_history(game), 0, 0, "EO GO HO EU GU HA S7 G8"),
              ::testing::HasSubstr("while laying a seat sees half its hand"));
  for (const Action action : {kActionLay, kActionNoLay, kActionLay, kActionNoLay}) {
    game.apply(action);
  }
  const PublicHistory history = public_history(game);
  ASSERT_EQ(history.actions.size(), 2u);
  EXPECT_TRUE(same(view_at(history, 2, 1, game.dealt(1)), game.view(1)));
}

TEST(ViewAtHandMade, a_deal_that_starts_at_card_play_keeps_its_contract) {
  const auto rules = CompiledRules::load("research");
  Contract contract;
  contract.contract = ContractClass::kRuf;
  contract.called = *parse_action("SA");
  contract.declarer = 0;
  Game game = Game::with_contract(*rules, hand_made_deal(), 3, contract);
  game.apply(*parse_action("G8"));
  for (const PublicHistory& history :
       {public_history(game), public_history(game.view(1), *rules)}) {
    ASSERT_TRUE(history.start.has_value());
    for (int seat = 0; seat < 4; ++seat) {
      EXPECT_TRUE(same(view_at(history, 1, seat, game.dealt(seat)), game.view(seat)));
    }
  }
  EXPECT_EQ(public_history(game.view(1), *rules).start, game.contract());
}

TEST(PublicHistory, without_rules_shows_no_view_and_says_so) {
  EXPECT_THROW((void)view_at(PublicHistory(), 0, 0, CardSet()), std::invalid_argument);
}

}  // namespace
}  // namespace schafkopf
