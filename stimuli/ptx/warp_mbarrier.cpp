// SPDX-License-Identifier: Apache-2.0
// mbarrier instructions of a warp (PTX ISA 9.7.13.15). They take effect at issue, lane by lane in
// ascending order.

#include <cstring>

#include "stimuli/ptx/lane_access.h"
#include "stimuli/ptx/warp.h"

namespace tessera::ptx {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u64 kNowhere = ~u64{0};

void set_bit(std::byte* predicate, unsigned lane, bool value) {
  u32 bits;
  std::memcpy(&bits, predicate, 4);
  bits = value ? bits | 1u << lane : bits & ~(1u << lane);
  std::memcpy(predicate, &bits, 4);
}

}  // namespace

/// An offset in shared memory for a generic address; kNowhere if it is not in shared memory.
u64 Warp::async_address(const AsyncAddress& a, unsigned lane) const {
  const auto plus = static_cast<u64>(a.displacement);
  const u64 at = a.wide ? cell<u64>(frame_, a.base, lane) + plus
                        : static_cast<u32>(cell(frame_, a.base, lane) + plus);
  if (!a.generic) return at;
  return at >= kSharedWindow && at < kSharedWindowEnd ? at - kSharedWindow : kNowhere;
}

bool Warp::has_mbarrier(u64 address) const {
  return address % 8 == 0 && address < launch_.shared_bytes() &&
         address + 8 <= launch_.shared_bytes();
}

u32 Warp::mbarrier_address(const AsyncForm& form, unsigned lane) const {
  const u64 at = async_address(form.barrier, lane);
  if (at == kNowhere) fail(lane, "the address of the mbarrier is not in shared memory");
  if (at % 8 != 0) fail(lane, "the mbarrier at " + hex(at) + " is not aligned to 8 bytes");
  if (!has_mbarrier(at)) {
    fail(lane, "the mbarrier at " + hex(at) + " is out of bounds of shared memory, which has " +
                   std::to_string(launch_.shared_bytes()) + " bytes");
  }
  return static_cast<u32>(at);
}

Mbarrier Warp::mbarrier(u32 address) const {
  u64 bits;
  std::memcpy(&bits, cta_.shared() + address, 8);
  return Mbarrier(bits);
}

void Warp::set_mbarrier(u32 address, const Mbarrier& value) {
  const u64 bits = value.bits();
  std::memcpy(cta_.shared() + address, &bits, 8);
}

/// Whether the phase that the lane waits for is complete.
bool Warp::phase_ended(const AsyncForm& form, unsigned lane) const {
  const u32 now = mbarrier(mbarrier_address(form, lane)).phase();
  if (form.by_parity) return now != (cell(frame_, form.state, lane) & 1u);
  return now != Mbarrier(cell<u64>(frame_, form.state, lane)).phase();
}

void Warp::execute_mbarrier(const Decoded&, const AsyncForm& form, u32 mask, IssueResult& result) {
  std::byte* const to = form.has_result ? frame_.at(form.result) : nullptr;
  if (form.op == AsyncOp::kPendingCount) {
    for_lanes(mask, [&](unsigned lane) {
      const u32 count = Mbarrier(cell<u64>(frame_, form.state, lane)).pending();
      std::memcpy(to + 4 * lane, &count, 4);
    });
    return;
  }
  const bool waits = form.op == AsyncOp::kTestWait || form.op == AsyncOp::kTryWait;
  MemoryOp& op =
      begin_access(waits ? AccessKind::kLoad : AccessKind::kAtomic, Space::kShared, result);
  op.lane_bytes = 8;
  op.active = mask;
  for_lanes(mask, [&](unsigned lane) {
    const u32 at = mbarrier_address(form, lane);
    op.address[lane] = at;
    if (!waits) {
      if (to != nullptr) std::memcpy(to + 8 * lane, cta_.shared() + at, 8);
      return operate_mbarrier(form, lane, at);
    }
    const bool ended = phase_ended(form, lane);
    set_bit(to, lane, ended);
    if (races_ && ended) cta_.races()->shared.acquire(index_, cta_.races()->mbarriers[at]);
  });
}

void Warp::operate_mbarrier(const AsyncForm& form, unsigned lane, u32 address) {
  if (form.op == AsyncOp::kInvalidate) return;
  const u32 count =
      form.op == AsyncOp::kInit || form.op == AsyncOp::kArrive ? cell(frame_, form.count, lane) : 0;
  if (form.op == AsyncOp::kInit) {
    if (count == 0 || count > Mbarrier::kMost) {
      fail(lane, "an mbarrier for " + std::to_string(count) + " arrivals; a phase has 1 to " +
                     std::to_string(Mbarrier::kMost));
    }
    return set_mbarrier(address, Mbarrier::initial(count));
  }
  Mbarrier b = mbarrier(address);
  const u32 phase = b.phase();
  const std::int64_t bytes =
      form.op == AsyncOp::kArrive && !form.expects_bytes ? 0 : cell(frame_, form.bytes, lane);
  const auto check = [&](bool fits) {
    if (fits) return;
    fail(lane, "the mbarrier at " + hex(address) + " has " + std::to_string(b.pending()) +
                   " pending arrivals of " + std::to_string(b.expected()) + " and " +
                   std::to_string(b.pending_bytes()) +
                   " pending bytes; the operation leaves their "
                   "range");
  };
  switch (form.op) {
    case AsyncOp::kArrive:
      if (races_) cta_.races()->shared.release(index_, cta_.races()->mbarriers[address]);
      if (form.expects_bytes) check(b.expect_bytes(bytes));
      check(form.drops ? b.arrive_drop(count) : b.arrive(count));
      if (form.no_complete && b.phase() != phase) {
        fail(lane, "the arrival completes the phase, which .noComplete excludes");
      }
      break;
    case AsyncOp::kExpectBytes:
      check(b.expect_bytes(bytes));
      break;
    default:
      check(b.complete_bytes(bytes));
      break;
  }
  set_mbarrier(address, b);
}

}  // namespace tessera::ptx
