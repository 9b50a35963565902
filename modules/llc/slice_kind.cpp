// SPDX-License-Identifier: Apache-2.0
#include "modules/llc/slice_kind.h"

#include "modules/plan/block_kind.h"
#include "modules/plan/run_figures.h"
#include "policies/registry.h"

namespace tessera {

namespace {

/// Lookups that touch the array, fills of what missed, write-backs read from it; atomics both read
/// and write. The response to a miss leaves as the line is filled.
CacheActivity activity(const LlcSliceConfig& c, const LlcSliceStats& s) {
  const Counter accesses = s.hits + s.write_allocations + s.merges + s.misses + s.partial_fetches +
                           s.atomics + s.write_backs;
  return {static_cast<double>(accesses), static_cast<double>(c.line_bytes),
          cache_bytes(c.sets, c.ways, c.line_bytes)};
}

std::vector<std::string> check_role(const AnyConfig& own, const ConfigView&, const PlannedBlock&) {
  const std::string& role = own.as<LlcSliceConfig>().role;
  if (role.empty()) return {};
  try {
    PolicyRegistry<LlcSlice>::instance().get(role);
  } catch (const InputError& e) {
    return {e.what()};
  }
  return {};
}

}  // namespace

void add_slice_energy(const char* kind, std::uint64_t order, const RunFigures& run,
                      EnergyReport& report) {
  const auto& power = run.config().group<PowerConfig>("power");
  for (const PlannedBlock* b : run.plan().of_kind(kind)) {
    const LlcSliceConfig c = run.own(*b, run.config().group<LlcSliceConfig>(kind));
    report.add("llc", order + b->index,
               cache_energy(power, activity(c, run.of_block<LlcSliceStats>(*b)), run.seconds()));
  }
}

BlockKind slice_kind(const char* name) {
  BlockKind k(name, name);
  k.level = name;
  k.is_cache = true;
  k.own_config = [name](const ConfigView& c, const PlannedBlock&) {
    return AnyConfig(c.group<LlcSliceConfig>(name));
  };
  k.check_own = check_role;
  return k;
}

}  // namespace tessera
