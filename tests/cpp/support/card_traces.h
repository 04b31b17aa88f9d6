// Starts of card play and what Game makes of them, to hold other ways of playing cards against: all
// presets and random house rules, all contracts, starts in the middle of a trick too.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "env/base/random.h"
#include "env/device/card_trace.h"
#include "env/game/game.h"
#include "tests/cpp/support/random_play.h"
#include "tests/cpp/support/random_rules.h"

namespace schafkopf::test {

/// One game of random cards.
struct CardTrace {
  PlayState<std::uint32_t> start;  // next_stop: cards played when the game is over
  std::uint64_t key = 0;           // of the draws
  std::uint64_t hash = 0;          // as card_trace folds it, of Game stepped card by card
  // what it is a game of
  const CompiledRules* rules = nullptr;  // until the next call
  ContractClass contract{};
  bool tout = false;
  int cards = 0;
};

/// Plays a game on with random cards, all questions answered in silence, and folds what it shows.
inline void play_trace(Game game, CardTrace& trace) {
  trace.start = game.play_state();
  trace.rules = &game.rules();
  trace.contract = game.contract().contract;
  trace.tout = game.contract().tout;
  trace.hash = trace.key;
  while (game.phase() == Phase::kPlay || game.phase() == Phase::kDouble) {
    if (game.phase() == Phase::kDouble) {
      game.apply(traceless_answer(Phase::kDouble));
      continue;
    }
    const ActionMask legal = without_claims(game.legal_actions());
    const auto seat = static_cast<std::uint32_t>(game.current_player());
    const std::uint64_t draw =
        card_draw(trace.key, seat, static_cast<std::uint32_t>(game.num_plays()));
    const Action card = legal.nth(below(draw, legal.count()));
    game.apply(card);
    trace.hash = fold_card(trace.hash, static_cast<std::uint32_t>(legal.words[0]),
                           CardSet::of(card).bits(), seat, game.play_state().turn);
    ++trace.cards;
  }
  for (int s = 0; s < kNumSeats; ++s) trace.hash = fold_taken(trace.hash, game.captured(s).bits());
  trace.start.next_stop = static_cast<std::uint32_t>(game.num_plays());
}

/// An endless row of them, a function of the seed.
class CardTraces {
 public:
  /// Rule sets in turn: a preset, then random house rules, so many deals each.
  static constexpr int kDealsPerRules = 16;

  explicit CardTraces(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] CardTrace next() {
    while (true) {
      if (deals_left_ == 0) change_rules();
      --deals_left_;
      Game game = new_game();
      while (!game.is_terminal() && !begins(game)) {
        game.apply_unchecked(random_action(game, random_));
      }
      if (game.is_terminal()) continue;
      // a quarter of them after some cards
      for (int cards = random_.next_below(4) == 0 ? random_.next_below(20) : 0;
           cards > 0 && begins(game); --cards) {
        game.apply_unchecked(random_action(game, random_));
      }
      if (!begins(game)) continue;
      CardTrace trace;
      trace.key = random_.next();
      play_trace(game, trace);
      return trace;
    }
  }

 private:
  /// In card play with a contract, a question before the first card included.
  static bool begins(const Game& game) {
    const bool cards = game.phase() == Phase::kPlay || game.phase() == Phase::kDouble;
    return cards && game.has_contract();
  }

  void change_rules() {
    deals_left_ = kDealsPerRules;
    ++number_;
    if (number_ % 2 == 1) {
      const auto presets = preset_names();
      rules_ = CompiledRules::load(std::string(presets[number_ / 2 % presets.size()]));
    } else {
      rules_ = std::make_shared<const CompiledRules>(random_rules(random_.next()));
    }
  }

  [[nodiscard]] Game new_game() {
    const int dealer = random_.next_below(rules_->seats());
    DealContext context = rules_->first_context();
    if (random_.next_below(2) == 0) context = random_context(random_.next(), rules_->rules());
    return {*rules_, strange_deal(random_.next(), rules_->rules(), dealer, context), dealer,
            context};
  }

  Rng random_;
  std::uint64_t number_ = 0;
  int deals_left_ = 0;
  std::shared_ptr<const CompiledRules> rules_;
};

}  // namespace schafkopf::test
