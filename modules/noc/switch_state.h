// SPDX-License-Identifier: Apache-2.0
#pragma once

// State of a SwitchFabric. Its time is in steps (SwitchFabric).

#include <cstdint>
#include <tlm>

#include "modules/kernel/time.h"

namespace tessera {

using Step = std::uint64_t;

constexpr std::uint32_t kNoPacket = ~std::uint32_t{0};

/// A packet in a network.
struct NetworkPacket {
  tlm::tlm_generic_payload* payload = nullptr;
  Step ready = 0;             ///< arrival of the head at its buffer; at an exit: earliest delivery
  std::uint32_t arrived = 0;  ///< arrival of the head at the entry, low bits of the cycle
  std::uint32_t next = 0;     ///< the packet behind it in its queue
  std::uint16_t bytes = 0;
  std::uint16_t flits = 0;
  std::uint16_t exit = 0;
  bool counted = true;  ///< occupies an entry of its port's receiver until it enters a switch
};

/// The buffer of a switch input or of an exit.
struct SwitchBuffer {
  std::uint32_t head = kNoPacket;  ///< not used by inputs with virtual output queues
  std::uint32_t tail = kNoPacket;
  std::uint32_t used = 0;       ///< flits
  std::uint32_t upstream = 0;   ///< the link or the entry that feeds it
  std::uint32_t link_base = 0;  ///< first output link of its switch
  std::uint32_t bit = 0;        ///< its index among the switch's inputs
  /// Earliest departure of the head; if empty, or with virtual output queues: departure of the last
  /// packet's tail.
  Step ready = 0;
};

/// An output of a switch and the link behind it.
struct SwitchLink {
  std::uint64_t waiting =
      0;  ///< inputs with a queue head that is routed to this link, ready or not
  Step free_at = 0;
  Step blocked_since = kNever;
  std::uint16_t last = 63;         ///< input served last
  std::uint16_t first_buffer = 0;  ///< input 0 of its switch
  std::uint16_t downstream = 0;    ///< the buffer at its end
};

/// An entry port: packets that wait for the first switch.
struct SwitchEntry {
  std::uint32_t head = kNoPacket;
  std::uint32_t tail = kNoPacket;
  std::uint64_t free_at = 0;  ///< cycle
};

}  // namespace tessera
