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
  /// Line number within the slice, dense from 0: a cache's set index comes from it.
  std::uint64_t slice_line = 0;
};

/// Shape of the memory that an address map spreads addresses over. Every count is a power of two
/// but those of GPUs and channels, which not every map takes (make_address_map()).
struct MemoryGeometry {
  std::uint32_t gpus = 1;       ///< that share the memory, each with channels of its own
  std::uint32_t channels = 32;  ///< of all GPUs, as many in each
  std::uint32_t slices_per_channel = 2;
  std::uint32_t banks_per_channel = 16;
  std::uint32_t row_bytes = 2048;
  std::uint32_t line_bytes = 128;
  std::uint64_t page_bytes = 4096;
  std::uint64_t channel_bytes = std::uint64_t{512} << 20;
  /// "gpu-interleave": bytes that stay together in one channel.
  std::uint32_t interleave_bytes = 128;

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

/// "fixed-channel": channel bits are the lowest bits above the page offset, copied unhashed; bank
/// bits are randomised; the lowest bank bits choose the slice (NUBA section 2).
/// "pae": channel and bank bits each the XOR of a random subset of the row, bank and channel bits,
/// an invertible binary matrix; column bits stay (Liu et al., ISCA'18). Channels: a power of two.
/// "gpu-interleave": each GPU's memory is one range of addresses; within it, `interleave_bytes`
/// go to one channel, the next to the next, and nothing is hashed (MGPUSim).
/// `seed` chooses the random subsets. Throws InputError for an unknown name or a geometry that the
/// map does not take.
std::unique_ptr<AddressMap> make_address_map(const std::string& name,
                                             const MemoryGeometry& geometry, std::uint64_t seed);

std::vector<std::string> address_map_names();

}  // namespace tessera
