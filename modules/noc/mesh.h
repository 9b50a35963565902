// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "modules/noc/network_module.h"

namespace tessera {

struct MeshSite;

/// A 2D mesh of routers (remote-core bandwidth paper, section III-A and Table II): a request
/// network from `in` to `out` and a response network back, each a mesh of its own. `in[i]` and
/// `out[i]` are ports of nodes, which MeshConfig places at routers.
///
/// Timing: the contract of MeshFabric. A packet's head reaches the ingress link when its BEGIN
/// arrives. END_REQ and END_RESP take effect when its tail has arrived. They are withheld while two
/// packets wait at the port because their router's buffer is full.
///
/// Not modelled: routes other than XY, VCs for more than one class of traffic, speculative
/// allocation, errors.
class Mesh final : public NetworkModule<MeshFabric> {
 public:
  using Site = MeshSite;

  Mesh(const sc_core::sc_module_name& name, const MeshConfig& config, unsigned entries,
       unsigned exits, NocRouting routing)
      : NetworkModule(name, config, entries, exits, std::move(routing)) {}

  void register_statistics(StatisticsRegistry& registry) const override;
};

}  // namespace tessera
