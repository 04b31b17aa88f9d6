// Limits of nesting and length, files, hashes, and text from outside in messages.
#include "env/base/input_limits.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>

#include "env/base/checksum.h"
#include "env/base/refuse.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/hostile_inputs.h"
#include "tests/cpp/support/temporary_file.h"

namespace schafkopf {
namespace {

using test::error_of;
using test::repeated;

std::string file_error(const std::string& path, std::size_t most) {
  return error_of([&] { (void)read_file(path, "the list", most); });
}

std::string json_refusal(const std::string& text) {
  return test::error_of<std::invalid_argument>([&] { check_json_limits(text); });
}

std::string toml_refusal(const std::string& text) {
  return test::error_of<std::invalid_argument>([&] { check_toml_limits(text, "x.toml"); });
}

TEST(InputLimits, json_is_as_deep_as_its_lists_and_objects) {
  const std::string open = repeated("[", kMaxNesting), close = repeated("]", kMaxNesting);
  EXPECT_EQ(json_refusal(open + close), "no error");
  EXPECT_EQ(json_refusal("[" + open + close + "]"),
            "nested too deeply at character 65, allowed: 64 levels");
  EXPECT_EQ(json_refusal("[" + repeated("[],", 1000) + "[]]"), "no error") << "beside each other";
  EXPECT_EQ(json_refusal("\"" + repeated("[", 1000) + "\""), "no error") << "in a text";
  EXPECT_EQ(json_refusal("\"\\\"" + repeated("[", 1000) + "\""), "no error")
      << "behind a quote in a text";
  EXPECT_NE(json_refusal("\"\\\\\"" + repeated("[", 1000)), "no error") << "behind a text";
  EXPECT_EQ(json_refusal(std::string("{}\0", 3)), "no JSON: a zero byte as character 3");
}

TEST(InputLimits, whole_numbers_of_json_have_64_bits) {
  for (const char* text :
       {"18446744073709551615", "-9223372036854775808", "[1, 2]", "1e400", "18446744073709551616.0",
        "0.18446744073709551616", "\"18446744073709551616\""}) {
    EXPECT_EQ(json_refusal(text), "no error") << text;
  }
  EXPECT_EQ(json_refusal("{\"bock\": 18446744073709551616}"),
            "18446744073709551616 at character 10: allowed: whole numbers of 64 bits");
  EXPECT_EQ(json_refusal("[0, -9223372036854775809]"),
            "-9223372036854775809 at character 5: allowed: whole numbers of 64 bits");
}

TEST(InputLimits, toml_is_as_deep_as_its_keys_lists_and_tables) {
  const std::string parts = repeated("a.", kMaxNesting - 1);
  EXPECT_EQ(toml_refusal(parts + "a = 1\n"), "no error");
  EXPECT_EQ(toml_refusal("[" + parts + "a]\n"), "no error");
  EXPECT_EQ(toml_refusal("\n\n" + parts + "a.a = 1\n"),
            "x.toml:3: nested too deeply, allowed: 64 levels");
  EXPECT_NE(toml_refusal("[" + parts + "a.a]\n"), "no error");
  EXPECT_NE(toml_refusal("[[" + parts + "a]]\n"), "no error") << "the list is a level";
  EXPECT_NE(toml_refusal("[" + parts + "a]\nb = 1\n"), "no error") << "the key is below its header";
  EXPECT_NE(toml_refusal(parts + "a = [1]\n"), "no error");
  EXPECT_NE(toml_refusal(parts + "a = {}\n"), "no error");
  EXPECT_NE(toml_refusal("a = { b = 1, " + parts + "a = 1 }\n"), "no error");
  EXPECT_NE(toml_refusal("a = '''\n[[[' # '''\nb = " + repeated("[", 64)), "no error")
      << "behind a text";
}

TEST(InputLimits, toml_is_not_deep_where_dots_and_brackets_mean_nothing) {
  const std::string dots = repeated("a.", 1000), brackets = repeated("[{", 1000);
  EXPECT_EQ(toml_refusal("# " + dots + brackets + "\n"), "no error");
  for (const char* quote : {"\"", "'", "\"\"\"", "'''"}) {
    EXPECT_EQ(toml_refusal("a = " + (quote + dots + brackets) + quote + "\n"), "no error") << quote;
    EXPECT_EQ(toml_refusal("a = [" + (quote + dots + brackets) + quote + "] # [[\n"), "no error")
        << quote;
  }
  EXPECT_EQ(toml_refusal("'''\n" + dots + "\n'''"), "no error") << "from the first byte on";
  EXPECT_EQ(toml_refusal("\"" + dots + "\" = 1\n"), "no error");
  EXPECT_EQ(toml_refusal("[\"" + dots + "\"]\n"), "no error");
  EXPECT_EQ(toml_refusal("a = \"\\\"" + brackets + "\"\n"), "no error");
  EXPECT_EQ(toml_refusal("a = \"\"\"\"\"x\"\"\"\"\"\nb = '" + brackets + "'\n"), "no error");
  EXPECT_EQ(toml_refusal("a = [" + repeated("1.5, ", 1000) + "]\n"), "no error");
  EXPECT_EQ(toml_refusal("a = { " + repeated("b.c = 1, ", 1000) + "}\n"), "no error");
  EXPECT_EQ(toml_refusal(repeated("a.b = 1\n", 1000)), "no error");
  EXPECT_EQ(toml_refusal(repeated("[a.b]\n", 1000)), "no error");
  EXPECT_EQ(toml_refusal(repeated("a = [ # [\n[], # {\n]\n", 1000)), "no error");
}

TEST(InputLimits, length_is_limited) {
  EXPECT_EQ(json_refusal(repeated(" ", kMaxJsonBytes)), "no error");
  EXPECT_EQ(json_refusal(repeated(" ", kMaxJsonBytes + 1)),
            "16777217 bytes of JSON, allowed: 16777216");
  EXPECT_EQ(toml_refusal(repeated("\n", kMaxTomlBytes)), "no error");
  EXPECT_EQ(toml_refusal(repeated("\n", kMaxTomlBytes + 1)),
            "x.toml: longer than a file may be, allowed: 1048576 bytes");
}

TEST(InputLimits, a_stream_is_read_up_to_the_limit) {
  std::istringstream stream(repeated("ab", 100'000));
  EXPECT_EQ(read_at_most(stream, 5), "ababa");
  EXPECT_EQ(read_at_most(stream, 1'000'000).size(), 199'995U);
  EXPECT_EQ(read_at_most(stream, 5), "");
}

TEST(ReadFile, gives_the_bytes_up_to_the_limit) {
  const test::TemporaryFile file("read_file");
  file.write(std::string("a\0\nb", 4));
  EXPECT_EQ(read_file(file.path(), "the list", 4), std::string("a\0\nb", 4));
  EXPECT_EQ(file_error(file.path(), 3),
            file.path() + ": longer than a file may be, allowed: 3 bytes");
}

TEST(ReadFile, says_what_could_not_be_read_and_why) {
  EXPECT_EQ(file_error("no/such", 4), "cannot read the list no/such: No such file or directory");
  EXPECT_EQ(file_error(testing::TempDir(), 4),
            "cannot read the list " + testing::TempDir() + ": Is a directory");
  EXPECT_THROW((void)read_file("no/such", "the list"), std::system_error);
}

TEST(ReadFile, reads_no_device_without_an_end) {
  EXPECT_EQ(file_error("/dev/zero", kMaxFileBytes),
            "/dev/zero: longer than a file may be, allowed: 268435456 bytes");
}

TEST(ReadFile, takes_no_memory_for_a_file_that_does_not_fit) {
  const test::TemporaryFile file("read_file");
  file.write("");
  std::filesystem::resize_file(file.path(), kMaxFileBytes);  // a hole: it takes no room
  EXPECT_EQ(file_error(file.path(), std::size_t{1} << 38),
            file.path() + ": longer than a file may be, allowed: 274877906944 bytes");
  const std::string error = file_error(file.path(), kMaxFileBytes);
  EXPECT_TRUE(error.starts_with(file.path() + ": 1.1 TB do not fit into memory, allowed: less"))
      << error;
}

TEST(Refuse, has_one_wording) {
  EXPECT_EQ(error_of([] { refuse("players = 9, allowed: 2..5"); }), "players = 9, allowed: 2..5");
  EXPECT_EQ(error_of([] { refuse_file("w", "truncated"); }), "w: truncated");
  EXPECT_EQ(error_of([] { fail_io("w", "open", EACCES); }), "w: cannot open: Permission denied");
}

TEST(HashOfBytes, is_fnv_1a_in_pieces_too) {
  EXPECT_EQ(hash_of_bytes(""), 0xCBF29CE484222325U);
  EXPECT_EQ(hash_of_bytes("foobar"), 0x85944171F73967E8U);
  EXPECT_EQ(hash_of_bytes("bar", hash_of_bytes("foo")), hash_of_bytes("foobar"));
}

TEST(Quotable, is_one_line_that_can_be_printed) {
  EXPECT_EQ(quotable("Stöger spielt €, 🂡"), "Stöger spielt €, 🂡");
  EXPECT_EQ(quotable("a\nb\tc\r"), "a\\nb\\tc\\x0d");
  EXPECT_EQ(quotable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(quotable("\x1b[2J\x7f"), "\\x1b[2J\\x7f");
  EXPECT_EQ(quotable("\xff\xc0\xaf"), "\\xff\\xc0\\xaf");
  EXPECT_EQ(quotable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a pair";
  EXPECT_EQ(quotable("\xe2\x82"), "\\xe2\\x82") << "cut off";
  EXPECT_EQ(quotable("\xf5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80");
  EXPECT_EQ(quotable("\xc2\x85"), "\\xc2\\x85") << "a control character of two bytes";
  EXPECT_EQ(quotable("\xe2\x80\xae"), "\\xe2\\x80\\xae") << "turns the direction of a line";
  EXPECT_EQ(quotable("\xef\xbb\xbf"), "\\xef\\xbb\\xbf");
}

TEST(Quotable, is_cut_at_whole_characters) {
  EXPECT_EQ(quotable("äöü", 3), "äöü");
  EXPECT_EQ(quotable("äöüß", 3), "äöü…");
  EXPECT_EQ(quotable(repeated("\xff", 3), 8), "\\xff\\xff…") << "four characters each";
  EXPECT_EQ(quotable(repeated("x", 1000)), repeated("x", kQuotedCharacters) + "…");
}

}  // namespace
}  // namespace schafkopf
