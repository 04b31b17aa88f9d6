// Inside of VectorEnv, shared by vector_env*.cpp only: what a batch owns, and what it does.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "env/base/aligned_buffer.h"
#include "env/base/assert.h"
#include "env/base/slice_pool.h"
#include "env/base/streamed.h"
#include "env/lanes/lane_kernels.h"
#include "env/session/session.h"
#include "env/vector/env_rows.h"
#include "env/vector/env_slice.h"
#include "env/vector/vector_env.h"
#include "env/view/encoder.h"
#include "env/view/packed_row.h"
#include "env/view/policy.h"

namespace schafkopf {

/// Word by word: 16 bytes at once would wait until both halves, stored one by one, have arrived.
inline void set_words(ActionMask& mask, const ActionMask& from) {
  mask.words[0] = from.words[0];
  mask.words[1] = from.words[1];
}

/// Bytes of all rows from which on they do not stay in the caches from step to step.
inline constexpr std::size_t kReadAheadFrom = std::size_t{6} << 20;

/// Bytes of all rows and of what a step shows of them from which on what is shown goes past the caches.
inline constexpr std::size_t kShownPastCachesFrom = std::size_t{18} << 20;

/// Bytes of the rows of observations that are copied past the caches together: the first cache holds them.
inline constexpr std::size_t kTileBytes = std::size_t{32} << 10;

struct VectorEnv::Impl {
  Impl(VectorEnvOptions asked, const EnvBuffers& supplied);

  // Set-up (vector_env.cpp)
  /// Passes name, member, whether the options ask for it and number of elements of every buffer.
  template <class Give>
  void list_buffers(const Give& give) const;
  void make_buffers(const EnvBuffers& supplied);
  void check_supplied(const EnvBuffers& supplied) const;
  [[nodiscard]] std::uint64_t needed_bytes(const EnvBuffers& supplied) const;
  void check_memory(const EnvBuffers& supplied) const;
  template <class T>
  void provide(const char* name, std::span<T> EnvBuffers::* member, const EnvBuffers& supplied,
               bool wanted, std::size_t size);
  [[nodiscard]] std::size_t streamable_bytes() const;
  void choose_stores();
  void make_rule_sections();
  void make_slices();
  void reset(std::optional<std::uint64_t> seed, std::span<const std::uint8_t> reset_mask);
  void reset_rows(std::optional<std::uint64_t> seed, std::span<const std::uint8_t> reset_mask,
                  bool dealt);

  // What an exception out of a player or generator leaves (vector_env.cpp)
  /// Calls what changes rows; an exception that comes out of it leaves the batch torn.
  template <class Work>
  void change_rows(const Work& work) {
    try {
      work();
    } catch (...) {
      mark_torn();
      throw;
    }
  }
  void mark_torn();
  /// Throws std::runtime_error if the rows are torn.
  void require_whole() const {
    if (!torn_by.empty()) [[unlikely]] {
      refuse_torn();
    }
  }
  [[noreturn]] void refuse_torn() const;

  // Snapshots (vector_env_snapshot.cpp)
  /// Why a row cannot be that of a snapshot of this batch; empty if it can.
  [[nodiscard]] std::string why_impossible(int env, const SavedRow& saved) const;
  [[nodiscard]] std::string why_game_impossible(int env, const SavedRow& saved) const;
  [[nodiscard]] std::string why_end_impossible(int env, const SavedRow& saved) const;
  [[nodiscard]] std::string why_paid_impossible(const SavedRow& saved) const;

  // Steps and rows (vector_env_step.cpp)
  void sort_rows(StepWork& work, int first, std::size_t size);
  /// Asks for lines of a game that is soon stepped: a large batch does not lie in the caches.
  template <std::size_t... lines>
  [[gnu::always_inline]] void fetch(std::int32_t env) const {
    const auto* game = reinterpret_cast<const std::uint8_t*>(&row(env).game);
    (__builtin_prefetch(game + 64 * lines, 1), ...);
  }
  /// Reads rows that are soon stepped, in order and all of them: the processor then fetches from memory on
  /// its own, sooner than it can be asked line by line. Of a game all but the events that no view shows.
  void read_ahead(int begin, int end) const {
    const auto first = static_cast<std::size_t>(begin), last = static_cast<std::size_t>(end);
    for (std::size_t i = first; i < last; ++i) read_lines<0, 1, 2, 3, 6, 7>(rows[i]);
    if (!lane_rows.empty()) {
      constexpr std::size_t kInLine = 64 / sizeof(LaneRow);
      for (std::size_t i = first; i < last; i += kInLine) read_lines<0>(lane_rows[i]);
    }
    constexpr std::size_t kInLine = 64 / sizeof(std::uint16_t);
    for (std::size_t i = first; i < last; i += kInLine) read_lines<0>(rule_numbers[i]);
  }
  template <std::size_t... lines, class T>
  [[gnu::always_inline]] static void read_lines(const T& of) {
    const auto* const bytes = reinterpret_cast<const volatile std::uint8_t*>(&of);
    ((void)bytes[64 * lines], ...);
  }
  /// Asks for what the end of a deal reads and shows beside the game. Inline always: a call of what has no
  /// other effect is left out by g++.
  [[gnu::always_inline]] void fetch_end(int env) const {
    const auto i = static_cast<std::size_t>(env);
    // not read ahead; deals that begin anew leave them alone
    if (first_games.empty()) fetch<4, 5>(env);
    __builtin_prefetch(&ends[i].session_end, 1);  // the last line of it
    __builtin_prefetch(&buffers.rewards[kNumSeats * i], 1);
    __builtin_prefetch(&buffers.episode_return[kNumSeats * i], 1);
    __builtin_prefetch(&buffers.episode_seed[i], 1);
    __builtin_prefetch(&buffers.running_seed[i], 1);
    __builtin_prefetch(&plain_rows.seed[i]);
  }
  void answer_rounds(EnvSlice& slice);
  void answer_others(EnvSlice& slice);
  void show_arrived(EnvSlice& slice);
  void settle_row(EnvSlice& slice, int env);
  template <class T>
  void check(std::span<const T> actions);
  template <class T>
  void step(std::span<const T> actions);
  template <class Choose>
  void step_all(const Choose& choose);
  template <class Choose>
  void step_slice(EnvSlice& slice, const Choose& choose);
  void random_actions(std::span<Action> actions) const;
  [[nodiscard]] ViewBatch views(bool hidden_hands);
  [[noreturn]] void refuse(int env, std::int64_t given) const;
  /// Show a row: written with the next full tile, or by write_ready.
  void show(EnvSlice& slice, int env) {
    slice.ready[slice.num_ready++] = env;
    if (slice.num_ready == slice.ready.size()) write_ready(slice);
  }
  void write_ready(EnvSlice& slice);
  void write_row(int env, CardsLine& cards, OrderLine& order, EventsLine& events);
  /// What a row shows beside its lines, its phase and its byte mask.
  void write_legal(int env, int actor, int viewer, ActionMask mask, const OrderLine& order) {
    const auto i = static_cast<std::size_t>(env);
    SCHAFKOPF_ASSERT(!mask.empty());
    set_words(legal[i], mask);
    if (shows_more) [[unlikely]] {
      mask = write_more(env, viewer, mask, order);
    }
    set_words(buffers.legal[i], mask);
    buffers.current_player[i] = static_cast<std::int8_t>(actor);
  }
  /// The byte masks of rows whose masks were just written.
  void show_masks(std::span<const std::int32_t> envs) const;
  [[nodiscard]] ActionMask write_more(int env, int viewer, ActionMask mask, const OrderLine& order);
  template <class Stays>
  void check_waiting(const Stays& stays) const;
  /// Where the lines of a row are written: in the buffers, or at place k of the tile.
  [[nodiscard]] ViewLines lines_at(const EnvSlice& slice, std::size_t k, std::size_t env) const {
    return lines_in_buffers()
               ? ViewLines{&buffers.cards[env], &buffers.order[env], &buffers.events[env]}
               : ViewLines{&slice.views.cards[k], &slice.views.order[k], &slice.views.events[k]};
  }
  [[nodiscard]] bool lines_in_buffers() const { return options.view_lines && !streams; }
  /// Lines that were written to the tile and are shown.
  void copy_lines(const ViewLines& view, int env) const {
    const auto i = static_cast<std::size_t>(env);
    copy_streamed(&buffers.cards[i], view.cards, sizeof(CardsLine));
    copy_streamed(&buffers.order[i], view.order, sizeof(OrderLine));
    copy_streamed(&buffers.events[i], view.events, sizeof(EventsLine));
  }
  void write_observations(EnvSlice& slice, std::span<const std::int32_t> envs,
                          std::span<const ViewLines> views);
  template <class T>
  void write_observations(std::span<const std::int32_t> envs, std::span<const ViewLines> views,
                          std::span<T> observations);
  template <class T>
  void write_rule_sections(std::span<const std::int32_t> envs, T* const* row_of);
  /// Observations over a tile of rows that is then copied past the caches.
  template <class T>
  void stream_by_tile(EnvSlice& slice, std::span<const std::int32_t> envs,
                      std::span<const ViewLines> views, std::span<T> observations);
  // Blocks of games in card play (vector_env_lanes.cpp)
  /// Play the cards from `first` on, at most one block.
  void play_lanes(EnvSlice& slice, std::size_t first, std::size_t count);
  void run_kernel(EnvSlice& slice, std::size_t first, std::size_t count);
  /// Stopped lanes that go on as if they had not been.
  [[nodiscard]] std::uint64_t lanes_that_go_on(EnvSlice& slice, std::uint64_t stopped);
  [[nodiscard]] std::uint64_t without_forced(const LaneBlock& block, std::uint64_t shown) const;
  void show_lanes(EnvSlice& slice, std::uint64_t shown);
  /// Observation rows without the section of the rules.
  template <class T>
  void write_rows(std::span<const ViewLines> views, T* const* targets,
                  Stores stores = Stores::kCached) const {
    if constexpr (std::is_same_v<T, std::uint8_t>) {
      if (options.observation == ObservationType::kPacked) {
        return pack_views(views, options.cards, targets, kernel->set);
      }
    }
    expand_views({options.observation_version, options.cards}, views, targets, kernel->set, stores);
  }
  /// The last section of an observation row, which every row of a rule set shares. Compared before it is
  /// written: that costs less than dirtying the lines.
  template <class T>
  void write_rule_section(int env, T* row) const {
    const std::span<const T> section = rule_section<T>(env);
    if (section.empty()) return;  // packed rows; memcmp is slow where nothing can be read
    T* const own = row + features - section.size();
    if (std::memcmp(own, section.data(), section.size_bytes()) == 0) return;
    std::ranges::copy(section, own);
  }
  /// Of the rules of an env; empty for packed rows.
  template <class T>
  [[nodiscard]] std::span<const T> rule_section(int env) const {
    const std::span<const T> sections = std::get<std::vector<T>>(rule_sections);
    if (sections.empty()) return {};
    return sections.subspan(rule_number(env) * rule_length, rule_length);
  }
  [[nodiscard]] EnvSlice& slice_of(int env);
  /// Absolute, drawn among the legal actions.
  void draw_actions(int first, std::span<Action> actions) const;
  /// An action from outside with its card by the absolute index; what is no card stays.
  template <class T>
  [[nodiscard]] T absolute(int env, T action) const {
    if (!canonical || action < 0 || action >= kNumCards) return action;
    return static_cast<T>(
        from_canonical_action(static_cast<Action>(action), maps[static_cast<std::size_t>(env)]));
  }
  /// The seat that a row shows.
  [[nodiscard]] int shown_seat(int env) const {
    const int actor = row(env).game.current_player();
    return actor >= 0 ? actor : std::max(learner_seat(env, row(env)), 0);
  }
  /// The seat that the caller plays in the running deal of a row, -1: all. One that rotates meets
  /// every dealer: deal n has the dealer n mod S, and S times S deals have each pair once.
  [[nodiscard]] int learner_seat(int env, const EnvRow& current) const {
    if (!options.learner_seat.rotates()) [[likely]] {
      return options.learner_seat.number;
    }
    const std::uint64_t deal =
        options.first_env + static_cast<std::uint64_t>(env) + current.episode;
    const auto seats = static_cast<std::uint64_t>(rules_of(env).seats());
    return static_cast<int>((deal + deal / seats) % seats);
  }
  [[nodiscard]] RngKey key_of(int env) const;

  // Deals (vector_env_deals.cpp)
  /// Forget the end that the last step reported.
  void forget_end(int env) {
    const auto i = static_cast<std::size_t>(env);
    plain_rows.forget(i, kNoteEnded);
    ends[i].terminated = ends[i].session_end = false;
  }
  /// The row reports an end until the next step.
  void note_end(EnvSlice& slice, int env) {
    const auto i = static_cast<std::size_t>(env);
    if (!plain_rows.has(i, kNoteListed)) slice.ended.push_back(env);
    plain_rows.note(i, kNoteEnded);
    plain_rows.note(i, kNoteListed);
  }
  void forget_ends(EnvSlice& slice) {
    for (const std::int32_t env : slice.ended) {
      const auto i = static_cast<std::size_t>(env);
      plain_rows.forget(i, kNoteListed);
      if (plain_rows.has(i, kNoteEnded)) forget_end(env);
    }
    slice.ended.clear();
  }
  /// Show rows [begin, end) without an end.
  void show_no_end(int begin, int end) const;
  void show_end(int env);
  /// Deal the episode of the row; a session goes on unless it is over or a new one is asked for.
  void begin_deal(int env, bool new_session);
  void next_deal(int env);
  void set_deal_seed(std::size_t i, std::uint64_t deal_seed) {
    buffers.running_seed[i] = deal_seed;
    plain_rows.policy[i] = stream_key(deal_seed, RngStream::kPolicy);
    if (options.learner_seat.is_some()) {
      buffers.learner_seat[i] =
          static_cast<std::int8_t>(learner_seat(static_cast<int>(i), rows[i]));
    }
  }
  [[nodiscard]] bool is_generated(std::uint64_t deal_seed) const;
  /// Of the running deal of a row.
  [[nodiscard]] std::uint64_t deal_seed_of(int env) const {
    return episode_seed(plain_rows.seed[static_cast<std::size_t>(env)],
                        options.first_env + static_cast<std::uint64_t>(env), row(env).episode);
  }
  [[nodiscard]] Game make_game(int env, std::uint64_t deal_seed) const;
  void make_first_games();
  /// A game that begins as the next deal of a row does; nullptr where hands or what it inherits decide that.
  [[nodiscard]] const Game* first_game_of(int env, std::uint64_t deal_seed) const {
    const Game* const first = first_of_rules[rule_number(env)];
    if (first == nullptr || is_generated(deal_seed)) return nullptr;
    return first +
           (options.first_env + static_cast<std::uint64_t>(env) + row(env).episode) % kNumSeats;
  }
  /// The game that a row begins with this dealer and context.
  [[nodiscard]] Game make_game(int env, std::uint64_t seed, std::uint64_t episode, int dealer,
                               const DealContext& context, std::uint64_t deal_seed) const;
  /// Run forced decisions, ends and new deals up to the next open decision. True: the row is to be
  /// shown. False: it waits for the opponent.
  bool advance(EnvSlice& slice, int env);
  bool close_deal(EnvSlice& slice, int env);
  /// True: the end is shown on a terminal row. False: a new deal was started.
  bool end_deal(EnvSlice& slice, int env);
  void report_end(EnvSlice& slice, int env);
  /// Who plays the seat to act of a row that waits.
  [[nodiscard]] std::size_t opponent_number(int env) const {
    const int seats = rules_of(env).seats();
    const int seat = row(env).game.current_player() - learner_seat(env, row(env)) - 1;
    return static_cast<std::size_t>((seat + seats) % seats);
  }
  void group_pending(EnvSlice& slice) const;
  void ask_group(EnvSlice& slice, std::size_t opponent, const ViewBatch& batch, std::size_t begin,
                 std::size_t end);
  /// Ask the opponents, batch by batch, until every pending row can be shown, and show them.
  void play_opponents(EnvSlice& slice);
  void ask_opponents(EnvSlice& slice);
  void apply(EnvSlice& slice, int env, Action action) {
    row(env).game.apply_unchecked(action);
    ++plain_rows.decision[static_cast<std::size_t>(env)];
    ++slice.decisions;
  }

  [[nodiscard]] ActionMask shown(ActionMask mask) const {
    mask.words[0] &= shown_actions;
    return mask;
  }
  /// View lines without the claims that the masks hide.
  void write_view(const Game& game, int viewer, CardsLine& cards, OrderLine& order,
                  EventsLine& events) const {
    game.view(viewer, cards, order, events);
    cards.flags &= shown_flags;
  }
  [[nodiscard]] bool is_callers(int env, const EnvRow& current) const {
    const int learner = learner_seat(env, current);
    return (learner < 0 || current.game.current_player() == learner) &&
           !(options.bidding_only && current.game.has_contract());
  }
  [[nodiscard]] std::size_t rule_number(int env) const {
    return rule_numbers[static_cast<std::size_t>(env)];
  }
  [[nodiscard]] const CompiledRules& rules_of(int env) const {
    return *rule_sets[rule_number(env)];
  }
  [[nodiscard]] EnvRow& row(int env) { return rows[static_cast<std::size_t>(env)]; }
  [[nodiscard]] const EnvRow& row(int env) const { return rows[static_cast<std::size_t>(env)]; }

  VectorEnvOptions options;
  std::vector<const CompiledRules*> rule_sets;
  std::vector<float> rule_features;  // [K,R]
  RuleTable rule_table;              // of these
  /// [K,R] as they stand in observations of either type.
  std::tuple<std::vector<std::uint8_t>, std::vector<float>> rule_sections;
  std::size_t rule_length = 0;              // R of the observations
  std::vector<std::uint16_t> rule_numbers;  // [N]
  bool canonical = false;                   // of cards, in what is shown and taken
  bool shows_more = false;                  // than most batches: what write_more writes
  bool all_callers = true;                  // every seat is the caller's
  bool plain = true;                        // every decision is the caller's, forced ones included
  bool needs_lines = false;                 // view lines are shown or encoded
  bool reads_ahead = false;                 // the rows are larger than the caches
  bool streams = false;                     // what a step shows is larger than the caches
  bool streams_rows = false;                // rows of observations without a tile
  std::size_t tile_rows = 1;                // of a tile
  bool fresh = true;                        // nothing happened since construction
  std::string torn_by;  // message of the exception that tore the rows; empty: they are whole
  std::uint64_t shown_actions = ~std::uint64_t{0};  // of word 0 of the masks
  std::uint8_t shown_flags = 0xFF;                  // of CardsLine::flags
  std::size_t features = 0;                         // F, length of an observation
  /// What is read of them was written in the same call: others may write to them between calls.
  EnvBuffers buffers;
  std::vector<std::shared_ptr<void>> storage;  // of the buffers that were not supplied
  std::vector<Game> first_games;               // of rules that have some, by dealer
  std::vector<const Game*> first_of_rules;     // [K], the first of them, nullptr: there are none
  std::vector<EnvRow> rows;
  PlainRows plain_rows;
  const LaneKernel* kernel = nullptr;
  AlignedBuffer<LaneRow> lane_rows;  // per env if the kernel has lanes
  AlignedBuffer<ActionMask>
      legal;  // per env, absolute, without hidden claims; PASS on terminal rows
  AlignedBuffer<std::uint8_t> maps;  // per env if canonical: card map of the seat that is shown
  AlignedBuffer<Action> checked;     // per env, absolute: what the next step applies
  AlignedBuffer<LastEnd> ends;       // per env
  struct {
    AlignedBuffer<CardsLine> cards;
    AlignedBuffer<OrderLine> order;
    AlignedBuffer<EventsLine> events;
    AlignedBuffer<FullView> full;
  } asked_views;                         // of views(), made by its first call
  AlignedBuffer<SessionState> sessions;  // per env if session
  std::vector<EnvSlice> slices;
  std::unique_ptr<SlicePool> pool;
};

}  // namespace schafkopf
