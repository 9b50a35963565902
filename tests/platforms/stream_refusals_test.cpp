// SPDX-License-Identifier: Apache-2.0
// What streams cannot be combined with is refused by name; without overlap it runs.
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "common/json.h"
#include "stimuli/ptx/module.h"
#include "stimuli/runner/module_loader.h"
#include "tests/platforms/stream_graph.h"

namespace tessera::stream_refusals_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)
using Catch::Contains;
using nlohmann::ordered_json;

namespace {

ordered_json graph(const ChildRun& how) {
  return run_child(how, [] { return std::make_unique<StreamGraph>(); });
}

std::string refused(const ordered_json& stats) { return stats.value("input_error", "no error"); }

}  // namespace

TEST_CASE("a window with kernels that could overlap is refused, but one by one they run in order") {
  ChildRun how{"uba-mem-small"};
  how.window = WindowOptions{2000, 5000};
  CHECK(refused(graph(how)) ==
        "--skip and --detail run one kernel at a time, because instructions are skipped in the "
        "order of launches, and this workload launches in streams; run it with "
        "dispatch.kernel_scheduler=sequential");
  how.sets = {"dispatch.kernel_scheduler=sequential"};
  const ordered_json stats = graph(how);
  check_verified(stats);
  CHECK(stats.at("window").at("complete") == true);
  // One kernel at a time by another name.
  how.sets = {"dispatch.kernel_scheduler=partitioned", "kernel_scheduler.partitioned.parts=1"};
  check_verified(graph(how));
}

TEST_CASE("replicas of pages are refused with kernels that could overlap") {
  ChildRun how{"nuba-small", {"migration.policy=replication"}};
  CHECK(refused(graph(how)) ==
        "kernels of several streams cannot run at the same time: migration.policy is replication: "
        "the replicas of pages are released at a kernel's end, when no other kernel uses them; run "
        "it with dispatch.kernel_scheduler=sequential");
  how.sets.emplace_back("dispatch.kernel_scheduler=sequential");
  check_verified(graph(how));
}

TEST_CASE("parts that do not divide the SMs are refused with those that do") {
  CHECK_THROWS_WITH(
      resolve_config("uba-mem-small", {"dispatch.kernel_scheduler=partitioned",
                                       "kernel_scheduler.partitioned.parts=3"}),
      Contains(
          "kernel_scheduler.partitioned.parts (3) must divide the 8 SMs of each innermost node "
          "(GPU, module or partition): 1, 2, 4, 8"));
  CHECK_THROWS_WITH(resolve_config("uba-mem-small", {"dispatch.kernel_scheduler=leftovers"}),
                    Contains("did you mean 'leftover'?"));
}

TEST_CASE("a kernel that is refused, or fails, ends the run also if others run") {
  const auto two = [](const char* second) {
    return run_child({"uba-mem-small"}, [second] {
      auto module = std::make_shared<std::vector<ptx::Module>>();
      return std::make_unique<HostProgram>(
          [second, module](Device& device) {
            module->push_back(ptx::parse(R"(
.version 6.0
.target sm_70
.address_size 64
.visible .entry spin()
{
  .reg .pred %p<2>;
  .reg .b32 %r<2>;
  mov.u32 %r1, 5000;
LOOP:
  sub.s32 %r1, %r1, 1;
  setp.ne.s32 %p1, %r1, 0;
  @%p1 bra LOOP;
  ret;
}
.visible .entry lost()
{
  .reg .b64 %rd<2>;
  .reg .b32 %r<2>;
  mov.u64 %rd1, 64;
  mov.u32 %r1, 1;
  st.global.u32 [%rd1], %r1;
  ret;
}
)",
                                         "two.ptx"));
            LaunchRequest r;
            r.source = kernels::ModuleLoader::make(device)->source(module->back());
            r.kernel = "spin";
            r.block = {32, 1, 1};
            device.enqueue(r, {"a"});
            if (std::string(second) == "large") {
              r.dynamic_shared_bytes = 1 << 20;
            } else {
              r.kernel = second;
            }
            device.enqueue(r, {"b"});
          },
          nullptr);
    });
  };
  CHECK_THAT(refused(two("large")), Contains("1048576 bytes of shared memory does not fit an SM"));
  const ordered_json failed = two("lost");
  CHECK(failed.at("verified") == false);
  CHECK_THAT(failed.at("failure").get<std::string>(), Contains("lost") && Contains("0x40"));
}

}  // namespace tessera::stream_refusals_test
