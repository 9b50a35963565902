// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "policies/policy.h"
#include "policies/registry.h"

namespace tessera {

/// What a core's miss router can know beside its own history. `held_elsewhere` and `holders` are
/// oracles: what all L1s of the GPU held before the present time.
struct MissRoutingContext {
  std::uint32_t core = 0;    ///< of the router, among the cores of its GPU
  std::uint32_t cores = 28;  ///< of the GPU
  /// Cores that hold the line, in ascending order, without this one.
  std::function<std::vector<std::uint32_t>(std::uint64_t line)> holders;
  /// Routers that a message from this core to another one passes.
  std::function<std::uint32_t(std::uint32_t core)> hops;
};

/// A read miss of the L1.
struct ReadMiss {
  std::uint64_t line = 0;   ///< physical address / line size
  std::uint32_t pc = 0;     ///< of the load
  std::uint64_t cycle = 0;  ///< of the core's clock
};

/// The cores that each probe of a miss searches, in its order. The first probe is the leader, the
/// others are scouts (remote-core paper, section III-D). Empty: the miss goes to the L2.
using ProbeTargets = std::vector<std::vector<std::uint32_t>>;

/// Where a core's read misses go. One per core. A platform with the routing "home" has no probe
/// engines.
class MissRouting : public Policy {
 public:
  static constexpr const char* kFamily = "miss_routing";
  using Context = MissRoutingContext;
  static Context example_context();

  /// Whether the cores that route() names supply the line in no time, without a probe.
  virtual bool at_once() const { return false; }
  /// The role (modules/llc/roles) of slices that forward read hits to cores, which the policy
  /// leaves the search to; empty: slices forward none.
  virtual std::string slice_role() const { return {}; }
  /// Called once for each read miss, in the order of the misses.
  virtual ProbeTargets route(const ReadMiss& miss) = 0;
  /// A probe of a miss at `pc` has returned with the line, from `core`.
  virtual void supplied(std::uint32_t core, std::uint32_t pc) {
    (void)core;
    (void)pc;
  }
};

/// Throws InputError with `path` if a miss cannot search that many other cores.
void check_coverage(const std::string& path, std::uint32_t coverage,
                    const MissRoutingContext& context);

}  // namespace tessera
