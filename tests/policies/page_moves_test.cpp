// SPDX-License-Identifier: Apache-2.0
#include "policies/page_moves.h"

#include <catch2/catch.hpp>

#include "common/error.h"

using namespace tessera;  // NOLINT(google-build-using-namespace)

namespace {

std::vector<PageMove> moves(const char* policy, const PageUse& use) {
  std::vector<PageMove> out;
  make_page_moves(policy, {10})->decide(use, out);
  return out;
}

}  // namespace

TEST_CASE("access-counter: a page goes to the partition that uses it most") {
  const auto out = moves("access-counter", {7, ChannelId(0), false, {9, 3, 12, 11}});
  REQUIRE(out.size() == 1);
  CHECK(out[0].virtual_page == 7);
  CHECK(out[0].to == ChannelId(2));
  CHECK_FALSE(out[0].copy);
}

TEST_CASE("access-counter: a page stays below the threshold, and where its home uses it as much") {
  CHECK(moves("access-counter", {7, ChannelId(0), false, {0, 9}}).empty());
  CHECK(moves("access-counter", {7, ChannelId(0), false, {0, 10}}).size() == 1);
  CHECK(moves("access-counter", {7, ChannelId(0), false, {10, 10}}).empty());
  CHECK(moves("access-counter", {7, ChannelId(1), false, {10, 10}}).empty());
}

TEST_CASE("replication: a read-only page is copied to each partition that uses it enough") {
  const auto out = moves("replication", {7, ChannelId(1), true, {10, 50, 9, 11}});
  REQUIRE(out.size() == 2);
  CHECK(out[0].to == ChannelId(0));
  CHECK(out[1].to == ChannelId(3));
  CHECK(out[0].copy);
  CHECK(out[1].copy);
}

TEST_CASE("replication: a page that anything else touched is not copied") {
  CHECK(moves("replication", {7, ChannelId(1), false, {10, 50, 9, 11}}).empty());
}

TEST_CASE("no policy, and an unknown one") {
  CHECK(make_page_moves("none", {}) == nullptr);
  CHECK_THROWS_WITH(make_page_moves("access-conter", {}),
                    Catch::Contains("did you mean 'access-counter'"));
}
