// SPDX-License-Identifier: Apache-2.0
#include "common/error.h"
#include "common/json.h"
#include "modules/llc/sites.h"
#include "modules/noc/planned_network.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"
#include "modules/plan/chosen_policy.h"
#include "modules/plan/run_figures.h"
#include "modules/probe/probe_engine.h"
#include "modules/probe/sites.h"
#include "policies/miss_routing.h"

namespace tessera {

using nlohmann::ordered_json;

namespace {

const BlockFamilyRegistration<ProbeEngineSite> kFamily([](const ProbeEngineSite& s) {
  auto module = std::make_unique<ProbeEngine>(s.name.c_str(), s.config, s.probe, s.make_routing());
  ProbeEngine& m = *module;
  BlockHandle h = BlockHandle::of(std::move(module));
  h.in = {&m.core, &m.probes};
  h.out = {&m.network};
  return h;
});

/// Routers between a core and the others of its GPU; 1 if their network is no mesh.
std::function<std::uint32_t(std::uint32_t)> hops_of(std::uint32_t core, std::uint32_t gpu,
                                                    const PlatformPlan& plan) {
  for (const PlannedBlock* b : networks_of(plan)) {
    const PlannedNetwork& network = network_of(*b);
    if (b->gpu != gpu || network.kind != NetworkKind::kMesh) continue;
    const MeshLayout layout = network.mesh.layout(b->inputs, b->outputs);
    const std::uint32_t first = b->outputs - network.mesh.core_exits;
    return [layout, first, core](std::uint32_t other) { return layout.hops(core, first + other); };
  }
  return [](std::uint32_t) { return 1U; };
}

bool slices_forward(const ConfigView& c) {
  return !make_policy<MissRouting>(c, MissRouting::example_context())->slice_role().empty();
}

/// The probe port of a core's L1; null if its implementation has none. Cores have the numbers of
/// their L1s.
L1ProbeIf* port_of_l1(const BlockBuild& b) {
  const auto is_l1 = [](const BlockKind& k) { return k.level == "l1"; };
  const PlannedBlock& l1 = *b.plan().where(is_l1)[b.block().index];
  return b.made(l1.kind)[l1.index]->find<L1ProbeIf>();
}

BlockHandle build(const BlockBuild& b) {
  const SystemFacts facts = b.facts();
  const std::uint32_t slices = facts.slices_per_gpu();
  const std::uint32_t core = b.block().index % facts.sms_per_gpu();
  auto& gpu = b.get<GpuProbing>();
  auto site = b.site<ProbeEngineSite>();
  site.config = b.config().group<ProbeConfig>("probe");
  ProbeSite& probe = site.probe;
  probe.core = core;
  probe.first_slice = b.block().gpu * slices;
  probe.end_slice = (b.block().gpu + 1) * slices;
  probe.first_core_exit = first_core_exit(facts, b.block().gpu);
  probe.slices_forward = slices_forward(b.config());
  probe.directory = &gpu.sharers;
  probe.probes = &gpu.probes;
  probe.l1 = port_of_l1(b);
  probe.map = site.map;
  probe.pool = site.pool;
  if (probe.l1 == nullptr) {
    throw InputError(site.path +
                     ": this implementation of the L1 has no probe port, as system.miss_routing "
                     "needs");
  }
  MissRouting::Context context;
  context.core = core;
  context.cores = facts.sms_per_gpu();
  context.holders = [&gpu, core](std::uint64_t line) { return gpu.sharers.holders(line, core); };
  context.hops = hops_of(core, b.block().gpu, b.plan());
  site.make_routing = [&config = b.config(), context] {
    return make_policy<MissRouting>(config, context);
  };
  return b.make(site);
}

/// Figures 3, 4, 13 and 14a of the remote-core paper, and timeouts (section III-F).
void derive(RunFigures& run) {
  if (!run.plan().has(ProbeEngineSite::kFamily)) return;
  const auto engines = run.of_kind<ProbeStats>(ProbeEngineSite::kFamily);
  const double supplied = engines.sum(&ProbeStats::supplied);
  const double probed = engines.sum(&ProbeStats::predicted);
  ordered_json d;
  d["remote_hit_rate"] = ratio(supplied, engines.sum(&ProbeStats::read_misses));
  const double shared = engines.sum(&ProbeStats::shared);
  const double hits = engines.sum(&ProbeStats::predicted_shared);
  d["shared_fraction"] = ratio(shared, engines.sum(&ProbeStats::read_misses));
  d["probed_fraction"] = ratio(probed, engines.sum(&ProbeStats::read_misses));
  // Cores that leave the prediction to slices do not know which of their misses are forwarded.
  const bool predict = !slices_forward(run.config());
  d["precision"] = predict ? ordered_json(ratio(hits, probed)) : ordered_json();
  d["recall"] = predict ? ordered_json(ratio(hits, shared)) : ordered_json();
  d["supplied_fraction"] = ratio(supplied, probed);
  d["failed_fraction"] = ratio(engines.sum(&ProbeStats::failed), probed);
  d["timeout_fraction"] = ratio(engines.sum(&ProbeStats::timeouts), probed);
  d["remote_replies_per_cycle"] = ratio(supplied, run.cycles());
  d["requests_per_cycle"] = ratio(run.term("noc_requests"), run.cycles());
  run["probing"] = std::move(d);
}

/// Nothing if the parameter has an effect where misses are probed (`by_cores`: by cores, not by
/// slices).
std::optional<std::string> unless_probed(const ConfigView& c, bool by_cores) {
  const std::string& policy = c.chosen(MissRouting::kFamily);
  if (policy != "home" && !(by_cores && slices_forward(c))) return std::nullopt;
  return "system.miss_routing is " + policy;
}

const BlockKindRegistration kKind([] {
  BlockKind k(ProbeEngineSite::kFamily, ProbeEngineSite::kFamily);
  k.rank = 33;
  k.ingress = {"miss", 3};
  k.build = build;
  const auto by_cores = [](const ConfigView& c) { return unless_probed(c, true); };
  k.unused = {{"probe.timeout_cycles", by_cores},
              {"probe.tracked", by_cores},
              {"probe.", [](const ConfigView& c) { return unless_probed(c, false); }},
              {"llc.last_sharer", [](const ConfigView& c) -> std::optional<std::string> {
                 if (slices_forward(c)) return std::nullopt;
                 return "system.miss_routing is " + c.chosen(MissRouting::kFamily);
               }}};
  k.derive = derive;
  k.derived = {
      {"probing", "", "figures of the remote-core paper, where cores probe each other"},
      {"probing.remote_hit_rate", "", "lines that other cores supplied, over read misses"},
      {"probing.shared_fraction", "",
       "read misses whose line another core held when they left the L1"},
      {"probing.precision", "",
       "misses whose line another core held, over those probed; null if slices forward hits"},
      {"probing.recall", "",
       "misses probed, over those whose line another core held; null if slices forward hits"},
      {"probing.probed_fraction", "", "read misses that were probed, or forwarded by their slice"},
      {"probing.supplied_fraction", "",
       "lines that other cores supplied, over the misses that were probed or forwarded"},
      {"probing.failed_fraction", "",
       "misses that returned without a line, over those that were probed or forwarded"},
      {"probing.timeout_fraction", "",
       "misses that went to the L2 after the timeout, over those that were probed or forwarded"},
      {"probing.remote_replies_per_cycle", "response/cycle",
       "lines that other cores supplied, per SM cycle"},
      {"probing.requests_per_cycle", "request/cycle",
       "requests and probes that entered the GPU's network, per SM cycle"}};
  return k;
}());

}  // namespace

}  // namespace tessera
