// SPDX-License-Identifier: Apache-2.0
// "lab": Local-And-Balanced (NUBA section 4): first-touch while the pages lie evenly, least-first
// while they do not.
#include <sstream>

#include "common/error.h"
#include "policies/page_placement/built_in.h"

namespace tessera {

namespace {

class LocalAndBalanced final : public PagePlacement {
 public:
  explicit LocalAndBalanced(double threshold) : threshold_(threshold) {}

  ChannelId place(const PlacementRequest& request, const PlacementView& view) override {
    // The balance before this page; a balance equal to the threshold is not above it.
    if (normalised_page_balance(view.pages_per_channel) > threshold_) return request.local_channel;
    return least_used_channel(view);
  }

 private:
  double threshold_;
};

}  // namespace

std::unique_ptr<PagePlacement> make_lab_placement(const PagePlacementOptions& options) {
  const double t = options.lab_threshold;
  if (!(t > 0 && t <= 1)) {
    std::ostringstream message;
    message << "page placement policy 'lab': the threshold is " << t
            << "; expected above 0, at most 1";
    throw InputError(message.str());
  }
  return std::make_unique<LocalAndBalanced>(t);
}

}  // namespace tessera
