// SPDX-License-Identifier: Apache-2.0
#include "policies/kernel_scheduler.h"

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "policies/sm_parts.h"
#include "tests/support/policy_settings.h"

namespace tessera::kernel_scheduler_test {

using namespace tessera::test;

namespace {

using Kernels = std::vector<KernelAtSm>;
using Choice = std::optional<std::size_t>;

/// fits, has_more, resident.
constexpr KernelAtSm kFull{false, true, 2};
constexpr KernelAtSm kDone{true, false, 1};

KernelAtSm ready(std::uint32_t resident) { return {true, true, resident}; }

PolicyContext tree(std::uint32_t sms, std::uint32_t partitions = 1) {
  PolicyContext c;
  c.tree.sms = sms;
  c.tree.partitions = partitions;
  return c;
}

}  // namespace

TEST_CASE("leftover chooses the first kernel that has CTAs left, if one of them fits") {
  const auto leftover = make_policy<KernelScheduler>("leftover");
  CHECK(leftover->most_kernels() == 0);
  CHECK(leftover->parts() == 1);
  CHECK(leftover->choose({ready(5), ready(0)}) == Choice(0));
  CHECK(leftover->choose({kDone, ready(0), ready(0)}) == Choice(1));
  CHECK(leftover->choose({kDone, kDone}) == std::nullopt);
  CHECK(leftover->choose({kFull, ready(0)}) == std::nullopt);
}

TEST_CASE("even chooses the kernel that has the fewest CTAs on the SM, of those that fit") {
  const auto even = make_policy<KernelScheduler>("even");
  CHECK(even->most_kernels() == 0);
  CHECK(even->parts() == 1);
  CHECK(even->choose({ready(1), ready(0), ready(0)}) == Choice(1));
  CHECK(even->choose({ready(1), ready(1)}) == Choice(0));
  CHECK(even->choose({kDone, kFull, ready(7)}) == Choice(2));
  CHECK(even->choose({kDone, kFull}) == std::nullopt);
}

TEST_CASE("sequential runs one kernel, partitioned one kernel a part") {
  CHECK(make_policy<KernelScheduler>("sequential")->most_kernels() == 1);
  CHECK(make_policy<KernelScheduler>("sequential")->parts() == 1);
  CHECK(make_policy<KernelScheduler>("partitioned", tree(8))->most_kernels() == 2);
  CHECK(make_policy<KernelScheduler>("partitioned", tree(8))->parts() == 2);
}

TEST_CASE("partitioned needs parts that divide the SMs of an innermost node") {
  const auto settings = policy_settings<KernelScheduler>({{"partitioned.parts", 4}});
  CHECK(settings.make("partitioned", tree(8))->parts() == 4);
  CHECK_THROWS_WITH(
      settings.make("partitioned", tree(12, 2)),
      "kernel_scheduler.partitioned.parts (4) must divide the 6 SMs of each innermost "
      "node (GPU, module or partition): 1, 2, 3, 6");
}

TEST_CASE("each part has the same SMs of each node, numbered from 0 in ascending order") {
  // 2 nodes of 6 SMs, 3 parts: SMs 0, 1, 6, 7 are part 0.
  const SmParts parts(12, 6, 3);
  CHECK(parts.count() == 3);
  CHECK(parts.size() == 4);
  const std::vector<std::uint32_t> part_of{0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2};
  const std::vector<std::uint32_t> number_of{0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3};
  for (std::uint32_t sm = 0; sm < 12; ++sm) {
    CHECK(parts.part_of(sm) == part_of[sm]);
    CHECK(parts.number_of(sm) == number_of[sm]);
    CHECK(parts.sm_of(part_of[sm], number_of[sm]) == sm);
  }
  const SmParts whole(12, 6, 1);
  for (std::uint32_t sm = 0; sm < 12; ++sm) {
    CHECK(whole.part_of(sm) == 0);
    CHECK(whole.number_of(sm) == sm);
    CHECK(whole.sm_of(0, sm) == sm);
  }
}

}  // namespace tessera::kernel_scheduler_test
