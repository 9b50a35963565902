// SPDX-License-Identifier: Apache-2.0
#include "app/point_runner.h"

#include <utility>

#include "app/console.h"
#include "app/point.h"
#include "app/progress.h"
#include "app/systemc_reports.h"
#include "app/worker_pool.h"
#include "common/error.h"
#include "common/json.h"

namespace tessera::app {

using nlohmann::ordered_json;

FinishedPoint run_point(const PointBatch& batch, std::size_t index,
                        const std::function<void(double)>& progress) {
  const PointStore* store = batch.store;
  const std::string& key = batch.keys[index];
  std::optional<FileLock> claim;
  if (store != nullptr) {
    claim.emplace(store->claim(key, interrupted));
    if (auto stats = store->load(key)) return {batch.kept(std::move(*stats)), ""};
  }
  RunOptions options = batch.options;
  options.on_progress = [&progress](const Progress& p) {
    progress(p.ctas_total == 0
                 ? 0
                 : static_cast<double>(p.ctas_done) / static_cast<double>(p.ctas_total));
  };
  options.interrupted = interrupted;
  const RunnablePoint& point = batch.points[index];
  PointOutcome outcome = simulate_point(*point.config, *make_workload(point.workload), options);
  FinishedPoint finished;
  finished.failure = outcome.failure.value_or("");
  if (store != nullptr && finished.failure.empty()) {
    // The caller gets the result even if it cannot be saved.
    try {
      store->save(key, outcome.stats);
    } catch (const RunError& e) {
      finished.unsaved = e.what();
    }
  }
  finished.stats = batch.kept(std::move(*outcome.stats));
  return finished;
}

std::vector<FinishedPoint> LocalExecutor::run(const PointBatch& batch) {
  catch_interrupts();
  route_systemc_reports(batch.progress.quiet);
  ProgressMeter meter(batch.progress.quiet);
  const std::size_t count = batch.points.size();
  std::vector<JobOutcome> outcomes = WorkerPool::run(
      count, jobs_,
      [&](std::size_t i, const WorkerPool::Report& report) {
        FinishedPoint p = run_point(batch, i, report);
        return ordered_json{
            {"failure", p.failure}, {"unsaved", p.unsaved}, {"stats", std::move(*p.stats)}};
      },
      [&](double done) { meter.update_points(batch.progress.label, done, count); });
  meter.finish();

  std::vector<FinishedPoint> finished(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (outcomes[i].result) {
      ordered_json& result = **outcomes[i].result;
      finished[i] = {std::move(result["stats"]), result["failure"].get<std::string>(),
                     result["unsaved"].get<std::string>()};
    } else {
      finished[i].failure = outcomes[i].error;
    }
  }
  return finished;
}

}  // namespace tessera::app
