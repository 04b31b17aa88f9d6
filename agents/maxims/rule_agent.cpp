#include "agents/maxims/rule_agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "agents/maxims/announcements.h"
#include "agents/maxims/maxims.h"
#include "agents/maxims/rule_options.h"

namespace schafkopf {

RuleVersion rule_version(int number) {
  RuleVersion version{};  // NOLINT(bugprone-invalid-enum-default-initialization): it is filled
  assign_member(Field{.key = kVersionKey}, std::int64_t{number}, version);
  return version;
}

RuleAgent::RuleAgent(double random, RuleVersion version) : random_(random), version_(version) {
  check_fields(RuleOptions{.random = random, .version = version});
}

std::string RuleAgent::name() const {
  const std::string random = random_ > 0.0 ? fmt::format("random={},", random_) : "";
  return fmt::format("rules:{}version={}", random, static_cast<int>(version_));
}

Action RuleAgent::choose(const PlayerView& view, const CompiledRules& rules, RuleVersion version,
                         std::string_view* reason) {
  if (reason != nullptr) {
    const Explanation explanation = explain(view, rules, version);
    *reason = explanation.maxim;
    return explanation.action;
  }
  if (!view.has(kFlagToAct)) return kActionPass;
  if (view.phase() != Phase::kPlay) return choose_announcement(view, rules);
  return choose_card(Situation(view, rules, version));
}

Explanation RuleAgent::explain(const PlayerView& view, const CompiledRules& rules,
                               RuleVersion version) {
  if (!view.has(kFlagToAct)) return {kActionPass, {}, {}, {}};
  if (view.phase() == Phase::kPlay) {
    const Situation situation(view, rules, version);
    const Maxim* maxim = nullptr;
    const Card card = choose_card(situation, &maxim);
    const MaximText reason = reason_of(situation, *maxim, card);
    return {card, reason.name, reason.source, reason.sentence};
  }
  const AnnouncementMaxim* maxim = nullptr;
  const Action action = choose_announcement(view, rules, &maxim);
  if (maxim == nullptr) return {action, {}, {}, {}};
  return {action, maxim->name, maxim->source, maxim->sentence};
}

std::vector<MaximText> all_maxims(RuleVersion version) {
  std::vector<MaximText> texts;
  const auto add = [&](const auto& entry) {
    const auto same = [&](const MaximText& text) {
      return text.name == entry.name && text.source == entry.source;
    };
    if (std::ranges::none_of(texts, same)) {
      texts.push_back({entry.name, entry.source, entry.sentence});
    }
  };
  for (int phase = 0; phase < kNumPhases; ++phase) {
    for (const AnnouncementMaxim& maxim : announcement_maxims(static_cast<Phase>(phase))) {
      add(maxim);
    }
  }
  for (const std::span<const Maxim> list : card_maxim_lists()) {
    for (const Maxim& maxim : list) {
      if (!maxim.versions.contain(version)) continue;
      add(maxim);
      for (const Leaning& leaning : maxim.leanings) add(leaning);
    }
  }
  return texts;
}

void RuleAgent::policy(const ViewBatch& batch, std::span<float> probabilities,
                       std::span<float> values) {
  std::ranges::fill(probabilities, 0.0f);
  std::ranges::fill(values, std::numeric_limits<float>::quiet_NaN());
  for (std::size_t row = 0; row < batch.size; ++row) {
    const ActionMask mask = without_claims(legal_actions(batch.cards[row]));
    const int count = mask.count();
    if (count == 0) continue;
    const Action action = choose(batch.view(row), batch.rules_of(row), version_);
    const float share = static_cast<float>(random_) / static_cast<float>(count);
    for (int n = 0; n < count && random_ > 0.0; ++n) {
      probabilities[row * kNumActions + mask.nth(n)] = share;
    }
    probabilities[row * kNumActions + action] += 1.0f - static_cast<float>(random_);
  }
}

void RuleAgent::act(const ViewBatch& batch, std::span<const RngKey> keys,
                    std::span<Action> actions) {
  for (std::size_t row = 0; row < batch.size; ++row) {
    const ActionMask mask = without_claims(legal_actions(batch.cards[row]));
    const std::uint64_t luck = random_ > 0.0 ? draw(keys[row]) : 0;
    if (random_ > 0.0 && !mask.empty() && unit_interval(luck) < random_) {
      actions[row] = mask.nth(below(mix64(luck), mask.count()));
    } else {
      actions[row] =
          mask.empty() ? kActionPass : choose(batch.view(row), batch.rules_of(row), version_);
    }
  }
}

std::unique_ptr<BatchPolicy> RuleAgent::clone() const {
  return std::make_unique<RuleAgent>(random_, version_);
}

}  // namespace schafkopf
