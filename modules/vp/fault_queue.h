// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <systemc>

#include "modules/kernel/block_base.h"
#include "modules/kernel/time.h"
#include "modules/vp/fault_queue_registers.h"
#include "modules/vp/mmio.h"

namespace tessera {

struct FaultQueueStats {
  Counter faults = 0;
  Counter placed = 0;
  Counter errors = 0;
  Histogram latency;
  Occupancy pending;
};

void describe(StatisticsVisitor& v, FaultQueueStats& s);

/// A page fault that waits for software.
struct SoftwareFault {
  static constexpr std::uint64_t kNoSm = ~std::uint64_t{0};

  std::uint64_t address = 0;  ///< of the page's first byte, virtual
  std::uint64_t sm = kNoSm;   ///< of the whole system; kNoSm: the requester is no SM
  std::uint64_t gpu = 0;
  std::uint64_t local = 0;  ///< the memory nearest to the requester
  std::uint64_t array = 0;  ///< the allocation that has the page: address of its first page
  std::uint64_t array_bytes = 0;
};

struct FaultQueueSite {
  std::uint32_t memories = 1;
  std::uint64_t page_bytes = 4096;
  /// Software handles the faults from now on; false: the driver of the platform does.
  std::function<void(bool software)> hand_over;
  /// Places a page, and ends its fault.
  std::function<void(std::uint64_t address, std::uint32_t memory)> place;
  /// Called when a fault begins to wait for software, and when it no longer does. Can be empty.
  std::function<void(const SoftwareFault& fault, bool waits)> on_wait = {};
};

/// The queue of page faults that software handles in place of the platform's driver: it chooses the
/// memory of the page that faulted, and the accesses that wait for it go on. Registers of 64 bits,
/// also accessed as halves of 32: FaultQueueRegister.
///
/// `interrupt` is level-sensitive: high while a fault waits and CONTROL enables it. Registers take
/// no time; the GPU goes on at the clock edge of its driver after PLACE.
class FaultQueue final : public BlockBase<NoConfig, FaultQueueStats, FaultQueueSite>,
                         private MmioRegisters {
 public:
  using Register = FaultQueueRegister;
  using Status = FaultQueueStatus;

  tlm_utils::simple_target_socket<FaultQueue> in;
  sc_core::sc_out<bool> interrupt;

  FaultQueue(const sc_core::sc_module_name& name, FaultQueueSite site);

  void push(const SoftwareFault& fault);

  bool idle() const override { return faults_.empty(); }
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;

 private:
  struct Fault {
    SoftwareFault record;
    Tick since = 0;
  };

  void blocking(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(tlm::tlm_generic_payload& payload);
  bool read_register(std::uint64_t offset, unsigned bytes, Tick at, std::uint64_t& value) override;
  bool write_register(std::uint64_t offset, unsigned bytes, Tick at, std::uint64_t value) override;
  std::uint64_t oldest(std::uint64_t SoftwareFault::*field) const {
    return faults_.empty() ? 0 : faults_.front().record.*field;
  }
  void set_control(std::uint64_t control);
  Status place(std::uint64_t memory, Tick at);
  void report(const SoftwareFault& fault, bool waits) {
    if (site_.on_wait) site_.on_wait(fault, waits);
  }
  void drive();

  const FaultQueueSite site_;
  std::deque<Fault> faults_;
  std::uint64_t control_ = 0;
  Status status_ = Status::kOk;
  sc_core::sc_event changed_;
};

}  // namespace tessera
