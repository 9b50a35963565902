// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <memory>

#include "modules/host/command_registers.h"
#include "stimuli/warp_program.h"

namespace tessera {

/// A queue of the command processor: its registers, and the packet in progress.
struct CommandQueue {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  std::uint32_t head = 0;
  std::uint32_t tail = 0;
  std::uint64_t interrupt_enable = 0;
  std::uint64_t interrupt_status = 0;
  CommandError error = CommandError::kNone;
  std::exception_ptr failure;
  std::uint32_t error_packet = 0;
  std::uint32_t last_completed = 0;
  std::uint64_t completed = 0;

  bool fetching = false;
  bool running = false;  ///< a kernel is running, or waits for other kernels
  CommandPacket packet;
  /// Program of the last launch. It outlives its run, because SMs still hold its CTAs after a
  /// failure.
  std::unique_ptr<KernelProgram> program;

  bool halted() const { return error != CommandError::kNone; }
  bool idle() const { return !running && (halted() || head == tail); }
  bool interrupts() const { return (interrupt_status & interrupt_enable) != 0; }
  /// `queues`: number of queues.
  std::uint64_t read(CommandRegister r, std::uint64_t queues) const;
};

}  // namespace tessera
