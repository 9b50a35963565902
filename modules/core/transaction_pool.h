// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <tlm>
#include <vector>

#include "modules/core/huge_pages.h"
#include "modules/core/memory_request.h"

namespace tessera {

/// A pooled payload with its extension: four host cache lines. Its buffers lie apart, so that the
/// payloads of a run whose requests carry no values stand side by side: with buffers between them
/// they would share half of the sets of the host's caches.
class alignas(64) Transaction final : public tlm::tlm_generic_payload {
 public:
  ~Transaction() override;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  MemoryRequest& request() { return request_; }
  /// kMaxLineBytes.
  unsigned char* data() { return reinterpret_cast<unsigned char*>(this) + kBuffersBehind; }

  /// Address, length, command and, with it, the kind (kStore for a write, else kLoad); every byte
  /// enabled, response incomplete.
  void set_line(tlm::tlm_command command, std::uint64_t address, unsigned bytes);
  /// Byte enables from a mask; a mask of the whole length is written as "no byte enables".
  void set_byte_mask(ByteMask mask);

 private:
  friend class TransactionPool;
  /// From a transaction to its buffers: the pool takes memory in pieces of twice as much.
  static constexpr std::size_t kBuffersBehind = HugePages::kChunk;
  struct Embedded final : MemoryRequest {
    using MemoryRequest::operator=;
    void free() override {}  // lives and dies with its transaction
  };

  explicit Transaction(tlm::tlm_mm_interface* mm);
  unsigned char* enables() { return data() + kMaxLineBytes; }

  Embedded request_;
};

/// Gives out reset transactions and takes them back when their reference count falls to 0. One
/// pool serves a whole platform; it never shrinks and never allocates once warm.
class TransactionPool final : public tlm::tlm_mm_interface {
 public:
  TransactionPool() = default;
  ~TransactionPool() override;
  TransactionPool(const TransactionPool&) = delete;
  TransactionPool& operator=(const TransactionPool&) = delete;

  /// A transaction with default fields, held once (acquire() called).
  Transaction& acquire();
  /// Called by the payload's release().
  void free(tlm::tlm_generic_payload* payload) override;

  AtomicOperands* acquire_atomics();
  void release_atomics(AtomicOperands* operands);

  /// Transactions in use now; 0 at the end of every run.
  std::size_t live() const { return live_; }
  std::size_t capacity() const { return all_.size(); }
  /// Transactions given out since the pool was made.
  std::uint64_t acquired() const { return acquired_; }

 private:
  std::vector<HugePages> chunks_;
  std::vector<Transaction*> all_;
  std::vector<Transaction*> free_;
  std::vector<std::unique_ptr<AtomicOperands>> all_atomics_;
  std::vector<AtomicOperands*> free_atomics_;
  std::size_t live_ = 0;
  std::uint64_t acquired_ = 0;
};

}  // namespace tessera
