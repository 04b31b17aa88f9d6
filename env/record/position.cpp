// Views as positions in text, and back. Seats are absolute in the text, relative in the view.
#include "env/record/position.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "env/cards/card_map.h"
#include "env/record/json_values.h"
#include "env/record/record_keys.h"
#include "env/view/deduction.h"

namespace schafkopf {
namespace {

constexpr std::array<std::pair<ViewFlag, std::string_view>, 3> kFacts = {
    {{kFlagPartnerKnown, "PARTIES_PUBLIC"},
     {kFlagRanAway, "RAN_AWAY"},
     {kFlagOwnsCalled, "HAS_CALLED_CARD"}}};

// ---- what follows from the rest ----------------------------------------------------------------

/// The card map of the seat, as far as its past shows it.
int card_map_of(const PlayerView& view, const CompiledRules& rules) {
  const Phase phase = view.phase();
  const bool playing =
      phase == Phase::kPlay || phase == Phase::kDouble || phase == Phase::kClaimSettle;
  if (!view.has_contract() || !playing) return 0;
  const auto suit = static_cast<Suit>(view.cards.trump_suit % kNumSuits);
  const auto contract = static_cast<ContractClass>(view.contract_class());
  const PlayConstants& play = rules.play(contract, suit);
  CardSet hand(view.cards.hand);
  for (int i = plays_before_contract(view.order, view.events); i < view.order.num_plays; ++i) {
    const SeenPlay seen = view.play(i);
    if (seen.known && seen.seat == 0) hand.add(seen.card);
  }
  const Card called = view.cards.called_card;
  return choose_card_map(CardSet(play.top | play.second), view.cards.trump_suit,
                         called == kNoCard ? kNumSuits : called >> 3, hand);
}

/// Seat (relative) that won a trick, kNoSeat = forgotten.
int winner_of(const PlayerView& view, int trick) {
  const SeenPlay first = view.play(trick * view.order.seats);
  for (int seat = 0; first.known && seat < view.order.seats; ++seat) {
    if (CardSet(view.cards.captured[seat]).contains(first.card)) return seat;
  }
  return kNoSeat;
}

// ---- writing -----------------------------------------------------------------------------------

class Writer {
 public:
  Writer(const PlayerView& view, const CompiledRules& rules) : view_(view), rules_(rules) {}

  [[nodiscard]] Json json() {
    json_ = {{"seat", view_.seat()}, {"phase", phase_name(view_.phase())}};
    json_["dealer"] = absolute(view_.order.dealer);
    json_["hand"] = names(view_.cards.hand);
    add_contract();
    add_facts();
    add_past();
    add_number("laid", view_.order.legen);
    add_cards("open", view_.order.open);
    add_cards("given", view_.order.given);
    add_cards("received", view_.order.received);
    add_session();
    if (card_map_of(view_, rules_) != view_.order.card_map) {
      json_["card_map"] = view_.order.card_map;
    }
    return std::move(json_);
  }

 private:
  [[nodiscard]] int absolute(int seat) const { return (view_.seat() + seat) % view_.order.seats; }
  static Json names(std::uint32_t cards) {
    Json list = Json::array();
    for (const Card card : CardSet(cards)) list.push_back(card_name(card));
    return list;
  }
  void add_cards(const char* key, std::uint32_t cards) {
    if (cards != 0) json_[key] = names(cards);
  }
  void add_number(const char* key, int number) {
    if (number != 0) json_[key] = number;
  }
  void add_seat(const char* key, int seat) {
    if (seat != kNoSeat) json_[key] = absolute(seat);
  }

  void add_contract() {
    const CardsLine& cards = view_.cards;
    Json contract = Json::object();
    if (view_.has_contract()) {
      contract["class"] = contract_row(static_cast<ContractClass>(view_.contract_class())).name;
    }
    if (cards.trump_suit < kNumSuits) {
      contract["suit"] = to_string(static_cast<Suit>(cards.trump_suit));
    }
    if (cards.called_card != kNoCard) contract["called"] = card_name(cards.called_card);
    if (view_.is_tout()) contract["tout"] = true;
    if (view_.has(kFlagRenonce)) contract["renonce"] = true;
    if (!contract.empty()) json_["contract"] = std::move(contract);
  }

  void add_facts() {
    add_seat("declarer", view_.declarer());
    add_seat("partner", view_.partner());
    add_number("bid", view_.order.bid);
    add_number("doubled", view_.doubling_level());
    Json facts = Json::array();
    for (const auto& [flag, name] : kFacts) {
      if (view_.has(flag)) facts.push_back(name);
    }
    if (!facts.empty()) json_["facts"] = std::move(facts);
  }

  void add_past() {
    Json said = Json::array(), plays = Json::array(), tricks = Json::array();
    for (int i = 0; i < view_.order.num_events; ++i) {
      const SeenEvent event = view_.event(i);
      Json step = {absolute(event.seat), action_name(event.action), event.cards_before};
      if (event.flag) step.push_back("RAN_AWAY");
      said.push_back(std::move(step));
    }
    for (int i = 0; i < view_.order.num_plays; ++i) {
      const SeenPlay play = view_.play(i);
      Json step = {absolute(play.seat), card_name(play.card)};
      plays.push_back(play.known ? std::move(step) : Json(nullptr));
    }
    for (int trick = 0; trick < view_.trick_number(); ++trick) {
      const int winner = winner_of(view_, trick);
      tricks.push_back(winner == kNoSeat ? Json(nullptr) : Json(absolute(winner)));
    }
    json_["said"] = std::move(said);
    json_["plays"] = std::move(plays);
    json_["tricks"] = std::move(tricks);
    add_seat("leader", view_.leader());
  }

  void add_session() {
    const OrderLine& order = view_.order;
    SessionKeys session;
    session.context = {order.stock, order.bock, order.special_round, order.games_left, {}};
    for (int seat = 0; seat < order.seats; ++seat) {
      session.context.owed[absolute(seat)] = order.owed[seat];
    }
    if (session == SessionKeys{}) return;
    json_["session"] = Json::parse(session_json(session, rules_.tariff_scale()));
  }

  const PlayerView& view_;
  const CompiledRules& rules_;
  Json json_;
};

// ---- reading -----------------------------------------------------------------------------------

class Reader {
 public:
  Reader(const CompiledRules& rules, const ActionMask& legal) : rules_(rules), legal_(legal) {}

  PlayerView read(const Json& json) {
    for (const std::string_view key : {"seat", "phase", "dealer", "hand"}) {
      if (!json.contains(key)) refuse(fmt::format("{}: missing", key));
    }
    OrderLine& order = view_.order;
    order.seats = static_cast<std::uint8_t>(rules_.seats());
    order.deck = static_cast<std::uint8_t>(rules_.rules().deck);
    read_members(json, kPositionKeys, [&](const std::string& key, const Json& value) {
      if (key == "seat") viewer_ = seat_in(value);  // what the other keys are relative to
    });
    read_members(json, kPositionKeys,
                 [&](const std::string& key, const Json& value) { read_key(key, value); });
    finish();
    return view_;
  }

 private:
  [[nodiscard]] int seat_in(const Json& value) const {
    return read_int(value, 0, rules_.seats() - 1);
  }
  /// As the view counts it.
  [[nodiscard]] int seat_of(const Json& value) const {
    return (seat_in(value) - viewer_ + rules_.seats()) % rules_.seats();
  }
  [[nodiscard]] std::uint32_t cards_in(const Json& value) const {
    CardSet set;
    for (const Card card : read_cards(value)) {
      if (set.contains(card)) refuse(fmt::format("{} comes twice", card_name(card)));
      set.add(card);
    }
    check_deck(set);
    return set.bits();
  }
  void check_deck(CardSet cards) const {
    const CardSet strange = cards - rules_.deck();
    if (!strange.empty()) {
      refuse(fmt::format("{}, allowed: cards of the deck", card_name(strange.lowest())));
    }
  }
  static std::uint8_t byte(int value) { return static_cast<std::uint8_t>(value); }

  static constexpr std::string_view kPositionKeys[] = {
      "seat", "phase",   "dealer", "hand",     "contract", "declarer", "partner",
      "bid",  "doubled", "facts",  "said",     "plays",    "tricks",   "leader",
      "laid", "open",    "given",  "received", "session",  "card_map"};

  void read_key(const std::string& key, const Json& value) {
    CardsLine& cards = view_.cards;
    OrderLine& order = view_.order;
    if (key == "seat") return;
    if (key == "phase") {
      cards.phase = read_phase(value);
    } else if (key == "dealer") {
      order.dealer = byte(seat_of(value));
    } else if (key == "hand") {
      cards.hand = cards_in(value);
    } else if (key == "contract") {
      read_contract(value);
    } else if (key == "declarer") {
      declarer_ = seat_of(value);
    } else if (key == "partner") {
      partner_ = seat_of(value);
    } else if (key == "bid") {
      order.bid = byte(read_int(value, 0, 120));
    } else if (key == "doubled") {
      level_ = read_int(value, 0, packed::kLevel.of(~0U));
    } else if (key == "facts") {
      read_facts(value);
    } else if (key == "said") {
      read_said(value);
    } else if (key == "plays") {
      read_plays(value);
    } else if (key == "tricks") {
      tricks_ = read_list(value, "a list of seats");
    } else if (key == "leader") {
      leader_ = seat_of(value);
    } else if (key == "laid") {
      order.legen = byte(read_int(value, 0, kNumSeats));
    } else if (key == "open") {
      order.open = cards_in(value);
    } else if (key == "given") {
      order.given = cards_in(value);
    } else if (key == "received") {
      order.received = cards_in(value);
    } else if (key == "session") {
      read_context(value);
    } else if (key == "card_map") {
      card_map_ = read_int(value, 0, num_card_maps() - 1);
    }
  }

  static std::uint8_t read_phase(const Json& value) {
    const std::string name = read_text(value, "the name of a phase");
    for (int phase = 0; phase < kNumPhases; ++phase) {
      if (phase_name(static_cast<Phase>(phase)) == name) return byte(phase);
    }
    reject(value, "the name of a phase, such as PLAY or AUCTION_ROUND");
  }

  static std::uint8_t read_suit(const Json& value) {
    const std::string name = read_text(value, "E, G, H, S");
    for (int suit = 0; suit < kNumSuits; ++suit) {
      if (to_string(static_cast<Suit>(suit)) == name) return byte(suit);
    }
    reject(value, "E, G, H, S");
  }

  void read_contract(const Json& value) {
    static constexpr std::string_view kKeys[] = {"class", "suit", "called", "tout", "renonce"};
    const ContractRow* row = nullptr;
    bool tout = false;
    for (const auto& [key, item] : read_object(value).items()) {
      if (key == "class") {
        const NamedContract named = parse_contract(read_text(item, "the name of a contract class"));
        row = named.tout ? nullptr : named.row;
        if (row == nullptr) reject(item, "the name of a contract class, such as RUF or SOLO");
      } else if (key == "suit") {
        view_.cards.trump_suit = read_suit(item);
      } else if (key == "called") {
        view_.cards.called_card = read_card(item);
      } else if (key == "tout") {
        tout = read_bool(item);
      } else if (key == "renonce") {
        if (read_bool(item)) set(kFlagRenonce);
      } else {
        reject_key(key, views_of(kKeys));
      }
    }
    if (row != nullptr) view_.cards.contract = packed::contract(row->contract, tout);
  }

  void set(ViewFlag flag) { view_.cards.flags = byte(view_.cards.flags | flag); }

  void read_facts(const Json& value) {
    for (const Json& item : read_list(value, "a list of names")) {
      const auto* fact = std::ranges::find(kFacts, read_text(item, "the name of a fact"),
                                           &decltype(kFacts)::value_type::second);
      if (fact == kFacts.end()) reject(item, "PARTIES_PUBLIC, RAN_AWAY, HAS_CALLED_CARD");
      set(fact->first);
    }
  }

  void read_said(const Json& value) {
    constexpr std::string_view kAllowed = "[seat, action, number of cards played before it]";
    for (const Json& step : read_list(value, "a list")) {
      if (view_.order.num_events == EventsLine::kMost) refuse("allowed: at most 32, the last ones");
      const bool flag = step.is_array() && step.size() == 4;
      if (flag && step[3] != "RAN_AWAY") reject(step, "RAN_AWAY as the fourth");
      if (!flag) read_tuple(step, 3, kAllowed);
      const std::optional<Action> action = parse_action(read_text(step[1], "an action"));
      if (!action || *action >= kFirstReserved) reject(step, kAllowed);
      view_.events.events[view_.order.num_events++] =
          packed::event(*action, flag, seat_of(step[0]), read_int(step[2], 0, kNumCards));
    }
  }

  void read_plays(const Json& value) {
    for (const Json& step : read_list(value, "a list")) {
      if (view_.order.num_plays == kNumCards) refuse("allowed: at most 32");
      std::uint8_t& play = view_.order.plays[view_.order.num_plays++];
      if (step.is_null()) continue;  // forgotten: history_view = last_trick
      read_tuple(step, 2, "[seat, card], or null for one that is forgotten");
      const Card card = read_card(step[1]);
      const int seat = seat_of(step[0]);
      if (played_.contains(card)) refuse(fmt::format("{} comes twice", card_name(card)));
      played_.add(card);
      view_.cards.played[seat] |= CardSet::of(card).bits();
      play = packed::play(card, seat);
    }
  }

  void read_context(const Json& value) {
    const DealContext context = parse_session(value.dump(), rules_.tariff_scale()).context;
    OrderLine& order = view_.order;
    order.stock = context.stock;
    order.bock = context.bock;
    order.special_round = context.special_round;
    order.games_left = context.games_left;
    for (int seat = 0; seat < order.seats; ++seat) {
      order.owed[seat] = context.owed[(viewer_ + seat) % order.seats];
    }
  }

  /// What follows from several keys.
  void finish() {
    CardsLine& cards = view_.cards;
    const int seats = view_.order.seats, plays = view_.order.num_plays;
    const CardSet hand(cards.hand);
    check_deck(played_);
    if (!(hand & played_).empty()) {
      refuse(fmt::format("hand: {} was played", card_name((hand & played_).lowest())));
    }
    cards.declarer_leader = packed::declarer_leader(declarer_, leader_);
    cards.partner_level = packed::partner_level(partner_, level_);
    cards.seat_trick = packed::seat_trick(viewer_, plays / seats, plays % seats);
    set(kFlagToAct);
    read_winners();
    set_legal();
    view_.order.card_map = byte(card_map_ ? *card_map_ : card_map_of(view_, rules_));
  }

  void read_winners() {
    const auto tricks = static_cast<std::size_t>(view_.trick_number());
    if (tricks_.size() != tricks) {
      refuse(fmt::format("tricks: {} came, allowed: the winners of {}, null for a forgotten one",
                         tricks_.size(), tricks));
    }
    for (std::size_t trick = 0; trick < tricks; ++trick) {
      if (tricks_[trick].is_null()) continue;
      const int winner = seat_of(tricks_[trick]);
      for (int i = 0; i < view_.order.seats; ++i) {
        const SeenPlay play = view_.play(static_cast<int>(trick) * view_.order.seats + i);
        if (play.known) view_.cards.captured[winner] |= CardSet::of(play.card).bits();
      }
    }
  }

  void set_legal() {
    CardsLine& cards = view_.cards;
    if (legal_.empty()) refuse("legal: no action came, allowed: at least one");
    cards.legal = static_cast<std::uint32_t>(legal_.words[0]);
    if (view_.phase() != Phase::kPlay) {
      for (std::size_t i = 0; i < 4; ++i) {
        cards.table[i] = static_cast<std::uint32_t>(legal_.words[i / 2] >> (32 * (i % 2)));
      }
      return;
    }
    const CardSet strange = CardSet(cards.legal) - CardSet(cards.hand);
    if (!strange.empty()) {
      refuse(fmt::format("legal: {} is not in the hand", card_name(strange.lowest())));
    }
    if (legal_.contains(kActionClaimRest)) set(kFlagClaimRest);
    if (legal_.contains(kActionConcedeRest)) set(kFlagConcedeRest);
    for (int i = view_.order.num_plays - view_.cards_on_table(); i < view_.order.num_plays; ++i) {
      const SeenPlay play = view_.play(i);
      if (play.known) cards.table[play.seat] = CardSet::of(play.card).bits();
    }
  }

  const CompiledRules& rules_;
  const ActionMask& legal_;
  PlayerView view_;
  int viewer_ = 0;
  int declarer_ = kNoSeat, leader_ = kNoSeat, partner_ = kNoSeat, level_ = 0;
  CardSet played_;
  Json tricks_ = Json::array();
  std::optional<int> card_map_;
};

}  // namespace

std::string position_json(const PlayerView& view, const CompiledRules& rules) {
  if (!view.has(kFlagToAct)) refuse("a position needs the view of the seat that is to act");
  if (view.trick_number() * view.order.seats + view.cards_on_table() != view.order.num_plays) {
    refuse("a game that was entered in the middle of the cards has no position in text");
  }
  return Writer(view, rules).json().dump();
}

PlayerView parse_position(std::string_view json, const ActionMask& legal,
                          const CompiledRules& rules) {
  return Reader(rules, legal).read(parse_object(json, "a position"));
}

}  // namespace schafkopf
