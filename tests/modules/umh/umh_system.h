// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include "modules/umh/coherent_cache.h"
#include "modules/umh/hmd.h"
#include "modules/umh/smd.h"
#include "modules/umh/staged_flush.h"

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
  bool peer_transfer = true;
  ProtocolMutation mutation = ProtocolMutation::kNone;
};

/// The caches and directories of a shape, joined by a network with random or unit delays.
class UmhSystem final : public CoherenceNetwork {
 public:
  /// Delays are 1 to `max_delay` steps, drawn from `seed`. With max_delay = 1, messages are
  /// delivered in the order of sending.
  UmhSystem(const Shape& shape, std::uint64_t seed, std::uint64_t max_delay);

  void send(CoherenceMessage message) override;
  void after(std::uint64_t delay, std::function<void()> action);
  /// Delivers one message or action. False if there is none.
  bool step();
  void run() {
    while (step()) {
    }
  }
  std::uint64_t steps() const { return steps_; }
  /// The message of the last step; nullptr after an action.
  const CoherenceMessage* delivered() const { return has_delivered_ ? &delivered_ : nullptr; }

  /// A device: the GPUs in order, then the CPU.
  unsigned devices() const { return shape_.gpus + 1; }
  unsigned cpu() const { return shape_.gpus; }
  CoherentCache& l1(unsigned device, unsigned i) { return *l1_[device][i]; }
  unsigned l1s(unsigned device) const { return static_cast<unsigned>(l1_[device].size()); }
  CoherentCache& l2(unsigned device, unsigned i) { return *l2_[device][i]; }
  CoherentCache& smd(unsigned gpu, unsigned i) { return *last_[gpu][i]; }
  CoherentCache& llc() { return *last_[cpu()][0]; }
  Hmd& hmd(unsigned i = 0) { return *hmds_[i]; }
  HostMemory& memory() { return memory_; }
  FlushStages stages(unsigned device);

  /// Every cache, with its parent: a cache of `caches()`, or -1 for an HMD.
  struct Node {
    CoherentCache* cache;
    std::string name;
    std::vector<int> parents;    ///< by bank
    std::vector<unsigned> hmds;  ///< where the parents are HMDs
    std::uint32_t parent_lines;
  };
  const std::vector<Node>& nodes() const { return nodes_; }
  const Shape& shape() const { return shape_; }
  std::string name(AgentId agent) const { return names_[static_cast<std::size_t>(agent)]; }
  std::string describe(const CoherenceMessage& m) const;
  std::string describe_waiting() const;
  bool idle() const;
  /// The first violated invariant of the block of a line, or nothing.
  std::string check(std::uint64_t line) const;

  /// Trace of delivered messages, where `record` is set.
  bool record = false;
  std::vector<std::string> log;

 private:
  struct Event {
    std::uint64_t time;
    std::uint64_t number;
    CoherenceMessage message;
    std::function<void()> action;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.time != b.time ? a.time > b.time : a.number > b.number;
    }
  };
  AgentId add_agent(const std::string& name);

  Shape shape_;
  std::mt19937_64 random_;
  std::uint64_t max_delay_;
  std::uint64_t time_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t steps_ = 0;
  std::vector<Event> events_;  ///< heap
  CoherenceMessage delivered_;
  bool has_delivered_ = false;
  HostMemory memory_;
  std::vector<std::string> names_;
  std::vector<CoherentCache*> cache_of_;  ///< by agent
  std::vector<Hmd*> hmd_of_;
  std::vector<std::unique_ptr<Hmd>> hmds_;
  std::vector<std::vector<std::unique_ptr<CoherentCache>>> l1_, l2_, last_;
  std::vector<Node> nodes_;
};

}  // namespace tessera::umh::test
