// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tlm>
#include <vector>

#include "modules/core/block.h"
#include "modules/core/time.h"
#include "modules/noc/noc_config.h"
#include "modules/noc/noc_stats.h"

namespace tessera {

/// One direction of a network: one switch, or two stages of switches with one link between each
/// switch of the first and each of the second stage. Plain C++, in cycles; its owner converts
/// time, wakes it and speaks TLM.
///
/// Timing contract (L = stage_latency, n = a packet's flits = cycles on a link):
/// * A packet whose head is at a switch's input at cycle c, is first in its buffer, wins its
///   output, and for which the buffer behind the output has room, leaves at c. The output link is
///   then busy until c + n, the input until c + n, and the head is at the next buffer at c + L.
/// * From the last switch it is delivered at c + L + n, when its tail is there; a lone packet's
///   latency is stages * L + n.
/// * An output serves waiting inputs round robin. The winner of a full buffer waits for room; no
///   other overtakes it. Buffers are first in, first out: a waiting head holds up those behind it.
/// * Every link, the exit links too, ends in a buffer of `buffer_flits`. Room is taken when the
///   head leaves for the buffer and given back when the head leaves the buffer (virtual
///   cut-through; the tail drains as fast as anything can follow). A packet longer than a buffer
///   may have an empty one to itself.
/// * What happens in cycle c depends on arrivals and on exits freed up to c, not on the order of
///   calls: a buffer's next head bids no sooner than c + 1, so several passes in one cycle end
///   like one.
class SwitchFabric {
 public:
  struct Shape {
    std::uint32_t entries = 1;
    std::uint32_t exits = 1;
    std::uint32_t radix = 8;
    std::uint32_t stage_latency = 4;
    std::uint32_t buffer_flits = 18;
  };

  struct alignas(32) Packet {  // half a host cache line: each look at one may be a miss
    tlm::tlm_generic_payload* payload = nullptr;
    Cycle ready = 0;  ///< head at the buffer where it stands; at an exit: may be delivered
    std::uint32_t arrived = 0;  ///< head at the entry: the cycle's low bits
    std::uint32_t next = 0;
    std::uint16_t bytes = 0;
    std::uint16_t flits = 0;
    std::uint16_t exit = 0;
    bool counted = true;  ///< holds an entry of its port's receiver until it is in a switch
  };

  /// The owner, as the fabric sees it.
  class Client {
   public:
    /// Takes a packet whose tail is at the exit at cycle + 1. false: the exit is busy; the client
    /// calls exit_ready() with the cycle when it is free.
    virtual bool deliver(unsigned exit, const Packet& packet, Cycle cycle) = 0;
    /// A packet for which inject() returned false has entered the first switch.
    virtual void entered(unsigned entry, bool counted) = 0;

   protected:
    ~Client() = default;
  };

  using Config = NocConfig;
  static Shape shape_of(const Config& c, unsigned entries, unsigned exits) {
    return {entries, exits, c.radix, c.stage_latency, c.buffer_flits()};
  }

  SwitchFabric(const Shape& shape, Client& client, NocStats& stats);
  SwitchFabric(const SwitchFabric&) = delete;
  SwitchFabric& operator=(const SwitchFabric&) = delete;

  /// A packet whose head arrives at `arrival` (later than `current`, the cycle that goes on now);
  /// packets of one entry come in the order of their arrivals.
  /// true: it stands in the first switch's buffer; false: it waits at the entry until entered().
  bool inject(Cycle current, unsigned entry, unsigned exit, tlm::tlm_generic_payload& payload,
              std::uint32_t bytes, std::uint32_t flits, Cycle arrival, bool counted = true);
  /// When the tail of the entry's last packet is in.
  Cycle entry_free(unsigned entry) const { return entries_[entry].free_at; }
  /// The exit takes packets again from cycle `at` (not before `current`).
  void exit_ready(Cycle current, unsigned exit, Cycle at);

  /// Does everything due in this cycle, from the exits back to the entries.
  void process(Cycle cycle);
  /// The earliest cycle with something to do, kNever when none is known.
  Cycle next() const;

  unsigned stages() const { return two_stages_ ? 2 : 1; }
  /// Cycles of a lone packet from its head's arrival to its delivery.
  /// The same from each entry to each exit.
  Cycle zero_load_latency(std::uint32_t flits, unsigned = 0, unsigned = 0) const {
    return Cycle{stages()} * latency_ + flits;
  }
  bool empty() const { return live_ == 0; }
  std::size_t packets() const { return live_; }
  void describe_waiting(const std::string& name, std::vector<Waiting>& out) const;
  /// Drops all packets; `drop` is called with each payload.
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
  /// In the order in which a pass serves them.
  enum Work : unsigned { kEject, kLink1, kLink0, kWorkKinds };

  struct alignas(32) Fifo {
    std::uint32_t head = kNone;
    std::uint32_t tail = kNone;
    std::uint32_t used = 0;       ///< flits
    std::uint32_t upstream = 0;   ///< the link that feeds it, or the entry
    std::uint32_t link_base = 0;  ///< first output link of its switch
    std::uint32_t bit = 0;        ///< its number among the switch's inputs
    /// When its head may leave; of an empty one: when its last packet's tail has left.
    Cycle ready = 0;
  };
  struct alignas(32) OutputLink {
    std::uint64_t waiting = 0;  ///< inputs whose head wants this link, now or when it is ready
    Cycle free_at = 0;
    Cycle blocked_since = kNever;
    std::uint16_t last = 63;         ///< input served last
    std::uint16_t first_buffer = 0;  ///< input 0 of its switch
    std::uint16_t downstream = 0;    ///< the buffer behind it
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
    // Without a branch: the host cannot foresee the answer.
    return (fifo.used == 0) | (fifo.used + flits <= capacity_);
  }
  /// True: it is the head.
  bool push(Fifo& fifo, std::uint32_t index);
  /// Takes the head, whose tail has left at `free`.
  std::uint32_t pop(Fifo& fifo, Cycle free);

  void due(Work work, std::uint32_t index, Cycle cycle);
  /// Room has been made behind the link: it serves in this pass if it can.
  void serve_again(unsigned stage, std::uint32_t link, Cycle cycle) {
    const OutputLink& l = links_[stage][link];
    const std::uint64_t on = (l.waiting != 0) & (l.free_at <= cycle);
    active_[first_word_[link_work(stage)] + link / 64] |= on << (link % 64);
  }
  template <class F>
  void for_each_active(Work work, F&& f);

  void eject(std::uint32_t exit, Cycle cycle);
  void serve(unsigned stage, std::uint32_t link, Cycle cycle);
  void refill(std::uint32_t entry, Cycle cycle);
  void bid(unsigned stage, const Fifo& buffer);
  /// When the next of the link's heads may leave that may not yet in `cycle`; kNever: none.
  [[gnu::noinline]] Cycle next_ready(unsigned stage, const OutputLink& link, Cycle cycle) const;

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
  std::vector<std::uint32_t> exit_group_;  ///< second-stage switch of each exit

  std::array<std::vector<Fifo>, 2> buffers_;      ///< switch inputs, by stage
  std::array<std::vector<OutputLink>, 2> links_;  ///< switch outputs, by stage
  std::vector<Fifo> exits_;
  std::vector<Entry> entries_;
  std::vector<Packet> packets_;
  std::vector<std::uint32_t> free_packets_;
  std::size_t live_ = 0;

  /// A wheel of the next 64 cycles: per slot one bit for each thing to look at.
  std::vector<std::uint64_t> wheel_;
  std::vector<std::uint64_t> active_;
  std::array<std::uint32_t, kWorkKinds + 1> first_word_{};
  std::size_t words_ = 0;  ///< of a slot
  std::uint64_t busy_slots_ = 0;
  Cycle current_ = 0;
};

}  // namespace tessera
