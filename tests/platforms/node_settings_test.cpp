// SPDX-License-Identifier: Apache-2.0
// Settings of a node: of all blocks of a kind in a GPU, a module or a partition.
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/json.h"
#include "platforms/simulation.h"

namespace tessera::node_settings_test {

namespace {

/// The settings of blocks that a configuration has, by path.
std::map<std::string, nlohmann::json> of_blocks(const std::string& preset,
                                                const std::vector<std::string>& sets) {
  std::map<std::string, nlohmann::json> all;
  for (const ParameterSetting& s : resolve_config(preset, sets).overrides) all[s.path] = s.value;
  return all;
}

std::string refusal(const std::string& preset, const std::vector<std::string>& sets) {
  try {
    resolve_config(preset, sets);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a setting of a GPU is one of each of its blocks of the kind") {
  const auto all = of_blocks("dualopt-small", {"gpu1.llc.ways=8"});
  const ResolvedConfig config = resolve_config("dualopt-small", {});
  REQUIRE(all.size() == config.gpu.system.slices_per_gpu());
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    CHECK(all.at("system.gpu1.llc" + std::to_string(i) + ".ways") == 8);
  }
}

TEST_CASE("a setting of a module or a partition reaches the blocks in it only") {
  // Four modules of two partitions, with one channel each.
  const auto module = of_blocks("mcm-nuba-small", {"gpu0.module1.dram.t_cl=9"});
  CHECK(module == std::map<std::string, nlohmann::json>{{"system.gpu0.dram2.t_cl", 9},
                                                        {"system.gpu0.dram3.t_cl", 9}});
  const auto partition = of_blocks("mcm-nuba-small", {"gpu0.module1.partition3.dram.t_cl=9"});
  CHECK(partition == std::map<std::string, nlohmann::json>{{"system.gpu0.dram3.t_cl", 9}});
}

TEST_CASE("the setting of an inner node prevails, and that of a block over both") {
  const std::vector<std::string> inner_first = {"gpu0.dram3.t_cl=7",
                                                "gpu0.module1.partition2.dram.t_cl=8",
                                                "gpu0.module1.dram.t_cl=9", "gpu0.dram.t_cl=10"};
  const std::vector<std::string> outer_first(inner_first.rbegin(), inner_first.rend());
  for (const auto& sets : {inner_first, outer_first}) {
    const auto all = of_blocks("mcm-nuba-small", sets);
    CHECK(all.at("system.gpu0.dram1.t_cl") == 10);
    CHECK(all.at("system.gpu0.dram2.t_cl") == 8);
    CHECK(all.at("system.gpu0.dram3.t_cl") == 7);
    CHECK(all.at("system.gpu0.dram4.t_cl") == 10);
  }
}

TEST_CASE("a setting of a node is recorded as it was chosen, in the parameter's unit") {
  const ResolvedConfig c = resolve_config("dualopt-small", {"gpu1.llc.clock_hz=1GHz"});
  CHECK(c.settings().dump() == R"({"system.gpu1.llc.clock_hz":1000000000})");
}

TEST_CASE("a setting of a node that cannot take effect is refused") {
  CHECK(refusal("dualopt-small", {"gpu1.llc.wayz=8"}) ==
        "--set: system.gpu1.llc0: wayz: no such parameter; did you mean 'ways'?");
  CHECK(refusal("dualopt-small", {"gpu1.llc.ways=8", "gpu1.llc.ways=4"}) ==
        "--set: system.gpu1.llc0: ways: set here for the second time, to 4; the first is 8");
  // The kind is in the system only.
  CHECK(refusal("dualopt-small", {"gpu1.fabric.impl=tlm"})
            .find("--set: system.gpu1.fabric.impl: no such block") == 0);
}

}  // namespace tessera::node_settings_test
