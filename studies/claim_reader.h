// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reader of a study's claims.

#include "common/json_node.h"
#include "studies/expression.h"
#include "studies/study.h"

namespace tessera::studies {

/// Reads a class, a workload, or a list of either. Throws InputError.
Selection read_selection(const JsonNode& node, const Vocabulary& vocabulary);

/// Reads an element of claims.json. Throws InputError.
Claim read_claim(const JsonNode& node, const Vocabulary& vocabulary);

}  // namespace tessera::studies
