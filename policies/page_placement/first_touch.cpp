// SPDX-License-Identifier: Apache-2.0
// "first-touch": a page lives where the first SM to touch it is.
#include "policies/page_placement/built_in.h"

namespace tessera {

namespace {

class FirstTouch final : public PagePlacement {
 public:
  ChannelId place(const PlacementRequest& request, const PlacementView&) override {
    return request.local_channel;
  }
};

}  // namespace

std::unique_ptr<PagePlacement> make_first_touch_placement() {
  return std::make_unique<FirstTouch>();
}

}  // namespace tessera
