// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "app/arguments.h"
#include "app/console.h"
#include "app/point.h"
#include "app/report/summary.h"
#include "app/result_folder.h"
#include "app/run_files.h"
#include "app/session/session_server.h"
#include "app/systemc_reports.h"
#include "app/verbs.h"
#include "common/error.h"
#include "common/input_file.h"
#include "common/json.h"
#include "common/number.h"
#include "platforms/session_channel.h"
#include "platforms/virtual_platform.h"

namespace tessera::app {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using nlohmann::ordered_json;
using End = VirtualPlatformResult::End;

constexpr unsigned kMostHarts = 8;

/// The shared object beside the command, in a build tree or a prefix; TESSERA_ISS is another one.
std::string find_iss() {
  if (const char* const chosen = std::getenv("TESSERA_ISS")) return chosen;
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
  constexpr const char* kName = "libtessera_unicorn.so";
  for (const fs::path& file : {here / "lib" / "tessera" / kName, here / "iss" / kName}) {
    if (fs::exists(file, error)) return file.string();
  }
  throw InputError(
      "this build has no instruction-set simulator. On Debian: apt-get install libunicorn-dev, "
      "then build again");
}

std::uint64_t read_size(const po::variables_map& values, const std::string& option,
                        const std::string& unit) {
  const auto& text = values[option].as<std::string>();
  std::string why;
  const auto whole = read_whole(text, unit, why);
  if (!whole) throw InputError("--" + option + ": '" + text + "' is no number of " + unit + why);
  return *whole;
}

constexpr std::uint64_t kLeastBandwidth = 1'000'000;
constexpr std::uint64_t kMostBandwidth = 100'000'000'000'000;

/// Device memory begins 2 GiB after the RAM's begin.
void check_ram(std::uint64_t bytes, bool with_gpus) {
  constexpr std::uint64_t kPage = 4096;
  const std::uint64_t most = std::uint64_t{with_gpus ? 2U : 64U} << 30;
  if (bytes != 0 && bytes % kPage == 0 && bytes <= most) return;
  throw InputError("--ram: expected pages of 4 KiB, up to " + std::string(with_gpus ? "2" : "64") +
                   " GiB" + (with_gpus ? " with --platform" : ""));
}

/// FILE or FILE@ADDRESS.
VirtualPlatformOptions::File read_file(const std::string& text) {
  VirtualPlatformOptions::File file;
  const std::size_t at = text.rfind('@');
  file.file = text.substr(0, at);
  if (at != std::string::npos) {
    const std::string address = text.substr(at + 1);
    const auto number = read_address(address);
    if (!number) throw InputError(text + ": '" + address + "' is no address; expected 0x80200000");
    file.address = *number;
  }
  return file;
}

/// \n, \r, \t and \\ of a script.
std::string unescaped(const std::string& text, const std::string& place) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    const char c = ++i < text.size() ? text[i] : ' ';
    const std::string from = "nrt\\";
    const std::size_t known = from.find(c);
    if (known == std::string::npos) {
      throw InputError(place + ": unknown escape; there are \\n, \\r, \\t and \\\\");
    }
    out += std::string("\n\r\t\\")[known];
  }
  return out;
}

std::vector<UartStep> read_script(const std::string& file) {
  std::istringstream in(read_input_file(file));
  std::vector<UartStep> script;
  std::string line;
  for (unsigned n = 1; std::getline(in, line); ++n) {
    if (line.empty() || line[0] == '#') continue;
    const std::string place = file + ":" + std::to_string(n);
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos || tab == 0) {
      throw InputError(place + ": expected EXPECTED TEXT, a tab, TEXT TO SEND");
    }
    script.push_back(
        {unescaped(line.substr(0, tab), place), unescaped(line.substr(tab + 1), place)});
  }
  return script;
}

/// Waits until standard input has something, at most so long.
void wait_for_terminal(std::chrono::nanoseconds most) {
  pollfd file{STDIN_FILENO, POLLIN, 0};
  poll(&file, 1, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(most).count()));
}

/// The run on a platform with GPUs, with its files. Returns the statistics. `failed`: the software
/// has ended well, but the run or a file has not.
ordered_json run_with_gpus(const po::variables_map& values, VirtualPlatformOptions& options,
                           VirtualPlatformResult& result, bool quiet, bool& failed) {
  std::vector<std::string> sets;
  if (values.count("set") != 0) sets = values["set"].as<std::vector<std::string>>();
  const ResolvedConfig config = resolve_config(values["platform"].as<std::string>(), sets);
  if (!quiet) warn_of_unused_parameters({&config}, sets);
  RunOptions run;
  const auto& mode = values["values"].as<std::string>();
  if (mode != "carried" && mode != "functional") {
    throw InputError("--values: '" + mode + "' is neither carried nor functional");
  }
  run.values = mode == "carried" ? ValueMode::kCarried : ValueMode::kFunctional;
  run.interrupted = options.interrupted;
  if (options.session != nullptr) options.platform_parameters = config.parameters();
  FirmwareWorkload workload(options);
  std::optional<ResultFolder> folder;
  if (values.count("out") != 0) {
    folder.emplace("stats.json", values["out"].as<std::string>(), "",
                   values.count("overwrite") != 0);
  }
  PointOutcome outcome = simulate_point(config, workload, run);
  result = workload.result();
  ordered_json timeline = workload.timeline();
  if (!timeline.is_null()) (*outcome.stats)["timeline"] = std::move(timeline);
  Delivery delivery;
  if (folder) {
    const ResultFolder::Target target = folder->for_result(!outcome.failure);
    write_run_files(target.directory, outcome, workload, delivery);
  }
  // Software that has ended with another status than 0 has said why.
  const bool told = result.end == End::kFinished && result.status != 0;
  failed = delivery.report() != 0 || (outcome.failure && !told);
  const bool explained = told || !result.why.empty() || !result.violations.empty();
  if (outcome.failure && !explained) result.why = *outcome.failure;
  if (!quiet) {
    const std::string text = run_summary(outcome.stats, outcome.verification, terminal_has_utf8());
    std::fputs(printable(text).c_str(), stderr);
  }
  return outcome.stats;
}

/// Throws InputError for options that need the GPUs of a platform.
void check_without_gpus(const po::variables_map& values) {
  for (const char* const option :
       {"kernels", "set", "out", "overwrite", "fast", "link-latency-ns", "link-bandwidth"}) {
    if (values.count(option) == 0) continue;
    throw InputError(std::string("--") + option + " needs --platform");
  }
  if (!values["values"].defaulted()) throw InputError("--values needs --platform");
}

/// The server of --session; none without.
std::optional<SessionServer> begin_session(const po::variables_map& values, SessionChannel& channel,
                                           VirtualPlatformOptions& options) {
  constexpr unsigned kMostPort = 65535;
  const auto port = read_count(values, "session", 0, kMostPort);
  if (port && values.count("gdb") != 0) throw InputError("--session and --gdb: choose one of them");
  options.session_paused = values.count("paused") != 0;
  if (!port) {
    if (options.session_paused) throw InputError("--paused needs --session");
    return std::nullopt;
  }
  std::optional<SessionServer> server(std::in_place, static_cast<std::uint16_t>(*port), channel);
  options.session = &channel;
  options.on_session_stays = [](const VirtualPlatformResult& r) {
    std::fprintf(stderr,
                 "session: the run has ended (%s, status %u); clients are answered until POST "
                 "/quit or Ctrl-C\n",
                 text_of(r.end), r.status);
  };
  std::fprintf(stderr, "session: http://127.0.0.1:%u/\n", server->port());
  return server;
}

/// Appends what standard input has, without waiting; false at its end.
bool read_terminal(std::string& text) {
  pollfd file{STDIN_FILENO, POLLIN, 0};
  while (poll(&file, 1, 0) > 0) {
    std::array<char, 256> buffer{};
    const ssize_t n = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (n <= 0) return false;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  return true;
}

void read_debug_options(const po::variables_map& values, VirtualPlatformOptions& options) {
  if (const auto port = read_count(values, "gdb", 0, 65535)) {
    options.gdb_port = static_cast<std::uint16_t>(*port);
    options.on_gdb_port = [](std::uint16_t chosen) {
      std::fprintf(stderr, "gdb: listening on 127.0.0.1:%u\n", unsigned{chosen});
      std::fflush(stderr);
    };
  }
  if (const auto core = read_count(values, "trace-core", 0, kMostHarts - 1)) {
    options.trace_core = static_cast<std::uint32_t>(*core);
  }
  if (values.count("trace-from") != 0) options.trace_from = values["trace-from"].as<std::string>();
  if (values.count("trace") != 0) {
    options.trace_file = values["trace"].as<std::string>();
  } else if (options.trace_core || !options.trace_from.empty()) {
    throw InputError("--trace-core and --trace-from need --trace");
  }
}

std::string summary(const VirtualPlatformResult& r) {
  std::array<char, 200> text{};
  const double seconds = std::max(r.host_seconds, 1e-9);
  std::snprintf(text.data(), text.size(),
                "\n  end            %s\n  instructions   %llu (%.0f million a second of the host)\n"
                "  simulated      %.6f s in %.2f s\n",
                text_of(r.end), static_cast<unsigned long long>(r.instructions),
                static_cast<double>(r.instructions) / seconds / 1e6,
                static_cast<double>(r.time_ns) / 1e9, r.host_seconds);
  return text.data();
}

}  // namespace

ArgumentParser vp_arguments() {
  ArgumentParser parser(
      "vp",
      "Runs software on RISC-V cores (RV64GC) with the devices of QEMU's machine \"virt\": CLINT,\n"
      "PLIC, 16550 UART, test finisher. The UART is standard output and input. The exit status is\n"
      "that of the software; 1 if it did not end by itself (docs/guide/virtual-platform.md).");
  parser.positional("PROGRAM", "an ELF executable, or an image with @ADDRESS (default: 0x80000000)",
                    {Completes::Kind::kFile, {}});
  parser.options()("load", po::value<std::vector<std::string>>()->composing()->value_name("FILE"),
                   "another ELF file or image@ADDRESS; repeatable")(
      "harts", po::value<std::string>()->value_name("N"), "cores, 1 to 8 (default: 1)")(
      "ram", po::value<std::string>()->default_value("128M")->value_name("BYTES"),
      "memory at 0x80000000")("clock",
                              po::value<std::string>()->default_value("1GHz")->value_name("HZ"),
                              "of the cores; an instruction takes a cycle")(
      "quantum", po::value<std::string>()->value_name("N"),
      "instructions that a core executes ahead of simulated time (default: 1000)")(
      "uart", po::value<std::string>()->value_name("FILE"),
      "a script in place of standard input: lines of EXPECTED TEXT, a tab, TEXT TO SEND")(
      "limit-ms", po::value<std::string>()->value_name("N"),
      "ends the run after so many milliseconds of simulated time")(
      "json", "print one JSON document, with what the UART has sent")(
      "quiet", "print no summary on standard error")(
      "gdb", po::value<std::string>()->value_name("PORT"),
      "waits for GDB at this TCP port of 127.0.0.1; 0: any port, which is printed")(
      "trace", po::value<std::string>()->value_name("FILE"),
      "writes a line for each instruction and each trap")("trace-core",
                                                          po::value<std::string>()->value_name("N"),
                                                          "traces this core only (default: all)")(
      "trace-from", po::value<std::string>()->value_name("SYMBOL|ADDRESS"),
      "a core's trace begins when it executes this address");
  parser.options()("session", po::value<std::string>()->value_name("PORT"),
                   "answers clients and a browser at http://127.0.0.1:PORT/ (0: a free port), also "
                   "after the run's end (docs/guide/virtual-platform.md)")(
      "paused", "with --session: begins paused");
  parser.options()("platform", po::value<std::string>()->value_name("PLATFORM"),
                   "the GPUs beside the cores (default: none)")(
      "kernels", po::value<std::vector<std::string>>()->composing()->value_name("FILE.ptx"),
      "PTX whose kernels software can launch by name; repeatable")(
      "values", po::value<std::string>()->default_value("carried")->value_name("MODE"),
      "carried or functional, as for run")(
      "fast",
      "kernels and accesses to device memory take no time until the software asks for detail")(
      "link-latency-ns", po::value<std::string>()->value_name("N"),
      "of the link to GPUs without a CPU, in each direction (default: 450)")(
      "link-bandwidth", po::value<std::string>()->value_name("B/S"),
      "of that link (default: 31.5GB/s)")(
      "out", po::value<std::string>()->value_name("DIR"),
      "with --platform: writes stats.json, stats.csv and report.html there");
  add_set_option(parser);
  add_overwrite_option(parser);
  add_plugin_option(parser);
  parser.completes("platform", {Completes::Kind::kPlatform, {}});
  parser.completes("kernels", {Completes::Kind::kFile, {}});
  parser.completes("load", {Completes::Kind::kFile, {}});
  parser.completes("uart", {Completes::Kind::kFile, {}});
  parser.completes("trace", {Completes::Kind::kFile, {}});
  return parser;
}

int vp_verb(const std::vector<std::string>& arguments) {
  const auto values = vp_arguments().parse(arguments);
  if (!values) return 0;
  VirtualPlatformOptions options;
  options.programs.push_back(read_file(positional_argument(*values, 0)));
  if (values->count("load") != 0) {
    for (const auto& text : (*values)["load"].as<std::vector<std::string>>()) {
      options.programs.push_back(read_file(text));
    }
  }
  options.harts = read_count(*values, "harts", 1, kMostHarts).value_or(options.harts);
  options.ram_bytes = read_size(*values, "ram", "byte");
  check_ram(options.ram_bytes, values->count("platform") != 0);
  options.clock_hz = read_size(*values, "clock", "Hz");
  options.quantum = read_count(*values, "quantum", 1, 1'000'000).value_or(options.quantum);
  options.limit_ns =
      std::uint64_t{1'000'000} * read_count(*values, "limit-ms", 1, 999'999'999).value_or(0);
  if (values->count("uart") != 0) {
    options.script = read_script((*values)["uart"].as<std::string>());
  } else {
    options.poll_input = read_terminal;
    options.wait_for_input = wait_for_terminal;
  }
  options.fast = values->count("fast") != 0;
  options.link_latency_ns =
      read_count(*values, "link-latency-ns", 0, 1'000'000).value_or(options.link_latency_ns);
  if (values->count("link-bandwidth") != 0) {
    options.link_bytes_per_second = read_size(*values, "link-bandwidth", "byte/s");
    if (options.link_bytes_per_second < kLeastBandwidth ||
        options.link_bytes_per_second > kMostBandwidth) {
      throw InputError("--link-bandwidth: expected 1MB/s to 100TB/s");
    }
  }
  if (values->count("kernels") != 0) {
    options.kernels = (*values)["kernels"].as<std::vector<std::string>>();
  }
  read_debug_options(*values, options);
  load_plugins(*values);
  options.iss = find_iss();
  const bool json = values->count("json") != 0;
  const bool quiet = values->count("quiet") != 0;
  std::string sent;
  std::optional<std::string> lost;  // why output has been lost; it ends the run
  options.on_output = [&](char c) {
    if (json) {
      sent += c;
      return;
    }
    try {
      print_text(std::string(1, c));
    } catch (const RunError& e) {
      lost = e.what();
    }
  };
  SessionChannel channel;
  const std::optional<SessionServer> server = begin_session(*values, channel, options);
  catch_interrupts();
  options.interrupted = [&] { return interrupted() || lost || channel.quits(); };
  route_systemc_reports(quiet);
  VirtualPlatformResult result;
  ordered_json stats;
  bool failed = false;
  if (values->count("platform") != 0) {
    stats = run_with_gpus(*values, options, result, quiet, failed);
  } else {
    check_without_gpus(*values);
    result = run_virtual_platform(options);
  }
  if (lost) throw RunError(*lost);
  if (json) {
    write_document({{"end", text_of(result.end)},
                    {"status", result.status},
                    {"why", result.why},
                    {"violations", result.violations},
                    {"instructions", result.instructions},
                    {"time_ns", result.time_ns},
                    {"uart", sent},
                    {"stats", stats},
                    {"host", {{"seconds", result.host_seconds}}}});
  } else if (!quiet) {
    std::fputs(summary(result).c_str(), stderr);
  }
  if (result.end == End::kInterrupted || result.end == End::kLimit) complain(result.places);
  if (!result.why.empty()) complain(result.why);
  for (const std::string& v : result.violations) complain(v);
  if (failed) return 1;
  if (result.end == End::kFinished) return static_cast<int>(std::min(result.status, 255U));
  return result.end == End::kReset ? 0 : 1;
}

}  // namespace tessera::app
