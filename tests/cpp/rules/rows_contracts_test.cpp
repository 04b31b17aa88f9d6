// Decks, players and partner games (RULES B, C.1, C.2, C.4, C.5), row by row, in game notation.
#include "tests/cpp/support/table.h"

namespace schafkopf {
namespace {

const std::string kFourPass = "PASS PASS PASS PASS";

/// Seat 0 plays: the Rufspiel, or what it may call with C_RUF.
Table caller(const std::string& hand, Lines lines = {}) {
  Table table(house(lines), hand + " | | |");
  table.play("PLAY PASS PASS PASS");
  return table;
}

// ---- decks and players ----

TEST(Decks, R_004_the_short_deck_has_six_tricks_and_no_sie) {
  Table table(house({"deck = \"short24\""}), "EO GO HO SO EU GU | | |");
  EXPECT_EQ(table.rules().deck(), parse_cards("E9 EU EO EK E10 EA G9 GU GO GK G10 GA "
                                              "H9 HU HO HK H10 HA S9 SU SO SK S10 SA"));
  table.play("PLAY PASS PASS PASS");
  EXPECT_TRUE(legal_is(table, "C_WENZ C_SOLO C_WENZ_TOUT C_SOLO_TOUT"));
  table.play("C_SOLO SUIT_H").play_out();
  EXPECT_EQ(table.tricks(0), 6);
  // six Laufende (EO GO HO SO EU GU), Schneider and Schwarz
  EXPECT_EQ(table.payoffs(), (Payoffs{390, -130, -130, -130}));
}

// OPEN-01: the other reading of a Sie with six cards.
TEST(Decks, R_004_six_highest_cards_are_a_sie_by_agreement) {
  Table table(house({"deck = \"short24\"", "sie_short_deck = \"six_highest\""}),
              "EO GO HO SO EU GU | | |");
  table.play("PLAY PASS PASS PASS");
  EXPECT_TRUE(legal_is(table, "C_WENZ C_SOLO C_WENZ_TOUT C_SOLO_TOUT C_SIE"));
  table.play("C_SIE");
  EXPECT_EQ(table.now(), "DONE");
  EXPECT_EQ(table.payoffs(), (Payoffs{1560, -520, -520, -520}));
}

// 000 A1 7: 24 cards, eight each, tricks of three, no partner games; OPEN-02.
TEST(Players, R_006_three_players_play_single_games) {
  const Lines three = {"players = 3", "deck = \"short24\"",
                       "contracts = [\"RUF\", \"SOLO\", \"WENZ\", \"GEIER\"]"};
  const std::string deal = "EO GO HO EU GU HU EA GA | SO SU HA H10 HK H9 EK E9 |";
  Table table(house(three), deal, 2);
  EXPECT_EQ(table.game().seats(), 3);
  for (int seat = 0; seat < 3; ++seat) EXPECT_EQ(table.game().hand(seat).count(), 8);
  table.play("PLAY PASS PASS");
  EXPECT_TRUE(legal_is(table, "C_GEIER C_WENZ C_SOLO C_GEIER_TOUT C_WENZ_TOUT C_SOLO_TOUT"));
  table.play("C_SOLO SUIT_S EO SO S9");
  EXPECT_EQ(table.now(), "PLAY 0") << "three cards are a trick";
  EXPECT_EQ(table.tricks(0), 1);
  table.play_out();
  const std::int32_t price = table.game().settlement().price;
  EXPECT_GT(price, 0);
  EXPECT_EQ(table.payoffs(), (Payoffs{2 * price, -price, -price, 0}));
}

TEST(Players, R_006_three_players_of_003_play_solo_and_wenz_only) {
  const Lines three = {"players = 3", "deck = \"short24\"",
                       "contracts = [\"RUF\", \"SOLO\", \"WENZ\", \"GEIER\"]",
                       "three_player_contracts = \"solo_wenz\""};
  Table table(house(three), "EO | |", 2);
  table.play("PLAY PASS PASS");
  EXPECT_TRUE(legal_is(table, "C_WENZ C_SOLO C_WENZ_TOUT C_SOLO_TOUT"));
  EXPECT_THROW((void)house({"players = 3"}), std::invalid_argument) << "with 32 cards";
}

// OPEN-02: games that need a partner fall back to throwing in.
TEST(Players, R_006_all_pass_of_three_players) {
  for (const char* rule : {"muss_spiel", "kreuzbock", "throw_in"}) {
    Table table(
        house({"players = 3", "deck = \"short24\"", std::string("all_pass = \"") + rule + '"'}),
        "EO | |", 2);
    table.play("PASS PASS PASS");
    EXPECT_EQ(table.now(), "DONE") << rule;
  }
  Table table(house({"players = 3", "deck = \"short24\"", "all_pass = \"ramsch\""}), "EO | |", 2);
  table.play("PASS PASS PASS");
  EXPECT_EQ(table.contract(), "RAMSCH");
  EXPECT_EQ(table.now(), "PLAY 0");
}

// 000 A1 6: four play; the fourth of them has what the dealer has in play (OPEN-03).
TEST(Players, R_007_with_five_players_four_play) {
  Table table(house({"players = 5", "all_pass = \"last_chooses\""}), "EO | | |");
  EXPECT_EQ(table.game().seats(), 4);
  for (int seat = 0; seat < 4; ++seat) EXPECT_EQ(table.game().hand(seat).count(), 8);
  table.play(kFourPass);
  EXPECT_EQ(table.now(), "ALL_PASS_CHOICE 3");
}

// OPEN-03: the dealer does not play, so all four decide on their first half.
TEST(Players, R_007_nobody_of_the_four_lays_with_the_last_cards) {
  const std::string deal = "E7 | G7 | H7 | S7 S8 S9 SU EO GO HO SO";
  for (const int players : {4, 5}) {
    Table table(house({"players = " + std::to_string(players), "legen = \"free\""}), deal);
    table.play("NO_LAY NO_LAY NO_LAY");
    EXPECT_EQ(table.now(), "LEGEN 3");
    EXPECT_EQ(CardSet(table.game().view(3).cards.hand),
              parse_cards(players == 5 ? "S7 S8 S9 SU" : "EO GO HO SO"))
        << players;
  }
}

// ---- Rufspiel ----

TEST(Ruf, R_025_two_against_two_each_pays_once) {
  Table table(house({"claims_enabled = true"}), "EO GO HU H9 H8 H7 EA S7 | HO | SA |");
  table.play("PLAY PASS PASS PASS C_RUF");
  EXPECT_TRUE(legal_is(table, "SA"));
  table.play("SA");
  EXPECT_EQ(table.contract(), "RUF");
  EXPECT_EQ(table.party(), "02");
  EXPECT_FALSE(table.game().partner_known());
  table.play("EO CONCEDE_REST");
  EXPECT_EQ(table.payoffs(), (Payoffs{30, -30, 30, -30}));
}

// D.1: the partner is not asked for Kontra, and nobody notices. Seats 1 and 2 change S8 and SA.
TEST(Ruf, R_025_the_kontra_question_does_not_show_the_partner) {
  const auto rules = house({"kontra_window = \"before_second_card\""});
  Table one(rules, "EO GO HU H9 H8 H7 EA S7 | HO S8 | SA E9 | E7");
  Table other(rules, "EO GO HU H9 H8 H7 EA S7 | HO SA | S8 E9 | E7");
  one.play("PLAY PASS PASS PASS C_RUF SA EO");
  other.play("PLAY PASS PASS PASS C_RUF SA EO");
  EXPECT_EQ(one.now(), "DOUBLE 1");
  EXPECT_EQ(other.now(), "DOUBLE 2");
  for (Table* table : {&one, &other}) table->play("NO_DOUBLE NO_DOUBLE");
  ASSERT_EQ(one.now(), "PLAY 1");
  ASSERT_EQ(one.game().hand(3), other.game().hand(3));
  EXPECT_TRUE(same_view(one, other, 0));
  EXPECT_TRUE(same_view(one, other, 3));
}

// 001 1.4.2: Schellen instead of Herz; the aces of Eichel, Gras and Herz can be called.
TEST(Ruf, R_026_with_the_usa_option_herz_can_be_called) {
  const Lines usa = {"partner_trump_suit = \"S\""};
  Table table(house(usa), "EO HU SA E9 G7 H9 S7 S8 | HA H8 S9 EK E8 G8 G9 GK | H10 HK H7 |");
  table.play("PLAY PASS PASS PASS C_RUF");
  EXPECT_TRUE(legal_is(table, "EA GA HA"));
  table.play("HA");
  EXPECT_EQ(table.party(), "01");
  table.play("S7");
  EXPECT_TRUE(legal_is(table, "S9")) << "Schellen is trump";
  table = Table(house(usa), "EO HU SA E9 G7 H9 S7 S8 | HA H8 S9 EK E8 G8 G9 GK | H10 HK H7 |");
  table.play("PLAY PASS PASS PASS C_RUF HA H9");
  EXPECT_TRUE(legal_is(table, "HA")) << "searched";
  table = Table(house(), "EO HU SA E9 G7 H9 S7 S8 | HA H8 S9 EK E8 G8 G9 GK | H10 HK H7 |");
  table.play("PLAY PASS PASS PASS C_RUF");
  EXPECT_TRUE(legal_is(table, "EA GA")) << "Herz is trump";
}

// 000 2.3.1: not his own ace, a plain card of the suit in hand; Ober and Unter do not count.
TEST(Ruf, R_027_which_aces_can_be_called) {
  const struct {
    const char* hand;
    const char* callable;
  } cases[] = {
      {"EO HU HA E9 G7 SA S7 H7", "EA GA"},     {"EO EU HA H7 H8 SO SU S9", "SA"},
      {"EO EU H7 H8 E10 G8 S7 HA", "EA GA SA"}, {"EO EU GO GU EA GA S8 H7", "SA"},
      {"EO EU E7 GU EK GA G8 S8", "EA SA"},
  };
  for (const auto& [hand, callable] : cases) {
    Table table = caller(hand);
    table.play("C_RUF");
    EXPECT_TRUE(legal_is(table, callable)) << hand;
  }
}

// 000 2.3.2
TEST(Ruf, R_028_who_can_call_no_ace_may_not_play) {
  for (const char* hand : {"EO HU HA EA E9 SA H7 H8", "EO SO SU HA H7 H8 H9 GU",
                           "EO EU EA E7 GA G8 SA S9", "EO EU HA H7 GU SO SU SA"}) {
    Table table = caller(hand);
    EXPECT_TRUE(legal_is(table, "C_WENZ C_SOLO C_WENZ_TOUT C_SOLO_TOUT")) << hand;
    table = Table(house({"contracts = [\"RUF\"]", "sie_enabled = false"}),
                  std::string(hand) + " | | |");
    EXPECT_TRUE(legal_is(table, "PASS")) << hand;
  }
  Table table(house({"contracts = [\"RUF\"]", "sie_enabled = false"}),
              "EO HU HA E9 G7 SA S7 H7 | | |");
  EXPECT_TRUE(legal_is(table, "PASS PLAY"));
}

// ---- Renonce ----

const char* const kBlocked = "EO HU HA EA E9 SA H7 H8";  // no Gras

// 000 A1 2.2
TEST(RenonceCall, R_029_a_blocked_player_calls_the_ace_of_a_void_suit) {
  Table table = caller(kBlocked, {"renonce = \"announced\""});
  EXPECT_TRUE(legal_is(table, "C_RUF C_WENZ C_SOLO C_WENZ_TOUT C_SOLO_TOUT"));
  table.play("C_RUF");
  EXPECT_TRUE(legal_is(table, "GA"));
  table.play("GA");
  EXPECT_TRUE(table.game().contract().renonce);
  for (int seat = 0; seat < 4; ++seat) EXPECT_TRUE(table.game().view(seat).has(kFlagRenonce));
  // two void suits: either ace
  table = caller("EO EU HA H7 GU SO SA S9", {"renonce = \"announced\""});
  table.play("C_RUF");
  EXPECT_TRUE(legal_is(table, "EA GA"));
}

// OPEN-07: only who is blocked; not with all three aces.
TEST(RenonceCall, R_029_a_blocked_player_may_play_when_only_rufspiele_are_played) {
  Table table(house({"contracts = [\"RUF\"]", "renonce = \"announced\"", "sie_enabled = false"}),
              std::string(kBlocked) + " | | |");
  EXPECT_TRUE(legal_is(table, "PASS PLAY"));
}

TEST(RenonceCall, R_029_not_with_a_callable_ace_and_not_with_three_aces) {
  Table table = caller("EO HU HA E9 SO SA H7 H8", {"renonce = \"announced\""});
  table.play("C_RUF");
  EXPECT_TRUE(legal_is(table, "EA")) << "Gras is void, but EA can be called";
  EXPECT_FALSE(table.play("EA").game().contract().renonce);
  table = caller("EO EU EA E7 GA G8 SA S9", {"renonce = \"announced\""});
  EXPECT_FALSE(can(table, "C_RUF"));
}

// OPEN-07: the price and the duties of the owner are those of every Rufspiel.
TEST(RenonceCall, R_029_price_and_duties_do_not_change) {
  const std::string deal = std::string(kBlocked) + " | GA G7 GO | GK G8 | G9 G10";
  Table table(house({"renonce = \"announced\"", "claims_enabled = true"}), deal);
  table.play("PLAY PASS PASS PASS C_RUF GA E9");
  EXPECT_EQ(table.party(), "01");
  EXPECT_FALSE(can(table, "GA")) << "not thrown away";
  Table lost(house({"renonce = \"announced\"", "claims_enabled = true"}), deal);
  lost.play("PLAY PASS PASS PASS C_RUF GA CONCEDE_REST");
  EXPECT_EQ(lost.payoffs(), (Payoffs{-30, -30, 30, 30}));
}

// 002: the call looks like every other call.
TEST(RenonceCall, R_030_unannounced_it_looks_like_a_normal_call) {
  // H8 and G7 changed between seats 0 and 1: with G7 the call is a normal one
  const std::string rest = " | EU GU HO SU GA EK E8 S7 | GO SO H9 H10 HK G8 G9 GK";
  const std::string blocked = "EO HU HA EA E9 SA H7 H8 | G7 G10 E10 E7 SK S10 S8 S9" + rest;
  const std::string normal = "EO HU HA EA E9 SA H7 G7 | H8 G10 E10 E7 SK S10 S8 S9" + rest;
  for (const char* renonce : {"unannounced", "announced"}) {
    const auto rules = house({std::string("renonce = \"") + renonce + '"'});
    Table one(rules, blocked), other(rules, normal);
    for (Table* table : {&one, &other}) table->play("PLAY PASS PASS PASS C_RUF GA");
    const bool hidden = std::string(renonce) == "unannounced";
    EXPECT_EQ(one.game().view(1).has(kFlagRenonce), !hidden);
    EXPECT_EQ(same_view(one, other, 2), hidden) << renonce;
    EXPECT_EQ(same_view(one, other, 3), hidden) << renonce;
  }
  Table off = caller(kBlocked);
  EXPECT_FALSE(can(off, "C_RUF"));
}

// ---- Muss-Spiel ----

/// All pass; `hand` is that of seat 2, who holds EO.
Table muss(const std::string& hand, Lines lines = {}) {
  lines.insert(lines.begin(), "all_pass = \"muss_spiel\"");
  Table table(house(lines), " | | " + hand + " |");
  table.play(kFourPass);
  return table;
}

// 000 A1 3.3
TEST(Muss, R_038_the_holder_of_the_old_one_must_play) {
  Table table = muss("EO HU HA E9 G7 SA S7 H7");
  EXPECT_EQ(table.now(), "CALL_CARD 2");
  EXPECT_TRUE(legal_is(table, "EA GA"));
  table.play("GA");
  EXPECT_EQ(table.contract(), "MUSS");
  EXPECT_EQ(table.declarer(), 2);
  EXPECT_EQ(table.now(), "PLAY 0") << "forehand leads";
  EXPECT_EQ(table.game().declarer_party() & 4, 4);
  table = Table(house({"all_pass = \"muss_spiel\""}), "EO E9 G7 | | |");
  table.play("PASS PASS PASS PLAY");
  EXPECT_EQ(table.now(), "NAME_CLASS 3") << "only if all have passed";
}

TEST(Muss, R_038_another_card_can_be_the_one_that_must_play) {
  Table table(house({"all_pass = \"muss_spiel\"", "muss_card = \"GO\""}),
              "EO | GO HU HA E9 G7 SA S7 H7 | |");
  table.play(kFourPass);
  EXPECT_EQ(table.now(), "CALL_CARD 1");
}

// 000 A1 3.3.3; 000 A2 1.1
TEST(Muss, R_038_price_of_a_rufspiel_and_no_kontra) {
  Table table(house({"all_pass = \"muss_spiel\"", "claims_enabled = true",
                     "kontra_window = \"before_second_card\""}),
              "E7 E8 E10 | GA GO HO G8 | EO HU HA E9 G7 SA S7 H7 | SO");
  table.play(kFourPass);
  table.play("GA");
  EXPECT_EQ(table.party(), "12");
  table.play("E7");
  EXPECT_EQ(table.now(), "PLAY 1") << "nobody is asked for Kontra";
  table.play("CONCEDE_REST");
  // 10 + 10 Schneider + 10 Schwarz + 3 Laufende: EO with seat 2, GO and HO with seat 1
  EXPECT_EQ(table.payoffs(), (Payoffs{60, -60, -60, 60}));
}

// 000 A1 3.3.1; OPEN-14
TEST(Muss, R_039_a_single_game_is_forbidden) {
  const std::string hand = "EO GO HO EU GU E9 G7 H7";
  EXPECT_TRUE(legal_is(muss(hand), "EA GA")) << "no class can be named";
  Table table = muss(hand, {"muss_solo_allowed = true"});
  EXPECT_EQ(table.now(), "NAME_CLASS 2");
  EXPECT_TRUE(legal_is(table, "C_RUF C_WENZ C_SOLO C_WENZ_TOUT C_SOLO_TOUT"));
  Table single = table;
  single.play("C_SOLO SUIT_H");
  EXPECT_EQ(single.contract(), "SOLO");
  table.play("C_RUF EA");
  EXPECT_EQ(table.contract(), "MUSS");
}

// 000 A1 3.3.2: an ace as in a Rufspiel, else a Ten of an own suit, else the King and so on.
TEST(Muss, R_040_ten_king_and_so_on) {
  const struct {
    const char* hand;
    const char* callable;
  } cases[] = {
      {"EO HU HA E9 G7 SA S7 H7", "EA GA"},
      {"EO HU HA EA E9 SA H7 H8", "E10 S10"},
      {"EO HU HA EA E10 SA S10 H8", "EK SK"},
      {"EO HU HA EA E9 SA S10 H8", "E10"},
      {"EO EA E10 EK GA G10 GK H8", "E9 G9"},
      {"EO EA E10 EK E9 HK H9 H8", "E8"},
      {"EO EA E10 EK E9 E8 H9 H8", "E7"},
      // OPEN-15: no plain card, or every card of his suits: any ace of a void suit
      {"EO SO SU HA H7 H8 H9 GU", "EA GA SA"},
      {"EO EA E10 EK E9 E8 E7 H8", "GA SA"},
  };
  for (const auto& [hand, callable] : cases) {
    EXPECT_TRUE(legal_is(muss(hand), callable)) << hand;
  }
}

// OPEN-16: the called Ten has the duties of a called ace.
TEST(Muss, R_040_the_called_ten_is_searched) {
  Table table(house({"all_pass = \"muss_spiel\""}),
              "E9 E8 | E10 E7 EK | EO HU HA EA EU SA H7 H8 | G7 G8");
  table.play(kFourPass);
  EXPECT_TRUE(legal_is(table, "E10 S10"));
  table.play("E10");
  EXPECT_EQ(table.party(), "12");
  table.play("E9");
  EXPECT_TRUE(legal_is(table, "E10")) << "not E7, not EK";
}

// 003: Renonce first, a Ten only with all three aces, then a King.
TEST(Muss, R_041_renonce_then_ten_then_king) {
  const struct {
    const char* hand;
    const char* callable;
  } cases[] = {
      {"EO HU HA E9 G7 SA S7 H7", "EA GA"},    {"EO HU HA EA E9 SA H7 H8", "GA"},
      {"EO SO SU HA H7 H8 H9 GU", "EA GA SA"}, {"EO HU EA E9 GA G8 SA H8", "E10 G10 S10"},
      {"EO HU EA E10 GA G8 SA H8", "G10 S10"}, {"EO HU EA E10 GA G10 SA S10", "EK GK SK"},
  };
  for (const auto& [hand, callable] : cases) {
    Table table = muss(hand, {"muss_blocked = \"renonce_then_ten\""});
    EXPECT_TRUE(legal_is(table, callable)) << hand;
  }
}

// ---- Kreuzbock and Kreuzrunde ----

/// A Kreuzbock after all have passed; seat 0 holds EO.
Table kreuzbock(Lines lines = {}) {
  lines.insert(lines.begin(), "all_pass = \"kreuzbock\"");
  return {house(lines), "EO H7 EA GA SA G9 G8 G7 | GO | HO | SO"};
}
/// Seats of the player party at the end.
int player_party(Table& table) {
  table.play_out();
  return table.game().outcome().declarer_party;
}

TEST(Kreuz, R_042_opposite_seats_play_together_without_a_declarer) {
  Table table = kreuzbock({"claims_enabled = true"});
  table.play(kFourPass);
  EXPECT_EQ(table.contract(), "KREUZ");
  EXPECT_EQ(table.declarer(), -1);
  EXPECT_EQ(table.now(), "PLAY 0");
  EXPECT_EQ(table.game().contract().called, kNoCard);
  table.play("EO CONCEDE_REST");
  EXPECT_EQ(table.payoffs(), (Payoffs{30, -30, 30, -30}));
}

// 003: the party that gave the last Kontra, else that laid first, else that holds EO.
TEST(Kreuz, R_042_three_rules_for_the_player_party) {
  Table table = kreuzbock();
  table.play(kFourPass);
  EXPECT_EQ(player_party(table), 0b0101) << "seat 0 holds EO";

  table = kreuzbock({"legen = \"free\""});
  table.play("NO_LAY LAY LAY NO_LAY " + kFourPass);
  EXPECT_EQ(player_party(table), 0b1010) << "seat 1 laid first";

  const Lines kontra = {"legen = \"free\"", "kontra_window = \"before_second_card\""};
  table = kreuzbock(kontra);
  table.play("NO_LAY LAY NO_LAY NO_LAY " + kFourPass + " EO NO_DOUBLE DOUBLE NO_DOUBLE NO_DOUBLE");
  EXPECT_EQ(player_party(table), 0b0101) << "seat 2 gave Kontra";
  table = kreuzbock(kontra);
  table.play("NO_LAY NO_LAY LAY NO_LAY " + kFourPass + " EO NO_DOUBLE DOUBLE DOUBLE");
  while (table.game().phase() == Phase::kDouble) table.play("NO_DOUBLE");
  EXPECT_EQ(player_party(table), 0b1010) << "seat 3 gave the last one";
}

TEST(Kreuz, R_042_every_seat_may_give_the_first_kontra) {
  Table table = kreuzbock({"kontra_window = \"before_second_card\""});
  table.play(kFourPass + " EO");
  for (const int seat : {1, 2, 3, 0}) {
    EXPECT_EQ(table.now(), "DOUBLE " + std::to_string(seat));
    table.play("NO_DOUBLE");
  }
  EXPECT_EQ(table.now(), "PLAY 1");
}

const Lines kKreuzrunde = {"special_round = \"kreuzrunde\""};

// 002: an auction as always, no ace is called, nobody is blocked; OPEN-17.
TEST(Kreuz, R_043_the_normal_game_is_played_with_the_opposite_seat) {
  Table table(house(kKreuzrunde), "G7 | EO HU HA EA E9 SA H7 H8 | |");
  EXPECT_EQ(table.now(), "AUCTION_ROUND 0");
  table.play("PASS PLAY PASS PASS");
  EXPECT_TRUE(legal_is(table, "C_RUF C_WENZ C_SOLO C_WENZ_TOUT C_SOLO_TOUT"));
  Table single = table;
  table.play("C_RUF");
  EXPECT_EQ(table.now(), "PLAY 0") << "nothing is called";
  EXPECT_EQ(table.contract(), "KREUZ");
  EXPECT_EQ(table.declarer(), 1);
  EXPECT_EQ(table.party(), "13");
  EXPECT_TRUE(table.game().partner_known());
  single.play("C_SOLO SUIT_E");
  EXPECT_EQ(single.contract(), "SOLO");
  EXPECT_EQ(single.party(), "1");
}

// 002, F.4: each of the two may double once, OPEN-59.
TEST(Kreuz, R_043_both_partners_may_double) {
  Lines lines = kKreuzrunde;
  lines.push_back("kontra_window = \"before_second_card\"");
  Table table(house(lines), "EO G7 | | |");
  table.play("PLAY PASS PASS PASS C_RUF EO DOUBLE");
  int doubled = 1;
  while (table.game().phase() == Phase::kDouble) {
    table.play("DOUBLE");
    ++doubled;
  }
  EXPECT_EQ(doubled, 4);
  EXPECT_EQ(table.game().doubling_level(), 4);
}

// F.3, F.4: the other party answers, then the window goes on, also for the same party.
TEST(Kreuz, R_043_the_partner_of_the_doubler_may_follow) {
  Lines lines = kKreuzrunde;
  lines.push_back("kontra_window = \"before_second_card\"");
  Table table(house(lines), "EO G7 | | |");
  table.play("PLAY PASS PASS PASS C_RUF EO");
  const std::pair<int, const char*> answers[] = {
      {1, "DOUBLE"}, {2, "NO_DOUBLE"}, {0, "NO_DOUBLE"}, {2, "NO_DOUBLE"},
      {3, "DOUBLE"}, {0, "NO_DOUBLE"}, {2, "NO_DOUBLE"}, {0, "NO_DOUBLE"},
  };
  for (const auto& [seat, answer] : answers) {
    EXPECT_EQ(table.now(), "DOUBLE " + std::to_string(seat));
    table.play(answer);
  }
  EXPECT_EQ(table.now(), "PLAY 1");
  EXPECT_EQ(table.game().doubling_level(), 2);

  // with one doubling each by turns there is no second one by the same party
  lines.push_back("kreuz_each_partner_doubles = false");
  Table turns(house(lines), "EO G7 | | |");
  turns.play("PLAY PASS PASS PASS C_RUF EO DOUBLE NO_DOUBLE NO_DOUBLE");
  EXPECT_EQ(turns.now(), "PLAY 1");
}

}  // namespace
}  // namespace schafkopf
