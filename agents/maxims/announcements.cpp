#include "agents/maxims/announcements.h"

#include <algorithm>
#include <array>

#include "agents/maxims/claiming.h"
#include "agents/maxims/exchange.h"
#include "agents/maxims/hand_strength.h"
#include "agents/maxims/maxims.h"
#include "agents/worlds/answers.h"

namespace schafkopf {
namespace {

using Answer = std::optional<Action>;
using Chooser = Action (*)(const PlayerView&, const CompiledRules&, const ActionMask&);
using CardChooser = Card (*)(const PlayerView&, const CompiledRules&, CardSet);

/// A maxim of the answer of a function, for one of its answers only.
template <Chooser choose, Action wanted>
Answer only(const Announcement& a) {
  const Action action = choose(a.view, a.rules, a.mask);
  return action == wanted ? Answer(action) : std::nullopt;
}
template <Chooser choose>
Answer always(const Announcement& a) {
  return choose(a.view, a.rules, a.mask);
}
template <CardChooser choose>
Answer card(const Announcement& a) {
  return choose(a.view, a.rules, CardSet(static_cast<std::uint32_t>(a.mask.words[0])));
}

/// F.1: strong trumps and aces per card of what has been seen.
double strength_seen(const Announcement& a) {
  const HandFeatures features = hand_features(
      a.rules.play(calling_row().contract, a.rules.rules().partner_trump_suit), a.hand, a.leads);
  return (features.trumps + features.tops + 0.5 * features.aces) / std::max(1, a.hand.count());
}

/// Where nobody wants points, hardly any trump is strong.
Answer lay_a_harmless_hand(const Announcement& a) {
  constexpr double kWeak = 0.3;
  const bool handed_on =
      a.rules.rules().ramsch_shift;  // the own hand is harmless for others
  if (mode_of(a.view).opening != Opening::kEveryone || handed_on) return std::nullopt;
  return first_legal(a.mask, {strength_seen(a) <= kWeak ? kActionLay : kActionNoLay});
}

/// With fixed cards only their owner is strong (C.20.7).
Answer lay_a_strong_hand(const Announcement& a) {
  constexpr double kStrong = 1.4;
  const bool others_chosen = mode_of(a.view).opening == Opening::kFixedCards && !a.leads;
  if (others_chosen || strength_seen(a) < kStrong) return std::nullopt;
  return first_legal(a.mask, {kActionLay});
}

Answer do_not_lay(const Announcement& a) { return first_legal(a.mask, {kActionNoLay}); }

Answer choose_player(const Announcement& a) { return choose_target(a.view, a.mask); }

constexpr std::array kLegen = {
    kOnlyAnswer,
    AnnouncementMaxim{"lay_a_harmless_hand", "RULES F.1; C.20",
                      "Where the fewest points win, a hand with hardly a trump doubles.",
                      lay_a_harmless_hand},
    AnnouncementMaxim{"lay_a_strong_hand", "RULES F.1",
                      "The cards seen so far are far above the average.", lay_a_strong_hand},
    AnnouncementMaxim{"do_not_lay", "RULES F.1", "The cards seen so far are not strong enough.",
                      do_not_lay},
};
constexpr std::array kSchieber = {
    kOnlyAnswer,
    AnnouncementMaxim{"take_up_the_packet", "RULES C.20.6",
                      "With these cards the hand makes a good Solo.",
                      only<answer_packet, kActionTakeUp>},
    AnnouncementMaxim{"push_the_packet_on", "RULES C.20.6",
                      "Even with these cards the hand makes no Solo.", always<answer_packet>},
};
constexpr std::array kGive = {
    kOnlyAnswer,
    AnnouncementMaxim{"give_the_least_card", "RULES C.20.6; C.20.11",
                      "The card that the hand misses least under its trumps.", card<card_to_give>},
};
constexpr std::array kOffer = {
    kOnlyAnswer,
    AnnouncementMaxim{"play_alone_instead", "RULES C.3",
                      "The hand is a single game of its own and needs no partner.",
                      only<answer_offer, kActionHzNoOffer>},
    AnnouncementMaxim{"offer_the_hochzeit", "RULES C.3",
                      "A hand with so few trumps looks for a partner.", always<answer_offer>},
};
constexpr std::array kAccept = {
    kOnlyAnswer,
    AnnouncementMaxim{"accept_the_hochzeit", "RULES C.3",
                      "The hand wins almost alone, as it has to with such a partner.",
                      only<answer_hochzeit, kActionHzAccept>},
    AnnouncementMaxim{"refuse_the_hochzeit", "RULES C.3",
                      "The partner has no trump left and the hand is too weak for both.",
                      always<answer_hochzeit>},
};
constexpr std::array kReturn = {
    kOnlyAnswer,
    AnnouncementMaxim{"return_the_least_card", "RULES C.3", "The card that the hand misses least.",
                      card<card_to_return>},
};
constexpr std::array kAllPass = {
    kOnlyAnswer,
    AnnouncementMaxim{"play_for_fewest_points", "RULES D.6",
                      "The hand hardly takes a trick, so the fewest points may win.",
                      only<choose_all_pass, kActionSayRamsch>},
    AnnouncementMaxim{"no_game_at_all", "RULES D.6",
                      "The hand takes too many tricks for a game of the fewest points.",
                      always<choose_all_pass>},
};
constexpr std::array kTarget = {
    kOnlyAnswer,
    AnnouncementMaxim{"choose_who_wanted_to_play", "RULES C.20.11",
                      "Who wanted to play holds the strongest cards.", choose_player},
};
constexpr std::array kVirgin = {
    kOnlyAnswer,
    AnnouncementMaxim{"announce_the_jungfrau", "RULES C.6", "The hand is almost safe from tricks.",
                      only<answer_virgin, kActionJungfrau>},
    AnnouncementMaxim{"no_jungfrau", "RULES C.6", "The hand may well have to take a trick.",
                      always<answer_virgin>},
};
constexpr std::array kClaims = {
    kOnlyAnswer,
    AnnouncementMaxim{"claim_what_is_due", "RULES G.5",
                      "What is true as far as this seat has seen the cards.",
                      always<claim_what_is_due>},
};

}  // namespace

Announcement::Announcement(const PlayerView& seen, const CompiledRules& compiled)
    : view(seen),
      rules(compiled),
      mask(without_claims(legal_actions(seen.cards))),
      hand(seen.cards.hand),
      leads(is_forehand(seen)) {}

Answer give_the_only_answer(const Announcement& a) {
  return a.mask.count() == 1 ? Answer(a.mask.lowest()) : std::nullopt;
}

std::span<const AnnouncementMaxim> announcement_maxims(Phase phase) {
  switch (phase) {
    case Phase::kLegen:
      return kLegen;
    case Phase::kSchieber:
      return kSchieber;
    case Phase::kSchieberPush:
    case Phase::kZupfGive:
      return kGive;
    case Phase::kHzOffer:
      return kOffer;
    case Phase::kHzAccept:
      return kAccept;
    case Phase::kHzReturn:
      return kReturn;
    case Phase::kHzOverride:
    case Phase::kAuctionRound:
      return auction_round_maxims();
    case Phase::kAuctionResolve:
    case Phase::kAuctionDirect:
      return auction_contest_maxims();
    case Phase::kSteigern:
      return points_auction_maxims();
    case Phase::kNameClass:
      return naming_maxims();
    case Phase::kPredeal:
    case Phase::kNameSuit:
      return suit_maxims();
    case Phase::kCallCard:
      return calling_maxims();
    case Phase::kAllPassChoice:
      return kAllPass;
    case Phase::kZupfTarget:
      return kTarget;
    case Phase::kJungfrau:
      return kVirgin;
    case Phase::kDouble:
      return doubling_maxims();
    case Phase::kClaimSettle:
      return kClaims;
    case Phase::kPlay:
    case Phase::kDone:
      break;
  }
  return {};
}

Action choose_announcement(const PlayerView& view, const CompiledRules& rules,
                           const AnnouncementMaxim** reason) {
  if (reason != nullptr) *reason = nullptr;
  const Announcement decision(view, rules);
  if (decision.mask.empty()) return kActionPass;
  for (const AnnouncementMaxim& maxim : announcement_maxims(view.phase())) {
    const Answer answer = maxim.propose(decision);
    if (!answer) continue;
    if (*answer >= kNumActions || !decision.mask.contains(*answer)) refuse_view(view.phase());
    if (reason != nullptr) *reason = &maxim;
    return *answer;
  }
  return decision.mask.lowest();
}

}  // namespace schafkopf
