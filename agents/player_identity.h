// What a registry string means: two players of one identity answer alike.
#pragma once

#include <string>
#include <string_view>

namespace schafkopf {

/// The registry string with its version, and " <bytes 0123456789abcdef>" for every file that it
/// names and for weights that are part of the program: other bytes are another player. Throws
/// std::invalid_argument for what parse_spec refuses, std::system_error where a file cannot be read.
[[nodiscard]] std::string player_identity(const std::string& spec);

/// What player_identity says of the files alone; empty where the string names none.
[[nodiscard]] std::string player_files(const std::string& spec);

/// " <bytes 0123456789abcdef>" of a file; `what` as in read_file.
[[nodiscard]] std::string file_identity(const std::string& path, std::string_view what);

}  // namespace schafkopf
