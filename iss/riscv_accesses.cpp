// SPDX-License-Identifier: Apache-2.0
// Encodings: RISC-V unprivileged ISA 20191213, chapters 24 (RV64GC) and 16 (C).
#include "iss/riscv_accesses.h"

namespace tessera {

namespace {

constexpr std::uint32_t kLoad = 0x03;
constexpr std::uint32_t kLoadFp = 0x07;
constexpr std::uint32_t kStore = 0x23;
constexpr std::uint32_t kStoreFp = 0x27;
constexpr std::uint32_t kAtomic = 0x2f;

/// Bits [high, low] of an instruction.
std::uint32_t bits(std::uint32_t code, unsigned high, unsigned low) {
  return code >> low & ((1U << (high - low + 1)) - 1);
}

std::optional<RiscvAccess> whole(std::uint32_t code) {
  const auto code_signed = static_cast<std::int32_t>(code);
  RiscvAccess a;
  a.base = bits(code, 19, 15);
  a.bytes = 1U << bits(code, 13, 12);
  switch (code & 0x7f) {
    case kLoad:
    case kLoadFp:
      a.offset = code_signed >> 20;
      a.loads = true;
      return a;
    case kStore:
    case kStoreFp:
      a.offset = (code_signed >> 25) * 32 + static_cast<std::int32_t>(bits(code, 11, 7));
      a.stores = true;
      if ((code & 0x7f) == kStore) a.source = bits(code, 24, 20);
      return a;
    case kAtomic: {
      constexpr std::uint32_t kLoadReserved = 2;
      constexpr std::uint32_t kStoreConditional = 3;
      a.loads = bits(code, 31, 27) != kStoreConditional;
      a.stores = bits(code, 31, 27) != kLoadReserved;
      return a;
    }
    default:
      return std::nullopt;
  }
}

/// funct3 of compressed loads and stores: 1 and 5 doubles (FP), 2 and 6 words, 3 and 7 double
/// words. Stores are those from 5 on.
std::optional<RiscvAccess> compressed(std::uint32_t code) {
  const std::uint32_t kind = bits(code, 15, 13);
  if (kind == 0 || kind == 4) return std::nullopt;
  RiscvAccess a;
  a.stores = kind > 4;
  a.loads = !a.stores;
  a.bytes = (kind & 3) == 2 ? 4 : 8;
  const bool integer = kind == 6 || kind == 7;
  if ((code & 3) == 0) {
    a.base = 8 + bits(code, 9, 7);
    if (integer) a.source = 8 + bits(code, 4, 2);
    a.offset = bits(code, 12, 10) << 3;
    a.offset |=
        a.bytes == 4 ? bits(code, 6, 6) << 2 | bits(code, 5, 5) << 6 : bits(code, 6, 5) << 6;
    return a;
  }
  a.base = 2;  // the stack pointer
  if (integer) a.source = bits(code, 6, 2);
  if (a.stores) {
    a.offset = a.bytes == 4 ? bits(code, 12, 9) << 2 | bits(code, 8, 7) << 6
                            : bits(code, 12, 10) << 3 | bits(code, 9, 7) << 6;
  } else {
    a.offset = bits(code, 12, 12) << 5;
    a.offset |= a.bytes == 4 ? bits(code, 6, 4) << 2 | bits(code, 3, 2) << 6
                             : bits(code, 6, 5) << 3 | bits(code, 4, 2) << 6;
  }
  return a;
}

}  // namespace

std::optional<RiscvAccess> riscv_access(std::uint32_t code) {
  switch (code & 3) {
    case 0:
    case 2:
      return compressed(code & 0xffff);
    case 3:
      return whole(code);
    default:
      return std::nullopt;
  }
}

namespace {

constexpr std::uint32_t kMret = 0x30200073;
constexpr std::uint32_t kSret = 0x10200073;

/// The CSR that an instruction writes; none if it writes none.
std::optional<std::uint32_t> written_csr(std::uint32_t code) {
  constexpr std::uint32_t kSystem = 0x73;
  if ((code & 0x7f) != kSystem) return std::nullopt;
  const std::uint32_t kind = bits(code, 13, 12);  // 0: no CSR, 1: write, 2: set, 3: clear
  if (kind == 0 || (kind != 1 && bits(code, 19, 15) == 0)) return std::nullopt;
  return code >> 20;
}

}  // namespace

bool riscv_enables_interrupts(std::uint32_t code) {
  if (code == kMret || code == kSret) return true;
  constexpr std::uint32_t kMstatus = 0x300;
  constexpr std::uint32_t kMideleg = 0x303;
  constexpr std::uint32_t kMie = 0x304;
  constexpr std::uint32_t kSstatus = 0x100;
  constexpr std::uint32_t kSie = 0x104;
  const std::uint32_t csr = written_csr(code).value_or(0);
  return csr == kMstatus || csr == kMideleg || csr == kMie || csr == kSstatus || csr == kSie ||
         riscv_requests_interrupts(code);
}

bool riscv_requests_interrupts(std::uint32_t code) {
  constexpr std::uint32_t kMip = 0x344;
  constexpr std::uint32_t kSip = 0x144;
  const std::uint32_t csr = written_csr(code).value_or(0);
  return csr == kMip || csr == kSip;
}

bool riscv_is_device_fence(std::uint32_t code) {
  constexpr std::uint32_t kFence = 0x0f;
  constexpr std::uint32_t kMemoryWritesBefore = 1U << 24;
  constexpr std::uint32_t kDeviceWritesAfter = 1U << 22;
  constexpr std::uint32_t kBoth = kMemoryWritesBefore | kDeviceWritesAfter;
  return (code & 0x707f) == kFence && (code & kBoth) == kBoth;
}

}  // namespace tessera
