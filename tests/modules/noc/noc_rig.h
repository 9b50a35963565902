// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "modules/kernel/sc_time.h"
#include "modules/noc/crossbar.h"
#include "modules/noc/mesh.h"
#include "modules/noc/ring.h"
#include "modules/protocol/protocol_checker.h"
#include "tests/support/conformance.h"
#include "tests/support/scripted_initiator.h"
#include "tests/support/scripted_target.h"

namespace tessera::test {

inline constexpr unsigned kLine = 128;

/// Lines go round the exits.
inline NocRouting interleaved(unsigned exits) {
  return {
      [](const MemoryRequest& r) { return r.home().slice.value; },
      [exits](std::uint64_t address) { return static_cast<unsigned>(address / kLine % exits); }};
}

inline void set_home(Transaction& x, unsigned exits) {
  const std::uint64_t address = x.get_address();
  x.request().set_home(Home(SliceId(static_cast<std::uint32_t>(address / kLine % exits))), address);
}

/// Initiators, a crossbar, ring or mesh, targets, and a protocol checker on every socket.
template <class Dut>
struct NetworkRig {
  using Config = std::decay_t<decltype(std::declval<const Dut&>().config())>;

  NetworkRig(unsigned n, unsigned m, const Config& noc = {},
             const ScriptedTargetConfig& target_config = {},
             const ScriptedInitiatorConfig& initiator_config = {}, const std::string& suffix = "")
      : entries(n),
        exits(m),
        sm(("sm" + suffix).c_str(), pool, with_ports(initiator_config, n)),
        dut(make_dut("xbar" + suffix, noc, n, m)),
        slice(("slice" + suffix).c_str(), with_ports(target_config, m)),
        clock(noc.clock_hz) {
    for (unsigned i = 0; i < n; ++i) {
      auto& c = add_checker("check_in" + suffix + "_" + std::to_string(i));
      sm.socket(i).bind(c.target);
      c.initiator.bind(dut.in[i]);
    }
    for (unsigned i = 0; i < m; ++i) {
      auto& c = add_checker("check_out" + suffix + "_" + std::to_string(i));
      dut.out[i].bind(c.target);
      c.initiator.bind(slice.socket(i));
    }
  }

  /// A request whose head is at the entry at cycle `at`.
  std::size_t send(Cycle at, unsigned entry, unsigned exit, bool store = false, unsigned row = 0) {
    ScriptedRequest r;
    r.at = clock.time_of(at) - sm.config().request_delay;
    r.port = entry;
    r.address = (std::uint64_t{row} * exits + exit) * kLine;
    if (store) {
      r.command = tlm::TLM_WRITE_COMMAND;
      r.data.assign(kLine, static_cast<unsigned char>(row + 1));
    }
    r.prepare = [m = exits](Transaction& x) { set_home(x, m); };
    return sm.add(r);
  }

  void run_for(Cycle cycles) { sc_core::sc_start(to_sc_time(clock.time_of(cycles))); }

  ConformanceRig conformance() {
    ConformanceRig rig;
    rig.block = &dut;
    rig.pool = &pool;
    rig.initiators = {&sm};
    rig.targets = {&slice};
    for (auto& c : checkers) rig.checkers.push_back(c.get());
    return rig;
  }

  const unsigned entries;
  const unsigned exits;
  TransactionPool pool;
  ScriptedInitiator sm;
  Dut dut;
  ScriptedTarget slice;
  ClockDomain clock;
  std::vector<std::unique_ptr<ProtocolChecker>> checkers;

 private:
  static Dut make_dut(const std::string& name, const Config& noc, unsigned n, unsigned m) {
    if constexpr (std::is_same_v<Dut, Ring>) {
      return Dut(name.c_str(), noc, n, interleaved(m));
    } else {
      return Dut(name.c_str(), noc, n, m, interleaved(m));
    }
  }
  template <class C>
  static C with_ports(C c, unsigned ports) {
    c.ports = ports;
    return c;
  }
  ProtocolChecker& add_checker(const std::string& name) {
    checkers.push_back(std::make_unique<ProtocolChecker>(name.c_str()));
    return *checkers.back();
  }
};

using CrossbarRig = NetworkRig<Crossbar>;
using RingRig = NetworkRig<Ring>;
using MeshTlmRig = NetworkRig<Mesh>;

/// Requests of one entry to one exit arrive in the order in which they were sent. `entry_of`: by
/// the requests' tags, which are their numbers.
template <class Rig>
void check_pair_order(const Rig& rig, const std::vector<unsigned>& entry_of) {
  std::vector<std::int64_t> last(std::size_t{rig.entries} * rig.exits, -1);
  for (const auto& a : rig.slice.arrivals()) {
    const auto tag = static_cast<std::int64_t>(a.request.tag);
    std::int64_t& before = last[entry_of[a.request.tag] * rig.exits + a.port];
    CHECK(tag > before);
    before = tag;
    CHECK(a.port == a.address / kLine % rig.exits);
  }
}

/// Random requests between the nodes of a network whose targets stall at random.
template <class Rig>
void check_order_under_stalls(unsigned nodes, const typename Rig::Config& config,
                              unsigned requests) {
  ScriptedTargetConfig target;
  target.capacity = 3;
  target.stall_probability = 0.3;
  target.random_stall = ns(40);
  target.random_latency = ns(60);
  Rig rig(nodes, nodes, config, target);
  std::mt19937_64 random(3);
  std::vector<unsigned> entry_of;
  for (unsigned n = 0; n < requests; ++n) {
    entry_of.push_back(static_cast<unsigned>(random() % nodes));
    rig.send(10 + n / 8, entry_of.back(), static_cast<unsigned>(random() % nodes),
             random() % 2 == 0, n);
  }
  REQUIRE(run_until_done(rig.conformance(), us(10'000)));
  REQUIRE(rig.slice.arrivals().size() == requests);
  check_pair_order(rig, entry_of);
  check_each_completed_once(rig.conformance(), tlm::TLM_OK_RESPONSE);
  check_drained(rig.conformance());
}

/// Random traffic, stalls and styles of both sides.
template <class Rig>
void check_conformance(unsigned entries, unsigned exits, const typename Rig::Config& config) {
  ScriptedTargetConfig target;
  target.style = RequestStyle::kRandom;
  target.random_latency = 100'000'000;
  target.capacity = 4;
  target.stall_probability = 0.2;
  target.random_stall = 30'000'000;
  ScriptedInitiatorConfig initiator;
  initiator.style = ResponseStyle::kRandom;
  initiator.random_stall = 20'000'000;
  initiator.end_resp_after = 1'000'000;
  Rig rig(entries, exits, config, target, initiator);
  ConformanceTraffic traffic;
  traffic.prepare = [exits](Transaction& x) { set_home(x, exits); };
  run_conformance(rig.conformance(), traffic);
}

}  // namespace tessera::test
