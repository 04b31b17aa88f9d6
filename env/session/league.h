// A league day of the 2024 tournament (RULES H.3): players are drawn to tables, every sitting has
// its own draw, each table keeps a list, totals with bonus are ranked, ties are broken by the first
// ace. Whoever plays the games drives it: this room knows no players.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "env/game/game.h"
#include "env/rules/compiled_rules.h"
#include "env/session/session.h"

namespace schafkopf {

/// The list of one table in one sitting: who sits where, and what each deal cost.
struct TableList {
  std::vector<int> players;                                 // by place, numbers of registration
  std::vector<std::array<std::int64_t, kMaxPlaces>> deals;  // account of each deal by place
  SessionState state;                                       // account and next dealer

  friend bool operator==(const TableList&, const TableList&) = default;
};

/// Place of a player in the final ranking.
struct Standing {
  int player = 0;          // number of registration
  int rank = 1;            // 1 = first; players that stay tied share it
  std::int64_t total = 0;  // with the bonus, in 1/tariff_scale units
  std::int64_t bonus = 0;  // part of the total
  int num_games = 0;       // played to the end
  friend bool operator==(const Standing&, const Standing&) = default;
};

/// A league day: `session_tables` sittings of `session_rounds` rounds. A value type.
///
/// Game k of a table is a function of (seed, sitting, table, k); tables of a sitting are
/// independent and can be played in any order, sittings too.
class League {
 public:
  static constexpr int kMostPlayers = 10'000;

  /// players  number registered, a multiple of the players of a table (4), at most kMostPlayers
  /// Throws std::invalid_argument for another number.
  League(std::shared_ptr<const CompiledRules> rules, int players, std::uint64_t seed);

  [[nodiscard]] int num_players() const { return players_; }
  [[nodiscard]] int num_sittings() const { return rules_->rules().session_tables; }
  [[nodiscard]] int num_tables() const { return players_ / rules_->rules().players; }
  /// Deals of one table in one sitting.
  [[nodiscard]] int games_per_sitting() const { return session_length(sitting_rules_); }

  /// List of a table; its players were drawn when the league began.
  [[nodiscard]] const TableList& list(int sitting, int table) const;
  /// The next deal of a table; the same one until finish(). Throws std::invalid_argument when the
  /// sitting is over at this table.
  [[nodiscard]] Game next_game(int sitting, int table) const;
  /// Enter the deal that next_game() gave, played to its end, into the list.
  void finish(int sitting, int table, const Game& game);
  /// Enter a misdeal; what the places get, as enter_misdeal.
  std::array<std::int32_t, kMaxPlaces> misdeal(int sitting, int table);

  [[nodiscard]] bool is_over(int sitting, int table) const;
  [[nodiscard]] bool is_over() const;

  /// Standings by total with bonus, best first. Ties by `tie_break`: first_ace deals cards
  /// among the tied players (OPEN-71), none shares the rank. May be asked at any time.
  [[nodiscard]] std::vector<Standing> ranking() const;

  [[nodiscard]] const CompiledRules& rules() const { return *rules_; }

 private:
  [[nodiscard]] std::size_t index(int sitting, int table) const;
  [[nodiscard]] std::uint64_t deal_seed(int sitting, int table, const SessionState& state) const;

  std::shared_ptr<const CompiledRules> rules_;
  RuleSet sitting_rules_;  // one sitting of them; the bonus is the league's
  int players_;
  std::uint64_t seed_;
  std::vector<TableList> lists_;
};

/// Order of tied players by the first ace: cards of a shuffled deck are dealt face up, one at a
/// time, to the tied players in the order given; who gets the first ace is first, the rest deals
/// again (H.3, OPEN-71). A pure function of its arguments.
[[nodiscard]] std::vector<int> first_ace_order(std::span<const int> tied, std::uint64_t seed,
                                               const RuleSet& rules);

}  // namespace schafkopf
