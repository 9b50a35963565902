// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <functional>
#include <map>
#include <systemc>
#include <tlm>

#include "modules/kernel/block_base.h"
#include "modules/kernel/time.h"

namespace tessera {

struct DoorbellRuleStats {
  Counter doorbells = 0;
  Counter violations = 0;
};

void describe(StatisticsVisitor& v, DoorbellRuleStats& s);

/// The registers behind the rule: queue n has its doorbell at `offset` + n * `stride`.
struct DoorbellRuleSite {
  std::uint64_t offset = 0;
  std::uint64_t stride = 1;
  std::function<void(std::uint32_t hart, std::uint32_t queue)> violated;
  /// Called at each doorbell of a hart. Can be empty.
  std::function<void(std::uint32_t hart, std::uint32_t queue, Tick at)> on_doorbell = {};
};

/// Rule "doorbell-fence" of a driver, in front of a command processor's registers: between two
/// doorbells of a hart is a fence of its memory writes before device writes, because the packet
/// must be in memory before the doorbell. The cores of this model write in order, so that a missing
/// fence does no harm here, but it does on hardware. A fence at a wrong place is not found.
///
/// Forwards loosely timed and debug transactions without time. Transactions without an
/// InitiatingHart are not checked.
class DoorbellRule final : public BlockBase<NoConfig, DoorbellRuleStats, DoorbellRuleSite> {
 public:
  tlm_utils::simple_target_socket<DoorbellRule> in;
  tlm_utils::simple_initiator_socket<DoorbellRule> out;

  DoorbellRule(const sc_core::sc_module_name& name, DoorbellRuleSite site);

  bool idle() const override { return true; }
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;

 private:
  void blocking(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(tlm::tlm_generic_payload& payload) { return out->transport_dbg(payload); }

  const DoorbellRuleSite site_;
  std::map<std::uint32_t, std::uint64_t> fences_;  ///< by hart: at its last doorbell
};

}  // namespace tessera
