// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "modules/noc/noc_config.h"

namespace tessera::bench {

/// Uniform random traffic through one direction of a crossbar, without TLM: at each entry, packets
/// arrive as a Bernoulli process and wait in a source queue without bound; each packet's exit is
/// drawn from all exits. Receivers are always free.
struct NocTraffic {
  NocConfig network;
  std::uint32_t ports = 64;
  std::uint32_t flits = 9;  ///< of every packet
  double load = 1;          ///< offered flits per cycle and entry; 1 or more: always a packet ready
  Cycle warm_up = 5'000;
  Cycle measured = 50'000;
  std::uint64_t seed = 1;
};

/// Figures of the measured cycles.
struct NocTrafficResult {
  double throughput = 0;  ///< delivered flits per cycle and exit
  double latency =
      0;            ///< cycles from a packet's arrival in the source queue to its tail's delivery
  double wait = 0;  ///< latency without the zero-load latency
};

NocTrafficResult run(const NocTraffic& traffic);

}  // namespace tessera::bench
