// What a seat sees depends on what it may know only (RULES D.1, D.3, E.2, E.4; ): two
// deals that differ only in hidden cards give the same view, mask and observation, and two
// different public histories give different views. Hidden are also the second half while laying,
// offers that were not made or refused, and cards passed between two other seats (D.1).
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "env/base/random.h"
#include "env/cards/card_map.h"
#include "env/view/encoder.h"
#include "tests/cpp/differential/differential_bridge.h"
#include "tests/cpp/support/random_play.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/cpp/support/scale.h"

namespace schafkopf::test {
namespace {

using History = std::vector<Decision>;

/// House rules by number: every auction, every Kontra window, suits named at once.
std::vector<std::shared_ptr<const CompiledRules>> plain_rule_sets() {
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

/// A special round or none, for each kind of Legen and Hochzeit; the rest of the rules is random.
std::shared_ptr<const CompiledRules> rules_with_secrets(std::uint64_t number) {
  RuleSet rules = random_rules(number);
  const auto pick = [number](std::uint64_t step, int values) {
    return static_cast<int>(number / step % static_cast<unsigned>(values));
  };
  rules.players = pick(1, 5) == 4 ? 5 : 4;
  rules.deck = pick(1, 7) == 6 ? rules.deck : Deck::kLong32;
  rules.special_round = static_cast<SpecialRound>(pick(1, kNumValues<SpecialRound>));
  if (rules.deck == Deck::kShort24) rules.special_round = SpecialRound::kZupfSolo;
  rules.legen = static_cast<Legen>(pick(2, kNumValues<Legen>));
  rules.hochzeit = static_cast<HochzeitMode>(pick(3, kNumValues<HochzeitMode>));
  rules.ramsch_virgin_announced = pick(1, 2) == 0;
  rules.contracts.add(ContractClass::kSolo);
  if (pick(1, 3) == 0) {
    rules.auction_style = AuctionStyle::kTwoStage;
    rules.solo_contest = SoloContest::kSteigern;
  }
  if (pick(4, 3) == 0) rules.all_pass = AllPass::kLastChooses;
  return std::make_shared<const CompiledRules>(checked(rules));
}

std::vector<std::shared_ptr<const CompiledRules>> rule_sets() {
  auto list = plain_rule_sets();
  for (std::uint64_t i = 0; i < 156; ++i) list.push_back(rules_with_secrets(i));
  return list;
}

Game new_game(const CompiledRules& rules, const Deal& deal, int dealer) {
  return Game(rules, deal, dealer, rules.first_context());
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
/// its own; other seats that are asked unseen answer silently, or pass on the same card as before
/// if they have it. True if the history is legal there and leads to the same question to the actor.
bool replays(Game& game, const History& history, std::size_t length, int actor, Rng& random) {
  std::size_t next = 0, passed = 0;
  const auto skip_unseen = [&] {
    while (next < length && !history[next].is_public() && history[next].seat != actor) ++next;
  };
  while (!game.is_terminal()) {
    skip_unseen();
    const int seat = game.current_player();
    const bool silent = silent_answer(game.phase()) != 0 && seat != actor;
    const bool secret = passes_cards(game.phase()) && seat != actor;
    if (next == length && !silent && !secret) {
      return seat == actor && game.phase() == history[length].phase;
    }
    const bool said = next < length && history[next].seat == seat &&
                      history[next].phase == game.phase() &&
                      history[next].cards_before == game.num_plays() &&
                      history[next].runs_away == runs_away(game, history[next].action);
    if (secret) {
      const ActionMask mask = game.legal_actions();
      while (passed < length &&
             (!passes_cards(history[passed].phase) || history[passed].seat != seat)) {
        ++passed;
      }
      const bool same =
          passed < length && mask.contains(history[passed].action) && random.next_below(2) == 0;
      game.apply_unchecked(same ? history[passed].action
                                : mask.nth(random.next_below(mask.count())));
      ++passed;
    } else if (said && game.legal_actions().contains(history[next].action)) {
      game.apply_unchecked(history[next++].action);
    } else if (silent) {
      game.apply_unchecked(silent_answer(game.phase()));
    } else {
      return false;
    }
  }
  return false;
}

/// What a seat has seen of its own cards when it is asked (F.1, OPEN-03, OPEN-76; B.3.4): before
/// the deal the cards fixed by the mode, while laying one half.
CardSet own_cards_seen(const Game& game, const Deal& deal, int seat) {
  const RuleSet& rules = game.rules().rules();
  const auto s = static_cast<std::size_t>(seat);
  const SpecialRound mode = game.special_round();
  const bool suit_first = mode == SpecialRound::kTeufel ||
                          (mode == SpecialRound::kSchieber && rules.schieber_cards == 4 &&
                           rules.schieber_variant == SchieberVariant::kForehandOnly);
  const bool fixed = suit_first && seat == game.forehand();
  const CardSet packet = fixed ? undealt_packet(rules, game.context()) : CardSet();
  if (game.phase() == Phase::kPredeal) return packet;
  if (game.phase() != Phase::kLegen) return kLongDeck;  // all that it had
  if (fixed) return deal.first[s] | packet;
  if (seat != game.dealer() || rules.players == 5) return deal.first[s];
  if (rules.legen_dealer_cards == LegenDealerCards::kLast) return deal.second[s];
  return rules.legen_dealer_cards == LegenDealerCards::kAll ? deal.hand(seat) : deal.first[s];
}

/// Cards of the deal of which `actor` cannot know who was dealt them; the owner of a called card is
/// hidden too.
CardSet hidden_cards(const Game& game, const Deal& deal, int actor) {
  CardSet hidden = game.rules().deck() - undealt_packet(game.rules().rules(), game.context());
  const CardSet own = deal.hand(actor) | game.given(actor) | game.received(actor);
  hidden = hidden - (own & own_cards_seen(game, deal, actor)) - game.open_cards();
  for (int i = 0; i < game.num_plays(); ++i) hidden.remove(game.played_card(i));
  for (int i = 1; i < game.num_events(); ++i) {  // shown after an offer (C.3)
    const bool shown = game.event(i).action < kNumCards && game.event(i).cards_before == 0 &&
                       (game.event(i - 1).action == kActionHzOffer1 ||
                        game.event(i - 1).action == kActionHzOffer2 ||
                        (i > 1 && game.event(i - 2).action == kActionHzOffer2));
    if (shown) hidden.remove(game.event(i).action);
  }
  return hidden;
}

/// Exchanges two cards of a deal, wherever they lie.
void exchange_cards(Deal& deal, Card a, Card b) {
  for (auto* half : {&deal.first, &deal.second}) {
    for (CardSet& cards : *half) {
      const bool has_a = cards.contains(a), has_b = cards.contains(b);
      if (has_a == has_b) continue;
      cards.remove(has_a ? a : b);
      cards.add(has_a ? b : a);
    }
  }
}

/// Exchanges hidden cards, and now and then the halves and the card that is drawn.
///
/// focus  a card that should move, kNoCard = any
Deal hidden_exchange(Deal deal, CardSet hidden, Card focus, Rng& random) {
  const auto any_card = [&] {
    const ActionMask mask = ActionMask::cards(hidden.bits());
    return Card{mask.nth(random.next_below(mask.count()))};
  };
  if (hidden.count() < 2) return deal;
  const int swaps = 1 + random.next_below(3);
  for (int i = 0; i < swaps; ++i) {
    const bool focussed = i == 0 && focus < kNumCards && hidden.contains(focus);
    exchange_cards(deal, focussed ? focus : any_card(), any_card());
  }
  if (random.next_below(2) == 0) deal.zupf = static_cast<std::uint8_t>(random.next_below(8));
  return deal;
}

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

/// Makes pairs at random decisions of random games and counts those that look different.
class PairChecker {
 public:
  PairChecker(ViewOf view_of, std::uint64_t seed,
              std::vector<std::shared_ptr<const CompiledRules>> rules)
      : view_of_(std::move(view_of)), random_(seed), rules_(std::move(rules)) {}

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
    const int dealer = random_.next_below(rules.seats());
    deal_ = deal_for(random_.next(), rules.rules(), dealer, rules.first_context());
    const Game start = new_game(rules, deal_, dealer);
    const History history = random_history(start, random_);
    if (history.size() < 2) return;
    for (int i = 0; i < 6; ++i) check_decision(start, history, random_decision(history));
    for (std::size_t i = 0; i < history.size(); ++i) {  // what is rare is always looked at
      const bool usual = history[i].phase == Phase::kPlay ||
                         history[i].phase == Phase::kAuctionRound ||
                         history[i].phase == Phase::kDouble;
      if (!usual) check_decision(start, history, i);
    }
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
    const CardSet hidden = hidden_cards(game, deal_, actor);
    const Card called = game.has_contract() ? game.contract().called : kNoCard;
    for (int attempt = 0; attempt < 4; ++attempt) {
      const Deal deal =
          hidden_exchange(deal_, hidden, random_.next_below(4) != 0 ? called : kNoCard, random_);
      if (deal == deal_) continue;
      Game other = new_game(start.rules(), deal, start.dealer());
      if (!replays(other, history, length, actor, random_)) continue;
      if (!knows_the_same(game, other, actor)) continue;
      compare(game, other, actor);
      return;
    }
  }

  /// The own cards are those of the other deal: what another seat passed on could differ. A Renonce
  /// is announced with the call (C.2).
  static bool knows_the_same(const Game& game, const Game& other, int actor) {
    if (game.contract().renonce != other.contract().renonce) return false;
    if (game.phase() == Phase::kPredeal || game.phase() == Phase::kLegen) return true;
    return game.hand(actor) == other.hand(actor) && game.given(actor) == other.given(actor) &&
           game.received(actor) == other.received(actor);
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
    counts_.first_difference += ' ' + std::string(name_of(game.special_round()));
    for (int seat = 0; seat < game.seats(); ++seat) {
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
  Deal deal_;
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
    EXPECT_GE(counts.phases[static_cast<std::size_t>(i)], wanted / 2000) << phase_name(phase);
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
