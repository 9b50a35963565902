// SPDX-License-Identifier: Apache-2.0
// LASP on launches that its tables do not cover: pages and CTAs of kernels without a table, of
// unclassified ones, of grids smaller than the tree and of arrays smaller than a page a node.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "stimuli/ptx/module.h"
#include "stimuli/runner/module_loader.h"
#include "tests/platforms/launch_rig.h"

namespace tessera::lasp_fallback_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::uint32_t kSmsOfNode = 4;  ///< of ladm-4x4-small: 2 GPUs of 2 chiplets
constexpr std::uint64_t kPage = 4096;

using Nodes = std::vector<std::uint32_t>;

/// Each thread stores its SM's number to its element of `out`. In `hashed`, the lanes of a warp
/// are permuted by a bit operation, which is no linear index. `rows` also reads `a`, of which each
/// grid row reads 1024 words.
constexpr const char* kKernels = R"(
.version 6.0
.target sm_70
.address_size 64
.visible .entry own(.param .u64 out)
{
  .reg .b32 %r<8>;
  .reg .b64 %d<4>;
  ld.param.u64 %d0, [out];
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.s32 %r3, %r0, %r1, %r2;
  mul.wide.s32 %d1, %r3, 4;
  add.s64 %d2, %d0, %d1;
  mov.u32 %r4, %smid;
  st.global.u32 [%d2], %r4;
  ret;
}
.visible .entry hashed(.param .u64 out)
{
  .reg .b32 %r<8>;
  .reg .b64 %d<4>;
  ld.param.u64 %d0, [out];
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.s32 %r3, %r0, %r1, %r2;
  xor.b32 %r3, %r3, 21;
  mul.wide.s32 %d1, %r3, 4;
  add.s64 %d2, %d0, %d1;
  mov.u32 %r4, %smid;
  st.global.u32 [%d2], %r4;
  ret;
}
.visible .entry rows(.param .u64 a, .param .u64 out)
{
  .reg .pred %p;
  .reg .b32 %r<12>;
  .reg .b64 %d<8>;
  ld.param.u64 %d0, [a];
  ld.param.u64 %d1, [out];
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ctaid.y;
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %smid;
  mov.u32 %r4, %r2;
LOOP:
  shl.b32 %r5, %r1, 10;
  add.s32 %r5, %r5, %r4;
  mul.wide.s32 %d2, %r5, 4;
  add.s64 %d3, %d0, %d2;
  ld.global.u32 %r6, [%d3];
  add.s32 %r3, %r3, %r6;
  add.s32 %r4, %r4, 32;
  setp.lt.s32 %p, %r4, 1024;
  @%p bra LOOP;
  mov.u32 %r7, %nctaid.x;
  mad.lo.s32 %r8, %r1, %r7, %r0;
  shl.b32 %r8, %r8, 5;
  add.s32 %r8, %r8, %r2;
  mul.wide.s32 %d4, %r8, 4;
  add.s64 %d5, %d1, %d4;
  st.global.u32 [%d5], %r3;
  ret;
}
)";

struct LaspRig : LaunchRig {
  const ptx::Module module = ptx::parse(kKernels, "kernels.ptx");

  LaspRig() : LaunchRig("ladm-4x4-small") {}

  void launch(const std::string& kernel, Dim3 grid, std::vector<KernelArgument> arguments) {
    LaunchRequest r;
    r.source = kernels::ModuleLoader::make(device)->source(module);
    r.kernel = kernel;
    r.grid = grid;
    r.block = {kWarpLanes, 1, 1};
    r.arguments = std::move(arguments);
    device.launch(r);
  }
  /// The node that has run each CTA; each has a warp, which stored its SM to `out`.
  Nodes nodes(Address out, std::uint32_t ctas) {
    Nodes all;
    for (std::uint32_t cta = 0; cta < ctas; ++cta) {
      std::uint32_t sm = 0;
      device.read(&sm, out + std::uint64_t{cta} * kWarpLanes * 4, 4);
      all.push_back(sm / kSmsOfNode);
    }
    return all;
  }
  std::uint64_t planned_pages() { return device.host().command_processor.stats().pages_placed; }
};

}  // namespace

TEST_CASE("lasp: a kernel without a locality table follows page_placement and dispatch.scheduler") {
  LaspRig rig;
  constexpr std::uint32_t kCtas = 128;  // four pages
  const Address out = rig.device.allocate("out", kCtas * kWarpLanes * 4);
  rig.device.launch(who_ran(rig.source, kCtas, out));
  CHECK(rig.planned_pages() == 0);
  // round-robin, in the order of the first touches
  Nodes homes = rig.homes(out, 4);
  std::sort(homes.begin(), homes.end());
  CHECK(homes == Nodes{0, 1, 2, 3});
  // batched, with batches of 1
  Nodes nodes = rig.sms(out, kCtas);
  for (std::uint32_t cta = 0; cta < kCtas; ++cta) {
    INFO("CTA " << cta);
    CHECK(nodes[cta] / kSmsOfNode == cta % 4);
  }
}

TEST_CASE("lasp: a kernel whose accesses are all unclassified is divided with its grid") {
  LaspRig rig;
  const Address out = rig.device.allocate("out", 8 * kPage);
  rig.launch("hashed", {8, 1, 1}, {KernelArgument::of(out)});
  CHECK(rig.homes(out, 8) == Nodes{0, 0, 1, 1, 2, 2, 3, 3});
  CHECK(rig.nodes(out, 8) == Nodes{0, 0, 1, 1, 2, 2, 3, 3});
}

TEST_CASE("lasp: unclassified, a grid smaller than the tree leaves nodes without CTAs") {
  LaspRig rig;
  const Address out = rig.device.allocate("out", 8 * kPage);
  rig.launch("hashed", {2, 1, 1}, {KernelArgument::of(out)});
  CHECK(rig.homes(out, 8) == Nodes{0, 0, 1, 1, 2, 2, 3, 3});
  CHECK(rig.nodes(out, 2) == Nodes{0, 2});
}

TEST_CASE("lasp: a grid of one batch has its whole array where it runs") {
  LaspRig rig;
  const Address out = rig.device.allocate("out", 8 * kPage);
  rig.launch("own", {1, 1, 1}, {KernelArgument::of(out)});
  CHECK(rig.homes(out, 8) == Nodes(8, 0));
  CHECK(rig.nodes(out, 1) == Nodes{0});
}

TEST_CASE("lasp: a grid of fewer rows than nodes has a node for each row, on different GPUs") {
  LaspRig rig;
  const Address a = rig.device.allocate("a", 2 * kPage);
  const Address out = rig.device.allocate("out", 4 * 2 * kWarpLanes * 4);
  const std::vector<std::uint32_t> zeros(2 * kPage / 4);
  rig.device.write(a, zeros.data(), 2 * kPage);
  rig.launch("rows", {4, 2, 1}, {KernelArgument::of(a), KernelArgument::of(out)});
  CHECK(rig.homes(a, 2) == Nodes{0, 2});
  CHECK(rig.nodes(out, 8) == Nodes{0, 0, 0, 0, 2, 2, 2, 2});
}

TEST_CASE("lasp: an array of fewer pages than nodes has a node for each batch of CTAs") {
  LaspRig rig;
  constexpr std::uint32_t kCtas = 64;  // of 128 bytes: 32 a page
  const Address out = rig.device.allocate("out", kCtas * kWarpLanes * 4);
  rig.launch("own", {kCtas, 1, 1}, {KernelArgument::of(out)});
  CHECK(rig.homes(out, 2) == Nodes{0, 2});
  Nodes expected(kCtas, 0);
  std::fill(expected.begin() + kCtas / 2, expected.end(), 2);
  CHECK(rig.nodes(out, kCtas) == expected);
}

TEST_CASE("lasp: an array below a page is on one node, with all CTAs that use it") {
  LaspRig rig;
  const Address out = rig.device.allocate("out", 1024);
  rig.launch("own", {8, 1, 1}, {KernelArgument::of(out)});
  CHECK(rig.homes(out, 1) == Nodes{0});
  CHECK(rig.nodes(out, 8) == Nodes(8, 0));
}

}  // namespace tessera::lasp_fallback_test
