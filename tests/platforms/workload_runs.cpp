// SPDX-License-Identifier: Apache-2.0
#include "tests/platforms/workload_runs.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "platforms/run_result.h"
#include "stimuli/workload.h"
#include "tests/platforms/child_process.h"

namespace tessera::test {

namespace {

RunOptions with_values(ValueMode values) {
  RunOptions options;
  options.values = values;
  return options;
}

}  // namespace

RunResult run_workload(const std::string& platform, const std::string& workload,
                       const RunOptions& options, const std::vector<std::string>& sets,
                       const BuildOptions& build) {
  Simulation simulation(resolve_config(platform, sets), build);
  const auto w = make_workload(workload);
  return simulation.run(*w, options);
}

RunResult run_workload(const std::string& platform, const std::string& workload, ValueMode values,
                       const std::vector<std::string>& sets, const BuildOptions& build) {
  return run_workload(platform, workload, with_values(values), sets, build);
}

RunResult verify_carried(const std::string& platform, const std::string& workload,
                         const std::vector<std::string>& sets) {
  std::istringstream words(platform);
  std::string preset;
  words >> preset;
  if (preset == "own-tree") preset = TESSERA_SOURCE_DIR "/docs/guide/examples/own-tree.json";
  std::vector<std::string> settings;
  for (std::string word; words >> word;) {
    if (word == "often") {
      settings.insert(settings.end(), {"migration.interval_cycles=2000",
                                       "page_migration.access-counter.threshold=8",
                                       "page_migration.replication.threshold=8"});
    } else {
      settings.push_back(word);
    }
  }
  settings.insert(settings.end(), sets.begin(), sets.end());
  BuildOptions build;
  build.check_protocol = true;
  RunResult r = run_workload(preset, workload, ValueMode::kCarried, settings, build);
  INFO(r.failure.value_or(""));
  CHECK_FALSE(r.failure.has_value());
  REQUIRE(r.verification.has_value());
  CHECK(r.verification->passed);
  CHECK(r.verification->compared > 0);
  return r;
}

std::string document(const std::string& platform, const std::string& workload, ValueMode values,
                     const std::vector<std::string>& sets, const BuildOptions& build) {
  return document(platform, workload, with_values(values), sets, build);
}

std::string document(const std::string& platform, const std::string& workload,
                     const RunOptions& options, const std::vector<std::string>& sets,
                     const BuildOptions& build) {
  return in_child(
      [&] { return comparable(run_workload(platform, workload, options, sets, build)); });
}

std::string comparable(const RunResult& result) {
  nlohmann::ordered_json stats = result.stats;
  stats.erase("host");
  stats.erase("values");
  return stats.dump();
}

}  // namespace tessera::test
