// Files of weights: the container, and the network in it.
#include <string>
#include <string_view>
#include <vector>

#include "agents/network/network.h"
#include "agents/registry.h"
#include "tests/cpp/agents/random_weights.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/weights_file.h"

namespace schafkopf::fuzz {
namespace {

bool equal(const WeightsFile& a, const WeightsFile& b) {
  return a.metadata == b.metadata &&
         std::ranges::equal(a.tensors, b.tensors, [](const auto& x, const auto& y) {
           return x.first == y.first && x.second.shape == y.second.shape &&
                  x.second.data == y.second.data;
         });
}

}  // namespace

void fuzz_weights(std::string_view bytes) {
  const MemoryFile file(bytes);
  const auto weights = taken([&] { return read_weights(file.path()); });
  if (!weights) return;
  const MemoryFile written(file_of(*weights));
  must(equal(read_weights(written.path()), *weights), "other weights in the file written");
  if (!taken([&] { return read_network_shape(*weights, "x"); })) return;
  const auto agent = taken([&] { return make_agent("net:" + file.path()); });
  must(!agent || !(*agent)->name().empty(), "a player without a name");
}

std::vector<std::string> weight_seeds() {
  std::vector<std::string> seeds;
  for (const TrunkKind trunk : {TrunkKind::kMlp, TrunkKind::kResidual}) {
    const NetworkShape shape = make_network_shape(1, 1, {"hand"}, trunk);
    WeightsFile weights = test::random_weights(shape);
    seeds.push_back(file_of(weights));
    weights.metadata["format"] = kUnsummedFormat;
    seeds.push_back(file_without_checksum(weights));
    test::add_critic(weights, shape, true);
    seeds.push_back(file_without_checksum(weights));
  }
  return seeds;
}

}  // namespace schafkopf::fuzz
