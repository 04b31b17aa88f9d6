#include "env/rules/compiled_rules.h"

#include <algorithm>

#include "env/rules/special_round.h"

namespace schafkopf {
namespace {

/// Suit whose plain cards are trumps too, or -1. RAMSCH may leave it out (C.6 `ramsch_trumps`).
int suit_of_trumps(const ContractRow& row, Suit announced, const RuleSet& rules) {
  const bool left_out =
      row.goal == Goal::kFewestPoints && rules.ramsch_trumps == RamschTrumps::kNoHerz;
  switch (row.trump_suit) {
    case TrumpSuit::kNone:
      return -1;
    case TrumpSuit::kAnnounced:
      return static_cast<int>(announced);
    case TrumpSuit::kPartnerSuit:
      return left_out ? -1 : static_cast<int>(rules.partner_trump_suit);
  }
  return -1;
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

CompiledRules::CompiledRules(const RuleSet& rules, std::string name)
    : rules_(checked(rules)),
      name_(std::move(name)),
      hash_(hash_rules(rules_)),
      first_context_(schafkopf::first_context(rules_)),
      seats_(seats_of(rules_)),
      cards_per_hand_(hand_size(rules_)),
      deck_(deck_of(rules_)) {
  if (rules_.players == 2) {
    throw RuleError("players",
                    "players = 2: no source defines this game and its optional extension is not "
                    "built, allowed: 3, 4, 5 (R-008)");
  }
  compile_contracts();
  compile_auction();
  compile_windows();
}

std::shared_ptr<const CompiledRules> CompiledRules::load(const std::string& name_or_path) {
  return make(find_rules(name_or_path));
}

std::shared_ptr<const CompiledRules> CompiledRules::make(const NamedRules& rules) {
  return std::make_shared<const CompiledRules>(rules.rules, rules.name);
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
        if (deck_.contains(card)) list.add(card);
      }
    }
  }
}

void CompiledRules::compile_auction() {
  call_trumps_ = play(calling_row().contract, rules_.partner_trump_suit).trumps;
  const bool only_solo_wenz =
      rules_.players == 3 && rules_.three_player_contracts == ThreePlayerContracts::kSoloWenz;
  for (const ContractRow& row : contract_table()) {
    if (row.action != 0) add_ranked(from_rank_, row.action, row.rank);
    if (row.tout_action != 0) add_ranked(from_rank_, row.tout_action, row.tout_rank);
    if (row.goal != Goal::kNoTrick && row.action != 0) counting_.add(row.action);
    if (row.tout_action != 0) counting_.add(row.tout_action);
    const bool tout = rules_.tout_enabled && row.tout_action != 0;
    ActionMask& family = of_family_[static_cast<std::size_t>(row.family)];
    if (row.family != Family::kNone) family.add(row.action);
    if (row.family != Family::kNone && tout) family.add(row.tout_action);
    if (!row.nameable || !rules_.contracts.contains(row.contract)) continue;
    if (only_solo_wenz && row.family == Family::kNone) continue;
    if (!row.is_single()) {
      call_action_ = row.action;
      continue;
    }
    single_classes_.add(row.action);
    if (tout) single_classes_.add(row.tout_action);
  }
  if (rules_.sie_enabled) {
    fixed_hand_ = strongest_hand(fixed_hand_row());
    fixed_hand_action_ = fixed_hand_row().action;
  }
}

/// The strongest trumps, as many as a hand holds (C.19, `sie_short_deck`).
CardSet CompiledRules::strongest_hand(const ContractRow& row) const {
  const TrumpList order = ordered_trumps(row, Suit::kHerz);
  CardSet hand;
  for (int i = 0; i < std::min(cards_per_hand_, order.count); ++i) {
    hand.add(order.cards[static_cast<std::size_t>(i)]);
  }
  return hand;
}

bool CompiledRules::can_be_played(ContractClass contract) const {
  const ContractRow& row = contract_row(contract);
  if (row.goal == Goal::kFixedHand) return rules_.sie_enabled;
  if (row.nameable && row.is_single()) {
    return single_classes_.contains(row.action) || row.family == Family::kSolo ||
           row.family == Family::kWenz;
  }
  // partner games and games without a declarer depend on modes and all-pass rules
  return row.parties == Parties::kEveryone || seats() == kNumSeats;
}

void CompiledRules::compile_windows() {
  const KontraWindow window = rules_.kontra_window;
  window_w0_ = window == KontraWindow::kBeforeFirstCard || rules_.kontra_ask_before_first;
  window_w1_ = window == KontraWindow::kBeforeSecondCard;
  window_w2_ = window == KontraWindow::kFullHand;
}

bool CompiledRules::may_begin_doubled() const {
  const auto begins_doubled = [](SpecialRound mode) {
    return special_round_row(mode).opening == Opening::kForehandPlays;
  };
  return begins_doubled(rules_.special_round) ||
         std::ranges::any_of(rules_.special_round_triggers, begins_doubled);
}

int CompiledRules::max_doublings(const ContractRow& row) const {
  if (row.parties == Parties::kEveryone) return rules_.ramsch_kontra ? seats() : 0;
  if (row.by_duty) return rules_.muss_kontra ? rules_.max_doublings_partner : 0;
  if (!row.doubling) return 0;
  return row.is_partner_game() ? rules_.max_doublings_partner : rules_.max_doublings_solo;
}

}  // namespace schafkopf
