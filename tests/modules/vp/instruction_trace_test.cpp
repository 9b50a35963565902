// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/instruction_trace.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace tessera::instruction_trace_test {

namespace {

struct Bench {
  std::vector<std::string> lines;
  InstructionTrace trace{2, site()};

  InstructionTraceSite site() {
    InstructionTraceSite s;
    s.symbol = [](std::uint64_t pc) -> std::optional<TraceSymbol> {
      if (pc < 0x80000000) return std::nullopt;
      if (pc < 0x80000100) return TraceSymbol{"main", 0x80000000, 0x80000100};
      return TraceSymbol{"put", 0x80000100, ~std::uint64_t{0}};
    };
    s.device = [](std::uint64_t physical) { return physical < 0x80000000 ? "uart" : ""; };
    s.time_ns = [](std::uint32_t hart, std::uint64_t n) { return 1000 * hart + n; };
    s.write = [this](const std::string& line) { lines.push_back(line); };
    return s;
  }
  std::string line(std::uint32_t hart, const IssInstruction& i) {
    trace.instruction(hart, i);
    return lines.back();
  }
};

IssInstruction at(std::uint64_t n, std::uint64_t pc, std::uint32_t code = 0x13,
                  unsigned bytes = 4) {
  IssInstruction i;
  i.instructions = n;
  i.pc = pc;
  i.code = code;
  i.bytes = bytes;
  i.privilege = 3;
  return i;
}

}  // namespace

TEST_CASE("instruction trace: time, core, mode, pc and code") {
  Bench b;
  CHECK(b.lines.size() == 1);
  CHECK(b.lines[0][0] == '#');
  CHECK(b.line(0, at(5, 0x1000)) == "5 0 M 0x1000 00000013\n");
  IssInstruction i = at(6, 0x1004, 0x4501, 2);
  i.privilege = 0;
  CHECK(b.line(1, i) == "1006 1 U 0x1004 4501\n");
  i.privilege = 1;
  CHECK(b.line(1, i) == "1006 1 S 0x1004 4501\n");
}

TEST_CASE("instruction trace: a symbol where a core enters a function, and where it returns") {
  Bench b;
  CHECK(b.line(0, at(0, 0x80000000)) == "0 0 M 0x80000000 00000013 <main>\n");
  CHECK(b.line(0, at(1, 0x80000004)) == "1 0 M 0x80000004 00000013\n");
  CHECK(b.line(1, at(1, 0x80000004)) == "1001 1 M 0x80000004 00000013 <main+0x4>\n");
  CHECK(b.line(0, at(2, 0x80000100)) == "2 0 M 0x80000100 00000013 <put>\n");
  CHECK(b.line(0, at(3, 0x80000008)) == "3 0 M 0x80000008 00000013 <main+0x8>\n");
  CHECK(b.line(0, at(4, 0x80000000)) == "4 0 M 0x80000000 00000013 <main>\n");
}

TEST_CASE("instruction trace: accesses, with the device") {
  Bench b;
  IssInstruction i = at(0, 0x1000);
  i.loads = true;
  i.access_bytes = 8;
  i.address = i.physical.emplace(0x80001000);
  CHECK(b.line(0, i) == "0 0 M 0x1000 00000013 load 8 0x80001000\n");
  i.stores = true;
  CHECK(b.line(0, i) == "0 0 M 0x1000 00000013 atomic 8 0x80001000\n");
  i.loads = false;
  i.access_bytes = 1;
  i.address = 0xffffffc010000000;  // virtual
  i.physical = 0x10000000;
  CHECK(b.line(0, i) == "0 0 M 0x1000 00000013 store 1 0xffffffc010000000 uart\n");
  i.physical.reset();
  CHECK(b.line(0, i) == "0 0 M 0x1000 00000013 store 1 0xffffffc010000000\n");
}

TEST_CASE("instruction trace: traps of a core whose trace has begun") {
  Bench b;
  b.trace.trap(0, {5, 0x1000, 0x5000000}, 9);
  CHECK(b.lines.size() == 1);
  b.line(0, at(3, 0x1000));
  b.trace.trap(0, {5, 0x1000, 0x5000000}, 9);
  CHECK(b.lines.back() == "3 0 trap 0x5 0x1000 0x5000000\n");
  b.trace.trap(0, {std::uint64_t{1} << 63 | 7, 0x1004, 0}, 9);
  CHECK(b.lines.back() == "9 0 trap 0x8000000000000007 0x1004 0x0\n");
}

}  // namespace tessera::instruction_trace_test
