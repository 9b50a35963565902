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
  SmId toucher;                    ///< SM whose access needs the page
  /// Channel nearest to the toucher (its partition's), where the platform has such.
  ChannelId local_channel;
};

/// What a policy may look at.
struct PlacementView {
  /// Pages allocated so far, per channel.
  const std::vector<std::uint64_t>& pages_per_channel;
};

/// Decides in which channel a page lives. May keep state of its own; must not change the view.
class PagePlacement {
 public:
  virtual ~PagePlacement() = default;
  /// A channel below view.pages_per_channel.size().
  virtual ChannelId place(const PlacementRequest& request, const PlacementView& view) = 0;
};

/// "round-robin": channels in turn. "first-touch": the toucher's local channel.
/// Throws InputError (with the nearest name) for an unknown name.
std::unique_ptr<PagePlacement> make_page_placement(const std::string& name);

/// A user's own policy: register a factory under a name before the platform is built.
void register_page_placement(const std::string& name, std::unique_ptr<PagePlacement> (*factory)());

std::vector<std::string> page_placement_names();

/// NUBA section 4's normalised page balance: average pages per channel over the maximum; 1 when
/// no page is placed.
double normalised_page_balance(const std::vector<std::uint64_t>& pages_per_channel);

}  // namespace tessera
