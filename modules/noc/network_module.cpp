// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/network_module.h"

#include <string>
#include <utility>

#include "modules/kernel/report.h"

namespace tessera {

template <class Fabric>
NetworkModule<Fabric>::NetworkModule(const sc_core::sc_module_name& name, const Config& config,
                                     unsigned entries, unsigned exits, NocRouting routing)
    : sc_module(name),
      in("in", entries),
      out("out", exits),
      config_(config),
      network_(this->name(), config, entries, exits, std::move(routing)) {
  for (unsigned i = 0; i < entries; ++i) {
    const int id = static_cast<int>(i);
    in[i].register_nb_transport_fw(this, &NetworkModule::forward, id);
    in[i].register_b_transport(this, &NetworkModule::blocking, id);
    in[i].register_transport_dbg(this, &NetworkModule::debug, id);
    in[i].register_get_direct_mem_ptr(this, &NetworkModule::direct, id);
  }
  for (unsigned i = 0; i < exits; ++i) {
    out[i].register_nb_transport_bw(this, &NetworkModule::backward, static_cast<int>(i));
  }
}

template <class Fabric>
void NetworkModule<Fabric>::end_of_elaboration() {
  for (unsigned i = 0; i < in.size(); ++i) network_.bind_entry(i, in[i].operator->());
  for (unsigned i = 0; i < out.size(); ++i) network_.bind_exit(i, out[i].operator->());
}

template <class Fabric>
void NetworkModule<Fabric>::end_of_simulation() {
  if (idle()) return;
  SC_REPORT_WARNING(report::kInFlight, (std::string(name()) + " still holds packets").c_str());
}

template <class Fabric>
tlm::tlm_sync_enum NetworkModule<Fabric>::forward(int entry, tlm::tlm_generic_payload& payload,
                                                  tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  const auto port = static_cast<unsigned>(entry);
  return network_.forward(port, in[port], payload, phase, delay);
}

template <class Fabric>
tlm::tlm_sync_enum NetworkModule<Fabric>::backward(int exit, tlm::tlm_generic_payload& payload,
                                                   tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  return network_.backward(static_cast<unsigned>(exit), payload, phase, delay);
}

template <class Fabric>
void NetworkModule<Fabric>::blocking(int entry, tlm::tlm_generic_payload& payload,
                                     sc_core::sc_time& delay) {
  const auto port = static_cast<unsigned>(entry);
  network_.blocking(port, in[port], payload, delay);
}

template <class Fabric>
unsigned NetworkModule<Fabric>::debug(int, tlm::tlm_generic_payload& payload) {
  return network_.debug(payload);
}

template <class Fabric>
bool NetworkModule<Fabric>::direct(int, tlm::tlm_generic_payload&, tlm::tlm_dmi&) {
  return false;
}

template <class Fabric>
void NetworkModule<Fabric>::describe_waiting(std::vector<Waiting>& waiting) const {
  network_.describe_waiting(waiting);
}

template <class Fabric>
void NetworkModule<Fabric>::register_statistics(StatisticsRegistry& registry) const {
  network_.register_statistics(registry);
}

template class NetworkModule<SwitchFabric>;
template class NetworkModule<RingFabric>;
template class NetworkModule<MeshFabric>;

}  // namespace tessera
