// Bytes choose rules, a deal and what is done: at every step all that must hold is asked.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "env/record/history.h"
#include "env/record/record.h"
#include "env/vector/vector_env.h"
#include "tests/cpp/support/game_checks.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/cpp/support/record_limits.h"
#include "tests/fuzz/byte_source.h"
#include "tests/fuzz/targets.h"

namespace schafkopf::fuzz {
namespace {

/// A view is a function of what everybody saw and the own hand, where a history can tell.
void check_public(const Game& game) {
  if (game.is_terminal() || game.is_endgame() || game.infraction() != Infraction::kNone) return;
  const int seat = game.current_player();
  const PlayerView view = game.view(seat);
  const auto history = taken([&] { return public_history(view, game.rules()); });
  if (!history) return;
  const auto again =
      taken([&] { return view_at(*history, history->actions.size(), seat, game.dealt(seat)); });
  if (!again) return;
  must(legal_actions(again->cards) == game.legal_actions(), "another mask from the history");
}

/// The record of a game plays the same game.
void check_record(const Game& game, const Deal& deal) {
  const GameRecord record = record_of(game, deal);
  must(parse_record(to_json(record)) == record, "another record as JSON");
  must(parse_text(to_text(record)) == record, "another record as text");
  const ReplayedGame replayed = replay_game(record);
  // what would have been drawn in a Zupf-Solo stands in no record, nor does one of two questions
  const bool is_whole =
      game.special_round() != SpecialRound::kZupfSolo && test::names_the_question(game);
  const bool same = is_whole ? replayed.game.serialize() == game.serialize()
                             : display(replayed.game) == display(game);
  if (same) return;
  must(false,
       "its record is another game:\n" + to_text(record) + display(replayed.game) + display(game));
}

class Stream {
 public:
  explicit Stream(std::string_view bytes)
      : source_(bytes),
        rules_(std::make_shared<const CompiledRules>(test::drawn_rules(source_))),
        context_(source_.next_below(2) == 0
                     ? rules_->first_context()
                     : test::random_context(source_.next(), rules_->rules())),
        dealer_(source_.next_below(rules_->seats())),
        deal_(test::strange_deal(source_.next(), rules_->rules(), dealer_, context_)),
        game_(*rules_, deal_, dealer_, context_),
        env_(options()) {
    env_.set_game(0, game_);
  }

  void play() {
    while (!game_.is_terminal() && !source_.is_empty()) {
      check();
      step();
    }
    check();
    if (!game_.is_terminal()) return;
    test::check_end(game_);
    check_record(game_, deal_);
  }

 private:
  [[nodiscard]] VectorEnvOptions options() const {
    VectorEnvOptions options;
    options.rules = {rules_};
    options.auto_reset = AutoReset::kDisabled;
    options.claim_actions = true;
    options.view_lines = true;
    options.full_view = true;
    return options;
  }

  /// One byte: mostly a legal action, else something that must change nothing, or an infraction.
  void step() {
    const int choice = source_.next_below(256);
    if (choice < 224) {
      const ActionMask mask = game_.legal_actions();
      apply(mask.nth(choice % mask.count()));
    } else if (choice < 240) {
      test::check_refusal(game_, static_cast<Action>(source_.next_below(kNumActions)));
    } else if (choice < 248) {
      check_public(game_);
    } else {
      infract(choice);
    }
  }

  void apply(Action action) {
    game_.apply(action);
    env_.step(std::span<const Action>(&action, 1));
  }

  void infract(int choice) {
    if (game_.phase() != Phase::kPlay || !game_.has_contract()) return;
    const int kinds = kNumValues<Infraction> - 1;
    game_.infract(choice % game_.seats(), static_cast<Infraction>(1 + source_.next_below(kinds)));
    if (!game_.is_terminal()) env_.set_game(0, game_);
    offended_ = true;
  }

  void check() {
    game_.check_invariants();
    test::check_views(game_);
    must(game_.is_terminal() == game_.legal_actions().empty(),
         "no legal action, or one at the end");
    must(test::has_payoffs(game_) == game_.is_terminal(), "payoffs before the end, or none after");
    if (source_.next_below(8) == 0) test::check_bytes(game_);
    if (!offended_) check_batch();
  }

  void check_batch() {
    const EnvBuffers& buffers = env_.buffers();
    must((buffers.terminated[0] != 0) == game_.is_terminal(),
         "the batch is not over, or too early");
    if (game_.is_terminal()) {
      const auto scale = static_cast<float>(rules_->tariff_scale());
      for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
        must(buffers.rewards[seat] == static_cast<float>(game_.payoffs()[seat]) / scale, "rewards");
      }
      return;
    }
    must(buffers.legal[0] == game_.legal_actions(), "the mask of the batch is another");
    must(buffers.current_player[0] == game_.current_player(), "the seat of the batch is another");
    must(buffers.phase[0] == static_cast<int>(game_.phase()), "the phase of the batch is another");
  }

  ByteSource source_;
  std::shared_ptr<const CompiledRules> rules_;
  DealContext context_;
  int dealer_;
  Deal deal_;
  Game game_;
  VectorEnv env_;
  bool offended_ = false;
};

}  // namespace

void fuzz_actions(std::string_view bytes) { Stream(bytes).play(); }

std::vector<std::string> action_seeds() {
  std::vector<std::string> seeds;
  for (std::uint64_t seed = 1; seed <= 64; ++seed) {
    Rng random(seed);
    std::string bytes;
    for (int i = 0; i < 400; ++i) {
      const bool plain = i > 300 || random.next_below(4) != 0;
      bytes += static_cast<char>(random.next_below(plain ? 224 : 256));
    }
    seeds.push_back(bytes);
  }
  return seeds;
}

}  // namespace schafkopf::fuzz
