// What tests/bench/other_processor.py compares between processors of two kinds: deals that four rule
// agents play, and the shipped network, which is part of the library.
//
// usage: other_processor_driver DEALS
// Prints a hash of all actions of the rule agents, and the size of the network's weights in bytes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "agents/network/shipped.h"
#include "agents/registry.h"
#include "env/rules/compiled_rules.h"
#include "env/vector/vector_env.h"

int main(int argc, char** argv) {
  using namespace schafkopf;
  if (argc != 2 || std::atoi(argv[1]) < 1) {
    std::fputs("usage: other_processor_driver DEALS\n", stderr);
    return 2;
  }
  VectorEnvOptions options;
  options.num_envs = 32;
  options.rules = {CompiledRules::load("research")};
  options.view_lines = true;
  options.auto_reset = AutoReset::kSameStep;
  VectorEnv env(options);
  const std::unique_ptr<BatchPolicy> rules = make_agent("rules");
  const std::unique_ptr<BatchPolicy> network = make_agent("net:baseline");
  std::vector<RngKey> keys(static_cast<std::size_t>(options.num_envs));
  std::vector<Action> actions(keys.size());
  network->act(env.views(), keys, actions);  // it can be asked
  std::uint64_t hash = 0xCBF29CE484222325u;  // FNV-1a
  while (env.num_deals() < std::atoi(argv[1])) {
    env.keys(keys);
    rules->act(env.views(), keys, actions);
    for (const Action action : actions) hash = (hash ^ action) * 0x100000001B3u;
    env.step(std::span<const Action>(actions));
  }
  std::printf("%016llx %zu\n", static_cast<unsigned long long>(hash),
              shipped_bytes("baseline").size());
  return 0;
}
