#include "env/cards/card.h"

#include <array>
#include <stdexcept>

namespace schafkopf {
namespace {

constexpr std::array<std::string_view, kNumSuits> kSuitNames = {"E", "G", "H", "S"};
constexpr std::array<std::string_view, kNumRanks> kRankNames = {"7", "8", "9",  "U",
                                                                "O", "K", "10", "A"};

constexpr char to_upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

std::optional<Rank> parse_rank(std::string_view text) {
  if (text == "10") return Rank::k10;
  if (text.size() != 1) return std::nullopt;
  const char letter = to_upper(text[0]);
  if (letter == 'X' || letter == 'T' || letter == 'Z') return Rank::k10;
  for (int rank = 0; rank < kNumRanks; ++rank) {
    const std::string_view name = kRankNames[static_cast<std::size_t>(rank)];
    if (name.size() == 1 && name[0] == letter) return static_cast<Rank>(rank);
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Suit suit) { return kSuitNames[static_cast<std::size_t>(suit)]; }
std::string_view to_string(Rank rank) { return kRankNames[static_cast<std::size_t>(rank)]; }

std::string card_name(Card card) {
  if (card >= kNumCards) return "--";
  return std::string(to_string(suit_of(card))) + std::string(to_string(rank_of(card)));
}

std::string to_string(CardSet set) {
  std::string text;
  for (const Card card : set) {
    if (!text.empty()) text += ' ';
    text += card_name(card);
  }
  return text;
}

std::optional<Card> parse_card(std::string_view text) {
  if (text.size() < 2) return std::nullopt;
  for (int suit = 0; suit < kNumSuits; ++suit) {
    if (kSuitNames[static_cast<std::size_t>(suit)][0] != to_upper(text[0])) continue;
    const std::optional<Rank> rank = parse_rank(text.substr(1));
    if (!rank) return std::nullopt;
    return make_card(static_cast<Suit>(suit), *rank);
  }
  return std::nullopt;
}

CardSet parse_cards(std::string_view text) {
  CardSet set;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t start = text.find_first_not_of(" \t\n", at);
    if (start == std::string_view::npos) break;
    std::size_t stop = text.find_first_of(" \t\n", start);
    if (stop == std::string_view::npos) stop = text.size();
    const std::string_view word = text.substr(start, stop - start);
    const std::optional<Card> card = parse_card(word);
    if (!card)
      throw std::invalid_argument("\"" + std::string(word) +
                                  "\" is no card; cards are written EO, H10, S7");
    if (set.contains(*card))
      throw std::invalid_argument("card " + card_name(*card) + " comes twice");
    set.add(*card);
    at = stop;
  }
  return set;
}

}  // namespace schafkopf
