// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tlm>

#include "modules/kernel/time.h"

namespace tessera {

/// The registers of a device on a bus.
class MmioRegisters {
 public:
  virtual ~MmioRegisters() = default;
  /// `offset`: a multiple of `bytes`, which is 1, 2, 4 or 8. `at`: of the access. False: the device
  /// has no such register, or not of this length.
  virtual bool read_register(std::uint64_t offset, unsigned bytes, Tick at,
                             std::uint64_t& value) = 0;
  virtual bool write_register(std::uint64_t offset, unsigned bytes, Tick at,
                              std::uint64_t value) = 0;
};

/// Performs a loosely timed transaction at the registers and sets its response status:
/// TLM_BURST_ERROR_RESPONSE for another length than 1, 2, 4 or 8 bytes, TLM_ADDRESS_ERROR_RESPONSE
/// for an address that is not aligned to it or has no register, TLM_BYTE_ENABLE_ERROR_RESPONSE for
/// byte enables. Registers are little-endian.
void access_registers(MmioRegisters& registers, tlm::tlm_generic_payload& payload, Tick at);

/// 64-bit registers that are also accessed as two halves of 32 bits: the part of `value` that an
/// access at `offset` reads, and the value after one that writes `part`.
std::uint64_t part_of(std::uint64_t value, std::uint64_t offset, unsigned bytes);
std::uint64_t with_part(std::uint64_t value, std::uint64_t offset, unsigned bytes,
                        std::uint64_t part);

}  // namespace tessera
