// SPDX-License-Identifier: Apache-2.0
// Speed of Tessera itself. Prints one JSON document; scripts/bench calls it.
//
// Every figure is measured in its own process, because SystemC elaborates once per process. The
// cost of an access is divided by the cost of a bare activation, measured in the same process
// before and after. Rounds alternate between the figures, so that noise of a shared machine affects
// all of them, and medians are reported.

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <systemc>
#include <vector>

#include "bench/cpu_time.h"
#include "bench/dram_bounds.h"
#include "bench/interpreter.h"
#include "bench/mesh_tables.h"
#include "bench/noc_tables.h"
#include "bench/stream_kernel.h"
#include "common/json.h"
#include "common/text.h"
#include "modules/host/cta_dispatcher.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/sc_time.h"
#include "modules/mmu/uvm_driver.h"
#include "platforms/run_result.h"
#include "platforms/simulation.h"
#include "platforms/system.h"
#include "stimuli/runner/functional_device.h"

namespace {

using nlohmann::ordered_json;
using namespace tessera;  // NOLINT(google-build-using-namespace): a program, not a header
using bench::seconds;

constexpr unsigned kRounds = 5;

/// One SC_METHOD that notifies itself. Its activation is the unit of costs.
class Bare final : public sc_core::sc_module {
 public:
  explicit Bare(const sc_core::sc_module_name& name) : sc_module(name) {
    sc_core::sc_spawn_options options;
    options.spawn_method();
    options.dont_initialize();
    options.set_sensitivity(&event_);
    sc_core::sc_spawn([this] { step(); }, "process", &options);
  }
  /// Host seconds of one activation.
  double measure() {
    left_ = kActivations;
    event_.notify(to_sc_time(1000));
    return seconds([] { sc_core::sc_start(); }) / kActivations;
  }

 private:
  static constexpr std::uint64_t kActivations = 2'000'000;
  void step() {
    if (--left_ != 0) {
      event_.notify(to_sc_time(1000));
    } else {
      sc_core::sc_pause();
    }
  }
  sc_core::sc_event event_;
  std::uint64_t left_ = 0;
};

constexpr std::uint32_t kCtasPerSm = 64;

/// Host time per access of a stream of `ctas` CTAs, in seconds and in activations. `place`: called
/// with the configuration of each kernel before its launch. `kind`, `counter`: the modules and
/// their counter that must count each access.
ordered_json access_cost(
    const ResolvedConfig& config, std::uint32_t ctas,
    const std::function<void(System& system, const bench::StreamConfig& stream)>& place,
    const char* kind, const char* counter) {
  set_time_resolution();
  TransactionPool pool;
  SystemOptions options;
  options.allocated = [](std::uint64_t) { return true; };
  System system(config.gpu, pool, options);
  Bare bare("bare");
  StatisticsRegistry registry;
  for (const Block* b : system.blocks()) b->register_statistics(registry);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);

  const auto run = [&](bench::StreamKernel& kernel) {
    system.dispatcher().launch({kernel, [](const KernelEnd& end) {
                                  if (end.error) std::rethrow_exception(end.error);
                                  sc_core::sc_pause();
                                }});
    return seconds([] { sc_core::sc_start(); });
  };
  // A first pass over another range warms up pools, TLBs and page tables.
  bench::StreamConfig warm;
  bench::StreamConfig measured;
  measured.ctas = ctas;
  measured.base = warm.base + (std::uint64_t{1} << 30);
  place(system, warm);
  place(system, measured);
  bench::StreamKernel warming(warm);
  run(warming);
  const std::uint64_t already = registry.sum(kind, counter);
  bench::StreamKernel kernel(measured);

  const double before = bare.measure();
  const double host = run(kernel);
  const double after = bare.measure();
  const double activation = (before + after) / 2;
  const std::uint64_t accesses = registry.sum(kind, counter) - already;
  if (accesses != kernel.bytes() / config.gpu.system.line_bytes) {
    throw std::runtime_error("the stream did not miss every time");
  }
  const double per_access = host / static_cast<double>(accesses);
  return {{"activation_ns", activation * 1e9},
          {"access_ns", per_access * 1e9},
          {"cost", per_access / activation}};
}

/// `sets`: settings of the platform. `misses`: minimum number of misses; 0: 8192 per SM.
ordered_json miss_cost(const std::string& platform, const std::vector<std::string>& sets = {},
                       std::uint64_t misses = 0) {
  const ResolvedConfig config = resolve_config(platform, sets);
  const bench::StreamConfig one_cta{1};
  const std::uint64_t per_cta = std::uint64_t{one_cta.warps_per_cta} * one_cta.loads_per_warp;
  const std::uint64_t ctas = misses == 0 ? kCtasPerSm * std::uint64_t{config.gpu.system.sms}
                                         : (misses + per_cta - 1) / per_cta;
  return access_cost(
      config, static_cast<std::uint32_t>(ctas), [](System&, const bench::StreamConfig&) {}, "l1_",
      "load_misses");
}

/// Host memory of a platform's blocks by kind, in bytes: their number, and what the heap grew by
/// for each. Allocated at elaboration; queues that grow in a run are not counted.
ordered_json state_by_kind(const std::string& platform, const std::vector<std::string>& sets) {
  const ResolvedConfig config = resolve_config(platform, sets);
  set_time_resolution();
  TransactionPool pool;
  const auto heap = [] {
    const struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
  };
  struct State {
    std::uint64_t blocks = 0;
    std::uint64_t bytes = 0;
  };
  std::map<std::string, State> kinds;
  std::size_t before = heap();
  SystemOptions options;
  options.allocated = [](std::uint64_t) { return true; };
  options.on_made = [&](const PlannedBlock& block) {
    State& kind = kinds[block.kind];
    const std::size_t now = heap();
    ++kind.blocks;
    kind.bytes += now - before;
    before = heap();
  };
  const System system(config.gpu, pool, options);
  ordered_json d;
  for (const auto& [name, kind] : kinds) {
    d[name] = {{"blocks", kind.blocks}, {"bytes_per_block", kind.bytes / kind.blocks}};
  }
  return d;
}

void print_dram_shares(const GpuConfig& config) {
  std::cout << "| pattern | bound | model |\n| --- | --- | --- |\n" << std::fixed;
  std::cout.precision(4);
  for (const bench::DramShare& s : bench::dram_shares(config.dram, config.system.line_bytes)) {
    std::cout << "| " << s.pattern << " | " << s.bound << " | " << s.model << " |\n";
  }
}

/// Takes NAME=value from the arguments, if it is there.
void take(std::vector<std::string>& arguments, const std::string& name, std::uint32_t& value) {
  for (auto a = arguments.begin(); a != arguments.end(); ++a) {
    if (a->rfind(name + "=", 0) != 0) continue;
    value = static_cast<std::uint32_t>(std::stoul(a->substr(name.size() + 1)));
    arguments.erase(a);
    return;
  }
}

/// What --noc mesh prints: the tables of docs/blocks/mesh.md, or figures of one mesh.
int mesh_figures(std::vector<std::string> arguments) {
  if (arguments.empty()) {
    bench::print_mesh_tables(std::cout);
    return 0;
  }
  bench::MeshLoad traffic;
  std::uint32_t stress = 0;
  std::uint32_t shared = 0;
  take(arguments, "stress", stress);
  take(arguments, "entries", traffic.entries);
  take(arguments, "exits", traffic.exits);
  take(arguments, "flits", traffic.flits);
  take(arguments, "shared", shared);
  ParameterReader reader([&arguments] {
    std::vector<ParameterSetting> settings;
    for (const std::string& a : arguments) settings.push_back(setting_from_argument(a));
    return settings;
  }());
  reader.enter("mesh", "");
  describe(reader, traffic.network);
  reader.leave();
  reader.throw_if_failed();
  traffic.network.shared_nodes = shared != 0;
  if (stress == 0) {
    std::cout << bench::mesh_curve(traffic).dump(2) << std::endl;
    return 0;
  }
  const std::string fault = bench::stress(traffic.network, traffic.entries, traffic.exits, stress);
  std::cout << stress << " packets: " << (fault.empty() ? "all delivered, in order" : fault)
            << std::endl;
  return fault.empty() ? 0 : 1;
}

/// `arguments`: ports=N, flits=N, and settings of the crossbar as --set has them.
ordered_json crossbar_curve(std::vector<std::string> arguments) {
  bench::NocTraffic traffic;
  take(arguments, "ports", traffic.ports);
  take(arguments, "flits", traffic.flits);
  traffic.network = resolve_config("uba-mem", arguments).gpu.noc;
  return bench::noc_curve(traffic);
}

/// Settings of uba-mem for another number of SMs, with channels and crossbar radix in proportion.
std::vector<std::string> with_sms(unsigned sms) {
  const unsigned radix = sms > 64 ? 16 : 8;
  return {"system.sms=" + std::to_string(sms), "system.channels=" + std::to_string(sms / 2),
          "noc.radix=" + std::to_string(radix)};
}

/// Cost of accesses to the next GPU's memory, with `gpus` GPUs of dca-small.
ordered_json remote_access_cost(unsigned gpus) {
  const std::string n = std::to_string(gpus);
  const ResolvedConfig config =
      resolve_config("dca-small", {"system.gpus=" + n, "system.sms=" + std::to_string(4 * gpus),
                                   "system.channels=" + std::to_string(2 * gpus),
                                   "system.page_placement=first-touch"});
  const GpuConfig& c = config.gpu;
  // Each GPU runs an equal range of consecutive CTAs, and a CTA reads a contiguous range.
  const auto place = [&c, gpus](System& system, const bench::StreamConfig& stream) {
    const std::uint64_t bytes = bench::StreamKernel(stream).bytes();
    for (std::uint64_t at = 0; at < bytes; at += c.system.page_bytes) {
      const std::uint64_t home = (at * gpus / bytes + 1) % gpus;
      system.uvm().touch(stream.base + at,
                         SmId(static_cast<std::uint32_t>(home * (c.system.sms / gpus))));
    }
  };
  return access_cost(config, kCtasPerSm * c.system.sms, place, "rdma", "requests_in");
}

/// Warp instructions per second of a suite workload on a platform, with functional values.
ordered_json instruction_rate(const std::string& platform, const std::string& workload,
                              Scale scale) {
  const ResolvedConfig config = resolve_config(platform, {});
  const auto w = make_workload(workload);
  Simulation simulation(config);
  RunOptions options;
  options.scale = scale;
  const RunResult r = simulation.run(*w, options);
  if (r.failure) throw std::runtime_error(*r.failure);
  return {{"rate", r.stats["host"]["warp_instructions_per_second"]}};
}

ordered_json interpreter_rate(const std::string& workload, Scale scale) {
  const auto w = make_workload(workload);
  kernels::FunctionalDevice device;
  const double s = seconds([&] { w->run(device, scale, 1); });
  return {{"rate", static_cast<double>(device.instructions()) / s}};
}

ordered_json against_scalar(bench::InterpreterSpeed (*measure)()) {
  const bench::InterpreterSpeed s = measure();
  return {{"rate", s.warp_instructions_per_second}, {"times_scalar", s.times_scalar}};
}

/// Runs `work` in a child process and returns its document with the child's peak RSS.
ordered_json in_child(const std::function<ordered_json()>& work) {
  int fd[2];
  if (pipe(fd) != 0) throw std::runtime_error("pipe failed");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    close(fd[0]);
    int status = 0;
    ordered_json document;
    try {
      document = work();
    } catch (const std::exception& e) {
      document = {{"error", e.what()}};
      status = 1;
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    document["peak_rss_bytes"] = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    const std::string text = document.dump();
    const ssize_t written = write(fd[1], text.data(), text.size());
    _exit(written == static_cast<ssize_t>(text.size()) ? status : 1);
  }
  close(fd[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(fd[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(n));
  }
  close(fd[0]);
  int status = 0;
  waitpid(child, &status, 0);
  ordered_json document = ordered_json::parse(text, nullptr, false);
  if (document.is_discarded()) throw std::runtime_error("a benchmark's process died");
  if (document.contains("error")) throw std::runtime_error(document["error"].get<std::string>());
  return document;
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

int run_benchmarks(const std::string& commit) {
  const std::vector<std::string> platforms = {"uba-mem", "nuba", "mcm-nuba"};
  const std::vector<unsigned> gpu_counts = {2, 4, 8, 16};
  const std::vector<unsigned> sm_counts = {32, 128, 256};
  std::map<unsigned, std::vector<double>> by_sms;
  std::map<std::string, std::vector<double>> costs;
  std::map<std::string, std::vector<double>> miss_ns;
  std::map<unsigned, std::vector<double>> remote_costs;
  std::vector<double> activation;
  std::vector<double> instructions;
  std::vector<double> on_h100;
  std::vector<double> interpreted;
  const std::map<std::string, bench::InterpreterSpeed (*)()> kernels = {
      {"mm", &bench::interpret_mm}, {"saxpy", &bench::interpret_saxpy}};
  std::map<std::string, std::vector<double>> rate;
  std::map<std::string, std::vector<double>> times_scalar;
  std::uint64_t peak = 0;
  const auto keep_peak = [&peak](const ordered_json& d) {
    peak = std::max(peak, d["peak_rss_bytes"].get<std::uint64_t>());
  };
  for (unsigned round = 0; round < kRounds; ++round) {
    for (const std::string& p : platforms) {
      const ordered_json d = in_child([&p] { return miss_cost(p); });
      costs[p].push_back(d["cost"]);
      miss_ns[p].push_back(d["access_ns"]);
      activation.push_back(d["activation_ns"]);
      keep_peak(d);
    }
    for (const unsigned n : sm_counts) {
      by_sms[n].push_back(in_child([n] { return miss_cost("uba-mem", with_sms(n)); })["cost"]);
    }
    for (const unsigned n : gpu_counts) {
      const ordered_json d = in_child([n] { return remote_access_cost(n); });
      remote_costs[n].push_back(d["cost"]);
      keep_peak(d);
    }
    const ordered_json timed =
        in_child([] { return instruction_rate("uba-mem", "mm", Scale::kMedium); });
    instructions.push_back(timed["rate"]);
    on_h100.push_back(
        in_child([] { return instruction_rate("h100", "mm", Scale::kMedium); })["rate"]);
    keep_peak(timed);
    interpreted.push_back(in_child([] { return interpreter_rate("mm", Scale::kMedium); })["rate"]);
    for (const auto& [name, measure] : kernels) {
      const ordered_json d = in_child([m = measure] { return against_scalar(m); });
      rate[name].push_back(d["rate"]);
      times_scalar[name].push_back(d["times_scalar"]);
    }
    std::cerr << "round " << round + 1 << " of " << kRounds << " done\n";
  }
  ordered_json out;
  for (const std::string& p : platforms) {
    out["l1_miss_cost_activations"][p] = median(costs[p]);
    out["l1_miss_ns"][p] = median(miss_ns[p]);
  }
  by_sms[64] = costs["uba-mem"];
  for (const auto& [sms, cost] : by_sms) {
    out["l1_miss_cost_activations_by_sms"][std::to_string(sms)] = median(cost);
  }
  for (const auto& [gpus, cost] : remote_costs) {
    out["remote_access_cost_activations"][std::to_string(gpus)] = median(cost);
  }
  out["warp_instructions_per_second"] = median(instructions);
  out["warp_instructions_per_second_on"]["h100"] = median(on_h100);
  out["interpreter_warp_instructions_per_second"] = median(interpreted);
  for (const auto& [name, measured] : rate) {
    out["interpreter"][name]["warp_instructions_per_second"] = median(measured);
    out["interpreter"][name]["times_scalar"] = median(times_scalar[name]);
  }
  out["peak_rss_bytes"] = peak;
  out["activation_ns"] = median(activation);
  out["rounds"] = kRounds;
  out["commit"] = commit;
  std::cout << out.dump(2) << std::endl;
  return 0;
}

int print_usage(std::ostream& out, int status) {
  out << "usage: tessera_bench [COMMIT]            all benchmarks, as JSON; takes several minutes\n"
         "       tessera_bench --miss-cost PLATFORM [misses=N] [path=value]...\n"
         "       tessera_bench --remote-access-cost GPUS\n"
         "       tessera_bench --state PLATFORM [path=value]...\n"
         "       tessera_bench --noc [mesh] [name=value]...\n"
         "       tessera_bench --dram PLATFORM [path=value]...\n"
         "       tessera_bench --interpreter\n";
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  return sc_core::sc_elab_and_sim(argc, argv);
}

int sc_main(int argc, char** argv) {
  try {
    // For profilers, one figure in this process: --miss-cost PLATFORM [misses=N] [path=value]...
    if (argc >= 3 && std::string(argv[1]) == "--miss-cost") {
      std::vector<std::string> sets(argv + 3, argv + argc);
      std::uint64_t misses = 0;
      if (!sets.empty() && begins_with(sets.front(), "misses=")) {
        misses = std::stoull(sets.front().substr(7));
        sets.erase(sets.begin());
      }
      std::cout << miss_cost(argv[2], sets, misses).dump(2) << std::endl;
      return 0;
    }
    if (argc == 3 && std::string(argv[1]) == "--remote-access-cost") {
      std::cout << remote_access_cost(static_cast<unsigned>(std::stoul(argv[2]))).dump(2)
                << std::endl;
      return 0;
    }
    // Bytes of each kind of block: --state PLATFORM [path=value]...
    if (argc >= 3 && std::string(argv[1]) == "--state") {
      std::cout << state_by_kind(argv[2], {argv + 3, argv + argc}).dump(2) << std::endl;
      return 0;
    }
    // What a mesh carries: --noc mesh prints the tables of docs/blocks/mesh.md,
    // --noc mesh [entries=N] [exits=N] [shared=1] [flits=N] [mesh.NAME=value]... one mesh's
    // figures; stress=N sends N packets through full queues and checks them.
    if (argc >= 3 && std::string(argv[1]) == "--noc" && std::string(argv[2]) == "mesh") {
      return mesh_figures({argv + 3, argv + argc});
    }
    // What a crossbar carries: --noc prints the tables of docs/blocks/crossbar.md,
    // --noc [ports=N] [flits=N] [noc.NAME=value]... one crossbar's figures.
    if (argc >= 2 && std::string(argv[1]) == "--noc") {
      if (argc == 2) {
        bench::print_noc_tables(std::cout);
      } else {
        std::cout << crossbar_curve({argv + 2, argv + argc}).dump(2) << std::endl;
      }
      return 0;
    }
    // A channel's use of its data bus beside the bounds of its timing parameters, the table of
    // docs/blocks/dram.md: --dram PLATFORM [path=value]...
    if (argc >= 3 && std::string(argv[1]) == "--dram") {
      print_dram_shares(resolve_config(argv[2], {argv + 3, argv + argc}).gpu);
      return 0;
    }
    // The same for the interpreter's figures.
    if (argc == 2 && std::string(argv[1]) == "--interpreter") {
      std::cout << ordered_json{{"mm", against_scalar(&bench::interpret_mm)},
                                {"saxpy", against_scalar(&bench::interpret_saxpy)}}
                       .dump(2)
                << std::endl;
      return 0;
    }
    if (argc == 2 && std::string(argv[1]) == "--help") return print_usage(std::cout, 0);
    if (argc > 2 || (argc == 2 && argv[1][0] == '-')) return print_usage(std::cerr, 2);
    return run_benchmarks(argc == 2 ? argv[1] : "");
  } catch (const std::exception& e) {
    std::cerr << "tessera_bench: " << e.what() << std::endl;
    return 1;
  }
}
