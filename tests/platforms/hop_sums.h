// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/json.h"

namespace tessera::test {

/// CHECKs that the hops of each L1's misses add up to its miss_latency, those of
/// `derived.latency_breakdown` to its average, and those of the report to the same, and that a
/// block with time stamps served each miss. A coherent L1 counts hops in whole cycles, which add up
/// exactly. Another L1 rounds the sum of each hop down to a cycle: less than a cycle a hop is
/// missing.
void check_hop_sums(const nlohmann::ordered_json& stats);

}  // namespace tessera::test
