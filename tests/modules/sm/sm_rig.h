// SPDX-License-Identifier: Apache-2.0
#pragma once

// An SM that runs scripts, with a scripted L1 and MMU; the cycle of every issue is kept.

#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "modules/kernel/sc_time.h"
#include "modules/sm/sm_cluster.h"
#include "tests/support/scripted_initiator.h"
#include "tests/support/scripted_target.h"

namespace tessera::test {

/// One instruction of a script: what it is, the register it writes and the one it reads (0: none).
struct Step {
  IssueResult::Kind kind = IssueResult::Kind::kCompute;
  std::uint16_t writes = 0;
  std::uint16_t reads = 0;
  AccessKind access = AccessKind::kLoad;
  std::uint64_t address = 0;
  bool fails = false;
  bool read_only = false;
  Unit unit = Unit::kAlu;
  std::uint8_t cost = 1;
  Space space = Space::kGlobal;
  unsigned stride = 4;  ///< of the lanes' addresses
  bool asynchronous = false;
  /// Unit::kWait: asynchronous copies that must have ended, and whether the wait is limited.
  unsigned copies = 0;
  bool limited = false;
};
inline Step on(Unit unit, std::uint16_t writes = 0, std::uint8_t cost = 1) {
  Step s;
  s.writes = writes;
  s.unit = unit;
  s.cost = cost;
  return s;
}
inline Step alu(std::uint16_t writes = 0, std::uint16_t reads = 0) {
  Step s = on(Unit::kAlu, writes);
  s.reads = reads;
  return s;
}
inline Step load(std::uint16_t writes, std::uint64_t address) {
  Step s = on(Unit::kMemory, writes);
  s.kind = IssueResult::Kind::kMemory;
  s.address = address;
  return s;
}
inline Step store(std::uint64_t address) {
  Step s = load(0, address);
  s.access = AccessKind::kStore;
  return s;
}
inline Step barrier(std::uint16_t writes = 0) {
  Step s = on(Unit::kBarrier, writes);
  s.kind = IssueResult::Kind::kBarrier;
  return s;
}
inline Step fence() {
  Step s = on(Unit::kFence);
  s.kind = IssueResult::Kind::kFence;
  return s;
}

inline Step copy(std::uint64_t address) {
  Step s = load(0, address);
  s.asynchronous = true;
  return s;
}
inline Step wait_for(unsigned copies, bool limited = false) {
  Step s = on(Unit::kWait);
  s.copies = copies;
  s.limited = limited;
  return s;
}

using Script = std::vector<Step>;
struct Issue {
  unsigned warp;
  std::size_t step;
  std::uint64_t cycle;
};

class ScriptedWarp final : public WarpProgram {
 public:
  ScriptedWarp(unsigned index, Script script, std::vector<Issue>& log)
      : index_(index), script_(std::move(script)), log_(log) {
    for (const Step& s : script_) {
      OpInfo op;
      op.unit = s.unit;
      op.cost = s.cost;
      if (s.reads != 0) op.registers[op.read_count++] = s.reads;
      if (s.writes != 0) op.registers[op.read_count + op.write_count++] = s.writes;
      ops_.push_back(op);
    }
    ops_.emplace_back();
    ops_.back().unit = Unit::kExit;
  }
  const OpInfo& next() const override { return ops_.at(at_); }
  void issue(const IssueContext& context, IssueResult& r) override {
    log_.push_back({index_, at_, context.cycle});
    r = IssueResult{};
    r.active = ~0U;
    if (at_ == script_.size()) {
      r.kind = IssueResult::Kind::kExit;
      r.warp_done = true;
      return;
    }
    const Step& s = script_[at_++];
    if (s.fails) throw RunError("out of bounds");
    r.kind = s.kind;
    r.memory.kind = s.access;
    r.memory.read_only = s.read_only;
    r.memory.space = s.space;
    r.memory.asynchronous = s.asynchronous;
    r.memory.values_done = s.asynchronous;
    r.memory.copy = ++copies_;
    r.memory.active = ~0U;
    for (unsigned i = 0; i < kWarpLanes; ++i) r.memory.address[i] = s.address + s.stride * i;
  }
  bool wait_ended() const override { return ended_copies.size() >= script_.at(at_).copies; }
  bool wait_is_limited() const override { return script_.at(at_).limited; }
  std::string place_of(std::uint32_t pc) const override {
    return "kernel 'scripted', warp " + std::to_string(index_) + ", instruction " +
           std::to_string(pc);
  }
  void complete(const AccessEnd& access, const std::byte* data) override {
    if (access.copy == 0) return;
    CHECK(data == nullptr);
    ended_copies.push_back(access.copy);
  }
  std::vector<std::uint32_t> ended_copies;

 private:
  std::uint32_t copies_ = 0;
  unsigned index_;
  Script script_;
  std::vector<Issue>& log_;
  std::vector<OpInfo> ops_;
  std::size_t at_ = 0;
};

class ScriptedCta final : public CtaProgram {
 public:
  ScriptedCta(const std::vector<Script>& scripts, std::vector<Issue>& log) {
    for (unsigned i = 0; i < scripts.size(); ++i) {
      warps_.push_back(std::make_unique<ScriptedWarp>(i, scripts[i], log));
    }
  }
  unsigned warp_count() const override { return static_cast<unsigned>(warps_.size()); }
  WarpProgram& warp(unsigned i) override { return *warps_[i]; }
  unsigned warp_threads(unsigned) const override { return 32; }

 private:
  std::vector<std::unique_ptr<ScriptedWarp>> warps_;
};

class ScriptedKernel final : public KernelProgram {
 public:
  explicit ScriptedKernel(std::vector<Script> s) : scripts(std::move(s)) {}
  const std::string& name() const override { return name_; }
  Dim3 grid() const override { return {}; }
  Dim3 block() const override { return {}; }
  CtaResources resources() const override { return {32, 8, 0}; }
  unsigned register_names() const override { return 8; }
  std::unique_ptr<CtaProgram> start_cta(CtaId) override {
    return std::make_unique<ScriptedCta>(scripts, log);
  }
  /// Cycle at which a warp issued a step.
  std::uint64_t cycle(unsigned warp, std::size_t step) const {
    for (const Issue& i : log) {
      if (i.warp == warp && i.step == step) return i.cycle;
    }
    FAIL("not issued");
    return 0;
  }
  std::vector<Script> scripts;
  std::vector<Issue> log;

 private:
  std::string name_ = "scripted";
};

struct Surroundings final : public sc_core::sc_module, public FlushIf, public DispatchEventsIf {
  explicit Surroundings(const sc_core::sc_module_name& n) : sc_module(n) {}
  void flush() override { ++flushes; }
  void cta_finished(SmId, LaunchedCta) override { finished.push_back(now()); }
  void sm_drained(SmId, LaunchSlot launch) override {
    drained.push_back(now());
    drained_launches.push_back(launch);
  }
  void kernel_failed(SmId, std::exception_ptr e) override { error = e; }
  unsigned flushes = 0;
  std::vector<Tick> finished;
  std::vector<Tick> drained;
  std::vector<LaunchSlot> drained_launches;
  std::exception_ptr error;
};

inline SmConfig plain() {
  SmConfig c;
  c.clock_hz = 1'000'000'000;
  return c;
}

template <class L1>
struct RigOf {
  TransactionPool pool;
  SmCluster sm;
  L1 l1{"l1"};
  ScriptedTarget mmu{"mmu", {}};
  Surroundings around{"around"};

  explicit RigOf(const SmConfig& config, const PageLookupIf* pages = nullptr)
      : sm("sm", config, pool, SmId(0), 1, pages) {
    sm.l1.bind(l1.socket());
    sm.mmu.bind(mmu.socket());
    sm.l1_control.bind(around);
    sm.dispatcher.bind(around);
    mmu.access = [](tlm::tlm_generic_payload& p) {
      const std::uint64_t page = p.get_address() + 0x100000;
      std::memcpy(p.get_data_ptr(), &page, sizeof page);
    };
  }
  void run(ScriptedKernel& kernel) {
    sm.start_cta(kernel, CtaId(0), ns(10));
    sc_core::sc_start(to_sc_time(us(5)));
  }
  void check_done() const {
    CHECK(around.finished.size() == 1);
    CHECK(around.drained.size() == 1);
    CHECK(sm.idle());
    CHECK(pool.live() == 0);
  }
};

struct Rig final : RigOf<ScriptedTarget> {
  explicit Rig(const SmConfig& config = plain(), const PageLookupIf* pages = nullptr)
      : RigOf(config, pages) {
    l1.config().latency = ns(100) - 1;
  }
};

}  // namespace tessera::test
