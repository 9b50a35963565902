// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/warp_scheduler.h"

#include "modules/core/named_factories.h"

namespace tessera {

namespace {

NamedFactories<WarpSchedulerFactory>& schedulers() {
  static NamedFactories<WarpSchedulerFactory> all("warp scheduler");
  return all;
}

}  // namespace

bool register_warp_scheduler(const std::string& name, WarpSchedulerFactory factory) {
  return schedulers().add(name, factory);
}

std::vector<std::string> warp_scheduler_names() { return schedulers().names(); }

std::shared_ptr<WarpScheduler> make_warp_scheduler(const std::string& name) {
  return schedulers().get(name)();
}

}  // namespace tessera
