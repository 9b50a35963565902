// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/board.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "common/error.h"
#include "common/hex.h"
#include "modules/vp/device_tree.h"
#include "modules/vp/elf_file.h"

namespace tessera {

namespace {

constexpr std::uint64_t kEntryAt = 24;  // in the ROM

/// a0 is the hart, a1 the device tree; jumps to the entry.
constexpr std::array<std::uint32_t, 5> kReset = {
    0x00000297,  // auipc t0, 0
    0xf1402573,  // csrr a0, mhartid
    0x0202b583,  // ld a1, 32(t0)
    0x0182b283,  // ld t0, 24(t0)
    0x00028067,  // jr t0
};

BoardMemoryConfig memory(std::uint64_t bytes, bool read_only) {
  BoardMemoryConfig c;
  c.bytes = bytes;
  c.read_only = read_only;
  return c;
}

ClintConfig clint_of(const BoardPlan& plan) {
  ClintConfig c;
  c.timebase_hz = plan.timebase_hz;
  c.harts = plan.harts;
  return c;
}

PlicConfig plic_of(const BoardPlan& plan) {
  PlicConfig c;
  c.sources = plan.sources;
  c.contexts = 2 * plan.harts;
  return c;
}

}  // namespace

std::vector<BoardRange> BoardPlan::ranges() const {
  std::vector<BoardRange> all = {{"rom", kRomAddress, kRomBytes, true, false},
                                 {"finisher", kFinisherAddress, kPage, false, false},
                                 {"clint", kClintAddress, kClintBytes, false, false},
                                 {"plic", kPlicAddress, kPlicBytes, false, false},
                                 {"uart", kUartAddress, kPage, false, false},
                                 {"ram", kRamAddress, ram_bytes, true, false}};
  for (const BoardDevice& d : devices) all.push_back(d.range);
  return all;
}

Board::Board(const sc_core::sc_module_name& name, const BoardPlan& plan,
             const RiscvCoreConfig& core, const MakeCoreIss& make_iss, const Wires& wires)
    : sc_module(name),
      bus("bus", BoardBusConfig{plan.ranges()}),
      rom("rom", memory(BoardPlan::kRomBytes, true)),
      ram("ram", memory(plan.ram_bytes, false)),
      finisher("finisher"),
      clint("clint", clint_of(plan)),
      plic("plic", plic_of(plan)),
      uart("uart"),
      plan_(plan),
      interrupts_("interrupts", plan.sources),
      software_("software", plan.harts),
      timer_("timer", plan.harts),
      external_("external", 2 * std::size_t{plan.harts}) {
  bus.out[0]->bind(rom.in);
  bus.out[1]->bind(finisher.in);
  bus.out[2]->bind(clint.in);
  bus.out[3]->bind(plic.in);
  bus.out[4]->bind(uart.in);
  bus.out[5]->bind(ram.in);
  clint.software.bind(software_);
  clint.timer.bind(timer_);
  for (std::uint32_t s = 1; s <= plan.sources; ++s) {
    const auto wire = wires.find(s);
    if (wire == wires.end()) {
      plic.sources[s - 1].bind(interrupts_[s - 1]);
    } else {
      plic.sources[s - 1].bind(*wire->second);
    }
  }
  plic.contexts.bind(external_);
  uart.interrupt.bind(interrupts_[BoardPlan::kUartInterrupt - 1]);
  for (std::uint32_t h = 0; h < plan.harts; ++h) {
    RiscvCoreSite site;
    site.hart = h;
    site.reset_pc = BoardPlan::kRomAddress;
    site.ranges = plan.ranges();
    site.time = [this](Tick t) { return clint.time_at(t); };
    site.make_iss = make_iss;
    cores.push_back(
        std::make_unique<RiscvCore>(("core" + std::to_string(h)).c_str(), core, std::move(site)));
    RiscvCore& c = *cores.back();
    c.bus.bind(bus.in);
    c.software.bind(software_[h]);
    c.timer.bind(timer_[h]);
    c.external.bind(external_[2 * std::size_t{h}]);
    c.supervisor_external.bind(external_[2 * std::size_t{h} + 1]);
  }
  std::memcpy(rom.bytes(), kReset.data(), sizeof kReset);
  const std::vector<unsigned char> tree = device_tree(plan);
  const std::uint64_t tree_address = BoardPlan::kRomAddress + BoardPlan::kTreeOffset;
  std::memcpy(rom.bytes() + kEntryAt + 8, &tree_address, sizeof tree_address);
  std::memcpy(rom.bytes() + BoardPlan::kTreeOffset, tree.data(), tree.size());
  set_entry(BoardPlan::kRamAddress);
}

void Board::set_entry(std::uint64_t entry) {
  std::memcpy(rom.bytes() + kEntryAt, &entry, sizeof entry);
}

void Board::load(const Program& program) {
  for (const Program::Segment& s : program.segments) {
    const std::uint64_t offset = s.address - BoardPlan::kRamAddress;
    if (offset >= plan_.ram_bytes || s.bytes > plan_.ram_bytes - offset) {
      throw InputError("the program needs " + std::to_string(s.bytes) + " bytes at " +
                       hex(s.address) + ", and RAM is " + hex(BoardPlan::kRamAddress) + " to " +
                       hex(BoardPlan::kRamAddress + plan_.ram_bytes));
    }
    std::copy(s.data.begin(), s.data.end(), ram.bytes() + offset);
    std::memset(ram.bytes() + offset + s.data.size(), 0, s.bytes - s.data.size());
  }
}

}  // namespace tessera
