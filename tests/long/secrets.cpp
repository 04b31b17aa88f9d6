// Pairs of games that a seat cannot tell apart (secret_pairs.h) under random rule sets: the view,
// the mask, the rows of every encoder in every form, and what every player answers must be the same.
// The second game of a pair is asked by another copy of the player, in another order and other
// batches, so that a player that remembers something is found too.
//
// usage: schafkopf_secrets [--pairs N] [--seed S] [--folder DIR] [--threads T]
//   --pairs N       to reach, those of earlier calls counted: 10'000 unless told. Of them one in 80
//                   goes to the players that search
//   --seed S        another seed has other rule sets: 0 unless told
//   --folder DIR    DIR/seed-S.jsonl has one line for each finished part; a part that is there is
//                   not played again. Empty: nothing is kept
//   --threads T     1 unless told
// Leaves with 1 where something differs: what, where, both deals.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/registry.h"
#include "env/view/encoder.h"
#include "tests/cpp/differential/secret_pairs.h"
#include "tests/long/arguments.h"
#include "tests/long/parts.h"

namespace schafkopf::test {
namespace {

constexpr int kPairsPerPart = 10'000;
constexpr int kPairsPerSearch = 80;  // one in so many goes to the players that search
constexpr std::uint64_t kRuleSetsPerPart = 156;
/// Parts of different seeds share no rule set.
constexpr std::int64_t kPartsPerSeed = std::int64_t{1} << 30;

/// Players, and whether they are asked for every pair.
struct Asked {
  const char* name;
  bool every;
};
constexpr std::array kPlayers = {
    Asked{"random", true},
    Asked{"rules:version=1", true},
    Asked{"rules:version=2", true},
    Asked{"rules:version=3", true},
    Asked{"rules:random=0.3", true},
    Asked{"net:baseline", true},
    Asked{"net:baseline,greedy=false", true},
    Asked{"pimc:worlds=3,seed=5", false},
    Asked{"pimc:worlds=3,bidding=worlds,kontra=worlds", false},
    Asked{"ismcts:iterations=40", false},
    Asked{"rules+endgame:trick=5,worlds=4", false},
    Asked{"endgame:first=pimc:2,trick=6,worlds=4", false},
    Asked{"net+endgame:baseline,trick=5,worlds=4", false},
    Asked{"net+search:baseline,worlds=3,drawn=6,exact=20,endgame_worlds=3", false},
};

struct SecretCounts {
  std::int64_t rule_sets = 0, pairs = 0, searched = 0, late = 0, partner_moved = 0, rows = 0;
  std::array<std::int64_t, kNumPhases> phases{}, searched_phases{};
  std::array<std::int64_t, kNumContractClasses> contracts{};
  std::array<std::int64_t, kNumValues<SpecialRound>> modes{};
  std::array<std::int64_t, kPlayers.size()> asked{};
};
template <class Counts, class Visitor>
void visit_counts(Counts& counts, Visitor&& visit) {
  visit("rule_sets", counts.rule_sets);
  visit("pairs", counts.pairs);
  visit("searched", counts.searched);
  visit("late", counts.late);
  visit("partner_moved", counts.partner_moved);
  visit("rows", counts.rows);
  visit("phases", counts.phases);
  visit("searched_phases", counts.searched_phases);
  visit("contracts", counts.contracts);
  visit("modes", counts.modes);
  visit("asked", counts.asked);
}

[[noreturn]] void differs(const std::string& what, const std::string& where) {
  throw std::logic_error(fmt::format("{} differs: {}", what, where));
}

// ---- encoders -----------------------------------------------------------------------------------

template <class Number>
std::vector<Number> row_of(ObservationForm form, const PlayerView& view,
                           const CompiledRules& rules) {
  std::vector<float> features(static_cast<std::size_t>(rule_feature_size(form.version)));
  write_rule_features(rules, form.version, features);
  std::vector<Number> row(static_cast<std::size_t>(observation_size(form.version)));
  expand(form, {&view.cards, &view.order, &view.events}, features, row.data());
  return row;
}

/// Both rows of every encoder; returns how many pairs of rows.
int compare_rows(const PlayerView& left, const PlayerView& right, const SecretPair& pair) {
  int rows = 0;
  const CompiledRules& rules = pair.game.rules();
  for (int number = 1; number <= static_cast<int>(kLastVersion); ++number) {
    for (const CardIndex cards : {CardIndex::kAbsolute, CardIndex::kCanonical}) {
      const ObservationForm form{static_cast<ObservationVersion>(number), cards};
      const bool same =
          row_of<std::uint8_t>(form, left, rules) == row_of<std::uint8_t>(form, right, rules) &&
          row_of<float>(form, left, rules) == row_of<float>(form, right, rules);
      if (!same) differs(fmt::format("observation v{}", number), text_of(pair));
      rows += 2;
    }
  }
  return rows;
}

// ---- players ------------------------------------------------------------------------------------

/// Views that wait to be asked, with what a message needs.
struct Rows {
  std::vector<PlayerView> left, right;
  std::vector<RngKey> keys;
  std::vector<std::string> texts;
};

struct Answers {
  std::vector<float> probabilities, values;
  std::vector<Action> actions;
};

/// Answers of a player to some views of one rule set, `cut` rows at a time.
Answers answers_of(BatchPolicy& player, const CompiledRules& rules,
                   const std::vector<PlayerView>& views, const std::vector<RngKey>& keys,
                   std::size_t cut) {
  std::vector<CardsLine> cards;
  std::vector<OrderLine> order;
  std::vector<EventsLine> events;
  for (const PlayerView& view : views) {
    cards.push_back(view.cards);
    order.push_back(view.order);
    events.push_back(view.events);
  }
  std::vector<float> features(static_cast<std::size_t>(rule_feature_size()));
  write_rule_features(rules, features);
  const CompiledRules* const one[] = {&rules};
  const RuleTable table{one, features};
  const ViewBatch all{views.size(), cards.data(), order.data(), events.data(), nullptr, &table};
  Answers answers;
  answers.probabilities.resize(views.size() * kNumActions);
  answers.values.resize(views.size());
  answers.actions.resize(views.size());
  for (std::size_t at = 0; at < views.size(); at += cut) {
    const std::size_t count = std::min(cut, views.size() - at);
    const ViewBatch batch = all.slice(at, count);
    player.policy(batch,
                  std::span(answers.probabilities).subspan(at * kNumActions, count * kNumActions),
                  std::span(answers.values).subspan(at, count));
    player.act(batch, std::span(keys).subspan(at, count),
               std::span(answers.actions).subspan(at, count));
  }
  return answers;
}

/// Values are compared as bytes: no estimate is NaN.
bool same_row(const Answers& left, std::size_t i, const Answers& right, std::size_t j) {
  const auto row = [](const Answers& answers, std::size_t at) {
    return answers.probabilities.data() + at * kNumActions;
  };
  return left.actions[i] == right.actions[j] &&
         std::memcmp(&left.values[i], &right.values[j], sizeof(float)) == 0 &&
         std::memcmp(row(left, i), row(right, j), kNumActions * sizeof(float)) == 0;
}

/// One player and its copy, and the pairs of one rule set that wait for it.
class PlayerCheck {
 public:
  explicit PlayerCheck(std::size_t number)
      : number_(number), player_(make_agent(kPlayers[number].name)), copy_(player_->clone()) {}

  /// The rows in order, and backwards by the copy with other cuts.
  void compare(const CompiledRules& rules, Rows& rows, std::size_t cut) {
    const std::size_t size = rows.left.size();
    const Answers left = answers_of(*player_, rules, rows.left, rows.keys, size);
    std::reverse(rows.right.begin(), rows.right.end());
    std::reverse(rows.keys.begin(), rows.keys.end());
    const Answers right = answers_of(*copy_, rules, rows.right, rows.keys, cut);
    std::reverse(rows.right.begin(), rows.right.end());
    std::reverse(rows.keys.begin(), rows.keys.end());
    for (std::size_t i = 0; i < size; ++i) {
      if (!same_row(left, i, right, size - 1 - i)) {
        differs(fmt::format("the answer of {}", kPlayers[number_].name), rows.texts[i]);
      }
    }
  }

  /// A network has no bits for some contracts: it refuses such rules, as it should.
  [[nodiscard]] bool can_play(const CompiledRules& rules) const {
    if (std::string_view(kPlayers[number_].name).substr(0, 3) != "net") return true;
    try {
      check_observable(rules, ObservationVersion::kV1);
      return true;
    } catch (const std::invalid_argument&) {
      return false;
    }
  }

 private:
  std::size_t number_;
  std::unique_ptr<BatchPolicy> player_, copy_;
};

// ---- a part -------------------------------------------------------------------------------------

/// The pairs of some random rule sets.
class Part {
 public:
  explicit Part(std::int64_t number) : random_(mix64(static_cast<std::uint64_t>(number))) {
    for (std::size_t i = 0; i < kPlayers.size(); ++i) players_.emplace_back(i);
    number_ = static_cast<std::uint64_t>(number);
  }

  /// Rule set after rule set, each with its share of the pairs.
  SecretCounts play() {
    constexpr int kPerRules = kPairsPerPart / static_cast<int>(kRuleSetsPerPart) + 1;
    for (std::uint64_t i = 0; i < kRuleSetsPerPart && counts_.pairs < kPairsPerPart; ++i) {
      // three in four with the phases that are rare, the others as they come
      const std::uint64_t seed = number_ * kRuleSetsPerPart + i;
      const auto rules = i % 4 == 3
                             ? std::make_shared<const CompiledRules>(random_rules(mix64(seed)))
                             : rules_with_secrets(seed);
      ++counts_.rule_sets;
      PairMaker(random_.next(), {rules}).run(kPerRules, [this](const SecretPair& pair) {
        take(pair);
      });
      ask(*rules);
    }
    return counts_;
  }

 private:
  void take(const SecretPair& pair) {
    const auto& [game, other, actor] = pair;
    const PlayerView left = game.view(actor), right = other.view(actor);
    if (std::memcmp(&left, &right, sizeof(left)) != 0) differs("the view", text_of(pair));
    if (game.legal_actions() != other.legal_actions()) differs("the mask", text_of(pair));
    counts_.rows += compare_rows(left, right, pair);
    count(pair);
    const bool search = random_.next_below(kPairsPerSearch) == 0;
    for (Rows* rows : {&cheap_, search ? &dear_ : nullptr}) {
      if (rows == nullptr) continue;
      rows->left.push_back(left);
      rows->right.push_back(right);
      rows->keys.push_back({random_.next(), 0, 0, 0, static_cast<std::uint32_t>(actor)});
      rows->texts.push_back(text_of(pair));
    }
    if (!search) return;
    ++counts_.searched;
    ++counts_.searched_phases[static_cast<std::size_t>(game.phase())];
  }

  void count(const SecretPair& pair) {
    const Game& game = pair.game;
    ++counts_.pairs;
    ++counts_.phases[static_cast<std::size_t>(game.phase())];
    ++counts_.modes[static_cast<std::size_t>(game.special_round())];
    if (game.has_contract()) {
      ++counts_.contracts[static_cast<std::size_t>(game.contract().contract)];
    }
    if (game.num_plays() >= 8) ++counts_.late;
    if (game.declarer_party() != pair.other.declarer_party()) ++counts_.partner_moved;
  }

  void ask(const CompiledRules& rules) {
    for (std::size_t i = 0; i < players_.size(); ++i) {
      Rows& rows = kPlayers[i].every ? cheap_ : dear_;
      if (rows.left.empty() || !players_[i].can_play(rules)) continue;
      players_[i].compare(rules, rows, static_cast<std::size_t>(1 + random_.next_below(16)));
      counts_.asked[i] += static_cast<std::int64_t>(rows.left.size());
    }
    cheap_ = {};
    dear_ = {};
  }

  Rng random_;
  std::uint64_t number_ = 0;
  std::vector<PlayerCheck> players_;
  Rows cheap_, dear_;
  SecretCounts counts_;
};

void report(const PartOptions& options, const Journal<SecretCounts>& journal) {
  const SecretCounts& sum = journal.sum();
  const auto phase_text = [](std::size_t i) { return phase_name(static_cast<Phase>(i)); };
  fmt::print("seed {}: {} pairs under {} rule sets, {:.0f} s of one processor\n", options.seed,
             sum.pairs, sum.rule_sets, journal.seconds());
  fmt::print("after the second trick {}, the parties differ in {}; {} pairs of rows\n", sum.late,
             sum.partner_moved, sum.rows);
  fmt::print("phases: {}\n", list(sum.phases, phase_text));
  fmt::print("of those that search: {}\n", list(sum.searched_phases, phase_text));
  fmt::print("contracts: {}\n", list(sum.contracts, [](std::size_t i) {
               return name_of(static_cast<ContractClass>(i));
             }));
  fmt::print("rounds: {}\n",
             list(sum.modes, [](std::size_t i) { return name_of(static_cast<SpecialRound>(i)); }));
  fmt::print("players: {}\n",
             list(sum.asked, [](std::size_t i) { return std::string(kPlayers[i].name); }));
}

int main_of(const std::vector<std::string>& words) {
  PartOptions options;
  options.wanted = 10'000;
  Arguments arguments("schafkopf_secrets", words);
  arguments.take("--pairs", options.wanted, 1);
  take_part_options(arguments, options);
  arguments.finish();
  Journal<SecretCounts> journal(options);
  const std::string problem = run_parts<SecretCounts>(
      options, journal, [](const SecretCounts& counts) { return counts.pairs; },
      [&](std::int64_t part) { return Part(options.seed * kPartsPerSeed + part).play(); });
  report(options, journal);
  if (!problem.empty()) fmt::print(stderr, "{}\n", problem);
  return problem.empty() ? 0 : 1;
}

}  // namespace
}  // namespace schafkopf::test

int main(int count, char** words) {
  return schafkopf::test::run_program(count, words, schafkopf::test::main_of);
}
