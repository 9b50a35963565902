// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "modules/kernel/stats.h"
#include "modules/kernel/unlikely.h"
#include "policies/policy_choice.h"

namespace tessera {

struct DramConfig;

/// Number of memory clocks.
using MemoryCycle = std::uint64_t;
inline constexpr MemoryCycle kNoCycle = ~MemoryCycle{0};

struct DramCommand {
  enum class Kind : std::uint8_t {
    kActivate,
    kPrecharge,
    kAutoPrecharge,  ///< part of a column command; `cycle`: start of the bank's precharge
    kRead,
    kWrite,
    kPrechargeAll,
    kRefresh,
  };
  Kind kind = Kind::kActivate;
  std::uint32_t bank = 0;
  std::uint32_t row = 0;
  MemoryCycle cycle = 0;
};

/// Observes every command, for tests and traces. Auto-precharge and the later columns of an access
/// are reported when they are decided, before their cycle.
class DramCommandObserver {
 public:
  virtual ~DramCommandObserver() = default;
  virtual void on_command(const DramCommand& command) = 0;
};

/// Counts of the controller's commands, incremented when a command is decided.
struct DramCommandCounts {
  Counter reads = 0;
  Counter writes = 0;
  Counter activates = 0;
  Counter precharges = 0;
  Counter row_hits = 0;
  Counter row_misses = 0;
  Counter row_conflicts = 0;
  Counter refreshes = 0;
  Counter drains = 0;
  Counter bus_busy_clocks = 0;
};

/// Inputs of one channel's scheduler. `config` and `counts` outlive it. The scheduler only
/// increments `counts`.
struct DramSchedulerContext {
  const DramConfig* config = nullptr;
  std::uint32_t line_bytes = 128;
  DramCommandCounts* counts = nullptr;
};

/// Selects the next command of a channel and its cycle: the queue of a controller, without SystemC.
///
/// Contract: a scheduler knows a request by its slot, bank, row and direction. It decides by these,
/// by the order of arrival and by the configuration only. It must not change the controller's
/// state: payloads, ports and slots belong to the channel, which releases a slot after tick() has
/// issued its access. All commands are legal (DramTiming); at most one row and one column command
/// is issued per clock. Each command is counted and reported to the observer when it is decided. A
/// scheduler allocates no memory after construction.
class DramScheduler : public Policy {
 public:
  static constexpr const char* kFamily = "dram_scheduler";
  using Context = DramSchedulerContext;
  static Context example_context();

  /// An entry of the queue. The caller assigns slots 0 to queue_entries - 1.
  using Slot = std::uint16_t;
  static constexpr Slot kNoSlot = 0xffff;

  struct Request {
    std::uint32_t bank = 0;
    std::uint32_t row = 0;
    bool write = false;
  };

  /// The access whose column command was issued.
  struct Issued {
    Slot slot = kNoSlot;
    bool write = false;
    MemoryCycle arrived = 0;
    MemoryCycle data_end = 0;  ///< the clock after its last data
  };

  /// Adds a request that can be issued from `cycle` on. It is younger than all queued requests.
  virtual void enqueue(Slot slot, const Request& request, MemoryCycle cycle) = 0;

  /// Issues the commands that are legal at `cycle`: at most one row and one column command. Must be
  /// called in ascending order of cycle, at most once per cycle, and at least at each next_cycle().
  virtual Issued tick(MemoryCycle cycle) = 0;

  /// The next cycle at which a command is legal or a refresh is due, unless a request arrives
  /// earlier; kNoCycle if the queue is empty. Valid after tick().
  virtual MemoryCycle next_cycle() const = 0;

  /// The access of the next planned column command, or kNoSlot.
  virtual Slot next_slot() const = 0;
  virtual void reset() = 0;

  bool empty() const { return waiting_[0] + waiting_[1] == 0; }
  std::uint32_t waiting_reads() const { return waiting_[0]; }
  std::uint32_t waiting_writes() const { return waiting_[1]; }
  /// nullptr: no observer.
  void observe(DramCommandObserver* observer) { observer_ = observer; }

 protected:
  void notify(DramCommand::Kind kind, std::uint32_t bank, std::uint32_t row,
              MemoryCycle cycle) const {
    if (unlikely(observer_ != nullptr)) observer_->on_command({kind, bank, row, cycle});
  }

  std::array<std::uint32_t, 2> waiting_{};  ///< queued reads, writes
  DramCommandObserver* observer_ = nullptr;
};

}  // namespace tessera
