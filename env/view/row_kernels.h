// The writers of observation rows, one for each instruction set: for the encoder alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "env/base/instruction_set.h"
#include "env/base/streamed.h"
#include "env/cards/card_map.h"
#include "env/view/sections.h"
#include "env/view/view.h"

namespace schafkopf::rows {

struct RowTables;
struct Proofs;

/// Views whose rows are written; a row ends before its rule section. Only rows that can_stream says it
/// of (encoder.h) are streamed.
template <class T>
struct RowWork {
  const RowTables* tables;
  const ViewLines* views;
  std::size_t size;
  CardIndex cards;
  T* const* rows;  // of views[i]
  Stores stores;
  const Proofs* proofs = nullptr;  // of views[i], for v4 alone
};

/// Packed rows that are expanded.
template <class T>
struct PackedWork {
  const RowTables* tables;
  const std::uint8_t* packed;
  std::size_t size;
  T* rows;
};

inline constexpr auto kWrittenVersions = static_cast<std::size_t>(kLastVersion);
struct RowKernel {
  // by version
  void (*u8[kWrittenVersions])(const RowWork<std::uint8_t>&);
  void (*f32[kWrittenVersions])(const RowWork<float>&);
  void (*pack)(const RowWork<std::uint8_t>&);
  void (*unpack_u8)(const PackedWork<std::uint8_t>&);
  void (*unpack_f32)(const PackedWork<float>&);
};

extern const RowKernel kAvx2Rows;
extern const RowKernel kAvx512Rows;

}  // namespace schafkopf::rows
