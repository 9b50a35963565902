// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "modules/protocol/memory_request.h"
#include "modules/sm/l1_cache_config.h"
#include "modules/sm/l1_observer.h"
#include "policies/address_map.h"
#include "policies/transfer_policy.h"

namespace tessera {

class L1Cache;

/// An L1's place in its platform. Plain data. The pointees must outlive the cache.
struct L1RoleSite {
  /// Handling of other nodes' lines: the name of a registered role.
  std::string role = "local";
  /// Physical addresses of the node's own memory, [local_begin, local_end): the two address
  /// registers of the selective cache bypassing unit (DualOpt section 4.1.2).
  std::uint64_t local_begin = 0;
  std::uint64_t local_end = ~std::uint64_t{0};
  /// How other nodes' lines are read. Can change at any time.
  const RemoteAccessMode* transfer = nullptr;
  /// Unit of a fine-grained transfer in bytes: 4, 8 or 16 (DualOpt section 6.2).
  std::uint32_t transfer_bytes = 4;
  /// Notified of every access. Can be null.
  L1Observer* observer = nullptr;
  /// The node of each slice, for HomeCounts.
  std::vector<std::uint16_t> node_of_slice{};
};

/// Outcome of a lookup. kStalled: the access cannot proceed yet.
enum class L1Lookup : std::uint8_t { kStalled, kHit, kMerged, kForwarded };

/// Handling of one access by the pipeline.
struct L1Handling {
  /// Value of word_mask for the whole line.
  static constexpr std::uint32_t kWholeLine = ~std::uint32_t{0};

  /// Loads past the array: the 4-byte words that are fetched, as MemoryRequest::word_mask.
  std::uint32_t word_mask = kWholeLine;
  /// A load that merges with outstanding fetches, but neither looks up the array nor installs a
  /// line.
  bool past_array = false;
  bool words_only = false;  ///< the response carries only those words
  bool remote = false;      ///< another node's line
};

/// A role defines the handling of other nodes' lines. It is a class without a base class and the
/// template parameter of L1Pipeline, so that calls to it are not virtual:
///
///   class MyRole {
///    public:
///     static constexpr bool kBypassesArray = false;  // whether past_array is ever true
///     explicit MyRole(const L1RoleSite& site);
///     // Before each lookup, again after a stall. Must not change any state.
///     L1Handling handling(const tlm::tlm_generic_payload&, const MemoryRequest&) const;
///     // After each lookup that did not stall. Can change the request that is sent to memory.
///     void looked_up(MemoryRequest&, const L1Handling&, L1Lookup outcome);
///     // A response arrives from memory at `at`.
///     void responded(tlm::tlm_generic_payload&, Tick at, const ClockDomain&);
///     void register_statistics(const std::string& module, StatisticsRegistry&) const;
///   };
///
/// Its file registers it, with modules/sm/l1_pipeline.h:
///
///   const PolicyRegistration<L1Cache> kRegistered("my-role", "what it does",
///                                                 make_l1_pipeline<MyRole>);
///
/// The factory's argument is an L1Context.
struct L1Context {
  const char* name;  ///< of the sc_module
  const L1Config& config;
  const AddressMap& map;
  const L1RoleSite& site;
};

/// Constructs an L1 with the role `site.role`. Throws InputError, with the nearest name, if the
/// role is unknown.
std::unique_ptr<L1Cache> make_l1_cache(const char* name, const L1Config& config,
                                       const AddressMap& map, const L1RoleSite& site = {});

}  // namespace tessera
