// What tests/bench/page.py times of the engine, in a process that answers one question at a time
// (served.py). It compiles against this tree and against a commit before it, of which it uses only
// what both have; a form of rows that the other has not is answered by an error.
//
//   about                                   kernel, contract classes and rule sets of the mix
//   bytes FORM                              that a step writes per row
//   rate RULES FORM ENVS THREADS SECONDS    decisions, CPU seconds, wall seconds
//   phases FORM ENVS STEPS                  per step: ns, then rows in the auction, before card
//                                           play, in it, and at the end of a deal
//   fill HOW BYTES SECONDS                  bytes, CPU seconds, wall seconds
//   expand TYPE BYTES SECONDS               the same of rows that are written from view lines
// RULES: research, cards (the same from card play on, contracts given), mix. FORM: none, mask, views, uint8, float32, packed, version4. HOW: fill, stream
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "env/base/random.h"
#include "env/game/game.h"
#include "env/rules/compiled_rules.h"
#include "env/vector/vector_env.h"
#include "env/view/encoder.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace schafkopf {
namespace {

constexpr int kDealsPerClass = 64;
constexpr int kWarmUp = 60;  // steps until rows are in all phases

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The mix: deals of which every class of contract is played, half of them after an auction

/// The seven presets of RULES J.2.
std::vector<std::shared_ptr<const CompiledRules>> seven_presets() {
  std::vector<std::shared_ptr<const CompiledRules>> rules;
  for (const std::string_view name : preset_names()) {
    if (name != "research") rules.push_back(CompiledRules::load(std::string(name)));
  }
  return rules;
}

bool is_possible(const std::vector<std::shared_ptr<const CompiledRules>>& rules, const Deal& deal,
                 const Contract& contract) {
  try {
    for (const auto& one : rules) (void)Game::with_contract(*one, deal, 0, contract);
  } catch (const std::invalid_argument&) {
    return false;
  }
  return true;
}

/// A contract of this class that a deal allows: seats and cards from where chance says.
Contract possible(const std::vector<std::shared_ptr<const CompiledRules>>& rules, const Deal& deal,
                  ContractClass wanted, Rng& rng) {
  const ContractRow& row = contract_row(wanted);
  const int suits = row.trump_suit == TrumpSuit::kAnnounced ? kNumSuits : 1;
  const bool calls = row.parties == Parties::kCalledCard;
  const int first = rng.next_below(kNumSeats);
  const int suit = rng.next_below(suits);
  for (int number = -1; number < kNumSeats; ++number) {
    for (int called = 0; called < (calls ? kNumCards : 1); ++called) {
      Contract contract;
      contract.contract = wanted;
      contract.declarer = static_cast<std::int8_t>(number < 0 ? -1 : (first + number) % kNumSeats);
      if (suits > 1) contract.suit = static_cast<Suit>(suit);
      if (calls) contract.called = static_cast<Card>(called);
      if (is_possible(rules, deal, contract)) return contract;
    }
  }
  throw std::logic_error("no seat can play " + std::string(row.name));
}

/// Contracts that were found for deals, known again by two of the hands.
class KnownContracts final : public ContractGenerator {
 public:
  void add(const Deal& deal, const Contract& contract) { contracts_[key_of(deal)] = contract; }
  [[nodiscard]] Contract generate(const CompiledRules& rules, const Deal& deal, int,
                                  const RngKey&) const override {
    Contract contract = contracts_.at(key_of(deal));
    const bool no_sie =
        contract.contract == ContractClass::kSie && rules.fixed_hand() != deal.hand(0);
    if (no_sie) contract.contract = ContractClass::kSolo;  // not every preset has a Sie
    return contract;
  }
  [[nodiscard]] std::string name() const override { return "known"; }

 private:
  static std::uint64_t key_of(const Deal& deal) {
    return std::uint64_t{deal.hand(0).bits()} << 32 | deal.hand(1).bits();
  }
  std::unordered_map<std::uint64_t, Contract> contracts_;
};

/// Games of research rules that begin with the cards: a Rufspiel where forehand can call, else its
/// Solo or Wenz, in turn.
class PlainContracts final : public ContractGenerator {
 public:
  [[nodiscard]] Contract generate(const CompiledRules& rules, const Deal& deal, int dealer,
                                  const RngKey& key) const override {
    const int forehand = (dealer + 1) % kNumSeats;
    const CardSet callable = callable_cards(deal.hand(forehand), rules.rules());
    Contract contract{.contract = ContractClass::kRuf,
                      .declarer = static_cast<std::int8_t>(forehand)};
    if (!callable.empty() && key.episode % 4 != 3) {
      contract.called = callable.lowest();
      return contract;
    }
    contract.contract = key.episode % 2 == 0 ? ContractClass::kSolo : ContractClass::kWenz;
    contract.suit = static_cast<Suit>(key.episode / 4 % kNumSuits);
    return contract;
  }
  [[nodiscard]] std::string name() const override { return "plain"; }
};

/// The deal with two hands exchanged so that seat 0 has these cards.
Deal with_hand(const Deal& deal, CardSet wanted) {
  Deal made = deal;
  std::array<CardSet, kNumSeats> hands{};
  CardSet rest;
  for (int seat = 0; seat < kNumSeats; ++seat) rest = rest | deal.hand(seat);
  rest = rest - wanted;
  hands[0] = wanted;
  for (std::size_t seat = 1; seat < kNumSeats; ++seat) {
    for (int card = 0; card < wanted.count(); ++card) hands[seat].add(rest.pop_lowest());
  }
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    made.first[seat] = made.second[seat] = CardSet();
    const int half = hands[seat].count() / 2;
    for (int card = 0; card < half; ++card) made.first[seat].add(hands[seat].pop_lowest());
    made.second[seat] = hands[seat];
  }
  return made;
}

/// Deals in turn of every class, and what is played on them where no auction says it. A Hochzeit
/// needs a partner who accepts, so it comes by auction alone: its deals have a hand of one trump.
void choose_mix(VectorEnvOptions& options) {
  options.rules = seven_presets();
  for (int env = 0; env < options.num_envs; ++env) {
    options.rule_index.push_back(
        static_cast<std::uint16_t>(static_cast<std::size_t>(env) % options.rules.size()));
  }
  const auto known = std::make_shared<KnownContracts>();
  const CompiledRules& first = *options.rules.front();
  const CardSet trumps(first.play(ContractClass::kRuf, Suit::kHerz).trumps);
  Rng rng(1);
  while (options.deals.size() < std::size_t{kNumContractClasses} * kDealsPerClass) {
    const auto wanted = static_cast<ContractClass>(options.deals.size() % kNumContractClasses);
    Deal deal = random_deal(rng.next());
    if (wanted == ContractClass::kSie) deal = with_hand(deal, first.fixed_hand());
    bool one_trump = false;
    for (int seat = 0; seat < kNumSeats; ++seat) {
      one_trump = one_trump || (deal.hand(seat) & trumps).count() == 1;
    }
    const bool hochzeit = wanted == ContractClass::kHochzeit;
    if (hochzeit && !one_trump) continue;
    Contract contract{.contract = wanted, .declarer = 0};
    if (wanted != ContractClass::kSie) {
      contract = possible(options.rules, deal, hochzeit ? ContractClass::kSolo : wanted, rng);
    }
    known->add(deal, contract);
    options.deals.push_back(deal);
  }
  options.generator = known;
  options.generated_share = 0.5;
}

// Batches

template <class Types>
ObservationType packed_type() {
  if constexpr (requires { Types::kPacked; }) {
    return Types::kPacked;
  } else {
    throw std::invalid_argument("this commit has no packed rows");
  }
}

template <class Env>
std::string kernel_of(const Env& env) {
  if constexpr (requires { env.kernel(); }) {
    return std::string(env.kernel());
  } else {
    return "-";
  }
}

VectorEnvOptions options_of(const std::string& rules, const std::string& form, int envs,
                            int threads) {
  VectorEnvOptions options;
  options.num_envs = envs;
  options.num_threads = threads;
  options.seed = 1;
  options.auto_reset = AutoReset::kSameStep;
  if (rules == "mix") {
    choose_mix(options);
  } else if (rules == "cards") {
    options.rules = {CompiledRules::load("research")};
    options.start = StartAt::kCardPlay;
    options.generator = std::make_shared<PlainContracts>();
  } else {
    options.rules = {CompiledRules::load(rules)};
  }
  if (form == "mask") options.action_mask = true;
  if (form == "views") options.view_lines = true;
  if (form == "uint8") options.observation = ObservationType::kUint8;
  if (form == "float32" || form == "version4") options.observation = ObservationType::kFloat32;
  if (form == "version4") options.observation_version = ObservationVersion::kV4;
  if (form == "packed") options.observation = packed_type<ObservationType>();
  const std::set<std::string> forms = {"none",    "mask",   "views",   "uint8",
                                       "float32", "packed", "version4"};
  if (!forms.contains(form)) throw std::invalid_argument("form " + form);
  return options;
}

/// One batch is kept: a question is often followed by the same one, and large rows take memory.
VectorEnv& batch(const std::string& rules, const std::string& form, int envs, int threads) {
  static std::string kept;
  static std::unique_ptr<VectorEnv> env;
  const std::string key =
      rules + " " + form + " " + std::to_string(envs) + " " + std::to_string(threads);
  if (key != kept) {
    kept.clear();
    env.reset();
    env = std::make_unique<VectorEnv>(options_of(rules, form, envs, threads));
    for (int i = 0; i < kWarmUp; ++i) env->step_random();
    kept = key;
  }
  return *env;
}

// Answers

/// Classes and rule sets that the mix plays; a Sie is paid at once, so ends are looked at too.
std::string about() {
  VectorEnvOptions options = options_of("mix", "none", 4096, 1);
  options.auto_reset = AutoReset::kNextStep;
  VectorEnv env(options);
  std::set<ContractClass> classes;
  std::set<std::uint16_t> rules;
  for (int step = 0; step < 400; ++step) {
    env.step_random();
    for (int i = 0; i < env.num_envs(); ++i) {
      const Phase phase = env.game(i).phase();
      if (phase != Phase::kPlay && phase != Phase::kDone) continue;
      classes.insert(env.game(i).contract().contract);
      rules.insert(env.buffers().rule_index[static_cast<std::size_t>(i)]);
    }
  }
  return kernel_of(env) + " " + std::to_string(classes.size()) + " " + std::to_string(rules.size());
}

/// What every step writes anew for a row.
std::string bytes(const std::string& form) {
  VectorEnv& env = batch("research", form, 64, 1);
  const EnvBuffers& b = env.buffers();
  const std::size_t all = b.cards.size_bytes() + b.order.size_bytes() + b.events.size_bytes() +
                          b.legal.size_bytes() + b.action_mask.size_bytes() +
                          b.observation_u8.size_bytes() + b.observation_f32.size_bytes() +
                          b.current_player.size_bytes() + b.phase.size_bytes() +
                          b.rewards.size_bytes() + b.terminated.size_bytes();
  return std::to_string(all / static_cast<std::size_t>(env.num_envs()));
}

/// Work until the seconds of CPU time are over; what `work` returns, and both clocks.
template <class Work>
std::string timed(double seconds, const Work& work) {
  std::int64_t done = 0;
  const double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID), wall = seconds_of(CLOCK_MONOTONIC);
  double spent = 0;
  while (spent < seconds) {
    done += work();
    spent = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  }
  std::ostringstream out;
  out.precision(9);
  out << done << " " << spent << " " << seconds_of(CLOCK_MONOTONIC) - wall;
  return out.str();
}

std::string rate(const std::string& rules, const std::string& form, int envs, int threads,
                 double seconds) {
  VectorEnv& env = batch(rules, form, envs, threads);
  const int steps = std::max(1, 16384 / envs);
  return timed(seconds, [&] {
    const std::int64_t before = env.num_decisions();
    for (int i = 0; i < steps; ++i) env.step_random();
    return env.num_decisions() - before;
  });
}

/// Where a row is before a step: 0 auction, 1 what comes between it and card play, 2 card play.
int kind_of(std::int8_t phase) {
  switch (static_cast<Phase>(phase)) {
    case Phase::kAuctionRound:
    case Phase::kAuctionResolve:
    case Phase::kAuctionDirect:
    case Phase::kSteigern:
      return 0;
    case Phase::kPlay:
      return 2;
    default:
      return 1;
  }
}

/// The same steps of the same games in every call: all begin with their deal, so that the numbers
/// of rows in a phase differ much from step to step.
std::string phases(const std::string& form, int envs, int steps) {
  VectorEnv& env = batch("research", form, envs, 1);
  env.reset(1);
  std::ostringstream out;
  for (int step = 0; step < steps; ++step) {
    std::array<int, 4> rows{};
    std::vector<std::int8_t> kinds;
    for (const std::int8_t phase : env.buffers().phase) {
      kinds.push_back(static_cast<std::int8_t>(kind_of(phase)));
    }
    const double start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    env.step_random();
    const double spent = seconds_of(CLOCK_THREAD_CPUTIME_ID) - start;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      ++rows[env.buffers().terminated[i] != 0 ? 3 : static_cast<std::size_t>(kinds[i])];
    }
    out << static_cast<std::int64_t>(1e9 * spent) << " " << rows[0] << " " << rows[1] << " "
        << rows[2] << " " << rows[3] << " ";
  }
  return out.str();
}

void stream([[maybe_unused]] std::vector<std::uint8_t>& memory, [[maybe_unused]] int value) {
#ifdef __SSE2__
  // the widest that the build has: a line at once is much faster than in pieces
  constexpr std::uintptr_t kLine = 64;
  auto* to = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(memory.data()) + kLine - 1) &
                                     ~(kLine - 1));
  const char* const end = to + (memory.size() / kLine - 1) * kLine;
  for (const auto byte = static_cast<char>(value); to != end; to += kLine) {
#if defined(__AVX512F__)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_set1_epi8(byte));
#else
    for (int i = 0; i < 4; ++i) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to) + i, _mm_set1_epi8(byte));
    }
#endif
  }
  _mm_sfence();
#else
  throw std::invalid_argument("streaming stores are those of x86-64");
#endif
}

std::string fill(const std::string& how, std::size_t bytes, double seconds) {
  static std::vector<std::uint8_t> memory;
  memory.resize(bytes);
  int value = 0;
  return timed(seconds, [&] {
    ++value;
    if (how == "stream") {
      stream(memory, value);
    } else {
      std::memset(memory.data(), value, memory.size());
    }
    asm volatile("" : : "r"(memory.data()) : "memory");
    return static_cast<std::int64_t>(memory.size());
  });
}

/// Rows of a batch's views into as many bytes, over and over, by nothing but the encoder; the bytes.
template <class T>
std::string expand_into(std::size_t bytes, double seconds) {
  constexpr std::size_t kLine = 64;
  static std::vector<T> storage;
  const VectorEnv& env = batch("research", "views", 1024, 1);
  const EnvBuffers& b = env.buffers();
  const auto size = static_cast<std::size_t>(observation_size());
  const std::size_t rows = bytes / sizeof(T) / size;
  storage.resize(rows * size + kLine);
  void* from = storage.data();
  std::size_t room = storage.size() * sizeof(T);
  const std::span<T> memory(static_cast<T*>(std::align(kLine, rows * size * sizeof(T), from, room)),
                            rows * size);
  std::vector<CardsLine> cards;
  std::vector<OrderLine> order;
  std::vector<EventsLine> events;
  for (std::size_t i = 0; i < rows; ++i) {
    cards.push_back(b.cards[i % b.cards.size()]);
    order.push_back(b.order[i % b.order.size()]);
    events.push_back(b.events[i % b.events.size()]);
  }
  const ViewBatch views{
      .size = rows, .cards = cards.data(), .order = order.data(), .events = events.data()};
  return timed(seconds, [&] {
    expand(views, memory);
    asm volatile("" : : "r"(memory.data()) : "memory");
    return static_cast<std::int64_t>(memory.size_bytes());
  });
}

std::string answer(std::istringstream& asked) {
  std::string what, rules, form;
  int envs = 0, threads = 0;
  std::size_t number = 0;
  double seconds = 0;
  asked >> what;
  if (what == "about") return about();
  if (what == "bytes" && asked >> form) return bytes(form);
  if (what == "rate" && asked >> rules >> form >> envs >> threads >> seconds) {
    return rate(rules, form, envs, threads, seconds);
  }
  if (what == "phases" && asked >> form >> envs >> number) {
    return phases(form, envs, static_cast<int>(number));
  }
  if (what == "fill" && asked >> form >> number >> seconds) return fill(form, number, seconds);
  if (what == "expand" && asked >> form >> number >> seconds) {
    return form == "float32" ? expand_into<float>(number, seconds)
                             : expand_into<std::uint8_t>(number, seconds);
  }
  throw std::invalid_argument("not understood: " + asked.str());
}

}  // namespace
}  // namespace schafkopf

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream asked(line);
    try {
      std::cout << schafkopf::answer(asked) << std::endl;
    } catch (const std::exception& error) {
      std::cout << "error " << error.what() << std::endl;
    }
  }
  return 0;
}
