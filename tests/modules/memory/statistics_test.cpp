// SPDX-License-Identifier: Apache-2.0
// Which counter each statistic of a DRAM channel shows.
#include <catch2/catch.hpp>

#include "modules/kernel/sc_time.h"
#include "modules/memory/dram_channel.h"
#include "policies/address_map.h"
#include "tests/support/scripted_initiator.h"
#include "tests/support/statistics_table.h"

namespace tessera::statistics_test {

using namespace tessera::test;

TEST_CASE("a channel's statistics show its counters and the scheduler's", "[statistics]") {
  TransactionPool pool;
  const auto map = make_address_map("fixed-channel", MemoryGeometry{});
  DramChannel dram("dram", DramConfig{}, *map, ChannelId(0), 1);
  ScriptedInitiator llc("llc", pool, {});
  llc.socket().bind(dram.in[0]);
  constexpr Tick kWindow = 3'000'000'000;
  sc_core::sc_start(to_sc_time(kWindow));
  StatisticsTable table;
  DramStats& s = table.fields_of(dram.stats());
  DramCommandCounts& c = s.commands;
  table.counter("reads", c.reads);
  table.counter("writes", c.writes);
  table.counter("activates", c.activates);
  table.counter("precharges", c.precharges);
  table.counter("row_hits", c.row_hits);
  table.counter("row_misses", c.row_misses);
  table.counter("row_conflicts", c.row_conflicts);
  table.counter("refreshes", c.refreshes);
  table.counter("write_drains", c.drains);
  table.counter("bus_busy_clocks", c.bus_busy_clocks);
  table.counter("bytes_read", s.bytes_read);
  table.counter("bytes_written", s.bytes_written);
  table.counter("errors", s.errors);
  table.occupancy("queue_occupancy", s.queue);
  table.histogram("read_latency", s.read_latency);
  table.bandwidth("bandwidth", s.bandwidth);
  const double clocks = 3e-6 * static_cast<double>(dram.config().clock_hz);
  table.value("bus_utilisation", static_cast<double>(c.bus_busy_clocks) / clocks);
  table.value("row_hit_rate",
              static_cast<double>(c.row_hits) / static_cast<double>(c.reads + c.writes));
  table.check(dram);
}

}  // namespace tessera::statistics_test
