// Deals of the special rounds (RULES C.20), row by row. How a session comes to them: session tests.
#include "env/deal/deal.h"
#include "tests/cpp/support/table.h"

namespace schafkopf {
namespace {

const std::string kEverybodyPasses = "PASS PASS PASS PASS";

Table special(const std::string& mode, const std::string& deal, Lines lines = {}, int dealer = 3) {
  lines.push_back("special_round = \"" + mode + '"');
  return {house(lines), deal, dealer};
}

// ---- Bock, Ramsch, Kreuzbock, Solo-Wenz-Ramsch, only Soli ----

TEST(Round, R_071_a_bock_game_is_a_normal_game_at_double_price) {
  const std::string deal = "EO GO HU H9 H8 H7 EA S7 | HO | SA |";
  for (const bool bock : {true, false}) {
    Table table = special(bock ? "bock" : "none", deal, {"claims_enabled = true"});
    table.play("PLAY PASS PASS PASS C_RUF SA EO CONCEDE_REST");
    const int price = bock ? 60 : 30;
    EXPECT_EQ(table.payoffs(), (Payoffs{price, -price, price, -price}));
  }
}

TEST(Round, R_072_every_deal_is_a_ramsch_without_auction) {
  Table table = special("ramsch", "EO | E7 | |", {"hochzeit = \"before_auction\""}, 0);
  EXPECT_EQ(table.contract(), "RAMSCH");
  EXPECT_EQ(table.now(), "PLAY 1");
  EXPECT_EQ(table.declarer(), -1);
  table = special("ramsch", "EO | | |", {"legen = \"free\""});
  EXPECT_EQ(table.now(), "LEGEN 0");
  table.play("LAY NO_LAY NO_LAY NO_LAY");
  EXPECT_EQ(table.now(), "PLAY 0");
  EXPECT_EQ(table.game().num_laid(), 1) << "Legen multiplies a Ramsch";
}

TEST(Round, R_073_every_deal_is_a_kreuzbock_without_auction) {
  Table table = special("kreuzbock", "GO HO | EO | |", {"claims_enabled = true"});
  EXPECT_EQ(table.contract(), "KREUZ");
  EXPECT_EQ(table.now(), "PLAY 0");
  EXPECT_EQ(table.declarer(), -1);
  table.play("CONCEDE_REST");
  EXPECT_EQ(table.payoffs(), (Payoffs{-30, 30, -30, 30}));
  EXPECT_EQ(table.game().outcome().declarer_party, 0b1010) << "seat 1 holds EO";
}

TEST(Round, R_074_solo_wenz_and_else_ramsch) {
  const Lines more = {"contracts = [\"RUF\", \"SOLO\", \"WENZ\", \"GEIER\", \"BETTEL\"]"};
  Table table = special("solo_wenz_ramsch", "EO E9 G7 | | |", more);
  EXPECT_EQ(table.now(), "AUCTION_ROUND 0");
  table.play("PLAY PASS PASS PASS");
  EXPECT_TRUE(legal_is(table, "C_WENZ C_SOLO C_WENZ_TOUT C_SOLO_TOUT"));
  table = special("solo_wenz_ramsch", "EO E9 G7 | | |", more);
  table.play(kEverybodyPasses);
  EXPECT_EQ(table.contract(), "RAMSCH");
  EXPECT_EQ(table.now(), "PLAY 0");
  table = special("solo_wenz_ramsch", " | EO GO HO SO EU GU HU SU | |", {"tout_enabled = false"});
  table.play("PASS PLAY PASS PASS");
  EXPECT_TRUE(legal_is(table, "C_WENZ C_SOLO C_SIE"));
}

// 003: the last round may have Soli only.
TEST(Round, R_086_only_single_games) {
  const std::string deal = "EO E9 G7 | | |";
  Table table = special("soli_only", deal);
  table.play("PLAY PASS PASS PASS");
  EXPECT_TRUE(legal_is(table, "C_WENZ C_SOLO C_WENZ_TOUT C_SOLO_TOUT"));
  table = special("soli_only", deal, {"all_pass = \"ramsch\""});
  EXPECT_EQ(table.play(kEverybodyPasses).contract(), "RAMSCH");
  for (const char* partner_game : {"muss_spiel", "kreuzbock"}) {
    table = special("soli_only", deal, {std::string("all_pass = \"") + partner_game + '"'});
    EXPECT_EQ(table.play(kEverybodyPasses).now(), "DONE") << "it needs a partner game";
  }
}

// C.20: rounds without an auction for the partner game have no Hochzeit.
TEST(Round, R_072_R_074_hochzeit_only_where_partner_games_are_announced) {
  // every seat but 2 and 3 has one trump
  const std::string deal =
      "H7 EA E10 EK GA G10 GK S7 | H8 E7 E8 E9 G7 G8 G9 S8 | EO GO EU GU HA H10 S9 SK | HO";
  const std::pair<const char*, const char*> openings[] = {
      {"none", "HZ_OFFER 0"},
      {"bock", "HZ_OFFER 0"},
      {"kreuzrunde", "HZ_OFFER 0"},
      {"zupf_solo", "HZ_OFFER 0"},
      {"ramsch", "PLAY 0"},
      {"kreuzbock", "PLAY 0"},
      {"hadsch", "NAME_CLASS 0"},
      {"strixner", "PLAY 0"},
      {"soli_only", "AUCTION_ROUND 0"},
      {"allgaeuer", "AUCTION_ROUND 0"},
      {"solo_wenz_ramsch", "AUCTION_ROUND 0"},
  };
  for (const auto& [mode, opening] : openings) {
    EXPECT_EQ(special(mode, deal, {"hochzeit = \"before_auction\""}).now(), opening) << mode;
    Table late = special(mode, deal, {"hochzeit = \"after_all_pass\""});
    if (late.game().phase() != Phase::kAuctionRound) continue;
    late.play(kEverybodyPasses);
    EXPECT_EQ(late.game().phase() == Phase::kHzOffer, std::string(opening) == "HZ_OFFER 0") << mode;
  }
}

// ---- Teufelsrunde ----

TEST(Teufel, R_079_forehand_names_a_suit_and_gets_four_fixed_cards) {
  const std::string deal = "E7 E8 E9 G7 EO GO SO EU | | |";
  Table table = special("teufel", deal, {"kontra_window = \"before_second_card\""});
  EXPECT_EQ(table.now(), "PREDEAL 0");
  EXPECT_TRUE(legal_is(table, "SUIT_E SUIT_G SUIT_H SUIT_S"));
  EXPECT_EQ(CardSet(table.game().view(0).cards.hand), parse_cards("EO GO SO EU"));
  for (int seat = 1; seat < 4; ++seat) EXPECT_EQ(table.game().view(seat).cards.hand, 0u);
  table.play("SUIT_E");
  EXPECT_EQ(table.now(), "PLAY 0");
  EXPECT_EQ(table.contract(), "SOLO");
  EXPECT_EQ(table.game().contract().suit, Suit::kEichel);
  EXPECT_EQ(table.party(), "0");
  EXPECT_EQ(table.game().hand(0), parse_cards("EO GO SO EU E7 E8 E9 G7"));
  for (int seat = 1; seat < 4; ++seat) EXPECT_EQ(table.game().hand(seat).count(), 8);
  table.play("EO");
  EXPECT_EQ(table.now(), "DOUBLE 1") << "Kontra as always (OPEN-76)";
}

// OPEN-76: forehand's first half are the four dealt and the four fixed cards.
TEST(Teufel, R_079_legen_with_the_fixed_cards) {
  Table table =
      special("teufel", "E7 E8 E9 G7 EO GO SO EU | G8 G9 GU GK | |", {"legen = \"free\""}, 3);
  table.play("SUIT_S");
  EXPECT_EQ(table.now(), "LEGEN 0");
  EXPECT_EQ(CardSet(table.game().view(0).cards.hand), parse_cards("E7 E8 E9 G7 EO GO SO EU"));
  table.play("LAY");
  EXPECT_EQ(table.now(), "LEGEN 1");
  EXPECT_EQ(CardSet(table.game().view(1).cards.hand), parse_cards("G8 G9 GU GK"));
  table.play("NO_LAY NO_LAY NO_LAY");
  EXPECT_EQ(table.now(), "PLAY 0");
  EXPECT_EQ(table.game().num_laid(), 1);
}

// ---- Hadsch ----

const char* const kHadsch = "EO GO HU H9 H8 H7 EA S7 | HO | SA |";
const Lines kSecondCardKontra = {"kontra_window = \"before_second_card\"", "claims_enabled = true"};

// OPEN-35: any game; Kontra is given already, the Re is asked once before the first card.
TEST(Hadsch, R_080_forehand_must_play_with_kontra_given) {
  Table table = special("hadsch", kHadsch, kSecondCardKontra);
  EXPECT_EQ(table.now(), "NAME_CLASS 0");
  EXPECT_TRUE(legal_is(table, "C_RUF C_WENZ C_SOLO C_WENZ_TOUT C_SOLO_TOUT"));
  table.play("C_SOLO SUIT_H");
  EXPECT_EQ(table.now(), "DOUBLE 0");
  EXPECT_EQ(table.game().doubling_level(), 1);
  Table re = table;
  table.play("NO_DOUBLE EO");
  EXPECT_EQ(table.now(), "PLAY 1") << "doubling is closed";
  table.play("CONCEDE_REST");
  // (50 + 10 Schneider + 10 Schwarz) x 2
  EXPECT_EQ(table.payoffs(), (Payoffs{420, -140, -140, -140}));

  re.play("DOUBLE");
  EXPECT_EQ(re.now(), "DOUBLE 1") << "the others may answer";
  re.play("NO_DOUBLE NO_DOUBLE NO_DOUBLE EO");
  EXPECT_EQ(re.now(), "PLAY 1");
  re.play("CONCEDE_REST");
  EXPECT_EQ(re.payoffs(), (Payoffs{840, -280, -280, -280}));
}

TEST(Hadsch, R_080_the_called_partner_may_give_re) {
  Table table = special("hadsch", kHadsch, kSecondCardKontra);
  table.play("C_RUF SA");
  EXPECT_EQ(table.now(), "DOUBLE 0");
  table.play("NO_DOUBLE");
  EXPECT_EQ(table.now(), "DOUBLE 2") << "he owns SA";
  table.play("DOUBLE");
  EXPECT_EQ(table.game().doubling_level(), 2);
  EXPECT_TRUE(table.game().partner_known()) << "his Re shows him (OPEN-49)";
}

// D.1: who owns SA and keeps silent does not show it. Seats 1 and 2 change S8 and SA.
TEST(Hadsch, R_080_the_silent_partner_stays_secret) {
  const char* const one_deal = "EO GO HU H9 H8 H7 EA S7 | HO S8 | SA E9 | E7";
  const char* const other_deal = "EO GO HU H9 H8 H7 EA S7 | HO SA | S8 E9 | E7";
  Table one = special("hadsch", one_deal, kSecondCardKontra),
        other = special("hadsch", other_deal, kSecondCardKontra);
  for (Table* table : {&one, &other}) table->play("C_RUF SA NO_DOUBLE NO_DOUBLE");
  ASSERT_EQ(one.now(), "PLAY 0");
  ASSERT_EQ(one.game().hand(3), other.game().hand(3));
  EXPECT_TRUE(same_view(one, other, 0));
  EXPECT_TRUE(same_view(one, other, 3));
  EXPECT_FALSE(one.game().partner_known());
}

// A contract that is entered without its auction is doubled like one that was named.
TEST(Hadsch, R_080_a_given_contract_is_doubled_from_the_start) {
  const auto rules = house({"special_round = \"hadsch\""});
  Contract solo;
  solo.contract = parse_contract("SOLO").row->contract;
  solo.declarer = 0;
  Game game = Game::with_contract(*rules, random_deal(5), 3, solo, rules->first_context());
  EXPECT_EQ(game.doubling_level(), 1);
  EXPECT_EQ(game.phase(), Phase::kDouble);
  EXPECT_EQ(game.current_player(), 0) << "his Re";
  game.apply(kActionNoDouble);
  EXPECT_EQ(game.phase(), Phase::kPlay) << "doubling is closed";
}

TEST(Hadsch, R_080_who_is_blocked_plays_a_single_game) {
  Table table = special("hadsch", "EO HU HA EA E9 SA H7 H8 | | |");
  EXPECT_TRUE(legal_is(table, "C_WENZ C_SOLO C_WENZ_TOUT C_SOLO_TOUT"));
}

// C.20.8: forehand must play; without single games there is only the cascade of C.4.
TEST(Hadsch, R_080_who_is_blocked_calls_by_the_cascade_if_there_are_no_single_games) {
  const Lines only_calls = {"contracts = [\"RUF\"]", "sie_enabled = false"};
  Table table = special("hadsch", "EO HU HA EA E9 SA H7 H8 | | |", only_calls);
  EXPECT_TRUE(legal_is(table, "C_RUF"));
  table.play("C_RUF");
  EXPECT_TRUE(legal_is(table, "E10 S10")) << "the suits of EA, E9 and SA (K-232)";

  Lines renonce = only_calls;
  renonce.push_back("renonce = \"announced\"");
  Table allowed = special("hadsch", "EO HU HA EA E9 SA H7 H8 | | |", renonce);
  allowed.play("C_RUF");
  EXPECT_TRUE(legal_is(allowed, "GA")) << "a Renonce comes before the cascade";
}

// ---- Allgaeuer Runde ----

/// Debts of seats 0..3: bit 0 Ruf, 1 Wenz, 2 Solo.
Table allgaeuer(const std::string& deal, std::array<int, 4> owed, const Lines& lines = {}) {
  DealContext context;
  context.special_round = static_cast<std::uint8_t>(SpecialRound::kAllgaeuer);
  for (std::size_t seat = 0; seat < 4; ++seat) {
    context.owed[seat] = static_cast<std::uint8_t>(owed[seat]);
  }
  Lines all = {"special_round = \"allgaeuer\""};
  all.insert(all.end(), lines.begin(), lines.end());
  return {house(all), deal, 3, context};
}

constexpr int kOwesRuf = 1, kOwesWenz = 2, kOwesSolo = 4;
const char* const kCanCall = "EO HU HA E9 G7 SA S7 H7 | GA | EA |";

// OPEN-36
TEST(Allgaeuer, R_081_everybody_owes_three_games_at_first) {
  Table table = special("allgaeuer", kCanCall);
  for (int seat = 0; seat < 4; ++seat) {
    EXPECT_EQ(table.game().context().owed[seat], kOwesRuf | kOwesWenz | kOwesSolo);
  }
  table.play("PLAY PASS PASS PASS");
  EXPECT_TRUE(legal_is(table, "C_RUF C_WENZ C_SOLO C_WENZ_TOUT C_SOLO_TOUT"));
}

TEST(Allgaeuer, R_081_only_debtors_play_and_only_what_they_owe) {
  Table table = allgaeuer(kCanCall, {kOwesWenz, 0, kOwesSolo, kOwesRuf | kOwesSolo});
  EXPECT_TRUE(legal_is(table, "PASS PLAY"));
  table.play("PLAY");
  EXPECT_TRUE(legal_is(table, "PASS")) << "seat 1 owes nothing";
  table.play("PASS PASS PASS");
  EXPECT_TRUE(legal_is(table, "C_WENZ C_WENZ_TOUT"));
  table = allgaeuer(kCanCall, {kOwesRuf | kOwesSolo, 0, 0, 0});
  table.play("PLAY PASS PASS PASS");
  EXPECT_TRUE(legal_is(table, "C_RUF C_SOLO C_SOLO_TOUT"));
  table = allgaeuer(kCanCall, {kOwesRuf, 0, kOwesWenz, 0});
  table.play("PLAY PASS PLAY PASS");
  EXPECT_EQ(table.now(), "AUCTION_RESOLVE 0");
  EXPECT_TRUE(legal_is(table, "YIELD")) << "seat 0 owes no single game";
}

// OPEN-36: debts are paid in a two-stage auction.
TEST(Allgaeuer, R_081_two_stages_also_where_auctions_are_direct) {
  Table table = special("allgaeuer", kCanCall, {"auction_style = \"direct\""});
  EXPECT_EQ(table.now(), "AUCTION_ROUND 0");
}

// OPEN-36: all pass, then the first debtor from forehand on must play one of his games.
TEST(Allgaeuer, R_081_all_pass_the_first_debtor_plays) {
  Table table = allgaeuer(kCanCall, {0, 0, kOwesWenz | kOwesSolo, kOwesRuf});
  table.play(kEverybodyPasses);
  EXPECT_EQ(table.now(), "NAME_CLASS 2");
  EXPECT_TRUE(legal_is(table, "C_WENZ C_SOLO C_WENZ_TOUT C_SOLO_TOUT"));
  table.play("C_WENZ");
  EXPECT_EQ(table.contract(), "WENZ");
  EXPECT_EQ(table.declarer(), 2);
}

// C.20.9: as in a session at a table of five whose only debtor sits out.
TEST(Allgaeuer, R_081_a_deal_in_which_nobody_owes_a_game_is_a_normal_one) {
  Table table = allgaeuer(kCanCall, {0, 0, 0, 0});
  EXPECT_EQ(table.game().context().mode(), SpecialRound::kNone);
  EXPECT_TRUE(legal_is(table, "PASS PLAY"));
  table.play("PLAY PASS PASS PASS");
  EXPECT_TRUE(legal_is(table, "C_RUF C_WENZ C_SOLO C_WENZ_TOUT C_SOLO_TOUT"));
  table = allgaeuer(kCanCall, {0, 0, 0, 0}, {"all_pass = \"ramsch\""});
  table.play(kEverybodyPasses);
  EXPECT_EQ(table.contract(), "RAMSCH");
  table = allgaeuer(kCanCall, {0, 0, 0, 0}, {"auction_style = \"direct\""});
  EXPECT_EQ(table.now(), "AUCTION_DIRECT 0");
}

// OPEN-36: who owes the Rufspiel alone and is blocked calls by the cascade of the Muss-Spiel.
TEST(Allgaeuer, R_081_a_blocked_debtor_calls_a_ten) {
  Table table =
      allgaeuer("EO HU HA EA E9 SA H7 H8 | E10 | S10 |", {kOwesRuf, 0, 0, 0}, kSecondCardKontra);
  table.play(kEverybodyPasses);
  EXPECT_TRUE(legal_is(table, "C_RUF"));
  table.play("C_RUF");
  EXPECT_EQ(table.now(), "CALL_CARD 0");
  EXPECT_TRUE(legal_is(table, "E10 S10"));
  table.play("E10 EO");
  EXPECT_EQ(table.party(), "01");
  EXPECT_EQ(table.now(), "DOUBLE 2") << "Kontra is allowed";
}

// What the auction of a debtor can end with is entered without it too.
TEST(Allgaeuer, R_081_a_given_contract_has_the_ten_of_a_debtor_also_where_renonce_is_played) {
  const Lines renonce = {"renonce = \"announced\""};
  Table table = allgaeuer("EO HU HA EA E9 SA H7 H8 | E10 | S10 |", {kOwesRuf, 0, 0, 0}, renonce);
  table.play(kEverybodyPasses).play("C_RUF E10");
  Deal deal;
  for (std::size_t seat = 0; seat < 4; ++seat) {
    const int from = static_cast<int>(seat);
    deal.first[seat] = table.game().first_half(from);
    deal.second[seat] = table.game().dealt(from) - deal.first[seat];
  }
  const auto entered = [&](const Contract& contract) {
    return Game::with_contract(table.rules(), deal, 3, contract, table.game().context());
  };
  EXPECT_EQ(entered(table.game().contract()).declarer_party(), 0b0011);
  Contract won = table.game().contract();  // in the auction: a Renonce
  won.called = parse_card("GA").value();
  won.renonce = true;
  EXPECT_EQ(entered(won).contract(), won);
  won.called = parse_card("EK").value();
  EXPECT_THROW(entered(won), std::invalid_argument);
}

// ---- Strixner ----

// seat 2 takes the first three tricks: E A, G A, S A
const char* const kStrixner =
    "E7 G7 S7 HU SU HK H9 H7 | E8 G8 S8 EU GU HA H10 H8 |"
    " EA GA SA EO GO HO SO EK | E9 G9 S9 E10 G10 GK SK S10";

// OPEN-37: three tricks for everybody alone, then the winner of the third plays a Solo.
TEST(Strixner, R_082_the_winner_of_the_third_trick_plays_a_solo) {
  Table table = special("strixner", kStrixner);
  EXPECT_EQ(table.now(), "PLAY 0") << "no auction";
  EXPECT_FALSE(table.game().has_contract());
  table.play("E7");
  EXPECT_TRUE(legal_is(table, "E8"));
  table.play("E8 EA E9 GA");
  EXPECT_EQ(table.now(), "PLAY 3");
  table.play("G9 G7 G8 SA S9 S7 S8");
  EXPECT_EQ(table.now(), "NAME_CLASS 2");
  EXPECT_TRUE(legal_is(table, "C_SOLO C_SOLO_TOUT")) << "he won all three";
  table.play("C_SOLO");
  EXPECT_TRUE(legal_is(table, "SUIT_E SUIT_G SUIT_H SUIT_S"));
  table.play("SUIT_S");
  EXPECT_EQ(table.now(), "PLAY 2");
  EXPECT_EQ(table.contract(), "SOLO");
  EXPECT_EQ(table.party(), "2");
  EXPECT_EQ(table.tricks(2), 3) << "the tricks stay";
  table.play("EK");
  EXPECT_TRUE(can(table, "E10"));
}

TEST(Strixner, R_082_the_first_tricks_have_the_trumps_of_a_rufspiel) {
  Table table = special("strixner", kStrixner);
  table.play("H7");
  EXPECT_TRUE(legal_is(table, "EU GU HA H10 H8")) << "Herz is trump";
  table.play("H8 EO");
  EXPECT_TRUE(legal_is(table, "E9 G9 S9 E10 G10 GK SK S10")) << "no trump";
}

TEST(Strixner, R_082_without_all_three_tricks_there_is_no_tout) {
  Table table = special("strixner", kStrixner);
  table.play("HU GU SO E9");
  ASSERT_EQ(table.now(), "PLAY 2");
  table.play("EK E10 E7 E8");
  ASSERT_EQ(table.now(), "PLAY 3");
  table.play("G9 G7 G8 GA");
  ASSERT_EQ(table.turn(), 2);
  EXPECT_TRUE(legal_is(table, "C_SOLO"));
  table.play("C_SOLO");
  EXPECT_EQ(table.now(), "NAME_SUIT 2");
  EXPECT_TRUE(legal_is(table, "SUIT_E SUIT_G SUIT_H SUIT_S"));
}

// OPEN-37: Kontra refers to the fourth trick, Laufende to the dealt hands.
TEST(Strixner, R_082_kontra_at_the_fourth_trick_and_the_price_of_a_solo) {
  Table table = special("strixner", kStrixner, kSecondCardKontra);
  table.play("E7 E8 EA E9 GA G9 G7 G8 SA S9 S7 S8 C_SOLO SUIT_S");
  EXPECT_EQ(table.now(), "PLAY 2");
  table.play("EO");
  EXPECT_EQ(table.now(), "DOUBLE 3");
  table.play("NO_DOUBLE NO_DOUBLE NO_DOUBLE");
  EXPECT_EQ(table.now(), "PLAY 3");
  table.play("CONCEDE_REST");
  // 50 + 10 Schneider + 10 Schwarz + EO GO HO SO: 4 Laufende
  EXPECT_EQ(table.payoffs(), (Payoffs{-110, -110, 330, -110}));
}

// Tricks of the others count against the soloist: no Schwarz.
TEST(Strixner, R_082_tricks_of_the_others_count_against_the_soloist) {
  Table table = special("strixner", kStrixner, {"claims_enabled = true"});
  table.play("HU GU SO E9 EK E10 E7 E8 G9 G7 G8 GA C_SOLO SUIT_S EO CONCEDE_REST");
  EXPECT_FALSE(table.game().settlement().schwarz) << "seat 3 took the second trick";
  EXPECT_TRUE(table.game().settlement().schneider);
  // 50 + 10 Schneider + 4 Laufende
  EXPECT_EQ(table.payoffs(), (Payoffs{-100, -100, 300, -100}));
}

// ---- Zupf-Solo ----

const char* const kZupf =
    "EO GO HO SO EU GU HU E7 | E8 E9 EK E10 EA G7 G8 G9 |"
    " SU HA H10 HK H9 H8 H7 S7 | GK G10 GA S8 S9 SK S10 SA";

Table zupf(int number, const Lines& more = {}) {
  Lines lines = {"special_round = \"zupf_solo\""};
  lines.insert(lines.end(), more.begin(), more.end());
  const auto rules = house(lines);
  Table table(rules, kZupf, 3, rules->first_context(), number);
  return table.play("PLAY PASS PASS PASS");
}

// OPEN-38: one card to a player of his choice, one of that player's own cards back.
TEST(Zupf, R_083_the_soloist_gives_a_card_and_draws_one) {
  Table table = zupf(0);
  table.play("C_SOLO SUIT_H");
  EXPECT_EQ(table.now(), "ZUPF_TARGET 0");
  EXPECT_TRUE(legal_is(table, "TARGET_+1 TARGET_+2 TARGET_+3"));
  table.play("TARGET_+2");
  EXPECT_EQ(table.now(), "ZUPF_GIVE 0");
  EXPECT_TRUE(legal_is(table, "EO GO HO SO EU GU HU E7"));
  table.play("E7");
  EXPECT_EQ(table.now(), "PLAY 0");
  // the lowest of H7 H8 H9 HK H10 HA S7 SU by index is H7
  EXPECT_EQ(table.game().hand(0), parse_cards("EO GO HO SO EU GU HU H7"));
  EXPECT_EQ(table.game().hand(2), parse_cards("SU HA H10 HK H9 H8 E7 S7"));
  EXPECT_EQ(table.party(), "0");
}

TEST(Zupf, R_083_every_card_of_the_target_can_be_drawn_but_not_the_gift) {
  const char* const drawn[] = {"H7", "H8", "H9", "HK", "H10", "HA", "S7", "SU"};
  for (int number = 0; number < 8; ++number) {
    Table table = zupf(number);
    table.play("C_SOLO SUIT_H TARGET_+2 E7");
    EXPECT_TRUE(table.game().hand(0).contains(parse_card(drawn[number]).value())) << number;
    EXPECT_FALSE(table.game().hand(0).contains(parse_card("E7").value())) << number;
    EXPECT_TRUE(table.game().hand(2).contains(parse_card("E7").value())) << number;
  }
}

TEST(Zupf, R_083_gift_and_drawn_card_are_seen_by_the_two_only) {
  Table one = zupf(0), other = zupf(1);
  one.play("C_SOLO SUIT_H TARGET_+2 E7");
  other.play("C_SOLO SUIT_H TARGET_+2 HU");
  EXPECT_TRUE(same_view(one, other, 1));
  EXPECT_TRUE(same_view(one, other, 3));
  EXPECT_FALSE(same_view(one, other, 0));
  EXPECT_FALSE(same_view(one, other, 2));
  EXPECT_EQ(CardSet(one.game().view(0).order.given), parse_cards("E7"));
  EXPECT_EQ(CardSet(one.game().view(0).order.received), parse_cards("H7"));
  EXPECT_EQ(CardSet(one.game().view(2).order.given), parse_cards("H7"));
  EXPECT_EQ(CardSet(one.game().view(2).order.received), parse_cards("E7"));
  for (const int seat : {1, 3}) {
    EXPECT_EQ(one.game().view(seat).order.given | one.game().view(seat).order.received, 0u);
    EXPECT_NE(events_seen_by(one, seat).find("0:TARGET_+2"), std::string::npos)
        << "whom he chose is public";
  }
}

// OPEN-38: before the Kontra, for the class SOLO only.
TEST(Zupf, R_083_before_kontra_and_only_in_a_solo) {
  Table table = zupf(0, kSecondCardKontra);
  table.play("C_SOLO SUIT_H TARGET_+1 E7 EO");
  EXPECT_EQ(table.now(), "DOUBLE 1");
  for (const char* named : {"C_WENZ", "C_WENZ_TOUT", "C_SOLO_TOUT SUIT_H"}) {
    Table wenz = zupf(0);
    wenz.play(named);
    EXPECT_EQ(wenz.now(), "PLAY 0") << named;
  }
  Table normal(house(), kZupf);
  normal.play("PLAY PASS PASS PASS C_SOLO SUIT_H");
  EXPECT_EQ(normal.now(), "PLAY 0");
}

}  // namespace
}  // namespace schafkopf
