// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/time.h"

namespace tessera {

/// How domains run ahead of SystemC's time (DomainRunner::run_ahead()).
struct DomainWindows {
  Tick window = 0;  ///< 0: DomainRunner::lookahead()
  unsigned threads = 1;
};

}  // namespace tessera
