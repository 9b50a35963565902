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
  bool replicate(const RemoteAccess& a) const override {
    return a.read_only && a.home.value == a.requester.value + 1 && a.line % 2 == 0;
  }
};

std::unique_ptr<RemoteCaching> make_neighbours() { return std::make_unique<Neighbours>(); }

}  // namespace

TEST_CASE("home: no line is cached away from its home") {
  const auto policy = make_remote_caching("home");
  CHECK_FALSE(policy->replicate(access(true)));
  CHECK_FALSE(policy->replicate(access(false)));
}

TEST_CASE("full-replication: read-only lines are cached, others never") {
  const auto policy = make_remote_caching("full-replication");
  CHECK(policy->replicate(access(true)));
  CHECK_FALSE(policy->replicate(access(false)));
}

TEST_CASE("mdr: the switch is off at first, and what the engine sets holds for read-only lines") {
  const auto policy = make_remote_caching("mdr");
  CHECK_FALSE(policy->replicate(access(true)));
  auto* mdr = dynamic_cast<ReplicationSwitch*>(policy.get());
  REQUIRE(mdr != nullptr);
  mdr->set(true);
  CHECK(mdr->on());
  CHECK(policy->replicate(access(true)));
  CHECK_FALSE(policy->replicate(access(false)));
  mdr->set(false);
  CHECK_FALSE(policy->replicate(access(true)));
}

TEST_CASE("two users of mdr do not share a switch") {
  const auto a = make_remote_caching("mdr");
  const auto b = make_remote_caching("mdr");
  dynamic_cast<ReplicationSwitch&>(*a).set(true);
  CHECK_FALSE(b->replicate(access(true)));
}

TEST_CASE("a user's own remote caching sees requester, home and line") {
  register_remote_caching("test-neighbours", make_neighbours);
  const auto names = remote_caching_names();
  CHECK(std::count(names.begin(), names.end(), "test-neighbours") == 1);
  const auto policy = make_remote_caching("test-neighbours");
  CHECK(policy->replicate({true, SmId(3), SliceId(4), 2}));
  CHECK_FALSE(policy->replicate({true, SmId(3), SliceId(5), 2}));
  CHECK_FALSE(policy->replicate({true, SmId(4), SliceId(4), 2}));
  CHECK_FALSE(policy->replicate({true, SmId(3), SliceId(4), 3}));
  CHECK_FALSE(policy->replicate({false, SmId(3), SliceId(4), 2}));
  CHECK_THROWS_AS(register_remote_caching("home", make_neighbours), InputError);
}

TEST_CASE("an unknown remote caching is refused with the nearest name") {
  CHECK_THROWS_WITH(make_remote_caching("mdrr"), Catch::Contains("did you mean 'mdr'?"));
  CHECK_THROWS_AS(make_remote_caching(""), InputError);
}
