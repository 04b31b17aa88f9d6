// Counter-based randomness: every draw is a pure function of a key, so results do not depend on
// threads, batch cuts or order. Our own, because standard distributions differ between libraries.
#pragma once

#include <cstdint>

namespace schafkopf {

/// splitmix64 finaliser (Steele, Lea, Flood 2014), of a word or of each word of a vector.
template <class Words>
[[nodiscard, gnu::always_inline]] constexpr Words mix_words(Words x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}
/// A bijection of 64-bit words.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x) { return mix_words(x); }

/// Streams of one deal; each has its own draws.
enum class RngStream : std::uint64_t { kDeal = 1, kPolicy = 2, kGenerator = 3, kDealer = 4 };

/// Names one draw: (seed, global env id, episode, decision number in the deal, seat).
struct RngKey {
  std::uint64_t seed = 0;
  std::uint64_t env = 0;
  std::uint64_t episode = 0;
  std::uint32_t decision = 0;
  std::uint32_t seat = 0;
};

/// Seed of one deal: a function of (seed, env, episode).
[[nodiscard]] constexpr std::uint64_t episode_seed(std::uint64_t seed, std::uint64_t env,
                                                   std::uint64_t episode) {
  return mix64(mix64(mix64(seed) ^ env) + episode);
}

/// Key of a stream of a deal: constant for the deal, for callers that draw often.
[[nodiscard]] constexpr std::uint64_t stream_key(std::uint64_t episode_seed, RngStream stream) {
  return mix64(episode_seed ^ (static_cast<std::uint64_t>(stream) << 56));
}
/// n-th 64-bit draw of a stream of a deal.
[[nodiscard]] constexpr std::uint64_t draw_of(std::uint64_t stream_key, std::uint64_t n) {
  return mix64(stream_key + n);
}
[[nodiscard]] constexpr std::uint64_t draw(std::uint64_t episode_seed, RngStream stream,
                                           std::uint64_t n) {
  return draw_of(stream_key(episode_seed, stream), n);
}
/// Number of the draw for a decision.
[[nodiscard]] constexpr std::uint64_t draw_number(std::uint32_t seat, std::uint32_t decision) {
  return (std::uint64_t{seat} << 32) | decision;
}
[[nodiscard]] constexpr std::uint64_t draw(const RngKey& key,
                                           RngStream stream = RngStream::kPolicy) {
  return draw(episode_seed(key.seed, key.env, key.episode), stream,
              draw_number(key.seat, key.decision));
}

/// 128-bit product, spelled so that pedantic compilers accept it.
__extension__ typedef unsigned __int128 UInt128;  // NOLINT(modernize-use-using): with __extension__

/// Uniform integer in [0, count) from one draw: (r * count) >> 64.
[[nodiscard]] constexpr int below(std::uint64_t r, int count) {
  return static_cast<int>((static_cast<UInt128>(r) * static_cast<unsigned>(count)) >> 64);
}
/// Uniform double in [0, 1) from one draw.
[[nodiscard]] constexpr double unit_interval(std::uint64_t r) {
  return static_cast<double>(r >> 11) * 0x1.0p-53;
}

/// Sequence of draws for code that needs many (generators, tests); a value type.
class Rng {
 public:
  explicit constexpr Rng(std::uint64_t seed) : state_(mix64(seed)) {}
  constexpr std::uint64_t next() { return mix64(state_++ * 0xD1342543DE82EF95u); }
  constexpr int next_below(int count) { return below(next(), count); }
  constexpr double next_unit() { return unit_interval(next()); }

 private:
  std::uint64_t state_;
};

}  // namespace schafkopf
