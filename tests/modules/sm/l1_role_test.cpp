// SPDX-License-Identifier: Apache-2.0
// A role that is no part of Tessera: one class, registered under a name.
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "modules/sm/l1_pipeline.h"
#include "tests/support/cache_rig.h"

namespace tessera::l1_role_test {

using namespace tessera::test;

namespace {

/// Loads of other nodes' lines pass the array, and are counted.
class PassRemote {
 public:
  static constexpr bool kBypassesArray = true;

  explicit PassRemote(const L1RoleSite& site) : site_(site) {}

  L1Handling handling(const tlm::tlm_generic_payload& payload, const MemoryRequest&) const {
    L1Handling how;
    how.remote = how.past_array = payload.get_address() >= site_.local_end;
    return how;
  }
  void looked_up(MemoryRequest&, const L1Handling& how, L1Lookup) { remote_ += how.remote ? 1 : 0; }
  static void responded(tlm::tlm_generic_payload&, Tick, const ClockDomain&) {}
  void register_statistics(const std::string& module, StatisticsRegistry& registry) const {
    registry.counter(module, "passed", remote_, "access", "accesses to other nodes' lines");
  }

 private:
  const L1RoleSite site_;
  Counter remote_ = 0;
};

const PolicyRegistration<L1Cache> kRegistered("pass-remote", "other nodes' lines pass the array",
                                              make_l1_pipeline<PassRemote>);

struct Rig final : CacheRig {
  std::unique_ptr<L1Cache> l1;

  Rig() : CacheRig(1'000'000'000, {}) {
    L1Config config;
    config.clock_hz = 1'000'000'000;
    L1RoleSite site;
    site.role = "pass-remote";
    site.local_end = kOtherHome;
    l1 = make_l1_cache("l1", config, map, site);
    block = l1.get();
    join(sm.socket(), l1->core);
    join(l1->memory, memory.socket());
  }
};

}  // namespace

TEST_CASE("a role from outside decides how another node's line is loaded") {
  Rig rig;
  rig.load(10, 0x1000);
  rig.load(500, 0x1000);
  rig.load(1000, kOtherHome);
  rig.load(1500, kOtherHome);
  rig.run();
  CHECK(rig.l1->stats().load_hits == 1);
  CHECK(rig.l1->stats().load_misses == 3);
  StatisticsRegistry registry;
  rig.l1->register_statistics(registry);
  CHECK(registry.all().back().name == "passed");
}

TEST_CASE("an L1's role is chosen by name, and an unknown one is an error") {
  const PlainMap map;
  const std::vector<std::string> names = policy_names<L1Cache>();
  CHECK(names == std::vector<std::string>{"local", "multi_gpu", "pass-remote"});
  L1RoleSite site;
  site.role = "locla";
  CHECK_THROWS_WITH(
      make_l1_cache("l1", L1Config{}, map, site),
      Catch::Contains("unknown L1 role 'locla'") && Catch::Contains("did you mean 'local'?"));
}

TEST_CASE("two roles of one name are refused when a role is looked up") {
  const PlainMap map;
  const PolicyRegistration<L1Cache> second("local", "another", make_l1_pipeline<PassRemote>);
  CHECK_THROWS_WITH(make_l1_cache("l1", L1Config{}, map),
                    Catch::Contains("L1 role named 'local' exists already"));
}

}  // namespace tessera::l1_role_test
