// A record played through the engine, and the record of a game.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <stdexcept>
#include <utility>

#include "env/record.h"

namespace schafkopf {
namespace {

/// The shipped rule sets as played, compiled once.
const std::map<std::string, std::shared_ptr<const CompiledRules>, std::less<>>& shipped_rules() {
  static const auto table = [] {
    std::map<std::string, std::shared_ptr<const CompiledRules>, std::less<>> rules;
    for (const std::string_view name : preset_names()) {
      rules.emplace(name, CompiledRules::load(std::string(name)));
    }
    return rules;
  }();
  return table;
}

std::string line_prefix(const GameRecord& record) {
  return record.line > 0 ? fmt::format("line {}: ", record.line) : std::string();
}

[[noreturn]] void reject(const GameRecord& record, const std::string& message) {
  throw std::invalid_argument(line_prefix(record) + message);
}

/// Contracts that a record may enter at card play, as "RUF, SOLO, ...".
std::string playable_classes(const CompiledRules& rules) {
  std::string text;
  for (const ContractRow& row : contract_table()) {
    if (!rules.can_be_played(row.contract)) continue;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", row.name);
  }
  return text;
}

void check_contract(const GameRecord& record, const CompiledRules& rules) {
  const ContractRow& row = contract_row(record.contract->contract);
  const std::string playable = ", " + playable_classes(rules) + ",";
  if (playable.find(fmt::format(", {},", row.name)) == std::string::npos) {
    reject(record, fmt::format("contract: {} is not played under these rules, allowed: {}",
                               row.name, playable_classes(rules)));
  }
  if (record.contract->tout && !rules.single_classes().contains(row.tout_action)) {
    reject(record,
           fmt::format("contract: the Tout form of {} is not played under these rules", row.name));
  }
}

bool is_auction(Phase phase) {
  return phase != Phase::kDouble && phase != Phase::kPlay && phase != Phase::kDone;
}

std::string legal_text(const Game& game) { return to_string(game.legal_actions()); }

/// Same rules, but a lost game is played to the last card (E.5).
std::shared_ptr<const CompiledRules> to_the_last_card(const CompiledRules& rules) {
  RuleSet changed = rules.rules();
  changed.early_termination = false;
  return std::make_shared<const CompiledRules>(changed, rules.name());
}

/// Plays one record, step by step.
class Replayer {
 public:
  Replayer(const GameRecord& record, const CompiledRules& rules, const Deal& deal)
      : record_(record), rules_(rules), deal_(deal), game_(start(rules)) {}

  void run() {
    if (!record_.contract) run_auction();
    for (const Card card : record_.plays) {
      answer_doublings();
      play(card);
    }
    answer_doublings();
    if (next_doubling_ < record_.doublings.size()) {
      const Doubling& doubling = record_.doublings[next_doubling_];
      reject(record_, fmt::format("doublings: seat {} is not asked before card {}{}", doubling.seat,
                                  doubling.card_index, why_not_asked(doubling)));
    }
  }

  [[nodiscard]] const Game& game() const { return game_; }
  [[nodiscard]] const std::vector<Action>& actions() const { return actions_; }
  /// The game with the cards that were recorded after its end; the game itself if there are none.
  [[nodiscard]] const Game& whole_game() const { return beyond_ ? *beyond_ : game_; }

 private:
  [[nodiscard]] Game start(const CompiledRules& rules) const {
    try {
      return record_.contract ? Game::with_contract(rules, deal_, record_.dealer, *record_.contract)
                              : Game(rules, deal_, record_.dealer);
    } catch (const std::invalid_argument& error) {
      reject(record_, fmt::format("contract: {}", error.what()));
    }
  }

  void apply(Action action) {
    game_.apply(action);
    actions_.push_back(action);
  }

  void run_auction() {
    for (std::size_t i = 0; i < record_.auction.size(); ++i) {
      const AuctionStep& step = record_.auction[i];
      if (!skip_to(step)) {
        reject(record_, fmt::format("auction: step {}, seat {}, {}: {}", i + 1, step.seat,
                                    action_name(step.action), why_wrong(step)));
      }
      apply(step.action);
    }
    while (is_auction(game_.phase()) && game_.legal_actions().count() == 1) {
      apply(game_.legal_actions().lowest());
    }
    if (is_auction(game_.phase()) && !record_.plays.empty()) {
      reject(record_,
             fmt::format("plays: card play has not begun, the auction stops at seat {} "
                         "({}); legal: {}",
                         game_.current_player(), phase_name(game_.phase()), legal_text(game_)));
    }
  }

  /// Runs the answers without alternative that the record left out before `step`; false, without
  /// any change, if the step is still not legal then.
  [[nodiscard]] bool skip_to(const AuctionStep& step) {
    Game ahead = game_;
    std::vector<Action> skipped;
    while (is_auction(ahead.phase())) {
      const ActionMask legal = ahead.legal_actions();
      if (ahead.current_player() == step.seat && legal.contains(step.action)) {
        game_ = ahead;
        actions_.insert(actions_.end(), skipped.begin(), skipped.end());
        return true;
      }
      if (legal.count() != 1) return false;
      skipped.push_back(legal.lowest());
      ahead.apply(legal.lowest());
    }
    return false;
  }

  [[nodiscard]] std::string why_wrong(const AuctionStep& step) const {
    if (!is_auction(game_.phase())) return "the auction is over";
    if (game_.current_player() != step.seat) {
      return fmt::format("it is the turn of seat {} ({}); legal: {}", game_.current_player(),
                         phase_name(game_.phase()), legal_text(game_));
    }
    return fmt::format("not legal in {}; legal: {}", phase_name(game_.phase()), legal_text(game_));
  }

  /// Answers every question of the windows before the next card.
  void answer_doublings() {
    while (game_.phase() == Phase::kDouble) {
      const bool doubles =
          next_doubling_ < record_.doublings.size() &&
          record_.doublings[next_doubling_] == Doubling{game_.current_player(), game_.num_plays()};
      if (doubles) ++next_doubling_;
      apply(doubles ? kActionDouble : kActionNoDouble);
    }
  }

  [[nodiscard]] std::string why_not_asked(const Doubling& doubling) const {
    if (doubling.card_index > whole_game().num_plays()) {
      return fmt::format(" (only {} cards were played)", whole_game().num_plays());
    }
    return " (asked are opponents of the last doubler, in the windows of the rules, up to their "
           "limit)";
  }

  void play(Card card) {
    if (game_.is_terminal()) {
      play_beyond(card);
      return;
    }
    check_card(game_, card);
    apply(card);
  }

  void check_card(const Game& game, Card card) const {
    if (game.phase() == Phase::kPlay && game.legal_actions().contains(card)) return;
    const int trick = game.num_plays() / game.seats() + 1;
    if (game.is_terminal()) {
      reject(record_, fmt::format("trick {}, card {}: the deal is over after {} cards", trick,
                                  card_name(card), game.num_plays()));
    }
    // the engine's own words, without its naming of seat and card
    const std::string why = game.why_illegal(card), named = card_name(card) + ": ";
    const std::size_t begin = why.find(named);
    reject(
        record_,
        fmt::format("trick {}, seat {}, card {}: {}", trick, game.current_player(), card_name(card),
                    begin == std::string::npos ? why : why.substr(begin + named.size())));
  }

  /// A card recorded after the end by rule (E.5): checked in the same game without early end.
  void play_beyond(Card card) {
    if (!beyond_) {
      beyond_rules_ = to_the_last_card(rules_);
      beyond_.emplace(start(*beyond_rules_));
      for (const Action action : actions_) beyond_->apply(action);
    }
    while (beyond_->phase() == Phase::kDouble) beyond_->apply(kActionNoDouble);
    check_card(*beyond_, card);
    beyond_->apply(card);
  }

  const GameRecord& record_;
  const CompiledRules& rules_;
  const Deal& deal_;
  Game game_;
  std::vector<Action> actions_;
  std::size_t next_doubling_ = 0;
  std::shared_ptr<const CompiledRules> beyond_rules_;
  std::optional<Game> beyond_;
};

// Result

std::vector<int> winners_of(const Game& game) {
  std::vector<int> winners;
  const int seats = game.seats();
  for (int card = seats; card <= game.num_plays(); card += seats) {
    const bool last = card == game.num_plays();
    winners.push_back(last ? static_cast<int>(game.play_state().turn) : game.played_by(card));
  }
  return winners;
}

/// Points and tricks as they were won (a Schieberramsch settles them after they are passed on); a
/// game that is not played out has those of its settlement.
void add_points(const Game& game, ReplayResult& result) {
  if (game.is_terminal()) {
    const Outcome outcome = game.outcome();
    std::ranges::copy(outcome.points, result.points.begin());
    std::ranges::copy(outcome.tricks, result.tricks.begin());
    return;
  }
  for (int seat = 0; seat < game.seats(); ++seat) {
    result.points[static_cast<std::size_t>(seat)] = points_of(game.captured(seat));
  }
  for (const int winner : result.trick_winners) ++result.tricks[static_cast<std::size_t>(winner)];
}

std::string ended_of(const Game& game) {
  if (!game.has_contract()) return "thrown in";
  if (game.num_plays() == game.seats() * game.rules().cards_per_hand()) return {};
  const Contract contract = game.contract();
  return fmt::format("{} {}", contract_name(contract.contract, contract.tout),
                     game.settlement().won ? "won" : "lost");
}

std::vector<std::string> legal_names(const Game& game) {
  std::vector<std::string> names;
  const ActionMask legal = game.legal_actions();
  for (int i = 0; i < legal.count(); ++i) {
    const Action action = legal.nth(i);
    names.push_back(game.phase() == Phase::kPlay && action < kNumCards
                        ? card_name(static_cast<Card>(action))
                        : action_name(action));
  }
  return names;
}

ReplayResult result_of(const Game& game, const Game& whole) {
  ReplayResult result;
  result.seats = game.seats();
  result.tariff_scale = game.rules().tariff_scale();
  result.trick_winners = winners_of(whole);
  add_points(whole, result);
  result.finished = game.is_terminal();
  if (!result.finished) {
    result.to_move = game.current_player();
    result.legal = legal_names(game);
    return result;
  }
  result.settlement = game.settlement();
  result.thrown_in = !game.has_contract();
  result.ended = ended_of(game);
  if (result.thrown_in) return result;
  result.everyone_alone = contract_row(game.contract().contract).parties == Parties::kEveryone;
  if (result.everyone_alone) return result;
  result.declarer_party = game.declarer_party();
  result.settlement.declarer_points = 0;
  for (int seat = 0; seat < game.seats(); ++seat) {
    if (((game.declarer_party() >> seat) & 1) == 0) continue;
    result.settlement.declarer_points += result.points[static_cast<std::size_t>(seat)];
  }
  return result;
}

// Record of a game

void set_rules(GameRecord& record, const CompiledRules& rules) {
  const auto shipped = shipped_rules().find(rules.name());
  if (shipped != shipped_rules().end() && shipped->second->hash() == rules.hash()) {
    record.preset = rules.name();
    return;
  }
  const RuleSet defaults;
  for (const FieldInfo& info : rule_fields()) {
    const FieldValue value = get_field(rules.rules(), info.key);
    if (value != get_field(defaults, info.key)) record.switches.emplace(info.key, value);
  }
}

void append(std::vector<Card>& list, CardSet cards) {
  for (const Card card : cards) list.push_back(card);
}

void set_history(GameRecord& record, const Game& game) {
  bool has_auction = !game.has_contract();
  for (int i = 0; i < game.num_events(); ++i) {
    const Event event = game.event(i);
    if (event.action == kActionDouble) {
      record.doublings.push_back({event.seat, event.cards_before});
    } else if (!event.flag) {
      record.auction.push_back({event.seat, event.action});
      has_auction = true;
    }
  }
  if (!has_auction) {
    record.contract = game.contract();
    if (contract_row(record.contract->contract).trump_suit != TrumpSuit::kAnnounced) {
      record.contract->suit = Suit::kHerz;
    }
  }
  for (int i = 0; i < game.num_plays(); ++i) record.plays.push_back(game.played_card(i));
}

}  // namespace

std::shared_ptr<const CompiledRules> rules_of(const GameRecord& record) {
  const auto shipped = shipped_rules().find(record.preset);
  if (record.switches.empty() && shipped != shipped_rules().end()) return shipped->second;
  try {
    return CompiledRules::make(make_rules(record.preset, record.switches));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("rules: {}", error.what()));
  }
}

Deal deal_of(const GameRecord& record, const RuleSet& rules) {
  const std::vector<std::span<const Card>> hands(record.hands.begin(), record.hands.end());
  try {
    return deal_from_hands(hands, rules);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("hands: {}", error.what()));
  }
}

ReplayedGame replay_game(const GameRecord& record) {
  std::shared_ptr<const CompiledRules> rules;
  Deal deal;
  try {
    rules = rules_of(record);
    deal = deal_of(record, rules->rules());
  } catch (const std::invalid_argument& error) {
    reject(record, error.what());
  }
  if (record.contract) check_contract(record, *rules);
  Replayer replayer(record, *rules, deal);
  replayer.run();
  return {rules, deal, replayer.game(), replayer.actions(),
          result_of(replayer.game(), replayer.whole_game())};
}

ReplayResult replay(const GameRecord& record) { return replay_game(record).result; }

GameRecord record_of(const Game& game, const std::optional<Deal>& deal) {
  if (game.context() != DealContext{}) {
    throw std::invalid_argument("a game that inherits something from a session has no record yet");
  }
  GameRecord record;
  set_rules(record, game.rules());
  record.dealer = game.dealer();
  for (int seat = 0; seat < game.seats(); ++seat) {
    std::vector<Card>& hand = record.hands.emplace_back();
    if (deal && deal->hand(seat) != game.dealt(seat)) {
      throw std::invalid_argument(fmt::format("seat {} was not dealt these cards", seat));
    }
    append(hand, deal ? deal->first[static_cast<std::size_t>(seat)] : game.dealt(seat));
    if (deal) append(hand, deal->second[static_cast<std::size_t>(seat)]);
  }
  try {
    (void)deal_of(record, game.rules().rules());
  } catch (const std::invalid_argument&) {
    throw std::invalid_argument("an endgame position has no record: its deal is unknown");
  }
  set_history(record, game);
  return record;
}

}  // namespace schafkopf
