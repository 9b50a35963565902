// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tlm>
#include <utility>
#include <vector>

#include "modules/kernel/time.h"
#include "modules/kernel/unlikely.h"
#include "modules/kernel/waiting.h"
#include "modules/noc/noc_config.h"
#include "modules/noc/noc_stats.h"
#include "modules/noc/switch_state.h"
#include "modules/noc/virtual_queues.h"
#include "modules/noc/work_wheel.h"

namespace tessera {

/// One direction of a network: one switch, or two stages of switches with one link between each
/// switch of the first and each of the second stage. Plain C++ with time in cycles; the owner
/// converts time, schedules process() and implements the TLM handshakes.
///
/// Inside, time is in steps of 1/S of a cycle (S = internal_speedup). Switches and the links
/// between them move a flit a step, entry and exit links a flit a cycle.
///
/// Timing contract (L = stage_latency, n = a packet's flits):
/// * A packet leaves a switch at step t if its head is at the input at t and first in its queue, it
///   wins the output's arbitration, and the buffer downstream of the output has space. The output
///   and the input are then busy for n steps, or longer until the tail has arrived and left. The
///   head is at the next buffer L cycles after t.
/// * After the last switch, the head crosses the exit link at the first cycle that is not before L
///   cycles after t and in which the link has carried the packets before it. The packet is
///   delivered n cycles later, when its tail has arrived. The zero-load latency is stages * L + n
///   cycles.
/// * FIFO inputs have head-of-line blocking. An output serves the input that its Arbiter selects
///   among those whose heads are ready (round-robin: the next after the input served last). If the
///   downstream buffer is full, the output serves no input until the buffer has space or another
///   head is ready. Inputs with virtual output queues: see VirtualQueues.
/// * Every link, including the exit links, ends in a buffer of `buffer_flits`. Its space is
///   allocated when the head leaves for the buffer and released when the head leaves the buffer
///   (virtual cut-through; the tail drains as fast as the next packet can follow). A packet longer
///   than a buffer can occupy an empty buffer. An exit's buffer includes the output buffer before
///   its link.
/// * The result of cycle c depends on arrivals and on exits freed up to c, not on the order of
///   calls: the next head of a buffer bids a step later at the earliest, so that several passes in
///   one cycle give the result of one. With S > 1 or virtual output queues, switches see the space
///   that an exit releases in the next cycle.
class SwitchFabric {
 public:
  struct Shape {
    std::uint32_t entries = 1;
    std::uint32_t exits = 1;
    std::uint32_t radix = 8;
    std::uint32_t stage_latency = 4;
    std::uint32_t buffer_flits = 18;
    PolicyChoice<Arbiter> arbitration = {"round-robin", {}};
    std::uint32_t internal_speedup = 1;
    std::uint32_t output_buffer_flits = 0;
    InputQueues input_queues = InputQueues::kFifo;
    std::uint32_t arbitration_iterations = 1;
  };
  using Packet = NetworkPacket;

  /// The fabric's interface to its owner.
  class Client {
   public:
    /// Accepts a packet whose tail is at the exit at cycle + 1. Returns false if the exit is busy;
    /// the client then calls exit_ready() with the cycle at which it is free.
    virtual bool deliver(unsigned exit, const Packet& packet, Cycle cycle) = 0;
    /// A packet for which inject() returned false has entered the first switch.
    virtual void entered(unsigned entry, bool counted) = 0;

   protected:
    ~Client() = default;
  };

  using Config = NocConfig;
  /// Equal for both directions of a network.
  static Shape shape_of(const Config& c, unsigned entries, unsigned exits,
                        NocDirection towards = NocDirection::kRequests);

  SwitchFabric(const Shape& shape, Client& client, NocStats& stats);
  SwitchFabric(const SwitchFabric&) = delete;
  SwitchFabric& operator=(const SwitchFabric&) = delete;

  /// Injects a packet whose head arrives at `arrival`, later than the present cycle `current`.
  /// Packets of one entry must be injected in the order of their arrivals. Returns true if the
  /// packet enters the first switch's buffer, false if it waits at the entry until entered().
  bool inject(Cycle current, unsigned entry, unsigned exit, tlm::tlm_generic_payload& payload,
              std::uint32_t bytes, std::uint32_t flits, Cycle arrival, bool counted = true);
  /// The cycle at which the tail of the entry's last packet has arrived.
  Cycle entry_free(unsigned entry) const { return entries_[entry].free_at; }
  /// The exit accepts packets again from cycle `at` (not before `current`).
  void exit_ready(Cycle current, unsigned exit, Cycle at);

  /// Does all work that is due in this cycle, from the exits back to the entries.
  void process(Cycle cycle);
  /// The earliest cycle with scheduled work; kNever if there is none.
  Cycle next() const { return cycle_of(wheel_.next()); }

  unsigned stages() const { return two_stages_ ? 2 : 1; }
  /// Cycles from the arrival of a packet's head to its delivery, without contention. Equal for all
  /// entries and exits.
  Cycle zero_load_latency(std::uint32_t flits, unsigned = 0, unsigned = 0) const {
    return cycle_of(stages() * latency_) + flits;
  }
  bool empty() const { return live_ == 0; }
  std::size_t packets() const { return live_; }
  void describe_waiting(const std::string& name, std::vector<Waiting>& out) const;
  /// Drops all packets and calls `drop` with each payload.
  template <class F>
  void reset(F&& drop) {
    for (const Packet& p : packets_) {
      if (p.payload != nullptr) drop(*p.payload);
    }
    clear();
  }

 private:
  /// Kinds of work, in the order in which a pass serves them.
  enum Work : unsigned { kEject, kLink1, kLink0, kWorkKinds };

  void build_two_stages();
  void clear();

  Cycle cycle_of(Step step) const { return one_step() || step == kNever ? step : step / speedup_; }
  bool one_step() const { return !unlikely(speedup_ != 1); }
  bool virtual_queues() const { return !virtual_queues_.empty(); }

  std::uint32_t handle_packet();
  void drop_packet(std::uint32_t index);
  static bool fits(const SwitchBuffer& buffer, std::uint32_t flits, std::uint32_t capacity) {
    // Without a branch, because the host cannot predict it.
    return (buffer.used == 0) | (buffer.used + flits <= capacity);
  }
  /// Returns true if the packet is the new head.
  bool push(SwitchBuffer& buffer, std::uint32_t index);
  /// Dequeues the head; its tail leaves at `free`.
  std::uint32_t pop(SwitchBuffer& buffer, Step free);
  // kPlain: FIFO inputs without a speedup, the default, which pays for no other case.

  /// Adds a packet to a switch input.
  template <bool kPlain>
  void enqueue(unsigned stage, std::uint32_t buffer, std::uint32_t index);
  void enqueue_virtual(unsigned stage, std::uint32_t buffer, std::uint32_t index);
  void bid(unsigned stage, const SwitchBuffer& buffer);

  template <bool kPlain>
  void process_step(Step step);
  template <bool kPlain>
  void eject(std::uint32_t exit, Cycle cycle);
  void hold_credit(std::uint32_t exit, std::uint32_t flits, Cycle cycle);
  void return_credits();
  template <bool kPlain>
  void serve(unsigned stage, std::uint32_t link, Step step);
  void match_stages(Step step);
  void match(unsigned stage, std::uint32_t switch_index, Step step);
  void serve_again(unsigned stage, std::uint32_t link, Step step);
  /// The input that is served, of several whose heads are ready.
  std::uint32_t arbitrate(unsigned stage, const SwitchLink& link, std::uint64_t ready, Step step);
  bool fits_downstream(unsigned stage, std::uint32_t link, std::uint32_t index) const;
  /// When the packet has left a switch input that it begins to leave at `step`.
  template <bool kPlain>
  Step departure(std::uint32_t index, Step step) const;
  /// Moves a packet that has left `buffer` to the buffer downstream of the link.
  template <bool kPlain>
  void forward(unsigned stage, std::uint32_t link, std::uint32_t buffer, std::uint32_t index,
               Step step);
  void end_stall(SwitchLink& link, Step step);
  template <bool kPlain>
  void refill(std::uint32_t entry, Step step);
  /// The earliest departure, after `step`, of a head that waits for the link; kNever if none.
  Step next_ready(unsigned stage, const SwitchLink& link, Step step) const;
  Step next_request(unsigned stage, std::uint32_t link, bool stalled, Step step) const;

  std::uint32_t link_of(unsigned stage, const SwitchBuffer& buffer, const Packet& p) const {
    return stage == last_stage() ? p.exit : buffer.link_base + exit_group_[p.exit];
  }
  unsigned last_stage() const { return two_stages_ ? 1 : 0; }
  Work link_work(unsigned stage) const { return stage == last_stage() ? kLink1 : kLink0; }

  Client& client_;
  NocStats& stats_;
  const std::uint32_t speedup_;  ///< steps in a cycle
  const Step latency_;           ///< of a stage
  const std::uint32_t capacity_;
  const std::uint32_t exit_capacity_;
  const std::vector<SwitchStage> shape_;
  const bool two_stages_;
  const bool plain_;
  const std::unique_ptr<const Arbiter> arbiter_;
  const bool by_age_;
  std::array<std::uint64_t, 64> arrived_{};  ///< ArbitrationRequests::arrived
  std::vector<std::uint32_t> exit_group_;    ///< second-stage switch of each exit

  std::array<std::vector<SwitchBuffer>, 2> buffers_;  ///< switch inputs, by stage
  std::array<std::vector<SwitchLink>, 2> links_;      ///< switch outputs, by stage
  std::vector<VirtualQueues> virtual_queues_;         ///< by stage; empty with FIFO inputs
  std::vector<SwitchBuffer> exits_;
  std::vector<SwitchEntry> entries_;
  std::vector<Packet> packets_;
  std::vector<std::uint32_t> free_packets_;
  std::size_t live_ = 0;
  std::vector<Step> tails_;       ///< [packet]: arrival of its last flit at its buffer, if S > 1
  std::vector<Cycle> exit_free_;  ///< [exit]: cycle in which its link is free, if S > 1
  /// Space that exits released in `credit_cycle_`: exit and flits.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> credits_;
  Cycle credit_cycle_ = 0;
  WorkWheel<kWorkKinds> wheel_;
};

}  // namespace tessera
