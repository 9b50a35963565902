// SPDX-License-Identifier: Apache-2.0
#include "app/report/catalogue.h"

#include "common/block_class.h"
#include "common/json.h"

namespace tessera::app {

using nlohmann::ordered_json;

ordered_json catalogue_from(const ordered_json& stats) {
  ordered_json out = ordered_json::array();
  const ordered_json::json_pointer where("/dictionary/modules");
  if (!stats.contains("modules") || !stats.contains(where)) return out;
  const ordered_json& dictionary = stats.at(where);
  for (const auto& [module, statistics] : stats["modules"].items()) {
    const auto block = dictionary.find(block_class(module));
    if (block == dictionary.end()) continue;
    for (const auto& [name, value] : statistics.items()) {
      const auto about = block->find(name);
      if (about == block->end()) continue;
      ordered_json entry = {{"module", module}, {"name", name}};
      entry.update(*about);
      out.push_back(std::move(entry));
    }
  }
  return out;
}

}  // namespace tessera::app
