// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/plan/run_figures.h"
#include "modules/power/energy_report.h"
#include "modules/power/noc_power.h"

namespace tessera {

struct PlannedNetwork;

/// Geometry of one direction of a planned network, with the network's own settings in `details`.
NetworkGeometry network_geometry(const ConfigView& config, const PlannedBlock& network,
                                 const PlannedNetwork& details, bool requests);

/// Adds the energy of the networks of a kind of block that are on dies.
void add_network_energy(const char* kind, const RunFigures& run, EnergyReport& report);

}  // namespace tessera
