// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/crossbar.h"

#include <utility>

#include "modules/core/report.h"

namespace tessera {

Crossbar::Crossbar(const sc_core::sc_module_name& name, const NocConfig& config, unsigned entries,
                   unsigned exits, NocRouting routing)
    : sc_module(name),
      in("in", entries),
      out("out", exits),
      config_(config),
      network_(this->name(), config, entries, exits, std::move(routing)) {
  for (unsigned i = 0; i < entries; ++i) {
    const int id = static_cast<int>(i);
    in[i].register_nb_transport_fw(this, &Crossbar::forward, id);
    in[i].register_b_transport(this, &Crossbar::blocking, id);
    in[i].register_transport_dbg(this, &Crossbar::debug, id);
    in[i].register_get_direct_mem_ptr(this, &Crossbar::direct, id);
  }
  for (unsigned i = 0; i < exits; ++i) {
    out[i].register_nb_transport_bw(this, &Crossbar::backward, static_cast<int>(i));
  }
}

void Crossbar::end_of_elaboration() {
  for (unsigned i = 0; i < in.size(); ++i) network_.bind_entry(i, in[i].operator->());
  for (unsigned i = 0; i < out.size(); ++i) network_.bind_exit(i, out[i].operator->());
}

void Crossbar::end_of_simulation() {
  if (idle()) return;
  SC_REPORT_WARNING(report::kInFlight, (std::string(name()) + " still holds packets").c_str());
}

tlm::tlm_sync_enum Crossbar::forward(int entry, tlm::tlm_generic_payload& payload,
                                     tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  const auto port = static_cast<unsigned>(entry);
  return network_.forward(port, in[port], payload, phase, delay);
}

tlm::tlm_sync_enum Crossbar::backward(int exit, tlm::tlm_generic_payload& payload,
                                      tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  return network_.backward(static_cast<unsigned>(exit), payload, phase, delay);
}

void Crossbar::blocking(int entry, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  network_.blocking(static_cast<unsigned>(entry), in[static_cast<unsigned>(entry)], payload, delay);
}

unsigned Crossbar::debug(int, tlm::tlm_generic_payload& payload) { return network_.debug(payload); }

bool Crossbar::direct(int, tlm::tlm_generic_payload&, tlm::tlm_dmi&) { return false; }

void Crossbar::describe_waiting(std::vector<Waiting>& waiting) const {
  network_.describe_waiting(waiting);
}

void Crossbar::register_statistics(StatisticsRegistry& registry) const {
  network_.register_statistics(registry);
}

}  // namespace tessera
