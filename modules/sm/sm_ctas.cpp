// SPDX-License-Identifier: Apache-2.0
// An SM's CTAs: start, barriers, end, and hand-over.
#include <algorithm>
#include <utility>

#include "modules/sm/sm_cluster.h"

namespace tessera {

SmResources SmCluster::capacity() const {
  return {config_.max_ctas, config_.max_warps, config_.max_threads, config_.registers,
          config_.shared_bytes};
}

// Start and hand-over.

void SmCluster::start_cta(KernelProgram& kernel, LaunchedCta cta, Tick at) {
  launches_.add_cta(cta.launch, kernel);
  const Tick due = clock_.after(at, 0);
  starts_.push(due, 0, SmCtaStart{&kernel, cta, nullptr});
  wake_.at(due);
}

void SmCluster::adopt_cta(KernelProgram& kernel, std::unique_ptr<CtaProgram> program,
                          LaunchedCta cta, Tick at) {
  sc_assert(program->live_warps() != 0);
  launches_.add_cta(cta.launch, kernel);
  const Tick due = clock_.after(at, 0);
  starts_.push(due, 0, SmCtaStart{&kernel, cta, std::move(program)});
  wake_.at(due);
}

void SmCluster::release_cta(LaunchedCta cta, CtaReleased released) {
  releases_.emplace_back(cta, std::move(released));
  wake_.at(clock_.after(now() + 1, 0));
}

void SmCluster::admit(SmCtaStart start, std::uint64_t cycle) {
  const auto free = std::find_if(cta_slots_.begin(), cta_slots_.end(),
                                 [](const Cta& c) { return c.program == nullptr; });
  sc_assert(free != cta_slots_.end());
  Cta& cta = *free;
  if (start.adopted != nullptr) {
    cta.program = std::move(start.adopted);
    l1_control->flush();
  } else {
    cta.program = start.kernel->start_cta(start.cta.id);
    ++stats_.ctas;
  }
  cta.id = start.cta;
  cta.live_warps = cta.program->live_warps();
  cta.loads = 0;
  cta.slots = 0;
  for (unsigned i = 0; i < cta.program->warp_count(); ++i) {
    const auto index = static_cast<std::uint32_t>(free - cta_slots_.begin());
    const std::uint32_t slot = warps_.add(cta.program->warp(i), index, i);
    cta.slots |= WarpTable::bit(slot);
    warps_[slot].launch = start.cta.launch;
    if ((cta.program->ended_warps() >> i & 1) != 0) continue;
    if ((cta.program->waiting_warps() >> i & 1) != 0) warps_.park(slot);
    warps_.set_next(slot, cycle);
  }
  // A functional runner can stop after the last arrival at a barrier and before its release.
  for (unsigned b = 0; b < CtaProgram::kBarriers; ++b) release_barrier(cta, b, cycle);
  stats_.resident_warps.set(resident_warps(), now());
}

/// Parks the warps of CTAs that are to be released. A CTA is freed when it has no outstanding
/// access.
void SmCluster::handle_releases() {
  for (std::size_t i = 0; i < releases_.size();) {
    const auto cta = std::find_if(cta_slots_.begin(), cta_slots_.end(), [&](const Cta& c) {
      return c.program != nullptr && c.id == releases_[i].first;
    });
    bool outstanding = false;
    if (cta != cta_slots_.end()) {
      outstanding = cta->loads != 0;
      for (std::uint64_t left = cta->slots; left != 0; left &= left - 1) {
        const std::uint32_t slot = WarpTable::first(left);
        warps_.park(slot);
        outstanding = outstanding || warps_[slot].loads + warps_[slot].stores != 0;
      }
    }
    if (outstanding) {
      ++i;
      continue;
    }
    const LaunchSlot launch = releases_[i].first.launch;
    const CtaReleased released = std::move(releases_[i].second);
    releases_.erase(releases_.begin() + static_cast<std::ptrdiff_t>(i));
    std::unique_ptr<CtaProgram> program;
    if (cta != cta_slots_.end()) program = free_cta(*cta);
    released(std::move(program));
    maybe_drained(launch);
  }
}

// Barriers and ends.

void SmCluster::barrier_reached(std::uint32_t slot, const IssueResult& result,
                                std::uint64_t cycle) {
  ++stats_.barriers;
  Cta& cta = cta_slots_[warps_[slot].cta];
  cta.program->arrive(warps_[slot].index, result);
  if (!result.barrier_arrive_only) warps_.park(slot);
  warps_.set_next(slot, cycle + 1);
  release_barrier(cta, result.barrier_id, cycle);
}

void SmCluster::release_barrier(Cta& cta, unsigned barrier, std::uint64_t cycle) {
  const std::uint64_t released = cta.program->release(barrier);
  if (released == 0) return;
  for (std::uint64_t left = cta.slots; left != 0; left &= left - 1) {
    const std::uint32_t slot = WarpTable::first(left);
    if ((released >> warps_[slot].index & 1) == 0) continue;
    warps_.unpark(slot);
    warps_.find_ready(slot, cycle + 1);
  }
}

void SmCluster::warp_ended(std::uint32_t slot, std::uint64_t cycle) {
  Warp& w = warps_[slot];
  w.next = nullptr;
  Cta& cta = cta_slots_[w.cta];
  cta.program->end_warp(w.index);
  --cta.live_warps;
  for (unsigned b = 0; b < CtaProgram::kBarriers; ++b) release_barrier(cta, b, cycle);
  cta_maybe_done(w.cta);
}

void SmCluster::cta_maybe_done(std::uint32_t index) {
  Cta& cta = cta_slots_[index];
  if (cta.live_warps != 0 || cta.loads != 0 || cta.program == nullptr) return;
  free_cta(cta);
  dispatcher->cta_finished(id_, cta.id);
  maybe_drained(cta.id.launch);
}

std::unique_ptr<CtaProgram> SmCluster::free_cta(Cta& cta) {
  for (std::uint64_t left = cta.slots; left != 0; left &= left - 1) {
    const std::uint32_t slot = WarpTable::first(left);
    const Warp& w = warps_[slot];
    if (w.stores != 0) ended_.add(w.age, cta.id.id, w.index, launches_.kernel(cta.id.launch));
    warps_.remove(slot);
  }
  stats_.resident_warps.set(resident_warps(), now());
  launches_.remove_cta(cta.id.launch);
  return std::move(cta.program);
}

void SmCluster::maybe_drained(LaunchSlot launch) {
  if (launches_.has_left(launch)) dispatcher->sm_drained(id_, launch);
}

}  // namespace tessera
