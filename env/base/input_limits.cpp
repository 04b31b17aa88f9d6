#include "env/base/input_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <istream>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "env/base/available_memory.h"
#include "env/base/path_text.h"

namespace schafkopf {
namespace {

// ---- TOML --------------------------------------------------------------------------------------

/// Walks over a TOML text and counts levels. Texts that are no TOML may be counted wrongly after
/// their first mistake only, where the parser stops.
class TomlDepth {
 public:
  TomlDepth(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  void check() {
    int header = 0;  // levels of the table that the lines belong to
    while (skip_blank_lines()) {
      if (peek() == '[') {
        header = read_header();
        skip_line();
      } else {
        read_value(read_key('=', header));
      }
    }
  }

 private:
  /// A list or table that is open.
  struct Open {
    bool table = false;
    bool in_key = false;  // of a table, before the =
    int base = 0;         // levels of the list or table itself
    int levels = 0;       // with the parts of the key
  };

  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void skip_line() {
    while (!at_end() && peek() != '\n') ++at_;
  }
  /// To the beginning of the next statement; false at the end.
  bool skip_blank_lines() {
    while (!at_end()) {
      const char c = peek();
      if (c == '#') {
        skip_line();
      } else if (c == '\n' || c == ' ' || c == '\t' || c == '\r') {
        line_ += c == '\n' ? 1U : 0U;
        ++at_;
      } else {
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] int checked(int levels) const {
    if (levels <= kMaxNesting) return levels;
    throw std::invalid_argument(
        fmt::format("{}:{}: nested too deeply, allowed: {} levels", file_, line_, kMaxNesting));
  }

  /// A text in quotes; one that is not closed ends with its line.
  void skip_string() {
    const char quote = peek();
    if (peek(1) == quote && peek(2) == quote) {
      skip_long_string(quote);
      return;
    }
    for (++at_; !at_end() && peek() != '\n'; ++at_) {
      if (peek() == quote) {
        ++at_;
        return;
      }
      if (peek() == '\\' && quote == '"' && peek(1) != '\n') ++at_;
    }
  }
  void skip_long_string(char quote) {
    for (at_ += 3; !at_end(); ++at_) {
      if (peek() == '\n') ++line_;
      if (peek() == quote && peek(1) == quote && peek(2) == quote) {
        at_ += 3;
        // up to two quotes more belong to the text
        for (int more = 0; more < 2 && peek() == quote; ++more) ++at_;
        return;
      }
      if (peek() == '\\' && quote == '"' && peek(1) != '\n') ++at_;
    }
  }

  /// a.b."c" up to `end`; gives the levels with its parts.
  int read_key(char end, int levels) {
    levels = checked(levels + 1);
    while (!at_end() && peek() != end && peek() != '\n') {
      const char c = peek();
      if (c == '"' || c == '\'') {
        skip_string();
        continue;
      }
      if (c == '.') levels = checked(levels + 1);
      ++at_;
    }
    if (peek() == end) ++at_;
    return levels;
  }

  int read_header() {
    int levels = 0;
    for (++at_; peek() == '['; ++at_) levels = checked(levels + 1);  // [[list of tables]]
    return read_key(']', levels);
  }

  /// One step inside a value; `open` holds what is open.
  void read_inside(char c, int levels, std::vector<Open>& open) const {
    const int here = open.empty() ? levels : open.back().levels;
    if (c == '[' || c == '{') {
      const int inner = checked(here + 1);
      open.push_back({c == '{', c == '{', inner, inner});
    } else if (c == ']' || c == '}') {
      if (!open.empty()) open.pop_back();
    } else if (open.empty() || !open.back().table) {
      return;
    } else if (c == '=') {
      open.back().in_key = false;
    } else if (c == ',') {
      open.back().levels = open.back().base;
      open.back().in_key = true;
    } else if (c == '.' && open.back().in_key) {
      open.back().levels = checked(open.back().levels + 1);
    }
  }

  void read_value(int levels) {
    std::vector<Open> open;
    while (!at_end() && !(peek() == '\n' && open.empty())) {
      const char c = peek();
      if (c == '"' || c == '\'') {
        skip_string();
      } else if (c == '#') {
        skip_line();
      } else {
        line_ += c == '\n' ? 1U : 0U;
        read_inside(c, levels, open);
        ++at_;
      }
    }
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

// ---- text in messages --------------------------------------------------------------------------

/// Bytes of the UTF-8 character at the beginning of a text, 0 if there is none.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  }
  // longer than needed, a surrogate, or above U+10FFFF
  const unsigned second = byte(1);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
      (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) {
    return 0;
  }
  return length;
}

/// Control characters, and those that end a line or turn its direction.
bool is_printable(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0) >= 0x20 && byte(0) != 0x7F;
  if (character.size() == 2) return byte(0) != 0xC2 || byte(1) >= 0xA0;
  if (character == "\xEF\xBB\xBF") return false;  // byte order mark
  return !(byte(0) == 0xE2 && byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xAE);
}

std::string escaped(std::string_view character) {
  if (character == "\n") return "\\n";
  if (character == "\t") return "\\t";
  std::string text;
  for (const char c : character) text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return text;
}

/// A whole number that the parser would turn into the nearest that a double holds.
void check_number(std::string_view number, std::size_t at) {
  if (number.find_first_of(".Ee") != std::string_view::npos) return;
  const auto fits = [&](auto value) {
    return std::from_chars(number.data(), number.data() + number.size(), value).ec !=
           std::errc::result_out_of_range;
  };
  if (number.starts_with('-') ? fits(std::int64_t{0}) : fits(std::uint64_t{0})) return;
  throw std::invalid_argument(fmt::format("{} at character {}: allowed: whole numbers of 64 bits",
                                          quotable(number), at + 1));
}

}  // namespace

void check_json_limits(std::string_view text) {
  if (text.size() > kMaxJsonBytes) {
    throw std::invalid_argument(
        fmt::format("{} bytes of JSON, allowed: {}", text.size(), kMaxJsonBytes));
  }
  if (const std::size_t zero = text.find('\0');
      zero != std::string_view::npos) {  // parsers may stop there
    throw std::invalid_argument(fmt::format("no JSON: a zero byte as character {}", zero + 1));
  }
  int levels = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '-' || (c >= '0' && c <= '9')) {
      const std::size_t end = std::min(text.find_first_not_of("+-.0123456789Ee", i), text.size());
      check_number(text.substr(i, end - i), i);
      i = end - 1;
    } else if (c == '[' || c == '{') {
      if (++levels <= kMaxNesting) continue;
      throw std::invalid_argument(
          fmt::format("nested too deeply at character {}, allowed: {} levels", i + 1, kMaxNesting));
    } else if (c == ']' || c == '}') {
      --levels;
    }
  }
}

void check_toml_limits(std::string_view text, const std::string& file) {
  if (text.size() > kMaxTomlBytes) {
    throw std::invalid_argument(
        fmt::format("{}: longer than a file may be, allowed: {} bytes", file, kMaxTomlBytes));
  }
  TomlDepth(text, file).check();
}

std::string quotable(std::string_view text, std::size_t most) {
  std::string line;
  std::size_t written = 0;  // characters
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    const bool as_it_is = length > 0 && is_printable(character);
    const std::string shown = as_it_is ? std::string(character) : escaped(character);
    written += as_it_is ? 1 : shown.size();
    if (written > most) return line + "…";
    line += shown;
    text.remove_prefix(character.size());
  }
  return line;
}

std::string read_at_most(std::istream& stream, std::size_t most) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  std::string text;
  while (text.size() < most && stream) {
    const std::size_t before = text.size();
    text.resize(before + std::min(kPiece, most - before));
    stream.read(text.data() + before, static_cast<std::streamsize>(text.size() - before));
    text.resize(before + static_cast<std::size_t>(stream.gcount()));
  }
  return text;
}

namespace {

constexpr std::uintmax_t kSmallFile = std::uintmax_t{1} << 24;  // fits in any memory

void refuse_length(const std::string& path, std::size_t most) {
  throw std::invalid_argument(
      fmt::format("{}: longer than a file may be, allowed: {} bytes", path, most));
}

/// Throws for a file that is too long, before it is read.
void check_size(const std::string& path, std::size_t most) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error || size <= std::min<std::uintmax_t>(most, kSmallFile)) return;
  if (size > most) refuse_length(path, most);
  const std::optional<std::uint64_t> left = available_memory();
  if (!left || size < *left) return;
  throw std::invalid_argument(fmt::format("{}: {} do not fit into memory, allowed: less than {}",
                                          path, bytes_text(size), bytes_text(*left)));
}

}  // namespace

std::string read_file(const std::string& path, std::string_view what, std::size_t most) {
  refuse_zero_byte(path);
  std::error_code error;
  const bool has_size = std::filesystem::is_regular_file(path, error);
  if (!has_size) most = std::min(most, kMaxPipeBytes);
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (stream && has_size) check_size(path, most);
  std::string bytes;
  if (stream) bytes = read_at_most(stream, most + 1);
  if (!stream.is_open() || stream.bad()) {
    throw std::system_error(errno, std::generic_category(),
                            fmt::format("cannot read {} {}", what, path));
  }
  if (bytes.size() > most) refuse_length(path, most);
  return bytes;
}

}  // namespace schafkopf
