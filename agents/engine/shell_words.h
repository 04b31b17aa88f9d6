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

/// One word for shell_words and for a shell: in '...' where it has other characters than those of
/// most names.
[[nodiscard]] std::string shell_quoted(std::string_view word);

}  // namespace schafkopf
