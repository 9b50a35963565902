// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/json_fwd.h"
#include "studies/points.h"
#include "studies/study.h"

namespace tessera::studies {

/// Settings of a study's run that the document records.
struct StudyRun {
  std::vector<std::size_t> figures;  ///< indices of the requested figures
  bool whole = true;                 ///< all figures; the document then lists unmeasured claims too
  Scale scale = Scale::kSmall;
  std::string scale_name;
  std::string values;
  std::uint64_t seed = 1;
  std::optional<WindowOptions> window = {};  ///< of each run; empty: whole
};

/// study.json (docs/guide/studies.md): claims with verdicts, counts of verdicts, and the figures'
/// data, measured and published. The same results give the same document, byte for byte.
nlohmann::ordered_json study_document(const Study& study, const StudyRun& run,
                                      const PointResults& results);

}  // namespace tessera::studies
