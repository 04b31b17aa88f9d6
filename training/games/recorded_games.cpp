#include "training/games/recorded_games.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "env/base/input_limits.h"
#include "env/cards/card_map.h"
#include "env/record/record.h"

namespace schafkopf {
namespace {

/// Where a replay of this record begins, under the rules of the run.
Game start_of(const GameRecord& record, const Deal& deal, const CompiledRules& rules) {
  const DealContext& context = record.session.context;
  if (!record.contract) return {rules, deal, record.dealer, context};
  const CardPlayStart start{*record.contract, record.partner, record.laid, record.exchange};
  return Game::with_contract(rules, deal, record.dealer, start, context);
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

/// Whether the first line that is no blank one begins an object.
bool holds_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

}  // namespace

void RecordedDecisions::clear() {
  views.clear();
  full_views.clear();
  legal.clear();
  actions.clear();
}

RecordedGames::RecordedGames(const std::string& path, std::shared_ptr<const CompiledRules> rules,
                             LearnedPhases learned)
    : rules_(std::move(rules)), learned_(learned) {
  const std::string bytes = read_file(path, "the game records");
  std::string_view text = bytes;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // mark of UTF-8
  const auto read = [&](auto&& parse) {
    try {
      add(parse());
    } catch (const std::invalid_argument& error) {  // "line 3: ..."
      throw std::invalid_argument(fmt::format("{}: {}", path, error.what()));
    }
  };
  if (holds_json(text)) {
    int number = 0;
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      ++number;
      if (!is_blank(line)) read([&] { return parse_record(line, number); });
    }
  } else {
    for (const TextGame& game : split_text(text)) {
      read([&] {
        GameRecord record = parse_text(game.text, game.first_line);
        record.line = game.first_line;
        return record;
      });
    }
  }
  if (num_decisions_ == 0) {
    const std::string what =
        learned_ == LearnedPhases::kAll ? "" : fmt::format(" of learn = {}", name_of(learned_));
    throw std::invalid_argument(
        fmt::format("{}: {} games without a decision{}, allowed: at least one decision", path,
                    games_.size(), what));
  }
}

void RecordedGames::add(const GameRecord& record) {
  const ReplayedGame replayed = replay_game(record);
  if (replayed.rules->hash() != rules_->hash()) {
    throw std::invalid_argument(fmt::format(
        "line {}: rules = {} ({:016x}), allowed: those of the run, {} ({:016x})", record.line,
        replayed.rules->name(), replayed.rules->hash(), rules_->name(), rules_->hash()));
  }
  games_.push_back({start_of(record, replayed.deal, *rules_), replayed.actions});
  RecordedDecisions decisions;
  add_decisions(games_.size() - 1, false, decisions);
  num_decisions_ += decisions.size();
}

void RecordedGames::add_decisions(std::size_t game, bool full_view,
                                  RecordedDecisions& decisions) const {
  const Recorded& recorded = games_[game];
  Game now = recorded.start;
  for (const Action action : recorded.actions) {
    const ActionMask legal = without_claims(now.legal_actions());
    if (!legal.contains(action)) return;  // claimed; or an infraction ended the game before
    if (legal.count() > 1 && learns(learned_, now.phase())) {
      const int seat = now.current_player();
      PlayerView view = now.view(seat);
      view.cards.flags =
          static_cast<std::uint8_t>(view.cards.flags & ~(kFlagClaimRest | kFlagConcedeRest));
      const int map = view.order.card_map;
      decisions.views.push_back(view);
      if (full_view) decisions.full_views.push_back(now.full_view(seat));
      decisions.legal.push_back(to_canonical(legal, map));
      decisions.actions.push_back(to_canonical_action(action, map));
    }
    now.apply_unchecked(action);
  }
}

}  // namespace schafkopf
