// SPDX-License-Identifier: Apache-2.0
// A fence ends the copies of other nodes' lines in the slices of its SM's partition, and the supply
// of lines between cores.
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "platforms/run_result.h"
#include "platforms/simulation.h"
#include "stimuli/ptx/module.h"
#include "stimuli/runner/module_loader.h"

namespace tessera::fence_test {

namespace {

constexpr std::uint32_t kCtas = 16;  ///< one on each SM of numa-4x4-small
constexpr std::uint32_t kBefore = 7;
constexpr std::uint32_t kAfter = 42;

/// Message passing. CTA 0 writes x when all others have read it, and then the flag. The others wait
/// for the flag, fence, and read x again: plain loads, of which their slices hold a copy.
constexpr const char* kMessage = R"(
.version 6.0
.target sm_70
.address_size 64
.visible .entry message(.param .u64 x, .param .u64 ready, .param .u64 flag, .param .u64 out,
                        .param .u32 readers)
{
  .reg .pred %p;
  .reg .b32 %r<10>;
  .reg .b64 %d<10>;
  ld.param.u64 %d0, [x];
  ld.param.u64 %d1, [ready];
  ld.param.u64 %d2, [flag];
  ld.param.u64 %d3, [out];
  ld.param.u32 %r0, [readers];
  mov.u32 %r1, %ctaid.x;
  setp.eq.s32 %p, %r1, 0;
  @%p bra WRITER;
  ld.global.u32 %r2, [%d0];
  setp.ne.s32 %p, %r2, 7;
  @%p bra DONE;
  red.global.add.u32 [%d1], 1;
WAIT:
  ld.volatile.global.u32 %r3, [%d2];
  setp.eq.s32 %p, %r3, 0;
  @%p bra WAIT;
  membar.gl;
  ld.global.u32 %r4, [%d0];
  mul.wide.u32 %d4, %r1, 4;
  add.s64 %d3, %d3, %d4;
  st.global.u32 [%d3], %r4;
  bra DONE;
WRITER:
  ld.volatile.global.u32 %r3, [%d1];
  setp.ne.s32 %p, %r3, %r0;
  @%p bra WRITER;
  st.global.u32 [%d0], 42;
  membar.gl;
  st.volatile.global.u32 [%d2], 1;
DONE:
  ret;
}
)";

class Message final : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  void run(Device& device, Scale, std::uint64_t) override {
    const ptx::Module module = ptx::parse(kMessage, "message.ptx");
    const Address x = device.allocate("x", 128);
    const Address ready = device.allocate("ready", 128);
    const Address flag = device.allocate("flag", 128);
    out_ = device.allocate("out", kCtas * 4);
    device.write(x, &kBefore, sizeof kBefore);
    const auto loader = kernels::ModuleLoader::make(device);
    LaunchRequest r;
    r.source = loader->source(module);
    r.kernel = "message";
    r.grid = {kCtas, 1, 1};
    r.block = {1, 1, 1};
    r.arguments = {KernelArgument::of(x), KernelArgument::of(ready), KernelArgument::of(flag),
                   KernelArgument::of(out_), KernelArgument::of(kCtas - 1)};
    device.launch(r);
  }

  std::optional<Verification> verify(Device& device) override {
    Verification v;
    for (std::uint32_t cta = 1; cta < kCtas; ++cta) {
      std::uint32_t got = 0;
      device.read(&got, out_ + 4 * std::uint64_t{cta}, sizeof got);
      ++v.compared;
      v.wrong += got == kAfter ? 0 : 1;
    }
    v.passed = v.wrong == 0;
    return v;
  }

 private:
  Address out_ = 0;
  WorkloadInfo info_{"message", "", "", true};
};

/// `copies`: the statistic that shows that a copy could have been used.
void check_message(const std::string& preset, const std::vector<std::string>& sets,
                   const char* copies_counter) {
  Simulation simulation(resolve_config(preset, sets), {true});
  Message workload;
  RunOptions options;
  options.values = ValueMode::kCarried;
  const RunResult r = simulation.run(workload, options);
  INFO(r.failure.value_or(""));
  REQUIRE(r.verification.has_value());
  CHECK(r.verification->wrong == 0);
  std::uint64_t copies = 0;
  for (const auto& [name, statistics] : r.stats["modules"].items()) {
    copies += statistics.value(copies_counter, std::uint64_t{0});
  }
  CHECK(copies > 0);
}

}  // namespace

TEST_CASE("after a fence, loads pass copies of written lines: rtwice") {
  check_message("numa-4x4-small", {}, "replica_misses");
}

TEST_CASE("after a fence, loads pass copies of written lines: ronce") {
  check_message("numa-4x4-small", {"system.remote_caching=ronce"}, "replica_misses");
}

TEST_CASE("after a fence, loads pass copies of written lines in other cores' L1s") {
  check_message("mesh-28-8-small", {"system.miss_routing=ip", "miss_routing.ip.coverage=11"},
                "stale");
}

TEST_CASE("after a fence, loads that slices forward pass copies of written lines") {
  check_message("mesh-28-8-small", {"system.miss_routing=la-llc"}, "stale");
}

}  // namespace tessera::fence_test
