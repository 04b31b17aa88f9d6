// Values of cards over worlds with exact play to the end (METHODS section 6, PIMC). The core of
// PIMC and of the cheating oracle.
#pragma once

#include <array>
#include <span>

#include "agents/solver/solver.h"
#include "agents/worlds/world_value.h"
#include "agents/worlds/worlds.h"

namespace schafkopf {

/// What the exact play of a world is asked.
enum class SearchQuestion : std::uint8_t { kClasses, kWin };
[[nodiscard]] constexpr auto names_of(SearchQuestion) { return make_names("classes", "win"); }

/// Values of the legal cards of a view, seen from its seat.
struct CardValues {
  CardSet legal;
  std::array<double, kNumCards> value{};  // mean over worlds, legal cards only
  /// Standard error of a card's lead over the reference of begin() from world to world; 0 for one
  /// world.
  std::array<double, kNumCards> error{};

  [[nodiscard]] double best() const;
  /// Legal cards whose value is that of the best one.
  [[nodiscard]] CardSet best_cards() const;
};

/// Sums over worlds what each card leads to. Not thread-safe (it owns a solver).
///
/// Payoffs are in tariff units. Where everybody plays for himself (Ramsch) the value is minus the
/// points that the seat takes if all others play against it, in steps; where tricks are handed on
/// in the end, minus those that the right neighbour takes, who then is the one against all.
class CardSearch {
 public:
  explicit CardSearch(SearchQuestion question = SearchQuestion::kClasses) : question_(question) {}

  /// Whether the cards of this view can be searched: a contract is played, and the view shows all
  /// cards that were taken.
  [[nodiscard]] static bool can_search(const PlayerView& view, const CompiledRules& rules);

  /// Start a decision: a seat that is to play a card. `reference`: legal card that the others are
  /// compared with, kNoCard = none.
  void begin(const PlayerView& view, const CompiledRules& rules, Card reference = kNoCard);
  /// Add a world of that view; it counts as much as its weight says, > 0.
  void add(const World& world, double weight = 1.0);
  /// Weighted mean over the worlds so far; at least one.
  [[nodiscard]] CardValues values() const;

  /// Payoffs of all seats in tariff units, relative to the viewing one, if everybody plays best
  /// from here on in this world. For views that can be searched, of contracts with two parties.
  [[nodiscard]] std::array<double, kNumSeats> payoffs_of_best(const PlayerView& view,
                                                              const CompiledRules& rules,
                                                              const World& world);

 private:
  using Values = std::array<double, kNumCards>;
  /// Values of the legal cards in one world.
  [[nodiscard]] Values values_in(const World& world);
  [[nodiscard]] Values fewest_points(const PlayState<std::uint32_t>& play);
  /// What each legal card of a game of two parties leads to.
  using Classes = std::array<std::int8_t, kNumCards>;
  [[nodiscard]] Classes classes_in(const PlayState<std::uint32_t>& play, const WorldValue& value);
  [[nodiscard]] Classes won_or_lost(const PlayState<std::uint32_t>& play, const WorldValue& value);

  SearchQuestion question_;
  Solver solver_;
  PlayerView view_;
  const CompiledRules* rules_ = nullptr;
  CardValues sums_;
  Card reference_ = kNoCard;
  Values squares_{};  // of the differences from the reference, weighted
  double weight_ = 0.0, squared_weights_ = 0.0;
  int num_worlds_ = 0;
};

}  // namespace schafkopf
