// SPDX-License-Identifier: Apache-2.0
// Links of a platform that pass through a design, and designs as memories.
#include "modules/memory/sites.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"
#include "policies/address_map.h"
#include "rtl/common/axi4_register_slice.h"
#include "rtl/common/rtl_block.h"
#include "rtl/common/sites.h"

namespace tessera {

namespace {

/// `rtl`: the design has signals to record; it is not C++.
BlockHandle handle_of(std::unique_ptr<RtlBlock> block, bool rtl) {
  RtlBlock& b = *block;
  BlockHandle h = BlockHandle::of(std::move(block));
  h.offer<NeedsValuesIf>(b);
  if (rtl) h.offer<RecordsSignalsIf>(b);
  b.add_sockets(h);
  return h;
}

BlockHandle make_link(const RtlLinkSite& site, const std::string& implementation,
                      std::unique_ptr<Design> design, bool rtl) {
  return handle_of(std::make_unique<RtlBlock>(site.name.c_str(), site, site.config, implementation,
                                              std::move(design)),
                   rtl);
}

/// A channel's addresses are dense on the bus of its memory.
BlockHandle make_memory(const DramSite& site, const std::string& implementation,
                        std::unique_ptr<Design> design) {
  RtlBlockConfig config;
  config.clock_hz = site.config.clock_hz;
  const AddressMap* const map = site.map;
  const ChannelId channel = site.channel;
  const auto bus_address = [map, channel](std::uint64_t a) -> std::optional<std::uint64_t> {
    if (a >= map->geometry().total_bytes() || map->locate(a).channel != channel) return {};
    return map->channel_address(a);
  };
  return handle_of(std::make_unique<RtlBlock>(site.name.c_str(), site, config, implementation,
                                              std::move(design), bus_address),
                   true);
}

const BlockFamilyRegistration<RtlLinkSite> kFamily([](const RtlLinkSite& site) {
  Axi4Shape shape;
  shape.id_bits = 16;
  return make_link(site, "tlm", std::make_unique<Axi4RegisterSlice>(shape), false);
});

const BlockKindRegistration kKind([] {
  BlockKind k(RtlLinkSite::kFamily, RtlLinkSite::kFamily);
  k.in_links = true;
  k.groups = {{"rtl_link", "links that pass through a design in RTL", AnyConfig(RtlBlockConfig())}};
  k.build = [](const BlockBuild& b) {
    auto site = b.site<RtlLinkSite>();
    site.config = b.own<RtlBlockConfig>("rtl_link");
    return b.make(site);
  };
  k.own_config = [](const ConfigView& c, const PlannedBlock&) {
    return AnyConfig(c.group<RtlBlockConfig>("rtl_link"));
  };
  k.unused = {{"rtl_link.", [](const ConfigView& c) -> std::optional<std::string> {
                 if (c.has_blocks(RtlLinkSite::kFamily)) return std::nullopt;
                 return "no link passes through a design (insert)";
               }}};
  return k;
}());

}  // namespace

void register_design(const std::string& name, bool memory, DesignFactory make) {
  if (memory) {
    register_block<DramSite>(name, [name, make = std::move(make)](const DramSite& site) {
      return make_memory(site, name, make(site.path));
    });
    return;
  }
  register_block<RtlLinkSite>(name, [name, make = std::move(make)](const RtlLinkSite& site) {
    return make_link(site, name, make(site.path), true);
  });
}

}  // namespace tessera
