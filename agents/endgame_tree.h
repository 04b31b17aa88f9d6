// The game tree of an endgame over all its deals, packed for many walks: what NashConv and CFR+
// share. Decisions with one legal card are left out; claims of the rest are not offered.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "agents/endgames.h"
#include "agents/watched_work.h"
#include "env/view.h"

namespace schafkopf {

/// What a seat knows when it has to choose: all positions that give it the same PlayerView.
struct EndgameInfoSet {
  std::uint32_t first_action = 0;  // its actions are first_action .. + num_actions - 1
  std::int32_t parent = -1;        // action of the same seat that led here, -1 = first choice
  std::uint8_t seat = 0;           // absolute
  std::uint8_t num_actions = 0;    // 2 or more
  std::uint8_t depth = 0;          // number of own choices before
};

/// Probability per action of every information set (EndgameInfoSet::first_action).
using EndgameProfile = std::vector<double>;

/// Tree of one endgame. Immutable; nodes are one stream of words in preorder, deal after deal.
class EndgameTree {
 public:
  /// Throws as deals_of, and std::invalid_argument for a tree of more than `max_words` words
  /// (4 bytes each; two tricks need less than 150,000). `checkpoint` is passed once per deal.
  EndgameTree(std::shared_ptr<const CompiledRules> rules, Endgame endgame,
              std::size_t max_words = std::size_t{1} << 29, const Checkpoint& checkpoint = {});

  [[nodiscard]] const Endgame& endgame() const { return endgame_; }
  [[nodiscard]] const CompiledRules& rules() const { return *rules_; }
  [[nodiscard]] std::size_t num_deals() const { return deals_.size(); }
  /// Probability of one deal.
  [[nodiscard]] double deal_weight() const { return 1.0 / static_cast<double>(deals_.size()); }

  [[nodiscard]] std::span<const EndgameInfoSet> info_sets() const { return info_sets_; }
  [[nodiscard]] std::size_t num_actions() const { return actions_.size(); }
  [[nodiscard]] Card card_of(std::size_t action) const { return actions_[action]; }
  /// Distinct payoffs per absolute seat in tariff units.
  [[nodiscard]] std::span<const std::array<double, kNumSeats>> payoffs() const { return payoffs_; }

  // Nodes: `at` is a place in the stream, the first node is 0, nodes of depth 0 follow each other
  [[nodiscard]] std::size_t num_words() const { return words_.size(); }
  [[nodiscard]] bool is_end(std::size_t at) const { return (words_[at] & kEndBit) != 0; }
  [[nodiscard]] const std::array<double, kNumSeats>& payoff_at(std::size_t at) const {
    return payoffs_[words_[at] & ~kEndBit];
  }
  [[nodiscard]] const EndgameInfoSet& info_set_at(std::size_t at) const {
    return info_sets_[words_[at]];
  }
  [[nodiscard]] std::size_t info_set_id(std::size_t at) const { return words_[at]; }
  [[nodiscard]] static std::size_t first_child(std::size_t at) { return at + 2; }
  /// Place after the subtree.
  [[nodiscard]] std::size_t end_of(std::size_t at) const {
    return is_end(at) ? at + 1 : words_[at + 1];
  }

  /// Calls visit(number, view) once per information set, in order of their numbers. Views are those
  /// of Game::view without the offer of claims. Plays through the whole tree; `checkpoint` is
  /// passed once per deal.
  void for_each_view(const std::function<void(std::size_t, const PlayerView&)>& visit,
                     const Checkpoint& checkpoint = {}) const;
  /// Number of the information set that a seat is in; empty if the view is none of this tree.
  [[nodiscard]] std::optional<std::size_t> find(const PlayerView& view) const;

 private:
  /// What tells the information sets of one endgame apart: own cards, course of play, open cards,
  /// and what the view says about the parties.
  struct Key {
    std::uint64_t plays = 0, own = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  class Builder;
  class ViewReader;
  static constexpr std::uint32_t kEndBit = 1u << 31;

  [[nodiscard]] static Key key_of(const PlayerView& view);
  [[nodiscard]] std::size_t slot_of(const Key& key) const;
  void grow_slots();

  std::shared_ptr<const CompiledRules> rules_;
  Endgame endgame_;
  std::vector<EndgameHands> deals_;
  std::vector<std::uint32_t> words_;
  std::vector<EndgameInfoSet> info_sets_;
  std::vector<Card> actions_;
  std::vector<std::array<double, kNumSeats>> payoffs_;
  std::vector<Key> keys_;             // per information set
  std::vector<std::uint32_t> slots_;  // hash table of information sets, number + 1, 0 = free
};

}  // namespace schafkopf
