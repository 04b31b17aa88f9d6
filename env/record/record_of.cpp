// The record of a game: what people did, read from its events and cards.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "env/record/record.h"
#include "env/record/record_keys.h"
#include "env/record/record_parts.h"

namespace schafkopf {
namespace {

void set_rules(GameRecord& record, const CompiledRules& rules) {
  const auto names = preset_names();
  record.preset = rules.name();
  const bool shipped = std::ranges::find(names, rules.name()) != names.end();
  if (shipped && rules_of(record)->hash() == rules.hash()) return;
  record.preset.clear();
  const RuleSet defaults;
  for (const FieldInfo& info : rule_fields()) {
    const PlainValue value = get_field(rules.rules(), info.key);
    if (value != get_field(defaults, info.key)) record.switches.emplace(info.key, value);
  }
}

void append(std::vector<Card>& list, CardSet cards) {
  for (const Card card : cards) list.push_back(card);
}

/// Cards that an offer of a Hochzeit shows: public events, but nobody's action (C.3).
int cards_shown(const Event& event, const RuleSet& rules) {
  if (!rules.hochzeit_card_open) return 0;
  if (event.action == kActionHzOffer1) return 1;
  return event.action == kActionHzOffer2 ? 2 : 0;
}

void add_event(GameRecord& record, const Game& game, const Event& event) {
  if (event.flag) return;  // who runs away plays a card
  if (event.action == kActionDouble) {
    record.doublings.push_back({event.seat, event.cards_before});
  } else if (event.action == kActionLay) {
    record.laid.push_back(event.seat);
  } else if (is_settlement(event.action)) {
    record.claims.push_back(
        {.seat = event.seat, .action = event.action, .card_index = game.num_plays()});
  } else if (event.cards_before > 0 || claims_rest(event.action)) {
    record.claims.push_back(
        {.seat = event.seat, .action = event.action, .card_index = event.cards_before});
  } else {
    record.auction.push_back({event.seat, event.action});
  }
}

/// The drawn card of a Zupf-Solo: what the target of the gift gave away (C.20.11).
void add_draw(GameRecord& record, const Game& game) {
  for (std::size_t i = 0; i + 1 < record.auction.size(); ++i) {
    const AuctionStep& step = record.auction[i];
    if (step.action < kActionTarget1 || step.action >= kActionTarget1 + kNumSeats - 1) continue;
    const int target = (step.seat + step.action - kActionTarget1 + 1) % game.seats();
    record.exchange.push_back({target, step.seat, game.given(target)});
  }
}

/// Cards that went from one seat to another before a game that was entered at card play. A card
/// that went through several hands did so in the order of positions.
void add_exchange(GameRecord& record, const Game& game) {
  const int n = game.seats();
  const auto seat_at = [&](int position) { return (game.forehand() + position) % n; };
  for (int from = 0; from < n; ++from) {
    for (int step = 1; step < n; ++step) {
      const int giver = seat_at(from), taker = seat_at((from + step) % n);
      CardSet cards = game.given(giver) & game.received(taker);
      for (int between = from + 1; between < from + step && from + step < n; ++between) {
        cards = cards - game.received(seat_at(between));
      }
      if (!cards.empty()) record.exchange.push_back({giver, taker, cards});
    }
  }
}

void set_start(GameRecord& record, const Game& game) {
  record.contract = game.contract();
  const ContractRow& row = contract_row(record.contract->contract);
  if (row.trump_suit != TrumpSuit::kAnnounced) record.contract->suit = Suit::kHerz;
  if (row.parties == Parties::kHochzeit) record.partner = game.partner();
  add_exchange(record, game);
}

void set_history(GameRecord& record, const Game& game) {
  for (int i = 0; i < game.num_events(); ++i) {
    const Event event = game.event(i);
    add_event(record, game, event);
    i += cards_shown(event, game.rules().rules());
  }
  if (game.starts_at_play()) {
    set_start(record, game);
  } else {
    add_draw(record, game);
  }
  for (int i = 0; i < game.num_plays(); ++i) record.plays.push_back(game.played_card(i));
  if (game.infraction() == Infraction::kNone) return;
  record.claims.push_back({.seat = game.offender(),
                           .kind = TableEvent::Kind::kInfraction,
                           .infraction = game.infraction(),
                           .card_index = game.num_plays()});
}

}  // namespace

std::string rules_json(const CompiledRules& rules) {
  GameRecord record;
  set_rules(record, rules);
  return rules_json(record);
}

GameRecord record_of(const Game& game, const std::optional<Deal>& deal) {
  if (game.is_endgame()) {
    throw std::invalid_argument("an endgame position has no record: its deal is unknown");
  }
  GameRecord record;
  set_rules(record, game.rules());
  record.dealer = game.dealer();
  record.session.context = game.context();
  for (int seat = 0; seat < game.seats(); ++seat) {
    std::vector<Card>& hand = record.hands.emplace_back();
    const CardSet cards = game.dealt(seat);
    if (deal && deal->hand(seat) != cards) {
      throw std::invalid_argument(fmt::format("seat {} was not dealt these cards", seat));
    }
    const CardSet first =
        deal ? deal->first[static_cast<std::size_t>(seat)] : game.first_half(seat) & cards;
    append(hand, first);
    append(hand, cards - first);
  }
  set_history(record, game);
  return record;
}

}  // namespace schafkopf
