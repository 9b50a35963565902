// SPDX-License-Identifier: Apache-2.0
// Times of kernels in streams, and what stats.json says of each.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "common/json.h"
#include "stimuli/runner/module_loader.h"
#include "tests/platforms/level_sums.h"
#include "tests/platforms/stream_graph.h"
#include "tests/stimuli/ptx/grid_sync.h"

namespace tessera::stream_times_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)
using nlohmann::ordered_json;

namespace {

// `spin`: counts down, and touches no memory. `sum`: out[i] = a[i] + b[i].
constexpr const char* kText = R"(
.version 6.0
.target sm_70
.address_size 64
.visible .entry spin(.param .u32 times)
{
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  ld.param.u32 %r1, [times];
LOOP:
  sub.s32 %r1, %r1, 1;
  setp.ne.s32 %p1, %r1, 0;
  @%p1 bra LOOP;
  ret;
}
.visible .entry sum(.param .u64 a, .param .u64 b, .param .u64 out)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u64 %rd3, [out];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd4, %r4, 4;
  add.s64 %rd1, %rd1, %rd4;
  add.s64 %rd2, %rd2, %rd4;
  add.s64 %rd3, %rd3, %rd4;
  ld.global.u32 %r5, [%rd1];
  ld.global.u32 %r6, [%rd2];
  add.s32 %r7, %r5, %r6;
  st.global.u32 [%rd3], %r7;
  ret;
}
)";

/// Of the small presets.
constexpr std::uint32_t kSms = 8;
/// Of which an SM holds one CTA.
constexpr std::uint32_t kWholeSm = 96 * 1024;

struct Kernels {
  explicit Kernels(Device& device)
      : module(std::make_shared<ptx::Module>(ptx::parse(kText, "times.ptx"))),
        source(kernels::ModuleLoader::make(device)->source(*module)) {}

  LaunchRequest spin(std::uint32_t ctas, std::uint32_t times,
                     std::uint32_t shared_bytes = kWholeSm) const {
    LaunchRequest r;
    r.source = source;
    r.kernel = "spin";
    r.grid = {ctas, 1, 1};
    r.block = {64, 1, 1};
    r.dynamic_shared_bytes = shared_bytes;
    r.arguments = {KernelArgument::of(times)};
    return r;
  }
  LaunchRequest sum(Address a, Address b, Address out, std::uint32_t ctas) const {
    LaunchRequest r;
    r.source = source;
    r.kernel = "sum";
    r.grid = {ctas, 1, 1};
    r.block = {64, 1, 1};
    r.arguments = {KernelArgument::of(a), KernelArgument::of(b), KernelArgument::of(out)};
    return r;
  }

  std::shared_ptr<ptx::Module> module;
  std::shared_ptr<KernelSource> source;
};

using Launches = std::function<void(Device&, const Kernels&)>;

ordered_json run(const ChildRun& how, const Launches& launches) {
  return run_child(how, [&] {
    // The kernels live as long as the run.
    auto kept = std::make_shared<std::vector<Kernels>>();
    return std::make_unique<HostProgram>(
        [kept, launches](Device& device) {
          kept->emplace_back(device);
          launches(device, kept->back());
        },
        nullptr);
  });
}

std::uint64_t number(const ordered_json& kernel, const char* what) {
  return kernel.at(what).get<std::uint64_t>();
}
std::uint64_t end_of(const ordered_json& kernel) {
  return number(kernel, "start_cycle") + number(kernel, "cycles");
}

/// CTAs of a kernel are dealt to the lowest SMs, one SM each.
const std::vector<std::string> kInOrder{"dispatch.scheduler=round-robin"};

std::uint64_t alone(const std::string& platform, const std::vector<std::string>& sets,
                    std::uint32_t ctas, std::uint32_t times) {
  const ordered_json stats = run({platform, sets}, [&](Device& device, const Kernels& k) {
    device.launch(k.spin(ctas, times));
  });
  CHECK(number(stats.at("kernels").at(0), "cycles") == number(stats, "cycles"));
  return number(stats, "cycles");
}

}  // namespace

TEST_CASE("two kernels of two streams that each fill half of the GPU take the time of one") {
  for (const char* platform : {"uba-mem-small", "nuba-small"}) {
    INFO(platform);
    const std::uint64_t one = alone(platform, kInOrder, kSms / 2, 500);
    const auto both = [&](const std::vector<std::string>& sets) {
      return run({platform, sets}, [](Device& device, const Kernels& k) {
        device.enqueue(k.spin(kSms / 2, 500), {"a"});
        device.enqueue(k.spin(kSms / 2, 500), {"b"});
      });
    };
    const ordered_json stats = both(kInOrder);
    const ordered_json& kernels = stats.at("kernels");
    REQUIRE(kernels.size() == 2);
    CHECK(number(stats, "cycles") == one);
    for (const ordered_json& k : kernels) {
      CHECK(number(k, "start_cycle") == 0);
      CHECK(number(k, "cycles") == one);
      CHECK(number(k, "first_cta_cycle") == 2);
    }
    CHECK(kernels[0].at("stream") == "a");
    CHECK(kernels[1].at("stream") == "b");
    CHECK(number(kernels[0], "instructions") == number(kernels[1], "instructions"));
    CHECK(2 * number(kernels[0], "instructions") == number(stats, "instructions"));
    // One after the other: the second begins when the first has ended.
    std::vector<std::string> sequential = kInOrder;
    sequential.emplace_back("dispatch.kernel_scheduler=sequential");
    const ordered_json in_turn = both(sequential);
    CHECK(end_of(in_turn.at("kernels")[0]) == one);
    CHECK(number(in_turn.at("kernels")[1], "start_cycle") == one);
    CHECK(number(in_turn, "cycles") == end_of(in_turn.at("kernels")[1]));
    // The dispatcher orders the second at the edge at which the first has ended, without the cycle
    // of a doorbell.
    CHECK(number(in_turn.at("kernels")[1], "cycles") == one - 1);
  }
}

// Of CTAs that take d cycles, one wave after another: the first starts in cycle 2 and ends in 2 +
// d, which takes effect in 3 + d, and the next starts in 4 + d. A kernel of one wave therefore ends
// in 5 + d, because its flush (of L1s) takes 2 cycles. With `one` cycles for it alone, the next
// wave starts in one - 1, and w waves end in w * (one - 3) + 3.

TEST_CASE("each kernel of a partitioned GPU takes the time that it takes alone on its part") {
  // By default, an SM gets a contiguous range of CTAs: of its part only.
  const std::vector<std::string> sets{"dispatch.kernel_scheduler=partitioned"};
  const std::uint64_t one = alone("uba-mem-small", sets, 2 * kSms, 300);
  const ordered_json stats = run({"uba-mem-small", sets}, [](Device& device, const Kernels& k) {
    for (const char* stream : {"a", "b", "c"}) device.enqueue(k.spin(2 * kSms, 300), {stream});
  });
  const ordered_json& kernels = stats.at("kernels");
  CHECK(number(kernels[0], "cycles") == one);
  CHECK(number(kernels[1], "cycles") == one);
  // The third waits for a part, and then needs no cycle of a doorbell.
  CHECK(number(kernels[2], "start_cycle") == one);
  CHECK(number(kernels[2], "cycles") == one - 1);
  CHECK(number(stats, "cycles") == 2 * one - 1);
  // Four waves of CTAs on half of the SMs, each of one CTA an SM; two waves on the whole GPU.
  const std::uint64_t wave = alone("uba-mem-small", {}, kSms, 300);
  CHECK(one == 4 * (wave - 3) + 3);
  CHECK(alone("uba-mem-small", {}, 2 * kSms, 300) == 2 * (wave - 3) + 3);
}

TEST_CASE("a kernel's CTAs take what the kernel before leaves") {
  const std::uint64_t brief = alone("uba-mem-small", kInOrder, 1, 100);
  const std::uint64_t lengthy = alone("uba-mem-small", kInOrder, 1, 2000);
  // The first kernel has six of eight SMs. The second has the other two at once, in two waves.
  const ordered_json stats = run({"uba-mem-small", kInOrder}, [](Device& device, const Kernels& k) {
    device.enqueue(k.spin(6, 2000), {"a"});
    device.enqueue(k.spin(4, 100), {"b"});
  });
  const ordered_json& kernels = stats.at("kernels");
  for (const ordered_json& k : kernels) CHECK(number(k, "first_cta_cycle") == 2);
  CHECK(end_of(kernels[0]) == lengthy);
  CHECK(end_of(kernels[1]) == 2 * (brief - 3) + 3);
  CHECK(number(stats, "cycles") == lengthy);
  // The first kernel has CTAs for all SMs, so that the second waits. The third, of higher priority,
  // gets SMs 0 to 3 before both, and CTAs of the first run there next. SMs 4 to 7 are free first.
  const ordered_json full = run({"uba-mem-small", kInOrder}, [](Device& device, const Kernels& k) {
    device.enqueue(k.spin(kSms, 2000), {"a"});
    device.enqueue(k.spin(4, 100), {"b"});
    device.enqueue(k.spin(4, 100), {"c", {}, -1});
  });
  const ordered_json& waits = full.at("kernels");
  for (const ordered_json& k : waits) CHECK(number(k, "start_cycle") == 0);
  CHECK(number(waits[0], "first_cta_cycle") == 2);
  CHECK(number(waits[2], "first_cta_cycle") == 2);
  CHECK(end_of(waits[2]) == brief);
  CHECK(number(waits[1], "first_cta_cycle") == lengthy - 1);
  // On each SM, a long CTA and a brief one.
  CHECK(end_of(waits[0]) == (brief - 3) + (lengthy - 3) + 3);
  CHECK(end_of(waits[1]) == end_of(waits[0]));
}

TEST_CASE("launches of a stream, of an event and of the default stream run in order") {
  ChildRun how{"uba-mem-small", kInOrder};
  const ordered_json stats = run(how, [](Device& device, const Kernels& k) {
    const LaunchId a = device.enqueue(k.spin(1, 400), {"s"});
    const LaunchId b = device.enqueue(k.spin(1, 100), {"t", {a}});  // waits for s
    device.enqueue(k.spin(1, 50), {"t"});                           // and this one with it
    device.enqueue(k.spin(1, 700), {"u", {b}});
    device.launch(k.spin(1, 10));  // waits for all
    device.enqueue(k.spin(1, 10), {"s"});
  });
  const ordered_json& k = stats.at("kernels");
  REQUIRE(k.size() == 6);
  CHECK(number(k[1], "start_cycle") == end_of(k[0]));
  CHECK(number(k[2], "start_cycle") == end_of(k[1]));
  CHECK(number(k[3], "start_cycle") == end_of(k[1]));
  CHECK(number(k[4], "start_cycle") == end_of(k[3]));
  CHECK(number(k[5], "start_cycle") == end_of(k[4]));
  CHECK(k[4].at("stream").is_null());
  // Kernels overlap only while 2 and 3 run.
  CHECK(number(stats, "cycles") == end_of(k[5]));
}

TEST_CASE("the counts of two kernels are those of each alone where they share nothing") {
  // Each kernel loads two arrays and stores one, of 64 lines each.
  constexpr std::uint32_t kCtas = 32;
  const std::uint64_t bytes = std::uint64_t{4} * 64 * kCtas;
  const auto arrays = [&](Device& device, const std::string& name) {
    std::vector<Address> all;
    for (const char* part : {"a", "b", "out"}) all.push_back(device.allocate(name + part, bytes));
    return all;
  };
  const auto levels = [](const ordered_json& k) { return k.at("levels"); };
  for (const char* platform : {"uba-mem-small", "nuba-small", "dualopt-small", "umh-1-small"}) {
    INFO(platform);
    const ordered_json stats = run({platform}, [&](Device& device, const Kernels& k) {
      const auto x = arrays(device, "x");
      const auto y = arrays(device, "y");
      device.enqueue(k.sum(x[0], x[1], x[2], kCtas), {"a"});
      device.enqueue(k.sum(y[0], y[1], y[2], kCtas), {"b"});
    });
    REQUIRE(stats.at("kernels").size() == 2);
    check_level_sums(stats, resolve_config(platform, {}));
    const ordered_json one = levels(stats.at("kernels")[0]);
    const ordered_json other = levels(stats.at("kernels")[1]);
    CHECK(one.at("l1") == other.at("l1"));
    // 64 lanes of 4 bytes load from each of two arrays.
    CHECK(one.at("l1").at("bytes") == 2 * bytes);
    const std::uint64_t line = resolve_config(platform, {}).gpu.system.line_bytes;
    CHECK(one.at("l1").at("hits") == 0);
    CHECK(one.at("l1").at("misses") == 2 * bytes / line);
  }
}

namespace {

constexpr std::uint32_t kThreads = 64;  ///< of a CTA of a cooperative kernel
constexpr std::uint32_t kPlainCtas = 40;

/// Cooperative kernels of so many CTAs in streams of their own, and a kernel that is not.
class CooperativeKernels {
 public:
  CooperativeKernels(unsigned kernels, std::uint32_t ctas, std::uint32_t plain_ctas)
      : kernels_(kernels), ctas_(ctas), plain_ctas_(plain_ctas) {}

  void start(Device& device) {
    modules_.push_back(ptx::parse(grid_sync_text(), "k.ptx"));
    modules_.push_back(ptx::parse(kText, "times.ptx"));
    const auto loader = kernels::ModuleLoader::make(device);
    const auto source = loader->source(modules_[0]);
    for (unsigned i = 0; i < kernels_; ++i) {
      const std::string number = std::to_string(i);
      const Address a = device.allocate("a" + number, 4 * elements());
      b_.push_back(device.allocate("b" + number, 4 * elements()));
      LaunchRequest r;
      r.source = source;
      r.kernel = "k";
      r.grid = {ctas_, 1, 1};
      r.block = {kThreads, 1, 1};
      r.arguments = {KernelArgument::of(a), KernelArgument::of(b_.back()),
                     KernelArgument::of(elements())};
      device.enqueue(r, {"cooperative" + number});
    }
    LaunchRequest spin;
    spin.source = loader->source(modules_[1]);
    spin.kernel = "spin";
    spin.grid = {plain_ctas_, 1, 1};
    spin.block = {256, 1, 1};
    spin.arguments = {KernelArgument::of(std::uint32_t{300})};
    device.enqueue(spin, {"plain"});
  }
  std::uint64_t wrong(Device& device) const {
    std::uint64_t wrong = 0;
    for (const Address b : b_) {
      std::vector<std::uint32_t> got(elements());
      device.read(got.data(), b, 4 * elements());
      for (std::uint32_t i = 0; i < elements(); ++i) {
        wrong += got[i] == 3 * (elements() - 1 - i) + i ? 0 : 1;
      }
    }
    return wrong;
  }

 private:
  std::uint32_t elements() const { return ctas_ * kThreads; }

  const unsigned kernels_;
  const std::uint32_t ctas_;
  const std::uint32_t plain_ctas_;
  std::vector<ptx::Module> modules_;
  std::vector<Address> b_;
};

ordered_json run_cooperative(const std::string& platform, unsigned kernels, std::uint32_t ctas,
                             std::uint32_t plain_ctas = kPlainCtas) {
  ordered_json stats = run_child({platform}, [=] {
    const auto all = std::make_shared<CooperativeKernels>(kernels, ctas, plain_ctas);
    return std::make_unique<HostProgram>([all](Device& device) { all->start(device); },
                                         [all](Device& device) { return all->wrong(device); });
  });
  check_verified(stats);
  return stats;
}

std::uint64_t flush_cycles(const ordered_json& stats) {
  return number(stats.at("modules").at("system.gpu0.dispatcher"), "flush_cycles");
}

/// Cycles of an order of the dispatcher to a GPU, or of a report.
std::uint64_t order_cycles(const GpuConfig& c) {
  if (c.system.gpus == 1) return 0;
  return c.dispatch.gpu_latency_ns * c.dispatch.clock_hz / 1'000'000'000;
}

}  // namespace

TEST_CASE("a cooperative kernel runs beside other kernels, but beside no other cooperative one") {
  // The second cooperative kernel begins when the CTAs of the first one have ended, at the edge at
  // which the first one's flush beside the third kernel begins.
  const GpuConfig dualopt = resolve_config("dualopt-small", {}).gpu;
  const std::uint64_t frames = std::uint64_t{dualopt.remote_cache.sets} * dualopt.remote_cache.ways;
  struct Platform {
    const char* name;
    std::vector<std::uint64_t> stages;  ///< cycles of the flush's stages in a GPU
    bool fills_sms;                     ///< the first kernel has a CTA on each SM
  };
  // A stage that drops lines takes 2 cycles. Remote caches visit a frame a cycle from the next edge
  // on, and the end takes effect an edge later.
  for (const Platform& p :
       {Platform{"uba-mem-small", {2}, true}, Platform{"nuba-small", {2, 2}, true},
        Platform{"dualopt-small", {frames + 2, 2, 2}, false}}) {
    INFO(p.name);
    const std::uint64_t order = order_cycles(resolve_config(p.name, {}).gpu);
    std::uint64_t flush = 0;
    for (const std::uint64_t stage : p.stages) flush += order + stage + order;
    const ordered_json stats = run_cooperative(p.name, 2, kSms);
    const ordered_json& k = stats.at("kernels");
    REQUIRE(k.size() == 3);
    CHECK(number(k[0], "first_cta_cycle") == 2 + order);
    // An SM gets a CTA a cycle.
    CHECK(number(k[2], "first_cta_cycle") == 2 + order + (p.fills_sms ? 1 : 0));
    const std::uint64_t start = number(k[1], "start_cycle");
    CHECK(start == end_of(k[0]) - flush);
    CHECK(number(k[1], "first_cta_cycle") == start + order + 1);
  }
}

TEST_CASE("a cooperative kernel of a coherent hierarchy begins when the one before flushes") {
  // SMs hold one CTA each.
  constexpr std::uint32_t kCtas = 4;
  for (const char* platform : {"umh-1-small", "memcpy-1-small"}) {
    INFO(platform);
    // All stages of the flush write back. The third kernel accesses no memory, so that its flush
    // takes as long without other kernels.
    const ordered_json one = run_cooperative(platform, 1, kCtas);
    const ordered_json none = run_cooperative(platform, 0, kCtas);
    const std::uint64_t flush = flush_cycles(one) - flush_cycles(none);
    const ordered_json stats = run_cooperative(platform, 2, kCtas);
    const ordered_json& k = stats.at("kernels");
    REQUIRE(k.size() == 3);
    CHECK(end_of(k[0]) == end_of(one.at("kernels")[0]));
    CHECK(number(k[1], "start_cycle") == end_of(k[0]) - flush);
    // Its first CTA follows the third kernel's CTAs on the SM that the first kernel left first. The
    // time from one of these CTAs to the next: by two kernels, one of two CTAs an SM, one of one.
    const std::uint64_t wave = number(run_cooperative(platform, 0, 0, 2 * kCtas), "cycles") -
                               number(run_cooperative(platform, 0, 0, kCtas), "cycles");
    CHECK(number(k[1], "first_cta_cycle") ==
          number(k[2], "first_cta_cycle") + kPlainCtas / kCtas * wave);
    CHECK(number(k[2], "first_cta_cycle") < end_of(k[0]));
  }
}

}  // namespace tessera::stream_times_test
