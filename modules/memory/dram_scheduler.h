// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "modules/core/stats.h"
#include "modules/core/unlikely.h"
#include "policies/policy_choice.h"

namespace tessera {

struct DramConfig;

/// A count of memory clocks.
using MemoryCycle = std::uint64_t;
inline constexpr MemoryCycle kNoCycle = ~MemoryCycle{0};

struct DramCommand {
  enum class Kind : std::uint8_t {
    kActivate,
    kPrecharge,
    kAutoPrecharge,  ///< as part of a column command; `cycle` is when the bank begins to close
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

/// Sees every command, for tests and traces. Auto-precharge and the later columns of an access are
/// told when they are decided, before their cycle.
class DramCommandObserver {
 public:
  virtual ~DramCommandObserver() = default;
  virtual void on_command(const DramCommand& command) = 0;
};

/// What the controller did, counted when decided.
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

/// What the scheduler of one channel gets. `config` and `counts`, which is only added to, outlive
/// it.
struct DramSchedulerContext {
  const DramConfig* config = nullptr;
  std::uint32_t line_bytes = 128;
  DramCommandCounts* counts = nullptr;
};

/// Which command of a channel goes when, without SystemC: the queue of a controller.
///
/// Contract: a scheduler knows requests by slot, bank, row and direction, and decides by these,
/// their arrival and the configuration alone. It must not change the controller's state: payloads,
/// ports and slots are the channel's, which takes a slot back when tick() has issued its access.
/// Commands are legal (DramTiming), one row and one column command a clock at most; each is counted
/// when it is decided and shown to the observer. Nothing is allocated after construction.
class DramScheduler : public Policy {
 public:
  static constexpr const char* kFamily = "dram_scheduler";
  using Context = DramSchedulerContext;
  static Context example_context();

  /// A place in the queue; the caller gives them out, 0 to queue_entries - 1.
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

  /// A request that may be served from `cycle` on. Younger than all before it.
  virtual void enqueue(Slot slot, const Request& request, MemoryCycle cycle) = 0;

  /// Issues what is legal at `cycle`: at most one row and one column command. Call in order of
  /// cycle, once a cycle, at least at each next_cycle().
  virtual Issued tick(MemoryCycle cycle) = 0;

  /// The next cycle at which a command is legal (or a refresh due), if nothing arrives before;
  /// kNoCycle when nothing is queued. Valid after tick().
  virtual MemoryCycle next_cycle() const = 0;

  /// The access whose column command goes next as far as is known, or kNoSlot.
  virtual Slot next_slot() const = 0;
  virtual void reset() = 0;

  bool empty() const { return waiting_[0] + waiting_[1] == 0; }
  std::uint32_t waiting_reads() const { return waiting_[0]; }
  std::uint32_t waiting_writes() const { return waiting_[1]; }
  /// nullptr: nobody watches.
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
