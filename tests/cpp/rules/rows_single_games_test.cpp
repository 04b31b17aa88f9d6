// Single games, Touts and Sie (RULES C.7 to C.19): order of all cards, duty to follow, naming, end
// and price, row by row.
#include "tests/cpp/support/table.h"

namespace schafkopf {
namespace {

// ---- the order of the cards ----

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::stringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// Cards of a game, written down from the rules: trumps strongest first, plain ranks highest first.
struct Order {
  std::vector<Card> trumps;
  std::vector<std::string> plain;

  Order(const std::string& trump_text, const std::string& plain_text)
      : plain(words_of(plain_text)) {
    for (const std::string& word : words_of(trump_text)) trumps.push_back(parse_card(word).value());
  }
  /// 4 = trump, else the suit.
  [[nodiscard]] int group(Card card) const {
    return std::find(trumps.begin(), trumps.end(), card) != trumps.end() ? 4 : card >> 3;
  }
  /// Place in the order of the group; 0 is the highest.
  [[nodiscard]] std::ptrdiff_t place(Card card) const {
    if (group(card) == 4) return std::find(trumps.begin(), trumps.end(), card) - trumps.begin();
    const std::string rank(to_string(rank_of(card)));
    return std::find(plain.begin(), plain.end(), rank) - plain.begin();
  }
  /// Whether `second` takes a trick that `first` leads.
  [[nodiscard]] bool beats(Card first, Card second) const {
    if (group(first) == group(second)) return place(second) < place(first);
    return group(second) == 4;
  }
};

/// Every pair of cards: who takes the trick, and what must be followed with.
void expect_order(const char* contract, const char* suit, const Order& order,
                  const Lines& lines = {}) {
  const auto rules = house(lines);
  const ContractClass name = parse_contract(contract).row->contract;
  const Suit trump = suit_of(parse_card(std::string(suit) + "7").value());
  SCOPED_TRACE(std::string(contract) + ' ' + suit);
  for (Card first = 0; first < kNumCards; ++first) {
    CardSet follow;
    for (Card second = 0; second < kNumCards; ++second) {
      if (second == first) continue;
      if (order.group(second) == order.group(first)) follow.add(second);
      const Card trick[] = {first, second};
      EXPECT_EQ(trick_winner(trick, name, trump, rules->rules()),
                order.beats(first, second) ? 1 : 0)
          << card_name(first) << ' ' << card_name(second);
    }
    const Card led[] = {first};
    const CardSet others = CardSet::all() - CardSet::of(first);
    EXPECT_EQ(legal(others, led, name, trump, kNoCard, false, rules->rules()), follow)
        << card_name(first);
    EXPECT_EQ(legal(others - follow, led, name, trump, kNoCard, false, rules->rules()),
              others - follow)
        << "nothing to follow with: any card";
  }
}

/// The same for the four trump suits: "*" stands for the suit.
void expect_suited(const char* contract, const std::string& pictures, const std::string& suited,
                   const std::string& plain) {
  for (const char* suit : {"E", "G", "H", "S"}) {
    std::string trumps = pictures;
    for (const std::string& rank : words_of(suited)) trumps += ' ' + (suit + rank);
    expect_order(contract, suit, Order(trumps, plain));
  }
}

const char* const kEightPictures = "EO GO HO SO EU GU HU SU";
const char* const kHerz = "EO GO HO SO EU GU HU SU HA H10 HK H9 H8 H7";

TEST(CardOrder, R_025_fourteen_trumps_of_the_partner_games) {
  for (const char* name : {"RUF", "MUSS", "KREUZ", "HOCHZEIT"}) {
    expect_order(name, "H", Order(kHerz, "A 10 K 9 8 7"));
  }
}

TEST(CardOrder, R_026_schellen_in_the_place_of_herz) {
  const Order usa("EO GO HO SO EU GU HU SU SA S10 SK S9 S8 S7", "A 10 K 9 8 7");
  for (const char* name : {"RUF", "MUSS", "KREUZ", "HOCHZEIT", "RAMSCH", "RAMSCH_TOUT"}) {
    expect_order(name, "H", usa, {"partner_trump_suit = \"S\""});
  }
}

TEST(CardOrder, R_044_ramsch) { expect_order("RAMSCH", "H", Order(kHerz, "A 10 K 9 8 7")); }

TEST(CardOrder, R_052_ramsch_without_herz) {
  expect_order("RAMSCH", "H", Order(kEightPictures, "A 10 K 9 8 7"),
               {"ramsch_trumps = \"no_herz\""});
}

TEST(CardOrder, R_055_solo) {
  expect_suited("SOLO", kEightPictures, "A 10 K 9 8 7", "A 10 K 9 8 7");
}

TEST(CardOrder, R_057_wenz) { expect_order("WENZ", "H", Order("EU GU HU SU", "A 10 K O 9 8 7")); }

TEST(CardOrder, R_058_geier) { expect_order("GEIER", "H", Order("EO GO HO SO", "A 10 K U 9 8 7")); }

TEST(CardOrder, R_059_farbwenz) {
  expect_suited("FARBWENZ", "EU GU HU SU", "A 10 K O 9 8 7", "A 10 K O 9 8 7");
}

TEST(CardOrder, R_060_farbgeier) {
  expect_suited("FARBGEIER", "EO GO HO SO", "A 10 K U 9 8 7", "A 10 K U 9 8 7");
}

// OPEN-24
TEST(CardOrder, R_061_habicht_and_farbhabicht) {
  expect_order("HABICHT", "H", Order("EK GK HK SK", "A 10 O U 9 8 7"));
  expect_suited("FARBHABICHT", "EK GK HK SK", "A 10 O U 9 8 7", "A 10 O U 9 8 7");
}

// OPEN-25
TEST(CardOrder, R_062_eisenbahner_and_farbeisenbahner) {
  expect_order("EISENBAHNER", "H", Order("E10 G10 H10 S10", "A K O U 9 8 7"));
  expect_suited("FARBEISENBAHNER", "E10 G10 H10 S10", "A K O U 9 8 7", "A K O U 9 8 7");
}

TEST(CardOrder, R_063_bettel) { expect_order("BETTEL", "H", Order("", "A K O U 10 9 8 7")); }

TEST(CardOrder, R_064_bettel_brett) {
  expect_order("BETTEL_BRETT", "H", Order("", "A K O U 10 9 8 7"));
}

TEST(CardOrder, R_065_ramsch_tout) {
  expect_order("RAMSCH_TOUT", "H", Order(kHerz, "A 10 K 9 8 7"));
}

TEST(CardOrder, R_066_mixed_bettel) {
  expect_order("BETTEL_MIX", "H", Order(kEightPictures, "A 10 K 9 8 7"));
}

// ---- naming and price of the positive games ----

const Lines kAllGames = {
    "contracts = [\"RUF\", \"SOLO\", \"WENZ\", \"GEIER\", \"FARBWENZ\", \"FARBGEIER\", "
    "\"HABICHT\", "
    "\"EISENBAHNER\", \"FARBHABICHT\", \"FARBEISENBAHNER\", \"BETTEL\", \"BETTEL_BRETT\", "
    "\"RAMSCH_TOUT\", \"BETTEL_MIX\"]",
    "claims_enabled = true"};

Lines with(Lines lines, const Lines& more) {
  lines.insert(lines.end(), more.begin(), more.end());
  return lines;
}

// seat 0 holds the two highest Ober, Unter, Kings and Tens; E10 loses to EA of seat 1
const char* const kTwoOfEach = "EO GO EU GU EK GK E10 G10 | EA E9 GA G9 HO | E8 G8 | E7 G7";

/// Seat 0 names a game with a suit or none.
Table single(const std::string& named, const Lines& more = {}) {
  Table table(house(with(kAllGames, more)), kTwoOfEach);
  table.play("PLAY PASS PASS PASS " + named);
  return table;
}

/// A game alone against three: won without a lost trick with `won` units from each of the others.
void expect_won(const std::string& named, const char* contract, std::int32_t won) {
  Table table = single(named);
  SCOPED_TRACE(named);
  EXPECT_EQ(table.contract(), contract);
  EXPECT_EQ(table.now(), "PLAY 0");
  EXPECT_EQ(table.party(), "0");
  table.play("EO CONCEDE_REST");
  EXPECT_EQ(table.payoffs(), (Payoffs{3 * won, -won, -won, -won}));
}

/// A Tout: won with `won` from each; the first lost trick ends and loses it.
void expect_tout(const std::string& named, const char* contract, std::int32_t won,
                 const char* losing_card = "E10") {
  expect_won(named, contract, won);
  Table table = single(named);
  table.play(std::string(losing_card) + " EA E8");
  EXPECT_FALSE(table.game().is_terminal());
  table.play("E7");
  EXPECT_EQ(table.now(), "DONE") << named;
  EXPECT_EQ(table.game().num_plays(), 4);
  EXPECT_EQ(table.payoffs(), (Payoffs{-3 * won, won, won, won})) << named;
}

/// The class may be named if it is switched on, and only then.
void expect_switch(const char* action, const char* name) {
  Table table = single("");
  EXPECT_TRUE(can(table, action));
  table = Table(house({std::string("contracts = [\"RUF\", \"") +
                       (std::string(name) == "SOLO" ? "WENZ" : "SOLO") + "\"]"}),
                kTwoOfEach);
  table.play("PLAY PASS PASS PASS");
  EXPECT_FALSE(can(table, action)) << name;
}

// base 50 + Schneider 10 + Schwarz 10 + Laufende 10 each (000 A2); two Ober are too few for a Solo
TEST(Single, R_055_solo_against_three) {
  expect_switch("C_SOLO", "SOLO");
  for (const char* suit : {"SUIT_E", "SUIT_G", "SUIT_H", "SUIT_S"}) {
    expect_won(std::string("C_SOLO ") + suit, "SOLO", 70);
  }
  Table table = single("C_SOLO");
  EXPECT_TRUE(legal_is(table, "SUIT_E SUIT_G SUIT_H SUIT_S")) << "Herz and Schellen are not held";
  table.play("SUIT_S");
  for (int seat = 0; seat < 4; ++seat) EXPECT_EQ(table.game().view(seat).cards.trump_suit, 3);
}

TEST(Single, R_057_wenz_has_no_suit) {
  expect_switch("C_WENZ", "WENZ");
  expect_won("C_WENZ", "WENZ", 90);
}

TEST(Single, R_058_geier_has_no_suit) {
  expect_switch("C_GEIER", "GEIER");
  expect_won("C_GEIER", "GEIER", 90);
}

TEST(Single, R_059_farbwenz_names_a_suit) {
  expect_switch("C_FARBWENZ", "FARBWENZ");
  EXPECT_TRUE(legal_is(single("C_FARBWENZ"), "SUIT_E SUIT_G SUIT_H SUIT_S"));
  expect_won("C_FARBWENZ SUIT_S", "FARBWENZ", 90);
}

TEST(Single, R_060_farbgeier_names_a_suit) {
  expect_switch("C_FARBGEIER", "FARBGEIER");
  EXPECT_TRUE(legal_is(single("C_FARBGEIER"), "SUIT_E SUIT_G SUIT_H SUIT_S"));
  expect_won("C_FARBGEIER SUIT_S", "FARBGEIER", 90);
}

// OPEN-26: tariff and Laufende as Wenz.
TEST(Single, R_061_habicht_is_paid_like_a_wenz) {
  expect_switch("C_HABICHT", "HABICHT");
  expect_won("C_HABICHT", "HABICHT", 90);
  EXPECT_TRUE(legal_is(single("C_FARBHABICHT"), "SUIT_E SUIT_G SUIT_H SUIT_S"));
  expect_won("C_FARBHABICHT SUIT_S", "FARBHABICHT", 90);
}

// OPEN-26
TEST(Single, R_062_eisenbahner_is_paid_like_a_wenz) {
  expect_switch("C_EISENBAHNER", "EISENBAHNER");
  expect_won("C_EISENBAHNER", "EISENBAHNER", 90);
  EXPECT_TRUE(legal_is(single("C_FARBEISENBAHNER"), "SUIT_E SUIT_G SUIT_H SUIT_S"));
  expect_won("C_FARBEISENBAHNER SUIT_S", "FARBEISENBAHNER", 90);
}

// 003: historical; denied by 000 2.2.3 and 004
TEST(Single, R_056_herz_solo_has_precedence_by_switch_only) {
  Table table(house(), kTwoOfEach);
  table.play("PLAY PLAY PASS PASS C_SOLO");
  EXPECT_EQ(table.now(), "AUCTION_RESOLVE 1");
  EXPECT_TRUE(legal_is(table, "PASS C_WENZ_TOUT C_SOLO_TOUT")) << "no second Solo";

  const auto old = house({"herz_solo_precedence = true"});
  table = Table(old, kTwoOfEach);
  table.play("PLAY PLAY PASS PASS C_SOLO");
  EXPECT_EQ(table.now(), "NAME_SUIT 0") << "the suit comes with the class";
  Table herz = table;
  table.play("SUIT_S");
  EXPECT_EQ(table.now(), "AUCTION_RESOLVE 1");
  EXPECT_TRUE(legal_is(table, "PASS C_SOLO C_WENZ_TOUT C_SOLO_TOUT"));
  table.play("C_SOLO");
  EXPECT_TRUE(legal_is(table, "SUIT_H"));
  table.play("SUIT_H");
  EXPECT_EQ(table.contract(), "SOLO");
  EXPECT_EQ(table.declarer(), 1);
  EXPECT_EQ(table.game().contract().suit, Suit::kHerz);
  herz.play("SUIT_H");
  EXPECT_TRUE(legal_is(herz, "PASS C_WENZ_TOUT C_SOLO_TOUT")) << "Herz is not outbid";
}

// ---- Touts: (base + Laufende) x 2, neither Schneider nor Schwarz ----

TEST(Tout, R_067_solo_tout_needs_every_trick) {
  expect_tout("C_SOLO_TOUT SUIT_S", "SOLO_TOUT", 100);
  Table table(house({"tout_enabled = false"}), kTwoOfEach);
  table.play("PLAY PASS PASS PASS");
  EXPECT_TRUE(legal_is(table, "C_RUF C_WENZ C_SOLO"));
}

TEST(Tout, R_068_wenz_tout_needs_every_trick) { expect_tout("C_WENZ_TOUT", "WENZ_TOUT", 140); }

TEST(Tout, R_069_the_touts_of_the_variants_need_every_trick) {
  expect_tout("C_GEIER_TOUT", "GEIER_TOUT", 140);
  expect_tout("C_FARBWENZ_TOUT SUIT_S", "FARBWENZ_TOUT", 140);
  expect_tout("C_FARBGEIER_TOUT SUIT_S", "FARBGEIER_TOUT", 140);
  expect_tout("C_HABICHT_TOUT", "HABICHT_TOUT", 140);
  expect_tout("C_FARBHABICHT_TOUT SUIT_S", "FARBHABICHT_TOUT", 140);
  expect_tout("C_EISENBAHNER_TOUT", "EISENBAHNER_TOUT", 140, "EK");
  expect_tout("C_FARBEISENBAHNER_TOUT SUIT_S", "FARBEISENBAHNER_TOUT", 140, "EK");
}

// OPEN-31: single positive games only; a Tout exists for each class that is switched on.
TEST(Tout, R_069_every_enabled_positive_single_game_has_a_tout) {
  EXPECT_TRUE(legal_is(
      single(""),
      "C_RUF C_BETTEL C_BETTEL_MIX C_FARBEISENBAHNER C_FARBHABICHT C_EISENBAHNER C_HABICHT "
      "C_FARBGEIER C_FARBWENZ C_GEIER C_WENZ C_SOLO C_RAMSCH_TOUT C_BETTEL_BRETT "
      "C_FARBEISENBAHNER_TOUT C_FARBHABICHT_TOUT C_EISENBAHNER_TOUT C_HABICHT_TOUT "
      "C_FARBGEIER_TOUT C_FARBWENZ_TOUT C_GEIER_TOUT C_WENZ_TOUT C_SOLO_TOUT"));
}

// ---- negative games: no trick ----

// seat 1 plays; he cannot win a trick with his lowest cards
const char* const kNoTrick =
    "EA GA HA SA EO GO | E7 E8 E9 G7 G8 G9 H7 S7 | EK GK HK SK EU GU | E10 G10 H10 S10 HO SO";

Table negative(const std::string& named, const Lines& more = {}) {
  Table table(house(with(kAllGames, more)), kNoTrick);
  table.play("PASS PLAY PASS PASS " + named);
  return table;
}

/// Won without a trick, lost with the first one, at the same price; nothing is conceded.
void expect_negative(const std::string& named, const char* contract, std::int32_t price) {
  Table table = negative(named);
  SCOPED_TRACE(named);
  EXPECT_EQ(table.contract(), contract);
  EXPECT_EQ(table.now(), "PLAY 0") << "forehand leads";
  EXPECT_FALSE(can(table, "CLAIM_REST")) << "OPEN-52";
  EXPECT_FALSE(can(table, "CONCEDE_REST"));
  table.play_out();
  EXPECT_EQ(table.tricks(1), 0);
  EXPECT_EQ(table.game().num_plays(), 32);
  EXPECT_EQ(table.payoffs(), (Payoffs{-price, 3 * price, -price, -price}));

  const char* const loses = "E9 GA | HA EA | E7 | E8";
  for (const bool early : {true, false}) {
    table = Table(
        house(with(kAllGames, {std::string("early_termination = ") + (early ? "true" : "false")})),
        loses);
    table.play("PASS PLAY PASS PASS " + named + " E9 EA E7 E8");
    EXPECT_EQ(table.game().is_terminal(), early);
    table.play_out();
    EXPECT_EQ(table.payoffs(), (Payoffs{price, -3 * price, price, price}));
  }
}

TEST(Negative, R_063_bettel) {
  expect_switch("C_BETTEL", "BETTEL");
  expect_negative("C_BETTEL", "BETTEL", 30);
}

// Laid down once the game is named, for everybody to see (OPEN-27); what is played is gone.
TEST(Negative, R_064_the_hand_of_a_brett_lies_open_for_everybody) {
  expect_switch("C_BETTEL_BRETT", "BETTEL_BRETT");
  expect_negative("C_BETTEL_BRETT", "BETTEL_BRETT", 60);
  Table table = negative("C_BETTEL_BRETT");
  for (int seat = 0; seat < 4; ++seat) {
    EXPECT_EQ(CardSet(table.game().view(seat).order.open), parse_cards("E7 E8 E9 G7 G8 G9 H7 S7"));
  }
  table.play("EA");
  EXPECT_TRUE(legal_is(table, "E7 E8 E9")) << "the declarer still chooses";
  table.play("E9");
  for (int seat = 0; seat < 4; ++seat) {
    EXPECT_EQ(CardSet(table.game().view(seat).order.open), parse_cards("E7 E8 G7 G8 G9 H7 S7"));
  }
  for (const char* closed : {"C_BETTEL", "C_RAMSCH_TOUT", "C_BETTEL_MIX", "C_SOLO SUIT_E"}) {
    table = negative(closed);
    for (int seat = 0; seat < 4; ++seat) {
      EXPECT_EQ(table.game().view(seat).order.open, 0u) << closed;
    }
  }
}

TEST(Negative, R_064_the_brett_may_be_opened_after_the_first_trick) {
  Table table = negative("C_BETTEL_BRETT", {"brett_reveal = \"after_first_trick\""});
  for (const char* card : {"EA", "E9", "EK", "E10"}) {
    EXPECT_EQ(table.game().view(2).order.open, 0u);
    table.play(card);
  }
  for (int seat = 0; seat < 4; ++seat) {
    EXPECT_EQ(CardSet(table.game().view(seat).order.open), parse_cards("E7 E8 G7 G8 G9 H7 S7"));
  }
}

// OPEN-28: twice the price of a Bettel.
TEST(Negative, R_065_ramsch_tout) {
  expect_switch("C_RAMSCH_TOUT", "RAMSCH_TOUT");
  expect_negative("C_RAMSCH_TOUT", "RAMSCH_TOUT", 60);
}

// OPEN-29: the price of a Bettel.
TEST(Negative, R_066_mixed_bettel) {
  expect_switch("C_BETTEL_MIX", "BETTEL_MIX");
  expect_negative("C_BETTEL_MIX", "BETTEL_MIX", 30);
}

// C.14: Kontra as in other single games.
TEST(Negative, R_063_kontra_on_a_bettel) {
  Table table = negative("C_BETTEL", {"kontra_window = \"before_second_card\""});
  table.play("EA");
  EXPECT_EQ(table.now(), "DOUBLE 2");
  table.play("DOUBLE NO_DOUBLE").play_out();
  EXPECT_EQ(table.payoffs(), (Payoffs{-60, 180, -60, -60}));
}

// ---- Sie ----

const char* const kSie = " | EO GO HO SO EU GU HU SU | |";

TEST(SieGame, R_070_sie_is_laid_down_and_paid) {
  Table table(house({"kontra_window = \"before_second_card\""}), kSie);
  table.play("PASS PLAY PASS PASS");
  EXPECT_TRUE(legal_is(table, "C_WENZ C_SOLO C_WENZ_TOUT C_SOLO_TOUT C_SIE"));
  table.play("C_SIE");
  EXPECT_EQ(table.now(), "DONE") << "OPEN-32: no Kontra";
  EXPECT_EQ(table.game().num_plays(), 0);
  EXPECT_EQ(table.payoffs(), (Payoffs{-520, 1560, -520, -520}));
}

TEST(SieGame, R_070_sie_needs_all_eight_pictures) {
  Table table(house(), " | EO GO HO SO EU GU HU HA | |");
  table.play("PASS PLAY PASS PASS");
  EXPECT_FALSE(can(table, "C_SIE"));
  table = Table(house({"sie_enabled = false"}), kSie);
  table.play("PASS PLAY PASS PASS");
  EXPECT_FALSE(can(table, "C_SIE"));
}

TEST(SieGame, R_070_sie_outbids_every_tout_and_legen_counts) {
  Table table(house({"legen = \"free\""}), kSie);
  table.play("LAY NO_LAY NO_LAY NO_LAY PLAY PLAY PASS PASS C_SOLO_TOUT");
  EXPECT_EQ(table.now(), "AUCTION_RESOLVE 1");
  EXPECT_TRUE(legal_is(table, "PASS C_SIE"));
  table.play("C_SIE");
  EXPECT_EQ(table.payoffs(), (Payoffs{-1040, 3120, -1040, -1040}));
}

}  // namespace
}  // namespace schafkopf
