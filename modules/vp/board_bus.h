// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/kernel/block_base.h"

namespace tessera {

/// A part of the address map.
struct BoardRange {
  std::string name;  ///< of the device, for messages
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool memory = false;  ///< grants DMI
  /// The target gets whole addresses, not offsets in the range.
  bool absolute = false;

  std::uint64_t base() const { return absolute ? 0 : address; }
};

struct BoardBusConfig {
  std::vector<BoardRange> ranges;

  std::vector<std::string> validate() const;
};

struct BoardBusStats {
  Counter transactions = 0;
  Counter unmapped = 0;
};

void describe(StatisticsVisitor& v, BoardBusStats& s);

/// The bus of the machine beside the GPUs: decodes an address, and forwards loosely timed and debug
/// transactions and DMI with the offset in the range. A transaction must end in the range in which
/// it begins; otherwise its response is TLM_ADDRESS_ERROR_RESPONSE. Adds no time. The payload's
/// address is restored.
class BoardBus final : public BlockBase<BoardBusConfig, BoardBusStats, NoSite> {
 public:
  using Output = tlm_utils::simple_initiator_socket_tagged<BoardBus>;

  tlm_utils::multi_passthrough_target_socket<BoardBus> in;
  std::vector<std::unique_ptr<Output>> out;  ///< by range

  BoardBus(const sc_core::sc_module_name& name, const BoardBusConfig& config);

  /// The range of an address; null if there is none.
  const BoardRange* find(std::uint64_t address) const;

  bool idle() const override { return true; }
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override { stats_ = Stats(); }

 private:
  using Payload = tlm::tlm_generic_payload;

  void blocking(int, Payload& payload, sc_core::sc_time& delay);
  unsigned debug(int, Payload& payload);
  bool direct(int, Payload& payload, tlm::tlm_dmi& dmi);
  void invalidate_direct(int range, sc_dt::uint64 begin, sc_dt::uint64 end);
  /// Index of the range of an access; the number of ranges if there is none.
  std::size_t decode(std::uint64_t address, std::uint64_t bytes) const;
};

}  // namespace tessera
