// SPDX-License-Identifier: Apache-2.0
// A run in which nothing moves is stopped, and the queues that wait are named.
#include "platforms/supervisor.h"

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <catch2/catch.hpp>

#include "modules/kernel/block.h"
#include "modules/memory/sites.h"
#include "modules/plan/block_family.h"
#include "platforms/run_result.h"
#include "platforms/simulation.h"
#include "stimuli/workload.h"

namespace tessera::supervisor_test {

namespace {

/// Takes requests and never responds.
class Stuck final : public sc_core::sc_module, public Block {
 public:
  tlm_utils::simple_target_socket<Stuck> in;

  explicit Stuck(const sc_core::sc_module_name& name) : sc_module(name), in("in") {
    in.register_nb_transport_fw(this, &Stuck::forward);
    in.register_transport_dbg(this, &Stuck::debug);
  }
  bool idle() const override { return held_ == 0; }
  void describe_waiting(std::vector<Waiting>& out) const override {
    if (held_ != 0)
      out.push_back(
          {std::string(name()) + ".held", held_, WaitKind::kOrdering, "nothing: it is stuck"});
  }
  void reset() override {}
  void register_statistics(StatisticsRegistry&) const override {}

 private:
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload&, tlm::tlm_phase& phase, sc_core::sc_time&) {
    ++held_;
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  unsigned debug(tlm::tlm_generic_payload& p) { return p.get_data_length(); }

  std::size_t held_ = 0;
};

BlockHandle make_stuck(const DramSite& site) {
  auto module = std::make_unique<Stuck>(site.name.c_str());
  BlockHandle h;
  h.block = module.get();
  h.in = {&module->in};
  h.module = std::move(module);
  return h;
}

RunResult run(const std::vector<std::string>& sets, const std::string& workload,
              const RunOptions& options = {}) {
  Simulation simulation(resolve_config("uba-mem-small", sets));
  const auto w = make_workload(workload);
  return simulation.run(*w, options);
}

}  // namespace

TEST_CASE("the watchdog names the queues that wait for a stuck channel") {
  register_block<DramSite>("stuck", [](const DramSite& site) {
    BlockHandle h = make_stuck(site);
    return h;
  });
  const RunResult r =
      run({"impl.dram=stuck", "system.slices_per_channel=1", "system.watchdog_cycles=100000"},
          "vecadd");
  REQUIRE(r.failure.has_value());
  CHECK_THAT(*r.failure, Catch::Contains("deadlock") && Catch::Contains("dram0.held") &&
                             Catch::Contains("nothing: it is stuck (ordering)") &&
                             Catch::Contains("llc0.mshr") &&
                             Catch::Contains("lines from the channel") &&
                             Catch::Contains("(data dependence)"));
  // What was measured is kept.
  CHECK(r.stats["instructions"].get<std::uint64_t>() > 0);
  CHECK(r.stats["verified"] == false);
}

namespace {

/// What a supervisor says of warps that have executed so many instructions without an end of a CTA.
std::string verdict_on(const Supervisor::Work& work) {
  std::string why;
  Supervisor::Work seen;
  std::uint64_t activity = 0;
  Supervisor::Hooks hooks;
  hooks.activity = [&activity] { return ++activity; };
  hooks.work = [&seen] { return seen; };
  hooks.stop = [&why](const std::string& text) {
    why = text;
    sc_core::sc_pause();
  };
  Supervisor::Limits limits;
  limits.inactive = 1'000'000'000;
  limits.loop = 1'000;
  Supervisor supervisor("supervisor", {}, limits, std::move(hooks));
  supervisor.watch();
  seen = work;
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
  return why;
}

}  // namespace

TEST_CASE("warps that run in circles are stopped") {
  CHECK_THAT(verdict_on({4'000, 0, 4}),
             Catch::Contains("an endless loop") && Catch::Contains("4 warps executed 1000"));
}

TEST_CASE("below the limit, no loop is assumed") { CHECK(verdict_on({3'996, 0, 4}).empty()); }

TEST_CASE("a kernel whose CTAs have all ended does not run in circles") {
  // It can have as many as the kernel before it, and wait for a flush or a page migration.
  CHECK(verdict_on({1'000'000, 0, 0}).empty());
}

TEST_CASE("a kernel that exceeds the cycle limit is stopped") {
  const RunResult r = run({"system.cycle_limit=2000"}, "mm");
  REQUIRE(r.failure.has_value());
  CHECK_THAT(*r.failure, Catch::Contains("system.cycle_limit") && Catch::Contains("kernel 'mm'"));
  // At the limit, and not at the next look of the watchdog.
  CHECK(r.stats["cycles"] == 2000);
}

TEST_CASE("an interrupt ends the run and keeps what was measured") {
  RunOptions options;
  // Once the kernel runs, not while its arrays are written.
  options.interrupted = [] { return sc_core::sc_time_stamp() > sc_core::SC_ZERO_TIME; };
  const RunResult r = run({"system.watchdog_cycles=1000"}, "atax", options);
  CHECK(r.interrupted);
  CHECK_FALSE(r.failure.has_value());
  CHECK(r.stats["interrupted"] == true);
  CHECK(r.stats["verified"].is_null());
  CHECK(r.stats["instructions"].get<std::uint64_t>() > 0);
}

}  // namespace tessera::supervisor_test
