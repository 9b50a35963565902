// SPDX-License-Identifier: Apache-2.0
#include "modules/mdr/mdr_config.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "common/json.h"
#include "modules/kernel/parameters.h"

namespace tessera::mdr_config_test {

TEST_CASE("MDR's defaults are NUBA section 5.1's: 20 K cycles, 8 sets, 116 cycles, 384 bytes") {
  const MdrConfig c;
  CHECK(c.epoch_cycles == 20'000);
  CHECK(c.sampled_sets == 8);
  CHECK(c.evaluation_cycles == 116);
  CHECK(c.profiling_bytes(16) == 384);
  CHECK(c.validate(48, 64).empty());
}

TEST_CASE("MDR: the profiling state grows with sets and ways") {
  MdrConfig c;
  c.sampled_sets = 4;
  CHECK(c.profiling_bytes(16) == 192);
  CHECK(c.profiling_bytes(2) == 24);
}

TEST_CASE("MDR: validate names every fault") {
  MdrConfig c;
  c.clock_hz = 0;
  c.sampled_sets = 0;
  c.evaluation_cycles = 20'000;
  CHECK(c.validate().size() == 3);
  c = MdrConfig{};
  c.evaluation_cycles = 0;
  CHECK(c.validate().size() == 1);
  c.evaluation_cycles = 19'999;
  CHECK(c.validate().empty());
  c.sampled_sets = 48;
  c.sampled_slice = 63;
  CHECK(c.validate(48, 64).empty());
  CHECK(c.validate(47, 64).size() == 1);
  CHECK(c.validate(48, 63).size() == 1);
}

TEST_CASE("MDR: parameters are set by their names and listed with their values") {
  MdrConfig c;
  ParameterReader reader({{"epoch_cycles", 1000, "--set"},
                          {"evaluation_cycles", 7, "--set"},
                          {"sampled_sets", 3, "--set"},
                          {"sampled_slice", 5, "--set"},
                          {"clock_hz", 1'000'000'000, "--set"}});
  describe(reader, c);
  reader.throw_if_failed();
  ParameterLister lister;
  describe(lister, c);
  CHECK(lister.to_json() == nlohmann::ordered_json{{"clock_hz", 1'000'000'000},
                                                   {"epoch_cycles", 1000},
                                                   {"evaluation_cycles", 7},
                                                   {"sampled_sets", 3},
                                                   {"sampled_slice", 5},
                                                   {"transient_costs", false}});
}

}  // namespace tessera::mdr_config_test
