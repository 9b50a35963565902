// SPDX-License-Identifier: Apache-2.0
#pragma once

// Written by scripts/generate-registers from modules/vp/registers.json; do not edit.

#include <cstdint>

namespace tessera {

/// Addresses of the devices and memories, and their interrupts: sources of the PLIC.
namespace board_map {
inline constexpr std::uint64_t kRomAddress = 0x1000;
inline constexpr std::uint64_t kRomBytes = 0xf000;
inline constexpr std::uint64_t kTestFinisherAddress = 0x100000;
inline constexpr std::uint64_t kTestFinisherBytes = 0x1000;
inline constexpr std::uint64_t kClintAddress = 0x2000000;
inline constexpr std::uint64_t kClintBytes = 0x10000;
inline constexpr std::uint64_t kPlicAddress = 0xc000000;
inline constexpr std::uint64_t kPlicBytes = 0x600000;
inline constexpr std::uint64_t kUartAddress = 0x10000000;
inline constexpr std::uint64_t kUartBytes = 0x100;
inline constexpr std::uint32_t kUartInterrupt = 10;
inline constexpr std::uint64_t kCommandProcessorAddress = 0x20000000;
inline constexpr std::uint64_t kCommandProcessorBytes = 0x2000;
inline constexpr std::uint32_t kCommandProcessorInterrupt = 11;
inline constexpr std::uint64_t kGpuServicesAddress = 0x20010000;
inline constexpr std::uint64_t kGpuServicesBytes = 0x1000;
inline constexpr std::uint64_t kFaultQueueAddress = 0x20011000;
inline constexpr std::uint64_t kFaultQueueBytes = 0x1000;
inline constexpr std::uint32_t kFaultQueueInterrupt = 12;
inline constexpr std::uint64_t kRamAddress = 0x80000000;
inline constexpr std::uint64_t kGpuMemoryAddress = 0x100000000;
inline constexpr std::uint64_t kGpuMemoryBytes = 0x10000000000;
}  // namespace board_map

// Test finisher (SiFive): ends the run.

/// Byte offsets of the registers of block test-finisher.
enum class FinisherRegister : std::uint64_t {
  /// RW. Ends the run; other values of CODE have no effect.
  kEnd = 0x00,
};
inline constexpr std::uint64_t kFinisherRegisterBytes = 0x4;

namespace finisher_end {
/// How the run ends.
inline constexpr std::uint64_t kCode = 0xffff;
inline constexpr unsigned kCodeShift = 0;
/// Exit status, for FAIL.
inline constexpr std::uint64_t kStatus = 0xffff0000;
inline constexpr unsigned kStatusShift = 16;
}  // namespace finisher_end

enum class FinisherCode : std::uint64_t {
  /// With status 0.
  kPass = 0x5555,
  /// With STATUS.
  kFail = 0x3333,
  /// Asks for a reset, which ends the run too.
  kReset = 0x7777,
};

// CLINT: software and timer interrupts of each hart; mtime counts at 10 MHz.

/// Byte offsets of the registers of block clint.
enum class ClintRegister : std::uint64_t {
  /// RW. Bit 0 raises the software interrupt; a written 0 acknowledges it.
  kMsip = 0x00,
  /// RW. The timer interrupt is pending while mtime >= mtimecmp; a later time acknowledges it.
  kMtimecmp = 0x4000,
  /// RW. Time since the start, in periods of 100 ns.
  kMtime = 0xbff8,
};
inline constexpr std::uint64_t kClintRegisterBytes = 0xc000;
inline constexpr std::uint64_t kClintMsipHartStride = 0x4;
inline constexpr std::uint64_t kClintMtimecmpHartStride = 0x8;
inline constexpr std::uint64_t kClintMtimecmpReset = 0xffffffffffffffff;
/// Frequency of mtime.
inline constexpr std::uint64_t kClintHz = 10000000;

// PLIC: 53 sources; contexts are machine and supervisor mode of each hart.

/// Byte offsets of the registers of block plic.
enum class PlicRegister : std::uint64_t {
  /// RW. 0 to 7; a source of priority 0 never interrupts.
  kPriority = 0x00,
  /// RO. Bit n: source 32 word + n is pending.
  kPending = 0x1000,
  /// RW. Bit n: source 32 word + n interrupts the context (2 hart: machine mode, 2 hart + 1:
  /// supervisor mode).
  kEnable = 0x2000,
  /// RW. Only sources of a higher priority interrupt the context.
  kThreshold = 0x200000,
  /// RW. A read returns the source of the highest priority, 0 for none, and claims it; a write of
  /// the source completes it.
  kClaim = 0x200004,
};
inline constexpr std::uint64_t kPlicRegisterBytes = 0x200008;
inline constexpr std::uint64_t kPlicPrioritySourceStride = 0x4;
inline constexpr std::uint64_t kPlicPendingWordStride = 0x4;
inline constexpr std::uint64_t kPlicEnableContextStride = 0x80;
inline constexpr std::uint64_t kPlicEnableWordStride = 0x4;
inline constexpr std::uint64_t kPlicThresholdContextStride = 0x1000;
inline constexpr std::uint64_t kPlicClaimContextStride = 0x1000;
/// Sources, from 1 on.
inline constexpr std::uint64_t kPlicSources = 53;

// UART 16550.

/// Byte offsets of the registers of block uart.
enum class UartRegister : std::uint64_t {
  /// WO. Sends a character at once; with LCR.DLAB, byte 0 of the divisor.
  kThr = 0x00,
  /// RO. The next received character, 0 if there is none.
  kRbr = 0x00,
  /// RW. Interrupts that are enabled; with LCR.DLAB, byte 1 of the divisor.
  kIer = 0x01,
  /// RO. The pending interrupt: 4 received, 2 empty, 1 none.
  kIir = 0x02,
  /// WO. Bit 0: FIFOs are on; bit 1: drops the received characters.
  kFcr = 0x02,
  /// RW. Bit 7, DLAB: offsets 0 and 1 are the divisor.
  kLcr = 0x03,
  /// RW. Modem control, without effect.
  kMcr = 0x04,
  /// RO. State of the line.
  kLsr = 0x05,
  /// RO. Modem status: CTS, DSR and DCD.
  kMsr = 0x06,
  /// RW. Scratch.
  kScr = 0x07,
};
inline constexpr std::uint64_t kUartRegisterBytes = 0x8;
inline constexpr std::uint64_t kUartIirReset = 0x1;
inline constexpr std::uint64_t kUartLsrReset = 0x60;
inline constexpr std::uint64_t kUartMsrReset = 0xb0;

namespace uart_ier {
/// A character has been received.
inline constexpr std::uint64_t kReceived = 0x1;
/// THR has become empty.
inline constexpr std::uint64_t kEmpty = 0x2;
}  // namespace uart_ier

namespace uart_lsr {
/// RBR has a character.
inline constexpr std::uint64_t kReady = 0x1;
/// THR is empty: always.
inline constexpr std::uint64_t kEmpty = 0x20;
}  // namespace uart_lsr

}  // namespace tessera
