// Rule files, tournament files and registry strings: what is read is written and read again.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "agents/registry.h"
#include "agents/tournament/tournament_config.h"
#include "env/rules/compiled_rules.h"
#include "env/rules/rules.h"
#include "env/view/encoder.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/fuzz/targets.h"

namespace schafkopf::fuzz {

void fuzz_rules(std::string_view bytes) {
  const auto read = taken([&] { return read_rules(bytes, "x.toml"); });
  if (!read) return;
  const std::string file = to_toml(read->rules);
  must(parse_rules(file, "x.toml") == read->rules, "another rule set in the file written");
  must(hash_rules(normalised(read->rules)) == hash_rules(read->rules), "not normalised");
  const CompiledRules rules(read->rules);
  std::vector<float> features(static_cast<std::size_t>(rule_feature_size()));
  write_rule_features(rules, features);
  (void)to_string(read->rules);
}

std::vector<std::string> rule_seeds() {
  std::vector<std::string> seeds;
  for (std::uint64_t seed = 1; seed <= 12; ++seed)
    seeds.push_back(to_toml(test::random_rules(seed)));
  return seeds;
}

void fuzz_tournament(std::string_view bytes) {
  auto config = taken([&] { return parse_tournament_config(bytes, "x.toml"); });
  if (!config) return;
  const std::string file = to_toml(*config);
  must(to_toml(parse_tournament_config(file, "x.toml")) == file, "another tournament as written");
  (void)taken([&] { check_tournament_config(*config); });
  if (taken([&] { make_paths_absolute(*config); })) {
    const std::string once = to_toml(*config);
    make_paths_absolute(*config);
    must(to_toml(*config) == once, "absolute paths change");
  }
}

std::vector<std::string> tournament_seeds() {
  TournamentOptions options;
  options.agents = {{"random", "a"}, {"net:some/file.safetensors", "b"}, {"rules:random=0.1"}};
  return {to_toml(TournamentOptions{}), to_toml(options)};
}

/// Players of files and of other programs are taken apart only: nothing is opened or started.
void fuzz_spec(std::string_view bytes) {
  const std::string spec(bytes);
  const auto parsed = taken([&] { return parse_spec(spec, "first"); });
  (void)taken([&] { return with_version(spec); });
  if (!parsed) return;
  static const std::vector<std::string> kInside = {"random", "rules",         "pimc",   "ismcts",
                                                   "oracle", "rules+endgame", "endgame"};
  if (std::ranges::find(kInside, parsed->name) != kInside.end()) {
    const auto agent = taken([&] { return make_agent(spec); });
    if (agent) must(!(*agent)->name().empty(), "a player without a name");
  }
  (void)taken([&] { return make_generator(spec); });
}

std::vector<std::string> spec_seeds() {
  std::vector<std::string> seeds = {"net:a/b.safetensors",        "net:\"a,b=c\",greedy=false",
                                    "engine:'a b' \"c\" d\\ e",   "pimc:worlds=3,clear=0.5",
                                    "rules:version=1,random=0.5", "endgame:first=random,trick=7"};
  for (const auto& entry : agent_names()) {
    std::string spec = entry.name + ":";
    for (const std::string& parameter : entry.parameters) {
      spec += parameter.substr(0, parameter.find(':')) + ",";
    }
    spec.pop_back();
    seeds.push_back(spec);
  }
  return seeds;
}

}  // namespace schafkopf::fuzz
