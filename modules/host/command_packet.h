// SPDX-License-Identifier: Apache-2.0
#pragma once

// Registers, packets and signals that software and the command processor exchange.
// docs/blocks/command-processor.md has the same tables.

#include <array>
#include <cstddef>
#include <cstdint>

#include "modules/host/kernel_table.h"

namespace tessera {

/// Registers are 64 bits wide, little-endian, at these byte offsets. Each queue has its own, from
/// kQueueStride times its number on.
enum class CommandRegister : std::uint32_t {
  kId = 0x00,               ///< RO  kCommandProcessorId
  kQueueBase = 0x08,        ///< RW  address of the ring, a multiple of 64
  kQueueSize = 0x10,        ///< RW  packets of the ring, a power of two up to 65536; 0: no queue
  kHead = 0x18,             ///< RO  packets consumed since the queue was set, modulo 2^32
  kTail = 0x20,             ///< RW  doorbell: packets written since then, modulo 2^32
  kStatus = 0x28,           ///< RO  command_status
  kInterruptEnable = 0x30,  ///< RW  command_interrupt
  kInterruptStatus = 0x38,  ///< W1C command_interrupt
  kError = 0x40,          ///< RO CommandError; any write clears it and resumes with the next packet
  kErrorPacket = 0x48,    ///< RO  id of the packet that failed
  kLastCompleted = 0x50,  ///< RO  id of the last completed packet
  kCompleted = 0x58,      ///< RO  packets completed without an error
  kQueues = 0x60,         ///< RO  number of queues
};
inline constexpr std::uint32_t kCommandRegisterBytes = 0x68;
inline constexpr std::uint32_t kQueueStride = 0x100;
inline constexpr std::uint64_t kCommandProcessorId = 0x0000'0001'5353'4554;  ///< "TESS", version 1
inline constexpr std::uint64_t kMaxQueuePackets = 65536;

namespace command_status {
inline constexpr std::uint64_t kQueueSet = 1;
inline constexpr std::uint64_t kBusy = 2;    ///< a packet is being fetched or a kernel runs
inline constexpr std::uint64_t kHalted = 4;  ///< by an error
}  // namespace command_status

namespace command_interrupt {
inline constexpr std::uint64_t kCompletion = 1;
inline constexpr std::uint64_t kError = 2;
}  // namespace command_interrupt

enum class CommandError : std::uint8_t {
  kNone = 0,
  kBadQueue = 1,       ///< ring size or base not legal, or a doorbell without a queue
  kQueueOverflow = 2,  ///< more packets than the ring holds; the doorbell was ignored
  kMemory = 3,         ///< a packet, argument block or signal cannot be accessed
  kBadPacket = 4,      ///< type unknown, or one of its addresses misaligned
  kUnknownKernel = 5,  ///< the handle names no kernel
  kRefused = 6,        ///< grid, block, arguments or plan not legal, or a CTA does not fit an SM
  kKernelFailed = 7,   ///< error while the kernel ran; stays until the platform's reset
};

/// A packet of the ring.
struct CommandPacket {
  static constexpr std::uint16_t kKernelDispatch = 1;
  static constexpr std::size_t kBytes = 64;

  std::uint16_t type = 0;                  ///< byte 0
  std::int16_t priority = 0;               ///< byte 2: kernels of lower numbers first
  std::uint32_t id = 0;                    ///< byte 4: assigned by software
  KernelHandle kernel = 0;                 ///< byte 8
  std::array<std::uint32_t, 3> grid{};     ///< byte 16: CTAs in x, y, z
  std::array<std::uint32_t, 3> block{};    ///< byte 28: threads of a CTA in x, y, z
  std::uint32_t dynamic_shared_bytes = 0;  ///< byte 40
  std::uint32_t reserved2 = 0;             ///< byte 44
  std::uint64_t arguments = 0;   ///< byte 48: address of the argument block, a multiple of 8
  std::uint64_t completion = 0;  ///< byte 56: address of the signal, a multiple of 8; 0: none
};
static_assert(sizeof(CommandPacket) == CommandPacket::kBytes, "packets are read as bytes");

/// The command processor writes these 8 bytes when a packet has completed.
inline constexpr std::uint64_t kSignalDone = 1;
/// Signal of a failed packet: this bit and its CommandError.
inline constexpr std::uint64_t kSignalError = std::uint64_t{1} << 63;

}  // namespace tessera
