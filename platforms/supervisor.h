// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "modules/kernel/time.h"

namespace tessera {

class Block;

/// Looks after a running kernel from outside: reports progress, polls for an interrupt, and stops
/// a run in which nothing moves or warps run in circles, naming who waits and where warps stand.
/// Changes nothing in the model.
class Supervisor final : public sc_core::sc_module {
 public:
  /// What a kernel has done, to distinguish an endless loop from progress.
  struct Work {
    std::uint64_t instructions = 0;  ///< of warps
    std::uint64_t ctas_ended = 0;
    std::uint64_t resident_warps = 0;
  };
  struct Hooks {
    /// A number that changes whenever anything was done (instructions, responses, commands).
    std::function<std::uint64_t()> activity;
    std::function<Work()> work;
    /// Called about ten times a second of host time. May be empty.
    std::function<void()> on_progress;
    /// True ends the run. May be empty.
    std::function<bool()> interrupted;
    /// Ends the run with a message.
    std::function<void(const std::string& why)> stop;
    std::function<void()> stop_for_interrupt;
  };

  struct Limits {
    Tick inactive = 0;  ///< time without activity after which a run is stopped
    Tick kernel = 0;    ///< time a kernel may take; 0 = any
    /// Instructions per resident warp without the end of a CTA; 0 = any.
    std::uint64_t loop = 0;
  };

  Supervisor(const sc_core::sc_module_name& name, std::vector<Block*> blocks, const Limits& limits,
             Hooks hooks);

  /// Watches from now on, until release().
  void watch();
  void release() { wake_.cancel(); }

  /// One line per waiting queue, the fullest first.
  static std::string describe(const std::vector<Block*>& blocks);

 private:
  void process();
  void look_later(Tick t);
  bool runs_in_circles();

  const std::vector<Block*> blocks_;
  const Limits limits_;
  const Hooks hooks_;
  Tick watching_since_ = 0;
  Tick last_change_ = 0;
  std::uint64_t last_activity_ = 0;
  Work at_last_end_;  ///< of a CTA
  std::chrono::steady_clock::time_point last_report_;
  sc_core::sc_event wake_;
};

}  // namespace tessera
