// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/ids.h"
#include "modules/core/slice_observer.h"
#include "modules/core/transaction_pool.h"
#include "modules/llc/llc_config.h"
#include "policies/address_map.h"
#include "policies/policy.h"
#include "policies/remote_caching.h"
#include "policies/transfer_policy.h"

namespace tessera {

class LlcSlice;

/// A slice's place in its platform, as plain data. What is pointed to outlives the slice.
struct SliceSite {
  /// What the slice does with other nodes' lines: "home", "partition", "peer", "remote_cache"
  /// (modules/llc/roles), or a role of the user's.
  std::string role = "home";
  SliceId self;
  unsigned local_inputs = 1;   ///< the first target sockets: the SMs that the slice is attached to
  unsigned remote_inputs = 0;  ///< the others: the network
  /// Nodes of the system, and its slices, for distances.
  TreeShape tree;
  std::uint32_t slices = 1;
  /// "remote_cache": over how many banks a GPU's remote lines are dealt, by their home slice's
  /// number; divides the number of slices.
  std::uint32_t remote_banks = 1;
  /// "home", "peer": whether lines that only remote requests fetched stay
  /// (RemoteCaching::keeps_at_home(); "partition" asks for each access).
  bool keeps_remote_misses = true;
  /// "partition": which remote lines are cached; never null there.
  const RemoteCaching* caching = nullptr;
  /// "remote_cache": holds lines while remote_cache is true, which it must not cease to be but
  /// after a flush; never null there.
  const RemoteAccessMode* access_mode = nullptr;
  /// Told of every access.
  std::vector<SliceObserver*> observers;
};

/// The factory of a role gets this.
struct SliceContext {
  const char* name;  ///< of the sc_module
  const LlcSliceConfig& config;
  const AddressMap& map;
  TransactionPool& pool;
  const SliceSite& site;
};

/// A slice of the role that `site` names. Throws InputError, with the nearest name, for an unknown
/// role.
std::unique_ptr<LlcSlice> make_llc_slice(const char* name, const LlcSliceConfig& config,
                                         const AddressMap& map, TransactionPool& pool,
                                         const SliceSite& site);

}  // namespace tessera
