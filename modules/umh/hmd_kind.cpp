// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "common/json.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"
#include "modules/plan/run_figures.h"
#include "modules/umh/coherence_link.h"
#include "modules/umh/coherent_cache_block.h"
#include "modules/umh/hmd_block.h"
#include "modules/umh/sites.h"
#include "modules/umh/umh_config.h"

namespace tessera {

using nlohmann::ordered_json;

namespace {

const BlockFamilyRegistration<HmdSite> kFamily([](const HmdSite& s) {
  auto module = std::make_unique<umh::HmdBlock>(s.name.c_str(), s.config, s.coherence, *s.pool);
  umh::HmdBlock& m = *module;
  BlockHandle h = coherent_handle(std::move(module));
  h.offer<SliceFlushIf>(m);
  h.out = {&m.memory};
  return h;
});

BlockHandle build(const BlockBuild& b) {
  auto site = b.site<HmdSite>();
  site.coherence = b.block().as<umh::CoherenceSite>();
  site.config = hmd_config(b.config(), b.plan(), b.block());
  return b.make(site);
}

/// Sections 3, 5.1 and 6 of the UMH paper, and its figure 14.
void derive(RunFigures& run) {
  if (!run.plan().has(HmdSite::kFamily)) return;
  const auto index = [](umh::MessageType type) { return static_cast<std::size_t>(type); };
  const auto hmds = run.of_kind<umh::CoherenceBlockStats>("hmd");
  const auto requests_of = [&](const std::array<Counter, umh::kMessageTypes>& messages) {
    return static_cast<double>(messages[index(umh::MessageType::kReadRequest)] +
                               messages[index(umh::MessageType::kWriteRequest)]);
  };
  double requests = 0;
  for (const umh::CoherenceBlockStats& s : hmds.each()) requests += requests_of(s.received);
  double control_bytes = 0;
  double control_messages = 0;
  const auto links = run.of_kind<umh::CoherenceLinkStats>("coherence_link");
  for (const umh::CoherenceLinkStats& s : links.each()) {
    for (std::size_t i = 0; i < umh::kMessageTypes; ++i) {
      if (umh::carries_bytes(static_cast<umh::MessageType>(i))) continue;
      control_bytes += static_cast<double>(s.bytes[i]);
      control_messages += static_cast<double>(s.messages[i]);
    }
  }
  double of_l1s = 0;
  const auto upper = run.of_level<umh::CoherenceBlockStats>("l1");
  for (const umh::CoherenceBlockStats& s : upper.each()) of_l1s += requests_of(s.sent);
  double to_other_partitions = 0;
  const auto partition_links = run.of_kind<umh::CoherenceLinkStats>("partition_link");
  for (const umh::CoherenceLinkStats& s : partition_links.each()) {
    to_other_partitions += requests_of(s.messages);
  }
  using Flush = umh::CoherentFlushStats;
  const auto l1s = run.of_level<Flush>("l1");
  const auto l2s = run.of_kind<Flush>("coherent_cache");
  const auto smds = run.of_kind<Flush>("smd");
  ordered_json d;
  d["home_requests"] = requests;
  d["home_lines_read"] =
      run.of_kind<umh::DirectoryMemoryStats>("hmd").sum(&umh::DirectoryMemoryStats::lines_read);
  d["control_bytes"] = control_bytes;
  d["control_messages"] = control_messages;
  d["flushed_bytes"] = l1s.sum(&Flush::flushed_bytes) + l2s.sum(&Flush::flushed_bytes);
  d["smd_flushed_bytes"] = smds.sum(&Flush::flushed_bytes);
  d["remote_request_fraction"] = ratio(to_other_partitions, of_l1s);
  d["smd_replacements"] = smds.sum(&Flush::replacements);
  run["hierarchy"] = std::move(d);
}

const BlockKindRegistration kKind([] {
  BlockKind k(HmdSite::kFamily, HmdSite::kFamily);
  k.rank = 10;
  k.flush = FlushAtKernelEnd::kCoherent;
  k.build = build;
  k.derive = derive;
  k.derived = {
      {"hierarchy", "", "figures of the UMH paper, on its platforms"},
      {"hierarchy.home_requests", "request", "read and write requests that HMDs looked up"},
      {"hierarchy.home_lines_read", "access", "lines read from the memories of HMDs"},
      {"hierarchy.control_bytes", "byte", "on the links between host and GPUs, without data"},
      {"hierarchy.control_messages", "message", "on these links, without data"},
      {"hierarchy.flushed_bytes", "byte",
       "dirty bytes that final flushes wrote back from L1s, and from L2s"},
      {"hierarchy.smd_flushed_bytes", "byte",
       "dirty bytes that final flushes wrote back from SMDs to the host"},
      {"hierarchy.remote_request_fraction", "",
       "read and write requests of L1s to other partitions of their GPU, over all of L1s"},
      {"hierarchy.smd_replacements", "block", "secondary blocks that SMDs evicted for others"}};
  return k;
}());

}  // namespace

umh::HmdBlockConfig hmd_config(const ConfigView& config, const PlatformPlan& plan,
                               const PlannedBlock& hmd) {
  const std::vector<umh::AgentId>& children = hmd.as<umh::CoherenceSite>().children;
  const auto of_gpus = std::count_if(children.begin(), children.end(), [&plan](umh::AgentId child) {
    return !kind_of(plan.blocks[static_cast<PlannedBlockId>(child)]).of_cpu;
  });
  umh::HmdBlockConfig c =
      config.group<UmhConfig>("umh").hmd_config(static_cast<std::uint32_t>(of_gpus));
  // L2s request lines, and accept none from each other. umh.block_bytes is then the interleave of
  // the stacks only.
  if (!plan.has(SmdSite::kFamily)) {
    c.hmd.block_bytes = umh::kLineBytes;
    c.hmd.peer_transfer = false;
  }
  return c;
}

}  // namespace tessera
