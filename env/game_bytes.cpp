// Bytes of a game, and the check of its whole state.
#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string>

#include "env/game.h"

namespace schafkopf {
namespace {

constexpr std::array<std::uint8_t, 4> kMagic = {'S', 'K', 'G', '2'};

template <class T>
void put(std::vector<std::uint8_t>& bytes, const T& value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof(T));
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

std::uint64_t checksum(std::span<const std::uint8_t> bytes) {
  std::uint64_t hash = 0xCBF29CE484222325u;  // FNV-1a
  for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001B3u;
  return hash;
}

std::string hex(std::uint64_t value) {
  std::array<char, 17> text{};
  for (std::size_t i = 0; i < 16; ++i) {
    text[15 - i] = "0123456789abcdef"[(value >> (4 * i)) & 15];
  }
  return std::string(text.data());
}

[[noreturn]] void broken(const std::string& what) { throw std::logic_error("game state: " + what); }

}  // namespace

// The state has no padding, so equal games have equal bytes.
static_assert(std::has_unique_object_representations_v<Game>);

std::vector<std::uint8_t> Game::serialize() const {
  std::vector<std::uint8_t> bytes(kMagic.begin(), kMagic.end());
  put(bytes, static_cast<std::uint32_t>(sizeof(Game)));
  put(bytes, rules_->hash());
  Game copy = *this;
  copy.rules_ = nullptr;
  put(bytes, copy);
  put(bytes, checksum(bytes));
  return bytes;
}

Game Game::deserialize(const CompiledRules& rules, std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kHeader = kMagic.size() + 4 + 8;
  if (bytes.size() != kHeader + sizeof(Game) + 8 ||
      !std::equal(kMagic.begin(), kMagic.end(), bytes.begin())) {
    throw std::invalid_argument("these bytes are no serialized game of version SKG2 (" +
                                std::to_string(bytes.size()) + " bytes, need " +
                                std::to_string(kHeader + sizeof(Game) + 8) + ")");
  }
  std::uint64_t hash = 0, sum = 0;
  std::memcpy(&hash, bytes.data() + kMagic.size() + 4, sizeof(hash));
  std::memcpy(&sum, bytes.data() + kHeader + sizeof(Game), sizeof(sum));
  if (sum != checksum(bytes.first(kHeader + sizeof(Game)))) {
    throw std::invalid_argument("serialized game: checksum is wrong, the bytes are damaged");
  }
  if (hash != rules.hash()) {
    throw std::invalid_argument("serialized game was played under rule set " + hex(hash) +
                                ", these rules are " + hex(rules.hash()) + " (" + rules.name() +
                                ")");
  }
  Game game(rules, 0, DealContext{}, Blank{});
  std::memcpy(static_cast<void*>(&game), bytes.data() + kHeader, sizeof(Game));
  game.rules_ = &rules;
  game.check_invariants();
  return game;
}

void Game::check_invariants() const {
  CardSet seen;
  int points = 0, captured = 0;
  const auto claim = [&seen](std::uint32_t cards, const char* where) {
    if (!(seen & CardSet(cards)).empty())
      broken(std::string("a card lies twice, also in ") + where);
    seen = seen | CardSet(cards);
  };
  for (int seat = 0; seat < kNumSeats; ++seat) {
    claim(play_.hand[seat], "a hand");
    claim(play_.table[seat], "the trick");
    claim(play_.taken[seat], "won tricks");
    points += points_of(CardSet(play_.hand[seat] | play_.table[seat] | play_.taken[seat]));
    captured += CardSet(play_.taken[seat]).count();
    if (seat >= seats() && (play_.hand[seat] | play_.played[seat]) != 0) broken("an unused seat");
  }
  claim(aside_, "the cards passed on");
  points += points_of(CardSet(aside_));
  if (seen != rules_->deck()) broken("cards are missing");
  if (points != kTotalPoints) broken("points do not sum to 120");
  if (captured % seats() != 0) broken("a trick is not whole");
  const int on_table = static_cast<int>(play_.on_table);
  if (captured + on_table != static_cast<int>(play_.num_played)) broken("number of cards played");
  if (!from_position_ && !laid_down_ && num_plays_ != static_cast<int>(play_.num_played)) {
    broken("order of play");
  }
  if (num_events_ > kMaxEvents || num_plays_ > 32) broken("too many events");
  if (phase_ == Phase::kPlay && to_move_ != play_.turn) broken("seat to move");
  if (!is_terminal()) {
    const ActionMask mask = legal_actions();
    if (mask.empty()) broken("no legal action");
    const std::uint64_t cards = without_claims(mask).words[0];
    if (phase_ == Phase::kPlay && (cards & ~std::uint64_t{play_.hand[to_move_]}) != 0) {
      broken("a legal card is not in the hand");
    }
  }
  if (is_terminal() && !thrown_in_) {
    const auto pay = payoffs();
    std::int64_t sum = 0;
    for (const std::int32_t amount : pay) sum += amount;
    if (sum != 0) broken("payoffs do not sum to zero");
  }
}

}  // namespace schafkopf
