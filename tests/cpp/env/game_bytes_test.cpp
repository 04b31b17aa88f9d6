// Bytes of a game: what comes back is a game that the rules allow, whatever was changed in them.
// Every change gets a new checksum, so that only the contents can give it away.
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "env/base/random.h"
#include "env/deal/deal.h"
#include "env/game/game.h"
#include "tests/cpp/support/checksums.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/random_play.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/cpp/support/scale.h"

namespace schafkopf::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// Uses a game in every way: views of all seats, masks, texts, play to the end, price.
void use(Game game, Rng& random) {
  const auto look = [&game] {
    for (int seat = 0; seat < game.seats(); ++seat) {
      (void)game.view(seat);
      (void)game.full_view(seat);
    }
    (void)game.why_illegal(kActionPass);
    (void)game.outcome();
    game.check_invariants();
  };
  look();
  while (!game.is_terminal()) {
    ASSERT_FALSE(game.legal_actions().empty());
    const ActionMask mask = game.legal_actions();
    game.apply(random.next_below(16) == 0 ? mask.nth(random.next_below(mask.count()))
                                          : random_action(game, random));
  }
  look();
  (void)game.settlement();
  ASSERT_EQ(Game::deserialize(game.rules(), game.serialize()).serialize(), game.serialize());
}

struct Tried {
  int refused = 0, taken = 0;
};

/// Tries changed bytes: a clear refusal, or a game that can be used and has just these bytes.
void try_bytes(const CompiledRules& rules, Bytes bytes, Rng& random, Tried& tried) {
  sum_up(bytes);
  try {
    const Game game = Game::deserialize(rules, bytes);
    ++tried.taken;
    ASSERT_EQ(game.serialize(), bytes);
    const Contract contract = game.contract();
    SCOPED_TRACE("contract " + std::string(contract_name(contract.contract, contract.tout)) +
                 ", declarer " + std::to_string(contract.declarer) + ", party " +
                 std::to_string(game.declarer_party()) + ", cards " +
                 std::to_string(game.num_plays()) + ", context " +
                 std::to_string(game.context().stock) + " " + std::to_string(game.context().bock) +
                 ", endgame " + std::to_string(game.is_endgame()));
    ASSERT_NO_THROW(use(game, random));
  } catch (const std::invalid_argument&) {
    ++tried.refused;
  }
}

/// Changes bytes of a game one by one, every `step`-th of them, and some pairs.
void damage(const Game& game, int step, Rng& random, Tried& tried) {
  const Bytes good = game.serialize();
  const std::size_t size = good.size() - sizeof(std::uint64_t);
  const auto change = [&random](std::uint8_t& byte) {
    constexpr int kBits = 8;
    const int flip =
        random.next_below(2) == 0 ? 1 << random.next_below(kBits) : 1 + random.next_below(255);
    byte = static_cast<std::uint8_t>(byte ^ flip);
  };
  const auto any = [&] {
    return static_cast<std::size_t>(random.next_below(static_cast<int>(size)));
  };
  for (std::size_t i = static_cast<std::size_t>(random.next_below(step)); i < size;
       i += static_cast<std::size_t>(step)) {
    Bytes one = good, two = good;
    change(one[i]);
    try_bytes(game.rules(), one, random, tried);
    change(two[any()]);
    std::swap(two[i], two[any()]);
    try_bytes(game.rules(), two, random, tried);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

/// Games of random rules at random decisions: deals from their first question on, deals entered at
/// card play, endgames; some ended by an infraction.
class Games {
 public:
  explicit Games(std::uint64_t seed) : random_(seed), rules_(random_rules(seed)) {}

  Game from_the_deal() {
    const DealContext context = random_context(random_.next(), rules_.rules());
    const int dealer = random_.next_below(rules_.seats());
    const Deal deal = strange_deal(random_.next(), rules_.rules(), dealer, context);
    Game game(rules_, deal, dealer, context);
    return play_on(game, random_.next_below(random_.next_below(2) == 0 ? 12 : 70));
  }

  /// Nothing where the deal came to no play.
  std::optional<Game> from_card_play() {
    const std::optional<Game> game = at_card_play();
    if (!game) return std::nullopt;
    CardPlayStart start;
    start.contract = game->contract();
    const bool accepted = contract_row(start.contract.contract).parties == Parties::kHochzeit;
    start.partner = accepted ? game->partner() : -1;
    if (random_.next_below(2) == 0) start.laid = {random_.next_below(rules_.seats())};
    Deal deal;
    for (int seat = 0; seat < rules_.seats(); ++seat) {
      const auto s = static_cast<std::size_t>(seat);
      deal.second[s] = game->start_hand(seat);
      for (int i = 0; i < rules_.cards_per_hand() / 2; ++i) {
        deal.first[s] = deal.first[s] | CardSet::of(deal.second[s].pop_lowest());
      }
    }
    // a card that wanders through all seats, each of which got one for it
    if (random_.next_below(2) == 0) exchange_cards(deal, start);
    try {
      const Game entered =
          Game::with_contract(rules_, deal, game->dealer(), start, game->context());
      return play_on(entered, random_.next_below(40));
    } catch (const std::invalid_argument&) {
      return std::nullopt;  // a call by duty, say, that only an auction can bring about
    }
  }

  std::optional<Game> endgame() {
    std::optional<Game> game = at_card_play();
    if (!game) return std::nullopt;
    const int cards = rules_.seats() * random_.next_below(rules_.cards_per_hand());
    while (!game->is_terminal() && (game->num_plays() < cards || game->phase() != Phase::kPlay)) {
      game->apply_unchecked(random_action(*game, random_));
    }
    if (game->is_terminal() || game->play_state().on_table != 0) return std::nullopt;
    Position position;
    position.contract = game->contract();
    position.contract.bid = 0;
    for (int seat = 0; seat < kNumSeats; ++seat) {
      position.hands[static_cast<std::size_t>(seat)] = game->hand(seat);
      position.captured[static_cast<std::size_t>(seat)] = game->captured(seat);
    }
    const bool calls = position.contract.called != kNoCard;
    bool out = calls;  // the called card has been played
    for (const CardSet hand : position.hands) out = out && !hand.contains(position.contract.called);
    if (calls && game->partner_known() && !out)
      return std::nullopt;  // ran away: no endgame says so
    if (calls ? out : game->partner() >= 0) position.partner = game->partner();
    if (position.contract.declarer < 0 && game->declarer_party() != 0) {
      position.partner = (game->declarer_party() & 1) != 0 ? 0 : 1;
    }
    position.leader = game->current_player();
    position.dealer = game->dealer();
    return play_on(Game::from_position(rules_, position), random_.next_below(20));
  }

 private:
  std::optional<Game> at_card_play() {
    for (int deal = 0; deal < 20; ++deal) {
      const int dealer = random_.next_below(rules_.seats());
      const DealContext context = first_context(rules_.rules());
      Game game(rules_, deal_for(random_.next(), rules_.rules(), dealer, context), dealer, context);
      while (!game.is_terminal() && !game.has_contract()) {
        game.apply_unchecked(random_action(game, random_));
      }
      if (!game.is_terminal() && game.num_plays() == 0) return game;
    }
    return std::nullopt;
  }

  /// One card goes from seat to seat, and each that got it gives another to the first.
  void exchange_cards(const Deal& deal, CardPlayStart& start) {
    const int first = random_.next_below(rules_.seats());
    const CardSet card = CardSet::of(deal.hand(first).lowest());
    for (int step = 1; step < rules_.seats(); ++step) {
      const int from = (first + step - 1) % rules_.seats(), to = (first + step) % rules_.seats();
      start.exchange.push_back({from, to, card});
    }
    const int last = (first + rules_.seats() - 1) % rules_.seats();
    start.exchange.push_back({last, first, CardSet::of(deal.hand(last).lowest())});
  }

  Game play_on(Game game, int decisions) {
    for (int i = 0; i < decisions && !game.is_terminal(); ++i) {
      const ActionMask mask = game.legal_actions();
      const bool claims = random_.next_below(24) == 0;
      game.apply_unchecked(claims ? mask.nth(random_.next_below(mask.count()))
                                  : random_action(game, random_));
    }
    const bool plays = game.phase() == Phase::kPlay || game.phase() == Phase::kDouble;
    if (random_.next_below(6) == 0 && game.has_contract() && plays) {
      game.infract(random_.next_below(game.seats()),
                   static_cast<Infraction>(1 + random_.next_below(4)));
    }
    return game;
  }

  Rng random_;
  CompiledRules rules_;
};

/// Calls visit(game) for games of `sets` random rule sets.
template <class Visit>
void for_each_game(int sets, const Visit& visit) {
  for (int set = 1; set <= sets; ++set) {
    SCOPED_TRACE("seed " + std::to_string(set));
    Games games(static_cast<std::uint64_t>(set));
    const Game dealt = games.from_the_deal();
    visit(dealt);
    const std::optional<Game> entered = games.from_card_play(), endgame = games.endgame();
    if (entered) visit(*entered);
    if (endgame) visit(*endgame);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(GameBytes, every_game_comes_back_as_it_was) {
  std::set<Phase> phases;
  int entered = 0, endgames = 0, laid_down = 0, offences = 0;
  for_each_game(scaled(100, 600, 20'000), [&](const Game& game) {
    const Bytes bytes = game.serialize();
    ASSERT_NO_THROW(ASSERT_EQ(Game::deserialize(game.rules(), bytes).serialize(), bytes));
    phases.insert(game.phase());
    entered += static_cast<int>(game.starts_at_play());
    endgames += static_cast<int>(game.is_endgame());
    laid_down += static_cast<int>(game.is_terminal() && game.num_plays() < 20);
    offences += static_cast<int>(game.infraction() != Infraction::kNone);
  });
  EXPECT_GE(phases.size(), 14U);
  EXPECT_GT(entered, 20);
  EXPECT_GT(endgames, 20);
  EXPECT_GT(laid_down, 5);
  EXPECT_GT(offences, 5);
}

TEST(GameBytes, changed_bytes_are_refused_or_are_another_game) {
  Rng random(11);
  Tried tried;
  const int step = scaled(29, 17, 1);
  for_each_game(scaled(20, 100, 300), [&](const Game& game) { damage(game, step, random, tried); });
  EXPECT_GT(tried.refused, 1000);
  EXPECT_GT(tried.taken, 0);  // a Stock of another size, say
}

TEST(GameBytes, the_shipped_rules_are_tried_byte_by_byte) {
  Rng random(12);
  Tried tried;
  for (const char* name : {"research", "wikipedia_extended"}) {
    const auto rules = CompiledRules::load(name);
    Game game(*rules, random_deal(7), 1);
    for (const int decisions : {2, 14, 9}) {
      for (int i = 0; i < decisions && !game.is_terminal(); ++i) {
        game.apply_unchecked(random_action(game, random));
      }
      damage(game, 1, random, tried);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(GameBytes, what_is_wrong_is_said) {
  const auto rules = CompiledRules::load("research");
  const Game game(*rules, random_deal(3), 0);
  const auto error_of = [&](Bytes bytes) -> std::string {
    return test::error_of<std::invalid_argument>([&] { (void)Game::deserialize(*rules, bytes); });
  };
  Bytes bytes = game.serialize();
  bytes[40] ^= 1;
  EXPECT_NE(error_of(bytes).find("checksum"), std::string::npos);
  // a card of seat 0 is in no hand any more: the hands are the first words of the state
  bytes = game.serialize();
  const CardSet second_half = game.hand(0) - game.first_half(0);
  const std::uint32_t hand = (game.hand(0) - CardSet::of(second_half.lowest())).bits();
  std::memcpy(bytes.data() + 16, &hand, sizeof hand);
  sum_up(bytes);
  EXPECT_NE(error_of(bytes).find("hand of seat 0"), std::string::npos) << error_of(bytes);
  EXPECT_NE(error_of(bytes).find("serialized game"), std::string::npos);
}

}  // namespace

// Deals that begin as copies of another one's first question

namespace {

Game begun(const CompiledRules& rules, std::uint64_t seed, int dealer, const DealContext& context) {
  return Game(rules, deal_for(seed, rules.rules(), dealer, context), dealer, context);
}

/// Becomes the game of another deal, in the place of this one, and is compared byte for byte.
void begin_and_compare(Game& game, const Game& first, std::uint64_t seed) {
  const CompiledRules& rules = first.rules();
  const Deal deal = deal_for(seed, rules.rules(), first.dealer(), first.context());
  game.begin_anew(first, deal);
  const Game made(rules, deal, first.dealer(), first.context());
  ASSERT_EQ(std::memcmp(&game, &made, sizeof(Game)), 0) << "deal of seed " << seed;
}

bool begins_for_all(RuleSet rules, SpecialRound round = SpecialRound::kNone) {
  const CompiledRules compiled(rules);
  DealContext context = compiled.first_context();
  context.special_round = static_cast<std::uint8_t>(round);
  return begun(compiled, 1, 0, context).begins_for_all();
}

/// What makes an auction long: the lowest game that can still be named.
Action longest_answer(const Game& game) {
  const ActionMask mask = without_claims(game.legal_actions());
  for (int n = 0; n < mask.count(); ++n) {
    if (mask.nth(n) != kActionPass) return mask.nth(n);
  }
  return mask.lowest();
}

}  // namespace

TEST(BeginAnew, under_any_house_rules_a_game_is_the_one_that_its_deal_makes_whatever_lay_there) {
  int begun_anew = 0, made = 0;
  for (int round = 0; round < scaled(40, 400, 4000); ++round) {
    const auto seed = static_cast<std::uint64_t>(round);
    const CompiledRules rules(random_rules(seed));
    const DealContext context =
        round % 2 == 0 ? rules.first_context() : random_context(seed, rules.rules());
    const Game first = begun(rules, 2 * seed, round % rules.seats(), context);
    if (!first.begins_for_all()) {
      ++made;
      continue;
    }
    Rng random(seed);
    Game game = begun(rules, 2 * seed + 1, first.dealer(), context);
    for (std::uint64_t deal = 0; deal < 4; ++deal, ++begun_anew) {
      play_out(game, random);
      begin_and_compare(game, first, mix64(seed + deal));
      ASSERT_FALSE(HasFatalFailure()) << "rules of seed " << seed;
    }
  }
  EXPECT_GT(begun_anew, 0);
  EXPECT_GT(made, 0);
}

TEST(BeginAnew, of_a_long_auction_nothing_stays) {
  RuleSet house = preset("official_1989_full");
  house.auction_style = AuctionStyle::kDirect;
  house.legen = Legen::kFree;
  house.suit_public_when_named = true;
  const CompiledRules rules(house);
  const Game first = begun(rules, 1, 0, rules.first_context());
  ASSERT_TRUE(first.begins_for_all());
  Game game = begun(rules, 2, 0, rules.first_context());
  while (!game.is_terminal()) game.apply(longest_answer(game));
  ASSERT_GT(game.num_events(), 32) << "no more than a line of the caches holds";
  begin_and_compare(game, first, 3);
}

TEST(BeginAnew, it_is_for_deals_whose_first_question_no_hand_decides) {
  const RuleSet research = preset("research");
  EXPECT_TRUE(begins_for_all(research));
  const auto with = [&](auto RuleSet::* field, auto value) {
    RuleSet rules = research;
    rules.*field = value;
    return rules;
  };
  EXPECT_TRUE(begins_for_all(with(&RuleSet::auction_style, AuctionStyle::kDirect)));
  EXPECT_TRUE(begins_for_all(with(&RuleSet::legen, Legen::kFree)));
  EXPECT_TRUE(begins_for_all(with(&RuleSet::hochzeit, HochzeitMode::kAfterAllPass)));
  // C.3: who has one trump may offer it, and is asked first
  EXPECT_FALSE(begins_for_all(with(&RuleSet::hochzeit, HochzeitMode::kBeforeAuction)));
  RuleSet of_three = with(&RuleSet::players, 3);
  of_three.deck = Deck::kShort24;
  EXPECT_FALSE(begins_for_all(of_three));
  EXPECT_FALSE(begins_for_all(research, SpecialRound::kRamsch));
  EXPECT_FALSE(begins_for_all(research, SpecialRound::kSchieber));
}

TEST(BeginAnew, a_game_to_which_something_has_happened_is_none_to_begin_as) {
  const CompiledRules rules(preset("research"));
  Game game = begun(rules, 1, 0, rules.first_context());
  ASSERT_TRUE(game.begins_for_all());
  game.apply(kActionPass);
  EXPECT_FALSE(game.begins_for_all());
}

}  // namespace schafkopf::test
