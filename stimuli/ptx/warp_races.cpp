// SPDX-License-Identifier: Apache-2.0
// --check-races: a warp's reports to the race detectors of its CTA and of its launch.

#include <array>

#include "stimuli/ptx/lane_access.h"
#include "stimuli/ptx/warp.h"

namespace tessera::ptx {

/// An access of shared or global memory with a race check of each lane.
void Warp::run_checked(const Decoded& d, const MemoryOp& op, std::byte* base,
                       const std::uint64_t* offsets, RunAccess run) {
  std::array<std::byte, kWarpLanes * std::size_t{kMaxLaneBytes}> before;
  for_lanes(op.active, [&](unsigned i) {
    __builtin_memcpy(&before[std::size_t{i} * kMaxLaneBytes], base + offsets[i], op.lane_bytes);
  });
  (this->*run)(d, op, base, offsets);
  for_lanes(op.active, [&](unsigned i) {
    check_race(d, op, i, &before[std::size_t{i} * kMaxLaneBytes], base + offsets[i]);
  });
}

/// `before`, `after`: the bytes in memory; null if they are not known yet.
void Warp::check_race(const Decoded& d, const MemoryOp& op, unsigned lane, const std::byte* before,
                      const std::byte* after) {
  const bool is_shared = op.space == Space::kShared;
  pass_barrier();
  RaceAccess a;
  a.agent = is_shared ? index_ : cta_.id().value;
  a.pc = pc_;
  a.kind = op.kind;
  a.strong = is_shared ? d.memory.strength != Strength::kWeak : d.memory.strength == Strength::kGpu;
  a.releases = races_->fenced;
  a.address = op.address[lane];
  a.bytes = op.lane_bytes;
  a.before = before;
  a.after = after;
  RaceDetector& detector = is_shared ? cta_.races()->shared : launch_.races()->global;
  if (const auto conflict = detector.access(a)) tell_race(op, lane, *conflict);
  if (!a.strong && op.kind == AccessKind::kStore) races_->fenced = false;
}

void Warp::tell_race(const MemoryOp& op, unsigned lane, const RaceConflict& with) {
  if (!launch_.races()->reported.emplace(pc_, with.wrote).second) return;
  const bool is_shared = op.space == Space::kShared;
  const char* what = op.kind == AccessKind::kLoad    ? "reads"
                     : op.kind == AccessKind::kStore ? "writes"
                                                     : "changes";
  std::string place = "byte " + std::to_string(op.address[lane]) + " of shared memory";
  std::string who = "warp " + std::to_string(with.agent) + " of the CTA";
  std::string since = "without a barrier between them";
  if (!is_shared) {
    const Allocation* in = launch_.memory().allocations->find(op.address[lane], 1);
    const Dim3 grid = launch_.grid();
    const std::uint32_t c = with.agent;
    place = in == nullptr ? hex(op.address[lane])
                          : "'" + in->name + "' + " + std::to_string(op.address[lane] - in->begin);
    who = "CTA " + text_of(Dim3{c % grid.x, c / grid.x % grid.y, c / grid.x / grid.y});
    since = "in the same launch, and nothing orders them";
  }
  launch_.memory().race(line_text(pc_) + (with.wrote ? " write" : " read"),
                        describe(lane, std::string("race: it ") + what + " " + place + ", which " +
                                           who + (with.wrote ? " wrote" : " read") + " at " +
                                           line_text(with.pc) + " " + since));
}

/// A barrier orders the accesses before it, of all arriving warps, before the accesses after it.
void Warp::arrive_for_races(const IssueResult& result) {
  pass_barrier();
  CtaRaces& races = *cta_.races();
  std::shared_ptr<BarrierGeneration>& b = races.barriers[result.barrier_id];
  if (b == nullptr || b->is_complete()) {
    b = std::make_shared<BarrierGeneration>();
    b->expected = result.barrier_threads;
  }
  ++b->warps;
  races.shared.release(index_, b->clock);
  if (!result.barrier_arrive_only) races_->arrived = b;
}

/// Acquires the clock of the last barrier. To be called after the barrier, before the next access.
void Warp::pass_barrier() {
  if (races_->arrived == nullptr) return;
  races_->arrived->released = true;
  cta_.races()->shared.acquire(index_, races_->arrived->clock);
  races_->arrived.reset();
}

void Warp::tell_divergent_barrier(std::uint32_t mask) {
  if (!launch_.races()->reported.emplace(pc_, false).second) return;
  launch_.memory().race(
      line_text(pc_),
      describe(first_lane(mask),
               "a barrier in divergent code: " + std::to_string(__builtin_popcount(mask)) + " of " +
                   std::to_string(__builtin_popcount(live_)) +
                   " lanes of the warp come to it together; PTX asks for all of them (.aligned)"));
}

}  // namespace tessera::ptx
