// Tournaments in all their forms: seatings, tracks, lists, wishes, early stop, journal, breakdowns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "agents/registry.h"
#include "agents/tournament/ratings.h"
#include "agents/tournament/tournament.h"
#include "agents/tournament/tournament_config.h"
#include "agents/tournament/tournament_journal.h"
#include "agents/tournament/tournament_plan.h"
#include "agents/work/journal.h"
#include "agents/worlds/double_dummy.h"
#include "env/record/record.h"
#include "tests/cpp/agents/tournament_options.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/table_notation.h"
#include "tests/cpp/support/temporary_file.h"

namespace schafkopf {
namespace {

using test::error_of;
using test::options_for;
using test::TemporaryFile;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string refusal(const TournamentOptions& options) {
  return error_of([&] { (void)run_tournament(options); });
}

// ---- formats ------------------------------------------------------------------------------------

TEST(TournamentFormats, two_against_two_takes_all_six_seatings_of_a_deal) {
  TournamentOptions options = options_for({{"rules"}, {"random"}}, 40);
  options.formats = {Format::kTwoAgainstTwo};
  const TournamentResult result = run_tournament(options);
  EXPECT_EQ(result.games, 40 * 6);
  std::set<int> seatings;
  for (const GameRow& row : result.rows) {
    if (row.block == 7) seatings.insert(row.seats);
  }
  EXPECT_EQ(seatings, (std::set<int>{3, 5, 6, 9, 10, 12}));
  EXPECT_EQ(result.pairings.size(), 1u);
  EXPECT_EQ(result.two_against_two[0][1].mean, -result.two_against_two[1][0].mean);
  EXPECT_EQ(result.one_against_three[0][1].blocks, 0);
}

TEST(TournamentFormats, both_formats_agree_on_who_is_better_and_by_how_much) {
  TournamentOptions options = options_for({{"rules"}, {"random"}}, test::scaled(300, 1500, 6000));
  options.formats = {Format::kOneAgainstThree, Format::kTwoAgainstTwo};
  const TournamentResult result = run_tournament(options);
  const Estimate& twos = result.two_against_two[0][1];
  const Estimate& singles = result.difference[0][1];
  EXPECT_GT(twos.mean, twos.half_width);
  // additive strengths give 2/3 of the difference; partners and stakes bend that a little
  EXPECT_NEAR(twos.mean * 1.5, singles.mean, 0.35 * singles.mean);
}

TEST(TournamentFormats, equal_agents_of_two_against_two_differ_by_nothing) {
  TournamentOptions options = options_for({{"rules", "a"}, {"rules", "b"}}, 30, Track::kFull);
  options.formats = {Format::kTwoAgainstTwo};
  const TournamentResult result = run_tournament(options);
  EXPECT_EQ(result.two_against_two[0][1].mean, 0.0);
  EXPECT_EQ(result.two_against_two[0][1].sd, 0.0);
  EXPECT_FALSE(std::signbit(result.two_against_two[1][0].mean)) << "pages would show -0.00";
}

TEST(TournamentFormats, three_seats_play_one_against_two_and_refuse_two_against_two) {
  TournamentOptions options = options_for({{"rules"}, {"random"}}, 20);
  options.rules = notation::rules_of({"players = 3", "deck = \"short24\""});
  EXPECT_EQ(run_tournament(options).games, 20 * 2 * 3);
  options.formats = {Format::kTwoAgainstTwo};
  EXPECT_THAT(refusal(options), HasSubstr("2v2 needs four seats"));
}

// ---- tracks -------------------------------------------------------------------------------------

TEST(TournamentTracks, in_the_bidding_track_only_announcements_differ) {
  // both bid alike, so the same fixed card player makes all games of a block alike
  const TournamentResult same =
      run_tournament(options_for({{"rules", "a"}, {"rules", "b"}}, 40, Track::kBidding));
  EXPECT_EQ(same.one_against_three[0][1].sd, 0.0);
  TournamentOptions options = options_for({{"rules"}, {"random"}}, 200, Track::kBidding);
  const TournamentResult result = run_tournament(options);
  EXPECT_GT(result.difference[0][1].mean, result.difference[0][1].half_width);
  // random bidding before the rule agent's cards costs another amount than with its own cards
  options.track = Track::kFull;
  EXPECT_NE(run_tournament(options).difference[0][1].mean, result.difference[0][1].mean);
}

TEST(TournamentTracks, G_8_given_contracts_of_a_bock_round_pay_twice) {
  TournamentOptions options = options_for({{"rules"}, {"random"}}, 40);
  const TournamentResult plain = run_tournament(options);
  options.rules = notation::rules_of({"special_round = \"bock\""}, "research");
  const TournamentResult doubled = run_tournament(options);
  ASSERT_EQ(doubled.games, plain.games);
  EXPECT_NE(plain.difference[0][1].mean, 0.0);
  EXPECT_EQ(doubled.difference[0][1].mean, 2.0 * plain.difference[0][1].mean);
  EXPECT_EQ(doubled.difference[0][1].sd, 2.0 * plain.difference[0][1].sd);
}

TEST(TournamentTracks, a_card_player_that_nobody_knows_is_refused) {
  TournamentOptions options = options_for({{"rules"}, {"random"}}, 4, Track::kBidding);
  options.card_player = "nobody";
  EXPECT_THAT(refusal(options), HasSubstr("unknown agent \"nobody\""));
}

constexpr const char* kSoloRecord =
    R"({"rules":"research","dealer":2,"hands":[["E7","E8","E9","EK","E10","EA","EO","GO"],)"
    R"(["HO","SO","EU","GU","HU","SU","G7","G8"],["G9","GK","G10","GA","S7","S8","S9","SK"],)"
    R"(["S10","SA","H7","H8","H9","HK","H10","HA"]],"contract":{"class":"SOLO","suit":"E"},)"
    R"("declarer":0,"plays":[]})";

TEST(TournamentTracks, a_contract_list_fixes_deal_dealer_and_contract) {
  const TemporaryFile list("list.jsonl");
  list.write(std::string(kSoloRecord) + "\n\n" + kSoloRecord + "\n");
  TournamentOptions options = options_for({{"rules"}, {"random"}}, 2);
  options.contract_list = list.path();
  const TournamentResult result = run_tournament(options);
  for (const GameRow& row : result.rows) {
    EXPECT_EQ(contract_keys()[static_cast<std::size_t>(row.contract)], "SOLO");
    EXPECT_EQ(row.declarer, 0);
    EXPECT_EQ(row.dealer, 2);
  }
  EXPECT_EQ(nlohmann::json::parse(to_json(result, options)).at("contract_list"), list.path());
  options.blocks = 3;
  EXPECT_THAT(refusal(options), AllOf(HasSubstr("blocks = 3"), HasSubstr("at most 2")));
  options.blocks = 1;
  options.track = Track::kFull;
  EXPECT_THAT(refusal(options), HasSubstr("contract_list belongs to the track card_play"));
}

TEST(TournamentTracks, a_contract_list_names_the_line_that_is_wrong) {
  const TemporaryFile list("broken.jsonl");
  list.write(std::string(kSoloRecord) + "\n{\"rules\":\"research\",\"dealer\":9}\n");
  TournamentOptions options = options_for({{"rules"}, {"random"}}, 1);
  options.contract_list = list.path();
  EXPECT_THAT(refusal(options), HasSubstr("broken.jsonl:2: "));
  list.write(
      R"({"rules": "research", "hands": [["EO","GO","HO","SO","E10","EK","E9","E8"], )"
      R"(["EU","GU","HU","SU","EA","GA","HA","S7"], ["E7","G10","GK","G9","G8","G7","H10","HK"], )"
      R"(["H9","H8","H7","SA","S10","SK","S9","S8"]], "auction": []})");
  EXPECT_THAT(refusal(options), HasSubstr("the record has no contract; a contract list needs one"));
  options.contract_list = "no/such.jsonl";
  EXPECT_THAT(refusal(options), HasSubstr("no/such.jsonl"));
}

TEST(TournamentTracks, declarer_is_one_game_a_deal_in_the_declarers_seat_and_rates_nobody) {
  TournamentOptions options = options_for({{"rules"}, {"random"}}, 40);
  options.formats = {Format::kDeclarer};
  const TournamentResult result = run_tournament(options);
  EXPECT_EQ(result.games, 2 * 40);
  for (const GameRow& row : result.rows) EXPECT_EQ(row.seats, 1 << row.declarer);
  double points = 0.0;
  for (const GameRow& row : result.rows) {
    if (row.pairing == 0) points += row.payoffs[static_cast<std::size_t>(row.declarer)];
  }
  EXPECT_DOUBLE_EQ(result.as_declarer[0][1].mean, points / options.rules->tariff_scale() / 40);
  EXPECT_GT(result.as_declarer[0][1].mean, result.as_declarer[1][0].mean);
  EXPECT_EQ(result.one_against_three[0][1].blocks, 0);
  EXPECT_EQ(result.ratings[0].blocks, 0);
  EXPECT_THAT(to_text(result, options), HasSubstr("points per game of the declarer (row)"));
  options.formats = {Format::kOneAgainstThree, Format::kDeclarer};
  EXPECT_EQ(run_tournament(options).ratings[0].blocks, 40);
  options.track = Track::kFull;
  EXPECT_THAT(refusal(options), HasSubstr("declarer needs the track card_play"));
}

TEST(TournamentTracks, a_deal_that_nobody_declares_has_no_game_of_the_format_declarer) {
  TournamentOptions options = options_for({{"rules"}, {"random"}}, 60);
  options.rules = CompiledRules::load("wikipedia_extended");  // all pass: Ramsch
  options.generator = "mixed";
  options.formats = {Format::kDeclarer, Format::kOneAgainstThree};
  const TournamentResult result = run_tournament(options);
  std::set<int> without, with;
  for (const GameRow& row : result.rows) {
    const bool declared = result.pairings[row.pairing].format == Format::kDeclarer;
    if (declared) with.insert(row.block);
    if (row.declarer < 0) without.insert(row.block);
  }
  EXPECT_FALSE(without.empty());
  EXPECT_EQ(with.size() + without.size(), 60u);
  EXPECT_EQ(result.as_declarer[0][1].blocks, static_cast<int>(with.size()));
}

TEST(TournamentTracks, a_unit_without_a_game_ends_nobodys_work) {
  TournamentOptions options = options_for({{"random"}, {"rules"}}, 60);
  options.rules = notation::rules_of({"all_pass = \"ramsch\""}, "research");
  options.generator = "mixed:single=0.4,all_pass=0.6";
  options.formats = {Format::kDeclarer};
  for (const std::uint64_t seed : {1U, 3U, 5U}) {
    options.seed = seed;
    options.threads = 1;
    const TournamentResult one = run_tournament(options);
    EXPECT_FALSE(one.stopped) << "seed " << seed;
    EXPECT_GT(one.as_declarer[0][1].blocks, 5) << "seed " << seed;
    EXPECT_LT(one.as_declarer[0][1].blocks, 55) << "seed " << seed;
    options.threads = 4;
    EXPECT_EQ(to_json(run_tournament(options), options), to_json(one, options)) << "seed " << seed;
    EXPECT_EQ(play_part(options, {}, {}).size(), one.rows.size());
  }
}

// ---- pairings -----------------------------------------------------------------------------------

TEST(TournamentPairings, only_the_wanted_ones_are_played) {
  TournamentOptions options = options_for({{"rules"}, {"random"}, {"rules:random=0.5", "half"}}, 8);
  options.pairings = {{"random", "rules", false}, {"half", "rules", false}};
  const TournamentResult result = run_tournament(options);
  EXPECT_EQ(result.games, 8 * 2 * 4);
  EXPECT_EQ(result.one_against_three[1][0].blocks, 8);
  EXPECT_EQ(result.one_against_three[0][1].blocks, 0);
  EXPECT_GT(result.ratings[2].mean, result.ratings[1].mean);
  const auto json = nlohmann::json::parse(to_json(result, options));
  EXPECT_TRUE(json["one_against_three"][0][1].is_null());
}

TEST(TournamentPairings, wrong_ones_are_named) {
  TournamentOptions options = options_for({{"rules"}, {"random"}, {"rules", "x"}}, 8);
  options.pairings = {{"rules", "nobody"}};
  EXPECT_THAT(refusal(options), AllOf(HasSubstr("\"nobody\""), HasSubstr("rules, random, x")));
  options.pairings = {{"rules", "random"}, {"random", "rules"}};
  EXPECT_THAT(refusal(options), HasSubstr("\"random\" meets \"rules\" twice"));
  options.pairings = {{"rules", "random"}};
  EXPECT_THAT(refusal(options), AllOf(HasSubstr("rated"), HasSubstr("\"x\"")));
  options.pairings = {{"x", "x"}};
  EXPECT_THAT(refusal(options), HasSubstr("meets itself"));
  options = options_for({{"rules"}, {"rules"}}, 8);
  EXPECT_THAT(refusal(options), HasSubstr("\"rules\" comes twice"));
}

// ---- early stop ---------------------------------------------------------------------------------

TEST(TournamentPrecision, a_pairing_ends_at_its_own_precision_on_any_number_of_threads) {
  std::set<std::string> results;
  for (const int threads : {1, 3}) {
    TournamentOptions options =
        options_for({{"rules"}, {"random"}, {"rules:random=0.05", "near"}}, 20000);
    options.threads = threads;
    options.pairings = {{"random", "rules", false, 3.0}, {"near", "rules", false, 1.0}};
    options.first_check = 20;
    const TournamentResult result = run_tournament(options);
    for (const PairingResult& pairing : result.pairings) {
      EXPECT_LE(pairing.mean.half_width, pairing.precision);
      EXPECT_LT(pairing.mean.blocks, 20000);
      // the look before had a wider interval, so the run ends soon after the wanted width
      EXPECT_GT(pairing.mean.half_width, pairing.precision * 0.6);
    }
    EXPECT_NE(result.pairings[0].mean.blocks, result.pairings[1].mean.blocks);
    EXPECT_FALSE(result.stopped);
    results.insert(to_json(result, options));
  }
  EXPECT_EQ(results.size(), 1u);
}

// The width of few blocks is small by chance.
TEST(TournamentPrecision, is_not_reached_by_fewer_than_fifty_blocks_that_tell_something) {
  TournamentOptions options = options_for({{"rules"}, {"random"}}, 200);
  options.precision = 500.0;
  options.first_check = 2;
  for (const PairingResult& pairing : run_tournament(options).pairings) {
    EXPECT_GE(pairing.mean.telling, 50);
    EXPECT_LT(pairing.mean.blocks, 200);
  }
}

TEST(TournamentPrecision, a_run_that_goes_on_counts_no_block_twice) {
  const TemporaryFile file("precise.games");
  TournamentOptions options = options_for({{"rules"}, {"random"}}, 2000);
  options.precision = 4.0;
  options.first_check = 20;
  options.journal = file.path();
  const std::string once = to_json(run_tournament(options), options);
  options.resume = true;
  EXPECT_EQ(to_json(run_tournament(options), options), once);
}

// ---- journal ------------------------------------------------------------------------------------

TournamentOptions journalled(const std::string& path, bool resume) {
  TournamentOptions options = options_for({{"rules:random=0.1"}, {"random"}}, 40, Track::kFull);
  options.formats = {Format::kOneAgainstThree, Format::kTwoAgainstTwo};
  options.journal = path;
  options.resume = resume;
  options.blocks_at_once = 3;
  options.threads = 2;
  return options;
}

TEST(TournamentJournal, a_run_cut_off_anywhere_ends_as_if_nothing_had_happened) {
  const TemporaryFile whole("whole.games"), cut("cut.games");
  const TournamentOptions options = journalled(whole.path(), false);
  const std::string expected = to_json(run_tournament(options), options);
  const std::string bytes = whole.read();
  const std::size_t header = bytes.find('\n') + 1;
  const int cuts = test::scaled(10, 40, 400);
  for (int i = 0; i <= cuts; ++i) {
    const std::size_t length = header + (bytes.size() - header) * static_cast<std::size_t>(i) /
                                            static_cast<std::size_t>(cuts);
    cut.write(bytes.substr(0, length));
    const TournamentOptions resumed = journalled(cut.path(), true);
    // lost is at most the piece that was being written: three blocks of six games
    const std::size_t kept = header + read_journal(cut.path()).size() * sizeof(GameRow);
    EXPECT_GT(kept + 3 * 6 * sizeof(GameRow) + 1000, length);
    EXPECT_EQ(to_json(run_tournament(resumed), options), expected) << length;
    EXPECT_EQ(read_journal(cut.path()).size(), read_journal(whole.path()).size());
  }
}

TEST(TournamentJournal, a_stopped_run_goes_on_and_more_blocks_can_be_asked_for) {
  const TemporaryFile file("stopped.games");
  (void)run_tournament(journalled(file.path(), false), [](int done, int) { return done < 10; });
  EXPECT_FALSE(read_journal(file.path()).empty());
  TournamentOptions more = journalled(file.path(), true);
  more.blocks = 60;
  const TournamentResult resumed = run_tournament(more);
  more.journal.clear();
  more.resume = false;
  EXPECT_EQ(to_json(resumed, more), to_json(run_tournament(more), more));
}

TEST(TournamentJournal, a_changed_byte_is_not_taken_for_a_game) {
  const TemporaryFile file("changed.games");
  const TournamentOptions options = journalled(file.path(), false);
  const std::string expected = to_json(run_tournament(options), options);
  std::string bytes = file.read();
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  file.write(bytes);
  const TournamentOptions resumed = journalled(file.path(), true);
  EXPECT_EQ(to_json(run_tournament(resumed), options), expected);
}

TEST(TournamentJournal, one_damaged_piece_costs_its_own_games_alone_and_is_named) {
  const TemporaryFile file("damaged.games");
  const TournamentOptions options = journalled(file.path(), false);
  const std::string expected = to_json(run_tournament(options), options);
  const std::string bytes = file.read();
  const std::size_t header = bytes.find('\n') + 1, games = read_journal(file.path()).size();
  EXPECT_EQ(journal_damage(file.path()), "");
  for (const std::size_t place : {header, header + 4, header + 8, header + 20, header + 700}) {
    std::string changed = bytes;
    changed[place] = static_cast<char>(changed[place] ^ 64);
    file.write(changed);
    EXPECT_GE(read_journal(file.path()).size() + 3 * 6, games) << place;
    EXPECT_LT(read_journal(file.path()).size(), games) << place;
    EXPECT_THAT(journal_damage(file.path()),
                AllOf(HasSubstr(file.path() + ": damaged at byte "), HasSubstr("played again")));
    EXPECT_EQ(to_json(run_tournament(journalled(file.path(), true)), options), expected) << place;
    EXPECT_EQ(read_journal(file.path()).size(), games) << place;
  }
  for (const std::size_t torn : {std::size_t{1}, std::size_t{10}, std::size_t{30}}) {
    file.write(bytes.substr(0, bytes.size() - torn));
    EXPECT_EQ(journal_damage(file.path()), "") << torn;
  }
  file.write(bytes + "SKRW");
  EXPECT_EQ(journal_damage(file.path()), "") << "the first bytes of a piece";
}

TEST(TournamentJournal, a_block_that_lacks_a_game_is_refused) {
  const TemporaryFile whole("all.games"), cut("lacks.games");
  (void)run_tournament(journalled(whole.path(), false));
  const std::vector<GameRow> rows = read_journal(whole.path());
  const TournamentOptions resumed = journalled(cut.path(), true);
  for (const std::size_t without : {std::size_t{0}, rows.size() - 1}) {
    std::vector<GameRow> fewer = rows;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(without));
    std::filesystem::remove(cut.path());
    {
      TournamentJournal journal(cut.path(), identity_of(resumed), false);
      journal.append(fewer);
    }
    EXPECT_THAT(refusal(resumed), AllOf(HasSubstr("block "), HasSubstr("games, allowed: ")));
  }
  std::filesystem::remove(cut.path());
  TournamentJournal(cut.path(), identity_of(resumed), false).append(rows);
  EXPECT_EQ(refusal(resumed), "no error");
}

TEST(TournamentJournal, games_of_another_tournament_are_refused_by_what_differs) {
  const TemporaryFile file("other.games");
  (void)run_tournament(journalled(file.path(), false));
  EXPECT_THAT(refusal(journalled(file.path(), false)), HasSubstr("exists already"));
  TournamentOptions other = journalled(file.path(), true);
  other.seed = 7;
  other.track = Track::kCardPlay;
  other.agents[1].spec = "rules";
  other.double_dummy = true;
  EXPECT_THAT(refusal(other), AllOf(HasSubstr("seed: there 1, now 7"),
                                    HasSubstr("track: there full, now card_play"),
                                    HasSubstr("agent 2: there random = random, now rules = rules"),
                                    HasSubstr("double_dummy: there false, now true"),
                                    HasSubstr("generator: there nothing, now heuristic")));
  other.double_dummy = false;
  const TemporaryFile cards("cards.games");  // with options that the other has not
  other.journal = cards.path();
  other.resume = false;
  (void)run_tournament(other);
  EXPECT_THAT(refusal(journalled(cards.path(), true)),
              testing::ContainsRegex("generator: there heuristic by .*, now nothing"));
  file.write("something else\n");
  EXPECT_THAT(refusal(journalled(file.path(), true)), HasSubstr("no file of tournament games"));
  file.write("{\"format\":\"schafkopf-tour");  // killed while the first line was written
  EXPECT_EQ(run_tournament(journalled(file.path(), true)).blocks, 40);
  TournamentOptions nowhere = journalled("no/such/folder/x.games", false);
  EXPECT_THAT(refusal(nowhere), HasSubstr("no/such/folder"));
}

TEST(TournamentJournal, one_run_at_a_time_holds_the_file) {
  const TemporaryFile file("held.games");
  std::string second;
  TournamentOptions options = journalled(file.path(), false);
  options.blocks = 200;
  (void)run_tournament(options, [&](int, int) {
    if (second.empty()) second = refusal(journalled(file.path(), true));
    return true;
  });
  EXPECT_THAT(second, AllOf(HasSubstr(file.path()), HasSubstr("another run is playing this")));
  EXPECT_EQ(refusal(journalled(file.path(), true)), "no error");
}

TEST(TournamentJournal, games_that_two_runs_wrote_count_once) {
  const TemporaryFile file("twice.games");
  const TournamentOptions options = journalled(file.path(), false);
  const std::string expected = to_json(run_tournament(options), options);
  const std::string bytes = file.read();
  const std::size_t games = read_journal(file.path()).size();
  file.write(bytes + bytes.substr(bytes.find('\n') + 1));
  EXPECT_EQ(read_journal(file.path()).size(), games);
  EXPECT_EQ(to_json(run_tournament(journalled(file.path(), true)), options), expected);
}

TEST(TournamentJournal, a_check_plays_nothing_and_finds_what_a_run_would_refuse) {
  const TemporaryFile file("checked.games");
  TournamentOptions options = journalled(file.path(), true);
  check_tournament(options);
  EXPECT_FALSE(std::filesystem::exists(file.path()));
  (void)run_tournament(options);
  const std::string bytes = file.read();
  check_tournament(options);
  EXPECT_EQ(file.read(), bytes);
  options.seed = 7;
  EXPECT_THAT(error_of([&] { check_tournament(options); }), HasSubstr("seed: there 1, now 7"));
}

// ---- what is told about the games ---------------------------------------------------------------

TEST(TournamentFigures, shares_add_up_to_the_games_and_points_of_the_pairing) {
  for (const Track track : {Track::kFull, Track::kCardPlay}) {
    const TournamentResult result =
        run_tournament(options_for({{"rules"}, {"random"}}, 300, track));
    double points = 0.0, by_seat = 0.0;
    std::int64_t games = 0;
    for (const Share& share : result.shares[0]) {
      if (!share.contract.empty()) continue;
      const double sum = share.points.mean * static_cast<double>(share.games);
      (share.position >= 0 ? by_seat : points) += sum;
      if (share.position >= 0) games += share.games;
      const bool played = share.role != "none";  // nobody pays for a deal that is thrown in
      EXPECT_EQ(std::isfinite(share.points.half_width), played) << share.role;
    }
    EXPECT_EQ(games, 300 * 4);
    EXPECT_NEAR(points / (300 * 4), result.one_against_three[0][1].mean, 1e-9);
    EXPECT_NEAR(by_seat / (300 * 4), result.one_against_three[0][1].mean, 1e-9);
  }
}

/// What the first agent got in the games of one kind, and its interval over the blocks.
struct OwnGames {
  std::map<int, std::pair<double, double>> blocks;  // points and games
  int won = 0;

  void add(int block, double points) {
    blocks[block].first += points;
    blocks[block].second += 1.0;
  }
  [[nodiscard]] Estimate ratio() const {
    double points = 0.0, games = 0.0, squares = 0.0;
    for (const auto& [block, sums] : blocks) {
      points += sums.first;
      games += sums.second;
    }
    const double mean = points / games, count = static_cast<double>(blocks.size());
    int telling = 0;
    for (const auto& [block, sums] : blocks) {
      const double off = sums.first - mean * sums.second;
      squares += off * off;
      telling += sums.first != 0.0 ? 1 : 0;
    }
    const double error = std::sqrt(squares * count / (count - 1.0)) / games;
    const int all = static_cast<int>(blocks.size());
    return {mean, half_width_of(mean, error, all, telling), 0.0, all, telling};
  }
};

TEST(TournamentFigures, shares_of_roles_and_seats_are_those_of_the_rows) {
  TournamentOptions options = options_for({{"rules"}, {"random"}}, 60);
  options.rules = CompiledRules::load("wikipedia_extended");  // all pass: Ramsch
  options.generator = "mixed:single=0.6,all_pass=0.4";
  options.pairings = {{"rules", "random", false}};
  const TournamentResult result = run_tournament(options);
  OwnGames alone;                 // in Ramsch
  std::array<OwnGames, 4> seats;  // the first is behind the dealer
  for (const GameRow& row : result.rows) {
    const int seat = std::countr_zero(row.seats);
    const std::int64_t paid = row.payoffs[static_cast<std::size_t>(seat)];
    const double points = static_cast<double>(paid) / options.rules->tariff_scale();
    seats[static_cast<std::size_t>((seat - row.dealer + 3) % 4)].add(row.block, points);
    if (row.party != 0) continue;
    alone.add(row.block, points);
    alone.won += paid > 0 ? 1 : 0;
  }
  int compared = 0;
  for (const Share& share : result.shares[0]) {
    if (!share.contract.empty() || (share.position < 0 && share.role != "alone")) continue;
    const OwnGames& own =
        share.position < 0 ? alone : seats[static_cast<std::size_t>(share.position)];
    EXPECT_NEAR(share.points.mean, own.ratio().mean, 1e-9) << share.role << share.position;
    EXPECT_NEAR(share.points.half_width, own.ratio().half_width, 1e-9) << share.position;
    if (share.position < 0) {
      EXPECT_EQ(share.won, own.won);
    }
    ++compared;
  }
  EXPECT_EQ(compared, 5);
}

TEST(TournamentFigures, blocks_gain_over_independent_games_as_the_rows_say) {
  const TournamentResult result =
      run_tournament(options_for({{"rules"}, {"rules:random=0.05", "near"}}, 400));
  const PairingResult& pairing = result.pairings[1];
  std::vector<double> payoffs;
  for (const GameRow& row : result.rows) {
    if (row.pairing != 1) continue;
    payoffs.push_back(row.payoffs[static_cast<std::size_t>(std::countr_zero(row.seats))]);
  }
  const double sd = estimate(payoffs).sd;
  EXPECT_NEAR(pairing.sd_game, sd, 1e-6);
  EXPECT_NEAR(pairing.gain, sd * sd / 4.0 / (pairing.mean.sd * pairing.mean.sd), 1e-6);
  EXPECT_GT(pairing.gain, 4.0);  // near equals: nearly all of the luck cancels
}

/// The rule agent, which always expects the same.
class Hopeful final : public BatchPolicy {
 public:
  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override {
    rules_->policy(batch, probabilities, values);
    for (std::size_t row = 0; row < batch.size; ++row) {
      // hands with many trumps expect to win
      const int high =
          (CardSet(batch.cards[row].hand) & trumps_of(calling_row(), Suit::kHerz)).count();
      values[row] = static_cast<float>(high * 20 - 80);
    }
  }
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override {
    rules_->act(batch, keys, actions);
  }
  [[nodiscard]] std::string name() const override { return "hopeful"; }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<Hopeful>();
  }

 private:
  std::unique_ptr<BatchPolicy> rules_ = make_agent("rules");
};

TEST(TournamentFigures, calibration_compares_expected_and_realised_wins) {
  TournamentOptions options =
      options_for({{"rules"}, {"x", "hopeful", std::make_shared<Hopeful>()}}, 500, Track::kFull);
  const TournamentResult result = run_tournament(options);
  EXPECT_TRUE(result.calibration[0].empty());  // the rule agent has no values
  const std::vector<CalibrationBin>& bins = result.calibration[1];
  ASSERT_GE(bins.size(), 5u);
  for (std::size_t i = 1; i < bins.size(); ++i) {
    EXPECT_GE(bins[i].expected_win_rate, bins[i - 1].expected_win_rate - 1e-9);
    EXPECT_GE(bins[i - 1].expected_win_rate, 0.0);
    EXPECT_LE(bins[i].expected_win_rate, 1.0);
    EXPECT_GE(bins[i].win_rate, 0.0);
    EXPECT_LE(bins[i].win_rate, 1.0);
  }
  EXPECT_GT(bins.back().win_rate, bins.front().win_rate);
  const auto agents = nlohmann::json::parse(to_json(result, options)).at("agents");
  EXPECT_TRUE(agents[0].at("calibration").empty());
  ASSERT_EQ(agents[1].at("calibration").size(), bins.size());
  EXPECT_EQ(agents[1].at("calibration")[0].at("games"), bins[0].games);
  EXPECT_EQ(agents[1].at("calibration")[0].at("win_rate"), bins[0].win_rate);
  options.calibration = false;
  EXPECT_TRUE(run_tournament(options).calibration[1].empty());
}

/// Plays at random and expects as much as it has seen: cards played, and 100 where it is to play one.
class Witness final : public BatchPolicy {
 public:
  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override {
    random_->policy(batch, probabilities, values);
    for (std::size_t row = 0; row < values.size(); ++row) {
      const PlayerView view = batch.view(row);
      values[row] = static_cast<float>(view.order.num_plays + (view.phase() == Phase::kPlay) * 100);
    }
  }
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override {
    random_->act(batch, keys, actions);
  }
  [[nodiscard]] std::string name() const override { return "witness"; }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<Witness>();
  }

 private:
  std::unique_ptr<BatchPolicy> random_ = make_agent("random");
};

TEST(TournamentFigures,
     what_was_expected_is_of_before_the_first_card_also_where_kontra_comes_later) {
  for (const Track track : {Track::kFull, Track::kCardPlay}) {
    TournamentOptions options =
        options_for({{"random"}, {"x", "witness", std::make_shared<Witness>()}}, 60, track);
    options.rules = notation::rules_of({"kontra_window = \"before_second_card\""}, "research");
    int asked = 0;
    for (const GameRow& row : run_tournament(options).rows) {
      if (!std::isfinite(row.expected)) continue;
      ++asked;
      const bool is_card = row.expected >= 100.0F;
      EXPECT_TRUE(track == Track::kCardPlay ? is_card : row.expected == 0.0F) << row.block;
    }
    EXPECT_GT(asked, 20);
  }
}

// a deal is in a bin up to eight times, and its copies are won and lost together
TEST(TournamentFigures, calibration_does_not_take_copies_of_a_deal_for_independent_games) {
  const TournamentResult result =
      run_tournament(options_for({{"rules"}, {"x", "hopeful", std::make_shared<Hopeful>()}}, 200));
  double widest = 0.0;
  for (const CalibrationBin& bin : result.calibration[1]) {
    const auto n = static_cast<double>(bin.games);
    const double p = (bin.win_rate * n + 2.0) / (n + 4.0);
    const double alone = 1.96 * std::sqrt(p * (1.0 - p) / (n + 4.0));
    EXPECT_GE(bin.half_width, 0.999 * alone);
    widest = std::max(widest, bin.half_width / alone);
  }
  EXPECT_GT(widest, 1.5);
}

TEST(TournamentFigures, bins_of_won_games_only_have_an_interval) {
  int certain = 0;
  for (const int blocks : {2, 9, 18, 27, 49}) {
    TournamentOptions options =
        options_for({{"random"}, {"x", "hopeful", std::make_shared<Hopeful>()}}, blocks);
    const TournamentResult result = run_tournament(options);
    for (const CalibrationBin& bin : result.calibration[1]) {
      EXPECT_LE(bin.win_rate, 1.0);
      EXPECT_TRUE(std::isfinite(bin.half_width));
      EXPECT_GT(bin.half_width, 0.0);
      certain += bin.win_rate == 1.0 ? 1 : 0;
    }
  }
  EXPECT_GT(certain, 0);
}

// with 1.96, three deals held the true rate in 64 to 93 of 100 bins
TEST(TournamentFigures, bins_of_few_deals_are_as_wide_as_students_t_makes_them) {
  const TournamentResult result =
      run_tournament(options_for({{"rules"}, {"x", "hopeful", std::make_shared<Hopeful>()}}, 9));
  int bins = 0;
  for (const CalibrationBin& bin : result.calibration[1]) {
    const auto n = static_cast<double>(bin.games);
    const double p = (bin.win_rate * n + 2.0) / (n + 4.0);
    const double t = 2.3;  // nine deals at most, eight degrees of freedom
    EXPECT_GE(bin.half_width, std::min(t * std::sqrt(p * (1.0 - p) / (n + 4.0)), 1.0));
    EXPECT_LE(bin.half_width, 1.0);
    ++bins;
  }
  EXPECT_GT(bins, 0);
}

TEST(TournamentFigures, errors_with_open_cards_are_told_with_their_interval) {
  TournamentOptions options = options_for({{"rules"}, {"random"}}, 6);
  options.double_dummy = true;
  const std::string text = to_text(run_tournament(options), options);
  const std::size_t begin = text.find("errors with open cards, per game and player\n");
  ASSERT_NE(begin, std::string::npos) << text;
  EXPECT_THAT(text.substr(begin), testing::ContainsRegex("random .*declarer [0-9.]+ .- [0-9.]+"));
}

TEST(TournamentFigures, one_block_has_no_interval) {
  TournamentOptions options = options_for({{"rules"}, {"random"}}, 1);
  options.formats = {Format::kOneAgainstThree, Format::kTwoAgainstTwo};
  options.double_dummy = true;
  const TournamentResult result = run_tournament(options);
  EXPECT_TRUE(std::isinf(result.one_against_three[0][1].half_width));
  EXPECT_TRUE(std::isinf(result.ratings[0].half_width));
  const auto json = nlohmann::json::parse(to_json(result, options));
  for (const char* key : {"half_width", "low", "high"}) {
    EXPECT_TRUE(json["one_against_three"][0][1][key].is_null()) << key;
    EXPECT_TRUE(json["agents"][1]["rating"][key].is_null()) << key;
  }
  const std::string text = to_text(result, options);
  EXPECT_THAT(text, AllOf(HasSubstr("1 block, 14 games"), HasSubstr("no intervals"),
                          HasSubstr("of one (row) against three (column)"),
                          HasSubstr("of each of two (row) against two (column)"),
                          HasSubstr("errors with open cards")));
  EXPECT_THAT(text, Not(HasSubstr("+-")));
}

// ---- errors with open cards ---------------------------------------------------------------------

/// Solo on Eichel, two tricks left: 14 more points for seat 0, which has 51, if it draws the ace.
Game two_tricks(const CompiledRules& rules, int leader) {
  Contract solo;
  solo.contract = row_of(Family::kSolo).contract;
  solo.suit = Suit::kEichel;
  solo.declarer = 0;
  Position position = notation::endgame(solo, "EO E7|EA S9|S7 S8|G7 G8", leader, 1);
  position.captured[0] = parse_cards("GA SA HA GK SK HK GO HO H7 H8 H9 G9");
  position.captured[1] = position.captured[1] - position.captured[0];
  return Game::from_position(rules, position);
}

TEST(DoubleDummy, a_card_that_throws_the_game_away_is_an_error) {
  const auto rules = notation::rules_of({});
  const Game game = two_tricks(*rules, 0);
  EXPECT_EQ(points_to_win(game), 61);
  DoubleDummyJudge judge;
  EXPECT_FALSE(judge.is_error(game, *parse_card("EO")));  // 65 points
  EXPECT_TRUE(judge.is_error(game, *parse_card("E7")));   // 54 points
  const Game lost = two_tricks(*rules, 1);  // whatever the defender leads, the game is won
  EXPECT_FALSE(judge.is_error(lost, *parse_card("EA")));
  EXPECT_FALSE(judge.is_error(lost, *parse_card("S9")));
}

TEST(DoubleDummy, a_card_that_is_not_legal_is_refused) {
  const auto rules = notation::rules_of({});
  const Game game = two_tricks(*rules, 0);
  DoubleDummyJudge judge;
  for (const Card card : {*parse_card("EA"), Card{77}}) {
    EXPECT_EQ(test::error_of([&] { (void)judge.is_error(game, card); }),
              "card = " + std::to_string(int{card}) +
                  ", allowed: " + to_string(CardSet(legal_cards(game.play_state()))));
  }
}

TEST(DoubleDummy, random_cards_throw_away_more_than_the_rule_agents) {
  TournamentOptions options = options_for({{"rules"}, {"random"}}, test::scaled(2, 6, 60));
  options.double_dummy = true;
  const TournamentResult result = run_tournament(options);
  double errors[2] = {};
  for (std::size_t agent = 0; agent < 2; ++agent) {
    for (const Share& share : result.shares[agent]) {
      if (share.position >= 0) {
        EXPECT_GT(share.errors.blocks, 0);
        errors[agent] += share.errors.mean;
      }
    }
  }
  EXPECT_GT(errors[1], errors[0]);
}

}  // namespace
}  // namespace schafkopf
