// What all phases of a deal share: cards, turn, contract, what was said. Game owns it; a phase gets
// it beside its own state and nothing of the other phases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "env/base/assert.h"
#include "env/cards/play.h"
#include "env/game/contract_state.h"
#include "env/game/event.h"
#include "env/rules/compiled_rules.h"
#include "env/rules/most_announcements.h"
#include "env/view/packed.h"

namespace schafkopf {

/// How a deal was entered.
enum class Entry : std::uint8_t {
  kDeal,      // at its beginning
  kCardPlay,  // with a given contract
  kPosition,  // an endgame: no history, no Laufende
};

struct TableState {
  static constexpr int kMaxEvents = kMostAnnouncements;
  static constexpr int kFewEvents = 8;  // fit one vector, and most deals have no more

  // Line by line of the caches: two lines that every card reads and writes, one that it reads and
  // writes a little of, one of the events that views show.
  PlayState<std::uint32_t> play{};
  std::uint8_t order[32] = {};  // packed::play, absolute seats
  const CompiledRules* rules = nullptr;
  Phase phase{};
  std::uint8_t to_move = 0;
  std::uint8_t num_plays = 0;
  std::uint8_t dealer = 0;
  std::uint8_t num_events = 0;
  std::uint8_t num_secret = 0;  // of the events
  std::uint8_t first_play = 0;  // cards played before the contract was fixed (C.20.10)
  Entry entry = Entry::kDeal;
  std::uint8_t card_maps[4] = {};
  DealContext context;
  std::uint16_t events[kMaxEvents] = {};  // packed::event, absolute seats; absent = secret
  // read where a phase begins or ends, and by single games
  ContractState contract;
  std::uint8_t claims_rest = 0;      // 1: the rest may be claimed and conceded (E.5)
  std::uint8_t reserved[1] = {};     // no padding: equal tables have equal bytes
  std::uint32_t first_half[4] = {};  // as dealt; of an endgame the hands at its start
  std::uint32_t given[4] = {};       // passed on before the play
  std::uint32_t received[4] = {};
  std::uint32_t aside = 0;  // cards on their way between two seats

  [[nodiscard]] const RuleSet& rule_set() const { return rules->rules(); }
  [[nodiscard]] int seats() const { return rules->seats(); }
  [[nodiscard]] int forehand() const { return wrapped(dealer + 1); }
  [[nodiscard]] int seat_at(int position) const { return wrapped(forehand() + position); }
  [[nodiscard]] int position_of(int seat) const {
    return seat - forehand() + (seat < forehand() ? seats() : 0);
  }
  [[nodiscard]] CardSet hand(int seat) const { return CardSet(play.hand[seat]); }
  [[nodiscard]] const ContractRow& row() const { return contract_row(contract.row); }
  [[nodiscard]] const SpecialRoundRow& mode() const {
    return special_round_row(static_cast<SpecialRound>(context.special_round));
  }
  [[nodiscard]] bool has_mode() const { return context.special_round != 0; }
  /// Cards of the high packet, or those that forehand gets before the deal; public.
  [[nodiscard]] CardSet fixed_cards() const;
  /// Phase in which an auction begins; debts are paid in a two-stage auction (OPEN-36).
  [[nodiscard]] Phase auction_phase() const {
    const bool direct =
        rule_set().auction_style == AuctionStyle::kDirect && mode().announce != Announce::kOwed;
    return direct ? Phase::kAuctionDirect : Phase::kAuctionRound;
  }
  /// Whether forehand names a suit before the deal (C.20.6, C.20.7).
  [[nodiscard]] bool names_suit_before_deal() const;

  void ask(Phase question, int seat) {
    phase = question;
    to_move = static_cast<std::uint8_t>(seat);
  }
  /// A seat that was counted on beyond the last one, at most once around: no division, which every
  /// answer would wait for.
  [[nodiscard]] int wrapped(int seat) const { return seat - (seat >= seats() ? seats() : 0); }
  void move_cards(int from, int to, std::uint32_t cards);
  void take_aside(int seat);
  /// Groups and order of the cards in play.
  void set_words(const PlayConstants& words);

  void add_event(Action action, bool flag = false);
  void add_secret(Action action);
  [[nodiscard]] Event event(int i) const;
};
static_assert(std::is_trivially_copyable_v<TableState> && sizeof(TableState) == 456);
static_assert(std::has_unique_object_representations_v<TableState>, "tables are copied as bytes");
static_assert(offsetof(TableState, order) == 2 * 64 && offsetof(TableState, events) == 3 * 64 &&
                  offsetof(TableState, contract) == 6 * 64,
              "kernels read whole lines of the caches (lane_layout)");

inline void TableState::add_event(Action action, bool flag) {
  SCHAFKOPF_ASSERT(num_events < kMaxEvents);
  events[num_events++] = packed::event(action, flag, to_move, num_plays);
}

}  // namespace schafkopf
