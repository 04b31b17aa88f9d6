// What a disk and a clock can do to a program, by LD_PRELOAD: its n-th change of files below a folder
// fails, is cut short or is its last moment. tests/faults/shim.py says how it is asked.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static const char *folder, *kind, *counter;
static long at;
static atomic_long changes, clocks;

__attribute__((constructor)) static void begin(void) {
  folder = getenv("FAULTS_FOLDER");
  kind = getenv("FAULTS_KIND");
  counter = getenv("FAULTS_COUNTER");
  const char* number = getenv("FAULTS_AT");
  at = number ? atol(number) : 0;
}

static int is(const char* name) { return kind != NULL && strcmp(kind, name) == 0; }

static int below(const char* path) {
  if (folder == NULL || path == NULL) return 0;
  char whole[PATH_MAX];
  if (path[0] != '/') {
    char here[PATH_MAX];
    if (getcwd(here, sizeof here) == NULL) return 0;
    if (snprintf(whole, sizeof whole, "%s/%s", here, path) >= (int)sizeof whole) return 0;
    path = whole;
  }
  return strncmp(path, folder, strlen(folder)) == 0;
}

static int is_ours(int file) {
  if (folder == NULL) return 0;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const long length = syscall(SYS_readlink, link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = '\0';
  return below(path);
}

static void note_number(long number) {
  if (counter == NULL) return;
  char text[32];
  const int length = snprintf(text, sizeof text, "%ld\n", number);
  const int file = (int)syscall(SYS_openat, AT_FDCWD, counter, O_WRONLY | O_CREAT, 0600);
  if (file < 0) return;
  (void)!syscall(SYS_pwrite64, file, text, length, 0L);
  syscall(SYS_close, file);
}

enum Fate { kAsAsked, kFails, kDies, kShort, kFills };

// The fate of the next change. needs_room: it takes place on the disk.
static enum Fate fate(int needs_room) {
  const long number = atomic_fetch_add(&changes, 1) + 1;
  note_number(number);
  if (is("short")) return kShort;
  if (is("kill") && number == at) return kDies;
  if (is("eio") && number == at) return errno = EIO, kFails;
  if (is("full") && needs_room && number == at) return errno = ENOSPC, kFills;
  if (is("full") && needs_room && number > at) return errno = ENOSPC, kFails;
  return kAsAsked;
}

static void die(void) {
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

// A change that is done or not.
#define WHOLE_CHANGE(ours, needs_room, call)    \
  if (ours) {                                   \
    const enum Fate f = fate(needs_room);       \
    if (f == kFails || f == kFills) return -1;  \
    if (f == kDies) die();                      \
  }                                             \
  return call

ssize_t write(int file, const void* bytes, size_t size) {
  const __typeof__(&write) next = NEXT(write);
  if (size == 0 || !is_ours(file)) return next(file, bytes, size);
  switch (fate(1)) {
    case kFails: return -1;
    case kDies: (void)!next(file, bytes, size / 2); die(); break;
    case kFills:
      if (size == 1) return errno = ENOSPC, -1;
      return next(file, bytes, size / 2);
    case kShort:
      if (atomic_load(&changes) % 3 == 0) return errno = EINTR, -1;
      return next(file, bytes, (size + 1) / 2);
    case kAsAsked: break;
  }
  return next(file, bytes, size);
}

ssize_t writev(int file, const struct iovec* parts, int count) {
  if (count <= 0 || !is_ours(file)) return NEXT(writev)(file, parts, count);
  for (int i = 0; i < count; ++i) {  // one part is a short write, which is allowed
    if (parts[i].iov_len > 0) return write(file, parts[i].iov_base, parts[i].iov_len);
  }
  return 0;
}

ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t place) {
  WHOLE_CHANGE(size > 0 && is_ours(file), 1, NEXT(pwrite64)(file, bytes, size, place));
}
int fsync(int file) { WHOLE_CHANGE(is_ours(file), 0, NEXT(fsync)(file)); }
int fdatasync(int file) { WHOLE_CHANGE(is_ours(file), 0, NEXT(fdatasync)(file)); }
int ftruncate64(int file, off64_t size) { WHOLE_CHANGE(is_ours(file), 0, NEXT(ftruncate64)(file, size)); }
int ftruncate(int file, off_t size) { WHOLE_CHANGE(is_ours(file), 0, NEXT(ftruncate)(file, size)); }
int rename(const char* from, const char* to) { WHOLE_CHANGE(below(to), 0, NEXT(rename)(from, to)); }
int renameat(int a, const char* from, int b, const char* to) {
  WHOLE_CHANGE(below(to), 0, NEXT(renameat)(a, from, b, to));
}
int link(const char* from, const char* to) { WHOLE_CHANGE(below(to), 1, NEXT(link)(from, to)); }
int linkat(int a, const char* from, int b, const char* to, int flags) {
  WHOLE_CHANGE(below(to), 1, NEXT(linkat)(a, from, b, to, flags));
}
int mkdir(const char* path, mode_t mode) { WHOLE_CHANGE(below(path), 1, NEXT(mkdir)(path, mode)); }
// Nobody can go on where removing fails, and no disk that is full refuses it.
int unlink(const char* path) {
  if (below(path) && fate(0) == kDies) die();
  return NEXT(unlink)(path);
}

static int makes_a_file(const char* path, int flags) {
  struct stat status;
  return (flags & O_CREAT) != 0 && below(path) &&
         fstatat(AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) != 0;
}

#define OPENED(call)                                  \
  va_list arguments;                                  \
  va_start(arguments, flags);                         \
  const mode_t mode = (mode_t)va_arg(arguments, int); \
  va_end(arguments);                                  \
  WHOLE_CHANGE(makes_a_file(path, flags), 1, call)

int open(const char* path, int flags, ...) { OPENED(NEXT(open)(path, flags, mode)); }
int open64(const char* path, int flags, ...) { OPENED(NEXT(open64)(path, flags, mode)); }
int openat(int at_folder, const char* path, int flags, ...) {
  OPENED(NEXT(openat)(at_folder, path, flags, mode));
}
int openat64(int at_folder, const char* path, int flags, ...) {
  OPENED(NEXT(openat64)(at_folder, path, flags, mode));
}

// The clock of the day jumps FAULTS_AT seconds ahead, then back behind, in turn; the steady one never.
static long jump(void) {
  if (!is("clock")) return 0;
  return atomic_fetch_add(&clocks, 1) / 2 % 2 == 0 ? at : -at;
}
int clock_gettime(clockid_t id, struct timespec* now) {
  const int result = NEXT(clock_gettime)(id, now);
  if (result == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) now->tv_sec += jump();
  return result;
}
int gettimeofday(struct timeval* restrict now, void* restrict zone) {
  const int result = NEXT(gettimeofday)(now, zone);
  if (result == 0) now->tv_sec += jump();
  return result;
}
time_t time(time_t* place) {
  const time_t now = NEXT(time)(NULL) + jump();
  if (place != NULL) *place = now;
  return now;
}
