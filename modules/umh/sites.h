// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arguments of the factories of a coherent hierarchy's blocks, and what a plan says of them.

#include <any>
#include <memory>
#include <utility>
#include <vector>

#include "modules/plan/block_handle.h"
#include "modules/plan/block_site.h"
#include "modules/plan/config_view.h"
#include "modules/plan/plan.h"
#include "modules/protocol/holds_bytes.h"
#include "modules/umh/coherence_config.h"
#include "modules/umh/coherence_site.h"
#include "modules/umh/coherence_socket.h"

namespace tessera {

// Details of a planned cache or directory are a umh::CoherenceSite, whose agents are the numbers
// of their blocks; those of a link a umh::CoherenceLinkEnds.

/// Coherence sockets of a planned block: towards the host's memory, and towards the processors.
inline unsigned parent_sockets_of(const PlannedBlock& block) {
  if (const auto* site = std::any_cast<umh::CoherenceSite>(&block.details)) {
    return site->parent_sockets;
  }
  const auto* link = std::any_cast<umh::CoherenceLinkEnds>(&block.details);
  return link == nullptr ? 0 : link->parent_sockets;
}
inline unsigned child_sockets_of(const PlannedBlock& block) {
  if (const auto* site = std::any_cast<umh::CoherenceSite>(&block.details)) {
    return site->child_sockets;
  }
  const auto* link = std::any_cast<umh::CoherenceLinkEnds>(&block.details);
  return link == nullptr ? 0 : static_cast<unsigned>(link->device_of_child.size());
}

/// Address map of a stack that caches the host's memory. Offered by the platform.
struct StackMap {
  const AddressMap* map = nullptr;
};

/// The coherence sockets of a block: as many as its site has.
struct CoherenceSockets {
  std::vector<umh::CoherenceInitiatorSocket*> parents;
  std::vector<umh::CoherenceTargetSocket*> children;
};

/// A cache of a coherent hierarchy. 1 in: the core of an L1; otherwise none.
struct CoherentCacheSite : BlockSite {
  static constexpr const char* kFamily = "coherent_cache";
  umh::CoherentCacheBlockConfig config;
  umh::CoherenceSite coherence;
};

/// 1 out: its stack's channel.
struct SmdSite : BlockSite {
  static constexpr const char* kFamily = "smd";
  umh::SmdBlockConfig config;
  umh::CoherenceSite coherence;
};

/// 1 out: its host channel.
struct HmdSite : BlockSite {
  static constexpr const char* kFamily = "hmd";
  umh::HmdBlockConfig config;
  umh::CoherenceSite coherence;
};

/// No sockets of memory requests.
struct CoherenceLinkSite : BlockSite {
  static constexpr const char* kFamily = "coherence_link";
  umh::CoherenceLinkConfig config;
  umh::CoherenceLinkEnds ends;
};

/// The configuration of a planned HMD.
umh::HmdBlockConfig hmd_config(const ConfigView& config, const PlatformPlan& plan,
                               const PlannedBlock& hmd);

template <class Module>
BlockHandle coherent_handle(std::unique_ptr<Module> module) {
  Module& m = *module;
  BlockHandle h = BlockHandle::of(std::move(module));
  h.offer<HoldsBytes>(m);
  const auto sockets = std::make_shared<CoherenceSockets>();
  for (auto& s : m.parents) sockets->parents.push_back(&s);
  for (auto& s : m.children) sockets->children.push_back(&s);
  h.offer(sockets);
  return h;
}

}  // namespace tessera
