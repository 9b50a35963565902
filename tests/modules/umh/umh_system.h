// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "modules/umh/coherent_cache.h"
#include "modules/umh/hmd.h"
#include "modules/umh/smd.h"
#include "tests/modules/umh/protocol_mutant.h"
#include "tests/modules/umh/staged_flush.h"
#include "tests/modules/umh/tested_system.h"

namespace tessera::umh::test {

/// Host memory without a memory channel. A line that was never written is zero.
class PlainMemory final : public HostMemory {
 public:
  Line read(std::uint64_t line) override {
    const auto at = lines_.find(line);
    return at == lines_.end() ? Line{} : at->second;
  }
  void write(const LineBytes& b, LaunchSlot) override {
    copy_masked(lines_[b.line].data(), b.bytes.data(), b.mask, kLineBytes);
  }

 private:
  std::unordered_map<std::uint64_t, Line> lines_;
};

/// The caches and directories of a shape, joined by a network with random or unit delays.
class UmhSystem final : public TestedSystem, public CoherenceNetwork {
 public:
  /// Delays are 1 to `max_delay` steps, drawn from `seed`. With max_delay = 1, messages are
  /// delivered in the order of sending.
  UmhSystem(const Shape& shape, std::uint64_t seed, std::uint64_t max_delay,
            ProtocolMutation mutation = ProtocolMutation::kNone);

  void send(CoherenceMessage message) override;
  void after(std::uint64_t delay, std::function<void()> action) override;
  /// Delivers one message or action. False if there is none.
  bool step() override;
  void run() {
    while (step()) {
    }
  }
  std::uint64_t steps() const override { return steps_; }
  /// The message of the last step; nullptr after an action.
  const CoherenceMessage* delivered() const { return has_delivered_ ? &delivered_ : nullptr; }

  /// A device: the GPUs in order, then the CPU.
  unsigned devices() const override { return shape_.gpus + 1; }
  unsigned cpu() const { return shape_.gpus; }
  CoherentCache& l1(unsigned device, unsigned i) { return *l1_[device][i]; }
  unsigned l1s(unsigned device) const override { return static_cast<unsigned>(l1_[device].size()); }
  CoherentCache& l2(unsigned device, unsigned i) { return *l2_[device][i]; }
  CoherentCache& smd(unsigned gpu, unsigned i) { return *last_[gpu][i]; }
  CoherentCache& llc() { return *last_[cpu()][0]; }
  Hmd& hmd(unsigned i = 0) { return *hmds_[i]; }
  HostMemory& memory() override { return memory_; }
  FlushStages stages(unsigned device);

  const std::vector<HierarchyNode>& nodes() const { return hierarchy_.nodes; }
  const Shape& shape() const { return shape_; }
  std::string name(AgentId agent) const { return names_[static_cast<std::size_t>(agent)]; }
  std::string describe(const CoherenceMessage& m) const;
  std::string describe_waiting() const override;
  bool idle() const override;
  std::string check(std::uint64_t line) const override { return violated(hierarchy_, line); }

  // TestedSystem.
  std::string core_name(unsigned device, unsigned core) const override {
    return name(l1_[device][core]->id());
  }
  std::optional<std::uint64_t> last_line() const override {
    return has_delivered_ ? std::optional(delivered_.line) : std::nullopt;
  }
  std::string last_message() const override {
    return has_delivered_ ? describe(delivered_) : std::string();
  }
  void access(unsigned device, unsigned core, const CoherentAccess& a,
              CoherentCache::Completion done) override {
    mutant_.access(l1(device, core), a, std::move(done));
  }
  void evict(unsigned device, unsigned core, unsigned level, std::uint64_t line,
             std::function<void()> done) override;
  void flush(unsigned device, std::function<void()> done) override {
    flush_device(stages(device), std::move(done));
  }
  std::string holder(std::uint64_t line) override { return holder_of(hierarchy_, memory(), line); }

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
  ProtocolMutant mutant_;
  std::uint64_t time_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t steps_ = 0;
  std::vector<Event> events_;  ///< heap
  CoherenceMessage delivered_;
  bool has_delivered_ = false;
  PlainMemory memory_;
  std::vector<std::string> names_;
  std::vector<CoherentCache*> cache_of_;  ///< by agent
  std::vector<Hmd*> hmd_of_;
  std::vector<std::unique_ptr<Hmd>> hmds_;
  std::vector<std::vector<std::unique_ptr<CoherentCache>>> l1_, l2_, last_;
  Hierarchy hierarchy_;
};

}  // namespace tessera::umh::test
