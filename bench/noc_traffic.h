// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "modules/noc/mesh_config.h"
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

/// The same through one direction of a mesh, from each ingress to all egress ports.
struct MeshLoad {
  MeshConfig network;
  std::uint32_t entries = 28;
  std::uint32_t exits = 8;
  std::uint32_t flits = 5;
  double load = 1;
  Cycle warm_up = 5'000;
  Cycle measured = 50'000;
  std::uint64_t seed = 1;
};

/// Figures of the measured cycles.
struct NocTrafficResult {
  double throughput = 0;  ///< delivered flits per cycle and entry
  double latency =
      0;            ///< cycles from a packet's arrival in the source queue to its tail's delivery
  double wait = 0;  ///< latency without the zero-load latency
};

NocTrafficResult run(const NocTraffic& traffic);

struct MeshLoadResult : NocTrafficResult {
  std::uint64_t flits = 0;      ///< delivered, each once
  std::uint64_t flit_hops = 0;  ///< the same, once per router passed
  double cpu_seconds = 0;       ///< of fabric, sources and receivers
};
MeshLoadResult run(const MeshLoad& traffic);

/// Sends `packets` packets of 1 to 8 flits through full queues while receivers stall at random.
/// Returns an empty text, or the first fault: a packet that is lost, delivered twice, delivered at
/// another exit or out of order, or a deadlock.
std::string stress(const MeshConfig& mesh, std::uint32_t entries, std::uint32_t exits,
                   std::uint64_t packets, std::uint64_t seed = 1);

}  // namespace tessera::bench
