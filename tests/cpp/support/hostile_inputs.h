// Wrong input for every reader: the files of tests/corpus (named by what is wrong), and what is
// made here because it is large: deep nesting, long names, numbers and lines. Truncations and
// flipped bits of valid bytes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "env/base/input_limits.h"
#include "env/base/random.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/source_dir.h"

namespace schafkopf::test {

struct Input {
  std::string name, bytes;
};

/// Reads bytes as its own format and throws for what is wrong in them.
struct Reader {
  std::string name;
  std::function<void(const std::string&)> read;
  friend std::ostream& operator<<(std::ostream& out, const Reader& reader) {
    return out << reader.name;
  }
};

inline std::string repeated(const std::string& text, std::size_t times) {
  std::string result(text.size() * times, '\0');  // megabytes: twice as many each time
  for (std::size_t done = 0; done < result.size();) {
    const std::size_t more = std::min(done == 0 ? text.size() : done, result.size() - done);
    result.replace(done, more, done == 0 ? text : result, 0, more);
    done += more;
  }
  return result;
}

/// In front of a safetensors header stands its length.
inline std::string with_length(const std::string& header) {
  std::string bytes(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(header.size() >> (8 * i));
  return bytes + header;
}

inline std::string bytes_of_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::vector<Input> corpus() {
  std::vector<Input> inputs;
  for (const auto& file : std::filesystem::directory_iterator(source_dir() + "/tests/corpus")) {
    if (!file.is_regular_file()) continue;  // fuzz/: inputs of one target each
    inputs.push_back({file.path().filename().string(), bytes_of_file(file.path().string())});
  }
  std::ranges::sort(inputs, {}, &Input::name);
  return inputs;
}

/// As deep and as long as what ended the process once.
inline std::vector<Input> large_inputs() {
  const auto lists = [](std::size_t n) { return repeated("[", n) + repeated("]", n); };
  const auto objects = [](std::size_t n) {
    return repeated(R"({"a":)", n) + "1" + repeated("}", n);
  };
  const std::string journal =
      R"({"format":"schafkopf-tournament-games-1","row_bytes":40,"options":)";
  std::string keys;
  for (int i = 0; i < 100'000; ++i) keys += "k" + std::to_string(i) + "=1\n";
  return {
      {"dealer 60,000 deep", R"({"dealer": )" + lists(60'000) + "}"},
      {"meta of objects", R"({"meta": )" + objects(100'000) + "}"},
      {"not closed", R"({"meta": )" + repeated("[", 1'000'000)},
      {"just too deep", lists(kMaxNesting + 1)},
      {"as deep as allowed", R"({"meta": )" + lists(kMaxNesting - 2) + "}"},
      {"text line", "meta: " + lists(100'000)},
      {"safetensors header", with_length(R"({"t":)" + lists(200'000) + "}")},
      {"safetensors dtype", with_length(R"({"t":{"dtype":)" + lists(200'000) + "}}")},
      {"safetensors metadata", with_length(R"({"__metadata__":)" + objects(200'000) + "}")},
      {"journal", journal + objects(100'000) + "}\n"},
      {"TOML header", "[" + repeated("a.", 1'000'000) + "a]\n"},
      {"TOML header below the length", "[" + repeated("a.", 400'000) + "a]\n"},
      {"TOML list of tables", "[[" + repeated("a.", 200'000) + "a]]\n"},
      {"TOML key", repeated("a . ", 200'000) + "a = 1\n"},
      {"TOML key in quotes", repeated("\"a\".", 150'000) + "a = 1\n"},
      {"TOML key in braces", "x = { " + repeated("a.", 200'000) + "a = 1 }\n"},
      {"TOML key behind a comma", "x = { b = 1, " + repeated("a.", 200'000) + "a = 1 }\n"},
      {"TOML lists", "x = " + lists(200'000) + "\n"},
      {"TOML lists over lines", "x = " + repeated("[ # ]\n", 100'000)},
      {"TOML tables in braces", "x = " + repeated("{ a = ", 100'000) + "1\n"},
      {"TOML key below a header",
       "[" + repeated("a.", 40) + "a]\n" + repeated("b.", 40) + "b = 1\n"},
      {"TOML behind long texts",
       "x = \"\"\"\"a\\\"\"\"\"\"\ny = '''''b'''''\n[" + repeated("a.", 300'000) + "a]\n"},
      {"many keys", keys},
      {"long line", repeated("a", 5'000'000)},
      {"long key", "{\"" + repeated("k", 5'000'000) + "\": 1}"},
      {"long TOML key", repeated("k", 500'000) + " = 1\n"},
      {"long TOML text", "seed = \"" + repeated("\\n", 300'000) + "\"\n"},
      {"long text", R"({"rules": ")" + repeated("x", 5'000'000) + "\"}"},
      {"long number", R"({"dealer": )" + repeated("9", 1'000'000) + "}"},
      {"long TOML number", "seed = " + repeated("9", 500'000) + "\n"},
      {"long word of a text", repeated("k", 1'000'000) + ": 1\n"},
      {"many words of a text", "auction: " + repeated("0 PASS, ", 100'000)},
      {"long JSON", repeated(" ", kMaxJsonBytes) + "{}"},
      {"long TOML", repeated("\n", kMaxTomlBytes) + "seed = 1\n"},
  };
}

/// Cut at many places, all of them if there are few bytes.
inline std::vector<Input> truncations(const Input& valid, int places) {
  std::vector<Input> inputs;
  const std::size_t size = valid.bytes.size();
  const std::size_t step = std::max<std::size_t>(1, size / static_cast<std::size_t>(places));
  for (std::size_t length = 0; length < size; length += step) {
    inputs.push_back({valid.name + " cut to " + std::to_string(length) + " bytes",
                      valid.bytes.substr(0, length)});
  }
  return inputs;
}

/// One bit changed in each, at places drawn at random.
inline std::vector<Input> flips(const Input& valid, int count, std::uint64_t seed = 1) {
  Rng rng(seed);
  std::vector<Input> inputs;
  for (int i = 0; i < count; ++i) {
    const int bit = rng.next_below(static_cast<int>(8 * valid.bytes.size()));
    Input input{valid.name + " with bit " + std::to_string(bit) + " flipped", valid.bytes};
    char& byte = input.bytes[static_cast<std::size_t>(bit / 8)];
    byte = static_cast<char>(byte ^ (1 << (bit % 8)));
    inputs.push_back(std::move(input));
  }
  return inputs;
}

/// Characters of a message: what is quoted is cut, lists of what is allowed are ours, and so are
/// lines of differences between two journals.
inline void check_message(std::string message) {
  constexpr std::size_t kLongest = 1500;
  EXPECT_FALSE(message.empty());
  EXPECT_LE(message.size(), kLongest);
  std::ranges::replace(message, '\n', ' ');
  EXPECT_TRUE(quotable(message, kLongest) == message) << "it cannot be printed: " << message;
}

/// What a reader throws for an input, "" if it takes it. Any error but std::invalid_argument is a
/// failure, and so are two seconds of work.
inline std::string refusal(const Reader& reader, const Input& input) {
  SCOPED_TRACE(reader.name + " reads " + input.name);
  const std::clock_t start = std::clock();
  std::string message;
  try {
    reader.read(input.bytes);
  } catch (const std::invalid_argument& error) {
    message = error.what();
    check_message(message);
  } catch (const std::exception& error) {
    message = error.what();
    ADD_FAILURE() << "another error: " << message.substr(0, 300);
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_LT(seconds, scaled(20, 2, 2));
  return message;
}

}  // namespace schafkopf::test
