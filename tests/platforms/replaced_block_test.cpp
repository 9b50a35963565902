// SPDX-License-Identifier: Apache-2.0
// A user's own sc_module (docs/guide/plugins.md has it) in the place of our LLC slice, without a
// change to the platform.
#include <catch2/catch.hpp>
#include <iostream>
#include <set>
#include <sstream>

#include "docs/guide/examples/plugin/uncached.cpp"
#include "platforms/run_result.h"
#include "platforms/simulation.h"
#include "stimuli/workload.h"
#include "tests/platforms/child_process.h"
#include "tests/platforms/one_kernel.h"

namespace tessera::replaced_block_test {

TEST_CASE("a workload verifies with a user's own LLC slice") {
  register_block<LlcSite>("uncached", make_uncached);
  const ResolvedConfig config = resolve_config("uba-mem-small", {"impl.llc=uncached"});
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

TEST_CASE("one slice of many is a user's own, by its own setting") {
  register_block<LlcSite>("uncached", make_uncached);
  const ResolvedConfig config = resolve_config(
      "uba-mem-small", {"system.gpu0.llc3.impl=uncached", "system.gpu0.llc2.sets=24"});
  Simulation simulation(config);
  const auto workload = make_workload("vecadd");
  RunOptions options;
  options.values = ValueMode::kCarried;
  const RunResult r = simulation.run(*workload, options);
  CHECK_FALSE(r.failure.has_value());
  CHECK(r.stats["modules"]["system.gpu0.llc3"]["served"].get<std::uint64_t>() > 0);
  CHECK_FALSE(r.stats["modules"]["system.gpu0.llc2"].contains("served"));
}

namespace {

/// A slice without a cache; what it does to a request is the derived class's.
class OwnSlice : public sc_core::sc_module, public Block {
 public:
  tlm_utils::simple_target_socket<OwnSlice> in{"in"};
  tlm_utils::simple_initiator_socket<OwnSlice> out{"out"};

  explicit OwnSlice(const sc_core::sc_module_name& name) : sc_module(name) {
    in.register_b_transport(this, &OwnSlice::forward);
    in.register_transport_dbg(this, &OwnSlice::debug);
  }
  bool idle() const override { return true; }
  void describe_waiting(std::vector<Waiting>&) const override {}
  void reset() override {}
  void register_statistics(StatisticsRegistry&) const override {}

 private:
  virtual void forward(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) = 0;
  unsigned debug(tlm::tlm_generic_payload& payload) { return out->transport_dbg(payload); }
};

template <class Slice>
BlockHandle make_own(const LlcSite& site) {
  auto module = std::make_unique<Slice>(site.name.c_str());
  BlockHandle handle;
  handle.block = module.get();
  handle.in = {&module->in};
  handle.out = {&module->out};
  handle.module = std::move(module);
  return handle;
}

/// Counts under the names of ours: every other read as a hit.
class Counting final : public OwnSlice {
 public:
  using OwnSlice::OwnSlice;
  void register_statistics(StatisticsRegistry& registry) const override {
    registry.counter(name(), "reads", reads_, "access", "reads");
    registry.counter(name(), "writes", writes_, "access", "writes");
    registry.counter(name(), "hits", hits_, "access", "every other read");
    registry.counter(name(), "bandwidth", reads_, "access", "of another kind than a slice's");
  }

 private:
  void forward(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    if (payload.is_read()) {
      ++reads_;
      hits_ += reads_ % 2;
    } else {
      ++writes_;
    }
    out->b_transport(payload, delay);
  }

  Counter reads_ = 0;
  Counter writes_ = 0;
  Counter hits_ = 0;
};

/// Refuses stores as a block does that knows no more than TLM.
class RefusesStores final : public OwnSlice {
 public:
  using OwnSlice::OwnSlice;

 private:
  void forward(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    if (payload.is_write()) {
      payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    } else {
      out->b_transport(payload, delay);
    }
  }
};

}  // namespace

TEST_CASE("statistics of a user's own slice count in derived figures under the names of ours") {
  register_block<LlcSite>("counting", make_own<Counting>);
  const ResolvedConfig config = resolve_config("uba-mem-small", {"impl.llc=counting"});
  Simulation simulation(config);
  const auto workload = make_workload("vecadd");
  RunOptions options;
  options.values = ValueMode::kCarried;
  const RunResult r = simulation.run(*workload, options);
  REQUIRE_FALSE(r.failure.has_value());
  double accesses = 0;
  double hits = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const auto& slice = r.stats["modules"]["system.gpu0.llc" + std::to_string(i)];
    accesses += slice["reads"].get<double>() + slice["writes"].get<double>();
    hits += slice["hits"].get<double>();
  }
  REQUIRE(hits > 0);
  CHECK(r.stats["derived"]["llc_hit_rate"].get<double>() == Approx(hits / accesses));
}

namespace {

/// Our walker, made by a user's factory.
int walkers_made = 0;

BlockHandle make_counted_walker(const WalkerSite& site) {
  ++walkers_made;
  return make_block("tlm", site);
}

}  // namespace

TEST_CASE("every kind of block can be a user's own: the page walker") {
  register_block<WalkerSite>("counted", make_counted_walker);
  const Simulation simulation(resolve_config("dca-small", {"impl.walker=counted"}));
  CHECK(walkers_made == 1);
}

TEST_CASE("every kind of block has a parameter and a factory") {
  const auto d = resolve_config("uba-mem-small", {}).to_json();
  std::set<std::string> families;
  for (const auto& [name, kind] : block_kinds()) {
    CAPTURE(name);
    families.insert(kind.family);
    CHECK(kind.build != nullptr);
    CHECK(d["impl"][kind.family] == "tlm");
    CHECK(block_implementations(kind.family) == std::vector<std::string>{"tlm"});
  }
  CHECK(d["impl"].size() == families.size());
}

TEST_CASE("one block's unknown implementation is refused with the nearest name") {
  CHECK_THROWS_WITH(
      resolve_config("uba-mem-small", {"system.gpu0.llc3.impl=tml"}),
      Catch::Contains("no implementation of 'llc' is named 'tml'; did you mean 'tlm'?"));
}

TEST_CASE("an unknown implementation is refused with the nearest name") {
  CHECK_THROWS_WITH(resolve_config("uba-mem-small", {"impl.llc=tml"}),
                    Catch::Contains("did you mean 'tlm'?"));
}

TEST_CASE("a block without the sockets that a platform needs is refused") {
  register_block<LlcSite>("uncached", make_uncached);
  const ResolvedConfig config = resolve_config("nuba-small", {"impl.llc=uncached"});
  CHECK_THROWS_WITH(Simulation(config),
                    Catch::Contains("llc0: implementation 'uncached' of 'llc' has 1 target and "
                                    "1 initiator sockets, this platform needs 2 target and 2"));
}

namespace {

/// How a kernel of this body fails, and after it what else the run prints.
std::string failure_of(const std::string& body, const std::string& slice, ValueMode values) {
  return test::in_child([&] {
    std::ostringstream printed;
    std::streambuf* const out = std::cout.rdbuf(printed.rdbuf());
    std::streambuf* const err = std::cerr.rdbuf(printed.rdbuf());
    const auto why = test::failure(body, {"impl.llc=" + slice}, values);
    std::cout.rdbuf(out);
    std::cerr.rdbuf(err);
    return why.value_or("none") + "; printed: " + printed.str();
  });
}

}  // namespace

TEST_CASE("an access that a user's block refuses is named in one message") {
  register_block<LlcSite>("refuses-stores", make_own<RefusesStores>);
  // Only lane 3 of the second warp of CTA (1,0,0) stores.
  const std::string body =
      "setp.ne.u32 %p1, %r1, 35;\n@%p1 bra DONE;\nmov.u32 %r2, %ctaid.x;\n"
      "setp.ne.u32 %p1, %r2, 1;\n@%p1 bra DONE;\nst.global.u32 [%rd1+260], %r1;\nDONE:\n";
  for (const ValueMode values : {ValueMode::kFunctional, ValueMode::kCarried}) {
    CHECK_THAT(failure_of(body, "refuses-stores", values),
               Catch::Contains("kernel 'k'") && Catch::Contains("CTA (1,0,0), warp 1") &&
                   Catch::Contains("k.ptx:18 'st.global.u32 [%rd1+260], %r1'") &&
                   Catch::Contains("refuses the store") && Catch::Contains("0x") &&
                   Catch::EndsWith("TLM_COMMAND_ERROR_RESPONSE; printed: "));
  }
}

TEST_CASE("an access that a check of ours refuses names the check and where it stands") {
  // A slice without an atomic unit, on a channel that has none.
  register_block<LlcSite>("uncached", make_uncached);
  for (const ValueMode values : {ValueMode::kFunctional, ValueMode::kCarried}) {
    CHECK_THAT(
        failure_of("atom.global.add.u32 %r2, [%rd1+128], 1;\n", "uncached", values),
        Catch::Contains("kernel 'k'") && Catch::Contains("CTA (") && Catch::Contains("warp ") &&
            Catch::Contains("k.ptx:13 'atom.global.add.u32 %r2, [%rd1+128], 1'") &&
            Catch::Contains("refuses the atomic") && Catch::Contains("system.gpu0.") &&
            Catch::EndsWith("a command that this target does not take for its kind; printed: "));
  }
}

}  // namespace tessera::replaced_block_test
