// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/stall_stages.h"

#include <algorithm>
#include <string>

#include "modules/kernel/statistics_visitor.h"
#include "modules/protocol/memory_request.h"
#include "modules/sm/sm_time.h"

namespace tessera {

void describe(StatisticsVisitor& v, MemoryStallStats& s) {
  static constexpr std::array<const char*, kLoadStages> kPlaces = {
      "in the load/store unit, with its translation",
      "in the L1, as a hit or after an older miss of its line",
      "in the L1, as a miss: lookup, MSHRs, the queue to the network",
      "between the L1 and the home slice, or the L2 of a coherent hierarchy",
      "in the home slice, or the L2 of a coherent hierarchy",
      "between the home slice and its DRAM channel, or below the L2 of a coherent hierarchy",
      "in the home slice after the DRAM channel's response (0 in coherent hierarchies)",
      "between the home slice, or the L2 of a coherent hierarchy, and the SM"};
  for (std::size_t i = 0; i < kLoadStages; ++i) {
    v.cycles(
        std::string("memory_stall_") + kLoadStageNames[i] + "_cycles", s.by_stage[i],
        std::string("in which no warp could issue, and the load that ended it was ") + kPlaces[i]);
  }
}

namespace {

/// f(field of a, field of b) for all fields.
template <class A, class B, class F>
void for_fields(A& a, B& b, F f) {
  for (std::size_t i = 0; i < kLoadStages; ++i) f(a.stats.by_stage[i], b.stats.by_stage[i]);
  for (std::size_t p = 0; p < kLoadPaths; ++p) {
    for (std::size_t i = 0; i < MemoryWaits::kAges; ++i) {
      f(a.ages[p][i], b.ages[p][i]);
      f(a.age_waits[p][i], b.age_waits[p][i]);
    }
  }
}

constexpr std::array<Counter SmTime::*, 6> kSlots = {
    &SmTime::issued_slots,     &SmTime::idle_slots,   &SmTime::structural_slots,
    &SmTime::dependency_slots, &SmTime::memory_slots, &SmTime::barrier_slots};

}  // namespace

MemoryWaits& MemoryWaits::operator+=(const MemoryWaits& o) {
  for_fields(*this, o, [](auto& a, const auto& b) { a += b; });
  return *this;
}

MemoryWaits MemoryWaits::operator-(const MemoryWaits& o) const {
  MemoryWaits d = *this;
  for_fields(d, o, [](auto& a, const auto& b) { a -= b; });
  return d;
}

SmTime& SmTime::operator+=(const SmTime& o) {
  for (const auto slots : kSlots) this->*slots += o.*slots;
  memory += o.memory;
  return *this;
}

SmTime SmTime::operator-(const SmTime& o) const {
  SmTime d = *this;
  for (const auto slots : kSlots) d.*slots -= o.*slots;
  d.memory = memory - o.memory;
  return d;
}

LoadStageTimes::LoadStageTimes(Tick issued, Tick sent, const MemoryRequest& request, Tick arrived) {
  path_ = request.stamp(Hop::kIssued) == kNever   ? LoadPath::kL1
          : request.stamp(Hop::kToDram) == kNever ? LoadPath::kLlc
                                                  : LoadPath::kDram;
  const bool miss = path_ != LoadPath::kL1;
  entered_ = {issued,
              sent,
              miss ? sent : kNever,
              request.stamp(Hop::kIssued),
              request.stamp(Hop::kAtLlc),
              request.stamp(Hop::kToDram),
              request.stamp(Hop::kFromDram),
              request.stamp(Hop::kFromLlc),
              arrived};
  for (std::size_t i = kLoadStages; i-- > 0;) entered_[i] = std::min(entered_[i], entered_[i + 1]);
}

void LoadStageTimes::add_since(Tick begin, const ClockDomain& clock, MemoryWaits& waits) const {
  const LoadStage first = path_ == LoadPath::kL1 ? LoadStage::kL1Hit : LoadStage::kRequestNetwork;
  const Tick origin = entered_[static_cast<std::size_t>(first)];
  const std::uint64_t age = begin <= origin ? 0 : clock.cycles_in(begin - origin);
  const std::size_t bits = age == 0 ? 0 : 64 - static_cast<std::size_t>(__builtin_clzll(age));
  const std::size_t bucket = std::min(bits, MemoryWaits::kAges - 1);
  const auto path = static_cast<std::size_t>(path_);
  ++waits.ages[path][bucket];
  if (entered_.back() > begin) waits.age_waits[path][bucket] += entered_.back() - begin;
  for (std::size_t i = 0; i < kLoadStages; ++i) {
    const Tick end = entered_[i + 1];
    if (end > begin) waits.stats.by_stage[i] += end - std::max(begin, entered_[i]);
  }
}

}  // namespace tessera
