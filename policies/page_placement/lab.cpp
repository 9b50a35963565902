// SPDX-License-Identifier: Apache-2.0
// "lab": Local-And-Balanced (NUBA section 4): first-touch if the pages are balanced over the
// channels, otherwise least-first.
#include <sstream>

#include "policies/page_placement.h"

namespace tessera::page_placement::lab {

namespace {

struct LabParameters {
  double threshold = 0.9;
};

void describe(ParameterVisitor& v, LabParameters& p) {
  v.real("threshold", p.threshold, "",
         "normalised page balance above which a page goes to its first toucher; above 0, at 1 all "
         "go least-first (NUBA section 4)",
         0, 1, {"system.lab_threshold"});
}

class LocalAndBalanced final : public PagePlacement {
 public:
  explicit LocalAndBalanced(double threshold) : threshold_(threshold) {}

  ChannelId place(const PlacementRequest& request, const PlacementView& view) override {
    // The balance is computed before this page. A balance equal to the threshold is not above it.
    if (normalised_page_balance(view.pages_per_channel) > threshold_) return request.local_channel;
    return least_used_channel(view);
  }

 private:
  double threshold_;
};

std::unique_ptr<PagePlacement> make(const PolicyContext&, const LabParameters& p) {
  // Every balance is above 0, so that a threshold of 0 would be equivalent to first-touch.
  if (!(p.threshold > 0 && p.threshold <= 1)) {
    std::ostringstream message;
    message << "page_placement.lab.threshold is " << p.threshold << "; expected above 0, at most 1";
    throw InputError(message.str());
  }
  return std::make_unique<LocalAndBalanced>(p.threshold);
}

const PolicyRegistration<PagePlacement> kRegistered(
    "lab",
    "Local-And-Balanced: first-touch while pages lie evenly, else least-first (NUBA section 4)",
    make);

}  // namespace

}  // namespace tessera::page_placement::lab
