// What observation v4 adds to v3: what a seat can prove (deduction.h), as card sets and numbers of one
// view, and the bits of its row that are made of them. The first part is plain code (encoder_v4.cpp),
// the second is compiled for an instruction set by row_writer.h.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "env/view/row_tricks.h"

namespace schafkopf::rows {

namespace v4 = layout::v4;

/// All zero outside card play.
struct alignas(64) Proofs {
  /// Sets of absolute cards, as canonical_line takes them.
  static constexpr std::size_t kBest = 0, kTakes = 1, kSure = 2, kLacks = 3,
                               kOnly = kLacks + v4::kOthers, kUsed = kOnly + v4::kOthers;
  std::uint32_t words[16] = {};
  static_assert(kUsed <= 16);
  std::uint32_t friends = 0, enemies = 0;                // all ones in the byte of a relative seat
  std::uint8_t best_seat = 0, best_side = 0, sides = 0;  // sections of the row
  // own cards by the index of the row, and unseen cards that rank above each
  std::uint8_t num_own = 0;
  std::array<std::uint8_t, kNumCards> own;
  std::array<std::uint32_t, kNumCards> above;
};

/// Proofs of views[i]; `card_index` as the rows have it.
void prove(std::span<const ViewLines> views, CardIndex card_index, Proofs* proofs);

inline constexpr int kFirstProof = v4::added(v4::kBestSeat).offset;
inline constexpr int kAboveAt = v4::added(v4::kAbove).offset - kFirstProof;
inline constexpr int kBehindAbove = kAboveAt + v4::added(v4::kAbove).length;
inline constexpr int kNumProofs = layout::row_size(v4::kAdded);
static_assert(v4::added(v4::kAbove).length == kNumCards);
static_assert(v4::kNumParts == 10,
              "observation v4: each section is written in RowProofs::proof_bits");
inline constexpr float kAboveScale = v4::added(v4::kAbove).scale;

/// The bits before and behind the section `above`.
struct ProofBits {
  RowBits<kAboveAt> before;
  RowBits<kNumProofs - kBehindAbove> behind;
};

template <class Isa>
struct RowProofs : RowTricks<Isa> {
  using RowTricks<Isa>::sum_of;
  using RowTricks<Isa>::two_words;

  template <v4::Part part, int shift = 0, int bits = v4::added(part).length>
  SCHAFKOPF_ROW static void put_proof(ProofBits& row, std::uint64_t value) {
    static_assert(part != v4::kAbove && shift + bits <= v4::added(part).length);
    constexpr int kAt = v4::added(part).offset - kFirstProof + shift;
    if constexpr (part < v4::kAbove) {
      row.before.template put<kAt, bits>(value);
    } else {
      row.behind.template put<kAt - kBehindAbove, bits>(value);
    }
  }
  /// A section of a card set for each of the other seats.
  template <v4::Part part>
  SCHAFKOPF_ROW static void put_others(ProofBits& row, const std::uint32_t* words) {
    static_assert(v4::kOthers == 3);
    put_proof<part, 0, 64>(row, two_words(words));
    put_proof<part, 64, 32>(row, words[2]);
  }

  SCHAFKOPF_ROW static std::uint64_t reached(std::uint32_t points, std::uint32_t seats) {
    const auto sum = static_cast<int>(sum_of(points, seats));
    std::uint64_t bits = 0;
    constexpr auto kNeeded = v4::kReached;  // a value: the array itself would be a shared symbol
    for (std::size_t k = 0; k < kNeeded.size(); ++k) {
      bits |= std::uint64_t{sum >= kNeeded[k]} << k;
    }
    return bits;
  }

  SCHAFKOPF_ROW static ProofBits proof_bits(const Proofs& proofs, const Features& features,
                                            const MapFacts& map) {
    std::uint32_t words[16];
    kernels::canonical_line(proofs.words, proofs.words[kTrumpsWord], map.slots, words);
    ProofBits row;
    put_proof<v4::kBestSeat>(row, proofs.best_seat);
    put_proof<v4::kBestCard>(row, words[Proofs::kBest]);
    put_proof<v4::kSides>(row, proofs.sides);
    put_proof<v4::kBestSide>(row, proofs.best_side);
    put_proof<v4::kTakes>(row, words[Proofs::kTakes]);
    put_proof<v4::kSure>(row, words[Proofs::kSure]);
    put_others<v4::kLacks>(row, words + Proofs::kLacks);
    put_others<v4::kOnly>(row, words + Proofs::kOnly);
    constexpr int kPointsAt = kNumBits + 8 * (v1::kSections[v1::kPoints].offset - kNumBits);
    const auto points = static_cast<std::uint32_t>(features.template get<kPointsAt, 32>());
    constexpr int kEach = static_cast<int>(v4::kReached.size());
    put_proof<v4::kReachedPoints, 0, kEach>(row, reached(points, proofs.friends));
    put_proof<v4::kReachedPoints, kEach, kEach>(row, reached(points, proofs.enemies));
    return row;
  }

  /// The section `above`, whose numbers are written one by one.
  template <class T>
  SCHAFKOPF_ROW static void write_above(const Proofs& proofs, T* out) {
    for (std::size_t at = 0; at < std::size_t{kNumCards}; ++at) out[at] = T{0};
    for (std::size_t k = 0; k < proofs.num_own; ++k) {
      const auto above = static_cast<T>(std::popcount(proofs.above[k]));
      out[proofs.own[k]] = std::is_same_v<T, float> ? above * static_cast<T>(kAboveScale) : above;
    }
  }
};

}  // namespace schafkopf::rows
