// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies of a warp (PTX ISA 9.7.9.25). A copy is an access to global memory that the
// SM's load/store unit performs. In carried mode, its bytes reach shared memory when it ends; in
// functional mode, at its issue. A bulk copy is divided into pieces of one access each, which issue
// one after the other.

#include <algorithm>
#include <cstring>

#include "stimuli/ptx/lane_access.h"
#include "stimuli/ptx/warp.h"

namespace tessera::ptx {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kPieceBytes = kWarpLanes * kMaxLaneBytes;
constexpr u64 kBulkAlignment = 16;

bool is_set(const Frame& f, Slot predicate, u32 flip, unsigned lane) {
  u32 bits;
  __builtin_memcpy(&bits, f.at(predicate), 4);
  return ((bits ^ flip) >> lane & 1u) != 0;
}

}  // namespace

AsyncCopies& Warp::copies() {
  if (copies_ == nullptr) copies_ = std::make_unique<AsyncCopies>();
  return *copies_;
}

bool Warp::wait_ended() const {
  const Decoded& d = code_[pc_];
  const AsyncForm& form = launch_.kernel().async[d.aux];
  u32 guard;
  __builtin_memcpy(&guard, frame_.at(d.guard), 4);
  const u32 mask = active_ & (guard ^ d.guard_flip);
  if (mask == 0) return true;
  if (form.op == AsyncOp::kWait) {
    return copies_ == nullptr ||
           copies_->ended(mask, form.bulk, form.groups, form.waits_for_all, form.waits_for_reads);
  }
  // The lanes of a diverged warp can wait for other lanes of the warp.
  if (active_ != live_) return true;
  bool ended = true;
  for_lanes(mask, [&](unsigned lane) {
    // Without an mbarrier there, the instruction issues and fails.
    const u64 at = async_address(form.barrier, lane);
    ended = ended && (!has_mbarrier(at) || phase_ended(form, lane));
  });
  return ended;
}

bool Warp::wait_is_limited() const {
  const Decoded& d = code_[pc_];
  return d.action == Action::kAsync && launch_.kernel().async[d.aux].op == AsyncOp::kTryWait;
}

/// Returns false if the instruction stays the next one: it has pieces left, or its wait has not
/// ended.
bool Warp::execute_async(const Decoded& d, u32 mask, const IssueContext& context,
                         IssueResult& result) {
  const AsyncForm& form = launch_.kernel().async[d.aux];
  switch (form.op) {
    case AsyncOp::kCopy:
      copy_lanes(d, form, mask, result);
      return true;
    case AsyncOp::kBulkLoad:
    case AsyncOp::kBulkStore:
      copy_bulk(d, form, mask, result);
      return unserved_ == 0;
    case AsyncOp::kBulkShared:
      for_lanes(mask, [&](unsigned lane) {
        copy_within_shared(form, lane, cell(frame_, form.count, lane));
      });
      return true;
    case AsyncOp::kCommit:
      for_lanes(mask, [&](unsigned lane) { ++copies().group[form.bulk ? 1 : 0][lane]; });
      return true;
    case AsyncOp::kWait:
      if (context.end_wait || wait_ended()) return true;
      result.kind = IssueResult::Kind::kBlocked;
      return false;
    case AsyncOp::kArriveAfterCopies:
      for_lanes(mask, [&](unsigned lane) {
        const u32 at = mbarrier_address(form, lane);
        Mbarrier b = mbarrier(at);
        if (!form.no_increment && !b.expect_arrival()) fail(lane, "the mbarrier's count overflows");
        set_mbarrier(at, b);
        copies().arrivals.push_back(CopyArrival{lane, at, copies().next_number - 1});
      });
      handle_copy_arrivals();
      return true;
    case AsyncOp::kTryWait:
      if (!context.end_wait && !wait_ended()) {
        result.kind = IssueResult::Kind::kBlocked;
        return false;
      }
      turn_.observes = true;
      break;
    default:
      break;
  }
  execute_mbarrier(d, form, mask, result);
  return true;
}

AsyncCopy& Warp::start_copy(u32 lanes, bool bulk, bool store, IssueResult& result) {
  AsyncCopies& all = copies();
  AsyncCopy& c = all.outstanding.emplace_back();
  c.number = all.next_number++;
  if (all.next_number == 0) all.next_number = 1;  // 0 is no copy
  c.lanes = lanes;
  c.bulk = bulk;
  c.store = store;
  c.group = all.group[bulk ? 1 : 0];
  MemoryOp& op =
      begin_access(store ? AccessKind::kStore : AccessKind::kLoad, Space::kGlobal, result);
  op.scope = CacheScope::kBypassL1;
  op.asynchronous = true;
  op.copy = c.number;
  return c;
}

void Warp::check_shared_range(const AsyncForm& form, unsigned lane, u64 address, u64 bytes,
                              u64 alignment) const {
  const char* const what = form.op == AsyncOp::kBulkStore ? "source" : "destination";
  if (address % alignment != 0) {
    fail(lane, std::string("the ") + what + " " + hex(address) +
                   " in shared memory is not aligned to " + std::to_string(alignment) + " bytes");
  }
  const u64 limit = launch_.shared_bytes();
  if (address > limit || bytes > limit - address) {
    fail(lane, std::string("the ") + what + " " + hex(address) + " of " + std::to_string(bytes) +
                   " bytes is out of bounds of shared memory, which has " + std::to_string(limit) +
                   " bytes");
  }
}

/// cp.async: each lane copies one element.
void Warp::copy_lanes(const Decoded& d, const AsyncForm& form, u32 mask, IssueResult& result) {
  AsyncCopy c;
  MemoryOp& op = result.memory;
  op.lane_bytes = form.copy_bytes;
  u32 reads = 0;
  for_lanes(mask, [&](unsigned lane) {
    const u64 to = async_address(form.to, lane);
    check_shared_range(form, lane, to, form.copy_bytes, form.copy_bytes);
    c.to[lane] = static_cast<u32>(to);
    u32 bytes = cell(frame_, form.count, lane);
    if (bytes > form.copy_bytes) {
      fail(lane, "the source has " + std::to_string(bytes) + " bytes, more than the " +
                     std::to_string(form.copy_bytes) + " of the copy");
    }
    if (is_set(frame_, form.ignored, form.ignored_flip, lane)) bytes = 0;
    c.bytes[lane] = static_cast<std::uint8_t>(bytes);
    op.address[lane] = async_address(form.from, lane);
    if (bytes != 0) {
      reads |= 1u << lane;
    } else {
      std::memset(cta_.shared() + to, 0, form.copy_bytes);
    }
  });
  if (reads == 0) return;
  AsyncCopy& copy = start_copy(mask, false, false, result);
  copy.to = c.to;
  copy.bytes = c.bytes;
  copy.elements = reads;
  copy.element_bytes = form.copy_bytes;
  op.active = reads;
  op.scope = form.bypasses_l1 ? CacheScope::kBypassL1 : CacheScope::kL1;
  op.read_only = launch_.is_read_only(pc_);
  // The bytes after those of the source are not accessed.
  for_lanes(reads, [&](unsigned lane) {
    check_global_range(op, lane, copy.bytes[lane], form.copy_bytes);
  });
  issue_copy(d, op, copy);
}

/// cp.async.bulk between global and shared memory: one piece of the first unserved lane's copy.
void Warp::copy_bulk(const Decoded& d, const AsyncForm& form, u32 mask, IssueResult& result) {
  AsyncCopies& all = copies();
  const bool begins = unserved_ == 0;
  if (begins) unserved_ = mask;
  result.active = begins ? mask : 0;
  const unsigned lane = first_lane(unserved_);
  const u64 total = cell(frame_, form.count, lane);
  const bool stores = form.op == AsyncOp::kBulkStore;
  const u64 shared = async_address(stores ? form.from : form.to, lane);
  const u64 global = async_address(stores ? form.to : form.from, lane);
  MemoryOp& op = result.memory;
  op.kind = stores ? AccessKind::kStore : AccessKind::kLoad;
  op.lane_bytes = kBulkAlignment;
  if (all.bulk_done == 0) {
    if (total % kBulkAlignment != 0) {
      fail(lane,
           "a bulk copy of " + std::to_string(total) + " bytes; its size is a multiple of 16");
    }
    check_shared_range(form, lane, shared, total, kBulkAlignment);
    op.address[lane] = global;
    if (total != 0) check_global_range(op, lane, total, kBulkAlignment);
  }
  const auto piece = static_cast<u32>(std::min<u64>(kPieceBytes, total - all.bulk_done));
  const u32 offset = all.bulk_done;
  all.bulk_done += piece;
  if (all.bulk_done == total) {
    all.bulk_done = 0;
    unserved_ &= unserved_ - 1;
  }
  if (piece == 0) return;
  AsyncCopy& copy = start_copy(1u << lane, true, stores, result);
  const unsigned elements = piece / kBulkAlignment;
  copy.elements = elements == kWarpLanes ? kAllLanes : (1u << elements) - 1;
  if (!stores) {
    copy.barrier_bytes = piece;
    copy.barrier = mbarrier_address(form, lane);
  }
  op.active = copy.elements;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const u64 at = offset + std::min(i, elements - 1) * kBulkAlignment;
    op.address[i] = global + at;
    copy.to[i] = static_cast<u32>(shared + at);
    copy.bytes[i] = kBulkAlignment;
  }
  issue_copy(d, op, copy);
}

/// Functional mode: performs the copy. Carried mode: gives the bytes of a store to the access.
void Warp::issue_copy(const Decoded& d, MemoryOp& op, AsyncCopy& copy) {
  std::array<std::byte, kWarpLanes * std::size_t{kMaxLaneBytes}> moved;
  const auto element = [&](unsigned i) { return moved.data() + std::size_t{i} * kMaxLaneBytes; };
  FlatMemory* const flat = launch_.memory().flat;
  op.values_done = flat != nullptr;
  for_lanes(copy.elements, [&](unsigned i) {
    if (copy.store) std::memcpy(element(i), cta_.shared() + copy.to[i], copy.element_bytes);
    if (flat == nullptr) return;
    flat->touch(op.address[i], copy.bytes[i]);
    if (copy.store) {
      std::memcpy(flat->at(op.address[i]), element(i), copy.element_bytes);
    } else {
      std::memcpy(element(i), flat->at(op.address[i]), copy.bytes[i]);
    }
  });
  if (races_) {
    for_lanes(copy.elements, [&](unsigned i) {
      check_race(d, op, i, nullptr, copy.store ? element(i) : nullptr);
    });
  }
  if (flat != nullptr) {
    if (!copy.store) write_copied(copy, moved.data());
  } else if (copy.store) {
    op.data = moved;
  }
}

/// Writes the bytes of a copy to shared memory.
void Warp::write_copied(const AsyncCopy& copy, const std::byte* data) {
  for_lanes(copy.elements, [&](unsigned i) {
    std::byte* const to = cta_.shared() + copy.to[i];
    std::memcpy(to, data + std::size_t{i} * kMaxLaneBytes, copy.bytes[i]);
    std::memset(to + copy.bytes[i], 0, copy.element_bytes - std::size_t{copy.bytes[i]});
  });
}

/// The end of a copy. `data`: null in functional mode, and of a store.
void Warp::end_copy(u32 number, const std::byte* data) {
  std::vector<AsyncCopy>& all = copies_->outstanding;
  const auto copy = std::find_if(all.begin(), all.end(),
                                 [number](const AsyncCopy& c) { return c.number == number; });
  if (data != nullptr && !copy->store) write_copied(*copy, data);
  if (copy->barrier_bytes != 0) {
    Mbarrier b = mbarrier(copy->barrier);
    if (!b.complete_bytes(copy->barrier_bytes)) {
      fail(first_lane(copy->lanes), "the bytes of a bulk copy leave the range of its mbarrier");
    }
    set_mbarrier(copy->barrier, b);
  }
  *copy = all.back();
  all.pop_back();
  if (!copies_->arrivals.empty()) handle_copy_arrivals();
}

/// Performs the arrivals whose lanes have no earlier copy outstanding.
void Warp::handle_copy_arrivals() {
  std::vector<CopyArrival>& arrivals = copies_->arrivals;
  const auto waits = [&](const CopyArrival& a) {
    return std::any_of(copies_->outstanding.begin(), copies_->outstanding.end(),
                       [&](const AsyncCopy& c) {
                         return !c.bulk && (c.lanes >> a.lane & 1u) != 0 && c.number <= a.last;
                       });
  };
  const auto done = std::stable_partition(arrivals.begin(), arrivals.end(), waits);
  for (auto a = done; a != arrivals.end(); ++a) {
    Mbarrier b = mbarrier(a->barrier);
    if (!b.arrive(1)) {
      fail(a->lane, "it arrives at an mbarrier without pending arrivals");
    }
    set_mbarrier(a->barrier, b);
  }
  arrivals.erase(done, arrivals.end());
}

/// cp.async.bulk within shared memory: performed at issue.
void Warp::copy_within_shared(const AsyncForm& form, unsigned lane, u32 bytes) {
  if (bytes % kBulkAlignment != 0) {
    fail(lane, "a bulk copy of " + std::to_string(bytes) + " bytes; its size is a multiple of 16");
  }
  const u64 to = async_address(form.to, lane);
  const u64 from = async_address(form.from, lane);
  check_shared_range(form, lane, to, bytes, kBulkAlignment);
  check_shared_range(form, lane, from, bytes, kBulkAlignment);
  std::memmove(cta_.shared() + to, cta_.shared() + from, bytes);
  const u32 at = mbarrier_address(form, lane);
  Mbarrier b = mbarrier(at);
  if (!b.complete_bytes(bytes)) {
    fail(lane, "the bytes of a bulk copy leave the range of its mbarrier");
  }
  set_mbarrier(at, b);
}

}  // namespace tessera::ptx
