// A file of finished work, from which a killed run goes on. A line of JSON that says what is done,
// then pieces: magic, number of rows, checksum, rows. A piece that a kill tore is left out when the
// file is opened again. One that does not fit its checksum is left out; what follows it counts,
// but not where games follow from those before (rows of a byte). What does not count at the end of
// a file is cut off before the first piece is appended: to look at one changes nothing.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schafkopf {

/// What decides the work, as key and text: files of equal lists hold parts of the same work.
using JournalIdentity = std::vector<std::pair<std::string, std::string>>;

/// What a journal holds.
struct JournalKind {
  std::string_view format;  // name and version of the form, in the first line
  std::string_view work;    // whose games these are, for messages: "tournament"
  std::size_t row_bytes =
      1;  // a piece is a whole number of rows; 1: pieces of any length, in order
};

/// Held by one object at a time, also between processes. Not thread-safe.
class Journal {
 public:
  /// Opens the file for appending. Without `resume` it must not exist yet; with it, what it holds
  /// is read first. Throws std::invalid_argument naming every key of the identity that differs,
  /// that this is no journal of the kind, or that another run holds it; std::runtime_error if it
  /// cannot be read or written.
  Journal(std::string path, const JournalKind& kind, const JournalIdentity& identity, bool resume);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  /// Pieces that the file held when it was opened, as written.
  [[nodiscard]] std::vector<std::string> take_pieces() { return std::move(pieces_); }
  /// Writes rows as one piece: they survive the end of the process at once, that of the machine from
  /// the first append() a quarter of a second after the last fsync, or sync(), on.
  void append(std::string_view rows);
  /// Makes sure that everything is on disk.
  void sync();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void lock();
  void create(const std::string& header);
  void read_back(const JournalIdentity& identity);
  void cut_off_what_does_not_count();

  std::string path_;
  JournalKind kind_;
  int file_ = -1;
  std::vector<std::string> pieces_;
  std::size_t end_ = 0;  // of the last piece that counts, where more stands behind it; else 0
  std::chrono::steady_clock::time_point synced_;
};

/// Pieces of a journal, for readers that do not go on with it. Throws as the constructor.
[[nodiscard]] std::vector<std::string> read_pieces(const std::string& path,
                                                   const JournalKind& kind);

/// What is damaged in a journal of tournaments or league days, as a sentence that names the file;
/// empty where it is whole or was only cut off by a kill. Throws std::runtime_error if it cannot be
/// read.
[[nodiscard]] std::string journal_damage(const std::string& path);

}  // namespace schafkopf
