// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/kernel/block_base.h"
#include "modules/kernel/thread_timer.h"
#include "modules/kernel/time.h"
#include "modules/vp/board_bus.h"
#include "modules/vp/initiating_hart.h"
#include "modules/vp/iss.h"

namespace tessera {

/// All defaults are ours.
struct RiscvCoreConfig {
  std::uint64_t clock_hz = 1'000'000'000;
  std::uint32_t cycles_per_instruction = 1;
  /// Instructions that the core executes ahead of simulated time, 1 to 10^6.
  std::uint32_t quantum = 1000;

  std::vector<std::string> validate() const;
};

struct RiscvCoreStats {
  Counter instructions = 0;
  Counter loads = 0;
  Counter stores = 0;
  Counter faults = 0;
  Counter waits = 0;
  Tick waiting = 0;
};

void describe(StatisticsVisitor& v, RiscvCoreStats& s);

/// What a core does not have in its configuration.
struct RiscvCoreSite {
  std::uint32_t hart = 0;
  std::uint64_t reset_pc = 0;
  std::uint64_t argument = 0;  ///< a1 after reset: address of the device tree
  std::vector<BoardRange> ranges;
  /// The `time` CSR as of a time.
  std::function<std::uint64_t(Tick)> time;
  std::function<std::unique_ptr<Iss>(std::uint32_t hart, IssBus& bus)> make_iss;
};

/// What a core does.
enum class CoreActivity : std::uint8_t {
  kExecutes,
  kWaits,    ///< in WFI
  kStopped,  ///< a debugger holds it, or it has no handler for an exception
};

/// A RISC-V core (RV64GC, M, S and U mode): executes instructions on an Iss. Instruction fetches,
/// and accesses to memory that grants DMI, do not leave the core; other accesses are loosely timed
/// transactions of 1 to 8 bytes.
///
/// Timing: an instruction takes `cycles_per_instruction`, an access as long as its target says. The
/// core executes `quantum` instructions at once, and then waits until simulated time has caught up.
/// An access is made when all instructions of its basic block have taken their time. It ends the
/// quantum after that block, because it can change an interrupt. An interrupt that rises meanwhile
/// is taken at the end of the quantum. In WFI the core waits for an interrupt that mie enables, and
/// goes on when it rises. A target can wait in b_transport. Payloads have an InitiatingHart.
///
/// The core's process is an SC_THREAD, whose stack the Iss uses.
///
/// A refused access is an access fault of the core: precise for an address without a device, after
/// the basic block for an error of a device. Not modelled: caches and pipelines of the core.
class RiscvCore final : public BlockBase<RiscvCoreConfig, RiscvCoreStats, RiscvCoreSite>,
                        private IssBus {
 public:
  tlm_utils::simple_initiator_socket<RiscvCore> bus;
  sc_core::sc_in<bool> software;             ///< msip
  sc_core::sc_in<bool> timer;                ///< mtip
  sc_core::sc_in<bool> external;             ///< meip
  sc_core::sc_in<bool> supervisor_external;  ///< seip

  RiscvCore(const sc_core::sc_module_name& name, const RiscvCoreConfig& config, RiscvCoreSite site);

  Iss& iss() { return *iss_; }
  /// The core executes nothing more after its present basic block.
  void halt();
  /// Whether an access, or instructions ahead of simulated time, take their time.
  bool busy() const { return busy_until_ > now(); }
  /// Called at each synchronous exception that software takes. Can be empty.
  std::function<void(const IssFault&)> on_fault;
  /// Called when the core has taken an exception and there is no handler: it has halted.
  std::function<void()> on_lost;
  /// Called when the activity changes at a time, which can be later than the present: until then, a
  /// further call for that time or an earlier one replaces it. Also called without a change. Can be
  /// empty.
  std::function<void(CoreActivity activity, Tick at)> on_activity;
  /// Called for an access outside of the core's memory that takes time: up to the clock edge at
  /// which the core can go on, or until its next access. `end` can be later than the present. Can
  /// be empty.
  std::function<void(Tick begin, Tick end)> on_access;
  /// Called when interrupt wires rise: bits of mip. Can be empty.
  std::function<void(std::uint64_t risen)> on_interrupt;
  /// Executes a quantum in place of iss().run(), for a debugger. Can be empty.
  std::function<IssStop(std::uint64_t instructions)> execute;

  /// Ends WFI.
  void wake();
  /// The core's time before an instruction of the present quantum (IssInstruction::instructions).
  Tick time_at(std::uint64_t instructions) const;

  /// Of the next quantum. config() is that of the elaboration.
  const RiscvCoreConfig& timing() const { return timing_; }
  /// Takes effect with the next quantum. Precondition: valid.
  void set_timing(const RiscvCoreConfig& timing);

  bool idle() const override { return waits_; }
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  void end_of_elaboration() override;
  void start_of_simulation() override;
  void invalidate_direct(sc_dt::uint64 begin, sc_dt::uint64 end);
  void process();
  void run_quantum();
  void report(CoreActivity activity, Tick at) {
    if (on_activity) on_activity(activity, at);
  }
  void wake_at(Tick t);
  void sample();
  void map(const BoardRange& range);
  bool load(std::uint64_t address, void* data, unsigned bytes) override;
  bool store(std::uint64_t address, const void* data, unsigned bytes) override;
  std::uint64_t time() override { return site_.time(local_time()); }
  bool read_debug(std::uint64_t address, void* data, unsigned bytes) override;
  bool access(tlm::tlm_command command, std::uint64_t address, unsigned char* data, unsigned bytes);
  /// Of the core: the present simulated time or later.
  Tick local_time() const;

  const RiscvCoreSite site_;
  RiscvCoreConfig timing_;
  std::optional<ClockDomain> clock_;  ///< never empty
  std::unique_ptr<Iss> iss_;
  Tick begun_at_ = 0;        ///< the present quantum
  std::uint64_t first_ = 0;  ///< instructions before the present quantum
  Tick accesses_ = 0;        ///< time of the accesses in the present quantum
  Tick busy_until_ = 0;
  std::uint64_t pending_ = 0;  ///< the wires, bits of mip
  Tick due_ = kNever;          ///< of the next quantum
  Tick waits_since_ = 0;
  bool waits_ = false;
  bool halted_ = false;
  ThreadTimer wake_;
  InitiatingHart hart_;
};

}  // namespace tessera
