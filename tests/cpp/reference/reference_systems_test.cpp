// The slow reference in the systems for which RULES K has no examples: Hochzeit, special rounds,
// claims, the order of Legen and doublings (RULES C.3, C.20, D, E.5, F, G.5).
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "tests/cpp/reference/reference_deals.h"
#include "tests/cpp/reference/reference_rules.h"
#include "tests/cpp/support/scale.h"

namespace schafkopf::reference {
namespace {

using Actions = std::vector<int>;

std::set<int> cards_set(const std::string& text) {
  const Cards cards = cards_from(text);
  return {cards.begin(), cards.end()};
}

/// Seat 0 holds one trump, seat 1 two; seat 2 and seat 3 share the others.
std::vector<Cards> hochzeit_hands() {
  return {cards_from("H7 EA E10 EK E9 GA G10 GK"), cards_from("H8 HU E8 E7 G9 G8 SA S10"),
          cards_from("EO HO EU HA H10 G7 SK S9"), cards_from("GO SO GU SU HK H9 S8 S7")};
}

ReferenceDeal deal_with(const std::vector<Cards>& hands) {
  ReferenceDeal deal;
  for (const Cards& hand : hands) {
    const auto half = hand.begin() + static_cast<std::ptrdiff_t>(hand.size() / 2);
    deal.first.emplace_back(hand.begin(), half);
    deal.second.emplace_back(half, hand.end());
  }
  return deal;
}

ReferenceContext round_of(const std::string& mode) {
  ReferenceContext context;
  context.special_round = mode;
  return context;
}

void apply_all(ReferenceGame& game, const Actions& actions) {
  for (const int action : actions) game.apply(action);
}

void pass_all(ReferenceGame& game) { apply_all(game, {kPass, kPass, kPass, kPass}); }

ReferenceRules hochzeit_rules() {
  ReferenceRules rules;
  rules.hochzeit = "before_auction";
  return rules;
}

TEST(ReferenceHochzeit, R_031_first_to_accept_gives_a_card_of_his_own_back) {
  ReferenceGame game(hochzeit_rules(), hochzeit_hands(), 3);
  EXPECT_EQ(game.phase(), "HZ_OFFER");
  EXPECT_EQ(game.legal(), (std::set<int>{kHochzeitOffer1, kHochzeitNoOffer}));
  game.apply(kHochzeitOffer1);
  EXPECT_EQ(game.phase(), "HZ_ACCEPT");
  EXPECT_EQ(game.to_act(), 1);
  game.apply(kHochzeitRefuse);
  game.apply(kHochzeitAccept);
  EXPECT_EQ(game.phase(), "HZ_RETURN");
  EXPECT_EQ(game.legal(), cards_set("EO HO EU HA H10 G7 SK S9"));
  game.apply(card_from("S9"));
  EXPECT_EQ(game.contract().name, "HOCHZEIT");
  EXPECT_EQ(game.declarer(), 0);
  EXPECT_EQ(game.partner(), 2);
  EXPECT_TRUE(contains(game.hands()[0], card_from("S9")));
  EXPECT_TRUE(contains(game.hands()[2], card_from("H7")));
}

TEST(ReferenceHochzeit, R_034_refused_by_all_the_auction_starts) {
  ReferenceGame game(hochzeit_rules(), hochzeit_hands(), 3);
  apply_all(game, {kHochzeitOffer1, kHochzeitRefuse, kHochzeitRefuse, kHochzeitRefuse});
  EXPECT_EQ(game.phase(), "AUCTION_ROUND");  // seats 1 to 3 have nothing to offer: not asked
  EXPECT_TRUE(contains(game.hands()[0], card_from("H7")));
}

TEST(ReferenceHochzeit, R_032_the_returned_card_is_no_trump) {
  ReferenceRules rules = hochzeit_rules();
  rules.hochzeit_return_nontrump = true;
  ReferenceGame game(rules, hochzeit_hands(), 3);
  apply_all(game, {kHochzeitOffer1, kHochzeitRefuse, kHochzeitAccept});
  EXPECT_EQ(game.legal(), cards_set("G7 SK S9"));
}

TEST(ReferenceHochzeit, R_033_after_all_have_passed) {
  ReferenceRules rules;
  rules.hochzeit = "after_all_pass";
  ReferenceGame game(rules, hochzeit_hands(), 3);
  pass_all(game);
  EXPECT_EQ(game.phase(), "HZ_OFFER");
  game.apply(kHochzeitNoOffer);
  EXPECT_TRUE(game.finished());
}

TEST(ReferenceHochzeit, R_035_bauernhochzeit_moves_two_cards) {
  ReferenceRules rules = hochzeit_rules();
  rules.bauernhochzeit = true;
  ReferenceGame game(rules, hochzeit_hands(), 0);  // forehand is seat 1
  EXPECT_EQ(game.legal(), (std::set<int>{kHochzeitOffer2, kHochzeitNoOffer}));
  apply_all(game, {kHochzeitOffer2, kHochzeitAccept, card_from("G7"), card_from("EO")});
  EXPECT_EQ(game.declarer(), 1);
  EXPECT_EQ(std::set<int>(game.hands()[1].begin(), game.hands()[1].end()),
            cards_set("EO G7 E8 E7 G9 G8 SA S10"));
}

TEST(ReferenceHochzeit, R_036_a_second_hochzeiter_offers_to_the_fourth) {
  std::vector<Cards> hands = hochzeit_hands();
  hands[1] = cards_from("H8 S7 E8 E7 G9 G8 SA S10");
  hands[3] = cards_from("GO SO GU SU HK H9 S8 HU");
  ReferenceRules rules = hochzeit_rules();
  rules.doppelte_hochzeit = true;
  ReferenceGame game(rules, hands, 3);
  apply_all(game, {kHochzeitOffer1, kHochzeitRefuse, kHochzeitAccept, card_from("S9")});
  EXPECT_EQ(game.phase(), "HZ_OFFER");
  EXPECT_EQ(game.to_act(), 1);
  game.apply(kHochzeitOffer1);
  EXPECT_EQ(game.to_act(), 3);
  apply_all(game, {kHochzeitAccept, card_from("S8")});
  EXPECT_TRUE(contains(game.hands()[3], card_from("H8")));
  EXPECT_EQ(game.declarer_party(), (std::vector<bool>{true, false, true, false}));
}

TEST(ReferenceHochzeit, R_037_a_single_game_voids_the_hochzeit) {
  ReferenceRules rules = hochzeit_rules();
  rules.hochzeit_solo_override = true;
  ReferenceGame game(rules, hochzeit_hands(), 3);
  apply_all(game, {kHochzeitOffer1, kHochzeitAccept});
  EXPECT_EQ(game.phase(), "HZ_OVERRIDE");
  apply_all(game, {kPass, kPass, kPass, kPlay});
  EXPECT_EQ(game.phase(), "NAME_CLASS");
  EXPECT_EQ(game.to_act(), 3);
  EXPECT_FALSE(game.legal().contains(kNameRuf));
  EXPECT_TRUE(contains(game.hands()[0], card_from("H7")));
}

TEST(ReferenceAllPass, R_038_muss_is_played_by_the_eichel_ober_without_kontra) {
  ReferenceRules rules;
  rules.all_pass = "muss_spiel";
  ReferenceGame game(rules, hochzeit_hands(), 3);
  pass_all(game);
  EXPECT_EQ(game.phase(), "CALL_CARD");
  EXPECT_EQ(game.to_act(), 2);
  EXPECT_EQ(game.legal(), cards_set("GA SA"));
  game.apply(card_from("GA"));
  EXPECT_EQ(game.contract().name, "MUSS");
  EXPECT_EQ(game.partner(), 0);
  game.apply(card_from("H7"));
  EXPECT_EQ(game.phase(), "PLAY");
}

TEST(ReferenceAllPass, R_104_the_last_seat_chooses) {
  ReferenceRules rules;
  rules.all_pass = "last_chooses";
  ReferenceGame ramsch(rules, hochzeit_hands(), 3);
  pass_all(ramsch);
  EXPECT_EQ(ramsch.to_act(), 3);
  EXPECT_EQ(ramsch.legal(), (std::set<int>{kSayRamsch, kSayStock}));
  ReferenceGame stock = ramsch;
  ramsch.apply(kSayRamsch);
  EXPECT_EQ(ramsch.contract().name, "RAMSCH");
  stock.apply(kSayStock);
  EXPECT_EQ(stock.stock_payoffs(), Actions(4, -10));
  EXPECT_EQ(stock.payoffs(), Actions(4, 0));
}

TEST(ReferenceAllPass, R_107_kreuzbock_is_doubled_by_anybody_and_answered_by_the_others) {
  ReferenceRules rules;
  rules.all_pass = "kreuzbock";
  ReferenceGame game(rules, hochzeit_hands(), 3);
  pass_all(game);
  EXPECT_EQ(game.contract().name, "KREUZ");
  EXPECT_EQ(game.declarer_party(), (std::vector<bool>{true, false, true, false}));  // EO at seat 2
  game.apply(card_from("H7"));
  EXPECT_EQ(game.to_act(), 1);
  game.apply(kDouble);
  EXPECT_EQ(game.declarer_party(), (std::vector<bool>{false, true, false, true}));
  EXPECT_EQ(game.to_act(), 2);
  game.apply(kNoDouble);
  EXPECT_EQ(game.to_act(), 0);
  game.apply(kNoDouble);
  EXPECT_EQ(game.phase(), "PLAY");
}

TEST(ReferenceDoublings, R_134_sequential_legen_ends_with_the_first_no) {
  ReferenceRules rules;
  rules.legen = "sequential";
  ReferenceGame game(rules, hochzeit_hands(), 3);
  apply_all(game, {kLay, kLay, kNoLay});
  EXPECT_EQ(game.phase(), "AUCTION_ROUND");
  EXPECT_EQ(game.lays(), 2);
  rules.legen = "forehand_only";
  ReferenceGame forehand(rules, hochzeit_hands(), 3);
  forehand.apply(kLay);
  EXPECT_EQ(forehand.phase(), "AUCTION_ROUND");
}

TEST(ReferenceDoublings, R_146_in_a_kreuzrunde_the_own_partner_may_double_too) {
  ReferenceGame game(ReferenceRules(), deal_with(hochzeit_hands()), 3, round_of("kreuzrunde"));
  apply_all(game, {kPlay, kPass, kPass, kPass});
  game.apply(kNameRuf);  // gesperrt or not
  EXPECT_EQ(game.contract().name, "KREUZ");
  EXPECT_EQ(game.partner(), 2);
  game.apply(card_from("H7"));
  EXPECT_EQ(game.to_act(), 1);
  apply_all(game, {kDouble, kNoDouble, kNoDouble});  // seats 2 and 0 do not answer
  EXPECT_EQ(game.to_act(), 2);
  game.apply(kNoDouble);
  EXPECT_EQ(game.to_act(), 3);
  game.apply(kDouble);  // the partner of the first doubler
  EXPECT_EQ(game.level(), 2);
  game.apply(kDouble);  // seat 0 answers
  EXPECT_EQ(game.to_act(), 2);
}

TEST(ReferenceRounds, R_075_the_packet_is_pushed_on_until_somebody_takes_it) {
  const ReferenceDeal deal =
      deal_with({cards_from("EA E10 EK E9 E8 E7 GA G10"), cards_from("GK G9 G8 G7 HA H10 HK H9"),
                 cards_from("H8 H7 SA S10 SK S9 S8 S7"), cards_from("HO SO EU GU HU SU")});
  ReferenceGame game(ReferenceRules(), deal, 3, round_of("schieber"));
  EXPECT_EQ(game.phase(), "SCHIEBER");
  game.apply(kPushOn);
  EXPECT_EQ(game.to_act(), 1);
  ReferenceGame last = game;
  game.apply(kTakeUp);
  EXPECT_EQ(game.phase(), "SCHIEBER_PUSH");
  EXPECT_EQ(game.legal().size(), 10U);
  apply_all(game, {card_from("EO"), card_from("G7"), card_from("EO"), card_from("H7")});
  EXPECT_EQ(game.phase(), "NAME_CLASS");
  EXPECT_EQ(game.to_act(), 1);
  EXPECT_EQ(std::set<int>(game.hands()[3].begin(), game.hands()[3].end()),
            cards_set("HO SO EU GU HU SU EO H7"));
  apply_all(last, {kPushOn, kPushOn});
  EXPECT_EQ(last.legal(), (std::set<int>{kTakeUp}));
  last.apply(kTakeUp);
  apply_all(last, {kNameSoloTout, kSuitE});
  EXPECT_EQ(last.declarer(), 3);
  EXPECT_EQ(last.hands()[3].size(), 8U);
}

TEST(ReferenceRounds, R_076_a_declined_packet_goes_to_the_dealer_and_the_auction_is_normal) {
  const ReferenceDeal deal =
      deal_with({cards_from("EA E10 EK E9 E8 E7 GA G10"), cards_from("GK G9 G8 G7 HA H10 HK H9"),
                 cards_from("H8 H7 SA S10 SK S9 S8 S7"), cards_from("HO SO EU GU HU SU")});
  ReferenceRules rules;
  rules.schieber_variant = "forehand_only";
  ReferenceGame game(rules, deal, 3, round_of("schieber"));
  game.apply(kPushOn);
  EXPECT_EQ(game.phase(), "AUCTION_ROUND");
  EXPECT_TRUE(contains(game.hands()[3], card_from("GO")));
}

TEST(ReferenceRounds, R_079_teufel_names_the_suit_before_the_deal) {
  const ReferenceDeal deal = {{cards_from("EA E10 EK E9"), cards_from("E8 E7 GA G10"),
                               cards_from("GK G9 G8 G7"), cards_from("HA H10 HK H9")},
                              {cards_from("EO GO SO EU"), cards_from("H8 H7 SA S10"),
                               cards_from("SK S9 S8 S7"), cards_from("HO GU HU SU")},
                              0};
  ReferenceRules rules;
  rules.legen = "free";
  ReferenceGame game(rules, deal, 3, round_of("teufel"));
  EXPECT_EQ(game.phase(), "PREDEAL");
  game.apply(kSuitE);
  EXPECT_EQ(game.phase(), "LEGEN");
  apply_all(game, {kNoLay, kNoLay, kNoLay, kLay});
  EXPECT_EQ(game.contract().suit, 'E');
  EXPECT_EQ(game.phase(), "PLAY");
}

TEST(ReferenceRounds, R_080_hadsch_starts_doubled_and_asks_for_re_once) {
  ReferenceGame game(ReferenceRules(), deal_with(hochzeit_hands()), 3, round_of("hadsch"));
  EXPECT_EQ(game.phase(), "NAME_CLASS");
  EXPECT_EQ(game.to_act(), 0);
  apply_all(game, {kNameSolo, kSuitE});
  EXPECT_EQ(game.level(), 1);
  EXPECT_EQ(game.phase(), "DOUBLE");
  EXPECT_EQ(game.to_act(), 0);
  game.apply(kNoDouble);
  apply_all(game, {card_from("H7")});
  EXPECT_EQ(game.phase(), "PLAY");  // no window after the first card
}

TEST(ReferenceRounds, R_081_allgaeuer_debtors_only_and_a_forced_game) {
  ReferenceContext context = round_of("allgaeuer");
  context.owed[1] = {"WENZ", "RUF"};
  context.owed[2] = {"SOLO"};
  ReferenceGame game(ReferenceRules(), deal_with(hochzeit_hands()), 3, context);
  EXPECT_EQ(game.legal(), (std::set<int>{kPass}));
  game.apply(kPass);
  EXPECT_EQ(game.legal(), (std::set<int>{kPass, kPlay}));
  apply_all(game, {kPass, kPass, kPass});
  EXPECT_EQ(game.phase(), "NAME_CLASS");
  EXPECT_EQ(game.to_act(), 1);
  EXPECT_EQ(game.legal(), (std::set<int>{kNameRuf, 93, 104}));
}

TEST(ReferenceRounds, R_082_strixner_the_winner_of_the_third_trick_plays_from_trick_four) {
  ReferenceRules rules;
  rules.kontra_window = "full_hand";
  ReferenceGame game(rules, deal_with(hochzeit_hands()), 3, round_of("strixner"));
  for (int card = 0; card < 12; ++card) {
    ASSERT_EQ(game.phase(), "PLAY");
    game.apply(*game.legal().begin());
  }
  EXPECT_EQ(game.phase(), "NAME_CLASS");
  EXPECT_EQ(game.to_act(), game.trick_winners().back());
  EXPECT_TRUE(game.legal().contains(kNameSolo));
  const int declarer = game.to_act();
  apply_all(game, {kNameSolo, kSuitE});
  EXPECT_EQ(game.phase(), "PLAY");  // the declarer leads and cannot double himself
  EXPECT_EQ(game.to_act(), declarer);
  game.apply(*game.legal().begin());
  EXPECT_EQ(game.phase(), "DOUBLE");  // the next seat before its first card of trick four
}

TEST(ReferenceRounds, R_083_zupf_draws_from_the_old_hand) {
  ReferenceDeal deal = deal_with(hochzeit_hands());
  deal.zupf = 1;  // seat 2 holds EU EO G7 ... in index order
  ReferenceGame game(ReferenceRules(), deal, 3, round_of("zupf_solo"));
  apply_all(game, {kPlay, kPass, kPass, kPass, kNameSolo, kSuitE});
  EXPECT_EQ(game.phase(), "ZUPF_TARGET");
  game.apply(kTargetPlus1 + 1);
  EXPECT_EQ(game.phase(), "ZUPF_GIVE");
  game.apply(card_from("GK"));
  EXPECT_TRUE(contains(game.hands()[0], card_from("EO")));
  EXPECT_TRUE(contains(game.hands()[2], card_from("GK")));
  EXPECT_EQ(game.hands()[2].size(), 8U);
}

TEST(ReferenceRounds, R_074_only_solo_and_wenz_else_ramsch) {
  ReferenceRules rules;
  rules.contracts = {"RUF", "SOLO", "WENZ", "GEIER"};
  ReferenceGame game(rules, deal_with(hochzeit_hands()), 3, round_of("solo_wenz_ramsch"));
  apply_all(game, {kPlay, kPass, kPass, kPass});
  EXPECT_EQ(game.legal(), (std::set<int>{93, 94, 104, 105}));
  ReferenceGame ramsch(rules, deal_with(hochzeit_hands()), 3, round_of("solo_wenz_ramsch"));
  pass_all(ramsch);
  EXPECT_EQ(ramsch.contract().name, "RAMSCH");
}

TEST(ReferenceAuctions, R_056_only_a_herz_solo_outranks_a_solo) {
  ReferenceRules rules;
  rules.herz_solo_precedence = true;
  rules.tout_enabled = false;
  ReferenceGame game(rules, hochzeit_hands(), 3);
  apply_all(game, {kPlay, kPlay, kPlay, kPass, kNameSolo});
  EXPECT_EQ(game.phase(), "NAME_SUIT");
  game.apply(kSuitE);
  EXPECT_EQ(game.legal(), (std::set<int>{kPass, kNameSolo}));
  game.apply(kNameSolo);
  EXPECT_EQ(game.legal(), (std::set<int>{kSuitE + 2}));
  game.apply(kSuitE + 2);
  EXPECT_EQ(game.to_act(), 2);
  EXPECT_EQ(game.legal(), (std::set<int>{kPass}));
}

/// Seat 0 holds the eight highest trumps.
std::vector<Cards> top_hands() {
  return {cards_from("EO GO HO SO EU GU HU SU"), cards_from("EA E10 EK E9 E8 E7 GA G10"),
          cards_from("GK G9 G8 G7 HA H10 HK H9"), cards_from("H8 H7 SA S10 SK S9 S8 S7")};
}

ReferenceGame solo_with_claims(const std::vector<Cards>& hands, ReferenceRules rules) {
  rules.claims_enabled = true;
  return ReferenceGame(rules, hands, 3, FixedContract{{"SOLO", false, 'H'}, 0});
}

TEST(ReferenceClaims, R_126_a_true_claim_takes_all_and_a_false_one_gives_all) {
  ReferenceGame sure = solo_with_claims(top_hands(), {});
  EXPECT_TRUE(sure.legal().contains(kClaimRest));
  sure.apply(kClaimRest);
  EXPECT_EQ(sure.tricks(), (Actions{8, 0, 0, 0}));
  EXPECT_EQ(sure.payoffs()[0], 3 * (50 + 10 + 10 + 80));

  std::vector<Cards> hands = top_hands();
  std::swap(hands[0][0], hands[1][0]);  // EA for the EO
  ReferenceGame unsure = solo_with_claims(hands, {});
  unsure.apply(kClaimRest);
  EXPECT_FALSE(unsure.verdict().declarer_won);
  EXPECT_TRUE(unsure.verdict().schwarz);
}

TEST(ReferenceClaims, R_126_a_claim_may_need_the_right_order) {
  // GA and seven high trumps: the SU and the small ones of the others must be drawn before it.
  std::vector<Cards> hands = {
      cards_from("EO GO HO SO EU GU HU GA"), cards_from("EA E10 EK E9 E8 E7 SU G10"),
      cards_from("GK G9 G8 G7 HA H10 HK H9"), cards_from("H8 H7 SA S10 SK S9 S8 S7")};
  ReferenceGame game = solo_with_claims(hands, {});
  game.apply(kClaimRest);
  EXPECT_EQ(game.tricks(), (Actions{8, 0, 0, 0}));
}

TEST(ReferenceClaims, R_125_a_concession_gives_the_running_trick_too) {
  ReferenceGame game = solo_with_claims(top_hands(), {});
  game.apply(card_from("EO"));
  EXPECT_FALSE(game.legal().contains(kClaimRest));
  game.apply(kConcedeRest);
  EXPECT_EQ(game.points()[0], 120);
  EXPECT_EQ(game.tricks()[0], 8);
}

TEST(ReferenceClaims, R_166_too_much_claimed_goes_back_double) {
  ReferenceRules rules;
  rules.laufende_by_claim = rules.schwarz_by_claim = true;
  ReferenceGame game = solo_with_claims(top_hands(), rules);
  game.apply(kClaimRest);
  EXPECT_EQ(game.phase(), "CLAIM_SETTLE");
  EXPECT_EQ(game.to_act(), 0);
  ReferenceGame silent = game;
  apply_all(game, {kClaimLaufende0 + 10, kClaimSchwarz});  // eight are payable
  EXPECT_EQ(game.payoffs()[0], 3 * (50 + 10 + 10 + 60));
  apply_all(silent, {kClaimLaufende0, kClaimNoSchwarz});
  EXPECT_EQ(silent.payoffs()[0], 3 * (50 + 10));
}

TEST(ReferenceOffences, R_127_to_R_131_end_the_deal_as_the_policy_says) {
  ReferenceRules rules;
  const auto after = [&](const char* policy, const char* kind, int seat) {
    rules.infraction_policy = policy;
    ReferenceGame game(rules, top_hands(), 3, FixedContract{{"SOLO", false, 'H'}, 0});
    game.offend(kind, seat);
    return game;
  };
  // Eight Laufende; the offender is the declarer, then a defender.
  EXPECT_EQ(after("official", "REVOKE", 0).payoffs()[0], -3 * (50 + 10 + 10 + 80));
  EXPECT_EQ(after("official", "REVOKE_LATE", 2).payoffs()[0], 3 * (50 + 10 + 10 + 80));
  EXPECT_EQ(after("game_loss", "REVOKE_LATE", 0).payoffs()[0], -3 * (50 + 80));
  EXPECT_EQ(after("tournament", "REVOKE_LATE", 2).payoffs(), (Actions{20, 20, -60, 20}));
  EXPECT_FALSE(after("tournament", "REVOKE", 2).finished());
  EXPECT_FALSE(after("official", "TALK", 1).finished());
  EXPECT_TRUE(after("game_loss", "TALK", 1).finished());
}

TEST(ReferenceRamschs, R_051_a_failed_announcement_loses_and_doubles) {
  ReferenceRules rules;
  std::vector<RamschTake> takes(4);
  const int points[] = {60, 40, 20, 0}, tricks[] = {4, 3, 1, 0};
  for (std::size_t seat = 0; seat < 4; ++seat) {
    takes[seat].points = points[seat];
    takes[seat].tricks = tricks[seat];
    takes[seat].position = static_cast<int>(seat);
  }
  takes[2].announced = true;
  EXPECT_EQ(settle_ramsch(takes, rules, 1), (Actions{40, 40, -160, 80}));
}

int total(const Actions& amounts) { return std::accumulate(amounts.begin(), amounts.end(), 0); }

TEST(ReferenceSystems, G_random_deals_in_every_round_keep_all_cards_and_sums) {
  Random random(13);
  std::map<std::string, int> rounds;
  std::set<std::string> contracts, phases;
  int whole = 0;
  const int deals = test::scaled(4000, 6000, 6000);
  for (int number = 0; number < deals; ++number) {
    const ReferenceRules rules = random_house_rules(random);
    const std::string mode = pick(random, special_rounds());
    if (!round_fits(rules, mode)) continue;
    const int dealer = draw(random, active_seats(rules));
    ReferenceGame game(rules, random_round_deal(random, rules, dealer, mode), dealer,
                       random_context(random, mode));
    while (!game.finished()) {
      phases.insert(game.phase());
      ASSERT_FALSE(game.legal().empty());
      game.apply(pick(random, game.legal()));
    }
    ASSERT_EQ(total(game.payoffs()), 0);
    const bool all_tricks =
        total(game.tricks()) * active_seats(rules) == (rules.short_deck ? 24 : 32);
    if (all_tricks) {
      ASSERT_EQ(total(game.points()), 120);
      ++whole;
    }
    ++rounds[mode];
    contracts.insert(game.contract().name);
  }
  EXPECT_EQ(rounds.size(), special_rounds().size());
  EXPECT_GE(contracts.size(), 19U);  // all but SIE, which chance seldom deals
  EXPECT_GT(whole, 500);
  EXPECT_EQ(phases.size(), 22U);  // all of RULES D.1 but DONE
}

}  // namespace
}  // namespace schafkopf::reference
