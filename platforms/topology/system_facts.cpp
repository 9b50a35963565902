// SPDX-License-Identifier: Apache-2.0
#include "platforms/topology/system_facts.h"

#include "platforms/topology/shape.h"
#include "policies/remote_caching.h"

namespace tessera {

std::uint32_t partitions_of(const SystemConfig& system) {
  return node_shape_of(system).partitions(system);
}

std::uint32_t sms_per_partition(const SystemConfig& system) {
  return system.sms / system.gpus / partitions_of(system);
}

std::uint32_t slices_per_partition(const SystemConfig& system) {
  return system.slices() / system.gpus / partitions_of(system);
}

MemoryGeometry geometry_of(const GpuConfig& config) {
  const SystemConfig& system = config.system;
  MemoryGeometry g;
  g.gpus = node_shape_of(system).host_memory ? 1 : system.gpus;
  g.channels = system.channels;
  g.slices_per_channel = system.slices_per_channel;
  g.banks_per_channel = config.dram.banks;
  g.row_bytes = config.dram.row_bytes;
  g.line_bytes = system.line_bytes;
  g.page_bytes = system.page_bytes;
  g.channel_bytes = system.channel_bytes;
  return g;
}

MemoryGeometry stack_geometry_of(const GpuConfig& config) {
  MemoryGeometry g = geometry_of(config);
  g.gpus = g.channels = g.slices_per_channel = 1;
  g.banks_per_channel = config.hierarchy.stack.banks;
  g.row_bytes = config.hierarchy.stack.row_bytes;
  g.channel_bytes = config.hierarchy.stack_bytes;
  return g;
}

SystemFacts facts_of(const GpuConfig& config) {
  const SystemConfig& system = config.system;
  SystemFacts c;
  c.tree.gpus = system.gpus;
  c.tree.modules = system.gpus * system.modules;
  c.tree.partitions = system.gpus * partitions_of(system);
  c.tree.channels = system.channels;
  c.tree.sms = system.sms;
  c.memory = geometry_of(config);
  return c;
}

std::unique_ptr<TransferPolicy> transfer_policy_of(const GpuConfig& config) {
  return config.transfer.make(config.system.transfer, facts_of(config));
}

bool needs_mdr(const GpuConfig& config) {
  const std::string& policy = config.system.remote_caching;
  // An unknown name is reported by config_errors().
  return PolicyRegistry<RemoteCaching>::instance().has(policy) &&
         config.remote_caching.make(policy, facts_of(config))->monitored() != nullptr;
}

}  // namespace tessera
