// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reader of a study's figures.

#include <string>

#include "common/json_node.h"
#include "studies/study.h"

namespace tessera::studies {

/// Reads a figure's file. `study` must contain platforms, workloads and claims. Throws InputError.
Figure read_figure(const LocatedJson& file, const std::string& name, const Study& study,
                   const Vocabulary& vocabulary);

}  // namespace tessera::studies
