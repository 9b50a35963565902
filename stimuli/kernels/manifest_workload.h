// SPDX-License-Identifier: Apache-2.0
#pragma once

// A workload made of a manifest, its PTX module and, in the suite, a C++ part.

#include <memory>
#include <optional>

#include "stimuli/kernels/manifest.h"
#include "stimuli/kernels/part.h"
#include "stimuli/ptx/module.h"
#include "stimuli/workload.h"

namespace tessera::kernels {

class ManifestWorkload final : public Workload {
 public:
  /// Parses the PTX, decodes every kernel, and checks every launch against its parameters. Throws
  /// InputError.
  ManifestWorkload(Manifest manifest, const Part& part);

  const WorkloadInfo& info() const override { return manifest_.info; }
  const Manifest& manifest() const { return manifest_; }
  const ptx::Module& module() const { return module_; }

  void run(Device& device, Scale scale, std::uint64_t seed) override;
  std::optional<Verification> verify(Device& device) override;

 private:
  void check_launch(const LaunchSpec& launch) const;
  std::vector<Expectation> expectations() const;

  Manifest manifest_;
  Part part_;
  ptx::Module module_;
  std::optional<Inputs> inputs_;  ///< of the run
};

/// The folder of the suite's files: `explicit_dir` when not empty, else $TESSERA_KERNELS_DIR, else
/// the source tree that this was built from, else the installed one. Throws InputError when it is
/// not there.
std::string kernels_directory(const std::string& explicit_dir);

}  // namespace tessera::kernels
