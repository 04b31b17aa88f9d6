#include "agents/endgame_tree.h"

#include <fmt/format.h>

#include <map>
#include <stdexcept>
#include <utility>

#include "env/assert.h"
#include "env/random.h"

namespace schafkopf {
namespace {

ActionMask offered(const Game& game) { return without_claims(game.legal_actions()); }

/// The view of the seat to act, without the offer of claims.
PlayerView view_of(const Game& game) {
  PlayerView view = game.view(game.current_player());
  view.cards.flags =
      static_cast<std::uint8_t>(view.cards.flags & ~(kFlagClaimRest | kFlagConcedeRest));
  return view;
}

/// Plays the rest of an endgame in every way. Forced cards are played without asking; where there
/// is a choice, visitor.enter(game, mask), then per card visitor.choose(i), then visitor.leave();
/// at the end visitor.end(game).
template <class Visitor>
void play_all(Game game, Visitor& visitor) {
  ActionMask mask = offered(game);
  while (!game.is_terminal() && mask.count() == 1) {
    game.apply_unchecked(mask.lowest());
    mask = offered(game);
  }
  if (game.is_terminal()) {
    visitor.end(game);
    return;
  }
  SCHAFKOPF_ASSERT(game.phase() == Phase::kPlay);
  visitor.enter(game, mask);
  for (int i = 0; i < mask.count(); ++i) {
    Game next = game;
    next.apply_unchecked(mask.nth(i));
    visitor.choose(i);
    play_all(next, visitor);
  }
  visitor.leave();
}

}  // namespace

/// Writes the stream and numbers the information sets in the order in which they come up.
class EndgameTree::Builder {
 public:
  Builder(EndgameTree& tree, std::size_t max_words) : tree_(tree), max_words_(max_words) {}

  void enter(const Game& game, const ActionMask& mask) {
    check_size();
    const std::size_t id = number_of(game, mask);
    open_.push_back(tree_.words_.size());
    tree_.words_.push_back(static_cast<std::uint32_t>(id));
    tree_.words_.push_back(0);
  }
  void choose(int i) {
    const EndgameInfoSet& set = tree_.info_set_at(open_.back());
    last_choice_[set.seat] = static_cast<std::int32_t>(set.first_action) + i;
  }
  void leave() {
    const EndgameInfoSet& set = tree_.info_set_at(open_.back());
    last_choice_[set.seat] = set.parent;
    tree_.words_[open_.back() + 1] = static_cast<std::uint32_t>(tree_.words_.size());
    open_.pop_back();
  }
  void end(const Game& game) {
    const auto [place, added] = payoffs_.try_emplace(game.payoffs(), tree_.payoffs_.size());
    if (added) {
      std::array<double, kNumSeats> units{};
      for (std::size_t seat = 0; seat < units.size(); ++seat) {
        units[seat] = static_cast<double>(place->first[seat]) / game.rules().tariff_scale();
      }
      tree_.payoffs_.push_back(units);
    }
    tree_.words_.push_back(kEndBit | static_cast<std::uint32_t>(place->second));
  }

 private:
  void check_size() const {
    if (tree_.words_.size() <= max_words_) return;
    throw std::invalid_argument(
        fmt::format("endgame {}: its tree needs more than {} words of 4 bytes",
                    schafkopf::to_string(tree_.endgame_), max_words_));
  }

  std::size_t number_of(const Game& game, const ActionMask& mask) {
    const PlayerView view = view_of(game);
    const Key key = key_of(view);
    const std::size_t slot = tree_.slot_of(key);
    const auto seat = static_cast<std::size_t>(game.current_player());
    if (tree_.slots_[slot] != 0) {
      const std::size_t id = tree_.slots_[slot] - 1;
      SCHAFKOPF_ASSERT(tree_.info_sets_[id].seat == seat);
      SCHAFKOPF_ASSERT(tree_.info_sets_[id].num_actions == mask.count());
      SCHAFKOPF_ASSERT(tree_.info_sets_[id].parent == last_choice_[seat]);
      return id;
    }
    return add(key, slot, seat, mask);
  }

  std::size_t add(const Key& key, std::size_t slot, std::size_t seat, const ActionMask& mask) {
    EndgameInfoSet set{.first_action = static_cast<std::uint32_t>(tree_.actions_.size()),
                       .parent = last_choice_[seat],
                       .seat = static_cast<std::uint8_t>(seat),
                       .num_actions = static_cast<std::uint8_t>(mask.count())};
    // the set of the choice before is the last one that this seat entered
    for (std::size_t i = open_.size(); i-- > 0;) {
      const EndgameInfoSet& before = tree_.info_set_at(open_[i]);
      if (before.seat != seat) continue;
      set.depth = static_cast<std::uint8_t>(before.depth + 1);
      break;
    }
    for (int i = 0; i < mask.count(); ++i) tree_.actions_.push_back(mask.nth(i));
    tree_.info_sets_.push_back(set);
    tree_.keys_.push_back(key);
    tree_.slots_[slot] = static_cast<std::uint32_t>(tree_.info_sets_.size());
    if (2 * tree_.info_sets_.size() > tree_.slots_.size()) tree_.grow_slots();
    return tree_.info_sets_.size() - 1;
  }

  EndgameTree& tree_;
  std::size_t max_words_;
  std::vector<std::size_t> open_;  // places of the nodes above
  std::array<std::int32_t, kNumSeats> last_choice_{-1, -1, -1, -1};
  std::map<std::array<std::int32_t, kNumSeats>, std::size_t> payoffs_;
};

/// Follows the stream and shows each information set where it comes up first.
class EndgameTree::ViewReader {
 public:
  using Visit = std::function<void(std::size_t, const PlayerView&)>;
  ViewReader(const EndgameTree& tree, const Visit& visit) : tree_(tree), visit_(visit) {}

  void enter(const Game& game, const ActionMask&) {
    if (tree_.info_set_id(at_) == next_) visit_(next_++, view_of(game));
    at_ = first_child(at_);
  }
  void choose(int) {}
  void leave() {}
  void end(const Game&) { ++at_; }

 private:
  const EndgameTree& tree_;
  const Visit& visit_;
  std::size_t at_ = 0, next_ = 0;
};

EndgameTree::EndgameTree(std::shared_ptr<const CompiledRules> rules, Endgame endgame,
                         std::size_t max_words, const Checkpoint& checkpoint)
    : rules_(std::move(rules)), endgame_(std::move(endgame)), deals_(deals_of(endgame_, *rules_)) {
  slots_.resize(1 << 14);
  Builder builder(*this, std::min(max_words, std::size_t{kEndBit} - 1));
  for (const EndgameHands& hands : deals_) {
    if (checkpoint) checkpoint();
    play_all(Game::from_position(*rules_, position_of(endgame_, hands)), builder);
  }
  words_.shrink_to_fit();
}

void EndgameTree::for_each_view(const std::function<void(std::size_t, const PlayerView&)>& visit,
                                const Checkpoint& checkpoint) const {
  ViewReader reader(*this, visit);
  for (const EndgameHands& hands : deals_) {
    if (checkpoint) checkpoint();
    play_all(Game::from_position(*rules_, position_of(endgame_, hands)), reader);
  }
}

std::optional<std::size_t> EndgameTree::find(const PlayerView& view) const {
  const std::uint32_t found = slots_[slot_of(key_of(view))];
  if (found == 0) return {};
  return found - 1;
}

/// Cards in the order played (5 bits each, 11 at most, then their number) fix seats and trick; own
/// cards, and cards that lie open; what the seat knows about the parties.
EndgameTree::Key EndgameTree::key_of(const PlayerView& view) {
  Key key;
  const int plays = std::min<int>(view.order.num_plays, 4 * kMaxEndgameTricks - 1);
  for (int i = 0; i < plays; ++i) {
    key.plays = (key.plays << 5) | (view.order.plays[i] & 31u);
  }
  key.plays |= static_cast<std::uint64_t>(plays) << 55;
  key.own = (std::uint64_t{view.cards.hand} << 32) ^ view.order.open;
  // a bijection spreads the bits; what is public about the parties sits in the free bits of plays
  key.plays |= static_cast<std::uint64_t>(view.partner() == kNoSeat ? 4 : view.partner()) << 59;
  key.plays |= static_cast<std::uint64_t>(view.has(kFlagRanAway)) << 62;
  key.plays |= static_cast<std::uint64_t>(view.has(kFlagPartnerKnown)) << 63;
  return key;
}

/// Slot of a key: where it is, or the free one where it belongs.
std::size_t EndgameTree::slot_of(const Key& key) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = mix64(mix64(key.plays) ^ key.own) & mask;
  while (slots_[slot] != 0 && !(keys_[slots_[slot] - 1] == key)) slot = (slot + 1) & mask;
  return slot;
}

void EndgameTree::grow_slots() {
  slots_.assign(2 * slots_.size(), 0);
  for (std::size_t id = 0; id < keys_.size(); ++id) {
    slots_[slot_of(keys_[id])] = static_cast<std::uint32_t>(id + 1);
  }
}

}  // namespace schafkopf
