// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <filesystem>
#include <optional>

#include "app/arguments.h"
#include "app/console.h"
#include "app/delivery.h"
#include "app/explain/explanation.h"
#include "app/point.h"
#include "app/point_store.h"
#include "app/progress.h"
#include "app/report/csv.h"
#include "app/report/summary.h"
#include "app/report/text.h"
#include "app/result_folder.h"
#include "app/run_files.h"
#include "app/systemc_reports.h"
#include "app/verbs.h"
#include "app/verbs/run_recordings.h"
#include "app/version.h"
#include "common/error.h"
#include "common/json.h"
#include "common/run_threads.h"
#include "common/sha256.h"
#include "stimuli/traces/capture.h"
#include "stimuli/traces/capture_file.h"
#include "studies/points.h"

namespace tessera::app {
namespace {

namespace po = boost::program_options;

constexpr std::size_t kTextWidth = 100;

/// Draws the simulation's progress, with its speed.
class RunMeter {
 public:
  explicit RunMeter(bool quiet) : meter_(quiet) {}

  void operator()(const Progress& p) {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - start_).count();
    std::string rate;
    if (seconds > 0) {
      rate =
          short_number(static_cast<double>(p.instructions) / seconds / 1e3) + " k instructions/s";
    }
    const double done = p.ctas_total == 0
                            ? 0
                            : static_cast<double>(p.ctas_done) / static_cast<double>(p.ctas_total);
    meter_.update(p.phase, done, rate);
  }
  void finish() { meter_.finish(); }

 private:
  ProgressMeter meter_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::unique_ptr<Workload> read_workload(const std::string& name,
                                        const std::optional<std::string>& manifest) {
  // "a.ptx,b.ptx": files that are linked.
  const bool ptx = std::filesystem::path(name).extension() == ".ptx";
  if (ptx && !manifest) {
    throw InputError(name + ": a PTX file needs --manifest FILE, which says what to run in it");
  }
  if (!ptx && manifest) {
    throw InputError("--manifest needs a PTX file as the workload, not '" + name + "'");
  }
  return ptx ? make_workload_of_ptx(split_names("the PTX files", name), *manifest)
             : make_workload(name);
}

/// out/PLATFORM-WORKLOAD, and each input that is not the default: scale, values, seed, window and
/// settings. A hash stands for all of them if they are too long.
std::string standard_folder(const std::string& platform, const std::string& workload,
                            const RunArguments& run, const ResolvedConfig& config) {
  constexpr std::size_t kLongest = 120;
  std::vector<std::string> inputs;
  const RunOptions defaults;
  if (run.options.scale != defaults.scale) inputs.push_back(name_of(run.options.scale));
  if (run.options.values != defaults.values) inputs.push_back(name_of(run.options.values));
  if (run.options.seed != defaults.seed) {
    inputs.push_back("seed=" + std::to_string(run.options.seed));
  }
  if (const auto& window = run.options.window) {
    inputs.push_back("skip=" + std::to_string(window->skip));
    inputs.push_back("detail=" + std::to_string(window->detail));
    if (!window->rest) inputs.emplace_back("no-rest");
  }
  const nlohmann::ordered_json settings = config.settings();
  for (const auto& [path, value] : settings.items()) {
    inputs.push_back(path + "=" + csv_value(value));
  }
  const std::string begin = "out/" + file_stem(platform) + "-" + file_stem(workload);
  std::string name = begin;
  std::string all;
  for (const std::string& input : inputs) {
    name += "-" + plain_name(input);
    all += input + "\n";
  }
  return name.size() <= kLongest ? name : begin + "-" + sha256(all).substr(0, 12);
}

SignalRecording read_recording(const po::variables_map& values, const RunArguments& run) {
  constexpr unsigned kMostNs = 999'999'999;
  SignalRecording recording;
  if (values.count("waves") != 0) recording.waves = values["waves"].as<std::vector<std::string>>();
  recording.coverage = values.count("coverage") != 0;
  for (const char* const bound : {"waves-from", "waves-until"}) {
    if (values.count(bound) != 0 && recording.waves.empty()) {
      throw InputError(std::string("--") + bound + " needs --waves");
    }
  }
  if (const auto from = read_count(values, "waves-from", 0, kMostNs)) recording.from_ns = *from;
  if (const auto until = read_count(values, "waves-until", 1, kMostNs)) recording.until_ns = *until;
  if (recording.from_ns >= recording.until_ns) {
    throw InputError("--waves-until must be after --waves-from");
  }
  if ((recording.coverage || !recording.waves.empty()) && run.json && !run.out) {
    throw InputError("--waves and --coverage write files: give --out, or leave out --json");
  }
  return recording;
}

/// The workload that captures `program` in this file.
std::unique_ptr<traces::CapturedWorkload> captured_workload(const po::variables_map& values,
                                                            const RunArguments& run,
                                                            const std::string& file,
                                                            Workload& program) {
  traces::CapturedRun header;
  header.version = kVersion;
  header.platform = positional_argument(values, 0);
  header.workload = positional_argument(values, 1);
  header.scale = name_of(run.options.scale);
  header.seed = run.options.seed;
  return std::make_unique<traces::CapturedWorkload>(program, file, std::move(header));
}

}  // namespace

ArgumentParser run_arguments() {
  ArgumentParser parser(
      "run",
      "Runs a workload's kernels on a platform, checks the result against the CPU\n"
      "reference and prints the bandwidth of each level. Files: stats.json, stats.csv,\n"
      "report.html in --out (default: out/PLATFORM-WORKLOAD with the scale, values\n"
      "mode, seed, window and settings that are no defaults, or -2, -3, ... when\n"
      "that is there; with --json only where --out says so). The result is also kept\n"
      "in the database of results (--store), where compare, study and sweep find it.");
  parser.positional("PLATFORM", "a preset (tessera list platforms) or a JSON file",
                    {Completes::Kind::kPlatform, {}});
  parser.positional(
      "WORKLOAD",
      "a name (tessera list workloads), a manifest, a PTX file (or several to link: "
      "a.ptx,b.ptx) with --manifest, a trace of Accel-Sim (folder, list or kernel's file), or a "
      "captured run (.ttrace); sizes of the manifest after colons (vecadd:n=1000)",
      {Completes::Kind::kWorkload, {}});
  parser.options()("manifest", po::value<std::string>(),
                   "what to run of a PTX file (docs/guide/your-own-kernel.md)");
  parser.completes("manifest", {Completes::Kind::kFile, {}});
  add_set_option(parser);
  add_run_options(parser);
  parser.options()("check-races",
                   "warn of races between CTAs, within shared memory, and of barriers in divergent "
                   "code (docs/guide/races.md); slower");
  parser.options()("threads", po::value<std::string>()->value_name("N"),
                   "experiment: runs the GPUs of a platform with several on N threads, with the "
                   "same results; needs --values carried (docs/guide/threads.md)")(
      "lookahead", po::value<std::string>()->value_name("NS"),
      "with --threads: nanoseconds for which each GPU runs alone (default: the least latency "
      "between GPUs, which is the most)");
  parser.options()("profile",
                   "counts the accesses of instructions, source lines, arrays and pages "
                   "(docs/guide/profile.md); slower");
  parser.options()(
      "series", po::value<std::string>()->value_name("NS"),
      "records statistics over time, in intervals of NS nanoseconds of simulated time, "
      "for tessera series (docs/guide/series.md)");
  parser.options()("waves", po::value<std::vector<std::string>>()->composing()->value_name("BLOCK"),
                   "writes the waveforms of blocks that are RTL (gpu0.llc*) as FST files to "
                   "--out; repeatable (docs/guide/rtl.md)")(
      "waves-from", po::value<std::string>()->value_name("NS"),
      "with --waves: begin, in nanoseconds of simulated time (default: 0)")(
      "waves-until", po::value<std::string>()->value_name("NS"),
      "with --waves: end (default: the run's)")(
      "coverage", "writes the coverage of blocks that are RTL to --out");
  parser.options()("timeline", po::value<std::string>()->value_name("FILE"),
                   "writes a time line of the run, which ui.perfetto.dev shows: FILE.pftrace or "
                   "FILE.perfetto-trace "
                   "(docs/guide/timeline.md)")(
      "timeline-window", po::value<std::string>()->value_name("BEGIN:END"),
      "with --timeline: simulated time that is recorded, in nanoseconds (1000:5000) or cycles of "
      "the SMs (1400cycles:7000cycles); an empty bound is the run's (default: the whole run)")(
      "timeline-sample", po::value<std::string>()->value_name("N"),
      "with --timeline: every N-th request of each SM is followed (default: 64)")(
      "timeline-interval", po::value<std::string>()->value_name("NS"),
      "with --timeline: nanoseconds between two values of a counter (default: 1000)");
  parser.completes("timeline", {Completes::Kind::kFile, {}});
  parser.options()("capture", po::value<std::string>()->value_name("FILE"),
                   "records the run's warp instructions, which FILE.ttrace as a WORKLOAD replays "
                   "(docs/guide/captured-traces.md)");
  parser.completes("capture", {Completes::Kind::kFile, {}});
  parser.options()(
      "record-traffic",
      po::value<std::vector<std::string>>()->composing()->value_name("BLOCK=FILE"),
      "writes the requests at a block (gpu0.dram0) for Ramulator (FILE.trace), Ramulator 2 "
      "(FILE.ldst) or DRAMSys (FILE.stl); repeatable (docs/guide/captured-traces.md)");
  add_overwrite_option(parser);
  add_plugin_option(parser);
  return parser;
}

int run_verb(const std::vector<std::string>& arguments) {
  const auto values = run_arguments().parse(arguments);
  if (!values) return 0;
  load_plugins(*values);
  RunArguments run = read_run_options(*values, "run", arguments);
  const std::string platform = positional_argument(*values, 0);
  const std::string workload = positional_argument(*values, 1);

  check_order(platform, workload);
  BuildOptions build;
  if (const auto threads = read_count(*values, "threads", 1, kMostRunThreads)) {
    const unsigned ns = read_count(*values, "lookahead", 1, 1'000'000).value_or(0);
    build.windows = DomainWindows{ns * (kTicksPerSecond / 1'000'000'000), *threads};
  } else if (values->count("lookahead") != 0) {
    throw InputError("--lookahead needs --threads");
  }
  run.options.series_interval_ns = read_count(*values, "series", 1, 1'000'000'000).value_or(0);
  run.options.profile = values->count("profile") != 0;
  build.recording = read_recording(*values, run);
  const ResolvedConfig config = resolve_config(platform, run.sets);
  build.timeline = read_timeline(*values, config);
  build.traffic = read_traffic(*values);
  const std::string capture_file = read_capture(*values, run, build);
  if (!run.quiet) warn_of_unused_parameters({&config}, run.sets);
  // Errors in the workload are reported before directories are created.
  const std::unique_ptr<Workload> program =
      read_workload(workload, values->count("manifest") == 0
                                  ? std::nullopt
                                  : std::optional((*values)["manifest"].as<std::string>()));
  // From here on a result folder exists, so that an interrupt ends the run and not the process.
  catch_interrupts();
  std::optional<ResultFolder> folder;
  if (run.out || !run.json) {
    folder.emplace("stats.json", run.out, standard_folder(platform, workload, run, config),
                   run.overwrite);
  }

  if (folder) build.recording.folder = folder->path();
  check_outputs(run, build, capture_file, folder ? folder->path() : "");
  // A database that the user named is checked before the run.
  if (run.store) open_store(run.store);
  route_systemc_reports(run.quiet);
  const std::unique_ptr<traces::CapturedWorkload> capture =
      capture_file.empty() ? nullptr : captured_workload(*values, run, capture_file, *program);
  Workload& workload_to_run = capture ? *capture : *program;
  RunMeter meter(run.quiet);
  run.options.on_progress = [&meter](const Progress& p) { meter(p); };
  run.options.interrupted = interrupted;
  run.options.check_races = values->count("check-races") != 0;
  run.options.on_race = [](const std::string& what) { complain("warning: " + what); };
  LostFiles lost;
  std::optional<Tick> before_timeline;  // when the run ended, if the time line is empty
  if (build.timeline) {
    build.timeline->on_incomplete = lost.reporter(build.timeline->file);
    build.timeline->on_empty = [&before_timeline](Tick end) { before_timeline = end; };
  }
  std::vector<std::string> without_traffic;
  for (TrafficRecording& r : build.traffic) {
    r.on_incomplete = lost.reporter(r.file);
    r.on_empty = [&] { without_traffic.push_back(note_on_empty_traffic(r)); };
  }
  const PointOutcome outcome = simulate_point(config, workload_to_run, run.options, build);
  meter.finish();

  Delivery delivery;
  lost.report_to(delivery);
  const bool captured = capture && !outcome.failure && delivery.attempt([&] { capture->finish(); });
  // Options that observe the run, and a manifest beside its PTX, are no part of a point's key.
  const bool plain = !build.windows && !build.timeline && !capture && build.traffic.empty() &&
                     !build.recording.coverage && build.recording.waves.empty() &&
                     !run.options.check_races && !run.options.profile &&
                     run.options.series_interval_ns == 0 && values->count("manifest") == 0;
  if ((folder || run.store) && plain && !outcome.failure) {
    delivery.attempt([&] {
      const auto store = open_store(run.store);
      if (!store) return;
      store->save(studies::point_key(studies::identity_of(
                      config, workload, studies::workload_hashes(workload), run.options)),
                  outcome.stats);
    });
  }
  std::string report;
  if (folder) {
    delivery.attempt([&] {
      const ResultFolder::Target target = folder->for_result(!outcome.failure);
      report = write_run_files(target.directory, outcome, *program, delivery);
    });
  }
  delivery.attempt([&] {
    if (run.json) return write_document(outcome.stats);
    std::string text = run_summary(outcome.stats, outcome.verification, terminal_has_utf8());
    const std::vector<std::string> why = explanation_lines(*outcome.stats);
    if (!why.empty()) text += "\n" + wrapped_text(why.front(), kTextWidth, 2);
    text += files_text(build, report, captured ? capture_file : "", lost);
    print_text(printable(text));
  });
  if (before_timeline) {
    complain(
        note_on_empty_timeline(*build.timeline, run.options.window.has_value(), *before_timeline));
  }
  for (const std::string& note : without_traffic) complain(note);
  if (outcome.stats->value("interrupted", false)) {
    complain("interrupted; what was measured until then is kept");
  } else if (outcome.failure) {
    complain(*outcome.failure);
  }
  return delivery.report() != 0 || outcome.failure ? 1 : 0;
}

}  // namespace tessera::app
