#include "agents/endgames.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "env/action.h"
#include "env/random.h"

namespace schafkopf {
namespace {

/// Subsets of `size` cards, smallest mask first.
std::vector<CardSet> subsets_of(CardSet cards, int size) {
  std::vector<CardSet> subsets;
  const std::uint32_t all = cards.bits();
  std::uint32_t subset = 0;
  do {
    if (CardSet(subset).count() == size) subsets.emplace_back(subset);
    subset = (subset - all) & all;  // the next subset of the mask
  } while (subset != 0);
  return subsets;
}

void deal_from(int seat, int seats, CardSet left, EndgameHands& hands,
               std::vector<EndgameHands>& deals) {
  const auto s = static_cast<std::size_t>(seat);
  if (seat == seats - 1) {
    hands[s] = left;
    deals.push_back(hands);
    return;
  }
  for (const CardSet hand : subsets_of(left, left.count() / (seats - seat))) {
    hands[s] = hand;
    deal_from(seat + 1, seats, left - hand, hands, deals);
  }
}

/// One kind of a list: a row of the contract table, and whether the called card has been played.
struct Kind {
  const ContractRow* row;
  bool called_card_played = false;

  [[nodiscard]] std::string name() const {
    const std::string text(row->name);
    if (row->parties != Parties::kCalledCard) return text;
    return text + (called_card_played ? "_ACE_PLAYED" : "_ACE_HELD");
  }
};

std::vector<Kind> all_kinds() {
  return {{&calling_row()},
          {&calling_row(), true},
          {&row_of(Family::kSolo)},
          {&row_of(Family::kWenz)},
          {&row_of(Parties::kEveryone)}};
}

int trumps_held(const CompiledRules& rules, const Kind& kind, Suit suit, CardSet hand) {
  return (hand & CardSet(rules.play(kind.row->contract, suit).trumps)).count();
}

/// The seat with the longest trumps plays; no declarer where everybody plays. called stays empty
/// if it has nothing to call.
Contract contract_on(const CompiledRules& rules, const Kind& kind, const Deal& deal, Rng& rng) {
  Contract contract{.contract = kind.row->contract};
  if (kind.row->parties == Parties::kEveryone) return contract;
  int longest = -1;
  for (int seat = 0; seat < rules.seats(); ++seat) {
    for (int suit = 0; suit < kNumSuits; ++suit) {
      const auto named = static_cast<Suit>(suit);
      const int held = trumps_held(rules, kind, named, deal.hand(seat));
      if (held <= longest) continue;
      longest = held;
      contract.declarer = seat;
      if (kind.row->trump_suit == TrumpSuit::kAnnounced) contract.suit = named;
    }
  }
  if (kind.row->parties == Parties::kCalledCard) {
    const ActionMask cards = ActionMask::cards(rules.callable(deal.hand(contract.declarer).bits()));
    if (!cards.empty()) contract.called = cards.nth(rng.next_below(cards.count()));
  }
  return contract;
}

/// Random cards, no doublings, until `cards` are left in all hands.
void play_down(Game& game, int cards, Rng& rng) {
  while (!game.is_terminal() &&
         static_cast<int>(game.play_state().num_played) + cards < game.rules().deck().count()) {
    if (game.phase() == Phase::kDouble) {
      game.apply(kActionNoDouble);
      continue;
    }
    const ActionMask mask = without_claims(game.legal_actions());
    game.apply_unchecked(mask.nth(rng.next_below(mask.count())));
  }
}

/// The end of one random deal, if it is of the kind.
bool draw_endgame(const CompiledRules& rules, const Kind& kind, int tricks, Rng& rng,
                  Endgame& endgame) {
  const Deal deal = random_deal(rng.next());
  const int dealer = rng.next_below(rules.seats());
  const Contract contract = contract_on(rules, kind, deal, rng);
  const bool calls = kind.row->parties == Parties::kCalledCard;
  if (calls && contract.called == kNoCard) return false;
  Game game = Game::with_contract(rules, deal, dealer, contract);
  play_down(game, tricks * rules.seats(), rng);
  if (game.is_terminal()) return false;
  endgame = {.kind = kind.name(), .contract = contract, .dealer = dealer};
  for (int seat = 0; seat < rules.seats(); ++seat) {
    endgame.captured[static_cast<std::size_t>(seat)] = game.captured(seat);
    endgame.cards = endgame.cards | game.hand(seat);
  }
  endgame.leader = game.current_player();
  const bool held = calls && endgame.cards.contains(contract.called);
  if (calls && held == kind.called_card_played) return false;
  // who ran away is known, and an endgame has no history to say so
  if (held && game.partner_known()) return false;
  if (calls && !held) endgame.partner = game.partner();
  return true;
}

/// Whether the result is still open: no single result of the four seats makes up more than 9 of 10
/// random plays of random deals.
bool is_open(const CompiledRules& rules, const Endgame& endgame, Rng& rng) {
  constexpr int kPlays = 200, kMost = 180;
  const int each = endgame.cards.count() / rules.seats();
  std::map<std::array<std::int32_t, kNumSeats>, int> results;
  for (int play = 0; play < kPlays; ++play) {
    EndgameHands hands{};
    CardSet left = endgame.cards;
    for (int seat = 0; seat < rules.seats(); ++seat) {
      for (int i = 0; i < each; ++i) {
        const Card card = nth_bit(left.bits(), rng.next_below(left.count()));
        hands[static_cast<std::size_t>(seat)].add(card);
        left.remove(card);
      }
    }
    Game game = Game::from_position(rules, position_of(endgame, hands));
    play_down(game, 0, rng);
    if (++results[game.payoffs()] > kMost) return false;
  }
  return true;
}

std::uint64_t fold(std::uint64_t hash, std::int64_t value) {
  return mix64(hash ^ static_cast<std::uint64_t>(value));
}

}  // namespace

std::vector<EndgameHands> deals_of(const Endgame& endgame, const CompiledRules& rules) {
  const int cards = endgame.cards.count(), seats = rules.seats();
  if (cards == 0 || cards % seats != 0 || cards / seats > kMaxEndgameTricks) {
    throw std::invalid_argument(
        fmt::format("endgame: {} cards ({}) for {} seats, allowed are 1..{} whole tricks", cards,
                    to_string(endgame.cards), seats, kMaxEndgameTricks));
  }
  std::vector<EndgameHands> deals;
  EndgameHands hands{};
  deal_from(0, seats, endgame.cards, hands, deals);
  const Contract& contract = endgame.contract;
  if (contract_row(contract.contract).parties == Parties::kCalledCard && contract.declarer >= 0 &&
      contract.declarer < seats && contract.called < kNumCards) {
    std::erase_if(deals, [&](const EndgameHands& deal) {
      return deal[static_cast<std::size_t>(contract.declarer)].contains(contract.called);
    });
  }
  (void)Game::from_position(rules, position_of(endgame, deals.front()));  // refuses what is wrong
  return deals;
}

Position position_of(const Endgame& endgame, const EndgameHands& hands) {
  return {.contract = endgame.contract,
          .hands = hands,
          .captured = endgame.captured,
          .leader = endgame.leader,
          .dealer = endgame.dealer,
          .partner = endgame.partner};
}

std::string to_string(const Endgame& endgame) {
  const Contract& contract = endgame.contract;
  const ContractRow& row = contract_row(contract.contract);
  std::string text(contract_name(contract.contract, contract.tout));
  if (row.trump_suit == TrumpSuit::kAnnounced) text += fmt::format(" {}", to_string(contract.suit));
  if (contract.called != kNoCard) text += " " + card_name(contract.called);
  if (contract.declarer >= 0) text += fmt::format(", declarer {}", contract.declarer);
  if (endgame.partner >= 0) text += fmt::format(", partner {}", endgame.partner);
  text += fmt::format(", leader {}, taken", endgame.leader);
  for (const CardSet taken : endgame.captured) text += fmt::format(" {}", points_of(taken));
  return text + ": " + to_string(endgame.cards);
}

std::vector<std::string> endgame_kinds() {
  std::vector<std::string> names;
  for (const Kind& kind : all_kinds()) names.push_back(kind.name());
  return names;
}

std::vector<Endgame> endgame_list(const CompiledRules& rules, int tricks, int per_kind,
                                  std::uint64_t seed) {
  if (tricks < 2 || tricks > kMaxEndgameTricks) {
    throw std::invalid_argument(
        fmt::format("tricks = {}, allowed 2..{}", tricks, kMaxEndgameTricks));
  }
  if (per_kind < 1) {
    throw std::invalid_argument(fmt::format("endgames = {}, allowed from 1", per_kind));
  }
  if (rules.seats() != kNumSeats || rules.deck() != kLongDeck) {
    throw std::invalid_argument(
        fmt::format("rules {}: endgame lists need four players and 32 cards", rules.name()));
  }
  std::vector<Endgame> endgames;
  std::uint64_t stream = seed;
  for (const Kind& kind : all_kinds()) {
    Rng rng(stream = mix64(stream));
    for (int found = 0; found < per_kind;) {
      Endgame endgame;
      if (!draw_endgame(rules, kind, tricks, rng, endgame) || !is_open(rules, endgame, rng))
        continue;
      endgames.push_back(endgame);
      ++found;
    }
  }
  return endgames;
}

std::uint64_t hash_of(const std::vector<Endgame>& endgames) {
  std::uint64_t hash = 0;
  for (const Endgame& endgame : endgames) {
    const Contract& contract = endgame.contract;
    hash = fold(hash, static_cast<std::int64_t>(contract.contract));
    hash = fold(hash, contract.tout ? 1 : 0);
    hash = fold(hash, static_cast<std::int64_t>(contract.suit));
    for (const int value : {static_cast<int>(contract.called), contract.declarer, endgame.leader,
                            endgame.dealer, endgame.partner}) {
      hash = fold(hash, value);
    }
    hash = fold(hash, endgame.cards.bits());
    for (const CardSet taken : endgame.captured) hash = fold(hash, taken.bits());
  }
  return hash;
}

}  // namespace schafkopf
