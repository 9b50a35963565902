// SPDX-License-Identifier: Apache-2.0
#pragma once

// The reports' style and scripts, embedded at build time (cmake/TesseraEmbed.cmake):
// app/report/NAME.

namespace tessera::app::assets {

extern const char* const kD3Js;       ///< d3.min.js; the following are files of app/report
extern const char* const kReportCss;  ///< report.css
extern const char* const kCommonJs;   ///< common.js, and so on
extern const char* const kChartJs;
extern const char* const kMarksJs;
extern const char* const kDownloadJs;
extern const char* const kRunTrafficJs;
extern const char* const kRunTimeJs;
extern const char* const kRunLatencyJs;
extern const char* const kRunEnergyJs;
extern const char* const kRunRooflineJs;
extern const char* const kRunMemoriesJs;
extern const char* const kRunMeshJs;
extern const char* const kRunPlacesJs;
extern const char* const kRunWaitsJs;
extern const char* const kRunSourceJs;
extern const char* const kRunTablesJs;
extern const char* const kRunRtlJs;
extern const char* const kRunTimelineJs;
extern const char* const kRunJs;
extern const char* const kCompareJs;
extern const char* const kStudyJs;
extern const char* const kSweepDataJs;
extern const char* const kSweepFrontJs;
extern const char* const kSweepParallelJs;
extern const char* const kSweepHeatJs;
extern const char* const kSweepJs;

}  // namespace tessera::app::assets
