// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "modules/vp/board_bus.h"
#include "modules/vp/board_registers.h"

namespace tessera {

/// A device beside those that each machine has.
struct BoardDevice {
  BoardRange range;
  std::string compatible;       ///< of its node in the device tree
  std::uint32_t interrupt = 0;  ///< source of the PLIC; 0: none
};

/// The machine beside the GPUs: addresses and interrupts are those of QEMU's machine "virt", so
/// that firmware for it runs here.
struct BoardPlan {
  static constexpr std::uint64_t kRomAddress = board_map::kRomAddress;
  static constexpr std::uint64_t kRomBytes = board_map::kRomBytes;
  static constexpr std::uint64_t kTreeOffset = 64;  ///< of the device tree in the ROM
  static constexpr std::uint64_t kFinisherAddress = board_map::kTestFinisherAddress;
  static constexpr std::uint64_t kClintAddress = board_map::kClintAddress;
  static constexpr std::uint64_t kClintBytes = board_map::kClintBytes;
  static constexpr std::uint64_t kPlicAddress = board_map::kPlicAddress;
  static constexpr std::uint64_t kPlicBytes = board_map::kPlicBytes;
  static constexpr std::uint64_t kUartAddress = board_map::kUartAddress;
  static constexpr std::uint64_t kUartBytes = board_map::kUartBytes;
  static constexpr std::uint32_t kUartInterrupt = board_map::kUartInterrupt;
  static constexpr std::uint64_t kRamAddress = board_map::kRamAddress;
  static constexpr std::uint64_t kPage = 0x1000;  ///< that ranges on the bus fill

  std::uint32_t harts = 1;
  std::uint64_t ram_bytes = std::uint64_t{128} << 20;
  std::uint64_t timebase_hz = kClintHz;
  std::uint32_t sources = kPlicSources;  ///< of the PLIC
  std::vector<BoardDevice> devices;

  /// All ranges of the bus: ROM, finisher, CLINT, PLIC, UART, RAM, then `devices`.
  std::vector<BoardRange> ranges() const;
};

}  // namespace tessera
