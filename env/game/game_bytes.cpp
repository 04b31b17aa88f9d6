// Bytes of a game, and the check of its whole state.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "env/base/checksum.h"
#include "env/base/refuse.h"
#include "env/game/game.h"

namespace schafkopf {
namespace {

constexpr std::array<std::uint8_t, 4> kMagic = {'S', 'K', 'G', '5'};

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

/// The game of given bytes, made anew: what was dealt is entered as the bytes say, then what was
/// done is done again, until the state is the given one to the last byte. So nothing that the bytes
/// claim has to be believed. Of the given state only numbers are read: a bool or an enumerator may
/// have a value that none can have.
class Game::Rebuilt {
 public:
  Rebuilt(const CompiledRules& rules, const Game& given) : rules_(rules), given_(given) {}

  Game game() {
    if (table().num_plays > kNumCards || table().num_events > kMaxEvents) {
      refuse("too many cards or events");
    }
    if (table().entry == Entry::kPosition) return endgame();
    std::optional<Game> found = reach(begin());
    if (!found) refuse("no course of this deal leads to it");
    return *found;
  }

 private:
  [[noreturn]] static void refuse(const std::string& why) {
    schafkopf::refuse("serialized game: these bytes are no state of a game: " + why);
  }
  static bool is_set(const bool& flag) {
    std::uint8_t byte = 0;
    std::memcpy(&byte, &flag, sizeof byte);
    return byte != 0;
  }
  [[nodiscard]] const TableState& table() const { return given_.table_; }
  [[nodiscard]] bool is_given(const Game& game) const {
    return std::memcmp(static_cast<const void*>(&game), &given_, sizeof(Game)) == 0;
  }

  // How the game began

  [[nodiscard]] Game begin() const {
    try {
      return table().entry == Entry::kCardPlay
                 ? with_contract(rules_, deal(), table().dealer, start(), table().context)
                 : Game(rules_, deal(), table().dealer, table().context);
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
    deal.zupf = given_.announcement_.drawn;
    return deal;
  }

  [[nodiscard]] Contract contract() const {
    const ContractState& named = table().contract;
    Contract contract{.contract = named.row,
                      .tout = is_set(named.tout),
                      .suit = named.suit,
                      .called = named.called,
                      .declarer = named.declarer,
                      .renonce = is_set(named.renonce),
                      .bid = named.bid};
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
    if (accepted) start.partner = table().contract.partner;
    for (int i = 0; i < std::min<int>(given_.num_laid(), table().num_events); ++i) {
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
    position.dealer = table().dealer;
    for (int seat = 0; seat < kNumSeats; ++seat) {
      const auto s = static_cast<std::size_t>(seat);
      position.hands[s] = given_.first_half(seat);
      position.captured[s] = CardSet(table().play.played[seat]) - position.hands[s];
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
    if (given_.infraction() != Infraction::kNone) {
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
    const bool plays = game.phase() == Phase::kPlay || game.phase() == Phase::kDouble;
    const bool known = static_cast<int>(given_.infraction()) < kNumValues<Infraction>;
    const int seat = given_.offender();
    if (!plays || !game.has_contract() || !known || seat < 0 || seat >= game.seats()) {
      return std::nullopt;
    }
    Game next = game;
    next.infract(seat, given_.infraction());
    return is_given(next) ? std::optional(next) : std::nullopt;
  }

  /// Legal actions that can be the next one: that of the next event, the next card, silence.
  [[nodiscard]] std::vector<Action> possible_actions(const Game& game) const {
    const ActionMask legal = game.legal_actions();
    std::vector<Action> actions;
    const auto add = [&](Action action) {
      if (legal.contains(action)) actions.push_back(action);
    };
    bool card_is_next = game.num_plays() < table().num_plays;
    if (game.num_events() < table().num_events) {
      const Event event = given_.event(game.num_events());
      if (!event.flag && event.seat == game.table_.to_move) add(event.action);
      // what was said before a card comes before it; the price is asked for after the last one,
      // whatever number it bears
      const bool before_card =
          !event.flag && !is_settlement(event.action) && event.cards_before == game.num_plays();
      card_is_next = card_is_next && !before_card;
    }
    if (game.phase() == Phase::kPlay && card_is_next) {
      const Action card = given_.played_card(game.num_plays());
      if (actions.empty() || actions.back() != card) add(card);
    }
    if (game.phase() == Phase::kLegen) add(kActionNoLay);
    if (game.phase() == Phase::kDouble) add(kActionNoDouble);
    return actions;
  }

  [[nodiscard]] bool leaves_given_trace(const Game& game) const {
    const TableState& reached = game.table_;
    return reached.num_events <= table().num_events && reached.num_plays <= table().num_plays &&
           std::equal(reached.events, reached.events + reached.num_events, table().events) &&
           std::equal(reached.order, reached.order + reached.num_plays, table().order);
  }

  const CompiledRules& rules_;
  const Game& given_;
  int steps_ = 0;
};

bool Game::begins_as(const Game& other) const {
  bool same = rules().hash() == other.rules().hash() && dealer() == other.dealer() &&
              context() == other.context() && announcement_.drawn == other.announcement_.drawn &&
              table_.entry == other.table_.entry;
  for (int seat = 0; seat < kNumSeats; ++seat) {
    same = same && dealt(seat) == other.dealt(seat) && first_half(seat) == other.first_half(seat);
  }
  if (!same || !starts_at_play()) return same;
  for (int seat = 0; seat < kNumSeats; ++seat) {
    same = same && start_hand(seat) == other.start_hand(seat);
  }
  return same && contract() == other.contract() && num_laid() == other.num_laid() &&
         first_laid() == other.first_laid();
}

std::vector<std::uint8_t> Game::serialize() const {
  std::vector<std::uint8_t> bytes(kMagic.begin(), kMagic.end());
  put(bytes, static_cast<std::uint32_t>(sizeof(Game)));
  put(bytes, rules().hash());
  Game copy = *this;
  copy.table_.rules = nullptr;
  put(bytes, copy);
  put(bytes, checksum(bytes));
  return bytes;
}

Game Game::deserialize(const CompiledRules& rules, std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kHeader = kMagic.size() + 4 + 8;
  if (bytes.size() != kHeader + sizeof(Game) + 8 ||
      !std::equal(kMagic.begin(), kMagic.end(), bytes.begin())) {
    throw std::invalid_argument("these bytes are no serialized game of version SKG5 (" +
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
  if (size != sizeof(Game) || given.table_.rules != nullptr) {
    throw std::invalid_argument("serialized game: its header is wrong, the bytes are damaged");
  }
  given.table_.rules = &rules;
  return Rebuilt(rules, given).game();
}

void Game::check_invariants() const {
  const PlayState<std::uint32_t>& play = table_.play;
  CardSet seen;
  int points = 0, captured = 0;
  const auto claim = [&seen](std::uint32_t cards, const char* where) {
    if (!(seen & CardSet(cards)).empty())
      broken(std::string("a card lies twice, also in ") + where);
    seen = seen | CardSet(cards);
  };
  for (int seat = 0; seat < kNumSeats; ++seat) {
    claim(play.hand[seat], "a hand");
    claim(play.table[seat], "the trick");
    claim(play.taken[seat], "won tricks");
    points += points_of(CardSet(play.hand[seat] | play.table[seat] | play.taken[seat]));
    captured += CardSet(play.taken[seat]).count();
    if (seat >= seats() && (play.hand[seat] | play.played[seat]) != 0) broken("an unused seat");
  }
  claim(table_.aside, "the cards passed on");
  points += points_of(CardSet(table_.aside));
  if (seen != rules().deck()) broken("cards are missing");
  if (points != kTotalPoints) broken("points do not sum to 120");
  if (captured % seats() != 0) broken("a trick is not whole");
  const int on_table = static_cast<int>(play.on_table);
  if (captured + on_table != static_cast<int>(play.num_played)) broken("number of cards played");
  if (table_.entry != Entry::kPosition && !claims_.laid_down &&
      table_.num_plays != static_cast<int>(play.num_played)) {
    broken("order of play");
  }
  if (table_.num_events > kMaxEvents || table_.num_plays > 32) broken("too many events");
  if (table_.phase == Phase::kPlay && table_.to_move != play.turn) broken("seat to move");
  if (!is_terminal()) {
    const ActionMask mask = legal_actions();
    if (mask.empty()) broken("no legal action");
    const std::uint64_t cards = without_claims(mask).words[0];
    if (table_.phase == Phase::kPlay && (cards & ~std::uint64_t{play.hand[table_.to_move]}) != 0) {
      broken("a legal card is not in the hand");
    }
  }
  if (is_terminal() && !auction_.thrown_in) {
    const auto pay = payoffs();
    std::int64_t sum = 0;
    for (const std::int32_t amount : pay) sum += amount;
    if (sum != 0) broken("payoffs do not sum to zero");
  }
}

}  // namespace schafkopf
