// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "common/ids.h"
#include "policies/registry.h"

namespace tessera {

/// A page that is to be placed: on its first touch, or by the host before any touch.
struct PlacementRequest {
  std::uint64_t virtual_page = 0;  ///< virtual address / page size
  RequesterId toucher;             ///< of the access that needs the page
  /// Channel nearest to the toucher (its partition's, or its GPU), where the platform has such. For
  /// a toucher that is no SM, channels by the page's number.
  ChannelId local_channel;
  /// The allocation that the page belongs to.
  std::uint64_t allocation_first_page = 0;
  std::uint64_t allocation_pages = 1;
};

/// What a policy may look at.
struct PlacementView {
  /// Pages allocated so far, per channel.
  const std::vector<std::uint64_t>& pages_per_channel;
};

/// Decides in which channel (or GPU: AddressMap::page_homes()) a page lives. May keep state of its
/// own; must not change the view. Used by the UVM driver, which reports its counters.
class PagePlacement : public SystemPolicy {
 public:
  static constexpr const char* kFamily = "page_placement";
  /// A channel below view.pages_per_channel.size().
  virtual ChannelId place(const PlacementRequest& request, const PlacementView& view) = 0;
};

/// NUBA section 4's normalised page balance (equation 1): average pages per channel over the
/// maximum, from 1/channels to 1. Ours: 1 when no page is placed, where the equation divides by
/// zero. Rounded once: it equals the literal of the same ratio, so that a balance of exactly nine
/// tenths is not above 0.9.
double normalised_page_balance(const std::vector<std::uint64_t>& pages_per_channel);

/// The channel with the fewest pages, the lowest such index; the view has a channel.
ChannelId least_used_channel(const PlacementView& view);

}  // namespace tessera
