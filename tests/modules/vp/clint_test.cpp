// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/clint.h"

#include <catch2/catch.hpp>
#include <memory>

#include "tests/modules/vp/register_master.h"

namespace tessera::clint_test {

namespace {

constexpr Tick kMicrosecond = 1'000 * kTicksPerNs;  // ten edges of mtime

struct Bench {
  explicit Bench(std::uint32_t harts = 1) {
    ClintConfig c;
    c.harts = harts;
    clint = std::make_unique<Clint>("clint", c);
    software.init(harts);
    timer.init(harts);
    clint->software.bind(software);
    clint->timer.bind(timer);
    master.out.bind(clint->in);
  }
  void run(Tick t) { sc_core::sc_start(to_sc_time(t)); }

  test::RegisterMaster master{"master"};
  std::unique_ptr<Clint> clint;
  sc_core::sc_vector<sc_core::sc_signal<bool>> software{"software"};
  sc_core::sc_vector<sc_core::sc_signal<bool>> timer{"timer"};
};

}  // namespace

TEST_CASE("CLINT: mtime counts at its frequency, as of the access") {
  Bench b;
  b.run(3 * kMicrosecond);
  CHECK(b.master.read(0xbff8, 8) == 30);
  CHECK(b.master.read(0xbff8, 8, kMicrosecond) == 40);
  b.master.write(0xbff8, 8, (std::uint64_t{5} << 32) + 7);
  CHECK(b.master.read(0xbff8, 4) == 7);
  CHECK(b.master.read(0xbffc, 4) == 5);
}

TEST_CASE("CLINT: the timer interrupt rises at the edge of mtimecmp and falls with a later one") {
  Bench b(2);
  b.run(0);
  CHECK_FALSE(b.timer[1].read());
  b.master.write(0x4008, 8, 25);
  b.run(2 * kMicrosecond + kMicrosecond / 2 - 1);
  CHECK_FALSE(b.timer[1].read());
  b.run(2);
  CHECK(b.timer[1].read());
  CHECK_FALSE(b.timer[0].read());
  b.master.write(0x400c, 4, 1);  // the high half
  b.run(1);
  CHECK_FALSE(b.timer[1].read());
  CHECK(b.master.read(0x4008, 8) == (std::uint64_t{1} << 32) + 25);
  CHECK(b.clint->stats().timer_interrupts == 1);
}

TEST_CASE("CLINT: software interrupts of each hart") {
  Bench b(2);
  b.run(1);
  b.master.write(4, 4, 1);
  b.run(1);
  CHECK(b.software[1].read());
  CHECK_FALSE(b.software[0].read());
  CHECK(b.master.read(4, 4) == 1);
  b.master.write(4, 4, 0);
  b.run(1);
  CHECK_FALSE(b.software[1].read());
  CHECK(b.clint->stats().software_interrupts == 1);
}

TEST_CASE("CLINT: registers that are not there are address errors") {
  Bench b;
  b.run(1);
  for (const std::uint64_t offset : {0x4ULL, 0x4008ULL, 0xbff0ULL}) {
    INFO(offset);
    b.master.read(offset, 4);
    CHECK(b.master.status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  b.master.read(0, 1);
  CHECK(b.master.status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  b.master.read(0xbffc, 8);  // not aligned
  CHECK(b.master.status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

}  // namespace tessera::clint_test
