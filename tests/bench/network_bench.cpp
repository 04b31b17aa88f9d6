// Rates of network inference against the measured FMA peak of one thread (PERFORMANCE row 16).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "agents/network/mlp_network.h"
#include "agents/network/network.h"
#include "env/base/random.h"

namespace schafkopf {
namespace {

/// CPU time of this thread in seconds.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The widest vector of the target, and enough independent sums to hide the latency of an FMA (4
// cycles, two per cycle) without running out of registers.
#if defined(__AVX512F__)
constexpr int kLanes = 16, kSums = 24;
#elif defined(__AVX__)
constexpr int kLanes = 8, kSums = 12;
#else
constexpr int kLanes = 4, kSums = 12;
#endif
using Lane [[gnu::vector_size(kLanes * sizeof(float))]] = float;

template <std::size_t... kIndex>
[[gnu::noinline]] float multiply_add(std::int64_t rounds, float factor,
                                     std::index_sequence<kIndex...> /*sums*/) {
  // Different numbers in every sum, or the compiler would compute one for all.
  std::array<Lane, sizeof...(kIndex)> sums{(Lane{} + factor * static_cast<float>(kIndex))...};
  const Lane a = Lane{} + factor;
  const Lane b = Lane{} + 1e-3F;
  for (std::int64_t round = 0; round < rounds; ++round) {
    ((sums[kIndex] = sums[kIndex] * a + b), ...);
  }
  Lane total{};
  ((total += sums[kIndex]), ...);
  return total[0];
}

/// FMA rate of this thread, GFLOP/s, over some 5 ms.
double measure_peak() {
  constexpr std::int64_t kRounds = 400'000;
  const double start = thread_seconds();
  benchmark::DoNotOptimize(multiply_add(kRounds, 0.5F, std::make_index_sequence<kSums>{}));
  return 2.0 * kLanes * kSums * static_cast<double>(kRounds) * 1e-9 / (thread_seconds() - start);
}

double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

Tensor random_tensor(Rng& rng, std::vector<std::int64_t> shape, double scale) {
  Tensor tensor{std::move(shape), {}};
  std::int64_t count = 1;
  for (const std::int64_t length : tensor.shape) count *= length;
  for (std::int64_t i = 0; i < count; ++i) {
    tensor.data.push_back(static_cast<float>(scale * (2.0 * rng.next_unit() - 1.0)));
  }
  return tensor;
}

WeightsFile random_weights(const NetworkShape& shape) {
  Rng rng(1);
  WeightsFile weights{{}, network_metadata(shape)};
  int columns = shape.inputs;
  for (int layer = 0; layer < shape.layers; ++layer) {
    const std::string name = "trunk." + std::to_string(layer);
    weights.tensors[name + ".weight"] = random_tensor(rng, {shape.width, columns}, 0.1);
    weights.tensors[name + ".bias"] = random_tensor(rng, {shape.width}, 0.1);
    columns = shape.width;
  }
  weights.tensors["policy.weight"] = random_tensor(rng, {kNumActions, shape.width}, 0.1);
  weights.tensors["policy.bias"] = random_tensor(rng, {kNumActions}, 0.1);
  weights.tensors["value.weight"] = random_tensor(rng, {1, shape.width}, 0.1);
  weights.tensors["value.bias"] = random_tensor(rng, {1}, 0.1);
  return weights;
}

double flop_per_row(const NetworkShape& shape) {
  const double width = shape.width;
  return 2.0 *
         (shape.inputs * width + (shape.layers - 1) * width * width + (kNumActions + 1) * width);
}

/// Forward pass with bias, ReLU and both heads. Arguments: batch, width, layers, percent of the
/// inputs that are not 0: views have about 12, and 100 times every product. Each iteration measures
/// the peak and the forward pass in turn; of_peak is the median of their ratios, counted as if
/// dense.
void network_forward(benchmark::State& state) {
  const auto batch = static_cast<std::size_t>(state.range(0));
  const NetworkShape shape =
      make_network_shape(static_cast<int>(state.range(1)), static_cast<int>(state.range(2)));
  const std::unique_ptr<PolicyNetwork> network = make_mlp_network(random_weights(shape), "bench");
  Rng rng(2);
  std::vector<float> inputs(batch * static_cast<std::size_t>(shape.inputs));
  for (float& input : inputs) input = rng.next_below(100) < state.range(3) ? 1.0F : 0.0F;
  std::vector<float> logits(batch * kNumActions);
  std::vector<float> values(batch);
  const double flop = static_cast<double>(batch) * flop_per_row(shape);
  const int passes = std::max(1, static_cast<int>(5e8 / flop));  // 5 ms or more
  std::vector<double> peaks, rates;
  for ([[maybe_unused]] auto round : state) {
    peaks.push_back(measure_peak());
    const double start = thread_seconds();
    for (int pass = 0; pass < passes; ++pass) {
      network->forward_inputs(inputs, logits, values);
      benchmark::ClobberMemory();
    }
    const double seconds = thread_seconds() - start;
    rates.push_back(passes * flop * 1e-9 / seconds);
    state.SetIterationTime(seconds / passes);
  }
  std::vector<double> ratios(rates.size());
  std::transform(rates.begin(), rates.end(), peaks.begin(), ratios.begin(), std::divides<>{});
  state.counters["GFLOP/s"] = median(rates);
  state.counters["peak"] = median(peaks);
  state.counters["of_peak"] = median(ratios);
  state.counters["rows/s"] = median(rates) * 1e9 / flop_per_row(shape);
  state.counters["inputs"] = shape.inputs;
}
BENCHMARK(network_forward)
    ->UseManualTime()
    ->Iterations(21)
    ->ArgNames({"batch", "width", "layers", "set"})
    ->Args({1, 256, 2, 12})
    ->Args({64, 256, 2, 12})
    ->Args({1024, 256, 2, 12})
    ->Args({1024, 256, 2, 30})
    ->Args({1024, 256, 2, 100})
    ->Args({4096, 256, 2, 100})
    ->Args({1024, 512, 3, 12})
    ->Args({1024, 512, 3, 100});

}  // namespace
}  // namespace schafkopf
