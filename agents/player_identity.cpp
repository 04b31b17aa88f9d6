#include "agents/player_identity.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "agents/engine/engine_options.h"
#include "agents/engine/shell_words.h"
#include "agents/network/shipped.h"
#include "agents/registry.h"
#include "env/base/input_limits.h"
#include "env/base/random.h"

namespace schafkopf {
namespace {

constexpr std::size_t kMaxPlayerBytes = std::size_t{1} << 30;

/// Where the system cannot say, as of a name that is too long, there is no file.
bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

/// Files that a command names: words of it, as in "python3 player.py". Its program is one only with
/// a slash: without, it is that of PATH, whatever lies in the working folder.
std::vector<std::string> files_of_command(const std::string& value) {
  std::vector<std::string> files;
  try {
    files = shell_words(value);
  } catch (const std::invalid_argument&) {
    return {};  // no command line
  }
  if (files[0].find('/') == std::string::npos) files.erase(files.begin());
  std::erase_if(files, [](const std::string& word) { return !is_file(word); });
  return files;
}

std::string hash_text(std::string_view bytes) {
  std::uint64_t hash = 0;
  for (const char byte : bytes) hash = mix64(hash ^ static_cast<unsigned char>(byte));
  return fmt::format(" <bytes {:016x}>", hash);
}

/// Of bytes that are part of the program, hashed once.
std::string hash_of_shipped(std::string_view bytes) {
  static std::mutex mutex;
  static std::map<const char*, std::string> known;
  const std::scoped_lock lock(mutex);
  std::string& text = known[bytes.data()];
  if (text.empty()) text = hash_text(bytes);
  return text;
}

}  // namespace

std::string player_identity(const std::string& spec) {
  return with_version(spec) + player_files(spec);
}

std::string player_files(const std::string& spec) {
  std::string text;
  for (const auto& [key, value] : parameters_with_files(spec)) {
    if (const std::string_view shipped = shipped_bytes(value); !shipped.empty()) {
      text += hash_of_shipped(shipped);  // such a name comes before a file
      continue;
    }
    if (key != kCommandKey) {
      if (is_file(value)) text += file_identity(value, "a file of the players");
      continue;
    }
    for (const std::string& file : files_of_command(value)) {
      text += file_identity(file, "a file of the players");
    }
  }
  return text;
}

std::string file_identity(const std::string& path, std::string_view what) {
  return hash_text(read_file(path, what, kMaxPlayerBytes));
}

}  // namespace schafkopf
