// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

namespace tessera::app {

/// How far a command is, on standard error: a bar that is redrawn when that is a terminal, a line
/// every 10 seconds when it is not.
class ProgressMeter {
 public:
  explicit ProgressMeter(bool quiet);
  ~ProgressMeter();
  ProgressMeter(const ProgressMeter&) = delete;
  ProgressMeter& operator=(const ProgressMeter&) = delete;

  /// `label`: what is going on; `fraction`: of it that is done (0..1); `rate`: ready to print. The
  /// time left is reckoned from the moment at which the label came up.
  void update(const std::string& label, double fraction, const std::string& rate);
  /// Removes the bar.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  bool quiet_;
  bool terminal_;
  bool utf8_;
  bool drawn_ = false;
  Clock::time_point shown_;
  std::string label_;
  Clock::time_point label_since_;
  double label_from_ = 0;
};

}  // namespace tessera::app
