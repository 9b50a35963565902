// SPDX-License-Identifier: Apache-2.0
#pragma once

// Differences between runs, for `tessera diff` and `tessera config A B`.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/json_fwd.h"

namespace tessera::app {

/// Runs (stats.json documents) by name; the names pair the runs of two sets.
using NamedRuns = std::map<std::string, nlohmann::ordered_json>;

/// [{"key", "a", "b"}] for every scalar that differs between two objects, nested keys with dots, in
/// the order of `a` and then of `b`. A missing key is null.
nlohmann::ordered_json changed_settings(const nlohmann::ordered_json& a,
                                        const nlohmann::ordered_json& b);

/// What makes a run a regression.
struct Judgement {
  double above = 0;  ///< fraction by which a judged value may get worse
  /// Judged values beside `cycles`: "llc_hit_rate" (of `derived`), "energy.total_j", or a statistic
  /// ("system.gpu0.llc3.misses").
  std::vector<std::string> metrics;
};

/// A value that a Judgement can name; null if the run does not have it.
nlohmann::ordered_json metric_of(const nlohmann::ordered_json& run, const std::string& name);
/// The names of the derived values and of the energy of the runs, as a Judgement names them.
std::vector<std::string> metric_names(const NamedRuns& runs);

/// {"runs": [{"run", "inputs", "config", "cycles", "derived", "classes", "statistics", ...}],
/// "only_a", "only_b", "fail_above", "judged", "regressions"}. `inputs` has those of both sides
/// (app/report/inputs.h). Changed numbers have the form {"name", "a", "b", "change"}: `change` is
/// (b - a) / a, null if a is 0; `statistics`, of single blocks, are sorted by it in descending
/// order. `classes` are those of class_changes() (app/report/class_difference.h). Changes of `host`
/// (date, seconds) are ignored.
///
/// `judgement`: a run regresses if `cycles` or a named value got worse by more than the fraction,
/// or if it is no longer verified or no longer complete. A value without a known better direction
/// regresses if it changed by more than the fraction. A change from 0 is above every fraction.
/// "only_a" and "only_b" list runs of one side only.
nlohmann::ordered_json difference_document(const NamedRuns& a, const NamedRuns& b,
                                           const std::optional<Judgement>& judgement);

/// The document as text; at most `limit` statistics of classes per run, and with `blocks` as many
/// of single blocks.
std::string difference_text(const nlohmann::ordered_json& document, std::size_t limit, bool blocks);
/// The result of changed_settings() as text.
std::string settings_text(const nlohmann::ordered_json& changes, const std::string& a,
                          const std::string& b);

}  // namespace tessera::app
