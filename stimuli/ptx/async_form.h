// SPDX-License-Identifier: Apache-2.0
#pragma once

// Decoded asynchronous copies (cp.async, cp.async.bulk) and mbarrier instructions.

#include <cstdint>

#include "stimuli/ptx/exec.h"

namespace tessera::ptx {

enum class AsyncOp : std::uint8_t {
  kCopy,        ///< cp.async: 4, 8 or 16 bytes of each lane from global to shared memory
  kBulkLoad,    ///< cp.async.bulk from global to shared memory; completes bytes of an mbarrier
  kBulkStore,   ///< cp.async.bulk from shared to global memory, in bulk groups
  kBulkShared,  ///< cp.async.bulk within shared memory; completes bytes of an mbarrier
  kCommit,      ///< cp.async.commit_group, cp.async.bulk.commit_group
  kWait,        ///< cp.async.wait_group, wait_all, cp.async.bulk.wait_group
  kArriveAfterCopies,  ///< cp.async.mbarrier.arrive
  kInit,
  kInvalidate,
  kArrive,  ///< mbarrier.arrive and arrive_drop, with or without expect_tx
  kExpectBytes,
  kCompleteBytes,
  kTestWait,
  kTryWait,
  kPendingCount,
};

/// An address operand.
struct AsyncAddress {
  Slot base;
  std::int64_t displacement = 0;
  bool wide = true;      ///< the base has 64-bit cells
  bool generic = false;  ///< a generic address, in shared memory
};

struct AsyncForm {
  AsyncOp op = AsyncOp::kCopy;
  AsyncAddress to;       ///< copies: destination; a bulk store's is global
  AsyncAddress from;     ///< copies: source
  AsyncAddress barrier;  ///< the mbarrier
  /// kCopy: bytes from memory, of `copy_bytes`. Bulk copies: bytes. kInit, kArrive: arrivals.
  Slot count;
  Slot bytes;    ///< kArrive with expect_tx, kExpectBytes, kCompleteBytes: bytes
  Slot ignored;  ///< kCopy: predicate, if true the bytes are zeros
  std::uint32_t ignored_flip = 0;
  Slot state;  ///< kTestWait, kTryWait: state (64-bit cells) or parity; kPendingCount: state
  Slot result;
  bool has_result = false;
  std::uint8_t copy_bytes = 16;
  bool bypasses_l1 = false;
  bool bulk = false;             ///< groups: those of bulk copies
  bool waits_for_all = false;    ///< kWait: also for copies that are in no group yet
  bool waits_for_reads = false;  ///< kWait: for the reads of the sources only
  std::uint32_t groups = 0;      ///< kWait: groups that may be outstanding
  bool no_increment = false;     ///< kArriveAfterCopies: the arrival is one of those expected
  bool drops = false;            ///< kArrive: arrive_drop
  bool expects_bytes = false;    ///< kArrive: with expect_tx
  bool no_complete = false;      ///< kArrive: must not complete the phase
  bool by_parity = false;        ///< kTestWait, kTryWait
};

}  // namespace tessera::ptx
