// SPDX-License-Identifier: Apache-2.0
#pragma once

// What waits_of() is made of: the reasons found so far, and the units they are given in.

#include <string>
#include <vector>

#include "app/report/waits.h"

namespace tessera::app {

/// a / b, or 0 where b is not above 0.
double ratio(double a, double b);
/// "190 of 11 136 WHAT".
std::string count_words(double amount, double base, const std::string& what);

class WaitList {
 public:
  /// The document must outlive this.
  explicit WaitList(const nlohmann::ordered_json& stats);

  const nlohmann::ordered_json& stats() const { return stats_; }
  Blocks blocks(const std::string& kind) const { return Blocks(stats_, kind); }
  /// A number of `config`; 0 where there is none.
  double setting(const std::string& group, const char* name) const;
  /// Cycles of a group's clock, summed over requests, as L1 cycles of an average L1 miss.
  double per_miss(double cycles, const std::string& group) const;
  /// Cycles of a group's clock during the kernels.
  double elapsed(const std::string& group) const;
  /// L1 misses that were served.
  double misses() const { return misses_; }

  /// A reason that is counted.
  void add(Wait wait, bool waited);
  /// A reason that is timed: `cycles_per_miss` is beyond what an idle system would take.
  void add_time(Wait wait, double cycles_per_miss);
  /// How long the busiest of some links was busy. What is not used at all is not told.
  void add_busiest(Wait wait, double busy, double cycles);

  Waits take() { return std::move(waits_); }

 private:
  const nlohmann::ordered_json& stats_;
  double misses_;
  Waits waits_;
};

/// Networks of a GPU and between modules (docs/blocks/crossbar.md), in the order of a request's
/// way.
void add_network_waits(WaitList& list);
/// RDMA engines and the fabric between GPUs (docs/blocks/rdma.md, gpu-fabric.md).
void add_remote_waits(WaitList& list);

}  // namespace tessera::app
