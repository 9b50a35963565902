// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "modules/umh/coherent_cache.h"
#include "modules/umh/hmd.h"

namespace tessera::umh::test {

/// Shape of a system with CPU cores and GPUs. Tiny by default.
struct Shape {
  unsigned gpus = 2;
  unsigned cus = 2;     ///< per GPU, each with an L1
  unsigned stacks = 1;  ///< per GPU, each with an L2 and an SMD
  unsigned cores = 2;
  unsigned hmds = 1;
  std::uint32_t block_lines = 2;
  std::uint32_t l1_ways = 2;  ///< all caches have one set, except the LLC with two
  std::uint32_t l2_ways = 3;
  std::uint32_t smd_blocks = 1;
  std::uint32_t llc_ways = 2;
  std::uint32_t mask_granularity = 1;
  OwnedRead owned_read = OwnedRead::kToInvalid;
  FlushedBlocks flushed = FlushedBlocks::kModified;  ///< of the SMDs
  bool peer_transfer = true;
};

/// A cache and its parents.
struct HierarchyNode {
  const CoherentCache* cache;
  std::string name;
  std::vector<int> parents;    ///< by bank: the agent of a cache, or -1 for an HMD
  std::vector<unsigned> hmds;  ///< by bank, where the parents are HMDs
  std::uint32_t parent_lines;
};

/// All caches and directories of a system. The nodes whose parents are HMDs are in the order of the
/// HMDs' children.
struct Hierarchy {
  std::vector<HierarchyNode> nodes;
  std::vector<const CoherentCache*> cache_of;  ///< by agent; null for other agents
  std::vector<const Hmd*> hmds;
  std::uint32_t block_lines = 1;
};

/// The first violated invariant of the block of a line, or nothing (docs/systems/umh.md).
std::string violated(const Hierarchy& hierarchy, std::uint64_t line);
/// The name of a cache that holds the line after a flush although it must not, or nothing. A cache
/// that keeps clean blocks must have the bytes of the host memory.
std::string holder_of(const Hierarchy& hierarchy, HostMemory& memory, std::uint64_t line);

/// A system as the coherence tester sees it. A device is a GPU or, the last one, the CPU.
class TestedSystem {
 public:
  virtual ~TestedSystem() = default;
  virtual unsigned devices() const = 0;
  virtual unsigned l1s(unsigned device) const = 0;
  virtual std::string core_name(unsigned device, unsigned core) const = 0;

  /// Time: never decreases, and increases between a step with effects and the next.
  virtual std::uint64_t steps() const = 0;
  /// Advances. False if nothing is left to do.
  virtual bool step() = 0;
  virtual void after(std::uint64_t delay, std::function<void()> action) = 0;

  virtual void access(unsigned device, unsigned core, const CoherentAccess& access,
                      CoherentCache::Completion done) = 0;
  /// From a cache of a level: 0 L1, 1 L2, 2 SMD or LLC.
  virtual void evict(unsigned device, unsigned core, unsigned level, std::uint64_t line,
                     std::function<void()> done) = 0;
  virtual void flush(unsigned device, std::function<void()> done) = 0;

  /// Of the last step's message, if it has one.
  virtual std::optional<std::uint64_t> last_line() const = 0;
  virtual std::string last_message() const = 0;
  virtual std::string check(std::uint64_t line) const = 0;
  virtual std::string holder(std::uint64_t line) = 0;
  virtual bool idle() const = 0;
  virtual std::string describe_waiting() const = 0;
  virtual HostMemory& memory() = 0;
};

}  // namespace tessera::umh::test
