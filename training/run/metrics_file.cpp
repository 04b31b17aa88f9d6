#include "training/run/metrics_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "agents/work/atomic_file.h"
#include "env/base/checksum.h"
#include "env/base/input_limits.h"
#include "env/base/refuse.h"

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

/// Lines of a file: those that stay and those that are set aside.
class Sorted {
 public:
  void keep(std::string_view line) {
    kept_.append(line).append(1, '\n');
    sums_.add(line);
  }
  void set_aside(std::string_view line) { damaged_.append(line).append(1, '\n'); }
  [[nodiscard]] const std::string& kept() const { return kept_; }
  [[nodiscard]] const std::string& damaged() const { return damaged_; }
  [[nodiscard]] const LineSums& sums() const { return sums_; }

 private:
  std::string kept_, damaged_;
  LineSums sums_;
};

/// The lines of a text but empty ones.
std::vector<std::string_view> lines_in(std::string_view bytes) {
  std::vector<std::string_view> lines;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    if (end > 0) lines.push_back(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  return lines;
}

/// By what can be read of the lines.
Sorted read_lines(const std::vector<std::string_view>& lines, bool last_has_an_end,
                  std::int64_t updates) {
  Sorted sorted;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::optional<std::int64_t> update = update_of(lines[i]);
    if (!update && i + 1 == lines.size() && !last_has_an_end) continue;  // torn by a kill
    if (update && *update > updates) continue;
    update ? sorted.keep(lines[i]) : sorted.set_aside(lines[i]);
  }
  return sorted;
}

/// The lines as they were at the checkpoint, less one that is damaged; nothing if more is wrong.
std::optional<Sorted> same_lines(std::vector<std::string_view> lines, const LineSums& written,
                                 std::int64_t& damaged) {
  if (static_cast<std::int64_t>(lines.size()) < written.lines) return std::nullopt;
  lines.resize(static_cast<std::size_t>(written.lines));
  LineSums found;
  for (const std::string_view line : lines) found.add(line);
  damaged = found == written ? 0 : written.only_other(found);
  if (damaged == 0 && found != written) return std::nullopt;
  Sorted sorted;
  for (std::int64_t place = 1; const std::string_view line : lines) {
    place++ == damaged ? sorted.set_aside(line) : sorted.keep(line);
  }
  return sorted;
}

/// Sets lines aside and says so.
///
/// line  number of the only one, where it is known
std::string note_of(const std::string& file, const std::string& damaged, std::int64_t line = 0) {
  if (damaged.empty()) return {};
  const std::string place = place_aside(file);
  write_file_atomically(place, damaged);
  if (line > 0) return fmt::format("{}: line {} is damaged, set aside in {}", file, line, place);
  const auto count = std::ranges::count(damaged, '\n');
  return fmt::format("{}: {} damaged line{} set aside in {}", file, count, count == 1 ? "" : "s",
                     place);
}

/// Of a file whose lines are not those of the checkpoint, and more is not known.
std::string note_of_other_lines(const std::string& file, const std::string& bytes,
                                std::int64_t kept, std::int64_t written) {
  if (bytes.empty()) {
    return fmt::format("{}: its {} lines are lost; the run goes on without them", file, written);
  }
  const std::string place = place_aside(file);
  write_file_atomically(place, bytes);
  return fmt::format(
      "{}: damaged, {} of {} lines can be read, and their checksum is another one; as it was: {}",
      file, kept, written, place);
}

}  // namespace

void LineSums::add(std::string_view line) {
  const std::uint64_t checksum = checksum_of(line);
  sum += checksum;
  places += checksum * static_cast<std::uint64_t>(++lines);
}

std::int64_t LineSums::only_other(const LineSums& found) const {
  if (found.lines != lines || found.sum == sum) return 0;
  for (std::int64_t place = 1; place <= lines; ++place) {
    if ((found.sum - sum) * static_cast<std::uint64_t>(place) == found.places - places) {
      return place;
    }
  }
  return 0;
}

CutMetrics cut_metrics(const std::string& file, std::int64_t updates,
                       const std::optional<LineSums>& written) {
  std::error_code error;
  const bool missing = !std::filesystem::is_regular_file(file, error);  // a pipe would never end
  const std::string bytes = missing ? std::string() : read_file(file, "the metrics");
  const std::vector<std::string_view> lines = lines_in(bytes);
  Sorted sorted = read_lines(lines, bytes.ends_with('\n'), updates);
  std::string note;
  if (!written || sorted.sums() == *written) {
    note = note_of(file, sorted.damaged());
  } else {
    std::int64_t damaged = 0;
    if (std::optional<Sorted> same = same_lines(lines, *written, damaged)) {
      sorted = *std::move(same);
      note = note_of(file, sorted.damaged(), damaged);
    } else {
      note = note_of_other_lines(file, bytes, sorted.sums().lines, written->lines);
    }
  }
  if (missing || sorted.kept() != bytes) write_file_atomically(file, sorted.kept());
  return {std::move(note), sorted.sums()};
}

void append_metrics(const std::string& file, std::string_view line, LineSums& sums) {
  errno = 0;
  std::ofstream stream(file, std::ios::app | std::ios::binary);
  stream << line << '\n';
  stream.flush();
  if (!stream) fail_io(file, "write");
  sums.add(line);
}

}  // namespace schafkopf
