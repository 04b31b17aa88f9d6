// Long checks in parts: what is counted is written after each part, so that a run may be stopped at
// any time and goes on where it was; threads take part after part.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace schafkopf::test {

using Json = nlohmann::ordered_json;

/// Seconds of this thread on a processor.
inline double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// What every long check is asked for.
struct PartOptions {
  std::int64_t wanted = 0;  // of what the check counts
  std::int64_t seed = 0;
  std::string folder;  // of the journal; empty: nothing is kept
  int threads = 1;
};

/// The finished parts of a seed, in memory and in FOLDER/seed-S.jsonl, a line each. Counts have
/// visit_counts(counts, visit): names and values, or arrays of values.
template <class Counts>
class Journal {
 public:
  explicit Journal(const PartOptions& options) {
    if (options.folder.empty()) return;
    std::filesystem::create_directories(options.folder);
    path_ = fmt::format("{}/seed-{}.jsonl", options.folder, options.seed);
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) {
      const Json part = Json::parse(line, nullptr, false);  // the last one of a killed run is cut
      if (!part.is_discarded()) take(part);
    }
  }

  [[nodiscard]] bool has(std::int64_t part) const { return parts_.contains(part); }
  [[nodiscard]] const Counts& sum() const { return sum_; }
  [[nodiscard]] double seconds() const { return seconds_; }

  void add_part(std::int64_t number, const Counts& counts, double seconds) {
    Json part{{"part", number}, {"seconds", seconds}};
    visit_counts(counts, [&part](const char* name, const auto& value) { part[name] = value; });
    take(part);
    if (path_.empty()) return;
    std::ofstream file(path_, std::ios::app);
    file << '\n' << part.dump() << std::flush;  // a line of its own, also behind one that was cut
    if (!file) throw std::runtime_error(path_ + " cannot be written");
  }

 private:
  void take(const Json& part) {
    if (!parts_.insert(part.at("part").get<std::int64_t>()).second) return;
    seconds_ += part.at("seconds").get<double>();
    visit_counts(sum_, [&part]<class Value>(const char* name, Value& value) {
      const auto more = part.at(name).get<Value>();
      if constexpr (requires { value.size(); }) {
        std::transform(value.begin(), value.end(), more.begin(), value.begin(), std::plus<>());
      } else {
        value += more;
      }
    });
  }

  std::string path_;
  std::set<std::int64_t> parts_;
  Counts sum_;
  double seconds_ = 0;
};

/// Plays parts until enough is counted; the first failure ends all.
///
/// reached  what of the counts is wanted
/// play     the counts of a part, by its number; throws what is wrong
/// Returns an empty text, or what is wrong.
template <class Counts>
std::string run_parts(const PartOptions& options, Journal<Counts>& journal,
                      const std::function<std::int64_t(const Counts&)>& reached,
                      const std::function<Counts(std::int64_t)>& play) {
  std::mutex mutex;
  std::int64_t next = 0;
  std::string problem;
  const auto work = [&] {
    try {
      while (true) {
        std::int64_t part = 0;
        {
          const std::lock_guard lock(mutex);
          while (journal.has(next)) ++next;
          if (!problem.empty() || reached(journal.sum()) >= options.wanted) return;
          part = next++;
        }
        const double begin = processor_seconds();
        const Counts counts = play(part);
        const double seconds = processor_seconds() - begin;
        const std::lock_guard lock(mutex);
        journal.add_part(part, counts, seconds);
        fmt::print(stderr, "part {}: {} of {}\n", part, reached(journal.sum()), options.wanted);
      }
    } catch (const std::exception& error) {
      const std::lock_guard lock(mutex);
      if (problem.empty()) problem = error.what();
    }
  };
  std::vector<std::thread> others;
  for (int i = 1; i < options.threads; ++i) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  return problem;
}

/// "name count, name count", then the names of what was never seen; an empty name is left out.
template <class Counts, class Name>
std::string list(const Counts& counts, Name&& name) {
  std::string seen, never;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::string text(name(i));
    if (text.empty()) continue;
    if (counts[i] > 0) seen += fmt::format("{}{} {}", seen.empty() ? "" : ", ", text, counts[i]);
    if (counts[i] == 0) never += ' ' + text;
  }
  return never.empty() ? seen : seen + "; never:" + never;
}

}  // namespace schafkopf::test
