// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <systemc>
#include <vector>

#include "modules/core/block.h"
#include "modules/core/time.h"

namespace tessera {

/// Looks after a running kernel from outside: reports progress, polls for an interrupt, and stops
/// a run in which nothing moves, naming the queues that wait. Changes nothing in the model.
class Supervisor final : public sc_core::sc_module {
 public:
  struct Hooks {
    /// A number that changes whenever anything was done (instructions, answers, commands).
    std::function<std::uint64_t()> activity;
    /// Called about ten times a second of host time. May be empty.
    std::function<void()> on_progress;
    /// True ends the run. May be empty.
    std::function<bool()> interrupted;
    /// Ends the run with a message.
    std::function<void(const std::string& why)> stop;
    std::function<void()> stop_for_interrupt;
  };

  /// `limit`: time without activity after which a run is stopped. `kernel_limit`: time a kernel may
  /// take; 0 = any.
  Supervisor(const sc_core::sc_module_name& name, std::vector<Block*> blocks, Tick limit,
             Tick kernel_limit, Hooks hooks);

  /// Watches from now on, until release().
  void watch();
  void release() { wake_.cancel(); }

  /// One line per waiting queue, the fullest first.
  static std::string describe(const std::vector<Block*>& blocks);

 private:
  void process();

  const std::vector<Block*> blocks_;
  const Tick limit_;
  const Tick kernel_limit_;
  const Hooks hooks_;
  Tick watching_since_ = 0;
  Tick last_change_ = 0;
  std::uint64_t last_activity_ = 0;
  std::chrono::steady_clock::time_point last_report_;
  sc_core::sc_event wake_;
};

}  // namespace tessera
