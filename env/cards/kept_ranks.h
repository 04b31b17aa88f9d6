// Sets of trump ranks that canonical cards have maps for (card_map.h): their cards keep the absolute
// index. Apart from the maps, so that the table of contracts can be held against it.
#pragma once

#include <cstdint>

#include "env/cards/card.h"

namespace schafkopf {

/// As sets of cards. The order is part of the numbers of the maps; append-only.
inline constexpr std::uint32_t kKeptRanks[] = {
    0,
    (CardSet::rank(Rank::kOber) | CardSet::rank(Rank::kUnter)).bits(),
    CardSet::rank(Rank::kUnter).bits(),
    CardSet::rank(Rank::kOber).bits(),
    CardSet::rank(Rank::kKoenig).bits(),
    CardSet::rank(Rank::k10).bits(),
};

}  // namespace schafkopf
