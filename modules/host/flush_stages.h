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

/// Runs the flush stages at a kernel's end, one after the other. A stage begins when the previous
/// stage has ended, so that a cache's write-backs are in the next level before that level is
/// flushed.
///
/// Timing, in cycles of `clock`: dropped caches take two cycles. Caches that write back take until
/// the edge after the last acknowledgement. A stage takes the longer of the two. A stage takes no
/// time if none of its caches needs a flush.
class FlushSequence {
 public:
  /// `wake`: called with the time at which advance() must be called next.
  FlushSequence(const ClockDomain& clock, std::function<void(Tick)> wake)
      : clock_(clock), wake_(std::move(wake)) {}

  /// Replaces the stages. Not while a stage is running.
  void set_stages(std::vector<FlushStage> stages) { stages_ = std::move(stages); }
  const std::vector<FlushStage>& stages() const { return stages_; }

  /// Begins the first stage at a clock edge.
  void begin(Tick t);
  bool running() const { return running_; }
  /// Begins the stages that are due at this clock edge. Returns true when the last stage has ended.
  bool advance(Tick t);

  /// Cycles of write-backs since the last begin().
  std::uint64_t write_back_cycles() const { return write_back_cycles_; }
  void describe_waiting(const std::string& base, std::vector<Waiting>& out) const;
  void reset();

 private:
  void begin_stage(Tick t);
  void acknowledge(Tick began);

  const ClockDomain& clock_;
  std::function<void(Tick)> wake_;
  std::vector<FlushStage> stages_;
  bool running_ = false;
  std::size_t stage_ = 0;        ///< running stage
  Tick stage_end_ = 0;           ///< earliest end of the stage, as far as it is known
  std::size_t outstanding_ = 0;  ///< acknowledgements not received yet
  std::uint64_t write_back_cycles_ = 0;
};

}  // namespace tessera
