// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "common/sharer_table.h"
#include "modules/kernel/block_base.h"
#include "modules/llc/slice_observer.h"

namespace tessera {

struct SharingProfilerSite;

struct SharingProfilerStats {
  Counter loads = 0;
  Counter bytes_requested = 0;
};

void describe(StatisticsVisitor& v, SharingProfilerStats& s);

/// Measures how SMs share lines and how many bytes of a line they use, to characterise a workload
/// (docs/workloads.md). Observes lines at their home slices. On a memory-side UBA, a home observes
/// each SM's first load of a line in each kernel, because L1s are flushed at kernel ends, and every
/// store. If slices keep copies of other slices' lines (uba-sm, replication), loads that hit a copy
/// are not observed.
///
/// Uses about 50 bytes of host memory for each touched line. Disabled by default (parameter
/// `system.line_sharing`).
class SharingProfiler final : public SliceObserver, public Block {
 public:
  using Config = NoConfig;
  using Stats = SharingProfilerStats;
  using Site = SharingProfilerSite;

  /// `name`: hierarchical name, for the statistics.
  SharingProfiler(std::string name, unsigned sms, std::uint32_t line_bytes)
      : name_(std::move(name)), line_bytes_(line_bytes), readers_(sms) {}

  const Stats& stats() const { return stats_; }

  void on_access(const ObservedAccess& access) override;

  /// Lines that several SMs loaded and none wrote, over the whole run.
  std::uint64_t read_only_shared_lines() const;
  std::uint64_t read_lines() const { return readers_.size(); }
  std::uint64_t written_lines() const { return written_.size(); }

  bool idle() const override { return true; }
  void describe_waiting(std::vector<Waiting>&) const override {}
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  const std::string name_;
  const std::uint32_t line_bytes_;
  SharerTable readers_;
  std::unordered_set<std::uint64_t> written_;
  Stats stats_;
};

}  // namespace tessera
