// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>

namespace tessera {

/// Where software unified memory holds pages (UMH section 3, figure 3). A page is allocated on the
/// GPU. It moves to the host before the host's first access. A launch moves all pages of the host
/// to the GPU, whether its kernel uses them or not. The host's first access after a launch
/// synchronises: it moves all pages back.
class ManagedPages {
 public:
  void allocate(std::uint64_t first_page, std::uint64_t pages) {
    for (std::uint64_t i = 0; i < pages; ++i) on_gpu_.insert(first_page + i);
  }

  /// The host accesses these pages. Returns the number of pages that move to the host.
  std::uint64_t host_access(std::uint64_t first_page, std::uint64_t pages) {
    const std::uint64_t before = on_gpu_.size();
    if (launched_) {
      on_host_.merge(on_gpu_);
      launched_ = false;
    }
    for (std::uint64_t i = 0; i < pages; ++i) {
      if (on_gpu_.erase(first_page + i) != 0) on_host_.insert(first_page + i);
    }
    return before - on_gpu_.size();
  }

  /// Returns the number of pages that move to the GPU.
  std::uint64_t launch() {
    const std::uint64_t moved = on_host_.size();
    on_gpu_.merge(on_host_);
    launched_ = true;
    return moved;
  }

 private:
  std::set<std::uint64_t> on_gpu_;
  std::set<std::uint64_t> on_host_;
  bool launched_ = false;  ///< a launch has not been synchronised
};

}  // namespace tessera
