// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "app/arguments.h"
#include "app/console.h"
#include "app/report/text.h"
#include "app/verbs.h"
#include "app/verbs/analyze_locality.h"
#include "common/error.h"
#include "common/json.h"
#include "stimuli/ptx/analysis/locality_table.h"
#include "stimuli/ptx/decoder.h"
#include "stimuli/ptx/link.h"
#include "stimuli/ptx/module.h"
#include "stimuli/ptx/program.h"
#include "stimuli/ptx/read_only.h"
#include "stimuli/ptx/refusal.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;

/// The reports to show. For a parameter of several words (a structure passed by value): the words
/// that the kernel uses, or the first one if it uses none.
std::vector<const ptx::PointerReport*> shown(const ptx::ReadOnlyReport& report) {
  const auto same = [](const ptx::PointerOrigin& a, const ptx::PointerOrigin& b) {
    return !a.is_variable && !b.is_variable && a.parameter == b.parameter;
  };
  const auto is_used = [](const ptx::PointerReport& p) {
    return p.use != ptx::PointerUse::kUnused;
  };
  std::vector<const ptx::PointerReport*> out;
  for (const ptx::PointerReport& p : report.pointers) {
    const bool other_used =
        std::any_of(report.pointers.begin(), report.pointers.end(),
                    [&](const auto& q) { return same(p.origin, q.origin) && is_used(q); });
    if (is_used(p) || (p.origin.offset == 0 && !other_used)) out.push_back(&p);
  }
  return out;
}

ordered_json document(const std::string& kernel, const ptx::ReadOnlyReport& report,
                      const ptx::LocalityTable& locality) {
  ordered_json pointers = ordered_json::array();
  for (const ptx::PointerReport* p : shown(report)) {
    pointers.push_back({{"name", p->origin.name},
                        {"kind", p->origin.is_variable ? "global" : "parameter"},
                        {"offset", p->origin.offset},
                        {"class", ptx::pointer_use_name(p->use)},
                        {"line", p->line == 0 ? ordered_json() : ordered_json(p->line)},
                        {"why", p->why},
                        {"loads", p->loads},
                        {"read_only_loads", p->marked_loads}});
  }
  return {{"name", kernel},
          {"global_loads", report.global_loads},
          {"read_only_loads", report.marked_loads},
          {"pointers", std::move(pointers)},
          {"locality", locality_document(locality)}};
}

std::string text(const std::string& kernel, const ptx::ReadOnlyReport& report) {
  std::string out = "kernel " + kernel + ": " + std::to_string(report.marked_loads) + " of " +
                    std::to_string(report.global_loads) + " global loads are read-only\n";
  std::vector<std::vector<std::string>> rows = {
      {"POINTER", "KIND", "CLASS", "LOADS", "READ-ONLY", "LINE", "WHY"}};
  for (const ptx::PointerReport* p : shown(report)) {
    rows.push_back({origin_label(p->origin), p->origin.is_variable ? "global" : "parameter",
                    ptx::pointer_use_name(p->use), std::to_string(p->loads),
                    std::to_string(p->marked_loads), p->line == 0 ? "-" : std::to_string(p->line),
                    p->why});
  }
  if (rows.size() > 1) out += table_text(rows);
  return out;
}

/// The reason why `run` would refuse a kernel.
struct Obstacle {
  std::string message;  ///< the complete message
  ordered_json line;    ///< null if no single instruction is the cause
  ordered_json instruction;
  std::string why;
};

std::optional<Obstacle> obstacle(const ptx::Module& module, const std::string& kernel) {
  try {
    ptx::check_symbols(module, *ptx::decode(module, kernel));
  } catch (const ptx::Refusal& r) {
    return Obstacle{r.what(), r.line(), r.text(), r.why()};
  } catch (const InputError& e) {
    return Obstacle{e.what(), nullptr, nullptr, e.what()};
  }
  return std::nullopt;
}

/// Returns the command's exit status: 1 if a kernel would be refused.
int show_executable(const ptx::Module& module, const std::vector<std::string>& names, bool json) {
  ordered_json kernels = ordered_json::array();
  std::string page;
  int status = 0;
  for (const std::string& name : names) {
    const std::optional<Obstacle> found = obstacle(module, name);
    ordered_json kernel = {{"name", name}, {"executable", !found}};
    page += "kernel " + name + ": " + (found ? "refused: " + found->message : "executable") + "\n";
    if (found) {
      status = 1;
      kernel["line"] = found->line;
      kernel["instruction"] = found->instruction;
      kernel["why"] = found->why;
    }
    kernels.push_back(std::move(kernel));
  }
  if (json) {
    write_document({{"file", module.file}, {"kernels", std::move(kernels)}});
  } else {
    print_text(printable(page.empty() ? module.file + " has no kernels\n" : page));
  }
  return status;
}

}  // namespace

ArgumentParser analyze_arguments() {
  ArgumentParser parser("analyze",
                        "Shows the compiler passes' results for PTX. For every pointer of every "
                        "kernel: whether its\narray is only read, and how many of its loads become "
                        "ld.global.ro; and the locality table of\nLADM: how CTAs share the array "
                        "and move through it. With --executable: for every kernel, whether\n"
                        "`tessera run` executes it, or the refused instruction; exit status 1 if a "
                        "kernel is refused.");
  parser.positional("FILE.ptx", "PTX text, from clang or nvcc", {Completes::Kind::kFile, {}});
  parser.optional_positional("KERNEL", "show only this kernel");
  parser.options()("executable", "show which kernels can be executed, and why others cannot");
  parser.options()("json", "print one JSON document and nothing else");
  return parser;
}

int analyze_verb(const std::vector<std::string>& arguments) {
  const auto values = analyze_arguments().parse(arguments);
  if (!values) return 0;
  const ptx::Module module = ptx::parse_file(positional_argument(*values, 0));
  std::vector<std::string> names = module.entries();
  if (has_positional(*values, 1)) names = {positional_argument(*values, 1)};
  for (const std::string& name : names) ptx::entry_function(module, name);
  const bool json = values->count("json") != 0;
  if (values->count("executable") != 0) return show_executable(module, names, json);
  ordered_json kernels = ordered_json::array();
  std::string pages;
  for (const std::string& name : names) {
    const ptx::ReadOnlyReport report = ptx::find_read_only(module, name);
    const ptx::LocalityTable locality = ptx::make_locality_table(module, name);
    kernels.push_back(document(name, report, locality));
    pages += (pages.empty() ? "" : "\n") + text(name, report);
    const std::string table = locality_text(locality);
    if (!table.empty()) pages += "\n" + table;
  }
  if (json) {
    write_document({{"file", module.file}, {"kernels", std::move(kernels)}});
  } else {
    print_text(printable(pages.empty() ? module.file + " has no kernels\n" : pages));
  }
  return 0;
}

}  // namespace tessera::app
