#include "agents/work/spec_value.h"

#include <algorithm>

namespace schafkopf {

std::string spec_value(const std::string& value) {
  if (value.find_first_of(",;=\"") == std::string::npos) return value;
  std::string quoted = "\"";
  for (const char letter : value) {
    quoted += letter;
    if (letter == '"') quoted += letter;
  }
  return quoted + '"';
}

std::size_t closing_quote(std::string_view text, std::size_t begin) {
  std::size_t at = text.find('"', begin + 1);
  while (at != std::string_view::npos && text.substr(at + 1).starts_with('"')) {
    at = text.find('"', at + 2);
  }
  return at;
}

std::string unquoted(std::string_view value) {
  if (!value.starts_with('"')) return std::string(value);
  value = value.substr(1, value.size() - 2);
  std::string text;
  for (std::size_t at = 0; at < value.size(); ++at) {
    text += value[at];
    if (value[at] == '"') ++at;
  }
  return text;
}

std::vector<std::string_view> players_in(std::string_view list) {
  std::vector<std::string_view> players;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < list.size(); ++at) {
    if (list[at] == ';') {
      players.push_back(list.substr(begin, at - begin));
      begin = at + 1;
    } else if (list[at] == '"') {
      at = std::min(closing_quote(list, at), list.size());
    }
  }
  if (begin < list.size()) players.push_back(list.substr(begin));
  return players;
}

}  // namespace schafkopf
