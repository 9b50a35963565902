// SPDX-License-Identifier: Apache-2.0
#pragma once

// The fabric between GPUs with scripted RDMA engines: at each port a source and a sink of packets,
// and a protocol checker on every socket.

#include <catch2/catch.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "modules/kernel/sc_time.h"
#include "modules/noc/gpu_fabric.h"
#include "modules/protocol/protocol_checker.h"
#include "tests/support/conformance.h"

namespace tessera::test {

/// The domain of a port's GPU; the one under construction if `domains` is empty.
inline Domain& domain_of(const std::vector<Domain*>& domains, unsigned port) {
  return domains.empty() ? Domain::under_construction() : *domains[port / kPacketClasses];
}

/// Sends the packets of each port in order, each to arrive at its time or as soon after as it may.
class PacketSource final : public sc_core::sc_module {
 public:
  /// `domains`: one for each GPU, or none.
  PacketSource(const sc_core::sc_module_name& name, unsigned ports,
               const std::vector<Domain*>& domains = {})
      : sc_module(name) {
    for (unsigned i = 0; i < ports; ++i) {
      const Domain::Construction gpu(domain_of(domains, i));
      ports_.push_back(std::make_unique<Port>(i));
    }
  }
  ~PacketSource() override { reset(); }

  tlm::tlm_initiator_socket<>& socket(unsigned port) { return ports_[port]->socket; }
  void add(unsigned port, LinkPacket& packet, Tick arrival) {
    ports_[port]->script.push_back({&packet, arrival});
    ports_[port]->wake.at(std::max(now(), arrival - 1));
  }
  std::size_t unsent(unsigned port) const { return ports_[port]->script.size(); }
  void reset() {
    for (auto& p : ports_) {
      p->sender.reset();
      for (const Entry& e : p->script) e.packet->release();
      p->script.clear();
    }
  }

 private:
  struct Entry {
    LinkPacket* packet;
    Tick arrival;
  };
  struct Port final : tlm::tlm_bw_transport_if<> {
    explicit Port(unsigned i) : socket(("out" + std::to_string(i)).c_str()) {
      socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
      wake.bind<&Port::work>(*this);
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
      wake.at(now() + 1);
      return sender.end(payload, phase, delay);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
    void work() {
      while (!script.empty() && sender.free_at() != kNever) {
        const Entry e = script.front();
        const Tick soonest = std::max({e.arrival, sender.free_at(), Tick{1}}) - 1;
        const Tick call = std::max(soonest, sender.usable_from());
        if (call > now()) {
          wake.at(call);
          break;
        }
        script.pop_front();
        sender.send(*e.packet, 1);
        e.packet->release();
      }
    }
    tlm::tlm_initiator_socket<> socket;
    PostedSender sender;
    std::deque<Entry> script;
    ProcessTimer wake;
  };

  void end_of_elaboration() override {
    for (auto& p : ports_) p->sender.bind(p->socket.operator->());
  }
  std::vector<std::unique_ptr<Port>> ports_;
};

/// Takes packets, notes them, and frees each one's entry some time after its arrival.
class PacketSink final : public sc_core::sc_module {
 public:
  struct Arrival {
    std::uint64_t id;
    Tick at;
  };

  /// `domains`: one for each GPU, or none.
  PacketSink(const sc_core::sc_module_name& name, unsigned ports, std::size_t capacity,
             const std::vector<Domain*>& domains = {})
      : sc_module(name) {
    for (unsigned i = 0; i < ports; ++i) {
      const Domain::Construction gpu(domain_of(domains, i));
      ports_.push_back(std::make_unique<Port>(*this, i, capacity));
    }
  }

  tlm::tlm_target_socket<>& socket(unsigned port) { return ports_[port]->socket; }
  const std::vector<Arrival>& arrivals(unsigned port) const { return ports_[port]->arrivals; }
  /// How long after arrival a packet's entry is held; kNever: until resume(). Default 0.
  std::function<Tick(unsigned port)> hold;
  /// From a packet's arrival until the next may arrive at its port.
  Tick occupancy = 0;
  /// Frees what is held for good, and whatever comes from now on at once.
  void resume() {
    hold = nullptr;
    for (auto& p : ports_) {
      for (; p->stuck != 0; --p->stuck) p->receiver.release();
    }
  }
  void reset() {
    for (auto& p : ports_) {
      p->freeing.clear();
      p->receiver.reset();
      p->arrivals.clear();
      p->stuck = 0;
    }
  }

 private:
  struct Port final : tlm::tlm_fw_transport_if<> {
    Port(PacketSink& s, unsigned i, std::size_t capacity)
        : socket(("in" + std::to_string(i)).c_str()), sink(s), index(i), receiver(capacity) {
      socket.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
      wake.bind<&Port::work>(*this);
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
      const Tick at = now() + delay.value();
      arrivals.push_back({payload.get_address(), at});
      const Tick held = sink.hold ? sink.hold(index) : 0;
      if (held == kNever) {
        ++stuck;
      } else {
        freeing.push(at + held, 0, {});
        wake.at(at + held);
      }
      return receiver.begin(payload, phase, delay, sink.occupancy);
    }
    void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) override {}
    unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
    void work() {
      for (; freeing.due(now()); freeing.pop()) receiver.release();
      if (!freeing.empty()) wake.at(freeing.next_due());
    }
    tlm::tlm_target_socket<> socket;
    PacketSink& sink;
    unsigned index;
    PostedReceiver receiver;
    std::vector<Arrival> arrivals;
    std::size_t stuck = 0;
    TimedQueue<char> freeing;
    ProcessTimer wake;
  };

  void end_of_elaboration() override {
    for (auto& p : ports_) p->receiver.bind(p->socket.operator->());
  }
  std::vector<std::unique_ptr<Port>> ports_;
};

struct FabricRig {
  static constexpr std::size_t kAmple = 100'000;

  /// `fabric_last`: elaborated behind source and sink, so that processes run in another order.
  /// `domains`: of each GPU's parts of all three, or none.
  explicit FabricRig(unsigned n, const GpuFabricConfig& config = {}, std::size_t capacity = kAmple,
                     const std::string& suffix = "", bool fabric_last = false,
                     const std::vector<Domain*>& domains = {})
      : gpus(n), clock(config.clock_hz) {
    const auto make_dut = [&] {
      dut = std::make_unique<GpuFabric>(("fabric" + suffix).c_str(), config, n, domains);
    };
    const unsigned ports = n * kPacketClasses;
    if (!fabric_last) make_dut();
    sink = std::make_unique<PacketSink>(("sink" + suffix).c_str(), ports, capacity, domains);
    source = std::make_unique<PacketSource>(("source" + suffix).c_str(), ports, domains);
    if (fabric_last) make_dut();
    for (unsigned p = 0; p < n * kPacketClasses; ++p) {
      const std::string id = suffix + "_" + std::to_string(p);
      ProtocolChecker& near_end = add_checker("near" + id);
      source->socket(p).bind(near_end.target);
      near_end.initiator.bind(dut->in[p]);
      ProtocolChecker& far_end = add_checker("far" + id);
      dut->out[p].bind(far_end.target);
      far_end.initiator.bind(sink->socket(p));
    }
  }

  static unsigned port(unsigned gpu, PacketClass c) {
    return gpu * kPacketClasses + static_cast<unsigned>(c);
  }
  LinkPacket& packet(unsigned from, unsigned to, PacketClass c, std::uint32_t bytes) {
    LinkPacket& p = pool.acquire();
    p.from = GpuId(from);
    p.to = GpuId(to);
    p.channel = c;
    p.bytes = bytes;
    return p;
  }
  /// A packet that arrives at `at`, or as soon after as there is room; returns its number.
  std::uint64_t send_at(Tick at, unsigned from, unsigned to, PacketClass c, std::uint32_t bytes) {
    LinkPacket& p = packet(from, to, c, bytes);
    p.set_address(next_id);
    source->add(port(from, c), p, at);
    return next_id++;
  }
  std::uint64_t send(Cycle at, unsigned from, unsigned to, PacketClass c, std::uint32_t bytes) {
    return send_at(clock.time_of(at), from, to, c, bytes);
  }
  const std::vector<PacketSink::Arrival>& arrivals(unsigned gpu, PacketClass c) const {
    return sink->arrivals(port(gpu, c));
  }
  /// The cycle, exact, of the i-th arrival.
  Cycle cycle(unsigned gpu, PacketClass c, std::size_t i) const {
    const Tick at = arrivals(gpu, c).at(i).at;
    CHECK(clock.is_edge(at));
    return clock.cycle_at(at);
  }
  std::size_t delivered() const {
    std::size_t n = 0;
    for (unsigned p = 0; p < gpus * kPacketClasses; ++p) n += sink->arrivals(p).size();
    return n;
  }
  void run_to(Cycle c) { sc_core::sc_start(to_sc_time(clock.time_of(c) - now())); }
  void reset() {
    dut->reset();
    source->reset();
    sink->reset();
    for (auto& c : checkers) c->reset();
  }
  void check_drained() const {
    CHECK(dut->idle());
    std::vector<Waiting> waiting;
    dut->describe_waiting(waiting);
    CHECK(waiting.empty());
    CHECK(pool.live() == 0);
    for (auto& c : checkers) CHECK(c->outstanding() == 0);
  }

  const unsigned gpus;
  const ClockDomain clock;
  PacketPool pool;
  std::unique_ptr<GpuFabric> dut;
  std::unique_ptr<PacketSink> sink;
  std::unique_ptr<PacketSource> source;
  std::vector<std::unique_ptr<ProtocolChecker>> checkers;
  std::uint64_t next_id = 0;

 private:
  ProtocolChecker& add_checker(const std::string& name) {
    checkers.push_back(std::make_unique<ProtocolChecker>(name.c_str()));
    return *checkers.back();
  }
};

}  // namespace tessera::test
