// The program of the fuzz targets: libFuzzer's, with --target=NAME. `--write-seeds=FOLDER` writes
// the inputs to begin with and ends.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "tests/fuzz/fuzz.h"

namespace schafkopf::fuzz {
namespace {

std::vector<Target> all_targets() {
  std::vector<Target> all = targets();
  for (Target& target : training_targets()) all.push_back(std::move(target));
  return all;
}

/// What stands behind "--NAME=" on the command line, which libFuzzer passes over.
std::string option(int argc, char** argv, std::string_view name) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with(name)) return std::string(word.substr(name.size()));
  }
  return {};
}

Target& chosen() {
  static Target target;
  return target;
}

void write_seeds(const Target& target, const std::string& folder) {
  int number = 0;
  for (const std::string& seed : target.seeds()) {
    std::ofstream(folder + "/seed_" + std::to_string(number++), std::ios::binary) << seed;
  }
}

}  // namespace
}  // namespace schafkopf::fuzz

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  using namespace schafkopf::fuzz;
  const std::string name = option(*argc, *argv, "--target=");
  std::string known;
  for (const Target& target : all_targets()) {
    if (target.name == name) chosen() = target;
    known += ' ' + target.name;
  }
  if (!chosen().run) {
    std::fprintf(stderr, "--target=%s, allowed:%s\n", name.c_str(), known.c_str());
    std::exit(2);
  }
  if (const std::string folder = option(*argc, *argv, "--write-seeds="); !folder.empty()) {
    write_seeds(chosen(), folder);
    std::exit(0);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  schafkopf::fuzz::chosen().run({reinterpret_cast<const char*>(data), size});
  return 0;
}
