#include "training/learner/learner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "env/base/available_memory.h"
#include "env/base/random.h"
#include "env/cards/card_map.h"
#include "env/view/encoder.h"
#include "training/learner/sparse_layer.h"
#include "training/work/peers.h"

namespace schafkopf {
namespace {

constexpr std::size_t kActions = static_cast<std::size_t>(kNumActions);

/// Trunk of agents/network/network.h.
struct TrunkImpl : torch::nn::Module {
  TrunkImpl(int inputs, int width, const NetworkShape& shape) {
    for (int k = 0; k < shape.linears(); ++k) {
      linears.emplace_back(
          register_module(std::to_string(k), torch::nn::Linear(k == 0 ? inputs : width, width)));
    }
    for (const std::string& name : norm_names(shape)) {
      norms.emplace_back(register_module(
          name,
          torch::nn::LayerNorm(torch::nn::LayerNormOptions({width}).eps(double{kNormEpsilon}))));
    }
  }
  /// From the first layer's sums (before what follows it) to what the heads read.
  torch::Tensor after_first(torch::Tensor x) {
    if (!norms.empty()) return residual(std::move(x));
    x = torch::relu(x);
    for (std::size_t k = 1; k < linears.size(); ++k) x = torch::relu(linears[k]->forward(x));
    return x;
  }
  torch::Tensor residual(torch::Tensor x) {
    for (std::size_t k = 1; k < linears.size(); ++k) {
      x = x + linears[k]->forward(torch::relu(norms[k - 1]->forward(x)));
    }
    return torch::relu(norms.back()->forward(x));
  }
  std::vector<torch::nn::Linear> linears;
  std::vector<torch::nn::LayerNorm> norms;  // of a residual trunk
};
TORCH_MODULE(Trunk);

struct CriticNetworkImpl : torch::nn::Module {
  CriticNetworkImpl(int inputs, int width, const NetworkShape& shape)
      : trunk(register_module("trunk", Trunk(inputs, width, shape))),
        value(register_module("value", torch::nn::Linear(width, 1))) {}
  Trunk trunk;
  torch::nn::Linear value;
};
TORCH_MODULE(CriticNetwork);

/// Policy and value; parameter names are those of agents/network/network.h.
struct ModelImpl : torch::nn::Module {
  ModelImpl(const NetworkShape& shape, Critic critic_kind, int critic_width)
      : trunk(register_module("trunk", Trunk(shape.inputs, shape.width, shape))),
        policy(register_module("policy", torch::nn::Linear(shape.width, shape.outputs))) {
    if (critic_kind == Critic::kShared) {
      value = register_module("value", torch::nn::Linear(shape.width, 1));
    } else {
      const int extra = critic_kind == Critic::kOracle ? kOracleInputs : 0;
      critic = register_module("critic", CriticNetwork(shape.inputs + extra, critic_width, shape));
    }
  }
  /// Logits and values from the sums of the first layers: of the trunk, and of the critic's.
  std::pair<torch::Tensor, torch::Tensor> after_first(const torch::Tensor& sums,
                                                      const torch::Tensor& critic_sums) {
    const torch::Tensor hidden = trunk->after_first(sums);
    const torch::Tensor values =
        critic.is_empty() ? value->forward(hidden)
                          : critic->value->forward(critic->trunk->after_first(critic_sums));
    return {policy->forward(hidden), values.squeeze(1)};
  }
  Trunk trunk;
  torch::nn::Linear policy;
  torch::nn::Linear value = nullptr;
  CriticNetwork critic = nullptr;
};
TORCH_MODULE(Model);

}  // namespace

struct Learner::Impl {
  explicit Impl(LearnerSettings given) : settings(std::move(given)), gather(settings.shape) {
    if (settings.critic_width == 0) settings.critic_width = settings.shape.width;
  }

  /// A network with its own gradients and scratch memory; the weights are those of replica 0.
  struct Replica {
    Model model = nullptr;
    torch::Tensor tile;                            // dense inputs
    SparseRows rows, critic_rows;                  // sparse inputs
    std::vector<float> gradient, critic_gradient;  // of the sparse layers
    std::vector<float> row;
    std::vector<std::uint8_t> bytes;
  };

  [[nodiscard]] bool oracle() const { return settings.critic == Critic::kOracle; }
  [[nodiscard]] bool own_critic() const { return settings.critic != Critic::kShared; }

  /// Sums of the first layers (trunk and, if it has its own, critic) of rows of views.
  std::pair<torch::Tensor, torch::Tensor> first_layers(Replica& own,
                                                       std::span<const PlayerView> views,
                                                       std::span<const FullView> full);
  /// Sums of the trunk's first layer alone.
  torch::Tensor first_layer(Replica& own, std::span<const PlayerView> views);
  void fill_tile(Replica& own, std::span<const PlayerView> views,
                 std::span<const FullView> full) const;
  void fill_rows(Replica& own, std::span<const PlayerView> views, std::span<const FullView> full);
  /// Copy the first layers out of the weights, after these changed.
  void load_sparse();
  /// Add the gradients of the sparse layers to those of the model.
  void move_sparse(Replica& own);

  LearnerSettings settings;
  InputGather gather;
  torch::Device device = torch::kCPU;
  std::vector<float> scales;  // of the inputs, for bytes
  bool sparse = false;
  std::optional<SparseLayer> first, critic_first;
  std::vector<Replica> replicas;
  std::unique_ptr<torch::optim::Adam> adam;
  std::vector<torch::Tensor> averages;  // one for each parameter, empty if they are not kept

  [[nodiscard]] std::vector<torch::Tensor> parameters() const {
    return replicas.front().model->parameters();
  }
  [[nodiscard]] bool alone() const {
    return settings.peers == nullptr || settings.peers->size() == 1;
  }
  /// Give `exchange` all tensors in one flat buffer of the host and write it back.
  void through_flat(const std::vector<torch::Tensor>& tensors,
                    const std::function<void(std::span<float>)>& exchange) const;
  /// The averages start where the weights are.
  void restart_averages();
  void follow_averages(std::int64_t steps);
};

void Learner::Impl::through_flat(const std::vector<torch::Tensor>& tensors,
                                 const std::function<void(std::span<float>)>& exchange) const {
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> pieces;
  for (const torch::Tensor& tensor : tensors) pieces.push_back(tensor.reshape(-1));
  torch::Tensor flat = torch::cat(pieces).to(torch::kCPU);
  exchange({flat.data_ptr<float>(), static_cast<std::size_t>(flat.numel())});
  flat = flat.to(device);
  std::int64_t begin = 0;
  for (const torch::Tensor& tensor : tensors) {
    tensor.copy_(flat.narrow(0, begin, tensor.numel()).view_as(tensor));
    begin += tensor.numel();
  }
}

void Learner::Impl::restart_averages() {
  if (settings.average_decay <= 0) return;
  averages.clear();
  for (const torch::Tensor& parameter : parameters()) {
    averages.push_back(parameter.detach().clone());
  }
}

/// After step number `steps`: over a short past at first, so that the random start is soon
/// forgotten.
void Learner::Impl::follow_averages(std::int64_t steps) {
  if (averages.empty()) return;
  const torch::NoGradGuard no_grad;
  const auto count = static_cast<double>(steps);
  const double decay = std::min(settings.average_decay, (1.0 + count) / (10.0 + count));
  const auto now = parameters();
  for (std::size_t k = 0; k < now.size(); ++k) averages[k].lerp_(now[k], 1.0 - decay);
}

std::pair<torch::Tensor, torch::Tensor> Learner::Impl::first_layers(
    Replica& own, std::span<const PlayerView> views, std::span<const FullView> full) {
  if (sparse) {
    fill_rows(own, views, full);
    const auto rows = static_cast<std::int64_t>(views.size());
    torch::Tensor sums = torch::empty({rows, settings.shape.width}), critic_sums;
    first->forward(own.rows, sums.data_ptr<float>());
    if (own_critic()) {
      critic_sums = torch::empty({rows, settings.critic_width});
      critic_first->forward(oracle() ? own.critic_rows : own.rows, critic_sums.data_ptr<float>());
    }
    return {sums, critic_sums};
  }
  fill_tile(own, views, full);
  const torch::Tensor tile =
      own.tile.narrow(0, 0, static_cast<std::int64_t>(views.size())).to(device);
  const torch::Tensor policy_inputs = oracle() ? tile.narrow(1, 0, settings.shape.inputs) : tile;
  torch::Tensor critic_sums;
  if (own_critic()) critic_sums = own.model->critic->trunk->linears.front()->forward(tile);
  return {own.model->trunk->linears.front()->forward(policy_inputs), critic_sums};
}

torch::Tensor Learner::Impl::first_layer(Replica& own, std::span<const PlayerView> views) {
  const auto rows = static_cast<std::int64_t>(views.size());
  if (sparse) {
    fill_rows(own, views, {});
    torch::Tensor sums = torch::empty({rows, settings.shape.width});
    first->forward(own.rows, sums.data_ptr<float>());
    return sums;
  }
  fill_tile(own, views, {});
  const torch::Tensor inputs = own.tile.narrow(0, 0, rows).narrow(1, 0, settings.shape.inputs);
  return own.model->trunk->linears.front()->forward(inputs.to(device));
}

/// `full` may be empty where only the policy is asked.
void Learner::Impl::fill_tile(Replica& own, std::span<const PlayerView> views,
                              std::span<const FullView> full) const {
  const std::int64_t length = settings.shape.inputs + (oracle() ? kOracleInputs : 0);
  const auto rows = static_cast<std::int64_t>(views.size());
  if (!own.tile.defined() || own.tile.size(0) < rows) {
    own.tile = torch::empty({rows, length}, torch::kFloat32);
  }
  auto* target = own.tile.data_ptr<float>();
  for (std::size_t i = 0; i < views.size(); ++i, target += length) {
    const PlayerView& view = views[i];
    expand(gather.form(), {&view.cards, &view.order, &view.events}, {}, own.row.data());
    gather.gather(own.row, {target, static_cast<std::size_t>(gather.size())});
    if (!oracle() || full.empty()) continue;
    expand_oracle(full[i], view.order.card_map,
                  std::span<float, kOracleInputs>(target + gather.size(), kOracleInputs));
  }
}

void Learner::Impl::fill_rows(Replica& own, std::span<const PlayerView> views,
                              std::span<const FullView> full) {
  std::array<float, kOracleInputs> hidden{};
  own.rows.clear();
  own.critic_rows.clear();
  for (std::size_t i = 0; i < views.size(); ++i) {
    const PlayerView& view = views[i];
    expand(gather.form(), {&view.cards, &view.order, &view.events}, {}, own.bytes.data());
    own.rows.begin_row();
    int input = 0;
    for (const auto& [offset, length] : gather.pieces()) {
      own.rows.add(std::span(own.bytes).subspan(static_cast<std::size_t>(offset),
                                                static_cast<std::size_t>(length)),
                   std::span(scales).subspan(static_cast<std::size_t>(input)), input);
      input += length;
    }
    if (!oracle() || full.empty()) continue;
    expand_oracle(full[i], view.order.card_map, hidden);
    own.critic_rows.copy_row(own.rows, i);
    own.critic_rows.add(hidden, input);
  }
}

void Learner::Impl::load_sparse() {
  if (!sparse) return;
  const Model& model = replicas.front().model;
  const auto take = [](SparseLayer& layer, const torch::nn::Linear& linear) {
    layer.load(linear->weight.data_ptr<float>(), linear->bias.data_ptr<float>());
  };
  take(*first, model->trunk->linears.front());
  if (own_critic()) take(*critic_first, model->critic->trunk->linears.front());
}

void Learner::Impl::move_sparse(Replica& own) {
  if (!sparse) return;
  const auto move = [](const SparseLayer& layer, std::vector<float>& gradient,
                       torch::nn::Linear& linear) {
    layer.move_gradient(gradient, linear->weight.mutable_grad().data_ptr<float>(),
                        linear->bias.mutable_grad().data_ptr<float>());
  };
  move(*first, own.gradient, own.model->trunk->linears.front());
  if (own_critic()) {
    move(*critic_first, own.critic_gradient, own.model->critic->trunk->linears.front());
  }
}

namespace {

torch::Device open_device(const std::string& name) {
  const torch::Device device(name);
  if (device.is_cpu()) return device;
  const int found = torch::cuda::is_available() ? static_cast<int>(torch::cuda::device_count()) : 0;
  const int wanted = device.has_index() ? device.index() : 0;
  if (wanted >= found) {
    throw std::runtime_error(fmt::format(
        "device = \"{}\": this machine shows {} CUDA device(s) to LibTorch {}; allowed: cpu{}",
        name, found, TORCH_VERSION, found > 0 ? fmt::format(", cuda:0..cuda:{}", found - 1) : ""));
  }
  return device;
}

/// Uniform with standard deviation gain / sqrt(fan in); our own draws, the same everywhere.
void initialise(Model& model, std::uint64_t seed) {
  const torch::NoGradGuard no_grad;
  Rng rng(seed);
  for (auto& item : model->named_parameters()) {
    torch::Tensor& parameter = item.value();
    const std::string& name = item.key();
    if (parameter.dim() == 1) {
      const bool scales = name.find("norm") != std::string::npos && name.ends_with(".weight");
      parameter.fill_(scales ? 1.0 : 0.0);
      continue;
    }
    const double gain = name.starts_with("policy")                ? 0.1
                        : name.find("value") != std::string::npos ? 1.0
                                                                  : std::numbers::sqrt2;
    const double limit = gain * std::sqrt(3.0 / static_cast<double>(parameter.size(1)));
    torch::Tensor host = torch::empty_like(parameter);
    auto* data = host.data_ptr<float>();
    for (std::int64_t i = 0; i < host.numel(); ++i) {
      data[i] = static_cast<float>(limit * (2.0 * rng.next_unit() - 1.0));
    }
    parameter.copy_(host);
  }
}

Tensor to_host(const torch::Tensor& tensor) {
  const torch::Tensor host = tensor.detach().to(torch::kCPU).contiguous();
  const float* data = host.data_ptr<float>();
  return {host.sizes().vec(), {data, data + host.numel()}};
}

void copy_in(const std::map<std::string, Tensor>& tensors, const std::string& name,
             const torch::Tensor& target) {
  const auto it = tensors.find(name);
  if (it == tensors.end()) {
    throw std::invalid_argument(fmt::format("tensor \"{}\" is missing", name));
  }
  if (it->second.shape != target.sizes().vec()) {
    throw std::invalid_argument(fmt::format("tensor \"{}\" has shape [{}], needed [{}]", name,
                                            fmt::join(it->second.shape, ", "),
                                            fmt::join(target.sizes().vec(), ", ")));
  }
  const torch::NoGradGuard no_grad;
  target.copy_(torch::from_blob(const_cast<float*>(it->second.data.data()), target.sizes(),
                                torch::kFloat32));
}

torch::optim::AdamParamState& adam_state(torch::optim::Adam& adam, const torch::Tensor& parameter) {
  auto& state = adam.state()[parameter.unsafeGetTensorImpl()];
  if (!state) {
    auto fresh = std::make_unique<torch::optim::AdamParamState>();
    fresh->step(0);
    fresh->exp_avg(torch::zeros_like(parameter, torch::MemoryFormat::Preserve));
    fresh->exp_avg_sq(torch::zeros_like(parameter, torch::MemoryFormat::Preserve));
    state = std::move(fresh);
  }
  return static_cast<torch::optim::AdamParamState&>(*state);
}

/// Faster than a dense product only with registers of 8 floats or more.
#if defined(__AVX2__)
constexpr bool kSparseIsFaster = true;
#else
constexpr bool kSparseIsFaster = false;
#endif

/// Scale of each input byte.
std::vector<float> input_scales(const InputGather& gather) {
  const ObservationVersion version = gather.form().version;
  std::vector<float> all(static_cast<std::size_t>(observation_size(version))), inputs;
  for (const Section& section : observation_sections(version)) {
    std::fill_n(all.begin() + section.offset, section.length, section.scale);
  }
  inputs.resize(static_cast<std::size_t>(gather.size()));
  gather.gather(all, inputs);
  return inputs;
}

/// PyTorch's matrix products (MKL) do without their scratch memory where they get none: in another
/// order, hence with other last digits, and silently. Asked for beforehand it is an error.
void require_scratch() {
  constexpr std::size_t kScratch = std::size_t{64} << 20;  // of 5 to 16 MB for each thread
  void* memory = std::malloc(kScratch);
  if (memory == nullptr) {
    throw NotEnoughMemory("64 MB for matrix products: there is not so much memory left");
  }
  *static_cast<volatile char*>(memory) = 0;  // else the compiler leaves out both calls
  std::free(memory);
}

}  // namespace

Learner::Learner(LearnerSettings settings) : impl_(std::make_unique<Impl>(std::move(settings))) {
  Impl& impl = *impl_;
  const NetworkShape& shape = impl.settings.shape;
  impl.device = open_device(impl.settings.device);
  impl.sparse = impl.settings.sparse_inputs && kSparseIsFaster && impl.device.is_cpu();
  impl.scales = input_scales(impl.gather);
  impl.first.emplace(shape.inputs, shape.width);
  impl.critic_first.emplace(shape.inputs + (impl.oracle() ? kOracleInputs : 0),
                            impl.settings.critic_width);
  at::set_num_threads(1);
  for (int i = 0; i < impl.settings.replicas; ++i) {
    Impl::Replica replica;
    replica.model = Model(shape, impl.settings.critic, impl.settings.critic_width);
    replica.row.resize(static_cast<std::size_t>(observation_size(shape.observation)));
    replica.bytes.resize(static_cast<std::size_t>(observation_size(shape.observation)));
    replica.gradient = impl.first->make_gradient();
    replica.critic_gradient = impl.critic_first->make_gradient();
    if (i == 0) {
      initialise(replica.model, mix64(impl.settings.seed ^ 0x5EEDu));
      replica.model->to(impl.device);
    } else {  // same storage, gradients of its own
      auto from = impl.replicas.front().model->parameters();
      auto to = replica.model->parameters();
      for (std::size_t k = 0; k < to.size(); ++k) to[k].set_data(from[k].data());
    }
    for (auto& parameter : replica.model->parameters()) {
      parameter.mutable_grad() = torch::zeros_like(parameter);
    }
    impl.replicas.push_back(std::move(replica));
  }
  impl.adam = std::make_unique<torch::optim::Adam>(
      impl.replicas.front().model->parameters(),
      torch::optim::AdamOptions().eps(impl.settings.adam_epsilon));
  impl.load_sparse();
  impl.restart_averages();
}

Learner::~Learner() = default;
Learner::Learner(Learner&&) noexcept = default;
Learner& Learner::operator=(Learner&&) noexcept = default;

void Learner::forward(int replica, std::span<const PlayerView> views,
                      std::span<const FullView> full, std::span<float> logits,
                      std::span<float> values) {
  if (views.empty()) return;
  require_scratch();
  const torch::NoGradGuard no_grad;
  at::set_num_threads(1);
  Impl::Replica& own = impl_->replicas[static_cast<std::size_t>(replica)];
  const auto [sums, critic_sums] = impl_->first_layers(own, views, full);
  const auto [policy, value] = own.model->after_first(sums, critic_sums);
  const torch::Tensor policy_host = policy.to(torch::kCPU).contiguous();
  const torch::Tensor value_host = value.to(torch::kCPU).contiguous();
  std::memcpy(logits.data(), policy_host.data_ptr<float>(),
              views.size() * kActions * sizeof(float));
  std::memcpy(values.data(), value_host.data_ptr<float>(), views.size() * sizeof(float));
}

void Learner::policy(int replica, std::span<const PlayerView> views, std::span<float> logits) {
  if (views.empty()) return;
  require_scratch();
  const torch::NoGradGuard no_grad;
  at::set_num_threads(1);
  Impl::Replica& own = impl_->replicas[static_cast<std::size_t>(replica)];
  const torch::Tensor hidden = own.model->trunk->after_first(impl_->first_layer(own, views));
  const torch::Tensor host = own.model->policy->forward(hidden).to(torch::kCPU).contiguous();
  std::memcpy(logits.data(), host.data_ptr<float>(), views.size() * kActions * sizeof(float));
}

void Learner::accumulate(int replica, std::span<const PlayerView> views,
                         std::span<const FullView> full,
                         const std::function<void(const NetworkOutputs&)>& loss) {
  if (views.empty()) return;
  require_scratch();
  at::set_num_threads(1);
  Impl& impl = *impl_;
  Impl::Replica& own = impl.replicas[static_cast<std::size_t>(replica)];
  auto [sums, critic_sums] = impl.first_layers(own, views, full);
  if (impl.sparse) {
    sums.set_requires_grad(true);
    if (critic_sums.defined()) critic_sums.set_requires_grad(true);
  }
  const auto [policy, value] = own.model->after_first(sums, critic_sums);
  const torch::Tensor policy_host = policy.detach().to(torch::kCPU).contiguous();
  const torch::Tensor value_host = value.detach().to(torch::kCPU).contiguous();
  torch::Tensor policy_grad = torch::empty_like(policy_host);
  torch::Tensor value_grad = torch::empty_like(value_host);
  loss({.logits = policy_host.data_ptr<float>(),
        .values = value_host.data_ptr<float>(),
        .logits_grad = policy_grad.data_ptr<float>(),
        .values_grad = value_grad.data_ptr<float>()});
  torch::autograd::backward({policy, value},
                            {policy_grad.to(impl.device), value_grad.to(impl.device)});
  if (!impl.sparse) return;
  impl.first->backward(own.rows, sums.grad().contiguous().data_ptr<float>(), own.gradient);
  if (critic_sums.defined()) {
    impl.critic_first->backward(impl.oracle() ? own.critic_rows : own.rows,
                                critic_sums.grad().contiguous().data_ptr<float>(),
                                own.critic_gradient);
  }
}

double Learner::step(double learning_rate, double max_grad_norm) {
  Impl& impl = *impl_;
  at::set_num_threads(1);
  auto parameters = impl.replicas.front().model->parameters();
  impl.move_sparse(impl.replicas.front());
  for (std::size_t r = 1; r < impl.replicas.size(); ++r) {
    impl.move_sparse(impl.replicas[r]);
    auto others = impl.replicas[r].model->parameters();
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      parameters[k].mutable_grad().add_(others[k].grad());
      others[k].mutable_grad().zero_();
    }
  }
  if (!impl.alone()) {
    std::vector<torch::Tensor> gradients;
    for (const torch::Tensor& parameter : parameters) gradients.push_back(parameter.grad());
    impl.through_flat(gradients, [&](std::span<float> flat) { impl.settings.peers->sum(flat); });
  }
  const double norm = torch::nn::utils::clip_grad_norm_(parameters, max_grad_norm);
  if (std::isfinite(norm)) {
    static_cast<torch::optim::AdamOptions&>(impl.adam->param_groups().front().options())
        .lr(learning_rate);
    impl.adam->step();
    impl.load_sparse();
    impl.follow_averages(adam_state(*impl.adam, parameters.front()).step());
  }
  for (auto& parameter : parameters) parameter.mutable_grad().zero_();
  if (!std::isfinite(norm)) {
    throw Diverged(fmt::format("a gradient has the norm {}", norm));
  }
  return norm;
}

void Learner::agree() {
  Impl& impl = *impl_;
  if (impl.alone()) return;
  impl.through_flat(impl.parameters(),
                    [&](std::span<float> flat) { impl.settings.peers->take_over(flat); });
  impl.load_sparse();
}

std::map<std::string, Tensor> Learner::weights() const {
  std::map<std::string, Tensor> tensors;
  for (const auto& item : impl_->replicas.front().model->named_parameters()) {
    tensors[item.key()] = to_host(item.value());
  }
  return tensors;
}

std::map<std::string, Tensor> Learner::optimiser() const {
  std::map<std::string, Tensor> tensors;
  std::int64_t steps = 0;
  for (const auto& item : impl_->replicas.front().model->named_parameters()) {
    const auto& state = adam_state(*impl_->adam, item.value());
    tensors["adam.first." + item.key()] = to_host(state.exp_avg());
    tensors["adam.second." + item.key()] = to_host(state.exp_avg_sq());
    steps = state.step();
  }
  if (!impl_->averages.empty()) {
    for (auto& [name, tensor] : averages())
      tensors[std::string(kAveragedBegin) + name] = std::move(tensor);
  }
  // Two halves: float32 holds integers up to 2^24 exactly.
  tensors["adam.steps"] = {{2},
                           {static_cast<float>(steps >> 20), static_cast<float>(steps & 0xFFFFF)}};
  return tensors;
}

std::map<std::string, Tensor> Learner::averages() const {
  if (impl_->averages.empty()) return weights();
  std::map<std::string, Tensor> tensors;
  const auto named = impl_->replicas.front().model->named_parameters();
  for (std::size_t k = 0; k < impl_->averages.size(); ++k) {
    tensors[named[k].key()] = to_host(impl_->averages[k]);
  }
  return tensors;
}

std::vector<std::string> Learner::start_from(const std::map<std::string, Tensor>& tensors) {
  const auto of_policy = [](std::string_view key) {
    return key.starts_with("trunk.") || key.starts_with("policy.");
  };
  const auto fits = [&](const auto& item) {
    const auto given = tensors.find(item.key());
    return given != tensors.end() && given->second.shape == item.value().sizes().vec();
  };
  const auto named = impl_->replicas.front().model->named_parameters();
  const bool same_critic = std::ranges::all_of(
      named, [&](const auto& item) { return of_policy(item.key()) || fits(item); });
  std::vector<std::string> missing;
  for (const auto& item : named) {
    if (same_critic || of_policy(item.key())) {
      copy_in(tensors, item.key(), item.value());
    } else {
      missing.push_back(item.key());
    }
  }
  impl_->load_sparse();
  impl_->restart_averages();
  return missing;
}

void Learner::load(const std::map<std::string, Tensor>& tensors) {
  const auto count = tensors.find("adam.steps");
  if (count == tensors.end() || count->second.data.size() != 2) {
    throw std::invalid_argument("tensor \"adam.steps\" is missing");
  }
  const std::int64_t steps = (static_cast<std::int64_t>(count->second.data[0]) << 20) +
                             static_cast<std::int64_t>(count->second.data[1]);
  for (auto& item : impl_->replicas.front().model->named_parameters()) {
    torch::Tensor& parameter = item.value();
    copy_in(tensors, item.key(), parameter);
    auto& state = adam_state(*impl_->adam, parameter);
    copy_in(tensors, "adam.first." + item.key(), state.exp_avg());
    copy_in(tensors, "adam.second." + item.key(), state.exp_avg_sq());
    state.step(steps);
  }
  const auto named = impl_->replicas.front().model->named_parameters();
  for (std::size_t k = 0; k < impl_->averages.size(); ++k) {
    copy_in(tensors, std::string(kAveragedBegin) + named[k].key(), impl_->averages[k]);
  }
  impl_->load_sparse();
}

double matrix_product_gflops() {
  const torch::InferenceMode inference;
  at::set_num_threads(1);
  const torch::Tensor a = torch::ones({512, 256}), b = torch::ones({256, 256});
  torch::Tensor c = torch::mm(a, b);
  using Clock = std::chrono::steady_clock;
  double best = 0;
  const auto end = Clock::now() + std::chrono::milliseconds(20);
  while (Clock::now() < end) {
    const auto start = Clock::now();
    for (int i = 0; i < 4; ++i) torch::mm_out(c, a, b);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    best = std::max(best, 4 * 2.0 * 512 * 256 * 256 / seconds / 1e9);
  }
  return best;
}

SingleThreaded::SingleThreaded() : before_(at::get_num_threads()) { at::set_num_threads(1); }

SingleThreaded::~SingleThreaded() { at::set_num_threads(before_); }

}  // namespace schafkopf
