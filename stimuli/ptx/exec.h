// SPDX-License-Identifier: Apache-2.0
#pragma once

// Decoded instructions and the state of their handlers.
//
// A value of a warp is a vector of 32 lanes: 32-bit cells for types of up to 32 bits (narrower
// types use the low bits), 64-bit cells for 64-bit types. A predicate is one 32-bit mask.
// Registers, constants and special registers are all such vectors in one of a few banks, so that a
// handler reads every operand by (bank, offset), independent of its kind.

#include <array>
#include <cstddef>
#include <cstdint>

#include "stimuli/ptx/module.h"
#include "stimuli/warp_program.h"

namespace tessera::ptx {

inline constexpr std::uint32_t kAllLanes = 0xffffffffu;

/// Generic addresses of the windows that are not global memory. Device allocations begin at
/// Allocations::kBase (4 GiB), so that the windows never collide with them.
inline constexpr std::uint64_t kSharedWindow = 0x0100'0000;
inline constexpr std::uint64_t kSharedWindowEnd = 0x0200'0000;
inline constexpr std::uint64_t kParamWindow = 0x0200'0000;
inline constexpr std::uint64_t kParamWindowEnd = 0x0201'0000;
inline constexpr std::uint64_t kLocalWindow = 0x8000'0000;
inline constexpr std::uint64_t kLocalWindowEnd = 0x1'0000'0000;

enum class BankId : std::uint32_t {
  kRegisters,  ///< per warp: virtual registers, predicates, carry flag, scratch
  kConstants,  ///< per kernel: immediates
  kLaunch,     ///< per launch: %ntid, %nctaid, addresses of module variables
  kCta,        ///< per CTA: %ctaid
  kThread,     ///< per warp index: %tid
  kParam,      ///< per launch: kernel parameters, as bytes
  kLocal,      ///< per warp: .local memory, lane after lane
  kCount
};

/// Location of an operand.
struct Slot {
  BankId bank = BankId::kRegisters;
  std::uint32_t offset = 0;  ///< bytes
};

/// The state of a warp that a handler accesses.
struct Frame {
  std::array<std::byte*, static_cast<std::size_t>(BankId::kCount)> bank{};
  /// Lanes that execute (never 0 when a handler is called).
  std::uint32_t mask = 0;
  /// Bytes of .local memory per lane.
  std::uint32_t local_stride = 0;
  const IssueContext* context = nullptr;

  std::byte* at(Slot s) const { return bank[static_cast<std::size_t>(s.bank)] + s.offset; }
};

struct Decoded;
using Handler = void (*)(const Frame&, const Decoded&);

/// Summary of an access's lane addresses for its checks.
struct AddressSummary {
  std::uint64_t lowest = 0;
  std::uint64_t highest = 0;
  std::uint64_t bits = 0;  ///< OR of all addresses, for the alignment check
};
/// Computes the addresses of a memory instruction. Inactive lanes get the first active lane's
/// address, so that checks and loops need no mask.
using AddressHandler = void (*)(const Frame&, const Decoded&, std::uint32_t mask,
                                std::uint64_t* addresses, AddressSummary& summary);
/// Loads one 4-byte element of every lane: to[i] = *(from + offsets[i]).
using GatherHandler = void (*)(std::uint32_t* to, const std::byte* from,
                               const std::uint64_t* offsets);

enum class Action : std::uint8_t {
  kCompute,   ///< call the handler
  kTogether,  ///< the same, but all 32 lanes must execute it together
  kWarpSync,  ///< call the handler when all member lanes have arrived (Kernel::syncs[aux])
  kBranch,
  kCall,    ///< `aux`: index of Kernel::call_sites
  kReturn,  ///< from the function `aux` of Kernel::functions
  kLoad,
  kStore,
  kAtomic,
  kMatrixLoad,   ///< ldmatrix: results at 0 to 3, address at 4
  kMatrixStore,  ///< stmatrix: sources at 0 to 3, address at 4
  kBarrier,
  kBarrierReduce,
  kFence,
  kExit,
  kTrap,
  kPrint,   ///< vprintf: result at 0 (optional), format at 1, buffer at 2
  kMalloc,  ///< malloc: result at 0, bytes at 1
  kFree,    ///< free: pointer at 1
  kAlloca,  ///< result at 0, bytes at 1; `displacement`: alignment
  kAssert,  ///< __assertfail: message at 1, file at 2, line at 3, function at 4
  // Textures and surfaces: `aux` is the index of Kernel::textures.
  kTexelLoad,      ///< load of corner `displacement`; `target` is the code after the last corner
  kTextureFilter,  ///< computes the results from coordinates and texels
  kTextureQuery,   ///< result at 0
  kSurfaceAccess,  ///< load or store: data at 0 to 3
  kAsync,          ///< asynchronous copy or mbarrier: `aux` is the index of Kernel::async
};

/// Operand types, which determine cell width and form of immediates.
enum class Kind : std::uint8_t { kI8, kI16, kI32, kI64, kF16, kF32, kF64, kPred };

constexpr unsigned kind_bytes(Kind k) {
  switch (k) {
    case Kind::kI8:
      return 1;
    case Kind::kI16:
    case Kind::kF16:
      return 2;
    case Kind::kI64:
    case Kind::kF64:
      return 8;
    case Kind::kI32:
    case Kind::kF32:
      return 4;
    case Kind::kPred:
      return 0;
  }
  return 0;
}

/// Scope of threads with which an access can be concurrent without a race (PTX ISA, strong
/// operations).
enum class Strength : std::uint8_t {
  kWeak,
  kCta,  ///< threads of the same CTA
  kGpu,  ///< all threads: volatile, relaxed, acquire, release and atomics without .cta
};

/// The static properties of a memory instruction.
struct MemoryForm {
  StateSpace space = StateSpace::kGlobal;
  CacheScope scope = CacheScope::kL1;
  /// Read-only by definition (ld.global.nc, ldu, constants). Results of the read-only pass are in
  /// the launch.
  bool read_only = false;
  Strength strength = Strength::kWeak;
  bool is_signed = false;      ///< sign-extend a narrow element to the register
  bool wide_register = false;  ///< data registers have 64-bit cells
  bool wide_address = false;   ///< the address register has 64-bit cells
  std::uint8_t element_bytes = 4;
  std::uint8_t elements = 1;
  AtomicOp atomic = AtomicOp::kAdd;
  AtomicType atomic_type = AtomicType::kU32;
  /// Atomics: registers of the operand, of element_bytes / parts bytes each. More than one: their
  /// slots are listed at Decoded::kParts.
  std::uint8_t parts = 1;
};

/// Slots: results at 0 (and 1), sources from 2 on. Memory: data elements at 0 to 3, address at 4;
/// atomics: result at 0, operand at 1, comparand at 2, or at 5 the list of the slots of the parts
/// of the result, then of the operand, then of the comparand.
struct Decoded {
  static constexpr unsigned kResult = 0;
  static constexpr unsigned kResult2 = 1;
  static constexpr unsigned kSource = 2;
  static constexpr unsigned kAddress = 4;
  static constexpr unsigned kOperand = 1;
  static constexpr unsigned kComparand = 2;
  static constexpr unsigned kParts = 5;
  /// Bit of aux: a barrier without .aligned, which the lanes of a warp can execute separately.
  static constexpr std::uint32_t kUnaligned = 16;
  /// Bits of aux: the number of matrices of ldmatrix and stmatrix, and .trans.
  static constexpr std::uint32_t kMatrices = 7;
  static constexpr std::uint32_t kTransposed = 8;

  Handler run = nullptr;
  /// The conversion that `run` calls if the registers are wider than their types.
  Handler inner = nullptr;
  std::array<Slot, 6> slot{};
  Slot guard{};
  /// XORed with the guard's mask: all ones for "@!p".
  std::uint32_t guard_flip = 0;
  Action action = Action::kCompute;
  MemoryForm memory{};
  /// Handler-specific: LUT, combine mode, shuffle mode, barrier flags.
  std::uint32_t aux = 0;
  /// Masks XORed with predicate sources ("!p"), in order of use.
  std::uint32_t flip = 0;
  /// Branch: index of the target and of the reconvergence point.
  std::uint32_t target = 0;
  std::uint32_t reconverge = 0;
  /// Memory: displacement.
  std::int64_t displacement = 0;
};

}  // namespace tessera::ptx
