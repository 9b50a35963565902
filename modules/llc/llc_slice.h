// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <systemc>
#include <tlm>

#include "modules/kernel/block_base.h"
#include "modules/kernel/launch_counts.h"
#include "modules/llc/llc_config.h"
#include "modules/llc/slice_site.h"
#include "modules/protocol/flush.h"
#include "modules/protocol/holds_bytes.h"

namespace tessera {

/// A last-level-cache slice: the home of the lines of its address range, in front of one DRAM
/// channel, or a cache of other nodes' lines. The role (SliceSite::role, modules/llc/roles)
/// selects.
///
/// Hardware (NUBA section 3, figure 5): requests of local SMs wait in the LMR queue, requests from
/// the network in the RMR queue. One request a cycle accesses the tag and data arrays; if both
/// queues have a request, `llc.arbitration` selects the queue (default: in turn). Write-back; LRU
/// by default. A write that misses allocates a way without fetching the line, and the slice records
/// the valid bytes. A read of a line that is not completely valid fetches it and merges the bytes.
/// The home performs atomics in groups of lanes (atomic_cycles()), one group a cycle.
///
/// Timing: a request that arrives at cycle c is looked up at c + latency - 1 at the earliest, one a
/// cycle. The response to a hit (and the acknowledgement of a write) arrives at the requester one
/// cycle after the lookup, so that a hit without contention takes `latency_cycles`. The request of
/// a miss arrives at the channel (or the network) one cycle after the lookup, too; the response to
/// the miss arrives at the requester one cycle after the line has arrived. (The latency precedes
/// the lookup. For one request a cycle, this is equivalent to a pipeline after the lookup, and
/// saves one process activation.) A request that bypasses the arrays, and the response to it,
/// leaves one cycle after its arrival. A flush visits one way a cycle and writes dirty lines
/// back; it ends when all write-backs are acknowledged.
///
/// Accesses to a line that is being fetched wait in its MSHR and take effect in order.
/// Phases: all four; early completion if the queue has a free entry.
/// Not modelled: ECC, sectored tags, data-array banking, bandwidth of the link to the channel.
///
/// Constructed by make_llc_slice(). This class is the public interface of a slice. SliceStages
/// holds the state and the stages that are common to all roles. SlicePipeline adds transport,
/// process and role.
class LlcSlice : public BlockBase<LlcSliceConfig, LlcSliceStats, SliceSite>,
                 public SliceFlushIf,
                 public PageDropIf,
                 public HoldsBytes {
 public:
  /// Roles are registered as the policies of this family (policies/registry.h).
  static constexpr const char* kFamily = "slice";
  static constexpr const char* kNoun = "role";
  using Context = SliceContext;

  /// One per input of the site, local inputs first.
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<LlcSlice>> in;
  /// To the channel or to the block that replaces it in the role (SliceRole::kBelow).
  tlm_utils::simple_initiator_socket<LlcSlice> memory;
  /// To other slices, or (role "last_sharer") to the cores. Unbound if the role reaches neither.
  tlm_utils::simple_initiator_socket_optional<LlcSlice> remote;

  /// Whether the role has a way to other slices or to the cores: `remote` is to be bound.
  virtual bool reaches_slices() const = 0;
  LaunchCounts& launch_counts() { return counts_; }

  /// SliceFlushIf. Whether a copy of another node's line has been installed since the last flush.
  bool needs_flush() const override { return holds_copies_; }

 protected:
  LlcSlice(const sc_core::sc_module_name& name, const LlcSliceConfig& config,
           const SliceSite& site);

  LaunchCounts counts_;
  bool holds_copies_ = false;
};

}  // namespace tessera
