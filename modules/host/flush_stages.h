// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "modules/kernel/time.h"
#include "modules/kernel/waiting.h"
#include "modules/protocol/flush.h"

namespace tessera {

/// Caches that are flushed together when a kernel ends. The stage does not own them.
struct FlushStage {
  std::string name;  ///< for the watchdog: "l1", "memory side"
  /// Caches without dirty bytes: they are empty two cycles after the flush.
  std::vector<FlushIf*> drop;
  /// Caches that write back and then acknowledge. Caches that need no flush take no time.
  std::vector<SliceFlushIf*> write_back;
  /// While accesses are in flight: the same of copies only, which stay.
  std::vector<SliceFlushIf*> write_back_copies;
  /// While accesses are in flight: caches whose copies are gone two cycles later.
  std::vector<SliceFlushIf*> drop_copies;
};

/// Whether other kernels run on the GPUs while the caches are flushed.
enum class FlushMode : std::uint8_t { kAlone, kBesideKernels };

/// The stages of a flush, by FlushMode.
using FlushStages = std::array<std::vector<FlushStage>, 2>;

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
  void set_stages(FlushStages stages) { stages_ = std::move(stages); }

  /// Begins a stage at a clock edge. A stage that this GPU does not have is empty. `launch`: for
  /// which write-backs are counted.
  void begin(FlushMode mode, std::size_t stage, LaunchSlot launch, Tick t);
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
  FlushStages stages_;
  bool running_ = false;
  std::string name_;    ///< of the running stage
  Tick stage_end_ = 0;  ///< earliest end of the stage, as far as it is known
  Tick wrote_back_until_ = 0;
  std::size_t outstanding_ = 0;  ///< acknowledgements not received yet
};

/// The stages of one flush of all GPUs, in order.
class FlushSequence {
 public:
  explicit FlushSequence(const ClockDomain& clock) : clock_(clock) {}

  void have_stages(const FlushStages& stages);
  void begin(FlushMode mode);
  bool running() const { return running_; }
  FlushMode mode() const { return mode_; }
  /// The previous stage has ended. Returns the next one, or nothing: the flush has ended.
  std::optional<std::size_t> next(Tick t);
  /// A stage of a GPU has ended whose last acknowledgement took effect at `until`; 0 if none did.
  void ended(Tick until) { wrote_back_until_ = std::max(wrote_back_until_, until); }
  /// In which caches wrote back, in this flush.
  std::uint64_t cycles() const { return cycles_; }
  void reset() { running_ = false; }

 private:
  const ClockDomain& clock_;
  std::array<std::size_t, 2> stages_{};
  FlushMode mode_ = FlushMode::kAlone;
  bool running_ = false;
  std::size_t stage_ = 0;  ///< next
  Tick began_ = 0;
  Tick wrote_back_until_ = 0;
  std::uint64_t cycles_ = 0;
};

}  // namespace tessera
