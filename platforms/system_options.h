// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "common/node_level.h"
#include "modules/kernel/domain_windows.h"
#include "modules/kernel/parameters.h"
#include "modules/mmu/allocation_pages.h"
#include "modules/plan/plan.h"
#include "platforms/timeline/timeline_options.h"
#include "platforms/traffic_options.h"

namespace tessera {

struct SystemOptions {
  /// Splices a ProtocolChecker into every memory socket.
  bool check_protocol = false;
  /// Settings of single instances ("system.gpu0.llc3.sets").
  std::vector<ParameterSetting> overrides;
  /// Whether a virtual address is in an allocation.
  std::function<bool(std::uint64_t virtual_address)> allocated;
  /// The pages of the allocation that contains an allocated address. Can be empty.
  std::function<AllocationPages(std::uint64_t virtual_address)> allocation;
  /// For tests: does not flush the copies of other partitions' lines in the slices at a kernel's
  /// end, which is wrong.
  bool keep_replicas = false;
  /// Each node of this level is a domain (modules/kernel/domain_windows.h) together with the nodes
  /// below it, and so is each node above. kSystem: the whole platform is one domain. Results do not
  /// depend on it.
  NodeLevel domains = NodeLevel::kSystem;
  /// Each of several GPUs is a domain that runs ahead of SystemC's time
  /// (DomainRunner::run_ahead()), instead of instant by instant, and `domains` does not matter.
  /// Results do not depend on it.
  std::optional<DomainWindows> windows = {};
  /// Records a time line: splices recorders into sockets and interfaces.
  std::optional<TimelineOptions> timeline = {};
  /// Records requests at blocks: splices recorders into the sockets of their inputs. One recording
  /// of a block.
  std::vector<TrafficRecording> traffic = {};
  /// Called after each block is made. Can be empty.
  std::function<void(const PlannedBlock&)> on_made;
};

}  // namespace tessera
