// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lone latencies among several GPUs as sums on paper, in SM cycles, and pages placed by hand.
// SMs, networks, RDMA engines and slices share a clock in the presets; the fabric has its own.

#include <cstdint>
#include <string>

#include "modules/mmu/uvm_driver.h"
#include "tests/platforms/latency_sums.h"

namespace tessera::test {

/// So that place() says where pages lie.
inline const std::string kPlacedByHand = "system.page_placement=first-touch";

inline std::uint32_t sms_per_gpu(const GpuConfig& c) { return c.system.sms / c.system.gpus; }
inline std::uint32_t slices_per_gpu(const GpuConfig& c) {
  return c.system.slices() / c.system.gpus;
}

/// Places page `n` (from kBase on) at a GPU, at no cost. Returns its address.
inline Address place(GpuRig& rig, std::uint32_t n, std::uint32_t gpu) {
  const Address page = kBase + n * rig.config().system.page_bytes;
  rig.system().uvm().touch(page, SmId(gpu * sms_per_gpu(rig.config())));
  return page;
}

/// A packet's way over the fabric to the edge at which the engine there may look at it.
inline std::uint64_t fabric_cycles(const GpuConfig& c, std::uint32_t bytes) {
  const std::uint64_t cycles = c.fabric.latency_cycles() + c.fabric.flits(bytes);
  const std::uint64_t ratio = c.fabric.clock_hz / c.sm.clock_hz;
  return (cycles + ratio - 1) / ratio;
}

/// There and back between an L1 and its own GPU's slices or RDMA engine, or a bank of its remote
/// cache.
inline std::uint64_t own_network_cycles(const GpuConfig& c) {
  const std::uint32_t exits = slices_per_gpu(c) + c.system.rdma_ports;
  return request_cycles(c.noc, sms_per_gpu(c), exits) +
         packet_cycles(c.noc, c.noc.header_bytes + c.system.line_bytes, sms_per_gpu(c), exits);
}

/// From an RDMA engine's request to its response, the line being in its home slice: each engine
/// twice, the fabric there and back, the crossbar at home, the slice. `response_bytes`: on the
/// fabric.
inline std::uint64_t remote_cycles(const GpuConfig& c, std::uint32_t response_bytes) {
  const std::uint32_t exits = slices_per_gpu(c);
  const std::uint64_t ingress =
      request_cycles(c.noc, 1, exits) +
      packet_cycles(c.noc, c.noc.header_bytes + c.system.line_bytes, 1, exits);
  return 4 * c.rdma.latency_cycles + fabric_cycles(c, c.rdma.request_header_bytes) +
         fabric_cycles(c, response_bytes) + ingress + c.llc.latency_cycles;
}

/// A lone load from its issue to its result, `beyond` cycles being spent behind the L1's network.
inline std::uint64_t load_cycles(const GpuConfig& c, std::uint64_t beyond) {
  return llc_hit_cycles(c, own_network_cycles(c)) - c.llc.latency_cycles + beyond;
}

/// A load of one line, or of its first pieces.
inline ListAccess line_load(Address a) { return {a, AccessKind::kLoad, 16}; }
inline ListAccess piece_load(Address a, unsigned word_mask = 1) {
  return {a, AccessKind::kLoad, word_mask};
}
inline ListAccess store(Address a, unsigned word_mask) {
  return {a, AccessKind::kStore, word_mask};
}

}  // namespace tessera::test
