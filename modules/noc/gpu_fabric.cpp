// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/gpu_fabric.h"

#include <algorithm>
#include <string>

#include "modules/kernel/configuration_errors.h"
#include "modules/kernel/report.h"

namespace tessera {
namespace {

constexpr char kPostedOnly[] = "/tessera/noc/posted_only";

}  // namespace

GpuFabric::GpuFabric(const sc_core::sc_module_name& name, const GpuFabricConfig& config,
                     unsigned gpus, const std::vector<Domain*>& domains)
    : sc_module(name),
      in("in", gpus * kPacketClasses),
      out("out", gpus * kPacketClasses),
      config_(sound(this->name(), config, gpus)) {
  sc_assert(domains.empty() || domains.size() == gpus);
  for (unsigned g = 0; g < gpus; ++g) {
    const Domain::Construction part(domains.empty() ? Domain::under_construction() : *domains[g]);
    ports_.push_back(std::make_unique<GpuFabricPort>(
        std::string(this->name()) + ".gpu" + std::to_string(g), config_, g, gpus));
  }
  for (const auto& from : ports_) {
    for (const auto& to : ports_) {
      if (from != to) GpuFabricPort::connect(*from, *to);
    }
  }
  for (unsigned port = 0; port < in.size(); ++port) {
    const int id = static_cast<int>(port);
    in[port].register_nb_transport_fw(this, &GpuFabric::forward, id);
    in[port].register_b_transport(this, &GpuFabric::blocking, id);
    in[port].register_transport_dbg(this, &GpuFabric::debug, id);
    out[port].register_nb_transport_bw(this, &GpuFabric::backward, id);
  }
}

void GpuFabric::end_of_elaboration() {
  for (unsigned port = 0; port < in.size(); ++port) {
    ports_[port / kPacketClasses]->bind(port % kPacketClasses, in[port].operator->(),
                                        out[port].operator->());
  }
}

void GpuFabric::end_of_simulation() {
  if (idle()) return;
  SC_REPORT_WARNING(report::kInFlight, (std::string(name()) + " still holds packets").c_str());
}

tlm::tlm_sync_enum GpuFabric::forward(int port, tlm::tlm_generic_payload& payload,
                                      tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  const auto p = static_cast<unsigned>(port);
  return ports_[p / kPacketClasses]->forward(p % kPacketClasses, in[p], payload, phase, delay);
}

tlm::tlm_sync_enum GpuFabric::backward(int port, tlm::tlm_generic_payload& payload,
                                       tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  const auto p = static_cast<unsigned>(port);
  return ports_[p / kPacketClasses]->backward(p % kPacketClasses, payload, phase, delay);
}

void GpuFabric::blocking(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  const std::string text = std::string(in[static_cast<unsigned>(port)].name()) +
                           ": packets between GPUs are posted with nb_transport_fw only";
  SC_REPORT_ERROR(kPostedOnly, text.c_str());
  payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
}

unsigned GpuFabric::debug(int, tlm::tlm_generic_payload&) { return 0; }

bool GpuFabric::idle() const {
  return std::all_of(ports_.begin(), ports_.end(), [](const auto& p) { return p->idle(); });
}

void GpuFabric::describe_waiting(std::vector<Waiting>& waiting) const {
  std::size_t crossing = 0;
  for (const auto& p : ports_) {
    p->describe_waiting(name(), waiting);
    crossing += p->crossing();
  }
  if (crossing != 0) {
    waiting.push_back(
        {std::string(name()) + ".switch", crossing, WaitKind::kNetworkTransfer, "its latency"});
  }
}

void GpuFabric::reset() {
  for (const auto& p : ports_) p->reset();
}

std::vector<const GpuFabricPortStats*> GpuFabric::parts() const {
  std::vector<const GpuFabricPortStats*> parts;
  for (const auto& p : ports_) parts.push_back(&p->stats());
  return parts;
}

GpuFabricStats GpuFabric::stats() const { return join(parts()); }

void GpuFabric::register_statistics(StatisticsRegistry& registry) const {
  register_joined(registry, name(), parts());
}

}  // namespace tessera
