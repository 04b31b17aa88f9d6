// Writers of observation rows: pure functions from view lines to words of bits
// (row_sections.h, row_tricks.h; of several views at once: row_lanes.h), which become rows at the last
// moment. For the files that compile them for an instruction set (encoder.cpp for that of the build,
// rows_*.cpp): `Isa` is a type of an unnamed namespace there, so that no other file can run into
// instructions that its processor lacks.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "env/base/assert.h"
#include "env/view/encoder_kernels.h"
#include "env/view/packed_row.h"
#include "env/view/packed_sections.h"
#include "env/view/row_kernels.h"
#include "env/view/row_lanes.h"
#include "env/view/row_proofs.h"
#include "env/view/row_tables.h"

namespace schafkopf::rows {

template <class Isa>
struct RowWriter : RowProofs<Isa> {
  using RowProofs<Isa>::add_shown;
  using RowProofs<Isa>::added;
  using RowProofs<Isa>::bits_v3;
  using RowProofs<Isa>::collect;
  using RowProofs<Isa>::in_play;
  using RowProofs<Isa>::map_of;
  using RowProofs<Isa>::mask_of;
  using RowProofs<Isa>::prepare_cards;
  using RowProofs<Isa>::prepare_sums;
  using RowProofs<Isa>::proof_bits;
  using RowProofs<Isa>::write_above;

  static constexpr std::size_t kViewsAtOnce = 8;
  static constexpr bool kHasLanes = requires { Isa::kLanes; };

  // Rows

  template <Stores stores>
  SCHAFKOPF_ROW static void write_bytes(const Features& features, const RowTables&,
                                        std::uint8_t* out) {
    // word by word: 32 bytes at once would wait until all words have arrived in memory
    for (std::size_t i = 0; i < kNumBytes / sizeof(std::uint64_t); ++i) {
      std::uint64_t word = features.byte_words()[i];
      asm("" : "+r"(word));
      kernels::put_word<stores>(word, out + i * sizeof word);
    }
  }
  template <Stores stores>
  SCHAFKOPF_ROW static void write_bytes(const Features& features, const RowTables& tables,
                                        float* out) {
    std::uint8_t bytes[kNumBytes];
    std::memcpy(bytes, features.byte_words(), kNumBytes);
    kernels::scale_bytes<stores>(bytes, tables.scales.data(), kNumBytes, out);
  }

  /// The first `bits` bits of the words; nothing behind them is touched.
  template <int bits, Stores stores = Stores::kCached, class T>
  SCHAFKOPF_ROW static void write_bits(const std::uint64_t* words, T* out) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
    if constexpr (stores == Stores::kCached && std::is_same_v<T, float> && bits >= 64) {
      return kernels::expand_floats<bits>(words, out);
    }
#endif
    constexpr int kWhole = bits / 64, kRest = bits % 64;
    for (int i = 0; i < kWhole; ++i) kernels::expand_bits<stores>(words[i], out + 64 * i);
    if constexpr (kRest != 0) {
      T last[64];
      kernels::expand_bits(words[kWhole], last);
      std::memcpy(out + 64 * kWhole, last, kRest * sizeof(T));
    }
  }

  /// A row of v1.
  template <Stores stores, class T>
  SCHAFKOPF_ROW static void write_features(const Features& features, const RowTables& tables,
                                           T* row) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
    if constexpr (kHasLanes && stores == Stores::kCached && std::is_same_v<T, std::uint8_t>) {
      return kernels::expand_row(features.words, row);
    }
#endif
    write_bits<kNumBits, stores>(features.words, row);
    write_bytes<stores>(features, tables, row + kNumBits);
  }

  template <class T>
  SCHAFKOPF_ROW static void write_v2(const Seen& input, const Features& features,
                                     CardIndex card_index, T* row) {
    write_features<Stores::kCached>(features, input.tables, row);
    TrickWords words;
    const std::uint32_t said = add_shown(input, words);
    const MapFacts& map = map_of(input.order, card_index, input.tables);
    std::uint32_t moved[16];
    kernels::canonical_line(words.words, words.words[kTrumpsWord], map.slots, moved);
    write_bits<kAddedSize>(added(input, moved, said).words, row + kViewSize);
  }
  template <class T>
  SCHAFKOPF_ROW static void write_v3(const Seen& input, const Features& features,
                                     CardIndex card_index, T* row) {
    write_bits<kNumBitsV3>(bits_v3(input, features, card_index).words, row);
    write_bytes<Stores::kCached>(features, input.tables, row + kNumBitsV3);
  }
  /// What v4 adds to v3.
  template <class T>
  SCHAFKOPF_ROW static void write_proofs(const Proofs& proofs, const Features& features,
                                         const MapFacts& map, T* out) {
    const ProofBits bits = proof_bits(proofs, features, map);
    write_bits<kAboveAt>(bits.before.words, out);
    write_above(proofs, out + kAboveAt);
    write_bits<kNumProofs - kBehindAbove>(bits.behind.words, out + kBehindAbove);
  }

  template <ObservationVersion version, class T>
  static void write_row(const RowWork<T>& work, std::size_t i, const Features& features) {
    const Seen input = seen_by(work.views[i], *work.tables);
    if constexpr (version == ObservationVersion::kV2) {
      write_v2(input, features, work.cards, work.rows[i]);
    } else {
      write_v3(input, features, work.cards, work.rows[i]);
    }
    if constexpr (version == ObservationVersion::kV4) {
      write_proofs(work.proofs[i], features, map_of(input.order, work.cards, input.tables),
                   work.rows[i] + kFirstProof);
    }
  }

  SCHAFKOPF_ROW static Seen seen_by(const ViewLines& view, const RowTables& tables) {
    return {*view.cards, *view.order, *view.events, tables, in_play(*view.cards)};
  }

  /// Calls write(input, i) for every view, some of them prepared together.
  template <class T, class Write>
  SCHAFKOPF_ROW static void for_each_view(const RowWork<T>& work, const Write& write) {
    const RowTables& tables = *work.tables;
    Prepared prepared[kViewsAtOnce];
    for (std::size_t first = 0; first < work.size; first += kViewsAtOnce) {
      const std::size_t left = work.size - first;
      const std::size_t count = left < kViewsAtOnce ? left : kViewsAtOnce;
      const ViewLines* here = work.views + first;
      for (std::size_t i = 0; i < count; ++i) {
        prepare_cards(here[i], work.cards, tables, prepared[i]);
      }
      for (std::size_t i = 0; i < count; ++i) {
        prepare_sums(here[i], work.cards, tables, prepared[i]);
      }
      for (std::size_t i = 0; i < count; ++i) {
        const ViewLines& view = here[i];
        write(Input{seen_by(view, tables), prepared[i]}, first + i);
      }
    }
  }

  template <class T>
  SCHAFKOPF_ROW static RowWork<T> part(const RowWork<T>& work, std::size_t first,
                                       std::size_t size) {
    RowWork<T> some = work;
    some.views += first;
    some.rows += first;
    some.size = size;
    return some;
  }
  /// Calls write(features, i) for views from `first` on, one by one.
  template <class T, class Write>
  SCHAFKOPF_ROW static void one_by_one(const RowWork<T>& work, std::size_t first, std::size_t size,
                                       const Write& write) {
    for_each_view(part(work, first, size),
                  [&](const Input& input, std::size_t i) { write(collect(input), first + i); });
  }
  /// Calls group(views, first, count) for views in groups as large as there are lanes, the last of them
  /// filled up unless more than half would be too many, and single(first, count) for those of which it
  /// says false and for the rest.
  template <class T, class Group, class Single>
  SCHAFKOPF_ROW static void by_lanes(const RowWork<T>& work, const Group& group,
                                     const Single& single) {
    constexpr std::size_t n = RowLanes<Isa>::kLanes;
    std::size_t done = 0;
    while (work.size - done >= n / 2) {
      const std::size_t count = work.size - done < n ? work.size - done : n;
      const ViewLines* views = work.views + done;
      ViewLines filled[n];
      if (count < n) {
        for (std::size_t k = 0; k < n; ++k) filled[k] = views[k < count ? k : 0];
        views = filled;
      }
      if (!group(views, done, count)) single(done, count);
      done += count;
    }
    single(done, work.size - done);
  }
  template <class T, class Write>
  SCHAFKOPF_ROW static void for_each_features(const RowWork<T>& work, const Write& write) {
    const auto single = [&](std::size_t first, std::size_t size) {
      one_by_one(work, first, size, write);
    };
    if constexpr (kHasLanes) {
      typename RowLanes<Isa>::Rows made;
      const auto group = [&](const ViewLines* views, std::size_t first, std::size_t count) {
        if (!RowLanes<Isa>::collect(views, work.cards, *work.tables, made)) return false;
        for (std::size_t k = 0; k < count; ++k) write(made.rows[k], first + k);
        return true;
      };
      by_lanes(work, group, single);
    } else {
      single(0, work.size);
    }
  }

  /// The view parts of rows: view i to rows[i].
  template <ObservationVersion version, Stores stores, class T>
  SCHAFKOPF_ROW static void write_by(const RowWork<T>& work) {
    for_each_features(work, [&](const Features& features, std::size_t i) {
      if constexpr (version == ObservationVersion::kV1) {
        write_features<stores>(features, *work.tables, work.rows[i]);
      } else {
        write_row<version>(work, i, features);
      }
    });
  }
  template <ObservationVersion version, class T>
  static void write(const RowWork<T>& work) {
    if constexpr (version == ObservationVersion::kV1 && kernels::kStreams) {
      if (work.stores == Stores::kStreamed) return write_by<version, Stores::kStreamed>(work);
    }
    write_by<version, Stores::kCached>(work);
  }

  // Packed rows

  using PackedBits = RowBits<layout::packed_row::kBits>;

  struct Words {
    static constexpr int kMostBits = 64;
    SCHAFKOPF_ROW static std::uint64_t low_bits(int bits) { return mask_of(bits); }
    template <int places>
    SCHAFKOPF_ROW static std::uint64_t number_of(std::uint64_t one_hot) {
      return static_cast<std::uint64_t>(64 - std::countl_zero(one_hot));  // no branch on none
    }
    SCHAFKOPF_ROW static std::uint64_t one_hot(std::uint64_t number) {
      return (std::uint64_t{1} << number) >> 1;
    }
    SCHAFKOPF_ROW static std::uint64_t at_most(std::uint64_t value, std::uint64_t most) {
      return value < most ? value : most;
    }
  };
  using Sections = PackedSections<Words>;

  static void pack(const RowWork<std::uint8_t>& work) {
    const auto single = [&](std::size_t first, std::size_t size) {
      one_by_one(work, first, size, [&](const Features& features, std::size_t i) {
        PackedBits row;
        Sections::pack_all(features, row);
        std::memcpy(work.rows[i], row.words, sizeof row.words);
      });
    };
    if constexpr (kHasLanes) {
      typename RowLanes<Isa>::PackedRows made;
      const auto group = [&](const ViewLines* views, std::size_t first, std::size_t count) {
        if (!RowLanes<Isa>::pack(views, work.cards, *work.tables, made)) return false;
        for (std::size_t k = 0; k < count; ++k) {
          __builtin_memcpy(work.rows[first + k], made.rows[k].words, sizeof made.rows[k].words);
        }
        return true;
      };
      by_lanes(work, group, single);
    } else {
      single(0, work.size);
    }
  }
  template <class T>
  static void unpack(const PackedWork<T>& work) {
    for (std::size_t i = 0; i < work.size; ++i) {
      PackedBits row;
      std::memcpy(row.words, work.packed + i * sizeof row.words, sizeof row.words);
      Features features;
      Sections::unpack_all(row, features);
      write_features<Stores::kCached>(features, *work.tables,
                                      work.rows + i * std::size_t{kViewSize});
    }
  }

  static constexpr RowKernel kernel() noexcept {
    constexpr auto kV1 = ObservationVersion::kV1, kV2 = ObservationVersion::kV2,
                   kV3 = ObservationVersion::kV3, kV4 = ObservationVersion::kV4;
    static_assert(kLastVersion == kV4, "a further version of observations is written here too");
    return {.u8 = {write<kV1, std::uint8_t>, write<kV2, std::uint8_t>, write<kV3, std::uint8_t>,
                   write<kV4, std::uint8_t>},
            .f32 = {write<kV1, float>, write<kV2, float>, write<kV3, float>, write<kV4, float>},
            .pack = pack,
            .unpack_u8 = unpack<std::uint8_t>,
            .unpack_f32 = unpack<float>};
  }
};

}  // namespace schafkopf::rows
