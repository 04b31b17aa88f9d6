// One wording for what is refused: bad input from outside, and files that the world does not give.
// Our own mistakes are SCHAFKOPF_ASSERT.
#pragma once

#include <cerrno>
#include <string>
#include <string_view>

namespace schafkopf {

/// Bad input: what was wrong, where, and what is allowed. Throws std::invalid_argument.
[[noreturn]] void refuse(const std::string& text);
/// "PATH: TEXT": a file whose content is wrong.
[[noreturn]] void refuse_file(const std::string& path, std::string_view text);
/// "PATH: cannot ACTION: REASON", the reason of errno. Throws std::runtime_error.
[[noreturn]] void fail_io(const std::string& path, std::string_view action, int error = errno);

}  // namespace schafkopf
