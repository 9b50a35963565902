// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cache_rig.h"

namespace tessera::test {

namespace {

// A port takes one response a cycle.
ScriptedInitiatorConfig initiator(const ClockDomain& clock, unsigned ports) {
  ScriptedInitiatorConfig c;
  c.ports = ports;
  c.end_resp_after = clock.time_of(1);
  return c;
}

}  // namespace

ScriptedTargetConfig CacheRig::target(const ClockDomain& clock, unsigned ports,
                                      RequestStyle style) {
  ScriptedTargetConfig c;
  c.ports = ports;
  c.latency = clock.time_of(kMemory) - 1;
  c.occupancy = clock.time_of(1);
  c.style = style;
  return c;
}

CacheRig::CacheRig(std::uint64_t clock_hz, const Shape& shape)
    : clock(clock_hz),
      sm("sm", pool, initiator(clock, shape.initiator_ports)),
      memory("memory", target(clock, shape.memory_ports, shape.style)) {}

ScriptedRequest CacheRig::request(std::uint64_t cycle, std::uint64_t address, unsigned port) const {
  ScriptedRequest r;
  r.at = cycle == 0 ? 0 : edge(cycle) - 1;
  r.port = port;
  r.address = address;
  r.prepare = prepare;
  return r;
}

std::size_t CacheRig::store(std::uint64_t cycle, std::uint64_t address, unsigned char value,
                            ByteMask mask, unsigned port) {
  ScriptedRequest r = request(cycle, address, port);
  r.command = tlm::TLM_WRITE_COMMAND;
  r.data.assign(kLine, value);
  r.mask = mask;
  return sm.add(std::move(r));
}

ConformanceRig CacheRig::conformance() {
  ConformanceRig rig;
  rig.block = block;
  rig.pool = &pool;
  rig.initiators = {&sm};
  rig.targets = {&memory};
  for (auto& c : checkers) rig.checkers.push_back(c.get());
  return rig;
}

void CacheRig::stall_at_random() {
  constexpr Tick kNs = 1'000'000;
  memory.config().random_latency = 60 * kNs;
  memory.config().stall_probability = 0.2;
  memory.config().random_stall = 40 * kNs;
  sm.config().style = ResponseStyle::kRandom;
  sm.config().random_stall = 5 * kNs;
}

void CacheRig::run() {
  CHECK(run_until_done(conformance(), us(1000)));
  check_each_completed_once(conformance(), tlm::TLM_OK_RESPONSE);
  check_drained(conformance());
}

std::uint64_t CacheRig::responded_at(std::size_t i) const {
  const Tick t = sm.result(i).begin_resp;
  CHECK(clock.is_edge(t));
  return clock.cycle_at(t);
}

std::uint64_t CacheRig::arrived(const ScriptedTarget& at, std::size_t i) const {
  REQUIRE(i < at.arrivals().size());
  const Tick t = at.arrivals()[i].at;
  CHECK(clock.is_edge(t));
  return clock.cycle_at(t);
}

}  // namespace tessera::test
