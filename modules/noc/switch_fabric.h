// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tlm>
#include <vector>

#include "modules/core/block.h"
#include "modules/core/time.h"
#include "modules/noc/noc_config.h"
#include "modules/noc/noc_stats.h"

namespace tessera {

/// One direction of a network: one switch, or two stages of switches with one link between each
/// switch of the first and each of the second stage. Plain C++ with time in cycles; the owner
/// converts time, schedules process() and implements the TLM handshakes.
///
/// Timing contract (L = stage_latency, n = a packet's flits = cycles on a link):
/// * A packet leaves a switch at cycle c if its head is at the input at c and first in its buffer,
///   it wins the output's arbitration, and the buffer downstream of the output has space. The
///   output link and the input are then busy until c + n, and the head is at the next buffer at
///   c + L.
/// * From the last switch a packet is delivered at c + L + n, when its tail has arrived. The
///   zero-load latency of a packet is stages * L + n.
/// * An output serves the input that its Arbiter selects among those whose heads are ready
///   (round-robin: the next after the input served last). If the downstream buffer is full, the
///   output serves no input until the buffer has space or another head is ready. Buffers are first
///   in, first out, with head-of-line blocking.
/// * Every link, including the exit links, ends in a buffer of `buffer_flits`. Its space is
///   allocated when the head leaves for the buffer and released when the head leaves the buffer
///   (virtual cut-through; the tail drains as fast as the next packet can follow). A packet longer
///   than a buffer can occupy an empty buffer.
/// * The result of cycle c depends on arrivals and on exits freed up to c, not on the order of
///   calls: the next head of a buffer bids at c + 1 at the earliest, so that several passes in one
///   cycle give the result of one.
class SwitchFabric {
 public:
  struct Shape {
    std::uint32_t entries = 1;
    std::uint32_t exits = 1;
    std::uint32_t radix = 8;
    std::uint32_t stage_latency = 4;
    std::uint32_t buffer_flits = 18;
    PolicyChoice<Arbiter> arbitration = {"round-robin", {}};
  };

  struct Packet {
    tlm::tlm_generic_payload* payload = nullptr;
    Cycle ready = 0;  ///< arrival of the head at its buffer; at an exit: earliest delivery
    std::uint32_t arrived = 0;  ///< arrival of the head at the entry, low bits of the cycle
    std::uint32_t next = 0;
    std::uint16_t bytes = 0;
    std::uint16_t flits = 0;
    std::uint16_t exit = 0;
    bool counted = true;  ///< occupies an entry of its port's receiver until it enters a switch
  };

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
  static Shape shape_of(const Config& c, unsigned entries, unsigned exits) {
    return {entries, exits, c.radix, c.stage_latency, c.buffer_flits(), c.arbitration};
  }

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
  Cycle next() const;

  unsigned stages() const { return two_stages_ ? 2 : 1; }
  /// Cycles from the arrival of a packet's head to its delivery, without contention. Equal for all
  /// entries and exits.
  Cycle zero_load_latency(std::uint32_t flits, unsigned = 0, unsigned = 0) const {
    return Cycle{stages()} * latency_ + flits;
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
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr unsigned kSlots = 64;
  /// Kinds of work, in the order in which a pass serves them.
  enum Work : unsigned { kEject, kLink1, kLink0, kWorkKinds };

  struct Fifo {
    std::uint32_t head = kNone;
    std::uint32_t tail = kNone;
    std::uint32_t used = 0;       ///< flits
    std::uint32_t upstream = 0;   ///< the link or the entry that feeds it
    std::uint32_t link_base = 0;  ///< first output link of its switch
    std::uint32_t bit = 0;        ///< its index among the switch's inputs
    /// Earliest departure of the head; if empty: departure of the last packet's tail.
    Cycle ready = 0;
  };
  struct OutputLink {
    std::uint64_t waiting = 0;  ///< inputs whose head is routed to this link, ready or not
    Cycle free_at = 0;
    Cycle blocked_since = kNever;
    std::uint16_t last = 63;         ///< input served last
    std::uint16_t first_buffer = 0;  ///< input 0 of its switch
    std::uint16_t downstream = 0;    ///< the buffer at its end
  };
  struct Entry {
    std::uint32_t head = kNone;
    std::uint32_t tail = kNone;
    Cycle free_at = 0;
  };

  void build_single(const Shape& shape);
  void build_double(const Shape& shape, const SwitchStage& first, const SwitchStage& second);
  void lay_out_wheel();
  void clear();

  std::uint32_t handle_packet();
  void drop_packet(std::uint32_t index);
  bool fits(const Fifo& fifo, std::uint32_t flits) const {
    // Without a branch, because the host cannot predict it.
    return (fifo.used == 0) | (fifo.used + flits <= capacity_);
  }
  /// Returns true if the packet is the new head.
  bool push(Fifo& fifo, std::uint32_t index);
  /// Dequeues the head; its tail leaves at `free`.
  std::uint32_t pop(Fifo& fifo, Cycle free);

  void due(Work work, std::uint32_t index, Cycle cycle);
  /// Space was released in the link's downstream buffer: serves the link in this pass if it is
  /// free.
  void serve_again(unsigned stage, std::uint32_t link, Cycle cycle) {
    const OutputLink& l = links_[stage][link];
    const std::uint64_t on = (l.waiting != 0) & (l.free_at <= cycle);
    active_[first_word_[link_work(stage)] + link / 64] |= on << (link % 64);
  }
  template <class F>
  void for_each_active(Work work, F&& f);

  void eject(std::uint32_t exit, Cycle cycle);
  void serve(unsigned stage, std::uint32_t link, Cycle cycle);
  /// The input that is served, of several whose heads are ready.
  std::uint32_t arbitrate(unsigned stage, const OutputLink& link, std::uint64_t ready, Cycle cycle);
  void refill(std::uint32_t entry, Cycle cycle);
  void bid(unsigned stage, const Fifo& buffer);
  /// The earliest departure, after `cycle`, of a head that waits for the link; kNever if none.
  Cycle next_ready(unsigned stage, const OutputLink& link, Cycle cycle) const;

  std::uint32_t link_of(unsigned stage, const Fifo& fifo, const Packet& p) const {
    return stage == last_stage() ? p.exit : fifo.link_base + exit_group_[p.exit];
  }
  std::size_t switch_of(unsigned stage, std::size_t buffer) const;
  unsigned last_stage() const { return two_stages_ ? 1 : 0; }
  Work link_work(unsigned stage) const { return stage == last_stage() ? kLink1 : kLink0; }

  Client& client_;
  NocStats& stats_;
  std::uint32_t latency_;
  std::uint32_t capacity_;
  bool two_stages_ = false;
  const std::unique_ptr<const Arbiter> arbiter_;
  const bool by_age_;
  std::array<std::uint64_t, 64> arrived_{};  ///< ArbitrationRequests::arrived
  std::vector<std::uint32_t> exit_group_;    ///< second-stage switch of each exit

  std::array<std::vector<Fifo>, 2> buffers_;      ///< switch inputs, by stage
  std::array<std::vector<OutputLink>, 2> links_;  ///< switch outputs, by stage
  std::vector<Fifo> exits_;
  std::vector<Entry> entries_;
  std::vector<Packet> packets_;
  std::vector<std::uint32_t> free_packets_;
  std::size_t live_ = 0;

  /// A timing wheel of the next 64 cycles. Each slot has one bit for each exit and each link.
  std::vector<std::uint64_t> wheel_;
  std::vector<std::uint64_t> active_;
  std::array<std::uint32_t, kWorkKinds + 1> first_word_{};
  std::size_t words_ = 0;  ///< words per slot
  std::uint64_t busy_slots_ = 0;
  Cycle current_ = 0;
};

}  // namespace tessera
