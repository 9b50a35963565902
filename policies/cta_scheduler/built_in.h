// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "policies/cta_scheduler.h"

namespace tessera {

std::unique_ptr<CtaScheduler> make_distributed_scheduler();
std::unique_ptr<CtaScheduler> make_round_robin_scheduler();

}  // namespace tessera
