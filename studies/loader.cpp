// SPDX-License-Identifier: Apache-2.0
// Reads a study's folder.
#include <algorithm>
#include <filesystem>
#include <set>

#include "common/error.h"
#include "common/input_file.h"
#include "common/json.h"
#include "common/json_node.h"
#include "common/suggest.h"
#include "common/text.h"
#include "platforms/simulation.h"
#include "stimuli/paper_workloads.h"
#include "stimuli/workload_name.h"
#include "studies/claim_reader.h"
#include "studies/figure_reader.h"
#include "studies/run_inputs.h"
#include "studies/statistic_paths.h"
#include "studies/study.h"

namespace tessera::studies {
namespace {

namespace fs = std::filesystem;

/// Files of a study's folder that are no figures. The last one lists runs of scripts/measure-gpu.
const std::vector<std::string> kNoFigures = {"study.json", "workloads.json", "claims.json",
                                             "measurements.json"};

/// The value for a scale: one value for all scales, or {"small": ..., "medium": ..., "paper": ...}.
JsonNode at_scale(const JsonNode& n, const std::string& scale) {
  if (!n.value().is_object()) return n;
  n.object({"small", "medium", "paper"});
  return n.required(scale);
}

class StudyReader {
 public:
  explicit StudyReader(const fs::path& folder) : folder_(folder) {}

  Study read() {
    study_.name = fs::weakly_canonical(folder_).filename().string();
    platforms();
    workloads();
    vocabulary();
    claims();
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (entry.path().extension() != ".json") continue;
      if (std::find(kNoFigures.begin(), kNoFigures.end(), name) != kNoFigures.end()) continue;
      files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      study_.figures.push_back(
          read_figure(load_located_json(file.string()), file.stem().string(), study_, vocabulary_));
    }
    claimed_once();
    return std::move(study_);
  }

 private:
  void platforms() {
    const LocatedJson file = load_located_json((folder_ / "study.json").string());
    const JsonNode root(file);
    root.object({"title", "source", "windows", "platforms"});
    study_.title = root.required("title").string();
    if (const auto n = root.member("source")) study_.source = n->string();
    if (const auto n = root.member("windows")) windows(*n);
    // In any order, because a platform can precede its "base" in the file.
    std::set<std::string> open;
    for (const auto& [name, n] : root.required("platforms").members()) platform(root, name, open);
  }

  void windows(const JsonNode& all) {
    for (const auto& [name, n] : all.members()) {
      const auto at = std::find_if(scales().begin(), scales().end(),
                                   [&name = name](const auto& s) { return s.first == name; });
      if (at == scales().end()) n.fail("windows are given for the scales small, medium and paper");
      study_.windows[at->second] = read_window(n);
    }
  }

  const StudyPlatform& platform(const JsonNode& root, const std::string& name,
                                std::set<std::string>& open) {
    const auto found = std::find_if(study_.platforms.begin(), study_.platforms.end(),
                                    [&name](const StudyPlatform& p) { return p.name == name; });
    if (found != study_.platforms.end()) return *found;
    const JsonNode n = root.required("platforms").required(name);
    if (!open.insert(name).second) n.fail("\"base\" leads back to this platform");
    n.object({"preset", "base", "sets"});
    StudyPlatform p;
    p.name = name;
    if (const auto base = n.member("base")) {
      if (n.member("preset")) base->fail("a platform has either a preset or a base");
      std::vector<std::string> known;
      for (const auto& [other, node] : root.required("platforms").members()) known.push_back(other);
      const StudyPlatform inherited = platform(root, base->one_of(known), open);
      p.preset = inherited.preset;
      p.sets = inherited.sets;
    } else {
      const JsonNode preset = n.required("preset");
      for (const auto& [scale, s] : scales())
        p.preset[s] = file_beside(folder_, at_scale(preset, scale).string());
    }
    p.origin = n.where();
    if (const auto sets = n.member("sets")) {
      for (const auto& [path, value] : sets->members()) {
        for (const auto& [scale, s] : scales()) {
          std::vector<std::string>& all = p.sets[s];
          // In place of the base's setting, because a parameter is set once.
          const std::string begin = path + "=";
          all.erase(std::remove_if(
                        all.begin(), all.end(),
                        [&begin](const std::string& other) { return begins_with(other, begin); }),
                    all.end());
          all.push_back(begin + setting_text(at_scale(value, scale)));
        }
      }
    }
    study_.platforms.push_back(std::move(p));
    return study_.platforms.back();
  }

  static std::vector<PaperWorkload> of_paper(const JsonNode& paper) {
    try {
      return paper_workloads(paper.string());
    } catch (const InputError& e) {
      paper.fail(e.what());
    }
  }

  /// A workload's name without its sizes.
  static std::string name_of(const JsonNode& workload) {
    try {
      return parse_workload_name(workload.string()).name;
    } catch (const InputError& e) {
      workload.fail(e.what());
    }
  }

  void workloads() {
    const LocatedJson file = load_located_json((folder_ / "workloads.json").string());
    const JsonNode root(file);
    root.object({"source", "paper", "workloads"});
    const std::vector<std::string> suite = all_workload_names();
    const auto in_suite = [&suite](const std::string& name) {
      return std::find(suite.begin(), suite.end(), name) != suite.end();
    };
    if (const auto paper = root.member("paper")) {
      if (root.member("workloads")) paper->fail("takes the place of \"workloads\"");
      for (const PaperWorkload& w : of_paper(*paper)) {
        study_.workloads.push_back(
            {w.name, w.workload_class, w.workload, in_suite(w.workload), w.paper_sizes});
      }
      return;
    }
    std::set<std::string> seen;
    for (const JsonNode& n : root.required("workloads").elements()) {
      n.object({"name", "class", "workload"});
      StudyWorkload w;
      w.name = n.required("name").string();
      if (!seen.insert(w.name).second) n.fail("the workload \"" + w.name + "\" is here twice");
      w.group = n.required("class").string();
      w.workload = n.required("workload").string();
      const std::string name = name_of(n.required("workload"));
      if (name.find('/') != std::string::npos || fs::path(name).extension() == ".json") {
        const fs::path manifest = folder_ / name;
        if (!names_something(manifest))
          n.required("workload").fail(manifest.string() + " is not there");
        w.workload = (folder_ / w.workload).string();
        w.exists = true;
      } else {
        w.exists = in_suite(name);
      }
      study_.workloads.push_back(std::move(w));
    }
    if (study_.workloads.empty()) root.required("workloads").expected("at least one workload");
  }

  void vocabulary() {
    vocabulary_.statistics = readable_statistics();
    for (const StudyPlatform& p : study_.platforms) vocabulary_.platforms.push_back(p.name);
    vocabulary_.groups.emplace_back("all", study_.all_workloads());
    for (std::size_t i = 0; i < study_.workloads.size(); ++i) {
      const StudyWorkload& w = study_.workloads[i];
      vocabulary_.workloads.push_back(w.name);
      const auto group = std::find_if(vocabulary_.groups.begin(), vocabulary_.groups.end(),
                                      [&w](const auto& g) { return g.first == w.group; });
      if (group != vocabulary_.groups.end()) {
        group->second.push_back(i);
      } else {
        vocabulary_.groups.emplace_back(w.group, Selection{i});
      }
    }
  }

  void claims() {
    const LocatedJson file = load_located_json((folder_ / "claims.json").string());
    const JsonNode root(file);
    root.object({"source", "claims"});
    for (const JsonNode& n : root.required("claims").elements()) {
      study_.claims.push_back(read_claim(n, vocabulary_));
      const Claim& c = study_.claims.back();
      for (std::size_t i = 0; i + 1 < study_.claims.size(); ++i) {
        if (study_.claims[i].id == c.id) n.fail("the claim \"" + c.id + "\" is here twice");
      }
    }
  }

  void claimed_once() const {
    std::map<std::size_t, std::string> settled;
    for (const Figure& f : study_.figures) {
      for (const Measurement& m : f.claims) {
        const auto [it, fresh] = settled.emplace(m.claim, f.name);
        if (fresh) continue;
        throw InputError((folder_ / (f.name + ".json")).string() + ": the claim \"" +
                         study_.claims[m.claim].id + "\" is measured twice, here and in " +
                         it->second + ".json");
      }
    }
  }

  fs::path folder_;
  Study study_;
  Vocabulary vocabulary_;
};

fs::path studies_directory() {
  if (const char* dir = std::getenv("TESSERA_STUDIES_DIR")) return dir;
  if (fs::is_directory(TESSERA_STUDIES_SOURCE_DIR)) return TESSERA_STUDIES_SOURCE_DIR;
  return TESSERA_STUDIES_INSTALL_DIR;
}

bool is_study(const fs::path& folder) { return names_something(folder / "study.json"); }

}  // namespace

Selection Study::all_workloads() const {
  Selection all;
  for (std::size_t i = 0; i < workloads.size(); ++i) all.push_back(i);
  return all;
}

std::size_t Study::figure(const std::string& figure_name) const {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (figures[i].name == figure_name) return i;
    known.push_back(figures[i].name);
  }
  throw InputError("the study '" + name + "' has no figure '" + figure_name + "'" +
                   did_you_mean(figure_name, known) + " (figures: " + joined(known) + ")");
}

Study load_study(const std::string& folder) { return StudyReader(folder).read(); }

std::vector<StudyInfo> study_catalogue() {
  std::vector<StudyInfo> all;
  const fs::path directory = studies_directory();
  if (!fs::is_directory(directory)) {
    throw InputError("no studies in " + directory.string() +
                     " (TESSERA_STUDIES_DIR names another directory)");
  }
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (!is_study(entry.path())) continue;
    const LocatedJson file = load_located_json((entry.path() / "study.json").string());
    all.push_back({entry.path().filename().string(), JsonNode(file).required("title").string(),
                   entry.path().string()});
  }
  std::sort(all.begin(), all.end(),
            [](const StudyInfo& a, const StudyInfo& b) { return a.name < b.name; });
  return all;
}

std::pair<std::string, std::string> find_study(const std::string& argument) {
  const std::size_t slash = argument.find('/');
  const std::string first = argument.substr(0, slash);
  std::vector<std::string> names;
  for (const StudyInfo& s : study_catalogue()) {
    names.push_back(s.name);
    if (s.name != first) continue;
    return {s.folder, slash == std::string::npos ? "" : argument.substr(slash + 1)};
  }
  fs::path path(argument);
  if (!path.has_filename() && path.has_parent_path()) path = path.parent_path();  // "folder/"
  if (is_study(path)) return {path.string(), ""};
  if (is_study(path.parent_path())) return {path.parent_path().string(), path.filename().string()};
  if (fs::is_directory(path)) {
    throw InputError("the folder " + argument + " is no study: there is no study.json in it");
  }
  throw InputError("unknown study '" + argument + "'" + did_you_mean(first, names) +
                   " (studies: " + joined(names) + "; or a folder with a study.json)");
}

}  // namespace tessera::studies
