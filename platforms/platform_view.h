// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <typeindex>
#include <typeinfo>
#include <utility>

#include "modules/plan/config_view.h"
#include "modules/plan/plan.h"
#include "platforms/gpu_config.h"

namespace tessera {

/// A platform's configuration and plan, as kinds of blocks see them.
class PlatformView final : public ConfigView {
 public:
  /// `config` and `plan`, which is of `config`, outlive it and do not change.
  PlatformView(const GpuConfig& config, const PlatformPlan& plan);

  SystemFacts facts() const override { return facts_; }
  std::string value(const std::string& parameter) const override;
  const std::string& chosen(const std::string& family) const override;
  bool has_blocks(const std::string& kind) const override;

 private:
  const void* find_group(const std::string& name, const std::type_info& type) const override;

  const GpuConfig& config_;
  const PlatformPlan& plan_;
  const SystemFacts facts_;
  /// Of all parameters; empty before the first value().
  mutable std::map<std::string, std::string> values_;
  const std::map<std::string, std::string> chosen_;  ///< policies, by families
  /// Groups that were found before, because each block asks for its own.
  mutable std::map<std::pair<std::string, std::type_index>, const void*> groups_;
};

}  // namespace tessera
