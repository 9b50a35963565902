// SPDX-License-Identifier: Apache-2.0
#include "app/farm/slurm_executor.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "app/arguments.h"
#include "app/console.h"
#include "app/farm/point_request.h"
#include "app/file_lock.h"
#include "app/output_directory.h"
#include "app/progress.h"
#include "common/error.h"
#include "common/json.h"
#include "common/sha256.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kOutcomePeriod{250};
/// Slurm's controller serves all users.
constexpr std::chrono::seconds kQueuePeriod{2};
/// After which a command without any running or finished task says why.
constexpr std::chrono::seconds kPendingNote{60};
/// A network file system can show an outcome later than Slurm shows the task's end.
constexpr unsigned kPollsAfterEnd = 2;

/// A word of a shell.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string job_name(const std::string& folder) {
  constexpr std::size_t kDigits = 12;
  return "tessera-" + sha256(fs::absolute(folder).lexically_normal().string()).substr(0, kDigits);
}

/// One batch on its way through Slurm.
class BatchRun {
 public:
  BatchRun(const PointBatch& batch, const SlurmClient& slurm, const OutputDirectory& out,
           std::string folder)
      : batch_(batch),
        slurm_(slurm),
        out_(out),
        folder_(std::move(folder)),
        attempts_(batch.points.size()),
        finished_(batch.points.size()) {
    std::set<std::size_t> all;
    const std::vector<PointEntry> earlier = earlier_points();
    const std::string scale = name_of(batch.options.scale);
    std::map<std::string, ResourceLimits> by_workload;
    for (std::size_t i = 0; i < attempts_.size(); ++i) {
      const std::string& workload = batch.points[i].workload;
      if (by_workload.count(workload) == 0) {
        by_workload[workload] = limits_for(workload, scale, earlier);
      }
      attempts_[i].limits = by_workload[workload];
      by_key_[batch.keys[i]] = i;
      all.insert(i);
    }
    open_ = all;
    submit(all);
  }

  bool done() const { return open_.empty(); }
  std::size_t finished() const { return attempts_.size() - open_.size(); }

  void collect_outcomes() {
    for (const std::string& key : outcome_keys(folder_)) {
      const auto found = by_key_.find(key);
      if (found != by_key_.end()) collect(found->second, take_outcome(folder_, key));
    }
  }

  /// Submits lost tasks again.
  void check_tasks() {
    const auto tasks = slurm_.tasks();
    if (!tasks) return note_silence();
    silent_ = false;
    // Tasks that have ended since the last look have written their outcomes.
    collect_outcomes();
    std::set<std::size_t> again;
    const std::set<std::size_t> waiting = open_;
    for (const std::size_t i : waiting) {
      const auto found = tasks->find(attempts_[i].task);
      if (found != tasks->end() && !found->second.ended()) {
        attempts_[i].polls_after_end = 0;
        note_reason(found->second);
        continue;
      }
      if (++attempts_[i].polls_after_end < kPollsAfterEnd) continue;
      if (handle_lost(i, found == tasks->end() ? "UNKNOWN" : found->second.state)) again.insert(i);
    }
    submit(again);
  }

  std::vector<FinishedPoint> results() {
    for (const std::size_t i : open_) finished_[i].failure = "not run: interrupted";
    return std::move(finished_);
  }

 private:
  struct Attempt {
    SlurmTask task;
    ResourceLimits limits;
    unsigned retries = 0;
    unsigned polls_after_end = 0;
  };

  /// None if the database has a damaged row: the default limits are used then.
  std::vector<PointEntry> earlier_points() const {
    try {
      return batch_.store->entries();
    } catch (const RunError& e) {
      complain(std::string("warning: ") + e.what());
      return {};
    }
  }

  void submit(const std::set<std::size_t>& points) {
    std::map<ResourceLimits, std::vector<std::size_t>> by_limits;
    for (const std::size_t i : points) by_limits[attempts_[i].limits].push_back(i);
    for (const auto& [limits, all] : by_limits) {
      for (std::size_t begin = 0; begin < all.size(); begin += SlurmClient::kMostTasks) {
        if (interrupted()) return;
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin);
        const std::size_t count = std::min(SlurmClient::kMostTasks, all.size() - begin);
        submit_array({first, first + static_cast<std::ptrdiff_t>(count)}, limits);
      }
    }
  }

  void submit_array(const std::vector<std::size_t>& points, const ResourceLimits& limits) {
    const std::string name = "request-" + std::to_string(requests_++);
    out_.write(name + ".json", request_text(batch_, points));
    SlurmArray array;
    array.tasks = points.size();
    array.limits = limits;
    array.command = "exec " + quoted(fs::read_symlink("/proc/self/exe").string()) + " " +
                    kFarmTaskVerb + " " + quoted(folder_ + "/" + name + ".json");
    array.output = folder_ + "/" + name + "-%a.log";
    const std::string job = slurm_.submit(array);
    for (std::size_t k = 0; k < points.size(); ++k) {
      attempts_[points[k]].task = {job, k};
      attempts_[points[k]].polls_after_end = 0;
    }
  }

  void finish(std::size_t i, FinishedPoint result) {
    finished_[i] = std::move(result);
    open_.erase(i);
  }

  void collect(std::size_t i, FinishedPoint outcome) {
    if (outcome.failure.empty() && outcome.unsaved.empty()) {
      collect_saved(i);
      return;
    }
    if (outcome.stats->is_object()) outcome.stats = batch_.kept(std::move(*outcome.stats));
    finish(i, std::move(outcome));
  }

  /// Returns whether the store has the point.
  bool collect_saved(std::size_t i) {
    auto stats = batch_.store->load(batch_.keys[i], complain);
    if (!stats) return false;
    finish(i, {batch_.kept(std::move(*stats)), ""});
    return true;
  }

  /// A task ended without an outcome. Returns whether the point is to be submitted again.
  bool handle_lost(std::size_t i, const std::string& state) {
    if (collect_saved(i)) return false;
    Attempt& a = attempts_[i];
    if (state == "CANCELLED") {
      finish(i, {nullptr, "its Slurm task was cancelled"});
      return false;
    }
    if (a.retries == SlurmExecutor::kMostRetries) {
      finish(i, {nullptr, "its Slurm task ended without a result " + std::to_string(a.retries + 1) +
                              " times (the last one: " + state + "; output: " + folder_ + ")"});
      return false;
    }
    ++a.retries;
    if (state == "TIMEOUT") a.limits.minutes *= 2;
    if (state == "OUT_OF_MEMORY") a.limits.mebibytes *= 2;
    if (!batch_.progress.quiet) {
      complain("note: Slurm task " + a.task.first + "_" + std::to_string(a.task.second) +
               " ended without a result (" + state + "): it is submitted again, " +
               std::to_string(a.retries) + " of " + std::to_string(SlurmExecutor::kMostRetries));
    }
    return true;
  }

  void note_silence() {
    if (!silent_) complain("warning: squeue fails; the command waits for Slurm");
    silent_ = true;
  }

  void note_reason(const SlurmTaskState& task) {
    if (task.state != "PENDING" || finished() != 0) started_ = true;
    if (started_ || batch_.progress.quiet || Clock::now() - since_ < kPendingNote) return;
    complain("note: no Slurm task has started: " + task.reason);
    started_ = true;
  }

  const PointBatch& batch_;
  const SlurmClient& slurm_;
  const OutputDirectory& out_;
  std::string folder_;
  std::vector<Attempt> attempts_;
  std::vector<FinishedPoint> finished_;
  std::map<std::string, std::size_t> by_key_;
  std::set<std::size_t> open_;  ///< points without a result
  std::size_t requests_ = 0;
  Clock::time_point since_ = Clock::now();
  bool started_ = false;
  bool silent_ = false;
};

}  // namespace

SlurmExecutor::SlurmExecutor(const std::string& folder, std::vector<std::string> arguments,
                             unsigned parallel)
    : folder_(fs::absolute(folder).string()),
      slurm_(job_name(folder), std::move(arguments), parallel) {}

std::vector<FinishedPoint> SlurmExecutor::run(const PointBatch& batch) {
  if (batch.store == nullptr) {
    throw InputError("--slurm needs a database of results that the nodes can write (--store)");
  }
  if (batch.points.empty()) return {};
  catch_interrupts();
  // Commands with the same folder would cancel each other's tasks.
  const FileLock lock(folder_ + ".lock", interrupted);
  // What a killed command has left. Its running tasks save their points; claims of the store keep
  // the tasks of this command from computing them as well.
  slurm_.cancel(true);
  remove_task_files(folder_);
  const OutputDirectory out(folder_);
  const OutputDirectory outcomes(outcome_folder(folder_));
  ProgressMeter meter(batch.progress.quiet);
  std::vector<FinishedPoint> finished;
  try {
    BatchRun run(batch, slurm_, out, folder_);
    Clock::time_point looked = Clock::now();
    while (!run.done() && !interrupted()) {
      std::this_thread::sleep_for(kOutcomePeriod);
      run.collect_outcomes();
      if (Clock::now() - looked >= kQueuePeriod) {
        run.check_tasks();
        looked = Clock::now();
      }
      meter.update_points(batch.progress.label, static_cast<double>(run.finished()),
                          batch.points.size());
    }
    if (!run.done()) slurm_.cancel(false);
    finished = run.results();
  } catch (...) {
    slurm_.cancel(false);
    throw;
  }
  meter.finish();
  bool failed = false;
  for (const FinishedPoint& p : finished) failed = failed || !p.failure.empty();
  // The tasks' output explains failures.
  if (!failed) remove_task_files(folder_);
  return finished;
}

}  // namespace tessera::app
