// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>

#include "app/arguments.h"
#include "app/console.h"
#include "app/progress.h"
#include "app/report/text.h"
#include "app/verbs.h"
#include "common/error.h"
#include "common/json.h"
#include "common/suggest.h"
#include "stimuli/traces/accelsim_writer.h"
#include "stimuli/traces/capture_file.h"
#include "stimuli/traces/capture_kernel.h"
#include "stimuli/traces/kernel_files.h"
#include "stimuli/traces/kernel_list.h"
#include "stimuli/traces/tokens.h"
#include "stimuli/traces/trace_summary.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;
using traces::AccessCounts;
using traces::TraceKernel;
using traces::TraceSummary;

const std::vector<std::string> kActions = {"info", "export"};

struct KernelInfo {
  TraceKernel kernel;
  TraceSummary summary;
  std::uint64_t launches = 0;
};

std::string dim_text(const Dim3& d) {
  return std::to_string(d.x) + "x" + std::to_string(d.y) + "x" + std::to_string(d.z);
}

ordered_json counts_document(const TraceSummary& s) {
  ordered_json classes = ordered_json::object();
  for (const auto& [name, count] : s.classes()) classes[name] = count;
  ordered_json accesses = ordered_json::object();
  for (const auto& [name, a] : s.accesses()) {
    accesses[name] = {{"instructions", a.instructions},
                      {"lanes", a.lanes},
                      {"lines", a.lines},
                      {"sectors", a.sectors},
                      {"bytes", a.bytes}};
  }
  ordered_json unknown = ordered_json::object();
  for (const auto& [opcode, count] : s.unknown_opcodes()) unknown[opcode] = count;
  const AccessCounts global = s.global();
  return {{"ctas", s.ctas()},
          {"warps", s.warps()},
          {"warp_instructions", s.warp_instructions()},
          {"thread_instructions", s.thread_instructions()},
          {"classes", std::move(classes)},
          {"accesses", std::move(accesses)},
          {"global_lanes", global.lanes},
          {"global_lines", global.lines},
          {"global_sectors", global.sectors},
          {"global_bytes", global.bytes},
          {"bytes_touched", s.bytes_touched()},
          {"unknown_opcodes", std::move(unknown)}};
}

ordered_json dim_document(const Dim3& d) { return {d.x, d.y, d.z}; }

ordered_json kernel_document(const KernelInfo& k) {
  ordered_json out = {{"file", k.kernel.file},
                      {"name", k.kernel.name},
                      {"launches", k.launches},
                      {"grid", dim_document(k.kernel.grid)},
                      {"block", dim_document(k.kernel.block)},
                      {"registers", k.kernel.registers},
                      {"shared_bytes", k.kernel.shared_bytes},
                      {"stream", k.kernel.stream},
                      {"binary_version", k.kernel.binary_version},
                      {"tracer_version", k.kernel.version}};
  out.update(counts_document(k.summary));
  return out;
}

std::string counts_text(const TraceSummary& s) {
  std::vector<std::vector<std::string>> rows = {{"CLASS", "WARP INSTRUCTIONS"}};
  for (const auto& [name, count] : s.classes()) rows.push_back({name, grouped(count)});
  std::string out = table_text(rows);
  if (!s.accesses().empty()) {
    rows = {{"ACCESS", "WARP INSTRUCTIONS", "LANES", "LINES", "SECTORS", "BYTES"}};
    for (const auto& [name, a] : s.accesses()) {
      const bool global = a.lines != 0;
      rows.push_back({name, grouped(a.instructions), grouped(a.lanes),
                      global ? grouped(a.lines) : "-", global ? grouped(a.sectors) : "-",
                      global ? grouped(a.bytes) : "-"});
    }
    out += "\n" + table_text(rows);
  }
  out += "\n" + grouped(s.warp_instructions()) + " warp instructions, " +
         grouped(s.thread_instructions()) + " thread instructions, " +
         bytes_text(static_cast<double>(s.bytes_touched())) + " of global memory touched\n";
  if (!s.unknown_opcodes().empty()) {
    rows = {{"UNKNOWN OPCODE", "WARP INSTRUCTIONS"}};
    for (const auto& [name, count] : s.unknown_opcodes()) {
      rows.push_back({traces::clipped(name), grouped(count)});
    }
    out += "\n" + table_text(rows) + "Unknown opcodes count as ALU operations.\n";
  }
  return out;
}

std::string kernels_text(const std::vector<KernelInfo>& kernels) {
  std::vector<std::vector<std::string>> rows = {
      {"FILE", "KERNEL", "LAUNCHES", "GRID", "BLOCK", "STREAM", "WARP INSTRUCTIONS", "LINES"}};
  for (const KernelInfo& k : kernels) {
    rows.push_back({std::filesystem::path(k.kernel.file).filename().string(), k.kernel.name,
                    grouped(k.launches), dim_text(k.kernel.grid), dim_text(k.kernel.block),
                    std::to_string(k.kernel.stream), grouped(k.summary.warp_instructions()),
                    grouped(k.summary.global().lines)});
  }
  return table_text(rows);
}

/// What a trace consists of.
struct TraceParts {
  struct Kernel {
    std::function<std::unique_ptr<traces::KernelTraceReader>()> open;
    std::uint64_t launches = 0;
  };
  std::vector<Kernel> kernels;
  std::uint64_t copies = 0;
  std::uint64_t copied = 0;  ///< bytes
};

TraceParts parts_of_list(const std::string& name) {
  TraceParts parts;
  const traces::KernelList list = traces::read_kernel_list(name);
  std::map<std::string, std::uint64_t> launches;
  for (const traces::ListedCommand& c : list.commands) {
    if (!c.kernel.empty()) ++launches[c.kernel];
    if (c.kernel.empty()) ++parts.copies;
    parts.copied += c.bytes;
  }
  for (const std::string& file : list.kernels()) {
    parts.kernels.push_back({[file] { return traces::open_kernel(file); }, launches[file]});
  }
  return parts;
}

TraceParts parts_of_capture(const std::string& name) {
  TraceParts parts;
  const auto file = std::make_shared<const traces::CaptureFile>(name);
  for (const traces::HostOperation& h : file->run().host) {
    if (h.kind != traces::HostKind::kWrite && h.kind != traces::HostKind::kDefer) continue;
    ++parts.copies;
    parts.copied += h.bytes;
  }
  for (std::uint64_t launch = 0; launch < file->run().launches.size(); ++launch) {
    parts.kernels.push_back(
        {[file, launch] { return std::make_unique<traces::CaptureKernelReader>(file, launch); },
         1});
  }
  return parts;
}

/// Reads all kernels of a trace once.
int show_info(const std::string& name, bool json, bool quiet) {
  if (json) reserve_standard_output();
  const TraceParts parts =
      traces::is_capture_name(name) ? parts_of_capture(name) : parts_of_list(name);
  const std::uint64_t copies = parts.copies;
  const std::uint64_t copied = parts.copied;
  ProgressMeter meter(quiet);
  std::vector<KernelInfo> kernels;
  TraceSummary all;
  for (const TraceParts::Kernel& k : parts.kernels) {
    const std::unique_ptr<traces::KernelTraceReader> reader = k.open();
    KernelInfo info;
    info.kernel = reader->kernel();
    info.launches = k.launches;
    const auto before = static_cast<double>(kernels.size());
    info.summary.add(*reader, [&](double done) {
      if (interrupted()) throw RunError("interrupted");
      meter.update("Reading traces", (before + done) / static_cast<double>(parts.kernels.size()),
                   "");
    });
    all += info.summary;
    kernels.push_back(std::move(info));
  }
  meter.finish();
  for (const KernelInfo& k : kernels) {
    for (const std::string& text : k.summary.warnings()) complain("warning: " + text);
  }
  if (json) {
    ordered_json documents = ordered_json::array();
    for (const KernelInfo& k : kernels) documents.push_back(kernel_document(k));
    write_document({{"trace", name},
                    {"copies", copies},
                    {"copied_bytes", copied},
                    {"kernels", std::move(documents)},
                    {"total", counts_document(all)}});
    return 0;
  }
  print_text(printable(kernels_text(kernels) + "\n" + grouped(copies) + " copies to the device, " +
                       bytes_text(static_cast<double>(copied)) + "\n\n" + counts_text(all)));
  return 0;
}

int export_trace(const std::string& name, const std::string& folder, bool quiet) {
  if (!traces::is_capture_name(name)) {
    throw InputError(name + ": only captured runs (.ttrace) can be exported");
  }
  ProgressMeter meter(quiet);
  traces::export_accelsim(std::make_shared<const traces::CaptureFile>(name), folder,
                          [&](double done) {
                            if (interrupted()) throw RunError("interrupted");
                            meter.update("Writing traces", done, "");
                          });
  meter.finish();
  if (!quiet) {
    const auto list = std::filesystem::path(folder) / "kernelslist.g";
    print_text(printable("  trace          " + list.string() + "\n"));
  }
  return 0;
}

}  // namespace

ArgumentParser trace_arguments() {
  ArgumentParser parser(
      "trace",
      "info: prints kernels, grids, instructions by class, accesses, their transactions after\n"
      "coalescing (lines of 128 bytes, sectors of 32), bytes touched and unknown opcodes. Each\n"
      "kernel's file counts once, however often it is launched. TRACE is a folder with a\n"
      "kernelslist.g, such a list, a kernel's file (.traceg, also .xz, .gz or .zst; .tracez), or "
      "a\n"
      "captured run (.ttrace).\n"
      "export: writes a captured run to FOLDER in the form of another simulator (--accelsim).");
  parser.positional("ACTION", "info or export", {Completes::Kind::kNames, kActions});
  parser.positional("TRACE", "a folder, a list, a kernel's file or a captured run",
                    {Completes::Kind::kFile, {}});
  parser.optional_positional("FOLDER", "export: where to write", {Completes::Kind::kFolder, {}});
  parser.options()("accelsim", "export: Accel-Sim's kernelslist.g and .traceg files")(
      "json", "info: print one JSON document")("quiet", "no progress; export: print nothing");
  return parser;
}

int trace_verb(const std::vector<std::string>& arguments) {
  const auto values = trace_arguments().parse(arguments);
  if (!values) return 0;
  const std::string action = positional_argument(*values, 0);
  const std::string trace = positional_argument(*values, 1);
  const bool quiet = values->count("quiet") != 0;
  const bool has_form = values->count("accelsim") != 0;
  if (std::find(kActions.begin(), kActions.end(), action) == kActions.end()) {
    throw InputError("trace: unknown action '" + action + "'" + did_you_mean(action, kActions) +
                     " (info, export)");
  }
  catch_interrupts();
  if (action == "info") {
    if (has_form || has_positional(*values, 2)) {
      throw InputError("trace info takes neither a folder nor a form");
    }
    return show_info(trace, values->count("json") != 0, quiet);
  }
  if (!has_form || !has_positional(*values, 2) || values->count("json") != 0) {
    throw InputError("trace export needs a captured run, a folder and the form: --accelsim");
  }
  return export_trace(trace, positional_argument(*values, 2), quiet);
}

}  // namespace tessera::app
