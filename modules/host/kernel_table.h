// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stimuli/kernel_source.h"

namespace tessera {

/// The number by which a packet names a kernel; 0 is none.
using KernelHandle = std::uint64_t;

/// The kernels that packets can name: what a loader of code objects would have put in memory.
/// Keeps their sources, which launched programs need.
class KernelTable {
 public:
  struct Kernel {
    std::shared_ptr<KernelSource> source;
    std::string name;
  };

  /// The handle of a kernel; the same kernel has the same handle. Throws InputError when there is
  /// no source, or the source does not have the kernel.
  KernelHandle add(const std::shared_ptr<KernelSource>& source, const std::string& kernel);
  /// Nullptr for a handle that was not given out.
  const Kernel* find(KernelHandle handle) const;

 private:
  std::vector<Kernel> kernels_;  ///< by handle - 1
};

}  // namespace tessera
