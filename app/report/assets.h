// SPDX-License-Identifier: Apache-2.0
#pragma once

// The report's style and scripts, embedded at build time (cmake/TesseraEmbed.cmake).

namespace tessera::app::assets {

extern const char* const kChartJs;    ///< Chart.js, as installed on the build machine
extern const char* const kReportCss;  ///< app/report/report.css
extern const char* const kCommonJs;   ///< app/report/common.js
extern const char* const kRunJs;      ///< app/report/run.js
extern const char* const kCompareJs;  ///< app/report/compare.js
extern const char* const kStudyJs;    ///< app/report/study.js

}  // namespace tessera::app::assets
