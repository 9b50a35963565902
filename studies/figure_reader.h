// SPDX-License-Identifier: Apache-2.0
#pragma once

// The part of a study's reader that knows claims and figures.

#include <string>

#include "common/json_node.h"
#include "studies/study.h"

namespace tessera::studies {

/// An element of claims.json. Throws InputError.
Claim read_claim(const JsonNode& node, const Vocabulary& vocabulary);

/// A figure's file. `study`: with platforms, workloads and claims. Throws InputError.
Figure read_figure(const LocatedJson& file, const std::string& name, const Study& study,
                   const Vocabulary& vocabulary);

}  // namespace tessera::studies
