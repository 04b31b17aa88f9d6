#include "agents/work/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "agents/work/file_lock.h"
#include "env/base/path_text.h"
#include "env/base/refuse.h"

namespace schafkopf {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = ".tmp-";

/// "123" or "123-4": what stands behind the mark (the former without a number, of older versions).
bool is_process(std::string_view text) {
  const auto is_number = [](std::string_view digits) {
    return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const std::size_t dash = text.find('-');
  return dash == std::string_view::npos
             ? is_number(text)
             : is_number(text.substr(0, dash)) && is_number(text.substr(dash + 1));
}

/// Remove a temporary file that nobody holds. Its owner, if it has made it this moment and has not
/// locked it yet, finds it gone and makes another.
void remove_if_left(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return;
  struct stat status{};
  if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
      ::flock(file, LOCK_EX | LOCK_NB) == 0 && stands_at(file, path)) {
    ::unlink(path.c_str());
  }
  ::close(file);
}

/// A device, a pipe or a socket is no file that another can stand for. A folder has its own error.
void refuse_to_replace_no_file(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return;
  if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) return;
  throw std::runtime_error(path +
                           ": cannot replace what is no file, allowed: a file, or a new name");
}

/// A temporary file that is removed unless it was renamed into place; locked as long as it lives.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& path) : path_(path) {
    constexpr int kMostTries = 10000;  // of a file system that shows no file which was just made
    for (int number = 0; descriptor_ < 0; ++number) {
      temporary_ = fmt::format("{}{}{}-{}", path, kMark, ::getpid(), number);
      // another thread writes the same file
      if (make() || (errno == EEXIST && number < kMostTries)) continue;
      fail_io(path_, "create a temporary file beside it");
    }
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!renamed_) ::unlink(temporary_.c_str());
    ::close(descriptor_);
  }

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail_io(path_, "write");
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void move_into_place() {
    keep_rights();
    if (::fsync(descriptor_) != 0) fail_io(path_, "flush to disk");
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail_io(path_, "replace");
    renamed_ = true;
  }

 private:
  /// Take over rights and group of the file that is replaced; not every file system has them, and
  /// another user's group cannot be given.
  void keep_rights() const {
    constexpr mode_t kAll = 0777;
    struct stat before{};
    if (::lstat(path_.c_str(), &before) != 0 || !S_ISREG(before.st_mode)) return;
    if (::fchown(descriptor_, static_cast<uid_t>(-1), before.st_gid) != 0) errno = 0;
    ::fchmod(descriptor_, before.st_mode & kAll);
  }

  /// False with errno, EEXIST also where it was taken for a leftover before it was locked.
  bool make() {
    constexpr mode_t kRights = 0666;  // less the umask
    const int file =
        open_file(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kRights);
    if (file < 0) return false;
    while (::flock(file, LOCK_EX) != 0 && errno == EINTR) {
    }  // a file system without locks loses the protection only
    errno = 0;
    if (stands_at(file, temporary_)) {
      descriptor_ = file;
      return true;
    }
    // gone, or the system does not say: then nobody else knows of it
    const bool is_gone = errno == 0 || errno == ENOENT;
    const int error = is_gone ? EEXIST : errno;
    if (!is_gone) ::unlink(temporary_.c_str());
    ::close(file);
    errno = error;
    return false;
  }

  std::string path_, temporary_;
  int descriptor_ = -1;
  bool renamed_ = false;
};

}  // namespace

void remove_leftovers(const std::string& path) {
  const fs::path place(path);
  const std::string begin = place.filename().string().append(kMark);
  std::error_code error;
  const fs::path folder = place.has_parent_path() ? place.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(begin) && is_process(std::string_view(name).substr(begin.size()))) {
      remove_if_left(entry->path().string());
    }
  }
}

void sync_folder(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

std::string behind_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // as systems have it
  fs::path place = path;
  std::error_code error;  // where nothing can be seen, writing says why
  for (int links = 0; fs::is_symlink(fs::symlink_status(place, error)); ++links) {
    if (links == kMostLinks) return path;
    place = place.parent_path() / fs::read_symlink(place, error);
    if (error) return path;
  }
  return place.string();
}

void write_file_atomically(const std::string& path, std::string_view bytes) {
  refuse_zero_byte(path);
  refuse_to_replace_no_file(path);
  remove_leftovers(path);
  TemporaryFile file(path);
  file.write(bytes);
  file.move_into_place();
  sync_folder(path);
}

std::string place_aside(const std::string& path) {
  const fs::path file(path);
  for (int number = 1;; ++number) {
    const fs::path place = file.parent_path() / fmt::format("{}.damaged-{}{}", file.stem().string(),
                                                            number, file.extension().string());
    if (!fs::exists(place)) return place.string();
  }
}

}  // namespace schafkopf
