// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "modules/bridge/axi4_manager_config.h"
#include "modules/bridge/axi4_pins.h"
#include "modules/bridge/clocked_part.h"
#include "modules/bridge/rtl_clock.h"
#include "modules/kernel/timed_queue.h"
#include "modules/kernel/waiting.h"
#include "modules/protocol/channels.h"
#include "modules/protocol/payload_check.h"

namespace tessera {

/// Transactor from TLM target sockets to the pins of an RTL AXI4 subordinate (AMBA AXI4, IHI 0022).
///
/// A request of 1 to 4096 bytes at any address becomes INCR bursts, split at 4 KB boundaries and
/// after 256 beats. Byte enables become WSTRB. Requests are issued in the order of arrival,
/// whatever their socket. All bursts of a request have one ID. The ID is the next one in turn, or
/// that of an issued request of the same direction with a common line. A request waits while an
/// issued request of the opposite direction, or issued requests with different IDs, have a line in
/// common with it: AXI4 orders only transactions of one ID and direction.
///
/// Timing: a request that arrives at the clock edge c is issued at c, one a cycle: its address and
/// its first data beat are VALID at that edge. Beats and further bursts follow one a cycle. A
/// request frees its entry when it is issued. The response arrives at the edge at which B, or the
/// last beat of R, transfers. One response a cycle: B and R alternate if both have one. READY of R
/// and B is set in the cycle before the transfer; it is 0 only while the transfer would complete a
/// request and its initiator withholds END_RESP.
///
/// SLVERR is TLM_GENERIC_ERROR_RESPONSE, DECERR is TLM_ADDRESS_ERROR_RESPONSE; the worst one of a
/// request counts. Each is an SC_WARNING "/tessera/bridge/axi4" unless
/// MemoryRequest::reports_refusal is set. An unknown RID or BID is an SC_ERROR, and the transfer is
/// dropped. Other rules are those of Axi4Checker.
///
/// Reset: VALID and READY are low, also at the first edge after reset. Issued requests end with
/// TLM_GENERIC_ERROR_RESPONSE: the first response arrives at the second edge after the end of
/// reset, further ones one a cycle. Requests not yet issued wait until then.
///
/// A request needs values (MemoryRequest::carries_data) or no extension. Phases: all four.
/// transport_dbg calls the debug function. So does b_transport if it has no function of its own;
/// without both it is an SC_ERROR.
/// Not modelled: exclusive accesses, FIXED bursts, AxQOS, AxREGION, user wires, atomics (refused).
class Axi4Manager final : public sc_core::sc_module, public ClockedPart {
 public:
  using Payload = tlm::tlm_generic_payload;
  using DebugAccess = std::function<unsigned(Payload&)>;
  using Blocking = std::function<void(Payload&, sc_core::sc_time&)>;
  /// Offset of the byte that is needed first; less than the payload's length.
  using CriticalByte = std::function<unsigned(const Payload&)>;

  /// Bus address of an address; none if it is not the subordinate's.
  using BusAddress = std::function<std::optional<std::uint64_t>(std::uint64_t)>;

  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<Axi4Manager>> in;

  /// Adds itself to `clock`. `clock` and `pins` must outlive the transactor. `ports`: number of
  /// sockets, each with config.entries. An invalid configuration is an SC_FATAL that lists all
  /// errors.
  Axi4Manager(const sc_core::sc_module_name& name, RtlClock& clock, Axi4Pins& pins,
              const Axi4ManagerConfig& config, unsigned ports = 1);

  void set_debug(DebugAccess access) { debug_ = std::move(access); }
  void set_blocking(Blocking access) { blocking_ = std::move(access); }
  /// Default: the first word of MemoryRequest::word_mask.
  void set_critical_byte(CriticalByte critical) { critical_ = std::move(critical); }
  /// Default: the same address. Must be contiguous within a request.
  void set_bus_address(BusAddress bus_address) { bus_address_ = std::move(bus_address); }
  /// The oldest issued request of a direction with bytes of the line at `bus_address`; null if
  /// there is none.
  const Payload* issued(bool write, std::uint64_t bus_address) const;
  /// Whether no request is in the subordinate. A request ends at the edge of its last transfer, to
  /// which its response belongs.
  bool none_issued() const {
    return reads_ + writes_ == 0 && !pins_.r.valid && !pins_.b.valid && !pins_.aw.valid &&
           !pins_.w.valid && !pins_.ar.valid;
  }
  /// Issues no request while set.
  void hold(bool holds) { holds_ = holds; }

  const Axi4ManagerConfig& config() const { return config_; }
  const Axi4ManagerStats& stats() const { return stats_; }
  void register_statistics(StatisticsRegistry& registry) const;
  bool idle() const;
  void describe_waiting(std::vector<Waiting>& out) const;
  void reset();

  void drive(Tick t) override;
  void sample(Tick t) override;
  void collect(Tick t) override;
  bool quiet() const override;
  void on_reset(bool active) override;

 private:
  /// An issued request.
  struct Access {
    Payload* payload = nullptr;  ///< null: free
    unsigned port = 0;
    Tick arrival = 0;         ///< its edge
    std::uint64_t begin = 0;  ///< bus address of the first byte
    bool write = false;
    std::uint32_t id = 0;
    std::uint64_t first_line = 0;
    std::uint64_t last_line = 0;
    std::uint32_t bursts_left = 0;
    std::uint64_t serial = 0;
    Axi4Response worst = Axi4Response::kOkay;
  };
  struct Burst {
    Axi4Address address;
    std::uint32_t access = 0;
    unsigned beat = 0;  ///< next data beat
  };
  struct Failed {
    std::uint64_t serial;
    Payload* payload;
    unsigned port;
  };
  struct Arrival {
    Payload* payload;
    unsigned port;
  };
  struct Port {
    explicit Port(std::uint32_t entries) : receiver(entries) {}
    RequestReceiver receiver;
    ResponseSender sender;
  };

  void end_of_elaboration() override;
  tlm::tlm_sync_enum forward(int port, Payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  void blocking(int port, Payload& payload, sc_core::sc_time& delay);
  unsigned debug(int /*port*/, Payload& payload) { return debug_ ? debug_(payload) : 0; }
  std::optional<std::uint64_t> bus_address(std::uint64_t address) const {
    return bus_address_ ? bus_address_(address) : address;
  }
  PayloadFault fault_of(const Payload& payload) const;

  void issue_next(Tick t);
  bool choose_id(const Access& access, std::uint32_t& id);
  void make_bursts(const Access& access, std::uint32_t slot);
  void present_address(Axi4AddressPins& pins, std::deque<Burst>& queue);
  void present_data();

  bool can_respond(unsigned port, Tick next) const {
    return sent_for_ != next && ports_[port].sender.free(next);
  }
  void take_read(Tick t, Tick next);
  void take_write_response(Tick t, Tick next);
  void copy_beat(const Burst& burst) const;
  void complete(std::uint32_t slot, Tick next);
  void respond(unsigned port, Payload& payload, tlm::tlm_response_status status, Tick next);
  void report_error(const Payload& payload, Axi4Response response) const;
  void report_unknown(const char* channel, std::uint32_t id) const;
  void clear_pins();
  void clear_issued();

  RtlClock& clock_;
  Axi4Pins& pins_;
  const Axi4ManagerConfig config_;
  const std::uint32_t beat_bytes_;
  Axi4ManagerStats stats_;
  DebugAccess debug_;
  Blocking blocking_;
  CriticalByte critical_;
  BusAddress bus_address_;
  PayloadCheck check_;
  std::vector<Port> ports_;
  TimedQueue<Arrival> arrivals_;

  std::vector<Access> accesses_;
  std::uint32_t reads_ = 0;  ///< issued
  std::uint32_t writes_ = 0;
  std::uint64_t serial_ = 0;
  std::uint32_t next_read_id_ = 0;
  std::uint32_t next_write_id_ = 0;
  std::deque<Burst> aw_queue_;  ///< addresses that wait for the channel
  std::deque<Burst> ar_queue_;
  std::deque<Burst> w_queue_;                       ///< writes whose data is not yet transferred
  std::vector<std::deque<Burst>> read_data_;        ///< by ID: reads without all their data
  std::vector<std::deque<std::uint32_t>> written_;  ///< by ID: accesses of writes without response
  std::deque<Failed> failed_;                       ///< by a reset

  bool aw_taken_ = false;  ///< transfers at this edge
  bool w_taken_ = false;
  bool ar_taken_ = false;
  Tick r_for_ = 0;  ///< edge for which READY of R is set
  Tick b_for_ = 0;
  Tick sent_for_ = 0;  ///< arrival of the last response
  bool read_first_ = true;
  unsigned r_port_ = 0;  ///< for which the response on R, or on B, waits
  unsigned b_port_ = 0;
  bool holds_ = false;
  bool in_reset_ = false;
  bool after_reset_ = false;  ///< the next edge is the first after reset
};

}  // namespace tessera
