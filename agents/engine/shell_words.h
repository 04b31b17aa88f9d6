// A command as the words that a shell would make of it, without a shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace schafkopf {

/// Words at blanks; '...' holds everything as it is, "..." all but \" and \\, outside of both a
/// backslash holds the next character. Nothing is expanded: $, *, ;, | and > are characters.
///
/// Throws std::invalid_argument for quotation marks that stay open, a backslash at the end, a zero
/// byte, and for a text without a word.
[[nodiscard]] std::vector<std::string> shell_words(std::string_view text);

}  // namespace schafkopf
