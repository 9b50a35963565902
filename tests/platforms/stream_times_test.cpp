// SPDX-License-Identifier: Apache-2.0
// Times of kernels in streams, and what stats.json says of each.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "stimuli/runner/module_loader.h"
#include "tests/platforms/level_sums.h"
#include "tests/platforms/stream_graph.h"
#include "tests/stimuli/ptx/grid_sync.h"

using namespace tessera;        // NOLINT(google-build-using-namespace)
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
  // The third waits for a part.
  CHECK(number(kernels[2], "start_cycle") == one);
  CHECK(number(stats, "cycles") == end_of(kernels[2]));
  // Four waves of CTAs on half of the SMs, each of one CTA an SM.
  const std::uint64_t whole = alone("uba-mem-small", {}, 2 * kSms, 300);
  CHECK(one > 19 * whole / 10);
}

TEST_CASE("a kernel's CTAs take what the kernel before leaves") {
  // The first one fills six SMs in two waves; the second gets the other two at once.
  const ordered_json stats = run({"uba-mem-small", kInOrder}, [](Device& device, const Kernels& k) {
    device.enqueue(k.spin(6, 2000), {"a"});
    device.enqueue(k.spin(4, 100), {"b"});
  });
  const ordered_json& kernels = stats.at("kernels");
  CHECK(number(kernels[1], "first_cta_cycle") == number(kernels[0], "first_cta_cycle"));
  CHECK(end_of(kernels[1]) < end_of(kernels[0]));
  CHECK(number(stats, "cycles") == end_of(kernels[0]));
  // If the first one has CTAs for all SMs, the second waits. A third one of higher priority gets
  // the lower SMs before both.
  const ordered_json full = run({"uba-mem-small", kInOrder}, [](Device& device, const Kernels& k) {
    device.enqueue(k.spin(kSms, 2000), {"a"});
    device.enqueue(k.spin(4, 100), {"b"});
    device.enqueue(k.spin(4, 100), {"c", {}, -1});
  });
  const ordered_json& waits = full.at("kernels");
  CHECK(number(waits[2], "first_cta_cycle") == number(waits[0], "first_cta_cycle"));
  CHECK(number(waits[1], "first_cta_cycle") > 2000);
  CHECK(number(waits[1], "start_cycle") == 0);
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

TEST_CASE("a cooperative kernel runs beside other kernels, but beside no other cooperative one") {
  constexpr std::uint32_t kCtas = 4;
  constexpr std::uint32_t kThreads = 64;
  constexpr std::uint32_t kElements = kCtas * kThreads;
  for (const char* platform :
       {"uba-mem-small", "nuba-small", "dualopt-small", "umh-1-small", "memcpy-1-small"}) {
    INFO(platform);
    const ordered_json stats = run_child({platform}, [] {
      auto addresses = std::make_shared<std::vector<Address>>();
      auto modules = std::make_shared<std::vector<ptx::Module>>();
      const auto start = [addresses, modules](Device& device) {
        modules->push_back(ptx::parse(grid_sync_text(), "k.ptx"));
        modules->push_back(ptx::parse(kText, "times.ptx"));
        const auto loader = kernels::ModuleLoader::make(device);
        const auto source = loader->source((*modules)[0]);
        for (unsigned i = 0; i < 2; ++i) {
          const std::string number = std::to_string(i);
          const Address a = device.allocate("a" + number, 4 * kElements);
          const Address b = device.allocate("b" + number, 4 * kElements);
          addresses->push_back(b);
          LaunchRequest r;
          r.source = source;
          r.kernel = "k";
          r.grid = {kCtas, 1, 1};
          r.block = {kThreads, 1, 1};
          r.arguments = {KernelArgument::of(a), KernelArgument::of(b),
                         KernelArgument::of(std::uint32_t{kElements})};
          device.enqueue(r, {"cooperative" + number});
        }
        LaunchRequest spin;
        spin.source = loader->source((*modules)[1]);
        spin.kernel = "spin";
        spin.grid = {40, 1, 1};
        spin.block = {256, 1, 1};
        spin.arguments = {KernelArgument::of(std::uint32_t{300})};
        device.enqueue(spin, {"plain"});
      };
      return std::make_unique<HostProgram>(start, [addresses, modules](Device& device) {
        std::uint64_t wrong = 0;
        for (const Address b : *addresses) {
          std::vector<std::uint32_t> got(kElements);
          device.read(got.data(), b, 4 * kElements);
          for (std::uint32_t i = 0; i < kElements; ++i) {
            wrong += got[i] == 3 * (kElements - 1 - i) + i ? 0 : 1;
          }
        }
        return wrong;
      });
    });
    check_verified(stats);
    const ordered_json& k = stats.at("kernels");
    REQUIRE(k.size() == 3);
    // The second begins when the CTAs of the first have ended, during its flush.
    std::uint64_t flush = 0;
    for (const auto& [name, module] : stats.at("modules").items()) {
      if (name.find("dispatcher") != std::string::npos) flush += module.value("flush_cycles", 0U);
    }
    CHECK(number(k[1], "start_cycle") + flush + 20 >= end_of(k[0]));
    CHECK(number(k[1], "first_cta_cycle") > number(k[0], "first_cta_cycle"));
    CHECK(number(k[2], "first_cta_cycle") < end_of(k[0]));
  }
}
