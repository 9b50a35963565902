// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/ids.h"

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
/// own; must not change the view.
class PagePlacement {
 public:
  virtual ~PagePlacement() = default;
  /// A channel below view.pages_per_channel.size().
  virtual ChannelId place(const PlacementRequest& request, const PlacementView& view) = 0;
};

/// Parameters of the built-in policies.
struct PagePlacementOptions {
  /// "lab": normalised page balance above which a page goes to its toucher; above 0, at most 1
  /// (at 1, none does: it is least-first).
  double lab_threshold = 0.9;
};

/// "round-robin": channels in turn. "first-touch": the toucher's local channel. "least-first": the
/// channel with the fewest pages, the lowest index among equals. "lab": Local-And-Balanced (NUBA
/// section 4): first-touch when the balance of the pages placed before this one is above the
/// threshold, else least-first. "interleave": pages in turn by their number, as a runtime deals
/// them when it allocates (MGPUSim's unified multi-GPU). "kernel-wide": an allocation's pages in
/// contiguous parts of equal length, one for each memory (Milic et al., MICRO'17; DualOpt
/// section 3.1 may mean it). Throws InputError (with the nearest name) for an unknown name, and for
/// options out of range.
std::unique_ptr<PagePlacement> make_page_placement(const std::string& name,
                                                   const PagePlacementOptions& options = {});

/// A user's own policy: register a factory under a name before the platform is built.
void register_page_placement(const std::string& name, std::unique_ptr<PagePlacement> (*factory)());

std::vector<std::string> page_placement_names();

/// NUBA section 4's normalised page balance (equation 1): average pages per channel over the
/// maximum, from 1/channels to 1. Ours: 1 when no page is placed, where the equation divides by
/// zero. Rounded once: it equals the literal of the same ratio, so that a balance of exactly nine
/// tenths is not above 0.9.
double normalised_page_balance(const std::vector<std::uint64_t>& pages_per_channel);

}  // namespace tessera
