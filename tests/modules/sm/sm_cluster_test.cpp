// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/sm_cluster.h"

#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "common/error.h"
#include "modules/kernel/sc_time.h"
#include "tests/modules/sm/sm_rig.h"

namespace tessera::sm_cluster_test {

using namespace tessera::test;

namespace {

/// An L1 with room for one request, whose link is busy for long: the end of a request is announced
/// soon after its arrival, and in effect much later.
struct SlowLinkL1 final : public sc_core::sc_module {
  static constexpr Tick kOccupancy = 40'000'000;

  std::vector<Tick> arrivals;

  explicit SlowLinkL1(const sc_core::sc_module_name& name) : sc_module(name), socket_("socket") {
    socket_.register_nb_transport_fw(this, &SlowLinkL1::fw);
    wake_.bind<&SlowLinkL1::work>(*this);
  }
  tlm::tlm_target_socket<>& socket() { return socket_; }

 private:
  void end_of_elaboration() override {
    in_.bind(socket_.operator->());
    out_.bind(socket_.operator->());
  }
  tlm::tlm_sync_enum fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                        sc_core::sc_time& delay) {
    const Tick at = now() + delay.value();
    if (phase == tlm::END_RESP) {
      out_.end_response(payload, at);
      return tlm::TLM_COMPLETED;
    }
    arrivals.push_back(at);
    taken_.push(at + ns(3), 0, &payload);
    responses_.push(at + ns(200), 0, &payload);
    wake_.at(at + ns(3));
    return in_.begin(payload, phase, delay, kOccupancy);
  }
  void work() {
    if (taken_.due(now())) {
      taken_.pop();
      in_.release();
    }
    while (responses_.due(now()) && out_.free(now() + 1)) {
      responses_.front()->set_response_status(tlm::TLM_OK_RESPONSE);
      out_.send(*responses_.pop(), 1);
    }
    wake_.at(std::min(taken_.next_due(), responses_.next_due()));
  }

  tlm_utils::simple_target_socket<SlowLinkL1> socket_;
  RequestReceiver in_{1};
  ResponseSender out_;
  TimedQueue<tlm::tlm_generic_payload*> taken_;
  TimedQueue<tlm::tlm_generic_payload*> responses_;
  ProcessTimer wake_;
};

}  // namespace

TEST_CASE(
    "a dependent instruction issues the ALU latency later, an independent one the cycle after") {
  Rig rig;
  ScriptedKernel k({{alu(1), alu(2, 1), alu(3), alu(4)}});
  rig.run(k);
  rig.check_done();
  CHECK(k.cycle(0, 0) == 10);
  CHECK(k.cycle(0, 1) == 14);
  CHECK(k.cycle(0, 2) == 15);
  CHECK(k.cycle(0, 3) == 16);
}

TEST_CASE("a line leaves so that it arrives when the L1's link is free, once its end is known") {
  SmConfig config = plain();
  config.tlb_latency = 4;
  RigOf<SlowLinkL1> rig(config);
  ScriptedKernel kernel({{load(1, 0x1000), load(2, 0x1080)}});
  rig.run(kernel);
  rig.check_done();
  REQUIRE(rig.l1.arrivals.size() == 2);
  CHECK(rig.l1.arrivals[1] - rig.l1.arrivals[0] == SlowLinkL1::kOccupancy);
}

TEST_CASE("two schedulers issue two instructions a cycle") {
  Rig rig;
  ScriptedKernel k({{alu(), alu()}, {alu(), alu()}});
  rig.run(k);
  rig.check_done();
  for (unsigned w = 0; w < 2; ++w) {
    CHECK(k.cycle(w, 0) == 10);
    CHECK(k.cycle(w, 1) == 11);
  }
}

TEST_CASE("greedy-then-oldest stays with a warp") {
  SmConfig c = plain();
  c.schedulers = 1;
  Rig rig(c);
  ScriptedKernel k({{alu(), alu()}, {alu(), alu()}});
  rig.run(k);
  CHECK(k.cycle(0, 1) == 11);
  CHECK(k.cycle(1, 0) == 13);  // the first has exited
}

TEST_CASE("loose round-robin takes turns") {
  SmConfig c = plain();
  c.schedulers = 1;
  c.warp_scheduler.name = "lrr";
  Rig rig(c);
  ScriptedKernel k({{alu(), alu()}, {alu(), alu()}});
  rig.run(k);
  CHECK(k.cycle(0, 0) == 10);
  CHECK(k.cycle(1, 0) == 11);
  CHECK(k.cycle(0, 1) == 12);
  CHECK(k.cycle(1, 1) == 13);
}

TEST_CASE("each slot in which nothing issues is counted once, by what the warp waits for") {
  SmConfig c = plain();
  c.schedulers = 1;
  Rig rig(c);
  ScriptedKernel k(
      {{alu(1), alu(2, 1), on(Unit::kFp64), on(Unit::kFp64), load(3, 0x1000), alu(4, 3), alu(5)}});
  rig.run(k);
  rig.check_done();
  REQUIRE(k.cycle(0, 1) == 10 + c.alu_latency);
  REQUIRE(k.cycle(0, 3) == k.cycle(0, 2) + c.fp64_interval);
  const SmStats& s = rig.sm.stats();
  CHECK(s.issued_slots == 8);
  CHECK(s.idle_slots == 9);  // from cycle 1 on
  CHECK(s.dependency_slots == c.alu_latency - 1);
  CHECK(s.structural_slots == c.fp64_interval - 1);
  CHECK(s.memory_slots == k.cycle(0, 5) - k.cycle(0, 4) - 1);
  CHECK(s.barrier_slots == 0);
  // The scripted L1 leaves no stamps: the load was in the load/store unit until it was sent, and
  // then in the L1. It was issued in the cycle before the wait.
  const MemoryStallStats waits = rig.sm.stall_stats();
  Tick all = 0;
  for (const Tick t : waits.by_stage) all += t;
  const ClockDomain clock(c.clock_hz);
  CHECK(all == clock.time_of(k.cycle(0, 5)) - clock.time_of(k.cycle(0, 4) + 1));
  CHECK(all == waits.by_stage[static_cast<std::size_t>(LoadStage::kTranslation)] +
                   waits.by_stage[static_cast<std::size_t>(LoadStage::kL1Hit)]);
  CHECK(waits.by_stage[static_cast<std::size_t>(LoadStage::kL1Hit)] > 0);
}

TEST_CASE("a barrier holds warps until the last has come") {
  Rig rig;
  ScriptedKernel k({{barrier(), alu()}, {alu(1), alu(2, 1), barrier(), alu()}});
  rig.run(k);
  rig.check_done();
  CHECK(k.cycle(1, 2) == 15);
  CHECK(k.cycle(0, 1) == 16);
  CHECK(k.cycle(1, 3) == 16);
}

TEST_CASE("a CTA ends when its loads are back, an SM is drained when its stores are acknowledged") {
  Rig rig;
  ScriptedKernel k({{load(1, 0x1000), store(0x1080)}});
  rig.run(k);
  rig.check_done();
  REQUIRE(rig.l1.arrivals().size() == 2);
  CHECK(rig.l1.arrivals()[0].address == 0x101000);
  CHECK(rig.l1.arrivals()[1].address == 0x101080);
  CHECK(rig.around.finished[0] == rig.l1.arrivals()[0].at + ns(100));
  CHECK(rig.around.drained[0] == rig.l1.arrivals()[1].at + ns(100));
}

TEST_CASE("the requests of a load that is read-only carry the bit, and no others") {
  Rig rig;
  std::vector<bool> bits;
  rig.l1.access = [&](tlm::tlm_generic_payload& p) { bits.push_back(request_of(p).read_only); };
  Step marked = load(1, 0x1000);
  marked.read_only = true;
  // An access of its own to each line, and one over two lines.
  Step two_lines = load(2, 0x10C0);
  two_lines.read_only = true;
  ScriptedKernel k({{marked, load(3, 0x1200), two_lines, store(0x1280)}});
  rig.run(k);
  rig.check_done();
  CHECK(bits == std::vector<bool>{true, false, true, true, false});
}

namespace {

/// The mapping of Rig's MMU. Pages from 2 on are mapped, others from a time on.
struct Pages final : PageLookupIf {
  Tick mapped_from = kNever;
  std::optional<PageEntry> mapped_before_now(std::uint64_t page) const override {
    if (page < 2 && now() <= mapped_from) return std::nullopt;
    return PageEntry(page * 4096 + 0x100000);
  }
};

}  // namespace

TEST_CASE("with ideal translation, only a page that is not mapped is requested from the MMU") {
  SmConfig config = plain();
  config.ideal_translation = true;
  config.tlb_entries = 1;
  const Pages pages;
  Rig rig(config, &pages);
  ScriptedKernel k({{load(1, 0x2000), load(2, 0x3000), load(3, 0x1000), load(4, 0x2080)}});
  rig.run(k);
  rig.check_done();
  REQUIRE(rig.mmu.arrivals().size() == 1);
  CHECK(rig.mmu.arrivals()[0].address == 0x1000);
  const auto& lines = rig.l1.arrivals();
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].address == 0x102000);
  CHECK(lines[1].address == 0x103000);
  CHECK(lines[2].address == 0x102080);  // passes the load that waits for the MMU
  CHECK(lines[3].address == 0x101000);
  CHECK(lines[1].at - lines[0].at == ns(1));
  CHECK(rig.sm.memory_stats().tlb_hits == 3);
  CHECK(rig.sm.memory_stats().tlb_misses == 1);
}

TEST_CASE("with ideal translation, no line passes older lines of its page that wait for the MMU") {
  SmConfig config = plain();
  config.ideal_translation = true;
  Pages pages;
  pages.mapped_from = ns(100);  // before the MMU responds
  Rig rig(config, &pages);
  rig.mmu.config().latency = ns(500);
  // The second access issues when the page is mapped.
  std::vector<Step> steps = {store(0x1000)};
  for (int i = 0; i < 200; ++i) steps.push_back(alu());
  steps.push_back(load(1, 0x1000));
  steps.push_back(load(2, 0x3000));
  ScriptedKernel k({steps});
  rig.run(k);
  rig.check_done();
  const auto& lines = rig.l1.arrivals();
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].address == 0x103000);
  CHECK(lines[1].address == 0x101000);
  CHECK(lines[1].command == tlm::TLM_WRITE_COMMAND);
  CHECK(lines[2].address == 0x101000);
  CHECK(rig.mmu.arrivals().size() == 1);
}

TEST_CASE("without ideal translation, the page table is not looked up") {
  const Pages pages;
  Rig rig(plain(), &pages);
  ScriptedKernel k({{load(1, 0x2000)}});
  rig.run(k);
  rig.check_done();
  CHECK(rig.mmu.arrivals().size() == 1);
}

TEST_CASE("a read-only load of one element by several lanes is uniform") {
  Rig rig;
  std::vector<bool> bits;
  rig.l1.access = [&](tlm::tlm_generic_payload& p) { bits.push_back(request_of(p).uniform); };
  Step uniform = load(1, 0x1000);
  uniform.read_only = true;
  uniform.stride = 0;
  Step own_elements = load(2, 0x1080);
  own_elements.read_only = true;
  Step written = load(3, 0x1100);
  written.stride = 0;
  ScriptedKernel k({{uniform, own_elements, written}});
  rig.run(k);
  rig.check_done();
  CHECK(bits == std::vector<bool>{true, false, false});
}

TEST_CASE("a fence waits for the warp's stores and flushes the L1") {
  Rig rig;
  ScriptedKernel k({{store(0x1000), fence(), alu()}});
  rig.run(k);
  rig.check_done();
  CHECK(rig.around.flushes == 1);
  CHECK(k.cycle(0, 1) * 1'000'000 == rig.l1.arrivals().at(0).at + ns(100));
}

TEST_CASE("a program that fails ends the kernel with its error") {
  Rig rig;
  Step bad = alu();
  bad.fails = true;
  ScriptedKernel k({{bad}});
  rig.sm.start_cta(k, CtaId(0), ns(10));
  sc_core::sc_start(to_sc_time(ns(100)));
  REQUIRE(rig.around.error);
  CHECK_THROWS_AS(std::rethrow_exception(rig.around.error), RunError);
  rig.sm.reset();
}

namespace {

std::uint32_t resident_ctas(const SmCluster& sm, const CtaResources& cta) {
  return sm.capacity().room_for(SmResources::of(cta));
}

}  // namespace

TEST_CASE("each of threads, registers, shared memory and CTA slots limits the resident CTAs") {
  Rig rig;
  CHECK(resident_ctas(rig.sm, {256, 16, 0}) == 8);
  CHECK(resident_ctas(rig.sm, {256, 64, 0}) == 4);
  CHECK(resident_ctas(rig.sm, {256, 16, 40 * 1024}) == 2);
  CHECK(resident_ctas(rig.sm, {32, 1, 0}) == 32);
  CHECK(resident_ctas(rig.sm, {33, 1, 0}) == 32);
  CHECK(resident_ctas(rig.sm, {1024, 128, 0}) == 0);
  CHECK(resident_ctas(rig.sm, {32, 1, 97 * 1024}) == 0);
}

}  // namespace tessera::sm_cluster_test
