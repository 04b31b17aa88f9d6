// Rules and deal of a record: what a game is set up with.
#include <fmt/format.h>

#include <map>
#include <span>
#include <stdexcept>

#include "env/record/record.h"
#include "env/rules/special_round.h"

namespace schafkopf {
namespace {

/// The shipped rule sets as played, compiled once.
const std::map<std::string, std::shared_ptr<const CompiledRules>, std::less<>>& shipped_rules() {
  static const auto table = [] {
    std::map<std::string, std::shared_ptr<const CompiledRules>, std::less<>> rules;
    for (const std::string_view name : preset_names()) {
      rules.emplace(name, CompiledRules::load(std::string(name)));
    }
    return rules;
  }();
  return table;
}

}  // namespace

std::shared_ptr<const CompiledRules> rules_of(const GameRecord& record) {
  const auto shipped = shipped_rules().find(record.preset);
  if (record.switches.empty() && shipped != shipped_rules().end()) return shipped->second;
  try {
    return CompiledRules::make(make_rules(record.preset, record.switches));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("rules: {}", error.what()));
  }
}

namespace {

/// Number of the card that was drawn, among the cards that its holder was dealt (C.20.11).
std::uint8_t drawn_number(const GameRecord& record, const Deal& deal) {
  if (record.contract || record.exchange.empty()) return 0;
  const Exchange& draw = record.exchange[0];
  const CardSet hand =
      draw.from < static_cast<int>(record.hands.size()) ? deal.hand(draw.from) : CardSet{};
  const bool fits = record.exchange.size() == 1 && draw.cards.count() == 1 &&
                    (draw.cards - hand).empty() &&
                    special_round_row(record.session.context.mode()).draws_a_card;
  if (!fits) {
    throw std::invalid_argument(
        "exchange: beside an auction the one card that is drawn in a Zupf-Solo, from a seat that "
        "was dealt it (C.20.11)");
  }
  return static_cast<std::uint8_t>(
      (hand & CardSet(CardSet::of(draw.cards.lowest()).bits() - 1)).count());
}

}  // namespace

Deal deal_of(const GameRecord& record, const RuleSet& rules) {
  const std::vector<std::span<const Card>> hands(record.hands.begin(), record.hands.end());
  // entered at card play, the special round has had its say
  const DealContext context = record.contract ? DealContext{} : record.session.context;
  Deal deal;
  try {
    if (record.dealer >= seats_of(rules)) {
      throw std::invalid_argument(
          fmt::format("dealer = {}, the rules have {} seats", record.dealer, seats_of(rules)));
    }
    deal = deal_from_hands(hands, rules, record.dealer, context);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("hands: {}", error.what()));
  }
  deal.zupf = drawn_number(record, deal);
  return deal;
}

}  // namespace schafkopf
