// Observation v2: the sections of v1 bit for bit in every phase of random games, the added sections
// in game notation, VectorEnv with rows of either version.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "env/cards/card_map.h"
#include "env/game/game.h"
#include "env/vector/vector_env.h"
#include "env/view/encoder.h"
#include "tests/cpp/support/observation_rows.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/cpp/support/scale.h"

namespace schafkopf {
namespace {

using test::kV1;
using test::kV2;
using test::row_of_view;
using test::section;

/// Cards of a section, moved back to absolute ids.
std::string cards_shown(const PlayerView& view, std::string_view name) {
  const std::vector<std::uint8_t> row = row_of_view({kV2, CardIndex::kCanonical}, view);
  std::uint32_t cards = 0;
  for (int card = 0; card < kNumCards; ++card) {
    const auto at = static_cast<std::size_t>(section(kV2, name).offset + card);
    if (row[at] != 0) cards |= std::uint32_t{1} << card;
  }
  return to_string(CardSet(from_canonical(cards, view.order.card_map)));
}

int value(const PlayerView& view, std::string_view name, int index) {
  return row_of_view({kV2, CardIndex::kCanonical},
                     view)[static_cast<std::size_t>(section(kV2, name).offset + index)];
}

/// Every legal action that the sections of v2 name.
std::set<int> legal_in(const PlayerView& view) {
  const std::vector<std::uint8_t> row = row_of_view({kV2, CardIndex::kCanonical}, view);
  const auto at = [&](std::string_view name, int i) {
    return row[static_cast<std::size_t>(section(kV2, name).offset + i)] != 0;
  };
  std::set<int> actions;
  for (int card = 0; card < kNumCards; ++card) {
    const CardSet absolute(from_canonical(std::uint32_t{1} << card, view.order.card_map));
    if (at("legal_cards", card)) actions.insert(absolute.lowest());
  }
  std::vector<int> other = {32, 33, 34, 35}, more;
  for (int action = 83; action <= 106; ++action) other.push_back(action);
  other.push_back(kActionClaimRest);
  other.push_back(kActionConcedeRest);
  for (int action = 36; action <= 82; ++action) {
    if (action != kActionClaimRest && action != kActionConcedeRest) more.push_back(action);
  }
  EXPECT_EQ(static_cast<int>(other.size()), section(kV2, "legal_other").length);
  EXPECT_EQ(static_cast<int>(more.size()), section(kV2, "legal_more").length);
  for (std::size_t i = 0; i < other.size(); ++i) {
    if (at("legal_other", static_cast<int>(i))) actions.insert(other[i]);
  }
  for (std::size_t i = 0; i < more.size(); ++i) {
    if (at("legal_more", static_cast<int>(i))) actions.insert(more[i]);
  }
  return actions;
}

std::set<int> legal_actions_of(const Game& game) {
  const ActionMask mask = game.legal_actions();
  std::set<int> actions;
  for (int n = 0; n < mask.count(); ++n) actions.insert(mask.nth(n));
  return actions;
}

RuleSet switched(const std::vector<std::pair<std::string, PlainValue>>& switches,
                 const std::string& preset) {
  RuleSet rules = CompiledRules::load(preset)->rules();
  for (const auto& [key, value] : switches) set_field(rules, key, value);
  return checked(rules);
}

TEST(EncoderV2, layout_is_v1_then_the_additions_then_the_rules) {
  const auto v1 = observation_sections(), v2 = observation_sections(kV2);
  ASSERT_EQ(observation_sections(kV1).data(), v1.data());
  ASSERT_EQ(v2.size(), v1.size() + 7);
  for (std::size_t i = 0; i + 1 < v1.size(); ++i) {
    EXPECT_EQ(v1[i].name, v2[i].name);
    EXPECT_EQ(v1[i].offset, v2[i].offset);
    EXPECT_EQ(v1[i].length, v2[i].length);
  }
  EXPECT_EQ(v2.back().name, "rules");
  int offset = 0;
  std::set<std::string_view> names;
  for (const Section& part : v2) {
    EXPECT_EQ(part.offset, offset) << part.name;
    offset += part.length;
    names.insert(part.name);
  }
  EXPECT_EQ(offset, observation_size(kV2));
  EXPECT_EQ(names.size(), v2.size());
  EXPECT_EQ(observation_size(kV2), 934);  // released: never changes
}

/// Rows of both versions agree where they must, in both types and by every door.
template <class T>
void expect_v1_inside(const PlayerView& view, std::span<const float> features) {
  const std::vector<T> v1 = row_of_view<T>({kV1, CardIndex::kCanonical}, view, features);
  const std::vector<T> v2 = row_of_view<T>({kV2, CardIndex::kCanonical}, view, features);
  const auto rules = static_cast<std::ptrdiff_t>(rule_feature_size());
  ASSERT_TRUE(std::equal(v1.begin(), v1.end() - rules, v2.begin()));
  ASSERT_TRUE(std::equal(v1.end() - rules, v1.end(), v2.end() - rules));
  std::vector<T> tile(v2.size(), T{9});
  const ViewLines lines{&view.cards, &view.order, &view.events};
  T* target = tile.data();
  expand_views(ObservationForm{kV2, CardIndex::kCanonical}, std::span(&lines, 1), &target);
  ASSERT_TRUE(std::equal(tile.begin(), tile.end() - rules, v2.begin()));
  ASSERT_TRUE(std::all_of(tile.end() - rules, tile.end(), [](T cell) { return cell == T{9}; }));
}

TEST(EncoderV2, contains_v1_and_all_legal_actions_in_every_phase) {
  const int rule_sets = test::scaled(200, 600, 6000);
  std::array<int, kNumPhases> met{};
  for (int set = 0; set < rule_sets; ++set) {
    const auto seed = static_cast<std::uint64_t>(set);
    const CompiledRules rules(test::random_rules(seed));
    std::vector<float> features(static_cast<std::size_t>(rule_feature_size()));
    write_rule_features(rules, features);
    const DealContext context = test::random_context(seed, rules.rules());
    Rng random(seed);
    for (int n = 0; n < 4; ++n) {
      const int dealer = n % rules.seats();
      Game game(rules, deal_for(seed + 1000, rules.rules(), dealer, context), dealer, context);
      while (!game.is_terminal()) {
        const PlayerView view = game.view(game.current_player());
        ++met[static_cast<std::size_t>(game.phase())];
        expect_v1_inside<std::uint8_t>(view, features);
        expect_v1_inside<float>(view, features);
        ASSERT_EQ(legal_in(view), legal_actions_of(game)) << phase_name(game.phase());
        if (HasFatalFailure()) return;
        const ActionMask mask = without_claims(game.legal_actions());
        game.apply(mask.nth(random.next_below(mask.count())));
      }
    }
  }
  for (const Phase phase : {Phase::kLegen, Phase::kSchieberPush, Phase::kHzReturn, Phase::kSteigern,
                            Phase::kZupfGive, Phase::kPlay, Phase::kClaimSettle}) {
    EXPECT_GT(met[static_cast<std::size_t>(phase)], 0) << phase_name(phase);
  }
}

TEST(EncoderV2, shows_the_open_hand_to_every_seat) {
  const auto rules = CompiledRules::load("wikipedia_extended");
  const Contract brett{.contract = parse_contract("BETTEL_BRETT").row->contract, .declarer = 0};
  const Game game = Game::with_contract(*rules, random_deal(3), 3, brett);
  for (int seat = 0; seat < 4; ++seat) {
    EXPECT_EQ(cards_shown(game.view(seat), "open"), to_string(game.hand(0))) << "seat " << seat;
  }
  const Game closed = Game::with_contract(
      *rules, random_deal(3), 3,
      Contract{.contract = parse_contract("BETTEL").row->contract, .declarer = 0});
  EXPECT_EQ(cards_shown(closed.view(1), "open"), "");
}

TEST(EncoderV2, shows_the_offered_card_and_passed_cards_to_their_seats_only) {
  const CompiledRules rules(switched({{"hochzeit", std::string("before_auction")},
                                      {"hochzeit_card_open", true},
                                      {"hochzeit_return_nontrump", true}},
                                     "official_1989"));
  Deal deal;  // seat 0 has one trump, H7
  const std::array<const char*, 4> hands = {"H7 E9 E8 E7 G8 G7 S8 S7", "H9 GA G10 GK G9 SK S10 H8",
                                            "EO GO HO EU GU HA H10 S9", "SO SU HU HK EK E10 SA EA"};
  for (std::size_t seat = 0; seat < 4; ++seat) {
    deal.second[seat] = parse_cards(hands[seat]);
    for (int i = 0; i < 4; ++i) deal.first[seat].add(deal.second[seat].pop_lowest());
  }
  Game game(rules, deal, 3);
  ASSERT_EQ(game.phase(), Phase::kHzOffer);
  EXPECT_EQ(cards_shown(game.view(1), "shown"), "");
  game.apply(kActionHzOffer1);
  EXPECT_EQ(cards_shown(game.view(1), "shown"), "H7");
  EXPECT_EQ(value(game.view(1), "announced", 3 * 6), 1);  // seat 0 = relative seat 3 offered one
  EXPECT_EQ(value(game.view(1), "announced", 3 * 6 + 1), 0);
  game.apply(kActionHzRefuse);
  game.apply(kActionHzAccept);  // seat 2
  game.apply(*parse_card("S9"));
  EXPECT_EQ(value(game.view(1), "announced", 1 * 6 + 2), 1);  // relative seat 1 accepted
  EXPECT_EQ(cards_shown(game.view(0), "given"), "H7");
  EXPECT_EQ(cards_shown(game.view(0), "received"), "S9");
  EXPECT_EQ(cards_shown(game.view(2), "given"), "S9");
  EXPECT_EQ(cards_shown(game.view(2), "received"), "H7");
  EXPECT_EQ(cards_shown(game.view(1), "given"), "");
  EXPECT_EQ(cards_shown(game.view(1), "received"), "");
  EXPECT_EQ(cards_shown(game.view(1), "shown"), "H7");
}

TEST(EncoderV2, called_cards_are_not_shown_cards) {
  const auto rules = CompiledRules::load("research");
  Rng random(4);
  for (int deals = 0; deals < 50; ++deals) {
    Game next(*rules, random_deal(static_cast<std::uint64_t>(deals)), 3);
    while (!next.is_terminal()) {
      ASSERT_EQ(cards_shown(next.view(0), "shown"), "");
      const ActionMask mask = without_claims(next.legal_actions());
      next.apply(mask.nth(random.next_below(mask.count())));
    }
  }
}

TEST(EncoderV2, says_when_earlier_tricks_are_forgotten) {
  for (const char* history : {"full", "last_trick"}) {
    const CompiledRules rules(switched({{"history_view", std::string(history)}}, "official_1989"));
    Game game = Game::with_contract(
        rules, random_deal(2), 3,
        Contract{.contract = parse_contract("WENZ").row->contract, .declarer = 1});
    bool forgotten = false;
    while (!game.is_terminal()) {
      const bool hides = history == std::string("last_trick") && game.num_plays() >= 8;
      ASSERT_EQ(value(game.view(0), "forgotten", 0), hides ? 1 : 0) << game.num_plays();
      forgotten = forgotten || hides;
      const ActionMask mask = without_claims(game.legal_actions());
      game.apply(mask.lowest());
    }
    EXPECT_EQ(forgotten, history == std::string("last_trick"));
  }
}

// VectorEnv

VectorEnvOptions env_options(ObservationVersion version, ObservationType type) {
  VectorEnvOptions options;
  options.num_envs = 40;
  options.rules = {CompiledRules::load("wikipedia_extended")};
  options.seed = 5;
  options.observation = type;
  options.observation_version = version;
  options.view_lines = true;
  return options;
}

TEST(EncoderV2, vector_env_writes_rows_of_the_version_it_was_asked_for) {
  VectorEnv one(env_options(kV1, ObservationType::kUint8));
  VectorEnv two(env_options(kV2, ObservationType::kUint8));
  VectorEnv floats(env_options(kV2, ObservationType::kFloat32));
  const auto f1 = static_cast<std::size_t>(observation_size(kV1));
  const auto f2 = static_cast<std::size_t>(observation_size(kV2));
  ASSERT_EQ(one.buffers().observation_u8.size(), 40 * f1);
  ASSERT_EQ(two.buffers().observation_u8.size(), 40 * f2);
  for (int step = 0; step < 200; ++step) {
    const EnvBuffers& shown = two.buffers();
    for (std::size_t i = 0; i < 40; ++i) {
      const ViewLines lines{&shown.cards[i], &shown.order[i], &shown.events[i]};
      std::vector<std::uint8_t> row(f2);
      expand(ObservationForm{kV2}, lines, shown.rule_features, row.data());
      ASSERT_TRUE(std::ranges::equal(row, shown.observation_u8.subspan(i * f2, f2)));
      std::vector<float> float_row(f2);
      expand(ObservationForm{kV2}, lines, shown.rule_features, float_row.data());
      ASSERT_TRUE(
          std::ranges::equal(float_row, floats.buffers().observation_f32.subspan(i * f2, f2)));
      expand(ObservationForm{kV1}, lines, shown.rule_features, row.data());
      ASSERT_TRUE(std::ranges::equal(std::span(row).first(f1),
                                     one.buffers().observation_u8.subspan(i * f1, f1)));
    }
    for (VectorEnv* env : {&one, &two, &floats}) env->step_random();
  }
}

TEST(EncoderV2, batches_of_both_versions_equal_single_views) {
  VectorEnv env(env_options(kV2, ObservationType::kUint8));
  for (int step = 0; step < 30; ++step) env.step_random();
  for (const ObservationVersion version : {kV1, kV2}) {
    const auto size = static_cast<std::size_t>(observation_size(version));
    std::vector<std::uint8_t> rows(40 * size), row(size);
    expand(ObservationForm{version}, env.views(), std::span(rows));
    const EnvBuffers& shown = env.buffers();
    for (std::size_t i = 0; i < 40; ++i) {
      expand(ObservationForm{version}, {&shown.cards[i], &shown.order[i], &shown.events[i]},
             shown.rule_features, row.data());
      ASSERT_TRUE(std::ranges::equal(row, std::span(rows).subspan(i * size, size)));
    }
  }
}

}  // namespace
}  // namespace schafkopf
