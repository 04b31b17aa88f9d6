// Buffers and everything that is not a step.
#include "env/vector/vector_env.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "env/base/available_memory.h"
#include "env/vector/option_checks.h"
#include "env/vector/vector_env_impl.h"
#include "env/view/encoder.h"

namespace schafkopf {
namespace {

using batch_options::any_cheats;
using batch_options::opponents_of;
using batch_options::require;

/// Whether a deal can put something into the Stock (G.7).
bool has_stock(const RuleSet& rules) {
  return rules.all_pass == AllPass::kStock ||
         (rules.all_pass == AllPass::kLastChooses &&
          rules.last_chooses_options.contains(LastChoice::kStock));
}

}  // namespace

// Set-up

VectorEnv::Impl::Impl(VectorEnvOptions asked, const EnvBuffers& supplied)
    : options(std::move(asked)) {
  batch_options::check(options);
  for (const auto& rules : options.rules) rule_sets.push_back(rules.get());
  all_callers = !options.learner_seat.is_some() && !options.bidding_only;
  plain = all_callers && !options.skip_forced;
  canonical = options.cards == CardIndex::kCanonical;
  needs_lines = options.view_lines || options.observation != ObservationType::kNone || canonical;
  shows_more = options.full_view || canonical;
  features = options.observation == ObservationType::kPacked
                 ? std::size_t{kPackedRowBytes}
                 : static_cast<std::size_t>(observation_size(options.observation_version));
  if (!options.claim_actions) {
    shown_actions =
        ~((std::uint64_t{1} << kActionClaimRest) | (std::uint64_t{1} << kActionConcedeRest));
    shown_flags = static_cast<std::uint8_t>(~unsigned{kFlagClaimRest | kFlagConcedeRest});
  }
  kernel = &lane_kernel(options.kernel == "auto" ? default_instruction_set()
                                                 : instruction_set(options.kernel));
  check_memory(supplied);
  rule_numbers = options.rule_index;
  rule_numbers.resize(static_cast<std::size_t>(options.num_envs));
  make_buffers(supplied);
  choose_stores();
  make_slices();
  rows.reserve(static_cast<std::size_t>(options.num_envs));
  for (int env = 0; env < options.num_envs; ++env) {
    const CompiledRules& own = rules_of(env);
    rows.emplace_back(Game(own, deal_for(0, own.rules(), 0, DealContext{}), 0));
  }
  make_first_games();
  if (kernel->lanes != 0) lane_rows.resize(rows.size());
  plain_rows.resize(rows.size());
  legal.resize(rows.size());
  checked.resize(rows.size());
  if (canonical) maps.resize(rows.size());
  ends.resize(rows.size());
  if (options.session) sessions.resize(rows.size());
  reset(options.seed, {});
  fresh = true;
}

template <class T>
void VectorEnv::Impl::provide(const char* name, std::span<T> EnvBuffers::* member,
                              const EnvBuffers& supplied, bool wanted, std::size_t size) {
  const std::span<T> given = supplied.*member;
  if (!given.empty()) {
    require(wanted, fmt::format("buffer {} was supplied, but the options do not ask for it", name));
    require(given.size() == size,
            fmt::format("buffer {} has {} elements, allowed: {}", name, given.size(), size));
    require(reinterpret_cast<std::uintptr_t>(given.data()) % alignof(T) == 0,
            fmt::format("buffer {} is not aligned to {} bytes", name, alignof(T)));
    std::ranges::fill(given, T{});
    buffers.*member = given;
  } else if (wanted) {
    auto owned = std::make_shared<AlignedBuffer<T>>(size);
    buffers.*member = *owned;
    storage.push_back(std::move(owned));
  }
}

template <class Give>
void VectorEnv::Impl::list_buffers(const Give& give) const {
  const auto n = static_cast<std::size_t>(options.num_envs);
  const bool u8 = options.observation == ObservationType::kUint8 ||
                  options.observation == ObservationType::kPacked;
  const bool f32 = options.observation == ObservationType::kFloat32;
  const bool learner = options.learner_seat.is_some();
  const bool stock = std::ranges::any_of(rule_sets, [](const CompiledRules* rules) {
    return has_stock(rules->rules()) || rules->rules().reuegeld != 0;
  });
  give("cards", &EnvBuffers::cards, options.view_lines, n);
  give("order", &EnvBuffers::order, options.view_lines, n);
  give("events", &EnvBuffers::events, options.view_lines, n);
  give("full", &EnvBuffers::full, options.full_view, n);
  give("legal", &EnvBuffers::legal, true, n);
  give("action_mask", &EnvBuffers::action_mask, options.action_mask, n * kNumActions);
  give("observation_u8", &EnvBuffers::observation_u8, u8, n * features);
  give("observation_f32", &EnvBuffers::observation_f32, f32, n * features);
  give("current_player", &EnvBuffers::current_player, true, n);
  give("phase", &EnvBuffers::phase, true, n);
  give("rewards", &EnvBuffers::rewards, true, n * kNumSeats);
  give("stock_rewards", &EnvBuffers::stock_rewards, stock, n * kNumSeats);
  give("terminated", &EnvBuffers::terminated, true, n);
  give("episode_return", &EnvBuffers::episode_return, true, n * kNumSeats);
  give("episode_seed", &EnvBuffers::episode_seed, true, n);
  give("running_seed", &EnvBuffers::running_seed, true, n);
  give("learner_seat", &EnvBuffers::learner_seat, learner, n);
  give("episode_learner_seat", &EnvBuffers::episode_learner_seat, learner, n);
  give("rule_index", &EnvBuffers::rule_index, true, n);
  give("rule_features", &EnvBuffers::rule_features, true,
       rule_sets.size() * static_cast<std::size_t>(rule_feature_size()));
  give("session_end", &EnvBuffers::session_end, options.session, n);
  give("final_observation", &EnvBuffers::final_observation, learner && u8, n * features);
  give("final_observation_f32", &EnvBuffers::final_observation_f32, learner && f32, n * features);
}

/// What a batch takes that grows with num_envs: nearly all of it.
std::uint64_t VectorEnv::Impl::needed_bytes(const EnvBuffers& supplied) const {
  std::uint64_t per_row = sizeof(EnvRow) + PlainRows::kBytes + sizeof(std::int32_t) +
                          sizeof(LastEnd) + sizeof(ActionMask) + sizeof(Action) +
                          sizeof(std::uint16_t);
  if (options.cards == CardIndex::kCanonical) per_row += sizeof(std::uint8_t);
  if (options.view_lines) {  // those of views()
    per_row += sizeof(CardsLine) + sizeof(OrderLine) + sizeof(EventsLine);
    if (options.full_view) per_row += sizeof(FullView);
  }
  if (kernel->lanes != 0) per_row += sizeof(LaneRow);
  if (options.session) per_row += sizeof(SessionState);
  if (const auto players = opponents_of(options); !players.empty()) {
    per_row += sizeof(CardsLine) + sizeof(OrderLine) + sizeof(EventsLine) + sizeof(std::int32_t) +
               sizeof(std::uint16_t) + sizeof(RngKey) + sizeof(Action);
    if (players.size() > 1) per_row += sizeof(std::int32_t);
    if (any_cheats(players)) per_row += sizeof(FullView);
  }
  std::uint64_t bytes = per_row * static_cast<std::uint64_t>(options.num_envs);
  list_buffers(
      [&]<class T>(const char*, std::span<T> EnvBuffers::* member, bool wanted, std::size_t size) {
        if (wanted && (supplied.*member).empty()) bytes += size * sizeof(T);
      });
  return bytes;
}

/// Before anything is taken: a batch that fits nowhere is refused at once.
void VectorEnv::Impl::check_memory(const EnvBuffers& supplied) const {
  const std::uint64_t needed = needed_bytes(supplied);
  const std::optional<std::uint64_t> available = memory_short_of(needed);
  if (!available) return;
  const std::uint64_t per_env = needed / static_cast<std::uint64_t>(options.num_envs);
  throw NotEnoughMemory(fmt::format(
      "vector env: num_envs = {} needs {} of memory ({} bytes each), {} are available, enough for "
      "about {} with these options",
      options.num_envs, bytes_text(needed), per_env, bytes_text(*available), *available / per_env));
}

void VectorEnv::Impl::make_buffers(const EnvBuffers& supplied) {
  check_supplied(supplied);
  list_buffers([&]<class T>(const char* name, std::span<T> EnvBuffers::* member, bool wanted,
                            std::size_t size) { provide(name, member, supplied, wanted, size); });
  const auto length = static_cast<std::size_t>(rule_feature_size());
  std::ranges::copy(rule_numbers, buffers.rule_index.begin());
  std::ranges::fill(buffers.episode_learner_seat, std::int8_t{-1});  // no deal has ended
  rule_features.resize(rule_sets.size() * length);
  for (std::size_t k = 0; k < rule_sets.size(); ++k) {
    write_rule_features(*rule_sets[k], std::span(rule_features).subspan(k * length, length));
  }
  std::ranges::copy(rule_features, buffers.rule_features.begin());
  rule_table = {rule_sets, rule_features};
  make_rule_sections();
}

/// Two that share memory would each show what is written to the other.
void VectorEnv::Impl::check_supplied(const EnvBuffers& supplied) const {
  struct Place {
    std::uintptr_t begin, end;
    const char* name;
  };
  std::vector<Place> places;
  list_buffers([&]<class T>(const char* name, std::span<T> EnvBuffers::* member, bool,
                            std::size_t size) {
    const std::span<T> given = supplied.*member;
    if (given.empty()) return;
    require(
        given.data() != nullptr,
        fmt::format("buffer {} is null, allowed: {} elements, or none for one of the batch's own",
                    name, size));
    const auto begin = reinterpret_cast<std::uintptr_t>(given.data());
    places.push_back({begin, begin + given.size_bytes(), name});
  });
  std::ranges::stable_sort(places, {}, &Place::begin);
  for (std::size_t i = 1; i < places.size(); ++i) {
    require(places[i - 1].end <= places[i].begin,
            fmt::format("buffers {} and {} share memory, allowed: memory of its own for each",
                        places[i - 1].name, places[i].name));
  }
}

/// What every step writes that can be streamed.
std::size_t VectorEnv::Impl::streamable_bytes() const {
  return buffers.cards.size_bytes() + buffers.order.size_bytes() + buffers.events.size_bytes() +
         buffers.action_mask.size_bytes() + buffers.observation_u8.size_bytes() +
         buffers.observation_f32.size_bytes();
}

/// Games that do not stay in the caches from step to step are read ahead; what a step shows goes past them
/// if it does not stay there beside the games.
void VectorEnv::Impl::choose_stores() {
  const std::size_t games = static_cast<std::size_t>(options.num_envs) * sizeof(EnvRow);
  reads_ahead = games >= kReadAheadFrom;
  streams = games + streamable_bytes() >= kShownPastCachesFrom;
  const auto can = [&](const auto* first) {
    return can_stream(options.observation_version, first, kernel->set);
  };
  const bool possible =
      options.observation == ObservationType::kFloat32
          ? can(buffers.observation_f32.data())
          : options.observation == ObservationType::kUint8 && can(buffers.observation_u8.data());
  streams_rows = streams && possible;
  const bool floats = options.observation == ObservationType::kFloat32;
  const std::size_t row = features * (floats ? sizeof(float) : sizeof(std::uint8_t));
  tile_rows = std::clamp(kTileBytes / row, std::size_t{1}, ViewTile::kSize);
}

void VectorEnv::Impl::make_rule_sections() {
  const PlayerView no_view{};
  const ViewLines empty{&no_view.cards, &no_view.order, &no_view.events};
  const ObservationVersion version = options.observation_version;
  const auto length = static_cast<std::size_t>(rule_feature_size(version));
  rule_length = length;
  std::vector<float> own(length);
  const auto make = [&]<class T>(std::vector<T>& sections) {
    std::vector<T> row(features);
    for (const CompiledRules* rules : rule_sets) {
      write_rule_features(*rules, version, own);
      expand(ObservationForm{version, options.cards}, empty, own, row.data());
      sections.insert(sections.end(), row.end() - static_cast<std::ptrdiff_t>(length), row.end());
    }
  };
  if (options.observation == ObservationType::kUint8) make(std::get<0>(rule_sections));
  if (options.observation == ObservationType::kFloat32) make(std::get<1>(rule_sections));
}

void VectorEnv::Impl::make_slices() {
  // Borders at multiples of a cache line of one-byte rows: threads never share a line.
  constexpr int kGrain = 64;
  const int blocks = (options.num_envs + kGrain - 1) / kGrain;
  const int count = std::min(options.num_threads, blocks);
  slices.resize(static_cast<std::size_t>(count));
  const std::size_t streamed = streams && !streams_rows ? tile_rows * features * sizeof(float) : 0;
  for (int number = 0; number < count; ++number) {
    EnvSlice& slice = slices[static_cast<std::size_t>(number)];
    slice.row_tile = AlignedBuffer<std::byte>(streamed);
    const auto border = [&](std::int64_t k) {
      return std::min(options.num_envs, kGrain * static_cast<int>(k * blocks / count));
    };
    slice.begin = border(number);
    slice.end = border(number + 1);
    slice.skipped.resize(rule_sets.size());
    slice.ended.reserve(static_cast<std::size_t>(slice.end - slice.begin));
    const auto players = opponents_of(options);
    if (players.empty()) continue;
    const auto size = static_cast<std::size_t>(slice.end - slice.begin);
    for (const auto& player : players) {
      slice.opponents.push_back(copy_of(*player));
    }
    slice.pending.reserve(size);
    if (players.size() > 1) slice.grouped.reserve(size);
    slice.cards = AlignedBuffer<CardsLine>(size);
    slice.order = AlignedBuffer<OrderLine>(size);
    slice.events = AlignedBuffer<EventsLine>(size);
    if (any_cheats(players)) slice.full = AlignedBuffer<FullView>(size);
    slice.rule_index.resize(size);
    slice.keys.resize(size);
    slice.actions.resize(size);
  }
  pool = std::make_unique<SlicePool>(count);
}

void VectorEnv::Impl::reset(std::optional<std::uint64_t> seed,
                            std::span<const std::uint8_t> reset_mask) {
  if (!reset_mask.empty() && reset_mask.size() != rows.size()) {  // no text, no allocation if good
    require(false, fmt::format("reset_mask has {} entries, allowed: none or num_envs = {}",
                               reset_mask.size(), rows.size()));
  }
  // a row left alone would stay torn
  const bool all = std::ranges::find(reset_mask, std::uint8_t{0}) == reset_mask.end();
  if (!all) require_whole();
  // directly after construction the deals are there: they are only shown anew
  const bool dealt = std::exchange(fresh, false) && !seed && all;
  change_rows([&] { reset_rows(seed, reset_mask, dealt); });
  torn_by.clear();
}

void VectorEnv::Impl::reset_rows(std::optional<std::uint64_t> seed,
                                 std::span<const std::uint8_t> reset_mask, bool dealt) {
  pool->run([&](int number) {
    EnvSlice& slice = slices[static_cast<std::size_t>(number)];
    slice.pending.clear();
    slice.num_ready = 0;
    for (int env = slice.begin; env < slice.end; ++env) {
      if (!reset_mask.empty() && reset_mask[static_cast<std::size_t>(env)] == 0) continue;
      if (dealt) {
        show_no_end(env, env + 1);
        show_end(env);
        show(slice, env);
        continue;
      }
      EnvRow& current = row(env);
      // where this is the way to the next deal, it is the next of the session
      const bool goes_on = !seed && options.auto_reset == AutoReset::kDisabled &&
                           plain_rows.has(static_cast<std::size_t>(env), kNoteWaiting);
      current.episode = seed ? 0 : current.episode + 1;
      if (seed) plain_rows.seed[static_cast<std::size_t>(env)] = *seed;
      forget_end(env);
      show_no_end(env, env + 1);
      begin_deal(env, !goes_on);
      if (advance(slice, env)) {
        show(slice, env);
      } else {
        slice.pending.push_back(env);
      }
    }
    write_ready(slice);
    play_opponents(slice);
    if (streams) end_streamed();
  });
}

// Exceptions out of players and generators

void VectorEnv::Impl::mark_torn() {
  torn_by = "no text";  // also where no memory is left for one
  try {
    throw;
  } catch (const std::exception& error) {
    const std::string_view text = error.what();
    if (!text.empty()) torn_by = text.substr(0, text.find('\n'));  // Python adds where it came from
  } catch (...) {  // NOLINT(bugprone-empty-catch): no exception of ours, it stays without a text
  }
}

void VectorEnv::Impl::refuse_torn() const {
  throw std::runtime_error(
      fmt::format("vector env: an exception left the batch in the middle of a step ({}); its games "
                  "and buffers do not fit together until reset() of all rows or restore()",
                  torn_by));
}

// The class

VectorEnv::VectorEnv(VectorEnvOptions options, const EnvBuffers& supplied)
    : impl_(std::make_unique<Impl>(std::move(options), supplied)) {}
VectorEnv::~VectorEnv() = default;
VectorEnv::VectorEnv(VectorEnv&&) noexcept = default;
VectorEnv& VectorEnv::operator=(VectorEnv&&) noexcept = default;

int VectorEnv::num_envs() const { return impl_->options.num_envs; }
std::string_view VectorEnv::kernel() const { return name_of(impl_->kernel->set); }
const VectorEnvOptions& VectorEnv::options() const { return impl_->options; }
const EnvBuffers& VectorEnv::buffers() const { return impl_->buffers; }
bool VectorEnv::is_fresh() const { return impl_->fresh; }
const RuleTable& VectorEnv::rule_table() const { return impl_->rule_table; }

ViewBatch VectorEnv::Impl::views(bool hidden_hands) {
  require_whole();
  require(options.view_lines, "views() needs the option view_lines");
  require(!hidden_hands || options.full_view, "hidden hands need the option full_view");
  auto& [cards, order, events, full] = asked_views;
  if (cards.empty()) {
    cards = AlignedBuffer<CardsLine>(rows.size());
    order = AlignedBuffer<OrderLine>(rows.size());
    events = AlignedBuffer<EventsLine>(rows.size());
  }
  if (hidden_hands && full.empty()) full = AlignedBuffer<FullView>(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const int seat = shown_seat(static_cast<int>(i));
    write_view(rows[i].game, seat, cards[i], order[i], events[i]);
    if (hidden_hands) full[i] = rows[i].game.full_view(seat);
  }
  return {rows.size(),
          cards.data(),
          order.data(),
          events.data(),
          rule_numbers.data(),
          &rule_table,
          hidden_hands ? full.data() : nullptr};
}

ViewBatch VectorEnv::views(bool hidden_hands) const { return impl_->views(hidden_hands); }

void VectorEnv::reset(std::optional<std::uint64_t> seed, std::span<const std::uint8_t> reset_mask) {
  impl_->reset(seed, reset_mask);
}

void VectorEnv::random_actions(std::span<Action> actions) const { impl_->random_actions(actions); }

namespace {

void check_env(int env, const VectorEnvOptions& options) {
  require(env >= 0 && env < options.num_envs,
          fmt::format("env = {}, allowed: integer 0..{}", env, options.num_envs - 1));
}

}  // namespace

RngKey VectorEnv::key(int env) const {
  check_env(env, impl_->options);
  impl_->require_whole();
  return impl_->key_of(env);
}

void VectorEnv::keys(std::span<RngKey> keys) const {
  impl_->require_whole();
  require(keys.size() == impl_->rows.size(),
          fmt::format("keys: room for {}, {} envs", keys.size(), impl_->rows.size()));
  for (int env = 0; env < impl_->options.num_envs; ++env) {
    keys[static_cast<std::size_t>(env)] = impl_->key_of(env);
  }
}

const Game& VectorEnv::game(int env) const {
  check_env(env, impl_->options);
  impl_->require_whole();
  return impl_->row(env).game;
}

int VectorEnv::card_map(int env) const {
  check_env(env, impl_->options);
  impl_->require_whole();
  return impl_->row(env).game.view(impl_->shown_seat(env)).order.card_map;
}

void VectorEnv::set_game(int env, const Game& game) {
  check_env(env, impl_->options);
  impl_->require_whole();
  const CompiledRules& rules = impl_->rules_of(env);
  require(!game.is_terminal(), fmt::format("set_game: the game for env {} is over", env));
  require(game.rules().hash() == rules.hash(),
          fmt::format("set_game: env {} plays rule set {} (hash {:016x}), the game {} ({:016x})",
                      env, rules.name(), rules.hash(), game.rules().name(), game.rules().hash()));
  EnvRow& current = impl_->row(env);
  // The env keeps its own rules alive, not those of the game.
  const Game placed = &game.rules() == &rules ? game : Game::deserialize(rules, game.serialize());
  if (impl_->options.session) {
    SessionState& session = impl_->sessions[static_cast<std::size_t>(env)];
    const bool over = is_over(rules, session);
    const SessionState next = over ? begin_session(rules, impl_->deal_seed_of(env)) : session;
    require(game.context().stock == next.context.stock,
            fmt::format("set_game: the game for env {} plays for a Stock of {}, its session has {}",
                        env, game.context().stock, next.context.stock));
    session = next;
  }
  current.game = placed;
  const auto i = static_cast<std::size_t>(env);
  impl_->plain_rows.decision[i] = static_cast<std::uint32_t>(game.num_events() + game.num_plays());
  impl_->plain_rows.forget(i, kNoteWaiting);
  impl_->plain_rows.note(i, kNoteDecided);
  impl_->plain_rows.note(i, kNotePlaced);
  impl_->fresh = false;
  impl_->forget_end(env);
  impl_->show_no_end(env, env + 1);
  EnvSlice& slice = impl_->slice_of(env);
  slice.pending.clear();
  impl_->change_rows([&] {
    if (impl_->advance(slice, env)) {
      impl_->show(slice, env);
    } else {
      slice.pending.push_back(env);
    }
    impl_->write_ready(slice);
    impl_->play_opponents(slice);
    if (impl_->streams) end_streamed();
  });
}

std::int64_t VectorEnv::skipped_deals() const {
  std::int64_t sum = 0;
  for (const EnvSlice& slice : impl_->slices) sum += slice.skipped_deals;
  return sum;
}

std::array<double, kNumSeats> VectorEnv::skipped_return() const {
  std::array<double, kNumSeats> sum{};
  for (std::size_t k = 0; k < impl_->rule_sets.size(); ++k) {
    for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
      std::int64_t payoffs = 0;  // whole numbers: the same sum for any number of slices
      for (const EnvSlice& slice : impl_->slices) payoffs += slice.skipped[k][seat];
      sum[seat] += static_cast<double>(payoffs) / impl_->rule_sets[k]->tariff_scale();
    }
  }
  return sum;
}

std::int64_t VectorEnv::num_decisions() const {
  std::int64_t sum = 0;
  for (const EnvSlice& slice : impl_->slices) sum += slice.decisions;
  return sum;
}

std::int64_t VectorEnv::num_deals() const {
  std::int64_t sum = 0;
  for (const EnvSlice& slice : impl_->slices) sum += slice.deals;
  return sum;
}

}  // namespace schafkopf
