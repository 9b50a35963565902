// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/cache/cache_array.h"
#include "modules/cache/mshr.h"
#include "modules/kernel/block_base.h"
#include "modules/kernel/launch_counts.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/stall_tracker.h"
#include "modules/kernel/timed_queue.h"
#include "modules/protocol/backdoor.h"
#include "modules/protocol/flush.h"
#include "modules/protocol/payload_check.h"
#include "modules/protocol/request_port.h"
#include "modules/protocol/response_port.h"
#include "modules/sm/access_observer.h"
#include "modules/sm/home_counts.h"
#include "modules/sm/l1_probe_port.h"
#include "modules/sm/l1_role.h"

namespace tessera {

struct L1Site;

/// A streaming multiprocessor's first-level data cache.
///
/// Hardware (NUBA Table 1, section 5.3): write-through, no allocation on a write, MSHRs with
/// merging, LRU by default. Ways are allocated when the line arrives (if reserve_frames: when the
/// miss leaves). Not coherent: flushed at kernel ends and by fences. Atomics and accesses past the
/// L1 are forwarded; an atomic invalidates the line. Optional: a scalar cache, a second array for
/// uniform loads of read-only data, which the role and probes do not see (L1Config).
///
/// Timing: an access that arrives at cycle c is looked up at c + latency - 1 at the earliest, one a
/// cycle. A cycle later, the data of a hit is at the core, after `latency_cycles` without
/// contention, or the request of a miss is at the next level. The data of a filled line arrives at
/// the core one cycle after the line, one access a cycle.
///
/// A load that misses is forwarded itself and returns with the line. Accesses to a line that is
/// being fetched take effect in order when it arrives; a store is also forwarded. The role
/// (modules/sm/l1_role.h) selects the handling of an access to another node's line: like any other
/// access, or past the array. If nothing is looked up before a response arrives, its effects are
/// computed in the call that announces it. The initiator keeps a payload alive until its response;
/// a store in an MSHR holds its own reference. Phases: all four. Not modelled: sectors, bank
/// conflicts of the data array. L1Pipeline, constructed by make_l1_cache(), adds backward
/// transport, process and role. Addresses are physical. probe_port(): lookups by other cores.
class L1Cache : public BlockBase<L1Config, L1Stats, L1Site>, public FlushIf, public HoldsBytes {
 public:
  static constexpr const char* kFamily = "L1";
  static constexpr const char* kNoun = "role";
  using Context = L1Context;  ///< roles register as a family of this class (policies/registry.h)

  tlm_utils::passthrough_target_socket<L1Cache> core;
  tlm_utils::simple_initiator_socket<L1Cache> memory;
  sc_core::sc_export<FlushIf> control;

  LaunchCounts& launch_counts() { return counts_; }
  L1ProbeIf& probe_port() { return probes_; }

  void observe(L1AccessObserver& observer) { observer_ = &observer; }

  /// Invalidates all lines at the next clock edge. Lines being fetched will not be installed.
  void flush() override;
  void overlay(std::uint64_t, unsigned char*) override {}  // write-through: nothing newer is here
  void replace(std::uint64_t address, const unsigned char* bytes, const ByteMask& mask) override;
  void use(Backdoor& backdoor) override { untimed_ = &backdoor; }
  bool idle() const override;
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 protected:
  using Payload = tlm::tlm_generic_payload;
  struct Access {
    Payload* payload = nullptr;
    MemoryRequest* request = nullptr;
  };
  using Misses = Mshr<Access, MshrHolds::kNoAccess>;  ///< the entry does not hold the fetching load
  using Lookup = L1Lookup;

  L1Cache(const sc_core::sc_module_name& name, const L1Config& config, const AddressMap& map,
          const L1RoleSite& site);

  void end_of_elaboration() override;
  void end_of_simulation() override;

  tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void blocking(Payload& payload, sc_core::sc_time& delay);
  unsigned debug(Payload& payload);

  void drop_lines();
  Tick soonest_lookup() const;
  void fill(Misses::Entry& entry, Tick t);
  void refuse_fill(Misses::Entry& entry);
  void send_all(Tick t);
  void send_to_core(Tick t);
  void send_to_memory(Tick t);
  Lookup load(const Access& a, Tick t);
  Lookup load_scalar(const Access& a, Tick t);
  Lookup load_past_array(const Access& a, std::uint32_t word_mask, Tick t);
  Lookup write_or_atomic(const Access& a, Tick t);
  bool reserve_way(CacheArray& array, std::uint64_t line);
  void fetch(const Access& a, std::uint64_t line, std::uint32_t word_mask, bool bypass, Tick t);
  void forward_access(const Access& a, Tick t);
  void account(const MemoryRequest& request, Tick t);
  void schedule_next(Tick t);
  bool is_scalar(const MemoryRequest& r) const { return scalar_ != nullptr && r.uniform; }
  CacheArray& array_of(const MemoryRequest& r) { return is_scalar(r) ? *scalar_ : array_; }
  std::uint64_t line_of(const Payload& p) const { return p.get_address() >> line_shift_; }

  const unsigned line_shift_;
  const AddressMap& map_;
  const ClockDomain clock_;
  PayloadCheck check_;

  CacheArray array_;
  const std::unique_ptr<CacheArray> scalar_;  ///< null: none
  Misses mshr_;
  TimedQueue<Access> pipeline_;
  UnscheduledResponsePort<QueuedOutput<ResponseSender>> core_port_;
  UnscheduledRequestPort<QueuedOutput<RequestSender>> memory_port_;
  ProcessTimer wake_;
  L1ProbePort probes_;
  Tick lookup_free_at_ = 0;
  Tick flush_at_ = kNever;
  Tick evicts_at_ = 0;  ///< time at which the last fill with an eviction takes effect
  bool stalled_ = false;
  StallTracker stall_tracker_;   ///< the head of the pipeline
  bool no_free_way_ = false;     ///< the last lookup stalled because no way was free
  std::uint64_t forwarded_ = 0;  ///< forwarded accesses that wait for a response
  LaunchCounts counts_;          ///< of loads
  HomeCounts homes_;
  L1AccessObserver* observer_ = nullptr;
  Backdoor own_untimed_;
  Backdoor* untimed_ = &own_untimed_;
};

}  // namespace tessera
