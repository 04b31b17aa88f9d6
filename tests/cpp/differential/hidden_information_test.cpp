// What a seat sees depends on what it may know only (RULES D.1, D.3, E.2, E.4; ): two
// deals that differ only in hidden cards give the same view, mask and observation, and two
// different public histories give different views. Hidden are also the second half while laying,
// offers that were not made or refused, and cards passed between two other seats (D.1).
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "env/base/random.h"
#include "env/cards/card_map.h"
#include "env/view/encoder.h"
#include "tests/cpp/differential/secret_pairs.h"
#include "tests/cpp/support/scale.h"

namespace schafkopf::test {
namespace {

using ViewOf = std::function<PlayerView(const Game&, int seat)>;

PlayerView honest_view(const Game& game, int seat) { return game.view(seat); }

/// Everything that an acting seat gets, as bytes.
struct Seen {
  PlayerView view;
  ActionMask mask;
  std::vector<std::uint8_t> observation;
  std::vector<float> floats;
  std::vector<std::uint8_t> observation_v4;

  Seen(const Game& game, int seat, const ViewOf& view_of, std::span<const float> rule_features)
      : view(view_of(game, seat)),
        mask(game.legal_actions()),
        observation(static_cast<std::size_t>(observation_size(ObservationVersion::kV2))),
        floats(observation.size()),
        observation_v4(static_cast<std::size_t>(observation_size(ObservationVersion::kV4))) {
    // v2 contains v1 (EncoderV2)
    constexpr ObservationForm kForm{ObservationVersion::kV2, CardIndex::kCanonical};
    constexpr ObservationForm kFormV4{ObservationVersion::kV4, CardIndex::kCanonical};
    const ViewLines lines{&view.cards, &view.order, &view.events};
    expand(kForm, lines, rule_features, observation.data());
    expand(kForm, lines, rule_features, floats.data());
    expand(kFormV4, lines, {}, observation_v4.data());
  }
  [[nodiscard]] bool same_as(const Seen& other) const {
    return std::memcmp(&view, &other.view, sizeof(view)) == 0 && mask == other.mask &&
           observation == other.observation && floats == other.floats &&
           observation_v4 == other.observation_v4;
  }
};

struct Counts {
  int pairs = 0, different = 0, late = 0, partner_moved = 0;
  std::array<int, kNumPhases> phases{};
  std::string first_difference;
};

/// Makes pairs and counts those that look different.
class PairChecker {
 public:
  PairChecker(ViewOf view_of, std::uint64_t seed, PairMaker::Rules rules)
      : view_of_(std::move(view_of)), pairs_(seed, std::move(rules)) {}

  Counts run(int pairs) {
    pairs_.run(pairs, [this](const SecretPair& pair) { compare(pair); });
    return counts_;
  }

 private:
  void compare(const SecretPair& pair) {
    const auto& [game, other, actor] = pair;
    ++counts_.pairs;
    ++counts_.phases[static_cast<std::size_t>(game.phase())];
    if (game.num_plays() >= 8) ++counts_.late;
    if (game.declarer_party() != other.declarer_party()) ++counts_.partner_moved;
    features_.assign(static_cast<std::size_t>(rule_feature_size()), 0.0F);
    write_rule_features(game.rules(), features_);
    const Seen left(game, actor, view_of_, features_), right(other, actor, view_of_, features_);
    if (left.same_as(right)) return;
    if (counts_.different++ == 0) counts_.first_difference = text_of(pair);
  }

  ViewOf view_of_;
  PairMaker pairs_;
  std::vector<float> features_;
  Counts counts_;
};

TEST(HiddenInformation, R_110_R_121_what_a_seat_cannot_know_changes_nothing_it_gets) {
  const int wanted = scaled(20'000, 100'000, 400'000);
  const Counts counts = PairChecker(honest_view, 17, rule_sets()).run(wanted);
  EXPECT_EQ(counts.different, 0) << counts.first_difference;
  EXPECT_GE(counts.pairs, wanted);
  EXPECT_GE(counts.late, counts.pairs / 10);  // after the second trick
  EXPECT_GE(counts.partner_moved, counts.pairs / 200);
  for (int i = 0; i < kNumPhases; ++i) {
    const auto phase = static_cast<Phase>(i);
    // after the last card nothing is hidden but the cards of a Tout that ended early
    if (phase == Phase::kDone || phase == Phase::kClaimSettle) continue;
    EXPECT_GE(counts.phases[static_cast<std::size_t>(i)], wanted / 5000) << phase_name(phase);
  }
}

/// Pairs in which a view with a planted leak differs.
int leaks_found(const ViewOf& leaking) {
  return PairChecker(leaking, 20, rule_sets()).run(4'000).different;
}

TEST(HiddenInformation, F_1_a_view_that_shows_the_second_half_while_laying_is_found) {
  EXPECT_GT(leaks_found([](const Game& game, int seat) {
              PlayerView view = game.view(seat);
              if (game.phase() == Phase::kLegen) view.cards.hand = game.hand(seat).bits();
              return view;
            }),
            20);
}

TEST(HiddenInformation, D_1_a_view_that_counts_silent_answers_is_found) {
  EXPECT_GT(leaks_found([](const Game& game, int seat) {
              PlayerView view = game.view(seat);
              view.order.num_events = static_cast<std::uint8_t>(game.num_events());
              return view;
            }),
            20);
}

TEST(HiddenInformation, C_20_6_a_view_that_shows_cards_passed_between_others_is_found) {
  auto rules = rule_sets();
  std::erase_if(
      rules, [](const auto& set) { return set->rules().special_round != SpecialRound::kSchieber; });
  const ViewOf leaking = [](const Game& game, int seat) {
    PlayerView view = game.view(seat);
    view.order.received = game.received((seat + 2) % game.seats()).bits();
    return view;
  };
  EXPECT_GT(PairChecker(leaking, 21, rules).run(4'000).different, 20);
}

TEST(HiddenInformation, a_view_that_names_the_secret_partner_is_found) {
  const ViewOf leaking = [](const Game& game, int seat) {
    PlayerView view = game.view(seat);
    view.order.reserved1 = game.declarer_party();
    return view;
  };
  EXPECT_GT(PairChecker(leaking, 18, plain_rule_sets()).run(2'000).different, 50);
}

TEST(HiddenInformation, a_view_that_shows_one_card_of_the_left_neighbour_is_found) {
  const ViewOf leaking = [](const Game& game, int seat) {
    PlayerView view = game.view(seat);
    view.cards.hand |= game.hand((seat + 1) % game.seats()).bits() & 0x80u;
    return view;
  };
  EXPECT_GT(PairChecker(leaking, 19, plain_rule_sets()).run(2'000).different, 20);
}

// ---- perfect recall -----------------------------------------------------------------------------

std::uint64_t hash_of_view(const PlayerView& view) {
  static_assert(std::has_unique_object_representations_v<PlayerView>);
  std::array<std::uint64_t, sizeof(PlayerView) / sizeof(std::uint64_t)> words{};
  static_assert(sizeof(words) == sizeof(view));
  std::memcpy(words.data(), &view, sizeof(view));
  std::uint64_t hash = 1;
  for (const std::uint64_t word : words) hash = mix64(hash ^ word);
  return hash;
}

/// Number of decisions whose view was met before with another public history or own hand. Few
/// deals, played often: so that histories differ in little.
int confused_views(const CompiledRules& rules, int deals, const ViewOf& view_of) {
  std::unordered_map<std::uint64_t, std::uint64_t> history_of_view;
  Rng random(23);
  int confused = 0;
  for (int i = 0; i < deals; ++i) {
    const Deal deal = random_deal(static_cast<std::uint64_t>(i / 12));
    const int dealer = i % 4;
    Game game(rules, deal, dealer);
    std::uint64_t history = mix64(static_cast<std::uint64_t>(dealer));
    while (!game.is_terminal()) {
      const int seat = game.current_player();
      const PlayerView view = view_of(game, seat);
      const std::uint64_t own =
          mix64(history ^ mix64(game.dealt(seat).bits())) + static_cast<std::uint64_t>(seat);
      const auto [at, is_new] = history_of_view.emplace(hash_of_view(view), own);
      if (!is_new && at->second != own) ++confused;
      const Action action = random_action(game, random);
      const bool silent = action == kActionNoDouble;
      if (!silent)
        history = mix64(history ^ (std::uint64_t{action} << 8) ^ static_cast<unsigned>(seat));
      game.apply_unchecked(action);
    }
  }
  return confused;
}

TEST(HiddenInformation, E_4_different_public_histories_never_look_the_same) {
  const int deals = scaled(120, 1'200, 12'000);
  for (const auto& rules : plain_rule_sets()) {
    EXPECT_EQ(confused_views(*rules, deals, honest_view), 0) << to_string(rules->rules());
  }
}

TEST(HiddenInformation, a_view_without_the_order_of_events_confuses_histories) {
  const ViewOf forgetful = [](const Game& game, int seat) {
    PlayerView view = game.view(seat);
    view.events = {};
    return view;
  };
  EXPECT_GT(confused_views(*CompiledRules::load("research"), 1'200, forgetful), 0);
}

}  // namespace
}  // namespace schafkopf::test
