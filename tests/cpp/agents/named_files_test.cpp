// Paths that a configuration names: below the working folder or that of the file, or asked for.
#include "agents/work/named_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/temporary_file.h"

namespace schafkopf {
namespace {

namespace fs = std::filesystem;

const std::string kNone = "no error";

class NamedFilesTest : public testing::Test {
 protected:
  NamedFilesTest() {
    fs::create_directories(root_ / "own" / "deeper");
    fs::create_directories(root_ / "other");
    fs::create_directory_symlink(root_ / "other", root_ / "own" / "link");
  }

  [[nodiscard]] std::string refusal(const std::string& text, bool players = false,
                                    const std::vector<std::string>& settings = {}) const {
    const std::vector<NamedFiles> named = {{"init", text, players}};
    return test::error_of<std::invalid_argument>(
        [&] { refuse_paths_elsewhere((root_ / "own" / "a.toml").string(), named, settings); });
  }
  [[nodiscard]] std::string in(const std::string& path) const { return (root_ / path).string(); }

  test::TemporaryFolder folder_;
  fs::path root_ = folder_.file("named");
};

TEST_F(NamedFilesTest, below_the_working_folder_and_that_of_the_file_are_allowed) {
  for (const std::string& path :
       {std::string("weights"), std::string("./runs/x"), in("own/weights"), in("own/deeper/none"),
        in("own/deeper/../x"), std::string("research"), std::string()}) {
    EXPECT_EQ(refusal(path), kNone) << path;
  }
}

TEST_F(NamedFilesTest, quotes_in_the_name_of_a_player_hide_no_path) {
  for (const std::string path :
       {"/etc/a,b", "../a=b", "x;y/../../../z", "/etc/x;y/a", "/etc/a,b\"\"c"}) {
    EXPECT_NE(refusal("rules;net:\"" + path + "\",greedy=false", true), kNone) << path;
    EXPECT_NE(refusal("net:path=\"" + path + "\"", true), kNone) << path;
  }
  EXPECT_EQ(refusal("net:\"" + in("own/a,b=c") + "\"", true), kNone);
}

TEST_F(NamedFilesTest, what_leads_elsewhere_is_refused_with_what_to_do) {
  EXPECT_EQ(refusal("/etc/passwd"),
            in("own/a.toml") +
                ": init = \"/etc/passwd\" leads to /etc/passwd, out of the working folder and the "
                "folder of this file, allowed: a path below one of them, or the key said again "
                "where it may: --set init=...");
  for (const std::string& path : {std::string(".."), std::string("../x"), in("other/weights"),
                                  in("own/../other"), in("own/link/weights"), in("owner")}) {
    EXPECT_NE(refusal(path), kNone) << path;
  }
}

TEST_F(NamedFilesTest, a_key_that_is_said_again_may_lead_anywhere) {
  EXPECT_EQ(refusal("/etc/passwd", false, {"seed=1", "init = /etc/passwd"}), kNone);
  EXPECT_EQ(refusal("/etc/passwd", false, {"init"}), kNone);
  EXPECT_NE(refusal("/etc/passwd", false, {"inits=1"}), kNone);
}

TEST_F(NamedFilesTest, players_are_looked_through_but_for_commands_of_engines) {
  EXPECT_EQ(refusal("rules;net:baseline;pimc:30,version=1", true), kNone);
  EXPECT_EQ(refusal("engine:/usr/bin/player;rules", true), kNone);
  EXPECT_NE(refusal("rules;net:/etc/passwd", true), kNone);
  EXPECT_NE(refusal("net+search:worlds=3,value=../x", true), kNone);
}

}  // namespace
}  // namespace schafkopf
