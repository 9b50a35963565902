// SPDX-License-Identifier: Apache-2.0
#pragma once

// Common parts of the kinds "llc" and "remote_cache".

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "modules/llc/llc_slice.h"
#include "modules/llc/sites.h"
#include "modules/plan/block_handle.h"
#include "modules/plan/block_kind.h"
#include "modules/power/energy_report.h"

namespace tessera {

template <class Site>
BlockHandle make_slice(const Site& s) {
  std::unique_ptr<LlcSlice> module =
      make_llc_slice(s.name.c_str(), s.config, *s.map, *s.pool, s.slice);
  LlcSlice& m = *module;
  const bool needs_remote = s.outputs == 2;
  if (m.reaches_slices() != needs_remote) {
    throw InputError(s.path + ": a slice of the role '" + s.slice.role + "' " +
                     (needs_remote
                          ? "has no way to other slices or cores, and this platform needs one"
                          : "needs a way to other slices or cores, and this platform has none"));
  }
  BlockHandle h = BlockHandle::of(std::move(module));
  h.offer<SliceFlushIf>(m);
  h.offer<PageDropIf>(m);
  h.offer<HoldsBytes>(m);
  h.offer(m.launch_counts());
  h.add_inputs(m.in);
  h.out = {&m.memory};
  if (needs_remote) h.out.push_back(&m.remote);
  return h;
}

/// The kind, without its factory, its figures and the rules of its parameters.
BlockKind slice_kind(const char* name);
/// Adds the energy of the slices of a kind to the group "llc". `order`: of the first one.
void add_slice_energy(const char* kind, std::uint64_t order, const RunFigures& run,
                      EnergyReport& report);

}  // namespace tessera
