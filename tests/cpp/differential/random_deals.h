// Random play under random valid rules, with everything that must hold at any decision of any deal:
// every switch, every special round, any deck and number of players, with claims and infractions.
// For the test Fuzz and for ./run decisions. All follows from the seed of the rules.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "env/base/random.h"
#include "env/record/record.h"
#include "env/session/session.h"
#include "tests/cpp/differential/differential_bridge.h"
#include "tests/cpp/support/game_checks.h"
#include "tests/cpp/support/random_play.h"
#include "tests/cpp/support/random_rules.h"

namespace schafkopf::test {

/// A finished deal as a record: both forms are exact inverses, and its replay is paid the same.
inline void check_record(const Game& game, const Deal& deal) {
  const GameRecord record = record_of(game, deal);
  must(parse_record(to_json(record)) == record, "the JSON line of the record is read otherwise");
  must(parse_text(to_text(record)) == record, "the text of the record is read otherwise");
  const ReplayedGame again = replay_game(record);
  must(again.result.finished && again.game.settlement().payoffs == game.settlement().payoffs,
       "the replay of the record is paid otherwise");
}

/// What was played and looked at; sums of any number of parts.
struct RandomDealCounts {
  std::int64_t rule_sets = 0, deals = 0, decisions = 0, infractions = 0, claims = 0;
  /// How often the dear checks were made: views of all seats, bytes, a refused action, a record;
  /// deals and decisions beside the slow reference.
  std::int64_t views = 0, bytes = 0, refusals = 0, records = 0;
  std::int64_t reference_deals = 0, reference_decisions = 0;
  std::array<std::int64_t, 6> players{};
  std::array<std::int64_t, kNumValues<Deck>> decks{};
  std::array<std::int64_t, kNumPhases> phases{};  // decisions
  std::array<std::int64_t, kNumContractClasses> contracts{};
  std::array<std::int64_t, kNumValues<SpecialRound>> modes{};
};

/// All counts with their names, in one order: visit(name, value or array of values).
template <class Counts, class Visitor>
void visit_counts(Counts& counts, Visitor&& visit) {
  visit("rule_sets", counts.rule_sets);
  visit("deals", counts.deals);
  visit("decisions", counts.decisions);
  visit("infractions", counts.infractions);
  visit("claims", counts.claims);
  visit("views", counts.views);
  visit("bytes", counts.bytes);
  visit("refusals", counts.refusals);
  visit("records", counts.records);
  visit("reference_deals", counts.reference_deals);
  visit("reference_decisions", counts.reference_decisions);
  visit("players", counts.players);
  visit("decks", counts.decks);
  visit("phases", counts.phases);
  visit("contracts", counts.contracts);
  visit("modes", counts.modes);
}

/// Deals of one rule set; all choices follow from the seed. A broken check throws.
///
/// At every decision: the invariants of the game, a mask that leaves more than claims. In these
/// shares, drawn: of the decisions the views of all seats 1 in 16, no payoffs yet, bytes that
/// rebuild the game, an action that is refused 1 in 64 each; of the finished deals the record 1 in
/// kDealsPerRecord; of the deals the same beside the slow reference 1 in kDealsPerReference.
class RandomDeals {
 public:
  static constexpr int kDealsPerRules = 12;
  static constexpr int kDealsPerRecord = 256, kDealsPerReference = 64;

  RandomDeals(std::uint64_t seed, RandomDealCounts& counts)
      : random_(seed), rules_(random_rules(seed)), counts_(&counts) {
    ++counts.rule_sets;
    ++counts.players[static_cast<std::size_t>(rules_.rules().players)];
    ++counts.decks[static_cast<std::size_t>(rules_.rules().deck)];
  }

  void play(int deals = kDealsPerRules) {
    for (int i = 0; i < deals; ++i) play_deal();
  }

 private:
  void play_deal() {
    DealContext context = random_context(random_.next(), rules_.rules());
    if (random_.next_below(3) == 0) context = first_context(rules_.rules());
    const int dealer = random_.next_below(rules_.seats());
    const Deal deal = strange_deal(random_.next(), rules_.rules(), dealer, context);
    const Game start(rules_, deal, dealer, context);
    if (random_.next_below(kDealsPerReference) == 0) play_beside_reference(start, deal);
    Game game = start;
    may_claim_ = random_.next_below(8) == 0;
    const bool offends = random_.next_below(12) == 0;
    bool offended = false;
    while (!game.is_terminal()) {
      check(game);
      ++counts_->phases[static_cast<std::size_t>(game.phase())];
      ++counts_->decisions;
      if (offends && game.phase() == Phase::kPlay && random_.next_below(8) == 0) {
        offended = offend(game) || offended;
      }
      if (!game.is_terminal()) game.apply_unchecked(choose(game));
    }
    game.check_invariants();
    check_views(game);
    check_end(game);
    count(game);
    // a record names the offence that counts, not those that the rules pass over
    if (random_.next_below(kDealsPerRecord) == 0 && !offended) {
      check_record(game, deal);
      ++counts_->records;
    }
  }

  void count(const Game& game) {
    ++counts_->deals;
    ++counts_->modes[static_cast<std::size_t>(game.special_round())];
    if (!game.has_contract()) return;
    ++counts_->contracts[static_cast<std::size_t>(game.contract().contract)];
  }

  void play_beside_reference(const Game& start, const Deal& deal) {
    const reference::ReferenceGame slow(reference_rules(rules_.rules()),
                                        reference_deal(deal, rules_.seats()), start.dealer(),
                                        reference_context(start.context()));
    SideBySide both(start, slow);
    reference::Random random(random_.next());
    const bool agree = both.play(random, random_.next_below(2) == 0);
    must(agree, both.report());  // which tells what was played
    ++counts_->reference_deals;
    counts_->reference_decisions += both.decisions();
  }

  Action choose(const Game& game) {
    const ActionMask mask = game.legal_actions();
    must(!mask.empty(), "no legal action");
    must(!without_claims(mask).empty(), "only claims are legal");
    if (!may_claim_ || random_.next_below(12) != 0) return random_action(game, random_);
    const Action action = mask.nth(random_.next_below(mask.count()));
    counts_->claims += action == kActionClaimRest || action == kActionConcedeRest;
    return action;
  }

  bool offend(Game& game) {
    const int kinds = kNumValues<Infraction> - 1;
    if (!game.has_contract()) return false;
    game.infract(random_.next_below(game.seats()),
                 static_cast<Infraction>(1 + random_.next_below(kinds)));
    ++counts_->infractions;
    return true;
  }

  void check(const Game& game) {
    game.check_invariants();
    const int number = random_.next_below(64);
    if (number < 4) {
      check_views(game);
      ++counts_->views;
    }
    if (number == 4) {
      check_bytes(game);
      ++counts_->bytes;
    }
    if (number == 5) {
      check_refusal(game, static_cast<Action>(random_.next_below(kNumActions)));
      ++counts_->refusals;
    }
    if (number == 6) must(!has_payoffs(game), "payoffs before the end");
  }

  Rng random_;
  CompiledRules rules_;
  RandomDealCounts* counts_;
  bool may_claim_ = false;
};

}  // namespace schafkopf::test
