// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/instruction_trace.h"

#include <array>
#include <cinttypes>
#include <cstdio>
#include <utility>

#include "common/hex.h"

namespace tessera {

namespace {

constexpr const char* kHeader =
    "# tessera trace 1: ns core mode pc code [<symbol>] [load|store|atomic bytes address "
    "[device]]\n"
    "# ns core trap cause pc value\n";
constexpr std::uint64_t kInterrupt = std::uint64_t{1} << 63;  ///< of mcause

}  // namespace

InstructionTrace::InstructionTrace(std::uint32_t harts, InstructionTraceSite site)
    : site_(std::move(site)), cores_(harts) {
  site_.write(kHeader);
}

void InstructionTrace::instruction(std::uint32_t hart, const IssInstruction& i) {
  Core& core = cores_[hart];
  core.begun = true;
  core.time_ns = site_.time_ns(hart, i.instructions);
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(),
                i.bytes == 2 ? "%" PRIu64 " %u %c 0x%" PRIx64 " %04x"
                             : "%" PRIu64 " %u %c 0x%" PRIx64 " %08x",
                core.time_ns, hart, "US?M"[i.privilege & 3], i.pc, i.code);
  site_.write(text.data() + symbol_text(core, i.pc) + access_text(i) + "\n");
}

/// At an instruction of another function than the last one.
std::string InstructionTrace::symbol_text(Core& core, std::uint64_t pc) const {
  if (core.symbol && pc >= core.symbol->begin && pc < core.symbol->end &&
      pc != core.symbol->begin) {
    return "";
  }
  core.symbol = site_.symbol(pc);
  if (!core.symbol) return "";
  const std::uint64_t offset = pc - core.symbol->begin;
  return " <" + core.symbol->name + (offset == 0 ? "" : "+" + hex(offset)) + ">";
}

std::string InstructionTrace::access_text(const IssInstruction& i) const {
  if (!i.loads && !i.stores) return "";
  const char* const kind = i.loads && i.stores ? " atomic " : i.loads ? " load " : " store ";
  std::string text = kind + std::to_string(i.access_bytes) + " " + hex(i.address);
  const std::string device = i.physical ? site_.device(*i.physical) : "";
  return device.empty() ? text : text + " " + device;
}

void InstructionTrace::trap(std::uint32_t hart, const IssFault& fault, std::uint64_t instructions) {
  Core& core = cores_[hart];
  if (!core.begun) return;
  const bool interrupt = (fault.cause & kInterrupt) != 0;
  const std::uint64_t time = interrupt ? site_.time_ns(hart, instructions) : core.time_ns;
  site_.write(std::to_string(time) + " " + std::to_string(hart) + " trap " + hex(fault.cause) +
              " " + hex(fault.pc) + " " + hex(fault.value) + "\n");
}

}  // namespace tessera
