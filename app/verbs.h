// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/arguments.h"

namespace tessera::app {

/// A verb of the command line. `run` gets the arguments after the verb and returns the exit
/// status; it throws InputError for bad usage and bad input, RunError for a failed run.
struct Verb {
  std::string name;
  std::string summary;
  /// The tables of its arguments and options.
  ArgumentParser (*arguments)();
  int (*run)(const std::vector<std::string>& arguments);
};

/// All verbs, in the order in which the help shows them.
const std::vector<Verb>& verbs();

ArgumentParser run_arguments();
int run_verb(const std::vector<std::string>& arguments);
ArgumentParser compare_arguments();
int compare_verb(const std::vector<std::string>& arguments);
ArgumentParser study_arguments();
int study_verb(const std::vector<std::string>& arguments);
ArgumentParser results_arguments();
int results_verb(const std::vector<std::string>& arguments);
ArgumentParser sweep_arguments();
int sweep_verb(const std::vector<std::string>& arguments);
ArgumentParser analyze_arguments();
int analyze_verb(const std::vector<std::string>& arguments);
ArgumentParser list_arguments();
int list_verb(const std::vector<std::string>& arguments);
ArgumentParser config_arguments();
int config_verb(const std::vector<std::string>& arguments);
ArgumentParser import_arguments();
int import_verb(const std::vector<std::string>& arguments);
ArgumentParser diff_arguments();
int diff_verb(const std::vector<std::string>& arguments);
ArgumentParser explain_arguments();
int explain_verb(const std::vector<std::string>& arguments);
ArgumentParser series_arguments();
int series_verb(const std::vector<std::string>& arguments);
ArgumentParser trace_arguments();
int trace_verb(const std::vector<std::string>& arguments);
ArgumentParser vp_arguments();
int vp_verb(const std::vector<std::string>& arguments);
ArgumentParser completion_arguments();
int completion_verb(const std::vector<std::string>& arguments);

}  // namespace tessera::app
