#include "env/deal/deal.h"

#include <array>
#include <string>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "env/base/random.h"
#include "env/base/refuse.h"
#include "env/deal/dealing.h"
#include "env/rules/special_round.h"

namespace schafkopf {
namespace {

/// The 16-bit words sorted by number of set bits, then by value: `words[first[k] + i]` is the i-th
/// subset of size k.
struct Subsets16 {
  std::array<std::uint16_t, 65536> words{};
  std::array<std::uint32_t, 18> first{};
};

const Subsets16& subsets16() {
  static const Subsets16 table = [] {
    Subsets16 t;
    std::uint32_t at = 0;
    for (int size = 0; size <= 16; ++size) {
      t.first[static_cast<std::size_t>(size)] = at;
      for (std::uint32_t word = 0; word < 65536; ++word) {
        if (std::popcount(word) == size) t.words[at++] = static_cast<std::uint16_t>(word);
      }
    }
    t.first[17] = at;
    return t;
  }();
  return table;
}

constexpr std::array<std::uint8_t, 70> subsets_4_of_8() {
  std::array<std::uint8_t, 70> list{};
  std::size_t at = 0;
  for (std::uint32_t word = 0; word < 256; ++word) {
    if (std::popcount(word) == 4) list[at++] = static_cast<std::uint8_t>(word);
  }
  return list;
}
constexpr std::array<std::uint8_t, 70> kHalves = subsets_4_of_8();

#if defined(__x86_64__) && !defined(__BMI2__)
/// A portable build asks the processor for the instruction of the other builds.
[[gnu::target("bmi2")]] std::uint32_t deposit_at_once(std::uint32_t bits, std::uint32_t mask) {
  return _pdep_u32(bits, mask);
}
const bool kDepositsAtOnce = __builtin_cpu_supports("bmi2");
#endif

/// Bits of `bits` at the positions of the set bits of `mask`, lowest first.
std::uint32_t deposit(std::uint32_t bits, std::uint32_t mask) {
#ifdef __BMI2__
  return _pdep_u32(bits, mask);
#else
#ifdef __x86_64__
  if (kDepositsAtOnce) return deposit_at_once(bits, mask);
#endif
  std::uint32_t result = 0;
  for (; mask != 0; mask &= mask - 1, bits >>= 1) {
    result |= (mask & (0u - mask)) & (0u - (bits & 1u));
  }
  return result;
#endif
}

constexpr std::uint64_t kZupfDraw = 256;        // beyond the draws of any deal
constexpr std::uint32_t kSplits32 = 601080390;  // C(32, 16)
constexpr std::uint32_t kSplits16 = 12870;      // C(16, 8)

constexpr std::array<std::uint32_t, 17> binomials_16() {
  std::array<std::uint32_t, 17> row{};
  row[0] = 1;
  for (std::uint32_t k = 1; k <= 16; ++k) row[k] = row[k - 1] * (17 - k) / k;
  return row;
}
constexpr std::array<std::uint32_t, 17> kChoose16 = binomials_16();

/// Sets of 16 cards with k of the low half word: how many come before them, and their halves counted
/// by a division that is a multiplication.
struct Sixteens {
  std::array<std::uint32_t, 17> before{};
  std::array<std::uint64_t, 17> inverse{};  // 2^64 / kChoose16, rounded up
};
constexpr Sixteens make_sixteens() {
  Sixteens made;
  std::uint32_t sum = 0;
  for (std::size_t k = 0; k < 17; ++k) {
    made.before[k] = sum;
    made.inverse[k] = kChoose16[k] == 1 ? 0 : ~std::uint64_t{0} / kChoose16[k] + 1;
    sum += kChoose16[k] * kChoose16[k];
  }
  return made;
}
constexpr Sixteens kSixteens = make_sixteens();
static_assert(kSixteens.before[16] + 1 == kSplits32);

/// The n-th of the C(32, 16) sets of 16 cards: k of the low half word, 16 - k of the high one.
std::uint32_t sixteen_cards(const Subsets16& table, std::uint32_t n) {
  std::size_t k = 0;  // a sum of comparisons: the way out of a loop would be mispredicted
  for (std::size_t more = 1; more < 17; ++more)
    k += static_cast<std::size_t>(n >= kSixteens.before[more]);
  n -= kSixteens.before[k];
  // Exact: n * 2^64 / d is off by less than n, which is below 2^64 / d.
  const auto wide = static_cast<UInt128>(n) * kSixteens.inverse[k];
  const auto quotient = static_cast<std::uint32_t>(wide >> 64);
  const std::uint32_t low = table.words[table.first[k] + n - quotient * kChoose16[k]];
  const std::uint32_t high = table.words[table.first[16 - k] + quotient];
  return low | (high << 16);
}

void deal_half(Deal& deal, std::size_t seat, std::uint32_t hand, std::uint64_t& r) {
  // one draw serves four small choices: the fraction left after each is the next draw
  const auto wide = static_cast<UInt128>(r) * kHalves.size();
  r = static_cast<std::uint64_t>(wide);
  const std::uint32_t first = deposit(kHalves[static_cast<std::size_t>(wide >> 64)], hand);
  deal.first[seat] = CardSet(first);
  deal.second[seat] = CardSet(hand & ~first);
}

}  // namespace

Deal random_deal(std::uint64_t seed) {
  const std::uint64_t r0 = draw(seed, RngStream::kDeal, 0);
  const std::uint64_t r1 = draw(seed, RngStream::kDeal, 1);
  std::uint64_t r2 = draw(seed, RngStream::kDeal, 2);
  const Subsets16& table = subsets16();
  const std::uint32_t one_side =
      sixteen_cards(table, static_cast<std::uint32_t>(below(r0, static_cast<int>(kSplits32))));
  const auto wide = static_cast<UInt128>(r1) * kSplits16;
  const auto* eight = &table.words[table.first[8]];
  const std::uint32_t hand0 = deposit(eight[static_cast<std::size_t>(wide >> 64)], one_side);
  const std::uint32_t hand2 =
      deposit(eight[static_cast<std::size_t>(below(static_cast<std::uint64_t>(wide), kSplits16))],
              ~one_side);
  Deal deal;
  deal_half(deal, 0, hand0, r2);
  deal_half(deal, 1, one_side & ~hand0, r2);
  deal_half(deal, 2, hand2, r2);
  deal_half(deal, 3, ~one_side & ~hand2, r2);
  return deal;
}

Deal deal_for(std::uint64_t seed, const RuleSet& rules, int dealer, const DealContext& context) {
  check_dealing(rules, dealer, context);
  const bool usual = rules.deck == Deck::kLong32 && seats_of(rules) == kNumSeats &&
                     undealt_packet(rules, context).empty();
  Deal deal = usual ? random_deal(seed)
                    : deal_from_order(shuffled_deck(seed, rules), rules, dealer, context);
  if (special_round_row(context.mode()).draws_a_card) {
    deal.zupf =
        static_cast<std::uint8_t>(below(draw(seed, RngStream::kDeal, kZupfDraw), hand_size(rules)));
  }
  return deal;
}

}  // namespace schafkopf
