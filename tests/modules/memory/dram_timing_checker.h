// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "modules/memory/dram_config.h"

namespace tessera::test {

/// Records a channel's commands and judges them afterwards, pair by pair, straight from the
/// configuration; it shares no code with DramTiming.
class DramTimingChecker final : public DramCommandObserver {
 public:
  using Kind = DramCommand::Kind;

  explicit DramTimingChecker(const DramConfig& config) : config_(config) {}

  void on_command(const DramCommand& command) override { commands_.push_back(command); }

  /// All commands in order of cycle.
  std::vector<DramCommand> sorted() const;
  /// Cycles of the commands of one kind, in order; of one bank, unless `bank` is negative.
  std::vector<MemoryCycle> cycles(Kind kind, int bank = -1) const;
  /// Every violation, in words.
  std::vector<std::string> violations() const;

 private:
  const DramConfig config_;
  std::vector<DramCommand> commands_;
};

}  // namespace tessera::test
