// SPDX-License-Identifier: Apache-2.0
#pragma once

// Blocks are made by name, so that a user's own sc_module, or a Verilated one, with the same
// sockets stands in for ours: register a factory, say "impl.llc": "my-llc" in the configuration.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/core/block.h"
#include "modules/core/holds_bytes.h"
#include "modules/core/transaction_pool.h"
#include "modules/llc/llc_slice.h"
#include "modules/noc/duplex_network.h"
#include "modules/sm/l1_cache.h"
#include "modules/sm/sm_interfaces.h"
#include "platforms/gpu_config.h"
#include "policies/address_map.h"

namespace tessera {

using TargetPort =
    tlm::tlm_base_target_socket_b<32, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<>>;
using InitiatorPort =
    tlm::tlm_base_initiator_socket_b<32, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<>>;

/// What a factory is given. References live as long as the platform.
struct BlockSite {
  std::string name;                   ///< of the sc_module
  std::uint32_t index = 0;            ///< among the blocks of its kind
  const GpuConfig* config = nullptr;  ///< with this instance's overrides applied
  const AddressMap* map = nullptr;
  TransactionPool* pool = nullptr;
  unsigned inputs = 1;   ///< target sockets that will be bound
  unsigned outputs = 1;  ///< initiator sockets that will be bound
  NocRouting routing;    ///< "noc" only
  SliceSite slice;       ///< "llc" only
  L1Site l1;             ///< "l1" only
};

/// A made block.
struct BlockHandle {
  std::unique_ptr<sc_core::sc_module> module;
  Block* block = nullptr;    ///< the same object; never null
  FlushIf* flush = nullptr;  ///< "l1" only
  /// "llc" only; needed where slices are flushed at kernel ends (replication).
  SliceFlushIf* slice_flush = nullptr;
  PageDropIf* page_drop = nullptr;  ///< "llc" only; needed where pages move
  /// "l1", "llc": what the platform's untimed accesses ask and update. Null: an L1 that keeps no
  /// bytes; a slice that answers transport_dbg itself, and keeps no bytes of other slices' lines.
  HoldsBytes* bytes = nullptr;
  std::vector<TargetPort*> in;      ///< `inputs` sockets
  std::vector<InitiatorPort*> out;  ///< `outputs` sockets
};

using BlockFactory = std::function<BlockHandle(const BlockSite&)>;

/// Kinds: "l1" (1 in, 1 out), "noc" (n in, m out), "llc" (n in; out: its
/// channel and, where lines of other slices pass through it, the network), "dram" (n in, 0 out).
/// Throws InputError for an unknown kind or a name that is taken.
void register_block(const std::string& kind, const std::string& name, BlockFactory factory);
std::vector<std::string> block_implementations(const std::string& kind);
/// Throws InputError with the nearest name, and for a block without the sockets that are needed.
BlockHandle make_block(const std::string& kind, const std::string& name, const BlockSite& site);

}  // namespace tessera
