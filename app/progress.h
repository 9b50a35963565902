// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace tessera::app {

/// Progress of a command on standard error: a redrawn bar if it is a terminal, otherwise a line
/// every 10 seconds.
class ProgressMeter {
 public:
  explicit ProgressMeter(bool quiet);
  ~ProgressMeter();
  ProgressMeter(const ProgressMeter&) = delete;
  ProgressMeter& operator=(const ProgressMeter&) = delete;

  /// `label`: name of the activity; `fraction`: completed part (0..1); `rate`: text to print. The
  /// remaining time is extrapolated from the first update with this label.
  void update(const std::string& label, double fraction, const std::string& rate);
  /// The same with the text "DONE of COUNT points".
  void update_points(const std::string& label, double done, std::size_t count);
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
