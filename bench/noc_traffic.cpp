// SPDX-License-Identifier: Apache-2.0
#include "bench/noc_traffic.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <stdexcept>
#include <tlm>

#include "bench/cpu_time.h"
#include "modules/noc/mesh_fabric.h"
#include "modules/noc/switch_fabric.h"

namespace tessera::bench {
namespace {

/// SplitMix64: equal on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  bool chance(double p) { return static_cast<double>(bits() >> 11) * 0x1p-53 < p; }
  unsigned below(unsigned n) { return static_cast<unsigned>((bits() >> 32) * n >> 32); }

 private:
  std::uint64_t state_;
};

/// `T`: NocTraffic or MeshLoad.
template <class Fabric, class T>
class Run final : public SwitchFabric::Client {
 public:
  Run(const T& t, const typename Fabric::Shape& shape, unsigned entries, unsigned exits)
      : traffic_(t),
        exits_(exits),
        stats_(exits),
        fabric_(shape, *this, stats_),
        random_(t.seed),
        sources_(entries) {}

  NocTrafficResult result() {
    const Cycle end = traffic_.warm_up + traffic_.measured;
    for (now_ = 0; now_ < end; ++now_) {
      if (now_ == traffic_.warm_up) stats_.reset();
      for (unsigned e = 0; e < sources_.size(); ++e) step_source(e);
      if (fabric_.next() <= now_) fabric_.process(now_);
    }
    const auto packets = static_cast<double>(delivered_);
    NocTrafficResult r;
    r.throughput = static_cast<double>(delivered_ * traffic_.flits) /
                   static_cast<double>(traffic_.measured * sources_.size());
    if (delivered_ == 0) {
      r.latency = static_cast<double>(fabric_.zero_load_latency(traffic_.flits, 0, 0));
      return r;
    }
    r.latency = static_cast<double>(latency_) / packets;
    r.wait = r.latency - static_cast<double>(zero_load_) / packets;
    return r;
  }
  const NocStats& stats() const { return stats_; }

  bool deliver(unsigned exit, const NetworkPacket& packet, Cycle cycle) override {
    if (cycle >= traffic_.warm_up) {
      ++delivered_;
      latency_ += cycle + 1 - packet.payload->get_address();
      zero_load_ +=
          fabric_.zero_load_latency(traffic_.flits, packet.payload->get_data_length(), exit);
    }
    free_.push_back(packet.payload);
    return true;
  }
  void entered(unsigned entry, bool) override { --sources_[entry].at_port; }

 private:
  struct Source {
    std::deque<Cycle> arrivals;
    unsigned at_port = 0;  ///< injected packets that wait for the first switch
  };

  /// A packet can arrive in the next cycle, and the first in the queue can enter the entry's link.
  void step_source(unsigned entry) {
    Source& s = sources_[entry];
    const bool saturated = traffic_.load >= 1;
    if (!saturated && random_.chance(traffic_.load / traffic_.flits)) {
      s.arrivals.push_back(now_ + 1);
    }
    if (s.at_port > 1 || fabric_.entry_free(entry) > now_ + 1) return;
    if (saturated) {
      inject(entry, now_ + 1);
    } else if (!s.arrivals.empty()) {
      inject(entry, s.arrivals.front());
      s.arrivals.pop_front();
    }
  }
  void inject(unsigned entry, Cycle arrival) {
    if (free_.empty()) {
      payloads_.push_back(std::make_unique<tlm::tlm_generic_payload>());
      free_.push_back(payloads_.back().get());
    }
    tlm::tlm_generic_payload& payload = *free_.back();
    free_.pop_back();
    payload.set_address(arrival);
    payload.set_data_length(entry);
    const unsigned exit = random_.below(exits_);
    if (!fabric_.inject(now_, entry, exit, payload, traffic_.flits * traffic_.network.link_bytes,
                        traffic_.flits, now_ + 1)) {
      ++sources_[entry].at_port;
    }
  }

  const T traffic_;
  const unsigned exits_;
  NocStats stats_;
  Fabric fabric_;
  Random random_;
  std::vector<Source> sources_;
  std::vector<std::unique_ptr<tlm::tlm_generic_payload>> payloads_;
  std::vector<tlm::tlm_generic_payload*> free_;
  Cycle now_ = 0;
  std::uint64_t delivered_ = 0;
  std::uint64_t latency_ = 0;
  std::uint64_t zero_load_ = 0;
};

/// Full queues at all entries, receivers that stall.
class Stress final : public SwitchFabric::Client {
 public:
  Stress(const MeshConfig& mesh, unsigned entries, unsigned exits, std::uint64_t packets,
         std::uint64_t seed)
      : exits_(exits),
        left_(packets),
        stats_(exits),
        fabric_(MeshFabric::shape_of(mesh, entries, exits, NocDirection::kRequests), *this, stats_),
        random_(seed),
        at_port_(entries, 0),
        pairs_(std::size_t{entries} * exits),
        closed_until_(exits, 0) {}

  std::string result() {
    // Longer than any stall, and than the way of a packet.
    constexpr Cycle kPatience = 100'000;
    Cycle last = 0;
    for (now_ = 0; (left_ != 0 || !fabric_.empty()) && fault_.empty(); ++now_) {
      for (unsigned e = 0; e < at_port_.size() && left_ != 0; ++e) {
        while (at_port_[e] < 2 && fabric_.entry_free(e) <= now_ + 1 && left_ != 0) inject(e);
      }
      const std::uint64_t before = delivered_;
      if (fabric_.next() <= now_) fabric_.process(now_);
      if (delivered_ != before) last = now_;
      if (now_ - last > kPatience) fault_ = "no packet delivered for 100000 cycles";
    }
    for (const Pair& p : pairs_) {
      if (fault_.empty() && p.sent != p.delivered) fault_ = "packets are lost";
    }
    return fault_;
  }

  bool deliver(unsigned exit, const NetworkPacket& packet, Cycle cycle) override {
    if (closed_until_[exit] <= cycle && random_.chance(0.1)) {
      closed_until_[exit] = cycle + 1 + random_.below(random_.chance(0.01) ? 2'000 : 40);
    }
    if (closed_until_[exit] > cycle) {
      fabric_.exit_ready(cycle, exit, closed_until_[exit]);
      return false;
    }
    closed_until_[exit] = cycle + 1;
    const tlm::tlm_generic_payload& p = *packet.payload;
    Pair& pair = pairs_[p.get_data_length()];
    if (p.get_data_length() % exits_ != exit) fault_ = "a packet is at another exit than its own";
    if (p.get_address() != pair.delivered) fault_ = "a packet is lost, repeated or out of order";
    ++pair.delivered;
    ++delivered_;
    free_.push_back(packet.payload);
    return true;
  }
  void entered(unsigned entry, bool) override { --at_port_[entry]; }

 private:
  struct Pair {
    std::uint64_t sent = 0;
    std::uint64_t delivered = 0;
  };
  void inject(unsigned entry) {
    if (free_.empty()) {
      payloads_.push_back(std::make_unique<tlm::tlm_generic_payload>());
      free_.push_back(payloads_.back().get());
    }
    tlm::tlm_generic_payload& payload = *free_.back();
    free_.pop_back();
    const unsigned exit = random_.below(exits_);
    const std::uint32_t pair = entry * exits_ + exit;
    payload.set_address(pairs_[pair].sent++);
    payload.set_data_length(pair);
    const std::uint32_t flits = 1 + random_.below(8);
    --left_;
    if (!fabric_.inject(now_, entry, exit, payload, flits, flits, now_ + 1)) ++at_port_[entry];
  }

  const unsigned exits_;
  std::uint64_t left_;
  NocStats stats_;
  MeshFabric fabric_;
  Random random_;
  std::vector<unsigned> at_port_;
  std::vector<Pair> pairs_;
  std::vector<Cycle> closed_until_;
  std::vector<std::unique_ptr<tlm::tlm_generic_payload>> payloads_;
  std::vector<tlm::tlm_generic_payload*> free_;
  Cycle now_ = 0;
  std::uint64_t delivered_ = 0;
  std::string fault_;
};

void check(const std::string& group, const std::vector<std::string>& errors) {
  for (const std::string& e : errors) throw std::invalid_argument(group + "." + e);
}

}  // namespace

NocTrafficResult run(const NocTraffic& t) {
  check("noc", t.network.validate(t.ports, t.ports));
  return Run<SwitchFabric, NocTraffic>(t, SwitchFabric::shape_of(t.network, t.ports, t.ports),
                                       t.ports, t.ports)
      .result();
}

MeshLoadResult run(const MeshLoad& t) {
  check("mesh", t.network.validate(t.entries, t.exits));
  const auto shape = MeshFabric::shape_of(t.network, t.entries, t.exits, NocDirection::kRequests);
  const double begin = cpu_seconds();
  Run<MeshFabric, MeshLoad> run(t, shape, t.entries, t.exits);
  MeshLoadResult r;
  static_cast<NocTrafficResult&>(r) = run.result();
  r.cpu_seconds = cpu_seconds() - begin;
  r.flits = run.stats().flits;
  r.flit_hops = run.stats().segment_bytes / t.network.link_bytes;
  return r;
}

std::string stress(const MeshConfig& mesh, std::uint32_t entries, std::uint32_t exits,
                   std::uint64_t packets, std::uint64_t seed) {
  check("mesh", mesh.validate(entries, exits));
  return Stress(mesh, entries, exits, packets, seed).result();
}

}  // namespace tessera::bench
