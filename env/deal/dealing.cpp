#include "env/deal/dealing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "env/base/random.h"
#include "env/base/refuse.h"
#include "env/cards/contract.h"
#include "env/deal/deal.h"
#include "env/rules/special_round.h"

namespace schafkopf {
namespace {

constexpr CardSet kDevilPacket = CardSet::of(make_card(Suit::kEichel, Rank::kOber)) |
                                 CardSet::of(make_card(Suit::kGras, Rank::kOber)) |
                                 CardSet::of(make_card(Suit::kSchellen, Rank::kOber)) |
                                 CardSet::of(make_card(Suit::kEichel, Rank::kUnter));

int packet_size(DealPackets packets) {
  switch (packets) {
    case DealPackets::k2x4:
      return 4;
    case DealPackets::k4x2:
    case DealPackets::k3x2:
      return 2;
    case DealPackets::k1x8:
      return 8;
    case DealPackets::k2x3:
      return 3;
    case DealPackets::k1x6:
      return 6;
  }
  return 4;
}

void add_once(Card card, CardSet& seen, const std::string& where = {}) {
  if (card >= kNumCards || seen.contains(card)) {
    throw std::invalid_argument(
        fmt::format("card {} comes twice or is no card{}", card_name(card), where));
  }
  seen.add(card);
}

void check_deck(CardSet seen, CardSet deck) {
  if (seen == deck) return;
  const CardSet missing = deck - seen, extra = seen - deck;
  throw std::invalid_argument(
      extra.empty()
          ? fmt::format("card {} is missing in the deal", card_name(missing.lowest()))
          : fmt::format("card {} is not among the cards dealt", card_name(extra.lowest())));
}

/// Fisher and Yates; draws number from `first` on.
void shuffle(CardOrder& order, std::uint64_t seed, std::uint64_t first) {
  for (std::size_t left = order.size(); left > 1; --left) {
    const int chosen = below(draw(seed, RngStream::kDeal, first++), static_cast<int>(left));
    std::swap(order[left - 1], order[static_cast<std::size_t>(chosen)]);
  }
}

bool opens_with(const DealContext& context, Opening opening) {
  return special_round_row(context.mode()).opening == opening;
}

/// Cards of a seat in its two halves, in the order received.
class HalfHands {
 public:
  explicit HalfHands(const RuleSet& rules)
      : half_(static_cast<std::size_t>(hand_size(rules)) / 2) {}

  void add(int seat, Card card) {
    const auto s = static_cast<std::size_t>(seat);
    (received_[s]++ < half_ ? deal_.first : deal_.second)[s].add(card);
  }
  [[nodiscard]] const Deal& deal() const { return deal_; }

 private:
  Deal deal_;
  std::array<std::size_t, kNumSeats> received_{};
  std::size_t half_;
};

}  // namespace

CardSet high_packet(int k) {
  constexpr int kFewest = 2;
  if (k < kFewest || k > kNumSuits) {
    refuse(fmt::format("high_packet: k = {}, allowed: {}..{}", k, kFewest, kNumSuits));
  }
  CardSet packet;
  for (int suit = 0; suit < k; ++suit) packet.add(make_card(static_cast<Suit>(suit), Rank::kOber));
  return packet;
}

CardSet undealt_packet(const RuleSet& rules, const DealContext& context) {
  if (opens_with(context, Opening::kPackets)) return high_packet(rules.schieber_cards);
  return opens_with(context, Opening::kFixedCards) ? kDevilPacket : CardSet();
}

int dealt_cards(int position, const RuleSet& rules, const DealContext& context) {
  const bool dealer = position == seats_of(rules) - 1;
  const bool shortened = opens_with(context, Opening::kPackets) ? dealer : position == 0;
  return hand_size(rules) - (shortened ? undealt_packet(rules, context).count() : 0);
}

CardOrder shuffled_deck(std::uint64_t seed, const RuleSet& rules) {
  CardOrder order;
  for (const Card card : deck_of(rules)) order.push_back(card);
  shuffle(order, seed, 0);
  if (rules.cutter_also_shuffles) shuffle(order, seed, kNumCards);
  return order;
}

void check_dealing(const RuleSet& rules, int dealer, const DealContext& context) {
  const int seats = seats_of(rules);
  if (dealer < 0 || dealer >= seats) {
    refuse("dealer = " + std::to_string(dealer) + ", allowed: 0.." + std::to_string(seats - 1));
  }
  if (context.special_round >= kNumValues<SpecialRound>) {
    refuse("context: special_round = " + std::to_string(context.special_round) + ", allowed: 0.." +
           std::to_string(kNumValues<SpecialRound> - 1));
  }
}

Deal deal_from_order(std::span<const Card> order, const RuleSet& rules, int dealer,
                     const DealContext& context) {
  check_dealing(rules, dealer, context);
  CardSet seen;
  for (const Card card : order) add_once(card, seen);
  check_deck(seen, deck_of(rules));
  const CardSet packet = undealt_packet(rules, context);
  const int seats = seats_of(rules), forehand = (dealer + 1) % seats;
  const int most = packet_size(rules.deal_packets);
  std::array<int, kNumSeats> wanted{};
  for (int p = 0; p < seats; ++p) {
    wanted[static_cast<std::size_t>(p)] = dealt_cards(p, rules, context);
  }
  HalfHands hands(rules);
  // RULES B.3.3: packet number r * n + i of the order goes to position i, or to (n - i) mod n
  int position = 0, left = std::min(most, wanted[0]);
  for (const Card card : order) {
    if (packet.contains(card)) continue;
    while (left == 0) {
      position = (position + (rules.deal_direction == DealDirection::kCcw ? seats - 1 : 1)) % seats;
      left = std::min(most, wanted[static_cast<std::size_t>(position)]);
    }
    hands.add((forehand + position) % seats, card);
    --left;
    --wanted[static_cast<std::size_t>(position)];
  }
  Deal deal = hands.deal();
  if (opens_with(context, Opening::kFixedCards)) {
    deal.second[static_cast<std::size_t>(forehand)] = packet;
  }
  return deal;
}

Deal deal_from_hands(std::span<const std::span<const Card>> hands, const RuleSet& rules) {
  return deal_from_hands(hands, rules, seats_of(rules) - 1, {});
}

Deal deal_from_hands(std::span<const std::span<const Card>> hands, const RuleSet& rules, int dealer,
                     const DealContext& context) {
  check_dealing(rules, dealer, context);
  const int seats = seats_of(rules);
  if (hands.size() != static_cast<std::size_t>(seats)) {
    throw std::invalid_argument(
        fmt::format("{} hands, the rules have {} seats", hands.size(), seats));
  }
  const bool devil = opens_with(context, Opening::kFixedCards);
  const CardSet packet = undealt_packet(rules, context);
  HalfHands halves(rules);
  CardSet seen;
  for (int seat = 0; seat < seats; ++seat) {
    const auto& hand = hands[static_cast<std::size_t>(seat)];
    const int position = (seat - dealer - 1 + 2 * seats) % seats;
    const bool fixed = devil && position == 0;
    const int size = fixed ? hand_size(rules) : dealt_cards(position, rules, context);
    if (hand.size() != static_cast<std::size_t>(size)) {
      throw std::invalid_argument(
          fmt::format("seat {} has {} cards, needs {}", seat, hand.size(), size));
    }
    CardSet own;
    for (const Card card : hand) {
      add_once(card, seen, fmt::format(" (seat {})", seat));
      own.add(card);
      if (!fixed || !packet.contains(card)) halves.add(seat, card);
    }
    if (fixed && !(packet - own).empty()) {
      throw std::invalid_argument(
          fmt::format("seat {} needs {} (C.20.7)", seat, to_string(packet)));
    }
  }
  check_deck(seen, devil ? deck_of(rules) : deck_of(rules) - packet);
  Deal deal = halves.deal();
  if (devil) deal.second[static_cast<std::size_t>((dealer + 1) % seats)] = packet;
  return deal;
}

std::vector<Card> cut(std::span<const Card> order, std::span<const int> lifted,
                      const RuleSet& rules) {
  if (lifted.empty()) throw std::invalid_argument("the cutter must cut at least once (R-012)");
  if (rules.cut_max_times > 0 && lifted.size() > static_cast<std::size_t>(rules.cut_max_times)) {
    throw std::invalid_argument(fmt::format("{} cuts, allowed: {} (cut_max_times; R-014)",
                                            lifted.size(), rules.cut_max_times));
  }
  std::vector<Card> result(order.begin(), order.end());
  const int least = std::max(rules.cut_min_cards, 1);
  const int most = static_cast<int>(result.size()) - least;
  for (const int cards : lifted) {
    if (cards < least || cards > most) {
      throw std::invalid_argument(fmt::format(
          "{} cards lifted, allowed: {}..{} (cut_min_cards; R-014)", cards, least, most));
    }
    std::ranges::rotate(result, result.begin() + cards);
  }
  return result;
}

RuleSet knock(const RuleSet& rules, DealPackets packets, DealDirection direction) {
  if (!rules.knock_allowed) {
    throw std::invalid_argument("knocking needs knock_allowed = true (R-015)");
  }
  RuleSet knocked = rules;
  knocked.deal_packets = packets;
  knocked.deal_direction = direction;
  if (normalised(knocked).deal_packets != packets) {
    throw std::invalid_argument(fmt::format("packets {} do not fill a hand of {} cards (B.3.2)",
                                            name_of(packets), hand_size(rules)));
  }
  return knocked;
}

bool may_cut(int place, int dealer, bool cutter_absent, const RuleSet& rules) {
  const int cutter = (dealer + rules.players - 1) % rules.players;
  if (!cutter_absent) return place == cutter;
  return place != cutter && place != dealer && place != (dealer + 1) % rules.players;
}

int first_dealer_by_high_card(std::span<const Card> drawn, const RuleSet& rules) {
  if (drawn.empty()) throw std::invalid_argument("no card was drawn for the first dealer (R-017)");
  const TrumpList trumps = ordered_trumps(calling_row(), rules.partner_trump_suit);
  const auto strength = [&trumps](Card card) {
    const auto list = trumps.cards_in_order();
    const auto found = std::ranges::find(list, card);
    if (found != list.end()) return 100 - static_cast<int>(found - list.begin());
    return 4 * static_cast<int>(rank_of(card)) + 3 - static_cast<int>(suit_of(card));
  };
  CardSet seen;
  std::size_t best = 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    add_once(drawn[i], seen);
    if (strength(drawn[i]) > strength(drawn[best])) best = i;
  }
  return static_cast<int>(best);
}

std::array<std::int32_t, kMaxPlaces> misdeal_penalty(const RuleSet& rules, int dealer) {
  const int amount = rules.misdeal_penalty_per_player * rules.tariff.scale;
  std::array<std::int32_t, kMaxPlaces> payoffs{};
  for (int place = 0; place < rules.players; ++place) {
    payoffs[static_cast<std::size_t>(place)] =
        place == dealer ? -amount * (rules.players - 1) : amount;
  }
  return payoffs;
}

}  // namespace schafkopf
