// The word of a list that a mistyped one most likely meant, for error messages.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace schafkopf {

/// Word with the smallest number of changed, missing, extra or swapped letters; the first of equals.
///
/// words  at least one
[[nodiscard]] std::string_view nearest_word(std::string_view word,
                                            std::span<const std::string_view> words);

/// "; the nearest one is "x"", or nothing where every word is far from the mistyped one, or none.
[[nodiscard]] std::string nearest_hint(std::string_view word,
                                       std::span<const std::string_view> words);
[[nodiscard]] std::string nearest_hint(std::string_view word,
                                       const std::vector<std::string>& words);

}  // namespace schafkopf
