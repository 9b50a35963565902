// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/json.h"
#include "studies/points.h"
#include "studies/study.h"

namespace tessera::studies {

/// What the document says about how it was made.
struct StudyRun {
  std::vector<std::size_t> figures;  ///< those that were asked for, as indices
  bool whole = true;                 ///< all of them: claims that no figure measures are told too
  Scale scale = Scale::kSmall;
  std::string scale_name;
  std::string values;
  std::uint64_t seed = 1;
};

/// study.json (design.md section 5): claims with verdicts, their count, and the figures' data,
/// measured beside published. The same for the same results, byte for byte.
nlohmann::ordered_json study_document(const Study& study, const StudyRun& run,
                                      const PointResults& results);

}  // namespace tessera::studies
