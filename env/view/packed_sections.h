// What packed rows take from the features of v1, and how they come back, section by section: one text
// for the words of one row (row_writer.h) and for lanes of rows (row_lanes.h).
#pragma once

#include <cstddef>
#include <utility>

#include "env/view/packed_row.h"
#include "env/view/row_tables.h"

namespace schafkopf::rows {

/// `Words` tells of the words that features and rows are made of:
///   kMostBits                bits of them that are moved together
///   low_bits(bits)           a value with so many bits set, of a Word
///   number_of<places>(word)  k for place k - 1 of a one-hot number, 0 for none
///   at_most(word, most)      the smaller of two
///   one_hot(word)            the other way round of number_of; where rows are unpacked
/// It depends on a type of an unnamed namespace (row_writer.h), and all of this with it.
template <class Words>
struct PackedSections {
  static constexpr std::size_t kCount = layout::packed_row::kSections.size();

  /// Where a feature of v1 begins in Features: bits, then bytes.
  static constexpr int bit_of(int feature) {
    return feature < kNumBits ? feature : kNumBits + 8 * (feature - kNumBits);
  }

  /// Numbers of one section, from `index` on.
  template <std::size_t section, int index, class From, class Row>
  [[gnu::always_inline]] static void pack(const From& features, Row& row) {
    constexpr PackedSection kSection = layout::packed_row::kSections[section];
    if constexpr (index < kSection.count) {
      constexpr int kAt = kSection.offset + index * kSection.width;
      if constexpr (kSection.width == 1) {
        constexpr int kLeft = kSection.count - index;
        constexpr int kMoved = kLeft < Words::kMostBits ? kLeft : Words::kMostBits;
        row.template put<kAt, kMoved>(features.template get<kSection.first + index, kMoved>());
        pack<section, index + kMoved>(features, row);
      } else if constexpr (kSection.places != 0) {
        constexpr int kFrom = kSection.first + index * kSection.places;
        row.template put<kAt, kSection.width>(Words::template number_of<kSection.places>(
            features.template get<kFrom, kSection.places>()));
        pack<section, index + 1>(features, row);
      } else {
        const auto value = features.template get<bit_of(kSection.first + index), 8>();
        const auto most = Words::low_bits(kSection.width);
        // a feature alone may be larger, of several no number is
        row.template put<kAt, kSection.width>(kSection.count == 1 ? Words::at_most(value, most)
                                                                  : value & most);
        pack<section, index + 1>(features, row);
      }
    }
  }

  template <std::size_t section, int index, class Row, class To>
  [[gnu::always_inline]] static void unpack(const Row& row, To& features) {
    constexpr PackedSection kSection = layout::packed_row::kSections[section];
    if constexpr (index < kSection.count) {
      constexpr int kAt = kSection.offset + index * kSection.width;
      if constexpr (kSection.width == 1) {
        constexpr int kLeft = kSection.count - index;
        constexpr int kMoved = kLeft < Words::kMostBits ? kLeft : Words::kMostBits;
        features.template put<kSection.first + index, kMoved>(row.template get<kAt, kMoved>());
        unpack<section, index + kMoved>(row, features);
      } else if constexpr (kSection.places != 0) {
        constexpr int kTo = kSection.first + index * kSection.places;
        features.template put<kTo, kSection.places>(
            Words::one_hot(row.template get<kAt, kSection.width>()) &
            Words::low_bits(kSection.places));
        unpack<section, index + 1>(row, features);
      } else {
        features.template put<bit_of(kSection.first + index), 8>(
            row.template get<kAt, kSection.width>());
        unpack<section, index + 1>(row, features);
      }
    }
  }

  template <class From, class Row>
  [[gnu::always_inline]] static void pack_all(const From& features, Row& row) {
    [&]<std::size_t... sections>(std::index_sequence<sections...>) __attribute__((always_inline)) {
      (pack<sections, 0>(features, row), ...);
    }(std::make_index_sequence<kCount>{});
  }
  template <class Row, class To>
  [[gnu::always_inline]] static void unpack_all(const Row& row, To& features) {
    [&]<std::size_t... sections>(std::index_sequence<sections...>) __attribute__((always_inline)) {
      (unpack<sections, 0>(row, features), ...);
    }(std::make_index_sequence<kCount>{});
  }
};

}  // namespace schafkopf::rows
