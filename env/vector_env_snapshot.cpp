// Snapshots of a whole batch: a fixed little-endian format, checked before anything is changed.
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "env/vector_env_impl.h"

namespace schafkopf {
namespace {

constexpr std::uint64_t kMagic = 0x32564E45464B4353u;  // "SCKFENV2"
static_assert(std::endian::native == std::endian::little);

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

/// One row of a snapshot.
struct SavedRow {
  EnvRow row;
  SessionState session;
  bool terminated = false;
  bool session_end = false;
  std::uint64_t episode_seed = 0;
  std::uint64_t running_seed = 0;
  std::array<float, kNumSeats> rewards{}, stock_rewards{}, episode_return{};
};

// Every value of a row in the order of the format; `io` is put or get.
template <class Row, class Io>
void visit_row(Row& saved, const Io& io) {
  io(saved.row.seed);
  io(saved.row.episode);
  io(saved.row.decision);
  io(saved.row.ended);
  io(saved.row.waiting);
  io(saved.row.decided);
  visit_session(saved.session, io);
  io(saved.terminated);
  io(saved.session_end);
  io(saved.episode_seed);
  io(saved.running_seed);
  for (auto* values : {&saved.rewards, &saved.stock_rewards, &saved.episode_return}) {
    for (auto& value : *values) io(value);
  }
}

SavedRow save_row(const EnvRow& row, const LastEnd& end) {
  SavedRow saved{.row = row, .session = {}};
  saved.terminated = end.terminated;
  saved.session_end = end.session_end;
  saved.episode_seed = end.deal_seed;
  saved.running_seed = row.deal_seed;
  saved.episode_return = end.payoffs;
  if (end.terminated) {
    saved.rewards = end.payoffs;
    saved.stock_rewards = end.stock;
  }
  return saved;
}

LastEnd last_end(const SavedRow& saved) {
  return {.payoffs = saved.episode_return,
          .stock = saved.stock_rewards,
          .deal_seed = saved.episode_seed,
          .terminated = saved.terminated,
          .session_end = saved.session_end};
}

}  // namespace

std::vector<std::uint8_t> VectorEnv::snapshot() const {
  Writer out;
  out.put(kMagic);
  out.put(std::uint64_t{impl_->rows.size()});
  for (int env = 0; env < num_envs(); ++env) {
    const auto i = static_cast<std::size_t>(env);
    SavedRow saved = save_row(impl_->rows[i], impl_->ends[i]);
    if (!impl_->sessions.empty()) saved.session = impl_->sessions[i];
    visit_row(saved, [&](const auto& value) { out.put(value); });
    const std::vector<std::uint8_t> game = saved.row.game.serialize();
    out.put(static_cast<std::uint32_t>(game.size()));
    out.put_bytes(game.data(), game.size());
  }
  return out.take();
}

void VectorEnv::restore(std::span<const std::uint8_t> bytes) {
  Reader in(bytes);
  if (in.get<std::uint64_t>() != kMagic) {
    throw std::invalid_argument("restore: these bytes are no snapshot of a vector env");
  }
  const auto count = in.get<std::uint64_t>();
  if (count != impl_->rows.size()) {
    throw std::invalid_argument(fmt::format("restore: the snapshot has {} envs, this one has {}",
                                            count, impl_->rows.size()));
  }
  std::vector<SavedRow> loaded;
  loaded.reserve(impl_->rows.size());
  for (int env = 0; env < num_envs(); ++env) {
    SavedRow& saved = loaded.emplace_back(SavedRow{.row = impl_->row(env), .session = {}});
    visit_row(saved, [&](auto& value) { value = in.get<std::remove_cvref_t<decltype(value)>>(); });
    const std::size_t size = in.get<std::uint32_t>();
    saved.row.game = Game::deserialize(impl_->rules_of(env), in.get_bytes(size));
    if (saved.row.waiting != saved.row.game.is_terminal()) {
      throw std::invalid_argument(fmt::format("restore: the snapshot of env {} is damaged", env));
    }
  }
  if (!in.at_end()) throw std::invalid_argument("restore: bytes are left after the last env");
  impl_->fresh = false;
  for (int env = 0; env < num_envs(); ++env) {
    const auto i = static_cast<std::size_t>(env);
    impl_->rows[i] = loaded[i].row;
    if (!impl_->sessions.empty()) impl_->sessions[i] = loaded[i].session;
    impl_->ends[i] = last_end(loaded[i]);
    impl_->show_no_end(env, env + 1);
    impl_->show_end(env);
    impl_->set_deal_seed(i, loaded[i].running_seed);
    EnvSlice& slice = impl_->slice_of(env);
    impl_->show(slice, env);
    impl_->write_ready(slice);
  }
}

}  // namespace schafkopf
