// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <systemc>
#include <tlm>

#include "modules/core/block.h"
#include "modules/core/flush.h"
#include "modules/core/holds_bytes.h"
#include "modules/core/prefetch.h"
#include "modules/llc/llc_config.h"
#include "modules/llc/slice_site.h"

namespace tessera {

/// A last-level-cache slice: home of the lines of its address range, in front of one DRAM channel,
/// or a cache of other nodes' lines; its role (SliceSite::role, modules/llc/roles) says which.
///
/// Hardware (NUBA section 3, figure 5): requests from local SMs stand in the LMR queue, requests
/// from the network in the RMR queue; one request a cycle goes to the tag and data arrays, of the
/// queue that llc.arbitration names when both have one (in turn). Write-back, LRU. A write that
/// misses takes a line without fetching it and remembers which bytes are valid; a read of a line
/// that is not wholly valid fetches it and merges. Atomics are performed at home,
/// `atomic_lanes_per_cycle` a cycle.
///
/// Timing: a request that arrives at cycle c is looked up at c + latency - 1 at the earliest, one
/// a cycle; a hit's answer (and a write's acknowledgement) is at the requester's side one cycle
/// later, so a lone hit takes `latency_cycles`. A miss's request reaches the channel (or the
/// network) as late as a hit's answer would have left, and the answer leaves one cycle after the
/// line has come. (The latency lies before the lookup: for one request a cycle this is the same as
/// a pipeline behind it, and costs one activation less.) What goes round the arrays, and the answer
/// to it, leaves a cycle after it has come. A flush passes over a frame a cycle, writes dirty lines
/// back, and is done when all are acknowledged.
///
/// Accesses to a line that is being fetched wait in its MSHR and take effect in order.
/// Phases: all four; early completion where there is room.
/// Not modelled: ECC, sectored tags, data-array banking, bandwidth of the link to the channel.
///
/// Made by make_llc_slice(). This is what the outside sees of a slice; SliceStages is what all
/// slices have inside, SlicePipeline the way of a request through them and its role.
class LlcSlice : public sc_core::sc_module,
                 public Block,
                 public SliceFlushIf,
                 public PageDropIf,
                 public HoldsBytes {
 public:
  /// Roles are registered as the policies of this family (policies/registry.h).
  static constexpr const char* kFamily = "slice";
  static constexpr const char* kNoun = "role";
  using Context = SliceContext;

  /// One for each of the site's inputs, local ones first.
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<LlcSlice>> in;
  /// To the channel, or what the role has in its place.
  tlm_utils::simple_initiator_socket<LlcSlice> memory;
  /// To other slices; stays unbound where the role has no way to any.
  tlm_utils::simple_initiator_socket_optional<LlcSlice> remote;

  /// Whether the role has a way to other slices: `remote` is to be bound.
  virtual bool reaches_slices() const = 0;
  const LlcSliceConfig& config() const { return config_; }
  const LlcSliceStats& stats() const { return stats_; }

  void register_statistics(StatisticsRegistry& registry) const override;

  /// SliceFlushIf. A copy of another node's line has been kept since the last flush.
  bool needs_flush() const override { return holds_copies_; }

 protected:
  LlcSlice(const sc_core::sc_module_name& name, const LlcSliceConfig& config,
           const SliceSite& site);

  alignas(kHostLine) const LlcSliceConfig config_;
  LlcSliceStats stats_;
  bool holds_copies_ = false;
};

}  // namespace tessera
