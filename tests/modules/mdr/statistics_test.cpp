// SPDX-License-Identifier: Apache-2.0
// Which counter, and which estimate, each statistic of the MDR engine shows.
#include <catch2/catch.hpp>

#include "modules/kernel/sc_time.h"
#include "modules/mdr/mdr_engine.h"
#include "tests/support/statistics_table.h"

namespace tessera::statistics_test {

using namespace tessera::test;

TEST_CASE("MDR: statistics show its counters, rates of the sampled sets and the last estimate",
          "[statistics]") {
  ReplicationSwitch decision;
  const MdrEngine mdr("mdr", MdrConfig{}, {}, {1, 1, 1}, decision);
  // Five cycles: the switch is on from the beginning.
  decision.set(true);
  sc_core::sc_start(to_sc_time(ClockDomain(mdr.config().clock_hz).time_of(5)));
  StatisticsTable table;
  MdrStats& s = table.fields_of(mdr.stats());
  table.counter("epochs", s.epochs);
  table.counter("epochs_undecided", s.epochs_undecided);
  table.counter("decisions_replicate", s.decisions_replicate);
  table.counter("decisions_no_replication", s.decisions_no_replication);
  table.counter("switches", s.switches);
  table.counter("sampled_local", s.sampled.local);
  table.counter("sampled_leaving", s.sampled.leaving);
  table.counter("sampled_arriving", s.sampled.arriving);
  table.value("replicated_cycles", 5);
  const auto rate = [&table](const char* name, SampledHits& of, Counter hits) {
    table.unregistered(of.lookups);
    table.unregistered(of.hits);
    of = {8, hits};
    table.value(name, static_cast<double>(hits) / 8);
  };
  rate("hit_rate_no_replication", s.sampled.no_replication, 3);
  rate("hit_rate_full_replication", s.sampled.full_replication, 5);
  MdrEngine::Estimate& e = table.fields_of(mdr.last_estimate());
  table.real("last_fraction_local", e.fraction_local);
  table.real("last_hit_rate_no_replication", e.hit_rate_no_replication);
  table.real("last_hit_rate_full_replication", e.hit_rate_full_replication);
  table.real("last_bandwidth_no_replication", e.bandwidth_no_replication);
  table.real("last_bandwidth_full_replication", e.bandwidth_full_replication);
  table.check(mdr);
}

}  // namespace tessera::statistics_test
