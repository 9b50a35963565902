// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one interface between a stimulus (PTX execution, traces, synthetic kernels) and an SM.
//
// An SM fetches the next operation of a warp, waits until the registers it names are ready, issues
// it (which executes it for all active lanes), and gives load data back when the memory system
// has returned it. Issue is in order per warp, so values computed at issue are always right.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "common/atomic_op.h"
#include "common/ids.h"
#include "common/warp_lanes.h"

namespace tessera {

class FlatMemory;

/// Widest access of one lane in bytes (ld.v4.b32, ld.v2.b64).
inline constexpr unsigned kMaxLaneBytes = 16;

struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

/// The execution unit an operation occupies; the SM's configuration gives each its latency and
/// issue interval.
enum class Unit : std::uint8_t {
  kAlu,      ///< integer, logic, f32, f16, moves, predicates, branches
  kIntMul,   ///< integer multiply and multiply-add
  kFp64,     ///< double precision
  kSfu,      ///< reciprocal, square root, sin, cos, ex2, lg2, and division steps
  kMemory,   ///< load, store, atomic (any space that has an address)
  kBarrier,  ///< CTA-wide barrier
  kFence,    ///< memory fence: earlier writes of this warp must be performed first
  kWait,     ///< issues when WarpProgram::wait_ended(): asynchronous copies, barrier phases
  kExit,     ///< the warp (or some of its lanes) ends; issued on the ALU
};

/// Static part of an operation: what the SM must know before it may issue it. Lives as long as
/// the kernel's program does.
struct OpInfo {
  /// A wmma.mma of shape m32n8k16 names 8 + 2 + 8 sources and 8 results.
  static constexpr unsigned kMaxRegisters = 26;

  Unit unit = Unit::kAlu;
  /// How many issue slots of the unit one warp instruction takes (an integer division is a
  /// sequence of machine instructions); at least 1.
  std::uint8_t cost = 1;
  std::uint8_t read_count = 0;
  std::uint8_t write_count = 0;
  /// Scoreboard names: `read_count` sources, then `write_count` destinations. Predicates have
  /// names of their own from the same numbering. All below KernelProgram::register_names().
  std::array<std::uint16_t, kMaxRegisters> registers{};
  /// Index of the instruction in the kernel, and its line in the source text.
  std::uint32_t pc = 0;
  std::uint32_t line = 0;
};

enum class Space : std::uint8_t {
  kGlobal,
  kShared,
  kLocal,  ///< per-thread memory: values settled at issue; its accesses reach the memory system
  kConst,  ///< served by the constant cache: no memory traffic
  kParam,  ///< kernel parameters: no memory traffic
};

enum class AccessKind : std::uint8_t { kLoad, kStore, kAtomic };

/// Where a load or store may be cached.
enum class CacheScope : std::uint8_t {
  kL1,       ///< default (.ca, .nc, weak)
  kBypassL1  ///< .cg, .cv, volatile, relaxed/acquire/release at gpu or sys scope
};

/// One warp-wide memory access, filled at issue. The arrays are not initialised, because an issue
/// sets only what active lanes use of them.
struct MemoryOp {
  AccessKind kind = AccessKind::kLoad;
  Space space = Space::kGlobal;
  CacheScope scope = CacheScope::kL1;
  /// The load is of global data that no thread writes during the kernel: by definition
  /// (ld.global.nc, ldu, constants), or found by the read-only pass (docs/passes/read-only.md).
  bool read_only = false;
  /// Bytes per lane: 1, 2, 4, 8 or 16.
  std::uint8_t lane_bytes = 4;
  /// The values are settled already (shared memory; every space in functional mode): the SM
  /// models time only and does not call complete().
  bool values_done = false;
  /// An asynchronous copy: the warp does not wait for it. complete() is called at its end in both
  /// modes, with no data if the values are done.
  bool asynchronous = false;
  AtomicOp atomic = AtomicOp::kAdd;
  AtomicType atomic_type = AtomicType::kU32;
  /// Lanes that take part; bit i is lane i.
  std::uint32_t active = 0;
  std::uint32_t pc = 0;
  std::uint32_t line = 0;
  /// Of an asynchronous copy: its number, which complete() gets.
  std::uint32_t copy = 0;
  /// Byte address per lane: virtual for global and local, CTA-relative for shared.
  std::array<std::uint64_t, kWarpLanes> address;
  /// Store data, or atomic operand, of lane i at byte i * kMaxLaneBytes (carried mode only).
  alignas(16) std::array<std::byte, kWarpLanes * kMaxLaneBytes> data;
  /// Comparand of compare-and-swap (carried mode only).
  std::array<AtomicWord, kWarpLanes> compare;
};

/// What an issue did.
struct IssueResult {
  enum class Kind : std::uint8_t {
    kCompute,
    kMemory,
    kBarrier,
    kFence,
    kExit,
    kBlocked,  ///< nothing has executed: the wait has not ended (IssueContext::end_wait)
  };

  Kind kind = Kind::kCompute;
  /// Lanes that executed (after predication); for statistics.
  std::uint32_t active = 0;
  /// kBarrier: which of the CTA's 16 barriers, and how many threads it waits for (0 = all).
  std::uint8_t barrier_id = 0;
  std::uint32_t barrier_threads = 0;
  /// kBarrier: the warp only counts and goes on (bar.arrive).
  bool barrier_arrive_only = false;
  /// kExit: every lane of the warp has ended. (Some lanes ended otherwise.)
  bool warp_done = false;
  /// kMemory. A memory operation with no active lane is reported as kCompute.
  MemoryOp memory;
};

/// What a warp may ask of its surroundings while it executes (%clock, %smid, %warpid).
struct IssueContext {
  std::uint64_t cycle = 0;
  std::uint32_t sm = 0;
  std::uint32_t warp_slot = 0;
  /// SMs in the GPU (%nsmid).
  std::uint32_t sm_count = 1;
  /// An operation of Unit::kWait issues even if its wait has not ended. False: for callers that do
  /// not ask wait_ended().
  bool end_wait = true;
};

/// An access that has ended: what its MemoryOp had.
struct AccessEnd {
  std::uint32_t pc = 0;
  std::uint32_t active = 0;  ///< not of an asynchronous copy
  std::uint32_t copy = 0;
};

/// A warp of a running CTA.
class WarpProgram {
 public:
  virtual ~WarpProgram() = default;
  WarpProgram() = default;
  WarpProgram(const WarpProgram&) = delete;
  WarpProgram& operator=(const WarpProgram&) = delete;

  /// The next operation. Not to be called once the warp is done.
  virtual const OpInfo& next() const = 0;

  /// Whether the next operation, which is of Unit::kWait, can issue. If it cannot, it can after a
  /// complete(), or after an operation of another warp of the CTA.
  virtual bool wait_ended() const { return true; }
  /// Whether the next operation, which is of Unit::kWait, can also issue after a limited time.
  virtual bool wait_is_limited() const { return false; }

  /// Executes the next operation and moves on. Its registers must be ready: the SM has waited. An
  /// operation that needs several accesses stays the next operation until the last has issued.
  /// Throws RunError (kernel, thread, address or line) when the program does what it must not.
  virtual void issue(const IssueContext& context, IssueResult& result) = 0;

  /// Where the warp stands, for messages: "CTA (0,0,0), warp 1, k.ptx:12 'bar.sync 0;'".
  virtual std::string where() const { return "line " + std::to_string(next().line); }
  /// The same of the instruction of an earlier access, with its kernel.
  virtual std::string place_of(std::uint32_t pc) const {
    return "instruction " + std::to_string(pc);
  }
  /// The same of the barrier that it has reached last, and may be waiting at.
  virtual std::string last_barrier() const { return "a barrier before " + where(); }

  /// Writes the destination registers of an earlier load or atomic that was not `values_done`, or
  /// ends an asynchronous copy. Lane i's bytes stand at `data + i * kMaxLaneBytes`. The SM hands
  /// back the access's pc, its active lanes and its `copy`. Several accesses of a warp may be
  /// outstanding and complete in any order; each has distinct destination registers (the scoreboard
  /// sees to that).
  virtual void complete(const AccessEnd& access, const std::byte* data) = 0;
};

/// The warps of a CTA that have come to one of its barriers.
struct CtaBarrier {
  std::uint32_t arrived = 0;   ///< warps
  std::uint32_t expected = 0;  ///< warps; 0: all that have not ended
  std::uint64_t waiting = 0;   ///< bit i: warp i waits there
};

/// A running CTA: its warps, its shared memory and its barriers. Destroying it ends it.
///
/// It holds all that a CTA that is half way has, so that an SM or the functional runner can hand it
/// over to another, between two instructions of each warp, when no access of it is outstanding. The
/// runner that has it reports arrivals and ends of warps as it issues them.
class CtaProgram {
 public:
  static constexpr unsigned kBarriers = 16;
  static constexpr unsigned kMaxWarps = 64;

  virtual ~CtaProgram() = default;
  CtaProgram() = default;
  CtaProgram(const CtaProgram&) = delete;
  CtaProgram& operator=(const CtaProgram&) = delete;

  /// 1 to kMaxWarps.
  virtual unsigned warp_count() const = 0;
  virtual WarpProgram& warp(unsigned index) = 0;
  /// Threads of warp `index` (32, or fewer in the last one).
  virtual unsigned warp_threads(unsigned index) const = 0;

  const CtaBarrier& barrier(unsigned id) const { return barriers_[id]; }
  /// Warps that have ended, and warps that wait at a barrier: bit i is warp i.
  std::uint64_t ended_warps() const { return ended_; }
  std::uint64_t waiting_warps() const {
    std::uint64_t waiting = 0;
    for (const CtaBarrier& b : barriers_) waiting |= b.waiting;
    return waiting;
  }
  unsigned live_warps() const {
    return warp_count() - static_cast<unsigned>(__builtin_popcountll(ended_));
  }

  /// The warp has issued a barrier: `result` is of the kind kBarrier.
  void arrive(unsigned warp, const IssueResult& result) {
    CtaBarrier& b = barriers_[result.barrier_id];
    ++b.arrived;
    b.expected = (result.barrier_threads + kWarpLanes - 1) / kWarpLanes;
    if (!result.barrier_arrive_only) b.waiting |= std::uint64_t{1} << warp;
  }
  /// All lanes of the warp have ended. Barriers that wait for every live warp may be complete now.
  void end_warp(unsigned warp) { ended_ |= std::uint64_t{1} << warp; }
  /// Resets the barrier if it is complete, and returns the warps that it releases; else 0.
  std::uint64_t release(unsigned id) {
    CtaBarrier& b = barriers_[id];
    if (b.arrived == 0) return 0;
    if (b.arrived < (b.expected == 0 ? live_warps() : b.expected)) return 0;
    const std::uint64_t released = b.waiting;
    b = CtaBarrier{};
    return released;
  }

 private:
  std::array<CtaBarrier, kBarriers> barriers_;
  std::uint64_t ended_ = 0;
};

/// What one CTA occupies on an SM.
struct CtaResources {
  std::uint32_t threads = 0;
  std::uint32_t registers_per_thread = 0;  ///< 32-bit registers
  std::uint32_t shared_bytes = 0;          ///< static + dynamic
};

/// One kernel launch.
class KernelProgram {
 public:
  virtual ~KernelProgram() = default;
  KernelProgram() = default;
  KernelProgram(const KernelProgram&) = delete;
  KernelProgram& operator=(const KernelProgram&) = delete;

  virtual const std::string& name() const = 0;
  virtual Dim3 grid() const = 0;
  virtual Dim3 block() const = 0;
  virtual CtaResources resources() const = 0;
  /// Number of scoreboard names (registers and predicates) of a thread.
  virtual unsigned register_names() const = 0;
  /// The CTAs wait for each other: all of them must be resident at once, or the launch is refused.
  virtual bool cooperative() const { return false; }
  /// From now on values are in `flat` (functional mode), or, if null, they travel (carried mode).
  /// Not while an access of a CTA is outstanding. Programs without values ignore it.
  virtual void use_flat_memory(FlatMemory* /*flat*/) {}
  /// Starts a CTA; called in dispatch order, at most once per CTA.
  virtual std::unique_ptr<CtaProgram> start_cta(CtaId cta) = 0;
  /// An instruction, for messages, for example "k.ptx:12 'st.global.u32 [%rd1], %r1'".
  virtual std::string instruction_text(std::uint32_t pc) const {
    return "instruction " + std::to_string(pc);
  }
};

}  // namespace tessera
