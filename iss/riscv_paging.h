// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "iss/riscv_traps.h"

namespace tessera {

/// CSRs that translation depends on.
struct RiscvPaging {
  Privilege privilege = Privilege::kMachine;
  std::uint64_t mstatus = 0;
  std::uint64_t satp = 0;
};

/// The mode whose translation an access has: that of the hart, or MPP's for loads and stores of
/// machine mode with MPRV.
Privilege access_mode(const RiscvPaging& hart, bool fetch);

/// The physical address of a virtual one: by Sv39 or Sv48, or itself in machine mode and without
/// translation. None if the page table has no valid leaf for it. Rights and the bits A and D are
/// not looked at. `read` reads a word of the page table; false: it is not memory. (RISC-V
/// privileged architecture 1.10, section 4.3.)
std::optional<std::uint64_t> riscv_translate(
    const RiscvPaging& hart, std::uint64_t address, bool fetch,
    const std::function<bool(std::uint64_t address, std::uint64_t& word)>& read);

}  // namespace tessera
