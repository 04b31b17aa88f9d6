// A table in game notation for tests that are named by rows of the rules: house rules as lines of a
// rule file, a deal as text, actions as words, expectations as text.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "env/game/game.h"

namespace schafkopf {

using Lines = std::vector<std::string>;
using Payoffs = std::array<std::int32_t, kNumSeats>;

/// official_1989 without claims and without Kontra, with the lines of a rule file on top:
/// "special_round = \"schieber\"".
inline std::shared_ptr<const CompiledRules> house(const Lines& lines = {},
                                                  const std::string& preset = "official_1989") {
  const auto key = [](const std::string& line) { return line.substr(0, line.find(' ')); };
  std::map<std::string, std::string> merged;
  for (const char* line : {"claims_enabled = false", "kontra_window = \"off\""}) {
    merged[key(line)] = line;
  }
  for (const std::string& line : lines) merged[key(line)] = line;
  std::string text = "preset = \"" + preset + "\"\n";
  for (const auto& [name, line] : merged) text += line + '\n';
  return std::make_shared<const CompiledRules>(parse_rules(text, "test.toml"), "test");
}

/// Number of cards that the deal gives a seat.
inline std::size_t cards_dealt(const CompiledRules& rules, int seat, int dealer,
                               const DealContext& context) {
  const int seats = rules.seats();
  const int position = (seat - dealer - 1 + seats) % seats;
  return static_cast<std::size_t>(dealt_cards(position, rules.rules(), context));
}

/// "EO GO .. | .. | .. | .." = cards of seats 0..3 in the order received. A hand with too few cards
/// is filled with the cards that nobody names, lowest index first, seat by seat.
inline Deal deal_text(const CompiledRules& rules, const std::string& text, int dealer,
                      const DealContext& context) {
  std::vector<std::vector<Card>> hands(static_cast<std::size_t>(rules.seats()));
  CardSet left = rules.deck() - undealt_packet(rules.rules(), context);
  std::stringstream parts(text);
  std::string part;
  for (std::size_t seat = 0; std::getline(parts, part, '|'); ++seat) {
    std::stringstream words(part);
    for (std::string word; words >> word;) {
      hands.at(seat).push_back(parse_card(word).value());
      left.remove(hands[seat].back());
    }
  }
  for (std::size_t seat = 0; seat < hands.size(); ++seat) {
    const std::size_t size = cards_dealt(rules, static_cast<int>(seat), dealer, context);
    while (hands[seat].size() < size && !left.empty()) hands[seat].push_back(left.pop_lowest());
  }
  const std::vector<std::span<const Card>> spans(hands.begin(), hands.end());
  return deal_from_hands(spans, rules.rules(), dealer, context);
}

/// "CARD EA", "EA", "PASS"; an unknown word fails the test that has it.
inline Action action_of(const std::string& name) { return parse_action(name).value(); }

/// Actions in order: "PLAY PASS PASS PASS C_RUF SA".
inline void play(Game& game, const std::string& actions) {
  std::stringstream words(actions);
  for (std::string word; words >> word;) game.apply(action_of(word));
}

inline bool can(const Game& game, const std::string& action) {
  return game.legal_actions().contains(action_of(action));
}

/// A game under house rules. Seat 3 deals and seat 0 is forehand, unless said otherwise.
class Table {
 public:
  Table(std::shared_ptr<const CompiledRules> rules, const std::string& deal, int dealer = 3)
      : Table(rules, deal, dealer, rules->first_context()) {}
  Table(std::shared_ptr<const CompiledRules> rules, const std::string& deal, int dealer,
        const DealContext& context, int zupf = 0)
      : rules_(std::move(rules)),
        game_(*rules_, drawn(deal_text(*rules_, deal, dealer, context), zupf), dealer, context) {}
  Table(std::shared_ptr<const CompiledRules> rules, const Position& position)
      : rules_(std::move(rules)), game_(Game::from_position(*rules_, position)) {}

  /// Actions in order: "PLAY PASS PASS PASS C_RUF SA".
  Table& play(const std::string& actions) {
    schafkopf::play(game_, actions);
    return *this;
  }
  /// Everybody plays his lowest legal card to the end.
  Table& play_out() {
    while (game_.phase() == Phase::kPlay)
      game_.apply(without_claims(game_.legal_actions()).lowest());
    return *this;
  }

  [[nodiscard]] const Game& game() const { return game_; }
  [[nodiscard]] const CompiledRules& rules() const { return *rules_; }
  [[nodiscard]] int turn() const { return game_.current_player(); }
  /// "AUCTION_ROUND 2": phase and seat to act.
  [[nodiscard]] std::string now() const {
    std::string text(phase_name(game_.phase()));
    return game_.is_terminal() ? text : text + ' ' + std::to_string(turn());
  }
  [[nodiscard]] std::string hand(int seat) const { return to_string(game_.hand(seat)); }
  [[nodiscard]] std::string contract() const {
    const Contract contract = game_.contract();
    return std::string(contract_name(contract.contract, contract.tout));
  }
  [[nodiscard]] int declarer() const { return game_.contract().declarer; }
  /// Seats of the declarer party: "02".
  [[nodiscard]] std::string party() const {
    std::string text;
    for (int seat = 0; seat < game_.seats(); ++seat) {
      if (((game_.declarer_party() >> seat) & 1) != 0) text += std::to_string(seat);
    }
    return text;
  }
  [[nodiscard]] Payoffs payoffs() const { return game_.payoffs(); }
  [[nodiscard]] int tricks(int seat) const { return game_.captured(seat).count() / game_.seats(); }

 private:
  static Deal drawn(Deal deal, int zupf) {
    deal.zupf = static_cast<std::uint8_t>(zupf);
    return deal;
  }

  std::shared_ptr<const CompiledRules> rules_;
  Game game_;
};

/// Whether exactly these actions are legal: "PASS PLAY", "EO H9 CLAIM_REST".
inline testing::AssertionResult legal_is(const Table& table, const std::string& actions) {
  ActionMask expected;
  std::stringstream words(actions);
  for (std::string word; words >> word;) expected.add(action_of(word));
  if (table.game().legal_actions() == expected) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "legal at " << table.now() << ": " << to_string(table.game().legal_actions())
         << "\nexpected: " << to_string(expected);
}

inline bool can(const Table& table, const std::string& action) { return can(table.game(), action); }

/// What a seat sees of the events, own secrets left out: "2:HZ_OFFER_1 2:H7 0:PASS", absolute
/// seats.
inline std::string events_seen_by(const Game& game, int seat) {
  const PlayerView view = game.view(seat);
  std::string text;
  for (int i = 0; i < view.order.num_events; ++i) {
    const SeenEvent event = view.event(i);
    const int actor = (seat + event.seat) % game.seats();
    text += (text.empty() ? "" : " ") + std::to_string(actor) + ':' +
            (event.action < kNumCards ? card_name(event.action) : action_name(event.action));
  }
  return text;
}
inline std::string events_seen_by(const Table& table, int seat) {
  return events_seen_by(table.game(), seat);
}

/// Whether a seat sees the same at two tables, byte by byte.
inline bool same_view(const Table& a, const Table& b, int seat) {
  const PlayerView left = a.game().view(seat), right = b.game().view(seat);
  return std::memcmp(&left, &right, sizeof(PlayerView)) == 0;
}

}  // namespace schafkopf
