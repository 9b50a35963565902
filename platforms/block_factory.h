// SPDX-License-Identifier: Apache-2.0
#pragma once

// Blocks are created by name, so that a user's own sc_module, or a Verilated one, can replace a
// block of Tessera if it has the same sockets. Register a factory under a name, and set "impl.llc":
// "my-llc" in the configuration, or "system.gpu0.llc3.impl": "my-llc" for a single instance.

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
#include "modules/core/launch_counts.h"
#include "platforms/block_sites.h"

namespace tessera {

using TargetPort =
    tlm::tlm_base_target_socket_b<32, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<>>;
using InitiatorPort =
    tlm::tlm_base_initiator_socket_b<32, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<>>;

/// The platform's interface to an SM.
struct SmHandle {
  CtaSinkIf* ctas = nullptr;
  QuiesceIf* quiesce = nullptr;
  /// Binds the interfaces that the SM calls: its L1's control and the dispatcher.
  std::function<void(FlushIf& l1, DispatchEventsIf& dispatcher)> bind;
  std::function<std::uint64_t()> warp_instructions;
  std::function<std::uint64_t()> thread_instructions;
  std::function<void()> settle_statistics;  ///< can be empty
  std::function<unsigned()> resident_warps;
  /// Warp instructions of a launch since the last call for it; empty: not counted.
  std::function<std::uint64_t(LaunchSlot)> take_instructions;
};

/// The platform's interface to a GPU's RDMA engine.
struct RdmaHandle {
  /// Debug accesses of other GPUs, sent directly to the home slices.
  std::function<unsigned(tlm::tlm_generic_payload&)> debug_home;
  std::function<void(tlm::tlm_generic_payload&, sc_core::sc_time&)> blocking_home;
  std::function<void()> kernel_ended;
};

/// A created block: its sockets, and the interfaces of its kind.
struct BlockHandle {
  std::unique_ptr<sc_core::sc_module> module;  ///< set if the block is an sc_module
  std::unique_ptr<Block> plain;                ///< set if it is not
  Block* block = nullptr;                      ///< the same object; never null
  std::vector<TargetPort*> in;                 ///< `inputs` sockets
  std::vector<InitiatorPort*> out;             ///< `outputs` sockets
  /// Coherence sockets: as many as the site's place has.
  std::vector<umh::CoherenceInitiatorSocket*> parents;
  std::vector<umh::CoherenceTargetSocket*> children;
  /// "l1", "llc", "remote_cache", "dram", "coherent_cache", "smd": counts by launch. Null: none.
  LaunchCounts* launch_counts = nullptr;
  FlushIf* flush = nullptr;  ///< "l1", "coherent_cache" with a core
  /// "llc" if slices are flushed at kernel ends (replication); "remote_cache", "page_migrator",
  /// "mdr", "coherent_cache", "smd", "hmd".
  SliceFlushIf* slice_flush = nullptr;
  PageDropIf* page_drop = nullptr;  ///< "llc" if pages can migrate
  /// "l1", "llc", "remote_cache", and blocks of a coherent hierarchy: bytes that the platform's
  /// untimed accesses read and update. Null for an L1 that holds no bytes, and for a slice that
  /// serves transport_dbg itself and holds no bytes of other slices' lines.
  HoldsBytes* bytes = nullptr;
  SliceObserver* slice_observer = nullptr;  ///< "page_migrator", "mdr", "line_sharing"
  L1Observer* l1_observer = nullptr;        ///< "decision"
  L1ProbeIf* l1_probe = nullptr;            ///< "l1" that other cores can probe
  std::function<bool()> moving;  ///< "page_migrator": a shootdown or a transfer is in progress
  std::function<void()> forget;  ///< "l2_tlb": invalidates all translations, at once
  /// "l2_tlb": invalidates the translations of a virtual page, at once
  std::function<void(std::uint64_t)> forget_page;
  RdmaHandle rdma;                      ///< "rdma"
  SmHandle sm;                          ///< "sm"
  UvmDriver* uvm = nullptr;             ///< "uvm"
  CtaDispatcher* dispatcher = nullptr;  ///< "dispatcher"
  CpuCore* cpu_core = nullptr;          ///< "cpu_core"
};

template <class Site>
using BlockFactory = std::function<BlockHandle(const Site&)>;

/// A factory of one kind, type-erased.
using AnyBlockFactory = std::function<BlockHandle(const BlockSite&)>;
void register_any_block(const std::string& kind, const std::string& name, AnyBlockFactory factory);
BlockHandle make_any_block(const std::string& kind, const std::string& name, const BlockSite& site);

/// `Site` determines the kind (platforms/block_sites.h). Throws InputError if the name exists.
template <class Site>
void register_block(const std::string& name, BlockFactory<Site> factory) {
  register_any_block(Site::kKind, name, [f = std::move(factory)](const BlockSite& site) {
    return f(static_cast<const Site&>(site));
  });
}

/// Throws InputError with the nearest name if the name is unknown, and if the block lacks required
/// sockets.
template <class Site>
BlockHandle make_block(const std::string& name, const Site& site) {
  return make_any_block(Site::kKind, name, site);
}

/// Throws InputError for an unknown kind.
std::vector<std::string> block_implementations(const std::string& kind);

}  // namespace tessera
