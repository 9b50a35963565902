// SPDX-License-Identifier: Apache-2.0
#pragma once

// Written by scripts/generate-registers from modules/vp/registers.json; do not edit.

#include <array>
#include <cstddef>
#include <cstdint>

namespace tessera {

// Command processor of the GPUs.

/// Byte offsets of the registers of block command-processor.
enum class CommandRegister : std::uint64_t {
  /// RO. "TESS", version 1.
  kId = 0x00,
  /// RW. Address of the ring, a multiple of 64.
  kQueueBase = 0x08,
  /// RW. Packets of the ring, a power of two up to 65536; 0: no queue. A write sets HEAD and TAIL
  /// to 0.
  kQueueSize = 0x10,
  /// RO. Packets consumed since then, modulo 2^32.
  kHead = 0x18,
  /// RW. Doorbell: packets written since then, modulo 2^32. A write starts the fetch.
  kTail = 0x20,
  /// RO. State of the queue.
  kStatus = 0x28,
  /// RW. Interrupts that are enabled.
  kInterruptEnable = 0x30,
  /// W1C. Interrupts that are pending; a written 1 acknowledges.
  kInterruptStatus = 0x38,
  /// RW. Code of the error, 0: none. Any write clears it, and the queue goes on with the packet
  /// after the failed one.
  kError = 0x40,
  /// RO. Id of the packet that failed.
  kErrorPacket = 0x48,
  /// RO. Id of the packet that was completed last.
  kLastCompleted = 0x50,
  /// RO. Packets completed without an error.
  kCompleted = 0x58,
  /// RO. Number of queues.
  kQueues = 0x60,
};
inline constexpr std::uint64_t kCommandRegisterBytes = 0x68;
inline constexpr std::uint64_t kCommandQueueStride = 0x100;
inline constexpr std::uint64_t kCommandIdReset = 0x153534554;
/// Largest ring.
inline constexpr std::uint64_t kCommandMaxQueuePackets = 65536;
/// Signal of a completed packet.
inline constexpr std::uint64_t kCommandSignalDone = 1;
/// Signal of a failed packet: this bit and its error code.
inline constexpr std::uint64_t kCommandSignalError = 0x8000000000000000;

namespace command_status {
/// A queue is set.
inline constexpr std::uint64_t kQueueSet = 0x1;
/// A packet waits, is fetched, or its kernel runs.
inline constexpr std::uint64_t kBusy = 0x2;
/// Halted by an error.
inline constexpr std::uint64_t kHalted = 0x4;
}  // namespace command_status

namespace command_interrupt {
/// A packet has completed.
inline constexpr std::uint64_t kCompletion = 0x1;
/// An error.
inline constexpr std::uint64_t kError = 0x2;
}  // namespace command_interrupt

enum class CommandError : std::uint64_t {
  /// No error.
  kNone = 0,
  /// Ring size or base not legal; a doorbell without a queue.
  kBadQueue = 1,
  /// The doorbell names more packets than the ring holds; it was ignored.
  kQueueOverflow = 2,
  /// Packet, argument block or signal cannot be accessed.
  kMemory = 3,
  /// Packet type unknown, or one of its addresses misaligned.
  kBadPacket = 4,
  /// The handle names no kernel.
  kUnknownKernel = 5,
  /// Grid, block, arguments or plan not legal, or a CTA does not fit an SM.
  kRefused = 6,
  /// The kernel failed: its CTAs still hold their SMs.
  kKernelFailed = 7,
};

/// A packet of the ring.
struct CommandPacket {
  static constexpr std::size_t kBytes = 64;
  static constexpr std::uint16_t kKernelDispatch = 1;

  /// Byte 0: 1: kernel dispatch.
  std::uint16_t type = 0;
  /// Byte 2: CTAs of kernels with lower numbers are dispatched first; 0 is the default.
  std::int16_t priority = 0;
  /// Byte 4: software's own number: LAST_COMPLETED, ERROR_PACKET.
  std::uint32_t id = 0;
  /// Byte 8: handle of KernelTable::add, of GPU services for firmware.
  std::uint64_t kernel = 0;
  /// Byte 16: CTAs in x, y, z.
  std::array<std::uint32_t, 3> grid{};
  /// Byte 28: threads of a CTA in x, y, z.
  std::array<std::uint32_t, 3> block{};
  /// Byte 40: dynamic shared memory of a CTA.
  std::uint32_t dynamic_shared_bytes = 0;
  /// Byte 44: reserved.
  std::uint32_t reserved = 0;
  /// Byte 48: address of the argument block, a multiple of 8.
  std::uint64_t arguments = 0;
  /// Byte 56: address of the signal, a multiple of 8; 0: none.
  std::uint64_t completion = 0;
};
static_assert(sizeof(CommandPacket) == CommandPacket::kBytes, "read and written as bytes");
static_assert(offsetof(CommandPacket, type) == 0);
static_assert(offsetof(CommandPacket, priority) == 2);
static_assert(offsetof(CommandPacket, id) == 4);
static_assert(offsetof(CommandPacket, kernel) == 8);
static_assert(offsetof(CommandPacket, grid) == 16);
static_assert(offsetof(CommandPacket, block) == 28);
static_assert(offsetof(CommandPacket, dynamic_shared_bytes) == 40);
static_assert(offsetof(CommandPacket, reserved) == 44);
static_assert(offsetof(CommandPacket, arguments) == 48);
static_assert(offsetof(CommandPacket, completion) == 56);

}  // namespace tessera
