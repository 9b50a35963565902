// SPDX-License-Identifier: Apache-2.0
// The heap of device-side malloc belongs to the device: 8 MiB that last over its launches.

#include <catch2/catch.hpp>

#include "platforms/run_result.h"
#include "platforms/simulation.h"
#include "stimuli/ptx/module.h"
#include "stimuli/runner/functional_device.h"
#include "stimuli/runner/module_loader.h"
#include "stimuli/workload.h"

namespace tessera::heap_device_test {

namespace {

constexpr const char* kText = R"(.version 9.0
.target sm_75
.address_size 64
.extern .func  (.param .b64 func_retval0) malloc
(
	.param .b64 malloc_param_0
)
;
.visible .entry k(.param .u64 out, .param .u64 bytes)
{
.reg .pred %p<2>;
.reg .b32 %r<4>;
.reg .b64 %rd<9>;
ld.param.u64 %rd3, [out];
ld.param.u64 %rd4, [bytes];
{
.reg .b32 temp_param_reg;
.param .b64 param0;
st.param.b64 [param0+0], %rd4;
.param .b64 retval0;
call.uni (retval0),
malloc,
(
param0
);
ld.param.b64 %rd2, [retval0+0];
}
st.global.u64 [%rd3], %rd2;
setp.eq.u64 %p1, %rd2, 0;
@%p1 bra DONE;
mov.u32 %r1, 77;
st.u32 [%rd2+4], %r1;
membar.gl;
ld.volatile.u32 %r2, [%rd2+4];
st.global.u32 [%rd3+8], %r2;
DONE:
ret;
}
)";

/// Three launches that take 4 MiB each: the third gets none.
class ThreeBlocks final : public Workload {
 public:
  ThreeBlocks() : module_(ptx::parse(kText, "k.ptx")) { info_.name = "three-blocks"; }

  const WorkloadInfo& info() const override { return info_; }
  void run(Device& device, Scale, std::uint64_t) override {
    const Address out = device.allocate("out", 16);
    const auto source = kernels::ModuleLoader::make(device)->source(module_);
    for (std::uint64_t& block : blocks) {
      const std::uint64_t zeros[2] = {};
      device.write(out, zeros, 16);
      LaunchRequest request;
      request.source = source;
      request.kernel = "k";
      request.grid = {1, 1, 1};
      request.block = {1, 1, 1};
      request.arguments = {KernelArgument::of(out), KernelArgument::of(std::uint64_t{4} << 20)};
      device.launch(request);
      std::uint64_t results[2];
      device.read(results, out, 16);
      block = results[0];
      read_back.push_back(static_cast<std::uint32_t>(results[1]));
    }
    const Allocation* heap = device.allocations().find("device heap");
    REQUIRE(heap != nullptr);
    CHECK(heap->bytes == std::uint64_t{8} << 20);
    CHECK(blocks[0] == heap->begin);
    CHECK(blocks[1] == heap->begin + (std::uint64_t{4} << 20));
    CHECK(blocks[2] == 0);
    CHECK(read_back == std::vector<std::uint32_t>{77, 77, 0});
  }
  std::optional<Verification> verify(Device&) override { return {}; }

  std::uint64_t blocks[3] = {};
  std::vector<std::uint32_t> read_back;

 private:
  ptx::Module module_;
  WorkloadInfo info_;
};

}  // namespace

TEST_CASE("blocks of malloc last over the launches of a device without time") {
  kernels::FunctionalDevice device;
  ThreeBlocks kernel;
  kernel.run(device, Scale::kSmall, 1);
}

TEST_CASE("blocks of malloc last over the launches of a platform") {
  Simulation simulation(resolve_config("uba-mem-small", {}));
  ThreeBlocks kernel;
  RunOptions options;
  options.values = ValueMode::kCarried;
  const auto result = simulation.run(kernel, options);
  INFO(result.failure.value_or(""));
  CHECK_FALSE(result.failure.has_value());
}

TEST_CASE("kernels that call malloc are refused on threads") {
  BuildOptions build;
  build.windows = DomainWindows{0, 2};
  Simulation simulation(resolve_config("dca-small", {}), build);
  ThreeBlocks kernel;
  RunOptions options;
  options.values = ValueMode::kCarried;
  CHECK_THROWS_WITH(simulation.run(kernel, options),
                    "the GPUs cannot run on threads: kernels call malloc or free, and one heap "
                    "serves all GPUs without latency");
}

}  // namespace tessera::heap_device_test
