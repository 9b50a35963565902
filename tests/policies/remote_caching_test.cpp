// SPDX-License-Identifier: Apache-2.0
#include "policies/remote_caching.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "common/error.h"

using namespace tessera;

namespace {

RemoteAccess access(bool read_only) { return {read_only, SmId(3), SliceId(9), 0x1234}; }

/// Caches what the nearest slice after the requester's number is home of.
class Neighbours final : public RemoteCaching {
 public:
  Caching decide(const RemoteAccess& a) const override {
    return {a.read_only && a.home.value == a.requester.sm().value + 1 && a.line % 2 == 0};
  }
};

std::unique_ptr<RemoteCaching> make_neighbours(const PolicyContext&) {
  return std::make_unique<Neighbours>();
}

const PolicyRegistration<RemoteCaching> kRegistered("test-neighbours", "a user's own",
                                                    make_neighbours);

}  // namespace

TEST_CASE("home: no line is cached away from its home") {
  const auto policy = make_policy<RemoteCaching>("home");
  CHECK_FALSE(policy->decide(access(true)).at_requester);
  CHECK_FALSE(policy->decide(access(false)).at_requester);
}

TEST_CASE("the home slice keeps what it fetched for others, under every policy of ours") {
  for (const char* name : {"home", "full-replication", "mdr"}) {
    CAPTURE(name);
    CHECK(make_policy<RemoteCaching>(name)->decide(access(true)).at_home);
    CHECK(make_policy<RemoteCaching>(name)->decide(access(false)).at_home);
  }
}

TEST_CASE("flushes and the MDR engine follow what a policy says, not its name") {
  CHECK_FALSE(make_policy<RemoteCaching>("home")->copies());
  CHECK(make_policy<RemoteCaching>("full-replication")->copies());
  CHECK(make_policy<RemoteCaching>("mdr")->copies());
  CHECK(make_policy<RemoteCaching>("home")->monitored() == nullptr);
  CHECK(make_policy<RemoteCaching>("full-replication")->monitored() == nullptr);
  CHECK(make_policy<RemoteCaching>("mdr")->monitored() != nullptr);
}

TEST_CASE("full-replication: read-only lines are cached, others never") {
  const auto policy = make_policy<RemoteCaching>("full-replication");
  CHECK(policy->decide(access(true)).at_requester);
  CHECK_FALSE(policy->decide(access(false)).at_requester);
}

TEST_CASE("mdr: the switch is off at first, and what the engine sets holds for read-only lines") {
  const auto policy = make_policy<RemoteCaching>("mdr");
  CHECK_FALSE(policy->decide(access(true)).at_requester);
  ReplicationSwitch* mdr = policy->monitored();
  REQUIRE(mdr != nullptr);
  mdr->set(true);
  CHECK(mdr->on());
  CHECK(policy->decide(access(true)).at_requester);
  CHECK_FALSE(policy->decide(access(false)).at_requester);
  mdr->set(false);
  CHECK_FALSE(policy->decide(access(true)).at_requester);
}

TEST_CASE("two users of mdr do not share a switch") {
  const auto a = make_policy<RemoteCaching>("mdr");
  const auto b = make_policy<RemoteCaching>("mdr");
  a->monitored()->set(true);
  CHECK_FALSE(b->decide(access(true)).at_requester);
}

TEST_CASE("a user's own remote caching sees requester, home and line") {
  const auto names = policy_names<RemoteCaching>();
  CHECK(std::count(names.begin(), names.end(), "test-neighbours") == 1);
  const auto policy = make_policy<RemoteCaching>("test-neighbours");
  CHECK(policy->decide({true, SmId(3), SliceId(4), 2}).at_requester);
  CHECK_FALSE(policy->decide({true, SmId(3), SliceId(5), 2}).at_requester);
  CHECK_FALSE(policy->decide({true, SmId(4), SliceId(4), 2}).at_requester);
  CHECK_FALSE(policy->decide({true, SmId(3), SliceId(4), 3}).at_requester);
  CHECK_FALSE(policy->decide({false, SmId(3), SliceId(4), 2}).at_requester);
}

TEST_CASE("an unknown remote caching is refused with the nearest name") {
  CHECK_THROWS_WITH(make_policy<RemoteCaching>("mdrr"), Catch::Contains("did you mean 'mdr'?"));
  CHECK_THROWS_AS(make_policy<RemoteCaching>(""), InputError);
}
