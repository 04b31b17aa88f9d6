#include "agents/bidding.h"

#include <algorithm>

#include "agents/answers.h"
#include "agents/claiming.h"
#include "agents/exchange.h"
#include "agents/maxims.h"

namespace schafkopf {
namespace {

constexpr int kLeastBid = 70, kBidStep = 10;

bool others_play(const PlayerView& view) { return said(view, kActionPlay, false); }

/// Single games that the mode of the deal lets this seat announce (C.20.4, C.20.9).
ActionMask single_classes(const PlayerView& view, const CompiledRules& rules) {
  const ActionMask &solo = rules.classes_of(Family::kSolo), &wenz = rules.classes_of(Family::kWenz);
  switch (mode_of(view).announce) {
    case Announce::kSoloAndWenz:
      return rules.single_classes() & (solo | wenz);
    case Announce::kOwed: {
      const bool owes_wenz = (view.order.owed[0] & 2) != 0,
                 owes_solo = (view.order.owed[0] & 4) != 0;
      if (owes_wenz && owes_solo) return solo | wenz;
      return owes_solo ? solo : owes_wenz ? wenz : ActionMask{};
    }
    case Announce::kAll:
    case Announce::kSingles:
      break;
  }
  return rules.single_classes();
}

/// The game with a called partner, if the mode has it and the hand may call (C.1, C.5).
ContractChoice call_in_mode(const PlayerView& view, const CompiledRules& rules) {
  const CardSet hand(view.cards.hand);
  const SpecialRoundRow& mode = mode_of(view);
  const bool owed = mode.announce == Announce::kOwed && (view.order.owed[0] & 1) != 0;
  const bool offered = mode.announce == Announce::kAll ? rules.call_action() != 0 : owed;
  const bool possible = mode.opposite_seats || rules.callable(hand.bits()) != 0;
  if (!offered || !possible) return {};
  return call_choice(rules, hand, is_forehand(view));
}

/// Debts must be paid, so an owed game is played with a weaker hand (C.20.9).
double minimum_share(const PlayerView& view, double usual) {
  constexpr double kOwedShare = -0.6;
  return mode_of(view).announce == Announce::kOwed ? kOwedShare : usual;
}

/// Row that this seat is about to complete with a suit or a card.
const ContractRow& named_row(const PlayerView& view) {
  for (int i = view.order.num_events - 1; i >= 0; --i) {
    const std::uint16_t event = view.events.events[i];
    const NamedContract named = contract_of_action(static_cast<Action>(event & 127));
    if (named.row != nullptr && ((event >> 8) & 3) == 0) return *named.row;
  }
  return view.has_contract() ? contract_row(static_cast<ContractClass>(view.contract_class()))
                             : calling_row();
}

bool holds_fixed_hand(const PlayerView& view, const CompiledRules& rules) {
  return !rules.fixed_hand().empty() && CardSet(view.cards.hand) == rules.fixed_hand();
}

/// Rounds of the auction: say "I play" with a hand that is worth it.
Action say_play_or_pass(const PlayerView& view, const CompiledRules& rules,
                        const ActionMask& mask) {
  if (!mask.contains(kActionPlay)) return first_legal(mask, {kActionPass});
  if (holds_fixed_hand(view, rules)) return kActionPlay;
  const CardSet hand(view.cards.hand);
  // a follower, and whoever enters over a Hochzeit, is bound to a single game (D.3, OPEN-11)
  const bool over = others_play(view) || view.phase() == Phase::kHzOverride;
  const double share = minimum_share(view, over ? kMinimumShareOver : kMinimumShare);
  const ContractChoice single =
      best_single(rules, hand, is_forehand(view), single_classes(view, rules));
  if (is_worth_playing(single, rules, share)) return kActionPlay;
  if (over) return kActionPass;
  return is_worth_playing(call_in_mode(view, rules), rules, share) ? kActionPlay : kActionPass;
}

/// Contest between players: name a single game that is worth it, else give way.
Action name_or_give_way(const PlayerView& view, const CompiledRules& rules,
                        const ActionMask& mask) {
  if (holds_fixed_hand(view, rules) && mask.contains(rules.fixed_hand_action())) {
    return rules.fixed_hand_action();
  }
  const ContractChoice single =
      best_single(rules, CardSet(view.cards.hand), is_forehand(view), mask);
  if (is_worth_playing(single, rules, minimum_share(view, kMinimumShareOver))) {
    return single.action;
  }
  if (mask.contains(kActionPlay)) return say_play_or_pass(view, rules, mask);
  return first_legal(mask, {kActionYield, kActionPass});
}

/// Points that the holder is asked to promise, or that a challenger would promise with the lowest
/// raise (D.5).
int bid_in_question(const PlayerView& view, const ActionMask& mask) {
  if (mask.contains(kActionPass)) {
    for (int n = 0; n < 6; ++n) {
      if (mask.contains(static_cast<Action>(kActionRaise70 + n))) return kLeastBid + kBidStep * n;
    }
    return 0;
  }
  const Action last =
      view.order.num_events == 0 ? Action{0} : seen_event(view, view.order.num_events - 1).action;
  const bool raised = last >= kActionRaise70 && last < kActionLay;
  return raised ? kLeastBid + kBidStep * (last - kActionRaise70) : view.order.bid;
}

/// D.5: hold or raise while the hand still makes the points.
Action raise_or_give_way(const PlayerView& view, const CompiledRules& rules,
                         const ActionMask& mask) {
  const int bid = bid_in_question(view, mask);
  ActionMask classes = single_classes(view, rules);
  if (bid > 0) classes = classes & rules.counting_classes();
  const ContractChoice single =
      best_single(rules, CardSet(view.cards.hand), is_forehand(view), classes, bid);
  const bool goes_on = holds_fixed_hand(view, rules) ||
                       is_worth_playing(single, rules, minimum_share(view, kMinimumShareOver));
  if (!goes_on) return first_legal(mask, {kActionYield, kActionPass});
  if (mask.contains(kActionHold)) return kActionHold;
  for (int n = 0; n < 6; ++n) {
    const auto raise = static_cast<Action>(kActionRaise70 + n);
    if (mask.contains(raise)) return raise;
  }
  return first_legal(mask, {kActionYield, kActionPass});
}

Action name_class(const PlayerView& view, const CompiledRules& rules, const ActionMask& mask) {
  if (holds_fixed_hand(view, rules) && mask.contains(rules.fixed_hand_action())) {
    return rules.fixed_hand_action();
  }
  const CardSet hand(view.cards.hand);
  const ContractChoice single = best_single(rules, hand, is_forehand(view), mask, view.order.bid);
  ContractChoice call;
  if (mask.contains(calling_row().action)) call = call_choice(rules, hand, is_forehand(view));
  const ContractChoice& best = call.value >= single.value ? call : single;
  return best.possible() ? best.action : mask.lowest();
}

/// Suits in a mask of SUIT actions, bit per suit.
unsigned suits_of(const ActionMask& mask) {
  return static_cast<unsigned>(mask.words[1] >> (kActionSuitE - 64)) & kAllSuits;
}

Action name_suit(const PlayerView& view, const CompiledRules& rules, const ActionMask& mask,
                 const ContractRow& row) {
  const Suit suit =
      best_suit(rules, row, CardSet(view.cards.hand), is_forehand(view), suits_of(mask));
  return first_legal(mask, {static_cast<Action>(kActionSuitE + static_cast<int>(suit))});
}

/// F.1: lay with more than an average share of strong trumps in what has been seen; where nobody
/// wants points with hardly any trump. With fixed cards only their owner is strong (C.20.7).
Action answer_legen(const PlayerView& view, const CompiledRules& rules, const ActionMask& mask) {
  constexpr double kStrong = 1.4, kWeak = 0.3;
  const CardSet hand(view.cards.hand);
  const HandFeatures features =
      hand_features(rules.play(calling_row().contract, rules.rules().partner_trump_suit), hand,
                    is_forehand(view));
  const double strength =
      (features.trumps + features.tops + 0.5 * features.aces) / std::max(1, hand.count());
  const Opening opening = mode_of(view).opening;
  const bool others_chosen = opening == Opening::kFixedCards && !is_forehand(view);
  const bool lays =
      opening == Opening::kEveryone ? strength <= kWeak : strength >= kStrong && !others_chosen;
  return first_legal(mask, {lays ? kActionLay : kActionNoLay});
}

Action call_card(const PlayerView& view, const ActionMask& mask) {
  const CardSet callable(static_cast<std::uint32_t>(mask.words[0]));
  return callable.empty() ? mask.lowest() : choose_called_card(CardSet(view.cards.hand), callable);
}

/// The first doubling, by the goal of the game and its trumps; later ones only by a declarer.
bool doubles(const Situation& s, const CompiledRules& rules, int level, bool leads) {
  if (s.row->goal == Goal::kFewestPoints) return level == 0 && doubles_low_hand(s, rules);
  const bool opens = level == 0 && (s.declarer == kNoSeat || !s.on_declarer_side);
  if (!opens) return redoubles(s, rules, leads);
  if (s.row->goal != Goal::kMajority) return false;
  if (s.row->is_partner_game()) return doubles_partner_game(s);
  return s.trumps.count() > 4 ? doubles_long_trumps(s) : doubles_few_trumps(s);
}

Action answer_doubling(const PlayerView& view, const CompiledRules& rules, const ActionMask& mask) {
  if (!mask.contains(kActionDouble) || !view.has_contract()) {
    return first_legal(mask, {kActionNoDouble});
  }
  const Situation s(view, rules);
  const bool yes = doubles(s, rules, view.doubling_level(), is_forehand(view));
  return yes ? kActionDouble : first_legal(mask, {kActionNoDouble});
}

int void_suits(const Situation& s) {
  int voids = 0;
  for (int suit = 0; suit < kNumSuits; ++suit) {
    const CardSet cards = CardSet::suit(static_cast<Suit>(suit)) - s.trumps;
    voids += !cards.empty() && (cards & s.hand).empty() ? 1 : 0;
  }
  return voids;
}

}  // namespace

bool is_worth_playing(const ContractChoice& choice, const CompiledRules& rules,
                      double minimum_share) {
  if (!choice.possible()) return false;
  const ContractRow& row = contract_row(choice.contract.contract);
  const int payers = row.is_single() ? rules.seats() - 1 : 1;
  const int factor = choice.contract.tout ? rules.rules().tariff.tout_factor : 1;
  const double price =
      static_cast<double>(rules.rules().tariff.amounts[static_cast<std::size_t>(row.price)]) /
      rules.tariff_scale();
  return choice.value > minimum_share * price * payers * factor;
}

int sure_trump_tricks(const Situation& s) {
  const CardSet own = s.hand & s.trumps;
  int sure = 0, given = 0, spare = own.count();
  for (CardSet left = own; !left.empty();) {
    const Card strongest = highest_trump(s, left);
    left.remove(strongest);
    --spare;  // the trump itself; lower ones are spare until they are given under higher ones
    const int higher = (s.beaters(strongest, s.trumps) - own).count();
    if (higher - given > spare) break;
    spare -= higher - given;
    given = higher;
    ++sure;
    if (spare <= 0) break;
  }
  return sure;
}

bool doubles_long_trumps(const Situation& s) {
  const CardSet worth = CardSet::rank(Rank::kAss) | CardSet::rank(Rank::k10);
  const int smears = (s.dealt & worth).count();
  return sure_trump_tricks(s) >= 3 && smears <= 1 &&
         (void_suits(s) > 0 || (s.dealt & s.trumps).count() >= 4);
}

bool doubles_few_trumps(const Situation& s) {
  const bool declarer_leads = s.declarer == s.first_to_lead;
  const CardSet aces = (s.dealt & CardSet::rank(Rank::kAss)) - s.trumps;
  return (s.dealt & s.trumps).count() >= 2 && !declarer_leads && aces.count() >= 2;
}

bool doubles_partner_game(const Situation& s) {
  const CardSet trumps = s.dealt & s.trumps;
  const int tops = (trumps & CardSet(s.order.top)).count();
  const bool void_in_called = s.called != kNoCard && (s.dealt & s.call_suit).empty();
  return tops >= 2 && (trumps.count() >= 6 || (trumps.count() == 5 && void_in_called));
}

bool doubles_low_hand(const Situation& s, const CompiledRules& rules) {
  constexpr int kLowHand = 4;
  return exposure(rules.play(s.row->contract, s.trump_suit), s.dealt, rules.deck()) <= kLowHand;
}

bool redoubles(const Situation& s, const CompiledRules& rules, bool leads) {
  // the strong hand of a Hochzeit is that of the partner
  const bool strong_partner = s.row->parties == Parties::kHochzeit && s.on_declarer_side;
  if (!(s.is_declarer || strong_partner) || s.tout || s.row->goal != Goal::kMajority) return false;
  const double chance = s.row->is_single()
                            ? single_win_chance(rules, *s.row, s.trump_suit, s.dealt, leads)
                            : call_win_chance(rules, s.dealt, leads);
  return chance >= 0.9;
}

Action choose_announcement(const PlayerView& view, const CompiledRules& rules) {
  const ActionMask mask = without_claims(legal_actions(view.cards));
  if (mask.empty()) return kActionPass;
  const CardSet cards(static_cast<std::uint32_t>(mask.words[0]));
  switch (view.phase()) {
    case Phase::kPredeal:
      return name_suit(view, rules, mask, row_of(Family::kSolo));
    case Phase::kLegen:
      return answer_legen(view, rules, mask);
    case Phase::kSchieber:
      return answer_packet(view, rules, mask);
    case Phase::kSchieberPush:
    case Phase::kZupfGive:
      return card_to_give(view, rules, cards);
    case Phase::kHzOffer:
      return answer_offer(view, rules, mask);
    case Phase::kHzAccept:
      return answer_hochzeit(view, rules, mask);
    case Phase::kHzReturn:
      return card_to_return(view, rules, cards);
    case Phase::kHzOverride:
    case Phase::kAuctionRound:
      return say_play_or_pass(view, rules, mask);
    case Phase::kAuctionResolve:
    case Phase::kAuctionDirect:
      return name_or_give_way(view, rules, mask);
    case Phase::kSteigern:
      return raise_or_give_way(view, rules, mask);
    case Phase::kNameClass:
      return name_class(view, rules, mask);
    case Phase::kNameSuit:
      return name_suit(view, rules, mask, named_row(view));
    case Phase::kCallCard:
      return call_card(view, mask);
    case Phase::kAllPassChoice:
      return choose_all_pass(view, rules, mask);
    case Phase::kZupfTarget:
      return choose_target(view, mask);
    case Phase::kJungfrau:
      return answer_virgin(view, rules, mask);
    case Phase::kDouble:
      return answer_doubling(view, rules, mask);
    case Phase::kClaimSettle:
      return claim_what_is_due(view, rules, mask);
    case Phase::kPlay:
    case Phase::kDone:
      break;
  }
  return mask.lowest();
}

}  // namespace schafkopf
