// SPDX-License-Identifier: Apache-2.0
// "pairs": neighbouring pages share a channel, two by two (or as many as its parameter says).
#include "platforms/plugin.h"
#include "policies/page_placement.h"

namespace pairs {
namespace {

using namespace tessera;  // NOLINT(google-build-using-namespace)

struct PairsParameters {
  std::uint64_t pages = 2;
};

void describe(ParameterVisitor& v, PairsParameters& p) {
  v.integer("pages", p.pages, "page", "neighbours that share a channel (ours)", 1, 1024);
}

class Pairs final : public PagePlacement {
 public:
  explicit Pairs(const PairsParameters& parameters) : parameters_(parameters) {}

  ChannelId place(const PlacementRequest& request, const PlacementView& view) override {
    const std::uint64_t channels = view.pages_per_channel.size();
    const std::uint64_t group = request.virtual_page / parameters_.pages;
    const ChannelId home(static_cast<std::uint32_t>(group % channels));
    if (home != request.local_channel) ++far_;
    return home;
  }
  std::vector<PolicyCounter> counters() const override {
    return {{"pages_far", "page", "pages placed away from their first toucher", &far_}};
  }

 private:
  const PairsParameters parameters_;
  std::uint64_t far_ = 0;
};

std::unique_ptr<PagePlacement> make(const PolicyContext& context, const PairsParameters& p) {
  if (p.pages > context.memory.channel_bytes / context.memory.page_bytes) {
    throw InputError("page_placement.pairs.pages is more than a channel holds");
  }
  return std::make_unique<Pairs>(p);
}

const PolicyRegistration<PagePlacement> kRegistered("pairs", "neighbouring pages share a channel",
                                                    make);

}  // namespace
}  // namespace pairs

// Only in a plugin, like the first include: a file of policies/page_placement/ ends above.
extern "C" const tessera::Plugin tessera_plugin = {};
