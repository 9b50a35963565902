// SPDX-License-Identifier: Apache-2.0
#include "modules/host/kernel_table.h"

#include <algorithm>

namespace tessera {

KernelHandle KernelTable::add(const std::shared_ptr<KernelSource>& source,
                              const std::string& kernel) {
  const auto known = std::find_if(kernels_.begin(), kernels_.end(), [&](const Kernel& k) {
    return k.source == source && k.name == kernel;
  });
  if (known != kernels_.end()) return static_cast<KernelHandle>(known - kernels_.begin()) + 1;
  LaunchRequest request;
  request.source = source;
  request.kernel = kernel;
  source_of(request).facts(kernel);  // throws if the source does not contain the kernel
  kernels_.push_back({source, kernel});
  return kernels_.size();
}

const KernelTable::Kernel* KernelTable::find(KernelHandle handle) const {
  return handle == 0 || handle > kernels_.size() ? nullptr : &kernels_[handle - 1];
}

}  // namespace tessera
