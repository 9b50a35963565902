// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "modules/sm/l1_cache.h"
#include "policies/registry.h"

namespace tessera {

/// The L1 with its role: transport from memory, process and lookups. Instantiated in the role's
/// file.
template <class Role>
class L1Pipeline final : public L1Cache {
 public:
  L1Pipeline(const sc_core::sc_module_name& name, const L1Config& config, const AddressMap& map,
             const L1RoleSite& site)
      : L1Cache(name, config, map, site), role_(site) {
    memory.register_nb_transport_bw(this, static_cast<Backward>(&L1Pipeline::backward));
    wake_.bind<&L1Pipeline::process>(*this);
  }

  const Role& role() const { return role_; }

  void register_statistics(StatisticsRegistry& registry) const override {
    L1Cache::register_statistics(registry);
    role_.register_statistics(name(), registry);
  }

 private:
  using Backward = tlm::tlm_sync_enum (L1Cache::*)(Payload&, tlm::tlm_phase&, sc_core::sc_time&);

  tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void response_arrives(Payload& payload, Tick due);
  void process();
  void handle_response(Payload& payload, Tick t);
  void look_up(Tick t);
  Lookup access(const Access& a, Tick t);
  /// Reports the outcome to the observer, if there is one.
  Lookup observed(const Access& a, Lookup outcome);

  Role role_;
};

template <class Role>
std::unique_ptr<L1Cache> make_l1_pipeline(const L1Context& c) {
  return std::make_unique<L1Pipeline<Role>>(c.name, c.config, c.map, c.site);
}

}  // namespace tessera

#include "modules/sm/l1_pipeline_process.h"  // IWYU pragma: export
