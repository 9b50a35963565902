// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <functional>
#include <systemc>

#include "modules/kernel/block_base.h"
#include "modules/vp/mmio.h"

namespace tessera {

struct TestFinisherStats {
  Counter writes = 0;
};

void describe(StatisticsVisitor& v, TestFinisherStats& s);

/// Ends the run with an exit status (SiFive's test finisher, as QEMU's machine "virt" has it). A
/// write of 32 bits to offset 0: 0x5555 passes with status 0; 0x3333 fails with the status in bits
/// 31 to 16; 0x7777 asks for a reset, which ends the run too.
class TestFinisher final : public BlockBase<NoConfig, TestFinisherStats, NoSite>,
                           private MmioRegisters {
 public:
  enum class End : std::uint8_t { kPass, kFail, kReset };

  tlm_utils::simple_target_socket<TestFinisher> in;

  explicit TestFinisher(const sc_core::sc_module_name& name);

  /// `status`: 0 for kPass and kReset. `at`: of the write.
  std::function<void(End end, std::uint32_t status, Tick at)> on_end;

  bool idle() const override { return true; }
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override { stats_ = Stats(); }

 private:
  void blocking(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  bool read_register(std::uint64_t offset, unsigned bytes, Tick at, std::uint64_t& value) override;
  bool write_register(std::uint64_t offset, unsigned bytes, Tick at, std::uint64_t value) override;
};

}  // namespace tessera
