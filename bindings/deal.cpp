// Deal for Python: cards as dealt, from hands, an order or a seed.
#include <fmt/format.h>

#include <array>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "bindings/deal.h"
#include "bindings/game_parts.h"
#include "bindings/pickles.h"
#include "env/base/wrong_argument.h"

namespace schafkopf::python {
namespace {

Deal deal_of_hands(const py::object& hands, std::string_view name, std::string_view allowed,
                   const CompiledRules& rules, int dealer, const DealContext& context) {
  std::vector<std::vector<Card>> lists;
  for_each_element(
      hands, name, allowed,
      [&lists](const py::handle& hand) { lists.push_back(card_list_from(hand)); }, kMostParts);
  const std::vector<std::span<const Card>> spans(lists.begin(), lists.end());
  return deal_from_hands(spans, rules.rules(), dealer, context);
}

Deal make_deal(const py::object& hands, const py::object& rules, DealerArgument dealer,
               const py::object& context, const WholeWithin<"zupf">& zupf) {
  const auto compiled = rules_from(rules)->compiled;
  Deal deal = deal_of_hands(hands, "hands", "list of hands", *compiled,
                            dealer_of(dealer, *compiled), context_from(context, *compiled));
  deal.zupf = static_cast<std::uint8_t>(zupf.in(0, compiled->cards_per_hand() - 1));
  return deal;
}

std::vector<std::vector<std::string>> hands_of(const Deal& deal) {
  std::vector<std::vector<std::string>> hands;
  for (int seat = 0; seat < kNumSeats; ++seat) {
    const auto index = static_cast<std::size_t>(seat);
    if (deal.hand(seat).empty()) continue;
    std::vector<std::string> hand = names_of_cards(deal.first[index]);
    for (std::string& name : names_of_cards(deal.second[index])) hand.push_back(std::move(name));
    hands.push_back(std::move(hand));
  }
  return hands;
}

/// The halves of the hands seat by seat, then the number of the drawn card.
using DealWords = std::array<std::uint32_t, (2 * kNumSeats) + 1>;

DealWords words_of(const Deal& deal) {
  DealWords words{};
  std::size_t at = 0;
  for (const auto* half : {&deal.first, &deal.second}) {
    for (const CardSet cards : *half) words[at++] = cards.bits();
  }
  words[at] = deal.zupf;
  return words;
}

py::tuple pickled_deal(const Deal& deal) {
  py::list words;
  for (const std::uint32_t word : words_of(deal)) words.append(word);
  return py::tuple(words);
}

/// A deal says which cards lie where; whether rules deal like that is what a game asks.
Deal unpickled_deal(const py::object& state) {
  const py::tuple words = pickled_tuple(state, std::tuple_size_v<DealWords>, "Deal");
  Deal deal;
  CardSet seen;
  std::size_t at = 0;
  for (auto* half : {&deal.first, &deal.second}) {
    for (CardSet& cards : *half) {
      cards = CardSet(whole_from<std::uint32_t>(words[at++], "Deal: cards of half a hand"));
      if (!(seen & cards).empty()) throw std::invalid_argument("Deal: a card comes twice");
      seen = seen | cards;
    }
  }
  if (seen.empty()) throw std::invalid_argument("Deal: no card");
  deal.zupf = whole_from<std::uint8_t>(words[at], "zupf", 0, kNumRanks - 1);
  return deal;
}

}  // namespace

DealContext context_from(const py::object& context, const CompiledRules& rules) {
  if (context.is_none()) return rules.first_context();
  if (py::isinstance<DealContext>(context)) return context.cast<DealContext>();
  refuse_argument("context",
                  fmt::format(": {} came, allowed: DealContext or None", type_name(context)));
}

int dealer_of(int dealer, const CompiledRules& rules) {
  if (dealer < 0) dealer = rules.seats() - 1;
  if (dealer < rules.seats()) return dealer;
  throw std::invalid_argument(
      fmt::format("dealer = {}, allowed: seats 0..{}", dealer, rules.seats() - 1));
}

Deal deal_or_random(const py::object& deal, const std::optional<Seed<>>& seed,
                    const CompiledRules& rules, int dealer, const DealContext& context) {
  if (deal.is_none() == !seed) {
    throw std::invalid_argument("give either a deal or a seed: deal=Deal(...) or seed=1");
  }
  if (deal.is_none()) return deal_for(*seed, rules.rules(), dealer, context);
  if (py::isinstance<Deal>(deal)) return deal.cast<Deal>();
  return deal_of_hands(deal, "deal", "a Deal or a list of hands", rules, dealer, context);
}

void register_deal(py::module_& module) {
  py::class_<Deal>(module, "Deal", R"(Cards as dealt.

Args:    hands: one list per seat, the first half-hand first; the order in a half is not kept.
         rules: give deck and hand size.
         dealer: seat, -1 = the last; context: DealContext, None = DealContext.first(rules): special
         rounds keep cards back (RULES C.20).
         zupf: number of the card that is drawn in a Zupf-Solo, among the cards the other seat held.
Raises:  ValueError: a card that is missing or comes twice, a wrong hand size, a dealer that is no
         seat, a zupf that no hand has, unknown rules, a context that is none.)")
      .def(py::init(&make_deal), py::arg("hands"), py::arg("rules") = "research",
           py::arg("dealer") = -1, py::arg("context") = py::none(), py::arg("zupf") = 0)
      .def_static(
          "random",
          [](Seed<> seed, const py::object& rules, DealerArgument dealer,
             const py::object& context) {
            const auto compiled = rules_from(rules)->compiled;
            return deal_for(seed, compiled->rules(), dealer_of(dealer, *compiled),
                            context_from(context, *compiled));
          },
          py::arg("seed"), py::arg("rules") = "research", py::arg("dealer") = -1,
          py::arg("context") = py::none(),
          R"(Uniformly random deal; a fixed function of the arguments.

Args:    seed: 0..2^64-1;  rules, dealer, context: as of a Deal.
Raises:  ValueError: a seed out of range, a dealer that is no seat, unknown rules, a context that is
         none.)")
      .def_static(
          "from_order",
          [](const py::object& order, DealerArgument dealer, const py::object& rules,
             const py::object& context) {
            const auto compiled = rules_from(rules)->compiled;
            return deal_from_order(card_list_from(order, "order"), compiled->rules(),
                                   dealer_of(dealer, *compiled), context_from(context, *compiled));
          },
          py::arg("order"), py::arg("dealer") = -1, py::arg("rules") = "research",
          py::arg("context") = py::none(),
          R"(Deal of a deck order, order[0] dealt first (RULES B.3.3); dealer -1 = the last seat.

Args:    order: all cards of the deck, each once;  rules, context: as of a Deal.
Raises:  ValueError: a card that is missing or comes twice, a dealer that is no seat, unknown rules,
         a context that is none.)")
      .def_property_readonly(
          "hands", &hands_of,
          "Names of the cards of each seat, the first half-hand first, each half by card number.")
      .def(
          "__eq__", [](const Deal& a, const Deal& b) { return a == b; }, py::is_operator())
      .def("__hash__", [](const Deal& deal) { return py::hash(pickled_deal(deal)); })
      .def(py::pickle(&pickled_deal, &unpickled_deal))
      .def("__repr__", [](const Deal& deal) {
        const std::string zupf = deal.zupf == 0 ? "" : fmt::format(", zupf={}", deal.zupf);
        return fmt::format("Deal({}{})", py::repr(py::cast(hands_of(deal))).cast<std::string>(),
                           zupf);
      });
}

}  // namespace schafkopf::python
