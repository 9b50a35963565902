// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "modules/plan/config_view.h"
#include "policies/registry.h"

namespace tessera {

/// The policy that a platform chooses for a family, with the parameters of its family. Returns
/// nullptr if the choice means "none".
template <class Family>
std::unique_ptr<Family> make_policy(const ConfigView& config,
                                    const typename Family::Context& context) {
  return config.group<PolicySettings<Family>>(Family::kFamily)
      .make(config.chosen(Family::kFamily), context);
}

/// The same, of a family of the whole system.
template <class Family>
std::unique_ptr<Family> make_policy(const ConfigView& config) {
  return make_policy<Family>(config, config.facts());
}

}  // namespace tessera
