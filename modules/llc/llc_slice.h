// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/cache/cache_array.h"
#include "modules/cache/mshr.h"
#include "modules/core/block.h"
#include "modules/core/channels.h"
#include "modules/core/parameters.h"
#include "modules/core/timed_queue.h"
#include "modules/core/transaction_pool.h"
#include "modules/core/wake_event.h"
#include "policies/address_map.h"

namespace tessera {

/// Defaults are NUBA Table 1 where the paper has a number.
struct LlcSliceConfig {
  std::uint64_t clock_hz = 1'400'000'000;
  std::uint32_t sets = 48;
  std::uint32_t ways = 16;
  std::uint32_t line_bytes = 128;
  std::uint32_t latency_cycles = 120;
  std::uint32_t mshr_entries = 192;
  std::uint32_t mshr_targets = 4;
  std::uint32_t queue_depth = 16;
  std::uint32_t reply_queue_depth = 16;
  std::uint32_t memory_queue_depth = 16;
  std::uint32_t atomic_lanes_per_cycle = 1;

  /// Every fault, in words; empty when sound.
  std::vector<std::string> validate() const;
};

void describe(ParameterVisitor& v, LlcSliceConfig& c);

struct LlcSliceStats {
  Counter reads = 0;
  Counter writes = 0;
  Counter atomics = 0;
  Counter atomic_lanes = 0;
  Counter hits = 0;
  Counter misses = 0;
  Counter merges = 0;
  Counter partial_fetches = 0;
  Counter write_allocations = 0;
  Counter evictions = 0;
  Counter write_backs = 0;
  Counter local_lookups = 0;
  Counter remote_lookups = 0;
  Counter stalls_mshr = 0;
  Counter stalls_ways = 0;
  Counter stalls_output = 0;
  Counter bytes_read = 0;
  Counter bytes_written = 0;
  Histogram miss_latency;
  BandwidthSeries bandwidth;
};

/// A last-level-cache slice: home of the lines of its address range, in front of one DRAM channel.
///
/// Hardware (NUBA section 3, figure 5): requests from local SMs stand in the LMR queue, requests
/// from the network in the RMR queue; one request a cycle goes to the tag and data arrays, the two
/// queues taking turns when both have one. Write-back, LRU. A write that misses takes a line
/// without fetching it and remembers which bytes are valid; a read of a line that is not wholly
/// valid fetches it and merges. Atomics are performed here, `atomic_lanes_per_cycle` lanes a cycle.
///
/// Timing: a request that arrives at cycle c is looked up at c + latency - 1 at the earliest, one
/// a cycle; a hit's answer (and a write's acknowledgement) is at the requester's side one cycle
/// later, so a lone hit takes `latency_cycles`. A miss's request reaches the channel as late as a
/// hit's answer would have left, and the answer leaves one cycle after the line has come. (The
/// latency lies before the lookup: for one request a cycle this is the same as a pipeline behind
/// it, and costs one activation less.)
///
/// Accesses to a line that is being fetched wait in its MSHR and take effect in order.
/// Phases: all four; early completion where there is room.
/// Not modelled: ECC, sectored tags, data-array banking, bandwidth of the link to the channel.
class LlcSlice final : public sc_core::sc_module, public Block {
 public:
  /// Which queue a port feeds.
  enum class Queue : std::uint8_t { kLocal, kRemote };

  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<LlcSlice>> in;
  tlm_utils::simple_initiator_socket<LlcSlice> memory;

  /// One target socket per element of `ports`.
  LlcSlice(const sc_core::sc_module_name& name, const LlcSliceConfig& config, const AddressMap& map,
           TransactionPool& pool, const std::vector<Queue>& ports);

  const LlcSliceConfig& config() const { return config_; }
  const LlcSliceStats& stats() const { return stats_; }

  bool idle() const override;
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  /// A request on its way through the slice.
  struct Access {
    tlm::tlm_generic_payload* payload = nullptr;
    MemoryRequest* request = nullptr;
    std::uint32_t port = 0;
  };
  enum class Outcome : std::uint8_t { kDone, kStalled };

  void end_of_elaboration() override;
  void end_of_simulation() override;

  tlm::tlm_sync_enum fw(int port, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                        sc_core::sc_time& delay);
  tlm::tlm_sync_enum bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                        sc_core::sc_time& delay);
  void blocking(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(int port, tlm::tlm_generic_payload& payload);
  bool direct(int, tlm::tlm_generic_payload&, tlm::tlm_dmi&) { return false; }

  void process();
  void take_fills(Tick t);
  void fill(tlm::tlm_generic_payload& payload, Tick t);
  void send_replies(Tick t);
  void send_to_memory(Tick t);
  void look_up(Tick t);
  void arm(Tick t);

  bool try_queue(TimedQueue<Access>& queue, Tick t);
  Outcome access(const Access& a, Tick t);
  Outcome miss(const Access& a, std::uint64_t line, CacheArray::Frame frame, Tick t);
  CacheArray::Frame take_frame(std::uint64_t index, std::uint64_t line);
  void apply(const Access& a, CacheArray::Frame frame);
  void perform_atomics(AtomicOperands& operands, CacheArray::Frame frame, bool carried);
  Tick cycles_after(Tick t, std::uint64_t n) const { return clock_.after(t, n); }
  bool output_backed_up() const;

  const LlcSliceConfig config_;
  const AddressMap& map_;
  TransactionPool& pool_;
  const ClockDomain clock_;
  std::vector<Queue> ports_;

  CacheArray array_;
  Mshr<Access> mshr_;
  TimedQueue<Access> lmr_;
  TimedQueue<Access> rmr_;
  bool local_turn_ = true;
  Tick lookup_free_at_ = 0;
  bool stalled_ = false;
  TimedQueue<tlm::tlm_generic_payload*> fills_;
  std::vector<TimedQueue<tlm::tlm_generic_payload*>> replies_;
  TimedQueue<tlm::tlm_generic_payload*> to_memory_;
  std::vector<RequestReceiver> request_in_;
  std::vector<ResponseSender> reply_out_;
  RequestSender memory_out_;
  ResponseReceiver memory_in_;
  /// Write-backs whose acknowledgement is awaited.
  std::vector<tlm::tlm_generic_payload*> writes_;
  /// Requests have carried values: the array's bytes mean something.
  bool carried_ = false;

  WakeEvent wake_;
  LlcSliceStats stats_;
};

}  // namespace tessera
