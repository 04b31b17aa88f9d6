#include "agents/hand_strength.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace schafkopf {
namespace {

constexpr std::uint32_t kAces = CardSet::rank(Rank::kAss).bits();
constexpr std::uint32_t kTens = CardSet::rank(Rank::k10).bits();
constexpr std::uint32_t kKings = CardSet::rank(Rank::kKoenig).bits();

/// Weights of a logistic estimate of the chance to win from the counts of a hand.
struct Weights {
  double constant, trump, top, second, best, ace, guarded_ten, loser, empty_suit, leads;
};

// Logistic regression of 60,000 games each between rule agents (Rufspiel, Solo, Wenz).
constexpr Weights kLongTrumps = {-15.64, 1.73, 0.78, 0.0, 0.80, 1.90, 0.08, 0.0, 1.08, 0.18};
constexpr Weights kFewTrumps = {-3.51, 1.02, 0.0, 0.0, 1.11, 1.03, 0.52, -0.69, 0.0, 0.0};
constexpr Weights kCalled = {-3.90, 0.74, 0.49, 0.07, 0.18, 0.66, -0.13, 0.0, 0.32, 0.06};

double logit_of(const Weights& weights, const HandFeatures& hand) {
  return weights.constant + weights.trump * hand.trumps + weights.top * hand.tops +
         weights.second * hand.seconds + weights.best * (hand.best ? 1 : 0) +
         weights.ace * hand.aces + weights.guarded_ten * hand.guarded_tens +
         weights.loser * hand.losers + weights.empty_suit * hand.voids +
         weights.leads * (hand.leads ? 1 : 0);
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
  const double extras =
      tout ? 0.0 : 2.75 * (amount(TariffKey::kSchneider) + amount(TariffKey::kLaufende));
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

/// Chance to win a single game as a logit: cheap to compare.
double single_logit(const CompiledRules& rules, const ContractRow& row, Suit suit, CardSet hand,
                    bool leads) {
  if (row.goal == Goal::kNoTrick) {  // wins only with low cards everywhere
    const CardSet low = CardSet::rank(Rank::k7) | CardSet::rank(Rank::k8) | CardSet::rank(Rank::k9);
    return 2.0 - 1.2 * (hand - low).count();
  }
  const PlayConstants& play = rules.play(row.contract, suit);
  const HandFeatures features = hand_features(play, hand, leads);
  return logit_of(has_long_trumps(play) ? kLongTrumps : kFewTrumps, features);
}

/// Best suit of a row and its logit.
struct SuitChoice {
  Suit suit = Suit::kHerz;
  double logit = 0.0;
};
SuitChoice choose_suit(const CompiledRules& rules, const ContractRow& row, CardSet hand,
                       bool leads) {
  SuitChoice best{Suit::kHerz, single_logit(rules, row, Suit::kHerz, hand, leads)};
  if (row.trump_suit != TrumpSuit::kAnnounced) return best;
  for (const Suit suit : {Suit::kEichel, Suit::kGras, Suit::kSchellen}) {
    const double logit = single_logit(rules, row, suit, hand, leads);
    if (logit > best.logit) best = {suit, logit};
  }
  return best;
}

}  // namespace

HandFeatures hand_features(const PlayConstants& play, CardSet hand, bool leads) {
  const std::uint32_t held = hand.bits(), plain = held & ~play.trumps;
  const std::uint32_t aces = plain & kAces, tens = plain & kTens & (aces >> 1);
  const std::uint32_t kings = plain & kKings & (tens >> 1);
  HandFeatures features;
  features.trumps = std::popcount(held & play.trumps);
  features.tops = std::popcount(held & play.top);
  features.seconds = std::popcount(held & play.second);
  features.best = (held & play.top & (0u - play.top)) != 0;  // Eichel has the lowest index
  features.aces = std::popcount(aces);
  features.guarded_tens = std::popcount(tens);
  features.losers = std::popcount(plain & ~aces & ~tens & ~kings);
  for (int suit = 0; suit < kNumSuits; ++suit) {
    const std::uint32_t cards = CardSet::suit(static_cast<Suit>(suit)).bits() & ~play.trumps;
    features.voids += cards != 0 && (held & cards) == 0 ? 1 : 0;
  }
  features.leads = leads;
  return features;
}

double single_win_chance(const CompiledRules& rules, const ContractRow& row, Suit suit,
                         CardSet hand, bool leads) {
  return chance_of(single_logit(rules, row, suit, hand, leads));
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

double call_win_chance(const CompiledRules& rules, CardSet hand, bool leads) {
  const PlayConstants& play = rules.play(calling_row().contract, Suit::kHerz);
  HandFeatures features = hand_features(play, hand, leads);
  double chance = chance_of(logit_of(kCalled, features));
  // I-01: a hand whose highest trump is the third Ober (HO) or lower looks better than it is.
  const std::uint32_t two_best = play.top & 0x0000FFFFu;
  if ((hand.bits() & two_best) == 0 && features.trumps <= 5 &&
      features.aces + features.voids == 0) {
    chance -= 0.05;
  }
  return chance;
}

Suit best_suit(const CompiledRules& rules, const ContractRow& row, CardSet hand, bool leads) {
  return choose_suit(rules, row, hand, leads).suit;
}

ContractChoice best_single(const CompiledRules& rules, CardSet hand, bool leads,
                           const ActionMask& allowed) {
  constexpr double kToutLogit = 1.5;  // below this a hand is not looked at for a Tout
  constexpr double kToutChance = 0.9;
  ContractChoice best;
  for (const ContractRow& row : contract_table()) {
    if (!row.is_single() || row.goal == Goal::kFixedHand) continue;
    const bool plain = row.action != 0 && allowed.contains(row.action);
    const bool tout = row.tout_action != 0 && allowed.contains(row.tout_action);
    if (!plain && !tout) continue;
    const SuitChoice suit = choose_suit(rules, row, hand, leads);
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
  ContractChoice choice;
  if (rules.call_action() == 0) return choice;
  const CardSet callable(rules.callable(hand.bits()));
  if (callable.empty()) return choice;  // gesperrt (C.1)
  const ContractRow& row = calling_row();
  choice.action = rules.call_action();
  choice.contract.contract = row.contract;
  choice.contract.called = choose_called_card(hand, callable);
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
    const int cost = 4 * suit.count() + (suit.contains(static_cast<Card>(card - 1)) ? 6 : 0);
    if (best == kNoCard || cost < best_cost) {
      best = card;
      best_cost = cost;
    }
  }
  return best;
}

}  // namespace schafkopf
