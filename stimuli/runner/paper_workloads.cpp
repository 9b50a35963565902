// SPDX-License-Identifier: Apache-2.0
#include "stimuli/paper_workloads.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "common/error.h"
#include "common/json_node.h"
#include "common/suggest.h"
#include "common/text.h"
#include "stimuli/runner/manifest_workload.h"

namespace tessera {
namespace {

std::optional<double> figure(const JsonNode& row, const char* key) {
  const auto n = row.member(key);
  if (!n) return std::nullopt;
  if (!(n->number() > 0)) n->expected("a positive number");
  return n->number();
}

PaperWorkload read_row(const JsonNode& row) {
  row.object({"paper", "name", "class", "kernel", "workload", "footprint_mb", "read_only_shared_mb",
              "paper_sizes", "l2_misses_per_kilo_instruction", "note"});
  PaperWorkload w;
  w.paper = row.required("paper").string();
  w.name = row.required("name").string();
  w.workload_class = row.required("class").string();
  if (const auto kernel = row.member("kernel")) {
    w.kernel = kernel->string();
    w.workload = row.required("workload").string();
    if (const auto sizes = row.member("paper_sizes")) w.paper_sizes = sizes->string();
  }
  w.footprint_mb = figure(row, "footprint_mb");
  w.read_only_shared_mb = figure(row, "read_only_shared_mb");
  w.misses_per_kilo_instr = figure(row, "l2_misses_per_kilo_instruction");
  return w;
}

}  // namespace

std::vector<PaperWorkload> paper_workloads() {
  const std::filesystem::path folder = kernels::kernels_directory({});
  const LocatedJson file = load_located_json((folder / "papers.json").string());
  const JsonNode root(file);
  root.object({"workloads"});
  std::vector<PaperWorkload> out;
  std::set<std::pair<std::string, std::string>> seen;
  for (const JsonNode& row : root.required("workloads").elements()) {
    out.push_back(read_row(row));
    if (!seen.emplace(out.back().paper, out.back().name).second) {
      row.fail("\"" + out.back().name + "\" of \"" + out.back().paper + "\" is here twice");
    }
  }
  return out;
}

std::vector<PaperWorkload> paper_workloads(const std::string& paper) {
  std::vector<PaperWorkload> rows = paper_workloads();
  std::set<std::string> papers;
  for (const PaperWorkload& w : rows) papers.insert(w.paper);
  if (papers.count(paper) == 0) {
    const std::vector<std::string> known(papers.begin(), papers.end());
    throw InputError("unknown paper '" + paper + "'" + did_you_mean(paper, known) +
                     " (known: " + joined(known) + ")");
  }
  rows.erase(std::remove_if(rows.begin(), rows.end(),
                            [&paper](const PaperWorkload& w) { return w.paper != paper; }),
             rows.end());
  return rows;
}

}  // namespace tessera
