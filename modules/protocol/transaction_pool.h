// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <tlm>
#include <vector>

#include "common/run_threads.h"
#include "modules/kernel/huge_pages.h"
#include "modules/protocol/memory_request.h"

namespace tessera {

/// A pooled payload with its extension, in four host cache lines. Its data buffers are in a
/// separate memory area, so that payloads are contiguous if requests carry no values: with buffers
/// between them, payloads would use only half of the sets of the host's caches.
class alignas(64) Transaction final : public tlm::tlm_generic_payload {
 public:
  ~Transaction() override;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  MemoryRequest& request() { return request_; }
  /// Data buffer of kMaxLineBytes bytes.
  unsigned char* data() { return reinterpret_cast<unsigned char*>(this) + kBuffersBehind; }

  /// Sets address, length, command and kind (kStore for a write, otherwise kLoad); all bytes
  /// enabled, response status incomplete.
  void set_line(tlm::tlm_command command, std::uint64_t address, unsigned bytes);
  /// Sets the byte enables from a mask; none if the mask covers the whole length.
  void set_byte_mask(ByteMask mask);

 private:
  friend class TransactionPool;
  /// Distance from a transaction to its buffers. The pool allocates chunks of twice this size.
  static constexpr std::size_t kBuffersBehind = HugePages::kChunk;
  struct Embedded final : MemoryRequest {
    using MemoryRequest::operator=;
    void free() override {}  // a member of its transaction
  };

  explicit Transaction(tlm::tlm_mm_interface* mm);
  unsigned char* enables() { return data() + kMaxLineBytes; }

  Embedded request_;
};

/// Allocates reset transactions and reclaims them when their reference count falls to 0. One pool
/// serves a whole platform. It never shrinks and does not allocate memory after warm-up. Each
/// thread that runs domains has its own free transactions.
class TransactionPool final : public tlm::tlm_mm_interface {
 public:
  TransactionPool() = default;
  ~TransactionPool() override;
  TransactionPool(const TransactionPool&) = delete;
  TransactionPool& operator=(const TransactionPool&) = delete;

  /// A transaction with default fields and a reference count of 1.
  Transaction& acquire();
  /// Called by the payload's release().
  void free(tlm::tlm_generic_payload* payload) override;

  AtomicOperands* acquire_atomics();
  void release_atomics(AtomicOperands* operands);

  /// Transactions in use now; 0 at the end of every run.
  std::size_t live() const;
  std::size_t capacity() const { return all_.size(); }
  /// Number of acquire() calls since construction.
  std::uint64_t acquired() const;

 private:
  /// One thread's part, in host cache lines of its own.
  struct alignas(64) Part {
    std::vector<Transaction*> free;
    std::int64_t live = 0;  ///< below 0 if the thread frees what others have acquired
    std::uint64_t acquired = 0;
  };
  static constexpr std::size_t kChunkTransactions =
      Transaction::kBuffersBehind / sizeof(Transaction);

  void refill(Part& part);
  void give_some(Part& part);

  std::array<Part, kMostRunThreads> parts_;
  std::mutex mutex_;  ///< guards what follows
  std::vector<HugePages> chunks_;
  std::vector<Transaction*> all_;
  std::vector<Transaction*> spare_;  ///< free ones of threads that have many
  std::vector<std::unique_ptr<AtomicOperands>> all_atomics_;
  std::vector<AtomicOperands*> free_atomics_;
};

}  // namespace tessera
