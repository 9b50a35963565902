// SPDX-License-Identifier: Apache-2.0
// Cooperative kernels: their CTAs wait for each other, so that all must be resident at once.

#include "tests/stimuli/ptx/grid_sync.h"

#include <catch2/catch.hpp>

#include "platforms/run_result.h"
#include "platforms/simulation.h"
#include "stimuli/ptx/module.h"
#include "stimuli/runner/functional_device.h"
#include "stimuli/runner/module_loader.h"
#include "stimuli/workload.h"

namespace tessera::grid_sync_test {

using Catch::Contains;

namespace {

constexpr std::uint32_t kThreads = 64;

/// The kernel of grid_sync.h, launched twice: the workspace must be zeros each time.
class TwoPhases final : public Workload {
 public:
  explicit TwoPhases(std::uint32_t ctas)
      : module_(ptx::parse(test::grid_sync_text(), "k.ptx")), n_(ctas * kThreads) {
    info_.name = "two-phases";
  }

  const WorkloadInfo& info() const override { return info_; }
  void run(Device& device, Scale, std::uint64_t) override {
    a_ = device.allocate("a", 4 * n_);
    b_ = device.allocate("b", 4 * n_);
    const std::vector<std::uint32_t> zeros(n_);
    const auto source = kernels::ModuleLoader::make(device)->source(module_);
    for (unsigned launch = 0; launch < 2; ++launch) {
      device.write(a_, zeros.data(), 4 * n_);
      device.write(b_, zeros.data(), 4 * n_);
      LaunchRequest request;
      request.source = source;
      request.kernel = "k";
      request.grid = {n_ / kThreads, 1, 1};
      request.block = {kThreads, 1, 1};
      request.arguments = {KernelArgument::of(a_), KernelArgument::of(b_), KernelArgument::of(n_)};
      device.launch(request);
    }
  }
  std::optional<Verification> verify(Device& device) override {
    std::vector<std::uint32_t> b(n_);
    device.read(b.data(), b_, 4 * n_);
    Verification v;
    for (std::uint32_t i = 0; i < n_; ++i) {
      ++v.compared;
      if (b[i] != 3 * (n_ - 1 - i) + i) ++v.wrong;
    }
    v.passed = v.wrong == 0;
    return v;
  }

 private:
  ptx::Module module_;
  std::uint32_t n_;
  Address a_ = 0;
  Address b_ = 0;
  WorkloadInfo info_;
};

RunResult run_on_platform(TwoPhases& kernel, ValueMode values,
                          const std::vector<std::string>& sets = {}) {
  Simulation simulation(resolve_config("uba-mem-small", sets));
  RunOptions options;
  options.values = values;
  return simulation.run(kernel, options);
}

}  // namespace

TEST_CASE("a grid synchronises without a platform") {
  kernels::FunctionalDevice device(100000);
  TwoPhases kernel(100);
  kernel.run(device, Scale::kSmall, 1);
  CHECK(kernel.verify(device)->passed);
}

TEST_CASE("a grid synchronises on a platform, values in host memory") {
  TwoPhases kernel(16);
  const auto result = run_on_platform(kernel, ValueMode::kFunctional);
  INFO(result.failure.value_or(""));
  CHECK_FALSE(result.failure.has_value());
  REQUIRE(result.verification.has_value());
  CHECK(result.verification->passed);
}

TEST_CASE("a grid synchronises on a platform, values carried by the memory system") {
  TwoPhases kernel(16);
  const auto result = run_on_platform(kernel, ValueMode::kCarried);
  INFO(result.failure.value_or(""));
  CHECK_FALSE(result.failure.has_value());
  REQUIRE(result.verification.has_value());
  CHECK(result.verification->passed);
}

TEST_CASE("a cooperative grid that does not fit the machine at once is refused") {
  TwoPhases kernel(100);
  CHECK_THROWS_WITH(
      run_on_platform(kernel, ValueMode::kFunctional, {"sm.max_ctas=1"}),
      Contains("all 100 CTAs must be resident at once") && Contains("hold 1 of them each"));
}

}  // namespace tessera::grid_sync_test
