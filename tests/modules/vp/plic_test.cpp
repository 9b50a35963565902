// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/plic.h"

#include <catch2/catch.hpp>

#include "tests/modules/vp/register_master.h"

namespace tessera::plic_test {

namespace {

constexpr std::uint64_t kThreshold = 0x200000;
constexpr std::uint64_t kClaim = 0x200004;

struct Bench {
  Bench() {
    plic.sources.bind(sources);
    plic.contexts.bind(contexts);
    master.out.bind(plic.in);
    settle();
  }
  void settle() { sc_core::sc_start(1, sc_core::SC_NS); }
  void raise(std::uint32_t source, bool level = true) {
    sources[source - 1].write(level);
    settle();
  }
  void enable(std::uint32_t context, std::uint32_t source, std::uint32_t priority) {
    master.write(4 * source, 4, priority);
    const std::uint64_t at = 0x2000 + 0x80 * context + 4 * (source / 32);
    master.write(at, 4, master.read(at, 4) | 1U << source % 32);
    settle();
  }
  std::uint64_t claim(std::uint32_t context = 0) {
    const std::uint64_t source = master.read(kClaim + 0x1000 * context, 4);
    settle();
    return source;
  }
  void complete(std::uint32_t source, std::uint32_t context = 0) {
    master.write(kClaim + 0x1000 * context, 4, source);
    settle();
  }

  test::RegisterMaster master{"master"};
  Plic plic{"plic", PlicConfig()};
  sc_core::sc_vector<sc_core::sc_signal<bool>> sources{"wires", 53};
  sc_core::sc_vector<sc_core::sc_signal<bool>> contexts{"outputs", 2};
};

}  // namespace

TEST_CASE("PLIC: an enabled source interrupts its context until it is claimed") {
  Bench b;
  b.enable(1, 40, 1);
  b.raise(40);
  CHECK(b.contexts[1].read());
  CHECK_FALSE(b.contexts[0].read());
  CHECK(b.master.read(0x1004, 4) == 1U << 8);
  CHECK(b.claim(1) == 40);
  CHECK_FALSE(b.contexts[1].read());
  CHECK(b.claim(1) == 0);
}

TEST_CASE("PLIC: a source that is still high is pending again after its completion") {
  Bench b;
  b.enable(0, 10, 1);
  b.raise(10);
  CHECK(b.claim() == 10);
  b.complete(10);
  CHECK(b.contexts[0].read());
  CHECK(b.claim() == 10);
  b.raise(10, false);
  b.complete(10);
  CHECK_FALSE(b.contexts[0].read());
  CHECK(b.plic.stats().claims == 2);
  CHECK(b.plic.stats().completions == 2);
}

TEST_CASE("PLIC: the highest priority first, then the lowest number, above the threshold only") {
  Bench b;
  b.enable(0, 3, 2);
  b.enable(0, 5, 7);
  b.enable(0, 4, 2);
  b.enable(0, 6, 0);
  for (const std::uint32_t s : {3U, 4U, 5U, 6U}) b.raise(s);
  CHECK(b.claim() == 5);
  CHECK(b.claim() == 3);
  b.master.write(kThreshold, 4, 2);
  b.settle();
  CHECK_FALSE(b.contexts[0].read());
  CHECK(b.claim() == 0);
  b.master.write(kThreshold, 4, 1);
  CHECK(b.claim() == 4);
  CHECK(b.claim() == 0);  // priority 0 never interrupts
}

TEST_CASE("PLIC: a source without an enable bit interrupts nobody") {
  Bench b;
  b.master.write(4 * 7, 4, 3);
  b.raise(7);
  CHECK_FALSE(b.contexts[0].read());
  CHECK(b.claim() == 0);
  b.enable(0, 7, 3);
  CHECK(b.claim() == 7);
}

TEST_CASE("PLIC: pending bits are read-only, and registers take four bytes") {
  Bench b;
  b.master.write(0x1000, 4, 0xff);
  CHECK(b.master.status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  b.master.read(4, 8);
  CHECK(b.master.status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  b.master.read(kThreshold + 0x2000, 4);  // context 2
  CHECK(b.master.status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

}  // namespace tessera::plic_test
