// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/json_fwd.h"

namespace tessera::app {

/// report.html of one run: one self-contained file (no network) with the charts drawn by D3
/// from the embedded document. `catalogue`: units and descriptions of the statistics.
/// `explanation`: sentences below the heading.
std::string run_report(const nlohmann::ordered_json& stats, const nlohmann::ordered_json& catalogue,
                       const std::string& verification, const std::string& failure,
                       const std::vector<std::string>& explanation = {});

/// report.html of a comparison (the document of comparison_document()). `reports`: the points' own
/// reports, relative to its folder, in the points' order; empty for a point without one.
std::string comparison_report(const nlohmann::ordered_json& document,
                              const std::vector<std::string>& reports = {},
                              const std::vector<std::string>& explanation = {});

/// report.html of a study (the document of studies::study_document()).
std::string study_report(const nlohmann::ordered_json& document);

/// report.html of a sweep. `document`: sweep.json (studies::sweep_document()).
std::string sweep_report(const nlohmann::ordered_json& document);

/// JSON for use inside a <script> element, with '<' escaped.
std::string script_json(const nlohmann::ordered_json& value);

}  // namespace tessera::app
