// SPDX-License-Identifier: Apache-2.0
#pragma once

// The builder of waits_of(): collects the reasons and converts their units.

#include <string>
#include <vector>

#include "app/report/waits.h"

namespace tessera::app {

/// a / b, or 0 if b is not above 0.
double ratio(double a, double b);
/// "190 of 11 136 WHAT".
std::string count_words(double amount, double base, const std::string& what);

class WaitList {
 public:
  /// The document must outlive the object.
  explicit WaitList(const nlohmann::ordered_json& stats);

  const nlohmann::ordered_json& stats() const { return stats_; }
  Blocks blocks(const std::string& kind) const { return Blocks(stats_, kind); }
  /// A number of `config`; 0 if it is missing.
  double setting(const std::string& group, const char* name) const;
  /// Converts cycles of a group's clock to L1 cycles.
  double l1_cycles(double cycles, const std::string& group) const;
  /// Cycles of a group's clock in traffic_time_ns().
  double elapsed(const std::string& group) const;
  /// Number of completed L1 misses.
  double misses() const { return misses_; }

  /// Adds a reason without a time.
  void add(Wait wait, bool waited);
  /// Adds a reason with a time: `l1_cycles` is the time in excess of an idle system's, summed over
  /// requests. The time must be part of the translation time or of a block's time below.
  void add_time(Wait wait, double l1_cycles);
  /// Adds the busy time of the busiest of several links, unless it is 0.
  void add_busiest(Wait wait, double busy, double cycles);

  /// Adds time of requests that wait for a translation, summed over requests.
  void add_translation_time(double l1_cycles) { translation_time_ += l1_cycles; }
  /// Adds time that requests spend in a block below the L1s, summed over requests. No time may be
  /// added twice.
  void add_block_time(double l1_cycles) { block_time_ += l1_cycles; }

  /// The waits, with the shares of those that are timed.
  Waits take();

 private:
  struct Entry {
    Wait wait;
    bool waited;
  };

  const nlohmann::ordered_json& stats_;
  double misses_;
  double miss_time_;
  double requests_;
  double translation_time_ = 0;
  double block_time_ = 0;
  std::vector<Entry> entries_;
};

/// Adds the networks of a GPU and between modules (docs/blocks/crossbar.md), in the order of a
/// request's route.
void add_network_waits(WaitList& list);
/// Adds the RDMA engines and the fabric between GPUs (docs/blocks/rdma.md, gpu-fabric.md).
void add_remote_waits(WaitList& list);

}  // namespace tessera::app
