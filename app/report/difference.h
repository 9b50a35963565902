// SPDX-License-Identifier: Apache-2.0
#pragma once

// What changed between runs: `tessera diff` and `tessera config A B`.

#include <map>
#include <optional>
#include <string>

#include "common/json.h"

namespace tessera::app {

/// Runs (stats.json documents) by a name that is the same in both sets.
using NamedRuns = std::map<std::string, nlohmann::ordered_json>;

/// [{"key", "a", "b"}] of every scalar that differs between two objects, nested keys with dots, in
/// the order of `a` and then of `b`; a key that one side lacks has null there.
nlohmann::ordered_json changed_settings(const nlohmann::ordered_json& a,
                                        const nlohmann::ordered_json& b);

/// {"runs": [{"run", "config", "cycles", "derived", "statistics", ...}], "only_a", "only_b",
/// "regressions"}. Numbers that moved stand as {"name", "a", "b", "change"}: `change` is (b - a) /
/// a, null from 0; statistics are sorted by it, the largest first. `host` (date, seconds) is no
/// difference.
///
/// `fail_above`: a run regresses when `cycles` or a derived value got worse by more than this
/// fraction (a value of which nobody can say whether more is better: moved), or when it is no
/// longer verified or no longer complete. Runs of one side only are in "only_a" and "only_b".
nlohmann::ordered_json difference_document(const NamedRuns& a, const NamedRuns& b,
                                           std::optional<double> fail_above);

/// The document for a terminal; at most `limit` statistics of each run.
std::string difference_text(const nlohmann::ordered_json& document, std::size_t limit);
/// changed_settings() for a terminal.
std::string settings_text(const nlohmann::ordered_json& changes, const std::string& a,
                          const std::string& b);

}  // namespace tessera::app
