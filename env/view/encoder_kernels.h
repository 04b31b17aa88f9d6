// The inner loops of the encoder, each in a portable form and in the widest vector form that the
// target has: bits to bytes and floats, bytes to floats, cards to the canonical index, sums over
// cards, proven voids. Both forms give the same values. For the rooms of env/ and their test only.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "env/base/streamed.h"
#include "env/cards/card.h"
#include "env/view/packed.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace schafkopf::kernels {

inline constexpr int kTrumpGroup = 16;  // group bits: 1 << slot for plain suits, 16 for trumps

/// What decides the group of a card: per rank the suits in which it is trump (bit per suit), and
/// per suit the group bit of its plain cards.
struct Groups {
  std::uint8_t trump_suits[8] = {};
  std::uint8_t plain[4] = {1, 2, 4, 8};
};

/// Points of the cards 7 8 9 U and O K 10 A of a suit, and how many these are, by the four bits that
/// say which of them there are.
struct NibblePoints {
  std::array<std::uint8_t, 16> low{}, high{};
};
inline constexpr NibblePoints kNibblePoints = [] {
  NibblePoints points;
  for (unsigned bits = 0; bits < 16; ++bits) {
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned held = (bits >> i) & 1u;
      points.low[bits] = static_cast<std::uint8_t>(points.low[bits] +
                                                   held * static_cast<unsigned>(kRankPoints[i]));
      points.high[bits] = static_cast<std::uint8_t>(
          points.high[bits] + held * static_cast<unsigned>(kRankPoints[i + 4]));
    }
  }
  return points;
}();
inline constexpr std::array<std::uint8_t, 16> kNibbleBits = {0, 1, 1, 2, 1, 2, 2, 3,
                                                             1, 2, 2, 3, 2, 3, 3, 4};

// Which stores write what is shown (streamed.h): a template argument; streaming ones need out aligned to
// 32 bytes (bytes) or 64 (floats). The portable forms have ordinary stores alone.

namespace portable {

/// 64 bits to 64 bytes 0 / 1, lowest bit first.
template <Stores = Stores::kCached>
[[gnu::always_inline]] inline void expand_bits(std::uint64_t bits, std::uint8_t* out) {
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t spread = ((bits >> (8 * i)) & 0xFFu) * 0x0101010101010101u;
    // bit j stays in byte j; adding 0x7F.. moves it to the top bit of its byte
    const std::uint64_t one_each = spread & 0x8040201008040201u;
    const std::uint64_t bytes =
        (((one_each & 0x7F7F7F7F7F7F7F7Fu) + 0x7F7F7F7F7F7F7F7Fu) | one_each) >> 7;
    const std::uint64_t values = bytes & 0x0101010101010101u;
    std::memcpy(out + 8 * i, &values, sizeof values);
  }
}

inline constexpr auto kNibbles = [] {
  std::array<std::array<float, 4>, 16> floats{};
  for (unsigned bits = 0; bits < 16; ++bits) {
    for (unsigned i = 0; i < 4; ++i) floats[bits][i] = static_cast<float>((bits >> i) & 1u);
  }
  return floats;
}();

/// 64 bits to 64 floats 0 / 1.
template <Stores = Stores::kCached>
[[gnu::always_inline]] inline void expand_bits(std::uint64_t bits, float* out) {
  for (int i = 0; i < 16; ++i) {
    std::memcpy(out + 4 * i, kNibbles[(bits >> (4 * i)) & 0xFu].data(), 4 * sizeof(float));
  }
}

/// Eight bytes.
template <Stores = Stores::kCached>
[[gnu::always_inline]] inline void put_word(std::uint64_t word, void* out) {
  std::memcpy(out, &word, sizeof word);
}

/// n bytes to floats, each with its own scale.
template <Stores = Stores::kCached>
[[gnu::always_inline]] inline void scale_bytes(const std::uint8_t* bytes, const float* scale, int n,
                                               float* out) {
  for (int i = 0; i < n; ++i) out[i] = static_cast<float>(bytes[i]) * scale[i];
}

/// Seats that did not follow, 5 group bits in the byte of the relative seat: the led group of every
/// trick to which a seat played another group (a seat that can follow must, R-112).
///
/// plays  32 bytes of OrderLine::plays; seats 3 or 4
[[gnu::always_inline]] inline std::uint32_t void_groups(const std::uint8_t* plays, int seats,
                                                        const Groups& groups) {
  std::uint32_t voids = 0;
  for (int first = 0; first < 32 && packed::is_play(plays[first]); first += seats) {
    std::uint32_t led = 0;
    for (int i = first; i < first + seats && i < 32 && packed::is_play(plays[i]); ++i) {
      const unsigned card = packed::card_of(plays[i]), suit = card >> 3;
      const bool trump = ((groups.trump_suits[card & 7u] >> suit) & 1u) != 0;
      const std::uint32_t group = trump ? kTrumpGroup : groups.plain[suit];
      if (i == first) led = group;
      if (group != led) voids |= led << (8 * packed::seat_of(plays[i]));
    }
  }
  return voids;
}

/// Points and numbers of cards of eight sets, the first in the lowest byte.
struct CardSums {
  std::uint64_t points = 0, counts = 0;
};
[[gnu::always_inline]] inline CardSums card_sums(const std::uint32_t* first_four, std::uint32_t a,
                                                 std::uint32_t b, std::uint32_t c,
                                                 std::uint32_t d) {
  const std::uint32_t sets[] = {
      first_four[0], first_four[1], first_four[2], first_four[3], a, b, c, d};
  CardSums sums;
  for (int i = 0; i < 8; ++i) {
    const CardSet set(sets[i]);
    sums.points |= static_cast<std::uint64_t>(points_of(set)) << (8 * i);
    sums.counts |= static_cast<std::uint64_t>(set.count()) << (8 * i);
  }
  return sums;
}

}  // namespace portable

using portable::CardSums;

/// A card map (card_map.h): `kept` cards keep their absolute index, all others move to the slot of
/// their suit. `shuffle` says the same as a byte shuffle of four words.
struct Slots {
  std::uint32_t kept = 0;
  std::uint8_t shuffle[16] = {};
};
[[gnu::always_inline]] inline Slots make_slots(std::uint32_t kept, const std::uint8_t* slots) {
  Slots made{kept, {}};
  for (int word = 0; word < 16; word += 4) {
    for (int suit = 0; suit < 4; ++suit) {
      made.shuffle[word + slots[suit]] = static_cast<std::uint8_t>(word + suit);
    }
  }
  return made;
}

namespace portable {

/// The sixteen words of a line with `trumps` in place of word 2, as canonical cards.
[[gnu::always_inline]] inline void canonical_line(const void* line, std::uint32_t trumps,
                                                  const Slots& slots, std::uint32_t (&out)[16]) {
  std::memcpy(out, line, sizeof out);
  out[2] = trumps;
  for (std::uint32_t& word : out) {
    const std::uint32_t rest = word & ~slots.kept;
    word &= slots.kept;
    for (int slot = 0; slot < 4; ++slot) {
      word |= ((rest >> (8 * slots.shuffle[slot])) & 0xFFu) << (8 * slot);
    }
  }
}

}  // namespace portable

#if defined(__AVX2__)

inline constexpr bool kStreams = true;
/// Half a line.
template <Stores stores>
[[gnu::always_inline]] inline void put(void* out, __m256i value) {
  if constexpr (stores == Stores::kCached) {
    _mm256_storeu_si256(static_cast<__m256i*>(out), value);
  } else {
    _mm256_stream_si256(static_cast<__m256i*>(out), value);
  }
}
template <Stores stores = Stores::kCached>
[[gnu::always_inline]] inline void put_word(std::uint64_t word, void* out) {
  if constexpr (stores == Stores::kCached) {
    portable::put_word(word, out);
  } else {
    _mm_stream_si64(static_cast<long long*>(out), static_cast<long long>(word));
  }
}

#else

inline constexpr bool kStreams = false;
using portable::put_word;

#endif

#if defined(__AVX512BW__) && defined(__AVX512VL__)

[[gnu::always_inline]] inline void canonical_line(const void* line, std::uint32_t trumps,
                                                  const Slots& slots, std::uint32_t (&out)[16]) {
  const __m512i kept = _mm512_set1_epi32(static_cast<int>(slots.kept));
  const __m512i shuffle =
      _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(slots.shuffle)));
  const __m512i words =
      _mm512_mask_set1_epi32(_mm512_loadu_si512(line), 1 << 2, static_cast<int>(trumps));
  const __m512i moved = _mm512_shuffle_epi8(_mm512_andnot_si512(kept, words), shuffle);
  _mm512_storeu_si512(out, _mm512_or_si512(_mm512_and_si512(kept, words), moved));
}
template <Stores stores = Stores::kCached>
[[gnu::always_inline]] inline void expand_bits(std::uint64_t bits, std::uint8_t* out) {
  // NOLINTNEXTLINE(misc-const-correctness): the line after it may change it
  __m512i ones = _mm512_set1_epi8(1);
  asm("" : "+v"(ones));  // a vector: g++ would take the byte from a general register each time
  const __m512i bytes = _mm512_maskz_mov_epi8(bits, ones);
  if constexpr (stores == Stores::kCached) {
    _mm512_storeu_si512(out, bytes);
  } else {  // a row may begin in the middle of a line
    put<stores>(out, _mm512_castsi512_si256(bytes));
    put<stores>(out + 32, _mm512_extracti64x4_epi64(bytes, 1));
  }
}
/// 512 bits and 32 bytes behind them, for rows that begin in the middle of a line as often as not: no
/// whole vector is stored across two lines. The words lie in one piece of memory.
[[gnu::always_inline]] inline void expand_row(const std::uint64_t* words, std::uint8_t* out) {
  __m512i ones = _mm512_set1_epi8(1);  // NOLINT(misc-const-correctness): as above
  asm("" : "+v"(ones));
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(words);
  const auto half = [&](int at) {  // 32 bits
    std::uint32_t bits = 0;
    std::memcpy(&bits, bytes + at / 8, sizeof bits);
    put<Stores::kCached>(out + at, _mm256_maskz_mov_epi8(bits, _mm512_castsi512_si256(ones)));
  };
  const std::size_t to_line = reinterpret_cast<std::uintptr_t>(out) & 32u;
  half(0);
  for (std::size_t at = to_line; at < to_line + 448; at += 64) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes + at / 8, sizeof bits);
    _mm512_storeu_si512(out + at, _mm512_maskz_mov_epi8(bits, ones));
  }
  half(448);
  half(480);
  put<Stores::kCached>(out + 512, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + 64)));
}
template <Stores stores = Stores::kCached>
[[gnu::always_inline]] inline void expand_bits(std::uint64_t bits, float* out) {
  const __m512 one = _mm512_set1_ps(1.0F);
  for (int i = 0; i < 4; ++i) {
    const auto mask = static_cast<__mmask16>(bits >> (16 * i));
    const __m512 values = _mm512_maskz_mov_ps(mask, one);
    if constexpr (stores == Stores::kCached) {
      _mm512_storeu_ps(out + 16 * i, values);
    } else {
      _mm512_stream_ps(out + 16 * i, values);
    }
  }
}
/// The first `bits` bits of the words to floats, for long rows that begin anywhere in a line: all vectors
/// but the first and the last two are stored within one.
template <int bits>
[[gnu::always_inline]] inline void expand_floats(const std::uint64_t* words, float* out) {
  constexpr int kBlocks = (bits - 15) / 16;
  const __m512 one = _mm512_set1_ps(1.0F);
  const auto store = [&](std::uint64_t mask, int at) {
    _mm512_storeu_ps(out + at, _mm512_maskz_mov_ps(static_cast<__mmask16>(mask), one));
  };
  const auto from = [&](int at) {  // sixteen bits, known where they begin
    const int word = at / 64, shift = at % 64;
    const std::uint64_t low = words[word] >> shift;
    return shift <= 48 ? low : low | (words[word + 1] << (64 - shift));
  };
  const int to_line = static_cast<int>((0 - reinterpret_cast<std::uintptr_t>(out)) / 4 & 15u);
  store(words[0], 0);
  for (int block = 0; block < kBlocks; block += 4) {
    const int word = block / 4;
    const std::uint64_t above = (word + 1) * 64 < bits ? words[word + 1] : 0;
    const std::uint64_t moved = (words[word] >> to_line) | ((above << 1) << (63 - to_line));
    for (int k = 0; k < 4 && block + k < kBlocks; ++k) {
      store(moved >> (16 * k), to_line + 16 * (block + k));
    }
  }
  store(from(bits - 32), bits - 32);
  store(from(bits - 16), bits - 16);
}

#elif defined(__AVX2__)

[[gnu::always_inline]] inline void canonical_line(const void* line, std::uint32_t trumps,
                                                  const Slots& slots, std::uint32_t (&out)[16]) {
  const __m256i kept = _mm256_set1_epi32(static_cast<int>(slots.kept));
  const __m256i shuffle =
      _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(slots.shuffle)));
  const auto move = [&](__m256i words) {
    const __m256i moved = _mm256_shuffle_epi8(_mm256_andnot_si256(kept, words), shuffle);
    return _mm256_or_si256(_mm256_and_si256(kept, words), moved);
  };
  const auto* half = static_cast<const __m256i*>(line);
  const __m256i replaced = _mm256_set1_epi32(static_cast<int>(trumps));
  const __m256i low = _mm256_blend_epi32(_mm256_loadu_si256(half), replaced, 1 << 2);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), move(low));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 8), move(_mm256_loadu_si256(half + 1)));
}
/// 32 bits to a byte mask 0xFF / 0.
[[gnu::always_inline]] inline __m256i byte_mask(std::uint32_t bits) {
  const __m256i spread =
      _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(bits)),
                          _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2,
                                           2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3));
  const __m256i select = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201u));
  return _mm256_cmpeq_epi8(_mm256_and_si256(spread, select), select);
}
template <Stores stores = Stores::kCached>
[[gnu::always_inline]] inline void expand_bits(std::uint64_t bits, std::uint8_t* out) {
  const __m256i one = _mm256_set1_epi8(1);
  for (int i = 0; i < 2; ++i) {
    const __m256i mask = byte_mask(static_cast<std::uint32_t>(bits >> (32 * i)));
    put<stores>(out + 32 * i, _mm256_and_si256(mask, one));
  }
}
template <Stores stores = Stores::kCached>
[[gnu::always_inline]] inline void expand_bits(std::uint64_t bits, float* out) {
  const __m256i select = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  const __m256i one = _mm256_castps_si256(_mm256_set1_ps(1.0F));
  for (int half = 0; half < 2; ++half) {
    const __m256i spread = _mm256_set1_epi32(static_cast<int>(bits >> (32 * half)));
    for (int i = 0; i < 4; ++i) {
      const __m256i own = _mm256_slli_epi32(select, 8 * i);  // a constant
      const __m256i mask = _mm256_cmpeq_epi32(_mm256_and_si256(spread, own), own);
      put<stores>(out + 32 * half + 8 * i, _mm256_and_si256(mask, one));
    }
  }
}

#else

using portable::canonical_line;
using portable::expand_bits;

#endif

#if defined(__AVX2__)

template <Stores stores = Stores::kCached>
[[gnu::always_inline]] inline void scale_bytes(const std::uint8_t* bytes, const float* scale, int n,
                                               float* out) {
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m128i raw = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes + i));
    const __m256 values = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(raw));
    put<stores>(out + i, _mm256_castps_si256(_mm256_mul_ps(values, _mm256_loadu_ps(scale + i))));
  }
  portable::scale_bytes(bytes + i, scale + i, n - i, out + i);
}

/// As portable::card_sums: both sums of four cards are looked up at once (7 8 9 U and O K 10 A).
[[gnu::always_inline]] inline CardSums card_sums(const std::uint32_t* first_four, std::uint32_t a,
                                                 std::uint32_t b, std::uint32_t c,
                                                 std::uint32_t d) {
  const auto table = [](const std::array<std::uint8_t, 16>& bytes) {
    return _mm256_broadcastsi128_si256(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data())));
  };
  const __m256i low_points = table(kNibblePoints.low), high_points = table(kNibblePoints.high);
  const __m256i bits = table(kNibbleBits);
  const __m256i all =
      _mm256_set_m128i(_mm_setr_epi32(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c),
                                      static_cast<int>(d)),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(first_four)));
  const __m256i nibble = _mm256_set1_epi8(0x0F);
  const __m256i low = _mm256_and_si256(all, nibble);
  const __m256i high = _mm256_and_si256(_mm256_srli_epi16(all, 4), nibble);
  const __m256i ones = _mm256_set1_epi8(1), pairs = _mm256_set1_epi16(1);
  const auto per_set = [&](__m256i low_half, __m256i high_half) {  // sum of four suits
    return _mm256_madd_epi16(_mm256_maddubs_epi16(_mm256_add_epi8(low_half, high_half), ones),
                             pairs);
  };
  const __m256i points =
      per_set(_mm256_shuffle_epi8(low_points, low), _mm256_shuffle_epi8(high_points, high));
  const __m256i counts = per_set(_mm256_shuffle_epi8(bits, low), _mm256_shuffle_epi8(bits, high));
  const __m256i words = _mm256_packus_epi32(points, counts);
  const __m256i bytes = _mm256_packus_epi16(words, words);  // p p p p c c c c, sets 0..3 and 4..7
  const auto first = static_cast<std::uint64_t>(_mm256_extract_epi64(bytes, 0));
  const auto second = static_cast<std::uint64_t>(_mm256_extract_epi64(bytes, 2));
  return {(first & 0xFFFFFFFFu) | (second << 32), (first >> 32) | (second & ~0xFFFFFFFFull)};
}

/// As portable::void_groups, all tricks at once: one trick is one 32-bit lane. Reads the bits of
/// packed::play in lanes.
[[gnu::always_inline]] inline std::uint32_t void_groups(const std::uint8_t* plays, int seats,
                                                        const Groups& groups) {
  static_assert(
      packed::kPlayCard.at == 0 && packed::kPlaySeat.at == 5 && packed::kPlayPresent.at == 7,
      "the lanes below read card, seat and presence of a play at these bits");
  if (seats != 4) return portable::void_groups(plays, seats, groups);
  const __m256i line = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(plays));
  const __m256i rank = _mm256_and_si256(line, _mm256_set1_epi8(7));
  const __m256i suit = _mm256_and_si256(_mm256_srli_epi16(line, 3), _mm256_set1_epi8(3));
  std::uint64_t by_rank = 0;
  std::uint32_t by_suit = 0;
  std::memcpy(&by_rank, groups.trump_suits, sizeof by_rank);
  std::memcpy(&by_suit, groups.plain, sizeof by_suit);
  const __m256i ranks = _mm256_set1_epi64x(static_cast<long long>(by_rank));
  const __m256i plain = _mm256_set1_epi32(static_cast<int>(by_suit));
  const __m256i suit_bit = _mm256_shuffle_epi8(_mm256_set1_epi32(0x08040201), suit);  // 1 << suit
  const __m256i trump =
      _mm256_cmpeq_epi8(_mm256_and_si256(_mm256_shuffle_epi8(ranks, rank), suit_bit), suit_bit);
  const __m256i group =
      _mm256_blendv_epi8(_mm256_shuffle_epi8(plain, suit), _mm256_set1_epi8(kTrumpGroup), trump);
  const __m256i led = _mm256_shuffle_epi8(
      group, _mm256_setr_epi8(0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12, 0, 0, 0, 0, 4, 4,
                              4, 4, 8, 8, 8, 8, 12, 12, 12, 12));
  const __m256i absent = _mm256_cmpgt_epi8(line, _mm256_set1_epi8(-1));  // bit 7 clear
  const __m256i follows = _mm256_or_si256(absent, _mm256_cmpeq_epi8(group, led));
  const __m256i missing = _mm256_andnot_si256(follows, led);
  // byte i of a trick belongs to seat leader + i: rotate by 8 * leader, so that byte = seat
  const __m256i shift = _mm256_and_si256(_mm256_srli_epi32(line, 2), _mm256_set1_epi32(0x18));
  const __m256i back = _mm256_sub_epi32(_mm256_set1_epi32(32), shift);
  const __m256i turned =
      _mm256_or_si256(_mm256_sllv_epi32(missing, shift), _mm256_srlv_epi32(missing, back));
  __m128i any = _mm_or_si128(_mm256_castsi256_si128(turned), _mm256_extracti128_si256(turned, 1));
  any = _mm_or_si128(any, _mm_shuffle_epi32(any, 0x4E));
  any = _mm_or_si128(any, _mm_shuffle_epi32(any, 0xB1));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(any));
}

#else

using portable::card_sums;
using portable::scale_bytes;
using portable::void_groups;

#endif

/// Number of set bits in each byte of a word.
[[gnu::always_inline]] inline std::uint32_t bits_per_byte(std::uint32_t x) {
  x -= (x >> 1) & 0x55555555u;
  x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
  return (x + (x >> 4)) & 0x0F0F0F0Fu;
}

/// Bytes 5 bits wide, packed to 20 bits: seat s has bits 5 s .. 5 s + 4.
[[gnu::always_inline]] inline std::uint32_t pack_groups(std::uint32_t voids) {
#if defined(__BMI2__)
  return __builtin_ia32_pext_si(voids, 0x1F1F1F1Fu);
#else
  return (voids & 0x1Fu) | ((voids >> 3) & 0x3E0u) | ((voids >> 6) & 0x7C00u) |
         ((voids >> 9) & 0xF8000u);
#endif
}

}  // namespace schafkopf::kernels
