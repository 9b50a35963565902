// SPDX-License-Identifier: Apache-2.0
#include "platforms/profile/access_profile.h"

#include <algorithm>
#include <utility>

#include "modules/plan/block_kind.h"
#include "modules/sm/l1_cache.h"
#include "modules/sm/sites.h"

namespace tessera {

namespace {

/// The nodes of the SMs.
std::vector<std::uint32_t> sm_nodes(const ProfiledPlatform& platform) {
  std::vector<std::uint32_t> nodes;
  const auto& blocks = platform.plan->blocks;
  for (PlannedBlockId b = 0; b < blocks.size(); ++b) {
    if ((*platform.made)[b].find<SmHandle>() != nullptr) nodes.push_back(blocks[b].node);
  }
  return nodes;
}

}  // namespace

AccessProfile::AccessProfile(const ProfiledPlatform& platform)
    : platform_(platform),
      nodes_(*platform.plan, sm_nodes(platform), platform.map->geometry().channels),
      kernels_(1) {
  const PlatformPlan& plan = *platform_.plan;
  for (PlannedBlockId b = 0; b < plan.blocks.size(); ++b) {
    const BlockHandle& made = (*platform_.made)[b];
    const std::uint32_t node = plan.blocks[b].node;
    auto* const sm = made.find<SmHandle>();
    if (sm != nullptr && sm->observe)
      sm->observe(sms_.emplace_back(*this, nodes_.toucher_of(node)));
    if (kind_of(plan.blocks[b]).level != "l1") continue;
    if (auto* const l1 = made.find<L1Cache>()) {
      l1->observe(l1s_.emplace_back(*this, nodes_.toucher_of(node)));
    } else if (auto* const coherent = made.find<umh::CoherentCacheBlock>()) {
      coherent->observe(l1s_.emplace_back(*this, nodes_.toucher_of(node)));
    }
  }
}

// Kernels.

void AccessProfile::start_kernel(LaunchSlot slot, const KernelProgram& program) {
  const auto* const places = dynamic_cast<const SourcePlacesIf*>(&program);
  const std::string file = places == nullptr ? "" : places->program_file();
  std::size_t k = 1;
  while (k < kernels_.size() && (kernels_[k].name != program.name() || kernels_[k].file != file)) {
    ++k;
  }
  if (k == kernels_.size()) kernels_.push_back({program.name(), file, nullptr, {}});
  kernels_[k].program = &program;
  of_slot_[slot.value] = k;
}

void AccessProfile::clear() {
  for (Kernel& k : kernels_) {
    for (Instruction& i : k.instructions) i.counts = {};
  }
  allocations_.clear();
  page_numbers_.clear();
  pages_.clear();
  touches_.clear();
}

// Counts.

ProfileCounts& AccessProfile::of_instruction(LaunchSlot launch, std::uint32_t pc) {
  Kernel& kernel = kernels_[of_slot_[launch.value]];
  if (pc >= kernel.instructions.size()) kernel.instructions.resize(pc + 1);
  Instruction& i = kernel.instructions[pc];
  if (i.text.empty() && kernel.program != nullptr) {
    // Now, because the program ends with its launch.
    i.text = kernel.program->instruction_text(pc);
    const auto* const places = dynamic_cast<const SourcePlacesIf*>(kernel.program);
    if (places != nullptr) i.source = places->source_of(pc);
  }
  return i.counts;
}

ProfileCounts& AccessProfile::of_allocation(std::uint32_t number) {
  if (number >= allocations_.size()) allocations_.resize(number + 1);
  return allocations_[number];
}

void AccessProfile::touch(std::uint64_t virtual_address, std::uint32_t node) {
  const std::uint64_t page = platform_.pages->page_of(virtual_address);
  const std::size_t touchers = nodes_.touchers().size();
  const auto [found, fresh] = page_numbers_.try_emplace(page, pages_.size());
  if (fresh) {
    pages_.push_back(page);
    touches_.resize(touches_.size() + touchers);
  }
  ++touches_[found->second * touchers + node];
}

void AccessProfile::SmPart::on_warp_access(LaunchSlot launch, const MemoryOp& access,
                                           const CoalescedAccess& lines) {
  const std::uint64_t line_bytes = profile.platform_.line_bytes;
  ProfileCounts& counts = profile.of_instruction(launch, access.pc);
  ++counts.warp_accesses;
  counts.lines += lines.count;
  for (unsigned i = 0; i < lines.count; ++i) {
    const LineAccess& line = lines.lines[i];
    counts.sectors += sectors_touched(line.mask);
    counts.useful_bytes += line.mask.count();
    profile.touch(line.line * line_bytes, node);
  }
}

void AccessProfile::SmPart::on_stall(LaunchSlot launch, std::uint32_t pc, Tick time) {
  profile.of_instruction(launch, pc).stalled += time;
}

template <class F>
void AccessProfile::L1Part::count(const MemoryRequest& request, F f) {
  f(profile.of_instruction(request.launch, request.pc));
  f(profile.of_allocation(request.allocation));
}

bool AccessProfile::L1Part::is_remote(const tlm::tlm_generic_payload& payload) const {
  const Location home = profile.platform_.map->locate(payload.get_address());
  return profile.nodes_.is_remote(node, home.channel.value);
}

void AccessProfile::L1Part::on_lookup(const tlm::tlm_generic_payload& payload,
                                      const MemoryRequest& request, L1Lookup outcome) {
  const bool load = request.kind == RequestKind::kLoad;
  const bool remote = outcome == L1Lookup::kForwarded && is_remote(payload);
  count(request, [&](ProfileCounts& c) {
    if (!load) {
      ++(request.kind == RequestKind::kAtomic ? c.atomics : c.stores);
      if (remote) ++c.remote_writes;
      return;
    }
    ++c.loads;
    ++(outcome == L1Lookup::kHit      ? c.load_hits
       : outcome == L1Lookup::kMerged ? c.load_merges
       : request.bypass_l1            ? c.load_bypasses
                                      : c.load_misses);
    if (remote) ++c.remote_misses;
  });
}

void AccessProfile::L1Part::on_fill(const MemoryRequest& request, std::uint64_t bytes,
                                    std::uint64_t latency_cycles) {
  count(request, [&](ProfileCounts& c) {
    c.filled_bytes += bytes;
    ++c.served_misses;
    c.miss_latency += latency_cycles;
  });
}

void AccessProfile::L1Part::on_lookup(const tlm::tlm_generic_payload& payload) {
  MemoryRequest* request = nullptr;
  payload.get_extension(request);
  count(*request, [&](ProfileCounts& c) {
    if (request->kind == RequestKind::kLoad) {
      ++c.loads;
      if (request->bypass_l1) ++c.load_bypasses;
    } else {
      ++(request->kind == RequestKind::kAtomic ? c.atomics : c.stores);
    }
  });
}

void AccessProfile::L1Part::on_completed(const tlm::tlm_generic_payload& payload,
                                         const umh::CoherentOutcome& outcome) {
  MemoryRequest* request = nullptr;
  payload.get_extension(request);
  const bool load = request->kind == RequestKind::kLoad;
  const bool remote = outcome.fetched && is_remote(payload);
  count(*request, [&](ProfileCounts& c) {
    if (load && !request->bypass_l1) {
      ++(outcome.hit ? c.load_hits : outcome.fetched ? c.load_misses : c.load_merges);
    }
    if (remote) ++(load ? c.remote_misses : c.remote_writes);
    if (outcome.hit) return;
    ++c.served_misses;
    c.miss_latency += outcome.latency_cycles;
    if (outcome.fetched) c.filled_bytes += profile.platform_.line_bytes;
  });
}

}  // namespace tessera
