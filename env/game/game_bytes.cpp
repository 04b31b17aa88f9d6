// Bytes of a game, and the check of its whole state.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "env/base/checksum.h"
#include "env/game/game.h"

namespace schafkopf {
namespace {

constexpr std::array<std::uint8_t, 4> kMagic = {'S', 'K', 'G', '3'};

template <class T>
void put(std::vector<std::uint8_t>& bytes, const T& value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof(T));
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

std::uint64_t checksum(std::span<const std::uint8_t> bytes) {
  return checksum_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
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

/// The game of given bytes, made anew: what was dealt is entered as the bytes say, then what was
/// done is done again, until the state is the given one to the last byte. So nothing that the bytes
/// claim has to be believed. Of the given state only numbers are read: a bool or an enumerator may
/// have a value that none can have.
class Game::Rebuilt {
 public:
  Rebuilt(const CompiledRules& rules, const Game& given) : rules_(rules), given_(given) {}

  Game game() {
    if (given_.num_plays_ > kNumCards || given_.num_events_ > kMaxEvents) {
      refuse("too many cards or events");
    }
    if (is_set(given_.from_position_)) return endgame();
    std::optional<Game> found = reach(begin());
    if (!found) refuse("no course of this deal leads to it");
    return *found;
  }

 private:
  [[noreturn]] static void refuse(const std::string& why) {
    throw std::invalid_argument("serialized game: these bytes are no state of a game: " + why);
  }
  static bool is_set(const bool& flag) {
    std::uint8_t byte = 0;
    std::memcpy(&byte, &flag, sizeof byte);
    return byte != 0;
  }
  [[nodiscard]] bool is_given(const Game& game) const {
    return std::memcmp(static_cast<const void*>(&game), &given_, sizeof(Game)) == 0;
  }

  // How the game began

  [[nodiscard]] Game begin() const {
    try {
      return is_set(given_.direct_start_)
                 ? with_contract(rules_, deal(), given_.dealer_, start(), given_.context_)
                 : Game(rules_, deal(), given_.dealer_, given_.context_);
    } catch (const std::invalid_argument& error) {
      refuse(error.what());
    }
  }

  [[nodiscard]] Deal deal() const {
    Deal deal;
    for (int seat = 0; seat < kNumSeats; ++seat) {
      const auto s = static_cast<std::size_t>(seat);
      deal.first[s] = given_.first_half(seat);
      deal.second[s] = given_.dealt(seat) - deal.first[s];
    }
    deal.zupf = given_.zupf_;
    return deal;
  }

  [[nodiscard]] Contract contract() const {
    Contract contract{.contract = given_.class_,
                      .tout = is_set(given_.tout_),
                      .suit = given_.suit_,
                      .called = given_.called_,
                      .declarer = given_.declarer_,
                      .renonce = is_set(given_.renonce_),
                      .bid = given_.bid_};
    if (static_cast<int>(contract.contract) >= kNumContractClasses ||
        static_cast<int>(contract.suit) >= kNumSuits) {
      refuse("contract");
    }
    return contract;
  }

  [[nodiscard]] CardPlayStart start() const {
    CardPlayStart start;
    start.contract = contract();
    const bool accepted = contract_row(start.contract.contract).parties == Parties::kHochzeit;
    if (accepted) start.partner = given_.partner_;
    for (int i = 0; i < std::min<int>(given_.laid_, given_.num_events_); ++i) {
      start.laid.push_back(given_.event(i).seat);
    }
    start.exchange = exchange();
    return start;
  }

  /// A card went from the seat that was dealt it through those that got and gave it to the one that
  /// keeps it; in which order tells no byte.
  [[nodiscard]] std::vector<Exchange> exchange() const {
    std::vector<Exchange> steps;
    for (int from = 0; from < kNumSeats; ++from) {
      for (const Card card : given_.given(from) & given_.dealt(from)) {
        int holder = from;
        const auto move = [&](int to) {
          steps.push_back({holder, to, CardSet::of(card)});
          holder = to;
        };
        for (int seat = 0; seat < kNumSeats; ++seat) {
          if ((given_.given(seat) & given_.received(seat)).contains(card)) move(seat);
        }
        for (int seat = 0; seat < kNumSeats; ++seat) {
          if ((given_.received(seat) - given_.given(seat)).contains(card)) move(seat);
        }
      }
    }
    return steps;
  }

  // Endgames: who led the first card and whether a partner was known is tried

  Game endgame() {
    Position position;
    position.contract = this->contract();
    position.dealer = given_.dealer_;
    for (int seat = 0; seat < kNumSeats; ++seat) {
      const auto s = static_cast<std::size_t>(seat);
      position.hands[s] = given_.first_half(seat);
      position.captured[s] = CardSet(given_.play_.played[seat]) - position.hands[s];
    }
    std::string why = "no course of this endgame leads to it";
    const Contract& contract = position.contract;
    if (contract.declarer >= 0 && contract.declarer < kNumSeats && contract.called < kNumCards &&
        position.hands[static_cast<std::size_t>(contract.declarer)].contains(contract.called)) {
      refuse("the declarer holds the called card");
    }
    for (int partner = -1; partner < rules_.seats(); ++partner) {
      for (int leader = 0; leader < rules_.seats(); ++leader) {
        position.partner = partner;
        position.leader = leader;
        try {
          if (std::optional<Game> found = reach(from_position(rules_, position))) return *found;
        } catch (const std::invalid_argument& error) {
          why = error.what();
        }
      }
    }
    refuse(why);
  }

  // What was done

  /// The given state, if a course of play from `game` on leads to it that leaves just the given
  /// events and cards.
  std::optional<Game> reach(const Game& game) {
    // Two courses can leave the same trace, where a seat doubled in the second of two windows; so a
    // few are tried, and damaged bytes cannot make it many.
    constexpr int kMostSteps = 5000;
    if (is_given(game)) return game;
    if (game.is_terminal() || ++steps_ > kMostSteps) return std::nullopt;
    if (given_.infraction_ != Infraction::kNone) {
      if (const std::optional<Game> ended = infracted(game)) return ended;
    }
    for (const Action action : possible_actions(game)) {
      Game next = game;
      next.apply_unchecked(action);
      if (!leaves_given_trace(next)) continue;
      if (std::optional<Game> found = reach(next)) return found;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Game> infracted(const Game& game) const {
    const bool plays = game.phase_ == Phase::kPlay || game.phase_ == Phase::kDouble;
    const bool known = static_cast<int>(given_.infraction_) < kNumValues<Infraction>;
    const int seat = given_.offender_;
    if (!plays || !game.has_contract_ || !known || seat < 0 || seat >= game.seats()) {
      return std::nullopt;
    }
    Game next = game;
    next.infract(seat, given_.infraction_);
    return is_given(next) ? std::optional(next) : std::nullopt;
  }

  /// Legal actions that can be the next one: that of the next event, the next card, silence.
  [[nodiscard]] std::vector<Action> possible_actions(const Game& game) const {
    const ActionMask legal = game.legal_actions();
    std::vector<Action> actions;
    const auto add = [&](Action action) {
      if (legal.contains(action)) actions.push_back(action);
    };
    bool card_is_next = game.num_plays_ < given_.num_plays_;
    if (game.num_events_ < given_.num_events_) {
      const Event event = given_.event(game.num_events_);
      if (!event.flag && event.seat == game.to_move_) add(event.action);
      // what was said before a card comes before it; the price is asked for after the last one,
      // whatever number it bears
      const bool before_card =
          !event.flag && !is_settlement(event.action) && event.cards_before == game.num_plays_;
      card_is_next = card_is_next && !before_card;
    }
    if (game.phase_ == Phase::kPlay && card_is_next) {
      const Action card = given_.played_card(game.num_plays_);
      if (actions.empty() || actions.back() != card) add(card);
    }
    if (game.phase_ == Phase::kLegen) add(kActionNoLay);
    if (game.phase_ == Phase::kDouble) add(kActionNoDouble);
    return actions;
  }

  [[nodiscard]] bool leaves_given_trace(const Game& game) const {
    return game.num_events_ <= given_.num_events_ && game.num_plays_ <= given_.num_plays_ &&
           std::equal(game.events_, game.events_ + game.num_events_, given_.events_) &&
           std::equal(game.order_, game.order_ + game.num_plays_, given_.order_);
  }

  const CompiledRules& rules_;
  const Game& given_;
  int steps_ = 0;
};

bool Game::begins_as(const Game& other) const {
  bool same = rules_->hash() == other.rules_->hash() && dealer_ == other.dealer_ &&
              context_ == other.context_ && zupf_ == other.zupf_ &&
              direct_start_ == other.direct_start_ && from_position_ == other.from_position_;
  for (int seat = 0; seat < kNumSeats; ++seat) {
    same = same && dealt(seat) == other.dealt(seat) && first_half(seat) == other.first_half(seat);
  }
  if (!same || !direct_start_) return same;
  for (int seat = 0; seat < kNumSeats; ++seat) {
    same = same && start_hand(seat) == other.start_hand(seat);
  }
  return same && contract() == other.contract() && laid_ == other.laid_;
}

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
    throw std::invalid_argument("these bytes are no serialized game of version SKG3 (" +
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
  Game given(rules, 0, DealContext{}, Blank{});
  std::memcpy(static_cast<void*>(&given), bytes.data() + kHeader, sizeof(Game));
  std::uint32_t size = 0;
  std::memcpy(&size, bytes.data() + kMagic.size(), sizeof(size));
  if (size != sizeof(Game) || given.rules_ != nullptr) {
    throw std::invalid_argument("serialized game: its header is wrong, the bytes are damaged");
  }
  given.rules_ = &rules;
  return Rebuilt(rules, given).game();
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
