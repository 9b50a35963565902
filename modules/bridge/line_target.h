// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>

#include <cstdint>
#include <deque>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/bridge/atomic_unit.h"
#include "modules/bridge/clocked_part.h"
#include "modules/bridge/line_pins.h"
#include "modules/bridge/rtl_clock.h"
#include "modules/kernel/timed_queue.h"
#include "modules/kernel/waiting.h"
#include "modules/protocol/channels.h"
#include "modules/protocol/memory_request.h"

namespace tessera {

/// A request that is in an RTL block, by the id that it has on the block's pins.
struct LineToken {
  enum class Use : std::uint8_t {
    kFree,
    kRequest,
    kAtomicLoad,   ///< an AtomicUnit reads the line
    kAtomicStore,  ///< an AtomicUnit writes the results of atomics
  };
  Use use = Use::kFree;
  std::uint32_t port = 0;
  tlm::tlm_generic_payload* payload = nullptr;  ///< kRequest
  MemoryRequest* request = nullptr;
  std::uint64_t address = 0;
  std::uint32_t user = 0;  ///< LineRequestPins::user
};

/// The tokens of a block's requests.
class LineTokens {
 public:
  /// `ids`: number of ids that the pins can carry.
  explicit LineTokens(std::uint32_t ids) : most_(ids) {}

  /// Whether an id is free.
  bool available() const { return !free_.empty() || tokens_.size() < most_; }
  std::uint32_t allocate(const LineToken& token);
  void release(std::uint32_t id);
  LineToken& operator[](std::uint32_t id) { return tokens_[id]; }
  /// Whether a request has this id.
  bool known(std::uint32_t id) const {
    return id < tokens_.size() && tokens_[id].use != LineToken::Use::kFree;
  }
  std::size_t used() const { return tokens_.size() - free_.size(); }
  /// The request of one with this address; null if there is none.
  MemoryRequest* find(std::uint64_t address) const;
  void clear();

 private:
  std::uint32_t most_;
  std::vector<LineToken> tokens_;
  std::vector<std::uint32_t> free_;
};

/// The block that a LineTarget belongs to.
class LineTargetOwner {
 public:
  virtual ~LineTargetOwner() = default;
  /// BEGIN_REQ at `port`, which arrives at `at`. Returns its MemoryRequest and, in `user`, the
  /// block's further wires; or null if the payload is refused (refuse()).
  virtual MemoryRequest* admit(std::uint32_t port, tlm::tlm_generic_payload& payload,
                               const tlm::tlm_phase& phase, Tick at, std::uint32_t& user) = 0;
  /// What nb_transport_fw returns for a payload that is not admitted.
  virtual tlm::tlm_sync_enum refuse(std::uint32_t port, tlm::tlm_generic_payload& payload,
                                    const tlm::tlm_phase& phase) = 0;
  /// Whether the request passes the block, to be performed elsewhere: the AtomicUnit leaves it.
  virtual bool passes(std::uint32_t user) const = 0;
  /// The block takes the request with this id at this edge.
  virtual void taken(std::uint32_t /*id*/) {}
  /// The response to a request leaves, and arrives at `arrival`.
  virtual void departing(tlm::tlm_generic_payload& /*payload*/, MemoryRequest& /*request*/,
                         Tick /*arrival*/) {}
  virtual void blocking(std::uint32_t port, tlm::tlm_generic_payload& payload,
                        sc_core::sc_time& delay) = 0;
  virtual unsigned debug(tlm::tlm_generic_payload& payload) = 0;
};

/// Transactor from a TLM target socket to an RTL block's ready/valid channels of lines: requests to
/// the block, its responses back.
///
/// Timing: a request that arrives at the clock edge c is VALID at that edge; the block takes it
/// there if READY. A response that is VALID before an edge arrives at the initiator at that edge.
/// The transactor holds `entries` requests, from BEGIN_REQ until free_entry(), and withholds
/// END_REQ while it is full. READY of the response channel is 0 while the initiator withholds
/// END_RESP.
///
/// Atomics go through the block's AtomicUnit. Requests must carry values. Phases: all four.
/// Not modelled: an id is a free one, not the requester's.
class LineTarget final : public sc_core::sc_module, public ClockedPart {
 public:
  tlm_utils::passthrough_target_socket<LineTarget> in{"in"};

  /// All references must outlive the transactor. `port`: its number at the owner.
  LineTarget(const sc_core::sc_module_name& name, RtlClock& clock, std::uint32_t port,
             std::uint32_t entries, LineRequestPins& request, LineResponsePins& response,
             LineTokens& tokens, AtomicUnit& atomics, LineTargetOwner& owner);

  /// The block has freed the entry of a request of this port.
  void free_entry() { receiver_.release(); }

  bool idle() const;
  void describe_waiting(std::vector<Waiting>& out) const;
  void reset();

  void drive(Tick t) override;
  void sample(Tick t) override;
  void collect(Tick t) override;
  bool quiet() const override;

 private:
  friend class AtomicUnit;
  using Payload = tlm::tlm_generic_payload;
  struct Arrival {
    Payload* payload = nullptr;
    MemoryRequest* request = nullptr;
    std::uint32_t user = 0;
  };

  struct Completed {
    Payload* payload;
    MemoryRequest* request;
    tlm::tlm_response_status status;
  };

  void end_of_elaboration() override;
  tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void blocking(Payload& payload, sc_core::sc_time& delay) {
    owner_.blocking(port_, payload, delay);
  }
  unsigned debug(Payload& payload) { return owner_.debug(payload); }

  bool present_next(Tick t);
  void present(const LineToken& token, bool write, const ByteMask& mask, const unsigned char* data);
  bool take_response(Tick next);
  void send(Payload& payload, MemoryRequest& request, Tick arrival);
  void report_unknown(std::uint32_t id) const;

  RtlClock& clock_;
  const std::uint32_t port_;
  LineRequestPins& request_;
  LineResponsePins& response_;
  LineTokens& tokens_;
  AtomicUnit& atomics_;
  LineTargetOwner& owner_;
  RequestReceiver receiver_;
  ResponseSender sender_;
  TimedQueue<Arrival> arrivals_;
  std::deque<AtomicStore> stores_;   ///< of the AtomicUnit
  std::deque<Completed> completed_;  ///< atomics that can be responded to
  bool presents_store_ = false;      ///< the front of stores_ is on the pins
  bool taken_ = false;               ///< the request on the pins transfers at this edge
  Tick responds_at_ = 0;             ///< the edge at which a forwarded response transfers
};

}  // namespace tessera
