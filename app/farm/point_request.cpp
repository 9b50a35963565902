// SPDX-License-Identifier: Apache-2.0
#include "app/farm/point_request.h"

#include <cstdlib>
#include <filesystem>
#include <regex>

#include "app/console.h"
#include "app/output_directory.h"
#include "app/point_runner.h"
#include "app/systemc_reports.h"
#include "common/error.h"
#include "common/input_file.h"
#include "common/json.h"
#include "platforms/plugin_loader.h"
#include "studies/points.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr char kOutcomeEnd[] = ".json";

ordered_json options_json(const RunOptions& o) {
  ordered_json options = {{"scale", static_cast<int>(o.scale)},
                          {"seed", o.seed},
                          {"values", static_cast<int>(o.values)},
                          {"commit", o.commit},
                          {"command_line", o.command_line}};
  if (o.window) options["window"] = {o.window->skip, o.window->detail, o.window->rest};
  return options;
}

RunOptions options_of(const ordered_json& request) {
  RunOptions o;
  o.scale = static_cast<Scale>(request.at("scale").get<int>());
  o.seed = request.at("seed").get<std::uint64_t>();
  o.values = static_cast<ValueMode>(request.at("values").get<int>());
  o.commit = request.at("commit").get<std::string>();
  o.command_line = request.at("command_line").get<std::vector<std::string>>();
  if (request.contains("window")) {
    const ordered_json& w = request["window"];
    o.window = WindowOptions{w.at(0).get<std::uint64_t>(), w.at(1).get<std::uint64_t>(),
                             w.at(2).get<bool>()};
  }
  return o;
}

/// The settings as arguments of resolve_config().
std::vector<std::string> sets_of(const ResolvedConfig& config) {
  std::vector<std::string> sets;
  for (const ParameterSetting& s : config.chosen) sets.push_back(s.path + "=" + s.value->dump());
  return sets;
}

/// Throws InputError if the task's machine has other files than the command's.
FinishedPoint run_requested(const ordered_json& request, const ordered_json& requested) {
  for (const ordered_json& plugin : request.at("plugins")) load_plugin(plugin.get<std::string>());
  const auto workload = requested.at("workload").get<std::string>();
  const ResolvedConfig config =
      resolve_config(requested.at("platform").get<std::string>(),
                     requested.at("sets").get<std::vector<std::string>>());
  const PointStore store(request.at("store").get<std::string>());
  PointBatch batch;
  batch.points = {{&config, workload}};
  batch.options = options_of(request.at("options"));
  batch.store = &store;
  batch.kept = [](ordered_json stats) { return stats; };
  batch.keys = {studies::point_key(
      studies::identity_of(config, workload, studies::workload_hashes(workload), batch.options))};
  if (batch.keys.front() != requested.at("key").get<std::string>()) {
    throw InputError(
        "a file of the point (platform, workload, plugin) or the command has changed since the "
        "task was submitted");
  }
  return run_point(batch, 0, [](double) {});
}

}  // namespace

std::string request_text(const PointBatch& batch, const std::vector<std::size_t>& chosen) {
  ordered_json plugins = ordered_json::array();
  for (const LoadedPlugin& p : loaded_plugins()) plugins.push_back(p.file);
  ordered_json points = ordered_json::array();
  for (const std::size_t i : chosen) {
    const RunnablePoint& p = batch.points[i];
    points.push_back({{"key", batch.keys[i]},
                      {"platform", p.config->platform},
                      {"sets", sets_of(*p.config)},
                      {"workload", p.workload}});
  }
  return document_text({{"store", fs::absolute(batch.store->path()).string()},
                        {"plugins", plugins},
                        {"options", options_json(batch.options)},
                        {"points", points}});
}

std::string outcome_folder(const std::string& folder) {
  return (fs::path(folder) / "outcomes").string();
}

std::vector<std::string> outcome_keys(const std::string& folder) {
  std::vector<std::string> keys;
  std::error_code error;
  for (const fs::directory_entry& e : fs::directory_iterator(outcome_folder(folder), error)) {
    // A file that is being written begins with a dot.
    const std::string name = e.path().filename().string();
    if (e.path().extension() == kOutcomeEnd && name.front() != '.') {
      keys.push_back(e.path().stem().string());
    }
  }
  return keys;
}

FinishedPoint take_outcome(const std::string& folder, const std::string& key) {
  const std::string path = (fs::path(outcome_folder(folder)) / (key + kOutcomeEnd)).string();
  ordered_json outcome = ordered_json::parse(read_input_file(path, kMostResultBytes));
  fs::remove(path);
  return {std::move(outcome.at("stats")), outcome.at("failure").get<std::string>(),
          outcome.at("unsaved").get<std::string>()};
}

void remove_task_files(const std::string& folder) {
  static const std::regex own(
      R"(request-[0-9]+(\.json|-[0-9]+\.log)|\.?[0-9a-f]{64}\.json(\.[0-9]+)?)");
  std::error_code ignored;
  for (const std::string& f : {outcome_folder(folder), folder}) {
    std::vector<fs::path> files;
    for (const fs::directory_entry& e : fs::directory_iterator(f, ignored)) {
      if (std::regex_match(e.path().filename().string(), own)) files.push_back(e.path());
    }
    for (const fs::path& file : files) fs::remove(file, ignored);
    fs::remove(f, ignored);
  }
}

int farm_task(const std::vector<std::string>& arguments) {
  const char* index = std::getenv("SLURM_ARRAY_TASK_ID");
  if (arguments.size() != 1 || index == nullptr) {
    throw InputError(std::string(kFarmTaskVerb) + " REQUEST.json is a task of a job array");
  }
  catch_interrupts();
  route_systemc_reports(true);
  const ordered_json request =
      ordered_json::parse(read_input_file(arguments.front(), kMostInputBytes));
  const ordered_json& requested = request.at("points").at(std::stoul(index));
  FinishedPoint p;
  try {
    p = run_requested(request, requested);
  } catch (const std::bad_alloc&) {
    p.failure = "out of memory";
  } catch (const std::exception& e) {
    p.failure = systemc_error(e).value_or(e.what());
  }
  // Slurm has stopped the task: the command decides whether it runs again.
  if (interrupted() && !p.failure.empty()) return 1;
  const std::string folder = outcome_folder(fs::path(arguments.front()).parent_path().string());
  // A later command has removed the folder, and finds the result in the store.
  if (!fs::is_directory(folder)) return 1;
  ordered_json stats;
  if (!p.failure.empty() || !p.unsaved.empty()) stats = std::move(*p.stats);
  const ordered_json outcome = {
      {"failure", p.failure}, {"unsaved", p.unsaved}, {"stats", std::move(stats)}};
  OutputDirectory(folder).write(requested.at("key").get<std::string>() + kOutcomeEnd,
                                document_text(outcome));
  return 0;
}

}  // namespace tessera::app
