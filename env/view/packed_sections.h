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

  template <class From, class Row>
  [[gnu::always_inline]] static void pack_all(const From& features, Row& row) {
    walk_all(Packing<From, Row>{features, row});
  }
  template <class Row, class To>
  [[gnu::always_inline]] static void unpack_all(const Row& row, To& features) {
    walk_all(Unpacking<Row, To>{row, features});
  }

 private:
  /// The numbers of one section from `index` on, of whichever kind they are.
  template <std::size_t section, int index, class Move>
  [[gnu::always_inline]] static void walk(const Move& move) {
    constexpr PackedSection kSection = layout::packed_row::kSections[section];
    if constexpr (index < kSection.count) {
      constexpr int kAt = kSection.offset + index * kSection.width;
      if constexpr (kSection.width == 1) {
        constexpr int kLeft = kSection.count - index;
        constexpr int kMoved = kLeft < Words::kMostBits ? kLeft : Words::kMostBits;
        move.template bits<kSection.first + index, kAt, kMoved>();
        walk<section, index + kMoved>(move);
      } else if constexpr (kSection.places != 0) {
        move.template place<kSection.first + index * kSection.places, kAt, section>();
        walk<section, index + 1>(move);
      } else {
        move.template number<bit_of(kSection.first + index), kAt, section>();
        walk<section, index + 1>(move);
      }
    }
  }
  template <class Move>
  [[gnu::always_inline]] static void walk_all(const Move& move) {
    [&]<std::size_t... sections>(std::index_sequence<sections...>) __attribute__((always_inline)) {
      (walk<sections, 0>(move), ...);
    }(std::make_index_sequence<kCount>{});
  }

  template <class From, class Row>
  struct Packing {
    const From& features;
    Row& row;

    template <int feature, int at, int count>
    [[gnu::always_inline]] void bits() const {
      row.template put<at, count>(features.template get<feature, count>());
    }
    template <int feature, int at, std::size_t section>
    [[gnu::always_inline]] void place() const {
      constexpr PackedSection kSection = layout::packed_row::kSections[section];
      row.template put<at, kSection.width>(Words::template number_of<kSection.places>(
          features.template get<feature, kSection.places>()));
    }
    template <int feature, int at, std::size_t section>
    [[gnu::always_inline]] void number() const {
      constexpr PackedSection kSection = layout::packed_row::kSections[section];
      const auto value = features.template get<feature, 8>();
      const auto most = Words::low_bits(kSection.width);
      // a feature alone may be larger, of several no number is
      row.template put<at, kSection.width>(kSection.count == 1 ? Words::at_most(value, most)
                                                               : value & most);
    }
  };

  template <class Row, class To>
  struct Unpacking {
    const Row& row;
    To& features;

    template <int feature, int at, int count>
    [[gnu::always_inline]] void bits() const {
      features.template put<feature, count>(row.template get<at, count>());
    }
    template <int feature, int at, std::size_t section>
    [[gnu::always_inline]] void place() const {
      constexpr PackedSection kSection = layout::packed_row::kSections[section];
      features.template put<feature, kSection.places>(
          Words::one_hot(row.template get<at, kSection.width>()) &
          Words::low_bits(kSection.places));
    }
    template <int feature, int at, std::size_t section>
    [[gnu::always_inline]] void number() const {
      constexpr PackedSection kSection = layout::packed_row::kSections[section];
      features.template put<feature, 8>(row.template get<at, kSection.width>());
    }
  };
};

}  // namespace schafkopf::rows
