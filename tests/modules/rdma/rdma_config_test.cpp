// SPDX-License-Identifier: Apache-2.0
#include "modules/rdma/rdma_config.h"

#include <catch2/catch.hpp>

#include "common/json.h"
#include "modules/kernel/parameters.h"
#include "modules/rdma/decision_engine.h"

namespace tessera::rdma_config_test {

TEST_CASE("RDMA's defaults are DualOpt Table 1's and MGPUSim's") {
  const RdmaConfig c;
  CHECK(c.validate().empty());
  CHECK(c.staging_entries == 64);
  CHECK(c.timeout_cycles == 30);
  CHECK(c.request_header_bytes == 12);
  CHECK(c.response_header_bytes == 4);
  CHECK(c.port_depth == 128);
  CHECK(c.outgoing_depth == 64);
  CHECK(c.format().granules_per_packet() == 10);
  const DecisionConfig d;
  CHECK(d.validate().empty());
  CHECK(d.window_accesses == 20'000);
}

TEST_CASE("RDMA: validate names every fault") {
  RdmaConfig c;
  c.clock_hz = 0;
  c.latency_cycles = 0;
  c.port_depth = 0;
  c.outgoing_depth = 0;
  c.staging_entries = 0;
  c.request_header_bytes = 0;
  c.response_header_bytes = 0;
  c.packet_payload_bytes = 5;
  CHECK(c.validate().size() == 8);
  c = RdmaConfig{};
  c.transfer_bytes = 12;
  CHECK(c.validate().size() == 1);
  c = RdmaConfig{};
  c.packet_payload_bytes = 6 * 32;
  CHECK(c.validate().empty());
  c.packet_payload_bytes = 6 * 33;
  CHECK(c.validate().size() == 1);
  DecisionConfig d;
  d.clock_hz = 0;
  d.window_accesses = 0;
  CHECK(d.validate().size() == 2);
}

TEST_CASE("RDMA: parameters are set by their names and listed with their values") {
  RdmaConfig c;
  const nlohmann::ordered_json all = {{"clock_hz", 2'000'000'000},
                                      {"latency_cycles", 2},
                                      {"port_depth", 3},
                                      {"outgoing_depth", 4},
                                      {"staging_entries", 5},
                                      {"timeout_cycles", 6},
                                      {"request_header_bytes", 16},
                                      {"response_header_bytes", 8},
                                      {"packet_payload_bytes", 128},
                                      {"transfer_bytes", 8},
                                      {"id_bytes", 1},
                                      {"ideal_coalescing", true}};
  std::vector<ParameterSetting> settings;
  for (const auto& [name, value] : all.items())
    settings.push_back({name, nlohmann::json(value), "--set"});
  ParameterReader reader(settings);
  describe(reader, c);
  reader.throw_if_failed();
  ParameterLister lister;
  describe(lister, c);
  CHECK(lister.to_json() == all);
  CHECK(c.format().granules_per_packet() == 14);  // 128 / 9
  CHECK(c.format().request_header_bytes == 16);
  CHECK(c.format().response_header_bytes == 8);
}

TEST_CASE("decision engine: parameters are set by their names and listed with their values") {
  DecisionConfig c;
  const nlohmann::ordered_json all = {{"clock_hz", 2'000'000'000},
                                      {"warmup_accesses", 2},
                                      {"window_accesses", 3},
                                      {"gpu_latency_ns", 4}};
  std::vector<ParameterSetting> settings;
  for (const auto& [name, value] : all.items())
    settings.push_back({name, nlohmann::json(value), "--set"});
  ParameterReader reader(settings);
  describe(reader, c);
  reader.throw_if_failed();
  ParameterLister lister;
  describe(lister, c);
  CHECK(lister.to_json() == all);
}

}  // namespace tessera::rdma_config_test
