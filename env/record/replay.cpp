// A record played through the engine.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <stdexcept>
#include <utility>

#include "env/game/laid.h"
#include "env/game/refusal.h"
#include "env/record/input_check.h"
#include "env/record/record.h"
#include "env/record/record_parts.h"
#include "env/record/replay_result.h"
#include "env/session/session.h"

namespace schafkopf {
namespace {

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
  if (!rules.can_be_played(row.contract)) {
    refuse_record(record, fmt::format("contract: {} is not played under these rules, allowed: {}",
                                      row.name, playable_classes(rules)));
  }
  if (record.contract->tout && !plays_tout(row, rules)) {
    refuse_record(
        record,
        fmt::format("contract: the Tout form of {} is not played under these rules", row.name));
  }
}

/// Questions before the first card, and after the first tricks of a Strixner.
bool is_auction(Phase phase) {
  return phase != Phase::kDouble && phase != Phase::kPlay && phase != Phase::kClaimSettle &&
         phase != Phase::kDone;
}

std::string legal_text(const Game& game) { return to_string(game.legal_actions()); }

/// Same rules, but a lost game is played to the last card (E.5).
std::shared_ptr<const CompiledRules> to_the_last_card(const CompiledRules& rules) {
  RuleSet changed = rules.rules();
  changed.early_termination = false;
  return std::make_shared<const CompiledRules>(changed, rules.name());
}

/// The row of RULES M for an event at the table.
std::string_view row_of_event(const TableEvent& event) {
  if (event.kind == TableEvent::Kind::kMisdeal) return "B.3.6, R-018..R-021";
  if (event.kind == TableEvent::Kind::kInfraction) return "E.6, R-127..R-131";
  if (event.action == kActionClaimRest) return "E.5, R-126";
  if (event.action == kActionConcedeRest) return "E.5, R-125";
  return is_settlement(event.action) ? "G.5, R-165..R-167" : "C.20.10";
}

/// Plays one record, step by step.
class Replayer {
 public:
  Replayer(const GameRecord& record, const CompiledRules& rules, const Deal& deal)
      : record_(record), rules_(rules), deal_(deal), game_(start(rules)) {}

  void run() {
    enter_misdeals();
    if (penalty_) {
      if (!record_.auction.empty() || record_.contract || !record_.plays.empty() ||
          next_event_ < record_.claims.size()) {
        refuse_record(record_, "claims: the second misdeal in a row ends the deal (B.3.6, R-021)");
      }
      return;
    }
    if (!record_.contract) run_auction();
    for (std::size_t i = 0; i < record_.plays.size(); ++i) {
      before_card(static_cast<int>(i));
      play(record_.plays[i]);
    }
    before_card(static_cast<int>(record_.plays.size()));
    check_nothing_is_left();
  }

  [[nodiscard]] const Game& game() const { return game_; }
  [[nodiscard]] const std::vector<Action>& actions() const { return actions_; }
  /// The game with the cards that were recorded after its end; the game itself if there are none.
  [[nodiscard]] const Game& whole_game() const { return beyond_ ? *beyond_ : game_; }
  /// The dealer pays for a second misdeal; there is no game.
  [[nodiscard]] bool penalty() const { return penalty_; }

 private:
  [[nodiscard]] Game start(const CompiledRules& rules) const {
    const DealContext& context = record_.session.context;
    try {
      if (!record_.contract) return Game(rules, deal_, record_.dealer, context);
      const CardPlayStart start{*record_.contract, record_.partner, record_.laid, record_.exchange};
      return Game::with_contract(rules, deal_, record_.dealer, start, context);
    } catch (const std::invalid_argument& error) {
      refuse_record(record_,
                    fmt::format("{}: {}", record_.contract ? "contract" : "session", error.what()));
    }
  }

  void apply(Action action) {
    game_.apply(action);
    actions_.push_back(action);
  }

  // Before the first card

  /// Misdeals come before everything else; the cards of the record are those dealt at last.
  void enter_misdeals() {
    while (next_event_ < record_.claims.size()) {
      const TableEvent& event = record_.claims[next_event_];
      if (event.kind != TableEvent::Kind::kMisdeal) break;
      if (event.seat != record_.dealer || event.card_index != 0) {
        reject_event(event, "only the dealer, before the first card");
      }
      ++next_event_;
    }
    penalty_ =
        next_event_ >= 2 && rules_.rules().misdeal_policy == MisdealPolicy::kRedealThenPenalty;
    if (next_event_ > 2 && penalty_) reject_event(record_.claims[2], "the deal was over");
  }

  void run_auction() {
    std::size_t done = 0;
    run_steps(record_.auction, done, "auction");
    check_draw();
    if (record_.plays.empty() || !is_auction(game_.phase())) return;
    refuse_record(
        record_, fmt::format("plays: card play has not begun, the auction stops at seat {} "
                             "({}); legal: {}",
                             game_.current_player(), phase_name(game_.phase()), legal_text(game_)));
  }

  /// Beside an auction `exchange` names the card of a Zupf-Solo; who draws from whom is said there.
  void check_draw() const {
    if (record_.contract || record_.exchange.empty()) return;
    const Exchange& draw = record_.exchange.front();
    if (game_.given(draw.from) == draw.cards && game_.received(draw.to) == draw.cards) return;
    refuse_record(
        record_, fmt::format("exchange: seat {} has drawn no card from seat {} by this auction, "
                             "allowed: what its TARGET and the card given for it lead to (C.20.11)",
                             draw.to, draw.from));
  }

  /// Takes every step, and then answers without alternative.
  void run_steps(const std::vector<AuctionStep>& steps, std::size_t& done, std::string_view key) {
    for (; done < steps.size(); ++done) {
      const AuctionStep& step = steps[done];
      if (!skip_to(step)) {
        refuse_record(record_, fmt::format("{}: step {}, seat {}, {}: {}", key, done + 1, step.seat,
                                           action_name(step.action), why_wrong(step)));
      }
      apply(step.action);
    }
    std::optional<Action> answer;
    while ((answer = automatic_answer(game_, next_laid_))) apply(*answer);
  }

  /// Answer to a question that a record leaves out: Legen, and actions without alternative.
  [[nodiscard]] std::optional<Action> automatic_answer(const Game& game,
                                                       std::size_t& next_laid) const {
    if (!is_auction(game.phase())) return std::nullopt;
    if (game.phase() == Phase::kLegen) {
      const bool lays =
          next_laid < record_.laid.size() && record_.laid[next_laid] == game.current_player();
      if (lays) ++next_laid;
      return lays ? kActionLay : kActionNoLay;
    }
    const ActionMask legal = game.legal_actions();
    return legal.count() == 1 ? std::optional(legal.lowest()) : std::nullopt;
  }

  /// Runs the answers that the record left out before `step`; false, with only Legen answered, if
  /// the step is still not legal then.
  [[nodiscard]] bool skip_to(const AuctionStep& step) {
    std::optional<Action> answer;
    while (game_.phase() == Phase::kLegen && (answer = automatic_answer(game_, next_laid_))) {
      apply(*answer);
    }
    Game ahead = game_;
    std::size_t laid = next_laid_;
    std::vector<Action> skipped;
    while (is_auction(ahead.phase())) {
      if (ahead.current_player() == step.seat && ahead.legal_actions().contains(step.action)) {
        game_ = ahead;
        next_laid_ = laid;
        actions_.insert(actions_.end(), skipped.begin(), skipped.end());
        return true;
      }
      answer = automatic_answer(ahead, laid);
      if (!answer) return false;
      skipped.push_back(*answer);
      ahead.apply(*answer);
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

  // Between the cards

  /// What happened before the card with this number: doublings, what is named after the first
  /// tricks (C.20.10), claims and infractions.
  void before_card(int card) {
    answer_doublings();
    name_during_play(card);
    answer_doublings();
    while (next_event_ < record_.claims.size() && record_.claims[next_event_].card_index == card) {
      enter(record_.claims[next_event_]);
      ++next_event_;
    }
  }

  /// The steps of a naming after the first tricks stand in `claims`.
  void name_during_play(int card) {
    if (!is_auction(game_.phase()) || game_.num_plays() == 0) return;
    std::vector<AuctionStep> steps;
    while (next_event_ < record_.claims.size()) {
      const TableEvent& event = record_.claims[next_event_];
      const bool step = event.kind == TableEvent::Kind::kAction && event.card_index == card &&
                        !is_settlement(event.action) && !claims_rest(event.action);
      if (!step) break;
      steps.push_back({event.seat, event.action});
      ++next_event_;
    }
    std::size_t done = 0;
    run_steps(steps, done, "claims");
  }

  void enter(const TableEvent& event) {
    if (event.kind == TableEvent::Kind::kMisdeal) {
      reject_event(event, "a misdeal comes before everything else");
    }
    if (event.kind == TableEvent::Kind::kInfraction) {
      if (is_played_out(game_)) reject_event(event, "the deal is over");
      try {
        game_.infract(event.seat, event.infraction);
      } catch (const std::invalid_argument& error) {
        reject_event(event, error.what());
      }
      return;
    }
    const bool claims = game_.phase() == Phase::kPlay && event.action >= kNumCards;
    const bool asked = claims || game_.phase() == Phase::kClaimSettle;
    if (!asked || game_.current_player() != event.seat ||
        !game_.legal_actions().contains(event.action)) {
      reject_event(event,
                   game_.is_terminal()
                       ? std::string("the deal is over")
                       : fmt::format("seat {} is to act in {}; legal: {}", game_.current_player(),
                                     phase_name(game_.phase()), legal_text(game_)));
    }
    apply(event.action);
  }

  [[noreturn]] void reject_event(const TableEvent& event, const std::string& why) const {
    const auto is_event = [&event](const TableEvent& one) { return &one == &event; };
    const auto entry = std::ranges::find_if(record_.claims, is_event) - record_.claims.begin() + 1;
    const std::string row = fmt::format(" ({})", row_of_event(event));
    refuse_record(record_, fmt::format("claims: entry {}, seat {}, {} before card {}: {}{}", entry,
                                       event.seat, event_name(event), event.card_index, why,
                                       why.ends_with(row) ? "" : row));
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

  void check_nothing_is_left() const {
    if (next_laid_ < record_.laid.size() && !record_.contract) {
      refuse_record(record_,
                    fmt::format("legen: seat {} is not asked then: legen = {} (F.1, R-132, R-134)",
                                record_.laid[next_laid_], name_of(rules_.rules().legen)));
    }
    if (next_doubling_ < record_.doublings.size()) {
      const Doubling& doubling = record_.doublings[next_doubling_];
      refuse_record(record_,
                    fmt::format("doublings: seat {} is not asked before card {}{}", doubling.seat,
                                doubling.card_index, why_not_asked(doubling)));
    }
    if (next_event_ < record_.claims.size()) {
      reject_event(record_.claims[next_event_],
                   fmt::format("only {} cards were played", record_.plays.size()));
    }
  }

  [[nodiscard]] std::string why_not_asked(const Doubling& doubling) const {
    if (doubling.card_index > whole_game().num_plays()) {
      return fmt::format(" (only {} cards were played)", whole_game().num_plays());
    }
    return " (asked are opponents of the last doubler, in the windows of the rules, up to their "
           "limit)";
  }

  // Cards

  void play(Card card) {
    if (is_played_out(game_)) {
      play_beyond(card);
      return;
    }
    check_card(game_, card);
    apply(card);
  }

  void check_card(const Game& game, Card card) const {
    if (game.phase() == Phase::kPlay && game.legal_actions().contains(card)) return;
    const int trick = game.num_plays() / game.seats() + 1;
    if (is_played_out(game)) {
      refuse_record(record_, fmt::format("trick {}, card {}: the deal is over after {} cards",
                                         trick, card_name(card), game.num_plays()));
    }
    const auto refusal = refusal_of(game, card);
    const std::string why = refusal ? reason_with_rule(*refusal)
                                    : fmt::format("no play in {}", phase_name(game.phase()));
    refuse_record(record_,
                  fmt::format("trick {}, seat {}, card {}: {}; legal: {}", trick,
                              game.current_player(), card_name(card), why, legal_text(game)));
  }

  /// A card recorded after the end by rule (E.5): checked in the same game without early end.
  void play_beyond(Card card) {
    if (game_.infraction() != Infraction::kNone) check_card(game_, card);
    if (!beyond_) {
      beyond_rules_ = to_the_last_card(rules_);
      beyond_.emplace(start(*beyond_rules_));
      for (const Action action : actions_) {
        if (!is_settlement(action)) beyond_->apply(action);
      }
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
  std::size_t next_laid_ = 0, next_doubling_ = 0, next_event_ = 0;
  bool penalty_ = false;
  std::shared_ptr<const CompiledRules> beyond_rules_;
  std::optional<Game> beyond_;
};

}  // namespace

ReplayedGame replay_game(const GameRecord& record) {
  check_record(record);
  std::shared_ptr<const CompiledRules> rules;
  Deal deal;
  try {
    rules = rules_of(record);
    deal = deal_of(record, rules->rules());
  } catch (const std::invalid_argument& error) {
    refuse_record(record, error.what());
  }
  if (record.contract) {
    check_contract(record, *rules);
    try {
      check_laid(rules->rules(), record.dealer, record.laid);
    } catch (const std::invalid_argument& error) {
      refuse_record(record, error.what());
    }
  }
  Replayer replayer(record, *rules, deal);
  replayer.run();
  return {rules, deal, replayer.game(), replayer.actions(),
          replayer.penalty() ? penalty_result(record, *rules)
                             : result_of(record, replayer.game(), replayer.whole_game())};
}

ReplayResult replay(const GameRecord& record) { return replay_game(record).result; }

}  // namespace schafkopf
