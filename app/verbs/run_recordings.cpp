// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/run_recordings.h"

#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/output_paths.h"
#include "app/point_store.h"
#include "common/error.h"
#include "common/text.h"
#include "stimuli/traces/capture_file.h"

namespace tessera::app {
namespace {

namespace po = boost::program_options;

constexpr char kSystem[] = "system.";

/// A bound of --timeline-window: "", "1500" or "1500ns", "2100cycles" of the SMs.
Tick read_bound(const std::string& text, Tick if_empty, std::uint64_t sm_clock_hz) {
  if (text.empty()) return if_empty;
  constexpr std::uint64_t kMost = 1'000'000'000'000;
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string unit(rest, text.data() + text.size());
  const bool cycles = unit == "cycles" || unit == "cycle";
  const bool large = error == std::errc::result_out_of_range || number > kMost;
  const bool known = cycles || unit.empty() || unit == "ns";
  if (large && known) {
    throw InputError("--timeline-window: " + text + " is outside the range from 0 to " +
                     std::to_string(kMost));
  }
  if (error != std::errc() || !known) {
    throw InputError("--timeline-window: '" + text +
                     "' is no time; give nanoseconds (1500, 1500ns) or cycles of the SMs "
                     "(2100cycles), up to " +
                     std::to_string(kMost));
  }
  return cycles ? ClockDomain(sm_clock_hz).time_of(number) : number * kTicksPerNs;
}

/// Whether a file can have this name, or is none: a device or a pipe.
bool is_timeline_name(const std::string& file) {
  std::error_code failed;
  return ends_with(file, ".pftrace") || ends_with(file, ".perfetto-trace") ||
         std::filesystem::is_other(file, failed);
}

}  // namespace

std::optional<TimelineOptions> read_timeline(const po::variables_map& values,
                                             const ResolvedConfig& config) {
  for (const char* const option : {"timeline-window", "timeline-sample", "timeline-interval"}) {
    if (values.count(option) != 0 && values.count("timeline") == 0) {
      throw InputError(std::string("--") + option + " needs --timeline");
    }
  }
  if (values.count("timeline") == 0) return std::nullopt;
  constexpr unsigned kMost = 1'000'000'000;
  TimelineOptions timeline;
  timeline.file = values["timeline"].as<std::string>();
  if (timeline.file.empty()) throw InputError("--timeline needs the name of a file");
  if (!is_timeline_name(timeline.file)) {
    throw InputError("--timeline: '" + timeline.file +
                     "' must end with .pftrace or .perfetto-trace, as traces of Perfetto do");
  }
  timeline.sample = read_count(values, "timeline-sample", 1, kMost).value_or(timeline.sample);
  if (const auto ns = read_count(values, "timeline-interval", 1, kMost)) {
    timeline.interval = *ns * kTicksPerNs;
  }
  if (values.count("timeline-window") != 0) {
    const auto& window = values["timeline-window"].as<std::string>();
    const std::size_t colon = window.find(':');
    if (colon == std::string::npos) {
      throw InputError("--timeline-window is BEGIN:END, not '" + window + "'");
    }
    const std::uint64_t hz = config.gpu.sm.clock_hz;
    timeline.from = read_bound(window.substr(0, colon), 0, hz);
    timeline.until = read_bound(window.substr(colon + 1), kNever, hz);
    if (timeline.from >= timeline.until) {
      throw InputError("--timeline-window " + window + ": the end must be after the begin");
    }
  }
  return timeline;
}

std::vector<TrafficRecording> read_traffic(const po::variables_map& values) {
  std::vector<TrafficRecording> all;
  if (values.count("record-traffic") == 0) return all;
  for (const std::string& text : values["record-traffic"].as<std::vector<std::string>>()) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals + 1 == text.size()) {
      throw InputError("--record-traffic is BLOCK=FILE, not '" + text + "'");
    }
    TrafficRecording recording;
    recording.block = text.substr(0, equals);
    if (!begins_with(recording.block, kSystem)) recording.block.insert(0, kSystem);
    recording.file = text.substr(equals + 1);
    for (const TrafficRecording& other : all) {
      if (other.block != recording.block) continue;
      throw InputError("--record-traffic: each block once, not '" + text + "'");
    }
    all.push_back(std::move(recording));
  }
  return all;
}

std::string read_capture(const po::variables_map& values, const RunArguments& run,
                         const BuildOptions& build) {
  if (values.count("capture") == 0) return "";
  const auto& file = values["capture"].as<std::string>();
  if (!traces::is_capture_name(file)) {
    throw InputError("--capture: '" + file + "' must end with .ttrace, as captured runs do");
  }
  if (run.options.window) throw InputError("--capture records whole runs: leave out --detail");
  if (build.windows) throw InputError("--capture runs without --threads");
  return file;
}

void check_outputs(const RunArguments& run, const BuildOptions& build, const std::string& capture,
                   const std::string& folder) {
  std::vector<OutputPath> outputs;
  if (!capture.empty()) outputs.push_back({"--capture", capture});
  if (build.timeline) outputs.push_back({"--timeline", build.timeline->file});
  for (const TrafficRecording& r : build.traffic) {
    outputs.push_back({"--record-traffic " + r.block, r.file});
  }
  std::vector<OutputPath> results;
  results.push_back({run.store ? "--store" : "the database of results", store_path(run.store)});
  for (const char* const file : {"stats.json", "stats.csv", "report.html"}) {
    if (folder.empty()) break;
    results.push_back({"the run's " + std::string(file), folder + "/" + file});
  }
  check_output_paths(outputs, results);
}

std::string files_text(const BuildOptions& build, const std::string& report,
                       const std::string& captured, const LostFiles& lost) {
  std::string text;
  if (!report.empty()) text += "  report         " + report + "\n";
  if (!captured.empty()) text += "  captured run   " + captured + "\n";
  if (build.timeline && !lost.has(build.timeline->file)) {
    text += "  time line      " + build.timeline->file + "\n";
  }
  for (const TrafficRecording& r : build.traffic) {
    if (!lost.has(r.file)) text += "  traffic        " + r.file + " (" + r.block + ")\n";
  }
  return text;
}

std::string note_on_empty_traffic(const TrafficRecording& recording) {
  return "note: the traffic " + recording.file + " is empty: no request arrived at " +
         recording.block;
}

std::string note_on_empty_timeline(const TimelineOptions& timeline, bool window, Tick end) {
  return "note: the time line " + timeline.file + " is empty: the " + (window ? "window" : "run") +
         " ends at " + std::to_string(end / kTicksPerNs) +
         " ns, before the begin of --timeline-window (" +
         std::to_string(timeline.from / kTicksPerNs) + " ns)";
}

}  // namespace tessera::app
