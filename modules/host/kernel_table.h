// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stimuli/kernel_source.h"

namespace tessera {

/// Number that identifies a kernel in a packet; 0: no kernel.
using KernelHandle = std::uint64_t;

/// The kernels that packets can launch, in place of the code objects that a loader would put in
/// memory. Keeps the kernels' sources alive, because launched programs need them.
class KernelTable {
 public:
  struct Kernel {
    std::shared_ptr<KernelSource> source;
    std::string name;
  };

  /// The handle of a kernel; the same kernel has the same handle. Throws InputError if there is no
  /// source, or if the source does not contain the kernel.
  KernelHandle add(const std::shared_ptr<KernelSource>& source, const std::string& kernel);
  /// Nullptr for an unknown handle.
  const Kernel* find(KernelHandle handle) const;

 private:
  std::vector<Kernel> kernels_;  ///< by handle - 1
};

}  // namespace tessera
