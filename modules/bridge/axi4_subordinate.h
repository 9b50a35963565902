// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "modules/bridge/axi4_pins.h"
#include "modules/bridge/axi4_subordinate_config.h"
#include "modules/bridge/clocked_part.h"
#include "modules/bridge/rtl_clock.h"
#include "modules/kernel/timed_queue.h"
#include "modules/kernel/waiting.h"
#include "modules/protocol/channels.h"
#include "modules/protocol/transaction_pool.h"

namespace tessera {

/// Transactor from the pins of an RTL AXI4 manager (AMBA AXI4, IHI 0022) to a TLM initiator socket.
///
/// An INCR or WRAP burst becomes one transaction for each line that it touches, a FIXED burst one
/// for each beat. WSTRB becomes byte enables; a line without a set strobe has no transaction.
/// Transactions leave in the order in which AR and the last W beat of a line transfer, one a cycle.
///
/// Timing: READY is set in the cycle before the transfer. The first transaction of a read arrives
/// at the target at the edge at which AR transfers, that of a written line at the edge of its last
/// beat, if no other one waits. A response that arrives at the clock edge c is VALID at c: R with
/// the first beat of its line, B with the last line of its burst. Nothing is VALID at the edge of
/// the transfer that permits it. R transfers one beat a cycle.
///
/// Responses of an ID are in the order of its addresses. Between IDs, the oldest burst with data is
/// first. Without `interleave`, a burst that has begun ends before another one begins.
/// TLM_ADDRESS_ERROR_RESPONSE is DECERR, other errors are SLVERR: on R for each beat of the line,
/// on B the worst of the burst.
///
/// Reset: VALID and READY are low, also at the first edge after reset. Transactions that are not
/// sent are dropped, late responses too.
///
/// Write data waits for its address. A burst that AXI4 does not permit is an SC_ERROR
/// "/tessera/bridge/axi4" if the transactor cannot follow it: a beat wider than the bus, or a WRAP
/// burst of an illegal length or start, which is handled as INCR. Phases: all four.
/// Not modelled: an exclusive access is a normal one and returns OKAY (A7.2.5), AxCACHE, AxPROT,
/// AxQOS and AxREGION have no effect.
class Axi4Subordinate final : public sc_core::sc_module, public ClockedPart {
 public:
  using Payload = tlm::tlm_generic_payload;
  /// Sets fields of the MemoryRequest, before the transaction is sent. kind, carries_data and
  /// useful_bytes have been set.
  using Prepare = std::function<void(Transaction&, const Axi4Address&)>;

  /// A transaction has its response.
  using Completed = std::function<void(Transaction&)>;

  tlm_utils::simple_initiator_socket<Axi4Subordinate> out{"out"};

  /// Adds itself to `clock`. References must outlive the transactor. An invalid configuration is an
  /// SC_FATAL that lists all errors.
  Axi4Subordinate(const sc_core::sc_module_name& name, RtlClock& clock, Axi4Pins& pins,
                  TransactionPool& pool, const Axi4SubordinateConfig& config);
  ~Axi4Subordinate() override;

  /// Default: kFill for reads, kWriteBack for writes.
  void set_prepare(Prepare prepare) { prepare_ = std::move(prepare); }
  void set_completed(Completed completed) { completed_ = std::move(completed); }

  const Axi4SubordinateConfig& config() const { return config_; }
  const Axi4SubordinateStats& stats() const { return stats_; }
  void register_statistics(StatisticsRegistry& registry) const;
  /// False also while responses of dropped transactions are outstanding.
  bool idle() const {
    return lines_.size() == free_lines_.size() && writes_.empty() && !pins_.b.valid;
  }
  void describe_waiting(std::vector<Waiting>& out) const;
  void reset();

  void drive(Tick t) override;
  void sample(Tick t) override;
  void collect(Tick t) override;
  bool quiet() const override;
  void on_reset(bool active) override;

 private:
  struct Burst {
    Axi4Address address;
    std::vector<std::uint32_t> lines;  ///< in the order of the beats
    unsigned beat = 0;                 ///< next data beat
    std::uint32_t open_lines = 0;      ///< write: lines without a response
    bool data_done = false;            ///< write
    Tick last_data = 0;                ///< write: edge of the last beat
    Axi4Response worst = Axi4Response::kOkay;
  };
  using Bursts = std::deque<std::unique_ptr<Burst>>;
  /// A transaction.
  struct Line {
    Transaction* payload = nullptr;
    Burst* burst = nullptr;        ///< null: dropped by a reset
    std::uint64_t address = 0;     ///< of the line's first byte; FIXED: unused
    std::uint32_t beats_left = 0;  ///< write: until it can be sent
    bool sent = false;
    bool responded = false;
    Tick arrival = 0;  ///< at the target
    ByteMask mask;     ///< write: bytes of the payload
    Axi4Response response = Axi4Response::kOkay;
  };

  void end_of_elaboration() override;
  tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void enqueue_response(Payload& payload, Tick at);
  void handle_response(Payload& payload);

  bool accepts_aw() const;
  bool accepts_ar() const;
  bool accepts_w() const;
  Axi4Address sound_address(const Axi4Address& address) const;
  void accept_aw(Tick next);
  void accept_ar(Tick next);
  void accept_w(Tick next);
  void make_lines(Burst& burst, bool write);
  std::uint32_t allocate_line(Burst& burst, bool write, std::uint64_t first, std::uint64_t last);
  void release_line(std::uint32_t index);
  std::uint32_t line_of(const Burst& burst, unsigned beat) const;
  void finish_written_line(std::uint32_t index);
  void send_next(Tick t, Tick next);

  Burst* choose_read() const;
  Burst* choose_write() const;
  void present_read(Burst& burst);
  void drop_all();

  RtlClock& clock_;
  Axi4Pins& pins_;
  TransactionPool& pool_;
  const Axi4SubordinateConfig config_;
  Axi4SubordinateStats stats_;
  Prepare prepare_;
  Completed completed_;
  RequestSender sender_;
  ResponseReceiver receiver_{ResponseReceiver::kUnlimited};
  TimedQueue<Payload*> responses_;

  Bursts reads_;                   ///< in the order of AR
  Bursts writes_;                  ///< in the order of AW
  Burst* current_read_ = nullptr;  ///< has begun on R and not ended
  std::vector<Line> lines_;
  std::vector<std::uint32_t> free_lines_;
  std::deque<std::uint32_t> pending_;  ///< lines to send

  bool r_taken_ = false;  ///< transfers at this edge
  bool b_taken_ = false;
  Tick aw_for_ = 0;  ///< edge for which READY is set
  Tick w_for_ = 0;
  Tick ar_for_ = 0;
  Tick sent_for_ = 0;  ///< arrival of the last transaction
  bool in_reset_ = false;
  bool after_reset_ = false;  ///< the next edge is the first after reset
};

}  // namespace tessera
