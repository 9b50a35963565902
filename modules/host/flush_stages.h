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

/// Caches that are flushed together at a kernel's end. Names none that it does not own.
struct FlushStage {
  std::string name;  ///< for the watchdog: "l1", "memory side"
  /// Caches without written bytes: they are empty two cycles after the flush.
  std::vector<FlushIf*> drop;
  /// Caches that write back and then acknowledge. Those that need no flush take no time.
  std::vector<SliceFlushIf*> write_back;
};

/// Runs the stages of a kernel's end one after the other: a stage begins when the one before it has
/// ended, so that what a cache writes back is in the next level before that level is flushed.
///
/// Timing, in cycles of `clock`: dropped caches take two cycles; caches that write back take until
/// the edge after the last acknowledgement. A stage takes the longer of the two, and none at all
/// when nothing in it needs a flush.
class FlushSequence {
 public:
  /// `wake`: called when advance() is to be called at a later time.
  FlushSequence(const ClockDomain& clock, std::function<void(Tick)> wake)
      : clock_(clock), wake_(std::move(wake)) {}

  /// Replaces the stages; none may be running.
  void set_stages(std::vector<FlushStage> stages) { stages_ = std::move(stages); }
  const std::vector<FlushStage>& stages() const { return stages_; }

  /// Begins the first stage at a clock edge.
  void begin(Tick t);
  bool running() const { return running_; }
  /// At a clock edge: begins the stages that are due. True when the last one has ended.
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
  std::size_t stage_ = 0;        ///< that runs
  Tick stage_end_ = 0;           ///< known part of it; no earlier
  std::size_t outstanding_ = 0;  ///< acknowledgements
  std::uint64_t write_back_cycles_ = 0;
};

}  // namespace tessera
