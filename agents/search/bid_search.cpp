#include "agents/search/bid_search.h"

#include <algorithm>
#include <cmath>

#include "agents/maxims/hand_strength.h"
#include "agents/maxims/rule_agent.h"
#include "agents/worlds/answers.h"
#include "agents/worlds/world_value.h"
#include "env/base/assert.h"
#include "env/base/interruption.h"
#include "env/deal/deal.h"
#include "env/game/game.h"

namespace schafkopf {
namespace {

/// What a game must promise on average, as a share of its price: open cards help the defenders of
/// single games, who would not find the best play.
constexpr double kShareOfCall = 0.0, kShareOfSingle = -0.3;

/// A deal of the world, seen from relative seat 0; halves do not matter after the Legen.
Deal deal_of(const World& world, int seats) {
  Deal deal;
  for (std::size_t seat = 0; seat < static_cast<std::size_t>(seats); ++seat) {
    CardSet left = world.hands[seat];
    const int half = left.count() / 2;
    for (int i = 0; i < half; ++i) deal.first[seat].add(left.pop_lowest());
    deal.second[seat] = left;
  }
  return deal;
}

/// Class that this seat has named and still has to complete with a suit.
NamedContract begun(const PlayerView& view) {
  for (int i = view.order.num_events - 1; i >= 0; --i) {
    const SeenEvent event = view.event(i);
    const NamedContract named = contract_of_action(event.action);
    if (named.row != nullptr && event.seat == 0) return named;
  }
  return {};
}

/// C.4: all passed, and this seat has to play a game.
bool plays_by_duty(const PlayerView& view, const RuleSet& rules) {
  if (view.phase() == Phase::kCallCard) {
    return view.has_contract() &&
           contract_row(static_cast<ContractClass>(view.contract_class())).by_duty;
  }
  if (view.phase() != Phase::kNameClass || rules.all_pass != AllPass::kMussSpiel) return false;
  for (int i = 0; i < view.order.num_events; ++i) {
    const Action action = view.event(i).action;
    if (action == kActionPlay || contract_of_action(action).row != nullptr) return false;
  }
  return true;
}

/// `bock`: factors 2 of the deal, which are in the value.
bool is_worth_it(const SearchedContract& best, const CompiledRules& rules, int bock) {
  const ContractRow& row = contract_row(best.contract.contract);
  const double price = static_cast<double>(rules.rules().tariff[row.price]) / rules.tariff_scale();
  const double seats = row.is_single() ? rules.seats() - 1 : 1;
  return best.value >
         (row.is_single() ? kShareOfSingle : kShareOfCall) * std::ldexp(price, bock) * seats;
}

/// While a suit is named all that may be, before that only the best one.
std::vector<Suit> suits_to_try(const ContractRow& row, bool naming, const ActionMask& mask,
                               Suit likely) {
  if (!naming || row.trump_suit != TrumpSuit::kAnnounced) return {likely};
  std::vector<Suit> suits;
  for (int suit = 0; suit < kNumSuits; ++suit) {
    if (mask.contains(static_cast<Action>(kActionSuitE + suit))) {
      suits.push_back(static_cast<Suit>(suit));
    }
  }
  return suits;
}

}  // namespace

bool BidSearch::can_search(const PlayerView& view) {
  if (mode_of(view).opening != Opening::kAuction || mode_of(view).announce != Announce::kAll ||
      mode_of(view).opposite_seats || view.order.bid != 0) {
    return false;
  }
  switch (view.phase()) {
    case Phase::kAuctionRound:
    case Phase::kAuctionResolve:
    case Phase::kAuctionDirect:
    case Phase::kNameClass:
    case Phase::kNameSuit:
    case Phase::kCallCard:
      return true;
    default:
      return false;
  }
}

bool BidSearch::can_judge_doubling(const PlayerView& view) {
  if (view.phase() != Phase::kDouble || !view.has_contract()) return false;
  const auto contract = static_cast<ContractClass>(view.contract_class());
  return contract_row(contract).goal != Goal::kFewestPoints;
}

std::vector<SearchedContract> BidSearch::candidates(const PlayerView& view,
                                                    const CompiledRules& rules) const {
  const ActionMask mask = legal_actions(view.cards);
  const CardSet hand(view.cards.hand);
  std::vector<SearchedContract> list;
  const bool duty = plays_by_duty(view, rules.rules());
  const auto add_call = [&](Card called) {
    const ContractRow& row = duty ? duty_row() : calling_row();
    list.push_back(
        {{.contract = row.contract, .called = called, .declarer = 0}, calling_row().action});
  };
  if (view.phase() == Phase::kCallCard) {
    for (const Card card : CardSet(view.cards.legal)) add_call(card);
    return list;
  }
  const bool naming_suit = view.phase() == Phase::kNameSuit;
  const NamedContract named = naming_suit ? begun(view) : NamedContract{};
  for (const ContractRow& row : contract_table()) {
    if (!row.is_single() || row.action == 0 || row.goal == Goal::kFixedHand) continue;
    if (naming_suit && (named.row == nullptr || named.row->contract != row.contract)) continue;
    const bool asked = mask.contains(kActionPlay) ? rules.single_classes().contains(row.action)
                                                  : mask.contains(row.action);
    if (!naming_suit && !asked) continue;
    const Suit likely = best_suit(rules, row, hand, is_forehand(view));
    for (const Suit suit : suits_to_try(row, naming_suit, mask, likely)) {
      list.push_back({{.contract = row.contract, .tout = named.tout, .suit = suit, .declarer = 0},
                      row.action});
    }
  }
  const bool round = view.phase() == Phase::kAuctionRound && !said(view, kActionPlay, false);
  if ((round || mask.contains(calling_row().action)) && rules.call_action() != 0) {
    const std::uint32_t callable = duty ? rules.duty_calls(hand.bits(), rules.rules().muss_blocked)
                                        : rules.callable(hand.bits());
    if (callable != 0) add_call(choose_called_card(hand, CardSet(callable)));
  }
  return list;
}

double BidSearch::payoff(const PlayerView& view, const CompiledRules& rules, const World& world) {
  const WorldValue value(view, rules, world);
  const PlayState<std::uint32_t> play = play_state_of(view, rules, world);
  if (value.tout()) {
    const int all = rules.cards_per_hand();
    const bool won = solver_.reaches(play, SolverAim{.side = value.party(), .tricks = true}, all);
    return value.of_class(won ? PayoffClass::kAllTricks : PayoffClass::kLost)[0];
  }
  if (value.row().goal == Goal::kNoTrick) {
    const bool won = solver_.takes_none(play, value.party());
    return value.of_class(won ? PayoffClass::kNoTrick : PayoffClass::kAllTricks)[0];
  }
  return value.of_class(solver_.payoff_class(play, value.party(), value.limits()))[0];
}

void BidSearch::evaluate(const PlayerView& view, const CompiledRules& rules,
                         const std::vector<World>& worlds,
                         std::vector<SearchedContract>& contracts) {
  DealContext context;
  context.bock = view.order.bock;
  for (SearchedContract& searched : contracts) {
    for (const World& world : worlds) {
      check_interruption();
      const Game game = Game::with_contract(rules, deal_of(world, view.order.seats),
                                            view.order.dealer, searched.contract, context);
      searched.value += payoff(game.view(0), rules, world);
    }
    searched.value /= static_cast<double>(worlds.size());
  }
}

Action BidSearch::answer(const PlayerView& view, const CompiledRules& rules,
                         const std::vector<World>& worlds) {
  SCHAFKOPF_ASSERT(!worlds.empty());
  const ActionMask mask = legal_actions(view.cards);
  std::vector<SearchedContract> contracts = candidates(view, rules);
  if (contracts.empty()) return RuleAgent::choose(view, rules);
  evaluate(view, rules, worlds, contracts);
  const SearchedContract& best = *std::ranges::max_element(contracts, {}, &SearchedContract::value);
  if (view.phase() == Phase::kCallCard) return best.contract.called;
  if (view.phase() == Phase::kNameSuit) {
    return static_cast<Action>(kActionSuitE + static_cast<int>(best.contract.suit));
  }
  const bool plays = is_worth_it(best, rules, view.order.bock) || view.phase() == Phase::kNameClass;
  if (!plays) return first_legal(mask, {kActionYield, kActionPass});
  return first_legal(mask, {best.action, kActionPlay});
}

double BidSearch::standing(const PlayerView& view, const CompiledRules& rules,
                           const std::vector<World>& worlds) {
  double sum = 0.0;
  for (const World& world : worlds) {
    check_interruption();
    sum += payoff(view, rules, world);
  }
  return sum / static_cast<double>(worlds.size());
}

}  // namespace schafkopf
