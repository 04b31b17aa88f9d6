#include "agents/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string_view>

#include "agents/basic/random_agent.h"
#include "agents/maxims/contract_generators.h"
#include "agents/maxims/rule_agent.h"
#include "agents/network/net_agent.h"
#include "agents/search/ismcts.h"
#include "agents/search/net_search.h"
#include "agents/search/pimc.h"
#include "env/base/input_limits.h"
#include "env/base/nearest.h"

namespace schafkopf {
namespace {

constexpr std::string_view kVersionKey = "version";

std::string_view key_of(std::string_view documented) {
  return documented.substr(0, documented.find_first_of("=:"));
}

std::vector<std::string> keys_of(const RegistryEntry& entry) {
  std::vector<std::string> keys;
  for (const std::string& text : entry.parameters) keys.emplace_back(key_of(text));
  return keys;
}

/// Parameters of one spec: reads them by key and complains about those nobody asked for.
class Parameters {
 public:
  Parameters(const RegistryEntry& entry, const std::string& spec) : entry_(entry) {
    const std::vector<std::string> known = keys_of(entry);
    if (known.empty() && spec.find(':') != std::string::npos) {
      throw std::invalid_argument(fmt::format("{} takes no parameters", entry.name));
    }
    parsed_ = parse_spec(spec, known.empty() ? "" : known.front());
    check_known(known);
  }

  [[nodiscard]] double number(std::string_view key, double fallback) const {
    return parsed(key, fallback, "number");
  }
  [[nodiscard]] int integer(std::string_view key, int fallback) const {
    return parsed(key, fallback, "whole number");
  }
  [[nodiscard]] RuleVersion version() const {
    return rule_version(integer(kVersionKey, static_cast<int>(kNewestRules)));
  }
  [[nodiscard]] std::uint64_t seed() const {
    return parsed("seed", std::uint64_t{0}, "whole number from 0 to 2^64 - 1");
  }
  /// One of the names of an enumeration.
  template <class E>
  [[nodiscard]] E choice(std::string_view key, E fallback) const {
    const std::string* text = find(key);
    if (text == nullptr) return fallback;
    constexpr auto kNames = names_of(E{});
    const auto* const found = std::ranges::find(kNames, *text);
    if (found != kNames.end()) return static_cast<E>(found - kNames.begin());
    throw std::invalid_argument(fmt::format("{} = \"{}\", allowed: {}{}", key, quotable(*text),
                                            fmt::join(kNames, ", "), nearest_hint(*text, kNames)));
  }

  /// A parameter that has no default.
  [[nodiscard]] std::string text(std::string_view key) const {
    const std::string* text = find(key);
    if (text == nullptr || text->empty()) {
      throw std::invalid_argument(
          fmt::format("{} is missing; write \"{}:<{}>\"", key, entry_.name, key));
    }
    return *text;
  }
  [[nodiscard]] bool flag(std::string_view key, bool fallback) const {
    const std::string* text = find(key);
    if (text == nullptr) return fallback;
    if (*text != "true" && *text != "false") {
      throw std::invalid_argument(
          fmt::format("{} = \"{}\", allowed: true, false", key, quotable(*text)));
    }
    return *text == "true";
  }

 private:
  /// What the documentation says about a parameter, with the range.
  [[nodiscard]] std::string_view meaning_of(std::string_view key) const {
    for (const std::string_view text : entry_.parameters) {
      if (key_of(text) == key) return text.substr(text.find(": ") + 2);
    }
    return {};
  }
  [[nodiscard]] const std::string* find(std::string_view key) const {
    for (const auto& [name, value] : parsed_.parameters) {
      if (name == key) return &value;
    }
    return nullptr;
  }
  template <class Number>
  [[nodiscard]] Number parsed(std::string_view key, Number fallback, const char* what) const {
    const std::string* text = find(key);
    if (text == nullptr) return fallback;
    Number value{};
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error == std::errc{} && end == text->data() + text->size()) return value;
    throw std::invalid_argument(fmt::format("{} = \"{}\", allowed: a {} ({})", key, quotable(*text),
                                            what, meaning_of(key)));
  }
  void check_known(const std::vector<std::string>& known) const {
    const auto& given = parsed_.parameters;
    for (auto at = given.begin(); at != given.end(); ++at) {
      const std::string& key = at->first;
      if (std::ranges::find(known, key) == known.end()) {
        throw std::invalid_argument(fmt::format("unknown parameter \"{}\", known: {}{}",
                                                quotable(key), fmt::join(known, ", "),
                                                nearest_hint(key, known)));
      }
      const auto same = [&key](const auto& other) { return other.first == key; };
      if (std::find_if(given.begin(), at, same) != at) {
        throw std::invalid_argument(fmt::format("{} is given twice", key));
      }
    }
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
        {"random=0: chance of a uniformly random action instead, 0..1",
         "version=2: 1 = the player of older figures, with its faults; 1..2"}},
       [](const Parameters& parameters) -> std::unique_ptr<BatchPolicy> {
         return std::make_unique<RuleAgent>(parameters.number("random", 0.0), parameters.version());
       }},
      {{"pimc",
        "samples worlds and plays each exactly to the end; bids like rules by default",
        {"worlds=10: worlds per decision, 1..100000", "ms=0: time limit per decision, 0 = none",
         "clear=1: standard errors by which the worlds must speak against the maxims' card, 0..100",
         "question=classes: payoff classes, or win alone",
         "bidding=rules: or worlds, announcements by sampled worlds", "kontra=rules: or worlds",
         "seed=0: of the worlds", "version=2: of the rules whose card it starts from, 1..2"}},
       [](const Parameters& parameters) -> std::unique_ptr<BatchPolicy> {
         PimcOptions options;
         options.worlds = parameters.integer("worlds", options.worlds);
         options.milliseconds = parameters.number("ms", options.milliseconds);
         options.clear = parameters.number("clear", options.clear);
         options.question = parameters.choice("question", options.question);
         options.bidding = parameters.choice("bidding", options.bidding);
         options.kontra = parameters.choice("kontra", options.kontra);
         options.seed = parameters.seed();
         options.version = parameters.version();
         return std::make_unique<PimcAgent>(options);
       }},
      {{"ismcts",
        "tree search over the cards of sampled worlds, random play below the tree",
        {"iterations=2000: passes per decision, 1..10000000",
         "exploration=0.7: weight of rarely tried cards, above 0", "seed=0: of the worlds"}},
       [](const Parameters& parameters) -> std::unique_ptr<BatchPolicy> {
         IsmctsOptions options;
         options.iterations = parameters.integer("iterations", options.iterations);
         options.exploration = parameters.number("exploration", options.exploration);
         options.seed = parameters.seed();
         return std::make_unique<IsmctsAgent>(options);
       }},
      {{.name = "oracle",
        .description = "exact play with open cards: the upper end in card play",
        .parameters = {"version=2: of the rules that choose among equally good cards, 1..2"},
        .sees_hidden_hands = true},
       [](const Parameters& parameters) -> std::unique_ptr<BatchPolicy> {
         return std::make_unique<OracleAgent>(parameters.version());
       }},
      {{"net",
        "a trained network (weights file), without torch",
        {"path: weights file", "greedy=true: its best action instead of one drawn"}},
       [](const Parameters& parameters) {
         return make_net_agent(parameters.text("path"), parameters.flag("greedy", true));
       }},
      {{"net+search",
        "a trained network that weighs its best cards in worlds that fit what everybody did",
        {"path: weights file", "worlds=40: worlds per decision, 1..10000",
         "drawn=0: worlds drawn to keep the likelier ones, up to 1000000; 0 = four times as many",
         "exact=40000: up to so many possible worlds their probabilities are exact, up to 2000000; "
         "0 = never",
         "top=4: cards that are compared, 1..32",
         "leaf=critic: the critic at the seat's next turn, or playout, to the end",
         "seed=0: of the worlds"}},
       [](const Parameters& parameters) -> std::unique_ptr<BatchPolicy> {
         NetSearchOptions options;
         options.worlds = parameters.integer("worlds", options.worlds);
         options.drawn = parameters.integer("drawn", options.drawn);
         options.exact = parameters.integer("exact", options.exact);
         options.top = parameters.integer("top", options.top);
         options.leaf = parameters.choice("leaf", options.leaf);
         options.seed = parameters.seed();
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
        {"single=0.55: share of single games, 0..1",
         "tout=0.4: share of Touts among them, where a hand stands a chance, 0..1",
         "all_pass=0.15: share of the game that is played when all pass, 0..1"}},
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

constexpr std::size_t kQuotedPath = 400;  // characters

/// Every mistake names the string, a file of it that cannot be read too.
template <class Made>
std::unique_ptr<Made> made(const Maker<Made>& maker, const char* kind, const std::string& spec) {
  const auto refuse = [&](const std::exception& error) {
    throw std::invalid_argument(
        fmt::format("{} \"{}\": {}", kind, quotable(spec, kQuotedPath), error.what()));
  };
  try {
    return maker.make(Parameters(maker.entry, spec));
  } catch (const std::invalid_argument& error) {
    refuse(error);
  } catch (const std::runtime_error& error) {
    refuse(error);
  }
  return nullptr;
}

template <class Made>
std::unique_ptr<Made> make(const std::vector<Maker<Made>>& makers, const char* kind,
                           const std::string& spec) {
  const std::string name = spec.substr(0, spec.find(':'));
  std::vector<std::string> known;
  for (const Maker<Made>& maker : makers) {
    if (maker.entry.name == name) return made(maker, kind, spec);
    known.push_back(maker.entry.name);
  }
  throw std::invalid_argument(fmt::format("unknown {} \"{}\", known: {}{}", kind, quotable(name),
                                          fmt::join(known, ", "), nearest_hint(name, known)));
}

}  // namespace

std::string with_version(const std::string& spec) {
  const std::string name = spec.substr(0, spec.find(':'));
  for (const Maker<BatchPolicy>& maker : agent_makers()) {
    const std::vector<std::string> known = keys_of(maker.entry);
    if (maker.entry.name != name || std::ranges::find(known, kVersionKey) == known.end()) continue;
    for (const auto& [key, value] : parse_spec(spec, known.front()).parameters) {
      if (key == kVersionKey) return spec;
    }
    return fmt::format("{}{}{}={}", spec, spec == name ? ":" : ",", kVersionKey,
                       static_cast<int>(kNewestRules));
  }
  return spec;
}

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
      throw std::invalid_argument(fmt::format("\"{}\" is no key=value", quotable(part)));
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
