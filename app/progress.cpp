// SPDX-License-Identifier: Apache-2.0
#include "app/progress.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "app/console.h"
#include "app/report/text.h"

namespace tessera::app {
namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kLine{10};

}  // namespace

ProgressMeter::ProgressMeter(bool quiet)
    : quiet_(quiet),
      terminal_(::isatty(STDERR_FILENO) == 1),
      utf8_(terminal_has_utf8()),
      shown_(Clock::now()) {}

ProgressMeter::~ProgressMeter() { finish(); }

void ProgressMeter::update(const std::string& label, double fraction, const std::string& rate) {
  if (quiet_) return;
  const Clock::time_point now = Clock::now();
  fraction = std::clamp(fraction, 0.0, 1.0);
  if (label != label_) {
    label_ = label;
    label_since_ = now;
    label_from_ = fraction;
  }
  if (now - shown_ < (terminal_ ? Clock::duration(kRedraw) : Clock::duration(kLine))) return;
  shown_ = now;
  std::string left;
  const double spent = std::chrono::duration<double>(now - label_since_).count();
  if (fraction > label_from_ && spent > 0.5) {
    left = ", " + duration_text(spent * (1 - fraction) / (fraction - label_from_)) + " left";
  }
  const std::string percent = std::to_string(static_cast<int>(fraction * 100)) + " %";
  std::string line = printable(label) + "  ";
  if (terminal_) line += bar(fraction, 24, utf8_) + " ";
  line += percent + (rate.empty() ? "" : ", " + rate) + left;
  if (terminal_) {
    std::cerr << '\r' << line << "\x1b[K" << std::flush;
    drawn_ = true;
  } else {
    std::cerr << "tessera: " << line << std::endl;
  }
}

void ProgressMeter::update_points(const std::string& label, double done, std::size_t count) {
  update(
      label, done / static_cast<double>(count),
      std::to_string(static_cast<std::size_t>(done)) + " of " + std::to_string(count) + " points");
}

void ProgressMeter::finish() {
  if (drawn_) std::cerr << "\r\x1b[K" << std::flush;
  drawn_ = false;
}

}  // namespace tessera::app
