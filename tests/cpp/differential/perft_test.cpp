// Perft: the number of ways in which fixed endgames can be played on, counted by the engine and by
// the slow reference, against a table of known counts (RULES E.1, E.3).
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "env/base/random.h"
#include "tests/cpp/differential/differential_bridge.h"
#include "tests/cpp/support/preset_contracts.h"
#include "tests/cpp/support/random_play.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/source_dir.h"

namespace schafkopf::test {
namespace {

struct Perft {
  const char* contract;
  int seed;        // of the deal and of the first four tricks
  int cards_left;  // per seat
  std::int64_t lines;
};

// clang-format off
constexpr Perft kTable[] = {
    {"RUF", 1, 3, 160},
    {"RUF", 2, 4, 14688},
    {"RUF", 3, 4, 11528},
    {"RUF", 4, 4, 2304},
    {"RUF", 5, 4, 1856},
    {"SOLO", 1, 3, 168},
    {"SOLO", 2, 4, 62208},
    {"SOLO", 3, 4, 3504},
    {"SOLO", 4, 4, 16288},
    {"SOLO", 5, 4, 4384},
    {"WENZ", 1, 3, 176},
    {"WENZ", 2, 4, 47232},
    {"WENZ", 3, 4, 6912},
    {"WENZ", 4, 4, 9928},
    {"WENZ", 5, 4, 29968},
    {"RAMSCH", 1, 3, 816},
    {"RAMSCH", 2, 4, 7248},
    {"RAMSCH", 3, 4, 11168},
    {"RAMSCH", 4, 4, 5800},
    {"RAMSCH", 5, 4, 6160},
    {"GEIER", 1, 3, 540},
    {"GEIER", 2, 4, 36288},
    {"FARBWENZ", 1, 3, 864},
    {"FARBWENZ", 2, 4, 42840},
    {"FARBGEIER", 1, 3, 432},
    {"FARBGEIER", 2, 4, 69504},
    {"HABICHT", 1, 3, 442},
    {"HABICHT", 2, 4, 49152},
    {"EISENBAHNER", 1, 3, 472},
    {"EISENBAHNER", 2, 4, 13344},
    {"FARBHABICHT", 1, 3, 208},
    {"FARBHABICHT", 2, 4, 19128},
    {"FARBEISENBAHNER", 1, 3, 176},
    {"FARBEISENBAHNER", 2, 4, 24736},
    {"BETTEL", 1, 3, 216},
    {"BETTEL", 2, 4, 67968},
    {"BETTEL_BRETT", 1, 3, 216},
    {"BETTEL_BRETT", 2, 4, 67968},
    {"RAMSCH_TOUT", 1, 3, 448},
    {"RAMSCH_TOUT", 2, 4, 36576},
    {"BETTEL_MIX", 1, 3, 480},
    {"BETTEL_MIX", 2, 4, 11008},
};
// clang-format on

std::int64_t count_lines(const PlayState<std::uint32_t>& state) {
  const CardSet legal(legal_cards(state));
  if (state.num_played == 32) return 1;
  if (state.num_played == 31) return legal.count();
  std::int64_t lines = 0;
  for (const Card card : legal) {
    PlayState<std::uint32_t> next = state;
    play_card(next, CardSet::of(card).bits());
    lines += count_lines(next);
  }
  return lines;
}

/// The reference's card play without its auction and settlement.
struct SlowState {
  std::vector<reference::Cards> hands;
  reference::Cards trick;
  reference::Orders orders;
  reference::CalledCard called;
  int turn = 0;
};

std::int64_t count_lines(const SlowState& state) {
  const reference::Cards& hand = state.hands[static_cast<std::size_t>(state.turn)];
  if (hand.empty()) return 1;
  std::int64_t lines = 0;
  for (const int card : reference::reference_legal(hand, state.trick, state.orders, state.called)) {
    SlowState next = state;
    std::erase(next.hands[static_cast<std::size_t>(state.turn)], card);
    const bool owner = state.called.card >= 0 && reference::contains(hand, state.called.card);
    if (owner && state.trick.empty() && card != state.called.card &&
        reference::effective_suit(state.orders, card) ==
            reference::suit_letter(state.called.card)) {
      next.called.released = true;
    }
    next.trick.push_back(card);
    next.turn = (state.turn + 1) % 4;
    if (next.trick.size() == 4) {
      next.turn = (next.turn + reference::trick_winner(state.orders, next.trick)) % 4;
      next.trick.clear();
    }
    lines += count_lines(next);
  }
  return lines;
}

/// A deal of the contract, played by the rules at random down to `cards_left` cards per seat.
class Endgame {
 public:
  explicit Endgame(const Perft& row) {
    reference::Random random(static_cast<std::uint64_t>(row.seed));
    reference::ReferenceRules rules;
    rules.kontra_window = "off";
    rules.early_termination = false;
    RuleSet set = rule_set_of(rules);
    compiled_ = std::make_shared<const CompiledRules>(set);
    std::vector<reference::Cards> hands;
    const reference::FixedContract fixed =
        reference::random_contract(random, rules, row.contract, false, hands);
    Game game = Game::with_contract(*compiled_, deal_of(hands), 3, contract_of(fixed));
    slow_.orders = reference::orders_of(fixed.contract, reference::order_options(rules));
    slow_.called.card = fixed.called_card;
    while (game.num_plays() < 32 - 4 * row.cards_left) {
      const ActionMask mask = without_claims(game.legal_actions());
      game.apply(mask.nth(reference::draw(random, mask.count())));
    }
    for (int i = 0; i < game.num_events(); ++i) slow_.called.released |= game.event(i).flag;
    for (int seat = 0; seat < kNumSeats; ++seat) {
      reference::Cards cards;
      for (const Card card : game.hand(seat)) cards.push_back(card);
      slow_.hands.push_back(cards);
    }
    slow_.turn = game.current_player();
    fast_ = game.play_state();
  }

  [[nodiscard]] std::int64_t engine_count() const { return count_lines(fast_); }
  [[nodiscard]] std::int64_t reference_count() const { return count_lines(slow_); }

 private:
  std::shared_ptr<const CompiledRules> compiled_;
  PlayState<std::uint32_t> fast_{};
  SlowState slow_;
};

TEST(Perft, E_1_E_3_endgames_have_the_known_number_of_lines) {
  const std::int64_t most = scaled(5'000, 100'000, 100'000);  // under the sanitizers the short ones
  for (const Perft& row : kTable) {
    if (row.lines > most) continue;
    const Endgame endgame(row);
    const std::int64_t found = endgame.engine_count();
    EXPECT_EQ(found, row.lines) << row.contract << ", seed " << row.seed;
    EXPECT_EQ(endgame.reference_count(), found) << row.contract << ", seed " << row.seed;
  }
}

// ---- contracts of presets -----------------------------------------------------------------------

/// Lines to the end of the deal, every question included, without claims; `depth` is the most.
std::int64_t count_lines(const Game& game, int depth) {
  if (game.is_terminal() || depth == 0) return 1;
  std::int64_t lines = 0;
  const ActionMask mask = without_claims(game.legal_actions());
  for (int i = 0; i < mask.count(); ++i) {
    Game next = game;
    next.apply_unchecked(mask.nth(i));
    lines += count_lines(next, depth - 1);
  }
  return lines;
}

/// The first deal, by seed, in which random play gives the contract and comes to three cards each.
std::optional<Game> endgame_of(const CompiledRules& rules, ContractClass contract, bool tout) {
  for (std::uint64_t seed = 1; seed < 100'000; ++seed) {
    const int dealer = static_cast<int>(seed) % rules.seats();
    const DealContext& context = rules.first_context();
    Game game(rules, deal_for(seed, rules.rules(), dealer, context), dealer, context);
    Rng random(seed);
    while (!game.is_terminal()) {
      const bool other = game.has_contract() &&
                         (game.contract().contract != contract || game.contract().tout != tout);
      if (other) break;
      const int left = rules.deck().count() - game.num_plays();
      if (game.has_contract() && left == 3 * rules.seats()) return game;
      game.apply_unchecked(random_action(game, random));
    }
  }
  return std::nullopt;
}

/// Contracts of a preset with the number of lines of an endgame each, and the first plies of two
/// deals.
std::string counts_of(const CompiledRules& rules) {
  std::string text;
  for (const PlayedContract& played : contracts_of(rules)) {
    if (contract_row(played.contract).goal == Goal::kFixedHand) continue;  // not played out
    const std::optional<Game> endgame = endgame_of(rules, played.contract, played.tout);
    if (!endgame) {
      ADD_FAILURE() << rules.name() << " never plays " << played.name();
      continue;
    }
    text += played.name() + ' ' + std::to_string(count_lines(*endgame, 100)) + '\n';
  }
  for (const std::uint64_t seed : {1U, 2U}) {
    const DealContext& context = rules.first_context();
    const Game start(rules, deal_for(seed, rules.rules(), 3 % rules.seats(), context),
                     3 % rules.seats(), context);
    text += "first plies of deal " + std::to_string(seed) + ':';
    for (int depth = 1; depth <= 6; ++depth) {
      text += ' ' + std::to_string(count_lines(start, depth));
    }
    text += '\n';
  }
  return text;
}

// SCHAFKOPF_WRITE_GOLDEN=1 writes the table anew.
TEST(Perft, every_contract_of_every_preset_has_the_known_number_of_lines) {
  const std::string path = source_dir() + "/tests/golden/perft_presets.txt";
  std::string text;
  for (const std::string_view preset : preset_names()) {
    text += "-- " + std::string(preset) + '\n';
    text += counts_of(*CompiledRules::load(std::string(preset)));
  }
  if (std::getenv("SCHAFKOPF_WRITE_GOLDEN") != nullptr) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  std::stringstream known;
  known << file.rdbuf();
  EXPECT_EQ(known.str(), text) << "SCHAFKOPF_WRITE_GOLDEN=1 writes " << path << " anew";
}

}  // namespace
}  // namespace schafkopf::test
