// SPDX-License-Identifier: Apache-2.0
#pragma once

// The options that choose what runs a command's points: --jobs, --slurm, --slurm-args.

#include <memory>
#include <string>

#include "app/arguments.h"
#include "app/point_executor.h"

namespace tessera::app {

/// Includes --jobs.
void add_executor_options(ArgumentParser& parser);
/// `directory`: of the command's results, for the files of Slurm's tasks. Makes no file. Throws
/// InputError for invalid options, and if there is no Slurm.
std::unique_ptr<PointExecutor> make_executor(const boost::program_options::variables_map& values,
                                             const std::string& directory);

}  // namespace tessera::app
