// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "modules/core/parameters.h"

namespace tessera {

/// The fabric between GPUs: PCIe-like, one link a GPU, one switch (DualOpt section 5, Table 1).
struct GpuFabricConfig {
  std::uint64_t clock_hz = 4'000'000'000;
  std::uint32_t flit_bytes = 16;      ///< per cycle of each direction of a link
  std::uint64_t latency_ns = 140;     ///< a packet head's way from a link's start to the output
  std::uint32_t port_packets = 64;    ///< of one class, in front of a GPU's link
  std::uint32_t switch_packets = 64;  ///< of one source and class, beyond those on the head's way

  /// Bytes per second of one direction of one GPU's link (Table 1: 64 GB/s).
  double bandwidth() const {
    return static_cast<double>(flit_bytes) * static_cast<double>(clock_hz);
  }
  /// The head's way, in whole cycles, rounded up: 1 or more.
  std::uint64_t latency_cycles() const;
  /// Link cycles of a packet of that many bytes, header included.
  std::uint32_t flits(std::uint32_t bytes) const { return (bytes - 1) / flit_bytes + 1; }
  /// Every fault, in words; empty when the configuration is sound.
  std::vector<std::string> validate() const;
  /// Also whether that many GPUs can be joined.
  std::vector<std::string> validate(unsigned gpus) const;
};

void describe(ParameterVisitor& v, GpuFabricConfig& c);

}  // namespace tessera
