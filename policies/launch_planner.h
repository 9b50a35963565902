// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/ids.h"
#include "common/locality.h"
#include "policies/cta_scheduler.h"
#include "policies/remote_caching.h"

namespace tessera {

/// An array of device memory, as allocated by the host program.
struct LaunchArray {
  std::string name;
  std::uint64_t address = 0;  ///< virtual, a multiple of the page size
  std::uint64_t bytes = 0;
};

/// An argument of the launch.
struct LaunchArgument {
  std::string name;  ///< of the kernel's parameter
  std::uint32_t bytes = 0;
  std::uint64_t value = 0;  ///< of arguments of up to 8 bytes
  /// The array that an argument of 8 bytes points into: an index of LaunchView::arrays.
  std::optional<std::size_t> array;
  /// How the kernel's CTAs access the array, if the kernel has a locality table and the planner
  /// uses_locality().
  std::optional<ArrayLocality> locality;
  /// The kernel only loads through this pointer (KernelParameter::read_only).
  bool read_only = false;
};

/// A planner's view of a launch.
struct LaunchView {
  std::string kernel;
  CtaGrid grid;
  CtaGrid block;  ///< threads of a CTA
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<LaunchArgument> arguments;
  std::vector<LaunchArray> arrays;  ///< all allocations, by ascending address
  PolicyContext platform;
  /// Memories in which pages are placed: channels, or GPUs (AddressMap::page_homes()).
  std::uint32_t memories = 1;
};

struct CtaSchedulerChoice {
  std::string name;
  PolicySettings<CtaScheduler> parameters = {};
};

/// A page that is placed before the kernel starts.
struct PageAssignment {
  std::uint64_t virtual_page = 0;  ///< virtual address / page size
  ChannelId memory;                ///< below LaunchView::memories
};

/// Slices that cache lines of an array. The requester's slice caches only lines that the kernel
/// does not write and whose home is on the requester's own GPU (RemoteAccess::is_replicable()).
struct ArrayCaching {
  std::uint64_t address = 0;  ///< of the array's first byte
  Caching caching;
};

/// How a kernel is launched.
struct LaunchPlan {
  /// A page that is already placed keeps its memory: the first launch decides.
  std::vector<PageAssignment> pages;
  /// Empty: the platform's own scheduler (dispatch.scheduler).
  std::optional<CtaSchedulerChoice> scheduler;
  /// Arrays that are not listed follow system.remote_caching. Requires slices that cache other
  /// slices' lines. Caching at the requester also requires a system.remote_caching that keeps
  /// copies (RemoteCaching::copies()).
  std::vector<ArrayCaching> caching;
};

/// Plans a kernel's launch. The command processor calls it once per launch, before the first CTA is
/// dispatched. A planner can keep state.
class LaunchPlanner : public SystemPolicy {
 public:
  static constexpr const char* kFamily = "launch_planner";
  /// Whether the planner reads LaunchArgument::locality, which is empty otherwise.
  virtual bool uses_locality() const { return false; }
  /// Returns the plan. If the platform cannot apply it (a page of no array, a memory or scheduler
  /// that does not exist), the launch fails with an InputError.
  virtual LaunchPlan plan(const LaunchView& launch) = 0;
};

}  // namespace tessera
