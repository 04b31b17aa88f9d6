#include "env/record/history.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <string>

#include "env/base/refuse.h"
#include "env/record/hidden_deals.h"

namespace schafkopf {
namespace {

bool is_doubling(Action action) { return action == kActionDouble || action == kActionNoDouble; }
bool is_suit(Action action) { return action >= kActionSuitE && action < kActionSuitE + kNumSuits; }

/// Merge events and cards to the order in which they happened.
std::vector<PublicAction> merge(const std::vector<Event>& events,
                                const std::vector<PublicAction>& cards) {
  std::vector<PublicAction> actions;
  std::size_t next = 0;
  for (std::size_t i = 0; i <= cards.size(); ++i) {
    bool ran_away = false;
    const bool last = i == cards.size();
    for (; next < events.size(); ++next) {
      const Event& event = events[next];
      // what is settled after the cards is the end, whatever number of cards it bears
      if (!last && (is_settlement(event.action) || event.cards_before != i)) break;
      if (event.flag) {
        ran_away = true;
      } else {
        actions.push_back({event.action, event.seat, false, is_card(event.action)});
      }
    }
    if (last) break;
    actions.push_back(cards[i]);
    actions.back().flag = ran_away;
  }
  return actions;
}

/// What may happen in a deal that was entered at card play, besides cards.
bool without_auction(Action action) {
  return is_doubling(action) || action == kActionLay || claims_rest(action) ||
         is_settlement(action);
}

bool has_auction(const std::vector<Event>& events) {
  return std::ranges::any_of(
      events, [](const Event& event) { return !event.flag && !without_auction(event.action); });
}

/// Whether an action can happen in a phase, whatever the hands are.
bool fits(Phase phase, const PublicAction& step) {
  const Action action = step.action;
  const auto one_of = [action](std::initializer_list<Action> list) {
    return std::ranges::find(list, action) != list.end();
  };
  switch (phase) {
    case Phase::kPredeal:
    case Phase::kNameSuit:
      return is_suit(action);
    case Phase::kLegen:
      return one_of({kActionLay, kActionNoLay});
    case Phase::kHzOffer:
      return is_offer(action) || action == kActionHzNoOffer;
    case Phase::kHzAccept:
      return one_of({kActionHzAccept, kActionHzRefuse});
    case Phase::kHzOverride:
    case Phase::kAuctionRound:
      return one_of({kActionPass, kActionPlay});
    case Phase::kAuctionResolve:
      return one_of({kActionPass, kActionYield}) || is_contract(action);
    case Phase::kAuctionDirect:
      return one_of({kActionPass, kActionPlay}) || is_contract(action);
    case Phase::kSteigern:
      return one_of({kActionPass, kActionYield, kActionHold}) ||
             (action >= kActionRaise70 && action < kActionLay);
    case Phase::kNameClass:
      return is_contract(action);
    case Phase::kAllPassChoice:
      return one_of({kActionPass, kActionSayRamsch, kActionSayStock});
    case Phase::kZupfTarget:
      return action >= kActionTarget1 && action < kActionTarget1 + kNumSeats - 1;
    case Phase::kJungfrau:
      return one_of({kActionJungfrau, kActionNoJungfrau});
    case Phase::kDouble:
      return is_doubling(action);
    case Phase::kCallCard:
      return is_card(action) && step.shown;
    case Phase::kPlay:
      return (is_card(action) && !step.shown) || claims_rest(action);
    case Phase::kClaimSettle:
      return is_settlement(action);
    case Phase::kSchieber:
    case Phase::kSchieberPush:
    case Phase::kHzReturn:
    case Phase::kZupfGive:
    case Phase::kDone:
      return false;
  }
  return false;
}

/// Plays the first `ply` actions; empty, with the reason, if the deal contradicts them.
class Replay {
 public:
  Replay(const PublicHistory& history, std::size_t ply, int seat)
      : history_(history), ply_(ply), seat_(seat) {}

  std::optional<Game> run(const Deal& deal) {
    Game game = begin(deal);
    for (std::size_t i = first_; i < ply_; ++i) {
      if (!step(game, i)) return std::nullopt;
    }
    const bool fits = ply_ < history_.actions.size() ? wait_for_next(game) : wait_at_end(game);
    if (!fits || !open_hand_fits(game) || !renonce_fits(game)) return std::nullopt;
    return game;
  }
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  /// What was laid before a deal that begins at card play is part of its beginning.
  [[nodiscard]] Game begin(const Deal& deal) {
    if (!history_.start) return Game(*history_.rules, deal, history_.dealer, history_.context);
    CardPlayStart start;
    start.contract = *history_.start;
    for (first_ = 0; first_ < history_.actions.size(); ++first_) {
      if (history_.actions[first_].action != kActionLay) break;
      start.laid.push_back(history_.actions[first_].seat);
    }
    return Game::with_contract(*history_.rules, deal, history_.dealer, start, history_.context);
  }

  /// Silent answers up to the moment at which this can happen.
  static void stay_silent(Game& game, const PublicAction& next) {
    std::optional<Action> answer;
    while ((answer = silent_answer(game.phase()))) {
      if (game.current_player() == next.seat && fits(game.phase(), next)) return;
      game.apply_unchecked(*answer);
    }
  }

  bool step(Game& game, std::size_t i) {
    const PublicAction& next = history_.actions[i];
    if (next.shown && shown_with_offer(history_, i)) return is_shown(game, i);
    stay_silent(game, next);
    const int events = game.num_events();
    if (game.current_player() != next.seat || !fits(game.phase(), next)) {
      return fail(i, game.is_terminal()
                         ? "the deal was over"
                         : "seat " + std::to_string(game.current_player()) +
                               " was to act in phase " + std::string(phase_name(game.phase())));
    }
    const bool card = game.phase() == Phase::kPlay && is_card(next.action);
    game.apply_unchecked(next.action);
    const bool ran_away = card && game.num_events() > events && game.event(events).flag;
    if (ran_away == next.flag) return true;
    return fail(i, ran_away ? "the called card was in this hand, but nobody ran away"
                            : "it ran away, but the called card was not in this hand");
  }

  /// The game itself shows the cards of an offer.
  bool is_shown(const Game& game, std::size_t i) {
    const PublicAction& card = history_.actions[i];
    for (int event = 0; event < game.num_events(); ++event) {
      const Event shown = game.event(event);
      if (shown.action == card.action && shown.seat == card.seat && !shown.secret) return true;
    }
    return fail(i, "it was not offered");
  }

  /// Silent answers before the next public action: that seat must then be the one to act.
  bool wait_for_next(Game& game) {
    const PublicAction& next = history_.actions[ply_];
    stay_silent(game, next);
    if (game.current_player() == next.seat && fits(game.phase(), next)) return true;
    if (is_doubling(next.action)) return cannot_be_asked(next.seat);
    return fail(ply_, "seat " + std::to_string(game.current_player()) + " was to act in phase " +
                          std::string(phase_name(game.phase())));
  }

  /// Whether the game stands at the question that is open at the end. Who is asked to double is
  /// known to the one who acts next, that he is not the one; other questions show their phase.
  [[nodiscard]] bool is_asked_now(const Game& game) const {
    const Phase question = history_.question.value_or(Phase::kDouble);
    if (game.phase() != question) return false;
    if (question == Phase::kDouble) return game.current_player() == history_.asked;
    return (game.current_player() == seat_) == (history_.asked == seat_);
  }

  /// Silent answers at the end: up to the question that is open, if there is one.
  bool wait_at_end(Game& game) {
    const bool stops =
        history_.asked >= 0 || (history_.question && history_.question != Phase::kDouble);
    std::optional<Action> answer;
    while ((answer = silent_answer(game.phase()))) {
      if (stops && is_asked_now(game)) return true;
      game.apply_unchecked(*answer);
    }
    if (stops) return cannot_be_asked(history_.asked);
    if (history_.over && !game.is_terminal()) {
      why_ = "the deal was ended by an infraction, which is no public action (E.6)";
      return false;
    }
    if (history_.waiting == seat_ &&
        (game.current_player() == seat_ || game.view(seat_).phase() != history_.seen)) {
      why_ = "another seat is asked in silence, this one cannot know which (D.1)";
      return false;
    }
    return declarer_fits(game);
  }

  bool declarer_fits(const Game& game) {
    if (history_.declarer < 0) return true;
    const int relative = game.view(seat_).declarer();
    if (relative != kNoSeat && (seat_ + relative) % game.seats() == history_.declarer) return true;
    why_ = "seat " + std::to_string(history_.declarer) + " must play, impossible with this hand";
    return false;
  }

  bool open_hand_fits(const Game& game) {
    const CardSet open = game.open_cards();
    if (open.empty()) return true;
    const int declarer = game.contract().declarer;
    if (open == history_.open_hand - (game.start_hand(declarer) - game.hand(declarer))) return true;
    why_ = "the hand of seat " + std::to_string(declarer) + " lies open: it was dealt " +
           to_string(history_.open_hand);
    return false;
  }

  /// Whether the call was announced as a Renonce is public (C.2).
  bool renonce_fits(const Game& game) {
    if (!game.has_contract() || game.contract().renonce == history_.renonce) return true;
    why_ = "seat " + std::to_string(game.contract().declarer) + " called " +
           (history_.renonce ? "with" : "without") + " renonce, impossible with this hand";
    return false;
  }

  bool cannot_be_asked(int asked) {
    why_ = asked < 0
               ? std::string("no other seat could be asked with this hand")
               : "seat " + std::to_string(asked) + " could not be asked to double with this hand";
    if (history_.question && *history_.question != Phase::kDouble && asked >= 0) {
      why_ = "seat " + std::to_string(asked) + " could not be asked in phase " +
             std::string(phase_name(*history_.question)) + " with this hand";
    }
    return false;
  }

  bool fail(std::size_t i, const std::string& reason) {
    const PublicAction& action = history_.actions[i];
    why_ = "public action " + std::to_string(i) + " (seat " + std::to_string(action.seat) + ": " +
           action_name(action.action) + ") is impossible with this hand: " + reason;
    return false;
  }

  const PublicHistory& history_;
  std::size_t ply_;
  int seat_;
  std::size_t first_ = 0;
  std::string why_;
};

/// Seats that may own the called card, the public owner or the seat itself alone if that is known.
std::vector<int> owners(const PublicHistory& history, const Past& past, int seat, CardSet hand) {
  if (past.called == kNoCard) return {-1};
  if (hand.contains(past.called)) return {seat};
  if (past.owner >= 0) return {past.owner};
  std::vector<int> candidates;
  for (int other = 0; other < history.rules->seats(); ++other) {
    if (other != seat && other != past.declarer) candidates.push_back(other);
  }
  return candidates;
}

/// Seats that may have got the card of the Muss-Spiel, where it decides who plays (C.4).
std::vector<int> muss_holders(const PublicHistory& history, const Past& past, CardSet hand) {
  const RuleSet& rules = history.rules->rules();
  bool known = rules.all_pass != AllPass::kMussSpiel || hand.contains(rules.muss_card);
  for (const CardSet played : past.played) known = known || played.contains(rules.muss_card);
  if (known) return {-1};
  return {0, 1, 2, 3};
}

/// Seats that may be asked at the end whether they offer a Hochzeit.
std::vector<int> offerers(const PublicHistory& history, std::size_t ply, int seat) {
  const bool open = ply == history.actions.size() && history.question == Phase::kHzOffer;
  if (!open || history.asked == seat) return {-1};
  return {0, 1, 2, 3};
}

std::vector<Guess> guesses(const PublicHistory& history, const Past& past, std::size_t ply,
                           int seat, CardSet hand) {
  std::vector<Guess> list;
  const int seats = history.rules->seats();
  for (const int owner : owners(history, past, seat, hand)) {
    for (const int muss : muss_holders(history, past, hand)) {
      for (const int asked : offerers(history, ply, seat)) {
        if (muss >= seats || muss == seat || asked >= seats || asked == seat) continue;
        for (int i = 0; i < (asked < 0 ? 4 : 8); ++i) {
          list.push_back({owner, muss, asked, 1 + i / 4, (i & 1) == 0, (i & 2) == 0});
        }
      }
    }
  }
  return list;
}

/// What a history cannot tell (see history.h).
void refuse_exchanges(const PublicHistory& history, std::size_t ply) {
  const std::string why =
      ": cards were exchanged in secret, so that the hand as dealt is not the hand that is played";
  const SpecialRoundRow& row = special_round_row(history.context.mode());
  if (!history.start && row.opening == Opening::kPackets) {
    refuse("special_round = " + std::string(name_of(row.mode)) + why + " (C.20.6)");
  }
  if (history.start) {
    const bool partner = contract_row(history.start->contract).parties == Parties::kHochzeit;
    if (partner || history.exchanged) refuse("deal that began at card play" + why);
  }
  for (std::size_t i = 0; i < ply; ++i) {
    const PublicAction& step = history.actions[i];
    const bool target =
        step.action >= kActionTarget1 && step.action < kActionTarget1 + kNumSeats - 1;
    if (step.action != kActionHzAccept && !target) continue;
    refuse("public action " + std::to_string(i) + " (seat " + std::to_string(step.seat) + ": " +
           action_name(step.action) + ")" + why + (target ? " (C.20.11)" : " (C.3)"));
  }
}

bool ends_by_claim(const std::vector<PublicAction>& actions) {
  return std::ranges::any_of(actions,
                             [](const PublicAction& step) { return claims_rest(step.action); });
}

/// Whether the declarer of such a game has laid his cards open by now (`brett_reveal`).
bool lies_open(const CompiledRules& rules, ContractClass contract, int num_plays) {
  return contract_row(contract).open_hand &&
         (rules.rules().brett_reveal == BrettReveal::kBeforeFirstCard ||
          num_plays >= rules.seats());
}

}  // namespace

std::optional<Action> silent_answer(Phase phase) {
  switch (phase) {
    case Phase::kLegen:
      return kActionNoLay;
    case Phase::kHzOffer:
      return kActionHzNoOffer;
    case Phase::kHzAccept:
      return kActionHzRefuse;
    case Phase::kJungfrau:
      return kActionNoJungfrau;
    case Phase::kDouble:
      return kActionNoDouble;
    case Phase::kPredeal:
    case Phase::kSchieber:
    case Phase::kSchieberPush:
    case Phase::kHzReturn:
    case Phase::kHzOverride:
    case Phase::kAuctionRound:
    case Phase::kAuctionResolve:
    case Phase::kAuctionDirect:
    case Phase::kSteigern:
    case Phase::kNameClass:
    case Phase::kNameSuit:
    case Phase::kCallCard:
    case Phase::kAllPassChoice:
    case Phase::kZupfTarget:
    case Phase::kZupfGive:
    case Phase::kPlay:
    case Phase::kClaimSettle:
    case Phase::kDone:
      return std::nullopt;
  }
  return std::nullopt;
}

PublicHistory public_history(const Game& game) {
  std::vector<Event> events;
  for (int i = 0; i < game.num_events(); ++i) {
    if (!game.event(i).secret) events.push_back(game.event(i));
  }
  std::vector<PublicAction> cards;
  cards.reserve(static_cast<std::size_t>(game.num_plays()));
  for (int i = 0; i < game.num_plays(); ++i) {
    cards.push_back({game.played_card(i), game.played_by(i), false, false});
  }
  PublicHistory history;
  history.rules = &game.rules();
  history.dealer = game.dealer();
  history.context = game.context();
  history.actions = merge(events, cards);
  if (game.infraction() != Infraction::kNone) {
    refuse("a game ended by an infraction has no public history: it is no action (E.6)");
  }
  if (game.is_endgame()) refuse("a game from a position has no public history");
  const bool claimed = ends_by_claim(history.actions);
  for (int seat = 0; seat < game.seats(); ++seat) {
    if (claimed) history.laid_down[static_cast<std::size_t>(seat)] = game.start_hand(seat);
    history.exchanged = history.exchanged || !game.given(seat).empty();
  }
  if (game.starts_at_play()) history.start = game.contract();
  const int declarer = game.view(0).declarer();  // seat 0: relative is absolute
  history.declarer = declarer == kNoSeat ? -1 : declarer;
  if (game.has_contract() && lies_open(game.rules(), game.contract().contract, game.num_plays())) {
    history.open_hand = game.start_hand(declarer);
  }
  history.renonce = game.contract().renonce;
  history.over = game.is_terminal();
  if (silent_answer(game.phase())) {
    history.asked = game.current_player();
    history.question = game.phase();
  }
  return history;
}

namespace {

/// Events of a view with absolute seats.
std::vector<Event> events_of(const PlayerView& view) {
  const OrderLine& order = view.order;
  if (order.num_events >= EventsLine::kMost) {
    refuse("the view shows the last 32 events only");
  }
  std::vector<Event> events;
  for (int i = 0; i < order.num_events; ++i) {
    const SeenEvent event = view.event(i);
    events.push_back({event.action,
                      static_cast<std::uint8_t>((view.seat() + event.seat) % order.seats),
                      static_cast<std::uint8_t>(event.cards_before), event.flag});
  }
  return events;
}

std::vector<PublicAction> cards_of(const PlayerView& view) {
  const OrderLine& order = view.order;
  std::vector<PublicAction> cards;
  for (int i = 0; i < order.num_plays; ++i) {
    const SeenPlay play = view.play(i);
    if (!play.known) refuse("the view shows the last tricks only (history_view = last_trick)");
    cards.push_back({play.card, (view.seat() + play.seat) % order.seats, false, false});
  }
  return cards;
}

/// Contract of a view, with the absolute seat of the declarer.
Contract contract_of(const PlayerView& view, int declarer) {
  const int suit = view.cards.trump_suit;
  return {static_cast<ContractClass>(view.contract_class()),
          view.is_tout(),
          suit < kNumSuits ? static_cast<Suit>(suit) : Suit::kHerz,
          view.cards.called_card,
          declarer,
          view.has(kFlagRenonce),
          view.order.bid};
}

}  // namespace

PublicHistory public_history(const PlayerView& view, const CompiledRules& rules) {
  const OrderLine& order = view.order;
  const auto absolute = [&view, &order](int relative) {
    return (view.seat() + relative) % order.seats;
  };
  const std::vector<Event> events = events_of(view);
  PublicHistory history;
  history.rules = &rules;
  history.dealer = absolute(order.dealer);
  history.context = {order.stock, order.bock, order.special_round, order.games_left, {}};
  for (int relative = 0; relative < order.seats; ++relative) {
    history.context.owed[absolute(relative)] = order.owed[relative];
  }
  history.actions = merge(events, cards_of(view));
  history.declarer = view.declarer() == kNoSeat ? -1 : absolute(view.declarer());
  const Opening opening = special_round_row(history.context.mode()).opening;
  const bool no_auction = opening == Opening::kEveryone || opening == Opening::kOpposite;
  if (view.has_contract() && !has_auction(events) && !no_auction) {
    history.start = contract_of(view, history.declarer);
  }
  history.exchanged = (order.given | order.received) != 0;
  for (int relative = 0; relative < order.seats; ++relative) {
    const CardSet played(view.cards.played[relative]);
    if (ends_by_claim(history.actions)) {
      history.laid_down[static_cast<std::size_t>(absolute(relative))] = played;
    }
  }
  if (view.has_contract() && history.declarer >= 0 &&
      lies_open(rules, static_cast<ContractClass>(view.contract_class()), order.num_plays)) {
    history.open_hand = CardSet(order.open | view.cards.played[view.declarer()]);
  }
  history.renonce = view.has(kFlagRenonce);
  history.over = view.has(kFlagDone);
  history.seen = view.phase();
  if (!view.has(kFlagToAct)) history.waiting = view.seat();
  if (silent_answer(view.phase())) history.question = view.phase();
  if (history.question && view.has(kFlagToAct)) history.asked = view.seat();
  return history;
}

PlayerView view_at(const PublicHistory& history, std::size_t ply, int seat, CardSet hand) {
  if (history.rules == nullptr) refuse("rules = null, allowed: those of the history");
  const CompiledRules& rules = *history.rules;
  if (ply > history.actions.size()) {
    refuse("ply = " + std::to_string(ply) + ", allowed: 0.." +
           std::to_string(history.actions.size()));
  }
  if (seat < 0 || seat >= rules.seats()) {
    refuse("seat = " + std::to_string(seat) + ", allowed: 0.." + std::to_string(rules.seats() - 1));
  }
  refuse_exchanges(history, ply);
  const Past past = past_of(history, ply);
  check_hand({history, past, seat, hand});
  Replay replay(history, ply, seat);
  for (const Guess& guess : guesses(history, past, ply, seat, hand)) {
    const std::optional<Deal> deal = deal_unseen({history, past, seat, hand}, guess);
    if (!deal) continue;
    const std::optional<Game> game = replay.run(*deal);
    if (!game) continue;
    if (game->phase() == Phase::kLegen) {
      refuse("while laying a seat sees half its hand, and a history does not tell which (F.1)");
    }
    return game->view(seat);
  }
  refuse(replay.why().empty()
             ? "no other seat has room for the called card " + card_name(past.called)
             : replay.why());
}

}  // namespace schafkopf
