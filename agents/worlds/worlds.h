// Hidden hands that fit what a seat has seen: exactly uniform sampling, counting and enumeration
// (METHODS section 6, world sampling), and the card play of such a world. Built only from a
// PlayerView; seats are relative to the viewing seat (0 = itself, 1 = its left neighbour).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "env/cards/play.h"
#include "env/rules/compiled_rules.h"
#include "env/view/view.h"

namespace schafkopf {

/// Hands held now by relative seat; hands[0] is the own hand (while laying, a guess of its unseen
/// half included).
struct World {
  std::array<CardSet, kNumSeats> hands{};
  friend constexpr bool operator==(const World&, const World&) = default;
};

/// The state of card play in a world, as the Game itself would hold it, with relative seats: the
/// trick on the table, the words of the contract, the duties of the called card (E.3). `next_stop`
/// is the end of the deal; with `history_view = last_trick` only the cards that the view shows
/// stand in `taken` and `played`.
/// Throws std::invalid_argument if no cards are being played: before the first card, after the end.
[[nodiscard]] PlayState<std::uint32_t> play_state_of(const PlayerView& view,
                                                     const CompiledRules& rules,
                                                     const World& world);

/// Bit r: relative seat r belongs to the declarer party in this world; 0 where everybody plays for
/// himself. Throws std::invalid_argument without a contract.
[[nodiscard]] std::uint8_t declarer_party_of(const PlayerView& view, const CompiledRules& rules,
                                             const World& world);

/// Uniform distribution over all worlds that are consistent with a view.
///
/// A world is consistent if the public course of the deal, replayed with these hands, is legal at
/// every ply for every seat, and the viewing seat sees what it sees: suits that were not followed,
/// the called card and its duties (E.3: search, leads of the called suit, running away, C.1, C.2),
/// who may double (F.3), trumps of a Hochzeit and its cards (C.3), calls by duty (C.4), open hands
/// (C.15), fixed cards (C.20.7), cards given and received. How likely the others act so is not
/// asked. Silent answers prove nothing, as nobody sees them (D.1).
///
/// Where cards were passed on in secret a world counts once for its hands now, however many deals
/// lead to it. What a view forgets (`history_view = last_trick`, more than 32 events) proves
/// nothing. Some worlds too many, none too few, there are where Schieber cards were pushed (C.20.6:
/// checked card by card), where the acceptor of a Hochzeit had offered trumps himself and may
/// return some, and where somebody calls deeper than the King of the cascade (C.4).
class WorldSampler {
 public:
  /// Throws std::invalid_argument for a view that no deal explains, and for moments at which the
  /// view does not tell how many cards each seat holds (cards on their way between two others).
  WorldSampler(const PlayerView& view, const CompiledRules& rules);

  /// Number of consistent worlds, at least 1; exact (at most 10^17).
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// A world, each with the same probability; a pure function of the view and the key. Keys need
  /// not be random: consecutive numbers will do. No allocation.
  [[nodiscard]] World sample(std::uint64_t key) const;
  /// Every consistent world once, in a fixed order; for small counts.
  void enumerate(const std::function<void(const World&)>& visit) const;

 private:
  static constexpr int kBins = kNumSeats + 1;  // seats, and cards that nobody holds any more
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
  using Rooms = std::uint64_t;  // free places, one byte per bin

  /// How the cards of a class fall on the bins.
  struct Split {
    Rooms counts = 0;
    std::uint32_t offset = 0;  // what it takes off the index of the free places
    std::uint64_t arrangements = 1;
  };
  /// A number of cards in one hand that a rule asks about, up to a limit.
  struct Counter {
    int bin = 0;
    CardSet cards;
    unsigned most = 1;
    int shift = 0;  // its bits in the packed counters
    std::uint32_t mask = 1;
  };
  /// Cards that no constraint tells apart.
  struct CardClass {
    CardSet cards;
    std::uint32_t signature = 0;  // allowed bins, then counters that count it
    std::vector<Split> splits;    // not for the last class: the free places decide
  };
  struct Builder;

  void make_classes(const Builder& builder);
  void number_places(Builder& builder);
  void make_splits(const Builder& builder);
  [[nodiscard]] std::uint64_t ways(std::size_t stage, Rooms rooms, std::uint32_t index,
                                   std::uint32_t counters, Builder& builder);
  [[nodiscard]] std::uint64_t known_ways(std::size_t stage, std::uint32_t index,
                                         std::uint32_t counters) const;
  [[nodiscard]] std::uint32_t counted(std::uint32_t counters, const CardClass& cards,
                                      Rooms counts) const;
  [[nodiscard]] std::size_t cell(std::size_t stage, std::uint32_t index,
                                 std::uint32_t counters) const {
    return ((stage * num_indices_ + index) << counter_bits_) | counters;
  }
  [[nodiscard]] const Split& draw_split(std::size_t stage, Rooms rooms, std::uint32_t index,
                                        std::uint32_t counters, std::uint64_t random) const;
  void enumerate_from(std::size_t stage, Rooms rooms, std::uint32_t index, std::uint32_t counters,
                      World& world, const std::function<void(const World&)>& visit) const;

  World known_;  // cards whose place is certain
  std::vector<CardClass> classes_;
  std::vector<Counter> counters_;
  std::vector<std::uint64_t> ways_;  // number of ways to place the classes from a stage on
  Rooms rooms_ = 0;
  std::uint32_t first_index_ = 0;
  std::size_t num_indices_ = 1;
  int counter_bits_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace schafkopf
