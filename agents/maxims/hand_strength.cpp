#include "agents/maxims/hand_strength.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "env/cards/play.h"

namespace schafkopf {
namespace {

/// Weights of a logistic estimate of the chance to win from the counts of a hand.
struct Weights {
  double constant, trump, top, second, best, ace, guarded_ten, loser, empty_suit, leads;
};

// Logistic regression of 60,000 games each between rule agents (Rufspiel, Solo, Wenz); the lead of
// a game with few trumps is set by I-04.
constexpr Weights kLongTrumps = {-15.64, 1.73, 0.78, 0.0, 0.80, 1.90, 0.08, 0.0, 1.08, 0.18};
constexpr Weights kFewTrumps = {-3.51, 1.02, 0.0, 0.0, 1.11, 1.03, 0.52, -0.69, 0.0, 0.25};
constexpr Weights kCalled = {-3.90, 0.74, 0.49, 0.07, 0.18, 0.66, -0.13, 0.0, 0.32, 0.06};

double logit_of(const Weights& weights, const HandFeatures& hand) {
  const double counts = weights.trump * hand.trumps + weights.top * hand.tops +
                        weights.second * hand.seconds + weights.ace * hand.aces +
                        weights.guarded_ten * hand.guarded_tens + weights.loser * hand.losers;
  return weights.constant + hand.scale * counts + weights.best * (hand.best ? 1 : 0) +
         weights.empty_suit * hand.voids + weights.leads * (hand.leads ? 1 : 0);
}

double chance_of(double logit) { return 1.0 / (1.0 + std::exp(-logit)); }

/// Expected payoff of the declarer. A good hand also wins Schneider and Laufende and a bad one pays
/// them: the more they weigh beside the base price, the steeper.
double expected_payoff(const CompiledRules& rules, const ContractRow& row, bool tout,
                       double chance) {
  const Tariff& tariff = rules.rules().tariff;
  const auto amount = [&](TariffKey key) {
    return static_cast<double>(tariff.amounts[static_cast<std::size_t>(key)]) / tariff.scale;
  };
  const double base = amount(row.price) * (tout ? tariff.tout_factor : 1);
  const bool simple = tout || row.goal != Goal::kMajority;
  const double extras =
      simple ? 0.0 : 2.75 * (amount(TariffKey::kSchneider) + amount(TariffKey::kLaufende));
  const int payers = row.is_single() ? rules.seats() - 1 : 1;
  return payers * (2.0 * chance - 1.0) * (base + extras * std::abs(chance - 0.5));
}

/// Rows with a whole suit among their trumps are drawn out and ruffed; rows with four trumps are
/// won by long plain suits.
bool has_long_trumps(const PlayConstants& play) { return std::popcount(play.trumps) > 4; }

/// Number of trumps without a gap, from the highest one on, among the one or two top ranks.
int top_run_length(const PlayConstants& play, CardSet hand) {
  int run = 0;
  for (const std::uint32_t rank : {play.top, play.second}) {
    for (const Card card : CardSet(rank)) {
      if (!hand.contains(card)) return run;
      ++run;
    }
  }
  return run;
}

/// The counts of a hand of eight cards out of 32; a hand of the short deck is one in miniature.
HandFeatures as_eight_cards(HandFeatures features, const CompiledRules& rules) {
  features.scale = 8.0 / rules.cards_per_hand();
  return features;
}

/// A bid (D.5) asks for more points: so much less likely per point above 60.
constexpr double kLogitPerPoint = 0.05;

/// Chance to win a single game as a logit: cheap to compare. `bid` = points promised (D.5), or 0.
double single_logit(const CompiledRules& rules, const ContractRow& row, Suit suit, CardSet hand,
                    bool leads, int bid) {
  const PlayConstants& play = rules.play(row.contract, suit);
  if (row.goal == Goal::kNoTrick) return no_trick_logit(rules, row, suit, hand);
  const HandFeatures features = as_eight_cards(hand_features(play, hand, leads), rules);
  const double promised = bid > 60 ? kLogitPerPoint * (bid - 60) : 0.0;
  return logit_of(has_long_trumps(play) ? kLongTrumps : kFewTrumps, features) - promised;
}

/// Best suit of a row and its logit.
struct SuitChoice {
  Suit suit = Suit::kHerz;
  double logit = -1.0e9;
};
SuitChoice choose_suit(const CompiledRules& rules, const ContractRow& row, CardSet hand, bool leads,
                       unsigned suits = kAllSuits, int bid = 0) {
  if (row.trump_suit != TrumpSuit::kAnnounced) {
    return {Suit::kHerz, single_logit(rules, row, Suit::kHerz, hand, leads, bid)};
  }
  SuitChoice best;
  for (const Suit suit : {Suit::kHerz, Suit::kEichel, Suit::kGras, Suit::kSchellen}) {
    if (((suits >> static_cast<int>(suit)) & 1u) == 0) continue;
    const double logit = single_logit(rules, row, suit, hand, leads, bid);
    if (logit > best.logit) best = {suit, logit};
  }
  return best;
}

}  // namespace

HandFeatures hand_features(const PlayConstants& play, CardSet hand, bool leads) {
  const std::uint32_t held = hand.bits();
  HandFeatures features;
  features.trumps = std::popcount(held & play.trumps);
  features.tops = std::popcount(held & play.top);
  features.seconds = std::popcount(held & play.second);
  features.best = (held & play.top & (0u - play.top)) != 0;  // Eichel has the lowest index
  for (int suit = 0; suit < kNumSuits; ++suit) {
    const CardSet cards(CardSet::suit(static_cast<Suit>(suit)).bits() & ~play.trumps);
    const CardSet own = hand & cards;
    features.voids += !cards.empty() && own.empty() ? 1 : 0;
    int run = 0;  // own cards from the highest one down, three at most
    for (CardSet left = cards; run < 3 && !left.empty(); ++run) {
      const auto highest = static_cast<Card>(31 - std::countl_zero(left.bits()));
      if (!own.contains(highest)) break;
      left.remove(highest);
    }
    features.aces += run > 0 ? 1 : 0;
    features.guarded_tens += run > 1 ? 1 : 0;
    features.losers += own.count() - run;
  }
  features.leads = leads;
  return features;
}

int exposure(const PlayConstants& play, CardSet hand, CardSet deck) {
  PlayState<std::uint32_t> order{};
  order.trumps = play.trumps;
  order.top = play.top;
  order.second = play.second;
  order.low_tens = play.low_tens;
  int exposed = 0;
  const auto add_group = [&](CardSet group) {
    for (const Card card : hand& group) {
      const CardSet higher(beaters_of(order, CardSet::of(card).bits(), group.bits()));
      const CardSet lower = group - higher - CardSet::of(card);
      exposed += std::max(0, (lower - hand).count() - (lower & hand).count());
    }
  };
  for (int suit = 0; suit < kNumSuits; ++suit) {
    add_group((CardSet::suit(static_cast<Suit>(suit)) & deck) - CardSet(play.trumps));
  }
  add_group(CardSet(play.trumps) & deck);
  return exposed;
}

double no_trick_logit(const CompiledRules& rules, const ContractRow& row, Suit suit, CardSet hand) {
  // Won games of the best seat by exposure, 20,000 deals of each row between rule agents. Trumps
  // ruff against their owner's will, so that no hand is quite safe with them.
  constexpr double kSafe = 3.2, kPerExposed = 0.44, kOpenHand = 0.25;
  constexpr double kSafeWithTrumps = 0.55, kPerExposedWithTrumps = 0.22;
  const PlayConstants& play = rules.play(row.contract, suit);
  const int exposed = exposure(play, hand, rules.deck());
  const double logit = play.trumps == 0 ? kSafe - kPerExposed * exposed
                                        : kSafeWithTrumps - kPerExposedWithTrumps * exposed;
  return logit - (row.open_hand ? kOpenHand : 0.0);
}

double single_win_chance(const CompiledRules& rules, const ContractRow& row, Suit suit,
                         CardSet hand, bool leads, int bid) {
  return chance_of(single_logit(rules, row, suit, hand, leads, bid));
}

double all_tricks_chance(const CompiledRules& rules, const ContractRow& row, Suit suit,
                         CardSet hand, bool leads) {
  const PlayConstants& play = rules.play(row.contract, suit);
  const HandFeatures features = hand_features(play, hand, leads);
  // A run of top trumps draws as many rounds; trumps outside that stand two by two in one hand
  // survive more often the shorter the run is.
  const int outside = std::popcount(play.trumps) - features.trumps;
  const double survivors = std::max(0.0, 0.5 * outside - top_run_length(play, hand));
  double chance = 1.0 - 0.45 * features.losers - 0.3 * survivors;
  if (!features.best) chance = 0.0;
  if (!leads) chance -= 0.1 * (features.aces + features.guarded_tens);
  return std::clamp(chance, 0.0, 0.99);
}

bool is_red_rogue(const CompiledRules& rules, CardSet hand) {
  const PlayConstants& play = rules.play(calling_row().contract, rules.rules().partner_trump_suit);
  const HandFeatures features = hand_features(play, hand, false);
  const CardSet black = CardSet::suit(Suit::kEichel) | CardSet::suit(Suit::kGras);
  const CardSet obers = hand & CardSet(play.top);
  return !obers.empty() && (obers & black).empty() && features.trumps <= 5 &&
         features.aces + features.voids == 0;
}

double call_win_chance(const CompiledRules& rules, CardSet hand, bool leads) {
  constexpr double kRogue = 0.05;
  const PlayConstants& play = rules.play(calling_row().contract, rules.rules().partner_trump_suit);
  const HandFeatures features = as_eight_cards(hand_features(play, hand, leads), rules);
  const double chance = chance_of(logit_of(kCalled, features));
  return is_red_rogue(rules, hand) ? chance - kRogue : chance;
}

Suit best_suit(const CompiledRules& rules, const ContractRow& row, CardSet hand, bool leads,
               unsigned suits) {
  return choose_suit(rules, row, hand, leads, suits).suit;
}

ContractChoice best_single(const CompiledRules& rules, CardSet hand, bool leads,
                           const ActionMask& allowed, int bid) {
  constexpr double kToutLogit = 1.5;  // below this a hand is not looked at for a Tout
  constexpr double kToutChance = 0.9;
  ContractChoice best;
  for (const ContractRow& row : contract_table()) {
    if (!row.is_single() || row.goal == Goal::kFixedHand) continue;
    const bool plain = row.action != 0 && allowed.contains(row.action);
    const bool tout = row.tout_action != 0 && allowed.contains(row.tout_action);
    if (!plain && !tout) continue;
    const SuitChoice suit = choose_suit(rules, row, hand, leads, kAllSuits, bid);
    const auto consider = [&](Action action, bool as_tout, double chance) {
      const double value = expected_payoff(rules, row, as_tout, chance);
      if (best.possible() && value <= best.value) return;
      best = {
          {.contract = row.contract, .tout = as_tout, .suit = suit.suit}, action, chance, value};
    };
    if (plain) consider(row.action, false, chance_of(suit.logit));
    if (!tout || (plain && suit.logit < kToutLogit)) continue;
    // An announced Tout needs a hand that hardly loses a trick, whatever its price.
    const double chance = all_tricks_chance(rules, row, suit.suit, hand, leads);
    if (chance >= kToutChance || !best.possible()) consider(row.tout_action, true, chance);
  }
  return best;
}

ContractChoice best_call(const CompiledRules& rules, CardSet hand, bool leads) {
  if (rules.call_action() == 0 || rules.callable(hand.bits()) == 0) return {};  // gesperrt (C.1)
  return call_choice(rules, hand, leads);
}

ContractChoice call_choice(const CompiledRules& rules, CardSet hand, bool leads) {
  const ContractRow& row = calling_row();
  ContractChoice choice;
  choice.action = row.action;
  choice.contract.contract = row.contract;
  choice.contract.called = choose_called_card(hand, CardSet(rules.callable(hand.bits())));
  choice.win_chance = call_win_chance(rules, hand, leads);
  choice.value = expected_payoff(rules, row, false, choice.win_chance);
  return choice;
}

Card choose_called_card(CardSet hand, CardSet callable) {
  Card best = kNoCard;
  int best_cost = 0;
  const CardSet trump_ranks = CardSet::rank(Rank::kOber) | CardSet::rank(Rank::kUnter);
  for (const Card card : callable) {
    const CardSet suit = (CardSet::suit(suit_of(card)) & hand) - trump_ranks;
    const bool next_lower = card > 0 && suit.contains(static_cast<Card>(card - 1));
    const int cost = 4 * suit.count() + (next_lower ? 6 : 0);
    if (best == kNoCard || cost < best_cost) {
      best = card;
      best_cost = cost;
    }
  }
  return best;
}

}  // namespace schafkopf
