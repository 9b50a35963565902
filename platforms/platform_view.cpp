// SPDX-License-Identifier: Apache-2.0
#include "platforms/platform_view.h"

#include <stdexcept>
#include <vector>

#include "common/json.h"
#include "platforms/policy_families.h"
#include "platforms/topology/system_facts.h"

namespace tessera {

namespace {

std::map<std::string, std::string> values_of(GpuConfig config) {
  ParameterLister lister;
  describe(lister, config);
  std::map<std::string, std::string> values;
  for (const ListedParameter& p : lister.parameters()) {
    values.emplace(p.info.name,
                   p.value->is_string() ? p.value->get<std::string>() : p.value->dump());
  }
  return values;
}

std::map<std::string, std::string> chosen_of(const GpuConfig& config) {
  std::map<std::string, std::string> names;
  for_each_family(config, [&names](const std::vector<ChosenPolicy>& chosen, const auto& settings) {
    if (chosen.size() == 1) names.emplace(family_of(settings), chosen.front().name);
  });
  return names;
}

}  // namespace

PlatformView::PlatformView(const GpuConfig& config, const PlatformPlan& plan)
    : config_(config), plan_(plan), facts_(facts_of(config)), chosen_(chosen_of(config)) {}

std::string PlatformView::value(const std::string& parameter) const {
  if (values_.empty()) values_ = values_of(config_);
  const auto found = values_.find(parameter);
  if (found == values_.end()) throw std::logic_error("no parameter '" + parameter + "'");
  return found->second;
}

const std::string& PlatformView::chosen(const std::string& family) const {
  const auto found = chosen_.find(family);
  if (found == chosen_.end()) throw std::logic_error("no one choice of a policy '" + family + "'");
  return found->second;
}

bool PlatformView::has_blocks(const std::string& kind) const { return plan_.has(kind); }

const void* PlatformView::find_group(const std::string& name, const std::type_info& type) const {
  const std::pair<std::string, std::type_index> key(name, type);
  const auto found = groups_.find(key);
  if (found != groups_.end()) return found->second;
  return groups_.emplace(key, config_.find_group(name, type)).first->second;
}

}  // namespace tessera
