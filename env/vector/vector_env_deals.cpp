// What happens around the caller's decisions: new deals, ends, forced and opponents' decisions.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

#include "env/vector/first_game.h"
#include "env/vector/paid_end.h"
#include "env/vector/vector_env_impl.h"
#include "env/view/encoder.h"

namespace schafkopf {

// Begin

/// Whether a generated contract opens this deal. The last draw of the stream: generators count from
/// 0.
bool VectorEnv::Impl::is_generated(std::uint64_t deal_seed) const {
  if (options.start == StartAt::kCardPlay) return true;
  return options.generated_share > 0.0 &&
         unit_interval(draw(deal_seed, RngStream::kGenerator, ~std::uint64_t{0})) <
             options.generated_share;
}

Game VectorEnv::Impl::make_game(int env, std::uint64_t deal_seed) const {
  const CompiledRules& rules = rules_of(env);
  const EnvRow& current = row(env);
  const std::uint64_t id = options.first_env + static_cast<std::uint64_t>(env);
  int dealer = static_cast<int>((id + current.episode) % static_cast<unsigned>(rules.seats()));
  DealContext context = rules.first_context();
  if (options.session) {
    dealer = dealer_seat(rules.rules(), sessions[static_cast<std::size_t>(env)].dealer);
    context = sessions[static_cast<std::size_t>(env)].context;
  }
  return make_game(env, plain_rows.seed[static_cast<std::size_t>(env)], current.episode, dealer,
                   context, deal_seed);
}

Game VectorEnv::Impl::make_game(int env, std::uint64_t seed, std::uint64_t episode, int dealer,
                                const DealContext& context, std::uint64_t deal_seed) const {
  const CompiledRules& rules = rules_of(env);
  const bool generated = options.contracts.empty() && is_generated(deal_seed);
  const ContractGenerator* const generator = generated ? options.generator.get() : nullptr;
  const RngKey key{seed, options.first_env + static_cast<std::uint64_t>(env), episode, 0, 0};
  if (options.deals.empty()) return first_game(rules, deal_seed, dealer, context, generator, key);
  const std::size_t number =
      (static_cast<std::size_t>(env) + episode * rows.size()) % options.deals.size();
  const Deal& deal = options.deals[number];
  if (options.contracts.empty()) return first_game(rules, deal, dealer, context, generator, key);
  return Game::with_contract(rules, deal, dealer, options.contracts[number],
                             without_special_round(context));
}

void VectorEnv::Impl::make_first_games() {
  first_of_rules.resize(rule_sets.size());
  if (options.session || !options.deals.empty() || options.start == StartAt::kCardPlay) return;
  first_games.reserve(kNumSeats * rule_sets.size());
  for (std::size_t number = 0; number < rule_sets.size(); ++number) {
    const CompiledRules& rules = *rule_sets[number];
    const DealContext& context = rules.first_context();
    const auto begun_by = [&](int dealer) {
      return Game(rules, deal_for(0, rules.rules(), dealer, context), dealer, context);
    };
    if (!begun_by(0).begins_for_all()) continue;
    first_of_rules[number] = first_games.data() + first_games.size();
    for (int dealer = 0; dealer < kNumSeats; ++dealer) first_games.push_back(begun_by(dealer));
  }
}

void VectorEnv::Impl::begin_deal(int env, bool new_session) {
  const auto i = static_cast<std::size_t>(env);
  EnvRow& current = rows[i];
  const std::uint64_t deal_seed = deal_seed_of(env);
  if (options.session && (new_session || is_over(rules_of(env), sessions[i]))) {
    sessions[i] = begin_session(rules_of(env), deal_seed);
  }
  if (const Game* const first = first_game_of(env, deal_seed)) {
    current.game.begin_anew(*first, random_deal(deal_seed));
  } else {
    // in its place: a copy would have to wait for the many small stores of a game that was just made
    ::new (static_cast<void*>(&current.game)) Game(make_game(env, deal_seed));
  }
  plain_rows.decision[i] = 0;
  plain_rows.forget(i, kNoteDecided | kNoteWaiting | kNotePlaced | kNoteRules);
  set_deal_seed(i, deal_seed);
}

void VectorEnv::Impl::next_deal(int env) {
  ++row(env).episode;
  begin_deal(env, false);
}

// End

void VectorEnv::Impl::show_no_end(int begin, int end) const {
  constexpr int kPiece = 64;  // rows whose buffers are cleared by plain stores, not by rep stos
  for (int row = begin; row < end; row += kPiece) {
    const auto first = static_cast<std::size_t>(row);
    const auto count = static_cast<std::size_t>(std::min(kPiece, end - row));
    std::ranges::fill(buffers.terminated.subspan(first, count), std::uint8_t{0});
    std::ranges::fill(buffers.rewards.subspan(4 * first, 4 * count), 0.0F);
    if (!buffers.stock_rewards.empty()) {
      std::ranges::fill(buffers.stock_rewards.subspan(4 * first, 4 * count), 0.0F);
    }
    if (options.session) {
      std::ranges::fill(buffers.session_end.subspan(first, count), std::uint8_t{0});
    }
  }
}

/// The buffers of the last end, all but the final observation.
void VectorEnv::Impl::show_end(int env) {
  const auto i = static_cast<std::size_t>(env);
  const LastEnd& end = ends[i];
  const auto copy = [i](const std::array<float, kNumSeats>& from, std::span<float> to) {
    std::memcpy(&to[kNumSeats * i], from.data(), sizeof from);
  };
  copy(end.payoffs, buffers.episode_return);
  buffers.episode_seed[i] = end.deal_seed;
  if (options.learner_seat.is_some()) buffers.episode_learner_seat[i] = end.learner;
  if (options.session) buffers.session_end[i] = static_cast<std::uint8_t>(end.session_end);
  if (!end.terminated) return;
  buffers.terminated[i] = 1;
  copy(end.payoffs, buffers.rewards);
  if (!buffers.stock_rewards.empty()) copy(end.stock, buffers.stock_rewards);
}

void VectorEnv::Impl::report_end(EnvSlice& slice, int env) {
  const auto i = static_cast<std::size_t>(env);
  const Game& game = rows[i].game;
  LastEnd& end = ends[i];
  const bool last = options.session && is_over(rules_of(env), sessions[i]);
  const PaidEnd paid = paid_end(game, last ? &sessions[i] : nullptr);
  end.payoffs = paid.payoffs;
  // a game that was set may have a Stock that the rules lack: it is shown nowhere, and kept nowhere
  end.stock = {};
  if (!buffers.stock_rewards.empty()) end.stock = paid.stock;
  end.deal_seed = deal_seed_of(env);
  const int learner = learner_seat(env, rows[i]);
  end.learner = static_cast<std::int8_t>(learner);
  end.terminated = true;
  note_end(slice, env);
  show_end(env);
  if (learner < 0 || options.observation == ObservationType::kNone) return;
  PlayerView view;
  write_view(game, learner, view.cards, view.order, view.events);
  const ViewLines lines{&view.cards, &view.order, &view.events};
  const auto write_final = [&]<class T>(std::span<T> observations) {
    T* row = observations.data() + i * features;
    write_rows(std::span(&lines, 1), &row);
    write_rule_section(env, row);
  };
  if (options.observation == ObservationType::kFloat32) {
    write_final(buffers.final_observation_f32);
  } else {
    write_final(buffers.final_observation);
  }
}

/// The deal of a row is over: count and report it. False: the caller decided nothing in it, so that
/// nobody is told.
bool VectorEnv::Impl::close_deal(EnvSlice& slice, int env) {
  const auto i = static_cast<std::size_t>(env);
  const EnvRow& current = rows[i];
  ++slice.deals;
  if (options.session) {
    finish_deal(sessions[i], current.game);
    if (is_over(rules_of(env), sessions[i])) {
      ends[i].session_end = true;
      note_end(slice, env);
      buffers.session_end[i] = 1;
    }
  }
  if (!plain_rows.has(i, kNoteDecided)) {  // nothing for the caller to learn from: deal again
    ++slice.skipped_deals;
    const auto payoffs = current.game.payoffs();
    for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
      slice.skipped[rule_number(env)][seat] += payoffs[seat];
    }
    return false;
  }
  report_end(slice, env);
  return true;
}

bool VectorEnv::Impl::end_deal(EnvSlice& slice, int env) {
  const auto i = static_cast<std::size_t>(env);
  if (!close_deal(slice, env) || options.auto_reset == AutoReset::kSameStep) {
    next_deal(env);
    return false;
  }
  plain_rows.note(i, kNoteWaiting);
  return true;
}

// Decisions that are not the caller's

namespace {

/// @param deals  that were looked at: "10000 deals in a row"
[[noreturn]] void refuse_empty(int env, const std::string& deals) {
  throw std::invalid_argument(fmt::format(
      "env {}: {} left the caller no decision; with skip_forced, bidding_only or fixed contracts "
      "some deals must have one",
      env, deals));
}

}  // namespace

bool VectorEnv::Impl::advance(EnvSlice& slice, int env) {
  constexpr int kMaxEmptyDeals = 10000;
  const EnvRow& current = row(env);
  for (int empty = 0; empty < kMaxEmptyDeals;) {
    if (current.game.is_terminal()) {
      if (end_deal(slice, env)) return true;
      ++empty;
      continue;
    }
    const bool callers = is_callers(env, current);
    if (callers && !options.skip_forced) return true;
    const ActionMask mask = shown(current.game.legal_actions());
    if (mask.count() != 1) return callers;
    apply(slice, env, mask.lowest());
  }
  refuse_empty(env, fmt::format("{} deals in a row", kMaxEmptyDeals));
}

/// Rows of the same opponent stand together.
void VectorEnv::Impl::group_pending(EnvSlice& slice) const {
  slice.group_ends.fill(slice.pending.size());
  if (slice.opponents.size() < 2) return;
  slice.grouped.clear();
  for (std::size_t number = 0; number < slice.opponents.size(); ++number) {
    for (const std::int32_t env : slice.pending) {
      if (opponent_number(env) == number) slice.grouped.push_back(env);
    }
    slice.group_ends[number] = slice.grouped.size();
  }
  slice.pending.swap(slice.grouped);
}

void VectorEnv::Impl::ask_group(EnvSlice& slice, std::size_t opponent, const ViewBatch& batch,
                                std::size_t begin, std::size_t end) {
  BatchPolicy& player = *slice.opponents[opponent];
  ViewBatch part = batch.slice(begin, end - begin);
  if (!player.sees_hidden_hands()) part.full = nullptr;
  player.act(part, std::span(slice.keys).subspan(begin, part.size),
             std::span(slice.actions).subspan(begin, part.size));
  for (std::size_t k = begin; k < end; ++k) {
    const ActionMask mask = legal_actions(batch.cards[k]);
    if (mask.contains(slice.actions[k])) continue;
    throw std::invalid_argument(
        fmt::format("opponent {}: env {}, seat {}: action {} ({}) is not legal; legal: {}",
                    player.name(), slice.pending[k], slice.keys[k].seat, slice.actions[k],
                    action_name(slice.actions[k]), to_string(mask)));
  }
}

void VectorEnv::Impl::ask_opponents(EnvSlice& slice) {
  group_pending(slice);
  const std::span<CardsLine> cards = slice.cards;
  const std::span<OrderLine> order = slice.order;
  const std::span<EventsLine> events = slice.events;
  const std::span<FullView> full = slice.full;
  for (std::size_t k = 0; k < slice.pending.size(); ++k) {
    const int env = slice.pending[k];
    const Game& game = row(env).game;
    write_view(game, game.current_player(), cards[k], order[k], events[k]);
    if (!full.empty()) full[k] = game.full_view(game.current_player());
    slice.rule_index[k] = static_cast<std::uint16_t>(rule_number(env));
    slice.keys[k] = key_of(env);
  }
  const ViewBatch batch{slice.pending.size(),
                        cards.data(),
                        order.data(),
                        events.data(),
                        slice.rule_index.data(),
                        &rule_table,
                        full.empty() ? nullptr : full.data()};
  std::size_t begin = 0;
  for (std::size_t number = 0; number < slice.opponents.size(); ++number) {
    const std::size_t end = slice.group_ends[number];
    if (begin < end) ask_group(slice, number, batch, begin, end);
    begin = end;
  }
}

void VectorEnv::Impl::play_opponents(EnvSlice& slice) {
  // advance() counts anew after each answer of an opponent
  constexpr std::int64_t kMostEmpty = 10'000, kMostEmptyPerRow = 1000;
  const std::size_t asked = slice.pending.size();
  const std::int64_t most = kMostEmpty + kMostEmptyPerRow * static_cast<std::int64_t>(asked);
  const std::int64_t before = slice.skipped_deals;
  while (!slice.pending.empty()) {
    if (slice.skipped_deals - before > most) {
      refuse_empty(slice.pending.front(), fmt::format("{} deals of {} envs", most, asked));
    }
    ask_opponents(slice);
    std::size_t left = 0;
    for (std::size_t k = 0; k < slice.pending.size(); ++k) {
      const int env = slice.pending[k];
      apply(slice, env, slice.actions[k]);
      if (advance(slice, env)) {
        show(slice, env);
      } else {
        slice.pending[left++] = env;
      }
    }
    write_ready(slice);
    slice.pending.resize(left);
  }
}

}  // namespace schafkopf
