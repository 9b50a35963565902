// SPDX-License-Identifier: Apache-2.0
// Copies of other partitions' lines do not outlive a kernel (NUBA section 5.3), and the values
// that travel tell if they do.
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "platforms/simulation.h"
#include "stimuli/ptx/module.h"

using namespace tessera;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::uint32_t kThreads = 128;
constexpr std::uint32_t kCtas = 8;  ///< one on each SM of nuba-small

/// gather: out[gid] = in[tid], of which `in` is only read; raise: in[tid] += 1000.
constexpr const char* kPtx = R"(.version 6.0
.target sm_70
.address_size 64
.visible .entry gather(.param .u64 p0, .param .u64 p1)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<12>;
  ld.param.u64 %rd1, [p0];
  ld.param.u64 %rd2, [p1];
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd5, %r3, 4;
  add.s64 %rd6, %rd3, %rd5;
  mul.wide.u32 %rd7, %r4, 4;
  add.s64 %rd8, %rd4, %rd7;
  ld.global.u32 %r5, [%rd6];
  st.global.u32 [%rd8], %r5;
  ret;
}
.visible .entry raise(.param .u64 p0)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [p0];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.u32 %r2, [%rd4];
  add.s32 %r3, %r2, 1000;
  st.global.u32 [%rd4], %r3;
  ret;
}
)";

/// Every partition reads an array, one CTA writes it, every partition reads it again.
class ReadWriteRead final : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  void run(Device& device, Scale, std::uint64_t) override {
    in_ = device.allocate("in", kThreads * 4);
    before_ = device.allocate("before", kCtas * kThreads * 4);
    after_ = device.allocate("after", kCtas * kThreads * 4);
    std::vector<std::uint32_t> values;
    for (std::uint32_t i = 0; i < kThreads; ++i) values.push_back(i);
    device.write(in_, values.data(), kThreads * 4);
    launch(device, "gather", kCtas, {in_, before_});
    launch(device, "raise", 1, {in_});
    launch(device, "gather", kCtas, {in_, after_});
  }

  std::optional<Verification> verify(Device& device) override {
    Verification v;
    std::vector<std::uint32_t> before(kCtas * kThreads);
    std::vector<std::uint32_t> after(kCtas * kThreads);
    device.read(before.data(), before_, before.size() * 4);
    device.read(after.data(), after_, after.size() * 4);
    for (std::uint32_t i = 0; i < before.size(); ++i) {
      v.compared += 2;
      if (before[i] != i % kThreads) ++v.wrong;
      if (after[i] != i % kThreads + 1000) ++v.wrong;
      if (after[i] == i % kThreads) ++stale_;
    }
    v.passed = v.wrong == 0;
    return v;
  }

  /// Values of the last kernel that are those from before the write.
  std::uint64_t stale() const { return stale_; }

 private:
  void launch(Device& device, const char* kernel, std::uint32_t ctas,
              const std::vector<Address>& arguments) {
    LaunchRequest r;
    r.module = &module_;
    r.kernel = kernel;
    r.grid = {ctas, 1, 1};
    r.block = {kThreads, 1, 1};
    for (const Address a : arguments) r.arguments.push_back(KernelArgument::of(a));
    device.launch(r);
  }

  const ptx::Module module_ = ptx::parse(kPtx, "stale.ptx");
  const WorkloadInfo info_{"read-write-read", "", "", true};
  Address in_ = 0;
  Address before_ = 0;
  Address after_ = 0;
  std::uint64_t stale_ = 0;
};

RunResult run(ReadWriteRead& workload, const std::string& caching, bool keep_replicas) {
  BuildOptions build;
  build.keep_replicas = keep_replicas;
  Simulation simulation(resolve_config("nuba-small", {"system.remote_caching=" + caching}), build);
  RunOptions options;
  options.values = ValueMode::kCarried;
  return simulation.run(workload, options);
}

std::uint64_t sum(const RunResult& r, const char* counter) {
  std::uint64_t total = 0;
  for (unsigned i = 0; i < 8; ++i) {
    total +=
        r.stats["modules"]["system.gpu0.llc" + std::to_string(i)][counter].get<std::uint64_t>();
  }
  return total;
}

}  // namespace

TEST_CASE("a replica that was read before a write is gone in the next kernel") {
  ReadWriteRead workload;
  const RunResult r = run(workload, "full-replication", false);
  CHECK_FALSE(r.failure.has_value());
  REQUIRE(r.verification.has_value());
  CHECK(r.verification->passed);
  CHECK(workload.stale() == 0);
  // The array's four lines, in each of the three partitions that are not their home, twice.
  CHECK(sum(r, "replica_misses") == 2 * 3 * 4);
  // The lines lie in both slices of a partition: two slices of three partitions, after two kernels.
  CHECK(sum(r, "flushes") == 2 * 3 * 2);
}

TEST_CASE("without the flush at kernel ends every other partition reads its stale replica") {
  ReadWriteRead workload;
  const RunResult r = run(workload, "full-replication", true);
  CHECK(r.failure.has_value());
  REQUIRE(r.verification.has_value());
  CHECK_FALSE(r.verification->passed);
  CHECK(workload.stale() == kThreads * kCtas * 3 / 4);
  CHECK(r.verification->wrong == workload.stale());
  CHECK(sum(r, "flushes") == 0);
}

TEST_CASE("without replication nothing is flushed and nothing is stale") {
  ReadWriteRead workload;
  const RunResult r = run(workload, "home", false);
  REQUIRE(r.verification.has_value());
  CHECK(r.verification->passed);
  CHECK(sum(r, "flushes") == 0);
  CHECK(sum(r, "replica_misses") == 0);
}
