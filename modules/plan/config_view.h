// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <typeinfo>

#include "policies/policy.h"

namespace tessera {

/// Sizes of a system that blocks of several kinds need.
struct SystemFacts : PolicyContext {
  std::uint32_t slices() const { return tree.channels * memory.slices_per_channel; }
  std::uint32_t sms_per_gpu() const { return tree.sms / tree.gpus; }
  std::uint32_t slices_per_gpu() const { return slices() / tree.gpus; }
};

/// The configuration of a platform, as its blocks see it.
class ConfigView {
 public:
  virtual ~ConfigView() = default;

  virtual SystemFacts facts() const = 0;
  /// The value of a parameter, as `tessera config` prints it, without quotes: "system.transfer".
  /// Throws std::logic_error if there is none.
  virtual std::string value(const std::string& parameter) const = 0;
  /// The name of the policy that one parameter chooses for a family of policies ("transfer").
  /// Throws std::logic_error if there is no such family, or several parameters choose its policies.
  virtual const std::string& chosen(const std::string& family) const = 0;
  /// Whether the platform has blocks of that kind.
  virtual bool has_blocks(const std::string& kind) const = 0;
  /// The configuration of a group of parameters ("llc"). Throws std::logic_error if there is no
  /// such group or it is of another type.
  template <class Config>
  const Config& group(const std::string& name) const {
    return *static_cast<const Config*>(find_group(name, typeid(Config)));
  }

 protected:
  ConfigView() = default;
  ConfigView(const ConfigView&) = default;
  ConfigView& operator=(const ConfigView&) = default;
  ConfigView(ConfigView&&) = default;
  ConfigView& operator=(ConfigView&&) = default;

 private:
  virtual const void* find_group(const std::string& name, const std::type_info& type) const = 0;
};

}  // namespace tessera
