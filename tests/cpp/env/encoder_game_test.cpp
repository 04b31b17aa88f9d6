// Observations of whole random games, against a slow recomputation card by card from the game and
// the seat's own hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "env/base/random.h"
#include "env/cards/card_map.h"
#include "env/game/game.h"
#include "env/view/encoder.h"
#include "tests/cpp/support/scale.h"

namespace schafkopf {
namespace {

using Numbers = std::vector<int>;
using Rows = std::map<std::string, Numbers, std::less<>>;

/// What a seat knows, in plain containers.
class SlowEncoder {
 public:
  SlowEncoder(const Game& game, int seat, CardIndex index)
      : game_(game), seat_(seat), view_(game.view(seat)), index_(index) {
    if (!game.has_contract()) {
      if (view_.has_contract()) named_class_only();
      return;
    }
    const Contract contract = game.contract();
    trumps_ = CardSet(game.rules().play(contract.contract, contract.suit).trumps);
  }

  Rows rows() {
    Rows rows;
    cards(rows);
    tricks(rows);
    parties(rows);
    auction(rows);
    const bool asked_other = game_.phase() == Phase::kDouble && game_.current_player() != seat_;
    rows["phase"] = one_hot(
        kNumPhases, asked_other ? static_cast<int>(Phase::kPlay) : static_cast<int>(game_.phase()));
    rows["dealer"] = one_hot(4, relative(game_.dealer()));
    rows["doubling_level"] = one_hot(8, game_.doubling_level() - 1);
    rows["trick"] = one_hot(8, game_.num_plays() / game_.seats());
    rows["cards_on_table"] = one_hot(3, game_.num_plays() % game_.seats() - 1);
    if (game_.has_contract()) {
      const Contract contract = game_.contract();
      rows["contract"] = one_hot(kNumContractClasses, static_cast<int>(contract.contract));
      rows["tout"] = {contract.tout ? 1 : 0};
      rows["declarer"] = one_hot(4, contract.declarer < 0 ? -1 : relative(contract.declarer));
      rows["called_suit"] = one_hot(4, contract.called == kNoCard ? -1 : contract.called >> 3);
    }
    return rows;
  }

 private:
  /// The class is public, suit or called card are not yet: only the trump ranks are known.
  void named_class_only() {
    const ContractRow& row = contract_row(static_cast<ContractClass>(view_.contract_class()));
    for (int i = 0; i < row.num_trump_ranks; ++i) {
      trumps_ = trumps_ | CardSet::rank(row.trump_ranks[static_cast<std::size_t>(i)]);
    }
  }
  [[nodiscard]] int relative(int seat) const {
    return (seat - seat_ + game_.seats()) % game_.seats();
  }
  static Numbers one_hot(int length, int index) {
    Numbers row(static_cast<std::size_t>(length));
    if (index >= 0 && index < length) row[static_cast<std::size_t>(index)] = 1;
    return row;
  }
  [[nodiscard]] std::size_t index_of(Card card) const {
    if (index_ == CardIndex::kAbsolute) return card;
    return card_maps()[static_cast<std::size_t>(view_.order.card_map) * kNumCards + card];
  }
  void mark(Numbers& row, Card card, std::size_t from = 0) const { row[from + index_of(card)] = 1; }
  /// 4 = trumps, else the suit or its canonical slot.
  [[nodiscard]] std::size_t group(Card card) const {
    return trumps_.contains(card) ? 4 : index_of(card) / kNumRanks;
  }

  void cards(Rows& rows) {
    Numbers hand(32), legal(32), unseen(32, 1), played(128);
    int own = 0, own_trumps = 0, own_points = 0;
    for (const Card card : game_.hand(seat_)) {
      mark(hand, card);
      unseen[index_of(card)] = 0;
      ++own;
      own_trumps += trumps_.contains(card) ? 1 : 0;
      own_points += points_of(card);
    }
    for (int i = 0; i < game_.num_plays(); ++i) {
      mark(played, game_.played_card(i),
           static_cast<std::size_t>(32 * relative(game_.played_by(i))));
      unseen[index_of(game_.played_card(i))] = 0;
    }
    if (game_.current_player() == seat_) {
      for (int card = 0; card < kNumCards; ++card) {
        if (game_.legal_actions().contains(static_cast<Action>(card))) {
          mark(legal, static_cast<Card>(card));
        }
      }
    }
    Numbers groups(4);
    int unseen_trumps = 0;
    unseen_points_ = 0;
    for (int c = 0; c < kNumCards; ++c) {
      const auto card = static_cast<Card>(c);
      if (unseen[index_of(card)] == 0) continue;
      unseen_points_ += points_of(card);
      if (group(card) == 4) {
        ++unseen_trumps;
      } else {
        ++groups[group(card)];
      }
    }
    rows["counts"] = {own, own_trumps, unseen_trumps, own_points / 4, game_.num_plays() / 4};
    rows["unseen_groups"] = groups;
    rows["hand"] = hand;
    rows["legal_cards"] = legal;
    rows["unseen"] = unseen;
    rows["played"] = played;
  }

  void tricks(Rows& rows) {
    Numbers table(128), voids(20);
    const int n = game_.seats(), running = game_.num_plays() / n * n;
    table_points_ = 0;
    for (int i = 0; i < game_.num_plays(); ++i) {
      const Card card = game_.played_card(i), led = game_.played_card(i / n * n);
      const int seat = relative(game_.played_by(i));
      if (group(card) != group(led)) {
        voids[static_cast<std::size_t>(5 * seat) + group(led)] = 1;
      }
      if (i < running || game_.is_terminal()) continue;
      const bool in_play = game_.phase() == Phase::kPlay || game_.current_player() != seat_;
      if (!in_play) continue;
      mark(table, card, static_cast<std::size_t>(32 * seat));
      table_points_ += points_of(card);
    }
    rows["table"] = Numbers(table.begin() + 32, table.end());
    rows["voids"] = voids;
  }

  void parties(Rows& rows) {
    Numbers points(4), tricks(4);
    for (int seat = 0; seat < game_.seats(); ++seat) {
      const auto r = static_cast<std::size_t>(relative(seat));
      for (const Card card : game_.captured(seat)) points[r] += points_of(card);
      tricks[r] = game_.captured(seat).count() / game_.seats();
    }
    std::set<int> own = {seat_}, others;
    if (game_.has_contract()) {
      const Contract contract = game_.contract();
      const bool everyone = contract.declarer < 0;
      const bool called = contract.called != kNoCard;
      const bool knows =
          !called || game_.partner_known() || game_.dealt(seat_).contains(contract.called);
      for (int seat = 0; seat < game_.seats(); ++seat) {
        if (seat == seat_) continue;
        const bool same =
            ((game_.declarer_party() >> seat) & 1) == ((game_.declarer_party() >> seat_) & 1);
        if (everyone) {
          others.insert(seat);
        } else if (knows) {
          (same ? own : others).insert(seat);
        } else if (seat == contract.declarer) {
          others.insert(seat);
        }
      }
    }
    const auto sum = [&](const std::set<int>& seats) {
      int total = 0;
      for (const int seat : seats) total += points[static_cast<std::size_t>(relative(seat))];
      return total;
    };
    rows["points"] = points;
    rows["tricks"] = tricks;
    rows["party_points"] = {sum(own), sum(others), table_points_, unseen_points_};
  }

  void auction(Rows& rows) {
    Numbers said(48);
    for (int i = 0; i < game_.num_events(); ++i) {
      const Event event = game_.event(i);
      const auto at = static_cast<std::size_t>(12 * relative(event.seat));
      const std::map<int, std::size_t> words = {
          {kActionPass, 0}, {kActionPlay, 1}, {kActionYield, 2}, {kActionDouble, 3}};
      if (words.contains(event.action)) said[at + words.at(event.action)] = 1;
      const NamedContract named = contract_of_action(event.action);
      if (named.row == nullptr) continue;
      for (std::size_t bit = 0; bit < 5; ++bit) {
        said[at + 6 + bit] = ((static_cast<int>(named.row->contract) + 1) >> bit) & 1;
      }
      said[at + 11] = named.tout ? 1 : 0;
    }
    rows["auction"] = said;
  }

  const Game& game_;
  int seat_;
  PlayerView view_;
  CardIndex index_;
  CardSet trumps_;
  int unseen_points_ = 0, table_points_ = 0;
};

void expect_equal(const Game& game, int seat, CardIndex index, const std::string& where) {
  const PlayerView view = game.view(seat);
  std::vector<std::uint8_t> row(static_cast<std::size_t>(observation_size()));
  const ObservationForm form{ObservationVersion::kV1, index};
  expand(form, {&view.cards, &view.order, &view.events}, {}, row.data());
  const Rows expected = SlowEncoder(game, seat, index).rows();
  std::size_t compared = 0;
  for (const Section& part : observation_sections()) {
    const auto found = expected.find(part.name);
    if (found == expected.end()) continue;
    ++compared;
    const auto begin = row.begin() + part.offset;
    ASSERT_EQ(Numbers(begin, begin + part.length), found->second) << part.name << ", " << where;
  }
  ASSERT_EQ(compared, expected.size()) << "a name that no section has";
}

class EncodedGames : public ::testing::TestWithParam<const char*> {};

TEST_P(EncodedGames, every_view_equals_the_slow_recomputation) {
  const auto rules = CompiledRules::load(GetParam());
  Rng rng(31);
  std::set<std::string> contracts;
  for (int round = 0; round < test::scaled(10, 150, 3000); ++round) {
    Game game(*rules, random_deal(rng.next()), rng.next_below(4));
    while (true) {
      for (int seat = 0; seat < 4; ++seat) {
        const std::string where = "round " + std::to_string(round) + ", card " +
                                  std::to_string(game.num_plays()) + ", seat " +
                                  std::to_string(seat);
        expect_equal(game, seat, CardIndex::kCanonical, where);
        expect_equal(game, seat, CardIndex::kAbsolute, where + ", absolute");
        if (HasFatalFailure()) return;
      }
      if (game.is_terminal()) break;
      const ActionMask legal = without_claims(game.legal_actions());
      const bool plays = legal.contains(kActionPlay) && rng.next_below(2) == 0;
      game.apply(plays ? kActionPlay : legal.nth(rng.next_below(legal.count())));
    }
    if (game.has_contract()) {
      contracts.insert(std::string(contract_name(game.contract().contract, game.contract().tout)));
    }
  }
  EXPECT_GE(contracts.size(), 3u);
}

INSTANTIATE_TEST_SUITE_P(Rules, EncodedGames,
                         ::testing::Values("research", "official_1989", "tournament_2024"),
                         [](const auto& rules) { return std::string(rules.param); });

}  // namespace
}  // namespace schafkopf
