// SPDX-License-Identifier: Apache-2.0
// A launch plan says for single arrays where their lines are cached.
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "platforms/run_result.h"
#include "platforms/simulation.h"
#include "policies/launch_planner.h"
#include "stimuli/ptx/module.h"
#include "stimuli/runner/module_loader.h"

namespace tessera::launch_caching_test {

namespace {

constexpr std::uint32_t kCtas = 8;    ///< one on each SM of nuba-small, two of a partition
constexpr std::uint32_t kLinesA = 3;  ///< per launch: of a, and of b
constexpr std::uint32_t kLinesB = 5;
constexpr std::uint32_t kOthers = 3;  ///< partitions that are not a line's home

/// Each warp reads all of a and of b, which nothing writes, and stores the sums.
constexpr const char* kSum = R"(
.version 6.0
.target sm_70
.address_size 64
.visible .entry sum(.param .u64 a, .param .u64 b, .param .u64 out, .param .u32 na, .param .u32 nb)
{
  .reg .pred %p;
  .reg .b32 %r<10>;
  .reg .b64 %d<10>;
  ld.param.u64 %d0, [a];
  ld.param.u64 %d1, [b];
  ld.param.u64 %d2, [out];
  ld.param.u32 %r0, [na];
  ld.param.u32 %r1, [nb];
  cvta.to.global.u64 %d0, %d0;
  cvta.to.global.u64 %d1, %d1;
  cvta.to.global.u64 %d2, %d2;
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %d3, %r2, 4;
  add.s64 %d0, %d0, %d3;
  add.s64 %d1, %d1, %d3;
  mov.u32 %r3, 0;
A:
  ld.global.u32 %r4, [%d0];
  add.s32 %r3, %r3, %r4;
  add.s64 %d0, %d0, 128;
  sub.s32 %r0, %r0, 1;
  setp.ne.s32 %p, %r0, 0;
  @%p bra A;
B:
  ld.global.u32 %r4, [%d1];
  add.s32 %r3, %r3, %r4;
  add.s64 %d1, %d1, 128;
  sub.s32 %r1, %r1, 1;
  setp.ne.s32 %p, %r1, 0;
  @%p bra B;
  mov.u32 %r5, %ctaid.x;
  mad.lo.s32 %r6, %r5, 32, %r2;
  mul.wide.u32 %d4, %r6, 4;
  add.s64 %d2, %d2, %d4;
  st.global.u32 [%d2], %r3;
  ret;
}
)";

/// The array of one argument is cached at its requesters, all others at home only.
struct Parameters {
  std::uint32_t copied = 0;  ///< argument number; none if beyond
};

void describe(ParameterVisitor& v, Parameters& p) {
  v.integer("copied", p.copied, "", "argument whose array is cached at its requesters", 0, 99);
}

class CopyOne final : public LaunchPlanner {
 public:
  explicit CopyOne(const Parameters& p) : copied_(p.copied) {}
  LaunchPlan plan(const LaunchView& launch) override {
    LaunchPlan plan;
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      if (!launch.arguments[i].array) continue;
      plan.caching.push_back(
          {launch.arrays[*launch.arguments[i].array].address, {i == copied_, true}});
    }
    return plan;
  }

 private:
  const std::uint32_t copied_;
};

std::unique_ptr<LaunchPlanner> make(const PolicyContext&, const Parameters& p) {
  return std::make_unique<CopyOne>(p);
}
const PolicyRegistration<LaunchPlanner> kRegistered("copy-one", "for this test", make);

/// Writes a and b anew before each of its launches.
class Sums final : public Workload {
 public:
  explicit Sums(unsigned launches) : launches_(launches) {}

  const WorkloadInfo& info() const override { return info_; }
  void run(Device& device, Scale, std::uint64_t) override {
    const ptx::Module module = ptx::parse(kSum, "sum.ptx");
    const Address a = device.allocate("a", kLinesA * 128);
    const Address b = device.allocate("b", kLinesB * 128);
    out_ = device.allocate("out", kCtas * 128);
    const auto loader = kernels::ModuleLoader::make(device);
    for (unsigned i = 0; i < launches_; ++i) {
      const std::vector<std::uint32_t> ones(kLinesA * 32, 1 + i);
      const std::vector<std::uint32_t> tens(kLinesB * 32, 10 + i);
      device.write(a, ones.data(), ones.size() * 4);
      device.write(b, tens.data(), tens.size() * 4);
      LaunchRequest r;
      r.source = loader->source(module);
      r.kernel = "sum";
      r.grid = {kCtas, 1, 1};
      r.block = {32, 1, 1};
      r.arguments = {KernelArgument::of(a), KernelArgument::of(b), KernelArgument::of(out_),
                     KernelArgument::of(kLinesA), KernelArgument::of(kLinesB)};
      device.launch(r);
    }
  }
  std::optional<Verification> verify(Device& device) override {
    Verification v;
    const std::uint32_t expected = kLinesA * launches_ + kLinesB * (9 + launches_);
    for (std::uint32_t i = 0; i < kCtas * 32; ++i) {
      std::uint32_t got = 0;
      device.read(&got, out_ + 4 * std::uint64_t{i}, 4);
      ++v.compared;
      v.wrong += got == expected ? 0 : 1;
    }
    v.passed = v.wrong == 0;
    return v;
  }

 private:
  const unsigned launches_;
  Address out_ = 0;
  WorkloadInfo info_{"sums", "", "", true};
};

RunResult run(const std::vector<std::string>& sets, unsigned launches = 1) {
  Simulation simulation(resolve_config("nuba-small", sets), {true});
  Sums workload(launches);
  RunOptions options;
  options.values = ValueMode::kCarried;
  return simulation.run(workload, options);
}

/// Lines that slices fetched as copies of other partitions' lines, in a run that verifies.
std::uint64_t copies(const std::vector<std::string>& sets, unsigned launches = 1) {
  const RunResult r = run(sets, launches);
  INFO(r.failure.value_or(""));
  REQUIRE(r.verification.has_value());
  CHECK(r.verification->passed);
  std::uint64_t total = 0;
  for (const auto& [name, statistics] : r.stats["modules"].items()) {
    if (!statistics.contains("replica_misses")) continue;
    total += statistics["replica_misses"].get<std::uint64_t>();
  }
  return total;
}

}  // namespace

TEST_CASE("a plan has the first array's lines cached at their requesters, and no others") {
  CHECK(copies({"dispatch.planner=copy-one"}) == kOthers * kLinesA);
}

TEST_CASE("a plan has the second array's lines cached at their requesters, and no others") {
  CHECK(copies({"dispatch.planner=copy-one", "launch_planner.copy-one.copied=1"}) ==
        kOthers * kLinesB);
}

TEST_CASE("a plan keeps home what the platform's policy would copy") {
  CHECK(copies({"dispatch.planner=copy-one", "launch_planner.copy-one.copied=99",
                "system.remote_caching=full-replication"}) == 0);
}

TEST_CASE("arrays of which a plan says nothing follow the platform's policy") {
  CHECK(copies({"system.remote_caching=full-replication"}) == kOthers * (kLinesA + kLinesB));
}

TEST_CASE("an array that the kernel writes is not copied, whatever a plan says") {
  CHECK(copies({"dispatch.planner=copy-one", "launch_planner.copy-one.copied=2"}) == 0);
}

TEST_CASE("a plan's copies end with their kernel: the next one reads what was written since") {
  CHECK(copies({"dispatch.planner=copy-one"}, 2) == 2 * kOthers * kLinesA);
}

TEST_CASE("a plan cannot have copies where the platform's policy keeps none") {
  CHECK_THROWS_WITH(run({"dispatch.planner=copy-one", "system.remote_caching=home"}),
                    Catch::Contains("system.remote_caching (home) keeps no copies"));
}

TEST_CASE("a platform whose slices cache no others' lines refuses caching of single arrays") {
  Simulation simulation(resolve_config("uba-mem-small", {"dispatch.planner=copy-one"}), {true});
  Sums workload(1);
  CHECK_THROWS_WITH(simulation.run(workload, {}), Catch::Contains("no block of this platform has"));
}

}  // namespace tessera::launch_caching_test
