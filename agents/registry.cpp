#include "agents/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string_view>

#include "agents/contract_generators.h"
#include "agents/ismcts.h"
#include "agents/net_agent.h"
#include "agents/net_search.h"
#include "agents/pimc.h"
#include "agents/random_agent.h"
#include "agents/rule_agent.h"

namespace schafkopf {
namespace {

/// Parameters of one spec: reads them by key and complains about those nobody asked for.
class Parameters {
 public:
  Parameters(const RegistryEntry& entry, const std::string& spec)
      : entry_(entry), parsed_(parse_spec(spec, keys().empty() ? "" : keys().front())) {
    for (const auto& [key, value] : parsed_.parameters) check_known(key);
  }

  [[nodiscard]] double number(std::string_view key, double fallback) const {
    const std::string* text = find(key);
    if (text == nullptr) return fallback;
    double value = 0.0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc{} || end != text->data() + text->size()) {
      throw std::invalid_argument(
          fmt::format("{}: {} = \"{}\" is no number", entry_.name, key, *text));
    }
    return value;
  }

  [[nodiscard]] int integer(std::string_view key, int fallback) const {
    const std::string* text = find(key);
    if (text == nullptr) return fallback;
    int value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc{} || end != text->data() + text->size()) {
      throw std::invalid_argument(
          fmt::format("{}: {} = \"{}\" is no whole number", entry_.name, key, *text));
    }
    return value;
  }
  /// One of the names of an enumeration.
  template <class E>
  [[nodiscard]] E choice(std::string_view key, E fallback) const {
    const std::string* text = find(key);
    if (text == nullptr) return fallback;
    std::string allowed;
    for (int value = 0; value < kNumValues<E>; ++value) {
      const std::string_view name = name_of(static_cast<E>(value));
      if (*text == name) return static_cast<E>(value);
      allowed += (allowed.empty() ? "" : ", ") + std::string(name);
    }
    throw std::invalid_argument(
        fmt::format("{}: {} = \"{}\", allowed: {}", entry_.name, key, *text, allowed));
  }

  /// A parameter that has no default.
  [[nodiscard]] std::string text(std::string_view key) const {
    const std::string* text = find(key);
    if (text == nullptr || text->empty()) {
      throw std::invalid_argument(
          fmt::format("{}: {} is missing; write \"{}:<{}>\"", entry_.name, key, entry_.name, key));
    }
    return *text;
  }
  [[nodiscard]] bool flag(std::string_view key, bool fallback) const {
    const std::string* text = find(key);
    if (text == nullptr) return fallback;
    if (*text != "true" && *text != "false") {
      throw std::invalid_argument(
          fmt::format("{}: {} = \"{}\", allowed: true, false", entry_.name, key, *text));
    }
    return *text == "true";
  }

 private:
  [[nodiscard]] std::vector<std::string> keys() const {
    std::vector<std::string> keys;
    for (const std::string& text : entry_.parameters)
      keys.push_back(text.substr(0, text.find_first_of("=:")));
    return keys;
  }
  [[nodiscard]] const std::string* find(std::string_view key) const {
    for (const auto& [name, value] : parsed_.parameters) {
      if (name == key) return &value;
    }
    return nullptr;
  }
  void check_known(const std::string& key) const {
    const std::vector<std::string> known = keys();
    for (const std::string& name : known) {
      if (name == key) return;
    }
    throw std::invalid_argument(fmt::format(
        "{}: unknown parameter \"{}\", known: {}", entry_.name, key,
        known.empty() ? std::string("none") : fmt::format("{}", fmt::join(known, ", "))));
  }

  const RegistryEntry& entry_;
  ParsedSpec parsed_;
};

/// An entry and how it is made.
template <class Made>
struct Maker {
  RegistryEntry entry;
  std::unique_ptr<Made> (*make)(const Parameters&);
};

const std::vector<Maker<BatchPolicy>>& agent_makers() {
  static const std::vector<Maker<BatchPolicy>> makers = {
      {{"random", "every legal action with the same probability", {}},
       [](const Parameters&) -> std::unique_ptr<BatchPolicy> {
         return std::make_unique<RandomAgent>();
       }},
      {{"rules",
        "bids by hand strength, plays by maxims",
        {"random=0: chance of a uniformly random action instead, 0..1"}},
       [](const Parameters& parameters) -> std::unique_ptr<BatchPolicy> {
         return std::make_unique<RuleAgent>(parameters.number("random", 0.0));
       }},
      {{"pimc",
        "samples worlds and plays each exactly to the end; bids like rules by default",
        {"worlds=10: worlds per decision", "ms=0: time limit per decision, 0 = none",
         "question=classes: payoff classes, or win alone",
         "bidding=rules: or worlds, announcements by sampled worlds", "kontra=rules: or worlds",
         "seed=0: of the worlds"}},
       [](const Parameters& parameters) -> std::unique_ptr<BatchPolicy> {
         PimcOptions options;
         options.worlds = parameters.integer("worlds", options.worlds);
         options.milliseconds = parameters.number("ms", options.milliseconds);
         options.question = parameters.choice("question", options.question);
         options.bidding = parameters.choice("bidding", options.bidding);
         options.kontra = parameters.choice("kontra", options.kontra);
         options.seed = static_cast<std::uint64_t>(parameters.integer("seed", 0));
         return std::make_unique<PimcAgent>(options);
       }},
      {{"ismcts",
        "tree search over the cards of sampled worlds, random play below the tree",
        {"iterations=2000: passes per decision", "exploration=0.7: weight of rarely tried cards",
         "seed=0: of the worlds"}},
       [](const Parameters& parameters) -> std::unique_ptr<BatchPolicy> {
         IsmctsOptions options;
         options.iterations = parameters.integer("iterations", options.iterations);
         options.exploration = parameters.number("exploration", options.exploration);
         options.seed = static_cast<std::uint64_t>(parameters.integer("seed", 0));
         return std::make_unique<IsmctsAgent>(options);
       }},
      {{.name = "oracle",
        .description = "exact play with open cards: the upper end in card play",
        .parameters = {},
        .sees_hidden_hands = true},
       [](const Parameters&) -> std::unique_ptr<BatchPolicy> {
         return std::make_unique<OracleAgent>();
       }},
      {{"net",
        "a trained network (weights file), without torch",
        {"path: weights file", "greedy=true: its best action instead of one drawn"}},
       [](const Parameters& parameters) {
         return make_net_agent(parameters.text("path"), parameters.flag("greedy", true));
       }},
      {{"net+search",
        "a trained network that weighs its best cards in worlds that fit what everybody did",
        {"path: weights file", "worlds=40: worlds per decision",
         "drawn=0: worlds drawn to keep the likelier ones, 0 = four times as many",
         "exact=40000: up to so many possible worlds their probabilities are exact, 0 = never",
         "top=4: cards that are compared",
         "leaf=critic: the critic at the seat's next turn, or playout, to the end",
         "seed=0: of the worlds"}},
       [](const Parameters& parameters) -> std::unique_ptr<BatchPolicy> {
         NetSearchOptions options;
         options.worlds = parameters.integer("worlds", options.worlds);
         options.drawn = parameters.integer("drawn", options.drawn);
         options.exact = parameters.integer("exact", options.exact);
         options.top = parameters.integer("top", options.top);
         options.leaf = parameters.choice("leaf", options.leaf);
         options.seed = static_cast<std::uint64_t>(parameters.integer("seed", 0));
         return make_net_search_agent(parameters.text("path"), options);
       }},
  };
  return makers;
}

const std::vector<Maker<ContractGenerator>>& generator_makers() {
  static const std::vector<Maker<ContractGenerator>> makers = {
      {{"heuristic",
        "the rule agent's bids on all hands; a contract of the mix where all pass",
        {"noise=0.2: share of deals with a contract of the mix instead, 0..1"}},
       [](const Parameters& parameters) -> std::unique_ptr<ContractGenerator> {
         return std::make_unique<HeuristicGenerator>(parameters.number("noise", 0.2));
       }},
      {{"mixed",
        "every contract that the rules play, on plausible hands; the rest are partner games",
        {"single=0.55: share of single games",
         "tout=0.4: share of Touts among them, where a hand stands a chance",
         "all_pass=0.15: share of the game that is played when all pass"}},
       [](const Parameters& parameters) -> std::unique_ptr<ContractGenerator> {
         const MixShares shares;
         return std::make_unique<MixedGenerator>(
             MixShares{.single = parameters.number("single", shares.single),
                       .tout = parameters.number("tout", shares.tout),
                       .all_pass = parameters.number("all_pass", shares.all_pass)});
       }},
  };
  return makers;
}

template <class Made>
std::vector<RegistryEntry> entries_of(const std::vector<Maker<Made>>& makers) {
  std::vector<RegistryEntry> entries;
  for (const Maker<Made>& maker : makers) entries.push_back(maker.entry);
  return entries;
}

/// A file of the string that cannot be read is a mistake in the string.
template <class Made>
std::unique_ptr<Made> made(const Maker<Made>& maker, const std::string& spec) {
  try {
    return maker.make(Parameters(maker.entry, spec));
  } catch (const std::runtime_error& error) {
    throw std::invalid_argument(fmt::format("\"{}\": {}", spec, error.what()));
  }
}

template <class Made>
std::unique_ptr<Made> make(const std::vector<Maker<Made>>& makers, const char* kind,
                           const std::string& spec) {
  const std::string name = spec.substr(0, spec.find(':'));
  std::vector<std::string> known;
  for (const Maker<Made>& maker : makers) {
    if (maker.entry.name == name) return made(maker, spec);
    known.push_back(maker.entry.name);
  }
  throw std::invalid_argument(
      fmt::format("unknown {} \"{}\", known: {}", kind, name, fmt::join(known, ", ")));
}

}  // namespace

ParsedSpec parse_spec(const std::string& spec, const std::string& first_parameter) {
  ParsedSpec parsed;
  const std::size_t colon = spec.find(':');
  parsed.name = spec.substr(0, colon);
  if (colon == std::string::npos) return parsed;
  std::size_t begin = colon + 1;
  while (begin <= spec.size()) {
    const std::size_t end = std::min(spec.find(',', begin), spec.size());
    const std::string part = spec.substr(begin, end - begin);
    const std::size_t equals = part.find('=');
    if (equals != std::string::npos && equals > 0) {
      parsed.parameters.emplace_back(part.substr(0, equals), part.substr(equals + 1));
    } else if (parsed.parameters.empty() && !part.empty() && !first_parameter.empty()) {
      parsed.parameters.emplace_back(first_parameter, part);
    } else {
      throw std::invalid_argument(fmt::format("\"{}\": \"{}\" is no key=value", spec, part));
    }
    begin = end + 1;
  }
  return parsed;
}

std::vector<RegistryEntry> agent_names() { return entries_of(agent_makers()); }
std::unique_ptr<BatchPolicy> make_agent(const std::string& spec) {
  return make(agent_makers(), "agent", spec);
}
std::vector<RegistryEntry> generator_names() { return entries_of(generator_makers()); }
std::unique_ptr<ContractGenerator> make_generator(const std::string& spec) {
  return make(generator_makers(), "contract generator", spec);
}

}  // namespace schafkopf
