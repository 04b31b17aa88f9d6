#include "tests/fuzz/targets.h"

namespace schafkopf::fuzz {

std::vector<Target> targets() {
  return {
      {"record", fuzz_record, record_seeds},
      {"record_text", fuzz_record_text, record_text_seeds},
      {"rules", fuzz_rules, rule_seeds},
      {"tournament", fuzz_tournament, tournament_seeds},
      {"spec", fuzz_spec, spec_seeds},
      {"weights", fuzz_weights, weight_seeds},
      {"game", fuzz_game, game_seeds},
      {"snapshot", fuzz_snapshot, snapshot_seeds},
      {"journal", fuzz_journal, journal_seeds},
      {"league", fuzz_league, league_seeds},
      {"engine_lines", fuzz_engine_lines, engine_line_seeds},
      {"engine_session", fuzz_engine_session, engine_session_seeds},
      {"actions", fuzz_actions, action_seeds},
  };
}

}  // namespace schafkopf::fuzz
