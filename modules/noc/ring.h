// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "modules/noc/network_module.h"

namespace tessera {

struct RingSite;

/// A bidirectional ring of nodes (LADM Table III: between the chiplets of a GPU). `in[i]` and
/// `out[i]` are the ports of node i. Requests and responses have separate rings, so that responses
/// never wait for requests.
///
/// Timing: the contract of RingFabric. A packet's head reaches its node when its BEGIN arrives.
/// END_REQ and END_RESP take effect when its tail has arrived. They are withheld while two packets
/// wait at the port because the node's buffer is full.
///
/// Not modelled: separate routing of flits, slotted or token access, errors.
class Ring final : public NetworkModule<RingFabric> {
 public:
  using Site = RingSite;

  Ring(const sc_core::sc_module_name& name, const RingConfig& config, unsigned nodes,
       NocRouting routing)
      : NetworkModule(name, config, nodes, nodes, std::move(routing)) {}

  void register_statistics(StatisticsRegistry& registry) const override;
};

}  // namespace tessera
