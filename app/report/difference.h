// SPDX-License-Identifier: Apache-2.0
#pragma once

// Differences between runs, for `tessera diff` and `tessera config A B`.

#include <map>
#include <optional>
#include <string>

#include "common/json.h"

namespace tessera::app {

/// Runs (stats.json documents) by name; the names pair the runs of two sets.
using NamedRuns = std::map<std::string, nlohmann::ordered_json>;

/// [{"key", "a", "b"}] for every scalar that differs between two objects, nested keys with dots, in
/// the order of `a` and then of `b`. A missing key is null.
nlohmann::ordered_json changed_settings(const nlohmann::ordered_json& a,
                                        const nlohmann::ordered_json& b);

/// {"runs": [{"run", "inputs", "config", "cycles", "derived", "statistics", ...}], "only_a",
/// "only_b", "regressions"}. `inputs` has those of both sides (app/report/inputs.h). Changed
/// numbers have the form {"name", "a", "b", "change"}: `change` is (b - a) / a, null if a is 0;
/// statistics are sorted by it in descending order. Changes of `host` (date, seconds) are ignored.
///
/// `fail_above`: a run regresses if `cycles` or a derived value got worse by more than this
/// fraction, or if it is no longer verified or no longer complete. A value without a known better
/// direction regresses if it changed by more than the fraction. "only_a" and "only_b" list runs of
/// one side only.
nlohmann::ordered_json difference_document(const NamedRuns& a, const NamedRuns& b,
                                           std::optional<double> fail_above);

/// The document as text; at most `limit` statistics per run.
std::string difference_text(const nlohmann::ordered_json& document, std::size_t limit);
/// The result of changed_settings() as text.
std::string settings_text(const nlohmann::ordered_json& changes, const std::string& a,
                          const std::string& b);

}  // namespace tessera::app
