// SPDX-License-Identifier: Apache-2.0
#include "app/verbs.h"

namespace tessera::app {

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> all = {
      {"run", "simulate one workload on one platform", run_arguments, run_verb},
      {"compare", "simulate workloads on several platforms, side by side", compare_arguments,
       compare_verb},
      {"study", "measure a paper's figures and claims beside the published ones", study_arguments,
       study_verb},
      {"sweep", "explore a design space: many settings, objectives, the Pareto front",
       sweep_arguments, sweep_verb},
      {"results", "list the results of earlier commands, filtered and sorted", results_arguments,
       results_verb},
      {"analyze",
       "print the arrays that the kernels of a PTX file only read, and their locality types",
       analyze_arguments, analyze_verb},
      {"list", "list platforms, workloads, policies, studies, parameters, statistics",
       list_arguments, list_verb},
      {"config", "print a platform's parameters, or the differences of two platforms",
       config_arguments, config_verb},
      {"import", "make a platform of a configuration file of GPGPU-Sim or Accel-Sim",
       import_arguments, import_verb},
      {"diff", "print the changes between two runs, or two folders of runs", diff_arguments,
       diff_verb},
      {"explain", "say what bounds a run and what addresses it, and what differs between two runs",
       explain_arguments, explain_verb},
      {"series", "print a run's bandwidths, hit rates, occupancies and stalls over time",
       series_arguments, series_verb},
      {"trace", "print what a trace or a captured run contains, or export a captured run",
       trace_arguments, trace_verb},
      {"vp", "run software on RISC-V cores, with the devices of a virtual platform", vp_arguments,
       vp_verb},
      {"completion", "print the script that completes commands in bash or zsh",
       completion_arguments, completion_verb},
  };
  return all;
}

}  // namespace tessera::app
