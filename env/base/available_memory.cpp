#include "env/base/available_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace schafkopf {
namespace {

using Bytes = std::optional<std::uint64_t>;
namespace files = std::filesystem;

/// The number after the word `key`; the first word of the file for an empty key.
Bytes number_in(const files::path& path, std::string_view key) {
  std::ifstream file(path);
  std::string word;
  std::uint64_t number = 0;
  if (!key.empty()) {
    while (file >> word && word != key) continue;
  }
  return file >> number ? Bytes(number) : std::nullopt;
}

void take_less(Bytes& least, Bytes other) {
  if (other) least = least ? std::min(*least, *other) : *other;
}

/// What the groups from `group` up to `top` leave; page cache that is not in use counts as left.
Bytes left_in_groups(files::path group, const files::path& top, const char* limit_file,
                     const char* usage_file, const char* cache_key) {
  Bytes least;
  for (;; group = group.parent_path()) {
    const Bytes limit = number_in(group / limit_file, ""), used = number_in(group / usage_file, "");
    if (limit && used) {
      const std::uint64_t cache = number_in(group / "memory.stat", cache_key).value_or(0);
      const std::uint64_t kept = *used - std::min(*used, cache);
      take_less(least, *limit - std::min(*limit, kept));
    }
    if (group == top || !group.has_relative_path()) return least;
  }
}

/// The limits of the control groups of this process, of either version.
Bytes left_by_control_groups(const files::path& root) {
  const files::path top = root / "sys/fs/cgroup";
  Bytes least;
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {  // number:controllers:path
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(std::min(line.size(), second + 2));
    const auto group_in = [&path](const files::path& folder) {
      return path.empty() ? folder : folder / path;
    };
    if (controllers.empty()) {
      take_less(least, left_in_groups(group_in(top), top, "memory.max", "memory.current",
                                      "inactive_file"));
    } else if (("," + controllers + ",").find(",memory,") != std::string::npos) {
      take_less(least,
                left_in_groups(group_in(top / "memory"), top / "memory", "memory.limit_in_bytes",
                               "memory.usage_in_bytes", "total_inactive_file"));
    }
  }
  return least;
}

}  // namespace

std::optional<std::uint64_t> available_memory(const std::string& root) {
  const files::path base = root.empty() ? files::path("/") : files::path(root);
  Bytes least;
  if (const Bytes kilobytes = number_in(base / "proc/meminfo", "MemAvailable:")) {
    least = *kilobytes * 1024;
  }
  take_less(least, left_by_control_groups(base));
  return least;
}

std::optional<std::uint64_t> memory_short_of(std::uint64_t needed) {
  constexpr std::uint64_t kAlwaysTried = 64'000'000;
  if (needed < kAlwaysTried) return std::nullopt;
  const std::optional<std::uint64_t> available = available_memory();
  return available && needed > *available ? available : std::nullopt;
}

void require_memory(const std::string& what, std::uint64_t needed) {
  if (const std::optional<std::uint64_t> available = memory_short_of(needed)) {
    throw NotEnoughMemory(fmt::format("{} needs about {} of memory, {} are available", what,
                                      bytes_text(needed), bytes_text(*available)));
  }
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr double kThousand = 1000.0;
  double value = static_cast<double>(bytes) / (kThousand * kThousand);
  for (const char* unit : {"MB", "GB", "TB"}) {
    if (value < kThousand) return fmt::format("{:.{}f} {}", value, value < 10.0 ? 1 : 0, unit);
    value /= kThousand;
  }
  return fmt::format("{:.0f} PB", value);
}

}  // namespace schafkopf
