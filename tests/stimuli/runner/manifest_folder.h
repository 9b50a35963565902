// SPDX-License-Identifier: Apache-2.0
#pragma once

// Manifests and PTX files in a folder of the test's own, run without a platform.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "stimuli/runner/functional_device.h"
#include "stimuli/workload.h"

namespace tessera::test {

class ManifestFolder {
 public:
  ManifestFolder()
      : path_(std::filesystem::temp_directory_path() /
              ("tessera-manifest-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~ManifestFolder() { std::filesystem::remove_all(path_); }
  ManifestFolder(const ManifestFolder&) = delete;
  ManifestFolder& operator=(const ManifestFolder&) = delete;

  std::string put(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

/// What the run of a manifest left.
struct ManifestRun {
  std::unique_ptr<Workload> workload;
  kernels::FunctionalDevice device;
  std::optional<Verification> verification;
  std::string error;  ///< of loading or running, else empty
  bool run_error = false;

  explicit ManifestRun(const std::string& path, std::uint64_t seed = 1) {
    try {
      workload = make_workload(path);
      workload->run(device, Scale::kSmall, seed);
      verification = workload->verify(device);
    } catch (const InputError& e) {
      error = e.what();
    } catch (const RunError& e) {
      error = e.what();
      run_error = true;
    }
  }

  /// The elements of an array, or of an allocation "FILE::SYMBOL".
  template <class T>
  std::vector<T> array(const std::string& name) {
    const Allocation* a = device.allocations().find(name);
    if (a == nullptr) return {};
    std::vector<T> out(a->bytes / sizeof(T));
    device.read(out.data(), a->begin, a->bytes);
    return out;
  }
  bool passed() const { return error.empty() && verification && verification->passed; }
};

}  // namespace tessera::test
