#include "agents/search/endgame.h"

#include <algorithm>
#include <utility>

namespace schafkopf {

EndgameAgent::EndgameAgent(std::unique_ptr<BatchPolicy> first, std::string name,
                           const EndgameOptions& options, const BatchPolicy* own)
    : first_(std::move(first)),
      beliefs_(make_beliefs(options.beliefs, own == nullptr ? *first_ : *own)),
      name_(std::move(name)),
      options_(options) {
  check_fields(options);
}

EndgameAgent::EndgameAgent(const EndgameAgent& other)
    : BatchPolicy(other),
      first_(copy_of(*other.first_)),
      beliefs_(other.beliefs_ ? copy_of(*other.beliefs_) : nullptr),
      name_(other.name_),
      options_(other.options_) {}

bool EndgameAgent::searches(const PlayerView& view, const CompiledRules& rules) const {
  return view.trick_number() + 1 >= options_.trick && CardSearch::can_search(view, rules) &&
         CardSet(view.cards.legal).count() > 1;
}

void EndgameAgent::policy(const ViewBatch& batch, std::span<float> probabilities,
                          std::span<float> values) {
  first_->policy(batch, probabilities, values);
  const WorldChoiceOptions options{.worlds = options_.worlds,
                                   .clear = options_.clear,
                                   .seed = options_.seed,
                                   .beliefs = beliefs_.get()};
  for (std::size_t row = 0; row < batch.size; ++row) {
    const PlayerView view = batch.view(row);
    const CompiledRules& rules = batch.rules_of(row);
    if (!searches(view, rules)) continue;
    const std::span<float> own = probabilities.subspan(row * kNumActions, kNumActions);
    const auto first = static_cast<Action>(std::ranges::max_element(own) - own.begin());
    if (first >= kNumCards || !CardSet(view.cards.legal).contains(first)) {
      continue;  // it claims the rest
    }
    const CardChoice choice = choose_by_worlds(search_, view, rules, first, options);
    std::ranges::fill(own, 0.0F);
    own[choice.card] = 1.0F;
    if (!values.empty()) values[row] = choice.value;
  }
}

std::unique_ptr<BatchPolicy> EndgameAgent::clone() const {
  return std::unique_ptr<BatchPolicy>(new EndgameAgent(*this));
}

}  // namespace schafkopf
