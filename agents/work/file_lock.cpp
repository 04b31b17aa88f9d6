#include "agents/work/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "env/base/path_text.h"
#include "env/base/refuse.h"

namespace schafkopf {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLockFile = "run.lock";

std::string own_name() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return fmt::format("process {} on {}", ::getpid(), host.data());
}

/// What the holder wrote about itself.
std::string holder_in(const std::string& path) {
  constexpr std::size_t kLongest = 300;
  std::ifstream stream(path);
  std::string line;
  std::getline(stream, line);
  return line.empty() || line.size() > kLongest ? "another process" : line;
}

/// Of an open file; -1 is none.
bool is_regular(int file) {
  struct stat open_one{};
  return ::fstat(file, &open_one) == 0 && S_ISREG(open_one.st_mode);
}

}  // namespace

int open_file(const char* path, int flags, unsigned rights) {
  while (true) {
    const int file = ::open(path, flags, rights);
    if (file >= 0 || errno != EINTR) return file;
  }
}

bool lock_now(int file, const std::string& path) {
  while (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) fail_io(path, "lock");
  }
  return true;
}

bool stands_at(int file, const std::string& path) {
  struct stat open_one{}, named{};
  return ::fstat(file, &open_one) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
}

FolderLock::FolderLock(const std::string& folder)
    : folder_(folder), path_((fs::path(folder) / kLockFile).string()) {
  if (folder.empty()) throw std::invalid_argument("the name of the folder is empty");
  try {
    make_folders();
    hold();
  } catch (...) {
    release();  // the destructor of a half-made object is not called
    throw;
  }
}

FolderLock::~FolderLock() { release(); }

void FolderLock::make_folders() {
  refuse_zero_byte(folder_);
  fs::path part(folder_);
  if (fs::is_regular_file(part)) {
    throw std::invalid_argument(fmt::format("{}: it is a file, allowed: a folder", folder_));
  }
  if (!part.has_filename()) part = part.parent_path();  // "runs/x/"
  for (; !part.empty() && !fs::exists(part); part = part.parent_path()) {
    made_.push_back(part);
    if (part == part.parent_path()) break;
  }
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) {
    throw std::runtime_error(
        fmt::format("cannot make the folder {}: {}", folder_, error.message()));
  }
}

void FolderLock::hold() {
  constexpr mode_t kRights = 0666;  // less the umask
  constexpr int kMostTries = 1000;  // of a file system that shows no file which is open
  errno = 0;
  // its last holder may take it away meanwhile
  for (int tries = 0; file_ < 0 || !stands_at(file_, path_); ++tries) {
    if (tries == kMostTries) fail_io(path_, "hold");
    if (file_ >= 0) ::close(file_);
    // a link would have what it leads to emptied, or made
    constexpr int kFlags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    file_ = open_file(path_.c_str(), kFlags, kRights);
    if (file_ < 0 && errno != ELOOP && errno != EISDIR) fail_io(path_, "open");
    if (!is_regular(file_)) {
      if (file_ >= 0) ::close(std::exchange(file_, -1));
      throw std::invalid_argument(
          fmt::format("{}: no regular file, allowed: nothing, or what a run left there", path_));
    }
    bool mine = false;
    try {
      mine = lock_now(file_, path_);
    } catch (...) {
      if (!made_.empty()) ::unlink(path_.c_str());  // of a folder that was made for it
      ::close(std::exchange(file_, -1));
      throw;
    }
    if (mine) continue;
    ::close(std::exchange(file_, -1));
    throw std::invalid_argument(
        fmt::format("{}: another run is at work in this folder ({}); wait until it has ended, or "
                    "end it",
                    folder_, holder_in(path_)));
  }
  const std::string name = own_name() + '\n';  // a full disk leaves it out
  if (::ftruncate(file_, 0) != 0) return;
  [[maybe_unused]] const ssize_t written = ::pwrite(file_, name.data(), name.size(), 0);
}

/// An open file is a held one.
void FolderLock::release() noexcept {
  const int file = std::exchange(file_, -1);
  if (forks_ != fork_count()) {  // a child's copy: what its parent holds stays
    if (file >= 0) ::close(file);
    return;
  }
  if (file >= 0) {
    ::unlink(path_.c_str());
    ::close(file);
  }
  std::error_code ignored;
  for (const fs::path& folder : made_) fs::remove(folder, ignored);  // only if it is empty
}

}  // namespace schafkopf
