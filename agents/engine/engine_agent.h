// A player in another process that speaks the engine protocol (PROTOCOL.md) over standard input and
// output: "engine:COMMAND".
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/basic/random_agent.h"
#include "agents/engine/engine_options.h"
#include "agents/work/outside_player.h"
#include "env/view/policy.h"

namespace schafkopf {

class EngineTalk;
class EngineTeam;

/// Asks its program row by row: the views of the seats to act, never the game. A program that fails
/// (PlayerFailure) is started anew where that is needed, its decision is drawn among the legal
/// actions alike, and the failure is counted.
///
/// Every clone has a process of its own from its first question on; processes of clones that are
/// gone serve others. All end with the last clone.
class EngineAgent final : public BatchPolicy, public OutsidePlayer {
 public:
  /// Starts the program, so that a wrong command is an error at once. Throws std::invalid_argument
  /// naming the command: no program, no hello, another version of the protocol.
  explicit EngineAgent(const EngineOptions& options);
  EngineAgent(const EngineAgent&) = delete;
  EngineAgent& operator=(const EngineAgent&) = delete;
  ~EngineAgent() override;

  /// The probabilities of the program; its best action with 1 where it gives none. Throws
  /// std::runtime_error after EngineOptions::failures failures without an answer between them.
  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override;
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override;
  [[nodiscard]] OutsideReport outside() const override;
  [[nodiscard]] bool answers_alike() const override { return outside().deterministic; }
  [[nodiscard]] std::vector<const CardsLine*> take_failed() override;
  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override;

 private:
  explicit EngineAgent(std::shared_ptr<EngineTeam> team);
  template <class Take>
  void ask(const ViewBatch& batch, std::size_t row, const std::optional<RngKey>& key, Take take);

  void drop();

  std::shared_ptr<EngineTeam> team_;  // what all clones share
  std::unique_ptr<EngineTalk> talk_;  // the running program; null: not yet, or no more
  RandomAgent fallback_;
  std::vector<const CardsLine*> failed_;
};

}  // namespace schafkopf
