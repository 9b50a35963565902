// SPDX-License-Identifier: Apache-2.0
#include "app/point_runner.h"

#include "app/console.h"
#include "app/point.h"
#include "app/progress.h"
#include "app/systemc_reports.h"
#include "app/worker_pool.h"
#include "common/error.h"
#include "common/json.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;

/// Runs in a child process.
FinishedPoint simulate(const RunnablePoint& point, RunOptions options,
                       const WorkerPool::Report& report) {
  options.on_progress = [&report](const Progress& p) {
    report(p.ctas_total == 0
               ? 0
               : static_cast<double>(p.ctas_done) / static_cast<double>(p.ctas_total));
  };
  options.interrupted = interrupted;
  PointOutcome outcome = simulate_point(*point.config, *make_workload(point.workload), options);
  return {std::move(outcome.stats), outcome.failure.value_or("")};
}

}  // namespace

std::vector<FinishedPoint> run_points(const std::vector<RunnablePoint>& points, unsigned jobs,
                                      const RunOptions& options, const PointsProgress& progress,
                                      const PointStore* store, const std::vector<std::string>& keys,
                                      const std::function<ordered_json(ordered_json)>& kept) {
  catch_interrupts();
  route_systemc_reports(progress.quiet);
  ProgressMeter meter(progress.quiet);
  const auto total = static_cast<double>(points.size());
  std::vector<JobOutcome> outcomes = WorkerPool::run(
      points.size(), jobs,
      [&](std::size_t i, const WorkerPool::Report& report) {
        std::optional<FileLock> claim;
        if (store != nullptr) {
          claim.emplace(store->claim(keys[i], interrupted));
          if (auto stats = store->load(keys[i])) {
            return ordered_json{{"stats", kept(std::move(*stats))}, {"failure", ""}};
          }
        }
        FinishedPoint p = simulate(points[i], options, report);
        ordered_json result = {{"failure", p.failure}};
        if (store != nullptr && p.failure.empty()) {
          // The parent gets the result even if it cannot be saved.
          try {
            store->save(keys[i], p.stats);
          } catch (const RunError& e) {
            result["unsaved"] = e.what();
          }
        }
        result["stats"] = kept(std::move(*p.stats));
        return result;
      },
      [&](double finished) {
        meter.update(progress.label, finished / total,
                     std::to_string(static_cast<std::size_t>(finished)) + " of " +
                         std::to_string(points.size()) + " points");
      });
  meter.finish();

  std::vector<FinishedPoint> finished(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (outcomes[i].result) {
      finished[i].stats = std::move((**outcomes[i].result)["stats"]);
      finished[i].failure = (**outcomes[i].result)["failure"].get<std::string>();
      finished[i].unsaved = (**outcomes[i].result).value("unsaved", "");
    } else {
      finished[i].failure = outcomes[i].error;
    }
  }
  return finished;
}

}  // namespace tessera::app
