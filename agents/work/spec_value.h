// Values in registry strings, "net:runs/a.safetensors,greedy=false".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace schafkopf {

/// A value as it stands in a registry string: in double quotes, its own doubled, where a comma or a
/// semicolon would end it, an equals sign make a key of its beginning, or a quote hide what follows.
[[nodiscard]] std::string spec_value(const std::string& value);

/// Where the closing quote stands of a value whose opening one stands at `begin`; npos = nowhere.
[[nodiscard]] std::size_t closing_quote(std::string_view text, std::size_t begin);
/// What spec_value made of a value, as it was.
[[nodiscard]] std::string unquoted(std::string_view value);

/// Registry strings with ; between them: what stands in quotes divides nothing. Parts of `list`.
[[nodiscard]] std::vector<std::string_view> players_in(std::string_view list);

}  // namespace schafkopf
