// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/noc_config.h"

#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "common/json.h"
#include "common/parameter_visitor.h"
#include "modules/kernel/parameters.h"

namespace tessera::noc_config_test {

TEST_CASE("the defaults are NUBA's crossbar: 64 ports give 1.43 TB/s") {
  const NocConfig c;
  CHECK(c.validate(64, 64).empty());
  CHECK(c.bandwidth(64) == Approx(1.4336e12));
  CHECK(LinkConfig{}.bandwidth() * 64 == Approx(2.8672e12));
  CHECK(LinkConfig{}.validate().empty());
}

TEST_CASE("every error of a configuration is listed") {
  NocConfig c;
  c.clock_hz = 0;
  c.stage_latency = 0;
  c.radix = 65;
  c.header_bytes = 0;
  c.input_buffer_flits = 7;  // a line of 128 bytes needs 8
  CHECK(c.validate().size() == 5);
  CHECK(c.validate(0, 65 * 65 + 1).size() == 7);
  c.link_bytes = 0;
  CHECK(c.validate().size() == 5);
  LinkConfig l;
  l.latency = 0;
  l.buffer_flits = 4;  // 136 bytes over 32-byte links: 5
  CHECK(l.validate().size() == 2);
}

TEST_CASE("speedups, output buffers and iterations have limits") {
  NocConfig c;
  for (const std::uint32_t speedup : {1U, 8U}) {
    c.internal_speedup = speedup;
    CHECK(c.validate().empty());
  }
  for (const std::uint32_t speedup : {0U, 9U}) {
    c.internal_speedup = speedup;
    REQUIRE(c.validate().size() == 1);
    CHECK(c.validate().front() ==
          "internal_speedup is " + std::to_string(speedup) + ": 1 to 8 expected");
  }
  c = NocConfig{};
  c.arbitration_iterations = 0;
  c.output_buffer_flits = 65'536;
  CHECK(c.validate().size() == 2);
}

TEST_CASE("an output buffer is as large as an input buffer where a speedup needs it") {
  NocConfig c;
  CHECK(c.output_flits() == 0);
  c.internal_speedup = 2;
  CHECK(c.output_flits() == 18);
  c.input_buffer_flits = 40;
  CHECK(c.output_flits() == 40);
  c.output_buffer_flits = 9;
  CHECK(c.output_flits() == 9);
}

TEST_CASE("a wrong setting of a switch is refused with what was expected") {
  const auto message = [](const char* name, const nlohmann::json& value) -> std::string {
    NocConfig c;
    tessera::ParameterReader reader({{name, value, "--set"}});
    describe(reader, c);
    try {
      reader.throw_if_failed();
    } catch (const tessera::InputError& e) {
      return e.what();
    }
    return {};
  };
  CHECK(message("internal_speedup", 2).empty());
  CHECK(message("input_queues", "virtual-output").empty());
  CHECK_THAT(message("internal_speedup", 0), Catch::Contains("1 to 8"));
  CHECK_THAT(message("internal_speedup", 16), Catch::Contains("1 to 8"));
  CHECK_THAT(message("input_queues", "voq"), Catch::Contains("fifo, virtual-output"));
  CHECK_THAT(message("input_queues", "virtual-outptu"), Catch::Contains("virtual-output"));
  CHECK_THAT(message("internal_speed", 2), Catch::Contains("internal_speedup"));
}

TEST_CASE("ports beyond radix squared are refused") {
  const NocConfig c;
  CHECK(c.validate(64, 65).size() == 1);
  CHECK(c.validate(65, 65).size() == 2);
  NocConfig wide;
  wide.radix = 16;
  CHECK(wide.validate(256, 256).empty());
}

TEST_CASE("every field is described with a unit and a source") {
  NocConfig c;
  tessera::ParameterLister lister;
  describe(lister, c);
  CHECK(lister.parameters().size() == 11);
  LinkConfig l;
  describe(lister, l);
  CHECK(lister.parameters().size() == 16);
  for (const auto& p : lister.parameters()) {
    CHECK(p.info.unit.empty() == (p.kind == "text"));
    CHECK((p.info.description.find("NUBA") != std::string::npos ||
           p.info.description.find("not published") != std::string::npos));
  }
}

TEST_CASE("more ports than a switch has are dealt to two stages of switches") {
  const auto shape = [](std::uint32_t entries, std::uint32_t exits) {
    std::vector<std::array<std::uint32_t, 3>> all;
    for (const SwitchStage& s : switch_stages(entries, exits, 8)) {
      all.push_back({s.switches, s.inputs, s.outputs});
    }
    return all;
  };
  using Stages = std::vector<std::array<std::uint32_t, 3>>;
  CHECK(shape(8, 3) == Stages{{1, 8, 3}});
  CHECK(shape(64, 64) == Stages{{8, 8, 8}, {8, 8, 8}});
  // 16 entries in four switches of four, 20 exits in four of five.
  CHECK(shape(16, 20) == Stages{{4, 4, 4}, {4, 4, 5}});
}

}  // namespace tessera::noc_config_test
