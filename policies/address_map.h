// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/ids.h"
#include "policies/registry.h"

namespace tessera {

/// Where a physical line lives, as far as anybody but its DRAM channel is concerned.
struct Location {
  SliceId slice;      ///< LLC slice that is its home
  ChannelId channel;  ///< DRAM channel
  /// Line number within the slice, dense from 0: a cache's set index comes from it.
  std::uint64_t slice_line = 0;
};

/// What a DRAM channel decodes an address to.
struct DramLocation {
  ChannelId channel;
  Bank bank;
  std::uint32_t row = 0;
};

/// Decides where each physical address lives. A bijection: no two lines share a place.
class AddressMap : public SystemPolicy {
 public:
  static constexpr const char* kFamily = "address_map";

  virtual Location locate(std::uint64_t physical) const = 0;
  /// For the DRAM channel alone.
  virtual DramLocation decode(std::uint64_t physical) const = 0;
  /// Byte address within its channel (dense, 0 to channel_bytes - 1).
  virtual std::uint64_t channel_address(std::uint64_t physical) const = 0;
  /// Whether all of a page lies in one of the memories among which page placement chooses: a
  /// channel or, where a page spreads over a GPU's channels, a GPU. These memories are numbered
  /// from 0, and wherever pages are placed or moved, a ChannelId is such a number.
  virtual bool page_has_one_home() const = 0;
  /// Number of such memories; 1 where a page has no home of its own.
  virtual std::uint32_t page_homes() const { return page_has_one_home() ? geometry().channels : 1; }
  /// The memory that holds an address (where page_has_one_home()).
  virtual ChannelId page_home(std::uint64_t physical) const { return locate(physical).channel; }
  /// The n-th page of a memory (where page_has_one_home()), as physical address.
  virtual std::uint64_t page_address(ChannelId home, std::uint64_t index) const = 0;
  virtual const MemoryGeometry& geometry() const = 0;
};

/// The map of this name over a memory. Throws InputError for an unknown name, a geometry that has
/// errors() or that the map does not take, and the map's own parameters out of range.
std::unique_ptr<AddressMap> make_address_map(const std::string& name, const PolicyContext& context,
                                             const PolicySettings<AddressMap>& settings = {});

/// For one memory without a system around it.
std::unique_ptr<AddressMap> make_address_map(const std::string& name,
                                             const MemoryGeometry& geometry,
                                             const PolicySettings<AddressMap>& settings = {});

}  // namespace tessera
