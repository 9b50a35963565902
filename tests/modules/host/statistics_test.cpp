// SPDX-License-Identifier: Apache-2.0
// Which counter each statistic of the dispatcher, the command processor and the line bridge shows.
#include <catch2/catch.hpp>

#include "modules/host/command_processor.h"
#include "modules/host/cta_dispatcher.h"
#include "modules/host/line_bridge.h"
#include "tests/support/statistics_table.h"

namespace tessera::statistics_test {

using namespace tessera::test;

TEST_CASE("the dispatcher's statistics show its counters", "[statistics]") {
  const CtaDispatcher dispatcher(
      "dispatcher", DispatchConfig{},
      [](std::uint32_t) { return make_policy<CtaScheduler>("distributed"); }, {1});
  StatisticsTable table;
  DispatchStats& s = table.fields_of(dispatcher.stats());
  table.counter("kernels", s.kernels);
  table.counter("ctas", s.ctas);
  table.counter("busy_cycles", s.busy_cycles);
  table.counter("flush_cycles", s.flush_cycles);
  table.check(dispatcher);
}

TEST_CASE("the command processor's statistics show its counters", "[statistics]") {
  CtaDispatcher dispatcher("dispatcher", DispatchConfig{},
                           [](std::uint32_t) { return make_policy<CtaScheduler>("distributed"); },
                           {1});
  const KernelTable kernels;
  const auto planner = make_policy<LaunchPlanner>("immediate");
  const CommandProcessor cp("cp", DispatchConfig{}, kernels, *planner, dispatcher, {});
  StatisticsTable table;
  CommandProcessorStats& s = table.fields_of(cp.stats());
  table.counter("doorbells", s.doorbells);
  table.counter("packets", s.packets);
  table.counter("errors", s.errors);
  table.counter("pages_placed", s.pages_placed);
  table.check(cp);
}

TEST_CASE("a line bridge's statistics show its counters", "[statistics]") {
  TransactionPool pool;
  const LineBridge bridge("bridge", LineBridgeConfig{}, pool);
  StatisticsTable table;
  LineBridgeStats& s = table.fields_of(bridge.stats());
  table.counter("reads", s.reads);
  table.counter("writes", s.writes);
  table.counter("lines", s.lines);
  table.counter("bytes", s.bytes);
  table.counter("errors", s.errors);
  table.histogram("latency", s.latency);
  table.occupancy("outstanding", s.outstanding);
  table.check(bridge);
}

}  // namespace tessera::statistics_test
