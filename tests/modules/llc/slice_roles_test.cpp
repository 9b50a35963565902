// SPDX-License-Identifier: Apache-2.0
// Roles by name, and one of the user's own: this file is all that it takes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "common/error.h"
#include "modules/llc/slice_pipeline.h"
#include "tests/modules/llc/slice_rig.h"

namespace tessera::slice_roles_test {

using namespace tessera::test;

namespace {

/// A home that keeps nothing that it fetched, and sends volatile loads round its arrays.
class ForgetfulRole final : public SliceRole {
 public:
  using SliceRole::SliceRole;

  Route route(const Access& a) const {
    return a.request->bypass_l1 ? Route::kBypass : Route::kLookup;
  }
  Output& onward() { return slice_.to_memory_; }
  bool passes_back(Payload& payload) const { return !slice_.awaits(payload); }
  bool keeps(const Access&) const { return false; }
  bool may_leave(const Access&, Tick) {
    ++responses_;
    return true;
  }

  void register_statistics(StatisticsRegistry& registry) const {
    registry.counter(slice_.name(), "own_responses", responses_, "access",
                     "responses after a lookup");
  }

 private:
  Counter responses_ = 0;
};

const PolicyRegistration<LlcSlice> kRegistered("forgetful", "keeps nothing that it fetched",
                                               make_slice<ForgetfulRole>);

struct OwnRoleRig final : CacheRig {
  std::unique_ptr<LlcSlice> made;
  LlcSlice& llc;

  OwnRoleRig()
      : CacheRig(plain().clock_hz, {}),
        made(make_llc_slice("llc", plain(), map, pool, site())),
        llc(*made) {
    block = &llc;
    prepare = [this](Transaction& t) { t.request().decode_home(map, t.get_address()); };
    join(sm.socket(0), llc.in[0]);
    join(llc.memory, memory.socket());
  }
  std::uint64_t own_responses() const {
    StatisticsRegistry registry;
    llc.register_statistics(registry);
    return registry.sum("llc", "own_responses");
  }

 private:
  static SliceSite site() {
    SliceSite s;
    s.role = "forgetful";
    return s;
  }
};

}  // namespace

TEST_CASE("a role of the user's own says what stays, and what goes round the arrays") {
  OwnRoleRig rig;
  const auto first = rig.load(10, 0x1000);
  const auto again = rig.load(500, 0x1000);
  ScriptedRequest passing = rig.request(1000, 0x1000);
  passing.prepare = [&rig](Transaction& t) {
    rig.prepare(t);
    t.request().bypass_l1 = true;
  };
  const auto round = rig.sm.add(std::move(passing));
  rig.run();
  CHECK(rig.responded_at(first) == 10 + kLatency + kMemory + 1);
  CHECK(rig.responded_at(again) == 500 + kLatency + kMemory + 1);
  CHECK(rig.responded_at(round) == 1000 + 1 + kMemory + 1);
  CHECK(rig.byte(round, 5) == initial(0x1005));
  CHECK(rig.llc.stats().misses == 2);
  CHECK(rig.llc.stats().bypasses == 1);
}

TEST_CASE("a role of the user's own has statistics of its own, behind every slice's") {
  OwnRoleRig rig;
  rig.load(10, 0x1000);
  rig.store(500, 0x2000, 1);
  rig.run();
  CHECK(rig.own_responses() == 2);
}

TEST_CASE("roles are known by their names, ours and the user's") {
  const auto names = policy_names<LlcSlice>();
  for (const char* name :
       {"forgetful", "home", "last_sharer", "partition", "peer", "remote_cache"}) {
    CAPTURE(name);
    CHECK(std::count(names.begin(), names.end(), name) == 1);
  }
}

TEST_CASE("two roles of one name are refused when a role is looked up") {
  TransactionPool pool;
  const PlainMap map;
  const PolicyRegistration<LlcSlice> second("home", "another", make_slice<ForgetfulRole>);
  CHECK_THROWS_WITH(make_llc_slice("llc", plain(), map, pool, SliceSite{}),
                    Catch::Contains("slice role named 'home' exists already"));
}

TEST_CASE("an unknown role is refused with the nearest name") {
  TransactionPool pool;
  const PlainMap map;
  SliceSite site;
  site.role = "partitoin";
  CHECK_THROWS_WITH(make_llc_slice("llc", plain(), map, pool, site),
                    Catch::Contains("did you mean 'partition'?"));
}

}  // namespace tessera::slice_roles_test
