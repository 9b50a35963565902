// SPDX-License-Identifier: Apache-2.0
// Copies between host and GPUs, and the pages that software unified memory copies.
#include "modules/host/copy_engine.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "modules/host/managed_pages.h"
#include "modules/kernel/time.h"

namespace tessera::copy_engine_test {

namespace {

constexpr Tick kNs = kTicksPerSecond / 1'000'000'000;

HostCopyConfig config() {
  HostCopyConfig c;
  c.setup_ns = 100;
  c.memory_bytes_per_second = 40'000'000'000;
  return c;
}

}  // namespace

TEST_CASE("copies take set-up, latency and the slower of link and memory, one after another") {
  // 1 GHz, 16 bytes a cycle, 140 ns, one link: 1600 bytes are 100 cycles, and 40 ns in memory.
  CopyEngine one("one", config(), {});
  CHECK(one.duration(1600) == (100 + 140 + 100) * kNs);
  CHECK(one.duration(1601) == (100 + 140 + 101) * kNs);
  // Four links carry 25 cycles each: the memory is slower.
  CopyEngineSite four;
  four.count = 4;
  CopyEngine shared("four", config(), four);
  CHECK(shared.duration(1600) == (100 + 140 + 40) * kNs);

  std::vector<Tick> ends;
  one.copy(1600, true, [&ends] { ends.push_back(now()); });
  one.copy(3200, false, [&ends] { ends.push_back(now()); });
  CHECK_FALSE(one.idle());
  sc_core::sc_start();
  CHECK(ends == std::vector<Tick>{340 * kNs, (340 + 440) * kNs});
  CHECK(one.idle());
  CHECK(one.stats().bytes_to_device == 1600);
  CHECK(one.stats().to_device_ns == 340);
  CHECK(one.stats().bytes_to_host == 3200);
  CHECK(one.stats().to_host_ns == 440);
}

TEST_CASE("software unified memory copies the array of figure 3 three times without need") {
  // z has 160 pages. The host initialises it, and no kernel uses it.
  ManagedPages pages;
  pages.allocate(1000, 160);
  CHECK(pages.host_access(1000, 160) == 160);  // from the GPU, where it was allocated
  CHECK(pages.host_access(1000, 160) == 0);
  CHECK(pages.launch() == 160);              // to the GPU
  CHECK(pages.launch() == 0);                // nothing was synchronised between the launches
  CHECK(pages.host_access(1000, 1) == 160);  // back to the host
  CHECK(pages.host_access(1001, 159) == 0);
}

TEST_CASE("an array that the host never touches stays on the GPU until the host synchronises") {
  ManagedPages pages;
  pages.allocate(0, 10);
  pages.allocate(100, 5);
  CHECK(pages.host_access(0, 4) == 4);
  CHECK(pages.launch() == 4);
  CHECK(pages.host_access(200, 1) == 15);
  CHECK(pages.launch() == 15);
}

}  // namespace tessera::copy_engine_test
