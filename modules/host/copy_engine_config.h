// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/parameter_visitor.h"
#include "modules/kernel/stats.h"

namespace tessera {

/// Which copies the host program's accesses to the memories of GPUs cause.
enum class HostCopies : std::uint8_t {
  kNone,
  /// What the host writes is copied to the GPUs, what it reads is copied back (UMH section 3.1.2).
  kMemcpy,
  /// Software unified memory: pages move as ManagedPages decides (UMH section 3, figure 3).
  kUnifiedMemory,
};

struct HostCopyConfig {
  HostCopies copies = HostCopies::kNone;
  std::uint64_t setup_ns = 10'000;
  std::uint64_t memory_bytes_per_second = 38'400'000'000;

  std::vector<std::string> validate() const;
};

void describe(ParameterVisitor& v, HostCopyConfig& c);

struct CopyEngineStats {
  Counter copies_to_device = 0;
  Counter copies_to_host = 0;
  Counter bytes_to_device = 0;
  Counter bytes_to_host = 0;
  Counter to_device_ns = 0;
  Counter to_host_ns = 0;
};

void describe(StatisticsVisitor& v, CopyEngineStats& s);

}  // namespace tessera
