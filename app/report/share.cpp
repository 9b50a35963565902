// SPDX-License-Identifier: Apache-2.0
#include "app/report/share.h"

#include "common/json.h"

namespace tessera::app {

double Share::value() const { return whole > 0 ? part / whole : 0; }

bool is_within(const Share& share) {
  constexpr double kRounding = 1e-9;
  return share.part >= 0 && share.part <= share.whole * (1 + kRounding);
}

nlohmann::ordered_json to_json(const Share& share) {
  return {{"part", share.part}, {"whole", share.whole}, {"share", share.value()}, {"of", share.of}};
}

}  // namespace tessera::app
