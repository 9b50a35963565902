// SPDX-License-Identifier: Apache-2.0
#include "app/verbs.h"

namespace tessera::app {

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> all = {
      {"run", "simulate one workload on one platform", run_verb},
      {"compare", "simulate workloads on several platforms, side by side", compare_verb},
      {"study", "a paper's figures and claims, measured beside published", study_verb},
      {"analyze", "which arrays the kernels of a PTX file only read", analyze_verb},
      {"list", "platforms, workloads, policies, studies, parameters, statistics", list_verb},
      {"config", "a platform's parameters as JSON, or how two platforms differ", config_verb},
      {"diff", "what changed between two runs, or two folders of runs", diff_verb},
  };
  return all;
}

}  // namespace tessera::app
