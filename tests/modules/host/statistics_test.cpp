// SPDX-License-Identifier: Apache-2.0
// Which counter each statistic of the dispatcher shows.
#include <catch2/catch.hpp>

#include "modules/host/cta_dispatcher.h"
#include "tests/support/statistics_table.h"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("the dispatcher's statistics show its counters", "[statistics]") {
  const CtaDispatcher dispatcher("dispatcher", DispatchConfig{},
                                 make_policy<CtaScheduler>("distributed"), 1);
  StatisticsTable table;
  DispatchStats& s = table.fields_of(dispatcher.stats());
  table.counter("kernels", s.kernels);
  table.counter("ctas", s.ctas);
  table.counter("busy_cycles", s.busy_cycles);
  table.counter("flush_cycles", s.flush_cycles);
  table.check(dispatcher);
}
