// The hot path: check the actions, apply them, write the rows.
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "env/base/assert.h"
#include "env/game/refusal.h"
#include "env/lanes/lane_game.h"
#include "env/vector/vector_env_impl.h"
#include "env/view/encoder.h"

namespace schafkopf {
namespace {

template <class T>
bool contains(const ActionMask& mask, T action) {
  return action >= 0 && action < kNumActions && mask.contains(static_cast<Action>(action));
}

// Rows of the largest batch whose actions the calling thread checks alone: handing the check to
// other threads costs more.
constexpr std::size_t kCheckedHere = 4096;

}  // namespace

// Checks

template <class T>
void VectorEnv::Impl::check(std::span<const T> actions) {
  require_whole();
  if (actions.size() != rows.size()) {
    throw std::invalid_argument(fmt::format(
        "step: actions has {} entries, allowed: {}, one per env", actions.size(), rows.size()));
  }
  check_waiting([&](std::size_t i) { return actions[i] == static_cast<T>(kStay); });
  const auto check_slice = [&](int number) {
    EnvSlice& slice = slices[static_cast<std::size_t>(number)];
    slice.first_illegal = -1;
    for (int env = slice.begin; env < slice.end; ++env) {
      const auto i = static_cast<std::size_t>(env);
      const T action = absolute(env, actions[i]);
      if (contains(legal[i], action)) [[likely]] {
        checked[i] = static_cast<Action>(action);
        continue;
      }
      if (plain_rows.has(i, kNoteWaiting)) continue;  // goes on with any, or stays
      slice.first_illegal = env;
      break;
    }
  };
  if (rows.size() > kCheckedHere) {
    pool->run([&](int number) { check_slice(number); });
  } else {
    for (int number = 0; number < pool->num_slices(); ++number) check_slice(number);
  }
  for (const EnvSlice& slice : slices) {
    if (slice.first_illegal < 0) continue;
    refuse(slice.first_illegal, actions[static_cast<std::size_t>(slice.first_illegal)]);
  }
}

/// Throws for a row that waits for its reset and does not stay.
template <class Stays>
void VectorEnv::Impl::check_waiting(const Stays& stays) const {
  if (options.auto_reset != AutoReset::kDisabled) return;
  for (int env = 0; env < options.num_envs; ++env) {
    const auto i = static_cast<std::size_t>(env);
    if (plain_rows.has(i, kNoteWaiting) && !stays(i)) refuse(env, kActionPass);
  }
}

void VectorEnv::Impl::refuse(int env, std::int64_t given) const {
  const Game& game = row(env).game;
  const std::int64_t action = absolute(env, given);
  if (plain_rows.has(static_cast<std::size_t>(env), kNoteWaiting)) {
    throw std::invalid_argument(
        fmt::format("step: the deal of env {} is over; with auto-reset disabled reset it first, by "
                    "the option reset_mask of reset, or let it stay by the action {}",
                    env, kStay));
  }
  auto refusal = refusal_of(game, action);
  if (!refusal) {  // legal by the rules
    refusal = refusal_of(game, -1);
    refusal->action = action;
    refusal->ground = Ground::kMasked;
    refusal->reason = "masked, claim_actions = false";
  }
  refusal->legal = shown(refusal->legal);
  const bool moved = canonical && given >= 0 && given < kNumCards;
  const std::string text =
      fmt::format("step: env {}, action {}{}: {}", env, given,
                  moved ? fmt::format(" (canonical; absolute {})", action) : std::string(),
                  to_string(*refusal));
  refusal->action = given;
  if (canonical) refusal->legal = to_canonical(refusal->legal, maps[static_cast<std::size_t>(env)]);
  throw IllegalAction(*refusal, text, env);
}

// Steps

namespace {

constexpr std::size_t kBytes = 16;

/// Bit k: `holds` of byte k.
template <class Holds>
std::uint64_t bits_where(const std::uint8_t* bytes, const Holds& holds) {
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < kBytes; ++k) bits |= std::uint64_t{holds(bytes[k])} << k;
  return bits;
}

std::uint64_t bits_with(const std::uint8_t* bytes, RowNote note) {
#ifdef __SSE2__
  __m128i words;
  std::memcpy(&words, bytes, sizeof words);
  const __m128i wanted = _mm_set1_epi8(static_cast<char>(note));
  return static_cast<std::uint32_t>(
      _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_and_si128(words, wanted), wanted)));
#else
  return bits_where(bytes, [note](std::uint8_t byte) { return (byte & note) != 0; });
#endif
}

/// Bit k: the row with this note has a card for its answer; so has byte k of `marks`, all ones.
std::uint64_t bits_of_cards(const std::uint8_t* notes, const std::uint8_t* actions,
                            std::uint8_t* marks) {
  static_assert(kNumCards == 32 && kNumActions == 128);
#ifdef __SSE2__
  __m128i noted, answers;
  std::memcpy(&noted, notes, sizeof noted);
  std::memcpy(&answers, actions, sizeof answers);
  const __m128i wanted = _mm_set1_epi8(static_cast<char>(kNoteCards));
  const __m128i is_card = _mm_and_si128(_mm_cmpeq_epi8(_mm_and_si128(noted, wanted), wanted),
                                        _mm_cmplt_epi8(answers, _mm_set1_epi8(kNumCards)));
  std::memcpy(marks, &is_card, sizeof is_card);
  return static_cast<std::uint32_t>(_mm_movemask_epi8(is_card));
#else
  for (std::size_t k = 0; k < kBytes; ++k) {
    marks[k] = (notes[k] & kNoteCards) != 0 && actions[k] < kNumCards ? 0xFF : 0;
  }
  return bits_where(marks, [](std::uint8_t mark) { return mark != 0; });
#endif
}

}  // namespace

/// Tells rows with answers `work.actions` apart. What a row is in changes from one to the next:
/// sixty-four at once, without branches that nobody could foretell. Those that answer with a card have
/// their decision counted.
void VectorEnv::Impl::sort_rows(StepWork& work, int first, std::size_t size) {
  constexpr std::size_t kWord = 64;
  work.num_lanes = work.num_rounds = work.num_answers = work.num_arrived = 0;
  const auto begin = static_cast<std::size_t>(first);
  for (std::size_t word = 0; word < size; word += kWord) {
    std::array<std::uint8_t, kWord> notes{};
    const std::size_t count = std::min(kWord, size - word);
    std::memcpy(notes.data(), &plain_rows.notes[begin + word], count);
    const Action* const actions = &work.actions[word];
    std::uint64_t cards = 0, rounds = 0;
    std::array<std::uint8_t, kWord> marks;
    for (std::size_t k = 0; k < kWord; k += kBytes) {
      cards |= bits_of_cards(&notes[k], actions + k, &marks[k]) << k;
      rounds |= bits_with(&notes[k], kNoteRound) << k;
    }
    for (std::size_t k = 0; k < kWord; ++k) {
      notes[k] = static_cast<std::uint8_t>(notes[k] | (marks[k] & kNoteDecided));
    }
    std::memcpy(&plain_rows.notes[begin + word], notes.data(), count);
    std::uint32_t* const decisions = &plain_rows.decision[begin + word];
    if (count == kWord) [[likely]] {  // a number that is known, so that rows are counted together
      for (std::size_t k = 0; k < kWord; ++k) decisions[k] += marks[k] & 1u;
    } else {
      for (std::size_t k = 0; k < count; ++k) decisions[k] += marks[k] & 1u;
    }
    const std::uint64_t all = ~std::uint64_t{0} >> (kWord - count);
    const int env = first + static_cast<int>(word);
    for (std::uint64_t others = all & ~(cards | rounds); others != 0; others &= others - 1) {
      const int k = std::countr_zero(others);
      const auto at = static_cast<std::size_t>(k);
      work.answer(env + k, actions[at], plain_rows.phase[begin + word + at]);
    }
    for (; rounds != 0; rounds &= rounds - 1) {
      const int k = std::countr_zero(rounds);
      work.rounds[work.num_rounds++] = {env + k, actions[static_cast<std::size_t>(k)],
                                        Phase::kAuctionRound};
    }
    std::size_t lanes = work.num_lanes;
    if (cards == ~std::uint64_t{0}) {
      for (int k = 0; k < static_cast<int>(kWord); ++k) {
        work.lane_envs[lanes + static_cast<std::size_t>(k)] = env + k;
      }
      std::memcpy(&work.lane_cards[lanes], actions, kWord);
      lanes += kWord;
      cards = 0;
    }
    for (; cards != 0; cards &= cards - 1) {
      const int k = std::countr_zero(cards);
      work.lane_envs[lanes] = env + k;
      work.lane_cards[lanes++] = actions[static_cast<std::size_t>(k)];
    }
    work.num_lanes = lanes;
  }
}

void VectorEnv::Impl::answer_rounds(EnvSlice& slice) {
  StepWork& work = slice.work;
  slice.decisions += static_cast<std::int64_t>(work.num_rounds);
  const bool encoded = options.observation != ObservationType::kNone || canonical;
  const std::span rounds = std::span(work.rounds).first(work.num_rounds);
  std::size_t shown = 0;
  for (const auto& [env, action, phase] : rounds) fetch<2, 3, 6, 7>(env);
  for (const auto [env, action, phase] : rounds) {
    const auto i = static_cast<std::size_t>(env);
    Game& game = rows[i].game;
    game.answer_round(action);
    ++plain_rows.decision[i];
    plain_rows.note(i, kNoteDecided);
    if (!plain || encoded) {
      work.arrive(env);
      continue;
    }
    // nothing but the turn, the mask and what the next seat sees is another
    const int actor = game.current_player();
    if (needs_lines && lines_in_buffers()) {
      write_view(game, actor, buffers.cards[i], buffers.order[i], buffers.events[i]);
    } else if (needs_lines) {
      write_view(game, actor, slice.views.cards[0], slice.views.order[0], slice.views.events[0]);
      copy_lines(lines_at(slice, 0, i), env);
    }
    plain_rows.seat[i] = static_cast<std::uint8_t>(actor);
    plain_rows.forget(i, game.others_answer_round() ? 0u : unsigned{kNoteRound});
    buffers.phase[i] = static_cast<std::int8_t>(phase);
    write_legal(env, actor, actor, this->shown(game.legal_actions()), slice.views.order[0]);
    work.shown_rounds[shown++] = env;
  }
  show_masks(std::span(work.shown_rounds).first(shown));
}

void VectorEnv::Impl::answer_others(EnvSlice& slice) {
  StepWork& work = slice.work;
  using Answer = StepWork::Answer;
  const auto answers = std::span<const Answer>(work.answers).first(work.num_answers);
  StepWork::sort(answers, work.sorted_answers, [](const Answer& answer) { return answer.phase; });
  for (const auto& [env, action, phase] : answers) fetch<0, 2, 3, 6, 7>(env);
  for (const auto [env, action, phase] : std::span(work.sorted_answers).first(answers.size())) {
    const auto i = static_cast<std::size_t>(env);
    if (plain_rows.has(i, kNoteWaiting)) [[unlikely]] {
      if (options.auto_reset == AutoReset::kDisabled) continue;  // it stays
      next_deal(env);
    } else {
      apply(slice, env, action);
      plain_rows.note(i, kNoteDecided);
    }
    work.arrive(env);
  }
}

/// Rows whose game went on otherwise than by the kernel alone: to be shown, unless something else is
/// to be decided first.
void VectorEnv::Impl::show_arrived(EnvSlice& slice) {
  StepWork& work = slice.work;
  const auto arrived = std::span<const std::int32_t>(work.arrived).first(work.num_arrived);
  if (!plain) {
    for (const std::int32_t env : arrived) settle_row(slice, env);
    return;
  }
  // by phase, so that what is shown of each can be foretold
  const auto over = StepWork::sort(arrived, work.sorted_arrived,
                                   [this](std::int32_t env) { return row(env).game.phase(); });
  const std::size_t open = arrived.size() - over.size();
  for (const std::int32_t env : std::span(work.sorted_arrived).first(open)) show(slice, env);
  for (const std::int32_t env : over) {
    fetch<3, 6, 7>(env);
    __builtin_prefetch(&ends[static_cast<std::size_t>(env)], 1);
    if (reads_ahead) fetch_end(env);
  }
  if (options.auto_reset == AutoReset::kSameStep) {
    for (const std::int32_t env : over) (void)close_deal(slice, env);
    for (const std::int32_t env : over) next_deal(env);
  }
  for (const std::int32_t env : over) {
    if (row(env).game.is_terminal()) [[unlikely]] {
      settle_row(slice, env);
    } else {
      show(slice, env);
    }
  }
}

/// Show a row, or let it wait for its opponent.
void VectorEnv::Impl::settle_row(EnvSlice& slice, int env) {
  if (advance(slice, env)) {
    show(slice, env);
  } else {
    slice.pending.push_back(env);
  }
}

template <class Choose>
void VectorEnv::Impl::step_slice(EnvSlice& slice, const Choose& choose) {
  slice.pending.clear();
  StepWork& work = slice.work;
  SCHAFKOPF_ASSERT(slice.num_ready == 0);
  forget_ends(slice);
  show_no_end(slice.begin, slice.end);
  constexpr auto most_lanes = static_cast<std::size_t>(kMostLanes);
  const int tile = StepWork::tile_of(slice.end - slice.begin, reads_ahead);
  for (int first = slice.begin; first < slice.end; first += tile) {
    const auto size = static_cast<std::size_t>(std::min(tile, slice.end - first));
    if (reads_ahead)
      read_ahead(first + static_cast<int>(size), std::min(slice.end, first + 2 * tile));
    choose(first, std::span(work.actions).first(size));
    sort_rows(work, first, size);
    for (std::size_t lane = 0; lane < work.num_lanes; lane += most_lanes) {
      play_lanes(slice, lane, std::min(most_lanes, work.num_lanes - lane));
    }
    answer_rounds(slice);
    answer_others(slice);
    show_arrived(slice);
  }
  write_ready(slice);
  if (!slice.pending.empty()) play_opponents(slice);
  if (streams) end_streamed();
}

template <class Choose>
void VectorEnv::Impl::step_all(const Choose& choose) {
  fresh = false;
  change_rows([&] {
    pool->run([&](int number) { step_slice(slices[static_cast<std::size_t>(number)], choose); });
  });
}

template <class T>
void VectorEnv::Impl::step(std::span<const T> actions) {
  check(actions);
  step_all([&](int first, std::span<Action> actions_of_tile) {
    std::copy_n(&checked[static_cast<std::size_t>(first)], actions_of_tile.size(),
                actions_of_tile.data());
  });
}

void VectorEnv::step(std::span<const Action> actions) { impl_->step(actions); }
void VectorEnv::step(std::span<const std::int32_t> actions) { impl_->step(actions); }
void VectorEnv::step(std::span<const std::int64_t> actions) { impl_->step(actions); }

void VectorEnv::step_random() {
  impl_->require_whole();
  impl_->check_waiting([](std::size_t /*row*/) { return false; });
  impl_->step_all(
      [&](int first, std::span<Action> actions) { impl_->draw_actions(first, actions); });
}

// Random actions and keys

RngKey VectorEnv::Impl::key_of(int env) const {
  const EnvRow& current = row(env);
  const int seat = std::max(current.game.current_player(), 0);
  return {plain_rows.seed[static_cast<std::size_t>(env)],
          options.first_env + static_cast<std::uint64_t>(env), current.episode,
          plain_rows.decision[static_cast<std::size_t>(env)], static_cast<std::uint32_t>(seat)};
}

/// Of the rows from `first` on: draw(key_of(env)) with the key of the running deal's stream at hand.
void VectorEnv::Impl::draw_actions(int first, std::span<Action> actions) const {
  const auto begin = static_cast<std::size_t>(first);
  kernel->draw({&legal[begin], &plain_rows.policy[begin], &plain_rows.seat[begin],
                &plain_rows.decision[begin], actions.data(), actions.size()});
}

void VectorEnv::Impl::random_actions(std::span<Action> actions) const {
  require_whole();
  if (actions.size() != rows.size()) {
    throw std::invalid_argument(
        fmt::format("random_actions: actions has {} entries, allowed: {}, one per env",
                    actions.size(), rows.size()));
  }
  draw_actions(0, actions);
  if (!canonical) return;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    actions[i] = to_canonical_action(actions[i], maps[i]);
  }
}

// Rows

[[gnu::always_inline]] inline void VectorEnv::Impl::write_row(int env, CardsLine& cards,
                                                              OrderLine& order,
                                                              EventsLine& events) {
  const auto i = static_cast<std::size_t>(env);
  const Game& game = rows[i].game;
  const int actor = game.current_player();
  const int viewer = actor >= 0 ? actor : std::max(learner_seat(env, rows[i]), 0);
  ActionMask mask;
  if (needs_lines) {
    write_view(game, viewer, cards, order, events);
    mask = legal_actions(cards);
  } else if (actor >= 0) {
    mask = shown(game.legal_actions());
  }
  if (actor < 0) mask.add(kActionPass);
  plain_rows.seat[i] = static_cast<std::uint8_t>(std::max(actor, 0));
  plain_rows.phase[i] = game.phase();
  plain_rows.forget(i, kNoteCards | kNoteRound);
  if (game.others_answer_round()) {
    plain_rows.note(i, kNoteRound);
  } else if (kernel->lanes != 0 && game.phase() == Phase::kPlay) {
    plain_rows.note(i, kNoteCards);
    lane_rows[i] =
        lane_row(LaneGame::table(game), game.doubling_level(), cards, order, shown_flags);
  }
  buffers.phase[i] = static_cast<std::int8_t>(game.phase());
  write_legal(env, actor, viewer, mask, order);
}

void VectorEnv::Impl::show_masks(std::span<const std::int32_t> envs) const {
  if (!options.action_mask) return;
  std::array<ActionMask, ViewTile::kSize> masks;
  std::array<std::int32_t, ViewTile::kSize> places{};
  std::array<std::uint8_t, ViewTile::kSize * kNumActions> tile;
  for (; !envs.empty(); envs = envs.subspan(std::min(envs.size(), masks.size()))) {
    const auto some = envs.first(std::min(envs.size(), masks.size()));
    for (std::size_t k = 0; k < some.size(); ++k) {
      const auto i = static_cast<std::size_t>(some[k]);
      masks[k] = canonical ? to_canonical(legal[i], maps[i]) : legal[i];
      places[k] = static_cast<std::int32_t>(k);
    }
    if (!streams) {
      kernel->mask_bytes({masks.data(), some.data(), some.size(), buffers.action_mask.data()});
      continue;
    }
    kernel->mask_bytes({masks.data(), places.data(), some.size(), tile.data()});
    for (std::size_t k = 0; k < some.size(); ++k) {
      const auto i = static_cast<std::size_t>(some[k]);
      copy_streamed(&buffers.action_mask[kNumActions * i], &tile[kNumActions * k], kNumActions);
    }
  }
}

/// Hidden hands and card map; returns the mask as it is shown. By value and not inline: the mask of
/// all other rows stays in registers.
[[gnu::noinline]] ActionMask VectorEnv::Impl::write_more(int env, int viewer, ActionMask mask,
                                                         const OrderLine& order) {
  const auto i = static_cast<std::size_t>(env);
  if (options.full_view) buffers.full[i] = rows[i].game.full_view(viewer);
  if (!canonical) return mask;
  maps[i] = order.card_map;
  return to_canonical(mask, order.card_map);
}

void VectorEnv::Impl::write_ready(EnvSlice& slice) {
  const std::span<const std::int32_t> ready = std::span(slice.ready).first(slice.num_ready);
  slice.num_ready = 0;
  const bool lines = lines_in_buffers();
  for (std::size_t k = 0; k < ready.size(); ++k) {
    const auto i = static_cast<std::size_t>(ready[k]);
    write_row(ready[k], lines ? buffers.cards[i] : slice.views.cards[k],
              lines ? buffers.order[i] : slice.views.order[k],
              lines ? buffers.events[i] : slice.views.events[k]);
  }
  show_masks(ready);
  if (streams && options.view_lines) {
    for (std::size_t k = 0; k < ready.size(); ++k) copy_lines(lines_at(slice, k, k), ready[k]);
  }
  if (options.observation == ObservationType::kNone) return;
  std::array<ViewLines, ViewTile::kSize> views;
  for (std::size_t k = 0; k < ready.size(); ++k) {
    views[k] = lines_at(slice, k, static_cast<std::size_t>(ready[k]));
  }
  write_observations(slice, ready, views);
}

void VectorEnv::Impl::write_observations(EnvSlice& slice, std::span<const std::int32_t> envs,
                                         std::span<const ViewLines> views) {
  const auto write = [&]<class T>(std::span<T> observations) {
    if (streams && !streams_rows) return stream_by_tile(slice, envs, views, observations);
    write_observations(envs, views, observations);
  };
  if (options.observation == ObservationType::kUint8 ||
      options.observation == ObservationType::kPacked) {
    write(buffers.observation_u8);
  } else if (options.observation == ObservationType::kFloat32) {
    write(buffers.observation_f32);
  }
}

template <class T>
void VectorEnv::Impl::stream_by_tile(EnvSlice& slice, std::span<const std::int32_t> envs,
                                     std::span<const ViewLines> views, std::span<T> observations) {
  T* const tile = reinterpret_cast<T*>(slice.row_tile.data());
  std::array<T*, ViewTile::kSize> targets{};
  for (std::size_t k = 0; k < tile_rows; ++k) targets[k] = tile + k * features;
  for (std::size_t first = 0; first < envs.size(); first += tile_rows) {
    const std::size_t size = std::min(tile_rows, envs.size() - first);
    write_rows(views.subspan(first, size), targets.data());
    for (std::size_t k = 0; k < size; ++k) {
      const int env = envs[first + k];
      write_rule_section(env, targets[k]);
      copy_streamed(observations.data() + static_cast<std::size_t>(env) * features, targets[k],
                    features * sizeof(T));
    }
  }
}

template <class T>
void VectorEnv::Impl::write_observations(std::span<const std::int32_t> envs,
                                         std::span<const ViewLines> views,
                                         std::span<T> observations) {
  std::array<T*, ViewTile::kSize> targets{};
  for (std::size_t k = 0; k < envs.size(); ++k) {
    targets[k] = observations.data() + static_cast<std::size_t>(envs[k]) * features;
  }
  write_rows(views.first(envs.size()), targets.data(),
             streams_rows ? Stores::kStreamed : Stores::kCached);
  if (!std::get<std::vector<T>>(rule_sections).empty()) {  // packed rows have none
    write_rule_sections(envs, targets.data());
  }
}

namespace {

/// Whether the first half line of two sections of rules is the same: who changes a whole row in its place
/// changes that.
bool begin_alike(const void* a, const void* b) {
  using Words = std::uint64_t __attribute__((vector_size(16)));
  const auto differ = [&](std::size_t at) {
    Words here, there;
    std::memcpy(&here, static_cast<const std::uint8_t*>(a) + at, sizeof here);
    std::memcpy(&there, static_cast<const std::uint8_t*>(b) + at, sizeof there);
    return here ^ there;
  };
  const Words both = differ(0) | differ(sizeof(Words));
  return (both[0] | both[1]) == 0;
}

}  // namespace

/// Sections stay where they are written in their deal already, unless somebody changed the row.
template <class T>
void VectorEnv::Impl::write_rule_sections(std::span<const std::int32_t> envs, T* const* row_of) {
  // stores of bytes may alias everything: what they could change is read before them
  const T* const sections = std::get<std::vector<T>>(rule_sections).data();
  const std::uint16_t* const numbers = rule_numbers.data();
  std::uint8_t* const notes = plain_rows.notes.data();
  const std::size_t length = rule_length, first = features - length, bytes = length * sizeof(T);
  const bool streamed = streams_rows;
  for (std::size_t k = 0; k < envs.size(); ++k) {
    const auto i = static_cast<std::size_t>(envs[k]);
    T* const place = row_of[k] + first;
    const T* const section = sections + numbers[i] * length;
    if (streamed) {  // comparing would read what is not in the caches
      copy_streamed(place, section, bytes);
    } else if ((notes[i] & kNoteRules) == 0 || !begin_alike(place, section)) [[unlikely]] {
      notes[i] |= kNoteRules;
      std::memcpy(place, section, bytes);
    }
  }
}

EnvSlice& VectorEnv::Impl::slice_of(int env) {
  return *std::ranges::find_if(slices, [&](const EnvSlice& slice) { return env < slice.end; });
}

}  // namespace schafkopf
