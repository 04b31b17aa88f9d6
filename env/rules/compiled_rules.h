// A rule set turned into the small tables that play reads: masks, limits, legal classes, windows.
// Built once, immutable, shared by all games that use it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "env/cards/contract.h"
#include "env/rules/calling.h"
#include "env/rules/deal_context.h"
#include "env/rules/rules.h"
#include "env/rules/special_round.h"

namespace schafkopf {

/// Card-play words of a contract: trump groups and order (see play.h).
struct PlayConstants {
  std::uint32_t trumps = 0, top = 0, second = 0, low_tens = 0;
  int trump_suit = -1;  // -1 = none
};

/// Immutable; the owner keeps it alive as long as games use it.
class CompiledRules {
 public:
  /// Compile a rule set after checked(). Throws RuleError for what RULES J rejects.
  explicit CompiledRules(const RuleSet& rules, std::string name = "custom");

  /// Rule set by the name of a preset or the path of a file.
  [[nodiscard]] static std::shared_ptr<const CompiledRules> load(const std::string& name_or_path);
  [[nodiscard]] static std::shared_ptr<const CompiledRules> make(const NamedRules& rules);

  [[nodiscard]] const RuleSet& rules() const { return rules_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint64_t hash() const { return hash_; }
  /// Context of a first deal (deal_context.h): the special round of the switch.
  [[nodiscard]] const DealContext& first_context() const { return first_context_; }
  [[nodiscard]] int seats() const { return seats_; }
  [[nodiscard]] int cards_per_hand() const { return cards_per_hand_; }
  [[nodiscard]] CardSet deck() const { return deck_; }
  [[nodiscard]] int tariff_scale() const { return rules_.tariff.scale; }

  [[nodiscard]] const PlayConstants& play(ContractClass contract, Suit suit) const {
    return play_[static_cast<std::size_t>(contract)][static_cast<std::size_t>(suit)];
  }
  /// Ordered trumps of a class for Laufende, strongest first.
  [[nodiscard]] const TrumpList& trumps(ContractClass contract, Suit suit) const {
    return trump_lists_[static_cast<std::size_t>(contract)][static_cast<std::size_t>(suit)];
  }
  /// Trump suit of a class: the announced one or the partner-game suit; -1 if it has none.
  [[nodiscard]] int trump_suit(ContractClass contract, Suit announced) const {
    return play(contract, announced).trump_suit;
  }

  /// Single classes (Touts included, the fixed hand not) that a seat may name.
  [[nodiscard]] const ActionMask& single_classes() const { return single_classes_; }
  [[nodiscard]] bool has_single_classes() const { return !single_classes_.empty(); }
  /// All classes with an auction rank of at least `rank` (0..63), enabled or not.
  [[nodiscard]] const ActionMask& classes_from_rank(int rank) const {
    return from_rank_[static_cast<std::size_t>(rank)];
  }
  /// Actions of a family, Tout form included if it is enabled; also of families not in `contracts`.
  [[nodiscard]] const ActionMask& classes_of(Family family) const {
    return of_family_[static_cast<std::size_t>(family)];
  }
  /// Classes in which points count, or all tricks: what a Steigern bid needs (D.5).
  [[nodiscard]] const ActionMask& counting_classes() const { return counting_; }
  /// Action that names the partner game by call (C_RUF), 0 if it is not enabled; and its rank.
  [[nodiscard]] Action call_action() const { return call_action_; }
  [[nodiscard]] int call_rank() const { return calling_row().rank; }
  /// Hand that may name the fixed-hand class; empty if it is off.
  [[nodiscard]] CardSet fixed_hand() const { return fixed_hand_; }
  [[nodiscard]] Action fixed_hand_action() const { return fixed_hand_action_; }
  /// Whether a deal of these rules can end with this class, by auction, all pass or mode.
  [[nodiscard]] bool can_be_played(ContractClass contract) const;

  /// Trump set of the partner games.
  [[nodiscard]] CardSet partner_trumps() const { return CardSet(call_trumps_); }
  /// Aces that a hand may call in the partner game by call: C.1, or Renonce for a blocked hand
  /// (C.2).
  [[nodiscard]] std::uint32_t callable(std::uint32_t hand) const {
    return callable_cards(hand, call_trumps_, rules_.renonce);
  }
  /// Cards that a hand must call in a game by duty (C.4).
  [[nodiscard]] std::uint32_t duty_calls(std::uint32_t hand, MussBlocked cascade) const {
    return schafkopf::duty_calls(hand, call_trumps_, deck_.bits(), cascade);
  }
  /// Whether something of the price is asked for after the last card (G.5).
  [[nodiscard]] bool settles_by_claim() const {
    return rules_.laufende_by_claim || rules_.schwarz_by_claim;
  }

  /// Doublings allowed in a class (F.3); 0 = no windows.
  [[nodiscard]] int max_doublings(const ContractRow& row) const;
  /// Whether a deal of these rules may begin doubled, by the mode or by one that is started (C.20.8).
  [[nodiscard]] bool may_begin_doubled() const;
  [[nodiscard]] bool has_windows() const { return window_w0_ || window_w1_ || window_w2_; }
  [[nodiscard]] bool asks_before_first_card() const { return window_w0_; }
  [[nodiscard]] bool asks_before_second_card() const { return window_w1_; }
  [[nodiscard]] bool asks_with_full_hand() const { return window_w2_; }

 private:
  void compile_contracts();
  void compile_auction();
  void compile_windows();
  [[nodiscard]] CardSet strongest_hand(const ContractRow& row) const;

  RuleSet rules_;
  std::string name_;
  std::uint64_t hash_ = 0;
  DealContext first_context_;
  int seats_ = kNumSeats;
  int cards_per_hand_ = 8;
  CardSet deck_ = kLongDeck;
  std::array<std::array<PlayConstants, kNumSuits>, kNumContractClasses> play_{};
  std::array<std::array<TrumpList, kNumSuits>, kNumContractClasses> trump_lists_{};
  ActionMask single_classes_;
  ActionMask counting_;
  std::array<ActionMask, 64> from_rank_{};
  std::array<ActionMask, 4> of_family_{};
  Action call_action_ = 0;
  CardSet fixed_hand_;
  Action fixed_hand_action_ = 0;
  std::uint32_t call_trumps_ = 0;  // trump set of the partner game by call
  bool window_w0_ = false, window_w1_ = false, window_w2_ = false;
};

}  // namespace schafkopf
