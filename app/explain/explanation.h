// SPDX-License-Identifier: Apache-2.0
#pragma once

// What bounds a run, and what moved between two runs (docs/guide/explain.md).

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "app/explain/critical_time.h"
#include "app/explain/resources.h"
#include "common/json_fwd.h"

namespace tessera::app {

/// A resource that costs a run time.
struct Bottleneck {
  Resource resource;
  /// Predicted time that the run is shorter if the resource is infinite, in SM cycles.
  double saved = 0;
  /// Its parts, by the stage in which requests wait, largest first.
  std::vector<std::pair<std::string, double>> from{};
};

struct Explanation {
  CriticalTime time;
  std::vector<Bottleneck> bottlenecks;  ///< most saved time first; those above 0.5 % of the time
  /// A sentence: the line and the array that wait the most (tessera run --profile); without a
  /// profile, the kernels with the most time. Can be empty.
  std::string origin{};
};

/// Throws InputError as critical_time_of().
Explanation explain(const nlohmann::ordered_json& stats);

/// The number of bottlenecks that the sentences name: at most three, of 5 % of the time or more.
std::size_t named_bottlenecks(const Explanation& explanation);

/// The explanation in sentences: the first bottlenecks, their places and remedies, the parts of
/// the time, and the origin.
std::vector<std::string> sentences(const Explanation& explanation);

/// The sentences of a run; empty if it has no critical path.
std::vector<std::string> explanation_lines(const nlohmann::ordered_json& stats);

/// {"cycles", "time": {part: cycles}, "bottlenecks": [{"resource", "saved_share",
/// "predicted_cycles", "use", "hot", "waits_in", "remedies", "experiment": {parameter: value}}],
/// "origin": text, "text": [...]}.
nlohmann::ordered_json to_json(const Explanation& explanation);

/// The parts of the critical time by name, in the order of a load's way.
std::vector<std::pair<std::string, double>> parts_of(const CriticalTime& time);

/// Why `b` is faster or slower than `a`: the largest changes of the parts of the time, in
/// sentences.
std::vector<std::string> compare_sentences(const Explanation& a, const Explanation& b,
                                           const std::string& name_a, const std::string& name_b);

}  // namespace tessera::app
