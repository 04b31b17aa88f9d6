// A rule set turned into the small tables that play reads: masks, limits, legal classes, windows.
// Built once, immutable, shared by all games that use it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "env/contract.h"
#include "env/rules.h"

namespace schafkopf {

/// Card-play words of a contract: trump groups and order (see play.h).
struct PlayConstants {
  std::uint32_t trumps = 0, top = 0, second = 0, low_tens = 0;
  int trump_suit = -1;  // -1 = none
};

/// Aces of plain suits that are not held while a plain card of their suit is (C.1; ).
/// trumps  trump set of the partner game
[[nodiscard]] std::uint32_t callable_aces(std::uint32_t hand, std::uint32_t trumps);

/// Immutable; the owner keeps it alive as long as games use it.
class CompiledRules {
 public:
  /// Compile checked rules. Throws std::invalid_argument for systems that are not built
  /// (rules_unbuilt.h).
  explicit CompiledRules(const RuleSet& rules, std::string name = "custom");

  /// Rule set that was asked for by name or file, with the values used instead of systems that are
  /// not built; notes as in built_rules.
  [[nodiscard]] static std::shared_ptr<const CompiledRules> load(
      const std::string& name_or_path, std::vector<std::string>* notes = nullptr);
  [[nodiscard]] static std::shared_ptr<const CompiledRules> make(
      const NamedRules& rules, std::vector<std::string>* notes = nullptr);

  [[nodiscard]] const RuleSet& rules() const { return rules_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint64_t hash() const { return hash_; }
  [[nodiscard]] int seats() const { return rules_.players == 3 ? 3 : 4; }
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
  /// Those with an auction rank of at least `rank` (0..63).
  [[nodiscard]] const ActionMask& classes_from_rank(int rank) const {
    return from_rank_[static_cast<std::size_t>(rank)];
  }
  /// Action that names the partner game by call (C_RUF), 0 if it is not enabled; and its rank.
  [[nodiscard]] Action call_action() const { return call_action_; }
  [[nodiscard]] int call_rank() const { return call_rank_; }
  /// Class that is played when all pass, if one is.
  [[nodiscard]] bool plays_all_pass() const { return plays_all_pass_; }
  [[nodiscard]] ContractClass all_pass_class() const { return all_pass_class_; }
  /// Hand that may name the fixed-hand class; empty if it is off.
  [[nodiscard]] CardSet fixed_hand() const { return fixed_hand_; }
  [[nodiscard]] Action fixed_hand_action() const { return fixed_hand_action_; }

  /// Aces that a hand may call in the partner game by call.
  [[nodiscard]] std::uint32_t callable(std::uint32_t hand) const {
    return callable_aces(hand, call_trumps_);
  }

  /// Doublings allowed in a class (F.3); 0 = no windows.
  [[nodiscard]] int max_doublings(const ContractRow& row) const;
  [[nodiscard]] bool has_windows() const { return window_w0_ || window_w1_ || window_w2_; }
  [[nodiscard]] bool asks_before_first_card() const { return window_w0_; }
  [[nodiscard]] bool asks_before_second_card() const { return window_w1_; }
  [[nodiscard]] bool asks_with_full_hand() const { return window_w2_; }
  [[nodiscard]] std::uint32_t run_min() const { return run_min_; }
  [[nodiscard]] std::uint32_t discard_window() const { return discard_window_; }

 private:
  void compile_contracts();
  void compile_auction();
  void compile_windows();

  RuleSet rules_;
  std::string name_;
  std::uint64_t hash_ = 0;
  int cards_per_hand_ = 8;
  CardSet deck_ = kLongDeck;
  std::array<std::array<PlayConstants, kNumSuits>, kNumContractClasses> play_{};
  std::array<std::array<TrumpList, kNumSuits>, kNumContractClasses> trump_lists_{};
  ActionMask single_classes_;
  std::array<ActionMask, 64> from_rank_{};
  Action call_action_ = 0;
  int call_rank_ = 0;
  bool plays_all_pass_ = false;
  ContractClass all_pass_class_{};
  CardSet fixed_hand_;
  Action fixed_hand_action_ = 0;
  std::uint32_t call_trumps_ = 0;  // trump set of the partner game by call
  bool window_w0_ = false, window_w1_ = false, window_w2_ = false;
  std::uint32_t run_min_ = 3, discard_window_ = 1;
};

}  // namespace schafkopf
