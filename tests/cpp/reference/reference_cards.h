// Slow second reading of the rules, part 1: card orders, tricks, legal cards, callable cards.
// Written from the text of RULES (A, C, E) alone, with strings, lists and loops; the fast engine is
// compared with it. Cards are plain ints in index order (RULES A.4), suits are letters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace schafkopf::reference {

inline constexpr std::string_view kSuitLetters = "EGHS";
inline constexpr const char* kRankTexts[] = {"7", "8", "9", "U", "O", "K", "10", "A"};
inline constexpr int kNoCalledCard = -1;

using Cards = std::vector<int>;

/// Index of a card given as text, "EO" or "H10" (RULES A.4). Throws std::invalid_argument.
inline int card_from(std::string_view text) {
  const std::size_t suit = text.empty() ? std::string_view::npos : kSuitLetters.find(text[0]);
  if (suit != std::string_view::npos) {
    for (int rank = 0; rank < 8; ++rank) {
      if (text.substr(1) == kRankTexts[rank]) return 8 * static_cast<int>(suit) + rank;
    }
  }
  throw std::invalid_argument("not a card: " + std::string(text));
}

/// Cards of a blank-separated list, in the order of the text.
inline Cards cards_from(std::string_view text) {
  Cards cards;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) cards.push_back(card_from(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return cards;
}

inline char suit_letter(int card) { return kSuitLetters[static_cast<std::size_t>(card / 8)]; }
inline std::string_view rank_text(int card) { return kRankTexts[card % 8]; }
inline bool contains(const Cards& cards, int card) {
  return std::find(cards.begin(), cards.end(), card) != cards.end();
}

/// Card points (RULES A.3).
inline int card_points(int card) {
  const std::string_view rank = rank_text(card);
  if (rank == "A") return 11;
  if (rank == "10") return 10;
  if (rank == "K") return 4;
  if (rank == "O") return 3;
  if (rank == "U") return 2;
  return 0;
}

inline int card_points(const Cards& cards) {
  int sum = 0;
  for (const int card : cards) sum += card_points(card);
  return sum;
}

/// A game as it is played: class name without its Tout form, and the suit of the suited classes.
struct Contract {
  std::string name;  // "RUF", "SOLO", ..., "RAMSCH"
  bool tout = false;
  char suit = '-';  // 'E' 'G' 'H' 'S' for SOLO and the FARB classes
};

/// Trumps and plain ranks, both strongest first (RULES C).
struct Orders {
  Cards trumps;
  std::vector<std::string> plain_ranks;
};

/// What changes an order besides the contract itself.
struct OrderOptions {
  char partner_trump_suit = 'H';  // C.1: 'S' is the Schellen option
  bool ramsch_herz = true;        // C.6: false = only Ober and Unter are trumps
  bool short_deck = false;        // B.1: no Seven, no Eight
};

inline bool is_partner_game(std::string_view name) {
  return name == "RUF" || name == "HOCHZEIT" || name == "MUSS" || name == "KREUZ";
}
inline bool is_negative_game(std::string_view name) {
  return name == "BETTEL" || name == "BETTEL_BRETT" || name == "RAMSCH_TOUT" ||
         name == "BETTEL_MIX";
}
/// Classes of the WENZ and GEIER family: one picture rank (or Kings, Tens) as highest trumps.
inline bool is_one_rank_game(std::string_view name) {
  return name == "WENZ" || name == "GEIER" || name == "HABICHT" || name == "EISENBAHNER" ||
         name == "FARBWENZ" || name == "FARBGEIER" || name == "FARBHABICHT" ||
         name == "FARBEISENBAHNER";
}
inline bool needs_suit(std::string_view name) {
  return name == "SOLO" || name.substr(0, 4) == "FARB";
}

namespace detail {

inline constexpr std::string_view kObers = "EO GO HO SO";
inline constexpr std::string_view kUnters = "EU GU HU SU";

inline void append(Cards& list, std::string_view text) {
  for (const int card : cards_from(text)) list.push_back(card);
}
inline void append_suit(Cards& list, char suit, const std::vector<std::string>& ranks) {
  for (const std::string& rank : ranks) list.push_back(card_from(std::string(1, suit) + rank));
}

/// C.8-C.13: one rank as trumps, and with a suit named all its other cards below them.
inline Orders one_rank_orders(const Contract& contract, std::string_view base) {
  Orders orders;
  if (base == "WENZ") {
    append(orders.trumps, kUnters);
    orders.plain_ranks = {"A", "10", "K", "O", "9", "8", "7"};
  } else if (base == "GEIER") {
    append(orders.trumps, kObers);
    orders.plain_ranks = {"A", "10", "K", "U", "9", "8", "7"};
  } else if (base == "HABICHT") {
    append(orders.trumps, "EK GK HK SK");
    orders.plain_ranks = {"A", "10", "O", "U", "9", "8", "7"};
  } else {
    append(orders.trumps, "E10 G10 H10 S10");
    orders.plain_ranks = {"A", "K", "O", "U", "9", "8", "7"};
  }
  if (needs_suit(contract.name)) append_suit(orders.trumps, contract.suit, orders.plain_ranks);
  return orders;
}

inline std::string_view one_rank_base(std::string_view name) {
  if (name == "FARBWENZ") return "WENZ";
  if (name == "FARBGEIER") return "GEIER";
  if (name == "FARBHABICHT") return "HABICHT";
  if (name == "FARBEISENBAHNER") return "EISENBAHNER";
  return name;
}

}  // namespace detail

/// The trump list and plain order of a contract, written out from RULES C.1-C.19.
inline Orders orders_of(const Contract& contract, const OrderOptions& options = {}) {
  const std::string& name = contract.name;
  Orders orders;
  if (is_one_rank_game(name)) {
    orders = detail::one_rank_orders(contract, detail::one_rank_base(name));
  } else if (name == "BETTEL" || name == "BETTEL_BRETT") {
    orders.plain_ranks = {"A", "K", "O", "U", "10", "9", "8", "7"};
  } else {
    detail::append(orders.trumps, detail::kObers);
    detail::append(orders.trumps, detail::kUnters);
    orders.plain_ranks = {"A", "10", "K", "9", "8", "7"};
    const bool only_pictures =
        name == "BETTEL_MIX" || name == "SIE" || (name == "RAMSCH" && !options.ramsch_herz);
    const char suit = name == "SOLO" ? contract.suit : options.partner_trump_suit;
    if (!only_pictures) detail::append_suit(orders.trumps, suit, orders.plain_ranks);
  }
  if (options.short_deck) {
    std::erase_if(orders.trumps,
                  [](int card) { return rank_text(card) == "7" || rank_text(card) == "8"; });
  }
  return orders;
}

/// Effective suit: 'T' for a trump, otherwise the letter of the suit (RULES E.1).
inline char effective_suit(const Orders& orders, int card) {
  return contains(orders.trumps, card) ? 'T' : suit_letter(card);
}

/// True if `card` beats `best`, which lies on the table before it, when `led` is the led suit.
inline bool beats(const Orders& orders, char led, int card, int best) {
  const auto& trumps = orders.trumps;
  const auto card_place = std::find(trumps.begin(), trumps.end(), card);
  const auto best_place = std::find(trumps.begin(), trumps.end(), best);
  if (card_place != trumps.end() || best_place != trumps.end()) return card_place < best_place;
  if (suit_letter(card) != led) return false;
  for (const std::string& rank : orders.plain_ranks) {  // strongest first: who is met first wins
    if (rank == rank_text(card)) return true;
    if (rank == rank_text(best)) return false;
  }
  throw std::logic_error("a plain card has a rank outside the plain order");
}

/// Index (in play order) of the card that wins the trick (RULES E.1).
inline int trick_winner(const Orders& orders, const Cards& trick) {
  const char led = effective_suit(orders, trick[0]);
  std::size_t best = 0;
  for (std::size_t i = 1; i < trick.size(); ++i) {
    if (beats(orders, led, trick[i], trick[best])) best = i;
  }
  return static_cast<int>(best);
}

/// What a seat must know about the called card to know its own duties (RULES E.3).
struct CalledCard {
  int card = kNoCalledCard;
  bool released = false;   // the owner has run away
  int discard_window = 1;  // cards left in hand from which on the called card may be discarded
  bool runaway_enabled = true;
  int runaway_min_others = 3;
};

/// The cards of `hand` that may be played to `trick` (RULES E.1 and E.3), in hand order.
inline Cards reference_legal(const Cards& hand, const Cards& trick, const Orders& orders,
                             const CalledCard& called) {
  const bool bound =
      called.card != kNoCalledCard && contains(hand, called.card) && !called.released;
  const char called_suit = called.card == kNoCalledCard ? '-' : suit_letter(called.card);
  Cards result;
  if (trick.empty()) {  // on lead: the called suit only with the ace, unless running away
    int others = 0;
    for (const int card : hand) {
      if (card != called.card && effective_suit(orders, card) == called_suit) ++others;
    }
    const bool may_run = called.runaway_enabled && others >= called.runaway_min_others;
    for (const int card : hand) {
      const bool small_of_called_suit =
          card != called.card && effective_suit(orders, card) == called_suit;
      if (!(bound && small_of_called_suit && !may_run)) result.push_back(card);
    }
    return result;
  }
  const char led = effective_suit(orders, trick[0]);
  for (const int card : hand) {
    if (effective_suit(orders, card) == led) result.push_back(card);
  }
  if (!result.empty()) {
    if (bound && led == called_suit) return {called.card};  // the ace is searched
    return result;
  }
  for (const int card : hand) {  // void: anything, but the called card stays at home until the end
    const bool too_early = static_cast<int>(hand.size()) > called.discard_window;
    if (!(bound && card == called.card && too_early)) result.push_back(card);
  }
  return result;
}

namespace detail {

/// Plain suits of the partner games: all but the trump suit.
inline std::string plain_suits(char partner_trump_suit) {
  std::string suits(kSuitLetters);
  std::erase(suits, partner_trump_suit);
  return suits;
}
/// Number of cards of a suit that are neither Ober nor Unter.
inline int count_plain(const Cards& hand, char suit) {
  int count = 0;
  for (const int card : hand) {
    const bool picture = rank_text(card) == "O" || rank_text(card) == "U";
    if (suit_letter(card) == suit && !picture) ++count;
  }
  return count;
}
inline int card_of(char suit, std::string_view rank) {
  std::string text(1, suit);
  text += rank;
  return card_from(text);
}
/// Cards of one rank that are not held, of suits that are held (or, `held` false, void).
inline Cards unheld(const Cards& hand, char partner_trump_suit, std::string_view rank, bool held) {
  Cards result;
  for (const char suit : plain_suits(partner_trump_suit)) {
    const int card = card_of(suit, rank);
    if (!contains(hand, card) && (count_plain(hand, suit) > 0) == held) result.push_back(card);
  }
  return result;
}

}  // namespace detail

/// Aces that may be called (C.1): not held, of a plain suit with a plain card in hand. Empty =
/// gesperrt.
inline Cards callable_aces(const Cards& hand, char partner_trump_suit) {
  return detail::unheld(hand, partner_trump_suit, "A", true);
}
/// Aces that a gesperrt player may call with Renonce (C.2).
inline Cards renonce_aces(const Cards& hand, char partner_trump_suit) {
  if (!callable_aces(hand, partner_trump_suit).empty()) return {};
  return detail::unheld(hand, partner_trump_suit, "A", false);
}
/// Cards that the Muss player may call (C.4). `mode` is "ten_cascade" or "renonce_then_ten"; the
/// short deck has no Eight and no Seven to call.
inline Cards muss_calls(const Cards& hand, char partner_trump_suit, std::string_view mode,
                        bool short_deck = false) {
  Cards calls = callable_aces(hand, partner_trump_suit);
  if (!calls.empty()) return calls;
  if (mode == "renonce_then_ten") {
    calls = renonce_aces(hand, partner_trump_suit);
    for (const std::string_view rank : {"10", "K"}) {
      if (calls.empty()) calls = detail::unheld(hand, partner_trump_suit, rank, true);
    }
    return calls;
  }
  for (const std::string_view rank : {"10", "K", "9", "8", "7"}) {
    if (short_deck && (rank == "8" || rank == "7")) continue;
    if (calls.empty()) calls = detail::unheld(hand, partner_trump_suit, rank, true);
  }
  return calls.empty() ? detail::unheld(hand, partner_trump_suit, "A", false) : calls;
}

}  // namespace schafkopf::reference
