// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies, operations that wait for them, local memory, and accesses that fail.
#include "modules/kernel/sc_time.h"
#include "tests/modules/sm/sm_rig.h"

namespace tessera::sm_wait_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)
using Catch::Contains;

namespace {

std::string message_of(const std::exception_ptr& error) {
  REQUIRE(error);
  try {
    std::rethrow_exception(error);
  } catch (const RunError& e) {
    return e.what();
  }
}

}  // namespace

TEST_CASE("a wait for copies issues in the cycle in which the last one ends") {
  Rig rig;
  ScriptedKernel k({{copy(0x1000), copy(0x2000), wait_for(2), alu()}});
  rig.run(k);
  rig.check_done();
  REQUIRE(rig.l1.arrivals().size() == 2);
  CHECK(k.cycle(0, 1) == k.cycle(0, 0) + 1);
  CHECK(k.cycle(0, 2) * 1'000'000 == rig.l1.arrivals().at(1).at + ns(100));
  CHECK(k.cycle(0, 3) == k.cycle(0, 2) + 1);
}

TEST_CASE("a wait for older copies leaves the younger ones in flight") {
  Rig rig;
  ScriptedKernel k({{copy(0x1000), copy(0x1200), copy(0x1400), wait_for(1), alu()}});
  rig.run(k);
  rig.check_done();
  CHECK(k.cycle(0, 3) * 1'000'000 == rig.l1.arrivals().at(0).at + ns(100));
}

TEST_CASE("slots in which all warps wait for copies are memory stalls") {
  Rig rig;
  ScriptedKernel k({{copy(0x1000), wait_for(1)}});
  rig.run(k);
  rig.check_done();
  // The scheduler of the warp and the other one, between the copy and the wait.
  const std::uint64_t between = k.cycle(0, 1) - k.cycle(0, 0) - 1;
  CHECK(between > 100);
  CHECK(rig.sm.stats().memory_slots >= 2 * between - 2);
  CHECK(rig.sm.stats().structural_slots == 0);
}

TEST_CASE("a limited wait ends after its limit") {
  SmConfig c = plain();
  c.wait_limit = 40;
  Rig rig(c);
  ScriptedKernel k({{alu(), wait_for(1, true), alu()}});
  rig.run(k);
  rig.check_done();
  CHECK(k.cycle(0, 1) == k.cycle(0, 0) + 1 + 40);
}

TEST_CASE("a warp that waits does not keep others from issuing, and its CTA ends with its copies") {
  Rig rig;
  ScriptedKernel k({{copy(0x1000)}, {alu(1), alu(2, 1), wait_for(0), alu()}});
  rig.run(k);
  rig.check_done();
  CHECK(k.cycle(1, 2) == k.cycle(1, 1) + 1);
  CHECK(rig.around.finished.at(0) >= rig.l1.arrivals().at(0).at + ns(100));
}

TEST_CASE("local memory passes through the L1 like global memory") {
  Rig rig;
  Step l = load(1, 0x3000);
  l.space = Space::kLocal;
  ScriptedKernel k({{l, alu(2, 1)}});
  rig.run(k);
  rig.check_done();
  REQUIRE(rig.l1.arrivals().size() == 1);
  CHECK(k.cycle(0, 1) * 1'000'000 == rig.l1.arrivals().at(0).at + ns(100));
}

TEST_CASE(
    "an access that the memory system refuses ends the kernel with place, address and cause") {
  Rig rig;
  rig.l1.access = [](tlm::tlm_generic_payload& p) {
    p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  };
  ScriptedKernel k({{load(1, 0x1000)}});
  rig.sm.start_cta(k, CtaId(0), ns(10));
  sc_core::sc_start(to_sc_time(us(1)));
  CHECK_THAT(
      message_of(rig.around.error),
      Contains("kernel 'scripted', warp 0, instruction 0: the memory system refuses the load") &&
          Contains("(physical line 0x101000): TLM_ADDRESS_ERROR_RESPONSE"));
  rig.sm.reset();
}

TEST_CASE("an access without a translation ends the kernel with place and page") {
  Rig rig;
  rig.mmu.access = [](tlm::tlm_generic_payload& p) {
    p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  };
  ScriptedKernel k({{load(1, 0x5080)}});
  rig.sm.start_cta(k, CtaId(0), ns(10));
  sc_core::sc_start(to_sc_time(us(1)));
  CHECK_THAT(message_of(rig.around.error),
             Contains("kernel 'scripted', warp 0, instruction 0: the MMU has no translation of the "
                      "page at 0x5000, which is outside every allocation"));
  rig.sm.reset();
}

}  // namespace tessera::sm_wait_test
