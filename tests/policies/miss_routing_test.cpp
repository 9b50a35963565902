// SPDX-License-Identifier: Apache-2.0
// Where read misses go: the selector, the predictor and the policies of the remote-core paper,
// against hand-worked sequences.
#include "policies/miss_routing.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/error.h"
#include "policies/core_selector.h"
#include "policies/sharing_predictor.h"

namespace tessera::miss_routing_test {

namespace {

using Cores = std::vector<std::uint32_t>;

std::unique_ptr<MissRouting> make(const std::string& name, const MissRoutingContext& context) {
  return PolicySettings<MissRouting>().make(name, context);
}

/// Core 0 of 28, in whose GPU these cores hold every line.
MissRoutingContext with_holders(const Cores& cores) {
  MissRoutingContext c = MissRouting::example_context();
  c.holders = [cores](std::uint64_t) { return cores; };
  return c;
}

/// Counts `misses` of a PC, of which the predictor expects `shared`, the first ones.
void count(SharingPredictor& p, std::uint32_t pc, std::uint32_t misses, std::uint32_t shared) {
  for (std::uint32_t i = 0; i < misses; ++i) {
    INFO("miss " << i);
    CHECK(p.predict(pc) == (i < shared));
  }
}

}  // namespace

TEST_CASE("the selector's weights are the footnote's example: 5, 3 and 2 lines of three cores") {
  CoreSelector s(0, 4, CoreOrder::kSupplier, 8192);
  for (const auto& [core, lines] : std::map<std::uint32_t, int>{{1, 5}, {2, 3}, {3, 2}}) {
    for (int i = 0; i < lines; ++i) s.supplied(core);
  }
  CHECK(s.weights() == std::vector<std::uint64_t>{0, 10, 6, 4});  // 50, 30 and 20 %
  std::vector<double> first(4, 0);
  constexpr int kDraws = 20'000;
  for (int i = 0; i < kDraws; ++i) first[s.select(1, 0).front()] += 1.0 / kDraws;
  // Four standard deviations of a binomial share.
  const double margin = 4 * std::sqrt(0.25 / kDraws);
  CHECK(first[0] == 0);
  CHECK(std::abs(first[1] - 0.5) < margin);
  CHECK(std::abs(first[2] - 0.3) < margin);
  CHECK(std::abs(first[3] - 0.2) < margin);
}

TEST_CASE("a core that has supplied nothing has half the lowest weight, until the period ends") {
  CoreSelector s(2, 5, CoreOrder::kSupplier, 100);
  CHECK(s.weights() == std::vector<std::uint64_t>{1, 1, 0, 1, 1});
  for (int i = 0; i < 6; ++i) s.supplied(0);
  for (int i = 0; i < 4; ++i) s.supplied(4);
  CHECK(s.weights() == std::vector<std::uint64_t>{12, 4, 0, 4, 8});
  s.select(1, 99);
  CHECK(s.weights() == std::vector<std::uint64_t>{12, 4, 0, 4, 8});
  s.select(1, 100);
  CHECK(s.weights() == std::vector<std::uint64_t>{1, 1, 0, 1, 1});
}

TEST_CASE("a search has other cores once each, by index in their order") {
  CoreSelector supplier(3, 28, CoreOrder::kSupplier, 8192);
  for (const std::uint32_t n : {1U, 15U, 27U, 40U}) {
    const Cores cores = supplier.select(n, 0);
    const std::set<std::uint32_t> different(cores.begin(), cores.end());
    CHECK(cores.size() == std::min(n, 27U));
    CHECK(different.size() == cores.size());
    CHECK(different.count(3) == 0);
  }
  CoreSelector index(1, 28, CoreOrder::kIndex, 8192);
  CHECK(index.select(4, 0) == Cores{0, 2, 3, 4});
}

TEST_CASE("probes divide their cores: under IP(15,2,0.2), eight and seven (section III-B)") {
  Cores cores(15);
  for (std::uint32_t i = 0; i < 15; ++i) cores[i] = 15 - i;
  const auto parts = divided(cores, 2);
  REQUIRE(parts.size() == 2);
  CHECK(parts[0] == Cores(cores.begin(), cores.begin() + 8));
  CHECK(parts[1] == Cores(cores.begin() + 8, cores.end()));
  CHECK(divided({4, 5}, 3) == std::vector<Cores>{{4}, {5}});
}

TEST_CASE("the predictor walks through its four states and back") {
  SharingPredictor p(64);
  count(p, 80, 32, 32);  // strong shared: all are shared
  CHECK(p.state(80) == 0);
  count(p, 80, 64, 16);  // nothing supplied: weak shared
  CHECK(p.state(80) == 1);
  count(p, 80, 128, 8);
  CHECK(p.state(80) == 2);
  count(p, 80, 256, 4);
  CHECK(p.state(80) == 3);
  count(p, 80, 256, 4);  // remains strong non-shared
  CHECK(p.state(80) == 3);
  p.supplied(80);  // T = 1
  count(p, 80, 128, 8);
  CHECK(p.state(80) == 2);
  p.supplied(80);  // T = 1
  count(p, 80, 64, 16);
  CHECK(p.state(80) == 1);
  p.supplied(80);
  p.supplied(80);  // T = 2
  count(p, 80, 32, 32);
  CHECK(p.state(80) == 0);
  for (int i = 0; i < 4; ++i) p.supplied(80);  // T = 4
  count(p, 80, 32, 32);
  CHECK(p.state(80) == 0);
  for (int i = 0; i < 3; ++i) p.supplied(80);
  count(p, 80, 1, 1);
  CHECK(p.state(80) == 1);
}

TEST_CASE("the predictor's table replaces the least recently used PC") {
  SharingPredictor p(2);
  count(p, 1, 33, 33);
  CHECK(p.state(1) == 1);
  count(p, 2, 1, 1);
  p.predict(1);
  p.predict(3);  // replaces 2
  CHECK(p.state(1) == 1);
  p.predict(2);  // replaces 1
  CHECK(p.state(1) == 0);
}

TEST_CASE("miss routing: home, pp and dp") {
  CHECK(make("pp", with_holders({5, 9}))->route({}) == ProbeTargets{{5, 9}});
  CHECK(make("pp", with_holders({}))->route({}).empty());
  CHECK(make("pp", with_holders({}))->at_once());
  CHECK_FALSE(make("dp", with_holders({}))->at_once());
  CHECK(make("home", with_holders({1, 2}))->route({}).empty());
  MissRoutingContext c = with_holders({5, 9, 12});
  c.hops = [](std::uint32_t core) { return core == 5 ? 4U : 2U; };
  CHECK(make("dp", c)->route({}) == ProbeTargets{{9}});
  CHECK(make("dp", with_holders({}))->route({}).empty());
}

TEST_CASE("IP sends S probes with probability P, otherwise S - 1, and only for shared lines") {
  CHECK(make("ip", with_holders({}))->route({}).empty());
  const auto ip = make("ip", with_holders({7}));
  int two = 0;
  constexpr int kMisses = 10'000;
  for (int i = 0; i < kMisses; ++i) {
    const ProbeTargets targets = ip->route({});
    REQUIRE((targets.size() == 1 || targets.size() == 2));
    std::size_t cores = 0;
    for (const Cores& part : targets) cores += part.size();
    REQUIRE(cores == 15);
    if (targets.size() == 2) ++two;
  }
  CHECK(std::abs(two / double{kMisses} - 0.2) < 4 * std::sqrt(0.16 / kMisses));
}

TEST_CASE("RP probes what its predictor expects, and CCN searches all other cores by index") {
  const auto rp = make("rp", with_holders({}));
  int probed = 0;
  for (int i = 0; i < 96; ++i) probed += rp->route({0, 80, 0}).empty() ? 0 : 1;
  CHECK(probed == 32 + 16);
  const ProbeTargets all = make("ccn", with_holders({}))->route({});
  REQUIRE(all.size() == 1);
  CHECK(all[0].size() == 27);
  CHECK(std::is_sorted(all[0].begin(), all[0].end()));
}

TEST_CASE("a search of more cores than there are is refused") {
  MissRoutingContext c = with_holders({});
  c.cores = 12;
  CHECK_THROWS_WITH(make("ip", c),
                    "miss_routing.ip.coverage is 15; expected 1 to 11 (the other cores of the "
                    "GPU)");
  CHECK_NOTHROW(make("rp", c));
}

}  // namespace tessera::miss_routing_test
