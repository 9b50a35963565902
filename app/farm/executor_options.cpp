// SPDX-License-Identifier: Apache-2.0
#include "app/farm/executor_options.h"

#include <boost/program_options.hpp>
#include <filesystem>
#include <vector>

#include "app/farm/slurm_executor.h"
#include "app/point_runner.h"
#include "common/error.h"

namespace tessera::app {

namespace po = boost::program_options;

void add_executor_options(ArgumentParser& parser) {
  add_jobs_option(parser);
  parser.options()("slurm",
                   "run the points as tasks of Slurm's job arrays, at most --jobs of an array at a "
                   "time (default: any number; docs/guide/farm.md)")(
      "slurm-args", po::value<std::string>()->value_name("\"...\""),
      "arguments of sbatch, such as --partition and --account");
}

std::unique_ptr<PointExecutor> make_executor(const po::variables_map& values,
                                             const std::string& directory) {
  const unsigned jobs = read_jobs(values);
  if (values.count("slurm") == 0) {
    if (values.count("slurm-args") != 0) throw InputError("--slurm-args needs --slurm");
    return std::make_unique<LocalExecutor>(jobs);
  }
  std::vector<std::string> arguments;
  if (values.count("slurm-args") != 0) {
    arguments = po::split_unix(values["slurm-args"].as<std::string>());
  }
  return std::make_unique<SlurmExecutor>(
      (std::filesystem::path(directory) / "slurm-tasks").string(), std::move(arguments),
      values.count("jobs") == 0 ? 0 : jobs);
}

}  // namespace tessera::app
