// SPDX-License-Identifier: Apache-2.0
#pragma once

// Recordings of `tessera run` in files of their own, beside the run's results: --timeline,
// --capture and --record-traffic.

#include <boost/program_options.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/arguments.h"
#include "app/delivery.h"
#include "platforms/simulation.h"

namespace tessera::app {

/// Empty without --timeline. Throws InputError, as the others.
std::optional<TimelineOptions> read_timeline(const boost::program_options::variables_map& values,
                                             const ResolvedConfig& config);
/// Blocks have their whole names: "gpu0.dram0" becomes "system.gpu0.dram0".
std::vector<TrafficRecording> read_traffic(const boost::program_options::variables_map& values);
/// The file of --capture; empty without.
std::string read_capture(const boost::program_options::variables_map& values,
                         const RunArguments& run, const BuildOptions& build);

/// Throws InputError if a file of the run cannot be written, or if two are one. `folder`: of the
/// results; empty without.
void check_outputs(const RunArguments& run, const BuildOptions& build, const std::string& capture,
                   const std::string& folder);

/// Files that the run could not complete.
class LostFiles {
 public:
  /// A callback with the reason.
  std::function<void(const std::string&)> reporter(const std::string& file) {
    return [this, file](const std::string& why) { reasons_[file] = why; };
  }
  bool has(const std::string& file) const { return reasons_.count(file) != 0; }
  void report_to(Delivery& delivery) const {
    for (const auto& [file, why] : reasons_) delivery.failed(why);
  }

 private:
  std::map<std::string, std::string> reasons_;
};

/// The lines of the summary that name the run's files. `report`, `captured`: empty if not written.
std::string files_text(const BuildOptions& build, const std::string& report,
                       const std::string& captured, const LostFiles& lost);
/// That no request arrived at a block whose traffic was recorded.
std::string note_on_empty_traffic(const TrafficRecording& recording);
/// Why the time line is empty: the run, or its window, ends before the recorded time.
std::string note_on_empty_timeline(const TimelineOptions& timeline, bool window, Tick end);

}  // namespace tessera::app
