#include "env/compiled_rules.h"

#include "env/rules_unbuilt.h"

namespace schafkopf {
namespace {

/// Suit whose plain cards are trumps too, or -1. RAMSCH may leave it out (C.6 `ramsch_trumps`).
int suit_of_trumps(const ContractRow& row, Suit announced, const RuleSet& rules) {
  if (row.trump_suit == TrumpSuit::kNone) return -1;
  if (row.trump_suit == TrumpSuit::kAnnounced) return static_cast<int>(announced);
  if (row.goal == Goal::kFewestPoints && rules.ramsch_trumps == RamschTrumps::kNoHerz) return -1;
  return static_cast<int>(rules.partner_trump_suit);
}

PlayConstants constants_of(const ContractRow& row, int trump_suit, CardSet deck) {
  PlayConstants words;
  words.trump_suit = trump_suit;
  if (row.num_trump_ranks > 0) words.top = CardSet::rank(row.trump_ranks[0]).bits();
  if (row.num_trump_ranks > 1) words.second = CardSet::rank(row.trump_ranks[1]).bits();
  words.trumps = words.top | words.second;
  if (trump_suit >= 0) words.trumps |= CardSet::suit(static_cast<Suit>(trump_suit)).bits();
  if (row.plain_order == PlainOrder::kLowTen) words.low_tens = CardSet::rank(Rank::k10).bits();
  words.trumps &= deck.bits();
  return words;
}

void add_ranked(std::array<ActionMask, 64>& from_rank, Action action, int rank) {
  for (int r = 0; r <= rank; ++r) from_rank[static_cast<std::size_t>(r)].add(action);
}

}  // namespace

std::uint32_t callable_aces(std::uint32_t hand, std::uint32_t trumps) {
  std::uint32_t aces = 0;
  for (int suit = 0; suit < kNumSuits; ++suit) {
    const std::uint32_t plain = CardSet::suit(static_cast<Suit>(suit)).bits() & ~trumps;
    const std::uint32_t ace = plain & CardSet::rank(Rank::kAss).bits();
    if ((hand & ace) == 0 && (hand & plain) != 0) aces |= ace;
  }
  return aces;
}

CompiledRules::CompiledRules(const RuleSet& rules, std::string name)
    : rules_(built_rules(checked(rules), nullptr, false)),
      name_(std::move(name)),
      hash_(hash_rules(rules_)),
      cards_per_hand_(hand_size(rules_)),
      deck_(rules_.deck == Deck::kShort24 ? kShortDeck : kLongDeck) {
  compile_contracts();
  compile_auction();
  compile_windows();
}

std::shared_ptr<const CompiledRules> CompiledRules::load(const std::string& name_or_path,
                                                         std::vector<std::string>* notes) {
  return make(find_rules(name_or_path), notes);
}

std::shared_ptr<const CompiledRules> CompiledRules::make(const NamedRules& rules,
                                                         std::vector<std::string>* notes) {
  return std::make_shared<const CompiledRules>(built_rules(rules, notes), rules.name);
}

void CompiledRules::compile_contracts() {
  for (const ContractRow& row : contract_table()) {
    for (int suit = 0; suit < kNumSuits; ++suit) {
      const int trump_suit = suit_of_trumps(row, static_cast<Suit>(suit), rules_);
      play_[static_cast<std::size_t>(row.contract)][static_cast<std::size_t>(suit)] =
          constants_of(row, trump_suit, deck_);
      const Suit list_suit = trump_suit < 0 ? Suit::kHerz : static_cast<Suit>(trump_suit);
      TrumpList& list =
          trump_lists_[static_cast<std::size_t>(row.contract)][static_cast<std::size_t>(suit)];
      const TrumpList ordered = ordered_trumps(row, list_suit);
      for (const Card card : ordered.cards_in_order()) {
        if (deck_.contains(card)) {
          list.cards[static_cast<std::size_t>(list.count++)] = card;
        }
      }
    }
  }
}

void CompiledRules::compile_auction() {
  if (rules_.auction_style == AuctionStyle::kDirect && rules_.suit_public_when_named) {
    throw RuleError("suit_public_when_named",
                    "suit_public_when_named = true with auction_style = direct can give more than "
                    "the 32 public events of view layout 1; allowed with two_stage only");
  }
  call_trumps_ = play(calling_row().contract, rules_.partner_trump_suit).trumps;
  for (const ContractRow& row : contract_table()) {
    if (row.goal == Goal::kFixedHand) {
      if (!rules_.sie_enabled) continue;
      fixed_hand_ = trumps_of(row, Suit::kHerz);
      fixed_hand_action_ = row.action;
      add_ranked(from_rank_, row.action, row.rank);
    }
    if (row.goal == Goal::kFewestPoints && rules_.all_pass == AllPass::kRamsch) {
      plays_all_pass_ = true;
      all_pass_class_ = row.contract;
    }
    if (!row.nameable || !rules_.contracts.contains(row.contract)) continue;
    if (!row.is_single()) {
      call_action_ = row.action;
      call_rank_ = row.rank;
      continue;
    }
    single_classes_.add(row.action);
    add_ranked(from_rank_, row.action, row.rank);
    if (!rules_.tout_enabled || row.tout_action == 0) continue;
    single_classes_.add(row.tout_action);
    add_ranked(from_rank_, row.tout_action, row.tout_rank);
  }
}

void CompiledRules::compile_windows() {
  const KontraWindow window = rules_.kontra_window;
  window_w0_ = window == KontraWindow::kBeforeFirstCard || rules_.kontra_ask_before_first;
  window_w1_ = window == KontraWindow::kBeforeSecondCard;
  window_w2_ = window == KontraWindow::kFullHand;
  // a limit that no hand reaches switches running away off
  run_min_ = rules_.runaway_enabled ? static_cast<std::uint32_t>(rules_.runaway_min_others) : 32u;
  discard_window_ = static_cast<std::uint32_t>(rules_.called_discard_window);
}

int CompiledRules::max_doublings(const ContractRow& row) const {
  if (!row.doubling) return 0;
  return row.is_partner_game() ? rules_.max_doublings_partner : rules_.max_doublings_solo;
}

}  // namespace schafkopf
