// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/memory/dram_config.h"
#include "modules/plan/run_figures.h"
#include "modules/power/energy_report.h"

namespace tessera {

/// Adds the energy of a channel to a group.
void add_channel_energy(const RunFigures& run, const PlannedBlock& channel,
                        const DramConfig& config, const char* group, EnergyReport& report);

}  // namespace tessera
