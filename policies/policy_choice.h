// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "policies/registry.h"

namespace tessera {

/// The policy that a block's configuration selects, with the parameters of its family.
template <class Family>
struct PolicyChoice {
  std::string name;
  PolicySettings<Family> settings;

  std::unique_ptr<Family> make(const typename Family::Context& context) const {
    return settings.make(name, context);
  }
};

}  // namespace tessera
