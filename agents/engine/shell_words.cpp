#include "agents/engine/shell_words.h"

#include <fmt/format.h>

#include <optional>

#include "env/base/input_limits.h"
#include "env/base/refuse.h"

namespace schafkopf {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

[[noreturn]] void refuse_command(std::string_view text, std::string_view reason) {
  refuse(fmt::format("command = \"{}\": {}", quotable(text), reason));
}

}  // namespace

std::vector<std::string> shell_words(std::string_view text) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  char quote = 0;  // the mark that is open
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == 0) refuse_command(text, "a zero byte in it");
    if (quote == 0 && is_blank(c)) {
      if (word) words.push_back(*word);
      word.reset();
      continue;
    }
    if (!word) word.emplace();
    const bool marks =
        quote == '"' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\');
    if (c == '\\' && (quote == 0 || marks)) {
      if (++i == text.size()) refuse_command(text, "a backslash at its end");
      word->push_back(text[i]);
    } else if (quote == 0 ? c == '\'' || c == '"' : c == quote) {
      quote = quote == 0 ? c : '\0';
    } else {
      word->push_back(c);
    }
  }
  if (quote != 0)
    refuse_command(text, fmt::format("the {} that stays open needs another one", quote));
  if (word) words.push_back(*word);
  if (words.empty() || words[0].empty()) refuse_command(text, "needs a program");
  return words;
}

std::string shell_quoted(std::string_view word) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(word);
  }
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace schafkopf
