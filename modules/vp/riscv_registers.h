// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace tessera {

/// Numbers of a hart's registers: those of GDB (gdb/riscv-tdep.h).
struct RiscvRegister {
  static constexpr unsigned kX0 = 0;
  static constexpr unsigned kPc = 32;
  static constexpr unsigned kF0 = 33;
  static constexpr unsigned kCsr0 = 65;  ///< + the CSR's number
  static constexpr unsigned kPrivilege = kCsr0 + 4096;
  static constexpr unsigned kGeneral = 33;              ///< x0 to x31 and pc
  static constexpr unsigned kInPacket = kGeneral + 32;  ///< of the packets "g" and "G"
};

/// A CSR that debuggers know.
struct RiscvCsr {
  const char* name;
  std::uint16_t number;
};

/// CSRs of floating point, of traps and of translation, by number.
inline constexpr RiscvCsr kRiscvCsrs[] = {
    {"fflags", 0x001},  {"frm", 0x002},   {"fcsr", 0x003},     {"sstatus", 0x100},
    {"sie", 0x104},     {"stvec", 0x105}, {"sscratch", 0x140}, {"sepc", 0x141},
    {"scause", 0x142},  {"stval", 0x143}, {"sip", 0x144},      {"satp", 0x180},
    {"mstatus", 0x300}, {"misa", 0x301},  {"medeleg", 0x302},  {"mideleg", 0x303},
    {"mie", 0x304},     {"mtvec", 0x305}, {"mscratch", 0x340}, {"mepc", 0x341},
    {"mcause", 0x342},  {"mtval", 0x343}, {"mip", 0x344},      {"mhartid", 0xf14},
};

/// The target description of a hart (GDB manual, "RISC-V Features"): x0 to x31, pc, f0 to f31,
/// kRiscvCsrs and the privilege.
std::string riscv_target_description();

}  // namespace tessera
