// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "modules/kernel/block_base.h"

namespace tessera {

struct BoardMemoryConfig {
  std::uint64_t bytes = 0;  ///< a multiple of 4096
  bool read_only = false;

  std::vector<std::string> validate() const;
};

struct BoardMemoryStats {
  Counter accesses = 0;
};

void describe(StatisticsVisitor& v, BoardMemoryStats& s);

/// RAM or ROM of the machine beside the GPUs: zero at the start, without timing. Grants DMI for all
/// of it. A write to read-only memory is a TLM_COMMAND_ERROR_RESPONSE; transport_dbg writes it.
class BoardMemory final : public BlockBase<BoardMemoryConfig, BoardMemoryStats, NoSite> {
 public:
  tlm_utils::simple_target_socket<BoardMemory> in;

  BoardMemory(const sc_core::sc_module_name& name, const BoardMemoryConfig& config);

  unsigned char* bytes() { return bytes_; }

  bool idle() const override { return true; }
  void describe_waiting(std::vector<Waiting>& out) const override;
  /// Keeps its bytes, as a machine's reset does.
  void reset() override;

 private:
  void blocking(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(tlm::tlm_generic_payload& payload);
  bool direct(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  void copy(tlm::tlm_generic_payload& payload, std::uint64_t bytes);

  /// Pages that are not touched need no memory of the host.
  const std::unique_ptr<void, void (*)(void*)> allocated_;
  unsigned char* const bytes_;  ///< at a page's start, as DMI of an instruction-set simulator needs
};

}  // namespace tessera
