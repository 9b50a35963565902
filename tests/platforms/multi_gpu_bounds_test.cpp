// SPDX-License-Identifier: Apache-2.0
// Streams of loads between GPUs against the fabric's bounds, and bytes between GPUs counted by
// hand.
#include <catch2/catch.hpp>

#include "tests/platforms/multi_gpu_sums.h"

namespace tessera::multi_gpu_bounds_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::uint32_t kLinesOfSm = 1024;  ///< that an SM reads of the other GPU: too many to
                                            ///< be under way twice, and few pages for its TLB
constexpr std::uint32_t kSms = 8;           ///< of a GPU
constexpr std::uint32_t kLines = kSms * kLinesOfSm;
constexpr std::uint32_t kRounds = 3;
/// Flits of 16 bytes: a request of 12 bytes, a line's response of 68; four go in a nanosecond.
constexpr double kRequestFlits = 1;
constexpr double kResponseFlits = 5;
constexpr double kFlitsPerCycle = 4;

double bytes_between(const GpuRig& rig, unsigned from, unsigned to) {
  return rig.value("fabric", "bytes_" + std::to_string(from) + "_" + std::to_string(to));
}

/// Two GPUs that share no bottleneck but the fabric: L1s that hold nothing and let enough loads
/// out, slices that hold all lines after the first round.
std::vector<std::string> stream_settings() {
  // An L1 of one frame keeps nothing; it would also be the only one to wait for a line.
  return {kPlacedByHand,
          "system.gpus=2",
          "l1.sets=1",
          "l1.ways=1",
          "l1.mshr_entries=128",
          "llc.sets=256",
          "sm.warp_scheduler=lrr",
          "l1.reserve_frames=false"};
}

/// The SMs of GPUs 0 to `readers` - 1 read the other GPU's lines, each its own; kernels of `lanes`
/// lanes a load.
ListKernel remote_stream(GpuRig& rig, std::uint32_t readers, unsigned lanes, unsigned rounds) {
  const GpuConfig& c = rig.config();
  REQUIRE(sms_per_gpu(c) == kSms);
  const std::uint32_t pages = kLines * c.system.line_bytes / c.system.page_bytes;
  for (std::uint32_t n = 0; n < 2 * pages; ++n) place(rig, n, n < pages ? 1 : 0);
  std::vector<std::vector<ListAccess>> lists(c.system.sms * kWarps);
  for (std::uint32_t sm = 0; sm < readers * kSms; ++sm) {
    for (std::uint32_t i = 0; i < kLinesOfSm * rounds; ++i) {
      const std::uint32_t line = sm * kLinesOfSm + i % kLinesOfSm;
      lists[sm * kWarps + i % kWarps].push_back(
          {kBase + line * c.system.line_bytes, AccessKind::kLoad, lanes});
    }
  }
  return {std::move(lists), false};
}

/// Lines a cycle that each reader gets.
double line_rate(GpuRig& rig, std::uint32_t readers) {
  ListKernel warming = remote_stream(rig, readers, 16, 1);
  rig.run(warming);
  const std::uint64_t before = rig.sum("rdma", "remote_reads_served");
  const std::uint64_t misses = rig.sum("llc", "misses");
  const double bytes = bytes_between(rig, 1, 0);
  ListKernel kernel = remote_stream(rig, readers, 16, kRounds);
  const auto cycles = static_cast<double>(rig.run(kernel));
  CHECK(rig.sum("rdma", "remote_reads_served") - before == readers * kLines * kRounds);
  CHECK(rig.sum("llc", "misses") == misses);
  const double requests = readers == 2 ? 12 : 0;
  CHECK(bytes_between(rig, 1, 0) - bytes == kLines * kRounds * (68 + requests));
  return kLines * kRounds / cycles;
}

}  // namespace

TEST_CASE("a stream of another GPU's lines reaches 90 % of the fabric and never exceeds it") {
  GpuRig rig("dca-small", stream_settings(), BuildOptions{});
  const double peak = kFlitsPerCycle / kResponseFlits;
  const double rate = line_rate(rig, 1);
  INFO(rate << " lines a cycle of " << peak);
  CHECK(rate <= peak);
  CHECK(rate >= 0.9 * peak);
}

TEST_CASE("two GPUs that read each other's lines share the wires with their requests") {
  GpuRig rig("dca-small", stream_settings(), BuildOptions{});
  const double peak = kFlitsPerCycle / (kResponseFlits + kRequestFlits);
  const double rate = line_rate(rig, 2);
  INFO(rate << " lines a cycle of " << peak);
  CHECK(rate <= peak);
  CHECK(rate >= 0.9 * peak);
}

TEST_CASE("a stream of single pieces fills packets of ten responses, and bytes are as counted") {
  GpuRig rig("dualopt-coalesced-small", stream_settings(), BuildOptions{});
  ListKernel kernel = remote_stream(rig, 1, 1, kRounds);
  // Without what precedes and follows the stream, 140 cycles each: the orders to the GPUs to begin
  // and to flush, their reports, a translation's request and its response.
  const auto cycles = static_cast<double>(rig.run(kernel)) - 6 * 140;
  const double loads = kLines * kRounds;
  CHECK(rig.value("gpu1.rdma", "responses_per_packet", "sum") == loads);
  const double packets = rig.value("gpu1.rdma", "packets_out_response");
  CHECK(packets == rig.value("gpu1.rdma", "responses_per_packet", "count"));
  INFO(loads / packets << " responses a packet");
  CHECK(loads / packets >= 9.5);
  CHECK(loads / packets <= 10);
  // A header a packet; 4 bytes and an id of 2 a response, but for those that are alone.
  const double together = rig.value("gpu1.rdma", "coalesced_responses");
  CHECK(bytes_between(rig, 1, 0) == packets * 4 + together * 6 + (loads - together) * 4);
  CHECK(bytes_between(rig, 0, 1) == loads * 12);
  // The engine passes a request a cycle, and comes near it.
  CHECK(loads / cycles <= 1);
  CHECK(loads / cycles >= 0.9);
}

namespace {

using Matrix = std::vector<std::vector<double>>;

Matrix byte_matrix(const GpuRig& rig) {
  const unsigned n = rig.config().system.gpus;
  Matrix m(n, std::vector<double>(n, 0));
  for (unsigned from = 0; from < n; ++from) {
    for (unsigned to = 0; to < n; ++to) {
      if (from != to) m[from][to] = bytes_between(rig, from, to);
    }
  }
  return m;
}

/// A kernel in which SM 4 (of GPU 1) loads from GPU 0 and stores to GPUs 0 and 2, and SM 12 (of
/// GPU 3) loads from GPU 1; SM 8 (of GPU 2) has what is its own.
void run_by_hand(GpuRig& rig) {
  const Address at0 = place(rig, 0, 0);
  const Address at1 = place(rig, 1, 1);
  const Address at2 = place(rig, 2, 2);
  std::vector<std::vector<ListAccess>> lists(rig.config().system.sms);
  lists[4] = {
      line_load(at0),        line_load(at0 + 64),  piece_load(at0 + 128, 3),
      line_load(at0),  // again
      store(at0 + 1024, 16), store(at0 + 1088, 4), store(at0 + 1088 + 16, 4), store(at2 + 256, 3),
  };
  lists[8] = {line_load(at2 + 512), store(at2 + 576, 16)};
  lists[12] = {piece_load(at1), piece_load(at1 + 64, 2), piece_load(at1)};
  ListKernel kernel(std::move(lists), true);
  rig.run(kernel);
}

}  // namespace

TEST_CASE("whole lines: bytes between GPUs are those counted by hand") {
  GpuRig rig("dca-small", {kPlacedByHand});
  run_by_hand(rig);
  const double stores = 3 * 12 + 64 + 16 + 16;
  CHECK(byte_matrix(rig) == Matrix{{0, 3 * 68 + 3 * 4, 0, 0},
                                   {3 * 12 + stores, 0, 12 + 12, 2 * 68},
                                   {0, 4, 0, 0},
                                   {0, 2 * 12, 0, 0}});
}

TEST_CASE("pieces: bytes between GPUs are those counted by hand") {
  GpuRig rig("dualopt-fine-small", {kPlacedByHand});
  run_by_hand(rig);
  // Lines are not kept: the repeated loads travel again.
  const double responses = 3 * (4 + 64) + (4 + 12);
  const double stores = 3 * 12 + 64 + 16 + 16;
  CHECK(byte_matrix(rig) == Matrix{{0, responses + 3 * 4, 0, 0},
                                   {4 * 12 + stores, 0, 12 + 12, 2 * (4 + 4) + (4 + 8)},
                                   {0, 4, 0, 0},
                                   {0, 3 * 12, 0, 0}});
}

TEST_CASE("pieces of 16 bytes: bytes between GPUs are those counted by hand") {
  GpuRig rig("dualopt-fine-small", {kPlacedByHand, "rdma.transfer_bytes=16"});
  run_by_hand(rig);
  const double responses = 3 * (4 + 64) + (4 + 16);
  const double stores = 3 * 12 + 64 + 16 + 16;
  CHECK(byte_matrix(rig) == Matrix{{0, responses + 3 * 4, 0, 0},
                                   {4 * 12 + stores, 0, 12 + 12, 3 * (4 + 16)},
                                   {0, 4, 0, 0},
                                   {0, 3 * 12, 0, 0}});
}

TEST_CASE("remote cache: lines once, and stores as a write-back a line at the kernel's end") {
  // L1s of one line: a line that comes again comes from the remote cache.
  GpuRig rig("dualopt-cache-small", {kPlacedByHand, "l1.sets=1", "l1.ways=1"});
  run_by_hand(rig);
  const double write_backs = (12 + 64) + (12 + 16 + 16);
  CHECK(byte_matrix(rig) == Matrix{{0, 3 * 68 + 2 * 4, 0, 0},
                                   {3 * 12 + write_backs, 0, 12 + 12, 2 * 68},
                                   {0, 4, 0, 0},
                                   {0, 2 * 12, 0, 0}});
  // Two loads that come again, and the second store to a line.
  CHECK(rig.sum("rcache", "hits") == 3);
}

}  // namespace tessera::multi_gpu_bounds_test
