// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/device_tree.h"

#include <libfdt.h>

#include <stdexcept>
#include <string>

#include "common/hex.h"
#include "modules/vp/board_plan.h"

namespace tessera {

namespace {

constexpr std::uint32_t kPlicHandle = 1;
constexpr std::uint32_t kFirstHartHandle = 2;

/// "serial@10000000".
std::string at(const std::string& name, std::uint64_t address) {
  return name + "@" + hex(address).substr(2);
}

/// Writes a tree from the front to the end, with libfdt.
class Tree {
 public:
  Tree() {
    check(fdt_create(blob_.data(), static_cast<int>(blob_.size())));
    check(fdt_finish_reservemap(blob_.data()));
  }
  void begin(const std::string& name) { check(fdt_begin_node(blob_.data(), name.c_str())); }
  void end() { check(fdt_end_node(blob_.data())); }
  void text(const char* name, const std::string& value) {
    check(fdt_property_string(blob_.data(), name, value.c_str()));
  }
  /// Texts that end with 0 each.
  void texts(const char* name, const std::string& values) {
    check(fdt_property(blob_.data(), name, values.data(), static_cast<int>(values.size())));
  }
  void flag(const char* name) { check(fdt_property(blob_.data(), name, nullptr, 0)); }
  void cell(const char* name, std::uint32_t value) {
    check(fdt_property_u32(blob_.data(), name, value));
  }
  void cells(const char* name, const std::vector<std::uint32_t>& values) {
    std::vector<fdt32_t> words;
    words.reserve(values.size());
    for (const std::uint32_t v : values) words.push_back(cpu_to_fdt32(v));
    check(fdt_property(blob_.data(), name, words.data(),
                       static_cast<int>(words.size() * sizeof(fdt32_t))));
  }
  void reg(std::uint64_t address, std::uint64_t bytes) {
    const auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); };
    const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
    cells("reg", {high(address), low(address), high(bytes), low(bytes)});
  }
  void two_cells_each() {
    cell("#address-cells", 2);
    cell("#size-cells", 2);
  }
  std::vector<unsigned char> finished() {
    check(fdt_finish(blob_.data()));
    blob_.resize(fdt_totalsize(blob_.data()));
    return blob_;
  }

 private:
  static void check(int error) {
    if (error != 0) throw std::logic_error(std::string("device tree: ") + fdt_strerror(error));
  }
  std::vector<unsigned char> blob_ =
      std::vector<unsigned char>(BoardPlan::kRomBytes - BoardPlan::kTreeOffset);
};

void harts(Tree& tree, const BoardPlan& plan) {
  tree.begin("cpus");
  tree.cell("#address-cells", 1);
  tree.cell("#size-cells", 0);
  tree.cell("timebase-frequency", static_cast<std::uint32_t>(plan.timebase_hz));
  for (std::uint32_t h = 0; h < plan.harts; ++h) {
    tree.begin(at("cpu", h));
    tree.text("device_type", "cpu");
    tree.cell("reg", h);
    tree.text("status", "okay");
    tree.text("compatible", "riscv");
    tree.text("riscv,isa", "rv64imafdcsu");
    tree.text("mmu-type", "riscv,sv39");
    tree.begin("interrupt-controller");
    tree.cell("#interrupt-cells", 1);
    tree.flag("interrupt-controller");
    tree.text("compatible", "riscv,cpu-intc");
    tree.cell("phandle", kFirstHartHandle + h);
    tree.end();
    tree.end();
  }
  tree.end();
}

/// Pairs of a hart's interrupt controller and an interrupt there.
std::vector<std::uint32_t> of_each_hart(const BoardPlan& plan, std::uint32_t first,
                                        std::uint32_t second) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t h = 0; h < plan.harts; ++h) {
    all.insert(all.end(), {kFirstHartHandle + h, first, kFirstHartHandle + h, second});
  }
  return all;
}

void interrupt(Tree& tree, std::uint32_t source) {
  tree.cell("interrupts", source);
  tree.cell("interrupt-parent", kPlicHandle);
}

void devices(Tree& tree, const BoardPlan& plan) {
  tree.begin("soc");
  tree.two_cells_each();
  tree.text("compatible", "simple-bus");
  tree.flag("ranges");
  tree.begin(at("serial", BoardPlan::kUartAddress));
  tree.text("compatible", "ns16550a");
  tree.reg(BoardPlan::kUartAddress, BoardPlan::kUartBytes);
  tree.cell("clock-frequency", 3686400);
  interrupt(tree, BoardPlan::kUartInterrupt);
  tree.end();
  tree.begin(at("test", BoardPlan::kFinisherAddress));
  tree.texts("compatible", std::string("sifive,test1\0sifive,test0\0syscon\0", 33));
  tree.reg(BoardPlan::kFinisherAddress, BoardPlan::kPage);
  tree.end();
  tree.begin(at("clint", BoardPlan::kClintAddress));
  tree.texts("compatible", std::string("sifive,clint0\0riscv,clint0\0", 27));
  tree.reg(BoardPlan::kClintAddress, BoardPlan::kClintBytes);
  tree.cells("interrupts-extended", of_each_hart(plan, 3, 7));
  tree.end();
  tree.begin(at("plic", BoardPlan::kPlicAddress));
  tree.texts("compatible", std::string("sifive,plic-1.0.0\0riscv,plic0\0", 30));
  tree.cell("phandle", kPlicHandle);
  tree.cell("#interrupt-cells", 1);
  tree.flag("interrupt-controller");
  tree.reg(BoardPlan::kPlicAddress, BoardPlan::kPlicBytes);
  tree.cells("interrupts-extended", of_each_hart(plan, 11, 9));
  tree.cell("riscv,ndev", plan.sources);
  tree.end();
  for (const BoardDevice& d : plan.devices) {
    tree.begin(at(d.range.name, d.range.address));
    tree.text("compatible", d.compatible);
    tree.reg(d.range.address, d.range.bytes);
    if (d.interrupt != 0) interrupt(tree, d.interrupt);
    tree.end();
  }
  tree.end();
}

}  // namespace

std::vector<unsigned char> device_tree(const BoardPlan& plan) {
  Tree tree;
  tree.begin("");
  tree.two_cells_each();
  tree.text("compatible", "riscv-virtio");
  tree.text("model", "tessera");
  tree.begin("chosen");
  tree.text("stdout-path", "/soc/" + at("serial", BoardPlan::kUartAddress));
  tree.end();
  tree.begin(at("memory", BoardPlan::kRamAddress));
  tree.text("device_type", "memory");
  tree.reg(BoardPlan::kRamAddress, plan.ram_bytes);
  tree.end();
  harts(tree, plan);
  devices(tree, plan);
  tree.end();
  return tree.finished();
}

}  // namespace tessera
