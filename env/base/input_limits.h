// What comes from outside is measured before a parser recurses into it, and cut before a message
// quotes it. The limits are far above what any file of the project needs.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>

namespace schafkopf {

/// Levels of lists, objects and tables inside each other; parts of a dotted key count each.
inline constexpr int kMaxNesting = 64;
inline constexpr std::size_t kMaxJsonBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxTomlBytes = std::size_t{1} << 20;
/// Files without a limit of their own; one that is longer is no file of this project.
inline constexpr std::size_t kMaxFileBytes = std::size_t{1} << 40;
/// What comes through a pipe or from a device, which does not say how long it is: it may never end.
inline constexpr std::size_t kMaxPipeBytes = std::size_t{1} << 28;
/// Characters of foreign text in a message: about a line.
inline constexpr std::size_t kQuotedCharacters = 120;

/// Throws std::invalid_argument for a JSON text that is too long or nested too deeply. Says nothing
/// about whether it is JSON: call it before the parser.
void check_json_limits(std::string_view text);

/// The same for TOML; messages begin with "FILE:LINE: ".
void check_toml_limits(std::string_view text, const std::string& file);

/// Text from outside as it may stand in a message: one line of valid UTF-8, at most `most`
/// characters and then "…"; what cannot be printed as \n, \t or \xNN.
[[nodiscard]] std::string quotable(std::string_view text, std::size_t most = kQuotedCharacters);

/// The rest of a stream, at most `most` bytes of it: a limit that is reached by one byte more shows
/// that the file is too long.
[[nodiscard]] std::string read_at_most(std::istream& stream, std::size_t most);

/// The bytes of a file.
///
/// Throws std::system_error "cannot read WHAT PATH: REASON" if the world does not give them, a
/// folder included, and std::invalid_argument for a file of more than `most` bytes, for one that does
/// not fit into the memory that is left, and for more than kMaxPipeBytes of what is no file.
[[nodiscard]] std::string read_file(const std::string& path, std::string_view what,
                                    std::size_t most = kMaxFileBytes);

}  // namespace schafkopf
