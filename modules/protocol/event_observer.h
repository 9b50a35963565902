// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "modules/kernel/time.h"

namespace tessera {

/// Observes rare events of blocks that take a while, such as epochs of decisions. Must not change
/// their behaviour.
class EventObserver {
 public:
  struct Value {
    const char* name = "";
    double value = 0;
  };
  virtual ~EventObserver() = default;
  /// `what` has lasted from `begin` to `end`, which can be later than now. Events of one `row` are
  /// of one sort: "epochs". `values`: numbers of the event.
  virtual void on_event(const std::string& row, const std::string& what, Tick begin, Tick end,
                        const std::vector<Value>& values) = 0;
};

/// A block with such events.
class ObservedIf {
 public:
  virtual ~ObservedIf() = default;
  /// Before simulated time runs. The observer must outlive the block's activity.
  virtual void observe_events(EventObserver& observer) = 0;
};

}  // namespace tessera
