// SPDX-License-Identifier: Apache-2.0
#include "app/report/network_use.h"

#include <catch2/catch.hpp>

#include "common/json.h"

namespace tessera::network_use_test {

using namespace tessera::app;
using nlohmann::ordered_json;

TEST_CASE("a network of several planes has the stages of one plane") {
  ordered_json stats;
  stats["config"]["mcm"] = {{"clock_hz", 1e9}, {"radix", 2}, {"stage_latency", 32}};
  for (const char* plane : {"system.gpu0.mcm0", "system.gpu0.mcm1"}) {
    stats["modules"][plane] = {{"request_packets", 3},
                               {"request_egress0_busy_cycles", 1},
                               {"request_egress1_busy_cycles", 2}};
  }
  const NetworkKind kind{"mcm", "mcm", true, false};
  // Two ports at switches of two.
  CHECK(network_use(stats, kind, "request")->idle_latency == 32);
  for (const char* plane : {"system.gpu0.mcm0", "system.gpu0.mcm1"}) {
    stats["modules"][plane]["request_egress2_busy_cycles"] = 0;
  }
  CHECK(network_use(stats, kind, "request")->idle_latency == 64);
  CHECK(network_use(stats, kind, "request")->packets == 6);
}

TEST_CASE("the links of a mesh are those at its ports and between its routers") {
  ordered_json stats;
  stats["modules"]["system.gpu0.noc"] = {{"request_hop_bytes", 64},
                                         {"request_egress0_busy_cycles", 5},
                                         {"request_router6_east_busy_cycles", 7},
                                         {"response_router6_east_busy_cycles", 9}};
  const auto use = network_use(stats, {"noc", "noc", true, false}, "request");
  REQUIRE(use);
  CHECK(use->group == "mesh");
  CHECK(use->links == std::vector<std::pair<std::string, double>>{
                          {"gpu0.noc.request_egress0", 5}, {"gpu0.noc.request_router6_east", 7}});
}

}  // namespace tessera::network_use_test
