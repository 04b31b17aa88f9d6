#include "env/base/nearest.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace schafkopf {
namespace {

/// Letters that are changed, missing or extra, or pairs of neighbours that are swapped.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    next[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substitute = row[j] + (a[i] == b[j] ? 0 : 1);
      next[j + 1] = std::min({substitute, row[j + 1] + 1, next[j] + 1});
      const bool swapped = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (swapped) next[j + 1] = std::min(next[j + 1], before[j - 1] + 1);
    }
    before.swap(row);
    row.swap(next);
  }
  return row.back();
}

}  // namespace

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> words) {
  return *std::ranges::min_element(
      words, {}, [word](std::string_view candidate) { return edit_distance(word, candidate); });
}

std::string nearest_hint(std::string_view word, std::span<const std::string_view> words) {
  if (words.empty()) return {};
  constexpr std::size_t kLongestWord = 100;  // nobody mistypes more, and the time is its square
  if (word.size() > kLongestWord) return {};
  const std::string_view nearest = nearest_word(word, words);
  // letters of a mistyped word: most of a short one are right
  const std::size_t most = std::min(std::max<std::size_t>(2, word.size() / 3), word.size() / 2);
  if (edit_distance(word, nearest) > most) return {};
  return "; the nearest one is \"" + std::string(nearest) + '"';
}

std::string nearest_hint(std::string_view word, const std::vector<std::string>& words) {
  return nearest_hint(word, std::vector<std::string_view>(words.begin(), words.end()));
}

}  // namespace schafkopf
