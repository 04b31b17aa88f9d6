// What a batch keeps of each env: its game and deal, what every step reads beside it, its last end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "env/base/aligned_buffer.h"
#include "env/cards/card.h"
#include "env/game/game.h"

namespace schafkopf {

/// One env: its game and which deal it is.
struct alignas(64) EnvRow {
  explicit EnvRow(const Game& first) : game(first) {}
  Game game;
  std::uint64_t episode = 0;  // of the running deal
};
static_assert(sizeof(EnvRow) == 8 * 64,
              "a large batch is read from memory row by row (read_ahead)");

/// What stands about a row beside its game.
enum RowNote : std::uint8_t {
  kNoteEnded = 1 << 0,    // the last step reported an end that the next one clears
  kNoteWaiting = 1 << 1,  // terminal row: the next action is ignored
  kNoteDecided = 1 << 2,  // the caller made a decision in this deal
  kNotePlaced = 1 << 3,   // the game came by set_game, it is not the deal of the seed
  // shown last
  kNoteCards = 1 << 4,   // in card play: a kernel with lanes can step it
  kNoteRound = 1 << 5,   // in the first round of an auction, and others answer after this seat
  kNoteListed = 1 << 6,  // stands in EnvSlice::ended
  kNoteRules = 1 << 7,   // in this deal its row of observations got the section of the rules
};

/// What every step reads and writes of every row, side by side and apart from the games: of a game
/// in card play a step reads this, and the kernel the cards.
struct PlainRows {
  AlignedBuffer<std::uint64_t> seed;      // of the deals; read by a new one
  AlignedBuffer<std::uint64_t> policy;    // stream key of the random policy in the running deal
  AlignedBuffer<std::uint32_t> decision;  // number of the next decision in the deal
  AlignedBuffer<std::uint8_t> seat;       // that is to act, 0 on a terminal row
  AlignedBuffer<Phase> phase;             // as it was shown last
  AlignedBuffer<std::uint8_t> notes;      // RowNote
  static constexpr std::size_t kBytes = 2 * sizeof(std::uint64_t) + sizeof(std::uint32_t) + 3;

  void resize(std::size_t size) {
    seed.resize(size);
    policy.resize(size);
    decision.resize(size);
    seat.resize(size);
    phase.resize(size);
    notes.resize(size);
  }
  [[nodiscard]] bool has(std::size_t i, RowNote note) const { return (notes[i] & note) != 0; }
  void note(std::size_t i, RowNote note) { notes[i] = static_cast<std::uint8_t>(notes[i] | note); }
  void forget(std::size_t i, unsigned gone) {
    notes[i] = static_cast<std::uint8_t>(notes[i] & ~gone);
  }
};

/// The last end of a deal in a row, which the buffers show and snapshots keep.
struct LastEnd {
  std::array<float, kNumSeats> payoffs{}, stock{};  // in tariff units
  std::uint64_t deal_seed = 0;
  std::int8_t learner = -1;  // seat of the learner in that deal
  bool terminated = false;   // in the last step: it shows the payoffs as rewards
  bool session_end = false;  // in the last step
};
struct SavedRow;  // of a snapshot (vector_env_snapshot.cpp)

}  // namespace schafkopf
