// SPDX-License-Identifier: Apache-2.0
#pragma once

// A kernel of a few lines on a platform, and how its run ends.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/run_result.h"
#include "platforms/simulation.h"
#include "stimuli/ptx/module.h"
#include "stimuli/runner/module_loader.h"
#include "stimuli/workload.h"

namespace tessera::test {

/// One launch of a kernel k(data), whose body's first line is line 13.
class OneKernel final : public Workload {
 public:
  explicit OneKernel(const std::string& body, Dim3 grid = {2, 1, 1})
      : module_(ptx::parse(
            ".version 7.0\n.target sm_75\n.address_size 64\n"
            ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
            ".global .align 1 .b8 format[8] = {37, 117, 32, 37, 115, 10, 0, 0};\n"  // "%u %s\n"
            ".global .align 1 .b8 word[4] = {97, 98, 99, 0};\n"
            ".visible .entry k(.param .u64 data)\n{\n.reg .pred %p<3>;\n.reg .b32 %r<9>;\n"
            ".reg .b64 %rd<9>;\nld.param.u64 %rd1, [data]; mov.u32 %r1, %tid.x;\n" +
                body + "ret;\n}\n",
            "k.ptx")),
        grid_(grid) {
    info_.name = "one-kernel";
  }

  const WorkloadInfo& info() const override { return info_; }
  void run(Device& device, Scale, std::uint64_t) override {
    LaunchRequest request;
    request.source = kernels::ModuleLoader::make(device)->source(module_);
    request.kernel = "k";
    request.grid = grid_;
    request.block = {64, 1, 1};
    const std::vector<std::uint32_t> zeros(1024);
    const Address data = device.allocate("data", 4096);
    device.write(data, zeros.data(), 4096);
    request.arguments = {KernelArgument::of(data)};
    device.launch(request);
  }
  std::optional<Verification> verify(Device&) override { return {}; }

 private:
  ptx::Module module_;
  Dim3 grid_;
  WorkloadInfo info_;
};

/// The failure of a run on uba-mem-small; none if it ends well.
inline std::optional<std::string> failure(const std::string& body,
                                          const std::vector<std::string>& sets = {},
                                          ValueMode values = ValueMode::kFunctional) {
  Simulation simulation(resolve_config("uba-mem-small", sets));
  OneKernel kernel(body);
  RunOptions options;
  options.values = values;
  return simulation.run(kernel, options).failure;
}

}  // namespace tessera::test
