// SPDX-License-Identifier: Apache-2.0
#include "modules/mmu/tlb_directory.h"

#include <catch2/catch.hpp>

namespace tessera::tlb_directory_test {

namespace {

/// Two SMs a home.
TlbDirectory directory() {
  TlbDirectory d;
  d.enable(3, [](SmId sm) { return ChannelId(sm.value / 2); });
  return d;
}

const RequesterId kEngine(RequesterKind::kCopyEngine, 0);

}  // namespace

TEST_CASE("tlb directory: a page is held by the homes of the SMs that were sent its translation") {
  TlbDirectory d = directory();
  d.record(7, SmId(3));
  d.record(7, kEngine);
  CHECK_FALSE(d.holds(ChannelId(0), 7));
  CHECK(d.holds(ChannelId(1), 7));
  CHECK_FALSE(d.holds(ChannelId(1), 8));
  d.forget(ChannelId(1));
  CHECK_FALSE(d.holds(ChannelId(1), 7));
}

TEST_CASE("tlb directory: without enable() nothing is recorded or held") {
  TlbDirectory d;
  d.record(7, SmId(3));
  CHECK_FALSE(d.enabled());
  CHECK_FALSE(d.held(7, SmId(3), 100));
}

TEST_CASE("tlb directory: walks of other homes are held after `from`, until `until`") {
  TlbDirectory d = directory();
  unsigned releases = 0;
  d.on_release = [&] { ++releases; };
  d.record(7, SmId(2));
  d.hold({7, 8}, 100);
  CHECK_FALSE(d.held(7, SmId(0), 100));
  CHECK(d.held(7, SmId(0), 101));
  CHECK(d.held(8, SmId(5), 101));
  CHECK(d.held(7, kEngine, 101));
  CHECK_FALSE(d.held(9, SmId(0), 101));
  // The holders of one page stop, so that their walks for the other must end.
  CHECK_FALSE(d.held(8, SmId(3), 101));
  CHECK_FALSE(d.released());
  d.release(200);
  CHECK(releases == 1);
  CHECK(d.released());
  CHECK(d.held(7, SmId(0), 200));
  CHECK_FALSE(d.held(7, SmId(0), 201));
}

TEST_CASE("tlb directory: a walk that ends at the instant of the hold makes a holder") {
  TlbDirectory d = directory();
  d.record(7, SmId(2));
  d.hold({7}, 100);
  REQUIRE_FALSE(d.held(7, SmId(4), 100));
  d.record(7, SmId(4));
  CHECK_FALSE(d.held(7, SmId(5), 101));
  CHECK(d.holders() == std::vector<ChannelId>{ChannelId(1), ChannelId(2)});
  // Later walks of the holders change nothing.
  d.record(7, SmId(2));
  CHECK(d.holders().size() == 2);
}

TEST_CASE("tlb directory: clear() ends the hold and removes all records") {
  TlbDirectory d = directory();
  d.record(7, SmId(2));
  d.hold({7}, 100);
  d.clear();
  CHECK_FALSE(d.held(7, SmId(0), 101));
  CHECK_FALSE(d.holds(ChannelId(1), 7));
  CHECK(d.enabled());
}

}  // namespace tessera::tlb_directory_test
