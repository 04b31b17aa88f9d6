// Pairs of games that a seat cannot tell apart: the hidden cards are dealt anew, and what the seat
// has seen happens again. For the test HiddenInformation and for ./run secrets.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "env/base/random.h"
#include "env/game/game.h"
#include "tests/cpp/differential/differential_bridge.h"
#include "tests/cpp/support/random_play.h"
#include "tests/cpp/support/random_rules.h"

namespace schafkopf::test {

using History = std::vector<Decision>;

/// House rules by number: every auction, every Kontra window, suits named at once.
inline std::vector<std::shared_ptr<const CompiledRules>> plain_rule_sets() {
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
inline std::shared_ptr<const CompiledRules> rules_with_secrets(std::uint64_t number) {
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

inline std::vector<std::shared_ptr<const CompiledRules>> rule_sets() {
  auto list = plain_rule_sets();
  for (std::uint64_t i = 0; i < 156; ++i) list.push_back(rules_with_secrets(i));
  return list;
}

inline Game new_game(const CompiledRules& rules, const Deal& deal, int dealer) {
  return Game(rules, deal, dealer, rules.first_context());
}

/// The owner of the called card leads its suit without it (E.3.4).
inline bool runs_away(const Game& game, Action action) {
  if (game.phase() != Phase::kPlay || game.play_state().on_table != 0) return false;
  const Card called = game.contract().called;
  if (called == kNoCard || !game.hand(game.current_player()).contains(called)) return false;
  const CardSet suit = CardSet::suit(suit_of(called)) - CardSet(game.play_state().trumps);
  return action != called && suit.contains(action);
}

/// Random game as a list of decisions.
inline History random_history(Game game, Rng& random) {
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
inline bool replays(Game& game, const History& history, std::size_t length, int actor,
                    Rng& random) {
  std::size_t next = 0, passed = 0;
  const auto skip_unseen = [&] {
    while (next < length && !history[next].is_public() && history[next].seat != actor) ++next;
  };
  while (!game.is_terminal()) {
    skip_unseen();
    const int seat = game.current_player();
    const bool silent = traceless_answer(game.phase()) != 0 && seat != actor;
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
      game.apply_unchecked(traceless_answer(game.phase()));
    } else {
      return false;
    }
  }
  return false;
}

/// What a seat has seen of its own cards when it is asked (F.1, OPEN-03, OPEN-76; B.3.4): before
/// the deal the cards fixed by the mode, while laying one half.
inline CardSet own_cards_seen(const Game& game, const Deal& deal, int seat) {
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
inline CardSet hidden_cards(const Game& game, const Deal& deal, int actor) {
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
inline void exchange_cards(Deal& deal, Card a, Card b) {
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
inline Deal hidden_exchange(Deal deal, CardSet hidden, Card focus, Rng& random) {
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

/// Both games, and the seat that must not tell them apart.
struct SecretPair {
  const Game& game;
  const Game& other;
  int actor;
};

/// Makes pairs at random decisions of random games: an actor that knows the same in both.
class PairMaker {
 public:
  using Rules = std::vector<std::shared_ptr<const CompiledRules>>;

  PairMaker(std::uint64_t seed, Rules rules) : random_(seed), rules_(std::move(rules)) {}

  /// Plays until `pairs` were given to `compare` (SecretPair), or some more: all of the last game.
  template <class Compare>
  void run(int pairs, Compare&& compare) {
    for (int made = 0; made < pairs;) made += pairs_of_a_game(compare);
  }

 private:
  template <class Compare>
  int pairs_of_a_game(Compare& compare) {
    const auto choice =
        static_cast<std::size_t>(random_.next_below(static_cast<int>(rules_.size())));
    const CompiledRules& rules = *rules_[choice];
    const int dealer = random_.next_below(rules.seats());
    deal_ = deal_for(random_.next(), rules.rules(), dealer, rules.first_context());
    const Game start = new_game(rules, deal_, dealer);
    const History history = random_history(start, random_);
    if (history.size() < 2) return 0;
    int made = 0;
    for (int i = 0; i < 6; ++i) {
      made += pair_at(start, history, random_decision(history), compare) ? 1 : 0;
    }
    for (std::size_t i = 0; i < history.size(); ++i) {  // what is rare is always looked at
      const bool usual = history[i].phase == Phase::kPlay ||
                         history[i].phase == Phase::kAuctionRound ||
                         history[i].phase == Phase::kDouble;
      if (!usual) made += pair_at(start, history, i, compare) ? 1 : 0;
    }
    return made;
  }

  /// Half of the decisions come after the second trick, the others from the whole deal.
  std::size_t random_decision(const History& history) {
    const bool late = random_.next_below(2) == 0;
    std::size_t first = 0;
    while (late && first + 4 < history.size() && history[first].cards_before < 8) ++first;
    return first +
           static_cast<std::size_t>(random_.next_below(static_cast<int>(history.size() - first)));
  }

  template <class Compare>
  bool pair_at(const Game& start, const History& history, std::size_t length, Compare& compare) {
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
      compare(SecretPair{game, other, actor});
      return true;
    }
    return false;
  }

  /// The own cards are those of the other deal: what another seat passed on could differ. A Renonce
  /// is announced with the call (C.2); who must play shows himself, in a Kreuzrunde without a call
  /// (C.4, C.5).
  static bool knows_the_same(const Game& game, const Game& other, int actor) {
    if (game.contract().renonce != other.contract().renonce) return false;
    if (game.contract().declarer != other.contract().declarer) return false;
    if (game.phase() == Phase::kPredeal || game.phase() == Phase::kLegen) return true;
    return game.hand(actor) == other.hand(actor) && game.given(actor) == other.given(actor) &&
           game.received(actor) == other.received(actor);
  }

  Rng random_;
  Rules rules_;
  Deal deal_;
};

/// Where, both deals, what was said and played: for messages.
inline std::string text_of(const SecretPair& pair) {
  const Game& game = pair.game;
  std::string text = "seat " + std::to_string(pair.actor) + " in phase " +
                     std::string(phase_name(game.phase())) + ' ' +
                     std::string(name_of(game.special_round()));
  for (int seat = 0; seat < game.seats(); ++seat) {
    text += "\n  seat " + std::to_string(seat) + ": " + to_string(game.dealt(seat)) +
            "\n      or: " + to_string(pair.other.dealt(seat));
  }
  for (int i = 0; i < game.num_events(); ++i) {
    text += (i == 0 ? "\n  " : " ") + action_name(game.event(i).action);
  }
  text += "\n ";
  for (int i = 0; i < game.num_plays(); ++i) text += ' ' + card_name(game.played_card(i));
  return text;
}

}  // namespace schafkopf::test
