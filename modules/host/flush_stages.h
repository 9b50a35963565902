// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
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

/// The stage that a dispatcher orders next: after a kernel's CTAs, or before those of the next one.
class FlushSequence {
 public:
  explicit FlushSequence(const ClockDomain& clock) : clock_(clock) {}

  void have_stages(std::size_t stages) { stages_ = std::max(stages_, stages); }
  /// From now on, a kernel ends without flush, and the next one begins with it.
  void put_off() { put_off_ = true; }

  /// A kernel begins. Returns whether a flush precedes its CTAs.
  bool begin_kernel();
  void end_ctas() { due_ = put_off_; }
  /// Whether the stages before CTAs are not over, or a stage after CTAs has been ordered.
  bool running() const { return precedes_ || stage_ != 0; }
  bool precedes() const { return precedes_; }
  /// The previous stage has ended. Returns the next one, or nothing.
  std::optional<std::size_t> next(Tick t);
  /// Before CTAs: they begin.
  void end();
  /// A stage of a GPU has ended whose last acknowledgement took effect at `until`; 0 if none did.
  void ended(Tick until) { wrote_back_until_ = std::max(wrote_back_until_, until); }
  /// Of caches that wrote back, in this kernel.
  std::uint64_t cycles() const { return cycles_; }
  void reset();

 private:
  const ClockDomain& clock_;
  std::size_t stages_ = 0;
  bool put_off_ = false;
  bool due_ = false;       ///< before the next kernel
  bool precedes_ = false;  ///< CTAs that have not begun
  std::size_t stage_ = 0;  ///< next
  Tick began_ = 0;
  Tick wrote_back_until_ = 0;
  std::uint64_t cycles_ = 0;
};

}  // namespace tessera
