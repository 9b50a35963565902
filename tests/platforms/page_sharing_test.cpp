// SPDX-License-Identifier: Apache-2.0
// How many SMs touch each page (NUBA figure 3), on kernels that say which do.
#include "modules/mmu/page_sharing.h"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/platforms/latency_sums.h"

namespace tessera::page_sharing_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

using Bands = std::array<std::uint64_t, PageSharing::kBands>;

/// Page n is touched by the first sharers[n] SMs.
std::vector<std::vector<Address>> lists(const GpuConfig& c, const std::vector<unsigned>& sharers) {
  std::vector<std::vector<Address>> of_sm(c.system.sms);
  for (std::size_t page = 0; page < sharers.size(); ++page) {
    for (unsigned sm = 0; sm < sharers[page]; ++sm) {
      of_sm[sm].push_back(kBase + page * c.system.page_bytes);
      of_sm[sm].push_back(kBase + page * c.system.page_bytes + 128);
    }
  }
  return of_sm;
}

Bands bands(const GpuRig& rig) {
  const auto pages = [&rig](const char* of) {
    return static_cast<std::uint64_t>(rig.value("l2_tlb", of));
  };
  return {pages("pages_of_1_sm"), pages("pages_of_2_to_10_sms"), pages("pages_of_11_to_25_sms"),
          pages("pages_of_26_or_more_sms")};
}

}  // namespace

TEST_CASE("pages are counted in the bands of figure 3") {
  GpuRig rig("uba-mem", {}, BuildOptions{});
  ListKernel first(lists(rig.config(), {1, 1, 1, 2, 10, 11, 25, 25, 26, 64}), true);
  rig.run(first);
  CHECK(bands(rig) == Bands{3, 2, 3, 2});
  // Two more pages' worth of sharing in a second kernel: the same SMs again, and further ones.
  ListKernel second(lists(rig.config(), {1, 2, 26}), true);
  rig.run(second);
  CHECK(bands(rig) == Bands{1, 3, 3, 3});
}

TEST_CASE("an SM whose TLB forgets a page is not counted twice") {
  GpuRig rig("uba-mem-small", {"sm.tlb_entries=1"}, BuildOptions{});
  const std::vector<Address> second = {kBase + 4096};
  ListKernel kernel({{kBase, kBase + 4096, kBase, kBase + 4096}, second}, true);
  rig.run(kernel);
  CHECK(bands(rig) == Bands{1, 1, 0, 0});
}

TEST_CASE("sharers beyond the 64th are counted, and what is cleared is gone") {
  PageSharing sharing(130);
  for (std::uint32_t sm = 0; sm < 130; sm += 13) sharing.touch(7, SmId(sm));  // 10 of them
  CHECK(sharing.bands() == Bands{0, 1, 0, 0});
  sharing.touch(7, SmId(129));
  sharing.touch(7, SmId(129));
  CHECK(sharing.bands() == Bands{0, 0, 1, 0});
  sharing.touch(8, SmId(64));
  CHECK(sharing.bands() == Bands{1, 0, 1, 0});
  sharing.clear();
  CHECK(sharing.bands() == Bands{0, 0, 0, 0});
}

namespace {

/// Of five pages, two lines each, touched by 1, 1, 2, 3 and 8 SMs.
void check_line_sharing(const char* platform) {
  GpuRig rig(platform, {"system.line_sharing=true"}, BuildOptions{});
  ListKernel kernel(lists(rig.config(), {1, 1, 2, 3, 8}), true);
  rig.run(kernel);
  CHECK(rig.value("line_sharing", "read_lines") == 10);
  CHECK(rig.value("line_sharing", "read_only_shared_lines") == 6);
  CHECK(rig.value("line_sharing", "written_lines") == 0);
  CHECK(rig.value("line_sharing", "loads") == 2 * (1 + 1 + 2 + 3 + 8));
}

}  // namespace

TEST_CASE("lines' homes count their sharers") { check_line_sharing("uba-mem-small"); }
TEST_CASE("lines' homes count sharers of other partitions") {
  check_line_sharing("nuba-norep-small");
}

}  // namespace tessera::page_sharing_test
