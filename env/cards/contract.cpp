#include "env/cards/contract.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "env/base/wrong_argument.h"
#include "env/cards/kept_ranks.h"

namespace schafkopf {
namespace {

// clang-format off
using enum ContractClass;
constexpr Rank kO = Rank::kOber, kU = Rank::kUnter, kK = Rank::kKoenig, kX = Rank::k10;
constexpr auto kByIx = PlainOrder::kByIndex, kLowT = PlainOrder::kLowTen;
constexpr auto kNoSuit = TrumpSuit::kNone, kNamed = TrumpSuit::kAnnounced, kPartner = TrumpSuit::kPartnerSuit;
constexpr auto kOne = PriceFactor::kOne;
constexpr auto kLNone = LaufendeGroup::kNone, kLOber = LaufendeGroup::kOber, kLWenz = LaufendeGroup::kWenz;
using P = Parties;
using G = Goal;
using T = TariffKey;
using F = Family;

// class, name, trump ranks, their number, trump suit, trumps, plain order, parties, goal, price, factor, Laufende,
// doubling, by duty, nameable, family, open hand, rank, Tout rank, action, Tout action, source
constexpr std::array<ContractRow, kNumContractClasses> kTable = {{
  {kRuf,            "RUF",            {kO, kU}, 2, kPartner, 14, kByIx, P::kCalledCard,    G::kMajority,     T::kRuf,            kOne,                   kLOber, true,  false, true, F::kRuf,   false,  10,  0,  83,   0, "000 1.3, 2.3"},
  {kHochzeit,       "HOCHZEIT",       {kO, kU}, 2, kPartner, 14, kByIx, P::kHochzeit,      G::kMajority,     T::kHochzeit,       PriceFactor::kHochzeit, kLOber, true,  false, false, F::kNone,  false, 11,  0,   0,   0, "000 A1 2.1; 003"},
  {kMuss,           "MUSS",           {kO, kU}, 2, kPartner, 14, kByIx, P::kCalledCard,    G::kMajority,     T::kRuf,            kOne,                   kLOber, false, true , false, F::kNone,  false,  9,  0,   0,   0, "000 A1 3.3"},
  {kKreuz,          "KREUZ",          {kO, kU}, 2, kPartner, 14, kByIx, P::kOppositeSeats, G::kMajority,     T::kRuf,            kOne,                   kLOber, true,  false, false, F::kNone,  false,  0,  0,   0,   0, "002; 003"},
  {kRamsch,         "RAMSCH",         {kO, kU}, 2, kPartner, 14, kByIx, P::kEveryone,      G::kFewestPoints, T::kRamsch,         kOne,                   kLNone, false, false, false, F::kNone,  false,  8,  0,   0,   0, "000 A1 3.1"},
  {kSolo,           "SOLO",           {kO, kU}, 2, kNamed,   14, kByIx, P::kAlone,         G::kMajority,     T::kSolo,           kOne,                   kLOber, true,  false, true, F::kSolo,  false,  29, 49,  94, 105, "000 1.3, 1.4.2"},
  {kWenz,           "WENZ",           {kU, kU}, 1, kNoSuit,   4, kByIx, P::kAlone,         G::kMajority,     T::kWenz,           kOne,                   kLWenz, true,  false, true, F::kWenz,  false,  28, 48,  93, 104, "000 1.4.4"},
  {kGeier,          "GEIER",          {kO, kO}, 1, kNoSuit,   4, kByIx, P::kAlone,         G::kMajority,     T::kGeier,          kOne,                   kLWenz, true,  false, true, F::kNone,  false,  27, 47,  92, 103, "000 A1 1.2"},
  {kFarbwenz,       "FARBWENZ",       {kU, kU}, 1, kNamed,   11, kByIx, P::kAlone,         G::kMajority,     T::kFarbwenz,       kOne,                   kLWenz, true,  false, true, F::kNone,  false,  26, 46,  91, 102, "000 A1 1.1"},
  {kFarbgeier,      "FARBGEIER",      {kO, kO}, 1, kNamed,   11, kByIx, P::kAlone,         G::kMajority,     T::kFarbgeier,      kOne,                   kLWenz, true,  false, true, F::kNone,  false,  25, 45,  90, 101, "000 A1 1.3"},
  {kHabicht,        "HABICHT",        {kK, kK}, 1, kNoSuit,   4, kByIx, P::kAlone,         G::kMajority,     T::kHabicht,        kOne,                   kLWenz, true,  false, true, F::kNone,  false,  24, 44,  89, 100, "003"},
  {kEisenbahner,    "EISENBAHNER",    {kX, kX}, 1, kNoSuit,   4, kByIx, P::kAlone,         G::kMajority,     T::kEisenbahner,    kOne,                   kLWenz, true,  false, true, F::kNone,  false,  23, 43,  88,  99, "003"},
  {kFarbhabicht,    "FARBHABICHT",    {kK, kK}, 1, kNamed,   11, kByIx, P::kAlone,         G::kMajority,     T::kFarbhabicht,    kOne,                   kLWenz, true,  false, true, F::kNone,  false,  22, 42,  87,  98, "003"},
  {kFarbeisenbahner,"FARBEISENBAHNER",{kX, kX}, 1, kNamed,   11, kByIx, P::kAlone,         G::kMajority,     T::kFarbeisenbahner,kOne,                   kLWenz, true,  false, true, F::kNone,  false,  21, 41,  86,  97, "003"},
  {kBettel,         "BETTEL",         {kO, kO}, 0, kNoSuit,   0, kLowT, P::kAlone,         G::kNoTrick,      T::kBettel,         kOne,                   kLNone, true,  false, true, F::kNone,  false,  20,  0,  84,   0, "000 A1 1.4"},
  {kBettelBrett,    "BETTEL_BRETT",   {kO, kO}, 0, kNoSuit,   0, kLowT, P::kAlone,         G::kNoTrick,      T::kBrett,          kOne,                   kLNone, true,  false, true, F::kNone,  true ,  40,  0,  96,   0, "003"},
  {kRamschTout,     "RAMSCH_TOUT",    {kO, kU}, 2, kPartner, 14, kByIx, P::kAlone,         G::kNoTrick,      T::kRamschTout,     kOne,                   kLNone, true,  false, true, F::kNone,  false,  40,  0,  95,   0, "003"},
  {kBettelMix,      "BETTEL_MIX",     {kO, kU}, 2, kNoSuit,   8, kByIx, P::kAlone,         G::kNoTrick,      T::kMix,            kOne,                   kLNone, true,  false, true, F::kNone,  false,  20,  0,  85,   0, "003"},
  {kSie,            "SIE",            {kO, kU}, 2, kNoSuit,   8, kByIx, P::kAlone,         G::kFixedHand,    T::kSolo,           PriceFactor::kSie,      LaufendeGroup::kAlwaysEight, false, false, false, F::kNone,  false, 60, 0, 106, 0, "000 1.3, 3.4"},
}};
// clang-format on

constexpr bool rows_are_in_order() {
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<std::size_t>(kTable[i].contract) != i) return false;
    if (kTable[i].name != names_of(ContractClass{})[i]) return false;
    const int trumps =
        4 * kTable[i].num_trump_ranks +
        (kTable[i].trump_suit == TrumpSuit::kNone ? 0 : 8 - kTable[i].num_trump_ranks);
    if (trumps != kTable[i].num_trumps) return false;
    if ((kTable[i].tout_action != 0) != (kTable[i].tout_rank != 0)) return false;
  }
  return true;
}
static_assert(rows_are_in_order(), "class, name, number of trumps or Tout of a row");

constexpr bool names_differ() {
  for (const ContractRow& row : kTable) {
    if (row.name.empty() || row.source.empty()) return false;
    if (row.name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != std::string_view::npos) {
      return false;
    }
    for (const ContractRow& other : kTable) {
      if (&other != &row && other.name == row.name) return false;
      if (row.tout_action != 0 && other.name.starts_with(row.name) &&
          other.name.substr(row.name.size()) == "_TOUT") {
        return false;
      }
    }
  }
  return true;
}
static_assert(names_differ(),
              "a name of capital letters and _, which no other row has, not as its Tout either; "
              "and a source");

constexpr bool trump_ranks_differ() {
  for (const ContractRow& row : kTable) {
    if (row.num_trump_ranks > 2) return false;
    if (row.num_trump_ranks == 2 && row.trump_ranks[0] == row.trump_ranks[1]) return false;
  }
  return true;
}
static_assert(trump_ranks_differ(), "a row has at most two trump ranks, which differ");

constexpr bool trump_ranks_have_maps() {
  for (const ContractRow& row : kTable) {
    CardSet kept;
    for (int i = 0; i < row.num_trump_ranks; ++i) {
      kept = kept | CardSet::rank(row.trump_ranks[static_cast<std::size_t>(i)]);
    }
    if (std::ranges::find(kKeptRanks, kept.bits()) == std::end(kKeptRanks)) return false;
  }
  return true;
}
static_assert(trump_ranks_have_maps(),
              "a set of trump ranks that no contract had before is added to kKeptRanks "
              "(env/cards/kept_ranks.h): canonical cards need maps for it");

constexpr bool low_tens_are_plain() {
  for (const ContractRow& row : kTable) {
    if (row.plain_order == PlainOrder::kLowTen && row.trump_suit != TrumpSuit::kNone) return false;
  }
  return true;
}
static_assert(low_tens_are_plain(), "tens rank low among plain cards only: no suit may be trump");

constexpr bool one_row_is_called() {
  int called = 0;
  for (const ContractRow& row : kTable) {
    if (!row.nameable || row.is_single()) continue;
    if (row.parties != Parties::kCalledCard) return false;
    ++called;
  }
  return called == 1;
}
static_assert(
    one_row_is_called(),
    "of the games that are named in the auction one alone is a partner game, with a called ace: "
    "its trumps say which aces may be called (CompiledRules::call_action, calling_row)");

constexpr bool ranks_order_the_auction() {
  constexpr int kNumRanksOfAuction = 64;  // CompiledRules::classes_from_rank
  for (const ContractRow& row : kTable) {
    if (row.rank < 0 || row.rank >= kNumRanksOfAuction) return false;
    if (row.tout_rank < 0 || row.tout_rank >= kNumRanksOfAuction) return false;
    if (row.tout_action != 0 && row.tout_rank <= row.rank) return false;
    if (row.nameable && (row.action == 0 || row.rank == 0)) return false;
  }
  return true;
}
static_assert(ranks_order_the_auction(),
              "auction ranks are 0..63, that of a Tout above that of its game; what "
              "can be named has an action and a rank");

constexpr bool every_contract_action_has_one_row() {
  for (int action = 1; action < kNumActions; ++action) {  // 0 = none
    int rows = 0;
    for (const ContractRow& row : kTable) {
      rows += static_cast<int>(row.action == action) + static_cast<int>(row.tout_action == action);
    }
    const bool names = action >= kFirstContractAction && action <= kLastContractAction;
    if (rows != (names ? 1 : 0)) return false;
  }
  return true;
}
static_assert(every_contract_action_has_one_row(),
              "the actions of the rows are those of kNumContractActions, each once");

/// Names of the Tout forms, so that contract_name can return a view.
const std::array<std::string, kNumContractClasses>& tout_names() {
  static const std::array<std::string, kNumContractClasses> names = [] {
    std::array<std::string, kNumContractClasses> list;
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = std::string(kTable[i].name) + "_TOUT";
    return list;
  }();
  return names;
}

}  // namespace

void check_numbers(ContractClass contract, Suit suit) {
  const int number = static_cast<int>(contract), suit_number = static_cast<int>(suit);
  if (number >= kNumContractClasses) {
    refuse_argument("contract", " = " + std::to_string(number) +
                                    ", allowed: the classes of ContractClass, 0.." +
                                    std::to_string(kNumContractClasses - 1));
  }
  if (suit_number >= kNumSuits) {
    refuse_argument("suit", " = " + std::to_string(suit_number) + ", allowed: 0.." +
                                std::to_string(kNumSuits - 1));
  }
}

std::span<const ContractRow> contract_table() { return kContractRows; }
constinit const std::array<ContractRow, kNumContractClasses> kContractRows = kTable;

EnumSet<ContractClass> nameable_contracts() {
  EnumSet<ContractClass> found;
  for (const ContractRow& row : kTable) {
    if (row.nameable) found.add(row.contract);
  }
  return found;
}

EnumSet<ContractClass> nameable_partner_games() {
  EnumSet<ContractClass> found;
  for (const ContractRow& row : kTable) {
    if (row.nameable && row.is_partner_game()) found.add(row.contract);
  }
  return found;
}

namespace {

template <class Predicate>
const ContractRow& first_row(Predicate predicate) {
  return *std::ranges::find_if(kTable, predicate);
}

}  // namespace

const ContractRow& calling_row() {
  static const ContractRow& found = first_row(
      [](const ContractRow& row) { return row.nameable && row.parties == Parties::kCalledCard; });
  return found;
}

const ContractRow& row_of(Family family) {
  return first_row([family](const ContractRow& row) { return row.family == family; });
}

const ContractRow& row_of(Parties parties) {
  return first_row([parties](const ContractRow& row) { return row.parties == parties; });
}

const ContractRow& duty_row() {
  return first_row([](const ContractRow& row) { return row.by_duty; });
}

const ContractRow& fixed_hand_row() {
  return first_row([](const ContractRow& row) { return row.goal == Goal::kFixedHand; });
}

NamedContract contract_of_action(Action action) {
  static constexpr std::array<NamedContract, kNumActions> kByAction = [] {
    std::array<NamedContract, kNumActions> found{};
    for (const ContractRow& row : kTable) {
      if (row.action != 0) found[row.action] = {&row, false};
      if (row.tout_action != 0) found[row.tout_action] = {&row, true};
    }
    return found;
  }();
  return action < kNumActions ? kByAction[action] : NamedContract{};
}

std::string_view contract_name(ContractClass contract, bool tout) {
  const auto index = static_cast<std::size_t>(contract);
  return tout ? std::string_view(tout_names()[index]) : kTable[index].name;
}

NamedContract parse_contract(std::string_view name) {
  for (const ContractRow& row : kTable) {
    if (row.name == name) return {&row, false};
    if (row.tout_action != 0 && contract_name(row.contract, true) == name) return {&row, true};
  }
  return {};
}

CardSet trumps_of(const ContractRow& row, Suit suit) {
  CardSet trumps;
  for (int i = 0; i < row.num_trump_ranks; ++i) {
    trumps = trumps | CardSet::rank(row.trump_ranks[static_cast<std::size_t>(i)]);
  }
  if (row.trump_suit != TrumpSuit::kNone) trumps = trumps | CardSet::suit(suit);
  return trumps;
}

TrumpList ordered_trumps(const ContractRow& row, Suit suit) {
  TrumpList list;
  CardSet rest = trumps_of(row, suit);
  const auto append = [&list, &rest](Card card) {
    if (!rest.contains(card)) return;
    list.add(card);
    rest.remove(card);
  };
  for (int i = 0; i < row.num_trump_ranks; ++i) {
    for (int s = 0; s < kNumSuits; ++s) {
      append(make_card(static_cast<Suit>(s), row.trump_ranks[static_cast<std::size_t>(i)]));
    }
  }
  for (int rank = kNumRanks - 1; rank >= 0; --rank)
    append(make_card(suit, static_cast<Rank>(rank)));
  return list;
}

}  // namespace schafkopf
