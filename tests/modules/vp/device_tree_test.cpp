// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/device_tree.h"

#include <libfdt.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "modules/vp/board_plan.h"

namespace tessera::device_tree_test {

namespace {

class Reader {
 public:
  explicit Reader(const BoardPlan& plan) : blob_(device_tree(plan)) {
    REQUIRE(fdt_check_full(blob_.data(), blob_.size()) == 0);
  }
  int node(const char* path) const {
    const int n = fdt_path_offset(blob_.data(), path);
    INFO(path);
    REQUIRE(n >= 0);
    return n;
  }
  std::string text(const char* path, const char* property) const {
    int bytes = 0;
    const void* const p = fdt_getprop(blob_.data(), node(path), property, &bytes);
    REQUIRE(p != nullptr);
    return std::string(static_cast<const char*>(p), static_cast<std::size_t>(bytes));
  }
  std::vector<std::uint32_t> cells(const char* path, const char* property) const {
    const std::string bytes = text(path, property);
    std::vector<std::uint32_t> out;
    for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
      fdt32_t word = 0;
      std::memcpy(&word, bytes.data() + i, 4);
      out.push_back(fdt32_to_cpu(word));
    }
    return out;
  }

 private:
  std::vector<unsigned char> blob_;
};

using Cells = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("device tree: memory, harts and devices of the plan") {
  BoardPlan plan;
  plan.harts = 2;
  plan.ram_bytes = std::uint64_t{5} << 30;
  const Reader tree(plan);
  CHECK(tree.cells("/memory@80000000", "reg") == Cells{0, 0x80000000, 1, 0x40000000});
  CHECK(tree.cells("/cpus", "timebase-frequency") == Cells{10'000'000});
  CHECK(tree.cells("/cpus/cpu@1", "reg") == Cells{1});
  CHECK(tree.text("/cpus/cpu@1", "riscv,isa") == std::string("rv64imafdcsu\0", 13));
  CHECK(tree.text("/chosen", "stdout-path") == std::string("/soc/serial@10000000\0", 21));
  CHECK(tree.cells("/soc/serial@10000000", "interrupts") == Cells{10});
  const std::uint32_t plic = tree.cells("/soc/plic@c000000", "phandle").at(0);
  CHECK(tree.cells("/soc/serial@10000000", "interrupt-parent") == Cells{plic});
  const std::uint32_t hart0 = tree.cells("/cpus/cpu@0/interrupt-controller", "phandle").at(0);
  const std::uint32_t hart1 = tree.cells("/cpus/cpu@1/interrupt-controller", "phandle").at(0);
  CHECK(tree.cells("/soc/clint@2000000", "interrupts-extended") ==
        Cells{hart0, 3, hart0, 7, hart1, 3, hart1, 7});
  CHECK(tree.cells("/soc/plic@c000000", "interrupts-extended") ==
        Cells{hart0, 11, hart0, 9, hart1, 11, hart1, 9});
  CHECK(tree.text("/soc/test@100000", "compatible") ==
        std::string("sifive,test1\0sifive,test0\0syscon\0", 33));
}

TEST_CASE("device tree: further devices") {
  BoardPlan plan;
  plan.devices.push_back({{"gpu", 0x20000000, 0x2000, false}, "tessera,command-processor", 11});
  const Reader tree(plan);
  CHECK(tree.cells("/soc/gpu@20000000", "reg") == Cells{0, 0x20000000, 0, 0x2000});
  CHECK(tree.cells("/soc/gpu@20000000", "interrupts") == Cells{11});
  CHECK(tree.text("/soc/gpu@20000000", "compatible") ==
        std::string("tessera,command-processor\0", 26));
}

}  // namespace tessera::device_tree_test
