// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/transaction_pool.h"

#include <algorithm>
#include <new>

#include "modules/kernel/unlikely.h"

namespace tessera {

Transaction::Transaction(tlm::tlm_mm_interface* mm) : tlm::tlm_generic_payload(mm) {
  set_data_ptr(data());
  set_extension(static_cast<MemoryRequest*>(&request_));
}

Transaction::~Transaction() { clear_extension(static_cast<MemoryRequest*>(&request_)); }

void Transaction::set_line(tlm::tlm_command command, std::uint64_t address, unsigned bytes) {
  set_command(command);
  request_.kind = command == tlm::TLM_WRITE_COMMAND ? RequestKind::kStore : RequestKind::kLoad;
  set_address(address);
  set_data_length(bytes);
  set_streaming_width(bytes);
  set_byte_enable_ptr(nullptr);
  set_byte_enable_length(0);
  set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

void Transaction::set_byte_mask(ByteMask mask) {
  const unsigned length = get_data_length();
  if (mask.contains(ByteMask::first(length))) {
    set_byte_enable_ptr(nullptr);
    set_byte_enable_length(0);
    return;
  }
  for (unsigned i = 0; i < length; ++i) {
    enables()[i] = mask.test(i) ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
  }
  set_byte_enable_ptr(enables());
  set_byte_enable_length(length);
}

TransactionPool::~TransactionPool() {
  for (Transaction* t : all_) t->~Transaction();
}

Transaction& TransactionPool::acquire() {
  Part& part = parts_[run_thread];
  if (unlikely(part.free.empty())) refill(part);
  Transaction* t = part.free.back();
  part.free.pop_back();
  ++part.live;
  ++part.acquired;
  t->acquire();
  return *t;
}

/// Takes spare transactions, or allocates a chunk.
void TransactionPool::refill(Part& part) {
  const auto held = lock_between_threads(mutex_);
  if (!spare_.empty()) {
    const std::size_t taken = std::min(spare_.size(), kChunkTransactions);
    part.free.assign(spare_.end() - static_cast<std::ptrdiff_t>(taken), spare_.end());
    spare_.resize(spare_.size() - taken);
    return;
  }
  static_assert(sizeof(Transaction) >= 2 * kMaxLineBytes, "buffers would overlap");
  chunks_.emplace_back(2 * Transaction::kBuffersBehind);
  std::byte* const chunk = chunks_.back().data();
  for (std::size_t i = kChunkTransactions; i-- > 0;) {
    auto* t = new (chunk + i * sizeof(Transaction)) Transaction(this);
    all_.push_back(t);
    part.free.push_back(t);
  }
}

/// Gives a chunk's number of free transactions to other threads, because requests can travel mostly
/// in one direction.
void TransactionPool::give_some(Part& part) {
  const auto held = lock_between_threads(mutex_);
  const auto from = part.free.end() - static_cast<std::ptrdiff_t>(kChunkTransactions);
  spare_.insert(spare_.end(), from, part.free.end());
  part.free.erase(from, part.free.end());
}

std::size_t TransactionPool::live() const {
  std::int64_t sum = 0;
  for (const Part& p : parts_) sum += p.live;
  return static_cast<std::size_t>(sum);
}

std::uint64_t TransactionPool::acquired() const {
  std::uint64_t sum = 0;
  for (const Part& p : parts_) sum += p.acquired;
  return sum;
}

void TransactionPool::free(tlm::tlm_generic_payload* payload) {
  auto* t = static_cast<Transaction*>(payload);
  // No field of the last user reaches the next one.
  static const MemoryRequest kDefault;
  static_cast<MemoryRequest&>(t->request_) = kDefault;
  t->reset();  // clears the option and the automatic extensions of foreign blocks
  t->set_dmi_allowed(false);
  t->set_line(tlm::TLM_IGNORE_COMMAND, 0, 0);
  t->set_data_ptr(t->data());
  Part& part = parts_[run_thread];
  --part.live;
  part.free.push_back(t);
  if (unlikely(run_threads > 1 && part.free.size() > 2 * kChunkTransactions)) give_some(part);
}

AtomicOperands* TransactionPool::acquire_atomics() {
  const auto held = lock_between_threads(mutex_);
  if (free_atomics_.empty()) {
    all_atomics_.push_back(std::make_unique<AtomicOperands>());
    free_atomics_.push_back(all_atomics_.back().get());
  }
  AtomicOperands* a = free_atomics_.back();
  free_atomics_.pop_back();
  *a = AtomicOperands{};
  return a;
}

void TransactionPool::release_atomics(AtomicOperands* operands) {
  const auto held = lock_between_threads(mutex_);
  free_atomics_.push_back(operands);
}

}  // namespace tessera
