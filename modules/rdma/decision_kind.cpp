// SPDX-License-Identifier: Apache-2.0
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"
#include "modules/rdma/decision_engine.h"
#include "modules/rdma/sites.h"
#include "policies/transfer_policy.h"

namespace tessera::decision_kind {

namespace {

const BlockFamilyRegistration<DecisionSite> kFamily([](const DecisionSite& s) {
  auto module = std::make_unique<DecisionEngine>(s.name.c_str(), s.config, *s.policy, s.engine);
  DecisionEngine& m = *module;
  BlockHandle h = BlockHandle::of(std::move(module));
  h.offer<ObservedIf>(m);
  for (std::uint32_t g = 0; g < m.gpus(); ++g) h.offer<L1Observer>(m.monitor(GpuId(g)));
  return h;
});

const BlockKindRegistration kKind([] {
  BlockKind k(DecisionSite::kFamily, DecisionSite::kFamily);
  k.acts_at_once = [](const ConfigView& c) -> std::optional<std::string> {
    if (c.group<DecisionConfig>("decision").gpu_latency_ns != 0) return std::nullopt;
    return "decision.gpu_latency_ns is 0: DualOpt section 4.3 gives its counters and its verdict "
           "no latency";
  };
  k.build = [](const BlockBuild& b) {
    auto site = b.site<DecisionSite>();
    site.config = b.config().group<DecisionConfig>("decision");
    site.policy = &b.get<TransferPolicy>();
    site.engine.line_bytes = b.facts().memory.line_bytes;
    for (RemoteAccessMode& mode : b.get<RemoteAccessModes>().of_gpus) {
      site.engine.modes.push_back(&mode);
    }
    site.engine.gpus = b.gpu_domains();
    return b.make(site);
  };
  k.unused = {{"decision.", [](const ConfigView& c) -> std::optional<std::string> {
                 const std::string& transfer = c.chosen(TransferPolicy::kFamily);
                 if (transfer == "decision-engine") return std::nullopt;
                 return "system.transfer is " + transfer;
               }}};
  return k;
}());

}  // namespace

}  // namespace tessera::decision_kind
