// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "modules/vp/board_bus.h"

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
  static constexpr std::uint64_t kRomAddress = 0x1000;
  static constexpr std::uint64_t kRomBytes = 0xf000;
  static constexpr std::uint64_t kTreeOffset = 64;  ///< of the device tree in the ROM
  static constexpr std::uint64_t kFinisherAddress = 0x100000;
  static constexpr std::uint64_t kClintAddress = 0x2000000;
  static constexpr std::uint64_t kClintBytes = 0x10000;
  static constexpr std::uint64_t kPlicAddress = 0xc000000;
  static constexpr std::uint64_t kPlicBytes = 0x600000;
  static constexpr std::uint64_t kUartAddress = 0x10000000;
  static constexpr std::uint64_t kUartBytes = 0x100;
  static constexpr std::uint32_t kUartInterrupt = 10;
  static constexpr std::uint64_t kRamAddress = 0x80000000;
  static constexpr std::uint64_t kPage = 0x1000;  ///< that ranges on the bus fill

  std::uint32_t harts = 1;
  std::uint64_t ram_bytes = std::uint64_t{128} << 20;
  std::uint64_t timebase_hz = 10'000'000;
  std::uint32_t sources = 53;  ///< of the PLIC
  std::vector<BoardDevice> devices;

  /// All ranges of the bus: ROM, finisher, CLINT, PLIC, UART, RAM, then `devices`.
  std::vector<BoardRange> ranges() const;
};

}  // namespace tessera
