// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/modules/umh/umh_system.h"

using namespace tessera;
using namespace tessera::umh;
using namespace tessera::umh::test;

namespace {

using Kind = CoherentAccess::Kind;
using Log = std::vector<std::string>;

/// Systems of the figures: one L1 per GPU and one CPU core, 4 KB secondary blocks. Every message
/// takes one step.
struct Figure {
  explicit Figure(const Shape& shape) : system(shape, 0, 1) { system.record = true; }

  static Shape shape(unsigned gpus, bool peer, std::uint32_t block_lines = 64) {
    Shape s;
    s.gpus = gpus;
    s.cus = 1;
    s.cores = 1;
    s.block_lines = block_lines;
    s.smd_blocks = 128;
    s.l1_ways = s.l2_ways = s.llc_ways = 16;
    s.peer_transfer = peer;
    return s;
  }

  /// Performs an access and returns its messages.
  Log access(unsigned device, Kind kind, std::uint64_t line, unsigned first, unsigned size,
             unsigned char value = 0) {
    CoherentAccess a;
    a.kind = kind;
    a.line = line;
    a.mask = size == 0 ? ByteMask{} : ByteMask::range(first, size);
    a.bytes.fill(value);
    bool done = false;
    system.l1(device, 0).access(a, [&](const CoherentAccess& r) {
      done = true;
      result = r;
    });
    system.run();
    REQUIRE(done);
    REQUIRE(system.idle());
    REQUIRE(system.check(line).empty());
    return take();
  }

  Log take() {
    Log log;
    log.swap(system.log);
    return log;
  }

  std::string states(unsigned gpu, std::uint64_t line) {
    return {letter(system.l1(gpu, 0).state(line)), letter(system.l2(gpu, 0).state(line)),
            letter(system.smd(gpu, 0).state(line))};
  }
  std::string cpu_states(std::uint64_t line) {
    const unsigned cpu = system.cpu();
    return {letter(system.l1(cpu, 0).state(line)), letter(system.l2(cpu, 0).state(line)),
            letter(system.llc().state(line))};
  }

  UmhSystem system;
  CoherentAccess result;
};

void print(const Log& log) {
  for (const std::string& line : log) printf("    \"%s\",\n", line.c_str());
  printf("--\n");
}

}  // namespace

TEST_CASE("figure 5") {
  Figure f(Figure::shape(2, false));
  print(f.access(0, Kind::kNStore, 3, 0, 4, 10));
  printf("%s\n", f.states(0, 3).c_str());
  print(f.access(1, Kind::kNStore, 3, 4, 4, 11));
  printf("%s %s\n", f.states(0, 3).c_str(), f.states(1, 3).c_str());
  print(f.access(2, Kind::kStore, 3, 8, 4, 12));
  printf("%s %s %s\n", f.states(0, 3).c_str(), f.states(1, 3).c_str(), f.cpu_states(3).c_str());
  Figure g(Figure::shape(2, true));
  g.access(0, Kind::kNStore, 3, 0, 4, 10);
  print(g.access(1, Kind::kNStore, 3, 4, 4, 11));
  for (unsigned lines : {64U, 1U, 64U}) {
    Figure h(Figure::shape(1, true, lines));
    for (std::uint64_t l : {0, 1, 64}) h.access(0, Kind::kNStore, l, 0, 4, 20 + l);
    static int k = 0;
    if (k++ == 0) {
      flush_device(h.system.stages(0), [] {});
      h.system.run();
      print(h.take());
    } else {
      print(h.access(1, Kind::kStore, 0, 0, 0));
    }
    print(h.access(1, Kind::kLoad, 0, 0, 4));
    printf("%s %s %s\n", h.states(0, 0).c_str(), h.states(0, 1).c_str(), h.states(0, 64).c_str());
    print(h.access(1, Kind::kLoad, 1, 0, 4));
    print(h.access(1, Kind::kLoad, 64, 0, 4));
  }
}
