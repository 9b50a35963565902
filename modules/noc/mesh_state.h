// SPDX-License-Identifier: Apache-2.0
#pragma once

// State of a MeshFabric. Its time is in cycles.

#include <cstdint>

#include "modules/noc/noc_config.h"
#include "modules/noc/switch_state.h"

namespace tessera {

constexpr std::uint8_t kFreeVc = 0xff;
constexpr std::uint32_t kNoBuffer = ~std::uint32_t{0};
/// In MeshBuffer::source and MeshBuffer::sink: the number of an entry or exit, not of a router.
constexpr std::uint32_t kMeshPort = std::uint32_t{1} << 31;

/// Bits of a flit's kind.
enum MeshFlit : std::uint8_t { kBodyFlit = 0, kHeadFlit = 1, kTailFlit = 2 };

/// A packet in a mesh.
struct MeshPacket : NetworkPacket {
  std::uint32_t router = 0;  ///< destination
  std::uint16_t entry = 0;
  std::uint16_t sent = 0;  ///< flits that the entry has sent
  std::uint8_t port = 0;   ///< of the destination
  std::uint8_t vc = 0;
};

/// An entry of a buffer. `time`: earliest switch allocation of the flit (at an egress: its
/// arrival); of a free entry: the cycle from which a flit can be sent into it.
struct MeshSlot {
  Cycle time = 0;
  std::uint32_t packet = 0;
  std::uint8_t kind = kBodyFlit;
};

/// The buffer of one VC of a router input or of an egress, and the state of the output VC that
/// feeds it. Flits enter `count` when they are sent, not when they arrive.
struct MeshBuffer {
  Cycle ready = 0;         ///< MeshSlot::time of the flit at the front
  Cycle credit = 0;        ///< MeshSlot::time of the next free entry; kNever: none is free
  std::uint32_t next = 0;  ///< buffer that the packet at the front is routed to
  std::uint16_t head = 0;
  std::uint16_t count = 0;
  std::uint8_t out = 0;            ///< output port of the packet at the front
  bool allocated = false;          ///< this packet has an output VC
  bool starved = false;            ///< the upstream router waits for a credit
  std::uint8_t owner = kFreeVc;    ///< upstream input VC whose packet holds the output VC
  std::uint8_t last_owner = 0xff;  ///< VC allocation pointer
  std::uint8_t vc = 0;
  std::uint8_t input = 0;     ///< number among its router's input VCs
  std::uint32_t source = 0;   ///< the upstream router, or entry
  std::uint32_t sink = 0;     ///< the router, or exit
  std::uint32_t link = 0;     ///< of a link between routers: index of its statistic
  std::uint64_t waiters = 0;  ///< upstream input VCs whose heads wait for `owner` to end
  Cycle blocked_since = kNever;
};

/// An output port of a router.
struct MeshOutput {
  std::uint32_t buffer = kNoBuffer;  ///< of VC 0 at its end; kNoBuffer at the mesh's edges
  std::uint8_t last = 0xff;          ///< switch allocation pointer: input VC
};

/// Input VCs are numbered port * VCs + VC.
struct MeshRouter {
  /// Input VCs with flits, except those that wait for a VC or a credit.
  std::uint64_t runnable = 0;
  std::uint32_t first = 0;    ///< buffer of input VC 0
  std::uint32_t outputs = 0;  ///< index of output 0
  std::uint32_t inputs = 0;   ///< index of input port 0 in accepted_
  std::uint16_t x = 0;
  std::uint16_t y = 0;
};

/// An ingress port: packets whose flits wait for its router's buffer.
struct MeshEntry {
  std::uint32_t head = kNoPacket;
  std::uint32_t tail = kNoPacket;
  std::uint32_t buffer = 0;  ///< of VC 0
  std::uint32_t router = 0;
  Cycle free_at = 0;
  Cycle link_free = 0;  ///< the ingress link can carry the next flit
};

/// An egress port.
struct MeshExit {
  std::uint32_t head = kNoPacket;  ///< packets whose tails have been sent, in their order
  std::uint32_t tail = kNoPacket;
  std::uint32_t buffer = 0;  ///< of VC 0
  std::uint32_t router = 0;
  std::uint8_t port = 0;
};

}  // namespace tessera
