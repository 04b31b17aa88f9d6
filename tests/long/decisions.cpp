// Random decisions under random rule sets, with everything that must hold looked at (random_deals.h
// says what and how often). Part i of a seed is the same on every machine.
//
// usage: schafkopf_decisions [--decisions N] [--seed S] [--folder DIR] [--threads T] [--only RULES]
//   --decisions N   to reach, those of earlier calls counted: 10'000'000 unless told
//   --seed S        another seed has other rule sets: 0 unless told
//   --folder DIR    DIR/seed-S.jsonl has one line for each finished part; a part that is there is
//                   not played again, so a run may be stopped at any time. Empty: nothing is kept
//   --threads T     1 unless told
//   --only RULES    the deals of one rule set, by the number that a failure names
// Leaves with 1 where something does not hold: number of the rule set, what is wrong, the rules.
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/cpp/differential/random_deals.h"
#include "tests/long/arguments.h"
#include "tests/long/parts.h"

namespace schafkopf::test {
namespace {

constexpr std::uint64_t kRuleSetsPerPart = 10'000;  // about 3.8 million decisions
/// Parts of different seeds share no rule set.
constexpr std::uint64_t kPartsPerSeed = std::uint64_t{1} << 30U;

/// Throws with the number of the rule set.
void play_rule_set(std::uint64_t number, RandomDealCounts& counts) {
  try {
    RandomDeals(number, counts).play();
  } catch (const std::exception& error) {
    throw std::runtime_error(
        fmt::format("rule set {}: {}\n{}", number, error.what(), to_string(random_rules(number))));
  }
}

RandomDealCounts play_part(std::int64_t seed, std::int64_t part) {
  RandomDealCounts counts;
  const auto first =
      (static_cast<std::uint64_t>(seed) * kPartsPerSeed + static_cast<std::uint64_t>(part)) *
      kRuleSetsPerPart;
  for (std::uint64_t i = 0; i < kRuleSetsPerPart; ++i) play_rule_set(first + i, counts);
  return counts;
}

void report(const PartOptions& options, const Journal<RandomDealCounts>& journal) {
  const RandomDealCounts& sum = journal.sum();
  fmt::print("seed {}: {} decisions in {} deals under {} rule sets, {:.0f} s of one processor\n",
             options.seed, sum.decisions, sum.deals, sum.rule_sets, journal.seconds());
  fmt::print("infractions {}, claims {}\n", sum.infractions, sum.claims);
  fmt::print(
      "invariants and masks at every decision; views of all seats at {}, bytes at {}, a "
      "refusal at {}; records of {} deals; {} deals ({} decisions) beside the reference\n",
      sum.views, sum.bytes, sum.refusals, sum.records, sum.reference_deals,
      sum.reference_decisions);
  fmt::print("players: {}\n", list(sum.players, [](std::size_t i) {
               return i < 3 ? std::string() : std::to_string(i);
             }));
  fmt::print("decks: {}\n",
             list(sum.decks, [](std::size_t i) { return name_of(static_cast<Deck>(i)); }));
  fmt::print("phases: {}\n", list(sum.phases, [](std::size_t i) {
               const auto phase = static_cast<Phase>(i);
               return phase == Phase::kDone ? std::string_view() : phase_name(phase);
             }));
  fmt::print("contracts: {}\n", list(sum.contracts, [](std::size_t i) {
               return name_of(static_cast<ContractClass>(i));
             }));
  fmt::print("rounds: {}\n",
             list(sum.modes, [](std::size_t i) { return name_of(static_cast<SpecialRound>(i)); }));
}

int main_of(const std::vector<std::string>& words) {
  PartOptions options;
  options.wanted = 10'000'000;
  std::int64_t only = -1;
  Arguments arguments("schafkopf_decisions", words);
  arguments.take("--decisions", options.wanted, 1);
  take_part_options(arguments, options);
  arguments.take("--only", only, 0);
  arguments.finish();
  if (only >= 0) {
    RandomDealCounts counts;
    play_rule_set(static_cast<std::uint64_t>(only), counts);
    fmt::print("rule set {}: {} decisions, nothing wrong\n", only, counts.decisions);
    return 0;
  }
  Journal<RandomDealCounts> journal(options);
  const std::string problem = run_parts<RandomDealCounts>(
      options, journal, [](const RandomDealCounts& counts) { return counts.decisions; },
      [&](std::int64_t part) { return play_part(options.seed, part); });
  report(options, journal);
  if (!problem.empty()) fmt::print(stderr, "{}\n", problem);
  return problem.empty() ? 0 : 1;
}

}  // namespace
}  // namespace schafkopf::test

int main(int count, char** words) {
  return schafkopf::test::run_program(count, words, schafkopf::test::main_of);
}
