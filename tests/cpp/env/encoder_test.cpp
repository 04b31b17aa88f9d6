// Observation v1: layout, hand-made views in game notation, equality of the two row types, of the
// batch and the single view, and of the vector and the portable kernels.
#include "env/view/encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "env/base/random.h"
#include "env/base/streamed.h"
#include "env/cards/card_map.h"
#include "env/deal/deal.h"
#include "env/game/game.h"
#include "env/view/encoder_kernels.h"
#include "env/view/packed_row.h"
#include "tests/cpp/support/observation_rows.h"

namespace schafkopf {
namespace {

using test::kV1;
using test::section;
using Row = std::vector<std::uint8_t>;

Row expand_view(const PlayerView& view, std::span<const float> rules = {}) {
  Row row(static_cast<std::size_t>(observation_size()));
  expand(view.cards, view.order, view.events, rules, row.data());
  return row;
}

Row values(const Row& row, std::string_view name, int from = 0, int length = -1) {
  const Section& part = section(kV1, name);
  const auto begin = row.begin() + part.offset + from;
  return {begin, begin + (length < 0 ? part.length : length)};
}

/// Cards whose value is 1, from a part of 32.
std::string cards_in(const Row& row, std::string_view name, int from = 0) {
  CardSet set;
  const Row part = values(row, name, from, kNumCards);
  for (int card = 0; card < kNumCards; ++card) {
    if (part[static_cast<std::size_t>(card)] != 0) set.add(static_cast<Card>(card));
  }
  return to_string(set);
}

Row one_hot(int length, int index) {
  Row row(static_cast<std::size_t>(length));
  if (index >= 0) row[static_cast<std::size_t>(index)] = 1;
  return row;
}

std::uint32_t bits(std::string_view cards) { return parse_cards(cards).bits(); }

/// "1:SA 2:S7" = relative seat and card, in order; fills order of play and cards played.
void put_plays(PlayerView& view, std::string_view plays) {
  while (!plays.empty()) {
    const std::size_t end = std::min(plays.find(' '), plays.size());
    const int seat = plays[0] - '0';
    const Card card = *parse_card(plays.substr(2, end - 2));
    view.order.plays[view.order.num_plays++] = static_cast<std::uint8_t>(0x80 | (seat << 5) | card);
    view.cards.played[seat] |= CardSet::of(card).bits();
    plays.remove_prefix(std::min(end + 1, plays.size()));
  }
}

void say(PlayerView& view, int seat, std::string_view action) {
  view.events.events[view.order.num_events++] =
      static_cast<std::uint16_t>(0x8000 | (seat << 8) | *parse_action(action));
}

/// Rufspiel on SA by the left neighbour; trick 2, the seat is last to play.
PlayerView rufspiel_view() {
  PlayerView view;
  view.cards.hand = bits("SO HA H8 EK E9 S10 G7");
  view.cards.legal = bits("S10");
  view.cards.phase = static_cast<std::uint8_t>(Phase::kPlay);
  view.cards.contract = static_cast<int>(ContractClass::kRuf) + 1;
  view.cards.called_card = *parse_card("SA");
  view.cards.trump_suit = static_cast<std::uint8_t>(Suit::kHerz);
  view.cards.declarer_leader = 1 | (1 << 3);
  view.cards.partner_level = 2 | (1 << 3);
  view.cards.seat_trick = 3 | (1 << 2) | (3 << 6);
  view.cards.flags = kFlagPartnerKnown | kFlagToAct;
  put_plays(view, "1:EO 2:H7 3:GU 0:HU 1:S7 2:SA 3:EA");
  view.cards.table[1] = bits("S7");
  view.cards.table[2] = bits("SA");
  view.cards.table[3] = bits("EA");
  view.cards.captured[1] = bits("EO H7 GU HU");
  view.order.dealer = 0;
  view.order.card_map = static_cast<std::uint8_t>(
      choose_card_map(CardSet::rank(Rank::kOber) | CardSet::rank(Rank::kUnter), 2, 3,
                      parse_cards("SO HU HA H8 EK E9 S10 G7")));
  say(view, 1, "PLAY");
  say(view, 2, "PASS");
  say(view, 3, "PASS");
  say(view, 0, "PASS");
  say(view, 1, "C_RUF");
  say(view, 1, "CARD SA");
  say(view, 0, "DOUBLE");
  return view;
}

TEST(Encoder, sections_follow_each_other_and_fill_the_row) {
  int offset = 0;
  for (const Section& part : observation_sections()) {
    EXPECT_EQ(part.offset, offset) << part.name;
    EXPECT_GT(part.length, 0) << part.name;
    EXPECT_FALSE(part.meaning.empty()) << part.name;
    offset += part.length;
  }
  EXPECT_EQ(offset, observation_size());
  EXPECT_EQ(observation_sections().back().name, "rules");
  EXPECT_EQ(observation_sections().back().length, rule_feature_size());
  offset = 0;
  for (const Section& part : rule_feature_sections()) {
    EXPECT_EQ(part.offset, offset) << part.name;
    EXPECT_EQ(part.scale, section(kV1, "rules").scale) << part.name;
    offset += part.length;
  }
  EXPECT_EQ(offset, rule_feature_size());
}

TEST(Encoder, released_layout_v1_does_not_change) {
  EXPECT_EQ(kObservationVersion, 1);
  EXPECT_EQ(observation_size(), 736);
  EXPECT_EQ(section(kV1, "rules").offset, 544);
  EXPECT_EQ(section(kV1, "contract").length, 19);
  EXPECT_EQ(section(kV1, "phase").length, kNumPhases);
  EXPECT_EQ(section(kV1, "played").offset, 192);
  EXPECT_EQ(section(kV1, "auction").offset, 464);
}

TEST(Encoder, card_sections_use_the_canonical_index) {
  const Row row = expand_view(rufspiel_view());
  // slots: Herz (trump) -> E, Schellen (called) -> G, Eichel (longest) -> H, Gras -> S
  EXPECT_EQ(cards_in(row, "hand"), "E8 EA G10 H9 HK S7 SO");
  EXPECT_EQ(cards_in(row, "legal_cards"), "G10");
  EXPECT_EQ(cards_in(row, "table", 0), "G7");
  EXPECT_EQ(cards_in(row, "table", 32), "GA");
  EXPECT_EQ(cards_in(row, "table", 64), "HA");
  EXPECT_EQ(cards_in(row, "played", 0), "HU");
  EXPECT_EQ(cards_in(row, "played", 32), "EO G7");
  EXPECT_EQ(cards_in(row, "played", 64), "E7 GA");
  EXPECT_EQ(cards_in(row, "played", 96), "GU HA");
  EXPECT_EQ(cards_in(row, "unseen"), "E9 EU EK E10 G8 G9 GO GK H7 H8 HO H10 S8 S9 SU SK S10 SA");
}

TEST(Encoder, contract_seats_and_situation) {
  const Row row = expand_view(rufspiel_view());
  EXPECT_EQ(values(row, "contract"), one_hot(19, static_cast<int>(ContractClass::kRuf)));
  EXPECT_EQ(values(row, "tout"), Row{0});
  EXPECT_EQ(values(row, "trump_suit"), one_hot(4, 2));
  EXPECT_EQ(values(row, "called_suit"), one_hot(4, 3));
  EXPECT_EQ(values(row, "called_rank"), (Row{1, 1, 1}));
  EXPECT_EQ(values(row, "doubling_level"), one_hot(8, 0));
  EXPECT_EQ(values(row, "declarer"), one_hot(4, 1));
  EXPECT_EQ(values(row, "leader"), one_hot(4, 1));
  EXPECT_EQ(values(row, "partner"), one_hot(4, 2));
  EXPECT_EQ(values(row, "flags"), (Row{1, 0, 0, 0, 1}));
  EXPECT_EQ(values(row, "phase"), one_hot(23, static_cast<int>(Phase::kPlay)));
  EXPECT_EQ(values(row, "legal_other"), Row(30));
  EXPECT_EQ(values(row, "trick"), one_hot(8, 1));
  EXPECT_EQ(values(row, "cards_on_table"), one_hot(3, 2));
  EXPECT_EQ(values(row, "dealer"), one_hot(4, 0));
}

TEST(Encoder, R_112_a_seat_that_did_not_follow_is_void) {
  const Row row = expand_view(rufspiel_view());
  Row expected(20);
  expected[3 * 5 + 1] = 1;  // seat 3 threw EA on Schellen, the called suit = slot 1
  EXPECT_EQ(values(row, "voids"), expected);
  PlayerView trumped = rufspiel_view();
  put_plays(trumped, "0:SO 0:HA 1:GA 2:H9");  // a trump on Schellen; Gras on trump
  expected[0 * 5 + 1] = 1;
  expected[1 * 5 + 4] = 1;
  EXPECT_EQ(values(expand_view(trumped), "voids"), expected);
}

TEST(Encoder, points_tricks_and_counts) {
  const Row row = expand_view(rufspiel_view());
  EXPECT_EQ(values(row, "points"), (Row{0, 7, 0, 0}));
  EXPECT_EQ(values(row, "tricks"), (Row{0, 1, 0, 0}));
  // own party {0, 3}: nothing yet; {1, 2}: 7; table 0 + 11 + 11; unseen 120 - 7 - 22 - own 28
  EXPECT_EQ(values(row, "party_points"), (Row{0, 7, 22, 63}));
  EXPECT_EQ(values(row, "counts"), (Row{7, 3, 7, 7, 1}));
  EXPECT_EQ(values(row, "unseen_groups"), (Row{0, 3, 3, 5}));
}

TEST(Encoder, E_2_an_unknown_partner_is_in_no_party) {
  PlayerView view = rufspiel_view();
  view.cards.flags &= static_cast<std::uint8_t>(~kFlagPartnerKnown);
  view.cards.partner_level = kNoSeat;
  EXPECT_EQ(values(expand_view(view), "party_points"), (Row{0, 7, 22, 63}));
  view.cards.captured[3] = bits("EA");
  EXPECT_EQ(values(expand_view(view), "party_points", 0, 2), (Row{0, 7}));
  view.cards.partner_level = 3;
  EXPECT_EQ(values(expand_view(view), "party_points", 0, 2), (Row{0, 18}));
  view.cards.partner_level = 0;  // it owns the called ace
  EXPECT_EQ(values(expand_view(view), "party_points", 0, 2), (Row{7, 11}));
}

TEST(Encoder, auction_tells_what_each_seat_said) {
  PlayerView view = rufspiel_view();
  Row row = expand_view(view);
  EXPECT_EQ(values(row, "auction", 0, 12), (Row{1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(values(row, "auction", 12, 12), (Row{0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(values(row, "auction", 24, 12), one_hot(12, 0));
  say(view, 1, "C_SOLO_TOUT");  // the last class counts: 5 + 1 = 110b
  say(view, 2, "YIELD");
  row = expand_view(view);
  EXPECT_EQ(values(row, "auction", 12, 12), (Row{0, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1}));
  EXPECT_EQ(values(row, "auction", 24, 12), (Row{1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Encoder, outside_play_the_table_is_empty_and_other_actions_are_listed) {
  PlayerView view;
  view.cards.hand = bits("EO EU HA");
  view.cards.phase = static_cast<std::uint8_t>(Phase::kNameClass);
  view.cards.flags = kFlagToAct;
  view.cards.declarer_leader = kNoSeat | (kNoSeat << 3);
  view.cards.partner_level = kNoSeat;
  ActionMask mask;
  mask.add(kActionPass);
  mask.add(kFirstContractAction);
  mask.add(kLastContractAction);
  view.cards.table[1] = static_cast<std::uint32_t>(mask.words[0] >> 32);
  view.cards.table[2] = static_cast<std::uint32_t>(mask.words[1]);
  view.cards.table[3] = static_cast<std::uint32_t>(mask.words[1] >> 32);
  const Row row = expand_view(view);
  EXPECT_EQ(values(row, "table"), Row(96));
  Row expected(30);
  expected[0] = expected[4] = expected[27] = 1;
  EXPECT_EQ(values(row, "legal_other"), expected);
  EXPECT_EQ(values(row, "declarer"), Row(4));
  EXPECT_EQ(values(row, "contract"), Row(19));
  EXPECT_EQ(values(row, "party_points"), (Row{0, 0, 0, 120 - 16}));
  EXPECT_EQ(values(row, "phase"), one_hot(23, 12));
}

TEST(Encoder, deal_context_and_short_deck) {
  PlayerView view = rufspiel_view();
  view.order.stock = 100;
  view.order.bock = 2;
  view.order.special_round = 3;
  view.order.games_left = 4;
  view.order.legen = 1;
  view.order.bid = 90;
  view.order.owed[2] = 5;
  view.order.deck = 1;
  const Row row = expand_view(view);
  EXPECT_EQ(values(row, "context"), (Row{8 * 7 + 4, 2, 3, 4, 1, 9, 4}));
  EXPECT_EQ(values(row, "owed"), (Row{0, 0, 5, 0}));
  EXPECT_EQ(cards_in(row, "unseen"), "E9 EU EK E10 G9 GO GK HO H10 S9 SU SK S10 SA");
}

/// Lines with random but valid content.
PlayerView random_view(Rng& rng, bool three) {
  PlayerView view;
  auto word = [&rng] { return static_cast<std::uint32_t>(rng.next()); };
  view.cards.hand = word();
  view.cards.legal = word() & view.cards.hand;
  view.cards.phase = static_cast<std::uint8_t>(rng.next_below(kNumPhases));
  if (rng.next_below(2) == 0) view.cards.phase = static_cast<std::uint8_t>(Phase::kPlay);
  view.cards.contract = static_cast<std::uint8_t>(rng.next_below(20) | (rng.next_below(2) << 5));
  view.cards.called_card =
      rng.next_below(2) == 0 ? kNoCard : static_cast<std::uint8_t>(rng.next_below(32));
  view.cards.trump_suit = static_cast<std::uint8_t>(rng.next_below(5));
  view.cards.declarer_leader =
      static_cast<std::uint8_t>(rng.next_below(5) | (rng.next_below(5) << 3));
  view.cards.partner_level =
      static_cast<std::uint8_t>(rng.next_below(5) | (rng.next_below(9) << 3));
  view.cards.seat_trick = static_cast<std::uint8_t>(rng.next_below(4) | (rng.next_below(9) << 2) |
                                                    (rng.next_below(4) << 6));
  view.cards.flags = static_cast<std::uint8_t>(rng.next());
  for (int seat = 0; seat < 4; ++seat) {
    view.cards.played[seat] = word() & word() & word();
    view.cards.table[seat] = 1u << rng.next_below(32);
    view.cards.captured[seat] = word() & word() & word();
  }
  view.order.seats = three ? 3 : 4;
  view.order.num_plays = static_cast<std::uint8_t>(rng.next_below(three ? 25 : 33));
  int leader = 0;
  for (int i = 0; i < view.order.num_plays; ++i) {
    if (i % view.order.seats == 0) leader = rng.next_below(view.order.seats);
    view.order.plays[i] = static_cast<std::uint8_t>(
        0x80 | (((leader + i) % view.order.seats) << 5) | rng.next_below(32));
  }
  view.order.num_events = static_cast<std::uint8_t>(rng.next_below(33));
  for (int i = 0; i < view.order.num_events; ++i) {
    view.events.events[i] = static_cast<std::uint16_t>(
        0x8000 | (rng.next_below(kLastContractAction + 1)) | (rng.next_below(4) << 8));
  }
  view.order.card_map = static_cast<std::uint8_t>(rng.next_below(num_card_maps()));
  view.order.dealer = static_cast<std::uint8_t>(rng.next_below(4));
  view.order.deck = static_cast<std::uint8_t>(rng.next_below(2));
  if (rng.next_below(4) == 0) {
    view.order.stock = static_cast<std::int32_t>(word() >> rng.next_below(32)) & 0x7FFFFFFF;
    view.order.legen = static_cast<std::uint8_t>(rng.next_below(5));
    view.order.bid = static_cast<std::uint8_t>(rng.next_below(256));
    view.order.bock = static_cast<std::uint8_t>(rng.next_below(256));
    view.order.special_round = static_cast<std::uint8_t>(rng.next_below(16));
    view.order.games_left = static_cast<std::uint8_t>(rng.next_below(256));
    for (std::uint8_t& owed : view.order.owed) owed = static_cast<std::uint8_t>(rng.next_below(8));
  }
  return view;
}
PlayerView random_view(Rng& rng) { return random_view(rng, rng.next_below(4) == 0); }

/// Views that fill groups of vector lanes, which tables of three do not: runs of both kinds.
std::vector<PlayerView> random_views(Rng& rng, int number) {
  std::vector<PlayerView> views;
  for (int i = 0; i < number; ++i) {
    views.push_back(i % 200 < 150 ? random_view(rng, false) : random_view(rng));
  }
  return views;
}

TEST(Encoder, float_rows_are_byte_rows_times_scale) {
  Rng rng(11);
  std::vector<float> rules(static_cast<std::size_t>(rule_feature_size()));
  write_rule_features(*CompiledRules::load("research"), rules);
  for (int round = 0; round < 500; ++round) {
    const PlayerView view = random_view(rng);
    const Row bytes = expand_view(view, rules);
    std::vector<float> floats(bytes.size(), -1.0F);
    expand(view.cards, view.order, view.events, rules, floats.data());
    for (const Section& part : observation_sections()) {
      for (int i = part.offset; i < part.offset + part.length; ++i) {
        const auto at = static_cast<std::size_t>(i);
        ASSERT_EQ(floats[at], static_cast<float>(bytes[at]) * part.scale) << part.name;
      }
    }
  }
}

TEST(Encoder, a_batch_equals_its_views_with_the_rules_of_each_row) {
  Rng rng(12);
  const auto research = CompiledRules::load("research");
  const auto tournament = CompiledRules::load("tournament_2024");
  const std::vector<const CompiledRules*> table = {research.get(), tournament.get()};
  const auto width = static_cast<std::size_t>(rule_feature_size());
  std::vector<float> features(2 * width);
  write_rule_features(*research, std::span(features).first(width));
  write_rule_features(*tournament, std::span(features).subspan(width));
  const RuleTable rules{table, features};
  std::vector<CardsLine> cards;
  std::vector<OrderLine> order;
  std::vector<EventsLine> events;
  std::vector<std::uint16_t> index;
  for (int i = 0; i < 50; ++i) {
    const PlayerView view = random_view(rng);
    cards.push_back(view.cards);
    order.push_back(view.order);
    events.push_back(view.events);
    index.push_back(static_cast<std::uint16_t>(rng.next_below(2)));
  }
  const ViewBatch batch{50, cards.data(), order.data(), events.data(), index.data(), &rules};
  const auto size = static_cast<std::size_t>(observation_size());
  Row rows(50 * size);
  std::vector<float> float_rows(50 * size);
  expand(batch, rows);
  expand(batch, float_rows);
  for (std::size_t i = 0; i < 50; ++i) {
    const auto own = std::span(features).subspan(index[i] * width, width);
    std::vector<float> floats(size);
    expand(cards[i], order[i], events[i], own, floats.data());
    EXPECT_EQ(expand_view(batch.view(i), own),
              Row(rows.begin() + static_cast<long>(i * size),
                  rows.begin() + static_cast<long>((i + 1) * size)));
    EXPECT_TRUE(std::ranges::equal(floats, std::span(float_rows).subspan(i * size, size)));
  }
}

/// Rows of a version by one kernel, with room behind each row that must stay as it is.
template <class T>
std::vector<T> rows_by(InstructionSet set, ObservationForm form, std::span<const ViewLines> views) {
  const auto size = static_cast<std::size_t>(observation_size(form.version));
  std::vector<T> rows(views.size() * size, T{77});
  std::vector<T*> targets;
  for (std::size_t i = 0; i < views.size(); ++i) targets.push_back(rows.data() + i * size);
  expand_views(form, views, targets.data(), set);
  const auto behind = static_cast<std::size_t>(rule_feature_size(form.version));
  for (std::size_t i = 0; i < views.size(); ++i) {
    for (std::size_t k = size - behind; k < size; ++k) EXPECT_EQ(rows[i * size + k], T{77});
  }
  return rows;
}

struct alignas(64) Line {
  std::array<std::uint8_t, 64> bytes;
};

/// Rows one after the other in aligned memory, past the caches.
template <class T>
void expect_streamed(InstructionSet set, std::span<const ViewLines> views) {
  const ObservationForm form{ObservationVersion::kV1, CardIndex::kAbsolute};
  const auto size = static_cast<std::size_t>(observation_size(form.version));
  std::vector<Line> memory(views.size() * size * sizeof(T) / sizeof(Line) + 1);
  std::memset(memory.data(), 0x55, memory.size() * sizeof(Line));
  const std::vector<Line> before = memory;
  T* const first = reinterpret_cast<T*>(memory.data());
  ASSERT_TRUE(can_stream(form.version, first, set));
  EXPECT_FALSE(can_stream(form.version, first + 1, set));
  EXPECT_FALSE(can_stream(ObservationVersion::kV2, first, set));
  std::vector<T*> streamed, cached;
  std::vector<T> rows(views.size() * size);
  std::memcpy(rows.data(), before.data(), rows.size() * sizeof(T));
  for (std::size_t i = 0; i < views.size(); ++i) {
    streamed.push_back(first + i * size);
    cached.push_back(rows.data() + i * size);
  }
  expand_views(form, views, streamed.data(), set, Stores::kStreamed);
  end_streamed();
  expand_views(form, views, cached.data(), set);
  EXPECT_TRUE(std::memcmp(first, rows.data(), rows.size() * sizeof(T)) == 0) << name_of(set);
}

/// Views from the first to the last line of what is larger than the caches, in one call.
template <class T>
void expect_large_batch_is_that_of_its_views(const std::vector<PlayerView>& views) {
  const auto size = static_cast<std::size_t>(observation_size());
  const std::size_t count = kStreamedFrom / size / sizeof(T) + 9;
  std::vector<CardsLine> cards;
  std::vector<OrderLine> order;
  std::vector<EventsLine> events;
  for (std::size_t i = 0; i < count; ++i) {
    const PlayerView& view = views[i % views.size()];
    cards.push_back(view.cards);
    order.push_back(view.order);
    events.push_back(view.events);
  }
  std::vector<Line> memory(count * size * sizeof(T) / sizeof(Line) + 1);
  const std::span<T> rows(reinterpret_cast<T*>(memory.data()), count * size);
  expand({count, cards.data(), order.data(), events.data()}, rows);
  std::vector<T> row(size);
  for (std::size_t i = 0; i < count; ++i) {
    expand(cards[i], order[i], events[i], {}, row.data());
    ASSERT_TRUE(std::ranges::equal(row, rows.subspan(i * size, size))) << "row " << i;
  }
}

TEST(EncoderKernels, rows_past_the_caches_equal_those_in_them) {
  Rng rng(15);
  const std::vector<PlayerView> made = random_views(rng, 203);
  std::vector<ViewLines> views;
  for (const PlayerView& view : made) views.push_back({&view.cards, &view.order, &view.events});
  expect_large_batch_is_that_of_its_views<std::uint8_t>(made);
  expect_large_batch_is_that_of_its_views<float>(made);
  int compared = 0;
  for (const InstructionSet set : {InstructionSet::kAvx2, InstructionSet::kAvx512}) {
    if (!is_supported(set)) {
      std::cout << "skipped: " << name_of(set) << ", this processor lacks its instructions\n";
      continue;
    }
    ++compared;
    expect_streamed<std::uint8_t>(set, views);
    expect_streamed<float>(set, views);
  }
  if (compared == 0) GTEST_SKIP() << "this processor has neither AVX2 nor AVX-512";
}

TEST(EncoderKernels, rows_of_every_instruction_set_equal_those_of_the_build) {
  Rng rng(14);
  std::vector<PlayerView> made = random_views(rng, 1003);  // no whole number of blocks
  for (PlayerView& view : made) {
    view.cards.seat_trick &= 0x3F;  // v4 looks for the cards on the table among the last plays
    const int on_table = std::min(rng.next_below(4), int{view.order.num_plays});
    view.cards.seat_trick = static_cast<std::uint8_t>(view.cards.seat_trick | (on_table << 6));
  }
  std::vector<ViewLines> views;
  for (const PlayerView& view : made) views.push_back({&view.cards, &view.order, &view.events});
  int compared = 0;
  for (const InstructionSet set : {InstructionSet::kAvx2, InstructionSet::kAvx512}) {
    if (!is_supported(set)) {
      std::cout << "skipped: " << name_of(set) << ", this processor lacks its instructions\n";
      continue;
    }
    ++compared;
    for (const auto version : {ObservationVersion::kV1, ObservationVersion::kV2,
                               ObservationVersion::kV3, ObservationVersion::kV4}) {
      for (const CardIndex cards : {CardIndex::kAbsolute, CardIndex::kCanonical}) {
        const ObservationForm form{version, cards};
        EXPECT_EQ(rows_by<std::uint8_t>(set, form, views),
                  rows_by<std::uint8_t>(InstructionSet::kScalar, form, views));
        EXPECT_EQ(rows_by<float>(set, form, views),
                  rows_by<float>(InstructionSet::kScalar, form, views));
      }
    }
    // groups of every size
    const ObservationForm form{ObservationVersion::kV1, CardIndex::kCanonical};
    const Row all = rows_by<std::uint8_t>(InstructionSet::kScalar, form, views);
    const std::size_t size = all.size() / views.size();
    for (std::size_t count = 0; count <= 40; ++count) {
      const std::span some = std::span(views).subspan(200 + 3 * count, count);
      EXPECT_TRUE(
          std::ranges::equal(rows_by<std::uint8_t>(set, form, some),
                             std::span(all).subspan((200 + 3 * count) * size, count * size)));
    }
  }
  if (compared == 0) GTEST_SKIP() << "this processor has neither AVX2 nor AVX-512";
}

/// A row of v1 with what a packed row does not hold taken out of it.
Row without_losses(Row row) {
  row.resize(std::size_t{kExpandedSize});
  const Section& context = section(kV1, "context");
  const Section& owed = section(kV1, "owed");
  for (const int place : {0, 2, 5}) row[static_cast<std::size_t>(context.offset + place)] = 0;
  for (const int place : {1, 3, 4}) {
    std::uint8_t& number = row[static_cast<std::size_t>(context.offset + place)];
    number = std::min(number, std::uint8_t{7});
  }
  std::fill_n(row.begin() + owed.offset, owed.length, std::uint8_t{0});
  return row;
}

TEST(PackedRows, expand_to_what_version_1_shows_but_for_the_stated_losses) {
  const auto rules = CompiledRules::load("tournament_2024");
  Rng rng(15);
  for (int deal = 0; deal < 300; ++deal) {
    Game game(*rules, random_deal(rng.next()), static_cast<int>(rng.next() % 4));
    while (!game.is_terminal()) {
      PlayerView view;
      game.view(game.current_player(), view.cards, view.order, view.events);
      const ViewLines lines{&view.cards, &view.order, &view.events};
      for (const CardIndex cards : {CardIndex::kAbsolute, CardIndex::kCanonical}) {
        Row packed(std::size_t{kPackedRowBytes}), expanded(std::size_t{kExpandedSize});
        std::uint8_t* const target = packed.data();
        pack_views(std::span(&lines, 1), cards, &target);
        expand_packed(packed, expanded);
        Row expected(static_cast<std::size_t>(observation_size()));
        expand(view.cards, view.order, view.events, {}, expected.data(), cards);
        ASSERT_EQ(expanded, without_losses(expected));
      }
      const ActionMask legal = without_claims(game.legal_actions());
      game.apply_unchecked(legal.nth(rng.next_below(legal.count())));
    }
  }
}

TEST(PackedRows, are_the_same_by_every_instruction_set_and_floats_are_scaled_bytes) {
  Rng rng(16);
  const std::vector<PlayerView> made = random_views(rng, 1003);
  std::vector<ViewLines> views;
  for (const PlayerView& view : made) views.push_back({&view.cards, &view.order, &view.events});
  const auto packed_by = [&](InstructionSet set, CardIndex cards) {
    Row rows(views.size() * kPackedRowBytes);
    std::vector<std::uint8_t*> targets;
    for (std::size_t i = 0; i < views.size(); ++i) {
      targets.push_back(rows.data() + i * kPackedRowBytes);
    }
    pack_views(views, cards, targets.data(), set);
    return rows;
  };
  const Row packed = packed_by(InstructionSet::kScalar, CardIndex::kAbsolute);
  int compared = 0;
  for (const InstructionSet set : {InstructionSet::kAvx2, InstructionSet::kAvx512}) {
    if (!is_supported(set)) continue;
    for (const CardIndex cards : {CardIndex::kAbsolute, CardIndex::kCanonical}) {
      EXPECT_EQ(packed_by(set, cards), packed_by(InstructionSet::kScalar, cards)) << name_of(set);
    }
    ++compared;
  }
  Row bytes(views.size() * std::size_t{kExpandedSize});
  std::vector<float> floats(bytes.size());
  expand_packed(packed, bytes);
  expand_packed(packed, floats);
  for (const Section& part : observation_sections().first(layout::v1::kRules)) {
    for (std::size_t row = 0; row < views.size(); ++row) {
      for (int i = part.offset; i < part.offset + part.length; ++i) {
        const std::size_t at = row * kExpandedSize + static_cast<std::size_t>(i);
        ASSERT_EQ(floats[at], static_cast<float>(bytes[at]) * part.scale) << part.name;
      }
    }
  }
  EXPECT_THROW(expand_packed(std::span(packed).first(65), bytes), std::invalid_argument);
  EXPECT_THROW(expand_packed(packed, std::span(bytes).first(9)), std::invalid_argument);
  if (compared == 0) GTEST_SKIP() << "floats only: this processor has neither AVX2 nor AVX-512";
}

TEST(EncoderKernels, vector_forms_equal_the_portable_ones) {
  Rng rng(13);
  for (int round = 0; round < 2000; ++round) {
    const std::uint64_t word = rng.next();
    std::uint8_t bytes[2][64];
    float floats[2][64];
    kernels::expand_bits(word, bytes[0]);
    kernels::portable::expand_bits(word, bytes[1]);
    kernels::expand_bits(word, floats[0]);
    kernels::portable::expand_bits(word, floats[1]);
    for (int i = 0; i < 64; ++i) {
      ASSERT_EQ(bytes[0][i], (word >> i) & 1u);
      ASSERT_EQ(bytes[0][i], bytes[1][i]);
      ASSERT_EQ(floats[0][i], floats[1][i]);
    }
    const PlayerView view = random_view(rng);
    kernels::Groups groups;
    for (std::uint8_t& suits : groups.trump_suits) {
      suits = static_cast<std::uint8_t>(rng.next_below(16));
    }
    std::swap(groups.plain[rng.next_below(4)], groups.plain[rng.next_below(4)]);
    ASSERT_EQ(kernels::void_groups(view.order.plays, view.order.seats, groups),
              kernels::portable::void_groups(view.order.plays, view.order.seats, groups));
    const int map = view.order.card_map;
    const kernels::Slots slots = kernels::make_slots(kept_cards(map), suit_slots(map).data());
    std::uint32_t line[16], expected[16], words[2][16];
    for (std::uint32_t& cards : line) cards = static_cast<std::uint32_t>(rng.next());
    const auto trumps = static_cast<std::uint32_t>(rng.next());
    for (int i = 0; i < 16; ++i) expected[i] = to_canonical(i == 2 ? trumps : line[i], map);
    kernels::canonical_line(line, trumps, slots, words[0]);
    kernels::portable::canonical_line(line, trumps, slots, words[1]);
    ASSERT_TRUE(std::ranges::equal(words[0], expected));
    ASSERT_TRUE(std::ranges::equal(words[1], expected));
    std::uint32_t sets[8];
    for (std::uint32_t& cards : sets) cards = static_cast<std::uint32_t>(rng.next() & rng.next());
    const kernels::CardSums sums[] = {
        kernels::card_sums(sets, sets[4], sets[5], sets[6], sets[7]),
        kernels::portable::card_sums(sets, sets[4], sets[5], sets[6], sets[7])};
    for (int i = 0; i < 8; ++i) {
      const CardSet cards(sets[i]);
      for (const kernels::CardSums& both : sums) {
        ASSERT_EQ((both.points >> (8 * i)) & 0xFF, static_cast<unsigned>(points_of(cards)));
        ASSERT_EQ((both.counts >> (8 * i)) & 0xFF, static_cast<unsigned>(cards.count()));
      }
    }
  }
}

TEST(RuleFeatures, presets_that_are_played_differently_differ_and_values_are_bytes) {
  std::vector<std::vector<float>> rows;
  std::vector<std::shared_ptr<const CompiledRules>> all;
  for (const std::string_view name : preset_names()) {
    all.push_back(CompiledRules::load(std::string(name)));
    std::vector<float> row(static_cast<std::size_t>(rule_feature_size()));
    write_rule_features(*all.back(), row);
    for (const float value : row) {
      EXPECT_TRUE(value >= 0.0F && value <= 255.0F &&
                  value == static_cast<float>(static_cast<int>(value)));
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(rows[i] == row, all[i]->rules() == all.back()->rules())
          << all[i]->name() << ", " << name;
    }
    rows.push_back(row);
  }
}

TEST(RuleFeatures, a_switch_changes_its_own_section_only) {
  RuleSet rules = CompiledRules::load("research")->rules();
  std::vector<float> before(static_cast<std::size_t>(rule_feature_size())), after = before;
  write_rule_features(CompiledRules(rules), before);
  rules.laufende_min_wenz = 3;
  write_rule_features(CompiledRules(rules), after);
  for (const Section& part : rule_feature_sections()) {
    const auto at = static_cast<std::size_t>(part.offset);
    const auto length = static_cast<std::size_t>(part.length);
    const bool equal = std::equal(before.begin() + static_cast<long>(at),
                                  before.begin() + static_cast<long>(at + length),
                                  after.begin() + static_cast<long>(at));
    EXPECT_EQ(equal, part.name != "laufende_min_wenz") << part.name;
  }
}

}  // namespace
}  // namespace schafkopf
