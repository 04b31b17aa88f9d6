// What a hand is worth as declarer: the bidding knowledge of the rule agent, also used by the
// contract generators. Reads the columns of the contract table; knows no contract by name.
#pragma once

#include <cstdint>

#include "env/cards/contract.h"
#include "env/rules/compiled_rules.h"

namespace schafkopf {

/// A contract that a seat could play, and what it expects of it.
struct ContractChoice {
  Contract contract;        // declarer not filled in
  Action action = 0;        // contract action, 0 = nothing possible
  double win_chance = 0.0;  // 0..1
  double value = -1.0e9;    // expected payoff of the declarer in tariff units
  [[nodiscard]] bool possible() const { return action != 0; }
};

/// Counts of a hand under a trump set; what the estimates are made of.
struct HandFeatures {
  int trumps = 0;        // all trumps
  int tops = 0;          // trumps of the strongest rank (Ober in Rufspiel and Solo)
  int seconds = 0;       // of the second rank (Unter), 0 where the row has one rank
  bool best = false;     // the highest trump of all
  int aces = 0;          // plain suits whose highest card is held (the ace)
  int guarded_tens = 0;  // of them, those with the second card too (the ten)
  int losers = 0;        // plain cards that are neither ace nor the run below one
  int voids = 0;         // plain suits without a card
  bool leads = false;    // forehand
  double scale = 1.0;    // of the counts, for hands of fewer than eight cards
};
[[nodiscard]] HandFeatures hand_features(const PlayConstants& play, CardSet hand, bool leads);

/// How far a hand is from never winning a trick: for every card the lower cards of its group in
/// other hands, less the own ones, which go first; 0 = safe against everything.
[[nodiscard]] int exposure(const PlayConstants& play, CardSet hand, CardSet deck);
/// Logit of the chance to take no trick under the trumps of a row.
[[nodiscard]] double no_trick_logit(const CompiledRules& rules, const ContractRow& row, Suit suit,
                                    CardSet hand);

/// Estimated chance to win a single game of this row and suit (I-04, I-05; METHODS section 6).
/// bid  points promised (D.5), or 0
[[nodiscard]] double single_win_chance(const CompiledRules& rules, const ContractRow& row,
                                       Suit suit, CardSet hand, bool leads, int bid = 0);
/// Estimated chance to take every trick, 0 for hands with a certain loser.
[[nodiscard]] double all_tricks_chance(const CompiledRules& rules, const ContractRow& row,
                                       Suit suit, CardSet hand, bool leads);
/// I-01: five trumps or fewer, the highest of them no better than the red Ober, and neither an ace
/// nor a void suit: such a hand looks better than it is.
[[nodiscard]] bool is_red_rogue(const CompiledRules& rules, CardSet hand);
/// Estimated chance to win a game with a called partner (I-01).
[[nodiscard]] double call_win_chance(const CompiledRules& rules, CardSet hand, bool leads);

/// Best single game among the contract actions in `allowed` (Tout forms are chosen only by hands
/// that hardly lose a trick). `bid` = points promised in the auction (D.5), or 0.
[[nodiscard]] ContractChoice best_single(const CompiledRules& rules, CardSet hand, bool leads,
                                         const ActionMask& allowed, int bid = 0);
/// The game with a called partner, if the hand may call; the called card included.
[[nodiscard]] ContractChoice best_call(const CompiledRules& rules, CardSet hand, bool leads);
/// The same whether or not there is a card to call: the called card is kNoCard then.
[[nodiscard]] ContractChoice call_choice(const CompiledRules& rules, CardSet hand, bool leads);
/// Best trump suit of a row for this hand among `suits` (bit per suit); Herz where the row
/// announces none.
inline constexpr unsigned kAllSuits = 15;
[[nodiscard]] Suit best_suit(const CompiledRules& rules, const ContractRow& row, CardSet hand,
                             bool leads, unsigned suits = kAllSuits);

/// Which of the callable cards to call: the suit with the fewest own cards, one without a ten
/// before one with it, so that the suit is led and the partner found at a low price (W 10.3).
[[nodiscard]] Card choose_called_card(CardSet hand, CardSet callable);

}  // namespace schafkopf
