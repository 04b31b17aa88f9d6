// The engine and the slow reference side by side: the same rule sets, deals and contracts for both,
// and one deal played on both with everything compared (used by the differential and perft tests).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "env/game/game.h"
#include "env/rules/rules.h"
#include "tests/cpp/differential/differential_rules.h"
#include "tests/cpp/reference/reference_deals.h"

namespace schafkopf::test {

/// One rule set in both forms.
struct BothRules {
  std::shared_ptr<const CompiledRules> engine;
  reference::ReferenceRules reference;
};

/// Switches of the reference under the keys of the engine, its tariff left alone.
inline RuleSet rule_set_of(const reference::ReferenceRules& rules) {
  RuleSet set = preset("official_1989");
  const std::map<std::string, PlainValue> values = {
      {"partner_trump_suit", std::string(1, rules.partner_trump_suit)},
      {"contracts", PlainList(rules.contracts.begin(), rules.contracts.end())},
      {"tout_enabled", rules.tout_enabled},
      {"sie_enabled", rules.sie_enabled},
      {"auction_style", rules.auction_style},
      {"all_pass", rules.all_pass},
      {"called_discard_window", std::int64_t{rules.called_discard_window}},
      {"runaway_enabled", rules.runaway_enabled},
      {"runaway_min_others", std::int64_t{rules.runaway_min_others}},
      {"early_termination", rules.early_termination},
      {"kontra_window", rules.kontra_window},
      {"kontra_ask_before_first", rules.kontra_ask_before_first},
      {"max_doublings_partner", std::int64_t{rules.max_doublings_partner}},
      {"max_doublings_solo", std::int64_t{rules.max_doublings_solo}},
      {"max_doublings_per_seat", std::int64_t{rules.max_doublings_per_seat}},
      {"kontra_takeover", rules.kontra_takeover},
      {"kontra_scope", rules.kontra_scope},
      {"solo_schneider_schwarz", rules.solo_schneider_schwarz},
      {"laufende_min_ober", std::int64_t{rules.laufende_min_ober}},
      {"laufende_min_wenz", std::int64_t{rules.laufende_min_wenz}},
      {"laufende_cap", rules.laufende_cap},
      {"ramsch_trumps", rules.ramsch_trumps},
      {"ramsch_payers", std::int64_t{rules.ramsch_payers}},
      {"ramsch_virgin", rules.ramsch_virgin},
      {"ramsch_march", rules.ramsch_march},
      {"ramsch_shift", rules.ramsch_shift},
  };
  for (const auto& [key, value] : values) set_field(set, key, value);
  return set;
}

/// Random house rules that the engine accepts, and a random tariff of RULES G.2.
///
/// contracts  classes that can be named; empty = random ones
inline BothRules random_both_rules(reference::Random& random,
                                   const std::vector<std::string>& contracts) {
  const std::vector<std::string> tariffs = {"official_pfennig", "10/20/50", "10/20",
                                            "tournament_2024", "10/20/50 half Laufende"};
  while (true) {
    BothRules both;
    both.reference = reference::random_rules(random);
    if (!contracts.empty()) both.reference.contracts = contracts;
    RuleSet set = rule_set_of(both.reference);
    const std::optional<Tariff> tariff = find_tariff(reference::pick(random, tariffs));
    if (tariff) set.tariff = *tariff;
    try {
      both.engine = std::make_shared<const CompiledRules>(set, "random");
      both.reference = reference_rules(both.engine->rules());
    } catch (const RuleError&) {
      continue;  // a combination that RULES J rejects
    }
    return both;
  }
}

/// Hands of the reference as a deal of the engine, halves in the order of the cards.
inline Deal deal_of(const std::vector<reference::Cards>& hands) {
  Deal deal;
  for (std::size_t seat = 0; seat < hands.size(); ++seat) {
    for (std::size_t i = 0; i < hands[seat].size(); ++i) {
      CardSet& half = i < hands[seat].size() / 2 ? deal.first[seat] : deal.second[seat];
      half.add(static_cast<Card>(hands[seat][i]));
    }
  }
  return deal;
}

inline Contract contract_of(const reference::FixedContract& fixed) {
  Contract contract;
  contract.contract = parse_contract(fixed.contract.name).row->contract;
  contract.tout = fixed.contract.tout;
  contract.declarer = fixed.declarer;
  for (int suit = 0; suit < kNumSuits; ++suit) {
    if (to_string(static_cast<Suit>(suit))[0] == fixed.contract.suit) {
      contract.suit = static_cast<Suit>(suit);
    }
  }
  if (fixed.called_card != reference::kNoCalledCard) {
    contract.called = static_cast<Card>(fixed.called_card);
  }
  return contract;
}

/// What the two sides have been asked, to see that a test has seen enough.
struct Coverage {
  std::set<std::string> phases, contracts;
  int claims = 0, offences = 0, forced = 0;
};

/// One deal on both sides. Each step compares phase, actor and legal actions before the same action
/// goes to both; the end compares contract, parties, tricks, points and payoffs. A question that
/// has one answer only may be left out by one side (RULES D.1).
class SideBySide {
 public:
  SideBySide(const Game& engine, const reference::ReferenceGame& slow)
      : engine_(engine), slow_(slow) {
    for (int seat = 0; seat < engine.seats(); ++seat) {
      text_ += "  seat " + std::to_string(seat) + ": " + to_string(engine.dealt(seat)) + "\n";
    }
    text_ += "  dealer " + std::to_string(engine.dealer()) + "\n";
    if (engine.has_contract()) text_ += "  given contract " + contract_text() + "\n ";
  }

  /// Plays random legal actions to the end; claims come seldom, but more often where they may be
  /// true. False at the first disagreement: see report().
  ///
  /// offences  some cards are followed by an offence (E.6)
  bool play(reference::Random& random, bool offences = false) {
    while (same_question()) {
      if (engine_.is_terminal()) return same_end();
      coverage_.phases.insert(slow_.phase());
      if (offences && engine_.phase() == Phase::kPlay && engine_.has_contract() &&
          reference::draw(random, 60) == 0) {
        offend(random);
      } else {
        apply(choose(random));
      }
    }
    return false;
  }

  [[nodiscard]] const Game& engine() const { return engine_; }
  [[nodiscard]] int decisions() const { return static_cast<int>(actions_.size()); }
  /// Deal, history in game notation and the disagreement.
  [[nodiscard]] std::string report() const { return text_ + history() + "\n  " + problem_; }
  [[nodiscard]] const Coverage& coverage() const { return coverage_; }

 private:
  void apply(Action action) {
    actions_.push_back(action);
    if (action == kActionClaimRest || action == kActionConcedeRest) claimed_ = true;
    slow_.apply(action);
    engine_.apply_unchecked(action);
  }

  [[nodiscard]] Action choose(reference::Random& random) const {
    ActionMask mask = engine_.legal_actions();
    const int cards_left = engine_.hand(engine_.current_player()).count();
    if (mask.contains(kActionClaimRest) && reference::draw(random, 4 * cards_left) == 0) {
      return kActionClaimRest;
    }
    if (mask.contains(kActionConcedeRest) && reference::draw(random, 40) != 0) {
      mask = without_claims(mask);
    }
    return mask.nth(reference::draw(random, mask.count()));
  }

  /// The same offence of a random seat on both sides; some end the deal.
  void offend(reference::Random& random) {
    const auto kind = static_cast<Infraction>(1 + reference::draw(random, 5));
    const int seat = reference::draw(random, engine_.seats());
    const std::string name(name_of(kind));
    text_ += "  " + name + " of seat " + std::to_string(seat) + " after " +
             std::to_string(actions_.size()) + " actions\n";
    engine_.infract(seat, kind);
    slow_.offend(name.substr(4), seat);  // without INF_
    offended_ = engine_.is_terminal();
    ++coverage_.offences;
  }

  [[nodiscard]] bool disagree(const std::string& what, const std::string& engine,
                              const std::string& slow) {
    problem_ = what + ": engine " + engine + ", reference " + slow;
    return false;
  }

  [[nodiscard]] std::string question(const std::string& phase, int seat) const {
    return phase + " of seat " + std::to_string(seat);
  }
  [[nodiscard]] std::string engine_question() const {
    return question(std::string(phase_name(engine_.phase())), engine_.current_player());
  }
  [[nodiscard]] std::string slow_question() const {
    return question(slow_.phase(), slow_.to_act());
  }

  /// Answers for the side that asks something with a single answer while the other does not ask it.
  void answer_forced() {
    for (int i = 0; i < 64 && engine_question() != slow_question(); ++i) {
      if (slow_.legal().size() == 1 && slow_.phase() != "PLAY") {
        slow_.apply(*slow_.legal().begin());
      } else if (!engine_.is_terminal() && engine_.phase() != Phase::kPlay &&
                 engine_.legal_actions().count() == 1) {
        engine_.apply_unchecked(engine_.legal_actions().lowest());
      } else {
        return;
      }
      ++coverage_.forced;
    }
  }

  bool same_question() {
    answer_forced();
    if (engine_question() != slow_question()) {
      return disagree("question", engine_question(), slow_question());
    }
    if (engine_.is_terminal()) return true;
    ActionMask legal;
    for (const int action : slow_.legal()) legal.add(static_cast<Action>(action));
    if (engine_.legal_actions() != legal) {
      return disagree("legal actions, " + slow_question(), to_string(engine_.legal_actions()),
                      to_string(legal));
    }
    if (slow_.phase() != "PLAY") return true;
    return same_hands() && same_knowledge();
  }

  bool same_knowledge() {
    return slow_.called_card() == reference::kNoCalledCard ||
           engine_.partner_known() == slow_.partner_known() ||
           disagree("partner known", std::to_string(engine_.partner_known()),
                    std::to_string(slow_.partner_known()));
  }

  bool same_hands() {
    for (int seat = 0; seat < engine_.seats(); ++seat) {
      CardSet slow;
      for (const int card : slow_.hands()[static_cast<std::size_t>(seat)]) {
        slow.add(static_cast<Card>(card));
      }
      if (engine_.hand(seat) == slow) continue;
      return disagree("hand of seat " + std::to_string(seat), to_string(engine_.hand(seat)),
                      to_string(slow));
    }
    return true;
  }

  bool same_end() {
    coverage_.contracts.insert(slow_.contract().name + (slow_.contract().tout ? "_TOUT" : ""));
    coverage_.claims += claimed_ ? 1 : 0;
    if (engine_.doubling_level() != slow_.level()) {
      return disagree("doublings", std::to_string(engine_.doubling_level()),
                      std::to_string(slow_.level()));
    }
    return same_contract() && same_tricks() && same_amounts();
  }

  bool same_contract() {
    if (engine_.has_contract() == slow_.contract().name.empty()) {
      return disagree("contract", contract_text(), slow_.contract().name);
    }
    if (!engine_.has_contract()) return true;
    reference::FixedContract fixed;
    fixed.contract = slow_.contract();
    fixed.declarer = slow_.declarer();
    fixed.called_card = slow_.called_card();
    Contract expected = contract_of(fixed), found = engine_.contract();
    if (fixed.contract.suit == '-') found.suit = expected.suit;  // partner suit or none
    expected.bid = slow_.bid();
    expected.renonce = found.renonce;  // a flag for the eye
    if (found != expected) {
      return disagree("contract", contract_text(),
                      fixed.contract.name + " declarer " + std::to_string(fixed.declarer) +
                          " called " + std::to_string(fixed.called_card) + " bid " +
                          std::to_string(slow_.bid()));
    }
    int party = 0;
    const std::vector<bool> members = slow_.declarer_party();
    for (std::size_t seat = 0; seat < members.size(); ++seat)
      party |= members[seat] ? 1 << seat : 0;
    if (engine_.outcome().declarer_party != party) {
      return disagree("declarer party", std::to_string(engine_.outcome().declarer_party),
                      std::to_string(party));
    }
    return true;
  }

  /// Points and tricks per seat; after a claim per party, because the seat does not matter. An
  /// offence is paid without looking at them.
  bool same_tricks() {
    if (offended_) return true;
    const Outcome outcome = engine_.outcome();
    const auto seats = static_cast<std::size_t>(engine_.seats());
    std::vector<int> found[2];
    for (std::size_t seat = 0; seat < seats; ++seat) {
      found[0].push_back(outcome.points[seat]);
      found[1].push_back(outcome.tricks[seat]);
    }
    const std::vector<int> expected[2] = {slow_.points(), slow_.tricks()};
    for (std::size_t i = 0; i < 2; ++i) {
      const bool same =
          claimed_ ? of_party(found[i]) == of_party(expected[i]) : found[i] == expected[i];
      if (!same) {
        return disagree(i == 0 ? "points" : "tricks", list(found[i]), list(expected[i]));
      }
    }
    return true;
  }

  [[nodiscard]] int of_party(const std::vector<int>& amounts) const {
    const std::vector<bool> members = slow_.declarer_party();
    int sum = 0;
    for (std::size_t seat = 0; seat < members.size(); ++seat)
      sum += members[seat] ? amounts[seat] : 0;
    return sum;
  }

  bool same_amounts() {
    const auto seats = static_cast<std::size_t>(engine_.seats());
    const auto first = [&](const std::array<std::int32_t, kNumSeats>& amounts) {
      return std::vector<int>(amounts.begin(),
                              amounts.begin() + static_cast<std::ptrdiff_t>(seats));
    };
    const Settlement settlement = engine_.settlement();
    if (first(engine_.payoffs()) != slow_.payoffs()) {
      return disagree("payoffs", list(first(engine_.payoffs())), list(slow_.payoffs()));
    }
    if (first(settlement.stock_payoffs) != slow_.stock_payoffs()) {
      return disagree("Stock", list(first(settlement.stock_payoffs)), list(slow_.stock_payoffs()));
    }
    int kitty = 0;
    for (const int paid : slow_.reuegeld()) kitty += paid;
    return settlement.reuegeld == kitty ||
           disagree("Reuegeld", std::to_string(settlement.reuegeld), std::to_string(kitty));
  }

  [[nodiscard]] static std::string list(const std::vector<int>& values) {
    std::string text = "[";
    for (const int value : values) {
      if (text.size() > 1) text += ' ';
      text += std::to_string(value);
    }
    text += ']';
    return text;
  }

  [[nodiscard]] std::string contract_text() const {
    if (!engine_.has_contract()) return "none";
    const Contract contract = engine_.contract();
    std::string text(contract_name(contract.contract, contract.tout));
    text += " suit " + std::string(to_string(contract.suit));
    if (contract.called != kNoCard) text += " called " + card_name(contract.called);
    return text + " declarer " + std::to_string(contract.declarer) + " bid " +
           std::to_string(contract.bid);
  }

  [[nodiscard]] std::string history() const {
    std::string text = "  history:";
    for (const Action action : actions_) text += ' ' + action_name(action);
    return text;
  }

  Game engine_;
  reference::ReferenceGame slow_;
  Coverage coverage_;
  std::string text_, problem_;
  std::vector<Action> actions_;
  bool claimed_ = false, offended_ = false;
};

}  // namespace schafkopf::test
