// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lone latencies as sums on paper of the configuration's numbers, in SM cycles (every block's
// clock is the SM's in the presets, the memory's apart).

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/platforms/gpu_rig.h"

namespace tessera::test {

inline constexpr Address kBase = Allocations::kBase;

/// A packet's way from its head at an entry to its tail at an exit.
inline std::uint64_t packet_cycles(const NocConfig& c, std::uint32_t bytes, std::uint32_t entries,
                                   std::uint32_t exits) {
  const std::uint64_t stages = std::max(entries, exits) > c.radix ? 2 : 1;
  return stages * c.stage_latency + (bytes + c.link_bytes - 1) / c.link_bytes;
}
inline std::uint64_t request_cycles(const NocConfig& c, std::uint32_t entries,
                                    std::uint32_t exits) {
  return packet_cycles(c, c.header_bytes, entries, exits);
}
inline std::uint64_t response_cycles(const NocConfig& c, std::uint32_t entries,
                                     std::uint32_t exits) {
  return packet_cycles(c, c.header_bytes + 128, entries, exits);
}

/// TLB, then an L1 lookup.
inline std::uint64_t l1_hit_cycles(const GpuConfig& c) {
  return c.sm.tlb_latency + c.l1.latency_cycles;
}

/// An L1 miss that goes `network` cycles to a slice, hits there and comes back: the L1's lookup a
/// cycle before its hit's response would be there, a cycle to leave, the slice, and a cycle from
/// the L1 to the SM.
inline std::uint64_t llc_hit_cycles(const GpuConfig& c, std::uint64_t network) {
  return l1_hit_cycles(c) - 1 + 1 + network + c.llc.latency_cycles + 1;
}
/// Through the one crossbar of uba-mem.
inline std::uint64_t llc_hit_cycles(const GpuConfig& c) {
  return llc_hit_cycles(c, request_cycles(c.noc, c.system.sms, c.system.slices()) +
                               response_cycles(c.noc, c.system.sms, c.system.slices()));
}

inline constexpr unsigned kWarps = 32;  ///< of an SM, each a CTA of its own

/// Per warp, the lines that its SM reads, dealt in turn to the SM's warps.
inline std::vector<std::vector<Address>> deal(const std::vector<std::vector<Address>>& of_sm) {
  std::vector<std::vector<Address>> lists(of_sm.size() * kWarps);
  for (std::size_t sm = 0; sm < of_sm.size(); ++sm) {
    for (std::size_t i = 0; i < of_sm[sm].size(); ++i) {
      lists[sm * kWarps + i % kWarps].push_back(of_sm[sm][i]);
    }
  }
  return lists;
}

}  // namespace tessera::test
