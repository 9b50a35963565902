// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs PTX text in either mode of values: functionally, or as an SM would, with a memory that
// completes loads later.

#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "stimuli/functional_run.h"
#include "stimuli/ptx/link.h"
#include "stimuli/ptx/program.h"
#include "stimuli/texture.h"

namespace tessera::test {

/// A kernel around a body, with the registers that most tests need, one pointer parameter `out`
/// in %rd0 and the global thread index in %r0; %rd1 = out + 8 * index.
inline std::string kernel_text(const std::string& body, const std::string& module_scope = {}) {
  return ".version 7.0\n.target sm_75\n.address_size 64\n" + module_scope +
         "\n.visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
         ".reg .pred %p<9>;\n.reg .b16 %rs<9>;\n.reg .b32 %r<33>;\n.reg .b64 %rd<33>;\n"
         ".reg .f32 %f<17>;\n.reg .f64 %fd<17>;\n"
         "ld.param.u64 %rd0, [out];\nld.param.u64 %rd2, [in];\n"
         "mov.u32 %r0, %tid.x;\nmov.u32 %r31, %ctaid.x;\nmov.u32 %r32, %ntid.x;\n"
         "mad.lo.s32 %r0, %r31, %r32, %r0;\nmul.wide.u32 %rd1, %r0, 8;\n"
         "add.u64 %rd1, %rd0, %rd1;\n" +
         body + "\nret;\n}\n";
}

/// A memory that plays the memory system in carried mode: loads come back in random order, some
/// instructions later, and read what stores left when they are served.
class CarriedRunner {
 public:
  CarriedRunner(KernelProgram& program, FlatMemory& memory, unsigned seed)
      : program_(program), memory_(memory), random_(seed) {}

  void run() {
    const std::uint64_t ctas = program_.grid().count();
    for (std::uint64_t c = 0; c < ctas; ++c) run_cta(CtaId(static_cast<std::uint32_t>(c)));
  }

  /// Memory operations seen, for assertions.
  struct Seen {
    AccessKind kind;
    Space space;
    CacheScope scope;
    bool read_only;
    bool values_done;
    unsigned lane_bytes;
    bool asynchronous;
    std::uint32_t active;
    std::array<std::uint64_t, kWarpLanes> address;
  };
  std::vector<Seen> seen;
  unsigned fences = 0;
  /// Turns in which a warp could not issue its operation of Unit::kWait.
  unsigned waits = 0;

 private:
  struct Pending {
    unsigned warp;
    MemoryOp op;
    std::vector<std::uint16_t> writes;
  };

  bool blocked(const OpInfo& info, unsigned warp) const {
    for (const Pending& p : pending_) {
      if (p.warp != warp) continue;
      for (unsigned i = 0; i < unsigned{info.read_count} + info.write_count; ++i) {
        for (const std::uint16_t w : p.writes) {
          if (info.registers[i] == w) return true;
        }
      }
    }
    return false;
  }

  void serve(CtaProgram& cta) {
    const std::size_t i = random_() % pending_.size();
    Pending p = pending_[i];
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
    std::array<std::byte, kWarpLanes * kMaxLaneBytes> data{};
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
      if ((p.op.active >> lane & 1u) == 0) continue;
      std::byte* at = memory_.at(p.op.address[lane]);
      std::byte* mine = data.data() + lane * kMaxLaneBytes;
      std::memcpy(mine, at, p.op.lane_bytes);
      if (p.op.kind != AccessKind::kAtomic) continue;
      AtomicWord old = 0;
      AtomicWord operand = 0;
      std::memcpy(&old, at, p.op.lane_bytes);
      std::memcpy(&operand, p.op.data.data() + lane * kMaxLaneBytes, p.op.lane_bytes);
      const AtomicWord value =
          apply_atomic(p.op.atomic, p.op.atomic_type, old, operand, p.op.compare[lane]);
      std::memcpy(at, &value, p.op.lane_bytes);
    }
    cta.warp(p.warp).complete({p.op.pc, p.op.active, p.op.asynchronous ? p.op.copy : 0},
                              data.data());
  }

  void memory_op(unsigned w, const OpInfo& info) {
    const MemoryOp& op = result_.memory;
    seen.push_back(Seen{op.kind, op.space, op.scope, op.read_only, op.values_done, op.lane_bytes,
                        op.asynchronous, op.active, op.address});
    if (op.values_done) return;
    if (op.kind == AccessKind::kStore) {
      for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
        if ((op.active >> lane & 1u) == 0) continue;
        std::memcpy(memory_.at(op.address[lane]), op.data.data() + lane * kMaxLaneBytes,
                    op.lane_bytes);
      }
      if (!op.asynchronous) return;
    }
    Pending p{w, op, {}};
    for (unsigned i = 0; i < info.write_count; ++i) {
      p.writes.push_back(info.registers[info.read_count + i]);
    }
    pending_.push_back(p);
  }

  void run_cta(CtaId id) {
    const auto cta = program_.start_cta(id);
    const unsigned n = cta->warp_count();
    std::vector<int> state(n, 0);  // 0 runs, 1 waits, 2 ended
    unsigned ended = 0;
    std::uint64_t cycle = 0;
    while (ended < n) {
      const unsigned w = static_cast<unsigned>(random_() % n);
      ++cycle;
      if (!pending_.empty() && random_() % 4 == 0) serve(*cta);
      if (state[w] != 0) continue;
      const OpInfo info = cta->warp(w).next();
      if (blocked(info, w)) {
        serve(*cta);
        continue;
      }
      if (info.unit == Unit::kWait && !cta->warp(w).wait_ended()) {
        ++waits;
        const bool limit_over = cta->warp(w).wait_is_limited() && random_() % 16 == 0;
        if (!limit_over) {
          if (!pending_.empty()) serve(*cta);
          continue;
        }
      }
      IssueContext context;
      context.cycle = cycle;
      context.warp_slot = w;
      cta->warp(w).issue(context, result_);
      switch (result_.kind) {
        case IssueResult::Kind::kMemory:
          memory_op(w, info);
          break;
        case IssueResult::Kind::kBarrier:
          state[w] = 1;
          break;
        case IssueResult::Kind::kFence:
          ++fences;
          break;
        case IssueResult::Kind::kExit:
          if (result_.warp_done) {
            state[w] = 2;
            ++ended;
          }
          break;
        case IssueResult::Kind::kCompute:
        case IssueResult::Kind::kBlocked:
          break;
      }
      unsigned waiting = 0;
      for (const int s : state) waiting += s == 1 ? 1 : 0;
      if (waiting + ended == n) {
        for (int& s : state) s = s == 1 ? 0 : s;
      }
    }
    while (!pending_.empty()) serve(*cta);
  }

  KernelProgram& program_;
  FlatMemory& memory_;
  std::mt19937 random_;
  IssueResult result_;
  std::deque<Pending> pending_;
};

/// Device memory with an output and an input buffer, and the launch of a kernel on them.
class KernelRunner {
 public:
  explicit KernelRunner(const std::string& text, std::uint64_t out_bytes = 1 << 16,
                        std::uint64_t in_bytes = 1 << 16)
      : KernelRunner(ptx::parse(text, "test.ptx"), out_bytes, in_bytes) {}
  explicit KernelRunner(ptx::Module linked, std::uint64_t out_bytes = 1 << 16,
                        std::uint64_t in_bytes = 1 << 16)
      : module(std::move(linked)) {
    out = allocations.allocate("out", out_bytes).begin;
    in = allocations.allocate("in", in_bytes).begin;
    for (const ptx::Variable& v : module.variables) {
      if (v.space != ptx::StateSpace::kGlobal && v.space != ptx::StateSpace::kConst) continue;
      if (ptx::type_bytes(v.type) == 0) continue;  // references to textures and surfaces
      const Address at = allocations.allocate(v.name, v.bytes()).begin;
      symbols[v.name] = at;
    }
    for (const ptx::Variable& v : module.variables) {
      if (symbols.count(v.name) == 0) continue;
      const std::vector<std::byte> contents = ptx::initial_contents(module, v, symbols);
      if (contents.empty()) continue;  // a null source would be undefined
      std::memcpy(memory.at(symbols[v.name]), contents.data(), contents.size());
    }
  }

  std::unique_ptr<KernelProgram> program(Dim3 grid, Dim3 block, bool functional = true) {
    ptx::MemoryView view;
    view.allocations = &allocations;
    view.symbols = &symbols;
    view.textures = &textures;
    if (functional) view.flat = &memory;
    view.heap = heap;
    view.stack_bytes = stack_bytes;
    view.grid_workspace = grid_workspace;
    view.read = [this](void* to, Address from, std::uint64_t bytes) {
      std::memcpy(to, memory.at(from), bytes);
    };
    view.warn = [this](const std::string&, const std::string& text) { warnings.push_back(text); };
    if (check_races) {
      view.race = [this](const std::string&, const std::string& text) { races.push_back(text); };
    }
    LaunchRequest request;
    request.kernel = "k";
    request.grid = grid;
    request.block = block;
    request.dynamic_shared_bytes = dynamic_shared;
    request.arguments = {KernelArgument::of(out), KernelArgument::of(in)};
    request.arguments.insert(request.arguments.end(), more_arguments.begin(), more_arguments.end());
    return ptx::make_program(ptx::decode(module, "k"), request, view);
  }

  std::uint64_t run(Dim3 block = {32, 1, 1}, Dim3 grid = {1, 1, 1},
                    std::uint64_t budget = 1000000) {
    return run_functionally(*program(grid, block), budget).warp_instructions;
  }

  void run_carried(Dim3 block, Dim3 grid, unsigned seed) {
    const auto p = program(grid, block, false);
    CarriedRunner(*p, memory, seed).run();
  }

  /// Element `i` of the output, 8 bytes apart.
  template <class T>
  T result(unsigned i) const {
    T v;
    std::memcpy(&v, memory.at(out + 8 * i), sizeof v);
    return v;
  }
  template <class T>
  void set_input(unsigned i, T v, unsigned stride = sizeof(T)) {
    std::memcpy(memory.at(in + std::uint64_t{i} * stride), &v, sizeof v);
  }

  ptx::Module module;
  Allocations allocations;
  FlatMemory memory{std::uint64_t{1} << 30};
  std::map<std::string, Address> symbols;
  TextureTable textures;
  /// Of parameters behind `out` and `in`.
  std::vector<KernelArgument> more_arguments;
  std::uint32_t dynamic_shared = 0;
  std::uint32_t stack_bytes = ptx::kDefaultStackBytes;
  ptx::DeviceHeap* heap = nullptr;
  Address grid_workspace = 0;
  Address out = 0;
  Address in = 0;
  std::vector<std::string> warnings;
  bool check_races = false;
  std::vector<std::string> races;
};

}  // namespace tessera::test
