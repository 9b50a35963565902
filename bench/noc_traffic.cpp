// SPDX-License-Identifier: Apache-2.0
#include "bench/noc_traffic.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <stdexcept>
#include <tlm>

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

class Run final : public SwitchFabric::Client {
 public:
  explicit Run(const NocTraffic& t)
      : traffic_(t),
        stats_(t.ports),
        fabric_(SwitchFabric::shape_of(t.network, t.ports, t.ports), *this, stats_),
        random_(t.seed),
        sources_(t.ports) {}

  NocTrafficResult result() {
    const Cycle end = traffic_.warm_up + traffic_.measured;
    for (now_ = 0; now_ < end; ++now_) {
      for (unsigned e = 0; e < traffic_.ports; ++e) step_source(e);
      if (fabric_.next() <= now_) fabric_.process(now_);
    }
    const double zero_load = static_cast<double>(fabric_.zero_load_latency(traffic_.flits));
    NocTrafficResult r;
    r.throughput = static_cast<double>(delivered_ * traffic_.flits) /
                   static_cast<double>(traffic_.measured * traffic_.ports);
    r.latency = delivered_ == 0 ? zero_load
                                : static_cast<double>(latency_) / static_cast<double>(delivered_);
    r.wait = r.latency - zero_load;
    return r;
  }

  bool deliver(unsigned, const SwitchFabric::Packet& packet, Cycle cycle) override {
    if (cycle >= traffic_.warm_up) {
      ++delivered_;
      latency_ += cycle + 1 - packet.payload->get_address();
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
    const unsigned exit = random_.below(traffic_.ports);
    if (!fabric_.inject(now_, entry, exit, payload, traffic_.flits * traffic_.network.link_bytes,
                        traffic_.flits, now_ + 1)) {
      ++sources_[entry].at_port;
    }
  }

  const NocTraffic traffic_;
  NocStats stats_;
  SwitchFabric fabric_;
  Random random_;
  std::vector<Source> sources_;
  std::vector<std::unique_ptr<tlm::tlm_generic_payload>> payloads_;
  std::vector<tlm::tlm_generic_payload*> free_;
  Cycle now_ = 0;
  std::uint64_t delivered_ = 0;
  std::uint64_t latency_ = 0;
};

}  // namespace

NocTrafficResult run(const NocTraffic& traffic) {
  for (const std::string& e : traffic.network.validate(traffic.ports, traffic.ports)) {
    throw std::invalid_argument("noc." + e);
  }
  return Run(traffic).result();
}

}  // namespace tessera::bench
