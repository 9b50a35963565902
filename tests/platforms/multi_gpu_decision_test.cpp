// SPDX-License-Identifier: Apache-2.0
// The decision engine on the platform: what loads look like decides how lines travel (DualOpt
// section 4.3, figure 11).
#include <catch2/catch.hpp>

#include "modules/rdma/decision_engine.h"
#include "tests/platforms/multi_gpu_sums.h"

namespace tessera::multi_gpu_decision_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

using Verdict = DecisionEngine::Verdict;

constexpr std::uint32_t kPages = 4;       ///< of each GPU
constexpr std::uint64_t kWarmUp = 20;     ///< remote accesses of a GPU
constexpr std::uint64_t kWindow = 100;    ///< the same
constexpr std::uint32_t kEnough = 10000;  ///< loads of a GPU that fill both without a remote one

std::vector<std::string> settings() {
  return {kPlacedByHand, "decision.warmup_accesses=" + std::to_string(kWarmUp),
          "decision.window_accesses=" + std::to_string(kWindow)};
}

/// Each GPU's SMs load, as `load` says, lines of the GPU `away` GPUs further on, `loads` of each
/// GPU: line `n` of an SM, from address `page` of its own part on.
template <class F>
std::uint64_t run_loads(GpuRig& rig, std::uint32_t away, std::uint32_t loads, F load) {
  const GpuConfig& c = rig.config();
  const std::uint32_t gpus = c.system.gpus;
  for (std::uint32_t n = 0; n < gpus * kPages; ++n) place(rig, n, n / kPages);
  std::vector<std::vector<ListAccess>> lists(c.system.sms);
  for (std::uint32_t sm = 0; sm < c.system.sms; ++sm) {
    const std::uint32_t gpu = (sm / sms_per_gpu(c) + away) % gpus;
    const std::uint32_t part = kPages / sms_per_gpu(c);
    const Address from = kBase + (gpu * kPages + sm % sms_per_gpu(c) * part) * c.system.page_bytes;
    for (std::uint32_t n = 0; n < loads / sms_per_gpu(c); ++n) lists[sm].push_back(load(from, n));
  }
  ListKernel kernel(std::move(lists), false);
  return rig.run(kernel);
}

void check_verdict(GpuRig& rig, Verdict verdict, std::uint64_t cycles) {
  const auto number = static_cast<double>(verdict);
  CHECK(rig.value("decision", "verdict") == number);
  CHECK(rig.value("decision", "golden_verdict") == number);
  CHECK(rig.value("decision", "decided_at_cycle") > 0);
  CHECK(rig.value("decision", "decided_at_cycle") < static_cast<double>(cycles));
}

}  // namespace

TEST_CASE("scattered single pieces of other GPUs end in coalescing") {
  GpuRig rig("dualopt-small", settings());
  // Every line once, a piece of it; 64 lines a page.
  const std::uint64_t cycles = run_loads(
      rig, 1, 256, [](Address from, std::uint32_t n) { return piece_load(from + n * 64); });
  check_verdict(rig, Verdict::kCoalescing, cycles);
  // Lines until then, pieces that share packets from then on; nothing went into a remote cache.
  const std::uint64_t lines = rig.sum("rdma", "bytes_out_line") / 68;
  CHECK(lines >= 3 * (kWarmUp + kWindow));
  CHECK(rig.sum("rdma", "coalesced_responses") > 0);
  double words = 0;
  for (const char* rdma : {"gpu0.rdma", "gpu1.rdma", "gpu2.rdma", "gpu3.rdma"}) {
    words += rig.value(rdma, "responses_per_packet", "sum");
  }
  CHECK(static_cast<double>(lines) + words == 4 * 256);
  CHECK(rig.sum("rcache", "reads") == 0);
}

TEST_CASE("whole lines of other GPUs that come again end in the remote cache") {
  GpuRig rig("dualopt-small", settings());
  const std::uint64_t cycles = run_loads(
      rig, 1, 1024, [](Address from, std::uint32_t n) { return line_load(from + n % 32 * 64); });
  check_verdict(rig, Verdict::kRemoteCache, cycles);
  CHECK(rig.sum("rcache", "bypasses") > 0);
  CHECK(rig.sum("rdma", "coalesced_responses") == 0);
}

TEST_CASE("whole lines of other GPUs that come once end in the remote cache, too") {
  GpuRig rig("dualopt-small", settings());
  const std::uint64_t cycles = run_loads(
      rig, 1, 256, [](Address from, std::uint32_t n) { return line_load(from + n * 64); });
  check_verdict(rig, Verdict::kRemoteCache, cycles);
  CHECK(rig.sum("rcache", "reads") > 0);
}

TEST_CASE("local data leave everything as it is") {
  GpuRig rig("dualopt-small", settings());
  const std::uint64_t cycles = run_loads(
      rig, 0, kEnough, [](Address from, std::uint32_t n) { return line_load(from + n % 64 * 64); });
  check_verdict(rig, Verdict::kLine, cycles);
  CHECK(rig.sum("rdma", "requests_out") == 0);
  CHECK(rig.sum("rcache", "reads") == 0);
}

}  // namespace tessera::multi_gpu_decision_test
