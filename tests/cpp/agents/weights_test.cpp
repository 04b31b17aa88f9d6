// Weights files: what is written is read again, and no damaged file is taken for a good one.
#include "agents/network/weights.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/temporary_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace schafkopf {
namespace {

using test::bytes_of;
using test::error_of;
using test::TemporaryFolder;
using testing::AllOf;
using testing::HasSubstr;

std::string error_of_reading(const std::string& path) {
  return test::error_of([&] { (void)read_weights(path); });
}

/// At half precision.
std::string error_of_writing(const std::string& path, const WeightsFile& weights) {
  return test::error_of([&] { write_weights(path, weights, WeightsPrecision::kHalf); });
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string with_length(std::uint64_t length, const std::string& rest) {
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + rest;
}

std::string safetensors(const std::string& header, const std::string& data) {
  return with_length(header.size(), header + data);
}

std::string floats(std::initializer_list<float> numbers) {
  return {reinterpret_cast<const char*>(numbers.begin()), numbers.size() * sizeof(float)};
}

WeightsFile example() {
  WeightsFile weights;
  weights.tensors["trunk.0.weight"] = {{2, 3}, {0.0F, -0.0F, 1.5F, 1e-40F, -3e38F, 0.1F}};
  weights.tensors["trunk.0.bias"] = {{2}, {7.0F, 8.0F}};
  weights.tensors["number"] = {{}, {42.0F}};
  weights.tensors["nothing"] = {{0, 5}, {}};
  weights.metadata = {{"format", "test"}, {"quoted", "a \"b\"\n\\c"}, {"empty", ""}};
  return weights;
}

TEST(Weights, are_read_as_they_were_written) {
  const TemporaryFolder folder;
  write_weights(folder.file("w.safetensors"), example());
  const WeightsFile read = read_weights(folder.file("w.safetensors"));
  EXPECT_EQ(read.metadata, example().metadata);
  ASSERT_EQ(read.tensors.size(), example().tensors.size());
  for (const auto& [name, tensor] : example().tensors) {
    EXPECT_EQ(read.tensors.at(name).shape, tensor.shape) << name;
    ASSERT_EQ(read.tensors.at(name).data.size(), tensor.data.size()) << name;
    EXPECT_TRUE(tensor.data.empty() ||
                std::memcmp(read.tensors.at(name).data.data(), tensor.data.data(),
                            tensor.data.size() * sizeof(float)) == 0)
        << name;
  }
  EXPECT_EQ(folder.names().size(), 1U) << "a temporary file is left";
}

TEST(Weights, numbers_beyond_half_precision_are_refused_by_name) {
  const TemporaryFolder folder;
  WeightsFile weights;
  weights.tensors["t"] = {{2}, {65504.0F, -65504.0F}};
  EXPECT_EQ(error_of_writing(folder.file("w"), weights), "no error");
  weights.tensors["t"].data[1] = -70000.0F;
  EXPECT_THAT(error_of_writing(folder.file("large"), weights),
              HasSubstr("tensor 't': -70000 is beyond half precision, allowed: -65504..65504"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("large")));
}

TEST(Weights, half_precision_keeps_eleven_digits_and_the_checksum) {
  const TemporaryFolder folder;
  WeightsFile weights{{}, {{"format", "schafkopf-network-2"}}};
  weights.tensors["t"] = {{5}, {1.0F, -0.333333F, 65504.0F, 6.0e-8F, 1.0e-9F}};
  write_weights(folder.file("half"), weights, WeightsPrecision::kHalf);
  const std::vector<float> read = read_weights(folder.file("half")).tensors.at("t").data;
  EXPECT_EQ(read, (std::vector<float>{1.0F, -0.33325195F, 65504.0F, 5.9604645e-8F, 0.0F}));
  const std::string bytes = bytes_of(folder.file("half"));
  EXPECT_THAT(bytes, AllOf(HasSubstr(R"("dtype":"F16")"), HasSubstr(R"("data_offsets":[0,10])")));
  // what it holds is kept bit for bit from then on
  write_weights(folder.file("again"), read_weights(folder.file("half")), WeightsPrecision::kHalf);
  EXPECT_EQ(bytes_of(folder.file("again")), bytes);
  for (const std::size_t bit : {std::size_t{0}, std::size_t{77}}) {
    std::string damaged = bytes;
    damaged[damaged.size() - 1 - bit / 8] ^= static_cast<char>(1 << bit % 8);
    write_bytes(folder.file("damaged"), damaged);
    EXPECT_THAT(error_of_reading(folder.file("damaged")), HasSubstr("damaged (checksum"));
  }
}

TEST(Weights, shipped_ones_are_read_by_name) {
  for (const std::string& name : shipped_weights()) {
    const WeightsFile weights = read_weights(name);
    EXPECT_EQ(weights.metadata.at("format"), "schafkopf-network-2") << name;
    EXPECT_EQ(weights.metadata.at("rules_name"), "research") << name;
    EXPECT_FALSE(weights.tensors.empty()) << name;
  }
  EXPECT_THAT(shipped_weights(), testing::Contains("baseline"));
  EXPECT_THAT(error_of_reading("./baseline"), HasSubstr("./baseline: cannot open"));
}

TEST(Weights, same_weights_give_the_same_bytes) {
  const TemporaryFolder folder;
  write_weights(folder.file("a"), example());
  write_weights(folder.file("b"), read_weights(folder.file("a")));
  EXPECT_EQ(bytes_of(folder.file("a")), bytes_of(folder.file("b")));
}

TEST(Weights, the_file_is_safetensors) {
  const TemporaryFolder folder;
  // Tensors in any order of the header; spaces behind it.
  write_bytes(
      folder.file("w"),
      safetensors(
          R"({"b":{"dtype":"F32","shape":[1,2],"data_offsets":[4,12]},)"
          R"("a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"__metadata__":{"k":"v"}}   )",
          floats({1.0F, 2.0F, 3.0F})));
  const WeightsFile read = read_weights(folder.file("w"));
  EXPECT_EQ(read.tensors.at("a").data, std::vector{1.0F});
  EXPECT_EQ(read.tensors.at("b").data, (std::vector{2.0F, 3.0F}));
  EXPECT_EQ(read.metadata.at("k"), "v");
  // Written: the header is padded to whole words, so that the data are aligned.
  write_weights(folder.file("w"), read);
  std::uint64_t length = 0;
  const std::string bytes = bytes_of(folder.file("w"));
  std::memcpy(&length, bytes.data(), sizeof length);
  EXPECT_EQ(length % 8, 0U);
  EXPECT_EQ(bytes.size(), 8 + length + 12);
}

struct DamagedFile {
  const char* name;
  std::string bytes;
  const char* reason;  // part of the message
  friend std::ostream& operator<<(std::ostream& out, const DamagedFile& file) {
    return out << file.name;
  }
};

class Damaged : public testing::TestWithParam<DamagedFile> {};

TEST_P(Damaged, file_is_refused_by_name) {
  const TemporaryFolder folder;
  write_bytes(folder.file("w"), GetParam().bytes);
  EXPECT_THROW(static_cast<void>(read_weights(folder.file("w"))), std::invalid_argument);
  EXPECT_THAT(error_of([&] { static_cast<void>(read_weights(folder.file("w"))); }),
              AllOf(HasSubstr(folder.file("w") + ": "), HasSubstr(GetParam().reason)));
}

std::string one_tensor(const std::string& dtype, const std::string& shape,
                       const std::string& offsets) {
  return R"({"t":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets +
         "}}";
}

const DamagedFile kDamaged[] = {
    {"empty", "", "no safetensors file: 0 bytes"},
    {"length_cut", "abc", "no safetensors file"},
    {"only_a_length", with_length(64, ""), "truncated"},
    {"text_file", "architecture = mlp:256x2\n", "no safetensors file: no JSON header"},
    {"huge_length", with_length(std::uint64_t{1} << 62, "{}"), "no safetensors file"},
    {"length_overflows", with_length(~std::uint64_t{0}, "{}"), "no safetensors file"},
    {"header_cut", with_length(100, R"({"t":{"dtype")"), "truncated: the header has 100 bytes"},
    {"no_json", safetensors("{nonsense", ""), "the header is no JSON object"},
    {"metadata_number", safetensors(R"({"__metadata__":{"step":3}})", ""), "'step' is no string"},
    {"entry_is_no_object", safetensors(R"({"t":3})", ""), "tensor 't': no JSON object"},
    {"other_dtype", safetensors(one_tensor("I16", "[2]", "[0,4]"), "1234"),
     R"(tensor 't': dtype "I16", allowed: "F32", "F16")"},
    {"half_shape_and_bytes_differ", safetensors(one_tensor("F16", "[1]", "[0,4]"), "1234"),
     "bytes 0 to 4 do not fit the shape [1] of F16"},
    {"no_dtype", safetensors(R"({"t":{}})", ""), "dtype missing"},
    {"negative_shape", safetensors(one_tensor("F32", "[-1]", "[0,4]"), "1234"), "shape"},
    {"shape_overflows",
     safetensors(one_tensor("F32", "[1099511627776,1099511627776]", "[0,0]"), ""), "do not fit"},
    {"shape_and_bytes_differ", safetensors(one_tensor("F32", "[3]", "[0,8]"), "12345678"),
     "bytes 0 to 8 do not fit the shape [3]"},
    {"offsets_reversed", safetensors(one_tensor("F32", "[1]", "[8,4]"), "12345678"), "do not fit"},
    {"offsets_missing", safetensors(R"({"t":{"dtype":"F32","shape":[1]}})", "1234"),
     "data_offsets"},
    {"data_cut", safetensors(one_tensor("F32", "[2]", "[0,8]"), "1234"),
     "truncated: its data end at byte 8, the file has 4"},
    {"data_too_long", safetensors(one_tensor("F32", "[1]", "[0,4]"), "12345678"),
     "8 bytes of data, the tensors need 4"},
    {"gap", safetensors(one_tensor("F32", "[1]", "[4,8]"), "12345678"), "gap or overlap"},
    {"not_a_number",
     safetensors(one_tensor("F32", "[2]", "[0,8]"),
                 floats({1.0F, std::numeric_limits<float>::quiet_NaN()})),
     "tensor 't': element 1 is nan"},
    {"infinite",
     safetensors(one_tensor("F32", "[1]", "[0,4]"),
                 floats({-std::numeric_limits<float>::infinity()})),
     "element 0 is -inf"},
};

INSTANTIATE_TEST_SUITE_P(Weights, Damaged, testing::ValuesIn(kDamaged),
                         [](const auto& test) { return std::string(test.param.name); });

/// A network file in the form from before there were checksums.
std::string without_checksum(const std::string& path) {
  const std::string bytes = bytes_of(path);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  nlohmann::json header = nlohmann::json::parse(bytes.substr(8, length));
  header["__metadata__"].erase("checksum");
  return safetensors(header.dump(), bytes.substr(8 + length));
}

WeightsFile network_file(std::string_view format) {
  WeightsFile weights = example();
  weights.metadata["format"] = format;
  return weights;
}

TEST(Weights, every_flipped_bit_is_found) {
  const TemporaryFolder folder;
  write_weights(folder.file("whole"), network_file("schafkopf-network-2"));
  const std::string bytes = bytes_of(folder.file("whole"));
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    write_bytes(folder.file("flipped"), flipped);
    EXPECT_THROW(static_cast<void>(read_weights(folder.file("flipped"))), std::invalid_argument)
        << "byte " << bit / 8 << ": " << bytes[bit / 8] << " became " << flipped[bit / 8];
  }
}

TEST(Weights, damage_is_named_with_the_file_and_what_to_do) {
  const TemporaryFolder folder;
  const std::string path = folder.file("w");
  write_weights(path, network_file("schafkopf-network-2"));
  std::string bytes = bytes_of(path);
  bytes[bytes.size() - 2] = static_cast<char>(bytes[bytes.size() - 2] ^ 1);
  write_bytes(path, bytes);
  const std::string error = error_of([&] { static_cast<void>(read_weights(path)); });
  EXPECT_THAT(error, AllOf(testing::StartsWith(path + ": damaged (checksum "),
                           testing::EndsWith("restore it from a copy")));
}

TEST(Weights, a_checksum_may_be_missing_where_files_had_none) {
  const TemporaryFolder folder;
  for (const char* format : {"schafkopf-network-1", "other-program-3"}) {
    write_weights(folder.file("w"), network_file(format));
    write_bytes(folder.file("old"), without_checksum(folder.file("w")));
    EXPECT_EQ(read_weights(folder.file("old")).metadata, network_file(format).metadata);
  }
  write_weights(folder.file("w"), network_file("schafkopf-network-2"));
  write_bytes(folder.file("new"), without_checksum(folder.file("w")));
  EXPECT_THAT(error_of([&] { static_cast<void>(read_weights(folder.file("new"))); }),
              HasSubstr("damaged (no checksum"));
}

TEST(Weights, the_checksum_does_not_depend_on_how_a_file_is_laid_out) {
  const TemporaryFolder folder;
  write_weights(folder.file("w"), network_file("schafkopf-network-2"));
  const std::string bytes = bytes_of(folder.file("w"));
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  const auto header = nlohmann::json::parse(bytes.substr(8, length));
  write_bytes(folder.file("again"), safetensors(header.dump(2) + "\n", bytes.substr(8 + length)));
  EXPECT_EQ(read_weights(folder.file("again")).metadata,
            network_file("schafkopf-network-2").metadata);
}

TEST(Weights, no_memory_is_asked_for_data_that_the_file_does_not_have) {
  const TemporaryFolder folder;
  write_bytes(folder.file("w"),
              safetensors(one_tensor("F32", "[274877906944]", "[0,1099511627776]"), "1234"));
  EXPECT_THAT(error_of([&] { static_cast<void>(read_weights(folder.file("w"))); }),
              HasSubstr("truncated: its data end at byte 1099511627776, the file has 4"));
}

TEST(Weights, a_name_that_comes_twice_is_refused) {
  const TemporaryFolder folder;
  const std::string entry = R"("t":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  write_bytes(folder.file("w"), safetensors("{" + entry + "," + entry + "}", "1234"));
  EXPECT_THAT(error_of([&] { static_cast<void>(read_weights(folder.file("w"))); }),
              HasSubstr("'t' comes twice in the header"));
}

TEST(Weights, every_truncation_is_refused) {
  const TemporaryFolder folder;
  write_weights(folder.file("whole"), example());
  const std::string bytes = bytes_of(folder.file("whole"));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    write_bytes(folder.file("cut"), bytes.substr(0, length));
    EXPECT_THROW(static_cast<void>(read_weights(folder.file("cut"))), std::invalid_argument)
        << length << " of " << bytes.size() << " bytes";
  }
}

TEST(Weights, a_missing_file_and_a_folder_are_named) {
  const TemporaryFolder folder;
  EXPECT_THROW(static_cast<void>(read_weights(folder.file("none"))), std::runtime_error);
  EXPECT_THAT(error_of([&] { static_cast<void>(read_weights(folder.file("none"))); }),
              AllOf(HasSubstr(folder.file("none")), HasSubstr("No such file")));
  EXPECT_THROW(static_cast<void>(read_weights(folder.file("."))), std::runtime_error);
}

TEST(Weights, what_cannot_be_read_is_not_written) {
  const TemporaryFolder folder;
  WeightsFile weights = example();
  weights.tensors["number"].data[0] = std::numeric_limits<float>::infinity();
  EXPECT_THAT(error_of([&] { write_weights(folder.file("w"), weights); }),
              HasSubstr("tensor 'number': element 0 is inf"));
  weights = example();
  weights.tensors["trunk.0.bias"].shape = {3};
  EXPECT_THROW(write_weights(folder.file("w"), weights), std::invalid_argument);
  EXPECT_EQ(folder.names().size(), 0U);
}

}  // namespace
}  // namespace schafkopf
