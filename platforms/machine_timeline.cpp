// SPDX-License-Identifier: Apache-2.0
#include "platforms/machine_timeline.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "common/json.h"

namespace tessera {

using nlohmann::ordered_json;

namespace {

std::uint64_t ns_at(Tick t) { return t / kTicksPerNs; }

// States of a core.
constexpr auto kExecutesState = static_cast<unsigned>(CoreActivity::kExecutes);
constexpr auto kWaitsState = static_cast<unsigned>(CoreActivity::kWaits);
constexpr auto kStoppedState = static_cast<unsigned>(CoreActivity::kStopped);
constexpr unsigned kAccessesState = kStoppedState + 1;
static_assert(kAccessesState < StateInterval::kStates);
// Others: of DETAIL, and of page faults that wait.
constexpr unsigned kUnset = 0;
constexpr unsigned kSet = 1;

/// The intervals with time in states that have a name.
ordered_json intervals_json(const StateTimeline& timeline,
                            std::initializer_list<std::pair<unsigned, const char*>> names) {
  ordered_json all = ordered_json::array();
  for (const StateInterval& i : timeline.intervals()) {
    ordered_json one = {{"begin_ns", i.begin}, {"end_ns", i.end}};
    const std::size_t without = one.size();
    for (const auto& [state, name] : names) {
      const std::uint64_t time = i.in[state];
      if (time != 0) one[name] = time;
    }
    if (one.size() != without) all.push_back(std::move(one));
  }
  return all;
}

/// Without events of a core that is ahead of the run's end.
ordered_json marks_json(const SpanTimeline& timeline, std::uint64_t end) {
  ordered_json all = ordered_json::array();
  for (const TimelineSpan& s : timeline.spans()) {
    if (s.begin > end) break;
    all.push_back({{"begin_ns", s.begin}, {"end_ns", std::min(s.end, end)}, {"counts", s.counts}});
  }
  return all;
}

ordered_json launches_json(const SpanTimeline& timeline) {
  ordered_json all = ordered_json::array();
  for (const TimelineSpan& s : timeline.spans()) {
    all.push_back(
        {{"begin_ns", s.begin}, {"end_ns", s.end}, {"busy_ns", s.busy}, {"launches", s.counts}});
  }
  return all;
}

}  // namespace

MachineTimeline::MachineTimeline(std::uint32_t harts, std::uint32_t gpus, bool detailed)
    : cores_(harts), gpus_(gpus), detail_(detailed ? kSet : kUnset) {}

void MachineTimeline::set_activity(std::uint32_t hart, CoreActivity activity, Tick at) {
  if (!ended_) cores_[hart].activity.set(static_cast<unsigned>(activity), ns_at(at));
}

void MachineTimeline::access(std::uint32_t hart, Tick begin, Tick end) {
  if (!ended_) cores_[hart].activity.add_part(kAccessesState, ns_at(begin), ns_at(end));
}

void MachineTimeline::interrupt(std::uint32_t hart, std::uint64_t wires, Tick at) {
  if (ended_) return;
  constexpr std::pair<std::uint64_t, const char*> kNames[] = {
      {Iss::kMsip, "software"},
      {Iss::kMtip, "timer"},
      {Iss::kMeip, "external"},
      {Iss::kSeip, "external, supervisor mode"}};
  for (const auto& [bit, name] : kNames) {
    if ((wires & bit) != 0) cores_[hart].interrupts.mark(name, ns_at(at));
  }
}

void MachineTimeline::exception(std::uint32_t hart, std::uint64_t cause, Tick at) {
  if (!ended_) cores_[hart].exceptions.mark("cause " + std::to_string(cause), ns_at(at));
}

void MachineTimeline::doorbell(std::uint32_t hart, std::uint32_t queue, Tick at) {
  if (!ended_) cores_[hart].doorbells.mark("queue " + std::to_string(queue), ns_at(at));
}

void MachineTimeline::start_kernel(const StartedLaunch& launch, const std::string& name) {
  if (ended_) return;
  kernels_[launch.launch] = {name, launch.stream, launch.ready_at,
                             std::vector<bool>(gpus_.size(), true)};
}

void MachineTimeline::begin_kernel(LaunchId launch, Tick at) {
  const auto k = kernels_.find(launch);
  if (k != kernels_.end()) k->second.begin = at;
}

void MachineTimeline::end_on_gpu(LaunchId launch, GpuId gpu, Tick first_cta_at, Tick at) {
  const auto k = kernels_.find(launch);
  if (k == kernels_.end()) return;
  k->second.runs_on[gpu.value] = false;
  if (first_cta_at == kNever) return;
  gpus_[gpu.value].queues[k->second.queue].add(k->second.name, ns_at(first_cta_at), ns_at(at));
}

void MachineTimeline::end_unfinished(const Kernel& kernel, Tick at) {
  for (std::size_t g = 0; g < gpus_.size(); ++g) {
    if (!kernel.runs_on[g] || ns_at(at) <= ns_at(kernel.begin)) continue;
    gpus_[g].queues[kernel.queue].add(kernel.name, ns_at(kernel.begin), ns_at(at));
  }
}

void MachineTimeline::end_kernel(LaunchId launch, Tick at) {
  const auto k = kernels_.find(launch);
  if (k == kernels_.end()) return;
  end_unfinished(k->second, at);
  kernels_.erase(k);
}

void MachineTimeline::set_fault(std::uint64_t gpu, bool waits, Tick at) {
  if (ended_ || gpu >= gpus_.size()) return;
  Gpu& g = gpus_[gpu];
  g.waiting += waits ? 1 : -1;
  g.faults.set(g.waiting == 0 ? kUnset : kSet, ns_at(at));
}

void MachineTimeline::set_detail(bool detailed, Tick at) {
  if (!ended_) detail_.set(detailed ? kSet : kUnset, ns_at(at));
}

void MachineTimeline::end(Tick at) {
  if (ended_) return;
  ended_ = true;
  end_ns_ = ns_at(at);
  for (Core& c : cores_) c.activity.end(end_ns_);
  for (const auto& [launch, kernel] : kernels_) end_unfinished(kernel, at);
  kernels_.clear();
  for (Gpu& g : gpus_) g.faults.end(end_ns_);
  detail_.end(end_ns_);
}

ordered_json MachineTimeline::to_json() const {
  ordered_json cores = ordered_json::array();
  for (std::size_t h = 0; h < cores_.size(); ++h) {
    const Core& c = cores_[h];
    cores.push_back({{"name", "board.core" + std::to_string(h)},
                     {"executing_ns", c.activity.time_in(kExecutesState)},
                     {"accessing_ns", c.activity.time_in(kAccessesState)},
                     {"waiting_ns", c.activity.time_in(kWaitsState)},
                     {"stopped_ns", c.activity.time_in(kStoppedState)},
                     {"resolution_ns", c.activity.resolution()},
                     {"intervals", intervals_json(c.activity, {{kExecutesState, "executing_ns"},
                                                               {kAccessesState, "accessing_ns"},
                                                               {kWaitsState, "waiting_ns"},
                                                               {kStoppedState, "stopped_ns"}})},
                     {"interrupts", marks_json(c.interrupts, end_ns_)},
                     {"exceptions", marks_json(c.exceptions, end_ns_)},
                     {"doorbells", marks_json(c.doorbells, end_ns_)}});
  }
  ordered_json gpus = ordered_json::array();
  for (std::size_t g = 0; g < gpus_.size(); ++g) {
    ordered_json queues = ordered_json::array();
    for (const auto& [name, spans] : gpus_[g].queues) {
      queues.push_back({{"name", name},
                        {"resolution_ns", spans.resolution()},
                        {"kernels", launches_json(spans)}});
    }
    gpus.push_back({{"name", "gpu" + std::to_string(g)},
                    {"queues", std::move(queues)},
                    {"page_faults", intervals_json(gpus_[g].faults, {{kSet, "waiting_ns"}})}});
  }
  return {{"end_ns", end_ns_},
          {"cores", std::move(cores)},
          {"gpus", std::move(gpus)},
          {"detail", intervals_json(detail_, {{kSet, "detail_ns"}})}};
}

}  // namespace tessera
