// SPDX-License-Identifier: Apache-2.0
#pragma once

// Common parts of the kinds "noc", "ring" and "mesh".

#include <string>
#include <utility>
#include <vector>

#include "modules/noc/duplex_network.h"
#include "modules/noc/noc_stats.h"
#include "modules/noc/planned_network.h"
#include "modules/plan/block_handle.h"
#include "modules/plan/block_kind.h"
#include "policies/address_map.h"

namespace tessera {

/// The kind of a network, without its factory and its own settings.
BlockKind network_kind(const char* name);
/// Exits by home slice. `network` and `map` outlive the routing.
NocRouting routing_of(const PlannedBlock& network, const AddressMap& map);
/// Statistics without the counters of single exits.
struct NetworkStats {
  NocStats requests{0};
  NocStats responses{0};
};
NetworkStats network_stats(const RunFigures& run, const PlannedBlock& network);

template <class Network>
BlockHandle network_handle(std::unique_ptr<Network> module) {
  Network& m = *module;
  BlockHandle h = BlockHandle::of(std::move(module));
  h.add_inputs(m.in);
  h.add_outputs(m.out);
  return h;
}

}  // namespace tessera
