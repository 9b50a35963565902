// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "modules/kernel/block_base.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/time.h"
#include "modules/vp/board_registers.h"
#include "modules/vp/mmio.h"

namespace tessera {

struct ClintConfig {
  std::uint64_t timebase_hz = kClintHz;  ///< of mtime: that of QEMU's machine "virt"
  std::uint32_t harts = 1;               ///< 1 to 4095

  std::vector<std::string> validate() const;
};

struct ClintStats {
  Counter timer_interrupts = 0;
  Counter software_interrupts = 0;
};

void describe(StatisticsVisitor& v, ClintStats& s);

/// Core-local interruptor (SiFive FU540-C000 manual, chapter 9): timer and software interrupts of
/// each hart.
/// Registers: ClintRegister.
///
/// Timing: mtime counts the edges of `timebase_hz`; an access sees it as of its own time. The timer
/// interrupt rises at the edge at which mtime reaches mtimecmp. Registers take 4 or 8 bytes.
class Clint final : public BlockBase<ClintConfig, ClintStats, NoSite>, private MmioRegisters {
 public:
  tlm_utils::simple_target_socket<Clint> in;
  sc_core::sc_vector<sc_core::sc_out<bool>> software;  ///< by hart
  sc_core::sc_vector<sc_core::sc_out<bool>> timer;     ///< by hart

  Clint(const sc_core::sc_module_name& name, const ClintConfig& config);

  /// Whether a timer interrupt will rise.
  bool timer_runs() const { return wake_.scheduled_at() != kNever; }
  std::uint64_t time_at(Tick t) const { return clock_.cycle_at(t) + offset_; }

  bool idle() const override { return true; }
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;

 private:
  void blocking(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  bool read_register(std::uint64_t offset, unsigned bytes, Tick at, std::uint64_t& value) override;
  bool write_register(std::uint64_t offset, unsigned bytes, Tick at, std::uint64_t value) override;
  void process();

  const ClockDomain clock_;
  std::vector<std::uint64_t> compare_;
  std::vector<std::uint8_t> pending_;  ///< software interrupts
  std::vector<std::uint8_t> raised_;   ///< timer interrupts
  std::uint64_t offset_ = 0;           ///< of mtime, after a write to it
  ProcessTimer wake_;
};

}  // namespace tessera
