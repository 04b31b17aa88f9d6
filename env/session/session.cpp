#include "env/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "env/base/assert.h"
#include "env/base/random.h"
#include "env/rules/paid_round.h"
#include "env/rules/special_round.h"

namespace schafkopf {
namespace {

constexpr Card kOldOne = make_card(Suit::kEichel, Rank::kOber);

int first_dealer(const RuleSet& rules, std::uint64_t seed) {
  const std::uint64_t drawn = draw(seed, RngStream::kDealer, 0);
  switch (rules.first_dealer) {
    case FirstDealer::kSeat0:
      return 0;
    case FirstDealer::kRandom:
      return below(drawn, rules.players);
    case FirstDealer::kHighCard: {
      const CardOrder deck = shuffled_deck(drawn, rules);
      return first_dealer_by_high_card(
          std::span(deck).first(static_cast<std::size_t>(rules.players)), rules);
    }
  }
  return 0;
}

std::uint8_t clamped(int games) {
  return static_cast<std::uint8_t>(std::min(games, int{std::numeric_limits<std::uint8_t>::max()}));
}

/// What the next deal inherits: the running round, and the mode of the last round (H.4).
DealContext next_context(const RuleSet& rules, const SessionState& state) {
  DealContext context;
  context.stock = state.context.stock;
  context.special_round = state.rounds.mode;
  context.games_left = clamped(state.rounds.remaining());
  context.bock = static_cast<std::uint8_t>(state.rounds.num_bocks());
  const auto places = places_of(rules, state.dealer);
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    if (places[seat] < 0) continue;
    context.owed[seat] = state.rounds.owed[static_cast<std::size_t>(places[seat])];
  }
  leave_paid_round(context);  // at a table of five the only debtor may sit out
  if (rules.last_round_mode == LastRoundMode::kNormal || !in_last_round(rules, state)) {
    return context;
  }
  if (rules.last_round_mode == LastRoundMode::kDouble) {
    ++context.bock;
  } else {
    context.special_round = static_cast<std::uint8_t>(SpecialRound::kSoliOnly);
    context.games_left = clamped(session_length(rules) - state.num_counted);
    std::ranges::fill(context.owed, std::uint8_t{0});
  }
  return context;
}

void pay_places(SessionState& state, const std::array<std::int32_t, kMaxPlaces>& amounts) {
  for (std::size_t place = 0; place < kMaxPlaces; ++place) state.totals[place] += amounts[place];
}

void split_stock(SessionState& state, const RuleSet& rules) {
  pay_places(state, stock_shares(rules, state.context.stock));
  state.context.stock = 0;
}

/// The dealer role moves on, the session may end, the last round may begin.
void end_deal(SessionState& state, const RuleSet& rules, bool counted) {
  ++state.num_deals;
  state.misdeals = 0;
  state.dealer = (state.dealer + 1) % rules.players;
  if (counted) {
    ++state.num_counted;
    // "Der Alte gibt die letzte Runde"; without a Rufspiel so far the rotation goes on (OPEN-72)
    const bool begins = state.num_counted == session_length(rules) - rules.players;
    if (begins && rules.last_round_dealer_old_one && state.old_one >= 0) {
      state.dealer = state.old_one;
    }
  }
  if (counted && is_over(rules, state)) {
    split_stock(state, rules);
    pay_places(state, participation_bonus(rules, state));
  }
  state.context = next_context(rules, state);
}

}  // namespace

// What cannot be shared goes to the first places, one each.
std::array<std::int32_t, kMaxPlaces> stock_shares(const RuleSet& rules, std::int32_t stock) {
  std::array<std::int32_t, kMaxPlaces> shares{};
  for (int place = 0; place < rules.players; ++place) {
    shares[static_cast<std::size_t>(place)] =
        stock / rules.players + static_cast<int>(place < stock % rules.players);
  }
  return shares;
}

std::array<std::int8_t, kNumSeats> places_of(const RuleSet& rules, int dealer) {
  std::array<std::int8_t, kNumSeats> places{};
  for (int seat = 0; seat < kNumSeats; ++seat) {
    const int place = rules.players == kMaxPlaces ? (dealer + 1 + seat) % kMaxPlaces : seat;
    places[static_cast<std::size_t>(seat)] =
        static_cast<std::int8_t>(seat < seats_of(rules) ? place : -1);
  }
  return places;
}

int dealer_seat(const RuleSet& rules, int dealer) {
  return rules.players == kMaxPlaces ? kNumSeats - 1 : dealer;
}

SessionState begin_session(const RuleSet& rules, std::uint64_t first_deal_seed) {
  SessionState state;
  state.dealer = first_dealer(rules, first_deal_seed);
  if (rules.special_round != SpecialRound::kNone) {
    start_round(state.rounds, rules, rules.special_round,
                special_round_length(rules, rules.special_round));
  }
  state.context = next_context(rules, state);
  return state;
}

SessionState resume_session(const RuleSet& rules, int dealer, const DealContext& context,
                            std::span<const WaitingRound> queued, int round_position) {
  const auto require = [](const char* what, std::int64_t value, std::int64_t most) {
    if (value < 0 || value > most) {
      throw std::invalid_argument(
          fmt::format("session: {} = {}, allowed: 0..{}", what, value, most));
    }
  };
  require("dealer", dealer, rules.players - 1);
  require("round_position", round_position, rules.players - 1);
  require("special_round", context.special_round, kNumValues<SpecialRound> - 1);
  require("stock", context.stock, kMaxStock);
  require("bock", context.bock, kMaxBock);
  SessionState state;
  state.dealer = dealer;
  state.num_deals = state.num_counted = round_position;
  state.context = context;
  const bool running = context.mode() != SpecialRound::kNone;
  const int games = context.games_left > 0 ? context.games_left : 1;
  if (running || context.bock > 0) {
    start_round(state.rounds, rules, running ? context.mode() : SpecialRound::kBock, games);
  }
  if (special_round_row(state.rounds.running()).doubled) {
    // what a last round doubles comes on top of the running Bocks, and is no Bock of its own
    std::fill_n(state.rounds.bock_left.begin(), std::min<int>(context.bock, kMaxBocks), games);
  }
  const auto places = places_of(rules, dealer);
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    if (places[seat] >= 0) {
      state.rounds.owed[static_cast<std::size_t>(places[seat])] = context.owed[seat];
    }
  }
  for (const WaitingRound& round : queued) {
    if (!can_run(rules, round.mode)) {
      throw std::invalid_argument(
          fmt::format("session: queued = {}, allowed: special rounds that the rules can run",
                      name_of(static_cast<SpecialRound>(round.mode))));
    }
    start_round(state.rounds, rules, static_cast<SpecialRound>(round.mode), round.games);
  }
  return state;
}

namespace {

std::string why_counts_impossible(const RuleSet& rules, const SessionState& state) {
  const auto inside = [](std::int64_t value, std::int64_t least, std::int64_t most) {
    return value >= least && value <= most;
  };
  if (!inside(state.dealer, 0, rules.players - 1)) return "the dealer";
  if (!inside(state.old_one, -1, rules.players - 1)) return "the holder of the Eichel-Ober";
  const std::int64_t games = std::int64_t{state.num_deals} - state.num_thrown_in;
  const std::int64_t counted = rules.thrown_in_counts ? state.num_deals : games;
  if (state.num_thrown_in < 0 || games < 0 || state.num_counted != counted ||
      state.num_counted > std::max(session_length(rules), 1)) {
    return "numbers of deals";
  }
  if (state.num_redeals < 0 || !inside(state.misdeals, 0, state.num_redeals)) return "misdeals";
  std::int64_t played = 0;
  for (std::size_t place = 0; place < kMaxPlaces; ++place) {
    const bool used = static_cast<int>(place) < rules.players;
    if (!inside(state.num_played[place], 0, used ? games : 0)) return "games of a place";
    played += state.num_played[place];
  }
  // a deal that ended with the penalty for a misdeal was played by nobody
  const int seats = seats_of(rules);
  const std::int64_t missing = (std::int64_t{games} * seats) - played;
  const int most = rules.misdeal_policy == MisdealPolicy::kRedeal ? 0 : state.num_redeals;
  return missing % seats == 0 && inside(missing / seats, 0, most) ? "" : "games of the places";
}

std::string why_accounts_impossible(const RuleSet& rules, const SessionState& state) {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  const DealContext& context = state.context;
  if (context.stock < 0 || context.stock > kMaxStock) return "the Stock";
  if (state.kitty < 0 || state.kitty > kMost) return "the kitty";
  std::int64_t sum = context.stock + state.kitty;
  for (std::size_t place = 0; place < kMaxPlaces; ++place) {
    const bool used = static_cast<int>(place) < rules.players;
    const std::int64_t most = used ? kMost : 0;
    if (state.totals[place] < -most || state.totals[place] > most) return "an account";
    sum += state.totals[place];
  }
  if (is_over(rules, state) && state.num_counted > 0) {
    for (const std::int32_t bonus : participation_bonus(rules, state)) sum -= bonus;
  }
  return sum == 0 ? "" : "accounts that do not add up";
}

}  // namespace

std::string why_impossible(const RuleSet& rules, const SessionState& state) {
  for (const std::string& why :
       {why_counts_impossible(rules, state), why_accounts_impossible(rules, state),
        why_impossible(state.rounds, rules)}) {
    if (!why.empty()) return why;
  }
  return state.context == next_context(rules, state) ? "" : "what the next deal inherits";
}

int session_length(const RuleSet& rules) {
  return rules.session_tables * rules.session_rounds * rules.players;
}

bool is_over(const RuleSet& rules, const SessionState& state) {
  return state.num_counted >= session_length(rules);
}

bool in_last_round(const RuleSet& rules, const SessionState& state) {
  return state.num_counted >= session_length(rules) - rules.players;
}

int round_position(const RuleSet& rules, const SessionState& state) {
  return state.num_counted % rules.players;
}

std::array<std::int32_t, kMaxPlaces> participation_bonus(const RuleSet& rules,
                                                         const SessionState& state) {
  std::array<std::int32_t, kMaxPlaces> bonus{};
  for (int place = 0; place < rules.players; ++place) {
    const auto i = static_cast<std::size_t>(place);
    if (state.num_played[i] >= rules.participation_min_games) {
      bonus[i] = rules.participation_bonus * rules.tariff.scale;
    }
  }
  return bonus;
}

void enter_deal(SessionState& state, const RuleSet& rules, const Outcome& outcome,
                const Settlement& settlement, int old_one) {
  const auto places = places_of(rules, state.dealer);
  const auto place_of = [&places](int seat) {
    return seat < 0 ? -1 : int{places[static_cast<std::size_t>(seat)]};
  };
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    if (places[seat] < 0) continue;
    const auto place = static_cast<std::size_t>(places[seat]);
    state.totals[place] += settlement.payoffs[seat] + settlement.stock_payoffs[seat];
    state.context.stock -= settlement.stock_payoffs[seat];
    state.num_played[place] += static_cast<int>(!outcome.thrown_in);
  }
  const int declarer = outcome.thrown_in ? -1 : place_of(outcome.contract.declarer);
  if (settlement.reuegeld != 0) {
    state.totals[static_cast<std::size_t>(declarer)] -= settlement.reuegeld;
    state.kitty += settlement.reuegeld;
  }
  const Family family = contract_row(outcome.contract.contract).family;
  if (!outcome.thrown_in && family == Family::kRuf && old_one >= 0) {
    state.old_one = place_of(old_one);
  }
  advance_rounds(state.rounds, rules, outcome, settlement, declarer);
  state.num_thrown_in += static_cast<int>(outcome.thrown_in);
  end_deal(state, rules, !outcome.thrown_in || rules.thrown_in_counts);
}

void finish_deal(SessionState& state, const Game& game, const RuleSet& rules) {
  SCHAFKOPF_ASSERT(game.is_terminal());
  const Outcome outcome = game.outcome();
  int old_one = -1;
  for (int seat = 0; seat < game.seats(); ++seat) {
    if (game.start_hand(seat).contains(kOldOne)) old_one = seat;  // after all exchanges
  }
  enter_deal(state, rules, outcome, settle(outcome, rules, game.context()), old_one);
}

std::array<std::int32_t, kMaxPlaces> enter_misdeal(SessionState& state, const RuleSet& rules) {
  ++state.misdeals;
  if (rules.misdeal_policy == MisdealPolicy::kRedeal || state.misdeals < 2) {
    ++state.num_redeals;
    return {};
  }
  const auto payoffs = misdeal_penalty(rules, state.dealer);
  pay_places(state, payoffs);
  end_deal(state, rules, true);
  return payoffs;
}

void start_special_round(SessionState& state, const RuleSet& rules, SpecialRound mode) {
  if (mode == SpecialRound::kNone) {
    mode = rules.special_round_triggers[static_cast<std::size_t>(RoundEvent::kManual)];
  }
  RuleSet playing = rules;
  playing.special_round = mode;
  if (mode == SpecialRound::kNone || checked(playing).special_round != mode) {
    throw std::invalid_argument(fmt::format(
        "special round {}: these rules have none of that kind (C.20, R-084)", name_of(mode)));
  }
  start_round(state.rounds, rules, mode, special_round_length(rules, mode));
  state.context = next_context(rules, state);
}

Session::Session(std::shared_ptr<const CompiledRules> rules, std::uint64_t seed)
    : rules_(std::move(rules)), seed_(seed) {
  if (rules_ == nullptr) throw std::invalid_argument("session: rules are missing");
  state_ = begin_session(rules_->rules(), episode_seed(seed_, 0, 0));
}

Session::Session(std::shared_ptr<const CompiledRules> rules, std::uint64_t seed,
                 const SessionState& state)
    : Session(std::move(rules), seed) {
  if (const std::string wrong = why_impossible(rules_->rules(), state); !wrong.empty()) {
    throw std::invalid_argument(fmt::format(
        "session: no session of these rules can stand here: {}; allowed: the state of one, "
        "or of begin_session",
        wrong));
  }
  state_ = state;
}

void Session::require_running(const char* what) const {
  if (!is_over()) return;
  throw std::invalid_argument(
      fmt::format("the session is over: {} deals were played; {}", state_.num_deals, what));
}

Game Session::next_game() const {
  require_running("there is no next one");
  const auto number = static_cast<std::uint64_t>(state_.num_deals + state_.num_redeals);
  const int dealer = dealer_seat(rules_->rules(), state_.dealer);
  const Deal deal =
      deal_for(episode_seed(seed_, 0, number), rules_->rules(), dealer, state_.context);
  return Game(*rules_, deal, dealer, state_.context);
}

void Session::finish(const Game& game) {
  require_running("no deal is left to finish");
  if (!game.is_terminal()) {
    throw std::invalid_argument(fmt::format("deal {} of the session is not over: seat {} is to act",
                                            state_.num_deals, game.current_player()));
  }
  if (!game.begins_as(next_game())) {
    throw std::invalid_argument(
        fmt::format("this is not deal {} of the session: rules, dealer ({}), context, cards and "
                    "how its contract came, allowed: those of next_game()",
                    state_.num_deals, state_.dealer));
  }
  finish_deal(state_, game);
}

std::array<std::int32_t, kMaxPlaces> Session::misdeal() {
  require_running("nobody can misdeal");
  return enter_misdeal(state_, rules_->rules());
}

void Session::start_special_round(SpecialRound mode) {
  require_running("no round can start");
  schafkopf::start_special_round(state_, rules_->rules(), mode);
}

}  // namespace schafkopf
