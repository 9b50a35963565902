// SPDX-License-Identifier: Apache-2.0
// Pages that move between GPUs (DualOpt sections 2.3, 6.1 and 6.3).
#include <catch2/catch.hpp>

#include "modules/mmu/uvm_driver.h"
#include "platforms/run_result.h"
#include "stimuli/ptx/module.h"
#include "stimuli/runner/module_loader.h"
#include "tests/platforms/multi_gpu_sums.h"
#include "tests/platforms/read_write_read.h"

namespace tessera::multi_gpu_pages_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::uint32_t kPages = 6;
constexpr std::uint32_t kUsed = 4;  ///< of these, by GPU 1

const std::string kOften = "migration.interval_cycles=2000";

unsigned home_of(GpuRig& rig, std::uint32_t page) {
  const Address a = kBase + page * rig.config().system.page_bytes;
  return rig.system().address_map().page_home(*rig.system().uvm().translate(a)).value;
}

/// Pages 0 to 5 lie at GPU 0; an SM of GPU 1 reads all lines of the first four, twice.
void run_away_from_home(GpuRig& rig) {
  const GpuConfig& c = rig.config();
  for (std::uint32_t n = 0; n < kPages; ++n) place(rig, n, 0);
  std::vector<ListAccess> loads;
  for (unsigned round = 0; round < 2; ++round) {
    for (std::uint32_t at = 0; at < kUsed * c.system.page_bytes; at += c.system.line_bytes) {
      loads.push_back(line_load(kBase + at));
    }
  }
  rig.cycles_of(loads, sms_per_gpu(c));
  for (std::uint32_t n = 0; n < kPages; ++n) CHECK(home_of(rig, n) == (n < kUsed ? 1 : 0));
  CHECK(rig.value("page_migrator", "migrations") == kUsed);
  CHECK(rig.value("page_migrator", "bytes_moved") == kUsed * c.system.page_bytes);
  CHECK(rig.value("page_migrator", "refused") == 0);
  // 64 lines a page, twice; what follows a move is served from the SM's own memory.
  CHECK(rig.value("gpu0.rdma", "requests_in") > 0);
  CHECK(rig.value("gpu0.rdma", "requests_in") < kUsed * 64);
}

const std::string kAll = "migration.stop=all";

}  // namespace

TEST_CASE("pages move to the GPU that alone uses them, one at a time, and stay") {
  GpuRig rig("page-migration-small", {kPlacedByHand, kAll});
  run_away_from_home(rig);
  CHECK(rig.value("page_migrator", "drains") == kUsed);
  // Another GPU comes too late.
  rig.cycles_of({line_load(kBase), line_load(kBase + 64)}, 2 * sms_per_gpu(rig.config()));
  CHECK(home_of(rig, 0) == 1);
  CHECK(rig.value("page_migrator", "migrations") == kUsed);
}

namespace {

/// Cycles that the dependent loads of an SM of GPU 2, of lines of its own memory, take alone and
/// while the pages of GPU 0 migrate to GPU 1.
struct Bystander {
  std::uint64_t alone = 0;
  std::uint64_t beside = 0;
};

Bystander run_beside_migrations(const std::vector<std::string>& sets) {
  GpuRig rig("page-migration-small", sets);
  const GpuConfig& c = rig.config();
  for (std::uint32_t n = 0; n < kPages; ++n) place(rig, n, n < kUsed ? 0 : 2);
  std::vector<ListAccess> away;
  std::vector<ListAccess> own;
  for (std::uint32_t at = 0; at < kUsed * c.system.page_bytes; at += c.system.line_bytes) {
    away.push_back(line_load(kBase + at));
    for (std::uint32_t n = 0; n < 3; ++n) {
      own.push_back(line_load(kBase + kUsed * c.system.page_bytes + (at + n * 4096) % 8192));
    }
  }
  const auto cycles_of_own = [&](const std::vector<ListAccess>& beside) {
    const double before = rig.value("gpu2.sm0", "load_latency", "sum");
    std::vector<std::vector<ListAccess>> lists(c.system.sms);
    lists[sms_per_gpu(c)] = beside;
    lists[2 * sms_per_gpu(c)] = own;
    ListKernel kernel(std::move(lists), true);
    rig.run(kernel);
    return static_cast<std::uint64_t>(rig.value("gpu2.sm0", "load_latency", "sum") - before);
  };
  cycles_of_own({});  // fills TLBs and slices
  Bystander b;
  b.alone = cycles_of_own({});
  b.beside = cycles_of_own(away);
  CHECK(rig.value("page_migrator", "migrations") == kUsed);
  for (std::uint32_t n = 0; n < kPages; ++n) CHECK(home_of(rig, n) == (n < kUsed ? 1 : 2));
  return b;
}

}  // namespace

TEST_CASE("SMs that use no page of a batch run as without migration if only its users stop") {
  const Bystander b = run_beside_migrations({kPlacedByHand});
  CHECK(b.beside == b.alone);
}

TEST_CASE("SMs that use no page of a batch wait for it if all stop") {
  const Bystander b = run_beside_migrations({kPlacedByHand, kAll});
  CHECK(b.beside > b.alone + kUsed * 2000);
}

TEST_CASE("SMs that use no page of a batch run as without it under griffin if its users stop") {
  const Bystander b = run_beside_migrations({kPlacedByHand, "migration.policy=griffin",
                                             "migration.trigger=interval", "migration.drain=owner",
                                             "migration.interval_cycles=2000"});
  CHECK(b.beside == b.alone);
}

TEST_CASE("pages that move under the stop of their users alone end where they do under all's") {
  GpuRig rig("page-migration-small", {kPlacedByHand});
  run_away_from_home(rig);
  CHECK(rig.value("page_migrator", "drains") == kUsed);
  // Only GPU 1 had the pages' translations.
  CHECK(rig.value("page_migrator", "home_stopped_cycles") ==
        rig.value("page_migrator", "stopped_cycles"));
}

TEST_CASE("griffin moves pages to the GPU that alone uses them, and on when another leads") {
  GpuRig rig("griffin-small", {kPlacedByHand, kOften});
  run_away_from_home(rig);
  // Page 0 is now used by GPU 2 alone, for many periods: it shifts. The others stay.
  std::vector<ListAccess> loads;
  for (unsigned n = 0; n < 64 * 8; ++n) loads.push_back(line_load(kBase + n % 64 * 64));
  rig.cycles_of(loads, 2 * sms_per_gpu(rig.config()));
  CHECK(home_of(rig, 0) == 2);
  for (std::uint32_t n = 1; n < kUsed; ++n) CHECK(home_of(rig, n) == 1);
  CHECK(rig.value("page_migrator", "migrations") == kUsed + 1);
}

TEST_CASE("a page that its home uses more than another GPU stays under griffin") {
  GpuRig rig("griffin-small", {kPlacedByHand, kOften, "l1.sets=1", "l1.ways=1"});
  place(rig, 0, 0);
  std::vector<std::vector<ListAccess>> lists(rig.config().system.sms);
  // Both all the time: the other GPU's loads take about four times as long.
  for (unsigned n = 0; n < 64 * 16; ++n) lists[0].push_back(line_load(kBase + n % 64 * 64));
  for (unsigned n = 0; n < 64 * 3; ++n) {
    lists[sms_per_gpu(rig.config())].push_back(line_load(kBase + n % 64 * 64));
  }
  ListKernel kernel(std::move(lists), true);
  rig.run(kernel);
  CHECK(rig.value("gpu0.rdma", "requests_in") == 64 * 3);
  CHECK(home_of(rig, 0) == 0);
  CHECK(rig.value("page_migrator", "migrations") == 0);
  CHECK(rig.value("page_migrator", "class_dedicated") > 10);
}

namespace {

/// p0[i] += 1 by CTAs `p1` to `p1` + 3 alone, `p2` times.
constexpr const char* kPtx = R"(.version 6.0
.target sm_70
.address_size 64
.visible .entry count(.param .u64 p0, .param .u32 p1, .param .u32 p2)
{
  .reg .pred %p<4>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [p0];
  ld.param.u32 %r1, [p1];
  ld.param.u32 %r2, [p2];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r3, %ctaid.x;
  sub.s32 %r4, %r3, %r1;
  setp.gt.u32 %p1, %r4, 3;
  @%p1 bra DONE;
  mov.u32 %r5, %ntid.x;
  mov.u32 %r6, %tid.x;
  mad.lo.s32 %r7, %r4, %r5, %r6;
  mul.wide.u32 %rd3, %r7, 4;
  add.s64 %rd4, %rd2, %rd3;
AGAIN:
  ld.global.u32 %r8, [%rd4];
  add.s32 %r9, %r8, 1;
  st.global.u32 [%rd4], %r9;
  sub.s32 %r2, %r2, 1;
  setp.gt.s32 %p2, %r2, 0;
  @%p2 bra AGAIN;
DONE:
  ret;
}
)";

/// GPU 1 alone counts in arrays of a page each, which lie at GPU 0; 16 SMs, 4 of each GPU.
class CountAway final : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  void run(Device& device, Scale, std::uint64_t) override {
    for (const char* name : {"a", "b", "c"}) {
      arrays_.push_back(device.allocate(name, kElements * 4));
      std::vector<std::uint32_t> values(kElements);
      for (std::uint32_t i = 0; i < kElements; ++i) values[i] = i;
      device.write(arrays_.back(), values.data(), kElements * 4);
    }
    const auto source = kernels::ModuleLoader::make(device)->source(module_);
    for (unsigned launch = 0; launch < 2; ++launch) {
      for (const Address a : arrays_) {
        LaunchRequest r;
        r.source = source;
        r.kernel = "count";
        r.grid = {16, 1, 1};
        r.block = {kElements / 4, 1, 1};
        r.arguments = {KernelArgument::of(a), KernelArgument::of(std::uint32_t{4}),
                       KernelArgument::of(kTimes)};
        device.launch(r);
      }
    }
  }

  std::optional<Verification> verify(Device& device) override {
    Verification v;
    for (const Address a : arrays_) {
      std::vector<std::uint32_t> values(kElements);
      device.read(values.data(), a, kElements * 4);
      for (std::uint32_t i = 0; i < kElements; ++i) {
        ++v.compared;
        if (values[i] != i + 2 * kTimes) ++v.wrong;
      }
    }
    v.passed = v.wrong == 0;
    return v;
  }

 private:
  static constexpr std::uint32_t kElements = 1024;
  static constexpr std::uint32_t kTimes = 20;
  const ptx::Module module_ = ptx::parse(kPtx, "count.ptx");
  const WorkloadInfo info_{"count-away", "", "", true};
  std::vector<Address> arrays_;
};

void check_counts(const std::string& preset, double moves,
                  const std::vector<std::string>& more = {}) {
  BuildOptions build;
  build.check_protocol = true;
  std::vector<std::string> sets = more;
  sets.push_back(kOften);
  Simulation simulation(resolve_config(preset, sets), build);
  CountAway workload;
  RunOptions options;
  options.values = ValueMode::kCarried;
  const RunResult r = simulation.run(workload, options);
  INFO(r.failure.value_or(""));
  REQUIRE(r.verification.has_value());
  CHECK(r.verification->passed);
  if (moves == 0) return;
  CHECK(r.stats["modules"]["system.page_migrator"]["migrations"].get<double>() == moves);
}

}  // namespace

TEST_CASE("values move with their pages under page migration") {
  check_counts("page-migration-small", 3);
}
TEST_CASE("values move with their pages under griffin") { check_counts("griffin-small", 3); }
TEST_CASE("values move with their pages if all SMs stop") {
  check_counts("page-migration-small", 3, {kAll});
}
TEST_CASE("values move with their pages under griffin if all SMs stop") {
  check_counts("griffin-small", 3, {kAll});
}
TEST_CASE("values stay right where pages do not move") { check_counts("dca-small", 0); }

}  // namespace tessera::multi_gpu_pages_test
