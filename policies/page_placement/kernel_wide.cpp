// SPDX-License-Identifier: Apache-2.0
// "kernel-wide": divides each allocation into contiguous parts of equal length (to a page), one per
// memory.
#include "policies/page_placement.h"

namespace tessera::page_placement::kernel_wide {

namespace {

class KernelWide final : public PagePlacement {
 public:
  ChannelId place(const PlacementRequest& r, const PlacementView& view) override {
    const std::uint64_t page = r.virtual_page - r.allocation_first_page;
    return ChannelId(
        static_cast<std::uint32_t>(page * view.pages_per_channel.size() / r.allocation_pages));
  }
};

std::unique_ptr<PagePlacement> make(const PolicyContext&) { return std::make_unique<KernelWide>(); }

const PolicyRegistration<PagePlacement> kRegistered(
    "kernel-wide", "an allocation in contiguous parts, one for each memory (Milic et al.)", make);

}  // namespace

}  // namespace tessera::page_placement::kernel_wide
