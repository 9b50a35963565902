// SPDX-License-Identifier: Apache-2.0
#pragma once

// The smallest block that has all four halves of the handshake: it takes requests from n ports,
// sends them on through one socket with another address, and brings the responses back. It serves
// to test channels and harness, and can be set to be faulty.

#include <algorithm>
#include <memory>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <vector>

#include "modules/kernel/block.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/stats.h"
#include "modules/kernel/timed_queue.h"
#include "modules/protocol/channels.h"

namespace tessera::test {

struct RelayConfig {
  unsigned ports = 2;
  std::size_t capacity = 3;           ///< requests held per port
  std::size_t response_capacity = 2;  ///< responses held
  Tick latency = 3'000'000;           ///< each way
  Tick occupancy = 1'000'000;
  std::uint64_t offset = 0x10'0000;  ///< added to addresses on the way on

  // Faults.
  bool forget_address = false;  ///< not restored on the response
  bool forget_reset = false;    ///< reset() keeps what is in flight
  bool lose_request = false;    ///< the tenth request is never sent on
  bool never_idle = false;
  bool register_twice = false;
  bool impatient = false;  ///< does not wait for END_RESP
};

class Relay final : public sc_core::sc_module, public Block, private tlm::tlm_bw_transport_if<> {
 public:
  sc_core::sc_vector<tlm::tlm_target_socket<>> in;
  tlm::tlm_initiator_socket<> out{"out"};

  Relay(sc_core::sc_module_name name, const RelayConfig& config)
      : sc_module(name),
        in("in", config.ports),
        config_(config),
        responses_in_(config.response_capacity) {
    for (unsigned i = 0; i < config.ports; ++i) {
      ports_.push_back(std::make_unique<Port>(*this, i));
      in[i].bind(*ports_[i]);
    }
    out.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    wake_.bind<&Relay::work>(*this);
  }

  bool idle() const override {
    return !config_.never_idle && requests_.empty() && returning_.empty() && home_.empty();
  }
  void describe_waiting(std::vector<Waiting>& list) const override {
    if (!requests_.empty())
      list.push_back({"requests", requests_.size(), WaitKind::kQueueFull, "the target"});
    if (!returning_.empty())
      list.push_back({"responses", returning_.size(), WaitKind::kQueueFull, "the initiator"});
  }
  void reset() override {
    if (config_.forget_reset) return;
    requests_.clear();
    returning_.clear();
    for (auto& p : ports_) {
      p->receiver.reset();
      p->sender.reset();
      for (tlm::tlm_generic_payload* x : p->ending) x->release();
      p->ending.clear();
    }
    sender_.reset();
    responses_in_.reset();
    for (auto& [payload, home] : home_) payload->release();
    home_.clear();
    wake_.cancel();
  }
  void register_statistics(StatisticsRegistry& registry) const override {
    registry.counter(name(), "requests", count_, "request", "requests sent on");
    if (config_.register_twice) {
      registry.counter(name(), "requests", count_, "request", "requests sent on");
    }
  }

 private:
  struct Port final : tlm::tlm_fw_transport_if<> {
    Port(Relay& r, unsigned i) : relay(r), index(i), receiver(r.config_.capacity) {}
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
      const Tick at = now() + delay.value();
      if (phase == tlm::END_RESP) {
        sender.end_response(payload, at);
        relay.wake_.at(now() + 1);
        for (std::size_t i = 0; i < ending.size(); ++i) {
          if (ending[i] != &payload) continue;
          ending.erase(ending.begin() + static_cast<std::ptrdiff_t>(i));
          payload.release();
          break;
        }
        return tlm::TLM_COMPLETED;
      }
      payload.acquire();
      relay.home_[&payload] = {index, payload.get_address()};
      relay.requests_.push(at + relay.config_.latency, index, &payload);
      relay.wake_.at(at + relay.config_.latency);
      return receiver.begin(payload, phase, delay, relay.config_.occupancy);
    }
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
      relay.out->b_transport(payload, delay);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
      return relay.out->transport_dbg(payload);
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }

    Relay& relay;
    unsigned index;
    RequestReceiver receiver;
    ResponseSender sender;
    std::vector<tlm::tlm_generic_payload*> ending;
  };
  struct Home {
    unsigned port;
    std::uint64_t address;
  };

  void end_of_elaboration() override {
    for (auto& p : ports_) {
      p->receiver.bind(in[p->index].operator->());
      p->sender.bind(in[p->index].operator->());
    }
    sender_.bind(out.operator->());
    responses_in_.bind(out.operator->());
  }

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    const Tick at = now() + delay.value();
    sender_.end_request(payload, at);
    wake_.at(now() + 1);
    if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
    returning_.push(at + config_.latency, 0, &payload);
    wake_.at(at + config_.latency);
    return responses_in_.begin(payload, phase, delay, config_.occupancy);
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  void work() {
    const Tick t = now();
    // Responses, in order: the first blocks those behind it.
    while (returning_.due(t)) {
      tlm::tlm_generic_payload& payload = *returning_.front();
      Port& port = *ports_[home_.at(&payload).port];
      if (!port.sender.free(t + 1) && !config_.impatient) break;
      if (config_.impatient) port.sender.reset();
      returning_.pop();
      if (early_.erase(&payload) == 0) responses_in_.release();
      give_back(payload, port);
    }
    while (requests_.due(t) && sender_.free(t + 1)) {
      const std::uint32_t from = requests_.front_port();
      tlm::tlm_generic_payload& payload = *requests_.pop();
      ports_[from]->receiver.release();
      if (++count_ == 10 && config_.lose_request) {
        home_.erase(&payload);
        payload.release();
        continue;
      }
      payload.set_address(payload.get_address() + config_.offset);
      const SendOutcome outcome = sender_.send(payload, 1);
      if (outcome.responded) {
        early_[&payload] = true;
        returning_.push(outcome.response_at + config_.latency, 0, &payload);
      }
    }
    if (!returning_.empty()) {
      const Port& port = *ports_[home_.at(returning_.front()).port];
      wake_.at(config_.impatient ? returning_.next_due()
                                 : sendable(port.sender, returning_.next_due()));
    }
    if (!requests_.empty()) wake_.at(sendable(sender_, requests_.next_due()));
  }

  /// When a packet that is due may be sent, with a delay of 1.
  template <class Sender>
  static Tick sendable(const Sender& sender, Tick due) {
    if (sender.free_at() == kNever) return kNever;
    return std::max({due, sender.usable_from(), sender.free_at() - (sender.free_at() > 0 ? 1 : 0)});
  }

  void give_back(tlm::tlm_generic_payload& payload, Port& port) {
    if (!config_.forget_address) payload.set_address(home_.at(&payload).address);
    home_.erase(&payload);
    port.ending.push_back(&payload);
    port.sender.send(payload, 1);
    if (port.sender.waiting_for() == &payload || port.ending.empty()) return;
    if (port.ending.back() != &payload) return;  // ended within the call
    port.ending.pop_back();
    payload.release();
  }

  RelayConfig config_;
  std::vector<std::unique_ptr<Port>> ports_;
  TimedQueue<tlm::tlm_generic_payload*> requests_;
  TimedQueue<tlm::tlm_generic_payload*> returning_;
  std::unordered_map<tlm::tlm_generic_payload*, Home> home_;
  std::unordered_map<tlm::tlm_generic_payload*, bool> early_;
  RequestSender sender_;
  ResponseReceiver responses_in_;
  Counter count_ = 0;
  ProcessTimer wake_;
};

}  // namespace tessera::test
