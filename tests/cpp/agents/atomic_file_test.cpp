// Files that are replaced whole: old ones stay where writing fails, leftovers of killed writers go.
#include "agents/work/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "agents/work/file_lock.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/temporary_file.h"

namespace schafkopf {
namespace {

using test::bytes_of;
using test::error_of;
using test::TemporaryFolder;

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

void put(const std::string& path, const std::string& bytes) { std::ofstream(path) << bytes; }

TEST(AtomicFile, a_folder_that_is_missing_is_named) {
  const TemporaryFolder folder;
  EXPECT_THROW(write_file_atomically(folder.file("no/w"), "x"), std::runtime_error);
  EXPECT_THAT(error_of([&] { write_file_atomically(folder.file("no/w"), "x"); }),
              AllOf(HasSubstr(folder.file("no/w")), HasSubstr("No such file")));
}

TEST(AtomicFile, a_full_disk_leaves_the_old_file) {
  const TemporaryFolder folder;
  write_file_atomically(folder.file("w"), "old");
  // A limit of the file size stands in for the disk: write() fails after some bytes as it would.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string error =
      error_of([&] { write_file_atomically(folder.file("w"), std::string(5000, 'n')); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(error, AllOf(HasSubstr(folder.file("w")), HasSubstr("cannot write")));
  EXPECT_EQ(bytes_of(folder.file("w")), "old");
  EXPECT_THAT(folder.names(), ElementsAre("w"));
}

TEST(AtomicFile, a_file_keeps_its_rights_and_a_link_gives_none) {
  const TemporaryFolder folder;
  const std::string file = folder.file("w"), link = folder.file("link");
  const auto rights_of = [](const std::string& path) { return fs::status(path).permissions(); };
  write_file_atomically(file, "old");
  const fs::perms usual = rights_of(file), own = usual | fs::perms::owner_exec;
  fs::permissions(file, own);
  write_file_atomically(file, "new");
  EXPECT_EQ(bytes_of(file), "new");
  EXPECT_EQ(rights_of(file), own);
  fs::create_symlink("w", link);  // is itself replaced, by a file like any new one
  write_file_atomically(link, "new");
  EXPECT_EQ(rights_of(link), usual);
}

TEST(AtomicFile, a_pipe_or_a_device_is_not_replaced) {
  const TemporaryFolder folder;
  const std::string pipe = folder.file("pipe"), link = folder.file("link");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", link);
  for (const std::string& path : {pipe, link}) {
    EXPECT_EQ(error_of<std::runtime_error>([&] { write_file_atomically(path, "new"); }),
              path + ": cannot replace what is no file, allowed: a file, or a new name");
  }
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_TRUE(fs::is_symlink(link));
}

TEST(AtomicFile, a_damaged_file_goes_to_the_first_place_that_is_free) {
  const TemporaryFolder folder;
  EXPECT_EQ(place_aside(folder.file("last.ckpt")), folder.file("last.damaged-1.ckpt"));
  put(folder.file("last.damaged-1.ckpt"), "x");
  EXPECT_EQ(place_aside(folder.file("last.ckpt")), folder.file("last.damaged-2.ckpt"));
}

TEST(AtomicFile, what_killed_writers_left_goes_and_nothing_else) {
  const TemporaryFolder folder;
  for (const char* left : {"w.tmp-4711", "w.tmp-4711-0", "w.tmp-4711-12"}) {
    put(folder.file(left), "torn");
  }
  const std::set<std::string> mine = {"v.tmp-1-0",  "w.tmp-",     "w.tmp-1-",  "w.tmp-1-2-3",
                                      "w.tmp-mine", "w.tmp-1-0x", "xw.tmp-1-0"};
  for (const std::string& name : mine) put(folder.file(name), "mine");
  fs::create_directory(folder.file("w.tmp-5-0"));
  fs::create_symlink("v.tmp-1-0", folder.file("w.tmp-6-0"));
  write_file_atomically(folder.file("w"), "new");
  std::set<std::string> expected = mine;
  expected.insert({"w", "w.tmp-5-0", "w.tmp-6-0"});
  EXPECT_EQ(folder.names(), expected);
}

TEST(AtomicFile, a_writer_killed_in_the_middle_leaves_nothing_behind_the_next) {
  const TemporaryFolder folder;
  write_file_atomically(folder.file("w"), "old");
  const pid_t child = fork();
  if (child == 0) {  // SIGXFSZ ends it inside write(), as a kill would
    const rlimit small{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &small);
    write_file_atomically(folder.file("w"), std::string(5000, 'n'));
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(folder.names().size(), 2U);
  EXPECT_EQ(bytes_of(folder.file("w")), "old");
  write_file_atomically(folder.file("w"), "new");
  EXPECT_THAT(folder.names(), ElementsAre("w"));
}

TEST(AtomicFile, writers_of_the_same_file_at_a_time_do_not_disturb_each_other) {
  const TemporaryFolder folder;
  std::vector<std::string> errors(4);
  {
    std::vector<std::jthread> writers;
    for (std::size_t w = 0; w < errors.size(); ++w) {
      writers.emplace_back([&, w] {
        const std::string text(20'000, static_cast<char>('a' + w));
        for (int i = 0; i < 50; ++i) {
          const std::string error =
              error_of([&] { write_file_atomically(folder.file("w"), text); });
          if (error != "no error") errors[w] = error;
          const std::string seen = bytes_of(folder.file("w"));
          if (seen != std::string(20'000, seen.empty() ? '-' : seen[0])) errors[w] = "torn";
        }
      });
    }
  }
  EXPECT_THAT(errors, testing::Each(""));
  EXPECT_THAT(folder.names(), ElementsAre("w"));
}

// ---- one run at a time in a folder

TEST(FolderLock, is_held_by_one_and_names_it) {
  const TemporaryFolder folder;
  {
    const FolderLock lock(folder.file("runs/x"));
    EXPECT_THROW(FolderLock(folder.file("runs/x")), std::invalid_argument);
    EXPECT_THAT(error_of([&] { const FolderLock second(folder.file("runs/x")); }),
                AllOf(HasSubstr(folder.file("runs/x") + ": another run is at work"),
                      HasSubstr("process " + std::to_string(getpid()) + " on ")));
    put(folder.file("runs/x/result"), "1");
  }
  EXPECT_EQ(fs::directory_iterator(folder.file("runs/x"))->path().filename(), "result")
      << "the lock is left";
  const FolderLock again(folder.file("runs/x"));
}

TEST(FolderLock, folders_that_it_made_go_if_nothing_stands_in_them) {
  const TemporaryFolder folder;
  fs::create_directory(folder.file("old"));
  {
    const FolderLock lock(folder.file("old"));
  }
  {
    const FolderLock lock(folder.file("new/deep"));
  }
  EXPECT_THAT(folder.names(), ElementsAre("old"));
}

TEST(FolderLock, a_file_or_a_name_with_a_zero_byte_is_no_folder) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("notes")) << "x";
  EXPECT_EQ(error_of([&] { const FolderLock lock(folder.file("notes")); }),
            folder.file("notes") + ": it is a file, allowed: a folder");
  EXPECT_EQ(error_of([] { const FolderLock lock(std::string("runs\0x", 6)); }),
            "path \"runs\\0...\", allowed: a text without zero bytes");
}

TEST(FolderLock, a_killed_holder_does_not_block) {
  const TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    const FolderLock lock(folder.file(""));
    std::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_THAT(folder.names(), ElementsAre("run.lock"));
  {
    const FolderLock lock(folder.file(""));
  }
  EXPECT_TRUE(folder.names().empty());
}

TEST(FolderLock, what_stands_in_the_place_of_its_file_is_left_alone) {
  const TemporaryFolder folder;
  const std::string place = folder.file("run.lock"), refused = place +
                                                               ": no regular file, allowed: "
                                                               "nothing, or what a run left there";
  const auto error = [&] { return error_of([&] { const FolderLock lock(folder.file("")); }); };
  put(folder.file("notes"), "kept");
  fs::create_symlink(folder.file("notes"), place);
  EXPECT_EQ(error(), refused);
  EXPECT_EQ(fs::file_size(folder.file("notes")), 4U);
  fs::remove(place);
  fs::create_symlink(folder.file("nothing"), place);  // leads to nothing
  EXPECT_EQ(error(), refused);
  EXPECT_FALSE(fs::exists(folder.file("nothing")));
  fs::remove(place);
  ASSERT_EQ(mkfifo(place.c_str(), 0600), 0);
  EXPECT_EQ(error(), refused);
  fs::remove(place);
  fs::create_directory(place);
  EXPECT_EQ(error(), refused);
}

TEST(FolderLock, a_folder_that_cannot_be_made_is_named) {
  const TemporaryFolder folder;
  put(folder.file("file"), "x");
  EXPECT_THAT(error_of([&] { const FolderLock lock(folder.file("file/run")); }),
              HasSubstr(folder.file("file/run")));
}

}  // namespace
}  // namespace schafkopf
