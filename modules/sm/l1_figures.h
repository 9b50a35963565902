// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/plan/run_figures.h"

namespace tessera {

/// Adds the figures of a platform's L1s: the blocks of level "l1", of all kinds that count with the
/// names of L1Stats.
void derive_l1s(RunFigures& run);

}  // namespace tessera
