#include "agents/worlds/offers.h"

#include <cstddef>

namespace schafkopf {
namespace {

bool is_offer(Action action) { return action == kActionHzOffer1 || action == kActionHzOffer2; }

/// Whether single games may enter after an offer was accepted: the first one that was, where the
/// rules have it (OPEN-11).
bool may_be_overridden(std::span<const Offer> before, const RuleSet& rules) {
  if (!rules.hochzeit_solo_override) return false;
  for (const Offer& offer : before) {
    if (offer.acceptor >= 0) return false;
  }
  return true;
}

}  // namespace

std::vector<Offer> offers_of(std::span<const SeenEvent> events, const RuleSet& rules, int seats) {
  std::vector<Offer> offers;
  const auto before = [&offers](std::size_t number) { return std::span(offers).first(number); };
  bool after_offer = false;
  for (const SeenEvent& event : events) {
    const bool card = event.action < kNumCards && !event.flag;
    if (is_offer(event.action)) {
      offers.push_back({event.seat, event.action == kActionHzOffer2 ? 2 : 1, {}});
    } else if (card && after_offer && rules.hochzeit_card_open &&
               offers.back().shown.count() < offers.back().trumps) {
      offers.back().shown.add(event.action);  // else called, by a Muss-Spiel after the refusal
    } else if (event.action == kActionHzAccept && !offers.empty()) {
      offers.back().acceptor = event.seat;
    } else if (!offers.empty() && offers.back().acceptor >= 0 && offers.back().overrides < seats &&
               (event.action == kActionPass || event.action == kActionPlay)) {
      ++offers.back().overrides;
      if (event.action == kActionPlay && may_be_overridden(before(offers.size() - 1), rules)) {
        offers.back().is_void = true;
      }
    }
    after_offer = is_offer(event.action) || (card && after_offer);
  }
  for (std::size_t i = 0; i < offers.size(); ++i) {
    Offer& offer = offers[i];
    const bool waits = may_be_overridden(before(i), rules) && offer.overrides < seats;
    offer.exchanged = offer.acceptor >= 0 && !offer.is_void && !waits;
  }
  return offers;
}

}  // namespace schafkopf
