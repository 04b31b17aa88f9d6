// What a seat sees depends on what it may know only (RULES D.1, D.3, E.2, E.4; ): two
// deals that differ only in hidden cards give the same view, mask and observation, and two
// different public histories give different views.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "env/card_map.h"
#include "env/encoder.h"
#include "env/random.h"
#include "tests/cpp/differential_bridge.h"
#include "tests/cpp/random_play.h"
#include "tests/cpp/scale.h"

namespace schafkopf::test {
namespace {

using Hands = std::array<std::uint32_t, kNumSeats>;
using History = std::vector<Decision>;

Deal deal_from(const Hands& hands) {
  Deal deal;
  for (std::size_t seat = 0; seat < hands.size(); ++seat) {
    CardSet rest(hands[seat]);
    for (int i = 0; i < 4; ++i) deal.first[seat].add(rest.pop_lowest());
    deal.second[seat] = rest;
  }
  return deal;
}

/// House rules by number: every auction, every Kontra window, suits named at once.
std::vector<std::shared_ptr<const CompiledRules>> rule_sets() {
  std::vector<std::shared_ptr<const CompiledRules>> list = {CompiledRules::load("research"),
                                                            CompiledRules::load("wikipedia_pure"),
                                                            CompiledRules::load("course_002")};
  reference::Random random(3);
  while (list.size() < 24) {
    list.push_back(random_both_rules(random, {"RUF", "SOLO", "WENZ"}).engine);
    RuleSet rules = list.back()->rules();
    if (rules.auction_style == AuctionStyle::kDirect) continue;
    rules.suit_public_when_named = true;
    list.push_back(std::make_shared<const CompiledRules>(rules));
  }
  return list;
}

/// The owner of the called card leads its suit without it (E.3.4).
bool runs_away(const Game& game, Action action) {
  if (game.phase() != Phase::kPlay || game.play_state().on_table != 0) return false;
  const Card called = game.contract().called;
  if (called == kNoCard || !game.hand(game.current_player()).contains(called)) return false;
  const CardSet suit = CardSet::suit(suit_of(called)) - CardSet(game.play_state().trumps);
  return action != called && suit.contains(action);
}

/// Random game as a list of decisions.
History random_history(Game game, Rng& random) {
  History history;
  while (!game.is_terminal()) {
    const Action action = random_action(game, random);
    history.push_back(
        {game.current_player(), action, game.phase(), game.num_plays(), runs_away(game, action)});
    game.apply_unchecked(action);
  }
  return history;
}

/// Plays what `actor` has seen of the first `length` decisions on another deal: public actions and
/// its own; seats that are asked unseen say NO_DOUBLE. True if the history is legal there and leads
/// to the same question to the actor.
bool replays(Game& game, const History& history, std::size_t length, int actor) {
  std::size_t next = 0;
  const auto skip_unseen = [&] {
    while (next < length && !history[next].is_public() && history[next].seat != actor) ++next;
  };
  while (!game.is_terminal()) {
    skip_unseen();
    const int seat = game.current_player();
    const bool silent = game.phase() == Phase::kDouble && seat != actor;
    if (next == length && !silent) {
      return seat == actor && game.phase() == history[length].phase;
    }
    const bool said = next < length && history[next].seat == seat &&
                      history[next].phase == game.phase() &&
                      history[next].cards_before == game.num_plays() &&
                      history[next].runs_away == runs_away(game, history[next].action);
    if (said && game.legal_actions().contains(history[next].action)) {
      game.apply_unchecked(history[next++].action);
    } else if (silent) {
      game.apply_unchecked(kActionNoDouble);
    } else {
      return false;
    }
  }
  return false;
}

/// Exchanges cards that `actor` has never seen between the other seats.
///
/// hidden  cards still held, by absolute seat;   focus  a card that must move, kNoCard = any
void exchange(Hands& dealt, Hands hidden, int actor, Card focus, Rng& random) {
  const int swaps = 1 + random.next_below(3);
  for (int i = 0; i < swaps; ++i) {
    const auto a = static_cast<std::size_t>((actor + 1 + random.next_below(3)) % 4);
    const auto b = static_cast<std::size_t>((actor + 1 + random.next_below(3)) % 4);
    if (a == b || hidden[a] == 0 || hidden[b] == 0) continue;
    const auto any_of = [&](std::uint32_t cards) {
      const ActionMask mask = ActionMask::cards(cards);
      return CardSet::of(mask.nth(random.next_below(mask.count()))).bits();
    };
    std::uint32_t from_a = any_of(hidden[a]), from_b = any_of(hidden[b]);
    if (focus != kNoCard && CardSet(hidden[a]).contains(focus)) from_a = CardSet::of(focus).bits();
    if (focus != kNoCard && CardSet(hidden[b]).contains(focus)) from_b = CardSet::of(focus).bits();
    const std::uint32_t both = from_a | from_b;
    hidden[a] ^= both;
    hidden[b] ^= both;
    dealt[a] ^= both;
    dealt[b] ^= both;
  }
}

using ViewOf = std::function<PlayerView(const Game&, int seat)>;

PlayerView honest_view(const Game& game, int seat) { return game.view(seat); }

/// Everything that an acting seat gets, as bytes.
struct Seen {
  PlayerView view;
  ActionMask mask;
  std::vector<std::uint8_t> observation;
  std::vector<float> floats;

  Seen(const Game& game, int seat, const ViewOf& view_of, std::span<const float> rule_features)
      : view(view_of(game, seat)),
        mask(game.legal_actions()),
        observation(static_cast<std::size_t>(observation_size())),
        floats(observation.size()) {
    expand(view.cards, view.order, view.events, rule_features, observation.data());
    expand(view.cards, view.order, view.events, rule_features, floats.data());
  }
  [[nodiscard]] bool same_as(const Seen& other) const {
    return std::memcmp(&view, &other.view, sizeof(view)) == 0 && mask == other.mask &&
           observation == other.observation && floats == other.floats;
  }
};

struct Counts {
  int pairs = 0, different = 0, late = 0, partner_moved = 0;
  std::array<int, kNumPhases> phases{};
  std::string first_difference;
};

/// Makes pairs at random decisions of random games and counts those that look different.
class PairChecker {
 public:
  PairChecker(ViewOf view_of, std::uint64_t seed)
      : view_of_(std::move(view_of)), random_(seed), rules_(rule_sets()) {}

  Counts run(int pairs) {
    while (counts_.pairs < pairs) check_game();
    return counts_;
  }

 private:
  void check_game() {
    const auto choice =
        static_cast<std::size_t>(random_.next_below(static_cast<int>(rules_.size())));
    const CompiledRules& rules = *rules_[choice];
    features_.assign(static_cast<std::size_t>(rule_feature_size()), 0.0F);
    write_rule_features(rules, features_);
    const Deal deal = random_deal(random_.next());
    const Game start(rules, deal, random_.next_below(4));
    const History history = random_history(start, random_);
    if (history.size() < 2) return;
    for (int i = 0; i < 6; ++i) check_decision(start, history, random_decision(history));
  }

  /// Half of the decisions come after the second trick, the others from the whole deal.
  std::size_t random_decision(const History& history) {
    const bool late = random_.next_below(2) == 0;
    std::size_t first = 0;
    while (late && first + 4 < history.size() && history[first].cards_before < 8) ++first;
    return first +
           static_cast<std::size_t>(random_.next_below(static_cast<int>(history.size() - first)));
  }

  void check_decision(const Game& start, const History& history, std::size_t length) {
    const int actor = history[length].seat;
    Game game = start;
    for (std::size_t i = 0; i < length; ++i) game.apply_unchecked(history[i].action);
    Hands dealt{}, hidden{};
    for (int seat = 0; seat < kNumSeats; ++seat) {
      dealt[static_cast<std::size_t>(seat)] = game.dealt(seat).bits();
      hidden[static_cast<std::size_t>(seat)] = seat == actor ? 0 : game.hand(seat).bits();
    }
    const Hands before = dealt;
    const Card called = game.has_contract() ? game.contract().called : kNoCard;
    for (int attempt = 0; attempt < 4; ++attempt) {
      dealt = before;
      exchange(dealt, hidden, actor, random_.next_below(4) != 0 ? called : kNoCard, random_);
      Game other(start.rules(), deal_from(dealt), start.dealer());
      if (dealt == before || !replays(other, history, length, actor)) continue;
      compare(game, other, actor);
      return;
    }
  }

  void compare(const Game& game, const Game& other, int actor) {
    ++counts_.pairs;
    ++counts_.phases[static_cast<std::size_t>(game.phase())];
    if (game.num_plays() >= 8) ++counts_.late;
    if (game.declarer_party() != other.declarer_party()) ++counts_.partner_moved;
    const Seen left(game, actor, view_of_, features_), right(other, actor, view_of_, features_);
    if (left.same_as(right)) return;
    if (counts_.different++ > 0) return;
    counts_.first_difference =
        "seat " + std::to_string(actor) + " in phase " + std::string(phase_name(game.phase()));
    for (int seat = 0; seat < kNumSeats; ++seat) {
      counts_.first_difference += "\n  seat " + std::to_string(seat) + ": " +
                                  to_string(game.dealt(seat)) +
                                  "\n      or: " + to_string(other.dealt(seat));
    }
    for (int i = 0; i < game.num_events(); ++i) {
      counts_.first_difference += i == 0 ? "\n  " : " ";
      counts_.first_difference += action_name(game.event(i).action);
    }
    counts_.first_difference += "\n ";
    for (int i = 0; i < game.num_plays(); ++i) {
      counts_.first_difference += ' ';
      counts_.first_difference += card_name(game.played_card(i));
    }
  }

  ViewOf view_of_;
  Rng random_;
  std::vector<std::shared_ptr<const CompiledRules>> rules_;
  std::vector<float> features_;
  Counts counts_;
};

constexpr Phase kBuiltPhases[] = {
    Phase::kAuctionRound, Phase::kAuctionResolve, Phase::kAuctionDirect, Phase::kNameClass,
    Phase::kNameSuit,     Phase::kCallCard,       Phase::kDouble,        Phase::kPlay};

TEST(HiddenInformation, R_110_R_121_what_a_seat_cannot_know_changes_nothing_it_gets) {
  const int wanted = scaled(5'000, 100'000, 400'000);
  const Counts counts = PairChecker(honest_view, 17).run(wanted);
  EXPECT_EQ(counts.different, 0) << counts.first_difference;
  EXPECT_GE(counts.pairs, wanted);
  EXPECT_GE(counts.late, counts.pairs * 2 / 5);  // after the second trick
  EXPECT_GE(counts.partner_moved, counts.pairs / 30);
  for (const Phase phase : kBuiltPhases) {
    EXPECT_GE(counts.phases[static_cast<std::size_t>(phase)], counts.pairs / 1000)
        << phase_name(phase);
  }
}

TEST(HiddenInformation, a_view_that_names_the_secret_partner_is_found) {
  const ViewOf leaking = [](const Game& game, int seat) {
    PlayerView view = game.view(seat);
    view.order.reserved1 = game.declarer_party();
    return view;
  };
  EXPECT_GT(PairChecker(leaking, 18).run(2'000).different, 50);
}

TEST(HiddenInformation, a_view_that_shows_one_card_of_the_left_neighbour_is_found) {
  const ViewOf leaking = [](const Game& game, int seat) {
    PlayerView view = game.view(seat);
    view.cards.hand |= game.hand((seat + 1) % 4).bits() & 0x80u;
    return view;
  };
  EXPECT_GT(PairChecker(leaking, 19).run(2'000).different, 20);
}

// ---- perfect recall
// --------------------------------------------------------------------------------

std::uint64_t mix_bytes(const void* data, std::size_t size, std::uint64_t seed) {
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  for (std::size_t i = 0; i < size; ++i) seed = mix64(seed ^ bytes[i]);
  return seed;
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
      const auto [at, is_new] = history_of_view.emplace(mix_bytes(&view, sizeof(view), 1), own);
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
  for (const auto& rules : rule_sets()) {
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
