// SPDX-License-Identifier: Apache-2.0
// A hart on Unicorn 2. Links the GPL-2.0 library, and is therefore a shared object of its own,
// which the command loads if a core is wanted.
//
// Unicorn executes instructions and translates addresses. It takes no traps: it has no interrupt
// inputs, and reports each exception to a hook. The trap logic is iss/riscv_traps.h. Facts of
// Unicorn 2.0.1 that this file relies on, most of them checked by self_test() for each hart:
//
// * An exception is reported with the pc 4 bytes after its instruction, whatever its length; ebreak
//   ends the run as an invalid instruction, with its own pc. The address of a page fault is lost at
//   the end of the run, where Unicorn translates the address of the run's end.
// * A stop from a block's hook takes effect before the block. Registers are then up to date.
// * An access to memory that is not mapped ends the run with the registers of before the
//   instruction, and with the pc of its block.
// * An access of 8 bytes to a device comes as two of 4, the lower one first.
// * CSRs of a mode can be accessed in that mode only, and privilege, mhartid and the wires of mip
//   not at all, except in the bytes of a saved context. A CSR's place there is the word that a
//   write changes.
// * Translated code of memory that is unmapped is kept.
// * Before a virtual address is translated, it is looked up as if it were a physical one: nothing
//   there is an access fault, and the rights there count. See passes_lookup().
// * While a hook of instructions exists, a stop from a block's hook keeps the pc of some earlier
//   instruction. The pc of a stop is therefore set after it.
#include <unicorn/unicorn.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "iss/riscv_accesses.h"
#include "iss/riscv_paging.h"
#include "iss/riscv_traps.h"
#include "iss/unicorn_debug.h"
#include "modules/vp/iss.h"

namespace tessera {

namespace {

constexpr std::uint64_t kNoPc = ~std::uint64_t{0};
constexpr std::uint32_t kWfi = 0x10500073;
constexpr std::uint32_t kEbreak = 0x00100073;
constexpr std::uint32_t kCompressedEbreak = 0x9002;
constexpr std::uint64_t kTimeCsr = 0xc01;
constexpr std::uint64_t kSupervisorStatus = 0x122;  ///< SIE, SPIE and SPP: of sstatus, in mstatus

/// Bytes from QEMU's badaddr to mstatus in the context (CPURISCVState of QEMU 5.0).
constexpr std::size_t kBadAddressBefore = 80;

void check(uc_err error, const char* what) {
  if (error != UC_ERR_OK) {
    throw std::runtime_error(std::string("Unicorn: ") + what + ": " + uc_strerror(error));
  }
}

class UnicornIss final : public Iss, private TrapState {
 public:
  UnicornIss(std::uint32_t hart, IssBus& bus);
  ~UnicornIss() override;
  UnicornIss(const UnicornIss&) = delete;
  UnicornIss& operator=(const UnicornIss&) = delete;

  void map_memory(std::uint64_t address, std::uint64_t bytes, unsigned char* host,
                  bool writable) override;
  void map_device(std::uint64_t address, std::uint64_t bytes) override;
  void unmap(std::uint64_t address, std::uint64_t bytes) override;
  void reset(std::uint64_t pc, std::uint64_t argument) override;
  IssStop run(std::uint64_t instructions) override;
  void stop() override { stopped_ = true; }
  void set_pending(std::uint64_t mip) override { wires_ = mip; }
  std::uint64_t instructions() const override { return executed_; }
  std::uint64_t fences() const override;
  void set_on_fault(std::function<void(const IssFault&)> on_fault) override {
    on_fault_ = std::move(on_fault);
  }
  std::uint64_t pc() const override {
    return access_pc_ == kNoPc ? get(UC_RISCV_REG_PC) : access_pc_;
  }
  IssDebug* debug() override;

 private:
  struct Memory {
    std::uint64_t bytes = 0;
    unsigned char* host = nullptr;
  };
  struct Device {
    UnicornIss* iss = nullptr;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
  };
  struct Block {
    Block() : fences(0), may_enable(0), may_request(0) {}
    std::uint64_t address = kNoPc;
    std::uint32_t bytes = 0;
    std::uint16_t instructions = 0;
    std::uint16_t fences : 14;
    std::uint16_t may_enable : 1;   ///< it can enable an interrupt that is pending
    std::uint16_t may_request : 1;  ///< it can make one pending
  };
  struct Access {
    std::uint64_t address = 0;
    unsigned bytes = 0;
    bool store = false;
    std::uint64_t value = 0;  ///< of a store: its lower `bytes`
  };
  /// An instruction that accesses memory.
  struct Found {
    std::uint64_t pc = 0;
    std::uint64_t next = 0;     ///< pc of the instruction after it
    unsigned bytes = 0;         ///< those of the access, if the instruction is not certain
    std::uint64_t address = 0;  ///< a virtual one, if there is translation
    std::uint64_t end = 0;      ///< pc after the last instruction that can be meant
    bool atomic = false;        ///< it loads, and stores afterwards
  };

  // TrapState.
  std::uint64_t read(TrapCsr csr) const override;
  void write(TrapCsr csr, std::uint64_t value) override;
  Privilege privilege() const override;
  void set_privilege(Privilege privilege) override;
  void set_pc(std::uint64_t pc) override { set(UC_RISCV_REG_PC, pc); }

  std::uint64_t get(int id) const {
    std::uint64_t value = 0;
    uc_reg_read(uc_, id, &value);
    return value;
  }
  /// x0 to x31.
  std::uint64_t general(unsigned number) const {
    return number == 0 ? 0 : get(UC_RISCV_REG_X0 + static_cast<int>(number));
  }
  void set(int id, std::uint64_t value) { uc_reg_write(uc_, id, &value); }
  std::uint64_t get_context(std::size_t offset) const;
  void set_context(std::size_t offset, std::uint64_t value, std::size_t bytes = 8);
  void find_context();
  void discard_code();
  void self_test();

  void begin_block(std::uint64_t address, std::uint32_t bytes);
  void enter_block(std::uint64_t address, std::uint32_t bytes);
  // Not inline, because begin_block() is called for each block.
  [[gnu::noinline]] void begin_block_debugged(std::uint64_t address, std::uint32_t bytes,
                                              bool ends);
  [[gnu::noinline]] void end_before(std::uint64_t address, bool quantum);
  [[gnu::noinline]] void learn_block(std::uint64_t address, std::uint32_t bytes);
  /// Whether an interrupt ends WFI: one that is pending, if mie has it, also where mstatus disables
  /// it.
  bool wakes() const { return (read(TrapCsr::kMip) & read(TrapCsr::kMie)) != 0; }
  bool stop_before(std::uint64_t address);
  IssStop execute();
  /// The block at an address whose instructions are at another one.
  Block decode(std::uint64_t address, std::uint32_t bytes, std::uint64_t physical) const;
  /// The instruction at an address; 0 if it is not in memory.
  std::uint32_t code_at(std::uint64_t address) const;
  std::uint32_t code_in_memory(std::uint64_t physical) const;
  static std::size_t index_of(std::uint64_t address) { return address >> 1 & (kBlocks - 1); }
  std::uint64_t physical_in_block(std::uint64_t address) const {
    return physical_[index_of(block_)] + (address - block_);
  }
  std::uint32_t code_in_block(std::uint64_t address) const {
    return code_in_memory(physical_in_block(address));
  }
  std::optional<std::uint64_t> translate(std::uint64_t address, bool fetch) const;
  std::optional<Found> find_access(const Access& access) const;
  std::optional<Found> find_access(const Access& access, std::uint64_t address_mask) const;
  /// Of the instruction that does an access; of its block, if it is not found.
  std::uint64_t pc_of(const Access& access) const {
    const auto found = find_access(access);
    return found ? found->pc : block_;
  }
  bool does(const RiscvAccess& a, const Access& access, std::uint64_t address_mask) const;
  bool translates(bool fetch) const;
  bool passes_lookup(uc_mem_type type);
  void fill_gaps();
  bool begins_half(const Access& access);
  bool ends_half(const Access& access);
  void flush_half();
  void access_bus(const Access& access, std::uint64_t& value);
  void fault(std::uint64_t cause, std::uint64_t pc, std::uint64_t value);
  void trap(std::uint64_t cause, std::uint64_t pc, std::uint64_t value);
  void illegal(std::uint64_t pc);
  bool reads_time(std::uint32_t code, std::uint64_t pc);
  std::uint64_t load(const Device& device, std::uint64_t offset, unsigned bytes);
  void store(const Device& device, std::uint64_t offset, unsigned bytes, std::uint64_t value);

  static void on_exception(uc_engine* uc, std::uint32_t cause, void* self);
  static void on_block(uc_engine* uc, std::uint64_t address, std::uint32_t bytes, void* self);
  static bool on_invalid(uc_engine* uc, uc_mem_type type, std::uint64_t address, int bytes,
                         std::int64_t value, void* self);
  static std::uint64_t on_load(uc_engine* uc, std::uint64_t offset, unsigned bytes, void* device);
  static void on_store(uc_engine* uc, std::uint64_t offset, unsigned bytes, std::uint64_t value,
                       void* device);
  void hook(int type, void* callback, std::uint64_t begin = 1, std::uint64_t end = 0);

  const std::uint32_t hart_;
  IssBus& bus_;
  uc_engine* uc_ = nullptr;
  uc_context* context_ = nullptr;
  std::map<TrapCsr, std::size_t> places_;  ///< in the context
  std::size_t status_at_ = 0;              ///< of mstatus
  std::size_t privilege_at_ = 0;
  std::function<void(const IssFault&)> on_fault_;
  std::map<std::uint64_t, Memory> memories_;  ///< by address
  std::vector<std::unique_ptr<Device>> devices_;
  static constexpr std::size_t kBlocks = 1U << 12;
  std::vector<Block> blocks_{kBlocks};                                         ///< direct-mapped
  std::vector<std::uint64_t> physical_ = std::vector<std::uint64_t>(kBlocks);  ///< of blocks_
  bool gaps_are_filled_ = false;
  bool gaps_wanted_ = false;  ///< the run has ended for this
  std::uint64_t wires_ = 0;
  std::uint64_t executed_ = 0;
  std::uint64_t fences_ = 0;  ///< with all of the block that runs
  std::uint64_t limit_ = 0;
  std::uint64_t block_ = kNoPc;  ///< the block that runs
  std::uint32_t block_bytes_ = 0;
  std::uint64_t unseen_ = kNoPc;       ///< of it: the instruction after the last access to a device
  std::uint64_t fences_from_ = kNoPc;  ///< later fences of it are after that access
  bool may_interrupt_ = false;         ///< after the block that runs, an interrupt can be taken
  bool requested_ = false;             ///< software has made one pending, perhaps
  bool quantum_ended_ = false;
  bool stopped_ = false;
  bool asleep_ = false;               ///< in WFI
  bool interrupts_due_ = false;       ///< the hart takes an interrupt before its next instruction
  std::uint64_t stop_pc_ = kNoPc;     ///< of a stop before an instruction
  std::uint64_t access_pc_ = kNoPc;   ///< of the instruction whose access the bus does
  std::uint64_t access_from_ = 0;     ///< pc of the instruction of the last access
  std::uint64_t access_address_ = 0;  ///< its own address, a virtual one
  bool access_is_atomic_ = false;
  std::unique_ptr<UnicornDebug> debug_;  ///< null until it is used
  int exception_ = -1;
  std::uint64_t bad_address_ = 0;  ///< of the exception, if it is a page fault
  Access invalid_;
  bool lost_ = false;
  std::uint64_t fault_at_ = kNoPc;  ///< executed_ at the last fault
  Access half_;                     ///< an access of 8 bytes of which the lower half has come
  std::uint64_t half_value_ = 0;
  bool half_is_open_ = false;
  std::exception_ptr thrown_;  ///< by the bus
  bool refused_ = false;       ///< by the bus
  Access refused_access_;
};

UnicornIss::UnicornIss(std::uint32_t hart, IssBus& bus) : hart_(hart), bus_(bus) {
  check(uc_open(UC_ARCH_RISCV, UC_MODE_RISCV64, &uc_), "no RV64");
  check(uc_context_alloc(uc_, &context_), "context");
  hook(UC_HOOK_INTR, reinterpret_cast<void*>(&on_exception));
  hook(UC_HOOK_BLOCK, reinterpret_cast<void*>(&on_block));
  hook(UC_HOOK_MEM_INVALID, reinterpret_cast<void*>(&on_invalid));
  find_context();
  self_test();
}

UnicornIss::~UnicornIss() {
  if (context_ != nullptr) uc_context_free(context_);
  if (uc_ != nullptr) uc_close(uc_);
}

void UnicornIss::hook(int type, void* callback, std::uint64_t begin, std::uint64_t end) {
  uc_hook handle = 0;
  check(uc_hook_add(uc_, &handle, type, callback, this, begin, end), "hook");
}

// The saved context.

std::uint64_t UnicornIss::get_context(std::size_t offset) const {
  uc_context_save(uc_, context_);
  std::uint64_t value = 0;
  std::memcpy(&value, reinterpret_cast<const char*>(context_) + offset, sizeof value);
  return value;
}

void UnicornIss::set_context(std::size_t offset, std::uint64_t value, std::size_t bytes) {
  uc_context_save(uc_, context_);
  std::memcpy(reinterpret_cast<char*>(context_) + offset, &value, bytes);
  uc_context_restore(uc_, context_);
}

/// Finds the word of each CSR: the one that a write changes, in machine mode. The privilege is four
/// words before mstatus, and mhartid one (CPURISCVState of QEMU 5.0).
void UnicornIss::find_context() {
  struct Mark {
    TrapCsr csr;
    int id;
    std::uint64_t value;
  };
  constexpr Mark kMarks[] = {{TrapCsr::kMstatus, UC_RISCV_REG_MSTATUS, 0x1800},
                             {TrapCsr::kMedeleg, UC_RISCV_REG_MEDELEG, 0xb100},
                             {TrapCsr::kMideleg, UC_RISCV_REG_MIDELEG, 0x222},
                             {TrapCsr::kMie, UC_RISCV_REG_MIE, 0x888},
                             {TrapCsr::kMtvec, UC_RISCV_REG_MTVEC, 0x1000},
                             {TrapCsr::kMepc, UC_RISCV_REG_MEPC, 0x1000},
                             {TrapCsr::kMcause, UC_RISCV_REG_MCAUSE, 5},
                             {TrapCsr::kMtval, UC_RISCV_REG_MTVAL, 5},
                             {TrapCsr::kMip, UC_RISCV_REG_MIP, 0x222},
                             {TrapCsr::kStvec, UC_RISCV_REG_STVEC, 0x1000},
                             {TrapCsr::kSepc, UC_RISCV_REG_SEPC, 0x1000},
                             {TrapCsr::kScause, UC_RISCV_REG_SCAUSE, 5},
                             {TrapCsr::kStval, UC_RISCV_REG_STVAL, 5},
                             {TrapCsr::kSatp, UC_RISCV_REG_SATP, 1}};
  const std::size_t size = uc_context_size(uc_);
  std::vector<char> before(size);
  for (const auto& [csr, id, mark] : kMarks) {
    uc_context_save(uc_, context_);
    std::memcpy(before.data(), context_, size);
    set(id, mark);
    uc_context_save(uc_, context_);
    std::size_t changed = 0;
    for (std::size_t at = 0; at + 8 <= size; at += 8) {
      if (std::memcmp(before.data() + at, reinterpret_cast<const char*>(context_) + at, 8) == 0) {
        continue;
      }
      places_[csr] = at;
      ++changed;
    }
    set(id, 0);
    if (changed != 1) {
      throw std::runtime_error("Unicorn: this version keeps the state of a hart elsewhere");
    }
  }
  status_at_ = places_.at(TrapCsr::kMstatus);
  privilege_at_ = status_at_ - 32;
}

void UnicornIss::self_test() {
  const auto demand = [](bool fact, const char* what) {
    if (!fact) throw std::runtime_error(std::string("Unicorn: this version differs: ") + what);
  };
  demand(privilege() == Privilege::kMachine, "a hart does not begin in machine mode");
  set_context(status_at_ - 8, hart_);
  constexpr std::uint64_t kAt = 0x1000;
  constexpr std::uint64_t kBytes = 0x1000;
  void* const page = std::aligned_alloc(kBytes, kBytes);
  std::memset(page, 0, kBytes);
  const std::array<std::uint32_t, 6> program = {
      0xf1402573,  // csrr a0, mhartid
      0x344025f3,  // csrr a1, mip
      0x00000073,  // ecall
      0x00160613,  // addi a2, a2, 1
      0x0006b703,  // ld a4, 0(a3)
      0x00000073,
  };
  std::memcpy(page, program.data(), sizeof program);
  map_memory(kAt, kBytes, static_cast<unsigned char*>(page), true);
  limit_ = ~std::uint64_t{0};
  set_context(places_.at(TrapCsr::kMip), 0x880);
  uc_emu_start(uc_, kAt, kNoPc, 0, 0);
  demand(get(UC_RISCV_REG_A0) == hart_, "mhartid");
  demand(get(UC_RISCV_REG_A1) == 0x880, "mip");
  demand(exception_ == static_cast<int>(kCauseUserCall) && pc() == kAt + 12,
         "the pc of an exception");
  exception_ = -1;
  set(UC_RISCV_REG_A3, 0x123450000);
  const uc_err error = uc_emu_start(uc_, kAt + 12, kNoPc, 0, 0);
  demand(error == UC_ERR_READ_UNMAPPED && get(UC_RISCV_REG_A2) == 1 &&
             invalid_.address == 0x123450000 &&
             find_access(invalid_).value_or(Found()).pc == kAt + 16,
         "an access to nothing");
  set_privilege(Privilege::kSupervisor);
  uc_emu_start(uc_, kAt, kNoPc, 0, 0);
  demand(exception_ == static_cast<int>(kCauseIllegal) && pc() == kAt + 4,
         "supervisor mode reads mhartid");
  exception_ = -1;
  unmap(kAt, kBytes);
  std::free(page);
  set_context(places_.at(TrapCsr::kMip), 0);
  set_privilege(Privilege::kMachine);
  executed_ = 0;
}

// Memory.

void UnicornIss::map_memory(std::uint64_t address, std::uint64_t bytes, unsigned char* host,
                            bool writable) {
  const std::uint32_t rights = writable ? UC_PROT_ALL : UC_PROT_READ | UC_PROT_EXEC;
  check(uc_mem_map_ptr(uc_, address, bytes, rights, host), "map of memory");
  memories_[address] = {bytes, host};
}

void UnicornIss::map_device(std::uint64_t address, std::uint64_t bytes) {
  devices_.push_back(std::make_unique<Device>(Device{this, address, bytes}));
  void* const d = devices_.back().get();
  check(uc_mmio_map(uc_, address, bytes, &on_load, d, &on_store, d), "map of a device");
}

void UnicornIss::unmap(std::uint64_t address, std::uint64_t bytes) {
  // Unicorn keeps translated code of memory that is gone.
  uc_ctl_remove_cache(uc_, address, address + bytes);
  check(uc_mem_unmap(uc_, address, bytes), "unmap");
  memories_.erase(address);
}

/// The translated code of all memory. uc_ctl_flush_tlb() does this too, and it clears 1 GiB of the
/// host's memory for each hart.
void UnicornIss::discard_code() {
  const Privilege mode = privilege();
  set_privilege(Privilege::kMachine);  // the addresses are physical
  for (const auto& [address, memory] : memories_) {
    uc_ctl_remove_cache(uc_, address, address + memory.bytes);
  }
  set_privilege(mode);
}

std::uint64_t UnicornIss::on_load(uc_engine*, std::uint64_t offset, unsigned bytes, void* device) {
  const auto& d = *static_cast<Device*>(device);
  return d.iss->load(d, offset, bytes);
}

void UnicornIss::on_store(uc_engine*, std::uint64_t offset, unsigned bytes, std::uint64_t value,
                          void* device) {
  const auto& d = *static_cast<Device*>(device);
  d.iss->store(d, offset, bytes, value);
}

std::uint64_t UnicornIss::load(const Device& device, std::uint64_t offset, unsigned bytes) {
  const Access access{device.address + offset, bytes, false, 0};
  if (ends_half(access)) return half_value_ >> 32;
  flush_half();
  if (begins_half(access)) {
    access_bus(half_, half_value_);
    return half_value_ & 0xffffffff;
  }
  std::uint64_t value = 0;
  access_bus(access, value);
  return value;
}

void UnicornIss::store(const Device& device, std::uint64_t offset, unsigned bytes,
                       std::uint64_t value) {
  const Access access{device.address + offset, bytes, true, value};
  if (ends_half(access)) {
    half_value_ |= value << 32;
    access_bus(half_, half_value_);
    return;
  }
  flush_half();
  if (begins_half(access)) {
    half_value_ = value & 0xffffffff;
  } else {
    access_bus(access, value);
  }
}

/// Performs a store that has been taken for the lower half of one of 8 bytes, if the upper half has
/// not come next.
void UnicornIss::flush_half() {
  if (!std::exchange(half_is_open_, false) || !half_.store) return;
  half_.bytes = 4;
  access_bus(half_, half_value_);
}

/// Whether an access is the lower half of one of 8 bytes: by the instruction that does it.
bool UnicornIss::begins_half(const Access& access) {
  const std::optional<Found> found = find_access(access);
  access_from_ = found ? found->pc : block_;
  access_address_ = found ? found->address : access.address;
  access_is_atomic_ = false;
  if (!found) return false;
  unseen_ = found->atomic && !access.store ? found->pc : found->next;
  access_is_atomic_ = found->atomic;
  fences_from_ = found->end;
  half_is_open_ = found->bytes == 8 && access.bytes == 4;
  half_ = {access.address, 8, access.store, 0};
  return half_is_open_;
}

bool UnicornIss::ends_half(const Access& access) {
  if (!half_is_open_ || access.address != half_.address + 4 || access.bytes != 4 ||
      access.store != half_.store) {
    return false;
  }
  half_is_open_ = false;
  return true;
}

void UnicornIss::access_bus(const Access& access, std::uint64_t& value) {
  bool done = true;
  access_pc_ = access_from_;
  // An exception must not pass Unicorn's frames, which are C: run() throws it.
  try {
    done = access.store ? bus_.store(access.address, &value, access.bytes)
                        : bus_.load(access.address, &value, access.bytes);
  } catch (...) {
    thrown_ = std::current_exception();
    stopped_ = true;
  }
  access_pc_ = kNoPc;
  if (!done && !refused_) {
    refused_ = true;
    refused_access_ = {access_address_, access.bytes, access.store || access_is_atomic_, value};
  }
}

bool UnicornIss::on_invalid(uc_engine*, uc_mem_type type, std::uint64_t address, int bytes,
                            std::int64_t value, void* self) {
  auto& iss = *static_cast<UnicornIss*>(self);
  iss.invalid_ = {address, static_cast<unsigned>(bytes),
                  type == UC_MEM_WRITE_UNMAPPED || type == UC_MEM_WRITE_PROT,
                  static_cast<std::uint64_t>(value)};
  return iss.passes_lookup(type);
}

/// Whether an access of the hart has a virtual address.
bool UnicornIss::translates(bool fetch) const {
  constexpr unsigned kModeShift = 60;
  if (read(TrapCsr::kSatp) >> kModeShift == 0) return false;
  return access_mode({privilege(), read(TrapCsr::kMstatus), 0}, fetch) != Privilege::kMachine;
}

/// Whether Unicorn goes on with an access whose address it has looked up in vain: if the address is
/// a virtual one, of which the lookup says nothing. Unicorn demands that something is there then.
/// It cannot be mapped within the access, which holds an entry of the TLB.
bool UnicornIss::passes_lookup(uc_mem_type type) {
  if (!translates(type == UC_MEM_FETCH_UNMAPPED || type == UC_MEM_FETCH_PROT)) return false;
  gaps_wanted_ = !gaps_are_filled_;
  return gaps_are_filled_;
}

/// Maps all addresses without memory or device, but the last page, as devices. The bus refuses
/// their accesses: from now on, an access to nothing is an access fault after its basic block. For
/// good, because Unicorn takes a step for each page of what it unmaps.
void UnicornIss::fill_gaps() {
  gaps_are_filled_ = true;
  std::map<std::uint64_t, std::uint64_t> known;  // bytes by address
  for (const auto& [address, memory] : memories_) known[address] = memory.bytes;
  for (const auto& device : devices_) known[device->address] = device->bytes;
  constexpr std::uint64_t kLastPage = ~std::uint64_t{0xfff};
  known[kLastPage] = 0;
  std::uint64_t begin = 0;
  for (const auto& [address, bytes] : known) {
    if (address > begin) map_device(begin, address - begin);
    begin = address + bytes;
  }
}

// Execution.

void UnicornIss::on_exception(uc_engine* uc, std::uint32_t cause, void* self) {
  auto& iss = *static_cast<UnicornIss*>(self);
  iss.exception_ = static_cast<int>(cause);
  iss.bad_address_ = iss.get_context(iss.status_at_ - kBadAddressBefore);
  uc_emu_stop(uc);
}

void UnicornIss::on_block(uc_engine*, std::uint64_t address, std::uint32_t bytes, void* self) {
  static_cast<UnicornIss*>(self)->begin_block(address, bytes);
}

void UnicornIss::begin_block(std::uint64_t address, std::uint32_t bytes) {
  const bool ends = executed_ >= limit_ || stopped_ || refused_;
  if (debug_) {
    begin_block_debugged(address, bytes, ends);
  } else if (ends || may_interrupt_) {
    interrupts_due_ |= may_interrupt_;
    end_before(address, ends);
  } else {
    enter_block(address, bytes);
  }
}

inline void UnicornIss::enter_block(std::uint64_t address, std::uint32_t bytes) {
  flush_half();
  block_ = unseen_ = fences_from_ = address;
  block_bytes_ = bytes;
  const Block& known = blocks_[index_of(address)];
  if (known.address != address || known.bytes != bytes) learn_block(address, bytes);
  executed_ += known.instructions;
  fences_ += known.fences;
  requested_ |= known.may_request != 0;
  may_interrupt_ = known.may_enable != 0 && (wires_ != 0 || requested_);
}

std::uint64_t UnicornIss::fences() const {
  std::uint64_t later = 0;
  for (std::uint64_t at = fences_from_; at < block_ + block_bytes_;) {
    const std::uint32_t code = code_in_block(at);
    if (riscv_is_device_fence(code)) ++later;
    at += riscv_length(code);
  }
  return fences_ - later;
}

void UnicornIss::begin_block_debugged(std::uint64_t address, std::uint32_t bytes, bool ends) {
  const bool continues = debug_->continues_block();
  const bool ends_quantum = ends && !continues;
  const bool looks = may_interrupt_ && !continues;
  if (ends_quantum || looks || debug_->has_changed()) {
    interrupts_due_ |= looks;
    debug_->end_instruction();
    end_before(address, ends_quantum);
    return;
  }
  debug_->begin_block(address, executed_);
  if (debug_->looks()) learn_block(address, bytes);  // its page can be another one by now
  enter_block(address, bytes);
}

void UnicornIss::end_before(std::uint64_t address, bool quantum) {
  quantum_ended_ = quantum;
  stop_pc_ = address;
  uc_emu_stop(uc_);
}

void UnicornIss::learn_block(std::uint64_t address, std::uint32_t bytes) {
  const std::uint64_t physical = translate(address, true).value_or(address);
  blocks_[index_of(address)] = decode(address, bytes, physical);
  physical_[index_of(address)] = physical;
}

UnicornIss::Block UnicornIss::decode(std::uint64_t address, std::uint32_t bytes,
                                     std::uint64_t physical) const {
  Block block;
  block.address = address;
  block.bytes = bytes;
  for (std::uint64_t at = physical; at < physical + bytes;) {
    const std::uint32_t code = code_in_memory(at);
    ++block.instructions;
    if (riscv_is_device_fence(code)) ++block.fences;
    if (riscv_enables_interrupts(code)) block.may_enable = 1;
    if (riscv_requests_interrupts(code)) block.may_request = 1;
    at += riscv_length(code);
  }
  return block;
}

/// From a hook of an instruction.
bool UnicornIss::stop_before(std::uint64_t address) {
  end_before(address, false);
  const auto left = static_cast<std::uint32_t>(block_ + block_bytes_ - address);
  const Block rest = decode(address, left, physical_in_block(address));
  executed_ -= rest.instructions;
  fences_ -= rest.fences;
  return address != block_;
}

std::optional<std::uint64_t> UnicornIss::translate(std::uint64_t address, bool fetch) const {
  uc_context_save(uc_, context_);
  const auto word = [this](std::size_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const char*>(context_) + at, sizeof value);
    return value;
  };
  RiscvPaging paging;
  paging.privilege = static_cast<Privilege>(word(privilege_at_) & 3);
  paging.mstatus = word(status_at_);
  paging.satp = word(places_.at(TrapCsr::kSatp));
  return riscv_translate(paging, address, fetch, [this](std::uint64_t at, std::uint64_t& entry) {
    return bus_.read_debug(at, &entry, sizeof entry);
  });
}

std::uint32_t UnicornIss::code_at(std::uint64_t address) const {
  const auto physical = translate(address, true);
  return physical ? code_in_memory(*physical) : 0;
}

std::uint32_t UnicornIss::code_in_memory(std::uint64_t address) const {
  auto after = memories_.upper_bound(address);
  if (after == memories_.begin()) return 0;
  const auto& [base, memory] = *std::prev(after);
  const std::uint64_t offset = address - base;
  if (offset + 2 > memory.bytes) return 0;
  std::uint32_t code = 0;
  std::memcpy(&code, memory.host + offset, offset + 4 <= memory.bytes ? 4 : 2);
  return riscv_length(code) == 4 ? code : code & 0xffff;
}

/// The instruction of the present block that does an access, or its lower half: the first one after
/// the last access to a device that does it with the present registers. Others of the block can be
/// meant, if a base register has changed meanwhile. If one of them is of another width, the access
/// stays as it comes: each width is then right, and an access of 8 bytes is two of 4.
std::optional<UnicornIss::Found> UnicornIss::find_access(const Access& access) const {
  const auto found = find_access(access, ~std::uint64_t{0});
  if (found || !translates(false)) return found;
  // The address of an access to a device is physical, and has the offset in the page in common.
  constexpr std::uint64_t kOffset = 0xfff;
  return find_access(access, kOffset);
}

std::optional<UnicornIss::Found> UnicornIss::find_access(const Access& access,
                                                         std::uint64_t address_mask) const {
  std::optional<Found> found;
  for (std::uint64_t at = unseen_; at < block_ + block_bytes_;) {
    const std::uint32_t code = code_in_block(at);
    const std::uint64_t next = at + riscv_length(code);
    const auto a = riscv_access(code);
    if (a && does(*a, access, address_mask)) {
      if (!found) {
        const std::uint64_t address = general(a->base) + static_cast<std::uint64_t>(a->offset);
        found = Found{at, next, a->bytes, address, next, a->loads && a->stores};
      } else if (a->bytes != found->bytes) {
        found->bytes = access.bytes;
      }
      found->end = next;
    }
    at = next;
  }
  return found;
}

bool UnicornIss::does(const RiscvAccess& a, const Access& access,
                      std::uint64_t address_mask) const {
  if (!(access.store ? a.stores : a.loads)) return false;
  if (a.bytes != access.bytes && !(a.bytes == 8 && access.bytes == 4)) return false;
  const std::uint64_t address = general(a.base) + static_cast<std::uint64_t>(a.offset);
  if (((address ^ access.address) & address_mask) != 0) return false;
  if (!access.store || !a.source) return true;
  const std::uint64_t bits =
      access.bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * access.bytes) - 1;
  return ((general(*a.source) ^ access.value) & bits) == 0;
}

void UnicornIss::fault(std::uint64_t cause, std::uint64_t pc, std::uint64_t value) {
  // The handler's first instruction has not been executed.
  lost_ = cause == kCauseFetchAccess && fault_at_ == executed_;
  if (lost_) return;
  // Faults of handlers take time, so that an endless chain of them ends with the quantum.
  if (fault_at_ == executed_) ++executed_;
  fault_at_ = executed_;
  if (on_fault_) on_fault_({cause, pc, value});
  trap(cause, pc, value);
}

void UnicornIss::trap(std::uint64_t cause, std::uint64_t pc, std::uint64_t value) {
  take_trap(*this, cause, pc, value);
  if (debug_) debug_->take_trap({cause, pc, value});
}

void UnicornIss::illegal(std::uint64_t pc) {
  const std::uint32_t code = code_at(pc);
  if (reads_time(code, pc)) return;
  fault(kCauseIllegal, pc, code);
}

/// Performs csrr of `time`, which Unicorn does not have: in all modes, because it has no
/// mcounteren.
bool UnicornIss::reads_time(std::uint32_t code, std::uint64_t pc) {
  if ((code & 0xfffff07f) != (kTimeCsr << 20 | 2U << 12 | 0x73)) return false;
  const unsigned to = code >> 7 & 31;
  if (to != 0) set(UC_RISCV_REG_X0 + static_cast<int>(to), bus_.time());
  set_pc(pc + 4);
  if (debug_) debug_->end_instruction();
  return true;
}

IssStop UnicornIss::run(std::uint64_t instructions) {
  limit_ = executed_ + instructions;
  stopped_ = false;
  lost_ = false;
  interrupts_due_ = true;
  constexpr std::uint64_t kWires = kMsip | kMtip | kSeip | kMeip;
  write(TrapCsr::kMip, (read(TrapCsr::kMip) & ~kWires) | wires_);
  if (asleep_ && !wakes()) return IssStop::kWaits;
  asleep_ = false;
  return execute();
}

IssStop UnicornIss::execute() {
  for (;;) {
    if (lost_) return IssStop::kLost;
    if (debug_) {
      if (debug_->stops()) return IssStop::kBreak;
      debug_->prepare();
    }
    if (interrupts_due_) may_interrupt_ = false;
    if (interrupts_due_ && !(debug_ && debug_->steps())) {
      interrupts_due_ = false;
      constexpr std::uint64_t kBySoftware = 1U << 1 | 1U << 5 | 1U << 9;  // SSIP, STIP, SEIP
      if (requested_) requested_ = (read(TrapCsr::kMip) & kBySoftware) != 0;
      if (const auto interrupt = next_interrupt(*this)) trap(*interrupt, pc(), 0);
    }
    if (executed_ >= limit_ && !(debug_ && debug_->is_inside_block())) return IssStop::kQuantum;
    exception_ = -1;
    quantum_ended_ = false;
    const uc_err error = uc_emu_start(uc_, pc(), kNoPc, 0, 0);
    flush_half();
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    if (std::exchange(gaps_wanted_, false)) {
      fill_gaps();
      if (error != UC_ERR_FETCH_UNMAPPED) set_pc(pc_of(invalid_));
      continue;
    }
    if (stop_pc_ != kNoPc) {
      set_pc(std::exchange(stop_pc_, kNoPc));
      if (!quantum_ended_) continue;  // for an interrupt, or the debugger
    }
    if (!quantum_ended_ || refused_) interrupts_due_ = true;
    if (refused_) {
      // The block has gone on, up to its end or an exception: the trap is not precise.
      refused_ = false;
      std::uint64_t at = pc();
      if (exception_ >= 0) at -= 4;
      if (error == UC_ERR_READ_UNMAPPED || error == UC_ERR_WRITE_UNMAPPED ||
          error == UC_ERR_READ_PROT || error == UC_ERR_WRITE_PROT) {
        at = pc_of(invalid_);
      }
      fault(refused_access_.store ? kCauseStoreAccess : kCauseLoadAccess, at,
            refused_access_.address);
      continue;
    }
    switch (error) {
      case UC_ERR_OK:
        break;
      case UC_ERR_READ_UNMAPPED:
      case UC_ERR_WRITE_UNMAPPED:
      case UC_ERR_READ_PROT:
      case UC_ERR_WRITE_PROT: {
        const auto found = find_access(invalid_);
        const bool store = invalid_.store || (found && found->atomic);
        fault(store ? kCauseStoreAccess : kCauseLoadAccess, pc_of(invalid_), invalid_.address);
        continue;
      }
      case UC_ERR_FETCH_UNMAPPED:
      case UC_ERR_FETCH_PROT:
        fault(kCauseFetchAccess, pc(), pc());
        continue;
      case UC_ERR_INSN_INVALID: {
        const std::uint32_t code = code_at(pc());
        if (code == kEbreak || code == kCompressedEbreak) {
          fault(kCauseBreakpoint, pc(), pc());
        } else {
          illegal(pc());
        }
        continue;
      }
      default:
        throw std::runtime_error(std::string("Unicorn: ") + uc_strerror(error));
    }
    if (exception_ >= 0) {
      const std::uint64_t at = pc() - 4;
      auto cause = static_cast<std::uint64_t>(exception_);
      set_pc(at);
      if (cause == kCauseIllegal) {
        illegal(at);
      } else {
        if (cause == kCauseUserCall) cause += static_cast<std::uint64_t>(privilege());
        const bool of_page = cause == 12 || cause == 13 || cause == 15;
        fault(cause, at, of_page ? bad_address_ : 0);
      }
      continue;
    }
    if (debug_) {
      debug_->end_instruction();
      if (debug_->has_stop()) continue;
    }
    if (!quantum_ended_ && !wakes()) {  // WFI
      asleep_ = true;
      return IssStop::kWaits;
    }
    if (stopped_) return IssStop::kStopped;
    if (quantum_ended_) return IssStop::kQuantum;
  }
}

IssDebug* UnicornIss::debug() {
  if (debug_) return debug_.get();
  UnicornHart hart;
  hart.uc = uc_;
  hart.state = this;
  hart.code_at = [this](std::uint64_t pc) { return code_in_block(pc); };
  hart.translate = [this](std::uint64_t address) { return translate(address, false); };
  hart.in_access = [this] { return access_pc_ != kNoPc; };
  hart.pc = [this] { return pc(); };
  hart.discard_code = [this] { discard_code(); };
  hart.write_pc = [this](std::uint64_t pc) {
    set_pc(pc);
    asleep_ = false;
  };
  hart.resume = [this](std::uint64_t instructions) {
    limit_ = executed_ + instructions;
    return execute();
  };
  hart.stop_before = [this](std::uint64_t pc) { return stop_before(pc); };
  debug_ = std::make_unique<UnicornDebug>(std::move(hart));
  return debug_.get();
}

void UnicornIss::reset(std::uint64_t pc, std::uint64_t argument) {
  set_privilege(Privilege::kMachine);
  set(UC_RISCV_REG_MSTATUS, 0);
  set(UC_RISCV_REG_MIE, 0);
  set(UC_RISCV_REG_A0, hart_);
  set(UC_RISCV_REG_A1, argument);
  set_pc(pc);
  executed_ = fences_ = 0;
  asleep_ = false;
}

// State.

std::uint64_t UnicornIss::read(TrapCsr csr) const {
  if (csr == TrapCsr::kSstatus) return get_context(status_at_) & kSupervisorStatus;
  return get_context(places_.at(csr));
}

void UnicornIss::write(TrapCsr csr, std::uint64_t value) {
  if (csr == TrapCsr::kSstatus) {
    const std::uint64_t others = get_context(status_at_) & ~kSupervisorStatus;
    return set_context(status_at_, others | (value & kSupervisorStatus));
  }
  set_context(places_.at(csr), value);
}

Privilege UnicornIss::privilege() const {
  return static_cast<Privilege>(get_context(privilege_at_) & 3);
}

void UnicornIss::set_privilege(Privilege privilege) {
  set_context(privilege_at_, static_cast<std::uint64_t>(privilege));
}

}  // namespace

}  // namespace tessera

extern "C" tessera::Iss* tessera_make_iss(std::uint32_t hart, tessera::IssBus* bus) {
  return new tessera::UnicornIss(hart, *bus);
}
