// SPDX-License-Identifier: Apache-2.0
#include "platforms/timeline/system_timeline.h"

#include <utility>

#include "modules/memory/dram_channel.h"
#include "modules/plan/block_kind.h"
#include "modules/sm/sites.h"

namespace tessera {

SystemTimeline::SystemTimeline(const PlatformPlan& plan, const MadeBlocks& made,
                               const TimelineOptions& options, std::uint64_t l1_clock_hz)
    : plan_(plan),
      made_(made),
      trace_(plan, options),
      l1_clock_(l1_clock_hz),
      requests_(trace_, plan),
      coherence_(trace_, plan, requests_),
      in_flight_(plan.blocks.size()),
      sampler_("timeline_counters", trace_, plan, in_flight_),
      kernel_lanes_(trace_.lanes(trace_.node(0), "kernels")) {}

// Splices.

SocketRecorder& SystemTimeline::splice(const PlannedLink& link) {
  RecordedLink recorded{link.from, link.to};
  recorded.to_l1 = kind_of(plan_.blocks[link.to]).level == "l1";
  recorded.from_l1 = kind_of(plan_.blocks[link.from]).level == "l1";
  return sockets_.emplace_back(("timeline" + std::to_string(sockets_.size())).c_str(), recorded,
                               l1_clock_, requests_,
                               plan_.coherence.empty() ? nullptr : &coherence_, in_flight_);
}

CoherenceRecorder& SystemTimeline::splice_coherence(const PlannedLink& link) {
  return coherence_sockets_.emplace_back(
      ("timeline_coherence" + std::to_string(coherence_sockets_.size())).c_str(), link.from,
      link.to, coherence_);
}

CtaRecorder& SystemTimeline::splice_ctas(std::uint32_t sm, CtaSinkIf& ctas,
                                         DispatchEventsIf& dispatcher) {
  std::uint32_t number = 0;
  PlannedBlockId block = 0;
  for (PlannedBlockId b = 0; b < plan_.blocks.size(); ++b) {
    if (made_[b].find<SmHandle>() == nullptr) continue;
    block = b;
    if (number++ == sm) break;
  }
  return ctas_.emplace_back(trace_, trace_.block(block), ctas, dispatcher);
}

/// The lanes of a cache's flushes.
template <class Interface>
EventLanes& SystemTimeline::flush_lanes(const Interface& cache) {
  PlannedBlockId block = 0;
  while (block + 1 < plan_.blocks.size() && made_[block].find<Interface>() != &cache) ++block;
  EventLanes*& lanes = flush_lanes_[block];
  if (lanes == nullptr) lanes = &trace_.lanes(trace_.block(block), "flushes");
  return *lanes;
}

FlushIf& SystemTimeline::splice(FlushIf& cache) {
  auto& recorder = flushes_[&cache];
  if (!recorder) recorder = std::make_unique<FlushRecorder>(trace_, flush_lanes(cache), cache);
  return *recorder;
}

FlushStages SystemTimeline::splice(FlushStages stages) {
  const auto splice_each = [this](std::vector<SliceFlushIf*>& caches) {
    for (SliceFlushIf*& cache : caches) {
      auto& recorder = write_backs_[cache];
      if (!recorder) {
        recorder = std::make_unique<WriteBackRecorder>(trace_, flush_lanes(*cache), *cache);
      }
      cache = recorder.get();
    }
  };
  for (std::vector<FlushStage>& mode : stages) {
    for (FlushStage& stage : mode) {
      for (FlushIf*& cache : stage.drop) cache = &splice(*cache);
      splice_each(stage.write_back);
      splice_each(stage.write_back_copies);
      splice_each(stage.drop_copies);
    }
  }
  return stages;
}

void SystemTimeline::observe() {
  for (PlannedBlockId b = 0; b < plan_.blocks.size(); ++b) {
    if (auto* const channel = made_[b].find<DramChannel>()) {
      channel->observe(&rows_.emplace_back(trace_, trace_.block(b), channel->clock()));
    }
    if (auto* const block = made_[b].find<ObservedIf>()) {
      block->observe_events(events_.emplace_back(trace_, trace_.block(b)));
    }
    auto* const l1 = made_[b].find<umh::CoherentCacheBlock>();
    if (l1 != nullptr && kind_of(plan_.blocks[b]).level == "l1") {
      l1->observe(coherence_.observer(b));
    }
  }
}

// Kernels.

void SystemTimeline::start_kernel(const StartedLaunch& launch, const std::string& name) {
  kernels_[launch.launch] = {name, launch.ready_at};
}

void SystemTimeline::begin_kernel(LaunchId launch, Tick at) {
  const auto found = kernels_.find(launch);
  if (found != kernels_.end()) found->second.since = at;
}

void SystemTimeline::end_kernel(LaunchId launch, Tick at) {
  const auto found = kernels_.find(launch);
  if (found == kernels_.end()) return;
  trace_.slice(kernel_lanes_, found->second.name, found->second.since, at,
               {EventValue::of("launch", launch)});
  kernels_.erase(found);
}

void SystemTimeline::finish(Tick at) {
  while (!kernels_.empty()) end_kernel(kernels_.begin()->first, at);
  for (CtaRecorder& r : ctas_) r.finish(at);
  for (RowRecorder& r : rows_) r.finish(at);
  coherence_.finish();
  requests_.finish(at);
  sampler_.finish(at);
  const std::optional<std::string> lost = trace_.finish();
  const TimelineOptions& options = trace_.options();
  if (lost && options.on_incomplete) options.on_incomplete(*lost);
  if (at < options.from && options.on_empty) options.on_empty(at);
}

}  // namespace tessera
