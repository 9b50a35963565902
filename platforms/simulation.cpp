// SPDX-License-Identifier: Apache-2.0
#include "platforms/simulation.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "common/json.h"
#include "modules/kernel/domain.h"
#include "modules/kernel/sc_time.h"
#include "platforms/derived.h"
#include "platforms/energy.h"
#include "platforms/gpu_device.h"
#include "platforms/host_usage.h"
#include "platforms/run_observers.h"
#include "platforms/run_result.h"
#include "platforms/supervisor.h"
#include "platforms/system.h"
#include "platforms/windowed_run.h"
#include "platforms/workload_figures.h"
#include "stimuli/ptx/device_heap.h"

namespace tessera {

using nlohmann::ordered_json;

namespace {

/// Thrown after an interrupt has ended the run.
struct Interrupted {};

/// Thrown at the end of a window without rest.
struct WindowEnded {};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Throws InputError for an option that GPUs on threads cannot have. The values mode is last,
/// because
/// --values carried does not help if another option is refused.
void check_options_with_threads(const RunOptions& options) {
  if (options.window) {
    throw InputError(
        "--skip and --detail run without --threads: a window ends at one instant of all GPUs");
  }
  if (options.series_interval_ns != 0) {
    throw InputError(
        "--series runs without --threads: an interval ends at one instant of all GPUs");
  }
  if (options.profile) {
    throw InputError("--profile runs without --threads: the SMs of all GPUs count in one table");
  }
  if (options.values != ValueMode::kCarried) {
    throw InputError(
        "GPUs run on threads with --values carried only: in functional mode they share one flat "
        "memory without latency");
  }
}

}  // namespace

class Simulation::Impl {
 public:
  Impl(const ResolvedConfig& config, const BuildOptions& build)
      : config_(config),
        windows_(build.windows),
        recording_(build.recording),
        clock_(config.gpu.sm.clock_hz),
        device_(config_.gpu, [this](const LaunchRequest& r) { run_launch(r); }) {
    set_time_resolution();
    SystemOptions options;
    options.check_protocol = build.check_protocol;
    options.keep_replicas = build.keep_replicas;
    options.domains = build.domains;
    options.windows = build.windows;
    if (build.timeline && build.windows) {
      throw InputError(
          "--timeline runs without --threads: the events of all GPUs are recorded in the order of "
          "time");
    }
    if (!build.traffic.empty() && build.windows) {
      throw InputError("--record-traffic runs without --threads");
    }
    options.timeline = build.timeline;
    options.traffic = build.traffic;
    options.overrides = config.overrides;
    options.allocated = [this](std::uint64_t a) { return device_.allocated(a); };
    options.allocation = [this](std::uint64_t a) { return device_.allocation(a); };
    system_ = std::make_unique<System>(config_.gpu, pool_, options);
    DomainRunner::instance().run_in_reverse(build.reverse_processes);
    if (build.windows) system().run_ahead();
    begin_recording(recording_, system().recording_blocks());
    device_.attach(system());
    device_.run_until = [this](const std::function<bool()>& done) { run_host(done); };
    device_.end_if_interrupted = [this] { end_if_interrupted(); };
    device_.on_working = [this](const std::string& what, double done) { host_works(what, done); };
    device_.on_launch_ended = [this](const std::exception_ptr& error) {
      launch_ended_ = true;
      if (!launch_error_) launch_error_ = error;
      sc_core::sc_pause();
    };
    device_.on_kernel_start = [this](const StartedLaunch& launch, const KernelProgram& program) {
      observers_->kernel_started(launch, program);
    };
    device_.on_kernel_turn = [this](LaunchId launch) { observers_->kernel_begins(launch); };
    device_.on_kernel_end = [this](LaunchId launch, const KernelEnd& end) {
      observers_->kernel_ended(launch, end.first_cta_at);
    };
    device_.on_enqueue = [this](const LaunchRequest& r, const LaunchOrder&) {
      refuse_heap_on_threads();
      return overlaps(r);
    };
    device_.wait_for_launches = [this] { wait_for_launches(); };
    device_.on_block = [this](const Block& b) { b.register_statistics(registry_); };
    device_.statistics = &registry_;
    // Domains can be at different times, when a kernel ends.
    const bool one_domain = build.domains == NodeLevel::kSystem && !build.windows;
    observers_.emplace(system(), device_.allocations(), registry_, clock_, one_domain);
    blocks_ = system().blocks();
    // The command processor's counters are not registered, because they repeat `kernels`: the host
    // program is its only software.
    system().register_statistics(registry_);
    blocks_.push_back(&device_.host().command_processor);
    if (CopyEngine* const engine = device_.copy_engine()) {
      engine->register_statistics(registry_);
      blocks_.push_back(engine);
    }
    build_supervisor();
  }

  RunResult run(Workload& workload, const RunOptions& options);
  const StatisticsRegistry& registry() const { return registry_; }

 private:
  System& system() { return *system_; }
  void build_supervisor();
  void build_window();
  void begin_window();
  void end_window();
  /// Whether a window without rest is over.
  bool ends_here() const { return windowed_ && windowed_->ends_run(); }
  void run_launch(const LaunchRequest& request);
  bool overlaps(const LaunchRequest& request);
  void wait_for_launches();
  /// Those that run, or the last one: "kernel 'a, b'".
  std::string running_kernels() const { return "kernel '" + kernel_names() + "'"; }
  std::string kernel_names() const;
  void run_host(const std::function<bool()>& done);
  void run_until(const std::function<bool()>& done);
  void drain();
  std::uint64_t instructions();
  struct Measured {
    std::uint64_t cycles = 0;  ///< in which a kernel ran
    std::uint64_t instructions = 0;
    RunObservers::Sections sections;
    ordered_json modules;
    std::vector<std::uint64_t> pages_per_channel;
  };
  Measured measure();
  ordered_json document(const Workload& workload, const RunResult& result, double host_seconds);
  void report_progress();
  void refuse_heap_on_threads() const;
  void host_works(const std::string& what, double done);
  void end_if_interrupted() const {
    if (options_.interrupted && options_.interrupted()) throw Interrupted{};
  }

  const ResolvedConfig config_;
  const std::optional<DomainWindows> windows_;
  const SignalRecording recording_;
  const ClockDomain clock_;
  TransactionPool pool_;
  GpuDevice device_;
  std::unique_ptr<System> system_;
  std::unique_ptr<Supervisor> supervisor_;
  std::vector<Block*> blocks_;
  StatisticsRegistry registry_;
  RunOptions options_;
  std::unique_ptr<WindowedRun> windowed_;  ///< null: the whole run is measured
  std::optional<Measured> measured_;       ///< at the window's end
  std::optional<RunObservers> observers_;  ///< after the platform is built
  std::vector<std::string> races_;
  std::string last_kernel_;  ///< that was launched
  bool host_runs_ = false;   ///< an access of the host program takes its time
  bool launch_ended_ = false;
  bool interrupted_ = false;
  std::chrono::steady_clock::time_point host_work_shown_;
  std::exception_ptr error_;         ///< set by the supervisor; ends the run
  std::exception_ptr launch_error_;  ///< the first one
};

void Simulation::Impl::build_supervisor() {
  Supervisor::Hooks hooks;
  hooks.activity = [this] {
    const std::uint64_t waiting = system().pages_moving() ? now() : 0;
    CopyEngine* const engine = device_.copy_engine();
    const std::uint64_t copying = engine == nullptr || engine->idle() ? 0 : now();
    const std::uint64_t software = device_.software_activity ? device_.software_activity() : 0;
    return instructions() + system().dispatcher().count_ctas() + pool_.acquired() + waiting +
           copying + software;
  };
  hooks.on_progress = [this] { report_progress(); };
  hooks.interrupted = [this] { return options_.interrupted && options_.interrupted(); };
  hooks.stop = [this](const std::string& why) {
    const std::string who = host_runs_ ? "the host program" : running_kernels();
    error_ = std::make_exception_ptr(RunError(who + ": " + why));
    sc_core::sc_pause();
  };
  hooks.stop_for_interrupt = [this] {
    interrupted_ = true;
    sc_core::sc_pause();
  };
  const SystemConfig& s = config_.gpu.system;
  hooks.work = [this] {
    Supervisor::Work w;
    w.instructions = system().sms().warp_instructions();
    w.resident_warps = system().sms().resident_warps();
    w.ctas_ended = system().dispatcher().ctas_done();
    return w;
  };
  Supervisor::Limits limits;
  limits.inactive = clock_.time_of(s.watchdog_cycles);
  limits.kernel = s.cycle_limit == 0 ? 0 : clock_.time_of(s.cycle_limit);
  limits.loop = s.loop_limit;
  supervisor_ = std::make_unique<Supervisor>("supervisor", blocks_, limits, std::move(hooks));
}

std::uint64_t Simulation::Impl::instructions() { return system().sms().warp_instructions(); }

void Simulation::Impl::report_progress() {
  if (!options_.on_progress) return;
  Progress p;
  p.phase = host_runs_
                ? "the host program"
                : "kernel " + std::to_string(observers_->kernels().size()) + ": " + kernel_names();
  p.ctas_done = system().dispatcher().ctas_done();
  p.ctas_total = system().dispatcher().ctas_total();
  p.cycles = clock_.cycle_at(now());
  p.instructions = instructions();
  options_.on_progress(p);
}

void Simulation::Impl::refuse_heap_on_threads() const {
  if (!windows_ || device_.allocations().find(ptx::DeviceHeap::kName) == nullptr) return;
  throw InputError(
      "the GPUs cannot run on threads: kernels call malloc or free, and one heap serves all GPUs "
      "without latency");
}

/// Reports the progress of host work, which takes no simulated time.
void Simulation::Impl::host_works(const std::string& what, double done) {
  end_if_interrupted();
  const auto time = std::chrono::steady_clock::now();
  if (!options_.on_progress || time - host_work_shown_ < std::chrono::milliseconds(100)) return;
  host_work_shown_ = time;
  constexpr std::uint64_t kParts = 1000;
  Progress p;
  p.phase = what;
  p.ctas_done = static_cast<std::uint64_t>(done * static_cast<double>(kParts));
  p.ctas_total = kParts;
  options_.on_progress(p);
}

void Simulation::Impl::build_window() {
  if (!options_.window) return;
  WindowedRun::Hooks hooks;
  hooks.begun = [this] { begin_window(); };
  hooks.ended = [this] { end_window(); };
  hooks.drain = [this] { drain(); };
  hooks.host_works = [this](const std::string& what, double done) { host_works(what, done); };
  windowed_ = std::make_unique<WindowedRun>(*options_.window, config_.gpu, system(), device_,
                                            std::move(hooks));
}

void Simulation::Impl::begin_window() {
  system().settle_statistics();
  registry_.begin_window();
  observers_->begin_window();
}

void Simulation::Impl::end_window() {
  observers_->kernels().end_all();
  system().settle_statistics();
  measured_ = measure();
}

std::string Simulation::Impl::kernel_names() const {
  const std::string open = observers_->kernels().open_names();
  return open.empty() ? last_kernel_ : open;
}

void Simulation::Impl::run_launch(const LaunchRequest& request) {
  end_if_interrupted();
  refuse_heap_on_threads();
  if (windowed_ && windowed_->window().over()) return windowed_->run_untimed_launch(request);
  last_kernel_ = request.kernel;
  device_.submit(request);
  wait_for_launches();
  if (windowed_) windowed_->launch_ended();
}

/// A launch in a stream. Returns whether kernels of several streams run at the same time; otherwise
/// it runs the launch to its end.
bool Simulation::Impl::overlaps(const LaunchRequest& request) {
  end_if_interrupted();
  const bool sequential = system().dispatcher().kernel_scheduler().most_kernels() == 1;
  const std::string without = "; run it with dispatch.kernel_scheduler=sequential";
  if (windowed_ && !sequential) {
    throw InputError(
        "--skip and --detail run one kernel at a time, because instructions are skipped in the "
        "order of launches, and this workload launches in streams" +
        without);
  }
  if (windowed_) {
    run_launch(request);
    return false;
  }
  const std::optional<std::string> why = system().why_one_kernel();
  if (why && !sequential) {
    throw InputError("kernels of several streams cannot run at the same time: " + *why + without);
  }
  last_kernel_ = request.kernel;
  return true;
}

/// Runs until all launches have ended, or the window's end. The supervisor's limits count from the
/// last end of a launch.
void Simulation::Impl::wait_for_launches() {
  while (device_.outstanding() != 0 && !launch_error_ && !error_ && !interrupted_ && !ends_here()) {
    launch_ended_ = false;
    run_until([this] { return launch_ended_ || ends_here(); });
  }
  observers_->kernels().end_all();
  if (windowed_ && !windowed_->window().begun()) observers_->kernels().clear();
  report_progress();
  if (error_) std::rethrow_exception(error_);
  if (launch_error_) std::rethrow_exception(std::exchange(launch_error_, nullptr));
  if (interrupted_) throw Interrupted{};
  if (ends_here()) throw WindowEnded{};
}

/// Runs simulated time for the supervisor to watch, until `done`, a failure or an interrupt.
void Simulation::Impl::run_until(const std::function<bool()>& done) {
  supervisor_->watch();
  while (!done() && !error_ && !interrupted_) {
    observers_->run_systemc(kNever);
    if (sc_core::sc_get_status() == sc_core::SC_STOPPED) {
      throw RunError("SystemC was stopped by another module");
    }
  }
  supervisor_->release();
}

/// Runs an access of the host program to its end.
void Simulation::Impl::run_host(const std::function<bool()>& done) {
  end_if_interrupted();
  if (done()) return;
  host_runs_ = true;
  run_until(done);
  host_runs_ = false;
  if (error_) std::rethrow_exception(error_);
  if (interrupted_) throw Interrupted{};
}

/// Runs until work in flight after the last kernel has completed: write-backs, and probes that
/// nobody waits for any more. The watchdog's time counts from the last transaction that ended.
void Simulation::Impl::drain() {
  const auto idle = [&] {
    return std::all_of(blocks_.begin(), blocks_.end(), [](const Block* b) { return b->idle(); });
  };
  const Tick patience = clock_.time_of(config_.gpu.system.watchdog_cycles);
  Tick limit = now() + patience;
  std::size_t least = pool_.live();
  while (!idle() && now() < limit) {
    const Tick until = now() + clock_.time_of(1000);
    while (now() < until) observers_->run_systemc(until);
    if (pool_.live() >= least) continue;
    least = pool_.live();
    limit = now() + patience;
  }
  if (!idle()) {
    throw RunError("after the last kernel something is still under way:\n" +
                   Supervisor::describe(blocks_));
  }
  if (pool_.live() != 0) {
    throw RunError("after the last kernel " + std::to_string(pool_.live()) +
                   " transactions were never given back");
  }
  if (system().live_packets() != 0) {
    throw RunError("after the last kernel " + std::to_string(system().live_packets()) +
                   " packets between GPUs were never given back");
  }
  if (const ProtocolChecker* c = system().unfinished_checker()) {
    throw RunError(std::string(c->name()) + " has open transactions: " + c->describe_outstanding());
  }
}

RunResult Simulation::Impl::run(Workload& workload, const RunOptions& options) {
  options_ = options;
  if (windows_) check_options_with_threads(options);
  if (options.values != ValueMode::kCarried) {
    const std::string why = system().why_values();
    if (!why.empty()) throw InputError(why + "; run with --values carried");
  }
  device_.set_values(options.values);
  if (options.check_races) {
    device_.check_races([this](const std::string& what) {
      races_.push_back(what);
      if (options_.on_race) options_.on_race(what);
    });
  }
  RunResult result;
  const auto start = std::chrono::steady_clock::now();
  try {
    build_window();
    const bool begun = windowed_ == nullptr || windowed_->window().begun();
    observers_->start(options, begun);
    workload.run(device_, options.scale, options.seed);
    device_.synchronise();
    if (windowed_ && (!windowed_->window().begun() || windowed_->window().detailed() == 0)) {
      throw RunError("the workload ends within the skipped instructions (--skip " +
                     std::to_string(options.window->skip) + "): nothing was measured");
    }
    drain();
    end_if_interrupted();
    result.verification = workload.verify(device_);
    drain();
    if (result.verification && !result.verification->passed) {
      result.failure = result.verification->by_software
                           ? result.verification->messages.front()
                           : "the result differs from the CPU reference";
    }
  } catch (const WindowEnded&) {
    // What was measured is complete.
  } catch (const Interrupted&) {
    result.interrupted = true;
  } catch (const RunError& e) {
    result.failure = e.what();
  } catch (const sc_core::sc_report& e) {
    // A block that cannot go on says so by a report of its own.
    if (std::string_view(e.get_msg_type()).rfind("/tessera/", 0) != 0) throw;
    result.failure = e.get_msg();
  }
  result.stats = document(workload, result, seconds_since(start));
  return result;
}

Simulation::Impl::Measured Simulation::Impl::measure() {
  observers_->end();
  Measured m;
  m.cycles = observers_->kernels().cycles();
  m.instructions = instructions();
  m.sections = observers_->sections();
  m.modules = registry_.to_json();
  m.pages_per_channel = system().page_table().pages_per_channel();
  return m;
}

ordered_json Simulation::Impl::document(const Workload& workload, const RunResult& result,
                                        double host_seconds) {
  Measured measured = measured_ ? std::move(*measured_) : measure();
  RunObservers::Sections& sections = measured.sections;
  const std::uint64_t cycles = measured.cycles;
  const char* const scale = options_.scale == Scale::kSmall    ? "small"
                            : options_.scale == Scale::kMedium ? "medium"
                                                               : "paper";
  ordered_json d;
  d["schema"] = kStatsSchema;
  d["tessera"] = TESSERA_VERSION;
  d["commit"] = options_.commit;
  d["platform"] = config_.platform;
  d["workload"] = workload.info().name;
  d["scale"] = scale;
  d["values"] = options_.values == ValueMode::kCarried ? "carried" : "functional";
  d["settings"] = config_.settings();
  d["config"] = config_.to_json();
  d["seed"] = options_.seed;
  d["cycles"] = cycles;
  const double seconds = static_cast<double>(cycles) / static_cast<double>(clock_.hertz());
  d["time_ns"] = static_cast<double>(cycles) * 1e9 / static_cast<double>(clock_.hertz());
  d["instructions"] = measured.instructions;
  if (windowed_) d["window"] = windowed_->window().to_json();
  std::uint64_t footprint = 0;
  for (const Allocation& a : device_.allocations().all()) footprint += a.bytes;
  d["footprint_bytes"] = footprint;
  const bool ended = !result.interrupted && (result.verification || !result.failure);
  ordered_json figures =
      figures_section(workload, *sections.kernels, ended && windowed_ == nullptr);
  if (!figures.empty()) d["figures"] = std::move(figures);
  d["kernels"] = std::move(*sections.kernels);
  d["outside_kernels"] = std::move(*sections.outside_kernels);
  if (!sections.critical_path->is_null()) d["critical_path"] = std::move(*sections.critical_path);
  d["modules"] = std::move(measured.modules);
  d["derived"] =
      derive(d["modules"], config_.gpu, cycles, measured.pages_per_channel, config_.overrides);
  if (system().plan().has("hmd")) {
    device_.add_host_figures(d["derived"], d["time_ns"].get<double>(), windowed_ != nullptr);
  }
  d["energy"] = energy(d["modules"], config_.gpu, config_.overrides, seconds);
  ordered_json derived_units = ordered_json::object();
  for (const DerivedInfo& i : derived_catalogue()) {
    const std::string name = i.name;
    if (d["derived"].contains(name.substr(0, name.find('.')))) {
      derived_units[i.name] = {{"unit", i.unit}, {"description", i.description}};
    }
  }
  d["dictionary"] = {{"derived", std::move(derived_units)}, {"modules", registry_.dictionary()}};
  ordered_json series = observers_->series();
  if (!series.is_null()) d["series"] = std::move(series);
  if (!sections.profile->is_null()) d["profile"] = std::move(*sections.profile);
  d["verified"] = nullptr;
  if (result.verification) d["verified"] = result.verification->passed;
  if (result.failure && !result.verification) d["verified"] = false;
  if (result.failure) d["failure"] = *result.failure;
  if (result.interrupted) d["interrupted"] = true;
  if (options_.check_races) d["races"] = races_;
  const auto rtl = system().recording_blocks();
  if (!rtl.empty()) d["rtl"] = end_recording(recording_, rtl);
  d["host"] = host_section(options_.command_line, {host_seconds, windows_ ? windows_->threads : 1,
                                                   pool_.acquired(), instructions()});
  return d;
}

Simulation::Simulation(const ResolvedConfig& config, const BuildOptions& build)
    : impl_(std::make_unique<Impl>(config, build)) {}

Simulation::~Simulation() = default;

RunResult Simulation::run(Workload& workload, const RunOptions& options) {
  return impl_->run(workload, options);
}

const StatisticsRegistry& Simulation::statistics() const { return impl_->registry(); }

}  // namespace tessera
