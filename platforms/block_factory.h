// SPDX-License-Identifier: Apache-2.0
#pragma once

// Blocks are made by name, so that a user's own sc_module, or a Verilated one, with the same
// sockets stands in for ours: register a factory under a name, and say "impl.llc": "my-llc" in the
// configuration, or "system.gpu0.llc3.impl": "my-llc" for one of them.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "modules/core/block.h"
#include "modules/core/holds_bytes.h"
#include "platforms/block_sites.h"

namespace tessera {

using TargetPort =
    tlm::tlm_base_target_socket_b<32, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<>>;
using InitiatorPort =
    tlm::tlm_base_initiator_socket_b<32, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<>>;

/// An SM, as the platform sees it.
struct SmHandle {
  CtaSinkIf* ctas = nullptr;
  QuiesceIf* quiesce = nullptr;
  /// Binds what the SM calls: its L1's control and the dispatcher.
  std::function<void(FlushIf& l1, DispatchEventsIf& dispatcher)> bind;
  std::function<std::uint64_t()> warp_instructions;
  std::function<unsigned()> resident_warps;
};

/// A GPU's RDMA engine, as the platform sees it.
struct RdmaHandle {
  /// Accesses of other GPUs, straight to the home slices.
  std::function<unsigned(tlm::tlm_generic_payload&)> debug_home;
  std::function<void(tlm::tlm_generic_payload&, sc_core::sc_time&)> blocking_home;
  std::function<void()> kernel_ended;
};

/// A made block: its sockets, and what its kind has beside them.
struct BlockHandle {
  std::unique_ptr<sc_core::sc_module> module;  ///< where the block is one
  std::unique_ptr<Block> plain;                ///< where it is none
  Block* block = nullptr;                      ///< the same object; never null
  std::vector<TargetPort*> in;                 ///< `inputs` sockets
  std::vector<InitiatorPort*> out;             ///< `outputs` sockets
  FlushIf* flush = nullptr;                    ///< "l1"
  /// "llc" where slices are flushed at kernel ends (replication); "remote_cache", "page_migrator",
  /// "mdr".
  SliceFlushIf* slice_flush = nullptr;
  PageDropIf* page_drop = nullptr;  ///< "llc" where pages move
  /// "l1", "llc", "remote_cache": what the platform's untimed accesses read and update. Null: an L1
  /// that keeps no bytes; a slice that serves transport_dbg itself, and keeps no bytes of other
  /// slices' lines.
  HoldsBytes* bytes = nullptr;
  SliceObserver* slice_observer = nullptr;  ///< "page_migrator", "mdr", "line_sharing"
  L1Observer* l1_observer = nullptr;        ///< "decision"
  std::function<bool()> moving;             ///< "page_migrator": pages are on their way
  std::function<void()> forget;             ///< "l2_tlb": drops all translations, at once
  RdmaHandle rdma;                          ///< "rdma"
  SmHandle sm;                              ///< "sm"
  UvmDriver* uvm = nullptr;                 ///< "uvm"
  CtaDispatcher* dispatcher = nullptr;      ///< "dispatcher"
};

template <class Site>
using BlockFactory = std::function<BlockHandle(const Site&)>;

/// A factory of one kind, without its type.
using AnyBlockFactory = std::function<BlockHandle(const BlockSite&)>;
void register_any_block(const std::string& kind, const std::string& name, AnyBlockFactory factory);
BlockHandle make_any_block(const std::string& kind, const std::string& name, const BlockSite& site);

/// `Site` says the kind (platforms/block_sites.h). Throws InputError for a name that is taken.
template <class Site>
void register_block(const std::string& name, BlockFactory<Site> factory) {
  register_any_block(Site::kKind, name, [f = std::move(factory)](const BlockSite& site) {
    return f(static_cast<const Site&>(site));
  });
}

/// Throws InputError with the nearest name, and for a block without the sockets that are needed.
template <class Site>
BlockHandle make_block(const std::string& name, const Site& site) {
  return make_any_block(Site::kKind, name, site);
}

/// Throws InputError for an unknown kind.
std::vector<std::string> block_implementations(const std::string& kind);

}  // namespace tessera
