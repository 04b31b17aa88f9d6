// Observation v3: what v1 and v2 say by name, the order of play, legal actions of every phase, and
// canonical rows that renamed suits do not change. And that v1 and v2 are as they were released.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "env/cards/card_map.h"
#include "env/game/game.h"
#include "env/rules/rule_fields.h"
#include "env/vector/vector_env.h"
#include "env/view/encoder.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/observation_rows.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/cpp/support/scale.h"

namespace schafkopf {
namespace {

using test::kV1;
using test::kV2;
using test::kV3;
using test::row_of_view;
using test::section;
using Row = std::vector<std::uint8_t>;

std::size_t size_of(ObservationVersion version) {
  return static_cast<std::size_t>(observation_size(version));
}

Row part(ObservationVersion version, const Row& row, std::string_view name) {
  const Section& found = section(version, name);
  return {row.begin() + found.offset, row.begin() + found.offset + found.length};
}

Row one_set(std::size_t length, int index) {
  Row row(length);
  if (index >= 0) row[static_cast<std::size_t>(index)] = 1;
  return row;
}

Action often_play(const Game& game, Rng& random) {
  const ActionMask mask = without_claims(game.legal_actions());
  const bool plays = mask.contains(kActionPlay) && random.next_below(2) == 0;
  return plays ? kActionPlay : mask.nth(random.next_below(mask.count()));
}

/// FNV-1a over whole numbers.
struct Digest {
  std::uint64_t value = 0xcbf29ce484222325u;
  void add(int number) { value = (value ^ static_cast<std::uint64_t>(number)) * 0x100000001b3u; }
  void add(std::string_view text) {
    for (const char c : text) add(static_cast<unsigned char>(c));
  }
};

TEST(EncoderV3, sections_of_v1_and_v2_are_as_released) {
  std::array<std::uint64_t, 2> sums{};
  for (const ObservationVersion version : {kV1, kV2}) {
    Digest digest;
    for (const Section& found : observation_sections(version)) {
      digest.add(found.name);
      digest.add(found.offset);
      digest.add(found.length);
    }
    sums[version == kV1 ? 0 : 1] = digest.value;
  }
  EXPECT_EQ(sums[0], 0x9a3823926298577du);
  EXPECT_EQ(sums[1], 0x425f5c0e57f5bb76u);
}

TEST(EncoderV3, rule_features_of_v1_and_v2_are_as_released) {
  Digest sections, values;
  for (const Section& found : rule_feature_sections()) {
    sections.add(found.name);
    sections.add(found.offset);
    sections.add(found.offset + found.length);
  }
  EXPECT_EQ(sections.value, 0x726a0c2ae51a1a71u);
  std::vector<float> row(static_cast<std::size_t>(rule_feature_size()));
  for (const char* name : {"official_1989", "research", "tournament_2024", "wikipedia_extended"}) {
    write_rule_features(*CompiledRules::load(name), row);
    for (const float value : row) values.add(static_cast<int>(value));
  }
  EXPECT_EQ(values.value, 0xc1a182ec14b67ec6u);
}

TEST(EncoderV3, has_room_for_contracts_phases_and_switches) {
  EXPECT_EQ(section(kV3, "contract").length, 32);
  EXPECT_EQ(section(kV3, "named").length, 4 * 32);
  EXPECT_EQ(section(kV3, "phase").length, 32);
  EXPECT_EQ(section(kV3, "legal_cards").length + section(kV3, "legal_actions").length, kNumActions);
  std::set<std::string_view> names;
  int offset = 0;
  for (const Section& found : observation_sections(kV3)) {
    EXPECT_EQ(found.offset, offset) << found.name;
    offset += found.length;
    EXPECT_TRUE(names.insert(found.name).second) << found.name;
  }
  EXPECT_EQ(offset, observation_size(kV3));
  const auto rules = rule_feature_sections(kV3);
  EXPECT_EQ(rules.back().name, "reserved");
  EXPECT_EQ(rules.back().length, 4 * (32 - static_cast<int>(kFurtherSwitches.size())));
  EXPECT_EQ(rules.back().offset + rules.back().length, rule_feature_size(kV3));
  EXPECT_EQ(section(kV3, "rules").length, rule_feature_size(kV3));
}

TEST(EncoderV3, every_switch_says_in_v3_what_it_says_in_v1) {
  std::map<std::string_view, Section> in_v1;
  for (const Section& found : rule_feature_sections()) in_v1[found.name] = found;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const CompiledRules rules(test::random_rules(seed));
    std::vector<float> v1(static_cast<std::size_t>(rule_feature_size()));
    std::vector<float> v3(static_cast<std::size_t>(rule_feature_size(kV3)), 7.0F);
    write_rule_features(rules, v1);
    write_rule_features(rules, kV3, v3);
    for (const Section& found : rule_feature_sections(kV3)) {
      if (std::ranges::find(kFurtherSwitches, found.name) != kFurtherSwitches.end()) continue;
      const Section& old = in_v1.at(found.name);
      EXPECT_EQ(found.meaning, old.meaning);
      if (found.name == "reserved") continue;
      for (int i = 0; i < found.length; ++i) {
        const float expected = i < old.length ? v1[static_cast<std::size_t>(old.offset + i)] : 0.0F;
        ASSERT_EQ(v3[static_cast<std::size_t>(found.offset + i)], expected) << found.name << i;
      }
    }
  }
}

// What the row says

/// The sections that v3 has of its own, from the game; by the index of the map.
void expect_game(const Game& game, int seat, CardIndex index) {
  const PlayerView view = game.view(seat);
  const Row row = row_of_view({kV3, index}, view);
  const int map = index == CardIndex::kCanonical ? view.order.card_map : 0;
  const auto relative = [&](int other) { return (other - seat + game.seats()) % game.seats(); };
  Row cards(8 * 32), leader(8 * 4), winner(8 * 4);
  for (int i = 0; i < game.num_plays(); ++i) {
    const int trick = i / game.seats(), card = game.played_card(i);
    cards[static_cast<std::size_t>(32 * trick +
                                   to_canonical_action(static_cast<Action>(card), map))] = 1;
    const auto by = static_cast<std::size_t>(4 * trick + relative(game.played_by(i)));
    if (i % game.seats() == 0) leader[by] = 1;
    for (int other = 0; other < game.seats(); ++other) {
      if (!game.captured(other).contains(game.played_card(i))) continue;
      winner[static_cast<std::size_t>(4 * trick + relative(other))] = 1;
    }
  }
  ASSERT_EQ(part(kV3, row, "trick_cards"), cards);
  ASSERT_EQ(part(kV3, row, "trick_leader"), leader);
  ASSERT_EQ(part(kV3, row, "trick_winner"), winner);
  if (game.has_contract()) {
    const Contract contract = game.contract();
    ASSERT_EQ(part(kV3, row, "contract"), one_set(32, static_cast<int>(contract.contract)));
    const int called = contract.called == kNoCard ? -1 : contract.called / 8;
    const int slot = called < 0 ? -1 : suit_slots(map)[static_cast<std::size_t>(called)];
    ASSERT_EQ(part(kV3, row, "called_suit"), one_set(4, slot));
  }
  ASSERT_EQ(part(kV3, row, "phase"), one_set(32, static_cast<int>(view.phase())));
}

TEST(EncoderV3, E_4_shows_who_led_and_who_played_what_on_whose_trick) {
  for (const char* name : {"research", "official_1989", "wikipedia_extended"}) {
    const auto rules = CompiledRules::load(name);
    Rng random(41);
    for (int round = 0; round < test::scaled(8, 60, 600); ++round) {
      Game game(*rules, random_deal(random.next()), random.next_below(4));
      for (;;) {
        for (int seat = 0; seat < game.seats(); ++seat) {
          expect_game(game, seat, CardIndex::kAbsolute);
          expect_game(game, seat, CardIndex::kCanonical);
          if (HasFatalFailure()) return;
        }
        if (game.is_terminal()) break;
        game.apply(often_play(game, random));
      }
    }
  }
}

TEST(EncoderV3, shows_the_tricks_of_an_endgame_at_their_number) {
  const auto rules = CompiledRules::load("research");
  Game game = Game::with_contract(
      *rules, random_deal(2), 3,
      Contract{.contract = parse_contract("WENZ").row->contract, .declarer = 1});
  for (int i = 0; i < 22; ++i) game.apply(without_claims(game.legal_actions()).lowest());
  PlayerView view = game.view(0);
  const Row whole = row_of_view({kV3}, view);
  const int tricks = 4, first = 4 * tricks;  // the same lines with the first four tricks unknown
  std::copy_n(view.order.plays + first, 32 - first, view.order.plays);
  std::fill_n(view.order.plays + 32 - first, first, std::uint8_t{0});
  view.order.num_plays = static_cast<std::uint8_t>(view.order.num_plays - first);
  const Row end = row_of_view({kV3}, view);
  for (const std::size_t width : {std::size_t{32}, std::size_t{4}}) {
    const char* name = width == 32 ? "trick_cards" : "trick_leader";
    Row expected = part(kV3, whole, name);
    std::fill_n(expected.begin(), tricks * width, std::uint8_t{0});
    EXPECT_EQ(part(kV3, end, name), expected);
    EXPECT_NE(part(kV3, end, name), part(kV3, whole, name));
  }
}

/// Every legal action that the row names.
std::set<int> actions_in(const Row& row, int map) {
  std::set<int> actions;
  const Row cards = part(kV3, row, "legal_cards"), others = part(kV3, row, "legal_actions");
  for (int i = 0; i < kNumCards; ++i) {
    if (cards[static_cast<std::size_t>(i)] != 0) {
      actions.insert(from_canonical_action(static_cast<Action>(i), map));
    }
  }
  for (int i = 0; i < kNumActions - kNumCards; ++i) {
    if (others[static_cast<std::size_t>(i)] != 0) actions.insert(kNumCards + i);
  }
  return actions;
}

TEST(EncoderV3, names_all_legal_actions_and_what_v2_says_in_every_phase) {
  const int rule_sets = test::scaled(200, 400, 4000);
  std::array<int, kNumPhases> met{};
  for (int set = 0; set < rule_sets; ++set) {
    const auto seed = static_cast<std::uint64_t>(set);
    const CompiledRules rules(test::random_rules(seed));
    std::vector<float> features(static_cast<std::size_t>(rule_feature_size(kV3)));
    write_rule_features(rules, kV3, features);
    const DealContext context = test::random_context(seed, rules.rules());
    Rng random(seed);
    for (int n = 0; n < 3; ++n) {
      const int dealer = n % rules.seats();
      Game game(rules, deal_for(seed + 1000, rules.rules(), dealer, context), dealer, context);
      while (!game.is_terminal()) {
        const PlayerView view = game.view(game.current_player());
        ++met[static_cast<std::size_t>(game.phase())];
        const Row row = row_of_view({kV3, CardIndex::kCanonical}, view, features);
        const ActionMask mask = game.legal_actions();
        std::set<int> legal;
        for (int i = 0; i < mask.count(); ++i) legal.insert(mask.nth(i));
        ASSERT_EQ(actions_in(row, view.order.card_map), legal) << phase_name(game.phase());
        // SUIT actions name absolute suits, which must be those of the row
        const bool names_suit = legal.lower_bound(kActionSuitE) != legal.lower_bound(83);
        ASSERT_TRUE(!names_suit || view.order.card_map == 0);
        const Row v2 = row_of_view({kV2, CardIndex::kCanonical}, view);
        for (const Section& found : observation_sections(kV2)) {
          const std::set<std::string_view> changed = {"contract", "trump_suit",  "called_suit",
                                                      "phase",    "legal_other", "legal_more",
                                                      "auction",  "rules"};
          if (changed.contains(found.name)) continue;
          ASSERT_EQ(part(kV3, row, found.name), part(kV2, v2, found.name)) << found.name;
        }
        const Row auction = part(kV2, v2, "auction"), named = part(kV3, row, "named");
        for (std::size_t seat = 0; seat < 4; ++seat) {
          const auto said = part(kV3, row, "said");
          int number = 0;
          for (std::size_t bit = 0; bit < 5; ++bit) number += auction[12 * seat + 6 + bit] << bit;
          ASSERT_EQ(Row(named.begin() + static_cast<long>(32 * seat),
                        named.begin() + static_cast<long>(32 * seat + 32)),
                    one_set(32, number - 1));
          ASSERT_EQ(part(kV3, row, "named_tout")[seat], auction[12 * seat + 11]);
          for (std::size_t bit = 0; bit < 6; ++bit) {
            ASSERT_EQ(said[6 * seat + bit], auction[12 * seat + bit]);
          }
        }
        game.apply(mask.nth(random.next_below(mask.count())));
      }
    }
  }
  for (const Phase phase : {Phase::kLegen, Phase::kSchieberPush, Phase::kNameSuit, Phase::kZupfGive,
                            Phase::kSteigern, Phase::kPlay}) {
    EXPECT_GT(met[static_cast<std::size_t>(phase)], 0) << phase_name(phase);
  }
}

// Renamed suits (METHODS section 2)

/// Renames the suits of all cards but those of the trump ranks, which rank by suit.
struct Renaming {
  std::array<std::uint8_t, 4> suits{};
  CardSet kept;

  [[nodiscard]] Card operator()(Card card) const {
    if (card >= kNumCards || kept.contains(card)) return card;
    return static_cast<Card>(suits[card / 8u] * 8u + card % 8u);
  }
  [[nodiscard]] CardSet operator()(CardSet cards) const {
    CardSet renamed;
    for (const Card card : cards) renamed.add((*this)(card));
    return renamed;
  }
};

/// The contract on this deal, with suit or called card drawn; nothing if it cannot be played.
std::optional<Contract> drawn_contract(const ContractRow& row, const CompiledRules& rules,
                                       const Deal& deal, Rng& random) {
  Contract contract{.contract = row.contract};
  if (row.parties != Parties::kEveryone) contract.declarer = random.next_below(4);
  if (row.trump_suit == TrumpSuit::kAnnounced) {
    contract.suit = static_cast<Suit>(random.next_below(4));
  }
  if (row.parties == Parties::kCalledCard) {
    const CardSet aces = callable_cards(deal.hand(contract.declarer), rules.rules());
    if (aces.empty()) return std::nullopt;
    contract.called = Card{ActionMask::cards(aces.bits()).nth(random.next_below(aces.count()))};
  }
  return contract;
}

/// Suits of equal rank in the card map are sorted by the own cards: with equal cards their slots
/// follow the absolute suits.
bool sorts_all_suits(CardSet hand, CardSet kept, int trump_suit, int called_suit) {
  std::set<std::uint32_t> seen;
  for (int suit = 0; suit < 4; ++suit) {
    if (suit == trump_suit || suit == called_suit) continue;
    if (!seen.insert(((hand - kept).bits() >> (8 * suit)) & 0xFFu).second) return false;
  }
  return true;
}

TEST(EncoderV3, renamed_suits_give_the_same_canonical_row) {
  const auto rules = CompiledRules::load("wikipedia_extended");
  Rng random(53);
  int compared = 0, changed_in_v1 = 0;
  std::set<std::string_view> met;
  for (int round = 0; round < test::scaled(300, 1500, 15000); ++round) {
    const auto rows = contract_table();
    const ContractRow& row =
        rows[static_cast<std::size_t>(random.next_below(static_cast<int>(rows.size())))];
    if (row.parties == Parties::kHochzeit || row.parties == Parties::kOppositeSeats ||
        row.by_duty || row.goal == Goal::kFixedHand) {
      continue;
    }
    const Deal deal = random_deal(random.next());
    const std::optional<Contract> contract = drawn_contract(row, *rules, deal, random);
    if (!contract) continue;
    const PlayConstants& words = rules->play(contract->contract, contract->suit);
    Renaming rename{{0, 1, 2, 3}, CardSet(words.top | words.second)};
    const int fixed = row.trump_suit == TrumpSuit::kPartnerSuit
                          ? rules->trump_suit(row.contract, Suit::kHerz)
                          : -1;
    for (std::size_t i = 3; i > 0; --i) {
      const auto j = static_cast<std::size_t>(random.next_below(static_cast<int>(i) + 1));
      std::swap(rename.suits[i], rename.suits[j]);
    }
    if (fixed >= 0) {
      std::swap(*std::ranges::find(rename.suits, fixed),
                rename.suits[static_cast<std::size_t>(fixed)]);
    }
    Deal renamed = deal;
    for (auto* half : {&renamed.first, &renamed.second}) {
      for (CardSet& cards : *half) cards = rename(cards);
    }
    Contract other = *contract;
    other.called = rename(other.called);
    if (row.trump_suit == TrumpSuit::kAnnounced) {
      other.suit = static_cast<Suit>(rename.suits[static_cast<std::size_t>(other.suit)]);
    }
    Game left = Game::with_contract(*rules, deal, 3, *contract);
    Game right = Game::with_contract(*rules, renamed, 3, other);
    const int trump = rules->trump_suit(row.contract, contract->suit);
    const int called = contract->called == kNoCard ? -1 : contract->called / 8;
    met.insert(row.name);
    while (!left.is_terminal()) {
      for (int seat = 0; seat < 4; ++seat) {
        if (!sorts_all_suits(deal.hand(seat), rename.kept, trump, called)) continue;
        const PlayerView a = left.view(seat), b = right.view(seat);
        constexpr ObservationForm kForm{kV3, CardIndex::kCanonical};
        ASSERT_EQ(row_of_view(kForm, a), row_of_view(kForm, b)) << row.name;
        ++compared;
        constexpr ObservationForm kOld{kV1, CardIndex::kCanonical};
        if (row_of_view(kOld, a) != row_of_view(kOld, b)) ++changed_in_v1;
      }
      const Action action = often_play(left, random);
      left.apply(action);
      right.apply(action < kNumCards ? rename(action) : action);
    }
    ASSERT_TRUE(right.is_terminal());
  }
  EXPECT_GT(compared, 1000);
  EXPECT_GT(changed_in_v1, compared / 4);  // its absolute suits undo the sorting
  EXPECT_GE(met.size(), 8u);
}

// Doors

TEST(EncoderV3, float_rows_are_byte_rows_times_scale_and_batches_equal_single_views) {
  VectorEnvOptions options;
  options.num_envs = 40;
  options.rules = {CompiledRules::load("wikipedia_extended"), CompiledRules::load("research")};
  for (int i = 0; i < 40; ++i) options.rule_index.push_back(static_cast<std::uint16_t>(i % 2));
  options.seed = 5;
  options.observation = ObservationType::kUint8;
  options.observation_version = kV3;
  options.view_lines = true;
  VectorEnv bytes(options);
  options.observation = ObservationType::kFloat32;
  VectorEnv floats(options);
  const std::size_t size = size_of(kV3);
  std::array<std::vector<float>, 2> features;
  for (std::size_t k = 0; k < 2; ++k) {
    features[k].resize(static_cast<std::size_t>(rule_feature_size(kV3)));
    write_rule_features(*options.rules[k], kV3, features[k]);
  }
  for (int step = 0; step < 60; ++step) {
    const EnvBuffers& shown = bytes.buffers();
    Row batch(40 * size);
    expand(ObservationForm{kV3}, bytes.views(), std::span(batch));
    ASSERT_TRUE(std::ranges::equal(batch, shown.observation_u8));
    for (std::size_t i = 0; i < 40; ++i) {
      const PlayerView view{shown.cards[i], shown.order[i], shown.events[i]};
      const Row row = row_of_view({kV3}, view, features[i % 2]);
      ASSERT_TRUE(std::ranges::equal(row, shown.observation_u8.subspan(i * size, size)));
      for (const Section& found : observation_sections(kV3)) {
        for (int k = found.offset; k < found.offset + found.length; ++k) {
          const auto at = static_cast<std::size_t>(k);
          ASSERT_EQ(floats.buffers().observation_f32[i * size + at],
                    static_cast<float>(row[at]) * found.scale)
              << found.name;
        }
      }
    }
    bytes.step_random();
    floats.step_random();
  }
}

// Rules may play what came after the release of v1 and v2: those rows would leave it out in silence.
TEST(ObservationPlaces, rules_with_a_contract_that_rows_do_not_show_are_refused) {
  const auto refusal = [](const std::string& rules, ObservationPlaces places) -> std::string {
    return test::error_of<std::invalid_argument>(
        [&] { check_observable(CompiledRules(parse_rules(rules, "rules")), kV1, places); });
  };
  const ObservationPlaces all = places_of(kV1);
  const ObservationPlaces no_sie = {static_cast<int>(ContractClass::kSie), all.actions};
  const std::string words =
      "observation version 1: its rows have no place for SIE, which these rules play; allowed: "
      "version 3 or 4, or rules without it";
  EXPECT_EQ(refusal("preset = \"research\"\nsie_enabled = true", all), "no error");
  EXPECT_EQ(refusal("preset = \"research\"\nsie_enabled = true", no_sie), words);
  EXPECT_EQ(refusal("preset = \"research\"\nsie_enabled = false", no_sie), "no error");
  const ObservationPlaces no_solo_tout = {all.classes,
                                          contract_row(ContractClass::kSolo).tout_action};
  EXPECT_NE(
      refusal("sie_enabled = false\ntout_enabled = true", no_solo_tout).find("no place for SOLO"),
      std::string::npos);
  EXPECT_EQ(refusal("sie_enabled = false\ntout_enabled = false", no_solo_tout), "no error");
}

TEST(ObservationPlaces, every_released_contract_and_action_has_its_place) {
  EXPECT_EQ(places_of(kV1).classes, 19);
  EXPECT_EQ(places_of(kV2).actions, 107);
  EXPECT_EQ(places_of(kV3).classes, 32);
  EXPECT_EQ(places_of(kV3).actions, kNumActions);
}

}  // namespace
}  // namespace schafkopf
