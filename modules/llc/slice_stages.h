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
#include "modules/core/backdoor.h"
#include "modules/core/payload_check.h"
#include "modules/core/process_timer.h"
#include "modules/core/stall_tracker.h"
#include "modules/llc/llc_slice.h"
#include "modules/llc/slice_queues.h"

namespace tessera {

/// What every slice has inside: queues, tag and data arrays, MSHRs, outputs, and the stages in
/// which its role has no say. For SlicePipeline and the roles, whose state this is; others see an
/// LlcSlice.
class SliceStages : public LlcSlice {
 public:
  using Payload = tlm::tlm_generic_payload;
  using Access = SliceAccess;
  using Output = SliceOutput;
  using ResponseOutput = SliceResponseOutput;
  using ResponseInput = SliceResponseInput;
  enum class Outcome : std::uint8_t { kDone, kStalled };
  /// Why heads of the queues wait: for room behind the arrays, or for what a fill gives free.
  enum class Stall : std::uint8_t { kNone, kOutputs, kArrays };
  /// Tag, plus the port, of what stands in an output and still holds its port's entry.
  static constexpr std::uint32_t kHoldsEntry = 1U << 16;
  static constexpr CacheArray::Frame kNotFlushing = CacheArray::kNone;

  std::uint64_t line_of(const Payload& payload) const {
    return payload.get_address() >> line_shift_;
  }
  bool local(const Access& a) const { return a.port < local_inputs_; }
  /// An answer at one of the slice's inputs.
  void respond(std::uint32_t port, Tick due, Payload& payload) {
    responses_[port].queue.push(due, 0, &payload);
  }
  /// Sends an access on, to be answered by another block. `tag`: kHoldsEntry + port, or 0.
  void send_on(Output& output, const Access& a, Tick due, std::uint32_t tag);
  /// The head of its queue cannot be looked up at this instant: will be counted once, for the
  /// first reason, if it is not looked up at the very same instant.
  Outcome stall(const Access& a, Counter& reason);
  /// Sends another slice's access to its home after a lookup, without a place here. A write takes
  /// the line's copy with it.
  Outcome forward_to_home(const Access& a, std::uint64_t line, CacheArray::Frame frame, Tick t);
  /// The line has a copy no more: at once, or when it has come.
  void drop_copy(std::uint64_t line, CacheArray::Frame frame);
  void write_back(CacheArray::Frame frame, Tick t);
  /// Whether an answer from `memory` is to a fetch or a write-back of the slice's own.
  bool awaits(Payload& payload);

  void flush(std::function<void()> done) override;

  void overlay(std::uint64_t address, unsigned char* bytes) override;
  void replace(std::uint64_t address, const unsigned char* bytes, const ByteMask& mask) override;
  void use(Backdoor& backdoor) override { untimed_ = &backdoor; }

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
  /// Entry::keep is false when the line must not stay, and nothing more may merge.
  Mshr<Access> mshr_;
  // What a lookup, a fill and a request to the channel read.
  TimedQueue<Access> lmr_;
  TimedQueue<Access> rmr_;
  ResponseInput fills_;  ///< from the channel
  Output to_memory_;
  /// To go round the arrays. Apart until they have come: what is sent to the network waits for
  /// room there, and must not be counted before.
  TimedQueue<Access> bypassing_;
  ProcessTimer wake_;
  Tick lookup_free_at_ = 0;
  bool local_turn_ = true;
  Stall stalled_ = Stall::kNone;
  /// Requests have carried values: the array's bytes mean something.
  bool carried_ = false;
  /// The next frame that a flush looks at.
  CacheArray::Frame flush_frame_ = kNotFlushing;
  std::vector<ResponseOutput> responses_;
  std::vector<RequestReceiver> request_in_;
  std::array<StallTracker, 2> stall_tracker_{};  ///< heads of the queues: [RMR, LMR]
  ResponseInput from_remote_;                    ///< from the network
  Output to_remote_;
  /// Write-backs whose acknowledgement is awaited.
  std::vector<Payload*> writes_;
  /// Requests that were sent on and have not been answered.
  std::uint64_t sent_on_ = 0;

 protected:
  SliceStages(const sc_core::sc_module_name& name, const LlcSliceConfig& config,
              const AddressMap& map, TransactionPool& pool, const SliceSite& site,
              std::uint16_t messages);

  void end_of_simulation() override;
  void send(Output& output, ResponseInput& responses, Tick t);
  bool output_backed_up() const;
  Outcome merge(const Access& a, std::uint64_t line);
  Payload& own_fetch(const Access& a, std::uint64_t line);
  void refuse_fill(Payload& payload, Tick t);
  CacheArray::Frame allocate_way(std::uint64_t index, std::uint64_t line);
  void apply(const Access& a, CacheArray::Frame frame);
  void acknowledge_write(Payload& payload);
  void walk_flush(Tick t);
  void schedule_output(const Output& output, Tick t);

  /// The frame that holds the line at an address, or kNone.
  virtual CacheArray::Frame frame_at(std::uint64_t address) const = 0;
  /// A debug access by the socket that leads to an address.
  virtual unsigned debug_below(Payload& payload) = 0;
  Backdoor& untimed() { return *untimed_; }
  /// Whether bytes of the line at an address are dirty here, or on their way from here to below.
  bool holds_newer(std::uint64_t address) const;

  bool stages_idle() const;
  /// `below`: what `memory` leads to.
  void describe_stages(const char* below, std::vector<Waiting>& out) const;
  void reset_stages();

 private:
  Backdoor own_untimed_;
  Backdoor* untimed_ = &own_untimed_;
  Tick flush_began_ = 0;
  Tick flush_at_ = 0;
  std::function<void()> flush_done_;
};

}  // namespace tessera
