// Golden data: one 64-bit signature of many seeded games, and one played deal per contract as text.
// SCHAFKOPF_WRITE_GOLDEN=1 writes the files of tests/golden anew; read the difference before you
// commit it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "env/base/random.h"
#include "tests/cpp/support/preset_contracts.h"
#include "tests/cpp/support/random_play.h"
#include "tests/cpp/support/source_dir.h"

namespace schafkopf::test {
namespace {

constexpr int kSignatureGames = 500;  // per preset
constexpr std::size_t kMostBytes = 30'000;

std::string hex(std::uint64_t value) {
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[(value >> shift) & 15];
  return text;
}

/// Compares `text` with tests/golden/NAME, or writes it there.
void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = source_dir() + "/tests/golden/" + name;
  EXPECT_LT(text.size(), kMostBytes) << name;
  if (std::getenv("SCHAFKOPF_WRITE_GOLDEN") != nullptr) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  ASSERT_TRUE(file) << "missing " << path << ": write it with SCHAFKOPF_WRITE_GOLDEN=1";
  std::stringstream found;
  found << file.rdbuf();
  EXPECT_EQ(found.str(), text) << name;
}

// ---- signature ----------------------------------------------------------------------------------

/// Folds all masks, actors, actions and payoffs of seeded random games into one number.
std::uint64_t signature_of(const CompiledRules& rules, int games, std::uint64_t hash) {
  for (int i = 0; i < games; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    Rng random(seed);
    const int dealer = i % rules.seats();
    const Deal deal = deal_for(seed, rules.rules(), dealer, rules.first_context());
    Game game(rules, deal, dealer, rules.first_context());
    while (!game.is_terminal()) {
      const ActionMask mask = game.legal_actions();
      const Action action = random_action(game, random);
      hash = mix64(hash ^ mask.words[0]);
      hash = mix64(hash ^ mask.words[1]);
      hash = mix64(hash ^ (static_cast<std::uint64_t>(game.current_player()) << 16) ^
                   (static_cast<std::uint64_t>(game.phase()) << 8) ^ action);
      game.apply_unchecked(action);
    }
    for (const std::int32_t amount : game.payoffs()) {
      hash = mix64(hash ^ static_cast<std::uint32_t>(amount));
    }
  }
  return hash;
}

TEST(Golden, signature_of_seeded_games_of_all_special_rounds) {
  constexpr int kGames = 40;
  std::uint64_t hash = 0;
  for (const std::string_view name : preset_names()) {
    for (int mode = 0; mode < kNumValues<SpecialRound>; ++mode) {
      RuleSet rules = preset(name);
      rules.special_round = static_cast<SpecialRound>(mode);
      hash = signature_of(CompiledRules(rules), kGames, hash);
    }
  }
  expect_golden("signature_special_rounds.txt", hex(hash) + "\n");
}

TEST(Golden, signature_of_seeded_games_of_all_presets) {
  std::uint64_t hash = 0;
  for (const std::string_view name : preset_names()) {
    hash = signature_of(*CompiledRules::load(std::string(name)), kSignatureGames, hash);
  }
  expect_golden("signature.txt", hex(hash) + "\n");
}

// ---- playthroughs -------------------------------------------------------------------------------

using Switches = std::vector<std::pair<const char*, const char*>>;

struct Playthrough {
  const char* file;
  Switches switches;      // changes of `research`
  bool sie_hand = false;  // seat 1 is dealt all Ober and Unter
  std::function<bool(const Game& end)> wanted;
  std::optional<ContractClass> contract = std::nullopt;  // that is played, if one is meant
};

/// The value of a switch: a list, such as `contracts`, has its items apart by commas.
PlainValue value_of(std::string_view text) {
  if (text.find(',') == std::string_view::npos) return std::string(text);
  PlainList list;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(", "), text.size());
    list.emplace_back(std::string(text.substr(0, end)));
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return list;
}

Playthrough of_contract(const char* file, ContractClass contract, bool tout = false,
                        Switches switches = {}) {
  const auto wanted = [=](const Game& end) {
    return end.has_contract() && end.contract().contract == contract &&
           end.contract().tout == tout && (tout || end.num_plays() == 32);
  };
  return {file, std::move(switches), false, wanted, contract};
}

int count_events(const Game& game, Action action) {
  int number = 0;
  for (int i = 0; i < game.num_events(); ++i) number += game.event(i).action == action ? 1 : 0;
  return number;
}

const std::vector<Playthrough>& playthroughs() {
  static const std::vector<Playthrough> list = {
      of_contract("ruf.txt", ContractClass::kRuf),
      of_contract("solo.txt", ContractClass::kSolo),
      of_contract("wenz.txt", ContractClass::kWenz),
      of_contract("solo_tout.txt", ContractClass::kSolo, true),
      of_contract("wenz_tout.txt", ContractClass::kWenz, true),
      {"sie.txt",
       {},
       true,
       [](const Game& end) {
         return end.has_contract() && end.contract().contract == ContractClass::kSie;
       }},
      of_contract("ramsch.txt", ContractClass::kRamsch, false, {{"all_pass", "ramsch"}}),
      of_contract("muss.txt", ContractClass::kMuss, false, {{"all_pass", "muss_spiel"}}),
      of_contract("kreuz.txt", ContractClass::kKreuz, false, {{"all_pass", "kreuzbock"}}),
      of_contract("farbhabicht.txt", ContractClass::kFarbhabicht, false,
                  {{"contracts", "RUF, SOLO, WENZ, FARBHABICHT"}}),
      of_contract("farbeisenbahner.txt", ContractClass::kFarbeisenbahner, false,
                  {{"contracts", "RUF, SOLO, WENZ, FARBEISENBAHNER"}}),
      {"kontra.txt",
       {{"kontra_window", "before_second_card"}},
       false,
       [](const Game& end) { return end.doubling_level() >= 3 && end.num_plays() == 32; }},
      {"direct_auction.txt",
       {{"auction_style", "direct"}},
       false,
       [](const Game& end) {
         return count_events(end, kActionPlay) == 1 && end.num_events() >= 8 &&
                end.num_plays() == 32;
       }},
  };
  return list;
}

Deal scene_deal(const Playthrough& scene, std::uint64_t seed) {
  const Deal deal = random_deal(seed);
  if (!scene.sie_hand) return deal;
  const CardSet pictures = CardSet::rank(Rank::kOber) | CardSet::rank(Rank::kUnter);
  Deal result;
  result.first[1] = CardSet::rank(Rank::kOber);
  result.second[1] = CardSet::rank(Rank::kUnter);
  CardSet rest = kLongDeck - pictures;
  for (const std::size_t seat : {0U, 2U, 3U}) {
    for (int i = 0; i < 8; ++i) {
      (i < 4 ? result.first : result.second)[seat].add(rest.pop_lowest());
    }
  }
  return result;
}

std::string describe_step(const Game& game, Action action) {
  const ActionMask mask = game.legal_actions();
  return std::string(phase_name(game.phase())) + " seat " + std::to_string(game.current_player()) +
         ": " + action_name(action) + "   of " + to_string(mask) + "   mask " + hex(mask.words[0]) +
         ' ' + hex(mask.words[1]) + '\n';
}

std::string describe_trick(const Game& game) {
  const auto winner = static_cast<int>(game.play_state().turn);
  return "-- trick " + std::to_string(game.num_plays() / 4) + " to seat " + std::to_string(winner) +
         ", now " + std::to_string(points_of(game.captured(winner))) + " points\n";
}

std::string describe_end(const Game& game) {
  std::string text = "-- end\n";
  if (game.has_contract()) {
    const Contract contract = game.contract();
    text += "contract ";
    text += contract_name(contract.contract, contract.tout);
    text += ", declarer " + std::to_string(contract.declarer) + ", doublings " +
            std::to_string(game.doubling_level()) + '\n';
  }
  for (int seat = 0; seat < kNumSeats; ++seat) {
    text += "seat " + std::to_string(seat) + ": " + std::to_string(points_of(game.captured(seat))) +
            " points, payoff " + std::to_string(game.payoffs()[static_cast<std::size_t>(seat)]) +
            '\n';
  }
  return text;
}

/// Plays the deal of `seed`; the text of it, and the finished game through `game`.
std::string play_text(Game& game, std::uint64_t seed) {
  std::string text = "seed " + std::to_string(seed) + ", dealer " + std::to_string(game.dealer()) +
                     ", rules research\n";
  for (int seat = 0; seat < kNumSeats; ++seat) {
    text += "seat " + std::to_string(seat) + ": " + to_string(game.dealt(seat)) + '\n';
  }
  Rng random(seed);
  while (!game.is_terminal()) {
    const Action action = random_action(game, random);
    const int cards = game.num_plays();
    text += describe_step(game, action);
    game.apply(action);
    if (game.num_plays() > cards && game.num_plays() % 4 == 0) text += describe_trick(game);
  }
  return text + describe_end(game);
}

TEST(Golden, the_scenes_of_research_are_played_as_before) {
  for (const Playthrough& scene : playthroughs()) {
    RuleSet set = preset("research");
    std::string changes;
    for (const auto& [key, value] : scene.switches) {
      set_field(set, key, value_of(value));
      changes += std::string(key) + " = " + value + '\n';
    }
    const CompiledRules rules(set);
    for (std::uint64_t seed = 1;; ++seed) {
      ASSERT_LT(seed, 20'000U) << "no deal gives " << scene.file;
      Game game(rules, scene_deal(scene, seed), static_cast<int>(seed % 4));
      const std::string text = play_text(game, seed);
      if (!scene.wanted(game)) continue;
      expect_golden(scene.file, changes + text);
      break;
    }
  }
}

TEST(Golden, every_contract_has_a_playthrough) {
  EnumSet<ContractClass> played;
  for (const std::string_view preset : preset_names()) {
    for (const PlayedContract& contract : contracts_of(*CompiledRules::load(std::string(preset)))) {
      played.add(contract.contract);
    }
  }
  for (const Playthrough& scene : playthroughs()) {
    if (scene.contract) played.add(*scene.contract);
  }
  for (const ContractRow& row : contract_table()) {
    EXPECT_TRUE(played.contains(row.contract)) << row.name << " has no file in tests/golden";
  }
}

// ---- contracts of presets -----------------------------------------------------------------------

/// A random deal; every 97th gives the fixed hand of C.19 to a seat, if the rules have it.
Deal deal_of_seed(const CompiledRules& rules, int dealer, std::uint64_t seed) {
  const Deal deal = deal_for(seed, rules.rules(), dealer, rules.first_context());
  const CardSet fixed = rules.fixed_hand();
  if (seed % 97 != 0 || fixed.empty()) return deal;
  Deal result;
  CardSet own = fixed, rest = rules.deck() - fixed;
  for (int seat = 0; seat < rules.seats(); ++seat) {
    CardSet& cards = seat == 1 ? own : rest;
    for (int i = 0; i < rules.cards_per_hand(); ++i) {
      const bool first = i < rules.cards_per_hand() / 2;
      (first ? result.first : result.second)[static_cast<std::size_t>(seat)].add(
          cards.pop_lowest());
    }
  }
  return result;
}

/// A whole deal in few lines: hands, decisions by phase and trick, a signature of the masks,
/// result.
std::string short_text(Game& game, std::uint64_t seed) {
  std::string text = "seed " + std::to_string(seed) + ", dealer " + std::to_string(game.dealer());
  for (int seat = 0; seat < game.seats(); ++seat) text += "\n  " + to_string(game.dealt(seat));
  Rng random(seed);
  std::uint64_t masks = 0;
  Phase phase = Phase::kDone;
  while (!game.is_terminal()) {
    const ActionMask mask = game.legal_actions();
    masks = mix64(mix64(masks ^ mask.words[0]) ^ mask.words[1]);
    const bool leads = game.phase() == Phase::kPlay && game.play_state().on_table == 0;
    if (game.phase() != phase || leads) {
      text += "\n  " + std::string(phase_name(game.phase()));
    }
    phase = game.phase();
    const Action action = random_action(game, random);
    const std::string name = action < kNumCards ? card_name(action) : action_name(action);
    text += ' ' + std::to_string(game.current_player()) + ':' + name;
    game.apply(action);
  }
  text += "\n  masks " + hex(masks) + ", points";
  for (int seat = 0; seat < game.seats(); ++seat) {
    text += ' ' + std::to_string(points_of(game.captured(seat)));
  }
  text += ", payoffs";
  for (int seat = 0; seat < game.seats(); ++seat) {
    text += ' ' + std::to_string(game.payoffs()[static_cast<std::size_t>(seat)]);
  }
  return text + '\n';
}

TEST(Golden, every_contract_of_every_preset_has_a_playthrough) {
  constexpr std::uint64_t kMostSeeds = 400'000;
  for (const std::string_view preset : preset_names()) {
    const auto rules = CompiledRules::load(std::string(preset));
    std::map<std::string, std::string> found;
    const std::vector<PlayedContract> wanted = contracts_of(*rules);
    for (std::uint64_t seed = 1; found.size() < wanted.size() && seed < kMostSeeds; ++seed) {
      const int dealer = static_cast<int>(seed) % rules->seats();
      Game game(*rules, deal_of_seed(*rules, dealer, seed), dealer, rules->first_context());
      Rng random(seed);
      while (!game.is_terminal() && !game.has_contract()) {
        game.apply_unchecked(random_action(game, random));
      }
      if (!game.has_contract()) continue;
      const std::string name(contract_name(game.contract().contract, game.contract().tout));
      if (found.contains(name)) continue;
      Game again(*rules, deal_of_seed(*rules, dealer, seed), dealer, rules->first_context());
      found[name] = short_text(again, seed);
    }
    std::string text;
    for (const PlayedContract& contract : wanted) {
      const std::string name = contract.name();
      ASSERT_TRUE(found.contains(name)) << preset << " never plays " << name;
      text += name + ", " + found[name];
    }
    EXPECT_EQ(found.size(), wanted.size()) << preset << " plays a contract that it has not";
    expect_golden("contracts_" + std::string(preset) + ".txt", text);
  }
}

}  // namespace
}  // namespace schafkopf::test
