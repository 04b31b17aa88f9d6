#include "env/rules/deal_context.h"

#include <algorithm>
#include <iterator>

#include "env/rules/special_round.h"

namespace schafkopf {

DealContext first_context(const RuleSet& rules) {
  DealContext context;
  context.special_round = static_cast<std::uint8_t>(rules.special_round);
  if (rules.special_round == SpecialRound::kNone) return context;
  const SpecialRoundRow& row = special_round_row(rules.special_round);
  const int games =
      rules.special_round_games > 0 ? rules.special_round_games : row.rounds * rules.players;
  context.games_left = static_cast<std::uint8_t>(games);
  context.bock = row.doubled ? 1 : 0;
  if (row.announce == Announce::kOwed) {
    std::fill_n(std::begin(context.owed), seats_of(rules), kOwesAll);
  }
  return context;
}

}  // namespace schafkopf
