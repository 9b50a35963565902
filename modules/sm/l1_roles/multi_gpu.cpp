// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/l1_roles/multi_gpu.h"

#include "modules/kernel/statistics_visitor.h"
#include "modules/sm/l1_pipeline.h"

namespace tessera {

namespace {

/// All words of the groups of `bytes` bytes (4, 8 or 16) that have a word in the mask.
std::uint32_t widened(std::uint32_t word_mask, std::uint32_t bytes) {
  if (bytes >= 8) word_mask = ((word_mask | word_mask >> 1) & 0x55555555U) * 3;
  if (bytes >= 16) word_mask = ((word_mask | word_mask >> 2) & 0x33333333U) * 5;
  return word_mask;
}

}  // namespace

MultiGpuRole::MultiGpuRole(const L1RoleSite& site) : site_(site) {
  sc_assert(site.transfer != nullptr);
  sc_assert(site.transfer_bytes == 4 || site.transfer_bytes == 8 || site.transfer_bytes == 16);
}

L1Handling MultiGpuRole::handling(const tlm::tlm_generic_payload& payload,
                                  const MemoryRequest& request) const {
  L1Handling how;
  how.remote = is_remote(payload);
  if (!how.remote || request.kind != RequestKind::kLoad || !site_.transfer->bypass_l1) return how;
  if (site_.transfer->fine_grained) {
    sc_assert(request.word_mask != 0);
    how.word_mask = widened(request.word_mask, site_.transfer_bytes);
    how.words_only = true;
  }
  // A load that must not be cached in any L1 is forwarded and does not merge.
  how.past_array = !request.bypass_l1;
  return how;
}

void MultiGpuRole::looked_up(MemoryRequest& request, const L1Handling& how, L1Lookup outcome) {
  if (how.remote) count(request, how, outcome);
  if (site_.observer != nullptr) {
    const bool hit = request.kind == RequestKind::kLoad && outcome != L1Lookup::kForwarded;
    site_.observer->on_l1_access(request, how.remote, hit);
  }
  if (how.words_only) {
    request.word_mask = how.word_mask;
    request.fine_grained = true;
  }
}

void MultiGpuRole::responded(tlm::tlm_generic_payload& payload, Tick at, const ClockDomain& clock) {
  if (!is_remote(payload) || !payload.is_read()) return;
  stats_.latency.add(clock.cycles_in(at - request_of(payload).stamp(Hop::kIssued)));
}

void MultiGpuRole::count(const MemoryRequest& request, const L1Handling& how, L1Lookup outcome) {
  if (request.kind != RequestKind::kLoad) {
    ++stats_.stores;
    return;
  }
  ++stats_.loads;
  if (how.past_array || request.bypass_l1) ++stats_.bypasses;
  switch (outcome) {
    case L1Lookup::kHit:
      ++stats_.load_hits;
      break;
    case L1Lookup::kMerged:
      ++stats_.load_merges;
      break;
    case L1Lookup::kForwarded:
      ++stats_.load_misses;
      break;
    case L1Lookup::kStalled:
      break;
  }
}

void describe(StatisticsVisitor& v, L1RemoteStats& s) {
  v.counter("remote_loads", s.loads, "access", "loads of other GPUs' lines");
  v.counter("remote_load_hits", s.load_hits, "access", "loads of other GPUs' lines that hit");
  v.counter("remote_load_merges", s.load_merges, "access",
            "loads of other GPUs' lines that joined an outstanding fetch");
  v.counter("remote_load_misses", s.load_misses, "access",
            "loads of other GPUs' lines that were sent to memory");
  v.counter("remote_bypasses", s.bypasses, "access",
            "loads of other GPUs' lines that went past the array");
  v.counter("remote_stores", s.stores, "access", "stores and atomics to other GPUs' lines");
  v.histogram("remote_latency", s.latency, "cycle",
              "from a remote load's departure to its response");
}

void MultiGpuRole::register_statistics(const std::string& module,
                                       StatisticsRegistry& registry) const {
  register_statistics_of(registry, module, stats_);
}

namespace {

const PolicyRegistration<L1Cache> kMultiGpuRole(
    "multi_gpu", "other GPUs' lines are loaded as system.transfer says",
    make_l1_pipeline<MultiGpuRole>);

}  // namespace

}  // namespace tessera
