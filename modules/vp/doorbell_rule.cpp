// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/doorbell_rule.h"

#include <utility>

#include "modules/vp/initiating_hart.h"

namespace tessera {

void describe(StatisticsVisitor& v, DoorbellRuleStats& s) {
  v.counter("doorbells", s.doorbells, "write", "doorbells of the cores");
  v.counter("violations", s.violations, "write", "doorbells without a fence since the one before");
}

DoorbellRule::DoorbellRule(const sc_core::sc_module_name& name, DoorbellRuleSite site)
    : BlockBase(name, NoConfig(), Unvalidated()), in("in"), out("out"), site_(std::move(site)) {
  in.register_b_transport(this, &DoorbellRule::blocking);
  in.register_transport_dbg(this, &DoorbellRule::debug);
}

void DoorbellRule::blocking(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const auto* const from = payload.get_extension<InitiatingHart>();
  if (from != nullptr && payload.is_write() &&
      payload.get_address() % site_.stride == site_.offset) {
    ++stats_.doorbells;
    const auto queue = static_cast<std::uint32_t>(payload.get_address() / site_.stride);
    if (site_.on_doorbell) site_.on_doorbell(from->hart, queue, now() + delay.value());
    std::uint64_t& last = fences_[from->hart];
    if (from->fences == last) {
      ++stats_.violations;
      site_.violated(from->hart, queue);
    }
    last = from->fences;
  }
  out->b_transport(payload, delay);
}

void DoorbellRule::describe_waiting(std::vector<Waiting>&) const {}

void DoorbellRule::reset() {
  fences_.clear();
  stats_ = Stats();
}

}  // namespace tessera
