// SPDX-License-Identifier: Apache-2.0
// Which input of an output goes: chosen by name.
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/modules/noc/noc_rig.h"

namespace tessera::arbitration_test {

using namespace tessera::test;

namespace {

using Order = std::vector<std::uint32_t>;

/// Numbers of the requests in the order in which they arrived.
template <class Rig>
Order order(const Rig& rig) {
  Order numbers;
  for (const auto& a : rig.slice.arrivals()) numbers.push_back(a.request.tag);
  return numbers;
}

/// While a store of entry 0 has the output (9 cycles), one of entry 2 and then one of entry 1 come.
Order through_a_switch(const std::string& arbiter) {
  NocConfig config;
  config.arbitration.name = arbiter;
  CrossbarRig rig(3, 1, config);
  rig.send(10, 0, 0, true);
  rig.send(12, 2, 0, true, 1);
  rig.send(13, 1, 0, true, 2);
  rig.run_for(1000);
  return order(rig);
}

/// From node 3 by node 0 to node 1, while node 0's own store, younger than both, waits for the same
/// segment.
Order by_a_node(const std::string& arbiter) {
  RingConfig config;
  config.arbitration.name = arbiter;
  RingRig rig(4, 4, config);
  rig.send(10, 3, 1, true);
  rig.send(11, 3, 1, true, 1);
  // The first is at node 0 at 10 + 32 and leaves at once, the second 9 cycles after it.
  rig.send(10 + 32 + 3, 0, 1, true, 2);
  rig.run_for(1000);
  return order(rig);
}

}  // namespace

TEST_CASE("round-robin, a switch serves the next input") {
  CHECK(through_a_switch("round-robin") == Order{0, 2, 1});
}
TEST_CASE("oldest-first, a switch serves the packet that came to the network first") {
  CHECK(through_a_switch("oldest-first") == Order{0, 1, 2});
}
TEST_CASE("round-robin, a ring's node takes turns with packets that pass") {
  CHECK(by_a_node("round-robin") == Order{0, 2, 1});
}
TEST_CASE("oldest-first, a ring's node waits for packets that have travelled longer") {
  CHECK(by_a_node("oldest-first") == Order{0, 1, 2});
}

}  // namespace tessera::arbitration_test
