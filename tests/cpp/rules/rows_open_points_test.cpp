// Points that the sources leave open (RULES L.2, OPEN-nn), in the reading that RULES chose and that
// no other test names.
#include "tests/cpp/support/table.h"

namespace schafkopf {
namespace {

// seat 0 holds EO GO HO, SO is with seat 1; he can call SA of seat 2
const char* const kRufOf0 = "EO GO HO H9 H8 H7 EA S7 | SO E7 | SA | E8";

// OPEN-04: the extension is not seed-defined and optional; it is not built.
TEST(OpenPoints, R_008_two_players_are_refused_with_the_extension_too) {
  EXPECT_THROW((void)house({"players = 2"}), std::invalid_argument);
  EXPECT_THROW((void)house({"players = 2", "two_player_extension = true"}), std::invalid_argument);
}

// OPEN-41: 004 names no rank of the Tout: the official order.
TEST(OpenPoints, R_095_a_tout_outbids_a_solo_at_the_tournament) {
  Table table(house({}, "tournament_2024"), kRufOf0);
  table.play("PLAY PLAY PASS PASS C_SOLO");
  EXPECT_TRUE(legal_is(table, "PASS C_WENZ_TOUT C_SOLO_TOUT"));
  table.play("C_WENZ_TOUT");
  EXPECT_EQ(table.contract(), "WENZ_TOUT");
  EXPECT_EQ(table.declarer(), 1);
}

// OPEN-42
TEST(OpenPoints, R_097_the_presets_of_003_have_the_direct_auction) {
  for (const std::string_view name : preset_names()) {
    const bool direct = preset(name).auction_style == AuctionStyle::kDirect;
    EXPECT_EQ(direct, name.starts_with("wikipedia_")) << name;
  }
  EXPECT_EQ(Table(house({}, "official_1989"), kRufOf0).now(), "AUCTION_ROUND 0");
  EXPECT_EQ(Table(house({}, "wikipedia_pure"), kRufOf0).now(), "AUCTION_DIRECT 0");
}

// OPEN-50: the declarer may throw away his last card of the call suit, and lead it.
TEST(OpenPoints, R_115_the_declarer_need_not_keep_a_card_of_the_call_suit) {
  const char* const deal = "EO GO HO H9 H8 H7 EA S7 | GA SO | SA | G8";
  Table table(house(), deal);
  table.play("PLAY PASS PASS PASS C_RUF SA");
  EXPECT_TRUE(legal_is(table, "EO GO HO H9 H8 H7 EA S7"));
  const Card led[] = {parse_card("GA").value()};
  EXPECT_EQ(legal(parse_cards("EO S7 EA"), led, ContractClass::kRuf, Suit::kHerz,
                  parse_card("SA").value(), false, table.rules().rules()),
            parse_cards("EO S7 EA"));
}

// OPEN-30, OPEN-62, OPEN-63: everything is doubled, Laufende are paid by each opponent.
TEST(OpenPoints, R_159_R_173_prices_of_the_tournament) {
  const auto rules =
      house({"claims_enabled = true", "kontra_window = \"before_second_card\""}, "tournament_2024");
  Table table(rules, kRufOf0);
  table.play("PLAY PASS PASS PASS C_SOLO SUIT_H EO NO_DOUBLE NO_DOUBLE NO_DOUBLE CONCEDE_REST");
  // 20 + 10 + 10 + 3 x 10
  EXPECT_EQ(table.payoffs(), (Payoffs{210, -70, -70, -70}));
  table = Table(rules, kRufOf0);
  table.play("PLAY PASS PASS PASS C_SOLO SUIT_H EO DOUBLE NO_DOUBLE CONCEDE_REST");
  EXPECT_EQ(table.payoffs(), (Payoffs{420, -140, -140, -140}));
  table = Table(rules, kRufOf0);
  table.play("PLAY PASS PASS PASS C_SOLO_TOUT SUIT_H EO NO_DOUBLE NO_DOUBLE NO_DOUBLE");
  table.play("CONCEDE_REST");
  // (20 + 3 x 10) x 2
  EXPECT_EQ(table.payoffs(), (Payoffs{300, -100, -100, -100}));
}

/// A Rufspiel of seats 0 and 2 with 40 in the Stock, conceded by a seat.
Table with_stock(const Lines& lines, bool won, const std::string& before = "") {
  Lines all = {"claims_enabled = true"};
  all.insert(all.end(), lines.begin(), lines.end());
  DealContext context;
  context.stock = 40;
  Table table(house(all), kRufOf0, 3, context);
  return table.play(before + "PLAY PASS PASS PASS C_RUF SA " +
                    (won ? "EO CONCEDE_REST" : "CONCEDE_REST"));
}

// OPEN-48: "gemeinsam rein, gemeinsam raus".
TEST(OpenPoints, R_175_the_party_shares_the_stock) {
  const Lines shared = {"stock_owner = \"party\""};
  EXPECT_EQ(with_stock(shared, true).game().settlement().stock_payoffs, (Payoffs{20, 0, 20, 0}));
  EXPECT_EQ(with_stock(shared, false).game().settlement().stock_payoffs, (Payoffs{-20, 0, -20, 0}));
  EXPECT_EQ(with_stock({}, true).game().settlement().stock_payoffs, (Payoffs{40, 0, 0, 0}));
  EXPECT_EQ(with_stock({}, false).game().settlement().stock_payoffs, (Payoffs{-40, 0, 0, 0}));
}

// OPEN-65
TEST(OpenPoints, R_174_doublings_do_not_multiply_the_stock) {
  Table table = with_stock({"legen = \"free\""}, true, "LAY LAY NO_LAY NO_LAY ");
  EXPECT_EQ(table.game().settlement().stock_payoffs, (Payoffs{40, 0, 0, 0}));
  // 10 + 10 + 10 + 3 x 10, twice doubled
  EXPECT_EQ(table.payoffs(), (Payoffs{240, -240, 240, -240}));
}

// OPEN-67: a lost declarer game costs the declarer, and nobody else gets it.
TEST(OpenPoints, R_176_reuegeld_of_a_lost_game) {
  Table table = with_stock({"reuegeld = 5"}, false);
  EXPECT_EQ(table.game().settlement().reuegeld, 5);
  EXPECT_EQ(table.payoffs(), with_stock({}, false).payoffs());
  EXPECT_EQ(with_stock({"reuegeld = 5"}, true).game().settlement().reuegeld, 0);
  EXPECT_EQ(with_stock({}, false).game().settlement().reuegeld, 0);
}

}  // namespace
}  // namespace schafkopf
