#include "agents/maxims/bidding.h"

#include <array>

#include "agents/maxims/announcements.h"
#include "agents/worlds/answers.h"

namespace schafkopf {
namespace {

using Answer = std::optional<Action>;

constexpr int kLeastBid = 70, kBidStep = 10, kNumRaises = 6;

bool others_play(const PlayerView& view) { return said(view, kActionPlay, false); }

bool holds_fixed_hand(const Announcement& a) {
  return !a.rules.fixed_hand().empty() && a.hand == a.rules.fixed_hand();
}

/// Whoever follows a player, or enters over a Hochzeit, is bound to a single game (D.3, OPEN-11).
bool needs_single(const Announcement& a) {
  return others_play(a.view) || a.view.phase() == Phase::kHzOverride;
}

bool games_are_owed(const Announcement& a) { return mode_of(a.view).announce == Announce::kOwed; }

/// Debts must be paid, so an owed game is played with a weaker hand (C.20.9).
double minimum_share(const Announcement& a, double usual) {
  constexpr double kOwedShare = -0.6;
  return games_are_owed(a) ? kOwedShare : usual;
}

/// Single games that the mode of the deal lets this seat announce (C.20.4, C.20.9).
ActionMask single_classes(const Announcement& a) {
  const ActionMask &solo = a.rules.classes_of(Family::kSolo),
                   &wenz = a.rules.classes_of(Family::kWenz);
  switch (mode_of(a.view).announce) {
    case Announce::kSoloAndWenz:
      return a.rules.single_classes() & (solo | wenz);
    case Announce::kOwed: {
      const bool owes_wenz = (a.view.order.owed[0] & 2) != 0,
                 owes_solo = (a.view.order.owed[0] & 4) != 0;
      if (owes_wenz && owes_solo) return solo | wenz;
      return owes_solo ? solo : owes_wenz ? wenz : ActionMask{};
    }
    case Announce::kAll:
    case Announce::kSingles:
      break;
  }
  return a.rules.single_classes();
}

/// The mode of the deal has a game with a partner for this seat.
bool may_want_partner(const Announcement& a) {
  const bool owed = games_are_owed(a) && (a.view.order.owed[0] & 1) != 0;
  return mode_of(a.view).announce == Announce::kAll ? a.rules.call_action() != 0 : owed;
}

/// No card of the hand may be called (C.1).
bool is_blocked(const Announcement& a) {
  return !mode_of(a.view).opposite_seats && a.rules.callable(a.hand.bits()) == 0;
}

// Rounds of the auction: "I play" or pass.

Answer announce_the_fixed_hand(const Announcement& a) {
  return holds_fixed_hand(a) ? Answer(kActionPlay) : std::nullopt;
}

Answer play_a_single_game(const Announcement& a) {
  const double share = minimum_share(a, needs_single(a) ? kMinimumShareOver : kMinimumShare);
  const ContractChoice single = best_single(a.rules, a.hand, a.leads, single_classes(a));
  return is_worth_playing(single, a.rules, share) ? Answer(kActionPlay) : std::nullopt;
}

Answer leave_the_game_to_the_player(const Announcement& a) {
  return needs_single(a) ? Answer(first_legal(a.mask, {kActionPass})) : std::nullopt;
}

Answer pass_when_blocked(const Announcement& a) {
  if (!may_want_partner(a) || !is_blocked(a)) return std::nullopt;
  return first_legal(a.mask, {kActionPass});
}

Answer pass_with_the_rogue(const Announcement& a) {
  if (games_are_owed(a) || !is_red_rogue(a.rules, a.hand)) return std::nullopt;
  return first_legal(a.mask, {kActionPass});
}

Answer play_with_a_partner(const Announcement& a) {
  if (!may_want_partner(a) || is_blocked(a)) return std::nullopt;
  const ContractChoice call = call_choice(a.rules, a.hand, a.leads);
  const bool worth = is_worth_playing(call, a.rules, minimum_share(a, kMinimumShareCall));
  return worth ? Answer(kActionPlay) : std::nullopt;
}

Answer pass_a_weak_hand(const Announcement& a) { return first_legal(a.mask, {kActionPass}); }

// Contests between players.

Answer name_the_fixed_hand(const Announcement& a) {
  const Action action = a.rules.fixed_hand_action();
  if (!holds_fixed_hand(a) || !a.mask.contains(action)) return std::nullopt;
  return action;
}

Answer name_a_higher_game(const Announcement& a) {
  const ContractChoice single = best_single(a.rules, a.hand, a.leads, a.mask);
  if (!is_worth_playing(single, a.rules, minimum_share(a, kMinimumShareOver))) return std::nullopt;
  return single.action;
}

Answer give_way(const Announcement& a) { return first_legal(a.mask, {kActionYield, kActionPass}); }

/// Where PLAY is not on offer, all that is left is to give way.
Answer give_way_to_the_higher_game(const Announcement& a) {
  return a.mask.contains(kActionPlay) ? std::nullopt : give_way(a);
}

/// Points that the holder is asked to promise, or that a challenger would promise with the lowest
/// raise (D.5).
int bid_in_question(const Announcement& a) {
  if (a.mask.contains(kActionPass)) {
    for (int n = 0; n < kNumRaises; ++n) {
      const auto raise = static_cast<Action>(kActionRaise70 + n);
      if (a.mask.contains(raise)) return kLeastBid + kBidStep * n;
    }
    return 0;
  }
  const int num_events = a.view.order.num_events;
  const Action last = num_events == 0 ? Action{0} : a.view.event(num_events - 1).action;
  const bool raised = last >= kActionRaise70 && last < kActionLay;
  return raised ? kLeastBid + kBidStep * (last - kActionRaise70) : a.view.order.bid;
}

/// D.5: the hand still makes the points.
bool makes_the_points(const Announcement& a) {
  if (holds_fixed_hand(a)) return true;
  const int bid = bid_in_question(a);
  ActionMask classes = single_classes(a);
  if (bid > 0) classes = classes & a.rules.counting_classes();
  const ContractChoice single = best_single(a.rules, a.hand, a.leads, classes, bid);
  return is_worth_playing(single, a.rules, minimum_share(a, kMinimumShareOver));
}

Answer hold_or_raise(const Announcement& a) {
  if (!makes_the_points(a)) return std::nullopt;
  if (a.mask.contains(kActionHold)) return kActionHold;
  for (int n = 0; n < kNumRaises; ++n) {
    const auto raise = static_cast<Action>(kActionRaise70 + n);
    if (a.mask.contains(raise)) return raise;
  }
  return std::nullopt;
}

// Class, suit and called card.

Answer name_the_best_game(const Announcement& a) {
  const ContractChoice single = best_single(a.rules, a.hand, a.leads, a.mask, a.view.order.bid);
  ContractChoice call;
  if (a.mask.contains(calling_row().action)) call = call_choice(a.rules, a.hand, a.leads);
  const ContractChoice& best = call.value >= single.value ? call : single;
  return best.possible() ? best.action : a.mask.lowest();
}

/// Row that this seat is about to complete with a suit or a card.
const ContractRow& named_row(const PlayerView& view) {
  for (int i = view.order.num_events - 1; i >= 0; --i) {
    const SeenEvent event = view.event(i);
    const NamedContract named = contract_of_action(event.action);
    if (named.row != nullptr && event.seat == 0) return *named.row;
  }
  return view.has_contract() ? contract_row(static_cast<ContractClass>(view.contract_class()))
                             : calling_row();
}

Answer name_the_strongest_suit(const Announcement& a) {
  const unsigned suits = static_cast<unsigned>(a.mask.words[1] >> (kActionSuitE - 64)) & kAllSuits;
  const bool before_the_deal = a.view.phase() == Phase::kPredeal;
  const ContractRow& row = before_the_deal ? row_of(Family::kSolo) : named_row(a.view);
  const Suit suit = best_suit(a.rules, row, a.hand, a.leads, suits);
  return first_legal(a.mask, {static_cast<Action>(kActionSuitE + static_cast<int>(suit))});
}

Answer call_the_shortest_suit(const Announcement& a) {
  const CardSet callable(static_cast<std::uint32_t>(a.mask.words[0]));
  return callable.empty() ? a.mask.lowest() : choose_called_card(a.hand, callable);
}

constexpr AnnouncementMaxim kAnnounceTheFixedHand{
    "announce_the_fixed_hand", "RULES C.19",
    "The hand holds all the highest trumps, which wins as it lies.", announce_the_fixed_hand};
constexpr AnnouncementMaxim kPlayASingleGame{
    "play_a_single_game", "I-04; I-05; METHODS 6",
    "A single game of this hand wins often enough, the lead counted in and no bad split of the "
    "missing trumps taken for granted.",
    play_a_single_game};
constexpr AnnouncementMaxim kLeaveTheGame{
    "leave_the_game_to_the_player", "RULES D.3",
    "Somebody plays already, and the hand has no single game to play over him.",
    leave_the_game_to_the_player};
constexpr AnnouncementMaxim kPassWhenBlocked{
    "pass_when_blocked", "I-03; RULES C.1",
    "There is no card to call and no single game in the hand.", pass_when_blocked};
constexpr AnnouncementMaxim kPassWithTheRogue{
    "pass_with_the_rogue", "I-01",
    "A red Ober, Herz or Schellen, as the highest of at most five trumps promises more than it "
    "keeps without an ace, a void suit or a sixth trump.",
    pass_with_the_rogue};
constexpr AnnouncementMaxim kPlayWithAPartner{
    "play_with_a_partner", "METHODS 6; RULES C.1",
    "Enough trumps and aces for a game with a called partner.", play_with_a_partner};
constexpr AnnouncementMaxim kPassAWeakHand{"pass_a_weak_hand", "METHODS 6",
                                           "Too weak for any game.", pass_a_weak_hand};
constexpr AnnouncementMaxim kNameTheFixedHand{
    "name_the_fixed_hand", "RULES C.19",
    "The hand holds all the highest trumps, which wins as it lies.", name_the_fixed_hand};
constexpr AnnouncementMaxim kGiveWay{"give_way", "RULES D.3",
                                     "No game of this hand is worth going on for.", give_way};
constexpr std::array kRound = {
    kOnlyAnswer,      kAnnounceTheFixedHand, kPlayASingleGame,  kLeaveTheGame,
    kPassWhenBlocked, kPassWithTheRogue,     kPlayWithAPartner, kPassAWeakHand,
};
constexpr std::array kContest = {
    kOnlyAnswer,
    kNameTheFixedHand,
    AnnouncementMaxim{"name_a_higher_game", "I-04; I-05",
                      "A game that ranks high enough wins often enough with this hand.",
                      name_a_higher_game},
    AnnouncementMaxim{"give_way_to_the_higher_game", "RULES D.3",
                      "The hand has no game of that rank.", give_way_to_the_higher_game},
    kAnnounceTheFixedHand,
    kPlayASingleGame,
    kLeaveTheGame,
    kPassWhenBlocked,
    kPassWithTheRogue,
    kPlayWithAPartner,
    kPassAWeakHand,
};
constexpr std::array kPoints = {
    kOnlyAnswer,
    AnnouncementMaxim{"hold_or_raise", "RULES D.5",
                      "The hand still makes the points that are asked for.", hold_or_raise},
    kGiveWay,
};
constexpr std::array kNaming = {
    kOnlyAnswer,
    kNameTheFixedHand,
    AnnouncementMaxim{"name_the_best_game", "I-04; I-05",
                      "Of the games that may be named this one promises most.", name_the_best_game},
};
constexpr std::array kSuit = {
    kOnlyAnswer,
    AnnouncementMaxim{"name_the_strongest_suit", "I-02",
                      "The suit is named only now that the game is won; in this one the hand is "
                      "strongest.",
                      name_the_strongest_suit},
};
constexpr std::array kCalling = {
    kOnlyAnswer,
    AnnouncementMaxim{
        "call_the_shortest_suit", "W 10.3",
        "A short suit, without the ten if there is one, is searched at the lowest price.",
        call_the_shortest_suit},
};

}  // namespace

std::span<const AnnouncementMaxim> auction_round_maxims() { return kRound; }
std::span<const AnnouncementMaxim> auction_contest_maxims() { return kContest; }
std::span<const AnnouncementMaxim> points_auction_maxims() { return kPoints; }
std::span<const AnnouncementMaxim> naming_maxims() { return kNaming; }
std::span<const AnnouncementMaxim> suit_maxims() { return kSuit; }
std::span<const AnnouncementMaxim> calling_maxims() { return kCalling; }

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

bool is_worth_calling(const ContractChoice& call, const CompiledRules& rules, CardSet hand) {
  return is_worth_playing(call, rules, kMinimumShareCall) && !is_red_rogue(rules, hand);
}

}  // namespace schafkopf
