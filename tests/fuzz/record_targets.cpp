// Records as JSON lines and as text: what is read is written and read again, and plays the same.
#include <string>
#include <string_view>
#include <vector>

#include "env/base/random.h"
#include "env/record/record.h"
#include "tests/cpp/support/random_play.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/fuzz/targets.h"

namespace schafkopf::fuzz {
namespace {

/// A game, its record, and the game of that record.
void check_replayed(const ReplayedGame& replayed) {
  const Game& game = replayed.game;
  game.check_invariants();
  check_message(display(game));
  check_message(result_json(replayed.result));
  const GameRecord again = record_of(game, replayed.deal);
  const ReplayedGame twin = replay_game(again);
  if (!game.is_terminal()) return;  // a question that is answered silently may be open
  must(twin.game.serialize() == game.serialize(), "the record of a game is another game");
}

void check_record(GameRecord record) {
  must(parse_record(to_json(record), record.line) == record, "another record as JSON");
  record.line = 0;
  const auto replayed = taken([&] { return replay_game(record); });
  if (!replayed) return;
  check_replayed(*replayed);
  (void)taken([&] { return differences(record, replayed->result); });
  must(parse_text(to_text(record)) == record, "another record as text");
}

/// Games of random rules: a quarter of them stops early.
std::vector<GameRecord> some_records() {
  std::vector<GameRecord> records;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Rng random(seed);
    const CompiledRules rules(test::random_rules(seed));
    const DealContext context = test::random_context(seed, rules.rules());
    const Deal deal = test::strange_deal(seed, rules.rules(), 0, context);
    Game game(rules, deal, 0, context);
    for (int i = 0; !game.is_terminal() && (seed % 4 != 0 || i < 20); ++i) {
      game.apply(test::random_action(game, random));
    }
    records.push_back(record_of(game, deal));
  }
  return records;
}

}  // namespace

void fuzz_record(std::string_view bytes) {
  if (const auto record = taken([&] { return parse_record(bytes, 7); })) check_record(*record);
}

void fuzz_record_text(std::string_view bytes) {
  for (const TextGame& game : split_text(bytes)) {
    const auto record = taken([&] { return parse_text(game.text, game.first_line); });
    if (record) check_record(*record);
  }
}

std::vector<std::string> record_seeds() {
  std::vector<std::string> seeds;
  for (const GameRecord& record : some_records()) seeds.push_back(to_json(record));
  return seeds;
}

std::vector<std::string> record_text_seeds() {
  std::vector<std::string> seeds;
  for (const GameRecord& record : some_records()) seeds.push_back(to_text(record));
  return seeds;
}

}  // namespace schafkopf::fuzz
