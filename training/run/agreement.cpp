#include "training/run/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "agents/work/threads.h"

namespace schafkopf {
namespace {

/// The first line of two configurations in which they differ: own, other.
std::pair<std::string, std::string> first_difference(const std::string& own,
                                                     const std::string& other) {
  std::istringstream own_lines(own), other_lines(other);
  std::string one, two;
  while (std::getline(own_lines, one) && std::getline(other_lines, two)) {
    if (one != two) return {one, two};
  }
  return {};
}

void check_same_settings(Peers& peers, const TrainConfig& config) {
  const std::string own = to_toml(config), leading = peers.taken_over(own);
  const bool differs = own != leading;
  if (!peers.any(differs)) return;
  if (!differs) {
    throw std::invalid_argument(
        "another process has other settings and says which, allowed: the same in all processes");
  }
  const auto [one, two] = first_difference(own, leading);
  throw std::invalid_argument(
      fmt::format("{} in process {}, {} in process 0, allowed: the same settings in all processes",
                  one, peers.rank(), two));
}

/// A struct of nothing but doubles.
template <class Sums>
void sum_doubles(Peers& peers, Sums& sums) {
  static_assert(std::is_trivially_copyable_v<Sums> && sizeof(Sums) % sizeof(double) == 0 &&
                alignof(Sums) == alignof(double));
  if (peers.size() == 1) return;
  std::vector<double> numbers(sizeof(Sums) / sizeof(double));
  std::memcpy(numbers.data(), &sums, sizeof(Sums));
  peers.sum(numbers);
  std::memcpy(static_cast<void*>(&sums), numbers.data(), sizeof(Sums));
}

}  // namespace

TrainConfig agreed(Peers& peers, TrainConfig config) {
  const std::int64_t processes = peers.size();
  const std::int64_t most = config.games_per_update / processes;
  const std::int64_t cores = std::int64_t{usable_processors()} / peers.local_size();
  double workers =
      peers.leads()
          ? static_cast<double>(std::clamp<std::int64_t>(cores, 1, std::max<std::int64_t>(most, 1)))
          : 0.0;
  peers.sum(std::span(&workers, 1));  // by all, whatever each was told
  if (config.workers == 0) config.workers = static_cast<std::int64_t>(workers);
  check_train_config(config);
  if (config.workers > most) {
    throw std::invalid_argument(fmt::format(
        "games_per_update = {}, allowed: at least {}, one game for each of workers = "
        "{} in each of WORLD_SIZE = {} processes",
        config.games_per_update, config.workers * processes, config.workers, processes));
  }
  if (processes > 1) check_same_settings(peers, config);
  return config;
}

WeightsFile taken_over(Peers& peers, WeightsFile file) {
  if (peers.size() == 1) return file;
  nlohmann::json header = {{"metadata", file.metadata}, {"shapes", nlohmann::json::object()}};
  std::vector<float> numbers;
  for (const auto& [name, tensor] : file.tensors) {
    header["shapes"][name] = tensor.shape;
    numbers.insert(numbers.end(), tensor.data.begin(), tensor.data.end());
  }
  header["count"] = numbers.size();
  header = nlohmann::json::parse(peers.taken_over(header.dump()));
  numbers.resize(header.at("count").get<std::size_t>());
  peers.take_over(numbers);
  WeightsFile result;
  header.at("metadata").get_to(result.metadata);
  auto from = numbers.begin();
  for (const auto& [name, shape] :
       header.at("shapes").items()) {  // in the order of names, as above
    Tensor& tensor = result.tensors[name];
    shape.get_to(tensor.shape);
    std::ptrdiff_t count = 1;
    for (const std::int64_t length : tensor.shape) count *= length;
    tensor.data.assign(from, from + count);
    from += count;
  }
  return result;
}

void sum(Peers& peers, CollectorStats& stats) {
  if (peers.size() == 1) return;
  std::vector<std::int64_t*> counts = {&stats.decisions, &stats.forced, &stats.games,
                                       &stats.auctions, &stats.thrown_in};
  for (std::int64_t& count : stats.declared) counts.push_back(&count);
  const std::vector<double*> times = {&stats.env_seconds, &stats.act_seconds, &stats.solver_seconds,
                                      &stats.playout_seconds, &stats.teacher_seconds};
  std::vector<double> numbers;
  for (const std::int64_t* count : counts) numbers.push_back(static_cast<double>(*count));
  for (const double* time : times) numbers.push_back(*time);
  peers.sum(numbers);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    *counts[i] = static_cast<std::int64_t>(numbers[i]);
  }
  for (std::size_t i = 0; i < times.size(); ++i) *times[i] = numbers[counts.size() + i];
}

void sum(Peers& peers, BatchAdvantages& advantages) { sum_doubles(peers, advantages); }

void sum(Peers& peers, PpoSums& sums) { sum_doubles(peers, sums); }

void sum(Peers& peers, ImitationSums& sums) { sum_doubles(peers, sums); }

void sum(Peers& peers, HeldSums& sums) { sum_doubles(peers, sums); }

}  // namespace schafkopf
