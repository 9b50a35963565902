// SPDX-License-Identifier: Apache-2.0
// Values that travel between GPUs: across kernels, and by other ways than timed accesses.
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>

#include "modules/kernel/sc_time.h"
#include "modules/llc/llc_slice.h"
#include "modules/mmu/uvm_driver.h"
#include "modules/noc/crossbar.h"
#include "modules/rdma/rdma_engine.h"
#include "modules/sm/l1_cache.h"
#include "platforms/run_result.h"
#include "tests/platforms/multi_gpu_sums.h"
#include "tests/platforms/read_write_read.h"

namespace tessera::multi_gpu_values_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

/// 8 CTAs on each GPU, whose results fill one page of its own.
constexpr std::uint32_t kCtas = 32;
constexpr std::uint32_t kResults = kCtas * ReadWriteRead::kThreads;

/// The array lies in the last quarter of its allocation, in GPU 3's memory; GPU 0 writes it.
RunResult run_read_write_read(ReadWriteRead& workload, const std::string& preset,
                              bool keep_replicas) {
  BuildOptions build;
  build.check_protocol = true;
  build.keep_replicas = keep_replicas;
  Simulation simulation(resolve_config(preset, {"system.page_placement=kernel-wide"}), build);
  RunOptions options;
  options.values = ValueMode::kCarried;
  return simulation.run(workload, options);
}

void check_fresh(const std::string& preset) {
  ReadWriteRead workload(kCtas, 3, 4);
  const RunResult r = run_read_write_read(workload, preset, false);
  INFO(r.failure.value_or(""));
  REQUIRE(r.verification.has_value());
  CHECK(r.verification->passed);
  CHECK(workload.stale() == 0);
  CHECK_FALSE(workload.host_sees_old());
}

}  // namespace

TEST_CASE("what a remote cache held and wrote is right in the next kernel") {
  check_fresh("dualopt-cache-small");
}

TEST_CASE("without the flush at kernel ends the writer's GPU alone sees what was written") {
  ReadWriteRead workload(kCtas, 3, 4);
  const RunResult r = run_read_write_read(workload, "dualopt-cache-small", true);
  CHECK(r.failure.has_value());
  REQUIRE(r.verification.has_value());
  // GPU 0 has it dirty in its remote cache. GPUs 1 and 2 have their copies from before, and GPU 3
  // its own memory, which nobody has written to. The host's untimed read finds the dirty bytes.
  CHECK(workload.stale() == kResults * 3 / 4);
  CHECK(r.verification->wrong == workload.stale());
  CHECK_FALSE(workload.host_sees_old());
}

TEST_CASE("without remote caches nothing is flushed and nothing is stale") {
  ReadWriteRead workload(kCtas, 3, 4);
  // The L1s are flushed nonetheless.
  const RunResult r = run_read_write_read(workload, "dca-small", true);
  REQUIRE(r.verification.has_value());
  CHECK(r.verification->passed);
}

namespace {

template <class Module>
Module& find(const std::string& name) {
  auto* module = dynamic_cast<Module*>(sc_core::sc_find_object(name.c_str()));
  REQUIRE(module != nullptr);
  return *module;
}

struct Untimed {
  tlm::tlm_generic_payload payload;
  MemoryRequest request;
  std::uint32_t word = 0;

  Untimed(tlm::tlm_command command, std::uint64_t address, std::uint32_t value) : word(value) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    payload.set_data_length(sizeof word);
    payload.set_streaming_width(sizeof word);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }
};

/// The word that GPU `gpu`'s first SM sees at an address by a debug access.
std::uint32_t seen_by(unsigned gpu, std::uint64_t address) {
  Untimed read(tlm::TLM_READ_COMMAND, address, 0);
  L1Cache& l1 = find<L1Cache>("system.gpu" + std::to_string(gpu) + ".l1_0");
  CHECK(l1.core.get_base_interface().transport_dbg(read.payload) == 4);
  return read.word;
}

/// Debug accesses of any GPU, and loosely timed ones of GPU 1, to a line of GPU 2.
void check_untimed(const std::string& preset) {
  GpuRig rig(preset, {kPlacedByHand}, BuildOptions{});
  const GpuConfig& c = rig.config();
  const Address page = place(rig, 0, 2);
  rig.cycles_of({line_load(page)}, 4);  // the line is in its home slice from now on
  const std::uint64_t address = *rig.system().uvm().translate(page) + 8;

  std::uint32_t word = 0x12345678;
  rig.system().memory().access(tlm::TLM_WRITE_COMMAND, address, &word, sizeof word);
  for (unsigned gpu = 0; gpu < c.system.gpus; ++gpu) CHECK(seen_by(gpu, address) == word);

  Untimed write(tlm::TLM_WRITE_COMMAND, address, 0xCAFE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  L1Cache& l1 = find<L1Cache>("system.gpu1.l1_0");
  l1.core.get_base_interface().b_transport(write.payload, delay);
  CHECK(write.payload.get_response_status() == tlm::TLM_OK_RESPONSE);
  for (unsigned gpu = 0; gpu < c.system.gpus; ++gpu) CHECK(seen_by(gpu, address) == 0xCAFE);

  Untimed read(tlm::TLM_READ_COMMAND, address, 0);
  delay = sc_core::SC_ZERO_TIME;
  l1.core.get_base_interface().b_transport(read.payload, delay);
  CHECK(read.payload.get_response_status() == tlm::TLM_OK_RESPONSE);
  CHECK(read.word == 0xCAFE);
  // L1, crossbar there and back, two engines there and back, the crossbar at home, the slice; the
  // fabric is free of charge.
  const std::uint64_t ingress =
      request_cycles(c.noc, 1, slices_per_gpu(c)) +
      packet_cycles(c.noc, c.noc.header_bytes + c.system.line_bytes, 1, slices_per_gpu(c));
  const std::uint64_t cycles = c.l1.latency_cycles + own_network_cycles(c) +
                               4 * c.rdma.latency_cycles + ingress + c.llc.latency_cycles;
  CHECK(delay == to_sc_time(ClockDomain(c.sm.clock_hz).time_of(cycles)));
  CHECK(rig.pool().live() == 0);
  CHECK(rig.value("fabric", "packets_1_2") == 1);  // the load's
}

}  // namespace

TEST_CASE("untimed accesses reach other GPUs' lines, and add up the latencies on their way") {
  check_untimed("dca-small");
}
TEST_CASE("untimed accesses reach other GPUs' lines past a remote cache that does not hold them") {
  check_untimed("dualopt-cache-small");
}

TEST_CASE("settings of single instances reach that GPU's block and no other") {
  Simulation simulation(resolve_config(
      "dualopt-small", {"system.gpu2.llc1.sets=8", "system.gpu1.rdma.timeout_cycles=7",
                        "system.gpu3.rcache1.ways=2", "system.gpu0.ingress_xbar.link_bytes=32"}));
  for (unsigned gpu = 0; gpu < 4; ++gpu) {
    const std::string at = "system.gpu" + std::to_string(gpu);
    CHECK(find<LlcSlice>(at + ".llc0").config().sets == 32);
    CHECK(find<LlcSlice>(at + ".llc1").config().sets == (gpu == 2 ? 8 : 32));
    CHECK(find<RdmaEngine>(at + ".rdma").config().timeout_cycles == (gpu == 1 ? 7 : 30));
    CHECK(find<LlcSlice>(at + ".rcache1").config().ways == (gpu == 3 ? 2 : 16));
    CHECK(find<Crossbar>(at + ".ingress_xbar").config().link_bytes == (gpu == 0 ? 32 : 128));
  }
}

}  // namespace tessera::multi_gpu_values_test
