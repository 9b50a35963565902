// SPDX-License-Identifier: Apache-2.0
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"
#include "modules/rdma/sites.h"
#include "policies/transfer_policy.h"

namespace tessera {

namespace {

const BlockFamilyRegistration<DecisionSite> kFamily([](const DecisionSite& s) {
  auto module = std::make_unique<DecisionEngine>(s.name.c_str(), s.config, s.gpus, s.line_bytes,
                                                 s.gpu_of, *s.policy, *s.transfer);
  DecisionEngine& m = *module;
  BlockHandle h = BlockHandle::of(std::move(module));
  h.offer<L1Observer>(m);
  return h;
});

const BlockKindRegistration kKind([] {
  BlockKind k(DecisionSite::kFamily, DecisionSite::kFamily);
  k.acts_at_once = "DualOpt section 4.3 gives its counters and its verdict no latency";
  k.build = [](const BlockBuild& b) {
    auto site = b.site<DecisionSite>();
    site.config = b.config().group<DecisionConfig>("decision");
    site.gpus = b.facts().tree.gpus;
    site.line_bytes = b.facts().memory.line_bytes;
    site.gpu_of = [sms = b.facts().sms_per_gpu()](SmId sm) { return GpuId(sm.value / sms); };
    site.policy = &b.get<TransferPolicy>();
    site.transfer = &b.get<RemoteAccessMode>();
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

}  // namespace tessera
