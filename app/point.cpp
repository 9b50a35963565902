// SPDX-License-Identifier: Apache-2.0
#include "app/point.h"

#include "app/report/text.h"
#include "common/json.h"
#include "platforms/run_result.h"

namespace tessera::app {

using nlohmann::ordered_json;

ordered_json catalogue_of(const StatisticsRegistry& statistics) {
  ordered_json out = ordered_json::array();
  for (const StatisticInfo& info : statistics.all()) {
    out.push_back({{"module", info.module},
                   {"name", info.name},
                   {"unit", info.unit},
                   {"description", info.description},
                   {"kind", info.kind}});
  }
  return out;
}

std::string verification_line(const std::optional<Verification>& verification,
                              const WorkloadInfo& workload) {
  if (!verification) return "not checked: " + workload.without_reference;
  const Verification& v = *verification;
  if (v.by_software) return v.passed ? "yes: by the software" : "NO: " + v.messages.front();
  if (v.passed) return "yes: " + grouped(v.compared) + " elements match the CPU reference";
  if (v.compared == 0) return "NO: nothing was compared";
  return "NO: " + grouped(v.wrong) + " of " + grouped(v.compared) +
         " elements differ from the CPU reference";
}

PointOutcome simulate_point(const ResolvedConfig& config, Workload& workload,
                            const RunOptions& options, const BuildOptions& build) {
  Simulation simulation(config, build);
  RunResult result = simulation.run(workload, options);

  PointOutcome outcome;
  outcome.stats = std::move(result.stats);
  outcome.catalogue = catalogue_of(simulation.statistics());
  if (result.interrupted) {
    outcome.failure = "interrupted";
    outcome.verification = "not checked: interrupted";
  } else if (result.verification || !result.failure) {
    const bool unfinished = !result.verification && options.window && !options.window->rest;
    outcome.verification = unfinished ? "not checked: the run ended with its window (--no-rest)"
                                      : verification_line(result.verification, workload.info());
    if (result.verification && !result.verification->passed) {
      const bool by_software = result.verification->by_software;
      std::string message = by_software ? "" : "wrong values: ";
      message += outcome.verification.substr(4);
      if (by_software) result.verification->messages.clear();  // the first one is in the line
      for (const std::string& m : result.verification->messages) message += "\n  " + m;
      outcome.failure = message;
    } else if (result.failure) {
      outcome.failure = *result.failure;
    }
  } else {
    outcome.failure = *result.failure;
    outcome.verification = "not checked: the run failed";
  }
  return outcome;
}

}  // namespace tessera::app
