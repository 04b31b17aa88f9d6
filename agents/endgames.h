// Stand-alone endgames: the last tricks as a game of their own, dealt without history (DESIGN
// section 3; METHODS section 7, Exact NashConv, prior i). Common knowledge are contract, declarer,
// the cards taken so far, the leader and the set of cards still to be played; every deal of these
// cards that the contract allows is equally likely. The tree of such a game is in endgame_tree.h.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "env/compiled_rules.h"
#include "env/game.h"

namespace schafkopf {

/// Tricks of an endgame: with four, its deals are too many.
inline constexpr int kMaxEndgameTricks = 3;

/// A Position whose hands are still to be dealt.
struct Endgame {
  std::string kind;  // of a list below; free text otherwise
  Contract contract;
  std::array<CardSet, kNumSeats> captured{};  // tricks so far by seat: the points count
  CardSet cards{};                            // still to be played
  int leader = 0;
  int dealer = 3;
  int partner = -1;  // of the declarer, where the called card has been played
  friend bool operator==(const Endgame&, const Endgame&) = default;
};

using EndgameHands = std::array<CardSet, kNumSeats>;

/// All deals of the endgame, each once: 8!/(2!)^4 = 2,520 with two tricks and four seats. Deals in
/// which the declarer would hold the card that he called are left out: nobody may call it (C.1,
///
///
/// Throws std::invalid_argument: cards that are no 1..3 whole tricks, and what Game::from_position
/// refuses.
[[nodiscard]] std::vector<EndgameHands> deals_of(const Endgame& endgame,
                                                 const CompiledRules& rules);

/// The position after dealing.
[[nodiscard]] Position position_of(const Endgame& endgame, const EndgameHands& hands);

/// "SOLO H, declarer 0, leader 2, taken 40 12 0 21: E9 GU HA ..."
[[nodiscard]] std::string to_string(const Endgame& endgame);

/// Kinds of endgames in a list: the called game with the called card still held and already played,
/// the Solo, the Wenz, and the game in which everybody plays alone.
[[nodiscard]] std::vector<std::string> endgame_kinds();

/// A fixed list, a pure function of rules and arguments: per kind `per_kind` endgames, reached by
/// uniformly random play from a random deal in which the declarer has the longest trumps. Their
/// results are open: at most nine of ten random plays of random deals end alike.
///
/// tricks    2 or 3 (the cards of a single trick are all forced)
/// per_kind  1 or more
/// Throws std::invalid_argument naming the argument, and for three players (a called game needs
/// four).
[[nodiscard]] std::vector<Endgame> endgame_list(const CompiledRules& rules, int tricks,
                                                int per_kind, std::uint64_t seed);

/// 64-bit hash of a list: the same list in every run has the same one.
[[nodiscard]] std::uint64_t hash_of(const std::vector<Endgame>& endgames);

}  // namespace schafkopf
