// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "modules/kernel/parameters.h"
#include "modules/plan/block_family.h"
#include "modules/plan/config_view.h"
#include "modules/plan/plan.h"

namespace tessera {

class Domain;

/// What a platform offers to a block that it builds.
class BlockBuild {
 public:
  virtual ~BlockBuild() = default;

  virtual const PlannedBlock& block() const = 0;
  virtual const PlatformPlan& plan() const = 0;
  virtual const ConfigView& config() const = 0;  ///< lives as long as the platform
  SystemFacts facts() const { return config().facts(); }
  /// The configuration with the settings of this instance.
  template <class Config>
  Config own(Config base) const {
    return instance_config(std::move(base), overrides(), common_site().path);
  }
  /// The same, of a group of parameters.
  template <class Config>
  Config own(const std::string& group) const {
    return own(config().group<Config>(group));
  }
  /// A site with all fields that families share.
  template <class Site>
  Site site() const {
    Site s;
    static_cast<BlockSite&>(s) = common_site();
    return s;
  }
  /// The block, by the implementation that the configuration names.
  template <class Site>
  BlockHandle make(const Site& site) const {
    return make_block(implementation(Site::kFamily), site);
  }
  /// An object of the platform that blocks use, by its type: of the block's GPU, or of the system.
  /// get(): throws std::logic_error if there is none.
  template <class Service>
  Service* find() const {
    return static_cast<Service*>(find_service(typeid(Service)));
  }
  template <class Service>
  Service& get() const {
    Service* const found = find<Service>();
    if (found == nullptr) {
      throw std::logic_error(std::string("the platform offers no ") + typeid(Service).name());
    }
    return *found;
  }
  /// The blocks of a kind that have been made, of a GPU or of all, in the order of the plan.
  virtual std::vector<const BlockHandle*> made(const std::string& kind,
                                               std::optional<GpuId> gpu = {}) const = 0;
  /// That interface of each block that has been made and offers it.
  template <class Interface>
  std::vector<Interface*> offered() const {
    std::vector<Interface*> all;
    for (const BlockHandle* h : all_made()) {
      if (Interface* const found = h->find<Interface>()) all.push_back(found);
    }
    return all;
  }
  /// Domains of the GPUs; empty if there is one GPU. Domain of a node of the plan.
  virtual std::vector<Domain*> gpu_domains() const = 0;
  virtual Domain& domain_of(std::uint32_t node) const = 0;

 protected:
  virtual std::vector<const BlockHandle*> all_made() const = 0;
  virtual BlockSite common_site() const = 0;
  virtual const std::vector<ParameterSetting>& overrides() const = 0;
  virtual std::string implementation(const std::string& family) const = 0;
  virtual void* find_service(std::type_index type) const = 0;
};

}  // namespace tessera
