// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/mesh.h"

#include <utility>

#include "modules/core/report.h"
#include "modules/core/statistics_visitor.h"

namespace tessera {

Mesh::Mesh(const sc_core::sc_module_name& name, const MeshConfig& config, unsigned entries,
           unsigned exits, NocRouting routing)
    : sc_module(name),
      in("in", entries),
      out("out", exits),
      config_(config),
      network_(this->name(), config, entries, exits, std::move(routing)) {
  for (unsigned i = 0; i < entries; ++i) {
    const int id = static_cast<int>(i);
    in[i].register_nb_transport_fw(this, &Mesh::forward, id);
    in[i].register_b_transport(this, &Mesh::blocking, id);
    in[i].register_transport_dbg(this, &Mesh::debug, id);
    in[i].register_get_direct_mem_ptr(this, &Mesh::direct, id);
  }
  for (unsigned i = 0; i < exits; ++i) {
    out[i].register_nb_transport_bw(this, &Mesh::backward, static_cast<int>(i));
  }
}

void Mesh::end_of_elaboration() {
  for (unsigned i = 0; i < in.size(); ++i) network_.bind_entry(i, in[i].operator->());
  for (unsigned i = 0; i < out.size(); ++i) network_.bind_exit(i, out[i].operator->());
}

void Mesh::end_of_simulation() {
  if (idle()) return;
  SC_REPORT_WARNING(report::kInFlight, (std::string(name()) + " still holds packets").c_str());
}

tlm::tlm_sync_enum Mesh::forward(int entry, tlm::tlm_generic_payload& payload,
                                 tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  const auto port = static_cast<unsigned>(entry);
  return network_.forward(port, in[port], payload, phase, delay);
}

tlm::tlm_sync_enum Mesh::backward(int exit, tlm::tlm_generic_payload& payload,
                                  tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  return network_.backward(static_cast<unsigned>(exit), payload, phase, delay);
}

void Mesh::blocking(int entry, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  network_.blocking(static_cast<unsigned>(entry), in[static_cast<unsigned>(entry)], payload, delay);
}

unsigned Mesh::debug(int, tlm::tlm_generic_payload& payload) { return network_.debug(payload); }

bool Mesh::direct(int, tlm::tlm_generic_payload&, tlm::tlm_dmi&) { return false; }

void Mesh::describe_waiting(std::vector<Waiting>& waiting) const {
  network_.describe_waiting(waiting);
}

void Mesh::register_statistics(StatisticsRegistry& registry) const {
  network_.register_statistics(registry);
  const MeshLayout m =
      config_.layout(static_cast<std::uint32_t>(in.size()), static_cast<std::uint32_t>(out.size()));
  for (const auto& [stats, towards] : {std::pair{&requests(), NocDirection::kRequests},
                                       std::pair{&responses(), NocDirection::kResponses}}) {
    register_statistics_of(registry, name(), *stats, MeshTraffic{towards, m.width, m.height});
  }
}

}  // namespace tessera
