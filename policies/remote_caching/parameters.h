// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/parameter_visitor.h"

namespace tessera {

/// Parameters of each policy of this folder.
struct HomeParameters {
  /// Caching::at_home.
  bool install_remote_misses = true;
};

inline void describe(ParameterVisitor& v, HomeParameters& p) {
  v.flag("install_remote_misses", p.install_remote_misses,
         "whether the home slice keeps a line that only remote requests fetched (NUBA section 5; "
         "section 3 says it is only forwarded)",
         {"llc.install_remote_misses"});
}

}  // namespace tessera
