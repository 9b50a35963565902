// SPDX-License-Identifier: Apache-2.0
// Encodings are those of GNU as for rv64gc.
#include "iss/riscv_accesses.h"

#include <catch2/catch.hpp>

namespace tessera::riscv_accesses_test {

namespace {

struct Case {
  const char* text;
  std::uint32_t code;
  unsigned base;
  std::int64_t offset;
  unsigned bytes;
  bool loads;
  bool stores;
};

constexpr Case kCases[] = {
    {"lb a0, -1(a1)", 0xfff58503, 11, -1, 1, true, false},
    {"lhu a0, 2(a1)", 0x0025d503, 11, 2, 2, true, false},
    {"lw t0, 2047(sp)", 0x7ff12283, 2, 2047, 4, true, false},
    {"ld s1, -2048(s0)", 0x80043483, 8, -2048, 8, true, false},
    {"sb a0, -1(a1)", 0xfea58fa3, 11, -1, 1, false, true},
    {"sw t0, 2047(sp)", 0x7e512fa3, 2, 2047, 4, false, true},
    {"sd s1, -2048(s0)", 0x80943023, 8, -2048, 8, false, true},
    {"fld fa0, 8(a1)", 0x0085b507, 11, 8, 8, true, false},
    {"fsw fa0, 12(a1)", 0x00a5a627, 11, 12, 4, false, true},
    {"amoadd.w a0, a1, (a2)", 0x00b6252f, 12, 0, 4, true, true},
    {"lr.d a0, (a2)", 0x1006352f, 12, 0, 8, true, false},
    {"sc.d a0, a1, (a2)", 0x18b6352f, 12, 0, 8, false, true},
    {"c.lw a0, 124(a1)", 0x5de8, 11, 124, 4, true, false},
    {"c.ld a0, 248(a1)", 0x7de8, 11, 248, 8, true, false},
    {"c.fld fa0, 8(a1)", 0x2588, 11, 8, 8, true, false},
    {"c.sw a0, 4(a1)", 0xc1c8, 11, 4, 4, false, true},
    {"c.sd a0, 64(a1)", 0xe1a8, 11, 64, 8, false, true},
    {"c.lwsp a0, 252(sp)", 0x557e, 2, 252, 4, true, false},
    {"c.ldsp ra, 504(sp)", 0x70fe, 2, 504, 8, true, false},
    {"c.swsp a0, 252(sp)", 0xdfaa, 2, 252, 4, false, true},
    {"c.sdsp ra, 504(sp)", 0xff86, 2, 504, 8, false, true},
};

}  // namespace

TEST_CASE("RISC-V accesses: base, offset and width of loads, stores and atomics") {
  for (const Case& c : kCases) {
    INFO(c.text);
    const auto a = riscv_access(c.code);
    REQUIRE(a);
    CHECK(a->base == c.base);
    CHECK(a->offset == c.offset);
    CHECK(a->bytes == c.bytes);
    CHECK(a->loads == c.loads);
    CHECK(a->stores == c.stores);
    CHECK(riscv_length(c.code) == (c.code > 0xffff ? 4 : 2));
  }
}

TEST_CASE("RISC-V accesses: the register that a store writes") {
  CHECK(riscv_access(0xfea58fa3)->source == 10U);  // sb a0, -1(a1)
  CHECK(riscv_access(0x80943023)->source == 9U);   // sd s1, -2048(s0)
  CHECK(riscv_access(0xc1c8)->source == 10U);      // c.sw a0, 4(a1)
  CHECK(riscv_access(0xe1a8)->source == 10U);      // c.sd a0, 64(a1)
  CHECK(riscv_access(0xdfaa)->source == 10U);      // c.swsp a0, 252(sp)
  CHECK(riscv_access(0xff86)->source == 1U);       // c.sdsp ra, 504(sp)
  for (const std::uint32_t code : {0x00a5a627U,    // fsw fa0, 12(a1)
                                   0x00b6252fU,    // amoadd.w a0, a1, (a2)
                                   0x7ff12283U,    // lw t0, 2047(sp)
                                   0x2588U}) {     // c.fld fa0, 8(a1)
    CHECK_FALSE(riscv_access(code)->source);
  }
}

TEST_CASE("RISC-V accesses: other instructions access nothing") {
  for (const std::uint32_t code : {0x00150513U,  // addi a0, a0, 1
                                   0x00000073U,  // ecall
                                   0x0000000fU,  // fence
                                   0x0001U,      // c.nop
                                   0x9002U,      // c.ebreak
                                   0x8082U,      // ret
                                   0x1141U,      // c.addi sp, -16
                                   0x0808U}) {   // c.addi4spn a0, sp, 16
    INFO(code);
    CHECK_FALSE(riscv_access(code));
  }
}

TEST_CASE("RISC-V accesses: instructions that can enable an interrupt, or request one") {
  struct Enabling {
    const char* text;
    std::uint32_t code;
    bool enables;
    bool requests;
  };
  constexpr Enabling kEnabling[] = {{"csrsi mstatus, 8", 0x30046073, true, false},
                                    {"csrw mie, a0", 0x30451073, true, false},
                                    {"csrs sie, a0", 0x10452073, true, false},
                                    {"csrw sstatus, a0", 0x10051073, true, false},
                                    {"csrw mideleg, a0", 0x30351073, true, false},
                                    {"csrs mip, a0", 0x34452073, true, true},
                                    {"csrsi sip, 2", 0x14416073, true, true},
                                    {"mret", 0x30200073, true, false},
                                    {"sret", 0x10200073, true, false},
                                    {"csrr a0, mstatus", 0x30002573, false, false},
                                    {"csrr a0, mip", 0x34402573, false, false},
                                    {"csrw mepc, a0", 0x34151073, false, false},
                                    {"ecall", 0x00000073, false, false},
                                    {"wfi", 0x10500073, false, false},
                                    {"ld s1, 0(s0)", 0x00043483, false, false}};
  for (const Enabling& e : kEnabling) {
    INFO(e.text);
    CHECK(riscv_enables_interrupts(e.code) == e.enables);
    CHECK(riscv_requests_interrupts(e.code) == e.requests);
  }
}

TEST_CASE("RISC-V accesses: fences of memory writes before device writes") {
  CHECK(riscv_is_device_fence(0x0ff0000f));        // fence iorw, iorw
  CHECK(riscv_is_device_fence(0x0140000f));        // fence w, o
  CHECK_FALSE(riscv_is_device_fence(0x0330000f));  // fence rw, rw
  CHECK_FALSE(riscv_is_device_fence(0x0240000f));  // fence r, o
  CHECK_FALSE(riscv_is_device_fence(0x0000100f));  // fence.i
  CHECK_FALSE(riscv_is_device_fence(0x00053503));  // ld a0, 0(a0)
}

}  // namespace tessera::riscv_accesses_test
