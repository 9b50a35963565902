// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <systemc>
#include <vector>

#include "modules/vp/board_bus.h"
#include "modules/vp/board_memory.h"
#include "modules/vp/board_plan.h"
#include "modules/vp/clint.h"
#include "modules/vp/plic.h"
#include "modules/vp/riscv_core.h"
#include "modules/vp/test_finisher.h"
#include "modules/vp/uart16550.h"

namespace tessera {

struct Program;

/// Cores, memory and devices of a virtual platform, without the GPUs. Memory map: BoardPlan.
///
/// After reset each core executes the ROM: a0 is the hart's number, a1 the address of the device
/// tree in the ROM, and the core jumps to the entry of the first program loaded.
class Board final : public sc_core::sc_module {
 public:
  /// Interrupts of `plan.devices`, by source of the PLIC.
  using Wires = std::map<std::uint32_t, sc_core::sc_signal_in_if<bool>*>;
  using MakeCoreIss = std::function<std::unique_ptr<Iss>(std::uint32_t hart, IssBus& bus)>;

  BoardBus bus;
  BoardMemory rom;
  BoardMemory ram;
  TestFinisher finisher;
  Clint clint;
  Plic plic;
  Uart16550 uart;
  std::vector<std::unique_ptr<RiscvCore>> cores;

  /// The caller binds bus.out[kFirstDevice + n] to the socket of `plan.devices[n]`.
  Board(const sc_core::sc_module_name& name, const BoardPlan& plan, const RiscvCoreConfig& core,
        const MakeCoreIss& make_iss, const Wires& wires = {});

  static constexpr std::size_t kFirstDevice = 6;  ///< of BoardPlan::ranges()

  /// Writes a program to memory. Throws InputError, with the address, if it is not memory there.
  void load(const Program& program);
  void set_entry(std::uint64_t entry);
  const BoardPlan& plan() const { return plan_; }

 private:
  const BoardPlan plan_;
  sc_core::sc_vector<sc_core::sc_signal<bool>> interrupts_;  ///< [n] is source n + 1
  sc_core::sc_vector<sc_core::sc_signal<bool>> software_;
  sc_core::sc_vector<sc_core::sc_signal<bool>> timer_;
  sc_core::sc_vector<sc_core::sc_signal<bool>> external_;  ///< [2 hart]: machine, + 1: supervisor
};

}  // namespace tessera
