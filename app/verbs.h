// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tessera::app {

/// A verb of the command line. `run` gets the arguments after the verb and returns the exit
/// status; it throws InputError for bad usage and bad input, RunError for a failed run.
struct Verb {
  std::string name;
  std::string summary;
  int (*run)(const std::vector<std::string>& arguments);
};

/// All verbs, in the order in which the help shows them.
const std::vector<Verb>& verbs();

int run_verb(const std::vector<std::string>& arguments);
int compare_verb(const std::vector<std::string>& arguments);
int study_verb(const std::vector<std::string>& arguments);
int analyze_verb(const std::vector<std::string>& arguments);
int list_verb(const std::vector<std::string>& arguments);
int diff_verb(const std::vector<std::string>& arguments);
int config_verb(const std::vector<std::string>& arguments);

}  // namespace tessera::app
