// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unicorn/unicorn.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "iss/riscv_traps.h"
#include "modules/vp/iss.h"
#include "modules/vp/iss_debug.h"

namespace tessera {

/// What UnicornDebug uses of its hart.
struct UnicornHart {
  uc_engine* uc = nullptr;
  TrapState* state = nullptr;
  std::function<std::uint32_t(std::uint64_t pc)> code_at;  ///< in the block that runs
  std::function<std::optional<std::uint64_t>(std::uint64_t address)> translate;
  std::function<bool()> in_access;  ///< of an instruction to a device
  std::function<std::uint64_t()> pc;
  std::function<void()> discard_code;
  std::function<void(std::uint64_t pc)> write_pc;
  std::function<IssStop(std::uint64_t instructions)> resume;
  /// Ends uc_emu_start() before the instruction at `pc` of the block that runs. Returns whether an
  /// instruction of the block is before it.
  std::function<bool(std::uint64_t pc)> stop_before;
};

/// Breakpoints, watchpoints, steps and traces of a hart on Unicorn, by hooks of instructions: at
/// breakpoints, or at all instructions for watchpoints, steps and traces. Hooks are part of the
/// translated code, which is therefore discarded when they change. Accesses are those of the
/// decoded instruction (iss/riscv_accesses.h).
///
/// The execution loop of UnicornIss calls the functions that are not of IssDebug.
class UnicornDebug final : public IssDebug {
 public:
  explicit UnicornDebug(UnicornHart hart) : hart_(std::move(hart)) {}
  UnicornDebug(const UnicornDebug&) = delete;
  UnicornDebug& operator=(const UnicornDebug&) = delete;

  bool read_register(unsigned number, std::uint64_t& value) override;
  bool write_register(unsigned number, std::uint64_t value) override;
  std::optional<std::uint64_t> translate(std::uint64_t address) override {
    return hart_.translate(address);
  }
  void forget_code() override { stale_ = changed_ = true; }
  void add_breakpoint(std::uint64_t address) override;
  void remove_breakpoint(std::uint64_t address) override { breakpoints_.erase(address); }
  void add_watchpoint(std::uint64_t address, std::uint64_t bytes, IssWatch watch) override;
  void remove_watchpoint(std::uint64_t address, std::uint64_t bytes, IssWatch watch) override;
  void step(bool on) override;
  IssBreak last_break() const override { return last_; }
  IssStop resume(std::uint64_t instructions) override { return hart_.resume(instructions); }
  void set_on_instruction(std::function<void(const IssInstruction&)> on_instruction,
                          std::optional<std::uint64_t> from) override;
  void set_on_trap(std::function<void(const IssFault&)> on_trap) override {
    on_trap_ = std::move(on_trap);
  }

  /// Before uc_emu_start(): adds and removes hooks.
  void prepare();
  /// Hooks are to change: the hart must come to prepare().
  bool has_changed() const { return changed_; }
  bool steps() const { return step_; }
  /// The next block is the rest of one that has begun; true once.
  bool continues_block() { return std::exchange(inside_, false); }
  bool is_inside_block() const { return inside_; }
  /// Whether each instruction is looked at.
  bool looks() const { return traces() || !watchpoints_.empty(); }
  /// `executed`: instructions before the block.
  void begin_block(std::uint64_t pc, std::uint64_t executed);
  /// The last instruction has ended, and the next one does not begin now.
  void end_instruction();
  /// The hart takes a trap. The last instruction has not been executed, if one caused it.
  void take_trap(const IssFault& fault);
  bool has_stop() const { return stop_.has_value(); }
  /// Whether the hart has a reason to stop; true once.
  bool stops();

 private:
  /// [address, address + bytes)
  using Watchpoint = std::tuple<std::uint64_t, std::uint64_t, IssWatch>;
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  static constexpr std::size_t kMostUnusedHooks = 64;

  bool needs_hook_of_all() const { return step_ || looks(); }
  bool traces() const { return on_instruction_ && !trace_from_; }
  std::set<std::uint64_t> points() const;
  bool hook_points();
  bool hook_all();
  void add_hook(uc_hook& hook, void* callback, std::uint64_t begin, std::uint64_t end);
  void begin_instruction(std::uint64_t pc);
  /// Whether the hart stops at a breakpoint, or the trace begins.
  bool stops_at(std::uint64_t pc);
  void look(std::uint64_t pc);
  bool read_csr(unsigned csr, std::uint64_t& value);
  bool write_csr(unsigned csr, std::uint64_t value);
  std::uint64_t general(unsigned number) const;

  static void on_point(uc_engine* uc, std::uint64_t pc, std::uint32_t bytes, void* self);
  static void on_any(uc_engine* uc, std::uint64_t pc, std::uint32_t bytes, void* self);

  const UnicornHart hart_;
  std::set<std::uint64_t> breakpoints_;
  std::set<Watchpoint> watchpoints_;
  std::map<std::uint64_t, uc_hook> point_hooks_;  ///< by address
  std::optional<uc_hook> hook_of_all_;
  bool stale_ = false;    ///< translated code is to be discarded
  bool changed_ = false;  ///< hooks are to be looked at
  bool step_ = false;
  bool stepped_ = false;             ///< the step's instruction has begun
  std::optional<IssBreak> watched_;  ///< by the instruction that runs
  std::optional<IssBreak> stop_;
  IssBreak last_;
  std::uint64_t passed_ = kNone;  ///< the breakpoint that the hart has stopped at
  bool inside_ = false;
  std::uint64_t executed_ = 0;  ///< before the next instruction, in a trace
  unsigned privilege_ = 0;      ///< of the block, in a trace
  std::function<void(const IssInstruction&)> on_instruction_;
  std::optional<std::uint64_t> trace_from_;
  std::function<void(const IssFault&)> on_trap_;
};

}  // namespace tessera
