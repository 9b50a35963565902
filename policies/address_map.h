// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/ids.h"

namespace tessera {

/// Where a physical line lives.
struct Location {
  SliceId slice;      ///< LLC slice that is its home
  ChannelId channel;  ///< DRAM channel
  Bank bank;
  std::uint32_t row = 0;
  std::uint32_t column = 0;  ///< byte within the row
  /// Line number within the slice, dense from 0: a cache's set index comes from it.
  std::uint64_t slice_line = 0;
};

/// Shape of the memory that an address map spreads addresses over. Every count is a power of two.
struct MemoryGeometry {
  std::uint32_t channels = 32;
  std::uint32_t slices_per_channel = 2;
  std::uint32_t banks_per_channel = 16;
  std::uint32_t row_bytes = 2048;
  std::uint32_t line_bytes = 128;
  std::uint64_t page_bytes = 4096;
  std::uint64_t channel_bytes = std::uint64_t{512} << 20;

  std::uint64_t total_bytes() const { return channel_bytes * channels; }
  /// Every fault, in words; empty when the geometry is sound.
  std::vector<std::string> errors() const;
};

/// Decides where each physical address lives. A bijection: no two lines share a place.
class AddressMap {
 public:
  virtual ~AddressMap() = default;

  virtual Location locate(std::uint64_t physical) const = 0;
  /// Byte address within its channel (dense, 0 to channel_bytes - 1).
  virtual std::uint64_t channel_address(std::uint64_t physical) const = 0;
  /// The channel that holds all of a page, where the map has that property.
  virtual bool page_has_one_channel() const = 0;
  /// The n-th page of a channel (where page_has_one_channel()), as physical address.
  virtual std::uint64_t page_address(ChannelId channel, std::uint64_t index) const = 0;
  virtual const MemoryGeometry& geometry() const = 0;
};

/// "fixed-channel": channel bits are the lowest bits above the page offset, copied unhashed; bank
/// bits are randomised; the lowest bank bits choose the slice (NUBA section 2).
/// "pae": channel and bank bits each the XOR of a random subset of the row, bank and channel bits,
/// an invertible binary matrix; column bits stay (Liu et al., ISCA'18).
/// `seed` chooses the random subsets. Throws InputError for an unknown name or a bad geometry.
std::unique_ptr<AddressMap> make_address_map(const std::string& name,
                                             const MemoryGeometry& geometry, std::uint64_t seed);

std::vector<std::string> address_map_names();

}  // namespace tessera
