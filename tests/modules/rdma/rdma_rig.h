// SPDX-License-Identifier: Apache-2.0
#pragma once

// GPUs of one scripted SM (of several ports), an RDMA engine and a scripted memory each; a protocol
// checker on every socket. Two may be joined back to back, any number by a TestFabric.

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "modules/rdma/rdma_engine.h"
#include "tests/support/conformance.h"

namespace tessera::test {

constexpr std::size_t kRequests = 0;
constexpr std::size_t kResponses = 1;

/// Takes one packet at a time from each GPU and class, keeps it for up to `largest_delay`, and
/// hands it on to packet.to; the order between two GPUs stays within a class.
class TestFabric final : public sc_core::sc_module {
 public:
  /// Index: 2 * GPU + class.
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<TestFabric>> in;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<TestFabric>> out;

  TestFabric(const sc_core::sc_module_name& name, unsigned gpus, Tick largest_delay)
      : sc_module(name),
        in("in", 2 * gpus),
        out("out", 2 * gpus),
        largest_delay_(largest_delay),
        receivers_(2 * gpus, PostedReceiver(1)),
        outputs_(2 * gpus) {
    for (unsigned i = 0; i < 2 * gpus; ++i) {
      in[i].register_nb_transport_fw(this, &TestFabric::forward, static_cast<int>(i));
      out[i].register_nb_transport_bw(this, &TestFabric::backward, static_cast<int>(i));
    }
    wake_.bind<&TestFabric::process>(*this);
  }
  void reset() {
    wake_.cancel();
    for (auto& r : receivers_) r.reset();
    for (auto& o : outputs_) {
      while (!o.queue.empty()) o.queue.pop().packet->release();
      o.reset();
    }
  }

 private:
  struct Held {
    LinkPacket* packet = nullptr;
    std::size_t entry = 0;
  };
  void end_of_elaboration() override {
    for (std::size_t i = 0; i < in.size(); ++i) {
      receivers_[i].bind(in[i].operator->());
      outputs_[i].sender.bind(out[i].operator->());
    }
  }
  tlm::tlm_sync_enum forward(int i, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay) {
    LinkPacket& packet = link_packet_of(payload);
    packet.acquire();
    const std::size_t entry = static_cast<std::size_t>(i);
    auto& exit = outputs_[2 * packet.to.value + entry % 2];
    const Tick kept = largest_delay_ == 0 ? 0 : random_() % largest_delay_;
    exit.queue.push(clock_.after(now() + delay.value() + kept, 0), 0, {&packet, entry});
    wake_.at(exit.next(clock_, now()));
    return receivers_[entry].begin(payload, phase, delay, 0);
  }
  tlm::tlm_sync_enum backward(int i, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay) {
    auto& exit = outputs_[static_cast<std::size_t>(i)];
    const tlm::tlm_sync_enum sync = exit.sender.end(payload, phase, delay);
    wake_.at(exit.next(clock_, now()));
    return sync;
  }
  void process() {
    const Tick t = now();
    for (auto& exit : outputs_) {
      if (exit.next(clock_, t) == t) {
        const auto [held, delay] = exit.take(clock_, t);
        exit.sender.send(*held.packet, delay);
        receivers_[held.entry].release();
        held.packet->release();
      }
      wake_.at(exit.next(clock_, t));
    }
  }

  const Tick largest_delay_;
  const ClockDomain clock_{1'000'000'000};
  std::mt19937_64 random_{11};
  std::vector<PostedReceiver> receivers_;
  std::vector<PacedOutput<PostedSender, Held>> outputs_;
  ProcessTimer wake_;
};

struct RdmaRigConfig {
  unsigned gpus = 2;
  unsigned ports = 1;
  RdmaConfig rdma;
  RemoteAccessMode transfer;
  ScriptedTargetConfig memory;
  ScriptedInitiatorConfig sm;
  /// Packets go by a TestFabric, which keeps them for up to this much.
  bool fabric = false;
  Tick largest_delay = 0;
};

/// As one block: for conformance.
struct RdmaRig final : Block {
  struct Gpu {
    Gpu(unsigned g, RdmaRig& rig)
        : sm(("sm" + std::to_string(g)).c_str(), rig.pool, rig.config.sm),
          rdma(("rdma" + std::to_string(g)).c_str(), rig.config.rdma, rig.role(g)),
          memory(("memory" + std::to_string(g)).c_str(), rig.config.memory) {}
    ScriptedInitiator sm;
    RdmaEngine rdma;
    ScriptedTarget memory;
  };

  explicit RdmaRig(const RdmaRigConfig& given = {}) : config(given), transfer(given.transfer) {
    config.sm.ports = config.ports;
    for (unsigned g = 0; g < config.gpus; ++g) gpus.push_back(std::make_unique<Gpu>(g, *this));
    if (config.fabric) {
      fabric = std::make_unique<TestFabric>("fabric", config.gpus, config.largest_delay);
    }
    for (unsigned g = 0; g < config.gpus; ++g) {
      Gpu& gpu = *gpus[g];
      for (unsigned p = 0; p < config.ports; ++p) {
        join(gpu.sm.socket(p), gpu.rdma.local_in[p], "local");
      }
      join(gpu.rdma.local_out, gpu.memory.socket(0), "home");
      for (unsigned c = 0; c < kPacketClasses; ++c) {
        if (config.fabric) {
          join(gpu.rdma.fabric_out[c], fabric->in[2 * g + c], "out");
          join(fabric->out[2 * g + c], gpu.rdma.fabric_in[c], "in");
        } else {
          join(gpu.rdma.fabric_out[c], gpus[1 - g]->rdma.fabric_in[c], "link");
        }
      }
    }
  }

  /// The home of a request of GPU `g` is the (home.slice + 1)-th GPU after it.
  GpuId home_of(unsigned g, std::uint32_t slice) const {
    return GpuId((g + 1 + slice) % config.gpus);
  }
  RdmaEngineSite role(unsigned g) {
    RdmaEngineSite r;
    r.self = GpuId(g);
    r.gpus = config.gpus;
    r.ports = config.ports;
    r.home_of = [this, g](const MemoryRequest& m) { return home_of(g, m.home().slice.value); };
    r.transfer = &transfer;
    r.packets = &packets;
    r.debug_at_home = [this, g](tlm::tlm_generic_payload& p) {
      return gpus[home_of(g, 0).value]->rdma.debug_home(p);
    };
    r.blocking_at_home = [this, g](tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
      gpus[home_of(g, 0).value]->rdma.blocking_home(p, delay);
    };
    return r;
  }
  ScriptedInitiator& sm(unsigned g) { return gpus[g]->sm; }
  RdmaEngine& rdma(unsigned g) { return gpus[g]->rdma; }
  ScriptedTarget& memory(unsigned g) { return gpus[g]->memory; }

  ConformanceRig conformance() {
    ConformanceRig rig;
    rig.block = this;
    rig.pool = &pool;
    for (auto& g : gpus) {
      rig.initiators.push_back(&g->sm);
      rig.targets.push_back(&g->memory);
    }
    for (auto& c : checkers) rig.checkers.push_back(c.get());
    if (fabric) rig.reset_others = [this] { fabric->reset(); };
    return rig;
  }
  void check_all_done() {
    check_drained(conformance());
    CHECK(packets.live() == 0);
  }

  bool idle() const override {
    for (const auto& g : gpus) {
      if (!g->rdma.idle()) return false;
    }
    return true;
  }
  void describe_waiting(std::vector<Waiting>& waiting) const override {
    for (const auto& g : gpus) g->rdma.describe_waiting(waiting);
  }
  void reset() override {
    for (const auto& g : gpus) g->rdma.reset();
  }
  void register_statistics(StatisticsRegistry& registry) const override {
    for (const auto& g : gpus) g->rdma.register_statistics(registry);
  }

  template <class From, class To>
  void join(From& from, To& to, const std::string& name) {
    const std::string full = name + std::to_string(checkers.size());
    checkers.push_back(std::make_unique<ProtocolChecker>(full.c_str()));
    from.bind(checkers.back()->target);
    checkers.back()->initiator.bind(to);
  }

  RdmaRigConfig config;
  TransactionPool pool;
  PacketPool packets;
  RemoteAccessMode transfer;
  std::vector<std::unique_ptr<Gpu>> gpus;
  std::unique_ptr<TestFabric> fabric;
  std::vector<std::unique_ptr<ProtocolChecker>> checkers;
};

/// A load of 64 bytes that arrives at the engine at `at`.
inline ScriptedRequest load_at(Tick at, std::uint64_t address, unsigned port = 0) {
  ScriptedRequest r;
  r.at = at - 1;
  r.port = port;
  r.address = address;
  r.bytes = 64;
  r.mask = ByteMask::first(64);
  return r;
}
/// A fine-grained load of these pieces.
inline ScriptedRequest fine_load_at(Tick at, std::uint64_t address, std::uint32_t word_mask,
                                    unsigned port = 0) {
  ScriptedRequest r = load_at(at, address, port);
  r.prepare = [word_mask](Transaction& x) {
    x.request().fine_grained = true;
    x.request().word_mask = word_mask;
  };
  return r;
}
/// A write of the first `bytes` bytes of a line.
inline ScriptedRequest write_at(Tick at, std::uint64_t address, RequestKind kind, unsigned bytes,
                                unsigned char value = 7) {
  ScriptedRequest r = load_at(at, address);
  r.command = tlm::TLM_WRITE_COMMAND;
  r.data.assign(64, value);
  r.mask = ByteMask::first(bytes);
  r.prepare = [kind](Transaction& x) { x.request().kind = kind; };
  return r;
}

}  // namespace tessera::test
