// A running game as text for people, in every phase.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "env/record/record.h"
#include "env/record/record_parts.h"
#include "env/rules/hand_order.h"

namespace schafkopf {
namespace {

/// Cards of a hand as a player sorts them; without a contract as for a Rufspiel.
std::string hand_text(const Game& game, CardSet hand) {
  const Contract contract =
      game.has_contract() ? game.contract() : Contract{calling_row().contract};
  const SortedHand sorted = sorted_hand(hand, contract.contract, contract.suit, game.rules());
  std::vector<std::string> names;
  const auto add = [&names](const std::vector<Card>& cards) {
    for (const Card card : cards) names.push_back(card_name(card));
  };
  add(sorted.trumps);
  for (const std::vector<Card>& plain : sorted.plain) add(plain);
  return fmt::format("{}", fmt::join(names, " "));
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
    words.push_back(
        fmt::format("stock {}", amount_text(context.stock, game.rules().tariff_scale())));
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
                     seat == game.current_player() ? '*' : ' ', hand_text(game, hand),
                     points_of(game.captured(seat)), halves ? ", half hand" : "",
                     seat_notes(game, seat));
}

/// Everything said or passed before the cards, silent answers included.
std::string said_text(const Game& game) {
  std::vector<std::string> words;
  for (int i = 0; i < game.num_events(); ++i) {
    const Event event = game.event(i);
    words.push_back(event.flag
                        ? fmt::format("{} runs away from {}", event.seat, card_name(event.action))
                        : fmt::format("{} {}", event.seat, action_name(event.action)));
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
    text +=
        fmt::format(" {}", amount_text(settlement.payoffs[static_cast<std::size_t>(seat)], scale));
  }
  if (settlement.stock_payoffs == std::array<std::int32_t, kNumSeats>{}) return text;
  text += "; stock:";
  for (int seat = 0; seat < game.seats(); ++seat) {
    text += fmt::format(
        " {}", amount_text(settlement.stock_payoffs[static_cast<std::size_t>(seat)], scale));
  }
  return text;
}

}  // namespace

std::string display(const Game& game, bool claims) {
  std::string text = first_line(game) + "\n";
  for (int seat = 0; seat < game.seats(); ++seat) text += seat_line(game, seat);
  if (game.is_terminal()) return text + end_text(game);
  const bool playing = game.phase() == Phase::kPlay;
  if (!playing && game.num_events() > 0) text += fmt::format("said: {}\n", said_text(game));
  if (playing || game.play_state().on_table != 0) {  // a doubling may be asked for in a trick
    text += fmt::format("trick {}:{}\n", game.num_plays() / game.seats() + 1, table_text(game));
  }
  const ActionMask legal = game.legal_actions();
  return text + fmt::format("{}: seat {} to act, legal: {}", phase_name(game.phase()),
                            game.current_player(),
                            to_string(claims ? legal : without_claims(legal)));
}

}  // namespace schafkopf
