// SPDX-License-Identifier: Apache-2.0
#include "policies/cta_scheduler.h"

#include "policies/cta_scheduler/built_in.h"
#include "policies/registry.h"

namespace tessera {

namespace {

using Factory = std::unique_ptr<CtaScheduler> (*)();

PolicyRegistry<Factory>& registry() {
  static PolicyRegistry<Factory> all(
      "CTA scheduling",
      {{"distributed", make_distributed_scheduler}, {"round-robin", make_round_robin_scheduler}});
  return all;
}

}  // namespace

std::unique_ptr<CtaScheduler> make_cta_scheduler(const std::string& name) {
  return registry().get(name)();
}

void register_cta_scheduler(const std::string& name, Factory factory) {
  registry().add(name, factory);
}

std::vector<std::string> cta_scheduler_names() { return registry().names(); }

}  // namespace tessera
