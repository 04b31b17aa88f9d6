// Snapshots of a whole batch: a fixed little-endian format, checked before anything is changed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "env/base/checksum.h"
#include "env/base/plain_value.h"
#include "env/vector/paid_end.h"
#include "env/vector/vector_env_fields.h"
#include "env/vector/vector_env_impl.h"

namespace schafkopf {
namespace {

constexpr std::uint64_t kMagic = 0x35564E45464B4353u;  // "SCKFENV5"
static_assert(std::endian::native == std::endian::little);

std::string_view text_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class Writer {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_arithmetic_v<T>);
    put_bytes(&value, sizeof(value));
  }
  void put_bytes(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::uint8_t*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }
  [[nodiscard]] std::string_view text() const { return text_of(bytes_); }
  [[nodiscard]] std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  template <class T>
  T get() {
    static_assert(std::is_arithmetic_v<T>);
    if constexpr (std::is_same_v<T, bool>) {
      const auto byte = get<std::uint8_t>();
      if (byte > 1) throw std::invalid_argument("restore: the snapshot is damaged: a flag");
      return byte != 0;
    }
    T value;
    std::memcpy(&value, get_bytes(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::span<const std::uint8_t> get_bytes(std::size_t size) {
    if (size > bytes_.size()) throw std::invalid_argument("restore: the snapshot is cut off");
    const auto result = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return result;
  }
  [[nodiscard]] bool at_end() const { return bytes_.empty(); }

 private:
  std::span<const std::uint8_t> bytes_;
};

}  // namespace

/// One row of a snapshot.
struct SavedRow {
  EnvRow row;
  std::uint64_t seed = 0;
  std::uint32_t decision = 0;
  bool ended = false, waiting = false, decided = false, placed = false;  // RowNote
  SessionState session;
  bool terminated = false;
  bool session_end = false;
  std::int8_t episode_learner = -1;
  std::uint64_t episode_seed = 0;
  std::uint64_t running_seed = 0;
  std::array<float, kNumSeats> rewards{}, stock_rewards{}, episode_return{};

  /// Over since an earlier step than the last: the action was kStay.
  [[nodiscard]] bool stayed() const { return waiting && !ended; }
  /// The session whose last deal has ended, if one has.
  [[nodiscard]] const SessionState* ended_session() const {
    return session_end ? &session : nullptr;
  }
};

namespace {

/// Options that say which games there are and what of them the caller is asked: a line for each. The
/// rules stand with every game; what is shown, how cards are counted in it, who steps it and who plays
/// the other seats may be another: names of players are not always texts that stay.
std::vector<std::string> asked_lines(const VectorEnvOptions& options) {
  constexpr auto kAsked = std::to_array<std::string_view>(
      {"first_env", "auto_reset", "skip_forced", "claim_actions", "session", "start",
       "generated_share", "generator", "learner_seat", "bidding_only"});
  std::vector<std::string> lines;
  for (const FieldSlot& slot : slots_of(options)) {
    if (std::ranges::find(kAsked, slot.field.key) == kAsked.end()) continue;
    lines.push_back(fmt::format("{} = {}", slot.field.key, to_text(slot.value)));
  }
  std::string fixed;
  for (const Deal& deal : options.deals) {
    for (const auto* halves : {&deal.first, &deal.second}) {
      for (const CardSet cards : *halves) fixed += fmt::format("{:08x}", cards.bits());
    }
  }
  lines.push_back(fmt::format("deals = {} {:016x}", options.deals.size(), checksum_of(fixed)));
  fixed.clear();
  for (const Contract& contract : options.contracts) {
    for (const int part :
         {static_cast<int>(contract.contract), int{contract.tout}, static_cast<int>(contract.suit),
          int{contract.called}, contract.declarer, int{contract.renonce}, contract.bid}) {
      fixed += fmt::format("{} ", part);
    }
  }
  lines.push_back(
      fmt::format("contracts = {} {:016x}", options.contracts.size(), checksum_of(fixed)));
  return lines;
}

/// Throws std::invalid_argument naming the first option in which a snapshot differs.
void check_asked(std::string_view taken, const VectorEnvOptions& options) {
  const std::vector<std::string> own = asked_lines(options);
  if (taken == fmt::format("{}", fmt::join(own, "\n"))) return;
  for (const std::string& line : own) {
    const std::string_view other = taken.substr(0, taken.find('\n'));
    taken.remove_prefix(std::min(taken.size(), other.size() + 1));
    if (other == line) continue;
    // what a snapshot holds may be anything
    const auto unprintable = [](char c) { return c < ' ' || c > '~'; };
    const bool shown = other.size() <= 200 && std::ranges::none_of(other, unprintable);
    throw std::invalid_argument(
        fmt::format("restore: the snapshot was taken with other options, {}, allowed: {}",
                    shown ? other : "others", line));
  }
  throw std::invalid_argument(
      "restore: the snapshot was taken with unknown options, allowed: those of this env");
}

// Every value of a row in the order of the format; `io` is put or get.
template <class Row, class Io>
void visit_row(Row& saved, const Io& io) {
  io(saved.seed);
  io(saved.row.episode);
  io(saved.decision);
  io(saved.ended);
  io(saved.waiting);
  io(saved.decided);
  io(saved.placed);
  visit_session(saved.session, io);
  io(saved.terminated);
  io(saved.session_end);
  io(saved.episode_learner);
  io(saved.episode_seed);
  io(saved.running_seed);
  for (auto* values : {&saved.rewards, &saved.stock_rewards, &saved.episode_return}) {
    for (auto& value : *values) io(value);
  }
}

SavedRow save_row(const EnvRow& row, unsigned notes, const LastEnd& end) {
  SavedRow saved{.row = row, .session = {}};
  saved.ended = (notes & kNoteEnded) != 0;
  saved.waiting = (notes & kNoteWaiting) != 0;
  saved.decided = (notes & kNoteDecided) != 0;
  saved.placed = (notes & kNotePlaced) != 0;
  saved.terminated = end.terminated;
  saved.session_end = end.session_end;
  saved.episode_learner = end.learner;
  saved.episode_seed = end.deal_seed;
  saved.episode_return = end.payoffs;
  if (end.terminated) {
    saved.rewards = end.payoffs;
    saved.stock_rewards = end.stock;
  }
  return saved;
}

std::uint8_t notes_of(const SavedRow& saved) {
  return static_cast<std::uint8_t>(
      (saved.ended ? kNoteEnded : 0) | (saved.waiting ? kNoteWaiting : 0) |
      (saved.decided ? kNoteDecided : 0) | (saved.placed ? kNotePlaced : 0));
}

LastEnd last_end(const SavedRow& saved) {
  return {.payoffs = saved.episode_return,
          .stock = saved.stock_rewards,
          .deal_seed = saved.episode_seed,
          .learner = saved.episode_learner,
          .terminated = saved.terminated,
          .session_end = saved.session_end};
}

}  // namespace

// What a row can be. The checksum finds damage; this finds bytes that somebody has made.

namespace {

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

/// Equal to the last bit: -0 is no 0.
bool same(const std::array<float, kNumSeats>& a, const std::array<float, kNumSeats>& b) {
  return std::ranges::equal(a, b, {}, bits_of, bits_of);
}

/// Payoffs that a deal can have ended with: whole units that add up to nothing, as far as the seven
/// digits of a float tell.
bool are_payoffs(const std::array<float, kNumSeats>& values, float scale) {
  constexpr std::int64_t kDigits = 1'000'000;
  std::int64_t sum = 0, largest = 0;
  for (const float value : values) {
    if (!(std::abs(value) <= static_cast<float>(std::numeric_limits<std::int32_t>::max()))) {
      return false;
    }
    const std::int64_t units = std::llround(value * scale);
    if (bits_of(static_cast<float>(units) / scale) != bits_of(value)) return false;
    sum += units;
    largest = std::max(largest, std::abs(units));
  }
  return std::abs(sum) <= largest / kDigits;
}

}  // namespace

std::string VectorEnv::Impl::why_game_impossible(int env, const SavedRow& saved) const {
  const EnvRow& current = saved.row;
  const Game& game = current.game;
  const std::uint64_t id = options.first_env + static_cast<std::uint64_t>(env);
  const std::uint64_t deal_seed = episode_seed(saved.seed, id, current.episode);
  if (saved.running_seed != deal_seed) return "running_seed is not that of seed and episode";
  constexpr std::uint32_t kMostSilent = 64;  // answers that leave no trace
  const auto plays = static_cast<std::uint32_t>(game.num_plays());
  const std::uint32_t most = plays + static_cast<std::uint32_t>(game.num_events()) + kMostSilent;
  if (saved.decision < plays || saved.decision > most) return "number of the decision";
  if (!saved.waiting) {
    const bool forced = options.skip_forced && shown(game.legal_actions()).count() == 1;
    if (game.is_terminal() || forced || !is_callers(env, current))
      return "the caller has nothing to decide";
  }
  if (saved.placed) {
    if (!saved.decided) return "a game that was set is one that was decided in";
    const bool running = options.session && !saved.waiting;
    const bool other = running && game.context().stock != saved.session.context.stock;
    return other ? "the Stock of a game that was set is not that of its session" : "";
  }
  int dealer = game.dealer();
  DealContext context = game.context();
  if (!options.session) {
    dealer = static_cast<int>((id + current.episode) % static_cast<unsigned>(game.seats()));
    context = rules_of(env).first_context();
  } else if (!saved.waiting) {  // else the session has moved on
    dealer = dealer_seat(rules_of(env).rules(), saved.session.dealer);
    context = saved.session.context;
  }
  return game.begins_as(make_game(env, saved.seed, current.episode, dealer, context, deal_seed))
             ? ""
             : "its game is not the deal of its seed";
}

std::string VectorEnv::Impl::why_end_impossible(int env, const SavedRow& saved) const {
  const EnvRow& current = saved.row;
  const auto scale = static_cast<float>(rules_of(env).tariff_scale());
  const std::array<float, kNumSeats> nothing{};
  if (saved.ended != (saved.terminated || saved.session_end)) return "whether a deal has ended";
  if (saved.waiting != current.game.is_terminal()) return "whether the deal is over";
  const bool stayed = saved.stayed() && options.auto_reset == AutoReset::kDisabled;
  if (saved.waiting && ((!saved.terminated && !stayed) || !saved.decided ||
                        options.auto_reset == AutoReset::kSameStep)) {
    return "the end of its deal";
  }
  const int learner = saved.episode_learner;
  if (learner < -1 || learner >= rules_of(env).seats()) return "episode_learner_seat";
  const bool any = options.learner_seat.rotates();  // of a deal that may be long ago
  if (saved.terminated && !any && learner != options.learner_seat.number) {
    return "episode_learner_seat";
  }
  if (saved.waiting && learner != learner_seat(env, current)) return "episode_learner_seat";
  if (!are_payoffs(saved.episode_return, scale)) return "episode_return";
  if (!same(saved.rewards, saved.terminated ? saved.episode_return : nothing)) return "rewards";
  if ((!saved.terminated || buffers.stock_rewards.empty()) && !same(saved.stock_rewards, nothing)) {
    return "stock_rewards";
  }
  for (const float amount : saved.stock_rewards) {
    if (!std::isfinite(amount)) return "stock_rewards";
  }
  return saved.waiting ? why_paid_impossible(saved) : std::string();
}

/// Of a row whose deal is over: whether its game ended so.
std::string VectorEnv::Impl::why_paid_impossible(const SavedRow& saved) const {
  const auto [payoffs, stock] = paid_end(saved.row.game, saved.ended_session());
  if (!same(saved.episode_return, payoffs)) return "episode_return of its game";
  if (saved.terminated && !buffers.stock_rewards.empty() && !same(saved.stock_rewards, stock)) {
    return "stock_rewards of its game";
  }
  if (saved.episode_seed != saved.running_seed) return "episode_seed";
  return {};
}

std::string VectorEnv::Impl::why_impossible(int env, const SavedRow& saved) const {
  std::string why = why_end_impossible(env, saved);
  if (why.empty() && options.session) {
    const RuleSet& rules = rules_of(env).rules();
    why = schafkopf::why_impossible(rules, saved.session);
    if (!why.empty()) return "its session: " + why;
    if (saved.session.num_redeals != 0) return "its session: misdeals, which a batch has none of";
    const bool over = is_over(rules, saved.session);
    const bool running = !over || saved.session.num_deals == 0;
    const bool fits = saved.waiting ? saved.stayed() || over == saved.session_end : running;
    if (!fits) return "the end of its session";
  } else if (why.empty() && (saved.session_end || saved.session != SessionState{})) {
    return "a session, without the option session";
  }
  return why.empty() ? why_game_impossible(env, saved) : why;
}

// Both ways

std::vector<std::uint8_t> VectorEnv::snapshot() const {
  impl_->require_whole();
  Writer out;
  out.put(kMagic);
  out.put(std::uint64_t{impl_->rows.size()});
  const std::string asked = fmt::format("{}", fmt::join(asked_lines(impl_->options), "\n"));
  out.put(static_cast<std::uint32_t>(asked.size()));
  out.put_bytes(asked.data(), asked.size());
  for (int env = 0; env < num_envs(); ++env) {
    const auto i = static_cast<std::size_t>(env);
    const PlainRows& plain = impl_->plain_rows;
    SavedRow saved = save_row(impl_->rows[i], plain.notes[i], impl_->ends[i]);
    saved.seed = plain.seed[i];
    saved.decision = plain.decision[i];
    saved.running_seed = impl_->deal_seed_of(env);
    if (!impl_->sessions.empty()) saved.session = impl_->sessions[i];
    visit_row(saved, [&](const auto& value) { out.put(value); });
    const std::vector<std::uint8_t> game = saved.row.game.serialize();
    out.put(static_cast<std::uint32_t>(game.size()));
    out.put_bytes(game.data(), game.size());
  }
  out.put(checksum_of(out.text()));
  return out.take();
}

namespace {

/// Everything but the checksum, which must be right.
std::span<const std::uint8_t> summed(std::span<const std::uint8_t> bytes) {
  std::uint64_t magic = 0, sum = 0;
  if (bytes.size() < sizeof magic + sizeof sum) {
    throw std::invalid_argument("restore: these bytes are no snapshot of a vector env");
  }
  std::memcpy(&magic, bytes.data(), sizeof magic);
  if (magic != kMagic) {
    throw std::invalid_argument(
        "restore: these bytes are no snapshot of a vector env of version SCKFENV5");
  }
  const auto contents = bytes.first(bytes.size() - sizeof sum);
  std::memcpy(&sum, bytes.data() + contents.size(), sizeof sum);
  if (sum != checksum_of(text_of(contents))) {
    throw std::invalid_argument("restore: checksum is wrong, the snapshot is damaged or cut off");
  }
  return contents.subspan(sizeof magic);
}

}  // namespace

void VectorEnv::restore(std::span<const std::uint8_t> bytes) {
  Reader in(summed(bytes));
  const auto count = in.get<std::uint64_t>();
  if (count != impl_->rows.size()) {
    throw std::invalid_argument(fmt::format("restore: the snapshot has {} envs, this one has {}",
                                            count, impl_->rows.size()));
  }
  const auto asked_size = in.get<std::uint32_t>();
  check_asked(text_of(in.get_bytes(asked_size)), impl_->options);
  std::vector<SavedRow> loaded;
  loaded.reserve(impl_->rows.size());
  for (int env = 0; env < num_envs(); ++env) {
    SavedRow& saved = loaded.emplace_back(SavedRow{.row = impl_->row(env), .session = {}});
    visit_row(saved, [&](auto& value) { value = in.get<std::remove_cvref_t<decltype(value)>>(); });
    const std::size_t size = in.get<std::uint32_t>();
    std::string why;
    try {
      saved.row.game = Game::deserialize(impl_->rules_of(env), in.get_bytes(size));
      why = impl_->why_impossible(env, saved);
    } catch (const std::invalid_argument& error) {
      why = error.what();
    }
    if (why.empty()) continue;
    throw std::invalid_argument(fmt::format(
        "restore: env {}: {}; the snapshot was damaged, or taken with other options", env, why));
  }
  if (!in.at_end()) throw std::invalid_argument("restore: bytes are left after the last env");
  impl_->fresh = false;
  for (EnvSlice& slice : impl_->slices) slice.ended.clear();
  for (int env = 0; env < num_envs(); ++env) {
    const auto i = static_cast<std::size_t>(env);
    impl_->rows[i] = loaded[i].row;
    impl_->plain_rows.seed[i] = loaded[i].seed;
    impl_->plain_rows.decision[i] = loaded[i].decision;
    impl_->plain_rows.notes[i] = notes_of(loaded[i]);
    if (loaded[i].ended) impl_->note_end(impl_->slice_of(env), env);
    if (!impl_->sessions.empty()) impl_->sessions[i] = loaded[i].session;
    impl_->ends[i] = last_end(loaded[i]);
    impl_->show_no_end(env, env + 1);
    impl_->show_end(env);
    impl_->set_deal_seed(i, loaded[i].running_seed);
    EnvSlice& slice = impl_->slice_of(env);
    if (env == slice.begin) slice.num_ready = 0;
    impl_->show(slice, env);
    impl_->write_ready(slice);
  }
  if (impl_->streams) end_streamed();
  impl_->torn_by.clear();
}

}  // namespace schafkopf
