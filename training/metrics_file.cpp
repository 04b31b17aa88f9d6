#include "training/metrics_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "agents/work/atomic_file.h"
#include "env/base/input_limits.h"

namespace schafkopf {
namespace {

/// Update of a line; nothing if the line is none of ours.
std::optional<std::int64_t> update_of(std::string_view line) {
  try {
    check_json_limits(line);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const auto update = json.find("update");
  if (update == json.end() || !update->is_number_integer()) return std::nullopt;
  return update->get<std::int64_t>();
}

struct Lines {
  std::string kept, damaged;
};

Lines sorted_out(std::string_view bytes, std::int64_t updates) {
  Lines lines;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view line = bytes.substr(0, end);
    const bool last = end == std::string_view::npos;
    bytes.remove_prefix(last ? bytes.size() : end + 1);
    if (line.empty()) continue;
    const std::optional<std::int64_t> update = update_of(line);
    if (!update && last) continue;  // torn by a kill
    if (update && *update > updates) continue;
    std::string& place = update ? lines.kept : lines.damaged;
    place.append(line).append(1, '\n');
  }
  return lines;
}

}  // namespace

std::string cut_metrics(const std::string& file, std::int64_t updates) {
  std::ifstream stream(file, std::ios::binary);
  const bool missing = !stream;
  const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  const Lines lines = sorted_out(bytes, updates);
  std::string note;
  if (!lines.damaged.empty()) {
    const std::string place = place_aside(file);
    write_file_atomically(place, lines.damaged);
    const auto count = std::ranges::count(lines.damaged, '\n');
    note = fmt::format("{}: {} damaged line{} set aside in {}", file, count, count == 1 ? "" : "s",
                       place);
  }
  if (missing || lines.kept != bytes) write_file_atomically(file, lines.kept);
  return note;
}

void append_metrics(const std::string& file, std::string_view line) {
  std::ofstream stream(file, std::ios::app | std::ios::binary);
  stream << line << '\n';
  stream.flush();
  if (!stream) {
    throw std::runtime_error(fmt::format("cannot write {}: {}", file, std::strerror(errno)));
  }
}

}  // namespace schafkopf
