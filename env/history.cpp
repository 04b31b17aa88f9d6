#include "env/history.h"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>
#include <string>

namespace schafkopf {
namespace {

[[noreturn]] void refuse(const std::string& text) { throw std::invalid_argument(text); }

bool is_card(Action action) { return action < kNumCards; }
bool is_doubling(Action action) { return action == kActionDouble || action == kActionNoDouble; }
bool is_contract(Action action) { return contract_of_action(action).row != nullptr; }

/// Merge events and cards to the order in which they happened.
std::vector<PublicAction> merge(const std::vector<Event>& events,
                                const std::vector<PublicAction>& cards) {
  std::vector<PublicAction> actions;
  std::size_t next = 0;
  for (std::size_t i = 0; i <= cards.size(); ++i) {
    bool ran_away = false;
    for (; next < events.size() && events[next].cards_before == i; ++next) {
      const Event& event = events[next];
      if (event.flag) {
        ran_away = true;
      } else {
        actions.push_back({event.action, event.seat, false});
      }
    }
    if (i == cards.size()) break;
    actions.push_back(cards[i]);
    actions.back().flag = ran_away;
  }
  return actions;
}

/// A deal without an auction has no other events than doublings and running away.
bool has_auction(const std::vector<Event>& events) {
  return std::ranges::any_of(
      events, [](const Event& event) { return !event.flag && event.action != kActionDouble; });
}

/// Whether an action can happen in a phase, whatever the hands are.
bool fits(Phase phase, Action action) {
  switch (phase) {
    case Phase::kAuctionRound:
      return action == kActionPass || action == kActionPlay;
    case Phase::kAuctionResolve:
      return action == kActionPass || action == kActionYield || is_contract(action);
    case Phase::kAuctionDirect:
      return action == kActionPass || action == kActionPlay || is_contract(action);
    case Phase::kNameClass:
      return is_contract(action);
    case Phase::kNameSuit:
      return action >= kActionSuitE && action < kActionSuitE + kNumSuits;
    case Phase::kDouble:
      return is_doubling(action);
    case Phase::kCallCard:
    case Phase::kPlay:
      return is_card(action);
    default:
      return false;
  }
}

/// The public past of a view: what was played, called and shown before `ply`.
struct Past {
  std::array<CardSet, kNumSeats> played{};
  Card called = kNoCard;
  int declarer = -1;
  int owner = -1;  // of the called card, as far as public
};

Past past_of(const PublicHistory& history, std::size_t ply) {
  Past past;
  bool in_play = history.start.has_value();
  if (history.start) {
    past.called = history.start->called;
    past.declarer = history.start->declarer;
  }
  for (std::size_t i = 0; i < ply; ++i) {
    const PublicAction& step = history.actions[i];
    if (is_contract(step.action)) past.declarer = step.seat;
    if (!is_card(step.action)) continue;
    const bool called_now =
        !in_play && past.called == kNoCard && i > 0 && is_contract(history.actions[i - 1].action) &&
        contract_of_action(history.actions[i - 1].action).row->parties == Parties::kCalledCard;
    in_play = true;
    if (called_now) {
      past.called = step.action;
      continue;
    }
    past.played[static_cast<std::size_t>(step.seat)].add(step.action);
    if (step.flag || step.action == past.called) past.owner = step.seat;
  }
  return past;
}

void check_hand(const Past& past, const CompiledRules& rules, int seat, CardSet hand) {
  if (hand.count() != rules.cards_per_hand() || !(hand - rules.deck()).empty()) {
    refuse("hand of seat " + std::to_string(seat) + " (" + to_string(hand) + ") needs " +
           std::to_string(rules.cards_per_hand()) + " cards of the deck");
  }
  if (seat == past.declarer && past.called != kNoCard && hand.contains(past.called)) {
    refuse("hand of seat " + std::to_string(seat) + ": " + card_name(past.called) +
           " was called by this seat itself");
  }
  if (seat == past.owner && !hand.contains(past.called)) {
    refuse("hand of seat " + std::to_string(seat) + ": it ran away or played " +
           card_name(past.called) + ", but the called card was not in this hand");
  }
  for (int other = 0; other < rules.seats(); ++other) {
    const CardSet played = past.played[static_cast<std::size_t>(other)];
    const CardSet wrong = other == seat ? played - hand : played & hand;
    if (wrong.empty()) continue;
    refuse("hand of seat " + std::to_string(seat) + ": " + card_name(wrong.lowest()) +
           " was played by seat " + std::to_string(other));
  }
}

/// Deals cards that nobody saw to the other seats: any, but the called card to `owner`, and the
/// cards without which a given contract could not have been named to the declarer.
class Filler {
 public:
  Filler(const PublicHistory& history, const Past& past, int seat, CardSet hand)
      : history_(history), past_(past), hands_(past.played), unseen_(history.rules->deck() - hand) {
    hands_[static_cast<std::size_t>(seat)] = hand;
    for (int other = 0; other < seats(); ++other) {
      if (other != seat) unseen_ = unseen_ - past.played[static_cast<std::size_t>(other)];
    }
  }

  /// Empty if the owner has no room for the called card.
  std::optional<Deal> deal(int owner) {
    if (owner >= 0 && !holds(owner, past_.called) && !give(owner, CardSet::of(past_.called))) {
      return std::nullopt;
    }
    if (past_.called != kNoCard) unseen_.remove(past_.called);
    if (history_.start) give_named_contract();
    Deal deal;
    for (int seat = 0; seat < seats(); ++seat) {
      while (room(seat) > 0 && give(seat, unseen_)) {
      }
      const CardSet hand = hands_[static_cast<std::size_t>(seat)];
      for (const Card card : hand) {
        auto& half = 2 * deal.first[static_cast<std::size_t>(seat)].count() < hand.count()
                         ? deal.first
                         : deal.second;
        half[static_cast<std::size_t>(seat)].add(card);
      }
    }
    return deal;
  }

 private:
  [[nodiscard]] int seats() const { return history_.rules->seats(); }
  [[nodiscard]] bool holds(int seat, Card card) const {
    return hands_[static_cast<std::size_t>(seat)].contains(card);
  }
  [[nodiscard]] int room(int seat) const {
    return history_.rules->cards_per_hand() - hands_[static_cast<std::size_t>(seat)].count();
  }
  /// Lowest of some unseen cards; false if there is none or no room.
  bool give(int seat, CardSet cards) {
    cards = cards & unseen_;
    if (cards.empty() || room(seat) == 0) return false;
    hands_[static_cast<std::size_t>(seat)].add(cards.lowest());
    unseen_.remove(cards.lowest());
    return true;
  }
  void give_named_contract() {
    const ContractRow& row = contract_row(history_.start->contract);
    const int declarer = history_.start->declarer;
    if (row.goal == Goal::kFixedHand) {
      const CardSet fixed = trumps_of(row, Suit::kHerz);
      while (give(declarer, fixed)) {
      }
    }
    if (row.parties == Parties::kCalledCard) {
      const CardSet plain =
          CardSet::suit(suit_of(past_.called)) - trumps_of(row, history_.start->suit);
      if ((hands_[static_cast<std::size_t>(declarer)] & plain).empty()) give(declarer, plain);
    }
  }

  const PublicHistory& history_;
  const Past& past_;
  std::array<CardSet, kNumSeats> hands_;
  CardSet unseen_;
};

/// Plays the first `ply` actions; empty, with the reason, if the deal contradicts them.
class Replay {
 public:
  Replay(const PublicHistory& history, std::size_t ply) : history_(history), ply_(ply) {}

  std::optional<Game> run(const Deal& deal) {
    Game game = history_.start ? Game::with_contract(*history_.rules, deal, history_.dealer,
                                                     *history_.start, history_.context)
                               : Game(*history_.rules, deal, history_.dealer, history_.context);
    for (std::size_t i = 0; i < ply_; ++i) {
      if (!step(game, i)) return std::nullopt;
    }
    if (!wait_for_next(game)) return std::nullopt;
    return game;
  }
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  /// Silent answers up to the moment at which `seat` is asked, or to the end of the window.
  static void stay_silent(Game& game, int seat) {
    while (game.phase() == Phase::kDouble && game.current_player() != seat) {
      game.apply_unchecked(kActionNoDouble);
    }
  }

  bool step(Game& game, std::size_t i) {
    const PublicAction& next = history_.actions[i];
    stay_silent(game, is_doubling(next.action) ? next.seat : -1);
    const int events = game.num_events();
    if (game.current_player() != next.seat || !fits(game.phase(), next.action)) {
      return fail(i, game.is_terminal()
                         ? "the deal was over"
                         : "seat " + std::to_string(game.current_player()) +
                               " was to act in phase " + std::string(phase_name(game.phase())));
    }
    const bool in_play = game.phase() == Phase::kPlay;
    game.apply_unchecked(next.action);
    const bool ran_away = in_play && game.num_events() > events;
    if (ran_away == next.flag) return true;
    return fail(i, ran_away ? "the called card was in this hand, but nobody ran away"
                            : "it ran away, but the called card was not in this hand");
  }

  /// Silent answers before the view: up to the seat that is asked, else to the end of the window.
  bool wait_for_next(Game& game) {
    const bool at_end = ply_ == history_.actions.size();
    int asked = history_.asked;
    if (!at_end) {
      const PublicAction& next = history_.actions[ply_];
      asked = is_doubling(next.action) ? next.seat : -1;
    }
    stay_silent(game, asked);
    if (asked < 0 || (game.phase() == Phase::kDouble && game.current_player() == asked)) {
      return true;
    }
    why_ = "seat " + std::to_string(asked) + " could not be asked to double with this hand";
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

}  // namespace

PublicHistory public_history(const Game& game) {
  const int played = static_cast<int>(game.play_state().num_played);
  if (played != game.num_plays())
    refuse("a game from a position, or ended by a claim, has no public history");
  std::vector<Event> events;
  for (int i = 0; i < game.num_events(); ++i) events.push_back(game.event(i));
  std::vector<PublicAction> cards;
  for (int i = 0; i < game.num_plays(); ++i) {
    cards.push_back({game.played_card(i), game.played_by(i), false});
  }
  PublicHistory history{&game.rules(), game.dealer(), game.context(), {}, merge(events, cards), -1};
  if (game.has_contract() && !has_auction(events)) history.start = game.contract();
  if (game.phase() == Phase::kDouble) history.asked = game.current_player();
  return history;
}

PublicHistory public_history(const PlayerView& view, const CompiledRules& rules) {
  const OrderLine& order = view.order;
  const auto absolute = [&view, &order](int relative) {
    return (view.seat() + relative) % order.seats;
  };
  std::vector<Event> events;
  for (int i = 0; i < order.num_events; ++i) {
    const unsigned bits = view.events.events[i];
    events.push_back({static_cast<Action>(bits & 0x7F),
                      static_cast<std::uint8_t>(absolute((bits >> 8) & 3)),
                      static_cast<std::uint8_t>((bits >> 10) & 31), (bits & 0x80) != 0});
  }
  std::vector<PublicAction> cards;
  for (int i = 0; i < order.num_plays; ++i) {
    const unsigned bits = order.plays[i];
    cards.push_back({static_cast<Action>(bits & 31), absolute((bits >> 5) & 3), false});
  }
  DealContext context{order.stock, order.bock, order.special_round, order.games_left, {}};
  for (int relative = 0; relative < order.seats; ++relative) {
    context.owed[absolute(relative)] = order.owed[relative];
  }
  PublicHistory history{&rules, absolute(order.dealer), context, {}, merge(events, cards), -1};
  if (view.has_contract() && !has_auction(events)) {
    const int suit = view.cards.trump_suit;
    const int declarer = view.declarer() == kNoSeat ? -1 : absolute(view.declarer());
    history.start = Contract{static_cast<ContractClass>(view.contract_class()),
                             view.is_tout(),
                             suit < kNumSuits ? static_cast<Suit>(suit) : Suit::kHerz,
                             view.cards.called_card,
                             declarer,
                             view.has(kFlagRenonce),
                             order.bid};
  }
  if (view.phase() == Phase::kDouble && view.has(kFlagToAct)) history.asked = view.seat();
  return history;
}

PlayerView view_at(const PublicHistory& history, std::size_t ply, int seat, CardSet hand) {
  const CompiledRules& rules = *history.rules;
  if (ply > history.actions.size()) {
    refuse("ply = " + std::to_string(ply) + ", allowed 0.." +
           std::to_string(history.actions.size()));
  }
  if (seat < 0 || seat >= rules.seats()) {
    refuse("seat = " + std::to_string(seat) + ", allowed 0.." + std::to_string(rules.seats() - 1));
  }
  const Past past = past_of(history, ply);
  check_hand(past, rules, seat, hand);
  Replay replay(history, ply);
  for (const int owner : owners(history, past, seat, hand)) {
    const std::optional<Deal> deal = Filler(history, past, seat, hand).deal(owner);
    if (!deal) continue;
    if (const std::optional<Game> game = replay.run(*deal)) return game->view(seat);
  }
  refuse(replay.why().empty()
             ? "no other seat has room for the called card " + card_name(past.called)
             : replay.why());
}

}  // namespace schafkopf
