// SPDX-License-Identifier: Apache-2.0
// The registry that all families share, and policies of one's own in the families whose tests have
// none.
#include "policies/registry.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "policies/address_map.h"
#include "policies/cta_scheduler/batched.h"
#include "policies/page_migration.h"
#include "policies/page_placement.h"
#include "policies/transfer_policy.h"
#include "tests/support/policy_settings.h"

namespace tessera::registry_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

/// The map "fixed-channel" with another seed: what a user's own may build on.
struct SeedOffset {
  std::uint64_t by = 0;
};
void describe(ParameterVisitor& v, SeedOffset& o) {
  v.integer("by", o.by, "", "added to the seed 1", 0, 100);
}
std::unique_ptr<AddressMap> make_map(const PolicyContext& c, const SeedOffset& o) {
  return make_address_map(
      "fixed-channel", c,
      policy_settings<AddressMap>({{"fixed-channel.seed", static_cast<double>(1 + o.by)}}));
}
const PolicyRegistration<AddressMap> kMap("test-offset", "a user's own", make_map);

class Always final : public PageMigrationPolicy {
 public:
  explicit Always(std::uint32_t to) : to_(to) {}
  void decide(const PageUse& use, std::vector<PageMigration>& moves) override {
    ++seen_;
    moves.push_back({use.virtual_page, ChannelId(to_), false});
  }
  std::vector<PolicyCounter> counters() const override {
    return {{"seen", "page", "pages that were asked for", &seen_}};
  }

 private:
  std::uint32_t to_;
  std::uint64_t seen_ = 0;
};
std::unique_ptr<PageMigrationPolicy> make_always(const PolicyContext& c) {
  return std::make_unique<Always>(c.tree.channels - 1);
}
const PolicyRegistration<PageMigrationPolicy> kMoves("test-last", "to the last channel",
                                                     make_always);

class Bypass final : public TransferPolicy {
 public:
  RemoteAccessMode start() const override { return {true, false, false, false}; }
};
std::unique_ptr<TransferPolicy> make_transfer(const PolicyContext& c) {
  if (c.tree.gpus < 2) throw InputError("test-bypass takes several GPUs");
  return std::make_unique<Bypass>();
}
const PolicyRegistration<TransferPolicy> kTransfer("test-bypass", "a user's own", make_transfer);

PolicyRegistry<PagePlacement>::Entry entry() {
  return {"one", nullptr, [](const PolicyContext&, const PolicyParameters*) {
            return std::unique_ptr<PagePlacement>();
          }};
}

}  // namespace

TEST_CASE("an address map of one's own has its own parameter") {
  const MemoryGeometry g;
  const auto own =
      make_address_map("test-offset", g, policy_settings<AddressMap>({{"test-offset.by", 4}}));
  const auto same = make_address_map("fixed-channel", g,
                                     policy_settings<AddressMap>({{"fixed-channel.seed", 5}}));
  const auto other = make_address_map("test-offset", g);
  unsigned different = 0;
  for (std::uint64_t a = 0; a < 1000 * 4096; a += 4096) {
    REQUIRE(own->decode(a).bank == same->decode(a).bank);
    different += own->decode(a).bank != other->decode(a).bank ? 1 : 0;
  }
  CHECK(different > 100);
}

TEST_CASE("a migration policy of one's own sees the tree and keeps a counter") {
  PolicyContext context;
  context.tree.channels = 4;
  const auto policy = make_policy<PageMigrationPolicy>("test-last", context);
  std::vector<PageMigration> moves;
  policy->decide({7, ChannelId(0), false, {1, 0, 0, 0}}, moves);
  REQUIRE(moves.size() == 1);
  CHECK(moves[0].to == ChannelId(3));
  REQUIRE(policy->counters().size() == 1);
  CHECK(*policy->counters()[0].value == 1);
}

TEST_CASE("a transfer policy of one's own refuses the system that it does not take") {
  PolicyContext context;
  CHECK_THROWS_WITH(make_policy<TransferPolicy>("test-bypass", context),
                    "test-bypass takes several GPUs");
  context.tree.gpus = 2;
  CHECK(make_policy<TransferPolicy>("test-bypass", context)->start().bypass_l1);
}

TEST_CASE("a name that is taken, empty or has a dot is refused when a name is looked up") {
  PolicyRegistry<PagePlacement> taken;
  taken.add("mine", entry());
  CHECK(taken.names() == std::vector<std::string>{"mine"});
  taken.add("mine", entry());
  CHECK_THROWS_WITH(taken.get("mine"), Catch::Contains("page_placement policy named 'mine' exists "
                                                       "already: register yours under another"));
  PolicyRegistry<PagePlacement> nameless;
  nameless.add("", entry());
  CHECK_THROWS_AS(nameless.names(), InputError);
  PolicyRegistry<PagePlacement> dotted;
  dotted.add("a.b", entry());
  CHECK_THROWS_WITH(dotted.get("x"), Catch::Contains("a name without dots, not 'a.b'"));
}

TEST_CASE("settings are copied by value, and have the defaults of what they were not given") {
  const std::vector<std::uint64_t> pages{5, 3};  // balance 0.8
  const auto local = [&](const PolicySettings<PagePlacement>& s) {
    return make_policy<PagePlacement>("lab", {}, s)->place({0, SmId(0), ChannelId(0)}, {pages}) ==
           ChannelId(0);
  };
  auto settings = policy_settings<PagePlacement>({{"lab.threshold", 0.5}});
  const auto copy = settings;
  settings = PolicySettings<PagePlacement>();
  CHECK(local(copy));
  CHECK_FALSE(local(settings));
}

TEST_CASE("a policy's parameters are set as one, and only in their own type") {
  PolicySettings<AddressMap> settings;
  settings.set("test-offset", SeedOffset{4});
  const MemoryGeometry g;
  CHECK(make_address_map("test-offset", g, settings)->decode(4096 * 7).bank ==
        make_address_map("test-offset", g, policy_settings<AddressMap>({{"test-offset.by", 4}}))
            ->decode(4096 * 7)
            .bank);
  CHECK_THROWS_WITH(settings.set("test-offset", BatchedParameters{}),
                    "policy 'test-offset' has other parameters");
  PolicySettings<TransferPolicy> transfers;
  CHECK_THROWS_WITH(transfers.set("test-bypass", SeedOffset{}),
                    "policy 'test-bypass' has other parameters");
  CHECK_THROWS_AS(settings.set("test-ofset", SeedOffset{}), InputError);
}

}  // namespace tessera::registry_test
