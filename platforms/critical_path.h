// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "common/json_fwd.h"
#include "modules/kernel/time.h"
#include "modules/sm/sm_time.h"
#include "platforms/sm_group.h"

namespace tessera {

/// The time in which kernels run, by the reasons of the SM that ended last: "critical_path" of
/// stats.json. Kernels that overlap are one span. The critical SM of a span is the one with the
/// fewest idle issue slots in it.
class CriticalPath {
 public:
  /// `sms` and `clock`, the SMs' clock, must outlive it.
  CriticalPath(const SmGroup& sms, const ClockDomain& clock) : sms_(sms), clock_(clock) {}

  /// `ready_at`: StartedLaunch::ready_at.
  void kernel_started(const std::string& name, Tick ready_at);
  void kernel_ended();
  /// Ends the span, if there is one.
  void end_all();
  /// What was counted before now does not count.
  void begin_window();

  /// {"sms", "kernels": [{"kernels", "spans", "cycles", "slots", "issue_slots",
  /// "memory_stall_cycles"}]}, in the order of the first spans. Null without spans.
  nlohmann::ordered_json to_json() const;

 private:
  struct Part {
    std::string kernels;
    std::uint64_t spans = 0;
    std::uint64_t cycles = 0;
    SmTime time;
  };

  std::vector<SmTime> snapshot() const;
  void begin_span(Tick at);

  const SmGroup& sms_;
  const ClockDomain& clock_;
  std::uint64_t open_ = 0;       ///< kernels that run
  std::set<std::string> names_;  ///< of the kernels of the span
  std::uint64_t begin_ = 0;
  std::vector<SmTime> before_;  ///< by SM, when the span began
  std::vector<Part> parts_;
};

}  // namespace tessera
