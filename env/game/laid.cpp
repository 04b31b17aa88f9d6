#include "env/game/laid.h"

#include <string>

#include "env/base/refuse.h"

namespace schafkopf {

void check_laid(const RuleSet& rules, int dealer, std::span<const int> laid) {
  const int seats = seats_of(rules);
  int before = -1;
  for (const int seat : laid) {
    const int position = (seat - dealer - 1 + 2 * seats) % seats;
    const bool in_order = rules.legen == Legen::kFree ? position > before : position == before + 1;
    const bool allowed = rules.legen != Legen::kOff && seat >= 0 && seat < seats && in_order &&
                         !(rules.legen == Legen::kForehandOnly && position > 0);
    if (!allowed) {
      refuse("legen: seat " + std::to_string(seat) + " cannot lay there with legen = " +
             std::string(name_of(rules.legen)) + " (F.1, R-132, R-134)");
    }
    before = position;
  }
}

}  // namespace schafkopf
