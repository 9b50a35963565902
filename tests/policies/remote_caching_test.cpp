// SPDX-License-Identifier: Apache-2.0
#include "policies/remote_caching.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <utility>

#include "common/error.h"
#include "tests/support/policy_settings.h"

namespace tessera::remote_caching_test {

using namespace tessera::test;

namespace {

RemoteAccess access(bool read_only, SmId requester = SmId(3), SliceId home = SliceId(9),
                    std::uint64_t line = 0x1234) {
  RemoteAccess a;
  a.read_only = read_only;
  a.requester = requester;
  a.home = home;
  a.line = line;
  return a;
}

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

TEST_CASE("rtwice and ronce copy every plain load, of other GPUs too, ronce keeps it there only") {
  for (const bool twice : {true, false}) {
    const auto policy = make_policy<RemoteCaching>(twice ? "rtwice" : "ronce");
    CHECK(policy->copies_written_lines());
    RemoteAccess a = access(false);
    a.distance = NodeDistance::kOtherGpu;
    CHECK(policy->decide(a).at_requester);
    CHECK(policy->decide(a).at_home == twice);
    a.scope = RemoteAccessScope::kHome;
    CHECK_FALSE(policy->decide(a).at_requester);
    a.scope = RemoteAccessScope::kAny;
    a.kind = RemoteAccessKind::kStore;
    CHECK_FALSE(policy->decide(a).at_requester);
  }
}

TEST_CASE("a launch's setting for an array copies written lines only where the policy can") {
  RemoteAccess written = access(false);
  written.allocation = 1;
  for (const auto& [name, copies] : {std::pair{"mdr", false}, {"rtwice", true}}) {
    CAPTURE(name);
    const auto policy = make_policy<RemoteCaching>(name);
    policy->plan({std::nullopt, Caching{true, false}});
    CHECK(policy->caching_of(written).at_requester == copies);
    CHECK_FALSE(policy->caching_of(written).at_home);
  }
}

TEST_CASE("the home slice keeps nothing for others where install_remote_misses is off") {
  for (const std::string name : {"home", "full-replication", "mdr"}) {
    CAPTURE(name);
    const auto policy = make_policy<RemoteCaching>(
        name, {}, policy_settings<RemoteCaching>({{name + ".install_remote_misses", 0}}));
    CHECK_FALSE(policy->decide(access(true)).at_home);
    CHECK_FALSE(policy->keeps_at_home());
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

namespace {

/// Whether a policy replicates a read-only line, changed in one way.
template <class Change>
bool replicates(const std::string& name, Change change) {
  const auto policy = make_policy<RemoteCaching>(name);
  if (policy->monitored() != nullptr) policy->monitored()->set(true);
  RemoteAccess a = access(true);
  change(a);
  return policy->decide(a).at_requester;
}

}  // namespace

TEST_CASE("no policy of ours replicates another GPU's line") {
  for (const char* name : {"full-replication", "mdr"}) {
    CAPTURE(name);
    for (const NodeDistance near :
         {NodeDistance::kSamePartition, NodeDistance::kSameModule, NodeDistance::kSameGpu}) {
      CHECK(replicates(name, [near](RemoteAccess& a) { a.distance = near; }));
    }
    CHECK_FALSE(replicates(name, [](RemoteAccess& a) { a.distance = NodeDistance::kOtherGpu; }));
  }
}

TEST_CASE("no policy of ours replicates what may be cached at home only, or comes in pieces") {
  for (const char* name : {"full-replication", "mdr"}) {
    CAPTURE(name);
    CHECK_FALSE(replicates(name, [](RemoteAccess& a) { a.scope = RemoteAccessScope::kHome; }));
    CHECK_FALSE(replicates(name, [](RemoteAccess& a) { a.scope = RemoteAccessScope::kPieces; }));
    CHECK_FALSE(replicates(name, [](RemoteAccess& a) { a.kind = RemoteAccessKind::kStore; }));
    CHECK_FALSE(replicates(name, [](RemoteAccess& a) { a.kind = RemoteAccessKind::kAtomic; }));
  }
}

TEST_CASE("the distance of two nodes is the level of the smallest node that holds both") {
  TreeShape tree;
  tree.gpus = 2;
  tree.modules = 4;
  tree.partitions = 8;
  tree.sms = 32;
  CHECK(distance(tree, 16, SmId(3), SliceId(1)) == NodeDistance::kSamePartition);
  CHECK(distance(tree, 16, SmId(4), SliceId(1)) == NodeDistance::kSameModule);
  CHECK(distance(tree, 16, SmId(8), SliceId(1)) == NodeDistance::kSameGpu);
  CHECK(distance(tree, 16, SmId(15), SliceId(7)) == NodeDistance::kSamePartition);
  CHECK(distance(tree, 16, SmId(15), SliceId(8)) == NodeDistance::kOtherGpu);
  CHECK(distance(tree, 16, SliceId(8), SliceId(9)) == NodeDistance::kSamePartition);
  CHECK(distance(tree, 16, SliceId(8), SliceId(10)) == NodeDistance::kSameModule);
  CHECK(distance(tree, 16, SliceId(8), SliceId(12)) == NodeDistance::kSameGpu);
  CHECK(distance(tree, 16, SliceId(8), SliceId(7)) == NodeDistance::kOtherGpu);
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
  CHECK(policy->decide(access(true, SmId(3), SliceId(4), 2)).at_requester);
  CHECK_FALSE(policy->decide(access(true, SmId(3), SliceId(5), 2)).at_requester);
  CHECK_FALSE(policy->decide(access(true, SmId(4), SliceId(4), 2)).at_requester);
  CHECK_FALSE(policy->decide(access(true, SmId(3), SliceId(4), 3)).at_requester);
  CHECK_FALSE(policy->decide(access(false, SmId(3), SliceId(4), 2)).at_requester);
}

TEST_CASE("an unknown remote caching is refused with the nearest name") {
  CHECK_THROWS_WITH(make_policy<RemoteCaching>("mdrr"), Catch::Contains("did you mean 'mdr'?"));
  CHECK_THROWS_AS(make_policy<RemoteCaching>(""), InputError);
}

}  // namespace tessera::remote_caching_test
