#include "agents/maxims/claiming.h"

#include "agents/maxims/hand_strength.h"
#include "agents/maxims/situation.h"
#include "agents/worlds/answers.h"
#include "env/price/settle.h"

namespace schafkopf {
namespace {

/// Below this a hand hardly takes a trick where everybody plays for himself.
constexpr int kSafeExposure = 6, kVirginExposure = 1;

int exposure_in(const PlayerView& view, const CompiledRules& rules, Parties parties) {
  const PlayConstants& play =
      rules.play(row_of(parties).contract, rules.rules().partner_trump_suit);
  return exposure(play, CardSet(view.cards.hand), rules.deck());
}

/// Cards that a side is known to have held at the start of play.
CardSet cards_of(const Situation& s, const PlayerView& view, Side side) {
  CardSet cards;
  for (int seat = 0; seat < s.seats; ++seat) {
    const auto i = static_cast<std::size_t>(seat);
    if (s.side[i] == side) cards = cards | CardSet(view.cards.played[i]);
  }
  return side == Side::kFriend ? cards | s.hand : cards;
}

/// Length of the top run of trumps that one side is known to have held.
int known_run(const Situation& s, const PlayerView& view, const TrumpList& trumps) {
  const CardSet own = cards_of(s, view, Side::kFriend), theirs = cards_of(s, view, Side::kEnemy);
  if (trumps.count == 0) return 0;
  const CardSet side = own.contains(trumps.cards[0]) ? own : theirs;
  int run = 0;
  while (run < trumps.count && side.contains(trumps.cards[static_cast<std::size_t>(run)])) ++run;
  return run;
}

/// All cards lie in tricks that this seat has seen, and none of them on the other side.
bool others_have_no_trick(const Situation& s, const PlayerView& view, const CompiledRules& rules) {
  CardSet ours, theirs;
  for (int seat = 0; seat < s.seats; ++seat) {
    const auto i = static_cast<std::size_t>(seat);
    CardSet& tricks = s.side[i] == Side::kFriend ? ours : theirs;
    tricks = tricks | CardSet(view.cards.captured[i]);
  }
  return theirs.empty() && ours == rules.deck();
}

}  // namespace

Action choose_all_pass(const PlayerView& view, const CompiledRules& rules, const ActionMask& mask) {
  if (!rules.rules().ramsch_shift &&
      exposure_in(view, rules, Parties::kEveryone) <= kSafeExposure) {
    return first_legal(mask, {kActionSayRamsch, kActionPass, kActionSayStock});
  }
  return first_legal(mask, {kActionPass, kActionSayStock, kActionSayRamsch});
}

Action answer_virgin(const PlayerView& view, const CompiledRules& rules, const ActionMask& mask) {
  const bool safe = !rules.rules().ramsch_shift &&
                    exposure_in(view, rules, Parties::kEveryone) <= kVirginExposure;
  return first_legal(mask, {safe ? kActionJungfrau : kActionNoJungfrau});
}

Action claim_what_is_due(const PlayerView& view, const CompiledRules& rules,
                         const ActionMask& mask) {
  const Situation s(view, rules);
  if (mask.contains(kActionClaimLaufende0)) {
    const Contract contract{
        .contract = s.row->contract, .tout = s.tout, .suit = s.trump_suit, .declarer = s.declarer};
    const TrumpList& trumps = rules.trumps(s.row->contract, s.trump_suit);
    const int payable = payable_run(contract, known_run(s, view, trumps), rules);
    return first_legal(mask, {static_cast<Action>(kActionClaimLaufende0 + payable)});
  }
  const bool schwarz = others_have_no_trick(s, view, rules);
  return first_legal(mask, {schwarz ? kActionClaimSchwarz : kActionClaimNoSchwarz});
}

}  // namespace schafkopf
