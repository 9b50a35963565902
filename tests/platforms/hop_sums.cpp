// SPDX-License-Identifier: Apache-2.0
#include "tests/platforms/hop_sums.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "app/report/shares.h"

namespace tessera::test {

using nlohmann::ordered_json;

namespace {

using Hops = std::vector<const char*>;

const Hops& hops_of(const ordered_json& l1) {
  static const Hops kCoherent = {"merge", "l1_wait",  "request_network",  "l2",
                                 "snoop", "below_l2", "response_network", "unstamped"};
  static const Hops kPlain = {"request_network",
                              "llc",
                              "dram",
                              "llc_return",
                              "response_network",
                              "copy_request_network",
                              "copy",
                              "copy_response_network",
                              "other_l1",
                              "unstamped"};
  return l1.contains("coherent_stores") ? kCoherent : kPlain;
}

}  // namespace

void check_hop_sums(const ordered_json& stats) {
  double misses = 0;
  double latency = 0;
  for (const auto& [module, l1] : stats.at("modules").items()) {
    // Not the L1s of CPU cores.
    if (module.find(".l1_") == std::string::npos || !l1.contains("bytes_to_core")) continue;
    CAPTURE(module);
    const auto whole = l1.at("miss_latency").at("sum").get<double>();
    double rest = whole;
    for (const char* hop : hops_of(l1)) {
      rest -= l1.at(std::string(hop) + "_cycles").get<double>();
    }
    CHECK(rest >= 0);
    const bool coherent = l1.contains("coherent_stores");
    CHECK(rest <= (coherent ? 0 : static_cast<double>(hops_of(l1).size())));
    CHECK(l1.at("unstamped_cycles") == 0);
    misses += l1.at("miss_latency").at("count").get<double>();
    latency += whole;
  }
  REQUIRE(misses > 0);
  double derived = 0;
  for (const auto& [hop, cycles] : stats.at("derived").at("latency_breakdown").items()) {
    CAPTURE(hop);
    CHECK(cycles.get<double>() >= 0);
    derived += cycles.get<double>();
  }
  CHECK(derived == Approx(latency / misses).epsilon(1e-12));
  double shown = 0;
  for (const app::NamedShare& hop : app::latency_hops_of(stats)) {
    CHECK(hop.share.whole == Approx(latency / misses).epsilon(1e-12));
    shown += hop.share.part;
  }
  CHECK(shown == Approx(latency / misses).epsilon(1e-12));
}

}  // namespace tessera::test
