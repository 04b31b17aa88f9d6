// The identity of a player: its registry string, and the bytes of the files that it names.
#include "agents/player_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "agents/network/network.h"
#include "agents/network/weights.h"
#include "tests/cpp/agents/random_weights.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/temporary_file.h"

namespace schafkopf::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

TEST(PlayerIdentity, a_player_without_files_is_its_registry_string_with_the_version) {
  EXPECT_THAT(player_identity("rules"), StartsWith("rules:version="));
  EXPECT_EQ(player_identity("rules:version=1"), "rules:version=1");
  EXPECT_EQ(player_files("pimc:3"), "");
  EXPECT_THAT(error_of([] { (void)player_identity("rules:random=1,"); }),
              HasSubstr("nothing stands behind"));
}

TEST(PlayerIdentity, shipped_weights_are_known_by_their_bytes) {
  const std::string text = player_identity("net:baseline");
  EXPECT_THAT(text, MatchesRegex("net:baseline <bytes [0-9a-f]+>"));
  EXPECT_EQ(player_identity("net:baseline"), text);
}

TEST(PlayerIdentity, a_file_under_the_same_name_with_other_bytes_is_another_player) {
  const TemporaryFile file("identity.safetensors");
  write_weights(file.path(), random_weights(make_network_shape(4, 1)));
  const std::string before = player_identity("net:" + file.path());
  EXPECT_EQ(player_identity("net:" + file.path()), before);
  EXPECT_EQ(before, "net:" + file.path() + player_files("net:" + file.path()));
  EXPECT_EQ(player_files("net:" + file.path()), file_identity(file.path(), "a file"));
  file.write(file.read() + " ");
  EXPECT_NE(player_identity("net:" + file.path()), before);
}

TEST(PlayerIdentity, of_a_command_the_words_that_are_files_count_and_the_log_does_not) {
  const TemporaryFile program("player.py"), log("player.log");
  program.write("print()");
  log.write("old");
  const std::string command = "engine:log=" + log.path() + ",python3 " + program.path();
  const std::string files = player_files(command);
  EXPECT_EQ(files, file_identity(program.path(), "a file"));
  log.write("new");
  EXPECT_EQ(player_files(command), files);
  program.write("print(1)");
  EXPECT_NE(player_files(command), files);
  EXPECT_EQ(player_files("engine:a 'quote that does not end"), "");
}

TEST(PlayerIdentity, only_weights_and_commands_name_files) {
  const TemporaryFile file("3");
  file.write("a file that is called like a number");
  const std::string name = file.path();
  EXPECT_EQ(player_files("pimc:" + name), "");
  EXPECT_EQ(player_files("ismcts:5,shares=" + name), "");
  EXPECT_EQ(player_files("nobody:" + name), "");
  EXPECT_NE(player_files("net:" + name), "");
  EXPECT_NE(player_files("net+search:worlds=3,path=" + name), "");
}

TEST(PlayerIdentity, a_word_that_is_too_long_for_a_name_is_no_file) {
  EXPECT_EQ(player_files("engine:sh " + std::string(300, 'x')), "");
  EXPECT_EQ(player_files("net:" + std::string(5000, 'x')), "");
}

TEST(PlayerIdentity, a_file_that_cannot_be_read_is_named) {
  const std::string gone = testing::TempDir() + "no_such_player";
  EXPECT_THROW((void)file_identity(gone, "a file of the players"), std::system_error);
}

}  // namespace
}  // namespace schafkopf::test
