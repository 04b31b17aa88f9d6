#include "agents/worlds/worlds.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "agents/worlds/answers.h"
#include "agents/worlds/world_facts.h"
#include "env/base/assert.h"
#include "env/base/index.h"
#include "env/base/random.h"
#include "env/base/refuse.h"

namespace schafkopf {
namespace {

constexpr int kPlaceBits = 8;
constexpr std::uint64_t kBorrow = 0x8080808080u;

constexpr std::uint64_t one_at(int place) { return std::uint64_t{1} << (kPlaceBits * place); }
constexpr int count_at(std::uint64_t counts, int place) {
  return static_cast<int>((counts >> (kPlaceBits * place)) & 0xFF);
}
/// Every place has room for its count.
constexpr bool fits(std::uint64_t rooms, std::uint64_t counts) {
  return (((rooms | kBorrow) - counts) & kBorrow) == kBorrow;
}

constexpr auto kBinomials = [] {
  std::array<std::array<std::uint64_t, kNumCards + 1>, kNumCards + 1> table{};
  for (std::size_t n = 0; n < table.size(); ++n) {
    table[n][0] = 1;
    for (std::size_t k = 1; k <= n; ++k) {
      table[n][k] = table[n - 1][k - 1] + (k < n ? table[n - 1][k] : 0);
    }
  }
  return table;
}();

/// Ways to give the places their counts out of `number` cards.
std::uint64_t arrangements(std::uint64_t counts, int number) {
  std::uint64_t ways = 1;
  for (int place = 0; place < kNumPlaces && number > 0; ++place) {
    const int count = count_at(counts, place);
    ways *= kBinomials[at(number)][at(count)];
    number -= count;
  }
  return ways;
}

/// Uniform number in [0, count) from one draw.
std::uint64_t below_count(std::uint64_t random, std::uint64_t count) {
  return static_cast<std::uint64_t>((static_cast<UInt128>(random) * count) >> 64);
}

/// A uniformly random subset.
CardSet random_subset(CardSet cards, int size, Rng& random) {
  const int number = cards.count();
  const bool complement = 2 * size > number;
  std::uint32_t left = cards.bits();
  for (int i = 0; i < (complement ? number - size : size); ++i) {
    left &= ~(std::uint32_t{1} << nth_bit(left, random.next_below(number - i)));
  }
  return complement ? CardSet(left) : cards - CardSet(left);
}

/// Calls `visit` with every subset of a size.
template <class Visit>
void for_each_subset(CardSet cards, int size, CardSet chosen, const Visit& visit) {
  if (size == 0) {
    visit(chosen);
    return;
  }
  while (cards.count() >= size) {
    const CardSet card = CardSet::of(cards.pop_lowest());
    for_each_subset(cards, size - 1, chosen | card, visit);
  }
}

}  // namespace

// Card play of a world

namespace {

/// The words of the contract and the duties of the called card.
void set_contract_words(PlayState<std::uint32_t>& state, const PlayerView& view,
                        const CompiledRules& rules) {
  const PlayConstants& words = play_words(view, rules);
  state.trumps = words.trumps;
  state.top = words.top;
  state.second = words.second;
  state.low_tens = words.low_tens;
  take_over_switches(state, rules.rules());
  const Card called = view.cards.called_card;
  if (called >= kNumCards || !view.has_contract()) return;
  const std::uint32_t held = state.hand[0] | state.hand[1] | state.hand[2] | state.hand[3];
  state.call_group = CardSet::suit(suit_of(called)).bits() & ~state.trumps;
  state.bound = view.has(kFlagRanAway) ? 0 : CardSet::of(called).bits() & held;  // E.3.5
}

/// Lay a card of the running trick on the table.
void lay(PlayState<std::uint32_t>& state, std::uint32_t card) {
  const std::uint32_t group = group_of(state, card);
  if (state.on_table == 0) state.led_group = group;
  if (state.on_table == 0 || (card & state.beaters) != 0) {
    state.beaters = beaters_of(state, card, group);
    state.winner = state.turn;
  }
  state.table[state.turn] = card;
  state.turn = (state.turn + 1) % state.seats;
  ++state.on_table;
  ++state.num_played;
}

}  // namespace

PlayState<std::uint32_t> play_state_of(const PlayerView& view, const CompiledRules& rules,
                                       const World& world) {
  if (view.leader() == kNoSeat) refuse("view: no cards are being played");
  PlayState<std::uint32_t> state{};
  for (int seat = 0; seat < kNumSeats; ++seat) {
    state.hand[seat] = world.hands[at(seat)].bits();
    state.played[seat] = view.cards.played[seat];
    state.taken[seat] = view.cards.captured[seat];
  }
  set_contract_words(state, view, rules);
  state.seats = view.order.seats;
  state.next_stop = static_cast<std::uint32_t>(rules.deck().count());
  state.num_played = static_cast<std::uint32_t>(view.trick_number()) * state.seats;
  state.turn = static_cast<std::uint32_t>(view.leader());
  state.winner = state.turn;
  for (int i = view.order.num_plays - view.cards_on_table(); i < view.order.num_plays; ++i) {
    lay(state, CardSet::of(view.play(i).card).bits());
  }
  return state;
}

namespace {

/// C.5: without a declarer the party of the last doubling, else of the first LAY, else of the
/// highest trump counts as the players.
int first_of_pair(const PlayerView& view, const CompiledRules& rules, const World& world) {
  int doubled = -1, laid = -1;
  for (int i = 0; i < view.order.num_events; ++i) {
    const SeenEvent event = view.event(i);
    if (event.action == kActionDouble) doubled = event.seat;
    if (event.action == kActionLay && laid < 0) laid = event.seat;
  }
  if (doubled >= 0) return doubled;
  if (laid >= 0) return laid;
  const auto contract = static_cast<ContractClass>(view.contract_class());
  const Card highest = rules.trumps(contract, rules.rules().partner_trump_suit).cards[0];
  for (int seat = 0; seat < view.order.seats; ++seat) {
    const CardSet start = world.hands[at(seat)] | CardSet(view.cards.played[seat]);
    if (start.contains(highest)) return seat;
  }
  return -1;
}

}  // namespace

std::uint8_t declarer_party_of(const PlayerView& view, const CompiledRules& rules,
                               const World& world) {
  if (!view.has_contract()) refuse("view: there is no contract yet, so no declarer party");
  const ContractRow& row = contract_row(static_cast<ContractClass>(view.contract_class()));
  const int seats = view.order.seats, declarer = view.declarer();
  if (row.parties == Parties::kOppositeSeats) {
    const int first = declarer != kNoSeat ? declarer : first_of_pair(view, rules, world);
    return first < 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(0b0101 << (first & 1));
  }
  if (declarer == kNoSeat) return 0;
  unsigned party = 1u << declarer;
  if (view.partner() < seats) return static_cast<std::uint8_t>(party | (1u << view.partner()));
  const Card called = view.cards.called_card;
  for (int seat = 0; seat < seats && called < kNumCards; ++seat) {
    const CardSet start = world.hands[at(seat)] | CardSet(view.cards.played[seat]);
    if (start.contains(called)) party |= 1u << seat;
  }
  return static_cast<std::uint8_t>(party);
}

// Building the sampler

struct WorldSampler::Builder {
  explicit Builder(WorldFacts known) : facts(std::move(known)) { place_certain_cards(); }

  /// Cards with one possible place, until nothing changes.
  void place_certain_cards() {
    hidden = facts.unseen;
    for (int place = 0; place < kNumPlaces; ++place) place_cards(facts.must[at(place)], place);
    for (bool changed = true; changed;) {
      changed = false;
      for (const Card card : hidden) {
        const unsigned places = places_of(card);
        if (places == 0) refuse("view: no seat can hold " + card_name(card));
        if (std::has_single_bit(places)) {
          place_cards(CardSet::of(card), std::countr_zero(places));
          changed = true;
        }
      }
    }
  }

  void place_cards(CardSet cards, int place) {
    const bool allowed = (cards - (facts.may[at(place)] & hidden)).empty();
    facts.room[at(place)] -= cards.count();
    if (!allowed || facts.room[at(place)] < 0) {
      refuse("view: a seat must and cannot hold " + to_string(cards));
    }
    certain[at(place)] = certain[at(place)] | cards;
    hidden = hidden - cards;
  }

  [[nodiscard]] unsigned places_of(Card card) const {
    unsigned places = 0;
    for (int place = 0; place < kNumPlaces; ++place) {
      if (facts.room[at(place)] > 0 && facts.may[at(place)].contains(card)) places |= 1u << place;
    }
    return places;
  }

  /// Counters of a seat must not overlap: where two do, the common part counts on its own.
  void add_reading(int seat, CardSet cards, int most) {
    cards = cards & hidden & facts.may[at(seat)];
    const std::size_t known = counters.size();
    for (std::size_t i = 0; i < known && !cards.empty(); ++i) {
      const Counter& other = counters[i];
      const CardSet common = other.cards & cards;
      if (other.bin != seat || common.empty()) continue;
      const CardSet only_other = other.cards - common;
      const auto limit = std::max(other.most, static_cast<unsigned>(most));
      if (!only_other.empty()) counters.push_back({seat, only_other, counters[i].most});
      counters[i].cards = common;
      counters[i].most = limit;
      cards = cards - common;
    }
    if (!cards.empty()) counters.push_back({seat, cards, static_cast<unsigned>(most)});
  }

  /// Bits for every counter; returns their number.
  int pack_counters() {
    int bits = 0;
    for (Counter& counter : counters) {
      const int possible = std::min(counter.cards.count(), facts.room[at(counter.bin)]);
      counter.most = std::min(counter.most, static_cast<unsigned>(possible));
      const int width = static_cast<int>(std::bit_width(counter.most));
      counter.shift = bits;
      counter.mask = (1u << width) - 1;
      bits += width;
    }
    std::erase_if(counters, [](const Counter& counter) { return counter.most == 0; });
    return bits;
  }

  /// Counters of all rules; returns their bits. The most intricate rules are given up if they are
  /// too many to count.
  int read_rules() {
    while (true) {
      counters.clear();
      for (const HandRule& rule : facts.rules) {
        for (const Reading& reading : rule.readings) {
          add_reading(rule.seat, reading.cards, reading.most);
        }
      }
      const int bits = pack_counters();
      if (bits <= kMostCounterBits) return bits;
      facts.rules.erase(std::ranges::max_element(
          facts.rules, {}, [](const HandRule& rule) { return rule.readings.size(); }));
    }
  }

  /// Whether the hands with these numbers of cards keep all rules.
  [[nodiscard]] bool accepts(std::uint32_t counted) {
    if (facts.rules.empty()) return true;
    char& known = accepted[counted];
    if (known == 0) known = keeps_rules(counted) ? 1 : 2;
    return known == 1;
  }
  [[nodiscard]] bool keeps_rules(std::uint32_t counted) const {
    std::array<CardSet, kNumSeats> hands;
    for (int seat = 0; seat < kNumSeats; ++seat) {
      hands[at(seat)] = certain[at(seat)] | facts.played[at(seat)];
    }
    for (const Counter& counter : counters) {
      CardSet cards = counter.cards;
      for (unsigned n = (counted >> counter.shift) & counter.mask; n > 0; --n) {
        hands[at(counter.bin)].add(cards.pop_lowest());
      }
    }
    return std::ranges::all_of(
        facts.rules, [&](const HandRule& rule) { return rule.holds(hands[at(rule.seat)]); });
  }

  static constexpr int kMostCounterBits = 11;
  WorldFacts facts;
  CardSet hidden;  // cards whose place is open
  std::array<CardSet, kNumPlaces> certain{};
  std::vector<Counter> counters;
  std::vector<char> accepted;  // by counters: 1 yes, 2 no, 0 not asked yet
  std::array<std::uint32_t, kNumPlaces> strides{};
};

namespace {

/// All ways to give `number` cards to the allowed places.
template <class Add>
void for_each_split(unsigned places, int place, int number, const std::array<int, kNumPlaces>& room,
                    std::uint64_t counts, const Add& add) {
  const unsigned rest = places >> place;
  if (rest == 0) {
    if (number == 0) add(counts);
    return;
  }
  const bool last = rest == 1;
  const int most = (rest & 1) != 0 ? std::min(number, room[at(place)]) : 0;
  for (int n = last ? number : 0; n <= most; ++n) {
    for_each_split(places, place + 1, number - n, room,
                   counts + static_cast<std::uint64_t>(n) * one_at(place), add);
  }
}

}  // namespace

WorldSampler::WorldSampler(const PlayerView& view, const CompiledRules& rules) {
  Builder builder(world_facts(view, rules));
  counter_bits_ = builder.read_rules();
  builder.accepted.assign(std::size_t{1} << counter_bits_, 0);
  counters_ = builder.counters;
  for (int seat = 0; seat < kNumSeats; ++seat) known_.hands[at(seat)] = builder.certain[at(seat)];
  known_.hands[0] = known_.hands[0] | builder.facts.own;
  make_classes(builder);
  number_places(builder);
  make_splits(builder);
  ways_.assign(classes_.size() * (num_indices_ << counter_bits_), kUnknown);
  count_ = ways(0, rooms_, first_index_, 0, builder);
  if (count_ == 0) refuse("view: no deal explains it");
}

/// Classes of cards that no constraint tells apart, the largest last.
void WorldSampler::make_classes(const Builder& builder) {
  for (const Card card : builder.hidden) {
    std::uint32_t signature = builder.places_of(card);
    for (std::size_t i = 0; i < counters_.size(); ++i) {
      if (counters_[i].cards.contains(card)) signature |= 1u << (kBins + i);
    }
    auto found = std::ranges::find(classes_, signature, &CardClass::signature);
    if (found == classes_.end()) {
      classes_.push_back({{}, signature, {}});
      found = classes_.end() - 1;
    }
    found->cards.add(card);
  }
  std::ranges::stable_sort(classes_, {}, [](const CardClass& c) { return c.cards.count(); });
}

/// Free places as a mixed number; those of the last place follow from the others.
void WorldSampler::number_places(Builder& builder) {
  const std::array<int, kNumPlaces>& room = builder.facts.room;
  int last_place = 0;
  for (int place = 0; place < kNumPlaces; ++place) {
    if (room[at(place)] > 0) last_place = place;
  }
  for (int place = 0; place < kNumPlaces; ++place) {
    const auto number = static_cast<std::uint32_t>(room[at(place)]);
    rooms_ += number * one_at(place);
    if (place == last_place || number == 0) continue;
    builder.strides[at(place)] = static_cast<std::uint32_t>(num_indices_);
    first_index_ += number * builder.strides[at(place)];
    num_indices_ *= number + 1;
  }
}

void WorldSampler::make_splits(const Builder& builder) {
  for (std::size_t i = 0; i + 1 < classes_.size(); ++i) {
    CardClass& cards = classes_[i];
    const int number = cards.cards.count();
    const unsigned places = cards.signature & ((1u << kBins) - 1);
    for_each_split(places, 0, number, builder.facts.room, 0, [&](std::uint64_t counts) {
      std::uint32_t offset = 0;
      for (int place = 0; place < kNumPlaces; ++place) {
        offset += static_cast<std::uint32_t>(count_at(counts, place)) * builder.strides[at(place)];
      }
      cards.splits.push_back({counts, offset, arrangements(counts, number)});
    });
  }
}

/// Counters after a class has been placed.
std::uint32_t WorldSampler::counted(std::uint32_t counters, const CardClass& cards,
                                    Rooms counts) const {
  for (std::uint32_t left = cards.signature >> kBins; left != 0; left &= left - 1) {
    const Counter& counter = counters_[at(std::countr_zero(left))];
    const std::uint32_t before = (counters >> counter.shift) & counter.mask;
    const std::uint32_t after =
        std::min(counter.most, before + static_cast<std::uint32_t>(count_at(counts, counter.bin)));
    counters += (after - before) << counter.shift;
  }
  return counters;
}

std::uint64_t WorldSampler::ways(std::size_t stage, Rooms rooms, std::uint32_t index,
                                 std::uint32_t counters, Builder& builder) {
  if (classes_.empty()) return builder.accepts(counters) ? 1 : 0;
  const std::size_t here = cell(stage, index, counters);
  if (ways_[here] != kUnknown) return ways_[here];
  const CardClass& cards = classes_[stage];
  std::uint64_t sum = 0;
  if (stage + 1 == classes_.size()) {
    // every free place takes cards of this class
    bool allowed = true;
    for (int place = 0; place < kBins; ++place) {
      allowed = allowed && (count_at(rooms, place) == 0 || ((cards.signature >> place) & 1) != 0);
    }
    if (allowed && builder.accepts(counted(counters, cards, rooms))) {
      sum = arrangements(rooms, cards.cards.count());
    }
  } else {
    for (const Split& split : cards.splits) {
      if (!fits(rooms, split.counts)) continue;
      sum += split.arrangements * ways(stage + 1, rooms - split.counts, index - split.offset,
                                       counted(counters, cards, split.counts), builder);
    }
  }
  return ways_[here] = sum;
}

std::uint64_t WorldSampler::known_ways(std::size_t stage, std::uint32_t index,
                                       std::uint32_t counters) const {
  const std::uint64_t ways = ways_[cell(stage, index, counters)];
  SCHAFKOPF_ASSERT(ways != kUnknown);
  return ways;
}

// Drawing

/// Draws how a class falls on the places, in proportion to the worlds that follow.
const WorldSampler::Split& WorldSampler::draw_split(std::size_t stage, Rooms rooms,
                                                    std::uint32_t index, std::uint32_t counters,
                                                    std::uint64_t random) const {
  const CardClass& cards = classes_[stage];
  std::uint64_t number = below_count(random, known_ways(stage, index, counters));
  for (const Split& split : cards.splits) {
    if (!fits(rooms, split.counts)) continue;
    const std::uint64_t ways =
        split.arrangements *
        known_ways(stage + 1, index - split.offset, counted(counters, cards, split.counts));
    if (number < ways) return split;
    number -= ways;
  }
  SCHAFKOPF_ASSERT(false);  // the ways of a cell are the sum over its splits
  return cards.splits.back();
}

World WorldSampler::sample(std::uint64_t key) const {
  World world = known_;
  Rng random(key);
  Rooms rooms = rooms_;
  std::uint32_t index = first_index_, counters = 0;
  for (std::size_t stage = 0; stage < classes_.size(); ++stage) {
    const CardClass& cards = classes_[stage];
    Rooms counts = rooms;  // the last class fills what is free
    if (stage + 1 < classes_.size()) {
      const Split& split = draw_split(stage, rooms, index, counters, random.next());
      counts = split.counts;
      rooms -= counts;
      index -= split.offset;
      counters = counted(counters, cards, counts);
    }
    CardSet left = cards.cards;
    for (int place = 0; place < kNumSeats; ++place) {
      const int count = count_at(counts, place);
      if (count == 0) continue;
      const CardSet drawn = count == left.count() ? left : random_subset(left, count, random);
      world.hands[at(place)] = world.hands[at(place)] | drawn;
      left = left - drawn;
    }
  }
  return world;
}

namespace {

/// Every way to deal a class to the seats by counts.
template <class Visit>
void for_each_arrangement(CardSet cards, std::uint64_t counts, int place, World& world,
                          const Visit& visit) {
  if (place == kNumSeats) {
    visit();
    return;
  }
  const CardSet before = world.hands[at(place)];
  for_each_subset(cards, count_at(counts, place), {}, [&](CardSet chosen) {
    world.hands[at(place)] = before | chosen;
    for_each_arrangement(cards - chosen, counts, place + 1, world, visit);
  });
  world.hands[at(place)] = before;
}

}  // namespace

void WorldSampler::enumerate_from(std::size_t stage, Rooms rooms, std::uint32_t index,
                                  std::uint32_t counters, World& world,
                                  const std::function<void(const World&)>& visit) const {
  if (stage == classes_.size()) {
    visit(world);
    return;
  }
  const CardClass& cards = classes_[stage];
  if (stage + 1 == classes_.size()) {
    if (known_ways(stage, index, counters) == 0) return;
    for_each_arrangement(cards.cards, rooms, 0, world, [&] { visit(world); });
    return;
  }
  for (const Split& split : cards.splits) {
    if (!fits(rooms, split.counts)) continue;
    const std::uint32_t next = counted(counters, cards, split.counts);
    if (known_ways(stage + 1, index - split.offset, next) == 0) continue;
    for_each_arrangement(cards.cards, split.counts, 0, world, [&] {
      enumerate_from(stage + 1, rooms - split.counts, index - split.offset, next, world, visit);
    });
  }
}

void WorldSampler::enumerate(const std::function<void(const World&)>& visit) const {
  World world = known_;
  enumerate_from(0, rooms_, first_index_, 0, world, visit);
}

}  // namespace schafkopf
