// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/host/line_bridge_config.h"
#include "modules/host/line_bridge_stats.h"
#include "modules/kernel/block_base.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/timed_queue.h"
#include "modules/protocol/paced_output.h"
#include "modules/protocol/payload_check.h"
#include "modules/protocol/request_port.h"
#include "modules/protocol/response_port.h"
#include "modules/protocol/transaction_pool.h"
#include "policies/address_map.h"

namespace tessera {

/// Connection of a bridge to its platform.
struct LineBridgeSite {
  RequesterId requester{RequesterKind::kBridge, 0};
  /// Sets the home of each request, by which networks route. Null: the memory system decodes it.
  const AddressMap* map = nullptr;
  /// Physical address of an address of the master, called with each line's first byte; no value:
  /// not mapped. The translation must keep a line's bytes together. Empty: addresses are physical.
  std::function<std::optional<std::uint64_t>(std::uint64_t address)> translate = {};
};

/// Connects a master that uses plain TLM (a CPU, a DMA engine, an AXI port) to the memory system.
/// It converts transactions to line requests with byte masks and the MemoryRequest extension. A
/// transaction can have any address, any length and byte enables; it needs no extension.
///
/// Timing: a transaction is split from the clock edge at or after its arrival on. One line request
/// is sent per cycle, in the order of transactions and addresses, if fewer than `outstanding_lines`
/// are in flight; it arrives a cycle later. A response is sent at the edge at which its
/// transaction's last line has arrived and all earlier responses have been sent; it arrives a cycle
/// later. A single-line read without contention takes two cycles more than memory. A line without
/// an enabled byte is not sent. The translation takes no time.
///
/// Responses are sent in the order of requests. Their status is OK, or that of the failed line with
/// the lowest address; the other lines of a failed write can have been written. The status of an
/// address that has no translation, or is outside the memory, is TLM_ADDRESS_ERROR_RESPONSE; the
/// rest of its transaction is not sent. TLM_IGNORE_COMMAND gets a response without an access.
/// Malformed payloads get the responses of PayloadCheck.
///
/// b_transport adds the cycles of the split to the latency of the slowest line. transport_dbg takes
/// no time and ignores byte enables, as TLM specifies. Both end at the first line that is not
/// mapped. Phases: all four on both sides. Not modelled: write combining, prefetching, atomics,
/// DMI, streaming widths below the length (TLM_BURST_ERROR_RESPONSE).
class LineBridge final : public BlockBase<LineBridgeConfig, LineBridgeStats, LineBridgeSite> {
 public:
  tlm_utils::passthrough_target_socket<LineBridge> in;
  tlm_utils::simple_initiator_socket<LineBridge> memory;

  LineBridge(const sc_core::sc_module_name& name, const LineBridgeConfig& config,
             TransactionPool& pool, LineBridgeSite site = {});

  bool idle() const override;
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;

 private:
  using Payload = tlm::tlm_generic_payload;
  /// A transaction in progress. `next`: its first byte that has not been sent.
  struct Job {
    Payload* payload = nullptr;
    Tick arrived = 0;
    std::uint32_t next = 0;
    std::uint32_t lines = 0;  ///< in flight
    std::uint32_t failed_at = ~std::uint32_t{0};
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  };
  /// The part of a transaction that is in one line.
  struct Piece {
    std::uint32_t offset = 0;   ///< of its first byte in the transaction
    std::uint32_t in_line = 0;  ///< of its first byte in the line
    std::uint32_t bytes = 0;
    ByteMask mask;  ///< enabled bytes of the line
  };
  struct Line {
    Transaction* request = nullptr;
    Job* job = nullptr;
    Piece piece;
  };

  void end_of_elaboration() override;
  void end_of_simulation() override;
  tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void blocking(Payload& payload, sc_core::sc_time& delay);
  unsigned debug(Payload& payload);

  void process();
  void handle_response(Payload& payload);
  void respond(Tick t);
  void issue(Tick t);
  void send(Job& job, const Piece& piece, std::uint64_t line, Tick t);
  void schedule_next(Tick t);
  bool responds() const { return split_ != 0 && jobs_.front().lines == 0; }

  PayloadFault fault_of(const Payload& payload) const;
  Piece piece_at(const Payload& payload, std::uint32_t offset) const;
  std::optional<std::uint64_t> line_of(const Payload& payload, const Piece& piece) const;
  /// Sets `out` to a request for the piece, or for the whole line.
  void fill(Transaction& out, const Payload& payload, const Piece& piece, std::uint64_t line,
            bool whole) const;
  static void copy_read_data(Payload& payload, const Piece& piece, const unsigned char* from);

  const ClockDomain clock_;
  TransactionPool& pool_;
  const LineBridgeSite site_;
  PayloadCheck check_;

  TimedQueue<Job> arrivals_;
  std::deque<Job> jobs_;   ///< in the order of arrival
  std::size_t split_ = 0;  ///< jobs at the front whose lines have all been sent
  std::vector<Line> lines_;
  std::vector<std::uint32_t> free_lines_;
  Tick issue_free_at_ = 0;
  ProcessTimer wake_;
  ResponsePort<UnqueuedOutput<ResponseSender>, Job> master_port_;
  RequestPort<UnqueuedOutput<RequestSender>> memory_port_;
};

}  // namespace tessera
