// The contract table: one row per class (RULES C), the only place that names contracts. Code reads
// columns; a new contract is a new row.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "env/cards/action.h"
#include "env/cards/card.h"
#include "env/cards/contract_class.h"
#include "env/cards/tariff.h"

namespace schafkopf {

enum class TrumpSuit : std::uint8_t { kNone, kAnnounced, kPartnerSuit };
enum class PlainOrder : std::uint8_t { kByIndex, kLowTen };  // A K O U 10 9 8 7 (C.14)
enum class Parties : std::uint8_t { kCalledCard, kHochzeit, kOppositeSeats, kAlone, kEveryone };
enum class Goal : std::uint8_t { kMajority, kNoTrick, kFewestPoints, kFixedHand };
enum class LaufendeGroup : std::uint8_t { kNone, kOber, kWenz, kAlwaysEight };
enum class PriceFactor : std::uint8_t { kOne, kHochzeit, kSie };
/// The three games that are owed in an Allgaeuer Runde (C.20.9) and stand for their kind elsewhere.
enum class Family : std::uint8_t { kNone, kRuf, kWenz, kSolo };

/// Names of the columns, for pages and Python.
[[nodiscard]] constexpr auto names_of(TrumpSuit) {
  return make_names("none", "announced", "partner_trump_suit");
}
[[nodiscard]] constexpr auto names_of(PlainOrder) { return make_names("by_index", "low_ten"); }
[[nodiscard]] constexpr auto names_of(Parties) {
  return make_names("called_card", "hochzeit", "opposite_seats", "alone", "everyone");
}
[[nodiscard]] constexpr auto names_of(Goal) {
  return make_names("majority", "no_trick", "fewest_points", "fixed_hand");
}
[[nodiscard]] constexpr auto names_of(LaufendeGroup) {
  return make_names("none", "ober", "wenz", "always_eight");
}
[[nodiscard]] constexpr auto names_of(PriceFactor) { return make_names("one", "hochzeit", "sie"); }

/// One contract class. Tout is a form of rows with a Tout action: same trumps, all tricks, factor
/// tout_factor, no Schneider (C.18).
struct ContractRow {
  ContractClass contract;
  std::string_view name;
  std::array<Rank, 2> trump_ranks;  // strongest first
  int num_trump_ranks;
  TrumpSuit trump_suit;
  int num_trumps;  // in the long deck, checked against the masks
  PlainOrder plain_order;
  Parties parties;
  Goal goal;
  TariffKey price;
  PriceFactor factor;
  LaufendeGroup laufende;
  bool doubling;  // windows of F.2 open
  bool by_duty;   // nobody chose it: muss_threshold and muss_kontra apply (C.4)
  bool nameable;  // enters by the auction and the switch `contracts` (SIE: sie_enabled)
  Family family;
  bool open_hand;      // the declarer lays his cards open (`brett_reveal`)
  int rank;            // auction rank (D.3), 0 = outside the auction
  int tout_rank;       // 0 = no Tout form
  Action action;       // 0 = none
  Action tout_action;  // 0 = none
  std::string_view source;

  [[nodiscard]] constexpr bool is_single() const { return parties == Parties::kAlone; }
  /// Whether points may be promised: not where tricks are avoided (D.5).
  [[nodiscard]] constexpr bool takes_bid() const { return is_single() && goal != Goal::kNoTrick; }
  [[nodiscard]] constexpr bool is_partner_game() const {
    return parties == Parties::kCalledCard || parties == Parties::kHochzeit ||
           parties == Parties::kOppositeSeats;
  }
};

[[nodiscard]] std::span<const ContractRow> contract_table();
extern const std::array<ContractRow, kNumContractClasses> kContractRows;  // in order of class
[[nodiscard]] inline const ContractRow& contract_row(ContractClass contract) {
  return kContractRows[static_cast<std::size_t>(contract)];
}

/// Throws WrongArgument "contract" or "suit" for a number that names none.
void check_numbers(ContractClass contract, Suit suit);

/// Contracts that a player can name: what the switch `contracts` offers (RULES J.1).
[[nodiscard]] EnumSet<ContractClass> nameable_contracts();
/// Those of them that need a partner, and so four seats (RULES B.2).
[[nodiscard]] EnumSet<ContractClass> nameable_partner_games();
/// The nameable partner game with a called card.
[[nodiscard]] const ContractRow& calling_row();
/// The contract of a family; the first row with these parties; the called game by duty (C.4); the
/// game that is laid down at once (C.19).
[[nodiscard]] const ContractRow& row_of(Family family);
[[nodiscard]] const ContractRow& row_of(Parties parties);
[[nodiscard]] const ContractRow& duty_row();
[[nodiscard]] const ContractRow& fixed_hand_row();

/// Class and Tout form of a contract action; row = nullptr for other actions.
struct NamedContract {
  const ContractRow* row = nullptr;
  bool tout = false;
};
[[nodiscard]] NamedContract contract_of_action(Action action);
/// "SOLO", "SOLO_TOUT"
[[nodiscard]] std::string_view contract_name(ContractClass contract, bool tout);
/// Inverse of contract_name; row = nullptr if unknown.
[[nodiscard]] NamedContract parse_contract(std::string_view name);

/// Trump set of a class; `suit` is read only where the row has a trump suit.
[[nodiscard]] CardSet trumps_of(const ContractRow& row, Suit suit);
/// Ordered trumps, strongest first (RULES C); count = trumps_of(...).count().
struct TrumpList {
  std::array<Card, kNumCards> cards{};
  std::array<std::uint32_t, kNumCards> up_to{};  // bits of cards[0..i]; all of them beyond the last
  int count = 0;

  void add(Card card) {
    cards[static_cast<std::size_t>(count)] = card;
    const std::uint32_t all = up_to.back() | CardSet::of(card).bits();
    for (auto i = static_cast<std::size_t>(count++); i < up_to.size(); ++i) up_to[i] = all;
  }

  [[nodiscard]] std::span<const Card> cards_in_order() const {
    return {cards.data(), static_cast<std::size_t>(count)};
  }
};
[[nodiscard]] TrumpList ordered_trumps(const ContractRow& row, Suit suit);

/// A contract with everything that was named: what card play starts from.
struct Contract {
  ContractClass contract = ContractClass::kRamsch;
  bool tout = false;
  Suit suit = Suit::kHerz;  // trump suit where the row announces one
  Card called = kNoCard;    // called card where the row calls one
  int declarer = -1;        // absolute seat, -1 = none
  bool renonce = false;
  int bid = 0;  // Steigern
  friend constexpr bool operator==(const Contract&, const Contract&) = default;
};

}  // namespace schafkopf
