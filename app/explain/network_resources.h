// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/explain/resources.h"
#include "app/explain/run_reader.h"

namespace tessera::app {

/// Lone packets of a network.
struct LonePackets {
  double count = 0;
  double latency = 0;  ///< of each, in SM cycles
};

/// Adds the networks of one direction ("request" or "response") that moved packets, in the order of
/// their way. Returns their lone packets.
std::vector<LonePackets> add_networks(const RunReader& r, const std::string& direction,
                                      std::vector<Resource>& out);

/// Latency without contention of a load that ends a wait: long loads end more waits than short
/// ones, in proportion to their latency. `rest`: latency of a load's other stages, in SM cycles.
double lone_latency(const std::vector<LonePackets>& networks, double rest);

}  // namespace tessera::app
