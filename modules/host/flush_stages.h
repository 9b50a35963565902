// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "modules/core/block.h"
#include "modules/core/flush.h"
#include "modules/core/time.h"

namespace tessera {

/// Caches that are flushed together when a kernel ends. The stage does not own them.
struct FlushStage {
  std::string name;  ///< for the watchdog: "l1", "memory side"
  /// Caches without dirty bytes: they are empty two cycles after the flush.
  std::vector<FlushIf*> drop;
  /// Caches that write back and then acknowledge. Caches that need no flush take no time.
  std::vector<SliceFlushIf*> write_back;
};

/// Runs the flush stages of one GPU, each on demand. The next stage begins when the previous one
/// has ended in all GPUs, so that a cache's write-backs are in the next level before that level is
/// flushed.
///
/// Timing, in cycles of `clock`: dropped caches take two cycles. Caches that write back take until
/// the edge after the last acknowledgement. A stage takes the longer of the two. A stage takes no
/// time if none of its caches needs a flush.
class StageFlush {
 public:
  /// `wake`: called with the time at which ended() must be called next.
  StageFlush(const ClockDomain& clock, std::function<void(Tick)> wake)
      : clock_(clock), wake_(std::move(wake)) {}

  /// Replaces the stages. Not while a stage is running.
  void set_stages(std::vector<FlushStage> stages) { stages_ = std::move(stages); }

  /// Begins a stage at a clock edge. A stage that this GPU does not have is empty.
  void begin(std::size_t stage, Tick t);
  bool running() const { return running_; }
  /// Whether the running stage has ended at this clock edge; it is then no longer running.
  bool ended(Tick t);
  /// Clock edge after the last acknowledgement of the stage; 0 if no cache had to write back.
  Tick wrote_back_until() const { return wrote_back_until_; }

  void describe_waiting(const std::string& base, std::vector<Waiting>& out) const;
  void reset();

 private:
  void acknowledge();

  const ClockDomain& clock_;
  std::function<void(Tick)> wake_;
  std::vector<FlushStage> stages_;
  bool running_ = false;
  std::size_t stage_ = 0;  ///< running stage
  Tick stage_end_ = 0;     ///< earliest end of the stage, as far as it is known
  Tick wrote_back_until_ = 0;
  std::size_t outstanding_ = 0;  ///< acknowledgements not received yet
};

}  // namespace tessera
