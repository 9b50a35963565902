// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>

#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/kernel/block_base.h"
#include "modules/kernel/bounded_queue.h"
#include "modules/kernel/launch_counts.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/timed_queue.h"
#include "modules/memory/backing_store.h"
#include "modules/memory/dram_config.h"
#include "modules/protocol/channels.h"
#include "modules/protocol/memory_request.h"
#include "modules/protocol/payload_check.h"
#include "policies/address_map.h"

namespace tessera {

struct DramSite;

struct DramStats {
  DramCommandCounts commands;
  Counter bytes_read = 0;
  Counter bytes_written = 0;
  Counter errors = 0;
  Occupancy queue;
  Histogram read_latency;  ///< memory clocks
  BandwidthSeries bandwidth;

  void reset(Tick now);
};

void describe(StatisticsVisitor& v, DramStats& s);

/// One DRAM channel and its controller (HBM as in NUBA's Table 1 by default; docs/blocks/dram.md).
///
/// Timing: a request that arrives between edges of the memory clock waits for the next edge. At
/// that edge it moves from its port's input buffer into the queue, and its first command can be
/// issued. The response to a read without contention is due 1 + CL + burst clocks after its edge if
/// its row is open, RCD later if the bank is closed, RP + RCD later if another row is open. The
/// response to a write is due after the transfer of its data. A request holds its queue entry until
/// its response begins.
///
/// A channel decodes bank and row from the address. It accepts only addresses of its own channel.
///
/// Values (requests with carries_data) are written and sampled when a request enters the queue. The
/// order of values is therefore the order of arrival and does not depend on the order of commands.
/// A read returns the whole line.
///
/// Phases: the senders and receivers of protocol/channels.h, one pair per port. The response's
/// delay is the time until its last data. At one edge the channel first moves requests into the
/// queue, then issues commands, then sends responses. An entry that a response releases is
/// available from the next edge. The process is not activated while the channel is idle, nor for a
/// clock in which no command is legal.
///
/// Not modelled: power-down, per-bank refresh, ECC, data-bus inversion, write merging, forwarding
/// from queued writes (a read after a write of the same line makes its own access).
class DramChannel final : public BlockBase<DramConfig, DramStats, DramSite> {
 public:
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<DramChannel>> in;

  /// `ports`: input sockets, one per LLC slice of the channel. `map` must outlive the channel.
  DramChannel(const sc_core::sc_module_name& name, const DramConfig& config, const AddressMap& map,
              ChannelId id, unsigned ports);
  ~DramChannel() override;

  LaunchCounts& launch_counts() { return counts_; }
  const ClockDomain& clock() const { return clock_; }
  /// Bytes that a data bus without idle clocks would move in this time.
  double peak_bytes(Tick since, Tick until) const;
  void observe(DramCommandObserver* observer) { scheduler_->observe(observer); }

  bool idle() const override;
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  using Slot = DramScheduler::Slot;
  struct Arrival {
    tlm::tlm_generic_payload* payload = nullptr;
    MemoryRequest* request = nullptr;
    std::uint64_t edge = 0;  ///< memory cycle of the pipeline's end
    std::uint32_t row = 0;
    Bank bank;
  };
  struct Pending {
    tlm::tlm_generic_payload* payload = nullptr;
    Tick due = 0;
    Slot slot = 0;
  };
  struct Port {
    Port(std::size_t input, std::size_t queue) : pending(queue), receiver(input) {}
    BoundedQueue<Pending> pending;
    ResponseSender sender;
    RequestReceiver receiver;
  };
  struct InQueue {
    tlm::tlm_generic_payload* payload = nullptr;
    std::uint32_t port = 0;
    LaunchSlot launch;
  };

  void end_of_elaboration() override;
  void end_of_simulation() override;

  tlm::tlm_sync_enum forward(int port, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  void blocking(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(int port, tlm::tlm_generic_payload& payload);

  void work();
  void handle_requests(Tick t, std::uint64_t cycle);
  void issue_commands(std::uint64_t cycle);
  void send_responses(Tick t);
  void schedule_next();
  void wake_at_edge(std::uint64_t cycle);

  void access(tlm::tlm_generic_payload& payload);

  const AddressMap& map_;
  const ChannelId id_;
  const std::uint32_t line_bytes_;
  PayloadCheck check_;
  const ClockDomain clock_;

  LaunchCounts counts_;  ///< bytes only
  const std::unique_ptr<DramScheduler> scheduler_;
  BackingStore store_;
  std::vector<Port> ports_;
  TimedQueue<Arrival> arriving_;
  ProcessTimer wake_;
  std::uint64_t edge_ = 0;  ///< edge for which the process is scheduled, and its time
  Tick edge_time_ = kNever;

  std::uint64_t next_edge_ = 0;  ///< first edge after the last activation
  std::vector<InQueue> queue_;   ///< by slot
  std::vector<Slot> free_slots_;
};

}  // namespace tessera
