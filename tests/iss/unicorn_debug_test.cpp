// SPDX-License-Identifier: Apache-2.0
// The shared object with Unicorn, through its interface.
#include <dlfcn.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "modules/vp/iss.h"
#include "modules/vp/iss_debug.h"
#include "modules/vp/riscv_registers.h"

namespace tessera::unicorn_debug_test {

namespace {

constexpr std::uint64_t kRam = 0x80000000;
constexpr std::uint64_t kRom = 0x1000;
constexpr std::uint64_t kBytes = 0x10000;
constexpr std::uint64_t kDevice = 0x10000000;
constexpr std::uint64_t kData = kRam + 0x8000;
constexpr unsigned kA0 = 10, kA1 = 11, kA2 = 12, kT0 = 5;
constexpr unsigned kPc = RiscvRegister::kPc;
constexpr unsigned kPriv = RiscvRegister::kPrivilege;

constexpr unsigned csr(unsigned number) { return RiscvRegister::kCsr0 + number; }
constexpr unsigned kMstatus = csr(0x300), kMie = csr(0x304), kMtvec = csr(0x305);
constexpr unsigned kMepc = csr(0x341), kMcause = csr(0x342), kSatp = csr(0x180);

// Encodings (RISC-V unprivileged ISA 20191213, chapter 24).
constexpr std::uint32_t i_type(unsigned imm, unsigned rs1, unsigned f3, unsigned rd, unsigned op) {
  return (imm & 0xfff) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op;
}
constexpr std::uint32_t s_type(unsigned imm, unsigned rs2, unsigned rs1, unsigned f3) {
  return (imm >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (imm & 31) << 7 | 0x23;
}
constexpr std::uint32_t addi(unsigned rd, unsigned rs1, int imm) {
  return i_type(static_cast<unsigned>(imm), rs1, 0, rd, 0x13);
}
constexpr std::uint32_t lw(unsigned rd, unsigned offset, unsigned rs1) {
  return i_type(offset, rs1, 2, rd, 0x03);
}
constexpr std::uint32_t ld(unsigned rd, unsigned offset, unsigned rs1) {
  return i_type(offset, rs1, 3, rd, 0x03);
}
constexpr std::uint32_t sb(unsigned rs2, unsigned offset, unsigned rs1) {
  return s_type(offset, rs2, rs1, 0);
}
constexpr std::uint32_t sw(unsigned rs2, unsigned offset, unsigned rs1) {
  return s_type(offset, rs2, rs1, 2);
}
constexpr std::uint32_t sd(unsigned rs2, unsigned offset, unsigned rs1) {
  return s_type(offset, rs2, rs1, 3);
}
constexpr std::uint32_t amoadd_w(unsigned rd, unsigned rs2, unsigned rs1) {
  return rs2 << 20 | rs1 << 15 | 2U << 12 | rd << 7 | 0x2f;
}
constexpr std::uint32_t branch(unsigned f3, unsigned rs1, unsigned rs2, int offset) {
  const auto o = static_cast<unsigned>(offset);
  return (o >> 12 & 1) << 31 | (o >> 5 & 63) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 |
         (o >> 1 & 15) << 8 | (o >> 11 & 1) << 7 | 0x63;
}
constexpr std::uint32_t bnez(unsigned rs1, int offset) { return branch(1, rs1, 0, offset); }
constexpr std::uint32_t jump(int offset) {
  const auto o = static_cast<unsigned>(offset);
  return (o >> 20 & 1) << 31 | (o >> 1 & 0x3ff) << 21 | (o >> 11 & 1) << 20 |
         (o >> 12 & 0xff) << 12 | 0x6f;
}
constexpr std::uint32_t kEcall = 0x00000073;
constexpr std::uint32_t kMret = 0x30200073;
constexpr std::uint32_t kWfi = 0x10500073;
constexpr std::uint32_t kFenceI = 0x0000100f;
constexpr std::uint32_t kReadTime = 0xc0102573;  // rdtime a0
constexpr std::uint32_t kNop = addi(0, 0, 0);

MakeIss* load_iss() {
  void* const object = dlopen(TESSERA_UNICORN_FILE, RTLD_NOW | RTLD_LOCAL);
  INFO((object == nullptr ? dlerror() : ""));
  REQUIRE(object != nullptr);
  return reinterpret_cast<MakeIss*>(dlsym(object, "tessera_make_iss"));
}

/// A hart in machine mode with RAM, ROM and a device that notes its accesses.
class Hart final : public IssBus {
 public:
  Hart()
      : ram(static_cast<unsigned char*>(std::aligned_alloc(0x1000, kBytes)), std::free),
        rom(static_cast<unsigned char*>(std::aligned_alloc(0x1000, 0x1000)), std::free),
        iss(load_iss()(0, this)),
        debug(*iss->debug()) {
    std::memset(ram.get(), 0, kBytes);
    std::memset(rom.get(), 0, 0x1000);
    iss->map_memory(kRam, kBytes, ram.get(), true);
    iss->map_memory(kRom, 0x1000, rom.get(), false);
    iss->map_device(kDevice, 0x1000);
    iss->reset(kRam, 0);
    iss->set_pending(0);
  }

  bool load(std::uint64_t address, void* data, unsigned bytes) override {
    accesses.emplace_back(address, bytes);
    std::memset(data, 0x5a, bytes);
    if (on_access) on_access();
    return true;
  }
  bool store(std::uint64_t address, const void*, unsigned bytes) override {
    accesses.emplace_back(address, bytes);
    if (on_access) on_access();
    return true;
  }
  std::uint64_t time() override { return 77; }
  bool read_debug(std::uint64_t address, void* data, unsigned bytes) override {
    if (address < kRam || address + bytes > kRam + kBytes) return false;
    std::memcpy(data, ram.get() + (address - kRam), bytes);
    return true;
  }

  void write(std::uint64_t address, std::initializer_list<std::uint32_t> code) {
    unsigned char* const to =
        address < kRam ? rom.get() + (address - kRom) : ram.get() + (address - kRam);
    std::memcpy(to, code.begin(), code.size() * 4);
  }
  void write_word(std::uint64_t address, std::uint64_t value) {
    std::memcpy(ram.get() + (address - kRam), &value, sizeof value);
  }
  std::uint64_t reg(unsigned number) {
    std::uint64_t value = ~std::uint64_t{0};
    CHECK(debug.read_register(number, value));
    return value;
  }
  void set(unsigned number, std::uint64_t value) { CHECK(debug.write_register(number, value)); }
  void expect_break(IssStop stop, IssBreak::Kind kind, std::uint64_t pc) {
    REQUIRE(stop == IssStop::kBreak);
    CHECK(debug.last_break().kind == kind);
    CHECK(reg(kPc) == pc);
  }
  std::uint64_t step() {
    debug.step(true);
    const IssStop stop = iss->run(1000);
    CHECK(stop == IssStop::kBreak);
    CHECK(debug.last_break().kind == IssBreak::Kind::kStep);
    return reg(kPc);
  }

  std::unique_ptr<unsigned char, void (*)(void*)> ram, rom;
  std::vector<std::pair<std::uint64_t, unsigned>> accesses;
  std::function<void()> on_access;
  std::unique_ptr<Iss> iss;
  IssDebug& debug;
};

constexpr auto kBreakpoint = IssBreak::Kind::kBreakpoint;
constexpr auto kWatchpoint = IssBreak::Kind::kWatchpoint;

/// a0 counts to 3 at kRam + 4, and then the hart waits.
void write_loop(Hart& h) {
  h.write(kRam, {addi(kA0, 0, 0),     // 0
                 addi(kA0, kA0, 1),   // 4
                 addi(kA1, kA0, -3),  // 8
                 bnez(kA1, -8),       // 12
                 addi(kA2, 0, 9),     // 16
                 kWfi, jump(-4)});    // 20, 24
}

}  // namespace

TEST_CASE("Unicorn debug: registers") {
  Hart h;
  h.set(kA0, 0x1234567890abcdef);
  CHECK(h.reg(kA0) == 0x1234567890abcdef);
  h.set(0, 7);
  CHECK(h.reg(0) == 0);
  h.set(RiscvRegister::kF0 + 10, 0x3ff0000000000000);
  CHECK(h.reg(RiscvRegister::kF0 + 10) == 0x3ff0000000000000);
  h.set(kPc, kRam + 0x40);
  CHECK(h.reg(kPc) == kRam + 0x40);
  CHECK(h.reg(kPriv) == 3);
  std::uint64_t value = 0;
  CHECK_FALSE(h.debug.read_register(csr(0x7ff), value));
  CHECK_FALSE(h.debug.write_register(csr(0x7ff), 0));
  CHECK_FALSE(h.debug.write_register(kPriv, 2));
}

TEST_CASE("Unicorn debug: CSRs are accessed in each mode, and floating point's while it is off") {
  Hart h;
  h.set(kMstatus, 0x80);
  for (const std::uint64_t mode : {3U, 1U, 0U}) {
    h.set(kPriv, mode);
    h.set(kMepc, 0x80001000 + 16 * mode);
    h.set(csr(0x140), 5 + mode);  // sscratch
    CHECK(h.reg(kMepc) == 0x80001000 + 16 * mode);
    CHECK(h.reg(csr(0x140)) == 5 + mode);
    h.set(csr(0x003), 0x61);  // fcsr
    CHECK(h.reg(csr(0x003)) == 0x61);
    CHECK(h.reg(csr(0x002)) == 3);  // frm
    CHECK((h.reg(kMstatus) & 0x6000) == 0);
    CHECK(h.reg(kPriv) == mode);
  }
  for (const RiscvCsr& c : kRiscvCsrs) {
    INFO(c.name);
    std::uint64_t value = 0;
    CHECK(h.debug.read_register(csr(c.number), value));
  }
}

TEST_CASE("Unicorn debug: a breakpoint stops before its instruction, each time") {
  Hart h;
  write_loop(h);
  h.debug.add_breakpoint(kRam + 8);
  IssStop stop = h.iss->run(1000);
  for (const unsigned pass : {1U, 2U, 3U}) {
    h.expect_break(stop, kBreakpoint, kRam + 8);
    CHECK(h.debug.last_break().address == kRam + 8);
    CHECK(h.reg(kA0) == pass);
    CHECK(h.iss->instructions() == 3 * pass - 1);
    stop = h.debug.resume(1000 - h.iss->instructions());
  }
  CHECK(stop == IssStop::kWaits);
  CHECK(h.reg(kA2) == 9);
}

TEST_CASE("Unicorn debug: breakpoints are added and removed between runs") {
  Hart h;
  write_loop(h);
  CHECK(h.iss->run(1000) == IssStop::kWaits);  // the code has been translated
  h.set(kPc, kRam);
  h.debug.add_breakpoint(kRam + 16);
  h.debug.add_breakpoint(kRam + 4);
  h.expect_break(h.iss->run(1000), kBreakpoint, kRam + 4);
  h.debug.remove_breakpoint(kRam + 4);
  h.expect_break(h.debug.resume(1000), kBreakpoint, kRam + 16);
  CHECK(h.reg(kA0) == 3);
  h.debug.remove_breakpoint(kRam + 16);
  h.set(kPc, kRam);
  CHECK(h.iss->run(1000) == IssStop::kWaits);
}

TEST_CASE(
    "Unicorn debug: a breakpoint at the present pc stops there, unless the hart has stopped "
    "there") {
  Hart h;
  write_loop(h);
  h.debug.add_breakpoint(kRam);
  h.expect_break(h.iss->run(1000), kBreakpoint, kRam);
  CHECK(h.iss->instructions() == 0);
  CHECK(h.debug.resume(1000) == IssStop::kWaits);
  h.set(kPc, kRam);
  h.expect_break(h.iss->run(1000), kBreakpoint, kRam);
  h.set(kPc, kRam);  // a jump to it
  h.expect_break(h.iss->run(1000), kBreakpoint, kRam);
  CHECK(h.step() == kRam + 4);  // a step passes it
}

TEST_CASE("Unicorn debug: a breakpoint in read-only memory") {
  Hart h;
  h.write(kRom, {addi(kA0, 0, 1), addi(kA0, kA0, 1), addi(kA0, kA0, 1), kWfi});
  h.set(kPc, kRom);
  h.debug.add_breakpoint(kRom + 8);
  h.expect_break(h.iss->run(1000), kBreakpoint, kRom + 8);
  CHECK(h.reg(kA0) == 2);
}

TEST_CASE("Unicorn debug: a breakpoint in code that the software has changed") {
  Hart h;
  const std::uint64_t function = kRam + 0x1000;
  h.write(function, {addi(kA0, 0, 1), kNop, jump(-0x1008 + 12)});  // returns to kRam + 12
  h.write(kRam, {jump(0x1000), kNop, kNop, sw(kA1, 0, kT0), kFenceI, addi(kA2, kA2, 1),
                 jump(0x1000 - 24)});
  h.set(kT0, function);
  h.set(kA1, addi(kA0, 0, 2));
  h.debug.add_breakpoint(function);
  h.debug.add_breakpoint(function + 4);
  h.expect_break(h.iss->run(1000), kBreakpoint, function);
  h.expect_break(h.debug.resume(1000), kBreakpoint, function + 4);
  CHECK(h.reg(kA0) == 1);
  h.expect_break(h.debug.resume(1000), kBreakpoint, function);
  h.expect_break(h.debug.resume(1000), kBreakpoint, function + 4);
  CHECK(h.reg(kA0) == 2);
}

TEST_CASE("Unicorn debug: steps follow branches") {
  Hart h;
  write_loop(h);
  std::vector<std::uint64_t> at;
  for (int n = 0; n < 6; ++n) at.push_back(h.step() - kRam);
  CHECK(at == std::vector<std::uint64_t>{4, 8, 12, 4, 8, 12});
  CHECK(h.iss->instructions() == 6);
}

TEST_CASE("Unicorn debug: a step of an instruction that traps ends at the handler") {
  Hart h;
  h.write(kRam, {kEcall, kNop, kNop});
  h.write(kRam + 0x100, {kMret});
  h.set(kMtvec, kRam + 0x100);
  CHECK(h.step() == kRam + 0x100);
  CHECK(h.reg(kMepc) == kRam);
  CHECK(h.reg(kMcause) == 11);
  h.set(kMepc, kRam + 4);
  CHECK(h.step() == kRam + 4);
  h.set(kPc, 0x50000000);  // no code
  CHECK(h.step() == kRam + 0x100);
  CHECK(h.reg(kMcause) == 1);
}

TEST_CASE("Unicorn debug: a step over WFI does not wait, and one over rdtime is one") {
  Hart h;
  h.write(kRam, {kWfi, kReadTime, kNop});
  CHECK(h.step() == kRam + 4);
  CHECK(h.step() == kRam + 8);
  CHECK(h.reg(kA0) == 77);
}

TEST_CASE("Unicorn debug: a step takes no interrupt, and the hart takes it afterwards") {
  Hart h;
  write_loop(h);
  h.write(kRam + 0x100, {addi(kT0, 0, 5), kWfi});
  h.set(kMtvec, kRam + 0x100);
  h.set(kMie, 0x80);
  h.set(kMstatus, 8);
  h.iss->set_pending(Iss::kMtip);
  CHECK(h.step() == kRam + 4);
  CHECK(h.step() == kRam + 8);
  CHECK(h.reg(kT0) == 0);
  h.debug.add_breakpoint(kRam + 0x104);
  h.expect_break(h.debug.resume(1000), kBreakpoint, kRam + 0x104);
  CHECK(h.reg(kMepc) == kRam + 8);
  CHECK(h.reg(kMcause) == (std::uint64_t{1} << 63 | 7));
}

TEST_CASE("Unicorn debug: steps after an instruction that enables a pending interrupt") {
  constexpr std::uint32_t kEnable = 0x30046073;  // csrsi mstatus, 8
  Hart h;
  h.write(kRam, {kEnable, kNop, kNop, kNop, kWfi});
  h.write(kRam + 0x100, {kWfi});
  h.set(kMtvec, kRam + 0x100);
  h.set(kMie, 0x80);
  h.iss->set_pending(Iss::kMtip);
  CHECK(h.step() == kRam + 4);
  CHECK(h.step() == kRam + 8);
  CHECK(h.step() == kRam + 12);
  h.iss->run(1);
  CHECK(h.reg(kMepc) == kRam + 12);
}

TEST_CASE("Unicorn debug: watchpoints stop after the access, with its address") {
  Hart h;
  h.set(kT0, kData);
  h.write(kRam, {sw(kA0, 0x10, kT0),       // 0
                 lw(kA1, 0x20, kT0),       // 4
                 sb(kA0, 0x23, kT0),       // 8
                 ld(kA1, 0x18, kT0),       // 12
                 sd(kA0, 0x1c, kT0),       // 16: not aligned
                 amoadd_w(kA1, kA0, kT0),  // 20
                 kWfi});                   // 24
  SECTION("stores") {
    h.debug.add_watchpoint(kData + 0x20, 4, IssWatch::kStores);
    h.expect_break(h.iss->run(1000), kWatchpoint, kRam + 12);
    CHECK(h.debug.last_break().address == kData + 0x23);
    CHECK(h.debug.last_break().watch == IssWatch::kStores);
    h.expect_break(h.debug.resume(1000), kWatchpoint, kRam + 20);
    CHECK(h.debug.last_break().address == kData + 0x20);
    CHECK(h.debug.resume(1000) == IssStop::kWaits);
  }
  SECTION("loads") {
    h.debug.add_watchpoint(kData + 0x20, 1, IssWatch::kLoads);
    h.expect_break(h.iss->run(1000), kWatchpoint, kRam + 8);
    CHECK(h.debug.resume(1000) == IssStop::kWaits);
  }
  SECTION("both, also of an atomic") {
    h.debug.add_watchpoint(kData, 0x11, IssWatch::kBoth);
    h.expect_break(h.iss->run(1000), kWatchpoint, kRam + 4);
    h.expect_break(h.debug.resume(1000), kWatchpoint, kRam + 24);
    CHECK(h.debug.last_break().watch == IssWatch::kBoth);
  }
  SECTION("removed") {
    h.debug.add_watchpoint(kData + 0x20, 4, IssWatch::kStores);
    h.debug.remove_watchpoint(kData + 0x20, 4, IssWatch::kStores);
    CHECK(h.iss->run(1000) == IssStop::kWaits);
  }
}

TEST_CASE("Unicorn debug: a watchpoint of a device, at the end of a block") {
  Hart h;
  h.set(kT0, kDevice);
  h.write(kRam, {sd(kA0, 8, kT0), jump(8), kNop, kWfi});
  h.debug.add_watchpoint(kDevice + 8, 8, IssWatch::kStores);
  h.expect_break(h.iss->run(1000), kWatchpoint, kRam + 4);
  using Accesses = std::vector<std::pair<std::uint64_t, unsigned>>;
  CHECK(h.accesses == Accesses{{kDevice + 8, 8}});
  CHECK(h.debug.resume(1000) == IssStop::kWaits);
  CHECK(h.accesses.size() == 1);
}

TEST_CASE("Unicorn debug: an access that traps does not end at its watchpoint") {
  Hart h;
  h.set(kT0, 0x50000000);
  h.write(kRam, {lw(kA0, 0, kT0), kNop});
  h.write(kRam + 0x100, {kWfi});
  h.set(kMtvec, kRam + 0x100);
  h.debug.add_watchpoint(0x50000000, 4, IssWatch::kLoads);
  CHECK(h.iss->run(1000) == IssStop::kWaits);
  CHECK(h.reg(kMcause) == 5);
}

TEST_CASE("Unicorn debug: stops change neither quanta nor counts") {
  struct Quantum {
    std::uint64_t pc, instructions;
    bool operator==(const Quantum& q) const { return pc == q.pc && instructions == q.instructions; }
  };
  // Blocks of 1 to 9 instructions, and an interrupt that is pending from the third quantum on.
  const auto run = [](const std::function<void(Hart&)>& prepare, bool steps) {
    Hart h;
    h.write(kRam, {addi(kA0, 0, 0), addi(kA0, kA0, 1), kNop, kNop, kNop, kNop, kNop, kNop,
                   bnez(kA0, 8), kNop, jump(4), kNop, kNop, jump(-48)});
    h.write(kRam + 0x100, {addi(kA1, kA1, 1), kMret});
    h.set(kMtvec, kRam + 0x100);
    h.set(kMie, 0x80);
    h.set(kMstatus, 8);
    prepare(h);
    std::vector<Quantum> quanta;
    unsigned stops = 0;
    for (unsigned q = 0; q < 20; ++q) {
      h.iss->set_pending(q == 3 ? Iss::kMtip : 0);
      const std::uint64_t before = h.iss->instructions();
      if (steps) h.debug.step(q != 3);
      IssStop stop = h.iss->run(7);
      while (stop == IssStop::kBreak) {
        ++stops;
        if (steps) h.debug.step(q != 3);
        const std::uint64_t done = h.iss->instructions() - before;
        stop = h.debug.resume(7 - std::min<std::uint64_t>(done, 7));
      }
      CHECK(stop == IssStop::kQuantum);
      quanta.push_back({h.reg(kPc), h.iss->instructions()});
    }
    CHECK(h.reg(kA1) >= 1);
    return std::make_pair(quanta, stops);
  };
  const auto plain = run([](Hart&) {}, false);
  CHECK(plain.second == 0);
  const auto stopped = run(
      [](Hart& h) {
        for (std::uint64_t at = 0; at < 56; at += 8) h.debug.add_breakpoint(kRam + at);
      },
      false);
  CHECK(stopped.second > 50);
  CHECK(stopped.first == plain.first);
  const auto watched =
      run([](Hart& h) { h.debug.add_watchpoint(kData, 4, IssWatch::kBoth); }, false);
  CHECK(watched.first == plain.first);
  const auto stepped = run([](Hart&) {}, true);
  CHECK(stepped.second > 100);
  CHECK(stepped.first == plain.first);
}

TEST_CASE("Unicorn debug: memory that the debugger writes is executed") {
  Hart h;
  write_loop(h);
  CHECK(h.iss->run(1000) == IssStop::kWaits);
  h.write(kRam + 16, {addi(kA2, 0, 10)});
  h.debug.forget_code();
  h.set(kPc, kRam);
  CHECK(h.iss->run(1000) == IssStop::kWaits);
  CHECK(h.reg(kA2) == 10);
}

TEST_CASE("Unicorn debug: in an access to a device registers are read and not written") {
  Hart h;
  h.set(kT0, kDevice);
  h.write(kRam, {addi(kA0, 0, 3), kNop, lw(kA1, 0, kT0), kNop, kWfi});
  h.on_access = [&] {
    CHECK(h.reg(kPc) == kRam + 8);
    CHECK(h.reg(kA0) == 3);
    CHECK(h.reg(kPriv) == 3);
    CHECK(h.reg(kMstatus) == h.reg(kMstatus));
    CHECK_FALSE(h.debug.write_register(kA0, 9));
    h.debug.add_breakpoint(kRam + 16);  // of another hart's stop
  };
  CHECK(h.iss->run(1000) == IssStop::kWaits);
  CHECK(h.reg(kA0) == 3);
  CHECK(h.reg(kA1) == 0x5a5a5a5a);
}

TEST_CASE("Unicorn debug: a breakpoint of another hart's stop, in the next block") {
  Hart h;
  h.set(kT0, kDevice);
  h.write(kRam, {lw(kA1, 0, kT0), jump(8), kNop, addi(kA0, 0, 3), addi(kA0, kA0, 1), kWfi});
  h.on_access = [&] { h.debug.add_breakpoint(kRam + 16); };
  h.expect_break(h.iss->run(1000), kBreakpoint, kRam + 16);
  CHECK(h.reg(kA0) == 3);
}

TEST_CASE("Unicorn debug: virtual addresses") {
  Hart h;
  // Sv39: kVirtual + x is kRam + 0x1000 + x, for one page, and kVirtual + 0x4000 + x is kData + x.
  // The root is at kRam + 0x4000. Unicorn 2.0.1 refuses virtual addresses at which no memory is.
  const auto entry = [](std::uint64_t physical, std::uint64_t bits) {
    return physical >> 12 << 10 | bits;
  };
  constexpr std::uint64_t kVirtual = kRam + 0x3000;
  h.write_word(kRam + 0x4010, entry(kRam + 0x5000, 1));
  h.write_word(kRam + 0x5000, entry(kRam + 0x6000, 1));
  h.write_word(kRam + 0x6018, entry(kRam + 0x1000, 0xcf));
  h.write_word(kRam + 0x6038, entry(kData, 0xc7));
  h.write(kRam + 0x1000, {addi(kA0, 0, 1), lw(kA1, 0x20, kT0), addi(kA0, kA0, 1), jump(-4)});
  h.set(kSatp, std::uint64_t{8} << 60 | (kRam + 0x4000) >> 12);
  CHECK(h.debug.translate(kVirtual) == kVirtual);  // machine mode
  h.set(kPriv, 1);
  CHECK(h.debug.translate(kVirtual + 0x123) == kRam + 0x1123);
  CHECK(h.debug.translate(kVirtual + 0x4123) == kData + 0x123);
  CHECK_FALSE(h.debug.translate(kVirtual + 0x2000));
  h.set(kPc, kVirtual);
  h.set(kT0, kVirtual + 0x4000);
  h.debug.add_breakpoint(kVirtual + 4);
  h.expect_break(h.iss->run(1000), kBreakpoint, kVirtual + 4);
  CHECK(h.iss->instructions() == 1);
  h.debug.remove_breakpoint(kVirtual + 4);
  h.debug.add_watchpoint(kVirtual + 0x4020, 4, IssWatch::kLoads);
  h.expect_break(h.debug.resume(1000), kWatchpoint, kVirtual + 8);
  std::vector<IssInstruction> lines;
  h.debug.set_on_instruction([&](const IssInstruction& i) { lines.push_back(i); }, std::nullopt);
  h.set(kPc, kVirtual + 4);
  h.expect_break(h.iss->run(1000), kWatchpoint, kVirtual + 8);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].code == lw(kA1, 0x20, kT0));
  CHECK(lines[0].address == kVirtual + 0x4020);
  CHECK(lines[0].physical == kData + 0x20);
  CHECK(lines[0].privilege == 1);
  // Another page at the same address, with a block of the same length.
  h.write(kRam + 0x2000, {addi(kA0, 0, 1), lw(kA2, 0x20, kT0), addi(kA0, kA0, 1), jump(-4)});
  h.write_word(kRam + 0x6018, entry(kRam + 0x2000, 0xcf));
  h.set(kSatp, std::uint64_t{8} << 60 | std::uint64_t{1} << 44 | (kRam + 0x4000) >> 12);
  h.set(kPc, kVirtual + 4);
  h.expect_break(h.iss->run(1000), kWatchpoint, kVirtual + 8);
  REQUIRE(lines.size() == 2);
  CHECK(lines[1].code == lw(kA2, 0x20, kT0));
}

TEST_CASE("Unicorn debug: the trace has each instruction, with its number and its access") {
  Hart h;
  h.set(kT0, kDevice);
  h.write(kRam, {addi(kA0, 0, 2), addi(kA0, kA0, -1), bnez(kA0, -4), sb(kA0, 5, kT0), kWfi});
  std::vector<IssInstruction> lines;
  h.debug.set_on_instruction([&](const IssInstruction& i) { lines.push_back(i); }, std::nullopt);
  CHECK(h.iss->run(1000) == IssStop::kWaits);
  std::vector<std::uint64_t> pcs;
  for (std::size_t n = 0; n < lines.size(); ++n) {
    CHECK(lines[n].instructions == n);
    CHECK(lines[n].privilege == 3);
    CHECK(lines[n].bytes == 4);
    pcs.push_back(lines[n].pc - kRam);
  }
  CHECK(pcs == std::vector<std::uint64_t>{0, 4, 8, 4, 8, 12, 16});
  CHECK_FALSE(lines[0].loads);
  CHECK_FALSE(lines[0].stores);
  CHECK(lines[5].stores);
  CHECK(lines[5].access_bytes == 1);
  CHECK(lines[5].address == kDevice + 5);
  CHECK(lines[5].physical == kDevice + 5);
  CHECK(lines[5].code == sb(kA0, 5, kT0));
  h.debug.set_on_instruction({}, std::nullopt);
  h.set(kPc, kRam);
  CHECK(h.iss->run(1000) == IssStop::kWaits);
  CHECK(lines.size() == 7);
}

TEST_CASE("Unicorn debug: a trace from an address on, also at a breakpoint") {
  Hart h;
  write_loop(h);
  std::vector<std::uint64_t> pcs;
  h.debug.set_on_instruction([&](const IssInstruction& i) { pcs.push_back(i.pc - kRam); },
                             kRam + 16);
  SECTION("alone") { CHECK(h.iss->run(1000) == IssStop::kWaits); }
  SECTION("at a breakpoint") {
    h.debug.add_breakpoint(kRam + 16);
    h.expect_break(h.iss->run(1000), kBreakpoint, kRam + 16);
    CHECK(pcs.empty());
    CHECK(h.debug.resume(1000) == IssStop::kWaits);
  }
  CHECK(pcs == std::vector<std::uint64_t>{16, 20});
  CHECK(h.iss->instructions() == 13);  // with the jump, which is in the block of WFI
}

TEST_CASE("Unicorn debug: the trace of traps") {
  Hart h;
  h.write(kRam, {kEcall, kNop, kNop});
  h.write(kRam + 0x100, {kWfi, kMret});
  h.set(kMtvec, kRam + 0x100);
  h.set(kMie, 0x80);
  std::vector<IssFault> traps;
  h.debug.set_on_trap([&](const IssFault& f) { traps.push_back(f); });
  CHECK(h.iss->run(1000) == IssStop::kWaits);
  REQUIRE(traps.size() == 1);
  CHECK(traps[0].cause == 11);
  CHECK(traps[0].pc == kRam);
  h.set(kMstatus, 8);
  h.iss->set_pending(Iss::kMtip);
  h.iss->run(1);
  REQUIRE(traps.size() == 2);
  CHECK(traps[1].cause == (std::uint64_t{1} << 63 | 7));
  CHECK(traps[1].pc == kRam + 0x104);
}

}  // namespace tessera::unicorn_debug_test
