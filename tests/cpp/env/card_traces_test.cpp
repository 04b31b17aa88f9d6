// The kernel of env/device, launched on this processor, against Game stepped card by card: card play
// on the word of a thread gives the same masks, tricks and winners. No test here needs a device.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "env/cards/contract.h"
#include "tests/cpp/support/card_traces.h"
#include "tests/cpp/support/scale.h"
#include "tests/device/emulation.h"

namespace schafkopf::test {
namespace {

/// Traces side by side, as a device gets them.
struct Batch {
  std::vector<PlayState<std::uint32_t>> starts;
  std::vector<std::uint64_t> keys, hashes;
  std::vector<std::string> contracts;

  void add(const CardTrace& trace) {
    starts.push_back(trace.start);
    keys.push_back(trace.key);
    hashes.push_back(trace.hash);
    contracts.emplace_back(contract_name(trace.contract, trace.tout));
  }
  /// The first game that the kernel plays otherwise than Game, "" if there is none.
  [[nodiscard]] std::string difference() const {
    std::vector<std::uint64_t> found(starts.size());
    emulate_card_traces(starts, keys, found);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i] != hashes[i]) return "game " + std::to_string(i) + ", " + contracts[i];
    }
    return {};
  }
};

TEST(CardTraces, every_game_has_the_hash_of_game_in_all_contracts_and_presets) {
  constexpr int kPerBatch = 1'000;  // no multiple of the threads of a block
  const int batches = scaled(10, 100, 100, 1'000);
  CardTraces traces(17);
  std::set<std::string> presets, contracts;
  int short_games = 0;
  for (int i = 0; i < batches; ++i) {
    Batch batch;
    for (int k = 0; k < kPerBatch; ++k) {
      const CardTrace trace = traces.next();
      batch.add(trace);
      presets.insert(trace.rules->name());
      contracts.insert(std::string(contract_name(trace.contract, false)));
      short_games +=
          trace.start.next_stop < static_cast<std::uint32_t>(trace.rules->deck().count());
    }
    ASSERT_EQ(batch.difference(), "") << "batch " << i;
  }
  for (const std::string_view preset : preset_names()) {
    EXPECT_TRUE(presets.contains(std::string(preset))) << preset;
  }
  for (const ContractRow& row : contract_table()) {
    const bool played_out = row.goal != Goal::kFixedHand;
    const std::string name(contract_name(row.contract, false));
    EXPECT_EQ(contracts.contains(name), played_out) << name;
  }
  EXPECT_GT(short_games, 0) << "games that a lost trick ends";
}

TEST(CardTraces, threads_beyond_the_games_write_nothing) {
  CardTraces traces(18);
  Batch batch;
  for (int i = 0; i < 3; ++i) batch.add(traces.next());
  std::vector<std::uint64_t> hashes(kThreadsPerBlock, 5);
  emulate_card_traces(batch.starts, batch.keys, std::span(hashes).first(3));
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    EXPECT_EQ(hashes[i], i < 3 ? batch.hashes[i] : 5) << "game " << i;
  }
}

TEST(CardTraces, the_hash_tells_a_card_a_mask_a_seat_and_a_winner_apart) {
  const std::uint64_t hash = fold_card(1, 0x30, 0x10, 2, 3);
  EXPECT_NE(hash, fold_card(2, 0x30, 0x10, 2, 3));
  EXPECT_NE(hash, fold_card(1, 0x31, 0x10, 2, 3));
  EXPECT_NE(hash, fold_card(1, 0x30, 0x20, 2, 3));
  EXPECT_NE(hash, fold_card(1, 0x30, 0x10, 3, 2));
  EXPECT_NE(hash, fold_card(1, 0x30, 0x10, 2, 0));
  EXPECT_NE(fold_taken(hash, 1), fold_taken(hash, 2));
}

TEST(CardTraces, another_key_plays_other_cards) {
  CardTraces traces(19);
  int compared = 0;
  for (int i = 0; i < 100; ++i) {
    const CardTrace trace = traces.next();
    if (trace.cards < 8) continue;
    ++compared;
    EXPECT_NE(card_trace(trace.start, trace.key + 1), trace.hash);
  }
  EXPECT_GT(compared, 20);
}

}  // namespace
}  // namespace schafkopf::test
