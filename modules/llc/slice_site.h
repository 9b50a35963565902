// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/ids.h"
#include "modules/llc/llc_config.h"
#include "policies/address_map.h"
#include "policies/policy.h"
#include "policies/remote_caching.h"
#include "policies/transfer_policy.h"

namespace tessera {

class LlcSlice;
class SliceObserver;
class TransactionPool;

/// A slice's place in its platform, as plain data. The pointees must outlive the slice.
struct SliceSite {
  /// Handling of other nodes' lines: "home", "last_sharer", "partition", "peer", "remote_cache"
  /// (modules/llc/roles), or a user-defined role.
  std::string role = "home";
  SliceId self;
  unsigned local_inputs = 1;   ///< the first target sockets: from the slice's SMs
  unsigned remote_inputs = 0;  ///< the other target sockets: from the network
  /// Nodes and slices of the system, to compute distances.
  TreeShape tree;
  std::uint32_t slices = 1;
  /// "remote_cache": number of banks over which a GPU's remote lines are interleaved, by the number
  /// of their home slice. Must divide the number of slices.
  std::uint32_t remote_banks = 1;
  /// "home", "peer": whether a line that only remote requests have fetched is kept
  /// (RemoteCaching::keeps_at_home()). "partition" evaluates RemoteCaching for each access.
  bool keeps_remote_misses = true;
  /// "partition": selects the remote lines that are cached. Must not be null for this role.
  const RemoteCaching* caching = nullptr;
  /// "remote_cache": the slice caches lines while `remote_cache` is true, which must become false
  /// only after a flush. Must not be null for this role.
  const RemoteAccessMode* access_mode = nullptr;
  /// "last_sharer": the cores of the slice's GPU, and the slice number by which the network routes
  /// a request to the first of them.
  std::uint32_t first_core = 0;
  std::uint32_t cores = 0;
  std::uint32_t first_core_exit = 0;
  /// Notified of every access.
  std::vector<SliceObserver*> observers;
};

/// Argument of a role's factory.
struct SliceContext {
  const char* name;  ///< of the sc_module
  const LlcSliceConfig& config;
  const AddressMap& map;
  TransactionPool& pool;
  const SliceSite& site;
};

/// Constructs a slice with the role `site.role`. Throws InputError, with the nearest name, if the
/// role is unknown.
std::unique_ptr<LlcSlice> make_llc_slice(const char* name, const LlcSliceConfig& config,
                                         const AddressMap& map, TransactionPool& pool,
                                         const SliceSite& site);

/// Throws InputError, with the nearest name, if the role is unknown.
void check_slice_role(const std::string& role);

}  // namespace tessera
