#include "agents/worlds/world_facts.h"

#include <algorithm>
#include <string>
#include <utility>

#include "agents/worlds/answers.h"
#include "agents/worlds/offers.h"
#include "env/base/index.h"
#include "env/base/refuse.h"
#include "env/cards/play.h"
#include "env/deal/deal.h"
#include "env/rules/special_round.h"

namespace schafkopf {
namespace {

class FactFinder {
 public:
  FactFinder(const PlayerView& view, const CompiledRules& rules)
      : view_(view),
        rules_(rules),
        set_(rules.rules()),
        seats_(view.order.seats),
        mode_(mode_of(view)) {
    context_.special_round = view.order.special_round;
    packet_ = undealt_packet(set_, context_);
  }

  WorldFacts find() {
    read_events();
    read_contract();
    count_cards();
    read_cards();
    if (!forgets_) {
      read_exchanges();
      read_hochzeit();
      read_auction();
      read_call();
    }
    read_called_card();
    read_open_hand();
    for (int place = 0; place < kNumPlaces; ++place) {
      facts_.must[at(place)] = facts_.must[at(place)] & facts_.unseen;
    }
    return std::move(facts_);
  }

 private:
  // What is public

  [[nodiscard]] int position_of(int seat) const {
    return (seat - view_.order.dealer - 1 + 2 * seats_) % seats_;
  }
  [[nodiscard]] int seat_at(int position) const {
    return (view_.order.dealer + 1 + position) % seats_;
  }
  [[nodiscard]] bool to_act() const { return view_.has(kFlagToAct); }

  void read_events() {
    truncated_ = view_.order.num_events >= EventsLine::kMost;
    bool entered_at_play = view_.has_contract();
    for (int i = 0; i < view_.order.num_events; ++i) {
      const SeenEvent event = view_.event(i);
      const bool without_auction =
          event.flag || event.action == kActionDouble || event.action == kActionLay ||
          event.action == kActionClaimRest || event.action == kActionConcedeRest ||
          (event.action >= kActionClaimSchwarz && event.action < kActionSuitE);
      entered_at_play = entered_at_play && without_auction;
      declined_ = declined_ || (event.action == kActionPushOn &&
                                set_.schieber_variant == SchieberVariant::kForehandOnly);
      events_.push_back(event);
    }
    const bool no_auction =
        mode_.opening == Opening::kEveryone || mode_.opening == Opening::kOpposite;
    direct_ = entered_at_play && !no_auction && !truncated_;
  }

  void read_contract() {
    if (view_.has_contract()) {
      row_ = &contract_row(static_cast<ContractClass>(view_.contract_class()));
    }
    const PlayConstants& words = play_words(view_, rules_);
    order_.trumps = words.trumps;
    called_ = view_.cards.called_card < kNumCards ? view_.cards.called_card : kNoCard;
    if (called_ != kNoCard) {
      call_suit_ = CardSet::suit(suit_of(called_)) - CardSet(words.trumps);
    }
  }

  // Numbers of cards

  /// Cards of a seat had none been played.
  [[nodiscard]] int full_hand(int seat) const {
    const int position = position_of(seat);
    switch (view_.phase()) {
      case Phase::kPredeal:
      case Phase::kLegen:
        return mode_.opening == Opening::kPackets ? dealt_cards(position, set_, context_)
                                                  : rules_.cards_per_hand();
      case Phase::kSchieber:
        return dealt_cards(position, set_, context_) +
               (position == 0 && set_.schieber_variant == SchieberVariant::kForehandOnly
                    ? packet_.count()
                    : 0);
      case Phase::kSchieberPush:
        if (!to_act()) refuse("view: cards are on their way between other seats (C.20.6)");
        if (seat == 0) return CardSet(view_.cards.hand).count();
        return position < position_of(0) ? rules_.cards_per_hand()
                                         : dealt_cards(position, set_, context_);
      case Phase::kHzReturn:
        return hand_while_returning(seat);
      default:
        return rules_.cards_per_hand();
    }
  }

  /// The acceptor has the offered trumps and gives as many cards back, one after the other (C.3).
  [[nodiscard]] int hand_while_returning(int seat) const {
    const int full = rules_.cards_per_hand();
    if (offers_.empty()) refuse("view: cards are on their way between other seats (C.3)");
    const Offer& offer = offers_.back();
    if (seat != offer.seat && seat != offer.acceptor) return full;
    int more = offer.trumps;
    if (offer.seat == 0) {
      more = full - CardSet(view_.cards.hand).count();
    } else if (offer.acceptor == 0) {
      more = CardSet(view_.cards.hand).count() - full;
    } else if (offer.trumps > 1) {
      refuse("view: cards are on their way between other seats (C.3)");
    }
    return seat == offer.acceptor ? full + more : full - more;
  }

  /// A trick goes round from its leader, and who acts is next: what is searched trusts it.
  void check_trick() const {
    const int leader = view_.leader(), on_table = view_.cards_on_table();
    const int before = view_.order.num_plays - on_table;
    bool fits = before >= 0 && (leader < seats_ || on_table == 0);
    for (int i = 0; fits && i < on_table; ++i) {
      fits = view_.play(before + i).seat == (leader + i) % seats_;
    }
    const bool plays = view_.phase() == Phase::kPlay && to_act();
    if (plays && (leader + on_table) % seats_ != 0) fits = false;
    if (!fits) refuse("view: its trick does not go round from its leader");
  }

  void count_cards() {
    check_trick();
    offers_ = offers_of(events_, set_, seats_);
    facts_.own = CardSet(view_.cards.hand) - cards_aside();
    CardSet seen;
    const int trick = view_.trick_number();
    for (int seat = 0; seat < seats_; ++seat) {
      facts_.played[at(seat)] = CardSet(view_.cards.played[seat]);
      seen = seen | facts_.played[at(seat)];
      facts_.room[at(seat)] = full_hand(seat) - trick;
    }
    const int num_plays = view_.order.num_plays, on_table = view_.cards_on_table();
    for (int i = num_plays - on_table; i < num_plays; ++i) {
      --facts_.room[at(view_.play(i).seat)];
    }
    facts_.room[0] -= facts_.own.count();
    facts_.unseen = rules_.deck() - facts_.own - seen - cards_aside();
    int rest = facts_.unseen.count();
    for (const int room : facts_.room) rest -= room;
    facts_.room[kGone] = rest;
    forgets_ = rest > 0;
    from_position_ = !forgets_ && num_plays != trick * seats_ + on_table &&
                     set_.history_view == HistoryView::kFull;
    const bool remembers = set_.history_view == HistoryView::kFull;
    if (rest < 0 || (rest > 0 && remembers) || std::ranges::min(facts_.room) < 0) {
      refuse("view: its cards do not add up to the deck");
    }
    facts_.may.fill(facts_.unseen);
  }

  /// Known cards that are in no hand: a packet before it is taken, what is being pushed.
  [[nodiscard]] CardSet cards_aside() const {
    const bool packets = mode_.opening == Opening::kPackets && !direct_;
    if (!packets) return {};
    if (view_.phase() == Phase::kSchieberPush) return CardSet(view_.order.given);
    const bool with_forehand = set_.schieber_variant == SchieberVariant::kForehandOnly;
    const bool early =
        view_.phase() <= Phase::kLegen || (view_.phase() == Phase::kSchieber && !with_forehand);
    return early ? packet_ : CardSet{};
  }

  // Facts

  void never(int seat, CardSet cards) { facts_.may[at(seat)] = facts_.may[at(seat)] - cards; }
  void surely(int seat, CardSet cards) {
    if (seat != 0) facts_.must[at(seat)] = facts_.must[at(seat)] | cards;
  }
  /// A number of cards at the start of play, between two limits.
  void between(int seat, CardSet cards, int least, int most) {
    if (seat == 0) return;
    const int read = most < kNumCards ? most + 1 : least;
    facts_.rules.push_back({seat, {{cards, read}}, [cards, least, most](CardSet hand) {
                              const int number = (hand & cards).count();
                              return number >= least && number <= most;
                            }});
  }
  void at_least(int seat, CardSet cards, int least) { between(seat, cards, least, kNumCards); }

  // Cards that were played (E.1, E.3)

  void read_cards() {
    const int tricks_before = mode_.opening == Opening::kThreeTricks && !direct_ ? 3 : 0;
    PlayState<std::uint32_t> order = order_;
    if (tricks_before > 0) {
      order.trumps = rules_.play(calling_row().contract, set_.partner_trump_suit).trumps;
    }
    find_run_away();
    CardSet led;
    for (int i = 0; i < view_.order.num_plays; ++i) {
      if (i == tricks_before * seats_) order = order_;
      const auto [card, seat, known] = view_.play(i);
      if (!known) continue;  // forgotten
      const bool leads = i % seats_ == 0;
      if (leads) led = CardSet(group_of(order, CardSet::of(card).bits()));
      if (!leads && !led.contains(card)) never(seat, led);
      const bool duties = called_ != kNoCard && i >= tricks_before * seats_ && i < ran_away_at_;
      if (duties && call_suit_.contains(card) && led.contains(card) && card != called_) {
        // led only with the called card; R-115: it had to be played when it was searched
        if (leads || led == call_suit_) never(seat, CardSet::of(called_));
      }
    }
  }

  /// The owner led the called suit without the called card: he held enough others (E.3.4; R-119).
  void find_run_away() {
    ran_away_at_ = view_.has(kFlagRanAway) ? 0 : kNumCards;  // 0: nobody knows when
    if (called_ == kNoCard) return;
    for (const SeenEvent& event : events_) {
      if (!event.flag) continue;
      ran_away_at_ = event.cards_before;
      const CardSet others = call_suit_ - CardSet::of(called_);
      CardSet before;
      for (int i = 0; i < event.cards_before; ++i) {
        const SeenPlay play = view_.play(i);
        if (play.seat == event.seat) before.add(play.card);
      }
      if (forgets_ || event.seat == 0) continue;
      const int least = static_cast<int>(needed_to_run_away(set_)) + (before & others).count();
      at_least(event.seat, others, least);
    }
  }

  // Who owns the called card (E.2, F.3)

  void read_called_card() {
    if (called_ == kNoCard) return;
    const CardSet card = CardSet::of(called_);
    if (view_.declarer() != kNoSeat) never(view_.declarer(), card);
    if (row_ == nullptr || row_->parties != Parties::kCalledCard) return;
    const bool hidden = facts_.unseen.contains(called_);
    const int partner = view_.partner();
    if (hidden && partner < seats_) {
      if (!forgets_) surely(partner, card);
      for (int seat = 0; seat < seats_; ++seat) {
        if (seat != partner) never(seat, card);
      }
    }
    // F.3: the parties alternate; the defenders begin unless the game begins doubled (C.20.8)
    bool by_defenders = mode_.opening != Opening::kForehandPlays || direct_;
    for (const SeenEvent& event : events_) {
      if (event.action != kActionDouble) continue;
      if (by_defenders) never(event.seat, card);
      by_defenders = !by_defenders;
    }
  }

  void read_open_hand() {
    const CardSet open(view_.order.open);
    if (open.empty()) return;  // C.15
    for (int seat = 1; seat < seats_; ++seat) {
      if (seat == view_.declarer()) {
        surely(seat, open);
      } else {
        never(seat, open);
      }
    }
  }

  // Cards that were passed on before the play

  void read_exchanges() {
    const CardSet given(view_.order.given);
    if (direct_) {
      const bool pair = row_ != nullptr && row_->parties == Parties::kHochzeit;
      if (pair && view_.declarer() == 0) surely(view_.partner(), given);
      if (pair && view_.partner() == 0) surely(view_.declarer(), given);
      return;
    }
    if (mode_.opening == Opening::kFixedCards) surely(seat_at(0), packet_);  // C.20.7
    if (mode_.opening == Opening::kPackets) read_packet(given);
    for (const SeenEvent& event : events_) {  // C.20.11
      const bool target =
          event.action >= kActionTarget1 && event.action < kActionTarget1 + kNumSeats - 1;
      if (!target || view_.phase() == Phase::kZupfGive) continue;
      const int drawn_from = (event.seat + event.action - kActionTarget1 + 1) % seats_;
      if (event.seat == 0) surely(drawn_from, given);
      if (drawn_from == 0) surely(event.seat, given);
    }
  }

  /// C.20.6: cards go clockwise from the seat that took the packet up to the dealer.
  void read_packet(CardSet given) {
    if (view_.phase() == Phase::kSchieber &&
        set_.schieber_variant == SchieberVariant::kForehandOnly) {
      surely(seat_at(0), packet_);
    }
    if (declined_ && dealer_keeps_packet()) surely(view_.order.dealer, packet_);
    for (const SeenEvent& event : events_) {
      if (event.action != kActionTakeUp) continue;
      const int taker = position_of(event.seat), me = position_of(0);
      if (event.seat == view_.order.dealer) surely(event.seat, packet_);
      for (int position = 0; position < seats_; ++position) {
        const int seat = seat_at(position);
        if (position < taker) never(seat, packet_);
        if (me < taker) continue;
        if (position < me) never(seat, given);
        if (position > me && me > taker) never(seat, packet_ - CardSet(view_.order.received));
      }
    }
  }

  /// What the dealer got of forehand goes on in a Hochzeit only if he offers it, or returns trumps (OPEN-34).
  [[nodiscard]] bool dealer_keeps_packet() const {
    return std::ranges::none_of(offers_, [this](const Offer& offer) {
      const int dealer = view_.order.dealer;
      const bool returns = offer.acceptor == dealer && !set_.hochzeit_return_nontrump;
      return offer.exchanged && (offer.seat == dealer || returns);
    });
  }

  // Hochzeit (C.3)

  [[nodiscard]] bool takes_part_in_exchange(int seat) const {
    return std::ranges::any_of(offers_, [seat](const Offer& offer) {
      return offer.exchanged && (offer.seat == seat || offer.acceptor == seat);
    });
  }

  void read_hochzeit() {
    if (truncated_) return;
    const CardSet trumps = rules_.partner_trumps();
    // forehand left the packet to the dealer before
    const CardSet packet = declined_ && position_of(0) == 0 ? packet_ : CardSet{};
    const CardSet given = CardSet(view_.order.given) - packet;
    for (const Offer& offer : offers_) {
      if (offer.exchanged) {
        read_exchanged(offer, trumps, given);
        continue;
      }
      if (!takes_part_in_exchange(offer.seat)) {
        between(offer.seat, trumps, offer.trumps, offer.trumps);
        surely(offer.seat, offer.shown);
      } else {
        read_own_offer_before(offer, trumps);
      }
      if (offer.acceptor >= 0 && set_.hochzeit_return_nontrump) {
        at_least(offer.acceptor, rules_.deck() - trumps, offer.trumps);
      }
    }
  }

  /// Nobody took the trumps of a seat that took those of another one later: it has both, but for
  /// what it returned.
  void read_own_offer_before(const Offer& refused, CardSet trumps) {
    for (const Offer& offer : offers_) {
      if (!offer.exchanged || offer.acceptor != refused.seat) continue;
      const int all = refused.trumps + offer.trumps;
      const bool keeps_all = set_.hochzeit_return_nontrump;
      between(refused.seat, trumps, keeps_all ? all : std::max(refused.trumps, offer.trumps), all);
      if (keeps_all) surely(refused.seat, refused.shown);
    }
  }

  /// The offerer's only trumps are those that came back.
  void read_exchanged(const Offer& offer, CardSet trumps, CardSet given) {
    surely(offer.acceptor, offer.shown);
    if (offer.shown.empty()) at_least(offer.acceptor, trumps, offer.trumps);
    const bool returning = view_.phase() == Phase::kHzReturn && &offer == &offers_.back();
    if (set_.hochzeit_return_nontrump || (returning && offer.trumps == 1)) {
      never(offer.seat, trumps);
    } else {
      between(offer.seat, trumps, 0, offer.trumps);
    }
    if (offer.seat == 0) surely(offer.acceptor, given);
    if (offer.acceptor != 0) return;
    surely(offer.seat, given);
    never(offer.seat, trumps - given);
  }

  // What announcements prove about hands (D.3, C.1, C.4)

  /// Single games that the seat may name, whatever its hand is.
  [[nodiscard]] ActionMask public_singles(int seat) const {
    const ActionMask &solo = rules_.classes_of(Family::kSolo),
                     &wenz = rules_.classes_of(Family::kWenz);
    if (mode_.announce == Announce::kOwed) {
      const std::uint8_t owed = view_.order.owed[seat];
      return ((owed & 4) != 0 ? solo : ActionMask{}) | ((owed & 2) != 0 ? wenz : ActionMask{});
    }
    return mode_.announce == Announce::kSoloAndWenz ? rules_.single_classes() & (solo | wenz)
                                                    : rules_.single_classes();
  }

  void read_auction() {
    if (truncated_ || direct_ || from_position_) return;
    bool after_accept = false, somebody = false;
    for (const SeenEvent& event : events_) {
      after_accept = after_accept || event.action == kActionHzAccept;
      if (event.action == rules_.fixed_hand_action() && rules_.fixed_hand_action() != 0) {
        surely(event.seat, rules_.fixed_hand());
      }
      if (event.action != kActionPlay) continue;
      read_play(event.seat, after_accept || somebody);
      somebody = true;
    }
    said_play_ = somebody;
  }

  /// Somebody says PLAY, and no single game is open to everybody: he can call, or holds the fixed
  /// hand (C.19).
  void read_play(int seat, bool only_singles) {
    if (seat == 0 || !public_singles(seat).empty()) return;
    const CardSet fixed = mode_.announce == Announce::kOwed ? CardSet{} : rules_.fixed_hand();
    if (only_singles) {
      surely(seat, fixed);
      return;
    }
    if (mode_.opposite_seats) return;  // nobody is blocked (C.5)
    add_can_call(seat, fixed);
  }

  /// He has a card to call, or this hand.
  void add_can_call(int seat, CardSet fixed) {
    HandRule rule{seat, readings_of_call(Rank::kAss, fixed), {}};
    rule.holds = [&rules = rules_, fixed](CardSet hand) {
      return rules.callable(hand.bits()) != 0 || (!fixed.empty() && hand == fixed);
    };
    facts_.rules.push_back(std::move(rule));
  }

  /// Everything that the choice of a called card of this rank depends on, and whether the hand is
  /// `fixed`.
  [[nodiscard]] std::vector<Reading> readings_of_call(Rank rank, CardSet fixed = {}) const {
    std::vector<Reading> readings;
    if (!fixed.empty()) readings.push_back({fixed, fixed.count()});
    const CardSet plain = (rules_.deck() - rules_.partner_trumps()) - fixed;
    for (int suit = 0; suit < kNumSuits; ++suit) {
      CardSet rest = plain & CardSet::suit(static_cast<Suit>(suit));
      for (const Card card : rest) {
        if (rank_of(card) <= rank && rank_of(card) != Rank::kAss) continue;
        readings.push_back({CardSet::of(card), 1});
        rest.remove(card);
      }
      if (!rest.empty()) readings.push_back({rest, 1});
    }
    return readings;
  }

  /// The declarer named a game with a called card (C.1, C.2, C.4).
  void read_call() {
    const int declarer = view_.declarer();
    if (row_ == nullptr || declarer == kNoSeat || declarer == 0 || from_position_) return;
    const bool duty = !direct_ && !said_play_ && !truncated_ && is_by_duty();
    if (duty) surely(declarer, CardSet::of(set_.muss_card));
    if (row_->parties != Parties::kCalledCard) return;
    const bool owed = mode_.announce == Announce::kOwed && (direct_ || !said_play_);
    // forehand of a Hadsch must play (OPEN-35)
    const bool forced =
        owed || (mode_.opening == Opening::kForehandPlays && public_singles(declarer).empty());
    if (called_ == kNoCard) {
      if (!row_->by_duty && !forced) add_can_call(declarer, {});
      return;
    }
    const CardSet plain = call_suit_ - CardSet::of(called_);
    never(declarer, CardSet::of(called_));
    const bool announced =
        !row_->by_duty && !owed && !direct_ && set_.renonce == Renonce::kAnnounced;
    const bool has_plain = announced ? !view_.has(kFlagRenonce)
                                     : !row_->by_duty && !forced && set_.renonce == Renonce::kOff;
    if (has_plain) at_least(declarer, plain, 1);
    if (announced && !has_plain) never(declarer, plain);
    if (has_plain && rank_of(called_) == Rank::kAss) return;
    if (row_->by_duty) {
      add_call_rule(declarer, [&rules = rules_](std::uint32_t hand) {
        return rules.duty_calls(hand, rules.rules().muss_blocked);
      });
      return;
    }
    // OPEN-35, OPEN-36: who must call is never blocked; a debt is paid by the cascade alone
    const bool by_choice = !owed || direct_;
    add_call_rule(declarer, [&rules = rules_, by_choice, forced](std::uint32_t hand) {
      const std::uint32_t cards = by_choice ? rules.callable(hand) : 0;
      return cards == 0 && forced ? rules.duty_calls(hand, MussBlocked::kTenCascade) : cards;
    });
  }

  /// The called card is one of those that the hand may call.
  template <class Callable>
  void add_call_rule(int declarer, const Callable& callable) {
    facts_.rules.push_back({declarer, readings_of_call(rank_of(called_)),
                            [callable, called = CardSet::of(called_).bits()](CardSet hand) {
                              return (callable(hand.bits()) & called) != 0;
                            }});
  }

  /// C.4: all passed, and the holder of the Muss card must play; also a single game where the rules
  /// allow it.
  [[nodiscard]] bool is_by_duty() const {
    if (row_->by_duty) return true;
    const bool taken = std::ranges::any_of(
        events_, [](const SeenEvent& event) { return event.action == kActionTakeUp; });
    const bool auction =
        mode_.opening == Opening::kAuction || (mode_.opening == Opening::kPackets && !taken);
    return set_.all_pass == AllPass::kMussSpiel && auction && mode_.announce != Announce::kOwed &&
           mode_.announce != Announce::kSingles && !mode_.all_pass_is_ramsch &&
           row_->parties != Parties::kHochzeit;
  }

  const PlayerView& view_;
  const CompiledRules& rules_;
  const RuleSet& set_;
  int seats_;
  const SpecialRoundRow& mode_;
  DealContext context_{};
  CardSet packet_;  // not dealt in a Schieber, forehand's in a Teufelsrunde

  std::vector<SeenEvent> events_;
  std::vector<Offer> offers_;
  bool truncated_ = false, direct_ = false, forgets_ = false, from_position_ = false;
  bool declined_ = false;  // forehand left the packet to the dealer
  bool said_play_ = false;
  const ContractRow* row_ = nullptr;
  PlayState<std::uint32_t> order_{};
  Card called_ = kNoCard;
  CardSet call_suit_;
  int ran_away_at_ = kNumCards;  // number of cards played before
  WorldFacts facts_;
};

}  // namespace

WorldFacts world_facts(const PlayerView& view, const CompiledRules& rules) {
  return FactFinder(view, rules).find();
}

const PlayConstants& play_words(const PlayerView& view, const CompiledRules& rules) {
  if (!view.has_contract()) {
    return rules.play(calling_row().contract, rules.rules().partner_trump_suit);
  }
  const int suit = view.cards.trump_suit;
  return rules.play(static_cast<ContractClass>(view.contract_class()),
                    suit < kNumSuits ? static_cast<Suit>(suit) : Suit::kHerz);
}

}  // namespace schafkopf
