#include "agents/maxims/contract_generators.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <stdexcept>

#include "agents/maxims/bidding.h"
#include "agents/maxims/hand_strength.h"

namespace schafkopf {
namespace {

Rng random_numbers(const RngKey& key) { return Rng(draw(key, RngStream::kGenerator)); }

/// Chance of a hand, loosened: up to this much is added at random.
constexpr double kLooseness = 0.15;
/// Without luck of the draw a forced single game needs at least this chance.
constexpr double kMinimumSingle = 0.2;
/// A forced Tout needs a hand that can take all tricks.
constexpr double kMinimumTout = 0.4;

/// A row and form of the auction that may be declared, with the seat that is to play it.
struct Candidate {
  Contract contract;
  double chance = -1.0;
};

void consider(Candidate& best, const ContractRow& row, Suit suit, int seat, double chance) {
  if (chance <= best.chance) return;
  best.chance = chance;
  best.contract.contract = row.contract;
  best.contract.suit = suit;
  best.contract.declarer = seat;
}

int number_of_suits(const ContractRow& row) {
  return row.trump_suit == TrumpSuit::kAnnounced ? kNumSuits : 1;
}
Suit suit_number(const ContractRow& row, int n) {
  return row.trump_suit == TrumpSuit::kAnnounced ? static_cast<Suit>(n) : Suit::kHerz;
}

/// The best seat and suit for a single game of this row.
Candidate place_single(const CompiledRules& rules, const Deal& deal, int dealer,
                       const ContractRow& row, bool tout, Rng& rng) {
  Candidate best;
  for (int seat = 0; seat < rules.seats(); ++seat) {
    const bool leads = seat == (dealer + 1) % rules.seats();
    const double luck = tout ? 0.0 : kLooseness * rng.next_unit();
    for (int n = 0; n < number_of_suits(row); ++n) {
      const Suit suit = suit_number(row, n);
      const double chance = tout ? all_tricks_chance(rules, row, suit, deal.hand(seat), leads)
                                 : single_win_chance(rules, row, suit, deal.hand(seat), leads);
      consider(best, row, suit, seat, chance + luck);
    }
  }
  best.contract.tout = tout;
  return best;
}

/// The best seat for the partner game by call; declarer -1 if nobody may call.
Candidate place_call(const CompiledRules& rules, const Deal& deal, int dealer, Rng& rng) {
  Candidate best;
  best.contract.declarer = -1;
  if (rules.call_action() == 0) return best;
  for (int seat = 0; seat < rules.seats(); ++seat) {
    const CardSet hand = deal.hand(seat);
    const CardSet callable(rules.callable(hand.bits()));
    if (callable.empty()) continue;
    const bool leads = seat == (dealer + 1) % rules.seats();
    const double chance = call_win_chance(rules, hand, leads) + kLooseness * rng.next_unit();
    consider(best, calling_row(), Suit::kHerz, seat, chance);
    if (best.contract.declarer == seat) best.contract.called = choose_called_card(hand, callable);
  }
  return best;
}

/// Actions of a mask as a list, Touts or plain forms only.
struct ActionList {
  std::array<Action, 32> actions{};
  int count = 0;
};
ActionList plain_forms(const ActionMask& mask) {
  ActionList list;
  for (const ContractRow& row : contract_table()) {
    const bool allowed = row.action != 0 && mask.contains(row.action);
    if (row.is_single() && row.goal != Goal::kFixedHand && allowed) {
      list.actions[static_cast<std::size_t>(list.count++)] = row.action;
    }
  }
  return list;
}

/// A single game of a random class, or of another one where no hand stands a chance in the first;
/// chance -1 if no class is worth it.
Candidate mixed_single(const CompiledRules& rules, const Deal& deal, int dealer,
                       const MixShares& shares, Rng& rng) {
  const ActionList singles = plain_forms(rules.single_classes());
  const int first = singles.count > 0 ? rng.next_below(singles.count) : 0;
  const bool wants_tout = rng.next_unit() < shares.tout;
  for (const bool tout : {true, false}) {
    for (int i = 0; i < singles.count && (wants_tout || !tout); ++i) {
      const auto pick = static_cast<std::size_t>((first + i) % singles.count);
      const ContractRow& row = *contract_of_action(singles.actions[pick]).row;
      if (tout && !rules.single_classes().contains(row.tout_action)) continue;
      const Candidate candidate = place_single(rules, deal, dealer, row, tout, rng);
      if (candidate.chance >= (tout ? kMinimumTout : kMinimumSingle)) return candidate;
    }
  }
  return {};
}

/// The game that is played when all pass (D.6), nothing where the deal is thrown in. The last seat,
/// where it chooses, takes the Ramsch if it may; who has the Muss card calls.
std::optional<Contract> all_pass_game(const CompiledRules& rules, const Deal& deal) {
  const RuleSet& set = rules.rules();
  const bool last_takes_ramsch = set.all_pass == AllPass::kLastChooses &&
                                 set.last_chooses_options.contains(LastChoice::kRamsch);
  if (set.all_pass == AllPass::kRamsch || last_takes_ramsch) {
    return Contract{.contract = row_of(Parties::kEveryone).contract};
  }
  if (set.all_pass == AllPass::kKreuzbock) {
    return Contract{.contract = row_of(Parties::kOppositeSeats).contract};
  }
  if (set.all_pass != AllPass::kMussSpiel) return std::nullopt;
  for (int seat = 0; seat < rules.seats(); ++seat) {
    const CardSet hand = deal.hand(seat);
    if (!hand.contains(set.muss_card)) continue;
    const CardSet calls(rules.duty_calls(hand.bits(), set.muss_blocked));
    if (calls.empty()) return std::nullopt;
    Contract duty{.contract = duty_row().contract, .declarer = seat};
    duty.called = choose_called_card(hand, calls);
    return duty;
  }
  return std::nullopt;
}

Contract mixed_contract(const CompiledRules& rules, const Deal& deal, int dealer,
                        const MixShares& shares, Rng& rng) {
  const double kind = rng.next_unit();
  const std::optional<Contract> all_pass = all_pass_game(rules, deal);
  if (all_pass && kind < shares.all_pass) return *all_pass;
  if (kind >= 1.0 - shares.single || rules.call_action() == 0) {
    const Candidate single = mixed_single(rules, deal, dealer, shares, rng);
    if (single.chance >= 0.0) return single.contract;
  }
  const Candidate call = place_call(rules, deal, dealer, rng);
  if (call.contract.declarer >= 0) return call.contract;
  const ActionList singles = plain_forms(rules.single_classes());
  if (singles.count > 0) {  // nobody can call, and nothing else is plausible
    const ContractRow& row = *contract_of_action(singles.actions[0]).row;
    return place_single(rules, deal, dealer, row, false, rng).contract;
  }
  if (all_pass) return *all_pass;
  throw std::invalid_argument(fmt::format(
      "contract generator: no contract of the rules {} fits this deal: nobody can call a card, and "
      "`contracts` has no single game (C.1, R-028)",
      rules.name()));
}

/// D.3 with the rule agent's bids: the first player keeps a partner game unless a later one has a
/// single game; among single games the higher rank, then the earlier seat. Declarer -1 = all pass.
Contract auction(const CompiledRules& rules, const Deal& deal, int dealer) {
  Contract won;
  int won_rank = 0;
  bool someone_plays = false;
  for (int position = 0; position < rules.seats(); ++position) {
    const int seat = (dealer + 1 + position) % rules.seats();
    const CardSet hand = deal.hand(seat);
    const double share = someone_plays ? kMinimumShareOver : kMinimumShare;
    const ContractChoice single = best_single(rules, hand, position == 0, rules.single_classes());
    const bool plays_single = is_worth_playing(single, rules, share);
    ContractChoice call;
    if (!someone_plays) call = best_call(rules, hand, position == 0);
    const bool calls = is_worth_calling(call, rules, hand);
    if (!plays_single && !calls) continue;
    const ContractChoice& best = plays_single && single.value >= call.value ? single : call;
    const ContractRow& row = contract_row(best.contract.contract);
    const int rank = best.contract.tout ? row.tout_rank : row.rank;
    if (rank > won_rank) {
      won = best.contract;
      won.declarer = seat;
      won_rank = rank;
    }
    someone_plays = true;
  }
  return won;
}

}  // namespace

HeuristicGenerator::HeuristicGenerator(double noise) : noise_(noise) {
  check_fields(HeuristicOptions{.noise = noise});
}

Contract HeuristicGenerator::generate(const CompiledRules& rules, const Deal& deal, int dealer,
                                      const RngKey& key) const {
  Rng rng = random_numbers(key);
  if (rng.next_unit() >= noise_) {
    const Contract won = auction(rules, deal, dealer);
    if (won.declarer >= 0) return won;
    if (const auto all_pass = all_pass_game(rules, deal)) return *all_pass;
  }
  return mixed_contract(rules, deal, dealer, MixShares{}, rng);
}

std::string HeuristicGenerator::name() const { return fmt::format("heuristic:noise={}", noise_); }

MixedGenerator::MixedGenerator(MixShares shares) : shares_(shares) {
  check_fields(shares);
  if (shares.single + shares.all_pass > 1.0) {
    throw std::invalid_argument(
        fmt::format("single + all_pass = {}, allowed: at most 1", shares.single + shares.all_pass));
  }
}

Contract MixedGenerator::generate(const CompiledRules& rules, const Deal& deal, int dealer,
                                  const RngKey& key) const {
  Rng rng = random_numbers(key);
  return mixed_contract(rules, deal, dealer, shares_, rng);
}

std::string MixedGenerator::name() const {
  return fmt::format("mixed:single={},tout={},all_pass={}", shares_.single, shares_.tout,
                     shares_.all_pass);
}

}  // namespace schafkopf
