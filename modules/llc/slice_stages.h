// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <tlm>
#include <vector>

#include "modules/cache/cache_array.h"
#include "modules/cache/mshr.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/stall_tracker.h"
#include "modules/llc/llc_slice.h"
#include "modules/llc/slice_queues.h"
#include "modules/protocol/backdoor.h"
#include "modules/protocol/payload_check.h"

namespace tessera {

/// State and stages that are common to all roles: queues, tag and data arrays, MSHRs, outputs. For
/// SlicePipeline and the roles; other code uses LlcSlice.
class SliceStages : public LlcSlice {
 public:
  using Payload = tlm::tlm_generic_payload;
  using Access = SliceAccess;
  using Input = SliceInput;
  using Output = SliceOutput;
  enum class Outcome : std::uint8_t { kDone, kStalled };
  /// Reason for a stall of the queues' heads: a full output queue, or a resource that a fill
  /// releases.
  enum class Stall : std::uint8_t { kNone, kOutputs, kArrays };
  /// Tag (plus the port number) of a request in an output queue that still holds its port's queue
  /// entry.
  static constexpr std::uint32_t kHoldsEntry = 1U << 16;
  static constexpr CacheArray::Way kNotFlushing = CacheArray::kNone;

  std::uint64_t line_of(const Payload& payload) const {
    return payload.get_address() >> line_shift_;
  }
  bool local(const Access& a) const { return a.port < local_inputs_; }
  /// Enqueues a response at an input.
  void respond(std::uint32_t port, Tick due, Payload& payload) {
    inputs_[port].responses.queue.push(due, 0, &payload);
  }
  /// Forwards an access to another block, which responds to it. `tag`: kHoldsEntry + port, or 0.
  void send_bypass(Output& output, const Access& a, Tick due, std::uint32_t tag);
  /// Records that the head of its queue stalls now. StallTracker counts a request once, for the
  /// first reason, and only if it is still stalled at a later time.
  Outcome stall(const Access& a, Counter& reason);
  /// Forwards an access to another slice's line to its home after a lookup, without allocating a
  /// way. Drops the copy of the line unless the access is a load.
  Outcome forward_to_home(const Access& a, std::uint64_t line, CacheArray::Way way, Tick t);
  /// Drops the copy of the line: at once, or at its arrival if it is being fetched.
  void drop_copy(std::uint64_t line, CacheArray::Way way);
  void write_back(CacheArray::Way way, LaunchSlot launch, Tick t);
  /// Whether a response from `memory` belongs to a fetch or a write-back of this slice.
  bool awaits(Payload& payload);

  void flush(LaunchSlot launch, std::function<void()> done) override;
  void write_back_copies(LaunchSlot launch, std::function<void()> done) override;
  void drop_copies() override;
  void overlay(std::uint64_t address, unsigned char* bytes) override;
  void replace(std::uint64_t address, const unsigned char* bytes, const ByteMask& mask) override;
  void use(Backdoor& backdoor) override { untimed_ = &backdoor; }

  using LlcSlice::counts_;
  using LlcSlice::holds_copies_;
  using LlcSlice::stats_;

  const unsigned line_shift_;
  const std::uint32_t local_inputs_;
  const AddressMap& map_;
  TransactionPool& pool_;
  const ClockDomain clock_;
  const std::vector<SliceObserver*> observers_;
  const std::unique_ptr<const Arbiter> arbiter_;
  PayloadCheck check_;

  CacheArray array_;
  /// Entry::keep is false if the line must not be installed; no further access merges then.
  Mshr<Access> mshr_;
  // Grouped, because lookups, fills and requests to the channel use these members.
  TimedQueue<Access> lmr_;
  TimedQueue<Access> rmr_;
  Output to_memory_;  ///< its responses: fills, acknowledgements and those of forwarded requests
  /// Requests that bypass the arrays. Kept separate until arrival, because the network queue counts
  /// an entry only when the request has arrived.
  TimedQueue<Access> bypassing_;
  ProcessTimer wake_;
  Tick lookup_free_at_ = 0;
  bool local_turn_ = true;
  Stall stalled_ = Stall::kNone;
  bool carried_ = false;  ///< a request has carried values: the array's bytes are defined
  CacheArray::Way flush_way_ = kNotFlushing;     ///< that a flush visits next
  Tick copies_end_at_ = kNever;                  ///< the edge at which copies are dropped
  std::vector<Input> inputs_;                    ///< in the order of `in`
  std::array<StallTracker, 2> stall_tracker_{};  ///< heads of the queues: [RMR, LMR]
  Output to_remote_;
  std::vector<Payload*> writes_;            ///< write-backs that have not been acknowledged
  std::uint64_t outstanding_bypasses_ = 0;  ///< forwarded requests that wait for a response

 protected:
  SliceStages(const sc_core::sc_module_name& name, const LlcSliceConfig& config,
              const AddressMap& map, TransactionPool& pool, const SliceSite& site,
              std::uint16_t messages);

  void end_of_simulation() override;
  void send(Output& output, Tick t);
  bool output_backed_up() const;
  Outcome merge(const Access& a, std::uint64_t line);
  void count_merged(const Mshr<Access>::Entry& entry, Tick t);
  Payload& own_fetch(const Access& a, std::uint64_t line);
  void refuse_fill(Payload& payload, Tick t);
  CacheArray::Way allocate_way(std::uint64_t index, std::uint64_t line, LaunchSlot launch);
  void apply(const Access& a, CacheArray::Way way);
  void acknowledge_write(Payload& payload);
  void walk_flush(Tick t);
  void invalidate_copies();
  void drop_clean_bytes(CacheArray::Way way);

  /// The way that holds the line at an address, or kNone.
  virtual CacheArray::Way way_at(std::uint64_t address) const = 0;
  /// Whether a way holds a copy of another node's line.
  virtual bool holds_copy(CacheArray::Way way) const = 0;
  /// Debug access through the socket on the path to an address.
  virtual unsigned debug_below(Payload& payload) = 0;
  Backdoor& untimed() { return *untimed_; }
  /// Whether this slice or its outstanding write-backs have dirty bytes of the line at an address.
  bool holds_newer(std::uint64_t address) const;

  bool stages_idle() const;
  /// `below`: name of the block at `memory`.
  void describe_stages(const char* below, std::vector<Waiting>& out) const;
  void reset_stages();

 private:
  Backdoor own_untimed_;
  Backdoor* untimed_ = &own_untimed_;
  void begin_walk(LaunchSlot launch, bool keeps_lines, std::function<void()> done);
  void end_flush(Tick t);
  SliceWalk walk_;
};

}  // namespace tessera
