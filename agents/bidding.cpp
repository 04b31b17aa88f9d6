#include "agents/bidding.h"

#include <initializer_list>

#include "agents/maxims.h"

namespace schafkopf {
namespace {

bool is_forehand(const PlayerView& view) { return (view.order.dealer + 1) % view.order.seats == 0; }

bool others_play(const PlayerView& view) {
  for (int i = 0; i < view.order.num_events; ++i) {
    const std::uint16_t event = view.events.events[i];
    if ((event & 127) == kActionPlay && ((event >> 8) & 3) != 0) return true;
  }
  return false;
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

/// First of the answers that is legal, else the lowest legal action.
Action first_legal(const ActionMask& mask, std::initializer_list<Action> answers) {
  for (const Action action : answers) {
    if (mask.contains(action)) return action;
  }
  return mask.lowest();
}

/// Rounds of the auction: say "I play" with a hand that is worth it.
Action say_play_or_pass(const PlayerView& view, const CompiledRules& rules,
                        const ActionMask& mask) {
  if (!mask.contains(kActionPlay)) return first_legal(mask, {kActionPass});
  if (holds_fixed_hand(view, rules)) return kActionPlay;
  const CardSet hand(view.cards.hand);
  const bool leads = is_forehand(view), over = others_play(view);
  const ContractChoice single = best_single(rules, hand, leads, rules.single_classes());
  if (is_worth_playing(single, rules, over ? kMinimumShareOver : kMinimumShare)) return kActionPlay;
  if (over) return kActionPass;  // a follower is bound to a single game (D.3)
  const ContractChoice call = best_call(rules, hand, leads);
  return is_worth_playing(call, rules, kMinimumShare) ? kActionPlay : kActionPass;
}

/// Contest between players: name a single game that is worth it, else give way.
Action name_or_give_way(const PlayerView& view, const CompiledRules& rules,
                        const ActionMask& mask) {
  if (holds_fixed_hand(view, rules) && mask.contains(rules.fixed_hand_action())) {
    return rules.fixed_hand_action();
  }
  const ContractChoice single =
      best_single(rules, CardSet(view.cards.hand), is_forehand(view), mask);
  if (is_worth_playing(single, rules, kMinimumShareOver)) return single.action;
  if (mask.contains(kActionPlay)) return say_play_or_pass(view, rules, mask);
  return first_legal(mask, {kActionYield, kActionPass});
}

Action name_class(const PlayerView& view, const CompiledRules& rules, const ActionMask& mask) {
  if (holds_fixed_hand(view, rules) && mask.contains(rules.fixed_hand_action())) {
    return rules.fixed_hand_action();
  }
  const CardSet hand(view.cards.hand);
  const ContractChoice single = best_single(rules, hand, is_forehand(view), mask);
  ContractChoice call;
  if (rules.call_action() != 0 && mask.contains(rules.call_action())) {
    call = best_call(rules, hand, is_forehand(view));
  }
  const ContractChoice& best = call.value >= single.value ? call : single;
  return best.possible() ? best.action : mask.lowest();
}

Action name_suit(const PlayerView& view, const CompiledRules& rules, const ActionMask& mask) {
  const Suit suit = best_suit(rules, named_row(view), CardSet(view.cards.hand), is_forehand(view));
  return first_legal(mask, {static_cast<Action>(kActionSuitE + static_cast<int>(suit))});
}

Action call_card(const PlayerView& view, const ActionMask& mask) {
  const CardSet callable(static_cast<std::uint32_t>(mask.words[0]));
  return callable.empty() ? mask.lowest() : choose_called_card(CardSet(view.cards.hand), callable);
}

Action answer_doubling(const PlayerView& view, const CompiledRules& rules, const ActionMask& mask) {
  if (!mask.contains(kActionDouble) || !view.has_contract()) {
    return first_legal(mask, {kActionNoDouble});
  }
  const Situation s(view, rules);
  bool doubles = false;
  if (s.on_declarer_side) {
    doubles = redoubles(s, rules, is_forehand(view));
  } else if (view.doubling_level() == 0 && s.row->goal == Goal::kMajority) {
    doubles = s.row->is_partner_game() ? doubles_partner_game(s)
              : s.trumps.count() > 4   ? doubles_long_trumps(s)
                                       : doubles_few_trumps(s);
  }
  return doubles ? kActionDouble : first_legal(mask, {kActionNoDouble});
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

bool redoubles(const Situation& s, const CompiledRules& rules, bool leads) {
  if (!s.is_declarer || s.tout || s.row->goal != Goal::kMajority) return false;
  const Suit suit = s.trump_suit;
  const double chance = s.row->is_single() ? single_win_chance(rules, *s.row, suit, s.dealt, leads)
                                           : call_win_chance(rules, s.dealt, leads);
  return chance >= 0.9;
}

Action choose_announcement(const PlayerView& view, const CompiledRules& rules) {
  const ActionMask mask = legal_actions(view.cards);
  if (mask.empty()) return kActionPass;
  const Phase phase = view.phase();
  if (phase == Phase::kAuctionRound) return say_play_or_pass(view, rules, mask);
  if (phase == Phase::kAuctionResolve || phase == Phase::kAuctionDirect) {
    return name_or_give_way(view, rules, mask);
  }
  if (phase == Phase::kNameClass) return name_class(view, rules, mask);
  if (phase == Phase::kNameSuit) return name_suit(view, rules, mask);
  if (phase == Phase::kCallCard) return call_card(view, mask);
  if (phase == Phase::kDouble) return answer_doubling(view, rules, mask);
  return first_legal(mask, {kActionNoLay, kActionHzNoOffer, kActionHzRefuse, kActionNoJungfrau,
                            kActionPushOn, kActionPass, kActionYield, kActionNoDouble});
}

}  // namespace schafkopf
