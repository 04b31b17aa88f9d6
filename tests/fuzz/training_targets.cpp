// Training files and checkpoints: what reads them needs no torch.
#include <string>
#include <string_view>
#include <vector>

#include "agents/network/network.h"
#include "agents/network/weights.h"
#include "env/rules/compiled_rules.h"
#include "tests/cpp/agents/random_weights.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/weights_file.h"
#include "training/config/config.h"
#include "training/run/checkpoint.h"

namespace schafkopf::fuzz {

std::vector<Target> training_targets() {
  return {{"training", fuzz_training, training_seeds},
          {"checkpoint", fuzz_checkpoint, checkpoint_seeds}};
}

void fuzz_training(std::string_view bytes) {
  const auto config = taken([&] { return parse_train_config(bytes, "x.toml"); });
  if (!config) return;
  must(parse_train_config(to_toml(*config), "x.toml") == *config, "another run as written");
  (void)taken([&] { return network_shape(*config); });
}

std::vector<std::string> training_seeds() {
  TrainConfig changed;
  changed.init = "some/weights.safetensors";
  changed.pool_share = 0.5;
  changed.pool = "rules;snapshots;net:a.safetensors";
  changed.teacher = "pimc:worlds=3";
  changed.teacher_share = 0.25;
  changed.device = "cuda:1";
  return {to_toml(TrainConfig()), to_toml(changed)};
}

void fuzz_checkpoint(std::string_view bytes) {
  const MemoryFile file(bytes);
  const auto checkpoint = taken([&] { return read_checkpoint(file.path()); });
  if (!checkpoint) return;
  static const auto rules = CompiledRules::load("research");
  (void)taken([&] { check_resume(*checkpoint, checkpoint->config, *rules, "x"); });
  for (const auto& tensors : {magnet_of(*checkpoint), frozen_of(*checkpoint)}) {
    must(tensors.size() <= checkpoint->file.tensors.size(), "tensors from nowhere");
  }
}

/// Without a checksum, which no change of a byte would keep right.
std::vector<std::string> checkpoint_seeds() {
  TrainConfig config;
  config.width = 1;
  config.layers = 1;
  config.input_sections = "hand";
  WeightsFile weights = test::random_weights(network_shape(config));
  weights.metadata["format"] = kUnsummedFormat;
  weights.metadata["checkpoint"] = "schafkopf-checkpoint-2";
  weights.metadata["processes"] = "2";
  weights.metadata["config"] = to_toml(config);
  weights.metadata["counters"] =
      R"({"updates":3,"decisions":4,"forced":5,"games":6,"seconds":7.5,"next_eval":8.0,)"
      R"("budget":9,"budget_minutes":1.0,"best_lower":-2.0,"advantage_count":[1.0],)"
      R"("advantage_squares":[2.0]})";
  return {file_without_checksum(weights)};
}

}  // namespace schafkopf::fuzz
