// Random valid rule sets over all switches of RULES J, and random contexts of deals: pure functions
// of a seed, for every test that plays under arbitrary rules.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "env/base/enum_set.h"
#include "env/base/random.h"
#include "env/cards/contract.h"
#include "env/deal/deal.h"
#include "env/rules/rule_fields.h"
#include "env/rules/rules.h"

namespace schafkopf::test {

namespace detail {

/// Fills a switch with a random value of its type and range.
template <class Source>
class RandomField {
 public:
  explicit RandomField(Source& source) : random_(source) {}

  void operator()(const Field&, bool& value) { value = coin(); }
  void operator()(const Field& field, int& value) {
    if (field.key == "players") {
      constexpr int kPlayers[] = {3, 4, 4, 4, 4, 5};
      value = kPlayers[random_.next_below(6)];
    } else {  // amounts and lengths: small ones, so that products stay in range
      const int least = static_cast<int>(field.min), most = static_cast<int>(field.max);
      value = least + random_.next_below(std::min(most - least, 25) + 1);
    }
  }
  void operator()(const Field&, Card& value) {
    value = static_cast<Card>(random_.next_below(kNumCards));
  }
  template <class E>
    requires std::is_enum_v<E>
  void operator()(const Field& field, E& value) {
    do {
      value = static_cast<E>(random_.next_below(kNumValues<E>));
    } while (((field.allowed >> static_cast<unsigned>(value)) & 1U) == 0);
  }
  template <class E>
  void operator()(const Field& field, EnumSet<E>& value) {
    const auto all = (std::uint64_t{1} << kNumValues<E>)-1;
    value = EnumSet<E>::from_bits(
        static_cast<std::uint32_t>(random_.next() & all & std::uint64_t{field.allowed}));
  }
  void operator()(const Field&, std::vector<std::string>&) {}  // names of the doublings
  void operator()(const Field&, Tariff& tariff) {
    const std::vector<std::string_view> names = tariff_list();
    std::string name(
        names[static_cast<std::size_t>(random_.next_below(static_cast<int>(names.size())))]);
    if (coin()) name += " half Laufende";
    if (const std::optional<Tariff> found = find_tariff(name)) tariff = *found;
  }
  void operator()(const Field&, RoundTriggers& triggers) {
    for (SpecialRound& mode : triggers) {
      const int drawn = random_.next_below(4 * kNumValues<SpecialRound>);
      mode =
          drawn < kNumValues<SpecialRound> ? static_cast<SpecialRound>(drawn) : SpecialRound::kNone;
    }
  }

  [[nodiscard]] bool coin() { return random_.next_below(2) == 0; }
  [[nodiscard]] Source& random() { return random_; }

 private:
  Source& random_;
};

/// A tariff with an amount of its own for every key, half units included.
template <class Source>
void draw_own_tariff(RuleSet& rules, Source& random) {
  PlainTable table;
  for (const std::string_view key : names_of(TariffKey{})) {
    table.emplace(key, std::int64_t{1 + random.next_below(60)});
  }
  table.insert_or_assign("laufende", 0.5 + random.next_below(20));
  table.insert_or_assign("stock_unit", std::int64_t{2 * random.next_below(10)});
  set_field(rules, "tariff", table);
}

/// Takes back what RULES J rejects in combination.
inline void repair(RuleSet& rules) {
  rules.two_player_extension = false;
  if (rules.players == 3) {
    rules.deck = Deck::kShort24;
    rules.ramsch_payers = 1;
    rules.contracts.add(ContractClass::kSolo);
  }
  if (rules.contracts.empty()) rules.contracts.add(ContractClass::kRuf);
  if (rules.auction_style == AuctionStyle::kDirect) rules.solo_contest = SoloContest::kRank;
  if (rules.kontra_window == KontraWindow::kOff) rules.kontra_ask_before_first = false;
  if (rules.last_chooses_options.empty()) rules.last_chooses_options.add(LastChoice::kThrowIn);
  if (rules.deck != Deck::kShort24) return;
  if (rank_of(rules.muss_card) < Rank::k9) rules.muss_card = make_card(Suit::kEichel, Rank::kOber);
  const auto long_only = [](SpecialRound mode) {
    return mode == SpecialRound::kSchieber || mode == SpecialRound::kTeufel;
  };
  if (long_only(rules.special_round)) rules.special_round = SpecialRound::kStrixner;
  for (SpecialRound& mode : rules.special_round_triggers) {
    if (long_only(mode)) mode = SpecialRound::kHadsch;
  }
}

}  // namespace detail

/// A random rule set that checked() accepts, normalised; every switch varies, and two in three have
/// the Rufspiel. Half of them play no special round.
///
/// source  of chance: next() and next_below(n), as Rng has them
template <class Source>
[[nodiscard]] RuleSet drawn_rules(Source& source) {
  detail::RandomField draw(source);
  RuleSet rules;
  visit_fields(rules, draw);
  if (draw.random().next_below(3) == 0) detail::draw_own_tariff(rules, draw.random());
  if (draw.coin()) rules.deck = Deck::kLong32;
  if (draw.coin()) rules.special_round = SpecialRound::kNone;
  if (draw.coin()) rules.contracts.add(ContractClass::kRuf);
  if (draw.coin()) rules.runaway_min_others = 3;
  detail::repair(rules);
  return checked(rules);
}

[[nodiscard]] inline RuleSet random_rules(std::uint64_t seed) {
  Rng random(seed);
  return drawn_rules(random);
}

/// A random context of the special round that the rules name: factors, pot, debts of an Allgaeuer
/// Runde (somebody owes something).
[[nodiscard]] inline DealContext random_context(std::uint64_t seed, const RuleSet& rules) {
  Rng random(seed ^ 0xC0117E87U);
  DealContext context = first_context(rules);
  context.bock = static_cast<std::uint8_t>(random.next_below(3));
  context.stock = 4 * random.next_below(40);
  if (context.mode() != SpecialRound::kAllgaeuer) return context;
  for (std::uint8_t& owed : context.owed) owed = static_cast<std::uint8_t>(random.next_below(8));
  const auto somebody = static_cast<std::size_t>(random.next_below(seats_of(rules)));
  if (context.owed[somebody] == 0) context.owed[somebody] = 1;
  return context;
}

namespace detail {

/// Moves a card into the hand of `seat`, and one that is not `wanted` back to its owner. Cards of
/// `fixed` stay.
template <class Wanted>
void move_to(Deal& deal, Rng& random, Card card, int seat, CardSet fixed, const Wanted& wanted) {
  CardSet *from = nullptr, *to = nullptr;
  for (CardSet& half : deal.first) from = half.contains(card) ? &half : from;
  for (CardSet& half : deal.second) from = half.contains(card) ? &half : from;
  if (from == nullptr || fixed.contains(card) || deal.hand(seat).contains(card)) return;
  Card other = kNoCard;
  const int start = random.next_below(kNumCards);
  for (int i = 0; i < kNumCards && other == kNoCard; ++i) {
    const auto candidate = static_cast<Card>((start + i) % kNumCards);
    if (deal.hand(seat).contains(candidate) && !fixed.contains(candidate) && !wanted(candidate)) {
      other = candidate;
    }
  }
  if (other == kNoCard) return;
  const auto index = static_cast<std::size_t>(seat);
  to = deal.first[index].contains(other) ? &deal.first[index] : &deal.second[index];
  *from = CardSet((from->bits() & ~CardSet::of(card).bits()) | CardSet::of(other).bits());
  *to = CardSet((to->bits() & ~CardSet::of(other).bits()) | CardSet::of(card).bits());
}

}  // namespace detail

/// deal_for(), in one of three deals with a strange hand: hardly a trump (Hochzeit, gesperrt), all
/// Ober and Unter (Sie), or all aces (Muss-Spiel).
[[nodiscard]] inline Deal strange_deal(std::uint64_t seed, const RuleSet& rules, int dealer,
                                       const DealContext& context) {
  Deal deal = deal_for(seed, rules, dealer, context);
  Rng random(seed ^ 0x57A26EU);
  const int kind = random.next_below(9);
  if (kind > 2) return deal;
  const int seat = random.next_below(seats_of(rules));
  const CardSet fixed = undealt_packet(rules, context);
  const auto is_picture = [](Card card) {
    return rank_of(card) == Rank::kOber || rank_of(card) == Rank::kUnter;
  };
  const auto is_plain = [&](Card card) {
    return !is_picture(card) && suit_of(card) != rules.partner_trump_suit;
  };
  const auto is_ace = [](Card card) { return rank_of(card) == Rank::kAss; };
  const int keep = random.next_below(3);  // trumps that stay, about
  for (int i = 0; i < kNumCards; ++i) {
    const auto card = static_cast<Card>((i * 5 + keep) % kNumCards);
    if (kind == 0 && is_plain(card) && (deal.hand(seat).count() > keep)) {
      int trumps = 0;
      for (int other = 0; other < kNumCards; ++other) {
        const auto held = static_cast<Card>(other);
        trumps += deal.hand(seat).contains(held) && !is_plain(held) ? 1 : 0;
      }
      if (trumps > keep) detail::move_to(deal, random, card, seat, fixed, is_plain);
    }
    if (kind == 1 && is_picture(card)) detail::move_to(deal, random, card, seat, fixed, is_picture);
    if (kind == 2 && is_ace(card)) detail::move_to(deal, random, card, seat, fixed, is_ace);
  }
  return deal;
}

}  // namespace schafkopf::test
