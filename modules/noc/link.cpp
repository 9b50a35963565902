// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/link.h"

#include <string>

#include "modules/kernel/report.h"

namespace tessera {
namespace {

NocRouting only_exit() {
  return {[](const MemoryRequest&) { return 0U; }, [](std::uint64_t) { return 0U; }};
}

}  // namespace

Link::Link(const sc_core::sc_module_name& name, const LinkConfig& config)
    : sc_module(name),
      in("in"),
      out("out"),
      config_(config),
      network_(this->name(), config.as_network(), 1, 1, only_exit()) {
  in.register_nb_transport_fw(this, &Link::forward);
  in.register_b_transport(this, &Link::blocking);
  in.register_transport_dbg(this, &Link::debug);
  in.register_get_direct_mem_ptr(this, &Link::direct);
  out.register_nb_transport_bw(this, &Link::backward);
}

void Link::end_of_elaboration() {
  network_.bind_entry(0, in.operator->());
  network_.bind_exit(0, out.operator->());
}

void Link::end_of_simulation() {
  if (idle()) return;
  SC_REPORT_WARNING(report::kInFlight, (std::string(name()) + " still holds packets").c_str());
}

tlm::tlm_sync_enum Link::forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                 sc_core::sc_time& delay) {
  return network_.forward(0, in, payload, phase, delay);
}

tlm::tlm_sync_enum Link::backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                  sc_core::sc_time& delay) {
  return network_.backward(0, payload, phase, delay);
}

void Link::blocking(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  network_.blocking(0, in, payload, delay);
}

unsigned Link::debug(tlm::tlm_generic_payload& payload) { return network_.debug(payload); }

bool Link::direct(tlm::tlm_generic_payload&, tlm::tlm_dmi&) { return false; }

void Link::describe_waiting(std::vector<Waiting>& waiting) const {
  network_.describe_waiting(waiting);
}

void Link::register_statistics(StatisticsRegistry& registry) const {
  network_.register_statistics(registry);
}

}  // namespace tessera
