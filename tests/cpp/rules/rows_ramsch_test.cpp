// Ramsch (RULES C.6) from the cards to the payoffs, row by row.
#include "tests/cpp/support/table.h"

namespace schafkopf {
namespace {

// official_1989: 20 each, the Jungfrau 40, Durchmarsch 70

/// A Ramsch before its last trick: tricks of seats 0..3, then their last cards; seat 0 leads.
Table last_ramsch_trick(const std::string& tricks, const std::string& cards,
                        const Lines& lines = {}, int dealer = 3) {
  Position position;
  position.contract.contract = ContractClass::kRamsch;
  position.dealer = dealer;
  std::stringstream taken(tricks), held(cards);
  std::string part;
  for (std::size_t seat = 0; seat < 4; ++seat) {
    std::getline(taken, part, '|');
    position.captured[seat] = parse_cards(part);
    std::getline(held, part, '|');
    position.hands[seat] = parse_cards(part);
  }
  Table table(house(lines), position);
  return table.play_out();
}

// ---- how it comes about ----

TEST(RamschGame, R_044_everybody_for_himself_after_all_have_passed) {
  Table table(house({"all_pass = \"ramsch\"", "kontra_window = \"before_second_card\""}),
              "E7 | H7 | | EO", 0);
  table.play("PASS PASS PASS PASS");
  EXPECT_EQ(table.contract(), "RAMSCH");
  EXPECT_EQ(table.declarer(), -1);
  EXPECT_EQ(table.party(), "");
  EXPECT_EQ(table.now(), "PLAY 1") << "forehand leads";
  table.play("H7");
  EXPECT_EQ(table.now(), "PLAY 2") << "OPEN-23: no Kontra";
}

TEST(RamschGame, R_044_the_last_player_may_say_it) {
  Table table(house({"all_pass = \"last_chooses\""}), "E7 | | | EO");
  table.play("PASS PASS PASS PASS");
  EXPECT_EQ(table.now(), "ALL_PASS_CHOICE 3");
  EXPECT_TRUE(legal_is(table, "SAY_RAMSCH SAY_STOCK"));
  table.play("SAY_RAMSCH");
  EXPECT_EQ(table.contract(), "RAMSCH");
}

// OPEN-23: with the switch every seat may double once.
TEST(RamschGame, R_044_kontra_by_switch) {
  Table table(house({"all_pass = \"ramsch\"", "ramsch_kontra = true",
                     "kontra_window = \"before_second_card\""}),
              "E7 | | | EO");
  table.play("PASS PASS PASS PASS E7");
  for (const int seat : {1, 2, 3, 0}) {
    EXPECT_EQ(table.now(), "DOUBLE " + std::to_string(seat));
    table.play("DOUBLE");
  }
  EXPECT_EQ(table.now(), "PLAY 1");
  EXPECT_EQ(table.game().doubling_level(), 4);
}

// ---- who loses ----

// Last trick of all positions below: seat 2 takes H8 H9 EO SU, 5 points.
const char* const kLast = "H8 | H9 | EO | SU";
// 60, 40, 20 and 0 points, seat 3 without a trick
const char* const kOneVirgin =
    "EA GA HA SA E10 EK GU E7 | G10 H10 S10 GK HK EU E8 E9 |"
    " SK HU GO HO SO G7 G8 G9 H7 S7 S8 S9 |";
// 100, 0, 20 and 0 points
const char* const kTwoVirgins =
    "EA GA HA SA E10 EK GU E7 G10 H10 S10 GK HK EU E8 E9 | |"
    " SK HU GO HO SO G7 G8 G9 H7 S7 S8 S9 |";

TEST(RamschGame, R_044_the_most_points_lose) {
  const Table table = last_ramsch_trick(
      "EA GA E10 G10 EK E7 E8 E9 | SA S10 HA S7 | H10 HK GK SK G7 G8 G9 S8 S9 H7 EU GU |"
      " GO HO SO HU",
      kLast);
  EXPECT_EQ(table.payoffs(), (Payoffs{-60, 20, 20, 20}));
  EXPECT_EQ(table.game().settlement().loser, 0);
}

struct Tie {
  const char* why;
  const char* tricks;  // seats 0 and 1 have 46 points each
  int loser;
};

// 000 A1 3.1.3: more tricks, more trumps, the higher trump. Each case is decided by one step.
const Tie kTies[] = {
    {"three tricks against two",
     "EA GA E10 G10 EK E7 E8 E9 | SA S10 HA H10 GK G7 G8 G9 S7 S8 S9 H7 | HK SK EU GU |"
     " HU GO HO SO",
     1},
    {"no trump against HA and H10",
     "EA GA E10 G10 EK E7 E8 E9 | SA S10 HA H10 GK S7 S8 S9 | HK SK EU GU G7 G8 G9 H7 |"
     " HU GO HO SO",
     1},
    {"HA and H10 against no trump",
     "EA HA E10 H10 EK E7 E8 E9 | SA S10 GA G10 GK S7 S8 S9 | HK SK EU GU G7 G8 G9 H7 |"
     " HU GO HO SO",
     0},
    {"H10 and H7 against the higher HA",
     "EA GA E10 H10 EK H7 E7 E8 | SA HA G10 S10 GK S7 S8 S9 | HK SK EU GU G7 G8 G9 E9 |"
     " HU GO HO SO",
     0},
    {"HA against H10",
     "EA HA E10 G10 EK E7 E8 E9 | SA GA S10 H10 GK S7 S8 S9 | HK SK EU GU G7 G8 G9 H7 |"
     " HU GO HO SO",
     0},
    {"H10 against HA",
     "SA GA S10 H10 GK S7 S8 S9 | EA HA E10 G10 EK E7 E8 E9 | HK SK EU GU G7 G8 G9 H7 |"
     " HU GO HO SO",
     1},
};

TEST(RamschGame, R_045_the_chain_of_ties) {
  for (const Tie& tie : kTies) {
    const Table table = last_ramsch_trick(tie.tricks, kLast);
    const Outcome outcome = table.game().outcome();
    ASSERT_EQ(outcome.points[0], 46) << tie.why;
    ASSERT_EQ(outcome.points[1], 46) << tie.why;
    Payoffs expected{20, 20, 20, 20};
    expected[static_cast<std::size_t>(tie.loser)] = -60;
    EXPECT_EQ(table.payoffs(), expected) << tie.why;
  }
}

// OPEN-18: both without a trump, possible without Herz: who is nearer to forehand.
TEST(RamschGame, R_045_full_tie_loses_nearer_to_forehand) {
  const char* const even =
      "EA GA E10 G10 EK E7 E8 E9 | SA HA H10 S10 GK S7 S8 S9 | HK SK EU GU G7 G8 G9 H7 |"
      " HU GO HO SO";
  const Lines no_herz = {"ramsch_trumps = \"no_herz\""};
  EXPECT_EQ(last_ramsch_trick(even, kLast, no_herz, 3).payoffs(), (Payoffs{-60, 20, 20, 20}));
  EXPECT_EQ(last_ramsch_trick(even, kLast, no_herz, 0).payoffs(), (Payoffs{20, -60, 20, 20}));
}

// R-052 counts: with Herz as trump seat 1 has two trumps in his tricks and loses.
TEST(RamschGame, R_052_herz_is_no_trump_in_the_tricks) {
  const char* const even =
      "EA GA E10 G10 EK E7 E8 E9 | SA HA H10 S10 GK S7 S8 S9 | HK SK EU GU G7 G8 G9 H7 |"
      " HU GO HO SO";
  EXPECT_EQ(last_ramsch_trick(even, kLast).payoffs(), (Payoffs{20, -60, 20, 20}));
}

// 002: Herz is a plain suit in play too.
TEST(RamschGame, R_052_herz_is_followed_as_a_suit) {
  const std::string deal = "H7 | H8 EU GA | EO GO | H9";
  for (const bool herz : {true, false}) {
    Table table(house({"all_pass = \"ramsch\"",
                       std::string("ramsch_trumps = \"") + (herz ? "herz" : "no_herz") + '"'}),
                deal);
    table.play("PASS PASS PASS PASS H7");
    EXPECT_EQ(can(table, "EU"), herz);
    EXPECT_TRUE(can(table, "H8"));
    EXPECT_FALSE(can(table, "GA"));
  }
}

// ---- Durchmarsch ----

// 000 A2 1.9.3: paid like a Solo that is Schwarz; the Jungfrau counts nothing.
TEST(RamschGame, R_046_all_tricks_are_a_durchmarsch) {
  const char* const all =
      "| | EA GA HA SA E10 EK GU E7 G10 H10 S10 GK HK EU E8 E9 SK HU GO HO SO G7 G8 G9 H7 S7 S8 S9"
      " |";
  EXPECT_EQ(last_ramsch_trick(all, kLast).payoffs(), (Payoffs{-70, -70, 210, -70}));
  EXPECT_EQ(last_ramsch_trick(all, kLast).game().settlement().march, 2);
  // without the Durchmarsch he loses and pays three Jungfrauen
  EXPECT_EQ(last_ramsch_trick(all, kLast, {"ramsch_march = \"off\""}).payoffs(),
            (Payoffs{40, 40, -120, 40}));
}

TEST(RamschGame, R_046_one_lost_trick_is_no_durchmarsch) {
  EXPECT_EQ(last_ramsch_trick(kTwoVirgins, kLast).payoffs(), (Payoffs{-100, 40, 20, 40}));
}

// 004: from 91 points; it beats the Jungfrau.
TEST(RamschGame, R_047_91_points_are_a_durchmarsch_and_90_are_not) {
  const Lines lines = {"ramsch_march = \"points_91\"", "tariff = \"tournament_2024\"",
                       "ramsch_virgin = \"all_double\""};
  const char* const with_91 =
      "EA GA HA SA E10 G10 H10 S10 EK GO E7 E8 | |"
      " GK HK SK EU GU HU HO SO E9 G7 G8 G9 H7 S7 S8 S9 |";
  const char* const with_90 =
      "EA GA HA SA E10 G10 H10 S10 EK EU E7 E8 | |"
      " GK HK SK GO GU HU HO SO E9 G7 G8 G9 H7 S7 S8 S9 |";
  ASSERT_EQ(last_ramsch_trick(with_91, kLast, lines).game().outcome().points[0], 91);
  EXPECT_EQ(last_ramsch_trick(with_91, kLast, lines).payoffs(), (Payoffs{60, -20, -20, -20}));
  ASSERT_EQ(last_ramsch_trick(with_90, kLast, lines).game().outcome().points[0], 90);
  EXPECT_EQ(last_ramsch_trick(with_90, kLast, lines).payoffs(), (Payoffs{-60, 20, 20, 20}));
}

// ---- Jungfrau ----

TEST(RamschGame, R_048_the_jungfrau_alone_gets_double) {
  EXPECT_EQ(last_ramsch_trick(kOneVirgin, kLast).payoffs(), (Payoffs{-80, 20, 20, 40}));
  EXPECT_EQ(last_ramsch_trick(kTwoVirgins, kLast).payoffs(), (Payoffs{-100, 40, 20, 40}));
  EXPECT_EQ(last_ramsch_trick(kOneVirgin, kLast, {"ramsch_virgin = \"off\""}).payoffs(),
            (Payoffs{-60, 20, 20, 20}));
}

TEST(RamschGame, R_049_two_jungfrauen_make_it_fourfold) {
  const Lines lines = {"ramsch_virgin = \"all_double_per_virgin\"", "tariff = \"10/50\""};
  EXPECT_EQ(last_ramsch_trick(kOneVirgin, kLast, lines).payoffs(), (Payoffs{-60, 20, 20, 20}));
  EXPECT_EQ(last_ramsch_trick(kTwoVirgins, kLast, lines).payoffs(), (Payoffs{-120, 40, 40, 40}));
}

// OPEN-19: three of them, where all tricks are no Durchmarsch.
TEST(RamschGame, R_049_three_jungfrauen_make_it_eightfold) {
  const char* const all =
      "| | EA GA HA SA E10 EK GU E7 G10 H10 S10 GK HK EU E8 E9 SK HU GO HO SO G7 G8 G9 H7 S7 S8 S9"
      " |";
  const Lines lines = {"ramsch_virgin = \"all_double_per_virgin\"", "tariff = \"10/50\"",
                       "ramsch_march = \"off\""};
  EXPECT_EQ(last_ramsch_trick(all, kLast, lines).payoffs(), (Payoffs{80, 80, -240, 80}));
}

// OPEN-19: with two Jungfrauen it stays double.
TEST(RamschGame, R_050_the_tournament_doubles_once) {
  const Lines lines = {"ramsch_virgin = \"all_double\"", "tariff = \"tournament_2024\""};
  EXPECT_EQ(last_ramsch_trick(kOneVirgin, kLast, lines).payoffs(), (Payoffs{-60, 20, 20, 20}));
  EXPECT_EQ(last_ramsch_trick(kTwoVirgins, kLast, lines).payoffs(), (Payoffs{-60, 20, 20, 20}));
}

// OPEN-21: before the first card, in order; public.
TEST(RamschGame, R_051_everybody_may_announce_the_jungfrau) {
  const auto rules = house({"all_pass = \"ramsch\"", "ramsch_virgin_announced = true"});
  Table table(rules, "EO | E9 | GO | E7 E8");
  table.play("PASS PASS PASS PASS");
  for (int seat = 0; seat < 4; ++seat) {
    EXPECT_EQ(table.now(), "JUNGFRAU " + std::to_string(seat));
    EXPECT_TRUE(legal_is(table, "JUNGFRAU NO_JUNGFRAU"));
    table.play(seat == 3 ? "JUNGFRAU" : "NO_JUNGFRAU");
  }
  EXPECT_EQ(table.now(), "PLAY 0");
  for (int seat = 0; seat < 4; ++seat) {
    EXPECT_NE(events_seen_by(table, seat).find("3:JUNGFRAU"), std::string::npos);
  }
  Table silent(house({"all_pass = \"ramsch\""}), "EO | E9 | GO | E7 E8");
  silent.play("PASS PASS PASS PASS");
  EXPECT_EQ(silent.now(), "PLAY 0");
}

// OPEN-21: who announced it and takes a trick loses, whatever the points, and twice the amount.
TEST(RamschGame, R_051_a_failed_jungfrau_loses_double) {
  const auto rules = house({"all_pass = \"ramsch\"", "ramsch_virgin_announced = true",
                            "ramsch_virgin = \"off\"", "ramsch_march = \"off\""});
  // seat 0 takes every trick with his eight highest trumps
  Table table(rules, "EO GO HO SO EU GU HU SU | | |");
  table.play("PASS PASS PASS PASS NO_JUNGFRAU JUNGFRAU NO_JUNGFRAU NO_JUNGFRAU").play_out();
  EXPECT_EQ(table.payoffs(), (Payoffs{-120, 40, 40, 40})) << "seat 1 kept his word";
  table = Table(rules, "EO GO HO SO EU GU HU SU | | |");
  table.play("PASS PASS PASS PASS JUNGFRAU NO_JUNGFRAU NO_JUNGFRAU NO_JUNGFRAU").play_out();
  EXPECT_EQ(table.payoffs(), (Payoffs{-120, 40, 40, 40}));
  table = Table(rules, "EO GO HO SO EU GU HU E7 | SU EA E10 G7 G8 G9 S8 S9 | | E8");
  table.play("PASS PASS PASS PASS NO_JUNGFRAU JUNGFRAU NO_JUNGFRAU NO_JUNGFRAU");
  table.play("E7").play("EA").play_out();
  EXPECT_GT(table.game().outcome().points[0], table.game().outcome().points[1]);
  EXPECT_EQ(table.payoffs(), (Payoffs{40, -120, 40, 40}));
}

// ---- payers, shift ----

// OPEN-20: the two with most points pay the other two, one price each.
TEST(RamschGame, R_053_the_two_with_most_points_pay) {
  const Lines lines = {"ramsch_payers = 2", "ramsch_virgin = \"off\""};
  EXPECT_EQ(last_ramsch_trick(kOneVirgin, kLast, lines).payoffs(), (Payoffs{-20, -20, 20, 20}));
  EXPECT_EQ(last_ramsch_trick(kTwoVirgins, kLast, lines).payoffs(), (Payoffs{-20, 20, -20, 20}));
  // the worst pays the best: the Jungfrau that gets double
  EXPECT_EQ(last_ramsch_trick(kOneVirgin, kLast, {"ramsch_payers = 2"}).payoffs(),
            (Payoffs{-40, -20, 20, 40}));
  EXPECT_THROW((void)house({"ramsch_payers = 2", "players = 3", "deck = \"short24\""}),
               std::invalid_argument);
}

// 003, OPEN-22: points, tricks, Jungfrau and Durchmarsch of the tricks that were passed on.
TEST(RamschGame, R_054_tricks_are_passed_to_the_left_before_counting) {
  const Lines shift = {"ramsch_shift = true"};
  EXPECT_EQ(last_ramsch_trick(kOneVirgin, kLast, shift).payoffs(), (Payoffs{40, -80, 20, 20}));
  EXPECT_EQ(last_ramsch_trick(kTwoVirgins, kLast, shift).payoffs(), (Payoffs{40, -100, 40, 20}));
  const char* const all =
      "| | EA GA HA SA E10 EK GU E7 G10 H10 S10 GK HK EU E8 E9 SK HU GO HO SO G7 G8 G9 H7 S7 S8 S9"
      " |";
  EXPECT_EQ(last_ramsch_trick(all, kLast, shift).payoffs(), (Payoffs{-70, -70, -70, 210}));
}

}  // namespace
}  // namespace schafkopf
