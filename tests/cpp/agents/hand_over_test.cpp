// How the bindings hand over between threads (bindings/hand_over.h), for the thread sanitizer: the
// interpreter is a lock, its objects are players, batches and callbacks without locks of their own.
// What no lock protects is counted in plain numbers, whose races the sanitizer sees.
#include "bindings/hand_over.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <semaphore>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agents/engine/engine_session.h"
#include "agents/exploit/exploit.h"
#include "agents/exploit/local_best_response.h"
#include "agents/registry.h"
#include "agents/tournament/calibration.h"
#include "agents/tournament/league_day.h"
#include "agents/tournament/tournament.h"
#include "agents/work/parallel_policy.h"
#include "tests/cpp/agents/tournament_options.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/vector_env_helpers.h"

namespace schafkopf::test {
namespace {

using python::AgentMutexOf;
using python::ProgressOf;
using python::Turn;
using python::TurnsOf;
using python::Use;

/// An interpreter that is nothing but its lock. Ctrl-C comes to the thread that made it.
struct Interpreter {
  struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  /// Waits by a clock that may jump: the sanitizer of GCC 12 does not see pthread_mutex_clocklock,
  /// by which std::timed_mutex waits.
  class TimedMutex : public std::timed_mutex {
   public:
    bool try_lock_for(std::chrono::milliseconds time) {
      return try_lock_until(std::chrono::system_clock::now() + time);
    }
  };
  class Held {
   public:
    Held() : took_(!holds) {
      if (took_) take();
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() {
      if (took_) drop();
    }

   private:
    bool took_;
  };
  class Released {
   public:
    Released() { drop(); }
    Released(const Released&) = delete;
    Released& operator=(const Released&) = delete;
    ~Released() { take(); }
  };

  static void warn(const char* text) { throw Error(text); }
  static void check_signals() {
    if (!interrupted || std::this_thread::get_id() != main) return;
    interrupted = false;
    throw Error("interrupted");
  }

  static void take() {
    lock.lock();
    holds = true;
  }
  static void drop() {
    EXPECT_TRUE(holds);
    holds = false;
    lock.unlock();
  }

  inline static std::mutex lock;
  inline static thread_local bool holds = false;
  inline static bool interrupted = false;  // needs the lock
  inline static const std::thread::id main = std::this_thread::get_id();
};
using Held = Interpreter::Held;
using Released = Interpreter::Released;

/// What a person wrote in Python: lets go of the lock in the middle, as torch and NumPy do, and
/// asks itself now and then.
struct Object {
  TurnsOf<Interpreter> turns;
  long asked = 0, asked_itself = 0;
  int inside = 0;
};

/// As python_player.cpp: the lock first, then a turn.
class ObjectPlayer : public UniformPolicy {
 public:
  explicit ObjectPlayer(std::shared_ptr<Object> object) : object_(std::move(object)) {}

  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override {
    enter([&] { UniformPolicy::policy(batch, probabilities, values); });
  }
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override {
    enter([&] { UniformPolicy::act(batch, keys, actions); });
  }
  [[nodiscard]] std::string name() const override {
    const Held held;
    return "object";
  }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<ObjectPlayer>(*this);
  }

 private:
  void enter(const std::function<void()>& answer) const {
    const Held held;
    const Turn turn(object_->turns);
    const Released released;
    EXPECT_EQ(++object_->inside, 1);
    if (++object_->asked % 16 == 0) {
      const Held again;
      const Turn inner(object_->turns);
      ++object_->asked_itself;
    }
    answer();
    --object_->inside;
  }

  std::shared_ptr<Object> object_;
};

/// Threads of Python: each holds the lock.
void in_threads(int count, const std::function<void(int)>& work) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&work, i] {
      const Held held;
      work(i);
    });
  }
}

// ---- batches ------------------------------------------------------------------------------------

VectorEnvOptions options_against(const std::shared_ptr<Object>& object) {
  VectorEnvOptions options = small_options(48);
  options.num_threads = 3;
  options.learner_seat = LearnerSeat{0};
  for (int i = 0; i < 3; ++i) options.opponents.push_back(std::make_shared<ObjectPlayer>(object));
  return options;
}

TEST(HandOver, threads_of_two_batches_take_turns_with_the_object_that_plays_in_both) {
  const auto object = std::make_shared<Object>();
  const VectorEnvOptions options = options_against(object);
  in_threads(2, [&](int) {
    std::atomic<bool> busy = false;
    VectorEnv env = [&] {
      const Released released;
      return VectorEnv(options);
    }();
    for (int step = 0; step < 30; ++step) {
      const Use use(busy);
      const Released released;
      env.step_random();
    }
  });
  EXPECT_GT(object->asked, 100);
  EXPECT_GT(object->asked_itself, 5);
}

TEST(HandOver, threads_that_step_one_batch_exclude_each_other_or_are_refused) {
  const auto object = std::make_shared<Object>();
  VectorEnv env(options_against(object));
  std::atomic<bool> busy = false;
  long stepped = 0, refused = 0;  // need the lock
  in_threads(3, [&](int) {
    for (int step = 0; step < 60; ++step) {
      try {
        const Use use(busy);
        const Released released;
        env.step_random();
      } catch (const std::runtime_error&) {
        ++refused;
        continue;
      }
      ++stepped;
    }
  });
  EXPECT_EQ(stepped + refused, 180);
  EXPECT_GT(stepped, 0);
}

// ---- agents -------------------------------------------------------------------------------------

/// A player with scratch memory.
class Scribbler : public UniformPolicy {
 public:
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override {
    ++asked;
    UniformPolicy::act(batch, keys, actions);
  }
  long asked = 0;
};

TEST(HandOver, one_thread_at_a_time_asks_an_agent) {
  VectorEnvOptions options = small_options(8);
  options.view_lines = true;
  const VectorEnv env(options);
  Scribbler player;
  AgentMutexOf<Interpreter> mutex;
  in_threads(3, [&](int) {
    std::vector<RngKey> keys(8);
    std::vector<Action> actions(8);
    for (int i = 0; i < 200; ++i) {
      const Released released;
      const std::lock_guard turn(mutex);
      player.act(env.views(), keys, actions);
    }
  });
  EXPECT_EQ(player.asked, 600);
}

TEST(HandOver, who_asks_in_the_midst_of_being_asked_is_told_so) {
  using Mutex = AgentMutexOf<Interpreter>;
  for (const auto& [of, what] : {std::pair(Mutex::Of::kAgent, "this agent was asked while"),
                                 std::pair(Mutex::Of::kSolver, "this Solver was asked while")}) {
    Mutex mutex(of);
    const std::lock_guard turn(mutex);
    EXPECT_TRUE(error_of([&] { mutex.lock(); }).starts_with(what));
  }
}

TEST(HandOver, ctrl_c_ends_the_wait_for_a_solver) {
  AgentMutexOf<Interpreter> mutex(AgentMutexOf<Interpreter>::Of::kSolver);
  std::binary_semaphore begun(0), over(0);
  std::jthread other([&] {
    const std::lock_guard turn(mutex);
    begun.release();
    over.acquire();
  });
  begun.acquire();
  {
    const Held held;
    Interpreter::interrupted = true;
  }
  EXPECT_EQ(error_of<Interpreter::Error>([&] { mutex.lock(); }), "interrupted");
  over.release();
}

TEST(HandOver, threads_of_a_parallel_player_take_turns_with_its_object) {
  VectorEnvOptions options = small_options(60);
  options.view_lines = true;
  const VectorEnv env(options);
  const ViewBatch views = env.views();  // gathered by one thread: views() fills memory of the env
  const auto object = std::make_shared<Object>();
  in_threads(2, [&](int) {
    const Released released;
    ParallelPolicy player(std::make_unique<ObjectPlayer>(object), 3);
    std::vector<RngKey> keys(60);
    std::vector<Action> actions(60);
    for (int i = 0; i < 20; ++i) player.act(views, keys, actions);
  });
  EXPECT_GE(object->asked, 2 * 20);
}

TEST(HandOver, whether_a_conversation_is_over_may_be_asked_while_it_answers) {
  EngineSession session(make_agent("random"));
  AgentMutexOf<Interpreter> mutex;
  std::atomic<bool> asked = false;  // relaxed: it orders nothing
  in_threads(2, [&](int thread) {
    const Released released;
    if (thread == 0) {
      const std::lock_guard turn(mutex);
      while (!asked.load(std::memory_order_relaxed)) {
        EXPECT_TRUE(session.answer("hello").has_value());
      }
      (void)session.answer("quit");
      return;
    }
    for (bool over = false; !over;) {
      const Held held;
      over = session.is_over();
      asked.store(true, std::memory_order_relaxed);
    }
  });
  EXPECT_TRUE(session.is_over());
}

// ---- long work that a callback watches ------------------------------------------------------------

using Callback = std::function<void(int, int)>;
using Progress = ProgressOf<Interpreter, Callback>;

/// Handed of the engine: some of it, or more than anybody waits for.
enum class Amount : int { kSome = 1, kTooMuch = 1000 };
struct Handed {
  const char* name;
  std::function<void(const std::shared_ptr<const BatchPolicy>&, int, Progress&)> run;
};

TournamentOptions tournament_of(const std::shared_ptr<const BatchPolicy>& player, int amount) {
  TournamentOptions options =
      options_for({{.spec = "", .name = "object", .policy = player}, {"rules"}}, 24 * amount);
  options.threads = 3;
  return options;
}

std::vector<Handed> works() {
  return {
      {"tournament",
       [](const auto& player, int amount, Progress& progress) {
         (void)run_tournament(tournament_of(player, amount), std::ref(progress));
       }},
      {"part",
       [](const auto& player, int amount, Progress& progress) {
         (void)play_part(tournament_of(player, amount), {}, std::ref(progress));
       }},
      {"league",
       [](const auto& player, int amount, Progress& progress) {
         TournamentOptions options = tournament_of(player, 1);
         options.schedule = Schedule::kLeague;
         options.rules = CompiledRules::load("tournament_2024");
         options.players = 8 * std::min(amount, 100);
         (void)play_league_day(options, std::ref(progress));
       }},
      {"calibration",
       [](const auto& player, int amount, Progress& progress) {
         const CalibrationOptions options{.policy = player,
                                          .opponent = make_agent("random"),
                                          .rules = CompiledRules::load("research"),
                                          .blocks = 150 * amount,
                                          .worlds = 1,
                                          .threads = 3};
         (void)calibrate(options, std::ref(progress));
       }},
      {"exploit",
       [](const auto& player, int amount, Progress& progress) {
         ExploitOptions options;
         options.policy = player;
         options.rules = CompiledRules::load("research");
         options.per_kind = 1;
         options.updates = 2 * amount;
         options.threads = 3;
         (void)run_exploit(options, std::ref(progress));
       }},
      {"local response",
       [](const auto& player, int amount, Progress& progress) {
         LocalResponseOptions options;
         options.policy = player;
         options.rules = CompiledRules::load("research");
         options.states = 6 * amount;
         options.worlds = 4;
         options.threads = 3;
         (void)local_best_response(options, std::ref(progress));
       }},
  };
}

TEST(HandOver, callbacks_are_called_by_one_thread_at_a_time_while_objects_play) {
  const Held main;
  long most_told = 0;
  for (const Handed& work : works()) {
    SCOPED_TRACE(work.name);
    const auto object = std::make_shared<Object>();
    long told = 0;
    Progress progress([&](int, int) { ++told; });
    {
      const Released released;
      work.run(std::make_shared<ObjectPlayer>(object), static_cast<int>(Amount::kSome), progress);
    }
    progress.rethrow();
    most_told = std::max(most_told, told);
    EXPECT_GT(object->asked, 0);
  }
  EXPECT_GT(most_told, 2);
}

/// What ends the work, or "" where nothing does.
std::string end_of(const Handed& work, const Callback& callback) {
  const Held main;
  Progress progress(callback);
  try {
    {
      const Released released;
      work.run(std::make_shared<ObjectPlayer>(std::make_shared<Object>()),
               static_cast<int>(Amount::kTooMuch), progress);
    }
    progress.rethrow();
  } catch (const Interpreter::Error& error) {
    return error.what();
  } catch (const std::runtime_error&) {  // a league day that is stopped says so in this way
    try {
      progress.rethrow();
    } catch (const Interpreter::Error& error) {
      return error.what();
    }
  }
  return "";
}

TEST(HandOver, what_a_callback_throws_in_any_thread_ends_the_work_and_reaches_the_caller) {
  for (const Handed& work : works()) {
    SCOPED_TRACE(work.name);
    EXPECT_EQ(end_of(work, [](int, int) { throw Interpreter::Error("enough"); }), "enough");
  }
}

TEST(HandOver, ctrl_c_during_a_game_ends_the_work) {
  for (const Handed& work : works()) {
    SCOPED_TRACE(work.name);
    std::jthread person;
    EXPECT_EQ(end_of(work,
                     [&](int, int) {
                       if (person.joinable()) return;
                       person = std::jthread([] {
                         const Held held;
                         Interpreter::interrupted = true;
                       });
                     }),
              "interrupted");
  }
}

}  // namespace
}  // namespace schafkopf::test
