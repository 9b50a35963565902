// SPDX-License-Identifier: Apache-2.0
// Loads and stores of a warp.

#include <algorithm>
#include <array>

#include "common/error.h"
#include "stimuli/ptx/lane_access.h"
#include "stimuli/ptx/warp.h"

namespace tessera::ptx {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <class T>
T read(const std::byte* from) {
  T v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
template <class T>
void write(std::byte* to, T v) {
  __builtin_memcpy(to, &v, sizeof v);
}

/// Loads one element of every lane into a register of Cell-sized cells, extended from T.
template <class T, class Cell>
void load_element(std::byte* to, const std::byte* from, const u64* offsets, u32 mask) {
  for_lanes(mask, [&](unsigned i) {
    const auto v =
        static_cast<Cell>(static_cast<std::make_signed_t<Cell>>(read<T>(from + offsets[i])));
    write<Cell>(to + sizeof(Cell) * i, v);
  });
}

template <class Cell>
void load_typed(const MemoryForm& m, std::byte* to, const std::byte* from, const u64* offsets,
                u32 mask) {
  switch (m.element_bytes) {
    case 1:
      return m.is_signed ? load_element<std::int8_t, Cell>(to, from, offsets, mask)
                         : load_element<std::uint8_t, Cell>(to, from, offsets, mask);
    case 2:
      return m.is_signed ? load_element<std::int16_t, Cell>(to, from, offsets, mask)
                         : load_element<std::uint16_t, Cell>(to, from, offsets, mask);
    case 4:
      return m.is_signed ? load_element<std::int32_t, Cell>(to, from, offsets, mask)
                         : load_element<std::uint32_t, Cell>(to, from, offsets, mask);
    default:
      return load_element<std::uint64_t, Cell>(to, from, offsets, mask);
  }
}

void load_lanes(const Frame& f, const Decoded& d, u32 mask, const std::byte* from,
                const u64* offsets, GatherHandler gather) {
  const MemoryForm& m = d.memory;
  const bool words = m.element_bytes == 4 && !m.wide_register && mask == kAllLanes;
  for (unsigned k = 0; k < m.elements; ++k, from += m.element_bytes) {
    std::byte* to = f.at(d.slot[k]);
    if (words)
      gather(reinterpret_cast<u32*>(to), from, offsets);
    else if (m.wide_register)
      load_typed<u64>(m, to, from, offsets, mask);
    else
      load_typed<u32>(m, to, from, offsets, mask);
  }
}

template <class T>
void store_element(const std::byte* from, bool wide, std::byte* to, const u64* offsets, u32 mask) {
  if (wide) {
    for_lanes(mask, [&](unsigned i) {
      write<T>(to + offsets[i], static_cast<T>(read<u64>(from + 8 * i)));
    });
  } else {
    for_lanes(mask, [&](unsigned i) {
      write<T>(to + offsets[i], static_cast<T>(read<u32>(from + 4 * i)));
    });
  }
}

void store_lanes(const Frame& f, const Decoded& d, u32 mask, std::byte* to, const u64* offsets) {
  const MemoryForm& m = d.memory;
  for (unsigned k = 0; k < m.elements; ++k, to += m.element_bytes) {
    const std::byte* from = f.at(d.slot[k]);
    switch (m.element_bytes) {
      case 1:
        store_element<std::uint8_t>(from, m.wide_register, to, offsets, mask);
        break;
      case 2:
        store_element<std::uint16_t>(from, m.wide_register, to, offsets, mask);
        break;
      case 4:
        store_element<u32>(from, m.wide_register, to, offsets, mask);
        break;
      default:
        store_element<u64>(from, m.wide_register, to, offsets, mask);
        break;
    }
  }
}

constexpr std::array<u64, kWarpLanes> packed_offsets() {
  std::array<u64, kWarpLanes> offsets{};
  for (unsigned i = 0; i < kWarpLanes; ++i) offsets[i] = u64{i} * kMaxLaneBytes;
  return offsets;
}
constexpr std::array<u64, kWarpLanes> kPacked = packed_offsets();

AccessKind kind_of(Action a) {
  switch (a) {
    case Action::kLoad:
    case Action::kMatrixLoad:
      return AccessKind::kLoad;
    case Action::kStore:
    case Action::kMatrixStore:
      return AccessKind::kStore;
    default:
      return AccessKind::kAtomic;
  }
}

}  // namespace

/// Resolves the space of a generic access; addresses become relative to that space. If the lanes
/// address several spaces, the access serves those of the first lane's space, and the next issue
/// the others (unserved_).
StateSpace Warp::resolve_generic(const Decoded& d, u32& mask, MemoryOp& op,
                                 AddressSummary& summary) {
  unserved_ = 0;
  if (summary.lowest >= kLocalWindowEnd) return StateSpace::kGlobal;
  const auto space_of = [](u64 a) {
    if (a >= kSharedWindow && a < kSharedWindowEnd) return StateSpace::kShared;
    if (a >= kParamWindow && a < kParamWindowEnd) return StateSpace::kParam;
    if (a >= kLocalWindow && a < kLocalWindowEnd) return StateSpace::kLocal;
    return StateSpace::kGlobal;
  };
  const StateSpace space = space_of(op.address[first_lane(mask)]);
  for_lanes(mask, [&](unsigned i) {
    if (space_of(op.address[i]) != space) unserved_ |= 1u << i;
  });
  if (unserved_ != 0) {
    mask &= ~unserved_;
    alu_.addresses(frame_, d, mask, op.address.data(), summary);
  }
  const u64 window = space == StateSpace::kShared  ? kSharedWindow
                     : space == StateSpace::kLocal ? kLocalWindow
                     : space == StateSpace::kParam ? kParamWindow
                                                   : 0;
  if (window == 0) return space;
  summary.bits = 0;
  for (u64& a : op.address) {
    a -= window;
    summary.bits |= a;
  }
  summary.lowest -= window;
  summary.highest -= window;
  return space;
}

/// Makes the present instruction an access through the L1 whose values are done. The caller sets
/// lanes, addresses and bytes.
MemoryOp& Warp::begin_access(AccessKind kind, Space space, IssueResult& result) const {
  MemoryOp& op = result.memory;
  result.kind = IssueResult::Kind::kMemory;
  op.kind = kind;
  op.space = space;
  op.scope = CacheScope::kL1;
  op.read_only = false;
  op.values_done = true;
  op.asynchronous = false;
  op.pc = pc_;
  op.line = info_[pc_].line;
  return op;
}

/// Makes the present instruction an access of these lanes, whose addresses become relative to their
/// space. Returns the space. The mask loses the lanes of a generic access that are in another one.
[[gnu::always_inline]] inline StateSpace Warp::address_lanes(const Decoded& d, u32& mask,
                                                             IssueResult& result,
                                                             AddressSummary& summary) {
  const MemoryForm& m = d.memory;
  MemoryOp& op = begin_access(kind_of(d.action), Space::kGlobal, result);
  op.scope = m.scope;
  op.lane_bytes = static_cast<std::uint8_t>(m.element_bytes * m.elements);
  op.atomic = m.atomic;
  op.atomic_type = m.atomic_type;
  alu_.addresses(frame_, d, mask, op.address.data(), summary);
  const StateSpace space =
      m.space == StateSpace::kGeneric ? resolve_generic(d, mask, op, summary) : m.space;
  op.active = result.active = mask;
  return space;
}

/// The same for other files: a call in each access costs the interpreter 3 %.
StateSpace Warp::address_access(const Decoded& d, u32& mask, IssueResult& result,
                                AddressSummary& summary) {
  return address_lanes(d, mask, result, summary);
}

void Warp::access(const Decoded& d, u32 mask, const IssueContext& context, IssueResult& result) {
  if (d.memory.strength != Strength::kWeak) turn_.observes = true;
  MemoryOp& op = result.memory;
  AddressSummary summary;
  switch (address_lanes(d, mask, result, summary)) {
    case StateSpace::kShared:
      op.space = Space::kShared;
      check_window(op, summary, launch_.shared_bytes(), "shared memory");
      if (races_) return run_checked(d, op, cta_.shared(), op.address.data());
      run_access(d, op, cta_.shared(), op.address.data());
      return;
    case StateSpace::kLocal:
      op.space = Space::kLocal;
      check_window(op, summary, frame_.local_stride, "local memory");
      access_local(d, context, op);
      return;
    case StateSpace::kParam:
      op.space = Space::kParam;
      check_window(op, summary, launch_.kernel().parameter_bytes, "the kernel's parameters");
      if (op.kind != AccessKind::kLoad) {
        fail_access(op, first_lane(mask), "kernel parameters cannot be written");
      }
      run_access(d, op, launch_.parameters(), op.address.data());
      return;
    default:
      break;
  }
  op.read_only = launch_.is_read_only(pc_);
  access_global(d, op, summary);
}

/// Generates deferred contents of the accessed pages, without the pages between them.
void Warp::touch(FlatMemory& flat, const MemoryOp& op, const AddressSummary& summary) {
  const u64 span = summary.highest - summary.lowest;
  if (span < FlatMemory::kPageBytes) return flat.touch(summary.lowest, span + op.lane_bytes);
  for_lanes(op.active, [&](unsigned i) { flat.touch(op.address[i], op.lane_bytes); });
}

/// Checks the bounds of a global access. In functional mode, performs the access at issue.
void Warp::access_global(const Decoded& d, MemoryOp& op, const AddressSummary& summary) {
  check_global(op, summary);
  if (FlatMemory* flat = launch_.memory().flat) {
    touch(*flat, op, summary);
    std::array<u64, kWarpLanes> offsets;
    for (unsigned i = 0; i < kWarpLanes; ++i) offsets[i] = op.address[i] - Allocations::kBase;
    if (races_) return run_checked(d, op, flat->at(Allocations::kBase), offsets.data());
    run_access(d, op, flat->at(Allocations::kBase), offsets.data());
    return;
  }
  op.values_done = false;
  if (op.kind != AccessKind::kLoad) carry_data(d, op);
  if (races_) {
    for_lanes(op.active, [&](unsigned i) {
      const bool stores = op.kind == AccessKind::kStore;
      check_race(d, op, i, nullptr,
                 stores ? op.data.data() + std::size_t{i} * kMaxLaneBytes : nullptr);
    });
  }
}

/// Carried mode: copies the data of a store or the operands of an atomic into the operation.
void Warp::carry_data(const Decoded& d, MemoryOp& op) {
  if (op.kind == AccessKind::kAtomic) return carry_operands(d, op);
  store_lanes(frame_, d, op.active, op.data.data(), kPacked.data());
}

/// Performs the access on host memory, in ascending order of lanes.
void Warp::run_access(const Decoded& d, const MemoryOp& op, std::byte* base, const u64* offsets) {
  switch (op.kind) {
    case AccessKind::kLoad:
      load_lanes(frame_, d, op.active, base, offsets, alu_.gather);
      return;
    case AccessKind::kStore:
      store_lanes(frame_, d, op.active, base, offsets);
      return;
    case AccessKind::kAtomic:
      run_atomic(d, op, base, offsets);
      return;
  }
}

/// Per-thread memory: each lane has a contiguous range here. In the device, the local memory of a
/// warp slot interleaves its lanes by words, or by the elements of wider accesses.
void Warp::access_local(const Decoded& d, const IssueContext& context, MemoryOp& op) {
  const u64 stride = frame_.local_stride;
  std::array<u64, kWarpLanes> offsets;
  for (unsigned i = 0; i < kWarpLanes; ++i) offsets[i] = op.address[i] + i * stride;
  run_access(d, op, frame_.bank[static_cast<std::size_t>(BankId::kLocal)], offsets.data());
  const u64 base = launch_.memory().local.of(context.sm, context.warp_slot);
  const u64 width = std::max<u64>(op.lane_bytes, 4);
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const u64 a = op.address[i];
    op.address[i] = base + (a / width * kWarpLanes + i) * width + a % width;
  }
}

void Warp::complete(const AccessEnd& access, const std::byte* data) {
  if (access.copy != 0) return end_copy(access.copy, data);
  const Decoded& d = code_[access.pc];
  if (d.action == Action::kAtomic) return complete_atomic(d, access.active, data);
  load_lanes(frame_, d, access.active, data, kPacked.data(), alu_.gather);
}

void Warp::check_window(const MemoryOp& op, const AddressSummary& summary, u64 bytes,
                        const char* what) const {
  const u64 width = op.lane_bytes;
  if (summary.highest < bytes && summary.highest + width <= bytes &&
      (summary.bits & (width - 1)) == 0) {
    return;
  }
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    if ((op.active >> i & 1u) == 0) continue;
    if ((op.address[i] & (width - 1)) != 0) fail_access(op, i, "the address is not aligned");
    if (op.address[i] >= bytes || op.address[i] + width > bytes) {
      fail_access(op, i,
                  std::string("out of bounds of ") + what + ", which has " + std::to_string(bytes) +
                      " bytes");
    }
  }
}

void Warp::check_global(const MemoryOp& op, const AddressSummary& summary) {
  RecentRange& recent = launch_.recent(pc_);
  const u64 width = op.lane_bytes;
  if ((summary.bits & (width - 1)) == 0 && recent.bytes >= width &&
      summary.lowest >= recent.begin && summary.highest - recent.begin <= recent.bytes - width) {
    return;
  }
  const Allocations& allocations = *launch_.memory().allocations;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    if ((op.active >> i & 1u) == 0) continue;
    const u64 a = op.address[i];
    if ((a & (width - 1)) != 0) fail_access(op, i, "the address is not aligned");
    if (a >= recent.begin && recent.bytes >= width && a - recent.begin <= recent.bytes - width) {
      continue;
    }
    const Allocation* found = allocations.find(a, width);
    if (found == nullptr) fail_out_of_bounds(op, i, width);
    recent = RecentRange{found->begin, found->bytes};
  }
}

/// Checks that `bytes` bytes from a lane's address on are in one allocation.
void Warp::check_global_range(const MemoryOp& op, unsigned lane, u64 bytes, u64 alignment) {
  const u64 a = op.address[lane];
  if (a % alignment != 0) fail_access(op, lane, "the address is not aligned", bytes);
  RecentRange& recent = launch_.recent(pc_);
  if (a >= recent.begin && recent.bytes >= bytes && a - recent.begin <= recent.bytes - bytes)
    return;
  const Allocation* found = launch_.memory().allocations->find(a, bytes);
  if (found == nullptr) fail_out_of_bounds(op, lane, bytes);
  recent = RecentRange{found->begin, found->bytes};
}

void Warp::fail_out_of_bounds(const MemoryOp& op, unsigned lane, u64 bytes) const {
  const u64 a = op.address[lane];
  const Allocation* near = launch_.memory().allocations->nearest_below(a);
  if (near == nullptr) fail_access(op, lane, "out of bounds: below every allocation", bytes);
  const std::string of = "'" + near->name + "' (" + std::to_string(near->bytes) + " bytes)";
  if (a < near->end()) {
    fail_access(op, lane, "out of bounds: it runs over the end of " + of, bytes);
  }
  fail_access(op, lane,
              "out of bounds: " + std::to_string(a - near->end()) + " bytes past the end of " + of,
              bytes);
}

/// `bytes`: 0 = those of the access's lanes.
void Warp::fail_access(const MemoryOp& op, unsigned lane, const std::string& why, u64 bytes) const {
  const char* what = op.kind == AccessKind::kLoad    ? "load"
                     : op.kind == AccessKind::kStore ? "store"
                                                     : "atomic";
  fail(lane, std::string(what) + " of " + std::to_string(bytes != 0 ? bytes : op.lane_bytes) +
                 " bytes at " + hex(op.address[lane]) + ": " + why);
}

}  // namespace tessera::ptx
