// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/ids.h"
#include "common/location.h"
#include "policies/registry.h"

namespace tessera {

/// DRAM location of an address, decoded by a DRAM channel.
struct DramLocation {
  ChannelId channel;
  Bank bank;
  std::uint32_t row = 0;
};

/// Maps each physical address to a location. A bijection: no two lines share a location.
class AddressMap : public SystemPolicy {
 public:
  static constexpr const char* kFamily = "address_map";

  virtual Location locate(std::uint64_t physical) const = 0;
  /// Used only by the DRAM channel.
  virtual DramLocation decode(std::uint64_t physical) const = 0;
  /// Byte address within its channel (dense, 0 to channel_bytes - 1).
  virtual std::uint64_t channel_address(std::uint64_t physical) const = 0;
  /// Whether all bytes of a page are in one of the memories that page placement selects from: a
  /// channel, or a GPU if a page is spread over a GPU's channels. These memories are numbered from
  /// 0. In page placement and page migration, a ChannelId is such a number.
  virtual bool page_has_one_home() const = 0;
  /// Number of such memories; 1 if a page has no home of its own.
  virtual std::uint32_t page_homes() const { return page_has_one_home() ? geometry().channels : 1; }
  /// The memory that holds an address (if page_has_one_home()).
  virtual ChannelId page_home(std::uint64_t physical) const { return locate(physical).channel; }
  /// Physical address of the n-th page of a memory (if page_has_one_home()).
  virtual std::uint64_t page_address(ChannelId home, std::uint64_t index) const = 0;
  virtual const MemoryGeometry& geometry() const = 0;
};

/// Creates the map of this name for a memory. Throws InputError for an unknown name, for a geometry
/// that has errors() or that the map does not support, and for the map's own parameters out of
/// range.
std::unique_ptr<AddressMap> make_address_map(const std::string& name, const PolicyContext& context,
                                             const PolicySettings<AddressMap>& settings = {});

/// The same for a single memory without a system.
std::unique_ptr<AddressMap> make_address_map(const std::string& name,
                                             const MemoryGeometry& geometry,
                                             const PolicySettings<AddressMap>& settings = {});

}  // namespace tessera
