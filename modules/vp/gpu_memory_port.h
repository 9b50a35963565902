// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/kernel/block_base.h"
#include "modules/kernel/thread_timer.h"
#include "modules/kernel/time.h"

namespace tessera {

/// Of the link to a platform without a CPU. The defaults are ours: a load of about a microsecond,
/// and the bandwidth of PCIe 4.0 with 16 lanes.
struct GpuMemoryPortConfig {
  std::uint64_t latency_ns = 450;  ///< in each direction
  std::uint64_t bytes_per_second = 31'500'000'000;

  std::vector<std::string> validate() const;
};

struct GpuMemoryPortStats {
  Counter loads = 0;
  Counter stores = 0;
  Counter bytes = 0;
  Counter refused = 0;
  Histogram load_latency;
  Histogram store_latency;
};

void describe(StatisticsVisitor& v, GpuMemoryPortStats& s);

struct GpuMemoryPortSite {
  using Done = std::function<void()>;

  std::uint32_t harts = 1;
  /// Reads or writes the newest bytes at virtual addresses, without time. False: outside all
  /// allocations.
  std::function<bool(tlm::tlm_command, std::uint64_t address, unsigned char* data,
                     std::uint64_t bytes)>
      access;
  /// Whether accesses take their time. Empty: they do.
  std::function<bool()> timed;
  /// The access through the coherent caches of a CPU core; `done` is called at the end, and `data`
  /// is used until then. Empty: the platform has no CPU.
  std::function<bool(std::uint32_t hart, tlm::tlm_command, std::uint64_t address,
                     unsigned char* data, std::uint64_t bytes, Done done)>
      access_by_cpu;
};

/// The way of RISC-V cores to the memory of GPUs, by virtual address.
///
/// Timing, on a platform with a CPU: the access goes through the caches of a CPU core (CpuCore, at
/// its clock), and the initiator waits for its end. On others, it goes over a link. A store is
/// posted: the initiator goes on when the link has taken its bytes. A load takes both latencies
/// after that. Bytes are read and written at the access's own time.
///
/// b_transport waits, so that the initiator's process is an SC_THREAD: first until the access's own
/// time. The payload's InitiatingHart selects the CPU core. transport_dbg takes no time. Not
/// modelled: contention of the link's accesses with the GPUs' own at the memory, DMI, byte enables,
/// atomics (a load and a store).
class GpuMemoryPort final
    : public BlockBase<GpuMemoryPortConfig, GpuMemoryPortStats, GpuMemoryPortSite> {
 public:
  tlm_utils::simple_target_socket<GpuMemoryPort> in;

  GpuMemoryPort(const sc_core::sc_module_name& name, const GpuMemoryPortConfig& config,
                GpuMemoryPortSite site);

  bool idle() const override { return waiting_ == 0; }
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;

 private:
  void blocking(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(tlm::tlm_generic_payload& payload);
  bool access_by_cpu(tlm::tlm_generic_payload& payload, ThreadTimer& wake, std::uint32_t hart);
  /// Returns the time until the initiator goes on.
  Tick access_by_link(bool load, std::uint64_t bytes);

  const GpuMemoryPortSite site_;
  std::vector<std::unique_ptr<ThreadTimer>> wakes_;  ///< of the initiators, by hart
  Tick link_free_at_ = 0;
  std::uint32_t waiting_ = 0;
};

}  // namespace tessera
