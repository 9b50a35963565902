// SPDX-License-Identifier: Apache-2.0
// Cooperative kernels without a platform: all CTAs live at once and take turns.

#include "tests/stimuli/ptx/grid_sync.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::grid_sync_test {

using tessera::test::kernel_text;
using tessera::test::KernelRunner;

namespace {

constexpr std::uint32_t kThreads = 96;

/// The kernel of grid_sync.h on arrays for that many CTAs.
struct TwoPhases {
  explicit TwoPhases(std::uint32_t ctas)
      : n(ctas * kThreads), module(tessera::ptx::parse(tessera::test::grid_sync_text(), "k.ptx")) {
    a = allocations.allocate("a", 4 * n).begin;
    b = allocations.allocate("b", 4 * n).begin;
    workspace = allocations.allocate("workspace", tessera::ptx::kGridWorkspaceBytes).begin;
  }
  std::unique_ptr<tessera::KernelProgram> program(std::uint32_t ctas, bool with_workspace = true) {
    tessera::ptx::MemoryView view;
    view.allocations = &allocations;
    view.flat = &memory;
    if (with_workspace) view.grid_workspace = workspace;
    tessera::LaunchRequest request;
    request.kernel = "k";
    request.grid = Dim3{ctas, 1, 1};
    request.block = Dim3{kThreads, 1, 1};
    request.arguments = {KernelArgument::of(a), KernelArgument::of(b), KernelArgument::of(n)};
    return tessera::ptx::make_program(tessera::ptx::decode(module, "k"), request, view);
  }
  unsigned wrong() const {
    unsigned count = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      std::uint32_t v;
      std::memcpy(&v, memory.at(b + 4 * i), 4);
      count += v == 3 * (n - 1 - i) + i ? 0 : 1;
    }
    return count;
  }

  std::uint32_t n;
  tessera::ptx::Module module;
  tessera::Allocations allocations;
  tessera::FlatMemory memory{std::uint64_t{1} << 30};
  Address a = 0;
  Address b = 0;
  Address workspace = 0;
};

}  // namespace

TEST_CASE("the second phase reads what other CTAs wrote in the first") {
  for (const std::uint32_t ctas : {1u, 2u, 150u}) {
    TwoPhases t(ctas);
    const auto program = t.program(ctas);
    CHECK(program->cooperative());
    tessera::run_functionally(*program, 100000);
    CHECK(t.wrong() == 0);
  }
}

TEST_CASE("a grid whose CTAs do not all arrive is stopped, and its line is named") {
  TwoPhases t(3);
  const std::uint32_t never = 1;  // the barrier has counted one CTA too many
  std::memcpy(t.memory.at(t.workspace + 4), &never, 4);
  const auto program = t.program(3);
  CHECK_THROWS_WITH(tessera::run_functionally(*program, 20000),
                    Catch::Contains("k.ptx:") && Catch::Contains("20000 warp instructions"));
}

TEST_CASE("a cooperative launch needs a workspace, and a grid that can be resident") {
  TwoPhases t(2);
  CHECK_THROWS_WITH(t.program(2, false), Catch::Contains("without a workspace"));
  const auto many = t.program(20000);
  CHECK_THROWS_WITH(tessera::run_functionally(*many),
                    Catch::Contains("20000 CTAs must be resident at once, at most 16384"));
}

TEST_CASE("kernels that do not synchronise their grid are not cooperative") {
  KernelRunner k(kernel_text("bar.sync 0;"));
  CHECK_FALSE(k.program({4, 1, 1}, {64, 1, 1})->cooperative());
}

}  // namespace tessera::grid_sync_test
