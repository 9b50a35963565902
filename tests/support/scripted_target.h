// SPDX-License-Identifier: Apache-2.0
#pragma once

// A memory that responds as a test configures it: latency, back-pressure, and every legal variation
// of the base protocol. Loads return what was stored (initial_byte() where nothing was).
//
//   ScriptedTarget dram("dram", {});             // .ports, .latency, .style, ...
//   dut.out.bind(dram.socket(0));
//   sc_start(...);
//   CHECK(dram.arrivals()[0].at == ...);
//
// Timing: a request arrives at t (call + annotated delay); its bytes are read or written then; its
// BEGIN_RESP is called at t + latency, or as soon after that as its END_REQ has taken effect and
// END_RESP of the response before it allows, with `response_delay` annotated.

#include <functional>
#include <memory>
#include <random>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <vector>

#include "modules/kernel/process_timer.h"
#include "modules/kernel/timed_queue.h"
#include "modules/protocol/channels.h"
#include "modules/protocol/transaction_pool.h"

namespace tessera::test {

/// What the target returns for a BEGIN_REQ.
enum class RequestStyle {
  kEarlyEndReq,    ///< returns TLM_UPDATED with END_REQ; BEGIN_RESP follows
  kLateEndReq,     ///< returns TLM_ACCEPTED; END_REQ `end_req_after` its arrival; BEGIN_RESP
  kImpliedEndReq,  ///< returns TLM_ACCEPTED; BEGIN_RESP stands for END_REQ too
  kRespondAtOnce,  ///< returns TLM_UPDATED with BEGIN_RESP, when the response channel is free
  kComplete,       ///< returns TLM_COMPLETED
  kRandom,         ///< any of these each time
};

struct ScriptedTargetConfig {
  unsigned ports = 1;
  /// From arrival to BEGIN_RESP.
  Tick latency = 10'000'000;
  /// Added to `latency`: up to this much, at random; responses then leave out of order.
  Tick random_latency = 0;
  /// Annotated to BEGIN_RESP.
  Tick response_delay = 1;
  /// The request link is busy for this long after an arrival.
  Tick occupancy = 0;
  /// Requests held per port, from BEGIN_REQ until BEGIN_RESP; a full port withholds END_REQ.
  std::size_t capacity = 16;
  RequestStyle style = RequestStyle::kEarlyEndReq;
  /// kLateEndReq: from arrival to END_REQ.
  Tick end_req_after = 0;
  /// Probability that a request's END_REQ is withheld for up to `random_stall`.
  double stall_probability = 0;
  Tick random_stall = 0;
  std::uint64_t seed = 2;
};

class ScriptedTarget final : public sc_core::sc_module {
 public:
  using Socket = tlm::tlm_target_socket<>;

  struct Arrival {
    unsigned port = 0;
    Tick at = 0;
    tlm::tlm_command command = tlm::TLM_IGNORE_COMMAND;
    std::uint64_t address = 0;
    ByteMask mask;
    std::vector<unsigned char> data;  ///< of a store
    MemoryRequest request;            ///< as it came
  };

  sc_core::sc_vector<Socket> sockets;

  explicit ScriptedTarget(sc_core::sc_module_name name, const ScriptedTargetConfig& config = {});
  ~ScriptedTarget() override;

  Socket& socket(unsigned port = 0) { return sockets[port]; }
  ScriptedTargetConfig& config() { return config_; }

  /// No END_REQ takes effect before t for requests that arrive from now on.
  void stall_until(Tick t) { stall_until_ = t; }
  /// Status of the response to an address; by default TLM_OK_RESPONSE for every one.
  std::function<tlm::tlm_response_status(std::uint64_t address)> status_of;
  /// Replaces the memory's own reading and writing (atomics, translations).
  std::function<void(tlm::tlm_generic_payload&)> access;

  /// In order of arrival (time, port).
  const std::vector<Arrival>& arrivals() const { return arrivals_; }
  /// What a byte holds that was never stored: it depends on the address, and is never 0.
  static unsigned char initial_byte(std::uint64_t address);
  unsigned char byte(std::uint64_t address) const;
  void set_byte(std::uint64_t address, unsigned char value) { memory_[address] = value; }

  /// Requests that have not been completed by END_RESP.
  std::size_t outstanding() const;
  /// Forgets what is in flight (releasing it); memory and arrivals stay.
  void reset();

 private:
  struct Port;

  void end_of_elaboration() override;
  void work();
  void respond(Port& port, Tick t);
  tlm::tlm_sync_enum forward(Port& port, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  tlm::tlm_sync_enum begin(Port& port, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                           sc_core::sc_time& delay);
  void end_request(Port& port, Tick t);
  void arrive_until(Tick t);
  void arrive(unsigned port, tlm::tlm_generic_payload& payload, Tick at);
  void perform(tlm::tlm_generic_payload& payload);

  ScriptedTargetConfig config_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::unordered_map<std::uint64_t, unsigned char> memory_;
  std::vector<Arrival> arrivals_;
  TimedQueue<tlm::tlm_generic_payload*> arriving_;
  Tick stall_until_ = 0;
  ProcessTimer wake_;
};

}  // namespace tessera::test
