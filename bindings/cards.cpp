// Cards, actions, contracts and the rule functions about them for Python.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>

#include "bindings/common.h"
#include "env/base/input_limits.h"
#include "env/base/nearest.h"
#include "env/cards/contract.h"
#include "env/price/result_limits.h"
#include "env/rules/hand_order.h"

namespace schafkopf::python {
namespace {

std::string repr_contract(const Contract& contract) {
  const ContractRow& row = contract_row(contract.contract);
  std::string text = fmt::format("Contract('{}'", row.name);
  if (contract.declarer >= 0) text += fmt::format(", declarer={}", contract.declarer);
  if (row.trump_suit == TrumpSuit::kAnnounced) {
    text += fmt::format(", suit='{}'", to_string(contract.suit));
  }
  if (contract.called != kNoCard) {
    text += fmt::format(", called='{}'", card_name(contract.called));
  }
  if (contract.tout) text += ", tout=True";
  if (contract.bid != 0) text += fmt::format(", bid={}", contract.bid);
  if (contract.renonce) text += ", renonce=True";
  return text + ")";
}

/// The trump suit of a class: named where the class announces one, and only there.
Suit trump_suit_from(const ContractRow& row, const std::optional<Text<"suit">>& suit) {
  const bool announced = row.trump_suit == TrumpSuit::kAnnounced;
  if (suit && !announced) {
    throw std::invalid_argument(
        fmt::format("{}: suit \"{}\", allowed: none: this class names no suit", row.name,
                    quotable(suit->value)));
  }
  if (!suit && announced) {
    throw std::invalid_argument(fmt::format("{} needs a suit, allowed: E, G, H, S", row.name));
  }
  return suit ? suit_from(*suit) : Suit::kHerz;
}

Card called_card_from(const ContractRow& row, const py::object& called) {
  const bool calls = row.parties == Parties::kCalledCard;
  if (called.is_none() && calls) {
    throw std::invalid_argument(fmt::format("{} needs a called card, such as EA (C.1)", row.name));
  }
  const Card card = called.is_none() ? kNoCard : card_from(called);
  const auto trumps =
      std::span(row.trump_ranks).first(static_cast<std::size_t>(row.num_trump_ranks));
  if (calls && std::ranges::find(trumps, rank_of(card)) != trumps.end()) {
    throw std::invalid_argument(fmt::format(
        "{}: called card {}, allowed: a card of a plain suit (C.1)", row.name, card_name(card)));
  }
  if (calls || called.is_none()) return card;
  throw std::invalid_argument(
      fmt::format("{}: called card {}, allowed: none: only partner games call one (C.1)", row.name,
                  card_name(card)));
}

/// What is named with a class, as it came from Python.
struct ContractDetails {
  int declarer = -1;
  std::optional<Text<"suit">> suit;
  py::object called = py::none();
  bool tout = false;
  int bid = 0;
  bool renonce = false;
};

Contract make_contract(const std::string& name, const ContractDetails& details) {
  Contract contract;
  const NamedContract named = parse_contract(name);
  // Of an unknown name contract_class_from makes the error, with the known ones.
  contract.contract = named.row != nullptr ? named.row->contract : contract_class_from(name);
  const ContractRow& row = contract_row(contract.contract);
  contract.tout = details.tout || named.tout;
  if (contract.tout && row.tout_action == 0) {
    throw std::invalid_argument(fmt::format("{} has no Tout form", name));
  }
  contract.suit = trump_suit_from(row, details.suit);
  contract.called = called_card_from(row, details.called);
  check_bid(row, details.bid);
  contract.bid = details.bid;
  contract.declarer = details.declarer == -1 ? -1 : seat_from(details.declarer, "declarer");
  if (contract.declarer >= 0 && row.parties == Parties::kEveryone) {
    throw std::invalid_argument(fmt::format("{} has no declarer", row.name));
  }
  contract.renonce = details.renonce;
  if (contract.renonce && row.parties != Parties::kCalledCard) {
    throw std::invalid_argument(fmt::format("{} has no renonce (C.2)", row.name));
  }
  return contract;
}

void register_names(py::module_& module) {
  module.def(
      "card_name", [](const py::object& card) { return card_name(card_from(card)); },
      py::arg("card"),
      R"(Name of a card number 0..31: "EO".

Raises:  ValueError: neither a number 0..31 nor a name.)");
  module.def(
      "parse_card", [](const py::object& card) { return static_cast<int>(card_from(card)); },
      py::arg("name"),
      R"(Number 0..31 of a card; X, T and Z stand for 10.

Raises:  ValueError: neither a name nor a number 0..31.)");
  module.def(
      "action_name",
      [](Whole<"action", int, 0, kNumActions - 1> action) { return action_name(action); },
      py::arg("action"),
      R"(Name of an action number 0..127: "PASS", "CARD EA", "C_SOLO".

Raises:  ValueError: a number that is none of these, or no integer.)");
  module.def(
      "parse_action", [](const py::str& name) { return static_cast<int>(action_from(name)); },
      py::arg("name"),
      R"(Number 0..127 of an action name; a bare card means CARD.

Raises:  ValueError: no name of an action, with the nearest one.  TypeError: no text.)");
  module.def(
      "phase_name",
      [](Whole<"phase", int, 0, kNumPhases - 1> phase) {
        return std::string(phase_name(static_cast<Phase>(phase.value)));
      },
      py::arg("phase"),
      R"(Name of a phase number, as in VectorEnv.phase.

Raises:  ValueError: a number that no phase has, or no integer.)");
}

/// As contract_from reads it.
py::dict contract_to_dict(const Contract& contract) {
  const ContractRow& row = contract_row(contract.contract);
  py::dict result;
  result["class"] = row.name;
  result["declarer"] = int{contract.declarer};
  if (row.trump_suit == TrumpSuit::kAnnounced) result["suit"] = to_string(contract.suit);
  if (contract.called != kNoCard) result["called"] = int{contract.called};
  result["tout"] = contract.tout;
  result["bid"] = int{contract.bid};
  result["renonce"] = contract.renonce;
  return result;
}

void register_contract(py::module_& module) {
  std::vector<std::string> classes;
  for (const std::string_view name : names_of(ContractClass{})) classes.emplace_back(name);
  module.attr("CONTRACT_CLASSES") = py::tuple(py::cast(classes));
  std::vector<std::string> modes;
  for (const std::string_view name : names_of(SpecialRound{})) modes.emplace_back(name);
  module.attr("SPECIAL_ROUNDS") = py::tuple(py::cast(modes));
  py::class_<Contract>(module, "Contract",
                       R"(Class, declarer and what was named with it.

Args:    name: class, "_TOUT" behind it or tout=True: for all tricks.
         declarer: seat; -1 = none, or not known yet.
         suit: trump suit of the classes that name one (SOLO, FARBWENZ, ...), and only of those.
         called: called card of RUF and MUSS, and only of those;  renonce: called without a card of
         its suit.
         bid: 70..120 of a contest for points, 0 = none.
Raises:  ValueError: an unknown class, or something missing or named that the class has not.)")
      .def(py::init([](const Text<"name">& name, Whole<"declarer", int, -1, kNumSeats - 1> declarer,
                       const std::optional<Text<"suit">>& suit, const py::object& called,
                       Flag<"tout"> tout, Whole<"bid", int, 0, 120> bid, Flag<"renonce"> renonce) {
             return make_contract(name, {declarer, suit, called, tout, bid, renonce});
           }),
           py::arg("name"), py::arg("declarer") = -1, py::arg("suit") = py::none(),
           py::arg("called") = py::none(), py::arg("tout") = false, py::arg("bid") = 0,
           py::arg("renonce") = false)
      .def_property_readonly(
          "name", [](const Contract& c) { return std::string(contract_row(c.contract).name); },
          "Name of the class, \"RUF\", \"SOLO\" ... (RULES A.2); `tout` tells whether all tricks "
          "were announced.")
      .def_readonly("declarer", &Contract::declarer,
                    "Seat of the declarer 0..3; -1 = nobody, or not known yet.")
      .def_readonly("tout", &Contract::tout, "Whether all tricks were announced (RULES C.18).")
      .def_readonly("bid", &Contract::bid, "Points that were bid, 70..120 (RULES D.5); 0 = none.")
      .def_readonly("renonce", &Contract::renonce,
                    "Whether the declarer holds no plain card of the called suit (RULES C.2).")
      .def_property_readonly(
          "suit",
          [](const Contract& c) -> std::optional<std::string> {
            const bool named = contract_row(c.contract).trump_suit == TrumpSuit::kAnnounced;
            if (!named) return std::nullopt;
            return std::string(to_string(c.suit));
          },
          "Letter of the trump suit, \"E\", \"G\", \"H\" or \"S\", of contracts that name one; "
          "otherwise None.")
      .def_property_readonly(
          "called",
          [](const Contract& c) -> std::optional<std::string> {
            if (c.called == kNoCard) return std::nullopt;
            return card_name(c.called);
          },
          "Name of the called card, \"EA\"; None where no card is called.")
      .def(
          "__eq__", [](const Contract& a, const Contract& b) { return a == b; }, py::is_operator())
      .def("__hash__", [](const Contract& c) { return py::hash(py::str(repr_contract(c))); })
      .def(py::pickle(&contract_to_dict,
                      [](const py::object& state) {
                        if (py::isinstance<py::dict>(state)) return contract_from(state);
                        throw std::invalid_argument(
                            "Contract: a pickle that holds a dict was expected");
                      }))
      .def("__repr__", &repr_contract);
}

/// A class for the functions about cards, with the trump suit of those that announce one.
struct ClassAndSuit {
  ContractClass contract;
  Suit suit;
};

ClassAndSuit class_and_suit(const std::string& name, const std::optional<Text<"suit">>& suit) {
  const ContractClass contract = contract_class_from(name);
  return {contract, trump_suit_from(contract_row(contract), suit)};
}

/// Cards on the table in order, none twice.
std::vector<Card> trick_from(const py::object& trick, int most) {
  (void)card_set_from(trick, "trick");
  std::vector<Card> table = card_list_from(trick, "trick");
  if (table.size() <= static_cast<std::size_t>(most)) return table;
  throw std::invalid_argument(
      fmt::format("trick: {} cards, allowed: at most {}", table.size(), most));
}

py::list groups_of(const SortedHand& sorted) {
  py::list groups;
  const auto add = [&groups](std::string_view name, const std::vector<Card>& cards) {
    if (cards.empty()) return;
    std::vector<std::string> names;
    for (const Card card : cards) names.push_back(card_name(card));
    groups.append(py::make_tuple(name, names));
  };
  add("trump", sorted.trumps);
  for (int suit = 0; suit < kNumSuits; ++suit) {
    add(to_string(static_cast<Suit>(suit)), sorted.plain[static_cast<std::size_t>(suit)]);
  }
  return groups;
}

void register_hands(py::module_& module) {
  module.def(
      "card_points", [](const py::object& cards) { return points_of(card_set_from(cards)); },
      py::arg("cards"),
      R"(Card points of cards (RULES A.3).

Raises:  ValueError: what is no card, or one that comes twice.)");
  module.def(
      "sorted_hand",
      [](const py::object& cards, const std::optional<Text<"contract">>& contract,
         const std::optional<Text<"suit">>& suit, const py::object& rules) {
        const ContractClass game =
            contract ? contract_class_from(*contract) : calling_row().contract;
        const auto trumps =
            suit ? std::optional(trump_suit_from(contract_row(game), suit)) : std::nullopt;
        return groups_of(
            sorted_hand(card_set_from(cards), game, trumps, *rules_from(rules)->compiled));
      },
      py::arg("cards"), py::arg("contract") = py::none(), py::arg("suit") = py::none(),
      py::arg("rules") = "research",
      R"(Cards as a player sorts them: ("trump", cards), then ("E", cards) ... of the plain suits that
there are, each strongest first.

Args:    contract: class, None = that of a called partner.
         suit: trump suit where the class announces one, None = not named yet.
Raises:  ValueError: what is no card, one that comes twice, an unknown class or suit, a suit of a
         class that names none, unknown rules.)");
}

void register_rule_functions(py::module_& module) {
  module.def(
      "legal",
      [](const py::object& hand, const py::object& trick, const Text<"contract">& contract,
         const std::optional<Text<"suit">>& suit, const py::object& called,
         Flag<"released"> released, const py::object& rules) {
        const auto compiled = rules_from(rules)->compiled;
        const auto [game, trumps] = class_and_suit(contract, suit);
        const bool calls = contract_row(game).parties == Parties::kCalledCard;
        const std::vector<Card> table = trick_from(trick, compiled->seats() - 1);
        const CardSet cards = card_set_from(hand, "hand");
        for (const Card card : table) {
          if (!cards.contains(card)) continue;
          throw std::invalid_argument(
              fmt::format("{} is in the hand and in the trick", card_name(card)));
        }
        const Card ace = called.is_none() ? kNoCard  // the hand of a seat that does not hold it
                                          : (calls ? card_from(called)
                                                   : called_card_from(contract_row(game), called));
        return names_of_cards(legal(cards, table, game, trumps, ace, released, compiled->rules()));
      },
      py::arg("hand"), py::arg("trick"), py::arg("contract"), py::arg("suit") = py::none(),
      py::arg("called") = py::none(), py::arg("released") = false, py::arg("rules") = "research",
      R"(Legal cards of a hand (RULES E.3); hands may be partial.

Args:    hand: cards, none twice;  trick: cards on the table in order, fewer than there are seats.
         contract: class;  suit: trump suit of the classes that name one (SOLO, FARBWENZ, ...), and
         only of those.
         called: called card, if there is one.
         released: the called card is free (its owner ran away, or it was searched).
         rules: preset name, path, dict (without "preset" the defaults of the switches) or RuleSet.
Raises:  ValueError: what is no card, one that comes twice or is in hand and trick, a trick that is
         full, an unknown class, a suit that is missing, a suit or called card that the class has
         not, unknown rules.)");
  module.def(
      "callable_cards",
      [](const py::object& hand, const py::object& rules) {
        return names_of_cards(
            callable_cards(card_set_from(hand, "hand"), rules_from(rules)->compiled->rules()));
      },
      py::arg("hand"), py::arg("rules") = "research",
      R"(Aces that a hand may call, by name; without one (gesperrt) those of a Renonce call, where the
rules have it (R-027..R-030).

Raises:  ValueError: what is no card, one that comes twice, unknown rules.)");
  module.def(
      "laufende",
      [](const py::object& party, const Text<"contract">& contract,
         const std::optional<Text<"suit">>& suit, const py::object& rules) {
        const auto [game, trumps] = class_and_suit(contract, suit);
        return laufende(card_set_from(party, "party"), game, trumps,
                        rules_from(rules)->compiled->rules());
      },
      py::arg("party"), py::arg("contract"), py::arg("suit") = py::none(),
      py::arg("rules") = "research",
      R"(Payable Laufende of the cards that a party was dealt (RULES G.4).

Args:    party: cards, none twice.
         contract: class;  suit: trump suit of the classes that name one, and only of those.
Raises:  ValueError: what is no card, one that comes twice, an unknown class, a suit that is missing
         or that the class has not, unknown rules.)");
  module.def(
      "trick_winner",
      [](const py::object& trick, const Text<"contract">& contract,
         const std::optional<Text<"suit">>& suit, const py::object& rules) {
        const auto compiled = rules_from(rules)->compiled;
        const auto [game, trumps] = class_and_suit(contract, suit);
        const std::vector<Card> table = trick_from(trick, compiled->seats());
        if (table.empty()) throw std::invalid_argument("trick: no card");
        return trick_winner(table, game, trumps, compiled->rules());
      },
      py::arg("trick"), py::arg("contract"), py::arg("suit") = py::none(),
      py::arg("rules") = "research",
      R"(Index in the trick of the winning card (RULES E.1).

Args:    trick: cards in the order played, at least one and at most one for each seat.
         contract: class;  suit: trump suit of the classes that name one, and only of those.
Raises:  ValueError: an empty trick, too many cards, what is no card, one that comes twice, an unknown
         class, a suit that is missing or that the class has not, unknown rules.)");
}

}  // namespace

Card card_from(const py::handle& value) {
  if (py::isinstance<py::str>(value)) {
    const std::string name = utf8_from(value, "card");
    if (const auto card = parse_card(name)) return *card;
    throw std::invalid_argument(
        fmt::format("\"{}\" is no card; cards are written suit E G H S, rank 7 8 9 U O K 10 A",
                    quotable(name)));
  }
  if (PyIndex_Check(value.ptr()) == 0) {
    refuse_keyword("card", value, "integer 0..31, or a name such as EA");
  }
  return whole_from<Card>(value, "card", 0, kNumCards - 1);
}

std::vector<Card> card_list_from(const py::handle& value, std::string_view name) {
  std::vector<Card> cards;
  const bool text = py::isinstance<py::str>(value);
  const py::object list = text ? value.attr("split")() : py::reinterpret_borrow<py::object>(value);
  for_each_element(list, name, "list of cards, or their names as one text",
                   [&cards](const py::handle& card) {
                     const Card read = card_from(card);
                     if (cards.size() == kNumCards) {  // it may never end
                       throw std::invalid_argument("one card more than there are, allowed: 32");
                     }
                     cards.push_back(read);
                   });
  return cards;
}

CardSet card_set_from(const py::handle& value, std::string_view name) {
  CardSet set;
  for (const Card card : card_list_from(value, name)) {
    if (set.contains(card)) {
      throw std::invalid_argument(fmt::format("{} comes twice", card_name(card)));
    }
    set.add(card);
  }
  return set;
}

std::vector<std::string> names_of_cards(CardSet cards) {
  std::vector<std::string> names;
  for (const Card card : cards) names.push_back(card_name(card));
  return names;
}

Action action_from(const py::handle& value) {
  if (py::isinstance<py::str>(value)) {
    const std::string name = utf8_from(value, "action");
    if (const auto action = parse_action(name)) return *action;
    std::vector<std::string> names;
    for (Action action = kNumCards; action < kFirstReserved; ++action) {
      names.push_back(action_name(action));
    }
    throw std::invalid_argument(
        fmt::format("\"{}\" is no action; allowed: a card such as EA or CARD EA, {}{}",
                    quotable(name), fmt::join(names, ", "), nearest_hint(name, names)));
  }
  return whole_from<Action>(value, "action", 0, kNumActions - 1);
}

Contract contract_from(const py::handle& value) {
  if (py::isinstance<Contract>(value)) return value.cast<Contract>();
  if (py::isinstance<py::str>(value)) {
    return make_contract(utf8_from(value, "contract"), {});
  }
  if (!py::isinstance<py::dict>(value)) {
    throw std::invalid_argument(fmt::format(
        "contract: {} came, allowed: a Contract, a name or a dict", describe_array(value)));
  }
  const auto given = py::reinterpret_borrow<py::dict>(value);
  for (const auto& [key, unused] : given) {
    const std::string name = py::str(key);
    static constexpr std::string_view kKeys[] = {"class",    "suit", "called", "tout",
                                                 "declarer", "bid",  "renonce"};
    if (std::ranges::find(kKeys, name) != std::end(kKeys)) continue;
    throw std::invalid_argument(fmt::format("contract: unknown key \"{}\", allowed: {}{}",
                                            quotable(name), fmt::join(kKeys, ", "),
                                            nearest_hint(name, kKeys)));
  }
  if (!given.contains("class"))
    throw std::invalid_argument("contract: the key \"class\" is missing");
  const auto get = [&given](const char* key, const py::object& otherwise) {
    return given.contains(key) ? py::object(given[key]) : otherwise;
  };
  return make_contract(
      given["class"].cast<Text<"class">>(),
      {.declarer = whole_from<int>(get("declarer", py::int_(-1)), "declarer", -1, kNumSeats - 1),
       .suit = get("suit", py::none()).cast<std::optional<Text<"suit">>>(),
       .called = get("called", py::none()),
       .tout = flag_from(get("tout", py::bool_(false)), "tout"),
       .bid = whole_from<int>(get("bid", py::int_(0)), "bid", 0, 120),
       .renonce = flag_from(get("renonce", py::bool_(false)), "renonce")});
}

Suit suit_from(const std::string& name) {
  for (int suit = 0; suit < kNumSuits; ++suit) {
    if (name == to_string(static_cast<Suit>(suit))) return static_cast<Suit>(suit);
  }
  throw std::invalid_argument(fmt::format("suit \"{}\", allowed: E, G, H, S", quotable(name)));
}

ContractClass contract_class_from(const std::string& name) {
  constexpr auto kNames = names_of(ContractClass{});
  const auto* const found = std::ranges::find(kNames, name);
  if (found != kNames.end()) return static_cast<ContractClass>(found - kNames.begin());
  throw std::invalid_argument(fmt::format("contract \"{}\", allowed: {}{}", quotable(name),
                                          fmt::join(kNames, ", "), nearest_hint(name, kNames)));
}

void register_cards(py::module_& module) {
  register_names(module);
  register_contract(module);
  register_rule_functions(module);
  register_hands(module);
}

}  // namespace schafkopf::python
