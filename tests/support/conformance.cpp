// SPDX-License-Identifier: Apache-2.0
#include "tests/support/conformance.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>
#include <stdexcept>

#include "common/json.h"
#include "modules/kernel/sc_time.h"
#include "modules/kernel/stats.h"

namespace tessera::test {

namespace {

/// Simulated time between two looks at whether all is done.
constexpr Tick kSlice = 1'000'000'000;

bool chance(std::mt19937_64& random, double p) {
  return static_cast<double>(random() >> 11) < p * 9007199254740992.0;
}

std::string waiting_text(const Block& block) {
  std::vector<Waiting> waiting;
  block.describe_waiting(waiting);
  std::ostringstream out;
  for (const Waiting& w : waiting) {
    out << w.queue << " (" << w.items << ") waits for " << w.waits_for << "; ";
  }
  return out.str();
}

bool drained(const ConformanceRig& rig) {
  return rig.block->idle() && rig.pool->live() == 0 &&
         std::all_of(rig.initiators.begin(), rig.initiators.end(),
                     [](const ScriptedInitiator* i) { return i->done(); });
}

}  // namespace

void schedule_random_traffic(const ConformanceRig& rig, const ConformanceTraffic& traffic,
                             std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (ScriptedTarget* t : rig.targets) {
    t->config().stall_probability = traffic.largest_stall == 0 ? 0 : 0.2;
    t->config().random_stall = traffic.largest_stall;
  }
  for (ScriptedInitiator* initiator : rig.initiators) {
    initiator->config().style = ResponseStyle::kRandom;
    initiator->config().random_stall = traffic.largest_stall;
    for (unsigned port = 0; port < initiator->config().ports; ++port) {
      Tick at = now();
      for (unsigned n = 0; n < traffic.requests_per_port; ++n) {
        if (random() % 2 == 0 && traffic.largest_gap != 0) at += random() % traffic.largest_gap;
        ScriptedRequest r;
        r.at = at;
        r.port = port;
        r.address = traffic.base + random() % traffic.lines * traffic.line_bytes;
        r.bytes = traffic.line_bytes;
        if (chance(random, traffic.stores)) {
          r.command = tlm::TLM_WRITE_COMMAND;
          r.data.resize(r.bytes);
          for (unsigned char& b : r.data) b = static_cast<unsigned char>(random());
        }
        r.mask = ByteMask::first(r.bytes);
        if (chance(random, traffic.masked)) {
          r.mask = ByteMask{random(), random()} & r.mask;
          if (r.mask.none()) r.mask = ByteMask::first(1);
        }
        r.prepare = traffic.prepare;
        if (traffic.adjust) traffic.adjust(r, random);
        initiator->add(std::move(r));
      }
    }
  }
}

bool run_until_done(const ConformanceRig& rig, Tick limit) {
  const Tick end = now() + limit;
  while (!drained(rig)) {
    if (now() >= end) return false;
    sc_core::sc_start(to_sc_time(std::min(kSlice, end - now())));
  }
  // What is still to come after the last response (late END_REQs) comes now.
  sc_core::sc_start(to_sc_time(kSlice));
  return drained(rig);
}

void check_each_completed_once(const ConformanceRig& rig, tlm::tlm_response_status status) {
  for (const ScriptedInitiator* initiator : rig.initiators) {
    INFO(initiator->name());
    CHECK(initiator->outstanding() == 0);
    std::size_t wrong_count = 0;
    std::size_t wrong_status = 0;
    for (std::size_t i = 0; i < initiator->size(); ++i) {
      if (initiator->result(i).responses != 1) ++wrong_count;
      if (initiator->result(i).status != status) ++wrong_status;
    }
    CHECK(wrong_count == 0);
    CHECK(wrong_status == 0);
  }
}

void check_drained(const ConformanceRig& rig) {
  const std::string waiting = waiting_text(*rig.block);
  INFO("waiting: " << waiting);
  CHECK(rig.block->idle());
  CHECK(waiting.empty());
  CHECK(rig.pool->live() == 0);
  for (const ProtocolChecker* c : rig.checkers) {
    INFO(c->describe_outstanding());
    CHECK(c->outstanding() == 0);
    CHECK(c->requests() == c->responses());
  }
  for (const ScriptedTarget* t : rig.targets) {
    INFO(t->name());
    CHECK(t->outstanding() == 0);
  }
}

void check_statistics(const Block& block) {
  StatisticsRegistry registry;
  CHECK_NOTHROW(block.register_statistics(registry));
  for (const StatisticInfo& s : registry.all()) {
    INFO(s.module << "." << s.name);
    CHECK_FALSE(s.module.empty());
    CHECK_FALSE(s.name.empty());
    CHECK_FALSE(s.unit.empty());
    CHECK_FALSE(s.description.empty());
  }
  CHECK_FALSE(registry.all().empty());
  CHECK_NOTHROW(registry.to_json());
  // A name that depends on anything but the block would slip through a second registration.
  if (!registry.all().empty()) {
    CHECK_THROWS_AS(block.register_statistics(registry), std::logic_error);
  }
}

void reset_all(const ConformanceRig& rig) {
  rig.block->reset();
  for (ScriptedInitiator* i : rig.initiators) i->reset();
  for (ScriptedTarget* t : rig.targets) t->reset();
  for (ProtocolChecker* c : rig.checkers) c->reset();
  if (rig.reset_others) rig.reset_others();
}

void run_conformance(const ConformanceRig& rig, const ConformanceTraffic& traffic) {
  REQUIRE(rig.block != nullptr);
  REQUIRE(rig.pool != nullptr);
  INFO("seed " << traffic.seed);

  schedule_random_traffic(rig, traffic, traffic.seed);
  {
    INFO("first traffic");
    CHECK(run_until_done(rig, traffic.limit));
    check_each_completed_once(rig, traffic.status);
    check_drained(rig);
  }
  check_statistics(*rig.block);
  if (!traffic.with_reset) return;

  // Reset in flight, at a moment that is nothing special to anyone.
  reset_all(rig);
  for (unsigned round = 0; round < 3; ++round) {
    INFO("reset in flight, round " << round);
    schedule_random_traffic(rig, traffic, traffic.seed + 1 + round);
    sc_core::sc_start(to_sc_time(traffic.largest_gap * 5 * (round + 1) + 777'777));
    reset_all(rig);
    CHECK(rig.block->idle());
    CHECK(waiting_text(*rig.block).empty());
    CHECK(rig.pool->live() == 0);
    // Nothing that was dropped may come back to life.
    sc_core::sc_start(to_sc_time(kSlice));
    CHECK(rig.block->idle());
    CHECK(rig.pool->live() == 0);
  }
  INFO("traffic after reset");
  for (ProtocolChecker* c : rig.checkers) c->reset();
  schedule_random_traffic(rig, traffic, traffic.seed + 100);
  CHECK(run_until_done(rig, traffic.limit));
  check_each_completed_once(rig, traffic.status);
  for (const ProtocolChecker* c : rig.checkers) CHECK(c->outstanding() == 0);
  CHECK(rig.block->idle());
  CHECK(rig.pool->live() == 0);
}

}  // namespace tessera::test
