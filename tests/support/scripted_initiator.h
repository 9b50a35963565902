// SPDX-License-Identifier: Apache-2.0
#pragma once

// An initiator that sends a test's requests, and records the responses and their times.
//
//   TransactionPool pool;
//   ScriptedInitiator sm("sm", pool);            // one port; {"sm", pool, {.ports = n}} for more
//   sm.socket(0).bind(dut.in);
//   const auto i = sm.load(ns(10), 0x1000);      // BEGIN_REQ at 10 ns or as soon after as it may
//   sc_start(...);
//   CHECK(sm.result(i).begin_resp == ns(10) + ...);

#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/kernel/process_timer.h"
#include "modules/kernel/timed_queue.h"
#include "modules/protocol/channels.h"
#include "modules/protocol/transaction_pool.h"

namespace tessera::test {

inline constexpr Tick ps(std::uint64_t n) { return n * 1'000; }
inline constexpr Tick ns(std::uint64_t n) { return n * 1'000'000; }
inline constexpr Tick us(std::uint64_t n) { return n * 1'000'000'000; }

/// What the initiator returns for a BEGIN_RESP: the legal variations of the base protocol.
enum class ResponseStyle {
  kCompleted,  ///< returns TLM_COMPLETED
  kUpdated,    ///< returns TLM_UPDATED with END_RESP
  kAccepted,   ///< returns TLM_ACCEPTED, sends END_RESP `end_resp_after` later
  kRandom,     ///< any of these each time
};

struct ScriptedInitiatorConfig {
  unsigned ports = 1;
  /// Latency annotated to BEGIN_REQ.
  Tick request_delay = 1;
  ResponseStyle style = ResponseStyle::kCompleted;
  /// From the response's arrival to END_RESP, for every style.
  Tick end_resp_after = 0;
  /// kRandom: END_RESP comes up to this much later still.
  Tick random_stall = 0;
  /// Most requests in flight per port; 0 = no limit.
  unsigned max_outstanding = 0;
  std::uint64_t seed = 1;
};

struct ScriptedRequest {
  /// Earliest time of BEGIN_REQ. Requests of one port leave in the order in which they were added.
  Tick at = 0;
  unsigned port = 0;
  tlm::tlm_command command = tlm::TLM_READ_COMMAND;
  std::uint64_t address = 0;
  unsigned bytes = kMaxLineBytes;
  /// Bytes to be stored; shorter than `bytes`: the rest is 0.
  std::vector<unsigned char> data;
  ByteMask mask = ByteMask::first(kMaxLineBytes);
  /// Sets fields of the MemoryRequest (or anything else) just before BEGIN_REQ. By default kind is
  /// kLoad or kStore, carries_data is true, useful_bytes counts the mask, tag is the index, the
  /// home is slice 0.
  std::function<void(Transaction&)> prepare;
};

struct ScriptedResult {
  Tick begin_req = kNever;   ///< call of BEGIN_REQ
  Tick end_req = kNever;     ///< END_REQ in effect
  Tick begin_resp = kNever;  ///< arrival of the response
  Tick end_resp = kNever;    ///< END_RESP in effect
  tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
  std::vector<unsigned char> data;  ///< of a load
  MemoryRequest request;            ///< as it came back
  unsigned responses = 0;
  bool responded_at() const { return responses != 0; }
};

class ScriptedInitiator final : public sc_core::sc_module {
 public:
  using Socket = tlm::tlm_initiator_socket<>;

  sc_core::sc_vector<Socket> sockets;

  ScriptedInitiator(sc_core::sc_module_name name, TransactionPool& pool,
                    const ScriptedInitiatorConfig& config = {});
  ~ScriptedInitiator() override;

  Socket& socket(unsigned port = 0) { return sockets[port]; }
  ScriptedInitiatorConfig& config() { return config_; }

  /// Before or during simulation; returns the index of the request's result.
  std::size_t add(ScriptedRequest request);
  std::size_t load(Tick at, std::uint64_t address, unsigned bytes = kMaxLineBytes,
                   unsigned port = 0);
  std::size_t store(Tick at, std::uint64_t address, std::vector<unsigned char> data,
                    ByteMask mask = ByteMask::first(kMaxLineBytes), unsigned port = 0);
  /// Each as soon as END_REQ allows; their `at` is ignored.
  void send_as_fast_as_possible(std::vector<ScriptedRequest> list);

  /// No END_RESP takes effect before t (responses are accepted and held).
  void stall_responses_until(Tick t) { stall_until_ = t; }

  std::size_t size() const { return results_.size(); }
  const ScriptedResult& result(std::size_t i) const { return results_[i]; }
  /// Indices of results in the order in which their responses arrived.
  const std::vector<std::size_t>& order() const { return order_; }
  /// Sent and without a response, or not sent yet.
  std::size_t outstanding() const { return results_.size() - order_.size(); }
  bool done() const { return outstanding() == 0 && open_ == 0; }
  /// Called at each response, as soon as it is known (`begin_resp` may lie ahead).
  std::function<void(std::size_t index)> on_response;

  /// Forgets what is scheduled, in flight (releasing it) and done.
  void reset();

 private:
  struct Port;
  struct Ending {
    Transaction* transaction;
    unsigned port;
  };

  void end_of_elaboration() override;
  void work();
  void send(Port& port, Tick t);
  tlm::tlm_sync_enum backward(Port& port, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);
  void note_response(tlm::tlm_generic_payload& payload, Tick at);
  void finish(Port& port, Transaction& transaction);

  TransactionPool& pool_;
  ScriptedInitiatorConfig config_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::vector<ScriptedRequest> script_;
  std::vector<ScriptedResult> results_;
  std::vector<std::size_t> order_;
  TimedQueue<Ending> endings_;
  std::size_t open_ = 0;
  Tick stall_until_ = 0;
  ProcessTimer wake_;
};

}  // namespace tessera::test
