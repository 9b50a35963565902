// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/parameter_visitor.h"
#include "modules/protocol/packet_class.h"

namespace tessera {

/// The fabric between GPUs: PCIe-like, one link per GPU, one switch (DualOpt section 5, Table 1).
struct GpuFabricConfig {
  /// A mask of 64 bits holds the packet classes of all GPUs.
  static constexpr unsigned kMostGpus = 64 / kPacketClasses;

  std::uint64_t clock_hz = 4'000'000'000;
  std::uint32_t flit_bytes = 16;      ///< per cycle and direction of a link
  std::uint64_t latency_ns = 140;     ///< of a packet head, from the link's start to the output
  std::uint32_t port_packets = 64;    ///< buffer of a GPU's link, per class
  std::uint32_t switch_packets = 64;  ///< queued per source and class, without those in latency_ns

  /// Bytes per second of one direction of one GPU's link (Table 1: 64 GB/s).
  double bandwidth() const {
    return static_cast<double>(flit_bytes) * static_cast<double>(clock_hz);
  }
  /// Latency of a head in whole cycles, rounded up: 1 or more.
  std::uint64_t latency_cycles() const;
  /// Link cycles of a packet of `bytes` bytes, with header.
  std::uint32_t flits(std::uint32_t bytes) const { return (bytes - 1) / flit_bytes + 1; }
  /// All configuration errors; empty if the configuration is valid.
  std::vector<std::string> validate() const;
  /// Also checks the number of GPUs.
  std::vector<std::string> validate(unsigned gpus) const;
};

void describe(ParameterVisitor& v, GpuFabricConfig& c);

}  // namespace tessera
