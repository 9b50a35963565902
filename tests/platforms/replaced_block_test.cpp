// SPDX-License-Identifier: Apache-2.0
// A user's own sc_module in the place of our LLC slice, without a change to the platform.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <catch2/catch.hpp>

#include "platforms/block_factory.h"
#include "platforms/simulation.h"
#include "stimuli/workload.h"

using namespace tessera;  // NOLINT(google-build-using-namespace)

namespace {

/// No cache at all: every request goes to the channel as b_transport and is answered after its
/// latency. A loosely timed block among approximately timed ones. It performs no atomics.
class PassThrough final : public sc_core::sc_module, public Block {
 public:
  tlm_utils::simple_target_socket<PassThrough> in;
  tlm_utils::simple_initiator_socket<PassThrough> out;

  explicit PassThrough(const sc_core::sc_module_name& name)
      : sc_module(name), in("in"), out("out") {
    in.register_b_transport(this, &PassThrough::forward);
    in.register_transport_dbg(this, &PassThrough::debug);
  }
  bool idle() const override { return true; }
  void describe_waiting(std::vector<Waiting>&) const override {}
  void reset() override {}
  void register_statistics(StatisticsRegistry& registry) const override {
    registry.counter(name(), "served", served_, "access", "requests served");
  }

 private:
  void forward(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    ++served_;
    out->b_transport(payload, delay);
  }
  unsigned debug(tlm::tlm_generic_payload& payload) { return out->transport_dbg(payload); }

  Counter served_ = 0;
};

BlockHandle make_pass_through(const BlockSite& site) {
  auto module = std::make_unique<PassThrough>(site.name.c_str());
  BlockHandle h;
  h.block = module.get();
  h.in = {&module->in};
  h.out = {&module->out};
  h.module = std::move(module);
  return h;
}

}  // namespace

TEST_CASE("a workload verifies with a user's own LLC slice") {
  register_block("llc", "pass-through", make_pass_through);
  const ResolvedConfig config = resolve_config("uba-mem-small", {"impl.llc=pass-through"});
  Simulation simulation(config);
  const auto workload = make_workload("vecadd");
  RunOptions options;
  options.values = ValueMode::kCarried;
  const RunResult r = simulation.run(*workload, options);
  CHECK_FALSE(r.failure.has_value());
  REQUIRE(r.verification.has_value());
  CHECK(r.verification->passed);
  CHECK(r.stats["modules"]["system.gpu0.llc0"]["served"].get<std::uint64_t>() > 0);
}

TEST_CASE("an unknown implementation is refused with the nearest name") {
  CHECK_THROWS_WITH(resolve_config("uba-mem-small", {"impl.llc=tml"}),
                    Catch::Contains("did you mean 'tlm'?"));
}

TEST_CASE("a block without the sockets that a platform needs is refused") {
  register_block("llc", "pass-through", make_pass_through);
  const ResolvedConfig config = resolve_config("nuba-small", {"impl.llc=pass-through"});
  CHECK_THROWS_WITH(Simulation(config),
                    Catch::Contains("llc0: implementation 'pass-through' of 'llc' has 1 target and "
                                    "1 initiator sockets, this platform needs 2 target and 2"));
}
