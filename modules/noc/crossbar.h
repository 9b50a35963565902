// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "modules/noc/network_module.h"

namespace tessera {

struct NocSite;

/// The crossbar between L1s and LLC slices (NUBA sections 2 and 6), or between the slices of
/// different partitions: a request network from `in` to `out` and a response network back. Each
/// network is one switch, or two stages of switches if there are more ports than a switch has
/// (64x64: two stages of eight 8x8 switches).
///
/// Timing: the contract of SwitchFabric. A packet's head reaches the first switch when its BEGIN
/// arrives. END_REQ and END_RESP take effect when its tail has arrived. They are withheld while two
/// packets wait at the port because the buffer of the first switch is full.
///
/// Not modelled: virtual channels, return path of credits, energy (modules/power/noc_power.h), more
/// than one class of traffic per direction.
class Crossbar final : public NetworkModule<SwitchFabric> {
 public:
  using Site = NocSite;

  Crossbar(const sc_core::sc_module_name& name, const NocConfig& config, unsigned entries,
           unsigned exits, NocRouting routing)
      : NetworkModule(name, config, entries, exits, std::move(routing)) {}
};

}  // namespace tessera
