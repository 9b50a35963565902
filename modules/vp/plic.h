// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "modules/kernel/block_base.h"
#include "modules/vp/board_registers.h"
#include "modules/vp/mmio.h"

namespace tessera {

struct PlicConfig {
  std::uint32_t sources = kPlicSources;  ///< 1 to 1023; that of QEMU's machine "virt"
  std::uint32_t contexts = 2;            ///< 1 to 15872: machine and supervisor mode of each hart

  std::vector<std::string> validate() const;
};

struct PlicStats {
  Counter claims = 0;
  Counter completions = 0;
};

void describe(StatisticsVisitor& v, PlicStats& s);

/// Platform-level interrupt controller (RISC-V PLIC specification 1.0.0) of level-sensitive
/// sources. Registers: PlicRegister.
///
/// A context's wire is high while an enabled source is pending whose priority exceeds the
/// threshold. A claim returns the source of the highest priority, the lowest number at a tie, and
/// clears it. A source whose wire is high is pending again after its completion. Registers take 4
/// bytes.
///
/// Timing: wires change one delta cycle after their cause.
class Plic final : public BlockBase<PlicConfig, PlicStats, NoSite>, private MmioRegisters {
 public:
  tlm_utils::simple_target_socket<Plic> in;
  /// [n] is source n + 1.
  sc_core::sc_vector<sc_core::sc_in<bool>> sources;
  sc_core::sc_vector<sc_core::sc_out<bool>> contexts;

  Plic(const sc_core::sc_module_name& name, const PlicConfig& config);

  bool idle() const override { return true; }
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;

 private:
  static constexpr std::uint32_t kMostPriority = 7;
  struct Source {
    std::uint32_t priority = 0;
    bool pending = false;
    bool claimed = false;
  };
  struct Context {
    std::vector<std::uint32_t> enabled;  ///< by source / 32
    std::uint32_t threshold = 0;
  };

  void blocking(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  bool read_register(std::uint64_t offset, unsigned bytes, Tick at, std::uint64_t& value) override;
  bool write_register(std::uint64_t offset, unsigned bytes, Tick at, std::uint64_t value) override;
  void sample();
  void drive();
  std::uint32_t claim(std::uint32_t context);
  void complete(std::uint32_t context, std::uint32_t source);
  bool enabled(const Context& c, std::uint32_t source) const {
    return (c.enabled[source / 32] >> source % 32 & 1) != 0;
  }
  std::uint32_t best(const Context& c) const;

  std::vector<Source> state_;  ///< by source; [0] is none
  std::vector<Context> context_;
  sc_core::sc_event changed_;
};

}  // namespace tessera
