// SPDX-License-Identifier: Apache-2.0
#include "modules/host/cta_dispatcher.h"
#include "modules/host/sites.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_handle.h"
#include "modules/plan/block_kind.h"
#include "modules/plan/chosen_policy.h"
#include "policies/cta_scheduler.h"
#include "policies/kernel_scheduler.h"

namespace tessera::dispatcher_kind {

namespace {

const BlockFamilyRegistration<DispatcherSite> kFamily([](const DispatcherSite& s) {
  auto module =
      std::make_unique<CtaDispatcher>(s.name.c_str(), s.config, s.make_scheduler, s.dispatcher);
  CtaDispatcher& m = *module;
  BlockHandle h = BlockHandle::of(std::move(module));
  h.offer(m);
  return h;
});

const BlockKindRegistration kKind([] {
  BlockKind k(DispatcherSite::kFamily, DispatcherSite::kFamily);
  k.build = [](const BlockBuild& b) {
    const ConfigView& config = b.config();
    const SystemFacts facts = b.facts();
    auto site = b.site<DispatcherSite>();
    site.config = config.group<DispatchConfig>("dispatch");
    site.dispatcher.sms = facts.tree.sms;
    site.dispatcher.sms_per_node = facts.tree.sms_per_node();
    site.dispatcher.gpus = b.gpu_domains();
    site.dispatcher.kernels = make_policy<KernelScheduler>(config);
    site.make_scheduler = [&config, facts](std::uint32_t parts) {
      PolicyContext context = facts;
      context.tree.sms /= parts;
      return make_policy<CtaScheduler>(config, context);
    };
    return b.make(site);
  };
  return k;
}());

}  // namespace

}  // namespace tessera::dispatcher_kind
