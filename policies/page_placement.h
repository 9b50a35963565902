// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "common/ids.h"
#include "policies/registry.h"

namespace tessera {

/// A page that needs a placement: on its first touch, or by the host before any touch.
struct PlacementRequest {
  std::uint64_t virtual_page = 0;  ///< virtual address / page size
  RequesterId toucher;             ///< requester of the access that needs the page
  /// Channel nearest to the toucher (its partition's, or its GPU), if the platform has one. If the
  /// toucher is not an SM, the page's number selects the channel.
  ChannelId local_channel;
  /// The allocation that the page belongs to.
  std::uint64_t allocation_first_page = 0;
  std::uint64_t allocation_pages = 1;
};

/// A policy's view of the placement so far.
struct PlacementView {
  /// Pages allocated so far, per channel.
  const std::vector<std::uint64_t>& pages_per_channel;
};

/// Selects the channel (or GPU: AddressMap::page_homes()) of a page. A policy can keep state, but
/// must not change the view. The UVM driver uses it and reports its counters.
class PagePlacement : public SystemPolicy {
 public:
  static constexpr const char* kFamily = "page_placement";
  /// Returns a channel below view.pages_per_channel.size().
  virtual ChannelId place(const PlacementRequest& request, const PlacementView& view) = 0;
};

/// Normalised page balance (NUBA section 4, equation 1): average pages per channel divided by the
/// maximum, from 1/channels to 1. Ours: 1 if no page is placed, because the equation would divide
/// by zero. The result is rounded once. It equals the literal of the same ratio, so that a balance
/// of exactly nine tenths is not above 0.9.
double normalised_page_balance(const std::vector<std::uint64_t>& pages_per_channel);

/// The channel with the fewest pages, of equal ones the lowest index. The view must have a channel.
ChannelId least_used_channel(const PlacementView& view);

}  // namespace tessera
