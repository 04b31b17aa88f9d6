#include "env/view/encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "env/base/assert.h"
#include "env/base/refuse.h"
#include "env/view/encoder_layouts.h"
#include "env/view/packed_row.h"
#include "env/view/row_kernels.h"
#include "env/view/row_writer.h"

namespace schafkopf {

namespace {

constexpr std::size_t kViewsAtOnce = 32;

}  // namespace

namespace rows {
namespace {

struct OfTheBuild {};
constexpr RowKernel kScalar = RowWriter<OfTheBuild>::kernel();

const RowKernel& kernel_of([[maybe_unused]] InstructionSet set) {
#if defined(SCHAFKOPF_KERNELS)
  if (set == InstructionSet::kAvx2) return kAvx2Rows;
  if (set == InstructionSet::kAvx512) return kAvx512Rows;
#endif
  return kScalar;
}

}  // namespace

template <class T>
void write_views(ObservationVersion version, std::span<const ViewLines> views, CardIndex cards,
                 T* const* rows, InstructionSet set, Stores stores) {
  const RowKernel& kernel = kernel_of(set);
  const auto write = [&](const RowWork<T>& work) {
    const auto place = static_cast<std::size_t>(version) - 1;
    if constexpr (std::is_same_v<T, float>) {
      kernel.f32[place](work);
    } else {
      kernel.u8[place](work);
    }
  };
  RowWork<T> work{&row_tables(), views.data(), views.size(), cards, rows, stores};
  if (version != ObservationVersion::kV4) return write(work);
  std::array<Proofs, kViewsAtOnce> proofs;
  work.proofs = proofs.data();
  for (std::size_t first = 0; first < views.size(); first += kViewsAtOnce) {
    const auto some = views.subspan(first, std::min(kViewsAtOnce, views.size() - first));
    prove(some, cards, proofs.data());
    work.views = some.data();
    work.rows = rows + first;
    work.size = some.size();
    write(work);
  }
}

template void write_views(ObservationVersion, std::span<const ViewLines>, CardIndex,
                          std::uint8_t* const*, InstructionSet, Stores);
template void write_views(ObservationVersion, std::span<const ViewLines>, CardIndex, float* const*,
                          InstructionSet, Stores);

namespace {

template <class T>
void unpack(std::span<const std::uint8_t> packed, std::span<T> rows) {
  const std::size_t size = packed.size() / kPackedRowBytes;
  if (packed.size() != size * kPackedRowBytes || rows.size() != size * std::size_t{kExpandedSize}) {
    refuse(
        fmt::format("packed rows: {} bytes for {} features, allowed: {} bytes for {} features "
                    "each",
                    packed.size(), rows.size(), kPackedRowBytes, kExpandedSize));
  }
  const RowKernel& kernel = kernel_of(default_instruction_set());
  const PackedWork<T> work{&row_tables(), packed.data(), size, rows.data()};
  if constexpr (std::is_same_v<T, float>) {
    kernel.unpack_f32(work);
  } else {
    kernel.unpack_u8(work);
  }
}

}  // namespace

}  // namespace rows

void pack_views(std::span<const ViewLines> views, CardIndex cards, std::uint8_t* const* rows,
                InstructionSet set) {
  rows::kernel_of(set).pack(
      {&rows::row_tables(), views.data(), views.size(), cards, rows, Stores::kCached});
}

void check_rows(std::size_t size, std::size_t views, std::size_t row) {
  if (size >= views * row) return;
  refuse(fmt::format("rows: {} elements, allowed: at least {}, {} for each view", size, views * row,
                     row));
}

void expand_packed(std::span<const std::uint8_t> packed, std::span<std::uint8_t> rows) {
  rows::unpack(packed, rows);
}
void expand_packed(std::span<const std::uint8_t> packed, std::span<float> rows) {
  rows::unpack(packed, rows);
}

namespace {

using namespace layout::v1;

constexpr int kViewSize = kSections[kRules].offset;
constexpr int kRuleSize = kSections[kRules].length;
constexpr int kRowSize = kViewSize + kRuleSize;
static_assert(kRowSize % 32 == 0 && kViewSize % 32 == 0, "rows are streamed in halves of lines");

/// The rule section of a row in the type of the row.
template <class T>
void write_rules(std::span<const float> rule_features, T* out) {
  SCHAFKOPF_ASSERT(rule_features.empty() || rule_features.size() == std::size_t{kRuleSize});
  if (rule_features.empty()) {
    std::fill_n(out, kRuleSize, T{0});
    return;
  }
  for (std::size_t i = 0; i < std::size_t{kRuleSize}; ++i) {
    if constexpr (std::is_same_v<T, float>) {
      out[i] = rule_features[i] * kSections[kRules].scale;
    } else {
      out[i] = static_cast<T>(rule_features[i]);
    }
  }
}

template <class T>
void expand_one(const ViewLines& view, std::span<const float> rule_features, T* row,
                CardIndex card_index) {
  SCHAFKOPF_ASSERT(rule_feature_size() == kRuleSize);
  rows::write_views(ObservationVersion::kV1, std::span(&view, 1), card_index, &row,
                    default_instruction_set());
  write_rules(rule_features, row + kViewSize);
}

template <class T>
void expand_batch(const ViewBatch& batch, std::span<T> rows, CardIndex card_index) {
  check_observable(batch, ObservationVersion::kV1);
  check_rows(rows.size(), batch.size, std::size_t{kRowSize});
  std::array<T, std::size_t{kRuleSize}> rules{};
  int rules_index = -1;
  const InstructionSet set = default_instruction_set();
  const bool streams = batch.size * kRowSize * sizeof(T) >= kStreamedFrom &&
                       can_stream(ObservationVersion::kV1, rows.data(), set);
  std::array<ViewLines, kViewsAtOnce> views;
  std::array<T*, kViewsAtOnce> targets{};
  for (std::size_t first = 0; first < batch.size; first += kViewsAtOnce) {
    const std::size_t count = std::min(kViewsAtOnce, batch.size - first);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = first + k;
      views[k] = {&batch.cards[i], &batch.order[i], &batch.events[i]};
      if (streams && i + kViewsAtOnce < batch.size) {  // soon read, from beyond the caches
        __builtin_prefetch(&batch.cards[i + kViewsAtOnce]);
        __builtin_prefetch(&batch.order[i + kViewsAtOnce]);
        __builtin_prefetch(&batch.events[i + kViewsAtOnce]);
      }
      targets[k] = rows.data() + i * std::size_t{kRowSize};
      const int index = batch.rule_index == nullptr ? 0 : batch.rule_index[i];
      if (batch.rules != nullptr && !batch.rules->features.empty() && index != rules_index) {
        write_rules(batch.rules->features.subspan(static_cast<std::size_t>(index * kRuleSize),
                                                  std::size_t{kRuleSize}),
                    rules.data());
        rules_index = index;
      }
      if (streams) {
        copy_streamed(targets[k] + kViewSize, rules.data(), sizeof rules);
      } else {
        std::memcpy(targets[k] + kViewSize, rules.data(), sizeof rules);
      }
    }
    rows::write_views(ObservationVersion::kV1, std::span<const ViewLines>(views).first(count),
                      card_index, targets.data(), set,
                      streams ? Stores::kStreamed : Stores::kCached);
  }
  if (streams) end_streamed();
}

}  // namespace

std::span<const Section> observation_sections() { return kSections; }
int observation_size() { return kRowSize; }

void expand(const CardsLine& cards, const OrderLine& order, const EventsLine& events,
            std::span<const float> rule_features, std::uint8_t* row, CardIndex card_index) {
  expand_one({&cards, &order, &events}, rule_features, row, card_index);
}

void expand(const CardsLine& cards, const OrderLine& order, const EventsLine& events,
            std::span<const float> rule_features, float* row, CardIndex card_index) {
  expand_one({&cards, &order, &events}, rule_features, row, card_index);
}

void expand(const ViewBatch& batch, std::span<std::uint8_t> rows, CardIndex card_index) {
  expand_batch(batch, rows, card_index);
}
void expand(const ViewBatch& batch, std::span<float> rows, CardIndex card_index) {
  expand_batch(batch, rows, card_index);
}

}  // namespace schafkopf
