// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace tessera {

/// What a load, store or atomic instruction of RV64GC accesses.
struct RiscvAccess {
  unsigned base = 0;        ///< register x0 to x31
  std::int64_t offset = 0;  ///< bytes
  unsigned bytes = 0;
  bool loads = false;
  bool stores = false;  ///< atomics do both
  /// The register x0 to x31 that a store writes; none of atomics and floating-point stores.
  std::optional<unsigned> source = std::nullopt;
};

/// Bytes of an instruction: 2 or 4. `code`: its first 16 bits, at least.
inline unsigned riscv_length(std::uint32_t code) { return (code & 3) == 3 ? 4 : 2; }

/// Whether an instruction can enable an interrupt that is pending: it writes mstatus, sstatus, mie,
/// sie, mideleg, mip or sip, or is mret or sret.
bool riscv_enables_interrupts(std::uint32_t code);
/// Whether it can make one pending: it writes mip or sip.
bool riscv_requests_interrupts(std::uint32_t code);

/// Whether it is a fence of memory writes before device writes.
bool riscv_is_device_fence(std::uint32_t code);

/// None if the instruction accesses no memory.
std::optional<RiscvAccess> riscv_access(std::uint32_t code);

}  // namespace tessera
