// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/ring.h"

#include <utility>

#include "modules/core/report.h"
#include "modules/core/statistics_visitor.h"

namespace tessera {

Ring::Ring(const sc_core::sc_module_name& name, const RingConfig& config, unsigned nodes,
           NocRouting routing)
    : sc_module(name),
      in("in", nodes),
      out("out", nodes),
      config_(config),
      network_(this->name(), config, nodes, nodes, std::move(routing)) {
  for (unsigned i = 0; i < nodes; ++i) {
    const int id = static_cast<int>(i);
    in[i].register_nb_transport_fw(this, &Ring::forward, id);
    in[i].register_b_transport(this, &Ring::blocking, id);
    in[i].register_transport_dbg(this, &Ring::debug, id);
    in[i].register_get_direct_mem_ptr(this, &Ring::direct, id);
    out[i].register_nb_transport_bw(this, &Ring::backward, static_cast<int>(i));
  }
}

void Ring::end_of_elaboration() {
  for (unsigned i = 0; i < in.size(); ++i) network_.bind_entry(i, in[i].operator->());
  for (unsigned i = 0; i < out.size(); ++i) network_.bind_exit(i, out[i].operator->());
}

void Ring::end_of_simulation() {
  if (idle()) return;
  SC_REPORT_WARNING(report::kInFlight, (std::string(name()) + " still holds packets").c_str());
}

tlm::tlm_sync_enum Ring::forward(int entry, tlm::tlm_generic_payload& payload,
                                 tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  const auto port = static_cast<unsigned>(entry);
  return network_.forward(port, in[port], payload, phase, delay);
}

tlm::tlm_sync_enum Ring::backward(int exit, tlm::tlm_generic_payload& payload,
                                  tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  return network_.backward(static_cast<unsigned>(exit), payload, phase, delay);
}

void Ring::blocking(int entry, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  network_.blocking(static_cast<unsigned>(entry), in[static_cast<unsigned>(entry)], payload, delay);
}

unsigned Ring::debug(int, tlm::tlm_generic_payload& payload) { return network_.debug(payload); }

bool Ring::direct(int, tlm::tlm_generic_payload&, tlm::tlm_dmi&) { return false; }

void Ring::describe_waiting(std::vector<Waiting>& waiting) const {
  network_.describe_waiting(waiting);
}

void Ring::register_statistics(StatisticsRegistry& registry) const {
  network_.register_statistics(registry);
  register_statistics_of(registry, name(), requests(), RingSegments{NocDirection::kRequests});
  register_statistics_of(registry, name(), responses(), RingSegments{NocDirection::kResponses});
}

}  // namespace tessera
