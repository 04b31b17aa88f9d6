#include "env/game/table_state.h"

#include "env/deal/deal.h"

namespace schafkopf {

CardSet TableState::fixed_cards() const { return undealt_packet(rule_set(), context); }

bool TableState::names_suit_before_deal() const {
  if (!has_mode()) return false;
  const Opening opening = mode().opening;
  return opening == Opening::kFixedCards ||
         (opening == Opening::kPackets &&
          rule_set().schieber_variant == SchieberVariant::kForehandOnly &&
          rule_set().schieber_cards == 4);
}

void TableState::move_cards(int from, int to, std::uint32_t cards) {
  play.hand[from] &= ~cards;
  play.hand[to] |= cards;
  given[from] |= cards;
  received[to] |= cards;
}

void TableState::take_aside(int seat) {
  play.hand[seat] |= aside;
  received[seat] |= aside;
  aside = 0;
}

void TableState::set_words(const PlayConstants& words) {
  play.trumps = words.trumps;
  play.top = words.top;
  play.second = words.second;
  play.low_tens = words.low_tens;
  take_over_switches(play, rule_set());
}

void TableState::add_secret(Action action) {
  add_event(action);
  events[num_events - 1] = packed::absent(events[num_events - 1]);
  ++num_secret;
}

Event TableState::event(int i) const {
  SCHAFKOPF_ASSERT(i >= 0 && i < num_events);
  const std::uint16_t bits = events[i];
  return {packed::action_of(bits), static_cast<std::uint8_t>(packed::actor_of(bits)),
          static_cast<std::uint8_t>(packed::cards_before(bits)), packed::flag_of(bits),
          !packed::is_event(bits)};
}

}  // namespace schafkopf
