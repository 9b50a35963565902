// SPDX-License-Identifier: Apache-2.0
#pragma once

// Written by scripts/generate-registers from modules/vp/registers.json; do not edit.

#include <cstdint>

namespace tessera {

// Fault queue: page faults of the GPUs that software handles.

/// Byte offsets of the registers of block fault-queue.
enum class FaultQueueRegister : std::uint64_t {
  /// RO. "FLTQ", version 1.
  kId = 0x00,
  /// RW. Who handles page faults.
  kControl = 0x08,
  /// RO. Faults that wait.
  kPending = 0x10,
  /// RO. Virtual address of the oldest one's page; 0: none waits.
  kAddress = 0x18,
  /// RO. Its requester, an SM of the whole system; all ones: no SM.
  kSm = 0x20,
  /// RO. GPU of the requester.
  kGpu = 0x28,
  /// RO. The memory nearest to the requester.
  kLocal = 0x30,
  /// RO. Virtual address of the first page of the allocation.
  kArray = 0x38,
  /// RO. Bytes of the allocation's pages.
  kArrayBytes = 0x40,
  /// RO. Memories (channels or GPUs), numbered from 0 on.
  kMemories = 0x48,
  /// RO. Bytes of a page.
  kPageBytes = 0x50,
  /// WO. Places the oldest one's page in the memory of this number; the accesses that wait for it
  /// go on.
  kPlace = 0x58,
  /// RO. Status of the last write of PLACE.
  kStatus = 0x60,
  /// RO. Faults that software has handled.
  kPlaced = 0x68,
};
inline constexpr std::uint64_t kFaultQueueRegisterBytes = 0x70;
inline constexpr std::uint64_t kFaultQueueIdReset = 0x151544c46;

namespace fault_queue_control {
/// Software handles the faults; 0: the platform's driver does, also those that wait.
inline constexpr std::uint64_t kSoftware = 0x1;
/// The interrupt is high while a fault waits.
inline constexpr std::uint64_t kInterrupt = 0x2;
}  // namespace fault_queue_control

enum class FaultQueueStatus : std::uint64_t {
  /// The page has been placed.
  kOk = 0,
  /// No fault waits.
  kNoFault = 1,
  /// There is no memory of this number.
  kNoSuchMemory = 2,
};

}  // namespace tessera
