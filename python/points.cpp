// SPDX-License-Identifier: Apache-2.0
#include "python/points.h"

#include <pthread.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

#include "app/arguments.h"
#include "app/console.h"
#include "app/point_runner.h"
#include "app/point_store.h"
#include "common/error.h"
#include "common/input_file.h"
#include "common/json.h"
#include "python/policies.h"
#include "studies/points.h"

namespace py = pybind11;

namespace tessera::python {

using nlohmann::ordered_json;

namespace {

/// Whether this thread runs points: its forks need the interpreter in the child, for policies.
thread_local bool runs_points = false;
PyGILState_STATE lock_of_fork;

void before_fork() {
  if (!runs_points) return;
  lock_of_fork = PyGILState_Ensure();
  PyOS_BeforeFork();
}

void in_parent() {
  if (!runs_points) return;
  PyOS_AfterFork_Parent();
  PyGILState_Release(lock_of_fork);
}

/// The child keeps the interpreter's lock. Its standard output is standard error, which is written
/// line by line: the process ends without flushing files.
void in_child() {
  if (!runs_points) return;
  PyOS_AfterFork_Child();
  if (PyObject* const error = PySys_GetObject("stderr")) PySys_SetObject("stdout", error);
}

/// Points of one thread at a time: handlers of signals belong to the process.
class RunScope {
 public:
  RunScope() : lock_(one_at_a_time()) {
    static const int registered = ::pthread_atfork(before_fork, in_parent, in_child);
    if (registered != 0) throw RunError("the interpreter cannot be prepared for child processes");
    runs_points = true;
  }
  ~RunScope() { runs_points = false; }
  RunScope(const RunScope&) = delete;
  RunScope& operator=(const RunScope&) = delete;

 private:
  static std::mutex& one_at_a_time() {
    static std::mutex mutex;
    return mutex;
  }
  std::lock_guard<std::mutex> lock_;
};

/// The commit of the build that the module belongs to.
std::string commit() {
  if (!std::filesystem::exists(TESSERA_COMMIT_FILE)) return "unknown";
  std::istringstream text(read_input_file(TESSERA_COMMIT_FILE));
  std::string word;
  return text >> word ? word : "unknown";
}

RunOptions options_of(const PointsRequest& request) {
  app::ArgumentParser parser("run", "");
  app::add_run_options(parser);
  const auto values = parser.parse(request.options);
  RunOptions options = app::read_run_options(values.value(), "run", request.options).options;
  options.commit = commit();
  options.command_line = {"python", "tessera"};
  for (const auto* part : {&request.platforms, &request.workloads, &request.options}) {
    options.command_line.insert(options.command_line.end(), part->begin(), part->end());
  }
  for (const std::string& set : request.sets) {
    options.command_line.insert(options.command_line.end(), {"--set", set});
  }
  return options;
}

/// The points that can be stored, or the others.
struct Group {
  std::vector<app::RunnablePoint> points;
  std::vector<std::string> keys;
  std::vector<std::size_t> places;
};

void run_group(const Group& group, const PointsRequest& request, const RunOptions& options,
               const app::PointStore* store, std::vector<app::FinishedPoint>& finished) {
  if (group.points.empty()) return;
  const unsigned jobs =
      request.jobs != 0 ? request.jobs : std::max(1U, std::thread::hardware_concurrency());
  std::vector<app::FinishedPoint> some =
      app::LocalExecutor(jobs).run({group.points,
                                    group.keys,
                                    options,
                                    {"points", !request.progress},
                                    store,
                                    [](ordered_json stats) { return stats; }});
  for (std::size_t i = 0; i < some.size(); ++i) finished[group.places[i]] = std::move(some[i]);
}

std::string text_of(const ordered_json& document) {
  return document.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

std::string run_points(const PointsRequest& request) {
  const RunOptions options = options_of(request);
  std::vector<ResolvedConfig> configs;
  for (const std::string& p : request.platforms) {
    configs.push_back(resolve_config(p, request.sets));
  }
  std::vector<const ResolvedConfig*> all;
  for (const ResolvedConfig& c : configs) all.push_back(&c);
  ordered_json document = {{"notes", app::notes_on_unused_parameters(all, request.sets)},
                           {"points", ordered_json::array()}};
  std::optional<app::PointStore> store;
  if (request.store) store.emplace(*request.store);

  Group storable;
  Group others;
  std::size_t place = 0;
  for (const std::string& w : request.workloads) {
    const std::vector<std::string> hashes = studies::workload_hashes(w);
    for (const ResolvedConfig& c : configs) {
      const bool stored = store && !uses_python_policy(c);
      Group& group = stored ? storable : others;
      group.points.push_back({&c, w});
      group.keys.push_back(stored ? studies::point_key(studies::identity_of(c, w, hashes, options))
                                  : "");
      group.places.push_back(place++);
    }
  }
  std::vector<app::FinishedPoint> finished(place);
  int signal = 0;
  {
    const py::gil_scoped_release unlock;
    const RunScope scope;
    app::InterruptScope interrupts;
    run_group(storable, request, options, store ? &*store : nullptr, finished);
    run_group(others, request, options, nullptr, finished);
    signal = interrupts.end();
  }
  // For the interpreter's handlers: that of SIGINT raises KeyboardInterrupt.
  if (signal != 0) {
    std::raise(signal);
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }

  for (std::size_t i = 0; i < finished.size(); ++i) {
    ordered_json stats = std::move(*finished[i].stats);
    // Platforms with the same configuration share their runs but have different names.
    if (stats.is_object()) stats["platform"] = configs[i % configs.size()].platform;
    document["points"].push_back({{"platform", configs[i % configs.size()].platform},
                                  {"workload", request.workloads[i / configs.size()]},
                                  {"stats", std::move(stats)},
                                  {"failure", finished[i].failure},
                                  {"unsaved", finished[i].unsaved}});
  }
  return text_of(document);
}

std::string stored_points(const std::string& store) {
  if (!std::filesystem::exists(store)) throw InputError(store + " does not exist");
  const app::PointStore points(store);
  const auto configs = points.configurations();
  ordered_json rows = ordered_json::array();
  for (const app::PointEntry& e : points.entries()) {
    const auto config = configs.find(e.config);
    rows.push_back({{"key", e.key},
                    {"created", e.created},
                    {"model", e.model},
                    {"platform", e.platform},
                    {"workload", e.workload},
                    {"scale", e.scale},
                    {"values", e.values},
                    {"seed", e.seed},
                    {"window", e.window.empty() ? ordered_json() : ordered_json(e.window)},
                    {"verified", e.verified ? ordered_json(*e.verified) : ordered_json()},
                    {"settings", *e.settings},
                    {"figures", *e.figures},
                    {"config", config == configs.end() ? ordered_json() : *config->second}});
  }
  return text_of(rows);
}

}  // namespace tessera::python
