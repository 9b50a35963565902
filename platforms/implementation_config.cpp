// SPDX-License-Identifier: Apache-2.0
#include "platforms/implementation_config.h"

#include <utility>

#include "common/error.h"
#include "common/json.h"
#include "modules/plan/block_families.h"

namespace tessera {

void describe(ParameterVisitor& v, ImplementationConfig& c) {
  for (const BlockFamily& f : block_families()) {
    std::vector<std::string> aliases;
    if (!f.alias.empty()) aliases.push_back(f.alias);
    v.text(f.name, c.by_kind.try_emplace(f.name, "tlm").first->second,
           "implementation of blocks of the kind " + f.name, block_implementations(f.name),
           std::move(aliases));
  }
}

std::string implementation_of(const ImplementationConfig& config, const std::string& kind,
                              const std::vector<ParameterSetting>& overrides,
                              const std::string& path) {
  const auto common = config.by_kind.find(kind);
  std::string name = common == config.by_kind.end() ? "tlm" : common->second;
  for (const ParameterSetting& s : overrides) {
    if (s.path != path + kImplSetting) continue;
    if (!s.value->is_string()) throw InputError(s.origin + ": " + s.path + " must be a text");
    name = s.value->get<std::string>();
  }
  return name;
}

}  // namespace tessera
