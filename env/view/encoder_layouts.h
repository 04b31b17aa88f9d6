// The writers of the layouts that stand on top of v1. For the encoder alone; the doors are in
// encoder.h.
#pragma once

#include <cstdint>
#include <span>

#include "env/view/encoder.h"

namespace schafkopf::layout {

namespace v2 {
/// Rows without their rule section at the end.
template <class T>
void write_views(std::span<const ViewLines> views, CardIndex cards, T* const* rows);
}  // namespace v2

namespace v3 {
template <class T>
void write_views(std::span<const ViewLines> views, CardIndex cards, T* const* rows);
}  // namespace v3

namespace v4 {
template <class T>
void write_views(std::span<const ViewLines> views, CardIndex cards, T* const* rows);
}  // namespace v4

}  // namespace schafkopf::layout
