// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "modules/host/flush_stages.h"
#include "modules/plan/plan.h"
#include "platforms/kernel_records.h"
#include "platforms/made_blocks.h"
#include "platforms/timeline/coherence_tracer.h"
#include "platforms/timeline/counter_sampler.h"
#include "platforms/timeline/event_recorders.h"
#include "platforms/timeline/event_trace.h"
#include "platforms/timeline/request_tracer.h"
#include "platforms/timeline/socket_recorder.h"

namespace tessera {

/// The time line of a platform: the recorders that its builder splices between sockets and
/// interfaces, or sets as observers. A platform without a time line has none of them, so that it
/// costs nothing. To be constructed during elaboration.
class SystemTimeline {
 public:
  /// `plan` and `made` must outlive it. `l1_clock_hz`: of the L1s. Throws InputError if the file
  /// cannot be created.
  SystemTimeline(const PlatformPlan& plan, const MadeBlocks& made, const TimelineOptions& options,
                 std::uint64_t l1_clock_hz);

  // While the platform is being built.

  SocketRecorder& splice(const PlannedLink& link);
  CoherenceRecorder& splice_coherence(const PlannedLink& link);
  /// The recorder of an SM's CTAs, which stands for both of them. `sm`: its number.
  CtaRecorder& splice_ctas(std::uint32_t sm, CtaSinkIf& ctas, DispatchEventsIf& dispatcher);
  FlushIf& splice(FlushIf& cache);
  FlushStages splice(FlushStages stages);
  /// When all blocks have been made.
  void observe();

  // While it runs.

  /// When all statistics are registered.
  void start(const StatisticsRegistry& registry) { sampler_.start(registry); }
  void start_kernel(const StartedLaunch& launch, const std::string& name);
  void begin_kernel(LaunchId launch, Tick at);
  void end_kernel(LaunchId launch, Tick at);
  /// At the end of the run, or of its window: completes the file. Later events have no effect.
  void finish(Tick at);

 private:
  struct Kernel {
    std::string name;
    Tick since = 0;
  };
  template <class Interface>
  EventLanes& flush_lanes(const Interface& cache);

  const PlatformPlan& plan_;
  const MadeBlocks& made_;
  EventTrace trace_;
  const ClockDomain l1_clock_;
  RequestTracer requests_;
  CoherenceTracer coherence_;
  std::vector<std::int64_t> in_flight_;  ///< by block
  CounterSampler sampler_;
  EventLanes& kernel_lanes_;
  std::map<LaunchId, Kernel> kernels_;
  std::deque<SocketRecorder> sockets_;
  std::deque<CoherenceRecorder> coherence_sockets_;
  std::deque<CtaRecorder> ctas_;
  std::map<const void*, std::unique_ptr<FlushRecorder>> flushes_;          ///< by cache
  std::map<const void*, std::unique_ptr<WriteBackRecorder>> write_backs_;  ///< by cache
  std::map<PlannedBlockId, EventLanes*> flush_lanes_;
  std::deque<RowRecorder> rows_;
  std::deque<BlockEventRecorder> events_;
};

}  // namespace tessera
