// SPDX-License-Identifier: Apache-2.0
#pragma once

// Differences between two runs by class of blocks (all SMs, all LLC slices), for `tessera diff`.

#include "common/json_fwd.h"

namespace tessera::app {

/// The statistics of two runs (stats.json documents) over the blocks of each class, as far as they
/// differ: [{"name", "unit", "blocks": {"a", "b"}, "a", "b", "change", "importance"}], the most
/// important first. `name`: "gpu*.llc*.misses"; indices in a statistic's name are summed too.
///
/// Counters, times, counts of histograms and bytes of series are summed. The mean of a histogram is
/// that of all its values. Other computed values, and averages of occupancies, are averaged over
/// the blocks; of "max", it is the largest. A sum over indices, or of a series, is left out if it
/// repeats another statistic of the class. `change` is (b - a) / a, null if a is 0 or missing.
///
/// `importance`, 0 to 1, is the relative change, |b - a| over the larger of both, times the order
/// of magnitude, log2(1 + the larger) over that of the largest sum of both runs: a change of a rare
/// event does not precede one of many. It is 0 for a statistic of one run only.
nlohmann::ordered_json class_changes(const nlohmann::ordered_json& a,
                                     const nlohmann::ordered_json& b);

}  // namespace tessera::app
