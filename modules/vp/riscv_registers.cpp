// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/riscv_registers.h"

#include <array>

namespace tessera {

namespace {

constexpr std::array<const char*, 32> kGeneralNames = {
    "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "fp", "s1", "a0",
    "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
    "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
constexpr std::array<const char*, 32> kFloatNames = {
    "ft0", "ft1", "ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1", "fa0",
    "fa1", "fa2", "fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4", "fs5",
    "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};

std::string reg(const std::string& name, unsigned number, const std::string& type) {
  return "<reg name=\"" + name + "\" bitsize=\"64\" regnum=\"" + std::to_string(number) +
         "\" type=\"" + type + "\"/>\n";
}

}  // namespace

std::string riscv_target_description() {
  std::string text =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
      "<target version=\"1.0\">\n<architecture>riscv:rv64</architecture>\n"
      // That of Linux, GDB's default, steps by breakpoints.
      "<osabi>none</osabi>\n"
      "<feature name=\"org.gnu.gdb.riscv.cpu\">\n";
  for (unsigned i = 0; i < kGeneralNames.size(); ++i) {
    const bool stack = i >= 2 && i <= 4;
    text += reg(kGeneralNames[i], RiscvRegister::kX0 + i,
                i == 1 ? "code_ptr" : (stack ? "data_ptr" : "int"));
  }
  text += reg("pc", RiscvRegister::kPc, "code_ptr");
  text +=
      "</feature>\n<feature name=\"org.gnu.gdb.riscv.fpu\">\n"
      "<union id=\"riscv_double\">\n<field name=\"float\" type=\"ieee_single\"/>\n"
      "<field name=\"double\" type=\"ieee_double\"/>\n</union>\n";
  for (unsigned i = 0; i < kFloatNames.size(); ++i) {
    text += reg(kFloatNames[i], RiscvRegister::kF0 + i, "riscv_double");
  }
  text += "</feature>\n<feature name=\"org.gnu.gdb.riscv.virtual\">\n";
  text += reg("priv", RiscvRegister::kPrivilege, "int");
  text += "</feature>\n<feature name=\"org.gnu.gdb.riscv.csr\">\n";
  for (const RiscvCsr& c : kRiscvCsrs) {
    text += reg(c.name, RiscvRegister::kCsr0 + c.number, "int");
  }
  return text + "</feature>\n</target>\n";
}

}  // namespace tessera
