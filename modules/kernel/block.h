// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "modules/kernel/waiting.h"

namespace tessera {

class StatisticsRegistry;

/// The interface of a block to its platform, in addition to its sockets.
class Block {
 public:
  virtual ~Block() = default;

  /// True if nothing is in flight: every queue, MSHR and buffer is empty.
  virtual bool idle() const = 0;
  /// Appends one entry per non-empty queue.
  virtual void describe_waiting(std::vector<Waiting>& out) const = 0;
  /// Restores the state after elaboration and drops everything in flight.
  virtual void reset() = 0;
  /// Registers every statistic once, under the block's hierarchical name.
  virtual void register_statistics(StatisticsRegistry& registry) const = 0;
};

}  // namespace tessera
