// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "policies/page_placement.h"

namespace tessera {

std::unique_ptr<PagePlacement> make_first_touch_placement();
std::unique_ptr<PagePlacement> make_interleave_placement();
std::unique_ptr<PagePlacement> make_kernel_wide_placement();
/// Throws InputError for a threshold that is not above 0 and at most 1.
std::unique_ptr<PagePlacement> make_lab_placement(const PagePlacementOptions& options);
std::unique_ptr<PagePlacement> make_least_first_placement();
std::unique_ptr<PagePlacement> make_round_robin_placement();

/// The channel with the fewest pages, the lowest such index; the view has a channel.
ChannelId least_used_channel(const PlacementView& view);

}  // namespace tessera
