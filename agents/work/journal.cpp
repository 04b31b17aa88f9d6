#include "agents/work/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "agents/work/atomic_file.h"
#include "agents/work/file_lock.h"
#include "env/base/checksum.h"
#include "env/base/input_limits.h"
#include "env/base/path_text.h"
#include "env/base/refuse.h"

namespace schafkopf {
namespace {

using Json = nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little, "rows are written as they stand");

constexpr std::uint32_t kMagic = 0x57524b53;  // "SKRW"
constexpr auto kSyncEvery = std::chrono::milliseconds(250);

struct PieceHead {
  std::uint32_t magic = kMagic;
  std::uint32_t rows = 0;
  std::uint64_t checksum = 0;
};
static_assert(sizeof(PieceHead) == 16);

std::string header_of(const JournalKind& kind, const JournalIdentity& identity) {
  Json options = Json::object();
  for (const auto& [key, value] : identity) options[key] = value;
  const Json header = {
      {"format", kind.format}, {"row_bytes", kind.row_bytes}, {"options", options}};
  return header.dump() + '\n';
}

/// Whether a first line is that of a journal of this kind.
bool is_header(const Json& header, const JournalKind& kind) {
  const auto is = [&](const char* key, const auto& value) {
    return header.contains(key) && header[key] == value;
  };
  return header.is_object() && is("format", kind.format) && is("row_bytes", kind.row_bytes) &&
         header.contains("options") && header["options"].is_object() &&
         std::ranges::all_of(header["options"], [](const Json& text) { return text.is_string(); });
}

/// Line of JSON at the beginning, checked to be that of a journal of this kind.
Json header_in(const std::string& path, const JournalKind& kind, const std::string& bytes) {
  const std::string line = bytes.substr(0, bytes.find('\n'));
  try {
    check_json_limits(line);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("{}: first line: {}", path, error.what()));
  }
  Json header = Json::parse(line, nullptr, false);
  if (!is_header(header, kind)) {
    throw std::invalid_argument(
        fmt::format("{}: no file of {} games in the form {}", path, kind.work, kind.format));
  }
  return header;
}

constexpr std::size_t kMostTries = 1000;  // places behind a damage at which a piece may begin

/// What stands in a journal behind its first line.
struct Found {
  std::vector<std::string> pieces;
  std::size_t end = 0;           // of the last whole piece
  std::size_t damaged_at = 0;    // the first byte that is in none, 0 = every one is
  std::size_t damaged_size = 0;  // bytes that are in none
  bool torn = false;             // only at the end, as a kill leaves it
};

/// Rows of the whole piece that begins at a place, if there is one.
std::optional<std::string_view> piece_at(std::string_view bytes, std::size_t place,
                                         std::size_t row_bytes) {
  PieceHead head;
  if (bytes.size() - place < sizeof head) return std::nullopt;
  std::memcpy(&head, bytes.data() + place, sizeof head);
  const std::size_t length = std::size_t{head.rows} * row_bytes;
  if (head.magic != kMagic || bytes.size() - place - sizeof head < length) return std::nullopt;
  const std::string_view body = bytes.substr(place + sizeof head, length);
  return checksum_of(body) == head.checksum ? std::optional(body) : std::nullopt;
}

/// Whether the bytes at a place are the beginning of a piece that was not written to its end.
bool is_torn(std::string_view bytes, std::size_t place, std::size_t row_bytes) {
  const std::size_t there = std::min(bytes.size() - place, sizeof(PieceHead));
  PieceHead begun;
  std::memcpy(&begun, bytes.data() + place, there);  // the rest has the magic already
  if (begun.magic != kMagic) return false;
  return there < sizeof begun ||
         bytes.size() - place - sizeof begun < std::size_t{begun.rows} * row_bytes;
}

Found found_in(std::string_view bytes, std::size_t row_bytes) {
  const bool in_any_order = row_bytes > 1;
  const std::string_view magic(reinterpret_cast<const char*>(&kMagic), sizeof kMagic);
  Found found;
  std::size_t place = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
  found.end = place;
  std::size_t behind = place;  // the last whole piece, also one that does not count
  for (std::size_t tries = 0; place < bytes.size() && tries < kMostTries;) {
    const auto body = piece_at(bytes, place, row_bytes);
    if (!body) {
      if (found.damaged_at == 0) found.damaged_at = place;
      ++tries;
      place = std::min(bytes.find(magic, place + 1), bytes.size());
      continue;
    }
    found.damaged_size += place - behind;
    place += sizeof(PieceHead) + body->size();
    behind = place;
    if (found.damaged_at != 0 && !in_any_order) continue;
    found.pieces.emplace_back(*body);
    found.end = place;
  }
  found.torn = found.damaged_at != 0 && found.damaged_at >= behind &&
               is_torn(bytes, found.damaged_at, row_bytes);
  if (found.torn) return found;
  found.damaged_size = in_any_order ? found.damaged_size + bytes.size() - behind
                                    : bytes.size() - found.end;  // all that follows
  return found;
}

void compare(const std::string& path, const JournalKind& kind, const Json& header,
             const JournalIdentity& identity) {
  const Json& written = header["options"];
  std::string differences;
  const auto differs = [&](const std::string& key, const std::string& then,
                           const std::string& now) {
    // long texts are cut: from a little before their first difference on
    constexpr std::size_t kBefore = 16;
    const auto first =
        static_cast<std::size_t>(std::ranges::mismatch(then, now).in1 - then.begin());
    const std::size_t cut = std::max(then.size(), now.size()) > kQuotedCharacters && first > kBefore
                                ? first - kBefore
                                : 0;
    const std::string_view dots = cut > 0 ? "..." : "";
    differences += fmt::format("\n  {}: there {}{}, now {}{}", quotable(key), dots,
                               quotable(std::string_view(then).substr(cut)), dots,
                               quotable(std::string_view(now).substr(cut)));
  };
  for (const auto& [key, value] : identity) {
    const std::string then = written.value(key, "nothing");
    if (then != value) differs(key, then, value);
  }
  for (const auto& [key, value] : written.items()) {
    const auto same = [&](const auto& item) { return item.first == key; };
    if (std::ranges::none_of(identity, same)) differs(key, value.get<std::string>(), "nothing");
  }
  if (differences.empty()) return;
  throw std::invalid_argument(
      fmt::format("{}: its games belong to another {}:{}", path, kind.work, differences));
}

void write_all(const std::string& path, int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_io(path, "write the games");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// To open a pipe is to wait for whoever writes into it; a folder is refused by the system.
void refuse_what_is_no_file(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_type kind = fs::status(path, error).type();
  if (kind == fs::file_type::fifo || kind == fs::file_type::character) {
    throw std::runtime_error(fmt::format("{}: cannot read the games: no regular file", path));
  }
}

std::string read_games(const std::string& path) {
  refuse_what_is_no_file(path);
  return read_file(path, "the games");
}

}  // namespace

Journal::Journal(std::string path, const JournalKind& kind, const JournalIdentity& identity,
                 bool resume)
    : path_(std::move(path)), kind_(kind), synced_(std::chrono::steady_clock::now()) {
  constexpr mode_t kRights = 0666;  // less the umask
  refuse_zero_byte(path_);
  refuse_what_is_no_file(path_);
  file_ = open_file(path_.c_str(),
                    O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | (resume ? 0 : O_EXCL), kRights);
  if (file_ < 0 && errno == EEXIST) {
    throw std::invalid_argument(
        fmt::format("{} exists already: resume it, or choose another place", path_));
  }
  if (file_ < 0) fail_io(path_, "open");
  try {
    lock();
    read_back(identity);
  } catch (...) {
    ::close(file_);  // the destructor of a half-made object is not called
    throw;
  }
}

Journal::~Journal() { ::close(file_); }

void Journal::lock() {
  if (lock_now(file_, path_)) return;
  throw std::invalid_argument(fmt::format(
      "{}: another run is playing this {} now; wait until it has ended", path_, kind_.work));
}

void Journal::create(const std::string& header) {
  try {
    if (::ftruncate(file_, 0) != 0) fail_io(path_, "cut off a torn beginning");
    write_all(path_, file_, header);
    sync();
    sync_folder(path_);
  } catch (...) {
    ::unlink(path_.c_str());
    throw;
  }
}

void Journal::read_back(const JournalIdentity& identity) {
  const std::string bytes = read_games(path_);
  const std::string header = header_of(kind_, identity);
  if (bytes.size() < header.size() && header.starts_with(bytes)) {  // new, or killed at its birth
    create(header);
    return;
  }
  compare(path_, kind_, header_in(path_, kind_, bytes), identity);
  Found found = found_in(bytes, kind_.row_bytes);
  pieces_ = std::move(found.pieces);
  if (found.end < bytes.size()) end_ = found.end;
}

void Journal::cut_off_what_does_not_count() {
  if (end_ == 0) return;
  if (::ftruncate(file_, static_cast<off_t>(end_)) != 0) fail_io(path_, "cut off a torn end");
  end_ = 0;
}

void Journal::append(std::string_view rows) {
  cut_off_what_does_not_count();
  PieceHead head;
  head.rows = static_cast<std::uint32_t>(rows.size() / kind_.row_bytes);
  head.checksum = checksum_of(rows);
  std::string piece(sizeof head, '\0');
  std::memcpy(piece.data(), &head, sizeof head);
  piece += rows;
  write_all(path_, file_, piece);
  if (std::chrono::steady_clock::now() - synced_ >= kSyncEvery) sync();
}

void Journal::sync() {
  if (::fsync(file_) != 0) fail_io(path_, "sync");
  synced_ = std::chrono::steady_clock::now();
}

std::vector<std::string> read_pieces(const std::string& path, const JournalKind& kind) {
  const std::string bytes = read_games(path);
  (void)header_in(path, kind, bytes);
  return found_in(bytes, kind.row_bytes).pieces;
}

std::string journal_damage(const std::string& path) {
  const std::string bytes = read_games(path);
  const Json header = Json::parse(bytes.substr(0, bytes.find('\n')), nullptr, false);
  if (!header.is_object() || !header.contains("row_bytes") ||
      !header["row_bytes"].is_number_unsigned()) {
    return {};  // who goes on with it says what is wrong
  }
  const auto row_bytes = header["row_bytes"].get<std::size_t>();
  if (row_bytes == 0 || row_bytes > bytes.size()) return {};
  const Found found = found_in(bytes, row_bytes);
  if (found.damaged_at == 0 || found.torn) return {};
  return fmt::format(
      "{}: damaged at byte {}: {} bytes are left out, games that are missing are played again",
      path, found.damaged_at, found.damaged_size);
}

}  // namespace schafkopf
