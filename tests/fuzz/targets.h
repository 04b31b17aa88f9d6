// The targets by name: a function over bytes, and one that makes inputs to begin with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/fuzz.h"

namespace schafkopf::fuzz {

void fuzz_record(std::string_view bytes);
std::vector<std::string> record_seeds();
void fuzz_record_text(std::string_view bytes);
std::vector<std::string> record_text_seeds();

void fuzz_rules(std::string_view bytes);
std::vector<std::string> rule_seeds();
void fuzz_tournament(std::string_view bytes);
std::vector<std::string> tournament_seeds();
void fuzz_spec(std::string_view bytes);
std::vector<std::string> spec_seeds();

void fuzz_weights(std::string_view bytes);
std::vector<std::string> weight_seeds();

void fuzz_game(std::string_view bytes);
std::vector<std::string> game_seeds();
void fuzz_snapshot(std::string_view bytes);
std::vector<std::string> snapshot_seeds();

void fuzz_journal(std::string_view bytes);
std::vector<std::string> journal_seeds();
void fuzz_league(std::string_view bytes);
std::vector<std::string> league_seeds();

void fuzz_engine_lines(std::string_view bytes);
std::vector<std::string> engine_line_seeds();
void fuzz_engine_session(std::string_view bytes);
std::vector<std::string> engine_session_seeds();

void fuzz_actions(std::string_view bytes);
std::vector<std::string> action_seeds();

void fuzz_training(std::string_view bytes);
std::vector<std::string> training_seeds();
void fuzz_checkpoint(std::string_view bytes);
std::vector<std::string> checkpoint_seeds();

}  // namespace schafkopf::fuzz
