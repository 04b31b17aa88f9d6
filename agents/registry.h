// Players and contract generators by name and parameters: the same string in C++, Python, TOML and
// on the command line (DESIGN section 4). "name", "name:value" (first parameter),
// "name:key=value,key2=value2", "name:value,key2=value2".
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "env/vector/contract_generator.h"
#include "env/view/policy.h"

namespace schafkopf {

/// A registry string taken apart.
struct ParsedSpec {
  std::string name;
  std::vector<std::pair<std::string, std::string>> parameters;  // key, value, in order
};
/// Splits a registry string; a value without a key belongs to `first_parameter`. A value in double
/// quotes holds commas and equals signs; the first one may have equals signs behind what is no key,
/// as in "net:runs/lr=1/model.safetensors". Throws std::invalid_argument naming the part that is no
/// "key=value".
[[nodiscard]] ParsedSpec parse_spec(const std::string& spec, const std::string& first_parameter);

/// Documentation of one entry.
struct RegistryEntry {
  std::string name;
  std::string description;
  std::vector<std::string> parameters;  // "key=default: meaning [what is allowed]"; see above
  bool sees_hidden_hands = false;       // a cheating baseline (FullView)
};

/// Players that make_agent knows.
[[nodiscard]] std::vector<RegistryEntry> agent_names();
/// Player of a registry string.
///
/// Throws std::invalid_argument: unknown name (names the known ones); naming the string, an unknown
/// or repeated parameter, a value out of range, a weights file that cannot be read or holds no
/// network.
[[nodiscard]] std::unique_ptr<BatchPolicy> make_agent(const std::string& spec);

/// The registry string of a player with the version that it means: "rules" -> "rules:version=3".
/// Results and journals name it, so that figures of different versions are never mixed.
[[nodiscard]] std::string with_version(const std::string& spec);

/// Key and value of what names files in the registry string of a player: weights, or a program in
/// its command, with arguments. What is no player has none. Throws as parse_spec.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters_with_files(
    const std::string& spec);

/// Contract generators that make_generator knows.
[[nodiscard]] std::vector<RegistryEntry> generator_names();
/// Generator of a registry string: "heuristic:noise=0.2", "mixed". Throws as make_agent.
[[nodiscard]] std::unique_ptr<ContractGenerator> make_generator(const std::string& spec);

}  // namespace schafkopf
