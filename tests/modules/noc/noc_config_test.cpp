// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/noc_config.h"

#include <array>
#include <catch2/catch.hpp>
#include <vector>

namespace {

using tessera::LinkConfig;
using tessera::NocConfig;
using tessera::switch_stages;
using tessera::SwitchStage;

}  // namespace

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
