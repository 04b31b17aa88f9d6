#include "agents/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "agents/basic/random_agent.h"
#include "agents/engine/engine_agent.h"
#include "agents/engine/engine_options.h"
#include "agents/maxims/contract_generators.h"
#include "agents/maxims/rule_agent.h"
#include "agents/maxims/rule_options.h"
#include "agents/network/net_agent.h"
#include "agents/search/endgame.h"
#include "agents/search/ismcts.h"
#include "agents/search/net_search.h"
#include "agents/search/pimc.h"
#include "agents/work/spec_value.h"
#include "env/base/field.h"
#include "env/base/input_limits.h"

namespace schafkopf {
namespace {

// ---- parameters of players that have no struct of options --------------------------------------

struct NoOptions {};
template <FieldsOf<NoOptions> Options, class Visitor>
void visit_fields(Options&, Visitor&&) {}

struct OracleOptions {
  RuleVersion version = kNewestRules;
};
template <FieldsOf<OracleOptions> Options, class Visitor>
void visit_fields(Options& o, Visitor&& visit) {
  visit(Field{.key = kVersionKey, .meaning = "of the rules that choose among equally good cards"},
        o.version);
}

constexpr Field kPathField{.key = "path", .meaning = "weights file", .required = true};

struct NetOptions {
  std::string path;
  bool greedy = true;
};
template <FieldsOf<NetOptions> Options, class Visitor>
void visit_fields(Options& o, Visitor&& visit) {
  visit(kPathField, o.path);
  visit(Field{.key = "greedy", .meaning = "its best action instead of one drawn"}, o.greedy);
}

struct SearchingNetOptions {
  std::string path;
  NetSearchOptions search;
};
template <FieldsOf<SearchingNetOptions> Options, class Visitor>
void visit_fields(Options& o, Visitor&& visit) {
  visit(kPathField, o.path);
  visit_fields(o.search, visit);
}

struct NetEndgameOptions {
  std::string path;
  EndgameOptions search;
};
template <FieldsOf<NetEndgameOptions> Options, class Visitor>
void visit_fields(Options& o, Visitor&& visit) {
  visit(kPathField, o.path);
  visit_fields(o.search, visit);
}

struct RuleEndgameOptions {
  RuleVersion version = kNewestRules;
  EndgameOptions search;
};
template <FieldsOf<RuleEndgameOptions> Options, class Visitor>
void visit_fields(Options& o, Visitor&& visit) {
  visit_fields(o.search, visit);
  visit(Field{.key = kVersionKey, .meaning = "of the rules that play the opening"}, o.version);
}

struct AnyEndgameOptions {
  std::string first;
  EndgameOptions search;
};
template <FieldsOf<AnyEndgameOptions> Options, class Visitor>
void visit_fields(Options& o, Visitor&& visit) {
  visit(Field{.key = "first",
              .meaning = "player of announcements and the first tricks: random, rules, pimc or "
                         "ismcts with its parameters",
              .required = true},
        o.first);
  visit_fields(o.search, visit);
}

/// The player of an opening. Files and programs in it would be looked for by nobody, and networks
/// have a name of their own.
std::unique_ptr<BatchPolicy> make_opening(const std::string& first) {
  constexpr std::array<std::string_view, 4> kAllowed = {"random", "rules", "pimc", "ismcts"};
  if (!is_among(kAllowed, first.substr(0, first.find(':')))) {
    refuse_value("first", first, "random, rules, pimc or ismcts; networks: net+endgame", kAllowed);
  }
  return make_agent(first);
}

/// "NAME:first,trick=4,worlds=30" with what differs from the defaults behind it.
std::string endgame_name(std::string name, const EndgameOptions& o) {
  static_assert(sizeof(EndgameOptions) == 32,
                "an option more belongs into the name: journals tell "
                "players apart by it");
  name += fmt::format("trick={},worlds={}", o.trick, o.worlds);
  if (o.clear != EndgameOptions().clear) name += fmt::format(",clear={}", o.clear);
  if (o.seed != 0) name += fmt::format(",seed={}", o.seed);
  if (o.beliefs != EndgameOptions().beliefs) {
    name += fmt::format(",beliefs={}", name_of(o.beliefs));
  }
  return name;
}

constexpr std::string_view kKeyCharacters = "abcdefghijklmnopqrstuvwxyz_";

// ---- entries -----------------------------------------------------------------------------------

/// Sets the parameters of a registry string.
template <HasFields Options>
Options options_of(const std::string& spec) {
  Options options;
  const std::vector<std::string_view> known = keys_of(slots_of(options));
  const ParsedSpec parsed = parse_spec(spec, known.empty() ? "" : std::string(known.front()));
  if (known.empty() && spec.find(':') != std::string::npos) {
    throw std::invalid_argument(fmt::format("{} takes no parameters", parsed.name));
  }
  std::vector<std::string> given;
  for (const auto& [key, text] : parsed.parameters) {
    assign_text(options, key, text, "parameter");
    if (std::ranges::find(given, key) != given.end()) {
      throw std::invalid_argument(fmt::format("{} is given twice", key));
    }
    given.push_back(key);
  }
  check_required(slots_of(options));
  return options;
}

/// An entry and how it is made.
template <class Made>
struct Maker {
  std::string name, description;
  std::vector<FieldSlot> parameters;
  bool sees_hidden_hands = false;
  std::function<std::unique_ptr<Made>(const std::string& spec)> make;
};

template <class Made, HasFields Options>
Maker<Made> maker(std::string name, std::string description,
                  std::unique_ptr<Made> (*make)(const Options&), bool sees_hidden_hands = false) {
  return {std::move(name), std::move(description), slots_of(Options()), sees_hidden_hands,
          [make](const std::string& spec) { return make(options_of<Options>(spec)); }};
}

using Player = std::unique_ptr<BatchPolicy>;
using Generator = std::unique_ptr<ContractGenerator>;

const std::vector<Maker<BatchPolicy>>& agent_makers() {
  static const std::vector<Maker<BatchPolicy>> makers = {
      maker<BatchPolicy, NoOptions>(
          "random", "every legal action with the same probability",
          [](const NoOptions&) -> Player { return std::make_unique<RandomAgent>(); }),
      maker<BatchPolicy, RuleOptions>("rules", "bids by hand strength, plays by maxims",
                                      [](const RuleOptions& o) -> Player {
                                        return std::make_unique<RuleAgent>(o.random, o.version);
                                      }),
      maker<BatchPolicy, PimcOptions>(
          "pimc", "samples worlds and plays each exactly to the end; bids like rules by default",
          [](const PimcOptions& o) -> Player { return std::make_unique<PimcAgent>(o); }),
      maker<BatchPolicy, IsmctsOptions>(
          "ismcts", "tree search over the cards of sampled worlds, random play below the tree",
          [](const IsmctsOptions& o) -> Player { return std::make_unique<IsmctsAgent>(o); }),
      maker<BatchPolicy, OracleOptions>(
          "oracle", "exact play with open cards: the upper end in card play",
          [](const OracleOptions& o) -> Player { return std::make_unique<OracleAgent>(o.version); },
          true),
      maker<BatchPolicy, NetOptions>(
          "net", "a trained network (weights file), without torch",
          [](const NetOptions& o) -> Player { return make_net_agent(o.path, o.greedy); }),
      maker<BatchPolicy, NetEndgameOptions>(
          "net+endgame", "a trained network, from a trick on sampled worlds played to the end",
          [](const NetEndgameOptions& o) -> Player {
            const Player own = make_net_agent(o.path, false);
            return std::make_unique<EndgameAgent>(
                make_net_agent(o.path, true),
                endgame_name(fmt::format("net+endgame:{},", spec_value(o.path)), o.search),
                o.search, own.get());
          }),
      maker<BatchPolicy, RuleEndgameOptions>(
          "rules+endgame", "rules, from a trick on sampled worlds played to the end",
          [](const RuleEndgameOptions& o) -> Player {
            return std::make_unique<EndgameAgent>(
                std::make_unique<RuleAgent>(0.0, o.version),
                endgame_name("rules+endgame:", o.search) +
                    fmt::format(",version={}", static_cast<int>(o.version)),
                o.search);
          }),
      maker<BatchPolicy, AnyEndgameOptions>(
          "endgame", "any player of ours, from a trick on sampled worlds played to the end",
          [](const AnyEndgameOptions& o) -> Player {
            Player first = make_opening(o.first);
            std::string name =
                endgame_name(fmt::format("endgame:first={},", spec_value(first->name())), o.search);
            return std::make_unique<EndgameAgent>(std::move(first), std::move(name), o.search);
          }),
      maker<BatchPolicy, SearchingNetOptions>(
          "net+search",
          "a trained network that weighs its best cards in worlds that fit what everybody did",
          [](const SearchingNetOptions& o) -> Player {
            return make_net_search_agent(o.path, o.search);
          }),
      maker<BatchPolicy, EngineOptions>(
          std::string(kEngineName),
          "a program that speaks the protocol of agents/engine/PROTOCOL.md",
          [](const EngineOptions& o) -> Player { return std::make_unique<EngineAgent>(o); }),
  };
  return makers;
}

const std::vector<Maker<ContractGenerator>>& generator_makers() {
  static const std::vector<Maker<ContractGenerator>> makers = {
      maker<ContractGenerator, HeuristicOptions>(
          "heuristic", "the rule agent's bids on all hands; a contract of the mix where all pass",
          [](const HeuristicOptions& o) -> Generator {
            return std::make_unique<HeuristicGenerator>(o.noise);
          }),
      maker<ContractGenerator, MixShares>(
          "mixed",
          "every contract that the rules play, on plausible hands; the rest are partner games",
          [](const MixShares& o) -> Generator { return std::make_unique<MixedGenerator>(o); }),
  };
  return makers;
}

template <class Made>
std::vector<RegistryEntry> entries_of(const std::vector<Maker<Made>>& makers) {
  std::vector<RegistryEntry> entries;
  for (const Maker<Made>& maker : makers) {
    entries.push_back(
        {maker.name, maker.description, described(maker.parameters), maker.sees_hidden_hands});
  }
  return entries;
}

/// Parameters before a command, which takes the rest of the string, commas and all: the command
/// begins where no parameter stands.
void split_before_command(const std::string& text, ParsedSpec& parsed) {
  const std::vector<std::string_view> known = keys_of(slots_of(EngineOptions()));
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t equals = text.find('=', begin);
    const std::string key = text.substr(begin, equals - begin);
    const bool is_key =
        equals != std::string::npos && key.find_first_not_of(kKeyCharacters) == std::string::npos;
    if (!is_key) break;
    if (!is_among(known, key)) refuse_key("parameter", key, known);
    if (key == kCommandKey) {
      begin = equals + 1;
      break;
    }
    const std::size_t end = std::min(text.find(',', equals), text.size());
    parsed.parameters.emplace_back(key, text.substr(equals + 1, end - equals - 1));
    begin = end + 1;
  }
  if (begin < text.size()) parsed.parameters.emplace_back(kCommandKey, text.substr(begin));
}

/// The key that stands before an equals sign, empty = none does. Where a value may stand alone, what
/// cannot be a key is part of it.
std::string key_at(const std::string& spec, std::size_t begin, bool may_be_bare) {
  const std::size_t end = std::min(spec.find_first_of("=,\"", begin), spec.size());
  if (end == spec.size() || spec[end] != '=') return {};
  const std::string key = spec.substr(begin, end - begin);
  const bool fits = key.find_first_not_of(kKeyCharacters) == std::string::npos;
  return fits || !may_be_bare ? key : std::string();
}

/// Where a value ends that begins here: at a comma, or behind its closing quote.
std::size_t value_end(const std::string& spec, std::size_t begin) {
  if (begin >= spec.size() || spec[begin] != '"') {
    return std::min(spec.find(',', begin), spec.size());
  }
  const std::size_t close = closing_quote(spec, begin);
  if (close == std::string::npos) {
    throw std::invalid_argument(
        fmt::format("{} has no closing quote", quotable(spec.substr(begin))));
  }
  if (close + 1 < spec.size() && spec[close + 1] != ',') {
    throw std::invalid_argument(
        fmt::format("\"{}\" stands behind a closing quote, allowed: a comma",
                    quotable(spec.substr(close + 1))));
  }
  return close + 1;
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
    return maker.make(spec);
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
  std::vector<std::string_view> known;
  for (const Maker<Made>& maker : makers) {
    if (maker.name == name) return made(maker, kind, spec);
    known.push_back(maker.name);
  }
  refuse_key(kind, name, known);
}

}  // namespace

std::string with_version(const std::string& spec) {
  const std::string name = spec.substr(0, spec.find(':'));
  if (name == "endgame") return make_agent(spec)->name();  // with those of the player in it
  for (const Maker<BatchPolicy>& maker : agent_makers()) {
    const std::vector<std::string_view> known = keys_of(maker.parameters);
    if (maker.name != name || !is_among(known, kVersionKey)) continue;
    for (const auto& [key, value] : parse_spec(spec, std::string(known.front())).parameters) {
      if (key == kVersionKey) return spec;
    }
    return fmt::format("{}{}{}={}", spec, spec == name ? ":" : ",", kVersionKey,
                       static_cast<int>(kNewestRules));
  }
  return spec;
}

std::vector<std::pair<std::string, std::string>> parameters_with_files(const std::string& spec) {
  const std::string name = spec.substr(0, spec.find(':'));
  std::string first;
  for (const Maker<BatchPolicy>& maker : agent_makers()) {
    if (maker.name == name && !maker.parameters.empty()) first = keys_of(maker.parameters).front();
  }
  auto parameters = parse_spec(spec, first.empty() ? "value" : first).parameters;
  std::erase_if(parameters, [](const auto& parameter) {
    return parameter.first != kPathField.key && parameter.first != kCommandKey;
  });
  return parameters;
}

ParsedSpec parse_spec(const std::string& spec, const std::string& first_parameter) {
  ParsedSpec parsed;
  const std::size_t colon = spec.find(':');
  parsed.name = spec.substr(0, colon);
  if (colon == std::string::npos) return parsed;
  if (parsed.name == kEngineName) {
    split_before_command(spec.substr(colon + 1), parsed);
    return parsed;
  }
  std::size_t begin = colon + 1;
  while (begin <= spec.size()) {
    const bool may_be_bare = parsed.parameters.empty() && !first_parameter.empty();
    const std::string key = key_at(spec, begin, may_be_bare);
    const std::size_t value = begin + (key.empty() ? 0 : key.size() + 1);
    const std::size_t end = value_end(spec, value);
    const std::string part = spec.substr(begin, end - begin);
    if (!key.empty()) {
      parsed.parameters.emplace_back(key, unquoted(spec.substr(value, end - value)));
    } else if (may_be_bare && !part.empty()) {
      parsed.parameters.emplace_back(first_parameter, unquoted(part));
    } else {
      throw std::invalid_argument(
          part.empty()
              ? fmt::format("nothing stands behind \"{}\", allowed: key=value, or no \"{}\"",
                            quotable(spec.substr(0, begin)), spec[begin - 1])
              : fmt::format("\"{}\" is no key=value", quotable(part)));
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
