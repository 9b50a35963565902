// SPDX-License-Identifier: Apache-2.0
#pragma once

// A workload made of a manifest, its PTX module and, in the suite, a C++ part.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stimuli/ptx/module.h"
#include "stimuli/runner/figures.h"
#include "stimuli/runner/manifest.h"
#include "stimuli/runner/part.h"
#include "stimuli/workload.h"

namespace tessera::kernels {

class ManifestWorkload final : public Workload {
 public:
  /// Parses and links the PTX, decodes the launched kernels, and checks every launch against the
  /// kernel's parameters. Replaces names of kernels and variables by the symbols of the PTX. Throws
  /// InputError.
  ManifestWorkload(Manifest manifest, const Part& part);

  const WorkloadInfo& info() const override { return manifest_.info; }
  const Manifest& manifest() const { return manifest_; }
  const ptx::Module& module() const { return module_; }

  void run(Device& device, Scale scale, std::uint64_t seed) override;
  std::optional<Verification> verify(Device& device) override;
  const std::vector<OutputFile>& output_files() const override { return files_; }
  std::vector<WorkloadFigure> figures(const std::vector<LaunchTime>* launches) const override;

 private:
  std::vector<Expectation> expectations() const;
  void read_files(Device& device);

  Manifest manifest_;
  Part part_;
  ptx::Module module_;
  std::optional<Inputs> inputs_;              ///< of the run
  std::map<std::string, Address> addresses_;  ///< of the run's arrays and variables
  std::vector<OutputFile> files_;
  ArraySummaries summaries_;                    ///< of the arrays that figures use
  std::map<std::string, std::string> symbols_;  ///< of kernels, by their names in the manifest
};

/// The folder of the suite's files: `explicit_dir` if not empty, otherwise $TESSERA_KERNELS_DIR,
/// otherwise the source tree of the build, otherwise the installed folder. Throws InputError if it
/// does not exist.
std::string kernels_directory(const std::string& explicit_dir);

}  // namespace tessera::kernels
