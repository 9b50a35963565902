// SPDX-License-Identifier: Apache-2.0
// "round-robin": channels in turn, independent of the toucher.
#include <cstdint>

#include "policies/page_placement.h"

namespace tessera::page_placement::round_robin {

namespace {

class RoundRobin final : public PagePlacement {
 public:
  ChannelId place(const PlacementRequest&, const PlacementView& view) override {
    const ChannelId channel(next_);
    if (++next_ >= view.pages_per_channel.size()) next_ = 0;
    return channel;
  }

 private:
  std::uint32_t next_ = 0;
};

std::unique_ptr<PagePlacement> make(const PolicyContext&) { return std::make_unique<RoundRobin>(); }

const PolicyRegistration<PagePlacement> kRegistered("round-robin", "channels in turn", make);

}  // namespace

}  // namespace tessera::page_placement::round_robin
