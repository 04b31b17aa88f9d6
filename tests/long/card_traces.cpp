// The kernel of env/device on this processor beside Game stepped card by card, game by game; and
// the games as rows, for a device (./run device). Game i of a seed is the same on every machine.
//
// usage: schafkopf_card_traces [--traces N] [--seed S] [--rows FILE]
//   --traces N    1'000'000 unless told
//   --seed S      other deals, rules and draws: 0 unless told
//   --rows FILE   what a device is given and must find: for each game its PlayState (128 bytes), the
//                 key of its draws and its hash by Game (8 bytes each), little-endian
// Leaves with 1 where a hash differs.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/cpp/support/card_traces.h"
#include "tests/device/emulation.h"
#include "tests/long/arguments.h"

namespace schafkopf::test {
namespace {

constexpr std::int64_t kPerBatch = 10'000;

template <class T>
void write(std::ofstream& file, const T& value) {
  file.write(reinterpret_cast<const char*>(&value), sizeof(value));
}

struct Sums {
  std::int64_t games = 0, cards = 0, different = 0;
  std::uint64_t by_game = 0, by_kernel = 0;  // all hashes in order, folded
};

/// Plays `games` more of them, compares, and writes them into the file if one is open.
void play(CardTraces& traces, std::int64_t games, Sums& sums, std::ofstream& rows) {
  std::vector<PlayState<std::uint32_t>> starts;
  std::vector<std::uint64_t> keys, hashes;
  for (std::int64_t i = 0; i < games; ++i) {
    const CardTrace trace = traces.next();
    starts.push_back(trace.start);
    keys.push_back(trace.key);
    hashes.push_back(trace.hash);
    sums.cards += trace.cards;
    if (!rows.is_open()) continue;
    write(rows, trace.start);
    write(rows, trace.key);
    write(rows, trace.hash);
  }
  std::vector<std::uint64_t> emulated(hashes.size());
  emulate_card_traces(starts, keys, emulated);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    sums.by_game = mix64(sums.by_game ^ hashes[i]);
    sums.by_kernel = mix64(sums.by_kernel ^ emulated[i]);
    sums.different += hashes[i] != emulated[i];
  }
  sums.games += games;
}

int main_of(const std::vector<std::string>& words) {
  std::int64_t wanted = 1'000'000, seed = 0;
  std::string path;
  Arguments arguments("schafkopf_card_traces", words);
  arguments.take("--traces", wanted, 1);
  arguments.take("--seed", seed, 0);
  arguments.take("--rows", path);
  arguments.finish();
  std::ofstream rows;
  if (!path.empty()) {
    rows.open(path, std::ios::binary);
    if (!rows) throw std::runtime_error("cannot write " + path);
  }
  CardTraces traces(static_cast<std::uint64_t>(seed));
  Sums sums;
  while (sums.games < wanted) play(traces, std::min(kPerBatch, wanted - sums.games), sums, rows);
  if (!path.empty() && !rows.flush()) throw std::runtime_error("cannot write " + path);
  fmt::print(
      "{} games of seed {}, {} cards: {:016x} by Game, {:016x} by the kernel on this processor",
      sums.games, seed, sums.cards, sums.by_game, sums.by_kernel);
  fmt::print(", {} games differ\n", sums.different);
  return sums.different == 0 ? 0 : 1;
}

}  // namespace
}  // namespace schafkopf::test

int main(int count, char** words) {
  return schafkopf::test::run_program(count, words, schafkopf::test::main_of);
}
