// A running game as text for people, in every phase.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "env/record/record.h"
#include "env/record/record_parts.h"

namespace schafkopf {
namespace {

std::string amount(std::int32_t value, int scale) {
  return value % scale == 0 ? fmt::format("{}", value / scale)
                            : fmt::format("{:.1f}", static_cast<double>(value) / scale);
}

/// Cards of a hand, trumps first, strongest first; without a contract in the order of a Rufspiel.
std::string sorted_hand(const Game& game, CardSet hand) {
  const ContractClass contract = game.has_contract() ? game.contract().contract : ContractClass{};
  const Suit suit = game.has_contract() ? game.contract().suit : Suit::kHerz;
  const TrumpList& trumps = game.rules().trumps(contract, suit);
  std::string text;
  const auto add = [&](Card card) {
    if (!hand.contains(card)) return;
    text += fmt::format("{}{}", text.empty() ? "" : " ", card_name(card));
    hand.remove(card);
  };
  for (const Card card : trumps.cards_in_order()) add(card);
  for (int plain = 0; plain < kNumSuits; ++plain) {
    for (int rank = kNumRanks - 1; rank >= 0; --rank) {
      add(make_card(static_cast<Suit>(plain), static_cast<Rank>(rank)));
    }
  }
  return text;
}

/// "special round schieber, 3 games left, stock 12, Bock x2"; empty outside a session.
std::string context_text(const Game& game) {
  const DealContext& context = game.context();
  std::vector<std::string> words;
  if (context.special_round != 0) {
    words.push_back(fmt::format("special round {}", name_of(context.mode())));
  }
  if (context.games_left != 0) words.push_back(fmt::format("{} games left", context.games_left));
  if (context.stock != 0) {
    words.push_back(fmt::format("stock {}", amount(context.stock, game.rules().tariff_scale())));
  }
  if (context.bock != 0) words.push_back(fmt::format("Bock x{}", 1 << context.bock));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string first_line(const Game& game) {
  std::string text = game.has_contract() ? contract_text(game.contract()) : "no contract yet";
  if (game.has_contract() && game.contract().declarer >= 0) {
    text += fmt::format(" by seat {}", game.contract().declarer);
  }
  if (game.doubling_level() > 0) text += fmt::format(", doubled {} times", game.doubling_level());
  if (game.num_laid() > 0) text += fmt::format(", laid {} times", game.num_laid());
  text += fmt::format(" | dealer {}", game.dealer());
  const std::string context = context_text(game);
  return context.empty() ? text : fmt::format("{} | {}", text, context);
}

/// What makes a hand differ from a plain one: cards passed on, cards that lie open, debts.
std::string seat_notes(const Game& game, int seat) {
  std::string text;
  if (!game.given(seat).empty()) text += fmt::format(", gave {}", to_string(game.given(seat)));
  if (!game.received(seat).empty()) text += fmt::format(", got {}", to_string(game.received(seat)));
  const bool declares = game.has_contract() && game.contract().declarer == seat;
  if (declares && !game.open_cards().empty()) text += ", hand lies open";
  const auto owed = game.context().owed[static_cast<std::size_t>(seat)];
  if (owed != 0) {
    text += ", owes";
    for (std::size_t bit = 0; bit < kOwedFamilies.size(); ++bit) {
      if (((owed >> bit) & 1) != 0) text += fmt::format(" {}", owed_name(bit));
    }
  }
  return text;
}

std::string seat_line(const Game& game, int seat) {
  const bool halves = game.phase() <= Phase::kLegen;
  const CardSet hand = halves ? CardSet(game.view(seat).cards.hand) : game.hand(seat);
  return fmt::format("seat {}{} {:<32} {:>3} points{}{}\n", seat,
                     seat == game.current_player() ? '*' : ' ', sorted_hand(game, hand),
                     points_of(game.captured(seat)), halves ? ", half hand" : "",
                     seat_notes(game, seat));
}

/// Everything said or passed before the cards, silent answers included.
std::string said_text(const Game& game) {
  std::vector<std::string> words;
  for (int i = 0; i < game.num_events(); ++i) {
    const Event event = game.event(i);
    words.push_back(fmt::format("{} {}", event.seat, action_name(event.action)));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string table_text(const Game& game) {
  std::string text;
  const int seats = game.seats();
  const int first = game.num_plays() - game.num_plays() % seats;
  for (int i = first; i < game.num_plays(); ++i) {
    text += fmt::format(" {}:{}", game.played_by(i), card_name(game.played_card(i)));
  }
  return text;
}

std::string end_text(const Game& game) {
  const Settlement settlement = game.settlement();
  const int scale = game.rules().tariff_scale();
  std::string text = "over, payoffs:";
  for (int seat = 0; seat < game.seats(); ++seat) {
    text += fmt::format(" {}", amount(settlement.payoffs[static_cast<std::size_t>(seat)], scale));
  }
  if (settlement.stock_payoffs == std::array<std::int32_t, kNumSeats>{}) return text;
  text += "; stock:";
  for (int seat = 0; seat < game.seats(); ++seat) {
    text +=
        fmt::format(" {}", amount(settlement.stock_payoffs[static_cast<std::size_t>(seat)], scale));
  }
  return text;
}

}  // namespace

std::string display(const Game& game) {
  std::string text = first_line(game) + "\n";
  for (int seat = 0; seat < game.seats(); ++seat) text += seat_line(game, seat);
  if (game.is_terminal()) return text + end_text(game);
  if (game.phase() == Phase::kPlay) {
    text += fmt::format("trick {}:{}\n", game.num_plays() / game.seats() + 1, table_text(game));
  } else if (game.num_events() > 0) {
    text += fmt::format("said: {}\n", said_text(game));
  }
  return text + fmt::format("{}: seat {} to act, legal: {}", phase_name(game.phase()),
                            game.current_player(), to_string(game.legal_actions()));
}

}  // namespace schafkopf
