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
  play.run_min = rules->run_min();
  play.window = rules->discard_window();
}

void TableState::add_secret(Action action) {
  add_event(action);
  events[num_events - 1] &= 0x7FFF;
  ++num_secret;
}

Event TableState::event(int i) const {
  const std::uint16_t packed = events[i];
  return {static_cast<Action>(packed & 0x7F), static_cast<std::uint8_t>((packed >> 8) & 3),
          static_cast<std::uint8_t>((packed >> 10) & 31), (packed & 0x80) != 0,
          (packed & 0x8000) == 0};
}

}  // namespace schafkopf
