// SPDX-License-Identifier: Apache-2.0
#include "iss/unicorn_debug.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "iss/riscv_accesses.h"
#include "modules/vp/riscv_registers.h"

namespace tessera {

namespace {

constexpr std::uint64_t kFloatEnabled = 3U << 13;  ///< FS of mstatus

struct Csr {
  unsigned number;
  int id;
};

constexpr Csr kCsrs[] = {
    {0x001, UC_RISCV_REG_FFLAGS},   {0x002, UC_RISCV_REG_FRM},  {0x003, UC_RISCV_REG_FCSR},
    {0x100, UC_RISCV_REG_SSTATUS},  {0x104, UC_RISCV_REG_SIE},  {0x105, UC_RISCV_REG_STVEC},
    {0x140, UC_RISCV_REG_SSCRATCH}, {0x141, UC_RISCV_REG_SEPC}, {0x142, UC_RISCV_REG_SCAUSE},
    {0x143, UC_RISCV_REG_STVAL},    {0x144, UC_RISCV_REG_SIP},  {0x180, UC_RISCV_REG_SATP},
    {0x300, UC_RISCV_REG_MSTATUS},  {0x301, UC_RISCV_REG_MISA}, {0x302, UC_RISCV_REG_MEDELEG},
    {0x303, UC_RISCV_REG_MIDELEG},  {0x304, UC_RISCV_REG_MIE},  {0x305, UC_RISCV_REG_MTVEC},
    {0x340, UC_RISCV_REG_MSCRATCH}, {0x341, UC_RISCV_REG_MEPC}, {0x342, UC_RISCV_REG_MCAUSE},
    {0x343, UC_RISCV_REG_MTVAL},    {0x344, UC_RISCV_REG_MIP},  {0xf14, UC_RISCV_REG_MHARTID}};

const Csr* find_csr(unsigned number) {
  const auto* const found = std::find_if(std::begin(kCsrs), std::end(kCsrs),
                                         [number](const Csr& c) { return c.number == number; });
  return found == std::end(kCsrs) ? nullptr : found;
}

/// Machine mode for the accesses of a CSR, and for those of floating point an enabled unit.
class CsrAccess {
 public:
  CsrAccess(TrapState& state, bool floats) : state_(state), privilege_(state.privilege()) {
    state.set_privilege(Privilege::kMachine);
    const std::uint64_t status = state.read(TrapCsr::kMstatus);
    if (floats && (status & kFloatEnabled) == 0) {
      disabled_ = true;
      state.write(TrapCsr::kMstatus, status | kFloatEnabled);
    }
  }
  ~CsrAccess() {
    if (disabled_) {
      state_.write(TrapCsr::kMstatus, state_.read(TrapCsr::kMstatus) & ~kFloatEnabled);
    }
    state_.set_privilege(privilege_);
  }
  CsrAccess(const CsrAccess&) = delete;
  CsrAccess& operator=(const CsrAccess&) = delete;

 private:
  TrapState& state_;
  const Privilege privilege_;
  bool disabled_ = false;
};

bool is_float(unsigned csr) { return csr <= 3; }

void check(uc_err error, const char* what) {
  if (error != UC_ERR_OK) {
    throw std::runtime_error(std::string("Unicorn: ") + what + ": " + uc_strerror(error));
  }
}

}  // namespace

// Registers.

std::uint64_t UnicornDebug::general(unsigned number) const {
  std::uint64_t value = 0;
  if (number != 0) uc_reg_read(hart_.uc, UC_RISCV_REG_X0 + static_cast<int>(number), &value);
  return value;
}

bool UnicornDebug::read_register(unsigned number, std::uint64_t& value) {
  if (number < RiscvRegister::kPc) {
    value = general(number);
  } else if (number == RiscvRegister::kPc) {
    value = hart_.pc();
  } else if (number < RiscvRegister::kCsr0) {
    const unsigned n = number - RiscvRegister::kF0;
    uc_reg_read(hart_.uc, UC_RISCV_REG_F0 + static_cast<int>(n), &value);
  } else if (number == RiscvRegister::kPrivilege) {
    value = static_cast<std::uint64_t>(hart_.state->privilege());
  } else {
    return read_csr(number - RiscvRegister::kCsr0, value);
  }
  return true;
}

bool UnicornDebug::write_register(unsigned number, std::uint64_t value) {
  if (hart_.in_access()) return false;  // its instruction would not see the value
  if (number == 0) return true;
  if (number < RiscvRegister::kPc) {
    uc_reg_write(hart_.uc, UC_RISCV_REG_X0 + static_cast<int>(number), &value);
  } else if (number == RiscvRegister::kPc) {
    hart_.write_pc(value);
    passed_ = kNone;
    inside_ = false;
  } else if (number < RiscvRegister::kCsr0) {
    const unsigned n = number - RiscvRegister::kF0;
    uc_reg_write(hart_.uc, UC_RISCV_REG_F0 + static_cast<int>(n), &value);
  } else if (number == RiscvRegister::kPrivilege) {
    if (value > 3 || value == 2) return false;
    hart_.state->set_privilege(static_cast<Privilege>(value));
  } else {
    return write_csr(number - RiscvRegister::kCsr0, value);
  }
  return true;
}

bool UnicornDebug::read_csr(unsigned csr, std::uint64_t& value) {
  const Csr* const found = find_csr(csr);
  if (found == nullptr) return false;
  const CsrAccess access(*hart_.state, is_float(csr));
  uc_reg_read(hart_.uc, found->id, &value);
  return true;
}

bool UnicornDebug::write_csr(unsigned csr, std::uint64_t value) {
  const Csr* const found = find_csr(csr);
  if (found == nullptr) return false;
  const CsrAccess access(*hart_.state, is_float(csr));
  uc_reg_write(hart_.uc, found->id, &value);
  return true;
}

// Requests.

void UnicornDebug::add_breakpoint(std::uint64_t address) {
  breakpoints_.insert(address);
  changed_ = true;
}

void UnicornDebug::add_watchpoint(std::uint64_t address, std::uint64_t bytes, IssWatch watch) {
  watchpoints_.emplace(address, bytes, watch);
  changed_ = true;
}

void UnicornDebug::remove_watchpoint(std::uint64_t address, std::uint64_t bytes, IssWatch watch) {
  watchpoints_.erase({address, bytes, watch});
}

void UnicornDebug::step(bool on) {
  step_ = on;
  stepped_ = false;
  changed_ = true;
}

void UnicornDebug::set_on_instruction(std::function<void(const IssInstruction&)> on_instruction,
                                      std::optional<std::uint64_t> from) {
  on_instruction_ = std::move(on_instruction);
  trace_from_ = from;
  changed_ = true;
}

// Hooks.

void UnicornDebug::add_hook(uc_hook& hook, void* callback, std::uint64_t begin, std::uint64_t end) {
  check(uc_hook_add(hart_.uc, &hook, UC_HOOK_CODE, callback, this, begin, end), "hook");
}

std::set<std::uint64_t> UnicornDebug::points() const {
  std::set<std::uint64_t> points = breakpoints_;
  if (on_instruction_ && trace_from_) points.insert(*trace_from_);
  return points;
}

/// Hooks at addresses stay for a while after they are needed, because a debugger removes all
/// breakpoints at each stop. Returns whether the translated code has changed.
bool UnicornDebug::hook_points() {
  const std::set<std::uint64_t> needed = points();
  bool changes = false;
  if (point_hooks_.size() > needed.size() + kMostUnusedHooks) {
    for (auto i = point_hooks_.begin(); i != point_hooks_.end();) {
      if (needed.count(i->first) != 0) {
        ++i;
        continue;
      }
      check(uc_hook_del(hart_.uc, i->second), "hook");
      i = point_hooks_.erase(i);
    }
    changes = true;
  }
  for (const std::uint64_t pc : needed) {
    if (point_hooks_.count(pc) != 0) continue;
    add_hook(point_hooks_[pc], reinterpret_cast<void*>(&on_point), pc, pc);
    changes = true;
  }
  return changes;
}

bool UnicornDebug::hook_all() {
  const bool needed = needs_hook_of_all();
  if (needed == hook_of_all_.has_value()) return false;
  if (needed) {
    hook_of_all_.emplace();
    add_hook(*hook_of_all_, reinterpret_cast<void*>(&on_any), 1, 0);
  } else {
    check(uc_hook_del(hart_.uc, *hook_of_all_), "hook");
    hook_of_all_.reset();
  }
  return true;
}

void UnicornDebug::prepare() {
  if (!changed_ && needs_hook_of_all() == hook_of_all_.has_value()) return;
  changed_ = false;
  const bool points_change = hook_points();
  const bool all_changes = hook_all();
  if (std::exchange(stale_, false) || points_change || all_changes) hart_.discard_code();
}

void UnicornDebug::on_point(uc_engine*, std::uint64_t pc, std::uint32_t, void* self) {
  auto& debug = *static_cast<UnicornDebug*>(self);
  if (!debug.hook_of_all_) debug.stops_at(pc);
}

void UnicornDebug::on_any(uc_engine*, std::uint64_t pc, std::uint32_t, void* self) {
  static_cast<UnicornDebug*>(self)->begin_instruction(pc);
}

// Execution.

void UnicornDebug::begin_block(std::uint64_t pc, std::uint64_t executed) {
  if (pc != passed_) passed_ = kNone;
  if (!traces()) return;
  executed_ = executed;
  privilege_ = static_cast<unsigned>(hart_.state->privilege());
}

void UnicornDebug::end_instruction() {
  if (watched_) {
    stop_ = watched_;
  } else if (stepped_) {
    stop_ = IssBreak{};
  }
  watched_.reset();
  stepped_ = false;
}

void UnicornDebug::take_trap(const IssFault& fault) {
  watched_.reset();
  passed_ = kNone;
  if (step_) stop_ = IssBreak{};
  stepped_ = false;
  if (on_trap_) on_trap_(fault);
}

bool UnicornDebug::stops() {
  if (!stop_) return false;
  last_ = *stop_;
  stop_.reset();
  step_ = stepped_ = false;
  watched_.reset();
  return true;
}

bool UnicornDebug::stops_at(std::uint64_t pc) {
  const bool passes = std::exchange(passed_, kNone) == pc;
  if (on_instruction_ && trace_from_ == pc) {
    trace_from_.reset();
    changed_ = true;
    inside_ = hart_.stop_before(pc);
    return true;
  }
  if (passes || step_ || breakpoints_.count(pc) == 0) return false;
  stop_ = IssBreak{IssBreak::Kind::kBreakpoint, IssWatch::kStores, pc};
  passed_ = pc;
  inside_ = hart_.stop_before(pc);
  return true;
}

void UnicornDebug::begin_instruction(std::uint64_t pc) {
  end_instruction();
  if (stop_) {
    inside_ = hart_.stop_before(pc);
    return;
  }
  if (stops_at(pc)) return;
  if (looks()) look(pc);
  stepped_ = step_;
}

void UnicornDebug::look(std::uint64_t pc) {
  const std::uint32_t code = hart_.code_at(pc);
  const auto access = riscv_access(code);
  const std::uint64_t address =
      access ? general(access->base) + static_cast<std::uint64_t>(access->offset) : 0;
  if (traces()) {
    IssInstruction i;
    i.instructions = executed_++;
    i.pc = pc;
    i.code = code;
    i.bytes = riscv_length(code);
    i.privilege = privilege_;
    if (access) {
      i.loads = access->loads;
      i.stores = access->stores;
      i.access_bytes = access->bytes;
      i.address = address;
      i.physical = hart_.translate(address);
    }
    on_instruction_(i);
  }
  if (!access) return;
  for (const auto& [begin, bytes, watch] : watchpoints_) {
    const auto mask = static_cast<unsigned>(watch);
    const bool matches = (access->stores && (mask & 1) != 0) || (access->loads && (mask & 2) != 0);
    if (!matches || address >= begin + bytes || begin >= address + access->bytes) continue;
    watched_ = IssBreak{IssBreak::Kind::kWatchpoint, watch, std::max(begin, address)};
    return;
  }
}

}  // namespace tessera
